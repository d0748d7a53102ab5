"""nbgrader configured for a course, or else none of its steps.

nbgrader only warns of what its configuration raises, forgets all that it has said, and goes on:
with no sandbox, and with a collect that follows links. So whatever fails on the way there, each of
its steps refuses. A package that is missing is such a failure too: nothing else of ours is imported
before that is so.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgrader.apps.baseapp import NbGrader
from nbgrader.apps.exportapp import ExportApp
from nbgrader.apps.zipcollectapp import ZipCollectApp
from nbgrader.converters import NbGraderException, generate_source_with_tests
from nbgrader.converters.base import BaseConverter
from nbgrader.exchange import ExchangeError, default
from nbgrader.exchange.abc import Exchange

if TYPE_CHECKING:
    from traitlets.config import Config

# Whatever reads or writes what students hand in, see or have earned.
_STEPS: tuple[type, ...] = (BaseConverter, Exchange, ZipCollectApp, ExportApp)
# Imported for the kinds of them that begin in a way of their own, which could come too late.
_KINDS = (generate_source_with_tests, default)
_usual: dict[type, Callable[..., None]] = {}


def configure(c: "Config", config_file: str | Path) -> None:
    """Make a folder an nbgrader course: for `nbgrader`, for formgrader and for `autograder`.

    Args:
        c: what nbgrader's `get_config()` gives; it is added to.
        config_file: the course's nbgrader_config.py, that is, its `__file__`.

    Raises:
        SettingError: when course.toml says what can't be.
        SolutionError: when mine/nbgrader_config.py fails.
        GradingFailed: when nbgrader is not made as we know it.
        ImportError: when a package is missing. In all four cases no step of nbgrader's is taken.
    """
    with or_nothing_is_done():
        from autograder.nbgrading.configuration import set_up

        set_up(c, config_file)


@contextmanager
def or_nothing_is_done() -> Iterator[None]:
    """Have each of nbgrader's steps refuse when what is done within fails."""
    for step, start in _usual.items():
        step.start = start  # type: ignore[attr-defined]
    _usual.clear()
    try:
        yield
    except BaseException as failure:
        for step in {one for base in _STEPS for one in _with_a_start(base)}:
            # Within another configuration, it may refuse already.
            _usual.setdefault(step, vars(step)["start"])
            step.start = _refusing(failure)
        raise


def _with_a_start(base: type[Any]) -> Iterator[type[Any]]:
    """A class and those derived from it, as far as they begin in a way of their own."""
    if "start" in vars(base):
        yield base
    for derived in base.__subclasses__():
        yield from _with_a_start(derived)


def _refusing(failure: BaseException) -> Callable[[Any], None]:
    said = f"nothing is graded, collected or given out: {failure}"

    def start(self: Any) -> None:
        self.log.error("%s", said)
        if isinstance(self, NbGrader):
            self.exit(1)
        kind = ExchangeError if isinstance(self, Exchange) else NbGraderException
        raise kind(said) from failure

    return start
