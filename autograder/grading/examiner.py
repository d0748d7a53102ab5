"""The trusted side of a test cell: it runs here, and what the student defined is called over there.

A name that none of the instructor's cells defines is the student's: a value, or a stand-in. What
the test displays and whether it raises is seen here; nothing that the student's process says about
itself is believed.
"""

import contextlib
import io
import os
from collections.abc import Iterator, Mapping
from dataclasses import KW_ONLY, dataclass, field, replace
from pathlib import Path
from typing import Any, Self, cast

import numpy as np
from nbformat.notebooknode import NotebookNode

from autograder.checks import purpose
from autograder.checks.card.as_html import bundle, collect
from autograder.checks.check import ExerciseNotPassed
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.source.cells import points_of
from autograder.checks.source.own_files import beside
from autograder.checks.values.tensors import NO_MEMORY
from autograder.errors import ExchangeError
from autograder.grading.ordinary.comparisons import Comparisons, Seed, counted
from autograder.grading.ordinary.given import Find, Given, Namespace, NotJudged
from autograder.grading.ordinary.instructor_names import Definitions
from autograder.student.rpc.stand_in import NotPlain, StudentError

TOO_MUCH = "the test took too much memory with what your code returned"

_NO_POINTS = (
    "the test ends in no number of points with what this code gave back, where it ends in one with "
    "what the solution gives back"
)
_MESSAGE = 2000


@dataclass(frozen=True)
class Examined:
    """What came of one test cell: all that its record and its page are made from."""

    verdict: Verdict
    message: str
    _: KW_ONLY
    reports: tuple[Report, ...] = ()  # what its checks have shown
    credit: float = 0.0  # the share of the points that it earned
    doubtful: bool = False  # whether the test itself may be at fault
    made_with: tuple[str, ...] = ()  # what given cells have made with an answer, and it looked at
    remark: str = ""  # what else its page says
    # What it was passed with and may not owe to a right answer: where, and what is said of it.
    doubts: Mapping[str, str] = field(default_factory=dict)

    @property
    def report(self) -> Report | None:
        """The report that decided: a check that is not passed ends its cell."""
        return self.reports[-1] if self.reports else None

    def graded_for(self, points: float, *, halves: bool) -> Self:
        """What came of a test of so many points, half of which may not be to be earned."""
        report = self.report
        if report is None:
            return self
        kept = report.graded_for(points, halves=halves and self.credit > 0)
        if kept == report:
            return self
        message = kept.headline if self.message == report.headline else self.message
        return replace(self, message=message, reports=(*self.reports[:-1], kept), credit=0.0)

    def outputs(self) -> list[dict[str, Any]]:
        """What the page shows of it: an error where nothing was earned."""
        shown: list[dict[str, Any]] = [
            {"output_type": "display_data", "data": bundle(report), "metadata": {}}
            for report in self.reports
        ]
        if self.remark:
            shown.insert(0, {"output_type": "stream", "name": "stdout", "text": self.remark})
        failed = self.verdict is not Verdict.PASSED and not self.credit
        return [*shown, error_output(self.verdict, self.message)] if failed else shown


class Examiner:
    """Runs the test cells of one notebook, each in a namespace of its own."""

    def __init__(
        self,
        find: Find,
        definitions: Definitions,
        folder: Path | None = None,
        seed: Seed = lambda kind, number: None,
    ) -> None:
        """Examine a notebook's tests.

        Args:
            find: looks up a name at the student's and raises NameError if it has none.
            definitions: what the instructor's cells define.
            folder: where the instructor's notebook lies, with the files that its cells read.
            seed: begins random numbers anew at the student's too, where a test seeds them.
        """
        self._seed = seed
        self._find = find
        self._definitions = definitions
        self._folder = folder

    def prepare(self) -> None:
        """Import what the notebook imports, so that no test is charged for it.

        Raises:
            GradingFailed: when that is not to be had.
        """
        with _deciding(), beside(self._folder), contextlib.redirect_stdout(_Nowhere()):
            Given(self._find, self._definitions, 0)

    def examine(self, cell: NotebookNode) -> Examined:
        """Run one test cell of the instructor's notebook.

        Raises:
            ExchangeError: when the student's process broke off, or had to be ended.
            GradingFailed: when what the instructor imports can't be imported here.
        """
        place = self._definitions.places[cell.id]
        quiet = contextlib.redirect_stdout(_Nowhere())
        comparisons = Comparisons(self._seed)
        with _deciding(), beside(self._folder), quiet, collect() as reports:
            try:
                given = Given(self._find, self._definitions, place, comparisons)
                examined = _run(cell, Namespace(given), comparisons)
            except NotJudged as error:
                return Examined(Verdict.NOT_GRADABLE, str(error)[:_MESSAGE], doubtful=True)
        examined = replace(
            examined,
            message=examined.message[:_MESSAGE],
            reports=tuple(reports),
            made_with=tuple(given.made_with),
            # A check of an exam says by itself what was earned.
            doubts={} if reports else examined.doubts,
        )
        return _or_not_judged(examined, comparisons, given)


