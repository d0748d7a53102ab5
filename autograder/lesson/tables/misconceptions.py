"""The table of exercises and misconceptions: which are caught, and which the check can name."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from autograder.course import Course
from autograder.exam.exam import DEFAULT_SEED, Exam, exams_of
from autograder.exam.report import Verdict

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
class Trial:
    """What becomes of one misconception. `reason` says why the check does not name it."""

    exercise: str
    misconception: str
    caught: bool
    named: bool
    reason: str
    hint: str


def judge_misconceptions(exam: Exam, seed: int = DEFAULT_SEED) -> Iterator[Trial]:
    """Try every misconception of an exam on the exam and on the learner's check."""
    for name, wrong in exam.misconceptions.items():
        hidden, visible = exam.examine(wrong, seed), exam.preview(wrong)
        named = visible.misconception == name
        reason = ""
        if visible.verdict is Verdict.PASSED:
            reason = "right on the printed examples"
        elif visible.misconception and not named:
            reason = f"gives what {visible.misconception} gives on the printed examples"
        caught = hidden.misconception == name
        yield Trial(exam.name, name, caught, named, reason, exam.hints[name])


Judge = Callable[[Exam], Iterable[Trial]]


def kill_matrix(course: Course, judge: Judge = judge_misconceptions) -> str:
    """The text of `docs/misconceptions.md`; the same course gives the same text.

    `judge` may be one that remembers what it found before.
    """
    return table(section(course, lesson, judge) for lesson in course.lessons())


def table(sections: Iterable[str]) -> str:
    """The text of `docs/misconceptions.md` with these sections."""
    return "".join([_INTRODUCTION, *sections])


def section(course: Course, lesson: str, judge: Judge = judge_misconceptions) -> str:
    """What the table says of one lesson."""
    exams = exams_of(course.exam_module(lesson)).values()
    rows = [_row(trial) for exam in exams for trial in judge(exam)]
    return "".join([f"\n## {lesson}\n\n{_HEAD}", *rows])


def sections_in(text: str) -> dict[str, str]:
    """The sections of a table that was made before, by the names of their lessons."""
    return {found["lesson"]: found[0] for found in _SECTION.finditer(text)}


_SECTION = re.compile(r"\n## (?P<lesson>\S+)\n\n.*?(?=\n## |\Z)", re.DOTALL)
_HEAD = """\
| exercise | misconception | caught | named by the check | hint |
| --- | --- | --- | --- | --- |
"""


def _row(trial: Trial) -> str:
    caught = "yes" if trial.caught else "**no**"
    named = "yes" if trial.named else f"no: {trial.reason}"
    hint = trial.hint.replace("|", "\\|")
    return f"| `{trial.exercise}` | {trial.misconception} | {caught} | {named} | {hint} |\n"
