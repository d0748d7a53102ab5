"""No pattern that reads what a student wrote takes longer than the text is long, times a little."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies

from autograder.grading import pictures

# As many letters as a cell's output may hold are a hundred times as many.
_LETTERS = 10_000
_SECONDS = 1.0

PATTERNS = {name: one for name, one in vars(pictures).items() if isinstance(one, re.Pattern)}


def _without_possession(pattern: str) -> re.Pattern[str]:
    """What fits a pattern, said as hypothesis reads it."""
    return re.compile(re.sub(r"([+*?])\+", r"\1", pattern), re.ASCII)


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Processor time, after which a search is stopped where it stands."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.0)
        signal.signal(signal.SIGVTALRM, before)


@pytest.mark.parametrize("name", PATTERNS)
def test_near_misses_are_read_in_no_time(name: str) -> None:
    """A text that fits, with one of its letters, or a blank, as often as it may be, and an end."""
    pattern = PATTERNS[name]

    @settings(
        max_examples=5,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(strategies.from_regex(_without_possession(pattern.pattern), fullmatch=True))
    def try_near(fits: str) -> None:
        for place in range(min(len(fits), 40) + 1):
            for again in {" ", fits[place : place + 1], fits[max(0, place - 2) : place + 1]} - {""}:
                near = fits[:place] + again * (_LETTERS // len(again)) + fits[place:] + "!"
                with within(_SECONDS):
                    pattern.fullmatch(near)
                    pattern.search(near)

    try_near()
