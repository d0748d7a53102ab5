"""The table of exercises and misconceptions: which are caught, and which the check can name."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course
from autograder.exam import Exam, exams_of
from autograder.report import State

FILE = Path("docs") / "misconceptions.md"

_INTRODUCTION = """\
# Misconceptions

Made by `autograder build` from `solutions/exams/`; do not edit it by hand.

Each row is a known wrong answer. *Caught* means that the hidden exam refuses it and names it.
*Named* means that the learner's own check, which knows the printed examples alone, names it too;
where it can't, the table says why. The last column is the hint that whoever gives this answer
reads.
"""


@dataclass(frozen=True)
class Verdict:
    """What becomes of one misconception. `reason` says why the check does not name it."""

    exercise: str
    misconception: str
    caught: bool
    named: bool
    reason: str
    hint: str


def judge_misconceptions(exam: Exam) -> Iterator[Verdict]:
    """Try every misconception of an exam on the exam and on the learner's check."""
    for name, wrong in exam.misconceptions.items():
        hidden, visible = exam.examine(wrong), exam.preview(wrong)
        named = visible.misconception == name
        reason = ""
        if visible.state is State.PASSED:
            reason = "right on the printed examples"
        elif visible.misconception and not named:
            reason = f"gives what {visible.misconception} gives on the printed examples"
        caught = hidden.misconception == name
        yield Verdict(exam.name, name, caught, named, reason, exam.hints[name])


def kill_matrix(
    course: Course, judge: Callable[[Exam], Iterable[Verdict]] = judge_misconceptions
) -> str:
    """The text of `docs/misconceptions.md`; the same course gives the same text.

    `judge` may be one that remembers what it found before.
    """
    parts = [_INTRODUCTION]
    for lesson in course.lessons():
        parts.append(f"\n## {lesson}\n\n{_HEAD}")
        for exam in exams_of(course.exam_module(lesson)).values():
            parts += [_row(verdict) for verdict in judge(exam)]
    return "".join(parts)


_HEAD = """\
| exercise | misconception | caught | named by the check | hint |
| --- | --- | --- | --- | --- |
"""


def _row(verdict: Verdict) -> str:
    caught = "yes" if verdict.caught else "**no**"
    named = "yes" if verdict.named else f"no: {verdict.reason}"
    hint = verdict.hint.replace("|", "\\|")
    return f"| `{verdict.exercise}` | {verdict.misconception} | {caught} | {named} | {hint} |\n"
