"""Dtypes: what is left of a difference if that of dtypes is set aside, and what holds numbers."""

from typing import Any

import numpy as np

from autograder.checks.values.tensors import cast, dtype_name, is_tensor


def has_numbers(array: np.ndarray) -> bool:
    """Whether an array's entries are numbers or truth values: not text, dates or objects."""
    return array.dtype.kind in "biufc"


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
