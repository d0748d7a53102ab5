"""Where two values differ: exact in type, shape and dtype, within a tolerance in their numbers.

Arrays and PyTorch's tensors are compared alike, but neither stands for the other.

A value may be made of parts (a tuple of arrays, a worksheet of numbers); each part is compared by
itself, so that one wrong number does not hide that the others are right.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, SupportsInt

import numpy as np

from autograder.checks.values.digits import apart, as_float, as_given, digits
from autograder.checks.values.kinds import NO_RETURN, as_received, has_numbers, is_number
from autograder.checks.values.random_sources import SOURCES
from autograder.checks.values.tensors import as_array, dtype_name, is_generator, is_tensor

if TYPE_CHECKING:
    import torch

OUTPUT = "output"
# By what was expected and what was received: where the other dtype mostly comes from.
_ARRAY_DTYPES = {
    ("float32", "float64"): ("; new arrays are float64 unless you say otherwise, with dtype=…")
}
_TENSOR_DTYPES = {
    ("float64", "float32"): (
        "; `.float()` makes float32, and so are new tensors, unless you set another default or say "
        "otherwise with dtype=…"
    ),
    ("float32", "float64"): (
        "; tensors made of NumPy arrays are float64, and new ones too where you made that torch's "
        "default: .to(x.dtype)"
    ),
}

# A number is shipped and shown in steps of at most this part of what its tolerance allows.
PART = 0.1


@dataclass(frozen=True)
class Tolerance:
    """Numbers agree when |expected - received| <= absolute + relative * |expected|.

    `parts` has another `absolute` for some parts of a value, by their names.
    """

    absolute: float
    relative: float = 0.0
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)

    def of(self, part: str) -> "Tolerance":
        """What is allowed in this part of a value."""
        if part not in self.parts:
            return self
        return Tolerance(self.parts[part], self.relative)

    def times(self, share: float) -> "Tolerance":
        """A share of what is allowed, in all parts."""
        parts = {part: share * one for part, one in self.parts.items()}
        return Tolerance(share * self.absolute, share * self.relative, parts)

    def decimals(self, number: float) -> int | None:
        """How many decimals of a number there are in steps of a tenth of what is allowed.

        As many are shipped and shown; None where any difference counts.
        """
        step = PART * (self.absolute + self.relative * abs(number))
        return -math.floor(math.log10(step)) if step and math.isfinite(step) else None

    def allows(self, expected: np.ndarray, received: np.ndarray) -> np.ndarray:
        """Per entry, whether the numbers agree; equal infinities and two NaNs agree.

        It is NumPy's isclose, in a third of the time: a check compares thousands of small arrays.
        Of text, dates and objects, nothing but the very same agrees.
        """
        if not has_numbers(expected):
            return np.asarray(expected == received)
        wanted = np.asarray(expected, dtype=np.result_type(expected, 1.0))
        with np.errstate(invalid="ignore"):
            near = np.abs(received - wanted) <= self.absolute + self.relative * np.abs(wanted)
        if near.all() and np.isfinite(wanted).all():
            return np.asarray(near)
        both_nan = np.isnan(received) & np.isnan(wanted)
        return np.asarray(near & np.isfinite(wanted) | (received == wanted) | both_nan)

    def allows_number(self, expected: float, received: float) -> bool:
        """The same for two numbers, of which a worksheet has many and NumPy is slow with one."""
        if not (math.isfinite(expected) and math.isfinite(received)):
            return expected == received or (math.isnan(expected) and math.isnan(received))
        return abs(expected - received) <= self.absolute + self.relative * abs(expected)


# So many numbers or words, of which none equals another, hardly come about in two ways; nor does a
# table of so many entries that are True or False.
TELLING = 4
_TELLING_TABLE = 16
TOLD = "fbiuU"
_FEW = 5
_NAME = 40
_EQUALLY_FAR = 1 - 1e-9


@dataclass(frozen=True)
class Difference:
    """One part that is not as expected. `part` is empty where the value has no parts.

    `veiled` is the text for those who are to find the expected number themselves. `pair` are the
    two values, the expected one first, where there are two to be shown side by side.
    """

    part: str
    text: str
    blank: bool = False
    veiled: str = ""
    pair: tuple[object, object] | None = field(default=None, compare=False, repr=False)


def differences(
    expected: object, received: object, tolerance: Tolerance, names: Sequence[str] = ()
) -> Iterator[Difference]:
    """The parts in which `received` is not `expected`, each found when it is asked for.

    `names` are the words for the parts of a tuple ("contexts", "weights"), used in the texts.
    """
    return _walk(expected, received, tolerance, "", names)


def numbers_in_parts(
    value: object, names: Sequence[str] = (), part: str = "", kinds: str = "f"
) -> Iterator[tuple[str, np.ndarray]]:
    """The floating-point numbers in a value, each with its part as `differences` calls it.

    `kinds` are NumPy's letters for what else there may be, such as "b" for masks and "U" for text.
    """
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from numbers_in_parts(entry, (), _of_key(part, key), kinds)
    elif isinstance(value, tuple | list):
        for index, entry in enumerate(value):
            yield from numbers_in_parts(entry, (), _of_index(part, index, names), kinds)
    else:
        numbers = as_array(value) if is_tensor(value) else np.asarray(value)
        if numbers.dtype.kind in kinds:
            yield part, numbers.astype(np.float64) if numbers.dtype.kind == "f" else numbers


def is_telling(value: object) -> bool:
    """Whether what returns this hardly returns it for another reason."""
    others: set[object] = set()
    for _, part in numbers_in_parts(value, kinds=TOLD):
        if part.dtype.kind == "f":
            if len(np.unique(part[np.isfinite(part)])) >= TELLING:
                return True
        elif part.dtype.kind != "b":
            others.update(part.ravel().tolist())
        elif part.ndim > 1 and part.size >= _TELLING_TABLE and part.any() and not part.all():
            return True
    return len(others) >= TELLING


def identical(first: object, second: object) -> bool:
    """Whether two arguments hold the very same numbers, bit for bit as far as `==` can tell."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return first.dtype == second.dtype and np.array_equal(
            first, second, equal_nan=first.dtype.kind in "fc"
        )
    if is_tensor(first) and is_tensor(second):
        return first.dtype == second.dtype and identical(as_array(first), as_array(second))
    # Drawing from a generator is what it is given for.
    if is_generator(first) and is_generator(second):
        return True
    if type(first) in SOURCES and type(first) is type(second):
        return True
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(
            identical(value, second[key]) for key, value in first.items()
        )
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(map(identical, first, second))
    # What stands for an object elsewhere must not be asked: that object would answer for itself.
    if type(first) is type(second) and hasattr(type(first), "in_words"):
        return True
    return type(first) is type(second) and (first is second or _are_equal(first, second))


