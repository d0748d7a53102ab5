"""The trying of a changed source: is every example right now? It is bounded in time and turns."""

import ast
from collections.abc import Callable, Sequence
from hashlib import sha256
from marshal import dumps
from typing import Any

from autograder.checks.exam.case import Case
from autograder.checks.locate.calls import Call
from autograder.checks.locate.clock import TooLong, processor_time
from autograder.checks.locate.places import TICK, with_ticks
from autograder.checks.locate.source import AnswerSource

_MOST_TURNS = 10_000
# Of one call of a changed answer: a number that each turn squares grows beyond any machine.
_MOST_SECONDS = 0.25


class Trials:
    """Tries a source as it stands, on cases of which the likeliest to fail comes first.

    `costs` is what each case has cost the answer itself. A call of a library can't be stopped, so
    none is begun for which there is not that much time left.
    """

    def __init__(self, source: AnswerSource, cases: Sequence[Case], costs: Sequence[float]) -> None:
        with_ticks(source)
        self._name = source.name
        self._module = ast.Module(list(source.definitions), [])
        self._namespace = {"range": self._range, **source.namespace, TICK: self._tick}
        self._calls, self._costs = [Call(case) for case in cases], costs
        self._turns, self._until = 0, 0.0
        # Two changes can come to the same program, as x + x does from x + y and from y + x.
        self._wrong: set[bytes] = set()
        self._growing = [
            node for one in source.definitions for node in ast.walk(one) if _may_grow(node)
        ]

    def are_right(self, end: float) -> bool:
        """Whether all cases are right, and before the processor time has come to its end.

        Whoever calls this has warnings and printed text swallowed (`quiet`).
        """
        if any(map(_holds_itself, self._growing)):
            return False
        try:
            code = compile(self._module, "<a small change>", "exec")
        except Exception:
            return False
        program = sha256(dumps(code)).digest()
        if program in self._wrong:
            return False
        if self._is_right(code, end):
            return True
        self._wrong.add(program)
        return False

    def _is_right(self, code: Any, end: float) -> bool:
        try:
            exec(code, self._namespace)
        except Exception:
            return False
        answer = self._namespace[self._name]
        return callable(answer) and all(
            processor_time() + cost < end and self._is_right_on(answer, call, end)
            for call, cost in zip(self._calls, self._costs, strict=True)
        )

    def _is_right_on(self, answer: Callable[..., Any], call: Call, end: float) -> bool:
        self._turns, self._until = 0, min(processor_time() + _MOST_SECONDS, end)
        try:
            return call.is_right(answer)
        except (TooLong, MemoryError, RecursionError):
            return False

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