def _or_not_judged(examined: Examined, comparisons: Comparisons, given: Given) -> Examined:
    """A test that is passed has compared something, and something of the student's."""
    if not examined.credit:
        return examined
    if given.refused:
        text = str(given.refused)[:_MESSAGE]
    elif examined.reports:
        return examined
    elif not comparisons.count:
        text = (
            "the test compared nothing: no assert was reached, so any answer would pass; see that "
            "its loops have something to run over, or end it with the points that it gives"
        )
    elif not given.asked:
        text = "the test never looked at anything that the student has made"
    else:
        return examined
    return Examined(Verdict.NOT_GRADABLE, text, doubtful=True)


def _run(cell: NotebookNode, namespace: Namespace, comparisons: Comparisons) -> Examined:
    try:
        exec(counted(cell.source, "<test cell>"), namespace)
    except ExerciseNotPassed as error:
        points = points_of(cell)
        credit = error.report.earned(points) / points if points else 0.0
        return Examined(error.report.verdict, str(error), credit=credit)
    except NotPlain as error:
        return Examined(Verdict.WRONG, str(error), doubtful=True)
    except ExchangeError:
        raise
    except NameError as error:
        # In the student's own function, nothing of the answer is missing.
        inside = isinstance(error, StudentError)
        text = f"NameError: {said(error)}" if inside else said(error)
        return Examined(Verdict.EXCEPTION if inside else Verdict.MISSING, text)
    except AssertionError as error:
        return Examined(Verdict.WRONG, said(error) or "a test of this cell does not hold")
    except NotImplementedError:
        return Examined(Verdict.NOT_IMPLEMENTED, "not implemented yet")
    except MemoryError:
        return Examined(Verdict.MEMORY, TOO_MUCH)
    except (Exception, SystemExit) as error:
        if NO_MEMORY in said(error) and not isinstance(error, StudentError):
            return Examined(Verdict.MEMORY, TOO_MUCH)
        return Examined(Verdict.EXCEPTION, f"{type(error).__name__}: {said(error)}")
    return _by_last_value(cell, comparisons)


def _by_last_value(cell: NotebookNode, comparisons: Comparisons) -> Examined:
    """What a test earned that ran to its end: nbgrader gives the points that its last line says."""
    points = points_of(cell)
    earned = _number(comparisons.last)
    if earned is None:
        # With the solution it may end in points.
        doubts = {"last line": _NO_POINTS} if comparisons.ends_in_value else {}
        return Examined(Verdict.PASSED, "", credit=1.0, doubts=doubts)
    comparisons.count += comparisons.looked
    if not 0 <= earned <= points:
        text = f"the test ends in {earned:g} points, where it can give 0 to {points:g}"
        return Examined(Verdict.NOT_GRADABLE, text, doubtful=True)
    if earned == points:
        return Examined(Verdict.PASSED, "", credit=1.0)
    text = f"{earned:g} of {points:g} points"
    return Examined(Verdict.WRONG, text, credit=earned / points if points else 0.0)


def _number(value: object) -> float | None:
    """A value that nbgrader would read as points, if it is one: text of the student's is none."""
    if type(value) in (int, float) or isinstance(value, np.integer | np.floating):
        return float(cast("float", value))
    return None


def said(error: BaseException) -> str:
    """The message of an exception, whatever it was given: a number of 5,000 digits has no text."""
    try:
        return str(error)
    except Exception:
        return "(its message can't be shown)"


class _Nowhere(io.TextIOBase):
    """What a test prints is for whoever writes it."""

    def write(self, text: str) -> int:
        return len(text)


def error_output(verdict: Verdict, message: str) -> dict[str, Any]:
    """The output of a test that has earned nothing."""
    return {
        "output_type": "error",
        "ename": verdict.ename,
        "evalue": message,
        "traceback": [message or verdict.value],
    }


@contextlib.contextmanager
def _deciding() -> Iterator[None]:
    """Checks raise when they are asked for a decision."""
    with purpose.kept():
        os.environ[purpose.VARIABLE] = "autograde"
        yield
