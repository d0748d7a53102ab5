"""The gradebook on a PostgreSQL server, which two graders, or two tutors, write to at once."""

import glob
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from nbgrader.api import Gradebook

from autograder.errors import MarkedMeanwhile
from autograder.nbgrading.reading.entries import Marks, find_entry
from autograder.nbgrading.reading.questions import questions
from autograder.nbgrading.reading.saving import save
from tests.support.course import ROOT
from tests.support.graded_class import STUDENTS, Outcome, class_of_twelve
from tests.support.processes import BACKSTOP
from tests.support.read_class import WHY, entered

pytestmark = pytest.mark.long

GRADER = """
import sys
from pathlib import Path
from autograder.nbgrading.grade_class import grade_class
from autograder.course import Course
course, *students = sys.argv[1:]
for result in grade_class(Course(Path(course)), "tiny", students, force=False, settings={}):
    print(result.student, result.failure, flush=True)
"""


class Server:
    """A server in a folder of its own, that listens on a socket in it and nowhere else."""

    def __init__(self, folder: Path) -> None:
        self._data, self._folder = folder / "data", folder
        # It refuses to be started by root.
        self._as = ["runuser", "-u", "nobody", "--"] if os.getuid() == 0 else []
        if self._as:
            nobody = pwd.getpwnam("nobody")
            os.chown(folder, nobody.pw_uid, nobody.pw_gid)

    def __enter__(self) -> "Server":
        self._run("initdb", "-D", self._data, "-U", "grader", "--auth=trust", "--no-sync")
        listen = f"-c listen_addresses='' -c unix_socket_directories={self._folder} -c fsync=off"
        self._run("pg_ctl", "-D", self._data, "-o", listen, "-l", self._folder / "log", "start")
        return self

    def __exit__(self, *_: object) -> None:
        self._run("pg_ctl", "-D", self._data, "-m", "immediate", "stop")

    def database(self, name: str) -> str:
        """A new database's address, as SQLAlchemy has it."""
        self._run("createdb", "-h", self._folder, "-U", "grader", name)
        return f"postgresql+psycopg://grader@/{name}?host={self._folder}"

    def _run(self, program: str, *arguments: str | Path) -> None:
        found = shutil.which(program) or max(glob.glob(f"/usr/lib/postgresql/*/bin/{program}"))
        subprocess.run(
            [*self._as, found, *arguments], cwd=self._folder, check=True, stdout=subprocess.DEVNULL
        )


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    # The path of a socket has room for a hundred letters, and its folders must be open to nobody.
    with tempfile.TemporaryDirectory(prefix="pg") as folder, Server(Path(folder)) as server:
        yield server


@pytest.fixture
def handed_in(tmp_path: Path) -> Path:
    return class_of_twelve(tmp_path / "course")


def grade(root: Path, *students: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", GRADER, str(root), *students],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )


def said_by(grader: "subprocess.Popen[str]") -> list[str]:
    return grader.communicate(timeout=BACKSTOP)[0].split("\n")


def test_two_graders_at_once(handed_in: Path, server: Server) -> None:
    alone = shutil.copytree(handed_in, handed_in.with_name("alone"))
    # One of each kind.
    students = [f"student-{number:02}" for number in range(len(STUDENTS) // 2)]
    everybody = ["", *(f"{student} " for student in students)]
    assert sorted(said_by(grade(alone, *students))) == everybody

    address = server.database("gradebook")
    with (handed_in / "nbgrader_config.py").open("a") as config:
        config.write(f"\nc = get_config()\nc.CourseDirectory.db_url = {address!r}\n")
    (handed_in / "gradebook.db").unlink()
    released = subprocess.run(
        [sys.executable, "-m", "nbgrader", "generate_assignment", "tiny", "--force"],
        cwd=handed_in,
        check=False,
        capture_output=True,
        text=True,
    )
    assert released.returncode == 0, released.stderr
    both = [grade(handed_in, *students[::2]), grade(handed_in, *students[1::2])]
    assert sorted({line for grader in both for line in said_by(grader)}) == everybody
    assert not (handed_in / "gradebook.db").exists()
    assert Outcome.of(handed_in, address) == Outcome.of(alone)


@pytest.mark.filterwarnings("ignore:Object of type .* not in session")
def test_two_tutors_at_once(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have seen an answer without points: one gives some, the other is told so."""
    # It calls a program that lies beside Python.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    address = server.database("tutors")
    with Gradebook(address, "course") as gradebook:
        grade = entered(gradebook, {"ada": "Because."})["ada"]
        assert [(one.name, one.left) for one in questions(gradebook)] == [(WHY, 1)]
    both_ready = Barrier(2, timeout=BACKSTOP)

    def give(points: float) -> float | None:
        # Each on a server of their own: a connection that one closes is no other's.
        own = f"{address}&application_name=tutor-{points:g}"
        with Gradebook(own, "course") as gradebook:
            both_ready.wait()
            try:
                return save(
                    gradebook, grade, Marks(points, "x"), Marks(None, ""),
                    is_same_text=lambda *_: True,
                ).given.points  # fmt: skip
            except MarkedMeanwhile:
                return None

    with ThreadPoolExecutor(2) as tutors:
        first, second = tutors.map(give, (1.0, 2.0))
    with Gradebook(address, "course") as gradebook:
        found = find_entry(gradebook, grade)[1]
        assert (found.given, found.waits) == (Marks(first or second, "x"), False)
    assert (first is None) != (second is None)
