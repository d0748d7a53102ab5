"""When the time is up that something of a student's may take."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from autograder.student.sandbox.processor_time import Meter, Turns

# Most of what is asked is answered before the first look at the meter.
_SECONDS_UNSEEN = 0.05
_SECONDS_BETWEEN_LOOKS = 0.05
# What runs on many processors, or in processes that soon end, is not to be overlooked for longer.
_MOST_BETWEEN_LOOKS = 0.2
# Several times that are parts of one another look at the same meter.
_SECONDS_OF_A_LOOK = 0.02


class Deadline:
    """A moment that does not move, however much or little happens before it; None never comes."""

    def __init__(self, seconds: float | None) -> None:
        self.seconds = seconds
        self._end = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """The seconds until it is worth asking again, or None for ever.

        Raises:
            TimeoutError: when the time is up.
        """
        if self._end is None:
            return None
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


class Allowance(Deadline):
    """Time of which waiting for a processor takes nothing, but running and sleeping do.

    What runs on several processors at once takes the time of each. And there is an end by the clock
    on the wall: a process could wait on purpose, behind others of its own.
    """

    def __init__(self, seconds: float, patience: float, whole: "Allowance | None" = None) -> None:
        """Begin now.

        Args:
            seconds: how long it may take.
            patience: how many times as long that may be by the clock on the wall.
            whole: a time that this is a part of, which is not to be exceeded either.
        """
        super().__init__(seconds)
        self._patience = patience
        self._whole = whole
        self._meter: Meter = whole._meter if whole else Meter()
        self._allowed = seconds
        self._started = time.monotonic()
        self._latest = self._started + patience * seconds
        self._look = self._started + seconds
        self._before: Turns | None = None

    def part(self, seconds: float) -> "Allowance":
        """A time that begins now and ends with this one at the latest."""
        return Allowance(seconds, self._patience, self)

    @contextmanager
    def standing_still(self) -> Iterator[None]:
        """Don't count what passes within by the clock."""
        before = time.monotonic()
        try:
            yield
        finally:
            passed = time.monotonic() - before
            self._started += passed
            self._latest += passed
            self._look += passed

    def follow(self, process: int | None) -> None:
        """Have it be about this process, and all that it starts, from now on."""
        self._meter.follow(process)

    def follow_waiting(self, process: int | None) -> None:
        """Don't count what this process of ours waits for a processor, from now on."""
        self._meter.follow_waiting(process)

    @property
    def rest(self) -> float:
        """How much of the time is left now."""
        try:
            rest = self._rest(time.monotonic())
        except TimeoutError:
            return 0.0
        return min(rest, self._whole.rest) if self._whole else rest

    @property
    def is_over(self) -> bool:
        """Whether the time is up."""
        try:
            self.left()
        except TimeoutError:
            return True
        return False

    def left(self) -> float:
        """The seconds until it is worth asking again; then there may be more.

        Raises:
            TimeoutError: when the time is up.
        """
        left = self._left(time.monotonic())
        return min(left, self._whole.left()) if self._whole else left

    def _left(self, now: float) -> float:
        if self._before is None and now < self._look:
            unseen = self._started + _SECONDS_UNSEEN - now
            if unseen > 0:
                return min(unseen, self._look - now)
            self._before = self._meter.read()
            self._look = min(self._look, now + _MOST_BETWEEN_LOOKS)
        if now >= self._look:
            self._look = now + min(self._rest(now), _MOST_BETWEEN_LOOKS)
        return self._look - now

    @property
    def taken(self) -> float:
        """How much of the time was taken until now."""
        return self._taken(time.monotonic())

    def _taken(self, now: float) -> float:
        taken = now - self._started
        if self._before is None:
            return taken
        turns = self._meter.read(_SECONDS_OF_A_LOOK)
        waited = turns.waiting - self._before.waiting
        return max(taken - waited, turns.running - self._before.running)

    def _rest(self, now: float) -> float:
        rest = min(self._allowed - self._taken(now), self._latest - now)
        if rest <= 0:
            raise TimeoutError
        return max(rest, _SECONDS_BETWEEN_LOOKS)
