"""One call, made of one changed answer after another: what is the same each time is done once.

It tells what `Case.observe` and `is_mistaken` would tell. These copy all arguments for each call
and compare them afterwards, which for tiny tensors takes longer than the answer itself; here copies
are given again for as long as nobody has touched them.
"""

import copy
from collections.abc import Callable, Iterator, Mapping
from itertools import zip_longest
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import Any

import numpy as np

from autograder.checks.exam.case import Case, is_mistaken
from autograder.checks.values.compare import identical
from autograder.checks.values.outcome import Outcome, Raised, driven
from autograder.checks.values.tensors import as_array, fresh_generators, is_tensor, seeded
from autograder.errors import ExchangeError

_NOTHING = object()
# What nobody can change, and no copy is made of.
_CONSTANT = {NoneType, bool, int, float, complex, str, bytes, type}
_CONSTANT |= {FunctionType, BuiltinFunctionType}


class Call:
    """A case on which changed answers are tried."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._driver = case.driver
        self._untouched: Mapping[str, object] | None = None
        self._marks: list[object] = []

    def is_right(self, answer: Callable[..., Any]) -> bool:
        """Whether an answer does on this call what is expected.

        Whoever calls this has warnings and printed text swallowed (`quiet`).
        """
        given = self._given()
        # Whatever ends the call from outside may leave them half written.
        self._untouched = None
        outcome = self._observed(answer, given)
        # An argument may have become long: nothing behind the first difference is looked at.
        both = zip_longest(_marks(given), self._marks, fillvalue=_NOTHING)
        if all(now is before or now == before for now, before in both):
            self._untouched = given
            changed: tuple[str, ...] = ()
        else:
            before = self._case.arguments
            changed = tuple(name for name in given if not identical(before[name], given[name]))
        return not is_mistaken(Outcome(outcome.value, outcome.raised, changed), self._case)

    def _given(self) -> Mapping[str, object]:
        """Copies of the arguments, as they were before anybody was called with them."""
        if self._untouched is not None:
            return self._untouched
        arguments = dict(self._case.arguments)
        # deepcopy would copy how far a generator has come.
        made = {id(old): new for old, new in fresh_generators(arguments)}
        given: dict[str, object] = copy.deepcopy(arguments, made)
        self._marks = list(_marks(given))
        return given

    def _observed(self, answer: Callable[..., Any], given: Mapping[str, object]) -> Outcome:
        try:
            with seeded():
                return Outcome(driven(self._driver, answer)(*given.values()))
        except ExchangeError:
            raise
        except (Exception, SystemExit) as error:
            # Which kind it is decides alone whether it is right to raise it.
            return Outcome(raised=Raised(type(error).__name__, ""))


def _marks(value: object) -> Iterator[object]:
    """What is the same as before, in the same order, if and only if nobody has touched a value.

    Of a value of which that can't be told, something that never is.
    """
    kind = type(value)
    if kind in _CONSTANT:
        yield kind, value
    elif kind is np.ndarray and value.dtype.kind != "O":  # type: ignore[attr-defined]
        yield from _of_array(value)
    elif is_tensor(value) and not value.requires_grad:
        yield from (kind, value.dtype, value.stride())
        yield from _of_array(as_array(value))
    elif kind is dict:
        yield kind, list(value)  # type: ignore[call-overload]
        for entry in value.values():  # type: ignore[attr-defined]
            yield from _marks(entry)
    elif kind is list or kind is tuple:
        yield kind, len(value)  # type: ignore[arg-type]
        for entry in value:  # type: ignore[attr-defined]
            yield from _marks(entry)
    else:
        yield object()


def _of_array(array: Any) -> Iterator[object]:
    yield from (array.dtype, array.shape, array.strides, array.flags.writeable, array.tobytes())
