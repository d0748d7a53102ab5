"""Are right answers right on a busy machine? Each lesson, quiet and beside loops that never end.

    python benchmarks/busy.py [lesson ...] [--loops 16]

Graded are the reference and the accepted styles, first alone and then beside the loops. A line for
each lesson has the seconds of both, by the clock and as the record counts them, and each test whose
verdict is another one; the exit status is 1 if there is any.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.authoring.build.build import build_lesson  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.grading.jobs.job import Job  # noqa: E402
from autograder.grading.jobs.processes import Processes  # noqa: E402
from autograder.nbgrading.configuration import configuration  # noqa: E402
from autograder.nbgrading.inbox.take import Beside  # noqa: E402
from autograder.nbgrading.inbox.which_notebook import HandedIn  # noqa: E402
from autograder.nbgrading.preprocessor import GradeSafely  # noqa: E402
from benchmarks.large_class import kinds_of, make_course  # noqa: E402

COURSE = Course(ROOT)
# Of the demonstration's class: the reference, and an accepted style for each exercise.
HONEST = ("ada", "ben")
LOOP = "while True: pass"


@dataclass(frozen=True)
class Graded:
    """What came of the honest submissions to a lesson."""

    seconds: float
    counted: float
    verdicts: Mapping[tuple[str, str], str]


def grade_all(jobs: Mapping[str, Job], processes: Processes) -> Graded:
    """Grade each of them once."""
    started, counted, verdicts = time.monotonic(), 0.0, dict[tuple[str, str], str]()
    for student, job in jobs.items():
        graded = processes.grade(job)
        counted += graded.record.time["used"] or 0.0
        verdicts |= {(student, one.grade_id): one.verdict.name for one in graded.verdicts}
    return Graded(time.monotonic() - started, counted, verdicts)


@contextmanager
def beside(loops: int) -> Iterator[None]:
    """Keep the processors busy."""
    running = [subprocess.Popen([sys.executable, "-c", LOOP]) for _ in range(loops)]
    try:
        yield
    finally:
        for one in running:
            one.kill()
            one.wait()


def main() -> None:
    """Try the lessons, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lessons", nargs="*", help="by name or number; without any, all")
    parser.add_argument("--loops", type=int, default=16)
    given = parser.parse_args()
    others = 0
    for lesson in COURSE.lessons_named(given.lessons) or COURSE.lessons():
        built = build_lesson(COURSE, lesson)
        kinds = kinds_of(built, hostile=0)
        with tempfile.TemporaryDirectory(prefix="class") as folder:
            root, processes = Path(folder), Processes()
            make_course(root, built)
            grading = GradeSafely(config=configuration(Course(root), root))
            jobs = {
                one: grading.job(lesson, lesson, HandedIn(kinds[one].text.encode()), Beside())
                for one in HONEST
            }
            processes.grade(jobs[HONEST[0]])
            quiet = grade_all(jobs, processes)
            with beside(given.loops):
                busy = grade_all(jobs, processes)
            processes.close()
        changed = {one for one, found in busy.verdicts.items() if found != quiet.verdicts[one]}
        others += len(changed)
        print(
            f"{lesson}: {len(quiet.verdicts)} verdicts, {quiet.seconds:.1f} s quiet (counted "
            f"{quiet.counted:.1f}), {busy.seconds:.1f} s busy (counted {busy.counted:.1f}), "
            f"{len(changed)} others {sorted(changed) or ''}",
            flush=True,
        )
    sys.exit(bool(others))


if __name__ == "__main__":
    main()
