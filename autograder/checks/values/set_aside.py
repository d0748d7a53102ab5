"""What is left of a difference between two results if that of dtypes, or of order, is set aside."""

from typing import Any

import numpy as np

from autograder.checks.values.tensors import cast, dtype_name, is_tensor


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
        first, second = map(_kind, value)
        is_told = (second, first) == tuple(map(_kind, wanted)) != (first, second)
        is_turned = is_told or (exchanged and first == second)
        ordered = type(value)(value[::-1]) if is_turned else value
        inner = [in_order_of(one, other) for one, other in zip(wanted, ordered, strict=True)]
        is_same = all(one is other for one, other in zip(inner, ordered, strict=True))
        return ordered if is_same else type(value)(inner)
    return value


def _kind(value: Any) -> Any:
    """What tells one result from another whatever its numbers are; of two, not in which order."""
    if is_tensor(value) or type(value) is np.ndarray:
        return type(value).__name__, tuple(value.shape)
    if type(value) in (tuple, list):
        return type(value).__name__, sorted(map(repr, map(_kind, value)))
    return type(value).__name__
