"""The trusted side of a test cell: it runs here, and what the student defined is called over there.

A name that no test cell and no import of the instructor's defines is the student's: a value, or a
stand-in. What the test displays and whether it raises is seen here; nothing that the student's
process says about itself is believed.
"""

import builtins
import contextlib
import io
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from autograder.card import collect
from autograder.check import ExerciseNotPassed
from autograder.errors import ExchangeError, ReplyNotUnderstood, StudentGone, StudentTooSlow
from autograder.report import State
from autograder.verdict import Verdict

Find = Callable[[str], object]


@dataclass(frozen=True)
class Examined:
    """What came of one test cell."""

    verdict: Verdict
    message: str
    outputs: list[dict[str, Any]]


class Namespace(dict[str, Any]):
    """The names of the test cells; what is not among them is looked up at the student's."""

    def __init__(self, find: Find) -> None:
        super().__init__(__name__="__main__", __builtins__=builtins)
        self.find = find

    def __missing__(self, name: str) -> object:
        if hasattr(builtins, name):
            raise KeyError(name)
        return self.find(name)


class Examiner:
    """Runs the test cells of one notebook, in one namespace."""

    def __init__(self, find: Find) -> None:
        """`find` looks up a name at the student's and raises NameError if it has none."""
        self._namespace = Namespace(find)

    def prepare(self, imports: str) -> None:
        """Execute the instructor's import statements, so that tests use our modules."""
        exec(compile(imports, "<imports>", "exec"), self._namespace)

    def examine(self, source: str) -> Examined:
        """Run one test cell.

        Raises:
            Exception: nothing that the student's code has caused.
        """
        printed = io.StringIO()
        with _deciding(), collect() as shown, contextlib.redirect_stdout(printed):
            verdict, message = self._run(source)
        outputs: list[dict[str, Any]] = [
            {"output_type": "display_data", "data": data, "metadata": {}} for data in shown
        ]
        if verdict is not Verdict.PASSED:
            outputs.append(error_output(verdict, message))
        return Examined(verdict, message, outputs)

    def _run(self, source: str) -> tuple[Verdict, str]:
        try:
            exec(compile(source, "<test cell>", "exec"), self._namespace)
        except ExerciseNotPassed as error:
            return _OF_STATE[error.report.state], str(error)
        except StudentTooSlow as error:
            return Verdict.TIMEOUT, str(error)
        except StudentGone as error:
            return Verdict.KILLED, str(error)
        except (ReplyNotUnderstood, ExchangeError) as error:
            return Verdict.WRONG, f"the answer could not be understood: {error}"
        except NameError as error:
            return Verdict.MISSING, str(error)
        except AssertionError as error:
            return Verdict.WRONG, str(error) or "a test of this cell does not hold"
        except NotImplementedError:
            return Verdict.NOT_IMPLEMENTED, "not implemented yet"
        except Exception as error:
            return Verdict.EXCEPTION, f"{type(error).__name__}: {error}"
        return Verdict.PASSED, ""


_OF_STATE = {
    State.PASSED: Verdict.PASSED,
    State.WRONG: Verdict.WRONG,
    State.EXCEPTION: Verdict.EXCEPTION,
    State.NOT_IMPLEMENTED: Verdict.NOT_IMPLEMENTED,
    State.STOPPED: Verdict.TIMEOUT,
}


def error_output(verdict: Verdict, message: str) -> dict[str, Any]:
    """The output that makes nbgrader's `determine_grade` give nothing for a cell."""
    return {
        "output_type": "error",
        "ename": verdict.ename,
        "evalue": message,
        "traceback": [message or verdict.value],
    }


@contextlib.contextmanager
def _deciding() -> Iterator[None]:
    """Checks raise when they are asked for a decision."""
    before = os.environ.get("NBGRADER_EXECUTION")
    os.environ["NBGRADER_EXECUTION"] = "autograde"
    try:
        yield
    finally:
        os.environ.pop("NBGRADER_EXECUTION")
        if before is not None:
            os.environ["NBGRADER_EXECUTION"] = before