def _are_equal(first: object, second: object) -> bool:
    # What a failed `resize_` leaves, for one, can't be compared with anything.
    try:
        return bool(first == second)
    except Exception:
        return False


def _walk(
    expected: object, received: object, tolerance: Tolerance, part: str, names: Sequence[str] = ()
) -> Iterator[Difference]:
    if received is ...:
        yield Difference(part, "still blank", blank=True)
    elif is_tensor(expected):
        text = _tensor_mismatch(expected, received, tolerance.of(part))
        if text:
            # What a module's forward returns is the only part that may lack a return.
            text = text if part in ("", OUTPUT) else text.replace(NO_RETURN, "")
            yield Difference(part, text, pair=(expected, received))
    elif _is_scalar(expected) and is_tensor(received) and not received.ndim:
        # What is a scalar of its own in NumPy is a tensor without axes in PyTorch.
        yield from _walk(expected, as_array(received)[()], tolerance, part, names)
    elif is_number(expected) and part:
        yield from _walk_number(expected, received, tolerance.of(part), part)
    elif isinstance(expected, dict):
        yield from _walk_dict(expected, received, tolerance, part)
    elif isinstance(expected, tuple | list):
        yield from _walk_sequence(expected, received, tolerance, part, names)
    else:
        text = _mismatch(expected, received, tolerance.of(part))
        if text:
            yield Difference(part, text, pair=(expected, received))


