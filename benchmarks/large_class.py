"""A large class of right, wrong, broken and hostile submissions, with the grader killed on the way.

    python benchmarks/large_class.py [--lesson 02] [--class 2000] [--workers 2] [--kills 5]
                                     [--hostile 0.03]

Every submission is one of some eighty kinds. A small class has one of each, undisturbed, and its
scores are what the large one's have to be. Printed at the end: seconds per submission over the
first and the last tenth, the memory of the grader and of its workers over time, and each score
that is another one. Hostile are submissions of the attack suite that a cell can hold.
"""

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.authoring.build.build import Built, build_lesson  # noqa: E402
from autograder.checks.exam.exam import exams_of  # noqa: E402
from autograder.checks.source.cells import grade_id_of, has_role  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.demo.classroom import submissions  # noqa: E402
from autograder.grading.record import RECORD_SUFFIX  # noqa: E402
from autograder.student.sandbox.processor_time import tree  # noqa: E402
from tests.support.attacks import ATTACKS, WRONG  # noqa: E402

COURSE = Course(ROOT)
ATTACKED = "attention_weights"
# Of the kinds that the demonstration's class has, these are broken in ways that take long.
SLOW = ("kit", "nora")
SECONDS_BETWEEN_LOOKS = 5.0
_MIB = 1 << 20
_TENTHS = 10


@dataclass(frozen=True)
class Kind:
    """What somebody hands in, and how often somebody does."""

    text: str
    weight: float


@dataclass
class Seen:
    """The memory of the grader and its workers, in MiB, at moments of a run."""

    moments: list[tuple[int, int, int]] = field(default_factory=list)

    def look(self, grader: int, done: int) -> None:
        """Remember what they have now; a page that several share counts for each a part of it."""
        below = sum(map(_memory, tree(grader)[1:]))
        self.moments.append((done, _memory(grader), below))


def kinds_of(built: Built, hostile: float) -> dict[str, Kind]:
    """All kinds of submissions to a lesson, by name."""
    exams = exams_of(COURSE.exam_module(built.lesson.name))
    usual = submissions(built, built.student, exams)
    kinds = {one.student: Kind(one.text, 0.02 if one.student in SLOW else 1) for one in usual}
    for name in ("ada", "ben"):
        kinds[name] = Kind(kinds[name].text, 5)
    attacks = [
        attack
        for attack in ATTACKS
        if (attack.answer or attack.added or attack.after)
        and not (attack.tests or attack.whole or attack.files or attack.tight or attack.folder)
    ]
    solved = built.solved()
    weight = hostile / (1 - hostile) * sum(kind.weight for kind in kinds.values()) / len(attacks)
    for attack in attacks:
        notebook = nbformat.from_dict(solved)
        answers = {ATTACKED: attack.answer or WRONG, **attack.others}
        own = [cell for cell in notebook.cells if has_role(cell, "solution")]
        for cell in own:
            cell.source = answers.get(grade_id_of(cell), cell.source)
        first = notebook.cells.index(own[0])
        notebook.cells[first:first] = map(new_code_cell, attack.added)
        notebook.cells += map(new_code_cell, attack.after)
        kinds[attack.name] = Kind(nbformat.writes(notebook), weight)
    return kinds


def make_course(root: Path, built: Built) -> None:
    """A course of one lesson, in which nobody has handed in yet."""
    for name in ("solutions", "companion"):
        shutil.copytree(ROOT / name, root / name)
    for name in ("course.toml", "nbgrader_config.py"):
        shutil.copy(ROOT / name, root)
    folder = root / "source" / built.lesson.name
    folder.mkdir(parents=True)
    nbformat.write(built.source, folder / f"{built.lesson.name}.ipynb")
    (folder / "checks.json").write_text(built.checks)
    _run(root, "nbgrader", "generate_assignment", built.lesson.name, "--force")


def hand_in(root: Path, built: Built, texts: Mapping[str, str]) -> None:
    """Have each student hand in a text."""
    for student, text in texts.items():
        folder = root / "submitted" / student / built.lesson.name
        folder.mkdir(parents=True)
        (folder / f"{built.lesson.name}.ipynb").write_text(text)
        (folder / "checks.json").write_text(built.checks)


def scores(root: Path, lesson: str) -> dict[str, dict[str, float | None]]:
    """All scores in the gradebook, by student and test."""
    found = {}
    with Gradebook(f"sqlite:///{root / 'gradebook.db'}", COURSE.settings.id) as gradebook:
        for submission in gradebook.assignment_submissions(lesson):
            (notebook,) = submission.notebooks
            found[submission.student.id] = {
                grade.cell.name: grade.auto_score for grade in notebook.grades
            }
    return found


