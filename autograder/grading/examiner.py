"""The trusted side of a test cell: it runs here, and what the student defined is called over there.

A name that none of the instructor's cells defines is the student's: a value, or a stand-in. What
the test displays and whether it raises is seen here; nothing that the student's process says about
itself is believed.
"""

import builtins
import contextlib
import io
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode

from autograder.checks import purpose
from autograder.checks.card import bundle, collect
from autograder.checks.check import ExerciseNotPassed
from autograder.errors import ExchangeError, GradingFailed, StudentGone, StudentTooSlow
from autograder.exam.report import Report, Verdict
from autograder.exchange.stand_in import NotPlain, StudentError
from autograder.grading.instructor_names import Definition, Definitions

_MESSAGE = 2000

Find = Callable[[str], object]


@dataclass(frozen=True)
class Examined:
    """What came of one test cell: all that its record and its page are made from."""

    verdict: Verdict
    message: str
    reports: tuple[Report, ...] = ()  # what its checks have shown
    credit: float = 0.0  # the share of the points that it earned

    @property
    def report(self) -> Report | None:
        """The report that decided: a check that is not passed ends its cell."""
        return self.reports[-1] if self.reports else None

    def outputs(self, points: float) -> list[dict[str, Any]]:
        """What the page shows, and what has nbgrader's `determine_grade` give what was earned."""
        shown: list[dict[str, Any]] = [
            {"output_type": "display_data", "data": bundle(report), "metadata": {}}
            for report in self.reports
        ]
        if 0 < self.credit < 1:
            return [*shown, _points_output(self.credit * points)]
        failed = self.verdict is not Verdict.PASSED
        return [*shown, error_output(self.verdict, self.message)] if failed else shown


class Given(dict[str, Any]):
    """The names that the instructor's cells have defined before a test, and last the student's."""

    def __init__(self, find: Find, definitions: Definitions, cell: int) -> None:
        super().__init__(__name__="__main__", __builtins__=builtins)
        self._find = find
        self._definitions = definitions
        self._cell = cell
        self._begun: set[Definition] = set()
        try:
            exec(compile("\n".join(definitions.imports), "<imports>", "exec"), self)
        except ImportError as error:
            raise GradingFailed(
                f"the instructor's notebook imports what the grader can't ({error}): install it "
                "where grading runs, or put it beside the notebook in source/"
            ) from error

    def __missing__(self, name: str) -> object:
        if hasattr(builtins, name):
            raise KeyError(name)
        found = self._definitions.before(name, self._cell)
        for one in found:
            if one not in self._begun:
                self._begun.add(one)
                exec(compile(one.source, "<given>", "exec"), self)
        return self[name] if found and name in self else self._find(name)


class Namespace(dict[str, Any]):
    """The names of one test cell: its own, and last those that were given before it."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._given = given

    def __missing__(self, name: str) -> object:
        return self._given[name]


class Examiner:
    """Runs the test cells of one notebook, each in a namespace of its own."""

    def __init__(self, find: Find, definitions: Definitions, folder: Path | None = None) -> None:
        """Examine a notebook's tests.

        Args:
            find: looks up a name at the student's and raises NameError if it has none.
            definitions: what the instructor's cells define.
            folder: where the instructor's notebook lies, with the files that its cells read.
        """
        self._find = find
        self._definitions = definitions
        self._folder = folder

    def examine(self, cell: NotebookNode) -> Examined:
        """Run one test cell of the instructor's notebook.

        Raises:
            StudentGone, StudentTooSlow: when the student's process ended, or had to be ended.
            GradingFailed: when what the instructor imports can't be imported here.
        """
        place = self._definitions.places[cell.id]
        quiet = contextlib.redirect_stdout(_Nowhere())
        with _deciding(), _beside(self._folder), quiet, collect() as reports:
            namespace = Namespace(Given(self._find, self._definitions, place))
            verdict, message, credit = _run(cell.source, namespace)
        return Examined(verdict, message[:_MESSAGE], tuple(reports), credit)


def _run(source: str, namespace: Namespace) -> tuple[Verdict, str, float]:
    try:
        exec(compile(source, "<test cell>", "exec"), namespace)
    except ExerciseNotPassed as error:
        return error.report.verdict, str(error), error.report.credit
    except (StudentGone, StudentTooSlow):
        raise
    except NotPlain as error:
        return Verdict.WRONG, str(error), 0.0
    except ExchangeError as error:
        return Verdict.WRONG, f"the answer could not be understood: {error}", 0.0
    except NameError as error:
        # In the student's own function, nothing of the answer is missing.
        inside = isinstance(error, StudentError)
        text = f"NameError: {error}" if inside else str(error)
        return Verdict.EXCEPTION if inside else Verdict.MISSING, text, 0.0
    except AssertionError as error:
        return Verdict.WRONG, str(error) or "a test of this cell does not hold", 0.0
    except NotImplementedError:
        return Verdict.NOT_IMPLEMENTED, "not implemented yet", 0.0
    except Exception as error:
        return Verdict.EXCEPTION, f"{type(error).__name__}: {error}", 0.0
    return Verdict.PASSED, "", 1.0


class _Nowhere(io.TextIOBase):
    """What a test prints is for whoever writes it."""

    def write(self, text: str) -> int:
        return len(text)


def error_output(verdict: Verdict, message: str) -> dict[str, Any]:
    """The output that makes nbgrader's `determine_grade` give nothing for a cell."""
    return {
        "output_type": "error",
        "ename": verdict.ename,
        "evalue": message,
        "traceback": [message or verdict.value],
    }


def _points_output(points: float) -> dict[str, Any]:
    """The output that makes nbgrader's `determine_grade` give part of the points."""
    text = f"{points:.2f}"
    return {"output_type": "execute_result", "execution_count": None, "metadata": {},
            "data": {"text/plain": text}}  # fmt: skip


@contextlib.contextmanager
def _beside(folder: Path | None) -> Iterator[None]:
    """Tests find the files and modules that lie beside the instructor's notebook."""
    if folder is None:
        yield
        return
    sys.path.insert(0, str(folder))
    try:
        with contextlib.chdir(folder):
            yield
    finally:
        sys.path.remove(str(folder))


@contextlib.contextmanager
def _deciding() -> Iterator[None]:
    """Checks raise when they are asked for a decision."""
    with purpose.kept():
        os.environ[purpose.VARIABLE] = "autograde"
        yield
