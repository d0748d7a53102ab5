"""Two results in the order of two others: what is left of a difference if that is set aside."""

from typing import Any

import numpy as np

from autograder.checks.values.tensors import is_tensor


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
