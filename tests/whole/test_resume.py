"""The grader killed at random moments: what comes after resuming is as if it had not been."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from autograder.grading.record import RECORD_SUFFIX
from autograder.nbgrading.all_or_nothing import MAKING
from autograder.student.sandbox.processor_time import Meter
from tests.support.course import ROOT
from tests.support.graded_class import Outcome, class_of_twelve, folders, read_record
from tests.support.processes import BACKSTOP, descendants, eventually, running
from tests.support.sample import EVERYTHING, sample
from tests.support.tiny_course import LESSON

pytestmark = pytest.mark.long

MOMENTS = 50 if EVERYTHING else 1
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
settings = {"workers": int(sys.argv[2])}
for result in grade_class(course, "tiny", students, force=False, settings=settings):
    print(result.student, result.failure, flush=True)
"""


@dataclass
class Grader:
    """One process that grades the class, and what it said of whom."""

    root: Path
    workers: int
    done: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", GRADER, str(self.root), str(self.workers)],
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
    return class_of_twelve(tmp_path_factory.mktemp("class") / "course")


@pytest.fixture(scope="module")
def undisturbed(handed_in: Path) -> Outcome:
    root = shutil.copytree(handed_in, handed_in.with_name("undisturbed"))
    Grader(root, workers=1).finish()
    return Outcome.of(root)


def test_undisturbed_scores(undisturbed: Outcome) -> None:
    earned = [(one["double_check"], one["fourfold_check"]) for one in undisturbed.scores.values()]
    assert earned == [(2, 3), (0, 0), (2, 0), (0, 0), (2, 3), (2, 3)] * 2


@pytest.mark.parametrize("workers", sample([1, 2], 2))
@pytest.mark.parametrize("first", range(0, MOMENTS, KILLS))
def test_kills_change_nothing(
    handed_in: Path, undisturbed: Outcome, first: int, workers: int
) -> None:
    chance = random.Random(first + workers)
    root = shutil.copytree(handed_in, handed_in.with_name(f"killed-{first}-{workers}"))
    done: dict[str, tuple[int, int]] = {}
    cut_short = 0
    following = Grader(root, workers)
    for _ in range(min(KILLS, MOMENTS - first)):
        # The next one gets ready while this one grades.
        grader, following = following, Grader(root, workers)
        cut_short += grader.kill_after(chance.uniform(0, SECONDS * workers))
        assert stamps(root).items() >= done.items()
        done |= {student: stamps(root)[student] for student in grader.done}
    following.finish()
    assert stamps(root).items() >= done.items()
    assert Outcome.of(root) == undisturbed
    assert not (root / "autograded" / MAKING).exists()
    assert cut_short
