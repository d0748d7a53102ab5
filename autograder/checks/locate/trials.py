"""The trying of a changed source: what explains every example now?

It is bounded in time and turns.
"""

import ast
from collections.abc import Callable, Collection, Sequence
from hashlib import sha256
from marshal import dumps
from typing import Any

from autograder.checks.exam.case import Case
from autograder.checks.locate.calls import RIGHT, Call
from autograder.checks.locate.clock import TooLong, processor_time
from autograder.checks.locate.places import TICK, with_ticks
from autograder.checks.locate.source import AnswerSource

_MOST_TURNS = 10_000
# Of one call of a changed answer: a number that each turn squares grows beyond any machine.
_MOST_SECONDS = 0.25


class Trials:
    """Tries a source as it stands, on cases of which the likeliest to fail comes first.

    `costs` is what each case has cost the answer itself. A call of a library can't be stopped, so
    none is begun for which there is not that much time left. `known` are the misconceptions that
    may be all that is wrong, or `RIGHT`.
    """

    def __init__(
        self,
        source: AnswerSource,
        cases: Sequence[Case],
        costs: Sequence[float],
        known: Collection[str] = (RIGHT,),
    ) -> None:
        with_ticks(source)
        self._name = source.name
        self._module = ast.Module(list(source.definitions), [])
        self._namespace = {"range": self._range, **source.namespace, TICK: self._tick}
        self._calls, self._costs = [Call(case, known) for case in cases], costs
        self._known = {*known}
        self._turns, self._until = 0, 0.0
        # Two changes can come to the same program, as x + x does from x + y and from y + x.
        self._found: dict[bytes, set[str]] = {}
        self._growing = [
            node for one in source.definitions for node in ast.walk(one) if _may_grow(node)
        ]

    def is_right(self, end: float) -> bool:
        """Whether all cases are right, before the processor time has come to its end."""
        self._known = {RIGHT}
        return RIGHT in self.explaining(end)

    def explaining(self, end: float) -> set[str]:
        """What explains all cases, before the processor time has come to its end.

        Whoever calls this has warnings and printed text swallowed (`quiet`).
        """
        if any(map(_holds_itself, self._growing)):
            return set()
        try:
            code = compile(self._module, "<a small change>", "exec")
        except Exception:
            return set()
        program = sha256(dumps(code)).digest()
        if program not in self._found:
            self._found[program] = self._explaining(code, end)
        return self._found[program]

    def _explaining(self, code: Any, end: float) -> set[str]:
        try:
            exec(code, self._namespace)
        except Exception:
            return set()
        answer, names = self._namespace[self._name], self._known
        if not callable(answer):
            return set()
        for call, cost in zip(self._calls, self._costs, strict=True):
            if names:
                in_time = processor_time() + cost < end
                names = self._explaining_one(answer, call, names, end) if in_time else set()
        return names

    def _explaining_one(
        self, answer: Callable[..., Any], call: Call, names: Collection[str], end: float
    ) -> set[str]:
        self._turns, self._until = 0, min(processor_time() + _MOST_SECONDS, end)
        try:
            return call.explaining(answer, names)
        except (TooLong, MemoryError, RecursionError):
            return set()

    def _tick(self) -> None:
        self._turns += 1
        if self._turns > _MOST_TURNS or processor_time() > self._until:
            raise TooLong

    def _range(self, *bounds: int) -> range:
        """A range for a loop that has no place to count its turns, as a comprehension."""
        made = range(*bounds)
        if len(made) > _MOST_TURNS:
            raise TooLong
        return made


def _may_grow(node: ast.AST) -> bool:
    """Whether this may put something at the end of a list."""
    match node:
        case ast.Call(func=ast.Attribute(attr="append")) | ast.AugAssign(value=ast.List()):
            return True
    return False


def _holds_itself(node: ast.AST) -> bool:
    """Whether a list is put into itself.

    NumPy would make an array of such a list for minutes, out of all the memory that there is, and
    no clock of Python's stops it.
    """
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=outer)), args=[ast.Name(id=inner)]):
            return outer == inner
        case ast.AugAssign(target=ast.Name(id=outer), value=ast.List(elts=[ast.Name(id=inner)])):
            return outer == inner
    return False
