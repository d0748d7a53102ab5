"""The names that a test finds: what cells of the instructor's have made, and the student's."""

import builtins
from collections.abc import Callable
from types import BuiltinFunctionType, FunctionType, ModuleType, NoneType
from typing import Any, Never

from autograder.checks.source.cell_code import SHELL
from autograder.errors import ExchangeError, GradingFailed
from autograder.grading.ordinary.comparisons import Comparisons, counted_statement
from autograder.grading.ordinary.instructor_names import Definition, Definitions, Owner
from autograder.student.rpc.stand_in import StudentError

Find = Callable[[str], object]

# What nobody can have changed meanwhile.
_FIXED = (int, float, complex, str, bytes, bool, NoneType, range, FunctionType, BuiltinFunctionType,
          type, ModuleType)  # fmt: skip


class NotJudged(BaseException):
    """A test that can't be judged here, whatever the student has written: our own mistake.

    It is no Exception, so that no `except` of a test's makes a passed test of it.
    """


class Given(dict[str, Any]):
    """The names that the instructor's cells have defined before a test, and last the student's."""

    def __init__(
        self,
        find: Find,
        definitions: Definitions,
        cell: int,
        comparisons: Comparisons | None = None,
    ) -> None:
        super().__init__(__name__="__main__", __builtins__=builtins)
        self._find = find
        self._definitions = definitions
        self._cell = cell
        self._begun: set[Definition] = set()
        self._failed: dict[int, str] = {}
        self._undecided: dict[str, object] = {}
        self._comparisons = comparisons or Comparisons()
        self._theirs = definitions.theirs(cell)
        # What was asked of the student's process, and what of it given cells have made there.
        self.asked: set[str] = set()
        self.made_with: set[str] = set()
        # The first thing that could not be told: a bare `except` in the test may have caught it.
        self.refused: NotJudged | None = None
        self.update(self._comparisons.names())
        try:
            exec(compile("\n".join(definitions.imports), "<imports>", "exec"), self)
        except ImportError as error:
            raise GradingFailed(
                f"the instructor's notebook imports what the grader can't ({error}): install it "
                "where grading runs, or put it beside the notebook in source/"
            ) from error
        self._leave_theirs()

    def __missing__(self, name: str) -> object:
        try:
            return self._looked_up(name)
        except NotJudged as error:
            self.refused = self.refused or error
            raise

    def _looked_up(self, name: str) -> object:
        found = self._definitions.before(name, self._cell)
        match found.owner:
            case Owner.ANSWER | Owner.MADE_WITH:
                return self._theirs_called(name, found.owner)
            case Owner.UNKNOWN:
                return self._unknown(name)
        for one in found.needed:
            self._execute(one)
        undecided = found.owner is Owner.UNDECIDED
        if undecided and name in self:
            self._undecided[name] = self[name]
        self._leave_theirs()
        if undecided and name in self._undecided and _is_fixed(self._undecided[name]):
            return self._undecided[name]
        if undecided:
            self._refuse(name, found.last)
        if name not in self:
            if not found.needed:
                raise KeyError(name)
            self._not_made(name, found.last)
        return self[name]

    def _theirs_called(self, name: str, owner: Owner) -> object:
        self.asked.add(name)
        if owner is Owner.MADE_WITH:
            self.made_with.add(name)
        return self._find(name)

    def _unknown(self, name: str) -> object:
        if hasattr(builtins, name):
            raise KeyError(name)
        if name == SHELL:
            raise NotJudged(
                "the test runs a command of the shell, which the grader does not: write it in "
                "Python, or have the test run beside the student's code"
            )
        if self._definitions.hides_names:
            raise NotJudged(
                f"no statement of the instructor's notebook defines `{name}`, and a magic or exec "
                "in it may: define it by a statement of its own"
            )
        return self._theirs_called(name, Owner.ANSWER)

    def _execute(self, one: Definition) -> None:
        if one in self._begun:
            return
        self._begun.add(one)
        if one.cell in self._failed and not one.is_test:
            return  # in Jupyter too, a cell ends where it fails
        count = self._comparisons.count
        try:
            exec(counted_statement(one.statement, "<given>"), self)
        except (ExchangeError, StudentError):
            raise
        except Exception as error:
            if one.is_test:
                raise
            self._failed[one.cell] = (
                f"the instructor's own cell fails at `{one.line}` ({type(error).__name__}: {error})"
            )
        finally:
            self._comparisons.count = count

    def _not_made(self, name: str, last: Definition | None) -> Never:
        own = self._failed.get(last.cell, "") if last else ""
        reason = own or next(iter(self._failed.values()), "")
        raise NotJudged(
            f"the instructor's notebook does not define `{name}` when it is run here"
            + (f": {reason}" if reason else "")
        )

    def _refuse(self, name: str, last: Definition | None) -> Never:
        line = last.line if last else ""
        raise NotJudged(
            f"whether the given cell's `{line}` changes `{name}` can't be told without running it: "
            f"make `{name}` in a cell that uses no answer and no magic, or anew in the test"
        )

    def _leave_theirs(self) -> None:
        for name in self._theirs & self.keys():
            del self[name]


class Namespace(dict[str, Any]):
    """The names of one test cell: its own, and last those that were given before it."""

    def __init__(self, given: Given) -> None:
        super().__init__(given)
        self._given = given

    def __missing__(self, name: str) -> object:
        return self._given[name]

    def __contains__(self, name: object) -> bool:
        """As `"double" in globals()` asks."""
        if super().__contains__(name):
            return True
        try:
            self._given[str(name)]
        except (KeyError, NameError):
            return False
        return True

    def get(self, name: str, otherwise: object = None) -> object:
        """As `globals().get("double")` asks."""
        return self[name] if name in self else otherwise  # noqa: SIM401, it is what defines it


def _is_fixed(value: object) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(_is_fixed, value))  # type: ignore[call-overload]
    return isinstance(value, type) or type(value) in _FIXED
