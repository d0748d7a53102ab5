"""One call, made of one changed answer after another: what is the same each time is done once.

It tells what `Case.observe` and `is_mistaken` would tell, of the reference and of misconceptions.
These copy all arguments for each call and compare them afterwards, which for tiny tensors takes
longer than the answer itself; here copies are given again for as long as nobody has touched them.
"""

import copy
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice, zip_longest
from types import BuiltinFunctionType, FunctionType, NoneType
from typing import Any

import numpy as np

from autograder.checks.exam.case import Case, is_mistaken
from autograder.checks.values.compare import identical, numbers_in_parts
from autograder.checks.values.outcome import Outcome, Raised, driven
from autograder.checks.values.tensors import as_array, fresh_generators, is_tensor, seeded
from autograder.errors import ExchangeError

# What explains a changed answer, by the name of a misconception: nothing is wrong with it.
RIGHT = ""
# So many numbers tell most values apart, before all of them are compared.
_TELLING = 3
# And by so many times what is allowed, so that none is told apart that is not.
_SURELY = 64.0
_NOTHING = object()
# What nobody can change, and no copy is made of.
_CONSTANT = {NoneType, bool, int, float, complex, str, bytes, type}
_CONSTANT |= {FunctionType, BuiltinFunctionType}


class Call:
    """A case on which changed answers are tried.

    `known` are the misconceptions that may explain what one does, `RIGHT` among them.
    """

    def __init__(self, case: Case, known: Collection[str] = (RIGHT,)) -> None:
        self._case = case
        self._mistaken = {name: _as(name, case) for name in known if name and case.shows(name)}
        self._telling = {
            name: (_few(one), one.tolerance.times(_SURELY)) for name, one in self._mistaken.items()
        }
        self._driver = case.driver
        self._untouched: Mapping[str, object] | None = None
        self._marks: list[object] = []

    def explaining(self, answer: Callable[..., Any], names: Collection[str]) -> set[str]:
        """Those of `names` that explain what an answer does on this call.

        Whoever calls this has warnings and printed text swallowed (`quiet`).
        """
        outcome = self._outcome(answer)
        # Of a misconception that is not asked, the call says nothing.
        unasked = {*names} - {RIGHT, *self._case.lookalikes}
        alike = {*names} & self._mistaken.keys()
        right = {*names} - unasked - alike
        if right and is_mistaken(outcome, self._case):
            right = set()
        numbers = _few(outcome) if alike else ()
        return (
            unasked
            | right
            | {
                name
                for name in alike
                if self._may_be(name, numbers) and not is_mistaken(outcome, self._mistaken[name])
            }
        )

    def _may_be(self, name: str, numbers: tuple[float, ...]) -> bool:
        """Whether a misconception's first numbers are about these."""
        telling, tolerance = self._telling[name]
        return len(telling) == len(numbers) and all(map(tolerance.allows_number, telling, numbers))

    def _outcome(self, answer: Callable[..., Any]) -> Outcome:
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
        return Outcome(outcome.value, outcome.raised, changed)

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
            with seeded(), _within_bounds():
                return Outcome(driven(self._driver, answer)(*given.values()))
        except ExchangeError:
            raise
        except (Exception, SystemExit) as error:
            # Which kind it is decides alone whether it is right to raise it.
            return Outcome(raised=Raised(type(error).__name__, ""))


@contextmanager
def _within_bounds() -> Iterator[None]:
    """Have torch compute without the fused kernel that takes no notice of keys and values of
    different lengths: it writes gradients beyond the end of the shorter ones, and the process ends.
    """
    torch: Any = sys.modules.get("torch")
    kernels = torch and torch.backends.cuda
    before = kernels and kernels.flash_sdp_enabled()
    if before:
        kernels.enable_flash_sdp(False)
    try:
        yield
    finally:
        if before:
            kernels.enable_flash_sdp(True)


def _as(name: str, case: Case) -> Case:
    """The same call, of which what a misconception does there is expected."""
    expected, tolerance = case.lookalikes[name](), case.tolerance_of(name)
    return replace(case, expected=expected, tolerance=tolerance)


def _few(of: Case | Outcome) -> tuple[float, ...]:
    """The first numbers of what comes of a call, and how much of each mask is True."""
    value = of.expected.value if isinstance(of, Case) else of.value
    found = (
        float(one)
        for _, part in numbers_in_parts(value, kinds="fb")
        for one in (part.flat[:_TELLING] if part.dtype.kind == "f" else (part.sum(),))
    )
    # What a changed answer returns can be anything, and refuse to be looked at.
    try:
        return tuple(islice(found, _TELLING))
    except Exception:
        return ()


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
