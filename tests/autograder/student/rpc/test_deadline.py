import math
from types import SimpleNamespace

import pytest

from autograder.student.rpc import deadline
from autograder.student.rpc.deadline import Allowance, Deadline
from autograder.student.sandbox.processor_time import Turns


class Clock:
    """A clock on the wall, and a meter beside it, that go on when they are told to."""

    def __init__(self) -> None:
        self.now = self.running = self.waiting = 0.0
        self.looks = 0

    def go(self, seconds: float, *, running: float = 0.0, waiting: float = 0.0) -> None:
        self.now += seconds
        self.running += running
        self.waiting += waiting

    def read(self, within: float = 0.0) -> Turns:
        self.looks += 1
        return Turns(self.running, self.waiting)

    def follow(self, process: int | None) -> None:
        """It knows already."""


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(deadline, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(deadline, "Meter", lambda: clock)
    return clock


def pass_time(clock: Clock, time: Allowance, *, running: float, waiting: float) -> float:
    """When it is over, with these shares of each second."""
    clock.go(0.06)
    while True:
        try:
            step = time.left()
        except TimeoutError:
            return clock.now
        clock.go(step, running=running * step, waiting=waiting * step)


def test_deadline_does_not_move(clock: Clock) -> None:
    end = Deadline(3)
    clock.go(2)
    assert end.left() == 1
    clock.go(1)
    with pytest.raises(TimeoutError):
        end.left()
    assert Deadline(None).left() is None


@pytest.mark.parametrize(
    ("running", "waiting", "end"),
    [
        (1, 0, 2),
        (0, 0, 2),
        (0.25, 0.75, 8),
        (0.02, 0.9, 20),
        (0, 1, 20),
        (2, 0, 1),
        (1.5, 3, 2 / 1.5),
    ],
    ids=["alone", "asleep", "among others", "and asleep too", "nothing but waiting",
         "on two processors", "on two, in its own way"],
)  # fmt: skip
def test_waiting_is_free(clock: Clock, running: float, waiting: float, end: float) -> None:
    found = pass_time(clock, Allowance(2, 10), running=running, waiting=waiting)
    assert 0.97 * end <= found <= end + 0.25


def test_what_is_answered_at_once_is_not_looked_at(clock: Clock) -> None:
    time = Allowance(2, 10)
    for _ in range(4):
        clock.go(0.01)
        assert 0 < time.left() <= 0.05
    assert clock.looks == 0


def test_part_ends_with_the_whole(clock: Clock) -> None:
    whole = Allowance(3, 10)
    clock.go(1.5)
    part = whole.part(2)
    assert pass_time(clock, part, running=1, waiting=0) == pytest.approx(3, abs=0.1)
    assert whole.is_over
    assert Allowance(0, 10).is_over
    assert not Allowance(math.inf, 10).part(1).is_over
