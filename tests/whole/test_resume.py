"""The grader killed at random moments: what comes after resuming is as if it had not been."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.api import Gradebook

from autograder.grading.record import RECORD_SUFFIX
from autograder.sandbox.processor_time import Meter
from tests.support.course import ROOT
from tests.support.processes import BACKSTOP, descendants, eventually, running
from tests.support.tiny_course import ANSWERS, DOUBLE, LESSON, hand_in, tiny_course

MOMENTS = int(os.environ.get("AUTOGRADER_KILLS", "6"))
KILLS = 6
# Of processor time, in which about half of a class is graded.
SECONDS = 1.2
GRADER = """
import sys
from pathlib import Path
from autograder.nbgrading.grade_class import grade_class, students_of
from autograder.course import Course
print("ready", flush=True)
input()
course = Course(Path(sys.argv[1]))
students = students_of(course, "tiny")
for result in grade_class(course, "tiny", students, force=False, settings={}):
    print(result.student, result.failure, flush=True)
"""
RIGHT = {**ANSWERS, "why": "It is what it is."}
WRONG = "def double(x):\n    return 7"
# Two of each: right, wrong, an unfinished one, one that ends its process, one that prints much.
STUDENTS = [
    RIGHT,
    {**RIGHT, "double": WRONG},
    {**RIGHT, "fourfold": "def fourfold(x):\n    raise NotImplementedError"},
    {**RIGHT, "double": "import os\nos._exit(1)"},
    {**RIGHT, "double": f"{DOUBLE}\nfor n in range(10_000):\n    print('x' * 90)"},
    {**RIGHT, "why": "YOUR ANSWER HERE"},
] * 2


@dataclass
class Grader:
    """One process that grades the class, and what it said of whom."""

    root: Path
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", GRADER, str(self.root)],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def begin(self) -> None:
        """Let it grade; until then it does no more than import what it needs."""
        assert self.process.stdin
        assert self.process.stdout
        assert self.process.stdout.readline() == "ready\n"
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def kill_after(self, seconds: float) -> bool:
        """End it when it has run so long on a processor; whether it still had something to do."""
        meter = Meter()
        meter.follow(self.process.pid)
        before = meter.read().running
        self.begin()
        while meter.read().running - before < seconds and running(self.process.pid):
            time.sleep(0.01)
        family = {one: when for one in descendants(self.process.pid) if (when := started(one))}
        self.process.send_signal(signal.SIGKILL)
        self._listen()
        assert eventually(lambda: not any(started(one) == when for one, when in family.items()))
        return self.process.returncode == -signal.SIGKILL

    def finish(self) -> None:
        self.begin()
        self._listen()
        assert self.process.returncode == 0

    def _listen(self) -> None:
        said, _ = self.process.communicate(timeout=BACKSTOP)
        # A line that was cut off is none.
        lines = [line for line in said.splitlines(keepends=True) if line.endswith("\n")]
        failures = [line for line in lines if line.split(" ", 1)[1].strip()]
        assert failures == []
        self.done = [line.split()[0] for line in lines]


def started(process: int) -> str:
    """When a process was started; nothing if it has ended."""
    fields = stat_of(process)
    return fields[19] if fields and fields[0] not in "ZX" else ""


def stat_of(process: int) -> list[str]:
    """The state of a process, its parent and the rest, as the kernel tells them."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


@dataclass(frozen=True)
class Outcome:
    """What a class came to: scores in the gradebook, and records without their times."""

    scores: dict[str, dict[str, float | None]]
    records: dict[str, dict[str, Any]]
    files: list[str]

    @classmethod
    def of(cls, root: Path) -> "Outcome":
        scores, records = {}, {}
        with Gradebook(f"sqlite:///{root / 'gradebook.db'}", "attention") as gradebook:
            for submission in gradebook.assignment_submissions(LESSON):
                (notebook,) = submission.notebooks
                grades = {grade.cell.name: grade.auto_score for grade in notebook.grades}
                scores[submission.student.id] = grades
        for path in folders(root):
            nbformat.validate(nbformat.read(path / f"{LESSON}.ipynb", as_version=4))
            record = read_record(path)
            for part in (record, *record["cells"]):
                del part["seconds"]
            records[path.parent.name] = record
        graded = root / "autograded"
        return cls(scores, records, sorted(str(p.relative_to(graded)) for p in graded.rglob("*")))


def folders(root: Path) -> list[Path]:
    return sorted((root / "autograded").glob(f"*/{LESSON}"))


def read_record(folder: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads((folder / f"{LESSON}{RECORD_SUFFIX}").read_text())
    return record


def stamps(root: Path) -> dict[str, tuple[int, int]]:
    """For each student when, and as which file, the record was written."""
    found = {}
    for folder in folders(root):
        path = folder / f"{LESSON}{RECORD_SUFFIX}"
        if path.exists():
            read_record(folder)
            found[folder.parent.name] = (path.stat().st_ino, path.stat().st_mtime_ns)
    return found


@pytest.fixture(scope="module")
def handed_in(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a class of 12 that has handed in, and nothing graded."""
    root = tmp_path_factory.mktemp("class") / "course"
    root.mkdir()
    shutil.copy(ROOT / "nbgrader_config.py", root)
    tiny_course(root)
    released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for number, answers in enumerate(STUDENTS):
        for cell in released.cells:
            grade_id = cell.metadata.get("nbgrader", {}).get("grade_id", "")
            cell.source = answers.get(grade_id, cell.source)
        hand_in(root, f"student-{number:02}", nbformat.writes(released).encode())
    return root


@pytest.fixture(scope="module")
def undisturbed(handed_in: Path) -> Outcome:
    root = shutil.copytree(handed_in, handed_in.with_name("undisturbed"))
    Grader(root).finish()
    return Outcome.of(root)


def test_undisturbed_scores(undisturbed: Outcome) -> None:
    earned = [(one["double_check"], one["fourfold_check"]) for one in undisturbed.scores.values()]
    assert earned == [(2, 3), (0, 0), (2, 0), (0, 0), (2, 3), (2, 3)] * 2


@pytest.mark.parametrize("first", range(0, MOMENTS, KILLS))
def test_kills_change_nothing(handed_in: Path, undisturbed: Outcome, first: int) -> None:
    chance = random.Random(first)
    root = shutil.copytree(handed_in, handed_in.with_name(f"killed-{first}"))
    done: dict[str, tuple[int, int]] = {}
    cut_short = 0
    following = Grader(root)
    for _ in range(min(KILLS, MOMENTS - first)):
        # The next one gets ready while this one grades.
        grader, following = following, Grader(root)
        cut_short += grader.kill_after(chance.uniform(0, SECONDS))
        assert stamps(root).items() >= done.items()
        done |= {student: stamps(root)[student] for student in grader.done}
    following.finish()
    assert stamps(root).items() >= done.items()
    assert Outcome.of(root) == undisturbed
    assert cut_short
