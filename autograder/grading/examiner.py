"""The trusted side of a test cell: it runs here, and what the student defined is called over there.

A name that none of the instructor's cells defines is the student's: a value, or a stand-in. What
the test displays and whether it raises is seen here; nothing that the student's process says about
itself is believed.
"""

import ast
import contextlib
import io
import os
import textwrap
import traceback
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import cast

import numpy as np
from nbformat.notebooknode import NotebookNode

from autograder.checks import purpose
from autograder.checks.card.as_html import collect
from autograder.checks.check import ExerciseNotPassed
from autograder.checks.exam.report import Verdict
from autograder.checks.source.cell_code import parsed
from autograder.checks.source.cells import points_of
from autograder.checks.source.own_files import beside
from autograder.checks.values.tensors import NO_MEMORY
from autograder.errors import ExchangeError
from autograder.grading.cell_verdict import Examined
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
_TEST = "<test cell>"
_NOT_HELD = "a test of this cell does not hold"
# How much is quoted of an assert.
_QUOTED = 200


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
                return Examined(Verdict.NOT_GRADABLE, str(error)[:_MESSAGE])
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
    return Examined(Verdict.NOT_GRADABLE, text)


def _run(cell: NotebookNode, namespace: Namespace, comparisons: Comparisons) -> Examined:
    try:
        exec(counted(cell.source, _TEST), namespace)
    except ExerciseNotPassed as error:
        points = points_of(cell)
        credit = error.report.earned(points) / points if points else 0.0
        return Examined(error.report.verdict, str(error), credit=credit)
    except NotPlain as error:
        return Examined(Verdict.WRONG, str(error))
    except ExchangeError:
        raise
    except NameError as error:
        # In the student's own function, nothing of the answer is missing.
        inside = isinstance(error, StudentError)
        text = f"NameError: {said(error)}" if inside else said(error)
        return Examined(Verdict.EXCEPTION if inside else Verdict.MISSING, text)
    except AssertionError as error:
        return Examined(Verdict.WRONG, said(error) or _not_held(cell.source, error))
    except NotImplementedError:
        return Examined(Verdict.NOT_IMPLEMENTED, "not implemented yet")
    except MemoryError:
        return Examined(Verdict.MEMORY, TOO_MUCH)
    except (Exception, SystemExit) as error:
        if NO_MEMORY in said(error) and not isinstance(error, StudentError):
            return Examined(Verdict.MEMORY, TOO_MUCH)
        return Examined(Verdict.EXCEPTION, f"{type(error).__name__}: {said(error)}")
    return _by_last_value(cell, comparisons)


def _not_held(source: str, error: AssertionError) -> str:
    """What is said of an assert without words: itself, where students have it in their notebook."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    if last.filename != _TEST or last.lineno is None:
        return _NOT_HELD
    for one in ast.walk(parsed(source)):
        if isinstance(one, ast.Assert) and one.lineno <= last.lineno <= (one.end_lineno or 0):
            down_to_it = source.split("\n")[: one.end_lineno]
            if not any("HIDDEN TESTS" in line for line in down_to_it):
                quoted = textwrap.shorten(ast.unparse(one), _QUOTED, placeholder="…")
                return f"{_NOT_HELD}: {quoted}"
    return _NOT_HELD


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
        return Examined(Verdict.NOT_GRADABLE, text)
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


@contextlib.contextmanager
def _deciding() -> Iterator[None]:
    """Checks raise when they are asked for a decision."""
    with purpose.kept():
        os.environ[purpose.VARIABLE] = "autograde"
        yield
