"""What kind of value came where another was expected, and what makes the one out of the other.

What is advised holds for any answer that returned such a value; where that can't be said, there is
no advice.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.checks.values.tensors import cast, dtype_name, is_generator, is_tensor

# Not to be asked where None is what an exercise returns, or what an answer says that it returns.
NO_RETURN = ": is there a return at the end?"
_ONE_ANSWER = (
    "; a comparison answers for each entry: `{equal}` and `{close}` give one answer for all"
)
# Of a student's list, which may have millions.
_LOOKED_AT = 64


def has_numbers(array: np.ndarray) -> bool:
    """Whether an array's entries are numbers or truth values: not text, dates or objects."""
    return array.dtype.kind in "biufc"


def is_number(value: object) -> bool:
    """Whether this is one real number, which a truth value is not."""
    if isinstance(value, bool | np.bool_ | np.timedelta64):
        return False
    if isinstance(value, np.ndarray):
        return type(value) is np.ndarray and value.ndim == 0 and value.dtype.kind in "iuf"
    return isinstance(value, int | float | np.integer | np.floating)


def describe(value: object) -> str:
    """A value's kind in a few words: what a learner reads after "expected" and "received"."""
    if value is None:
        return f"nothing (None){NO_RETURN}"
    if type(value) is np.ndarray:
        return f"an array of shape {value.shape}"
    if is_tensor(value):
        return f"a tensor of shape {tuple(value.shape)}"
    if is_generator(value):
        return f"a generator seeded with {value.initial_seed()}"
    if is_number(value):
        return "a number"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of {len(value)}"
    in_words = getattr(type(value), "in_words", None)
    return str(in_words(value)) if in_words else f"a {type(value).__name__}"


def as_received(value: object, expected: object) -> str:
    """What came, after the word "received", with what would make the expected kind of it."""
    # A text itself, for it may be what a driver says of an exception.
    said = repr(value)[:80] if isinstance(value, str) else describe(value)
    return said + _advice(value, expected)


def _advice(value: Any, expected: Any) -> str:
    kind = type(value).__name__
    if kind in ("function", "method", "builtin_function_or_method"):
        return "; a function is called by round brackets"
    if kind == "generator":
        return "; a comprehension in round brackets is a generator: `list(…)` makes a list of it"
    if isinstance(expected, bool | np.bool_):
        if type(value) is np.ndarray and value.dtype.kind == "b":
            return _ONE_ANSWER.format(equal="np.array_equal", close="np.allclose")
        if is_tensor(value) and dtype_name(value) == "bool":
            return _ONE_ANSWER.format(equal="torch.equal", close="torch.allclose")
    elif is_tensor(expected):
        return _to_tensor(value, expected)
    elif type(expected) is np.ndarray:
        if is_tensor(value):
            return "; a tensor is no NumPy array: `.numpy()` makes one of it"
        if isinstance(value, list | tuple) and _shape_of_all(value) == expected.shape:
            return "; `np.array(…)` makes an array of it"
        return _one_too_many(value, expected)
    elif isinstance(expected, tuple) and (is_tensor(value) or type(value) is np.ndarray):
        return "; `return` gives several values with commas between them"
    elif isinstance(expected, str) and _are(value, str):
        return '; `"".join(…)` makes one text of many'
    return ""


def _to_tensor(value: Any, expected: Any) -> str:
    shape = tuple(expected.shape)
    if type(value) is np.ndarray:
        return "; that is NumPy's: PyTorch has its own functions, and `torch.from_numpy` for arrays"
    if is_number(value) and not shape:
        return "; return the tensor, not its `.item()`, through which no gradient flows back"
    if (advice := _one_too_many(value, expected)) or not isinstance(value, list | tuple):
        return advice
    if value:
        of_all = _shape_of_all(value)
        if of_all == shape and not is_tensor(value[0]):
            return "; `torch.tensor(…)` makes a tensor of numbers"
        if of_all and len(of_all) == len(shape) + 1 and _product(of_all) == _product(shape):
            return "; `torch.cat` joins tensors along one of their axes"
        if of_all and sorted(of_all) == sorted(shape):
            return "; `torch.stack` joins tensors along a new axis"
    return ""


