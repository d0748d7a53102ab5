"""No pattern that reads what a student wrote takes longer than the text is long, times a little.

Found in the code: every pattern of all that grades, or shows what was handed in.
"""

import importlib
import inspect
import itertools
import pkgutil
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies

from autograder import grading, insight, nbgrading
from tests.support.sample import EVERYTHING

pytestmark = pytest.mark.slow

# As many as a cell may display.
_LETTERS = 200_000
_PLACES = 40 if EVERYTHING else 6
_SECONDS = 1.0


def _found() -> dict[str, tuple[re.Pattern[str], list[str]]]:
    """Each pattern, and the methods of it that are called where it stands."""
    found = {}
    for package in (grading, insight, nbgrading):
        for _, name, _ in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            module = importlib.import_module(name)
            written = inspect.getsource(module)
            for pattern, one in vars(module).items():
                if isinstance(one, re.Pattern):
                    called = re.findall(rf"\b{pattern}\.(\w+)\(", written)
                    found[f"{name}.{pattern}"] = one, sorted({*called} or {"search"})
    return found


PATTERNS = _found()


def _fitting(pattern: re.Pattern[str]) -> strategies.SearchStrategy[str]:
    """What fits a pattern; what may not stand around it, hypothesis only leaves out of a search."""
    without_possession = re.sub(r"([+*?])\+", r"\1", pattern.pattern)
    plain = re.compile(without_possession, pattern.flags & ~re.UNICODE | re.ASCII)
    return strategies.from_regex(plain, fullmatch="(?" not in pattern.pattern.replace("(?:", ""))


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
    """A text that fits, with a part of it, or a blank, as often as it may be, and an end."""
    pattern, methods = PATTERNS[name]

    @settings(
        max_examples=5 if EVERYTHING else 2,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=[*HealthCheck],
    )
    @given(_fitting(pattern))
    def try_near(fits: str) -> None:
        for place in range(0, len(fits) + 1, 1 + len(fits) // _PLACES):
            parts = {" ", fits[place : place + 1], fits[max(0, place - 2) : place + 1]}
            for again in (parts | {fits[:place], fits[place:]}) - {""}:
                much = fits[:place] + again * (_LETTERS // len(again))
                for near, method in itertools.product((much, much + fits[place:] + "!"), methods):
                    with within(_SECONDS):
                        _call(pattern, method, near)

    try_near()


def _call(pattern: re.Pattern[str], method: str, text: str) -> object:
    given = ["", text] if method == "sub" else [text]
    found = getattr(pattern, method)(*given)
    return [*found] if method == "finditer" else found
