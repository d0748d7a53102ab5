"""A sandbox for each of several graders, whose zygotes are forked from one."""

import os
import signal
from collections.abc import Iterator

import pytest

from autograder.student.limits import Limits
from autograder.student.sandbox.control import Link
from autograder.student.sandbox.sandbox import Sandbox, StudentProcess
from tests.support.processes import BACKSTOP, descendants, eventually, running
from tests.support.walls import layers


@pytest.fixture(scope="module", autouse=True)
def walls() -> None:
    """What the kernel does not allow can't be helped; what is not installed can, and fails."""
    if layers().missing and "not installed" not in layers().missing:
        pytest.skip(layers().missing)


@pytest.fixture
def first() -> Iterator[Sandbox]:
    with Sandbox(Limits(), preload=("numpy",), entry="tests.support.inside:obey") as opened:
        opened.wait_until_ready()
        yield opened


def asked(student: StudentProcess, code: str) -> str:
    link = Link(student.sock)
    student.sock.settimeout(BACKSTOP)
    link.send({"code": code})
    answer = link.receive()
    return str(answer.get("value", answer.get("error")))


def started_by(sandbox: Sandbox) -> set[int]:
    return set(descendants(bubblewrap_of(sandbox)))


def bubblewrap_of(sandbox: Sandbox) -> int:
    assert sandbox._launcher
    assert sandbox._launcher._process
    return sandbox._launcher._process.pid


def answers(sandbox: Sandbox) -> bool:
    with sandbox.spawn({}, 1) as student:
        return asked(student, "1 + 1") == "2"


def test_each_has_students_of_its_own(first: Sandbox) -> None:
    with first.twin() as one, first.twin() as other:
        with one.spawn({"mine": b"1"}, 1) as mine, other.spawn({}, 1) as theirs:
            assert asked(mine, "import os; os.listdir()") == "['mine']"
            assert asked(theirs, "import os; os.listdir()") == "[]"
        assert one.layers.complete
    assert answers(first)


def test_what_was_imported_is_there(first: Sandbox) -> None:
    with first.twin() as twin, twin.spawn({}, 1) as student:
        assert asked(student, "import sys; 'numpy' in sys.modules") == "True"


def test_one_that_is_left_ends_with_its_students(first: Sandbox) -> None:
    before = started_by(first)
    twin = first.twin()
    student = twin.spawn({}, 1)
    its_own = started_by(first) - before
    assert len(its_own) > 1
    student.close()
    twin.__exit__(None, None, None)
    assert eventually(lambda: not any(map(running, its_own)))
    assert answers(first)


def test_grader_that_dies_takes_its_twin_along(first: Sandbox) -> None:
    before = started_by(first)
    grader = _forked_grader(first.twin())
    assert eventually(lambda: len(started_by(first) - before) > 1)
    its_own = started_by(first) - before
    os.kill(grader, signal.SIGKILL)
    os.waitpid(grader, 0)
    assert eventually(lambda: not any(map(running, its_own)))
    assert answers(first)


def _forked_grader(twin: Sandbox) -> int:
    """A process that has a student at work, and nothing else."""
    if grader := os.fork():
        twin.let_go()
        return grader
    try:
        student = twin.spawn({}, 1)
        asked(student, "import time; time.sleep(600)")
    finally:
        os._exit(1)


@pytest.mark.long
def test_twin_that_has_died_is_replaced(first: Sandbox) -> None:
    before = started_by(first)
    with first.twin() as twin:
        (zygote,) = eventually(lambda: started_by(first) - before)
        with twin.spawn({}, 1) as student:
            os.kill(zygote, signal.SIGKILL)
            assert asked(student, "1 + 1") == "2"
            assert answers(twin)
    assert answers(first)


def test_end_of_the_first_ends_its_twins(first: Sandbox) -> None:
    twin = first.twin()
    twin.spawn({}, 1)
    everything = started_by(first)
    os.kill(bubblewrap_of(first), signal.SIGKILL)
    assert eventually(lambda: not any(map(running, everything)))
    twin.__exit__(None, None, None)
