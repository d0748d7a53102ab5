"""What a hostile submission costs its neighbour, who is graded by another worker at the same time.

    python benchmarks/neighbours.py [--lesson 02] [word of an attack's name ...]

Two workers, as `autograder grade --workers 2` has them. One grades right submissions all the time;
the other grades nothing, then right ones as well, then each attack of the suite that a cell can
hold. The table has the seconds of a right submission beside each, and what the attack took itself.
A right submission has to have the same verdicts beside all of them.
"""

import argparse
import statistics
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

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
RIGHT = "ada"
FEWEST = 3
# The most that stands in the table; what takes longer is waited for all the same.
SLOW = 1.5


@dataclass(frozen=True)
class Beheld:
    """An honest submission beside a neighbour: its seconds, the neighbour's, what was found."""

    seconds: float
    neighbour: float
    verdicts: list[str]


class Pair:
    """Two workers, of which the first grades right submissions."""

    def __init__(self, right: Job, processes: Processes) -> None:
        self._right, self._processes = right, processes
        self._first, self._second = ThreadPoolExecutor(1), ThreadPoolExecutor(1)
        for one in (self._first, self._second):
            one.submit(processes.grade, right).result()

    def beside(self, neighbour: Job | None) -> Beheld:
        """Grade right submissions while the other worker grades something, or nothing."""
        started = time.monotonic()
        other = self._second.submit(self._grade, neighbour)
        seconds: list[float] = []
        verdicts: list[str] = []
        while len(seconds) < FEWEST or not other.done():
            begun = time.monotonic()
            graded = self._first.submit(self._processes.grade, self._right).result()
            seconds.append(time.monotonic() - begun)
            verdicts = [one.verdict.name for one in graded.verdicts]
        return Beheld(statistics.median(seconds), other.result() - started, verdicts)

    def _grade(self, job: Job | None) -> float:
        """When it was done."""
        if job:
            self._processes.grade(job)
        return time.monotonic()


def main() -> None:
    """Try them one after the other, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lesson", default="02", help="a lesson, by name or number")
    parser.add_argument("words", nargs="*", help="words of the names of attacks")
    given = parser.parse_args()
    (lesson,) = COURSE.lessons_named([given.lesson])
    built = build_lesson(COURSE, lesson)
    kinds = kinds_of(built, hostile=0.5)
    usual = {RIGHT: kinds[RIGHT].text}
    tried = {
        name: kind.text
        for name, kind in kinds.items()
        if not given.words or any(word in name for word in given.words)
    }
    table = Table("beside", "seconds", "times", "its own seconds", title=lesson)
    with tempfile.TemporaryDirectory(prefix="class") as folder:
        root = Path(folder)
        make_course(root, built)
        grading = GradeSafely(config=configuration(Course(root), root))
        jobs = {
            name: grading.job(lesson, lesson, HandedIn(text.encode()), Beside())
            for name, text in (usual | tried).items()
        }
        processes = Processes()
        pair = Pair(jobs[RIGHT], processes)
        alone = pair.beside(None)
        table.add_row("nobody", f"{alone.seconds:.2f}", "1.0", "")
        worst = 0.0
        for name in (RIGHT, *tried):
            found = pair.beside(jobs[name])
            times = found.seconds / alone.seconds
            worst = max(worst, times)
            if times > SLOW or name == RIGHT or found.verdicts != alone.verdicts:
                other = "" if found.verdicts == alone.verdicts else ", OTHER VERDICTS"
                table.add_row(
                    f"{name}{other}", f"{found.seconds:.2f}", f"{times:.1f}",
                    f"{found.neighbour:.1f}",
                )  # fmt: skip
            print(f"{name}: {found.seconds:.2f} s, itself {found.neighbour:.1f} s", flush=True)
        processes.close()
    Console().print(table)
    print(f"{len(tried)} neighbours; beside the worst a right submission took {worst:.1f} times")


if __name__ == "__main__":
    main()