def _one_too_many(value: Any, expected: Any) -> str:
    """For a tuple in which what is wanted may stand."""
    entries = value[:_LOOKED_AT] if isinstance(value, tuple) else ()
    if not any(type(one) is type(expected) and one.shape == expected.shape for one in entries):
        return ""
    if hasattr(value, "values"):
        return (
            f"; `{type(value).__name__}` of one axis gives values and their places: take `.values`"
        )
    if len(value) == 1:
        return "; a comma behind a value makes a tuple of it"
    return "; one value is wanted, and a comma makes a tuple of several"


def _are(value: Any, kind: type) -> bool:
    is_sequence = isinstance(value, list | tuple) and bool(value)
    return is_sequence and all(isinstance(one, kind) for one in value[:_LOOKED_AT])


def _shape_of_all(values: Sequence[Any]) -> tuple[int, ...]:
    """The shape that entries of one shape have together; () where they are not alike."""
    if not values or len(values) > _LOOKED_AT:
        return ()
    if all(map(is_number, values)):
        return (len(values),)
    if all(is_tensor(one) or type(one) is np.ndarray for one in values):
        inner = {tuple(one.shape) for one in values}
    elif all(isinstance(one, list | tuple) for one in values):
        inner = {_shape_of_all(one) for one in values}
    else:
        return ()
    (shape, *others) = inner
    return (len(values), *shape) if shape and not others else ()


def _product(lengths: Sequence[int]) -> int:
    return int(np.prod(lengths))


def with_dtypes_of(wanted: Any, value: Any) -> Any:
    """The value, with floating-point numbers in the dtypes that another of its shape has.

    Args:
        wanted: an array, a tensor, or a dict, tuple or list of such.
        value: what may differ from it in dtypes, and in its numbers.

    Returns:
        `value` itself where its dtypes are those of `wanted`, or where they can't be compared.
    """
    if is_tensor(wanted) and is_tensor(value):
        alike = wanted.dtype == value.dtype
        floating = wanted.is_floating_point() and value.is_floating_point()
        return cast(value, dtype_name(wanted)) if floating and not alike else value
    if type(wanted) is not type(value):
        return value
    if type(value) is np.ndarray:
        floating = wanted.dtype.kind == value.dtype.kind == "f"
        with np.errstate(over="ignore"):
            return value.astype(wanted.dtype) if floating and wanted.dtype != value.dtype else value
    if type(value) is dict and wanted.keys() == value.keys():
        cast_ones = {key: with_dtypes_of(wanted[key], one) for key, one in value.items()}
        return cast_ones if any(cast_ones[key] is not value[key] for key in value) else value
    if type(value) in (tuple, list) and len(wanted) == len(value):
        entries = [with_dtypes_of(one, other) for one, other in zip(wanted, value, strict=True)]
        changed = any(one is not other for one, other in zip(entries, value, strict=True))
        return type(value)(entries) if changed else value
    return value


def in_order_of(wanted: Any, value: Any, *, exchanged: bool = False) -> Any:
    """The value, with pairs of results that came back the wrong way round put right.

    Args:
        wanted: results, or a dict, tuple or list of such.
        value: what may have two of them exchanged, as their shapes and kinds tell.
        exchanged: whether other calls have told so, which holds for two of one shape as well.

    Returns:
        `value` itself where its pairs are in the order of `wanted`, or where nothing tells.
    """
    if type(wanted) is not type(value):
        return value
    if type(value) is dict and wanted.keys() == value.keys():
        entries = {
            key: in_order_of(wanted[key], one, exchanged=exchanged) for key, one in value.items()
        }
        return entries if any(entries[key] is not value[key] for key in value) else value
    if type(value) in (tuple, list) and len(wanted) == len(value) == 2:
        first, second = map(_shape_and_kind, value)
        is_told = (second, first) == tuple(map(_shape_and_kind, wanted)) != (first, second)
        is_turned = is_told or (exchanged and first == second)
        ordered = type(value)(value[::-1]) if is_turned else value
        inner = [in_order_of(one, other) for one, other in zip(wanted, ordered, strict=True)]
        is_same = all(one is other for one, other in zip(inner, ordered, strict=True))
        return ordered if is_same else type(value)(inner)
    return value


def _shape_and_kind(value: Any) -> Any:
    """What tells one result from another whatever its numbers are; of two, not in which order."""
    if is_tensor(value) or type(value) is np.ndarray:
        return type(value).__name__, tuple(value.shape)
    if type(value) in (tuple, list):
        return type(value).__name__, sorted(map(repr, map(_shape_and_kind, value)))
    return type(value).__name__