def _walk_dict(
    expected: dict[str, object], received: object, tolerance: Tolerance, part: str
) -> Iterator[Difference]:
    if not isinstance(received, dict) or received.keys() != expected.keys():
        yield Difference(part, _wrong_keys(expected, received))
        return
    for key, value in expected.items():
        yield from _walk(value, received[key], tolerance, _of_key(part, key))


def _wrong_keys(expected: dict[str, object], received: object) -> str:
    if not isinstance(received, dict):
        keys = ", ".join(map(repr, expected))
        return f"expected a dict with the keys {keys}, received {as_received(received, expected)}"
    missing = ", ".join(repr(key) for key in expected if key not in received)
    others = [repr(key)[:_NAME] for key in received if key not in expected]
    more = f" and {len(others) - _FEW} more" if len(others) > _FEW else ""
    unknown = ", ".join(others[:_FEW]) + more
    parts = [missing and f"missing: {missing}", unknown and f"unknown: {unknown}"]
    return f"the keys are not as given; {'; '.join(filter(None, parts))}"


def _walk_number(
    expected: object, received: object, tolerance: Tolerance, part: str
) -> Iterator[Difference]:
    text = _number_mismatch(expected, received, tolerance)
    if text and is_number(received):
        veiled = f"not right yet, received {as_given(received)}"
        yield Difference(part, text, veiled=veiled, pair=(expected, received))
    elif text:
        yield Difference(part, text.replace(NO_RETURN, ""))


def _walk_sequence(
    expected: Sequence[object],
    received: object,
    tolerance: Tolerance,
    part: str,
    names: Sequence[str],
) -> Iterator[Difference]:
    entries = _entries(received, len(expected), arrays=isinstance(expected, list))
    if entries is None:
        wanted = f"{len(expected)} values" + (f" ({', '.join(names)})" if names else "")
        yield Difference(part, f"expected {wanted}, received {as_received(received, expected)}")
        return
    for index, (one, other) in enumerate(zip(expected, entries, strict=True)):
        yield from _walk(one, other, tolerance, _of_index(part, index, names))


def _of_key(part: str, key: object) -> str:
    return f"{part} {key}".strip()


def _of_index(part: str, index: int, names: Sequence[str]) -> str:
    # A misconception may return more than the exercise has names for.
    return names[index] if index < len(names) else f"{part}[{index}]"


def _entries(value: object, count: int, *, arrays: bool) -> list[object] | None:
    """The parts of a sequence, if it has so many.

    An array has parts only where a list of numbers is expected.
    """
    if arrays and is_tensor(value) and value.ndim:
        return list(as_array(value)) if len(value) == count else None
    is_sequence = isinstance(value, list | tuple) or (
        arrays and isinstance(value, np.ndarray) and value.ndim
    )
    # Counted before they are listed: a student's array may have millions.
    return list(value) if is_sequence and len(value) == count else None  # type: ignore[call-overload, arg-type]


def _is_scalar(value: object) -> bool:
    return isinstance(value, bool | np.bool_) or is_number(value)


def _mismatch(expected: object, received: object, tolerance: Tolerance) -> str:
    if isinstance(expected, bool | np.bool_):
        return _truth_mismatch(bool(expected), received)
    if is_number(expected):
        return _number_mismatch(expected, received, tolerance)
    if isinstance(expected, np.ndarray):
        return _array_mismatch(expected, received, tolerance)
    if isinstance(received, np.str_):
        received = str(received)
    if type(expected) is type(received) and expected == received:
        return ""
    return f"expected {expected!r}, received {as_received(received, expected)}"


