"""How much there is in a value: what the arguments of a question can cost the grader."""

from typing import Any

import numpy as np

from autograder.checks.values.tensors import is_tensor
from autograder.student.rpc.stand_in import RemoteObject, Unsent


def weight_of(value: object) -> int:
    """How much the arguments of a question can cost here: numbers, and the sizes of ints."""
    left, weight = [value], 0
    while left:
        one: Any = left.pop()
        if type(one) in (list, tuple, set):
            left.extend(one)
        elif type(one) is dict:
            left.extend((*one.keys(), *one.values()))
        elif type(one) is int or isinstance(one, np.integer):
            weight += abs(int(one))
        elif type(one) in (RemoteObject, Unsent):
            weight += 1
        else:
            size = getattr(one, "numel", None) or getattr(one, "size", None)
            numbers = size() if callable(size) else size
            weight += numbers if type(numbers) is int else len(one) if type(one) is str else 1
            weight += _as_int(one) if numbers == 1 else 0
        weight += 1
    return weight


def _as_int(number: Any) -> int:
    """The size of an int that is dressed up as an array or tensor; 0 for any other number."""
    if type(number) is np.ndarray:
        return abs(int(number.item())) if number.dtype.kind in "iu" else 0
    if is_tensor(number) and not (number.is_floating_point() or number.is_complex()):
        return abs(int(number))
    return 0
