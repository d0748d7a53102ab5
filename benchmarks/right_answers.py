"""Does every right answer pass? The table of right answers, at many seeds.

    python benchmarks/right_answers.py [--seeds 20] [exercise or beginning of a lesson ...]

Tried are the reference and every accepted style, as they are and in each idiom (`idioms`) for
which their source has a step, in the check and in the exam at each seed. Where an answer is
refused, a line says what the report says; the exit status is 1. All exercises take some 20 minutes
of one core.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.checks.card.as_text import lines_of  # noqa: E402
from autograder.checks.exam.exam import Exam, exams_of  # noqa: E402
from autograder.checks.exam.report import Verdict  # noqa: E402
from autograder.course import Course  # noqa: E402
from benchmarks.idioms import with_idioms  # noqa: E402

SEEDS = 20


@dataclass
class Row:
    """What became of one exercise's right answers."""

    exercise: str
    styles: int
    in_idioms: int
    tried: int = 0
    refused: dict[str, str] = field(default_factory=dict)


def answers(exam: Exam) -> dict[str, Callable[..., object]]:
    """All right answers of an exam, by what they are called here."""
    found: dict[str, Callable[..., object]] = {"reference": exam.reference, **exam.accepted}
    for name, right in list(found.items()):
        found |= {f"{name}: {idiom}": other for idiom, other in with_idioms(right)}
    return found


def tried(exam: Exam, seeds: Iterable[int]) -> Row:
    """All right answers of an exam, in the check and at these seeds."""
    rights = answers(exam)
    styles = 1 + len(exam.accepted)
    row = Row(exam.name, styles, len(rights) - styles)
    for seed in (None, *seeds):
        for name, right in rights.items():
            row.tried += 1
            found = refusal(exam, right, seed)
            if found:
                row.refused.setdefault(name, f"{_where(seed)}: {found}")
    return row


def refusal(exam: Exam, right: Callable[..., object], seed: int | None) -> str:
    """What is said of an answer at a seed, or in the check for None; nothing where it passes."""
    try:
        report = exam.preview(right) if seed is None else exam.examine(right, seed)
    except Exception as error:
        return f"the exam raises {type(error).__name__}: {error}"
    return "" if report.verdict is Verdict.PASSED else " | ".join(lines_of(report)[1:])


def _where(seed: int | None) -> str:
    return "check" if seed is None else f"seed {seed}"


def chosen(course: Course, words: list[str]) -> Iterator[tuple[str, Exam]]:
    """The exams that are asked for, or all of them, with their lessons."""
    for lesson in course.lessons():
        for name, exam in exams_of(course.exam_module(lesson)).items():
            if not words or any(name == word or lesson.startswith(word) for word in words):
                yield lesson, exam


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__, add_help=True)
    asked.add_argument("exercises", nargs="*")
    asked.add_argument("--seeds", type=int, default=SEEDS)
    given = asked.parse_args()
    rows = []
    print("| exercise | right answers | in idioms | trials | refused |")
    print("| --- | --- | --- | --- | --- |")
    for lesson, exam in chosen(Course(ROOT), given.exercises):
        begun = time.process_time()
        row = tried(exam, range(given.seeds))
        rows.append(row)
        refused = len(row.refused)
        print(f"| {row.exercise} | {row.styles} | {row.in_idioms} | {row.tried} | {refused} |")
        for name, text in row.refused.items():
            print(f"    {name}: {text[:400]}")
        spent = time.process_time() - begun
        print(f"{lesson} {row.exercise}: {spent:.1f} s", file=sys.stderr, flush=True)
        sys.stdout.flush()
    print(
        f"| all {len(rows)} | {sum(row.styles for row in rows)} "
        f"| {sum(row.in_idioms for row in rows)} | {sum(row.tried for row in rows)} "
        f"| {sum(len(row.refused) for row in rows)} |"
    )
    return any(row.refused for row in rows)


if __name__ == "__main__":
    sys.exit(main())