def grade_class(root: Path, lesson: str, workers: int, kills: Sequence[int], seen: Seen) -> None:
    """Grade to the end, beginning anew after each kill, which comes when so many have a record."""
    for kill in (*kills, None):
        grader = subprocess.Popen(
            [sys.executable, "-m", "autograder.cli", "grade", lesson, f"--workers={workers}"],
            cwd=root,
            env={**os.environ, "PYTHONPATH": str(root), "OMP_NUM_THREADS": "1"},
            stdout=subprocess.DEVNULL,
            start_new_session=True,
        )
        while grader.poll() is None:
            done = len(records(root, lesson))
            seen.look(grader.pid, done)
            if kill is not None and done >= kill:
                os.kill(grader.pid, signal.SIGKILL)
                grader.wait()
                print(f"killed when {done} had a record", flush=True)
                break
            print(f"  {done} have a record", flush=True)
            with suppress(subprocess.TimeoutExpired):
                grader.wait(SECONDS_BETWEEN_LOOKS)


def records(root: Path, lesson: str) -> list[Path]:
    """The records of those who are graded."""
    return list((root / "autograded").glob(f"*/{lesson}/*{RECORD_SUFFIX}"))


def seconds_each(root: Path, lesson: str, part: int) -> tuple[float, float]:
    """Seconds per submission over the first and the last so many, by when records were written."""
    times = sorted(path.stat().st_mtime for path in records(root, lesson))
    first, last = times[: part + 1], times[-part - 1 :]
    return (first[-1] - first[0]) / part, (last[-1] - last[0]) / part


def _run(root: Path, program: str, *arguments: str) -> None:
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", program, *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": str(root)},
        check=True,
        capture_output=True,
    )


def _memory(process: int) -> int:
    """The MiB that a process holds, its part of what it shares included."""
    with suppress(OSError, ValueError):
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024 // _MIB
    return 0


def main() -> None:
    """Grade the class, and print what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--lesson", default="02", help="a lesson, by name or number")
    parser.add_argument("--class", dest="size", type=int, default=2000, help="how many hand in")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--kills", type=int, default=5, help="how often the grader is killed")
    parser.add_argument("--hostile", type=float, default=0.03, help="their share")
    given = parser.parse_args()
    (lesson,) = COURSE.lessons_named([given.lesson])
    built, chance = build_lesson(COURSE, lesson), random.Random(7)
    kinds = kinds_of(built, given.hostile)
    # The same mixture in each tenth: otherwise the first and the last differ by their hostile ones.
    tenth = chance.choices(
        list(kinds), [kind.weight for kind in kinds.values()], k=-(-given.size // _TENTHS)
    )
    order = [name for _ in range(_TENTHS) for name in chance.sample(tenth, len(tenth))]
    handed_in = {f"s{number:05}": order[number] for number in range(given.size)}
    kills = [given.size * (2 + number) // (given.kills + 3) for number in range(given.kills)]
    with tempfile.TemporaryDirectory(prefix="class") as folder:
        alone, root = Path(folder, "alone"), Path(folder, "course")
        for place in (alone, root):
            place.mkdir()
            make_course(place, built)
        names = {f"k{number:03}": name for number, name in enumerate(sorted(kinds))}
        hand_in(alone, built, {student: kinds[name].text for student, name in names.items()})
        print(f"{len(kinds)} kinds, one of each, undisturbed")
        grade_class(alone, lesson, given.workers, (), Seen())
        expected = {names[student]: found for student, found in scores(alone, lesson).items()}
        hand_in(root, built, {student: kinds[name].text for student, name in handed_in.items()})
        print(f"a class of {given.size}, {len(kills)} kills")
        seen, started = Seen(), time.monotonic()
        grade_class(root, lesson, given.workers, kills, seen)
        minutes = (time.monotonic() - started) / 60
        found = scores(root, lesson)
        wrong = [one for one, name in handed_in.items() if found.get(one) != expected[name]]
        first, last = seconds_each(root, lesson, len(tenth))
    table = Table("have a record", "grader, MiB", "workers, MiB", title=lesson)
    step = max(1, len(seen.moments) // 20)
    for moment in seen.moments[::step]:
        table.add_row(*map(str, moment))
    Console().print(table)
    print(f"{given.size} submissions, {given.workers} workers: {minutes:.1f} minutes")
    print(f"seconds each: {first:.3f} over the first tenth, {last:.3f} over the last")
    print(f"scores that differ from the undisturbed ones: {len(wrong)} of {given.size}")
    for name, count in Counter(handed_in[one] for one in wrong).most_common():
        print(f"  {count} x {name}")


if __name__ == "__main__":
    main()
