"""A sandbox that has failed is closed before there is another."""

import json
import os
from collections.abc import Iterator

import pytest

from autograder.errors import SandboxFailed
from autograder.grading.jobs.sandboxes import (
    SandboxSettings,
    close_sandboxes,
    in_sandbox,
    usual_walls,
)
from autograder.nbgrading.configuration import configuration
from autograder.nbgrading.preprocessor import GradeSafely
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox, StudentProcess
from tests.support.course import COURSE, ROOT
from tests.support.processes import descendants, eventually

WALLS = SandboxSettings("full", json.dumps({"processes": 16}), (), ())


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    close_sandboxes()
    yield
    close_sandboxes()


def zygotes() -> set[int]:
    """The processes that this one has started, and all below them."""
    return set(descendants(os.getpid()))


@pytest.mark.long
def test_failed_sandbox_is_closed() -> None:
    before, found = zygotes(), list[set[int]]()

    def fail_twice(box: Sandbox) -> str:
        # A student's process still runs in it.
        box.spawn({}, 0)
        found.append(zygotes() - before)
        if len(found) < 3:
            raise SandboxFailed("it broke")
        return "done"

    assert in_sandbox(WALLS, fail_twice) == "done"
    first, second, third = found
    assert first
    assert not first & second
    assert not (first | second) & third
    close_sandboxes()
    assert eventually(lambda: zygotes() <= before)


def test_sandbox_that_fails_for_good_is_closed() -> None:
    before = zygotes()

    def fail(box: Sandbox) -> None:
        box.spawn({}, 0)
        raise SandboxFailed("it broke")

    with pytest.raises(SandboxFailed, match="it broke"):
        in_sandbox(WALLS, fail)
    assert eventually(lambda: zygotes() <= before)


def test_one_who_can_not_be_ended_stops_no_other_end(monkeypatch: pytest.MonkeyPatch) -> None:
    before, files = zygotes(), len(os.listdir("/proc/self/fd"))
    close = StudentProcess.close

    def fail(student: StudentProcess) -> None:
        close(student)
        if student.sock.fileno() < 0 and student is first:
            raise SandboxFailed("it did not end")

    with Sandbox(Limits(), preload=()) as box:
        first = box.spawn({}, 0)
        box.spawn({}, 0)
        monkeypatch.setattr(StudentProcess, "close", fail)
        with pytest.raises(SandboxFailed, match="did not end"):
            box.__exit__(None, None, None)
        monkeypatch.undo()
    assert eventually(lambda: zygotes() <= before)
    assert len(os.listdir("/proc/self/fd")) <= files


def test_usual_walls_are_those_of_this_course() -> None:
    """Others would only be opened in vain."""
    walls = GradeSafely(config=configuration(COURSE, ROOT)).walls
    assert usual_walls(COURSE, "full") == walls
