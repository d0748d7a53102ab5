"""How many of the copies in a simulated class are found, and how many honest pairs are accused.

    python benchmarks/alike.py [lesson ...] [--classes N]

For each lesson it simulates classes of 60, five of whom have copied all that they handed in, in
three ways: right answers come from all accepted styles alike; half of them are the reference; or
each student has a favourite style. Then it prints what comparing 500 and 2,000 students costs. The
numbers in docs/grades.md are those of all lessons, which take some minutes.
"""

import argparse
import resource
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.insight.similarity.pairs import Class  # noqa: E402
from tests.support.copied import (  # noqa: E402
    KINDS,
    Ways,
    simulated_class,
    usual_ways,
    ways_of,
)  # fmt: skip
from tests.support.course import COURSE  # noqa: E402

STUDENTS = 60
MIXES = {"all styles": {}, "half the reference": {"reference": 0.5}, "habits": {"habit": 0.6}}
LARGE = 500, 2000


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each lesson and mix, the sums, and the cost."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("lessons", nargs="*")
    parser.add_argument("--classes", type=int, default=3)
    chosen = parser.parse_args(arguments)
    lessons = COURSE.lessons_named(chosen.lessons) or COURSE.lessons()
    for mix, options in MIXES.items():
        found = [_try(ways_of(lesson), chosen.classes, options) for lesson in lessons]
        for lesson, (copies, honest) in zip(lessons, found, strict=True):
            print(f"{mix:20} {lesson:32} found {copies:3}, honest {honest}")
        copies, honest = map(sum, zip(*found, strict=True))
        planted = len(KINDS) * chosen.classes * len(lessons)
        print(f"{mix:20} found {copies} of {planted}, honest pairs accused: {honest}", flush=True)
    for students in LARGE:
        _cost(ways_of(lessons[0]), students)


def _try(ways: Mapping[str, Ways], classes: int, options: Mapping[str, float]) -> tuple[int, int]:
    """How many copies are found in so many classes, and how many honest pairs."""
    copies = honest = 0
    for seed in range(classes):
        written, copied = simulated_class(ways, STUDENTS, seed, KINDS, **options)
        found = {pair.students for pair in Class(written, usual_ways(ways), {}).pairs()}
        copies, honest = copies + len(found & copied), honest + len(found - copied)
    return copies, honest


def _cost(ways: Mapping[str, Ways], students: int) -> None:
    written, _ = simulated_class(ways, students, 0)
    # Nobody's text is another's, so each is read.
    own = {who: {name: f"{text}\n# {who}" for name, text in texts.items()}
           for who, texts in written.items()}  # fmt: skip
    start = time.process_time()
    Class(own, usual_ways(ways), {}).pairs()
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{students} students: {seconds:.1f} s of processor time, {peak} MB at most in all")


if __name__ == "__main__":
    main()