def _truth_mismatch(expected: bool, received: object) -> str:
    if not isinstance(received, bool | np.bool_):
        return f"expected True or False, received {as_received(received, expected)}"
    return "" if bool(received) is expected else f"expected {expected}, received {bool(received)}"


def _number_mismatch(expected: object, received: object, tolerance: Tolerance) -> str:
    if not is_number(received):
        return f"expected a number, received {as_received(received, expected)}"
    wanted, number = as_float(expected), as_float(received)
    if tolerance.allows_number(wanted, number):
        return ""
    if isinstance(expected, int) and isinstance(received, int) and abs(number) < 1e15:
        return f"expected {expected}, received {received}"
    return _side_by_side(wanted, number, tolerance)


def _array_mismatch(expected: np.ndarray, received: object, tolerance: Tolerance) -> str:
    if type(received) is not np.ndarray:
        came = as_received(received, expected)
        return f"expected an array of shape {expected.shape}, received {came}"
    if received.shape != expected.shape:
        return f"expected shape {expected.shape}, received {received.shape}"
    if received.dtype != expected.dtype:
        return _dtype_mismatch(str(expected.dtype), str(received.dtype))
    return _numbers_mismatch(expected, received, tolerance)


def _tensor_mismatch(expected: "torch.Tensor", received: object, tolerance: Tolerance) -> str:
    shape = tuple(expected.shape)
    if not is_tensor(received):
        return f"expected a tensor of shape {shape}, received {as_received(received, expected)}"
    if received.shape != expected.shape:
        return f"expected shape {shape}, received {tuple(received.shape)}"
    if received.dtype != expected.dtype:
        return _dtype_mismatch(dtype_name(expected), dtype_name(received), _TENSOR_DTYPES)
    return _numbers_mismatch(as_array(expected), as_array(received), tolerance)


def _numbers_mismatch(expected: np.ndarray, received: np.ndarray, tolerance: Tolerance) -> str:
    agree = tolerance.allows(expected, received)
    if agree.all():
        return ""
    if expected.dtype.kind == "b" or not has_numbers(expected):
        where = np.argwhere(~agree)[0]
        return f"the first wrong entry is at {_index(where)}: received {received[tuple(where)]}"
    if np.isnan(received).sum() > np.isnan(expected).sum():
        where = np.argwhere(np.isnan(received) & ~np.isnan(expected))[0]
        count = int(np.isnan(received).sum())
        return f"{count} of {received.size} numbers are NaN, the first at {_index(where)}"
    where = largest_gap(expected, received, ~agree)
    one, other = float(expected[where]), float(received[where])
    return (
        f"largest difference {digits(abs(other - one))} at {_index(where)}: "
        f"{_side_by_side(one, other, tolerance)}"
    )


def largest_gap(expected: np.ndarray, received: np.ndarray, wrong: np.ndarray) -> tuple[int, ...]:
    """Where the largest difference is; NaN is further away than any number.

    Of several that are equal but for rounding, which is another on each processor, the first.
    """
    with np.errstate(all="ignore"):
        gap = np.abs(received.astype(float) - expected.astype(float))
    gap = np.where(wrong, np.nan_to_num(gap, nan=np.inf, posinf=np.inf), -1.0)
    first = int(np.argmax(gap >= _EQUALLY_FAR * gap.max()))
    return tuple(int(n) for n in np.unravel_index(first, gap.shape))


def _side_by_side(expected: float, received: float, tolerance: Tolerance) -> str:
    known = tolerance.decimals(expected)
    return "expected {}, received {}".format(*apart(expected, received, known))


def _dtype_mismatch(
    expected: str, received: str, advice: Mapping[tuple[str, str], str] = _ARRAY_DTYPES
) -> str:
    text = f"expected numbers of type {expected}, received {received}"
    return text + advice.get((expected, received), "")


def _index(where: Iterable[SupportsInt]) -> str:
    return "[" + ", ".join(str(int(position)) for position in where) + "]"
