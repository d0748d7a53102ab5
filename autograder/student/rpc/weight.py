"""How much there is in a value: what the arguments of a question can cost the grader."""

import math
from collections import deque
from collections.abc import Sized
from typing import Any

import numpy as np

from autograder.checks.values.tensors import is_tensor
from autograder.student.rpc.stand_in import RemoteObject, Unsent


def weight_of(value: object) -> int:
    """How much the arguments of a question can cost here.

    That is how many values there are to go through, and the sizes of ints: `range(n)` goes through
    as many.
    """
    left, weight = [value], 0
    while left:
        one: Any = left.pop()
        weight += 1
        if isinstance(one, list | tuple | set | frozenset | deque):
            left.extend(one)
        elif isinstance(one, dict):
            left.extend((*one.keys(), *one.values()))
        elif isinstance(one, range | slice):
            left.extend((one.start, one.stop, one.step))
            weight += _length(one) if type(one) is range else 0
        elif isinstance(one, int | np.integer):
            weight += abs(int(one))
        elif type(one) is np.ndarray or is_tensor(one):
            numbers = math.prod(one.shape)
            weight += numbers + (_as_int(one) if numbers == 1 else 0)
        elif type(one) not in (RemoteObject, Unsent) and isinstance(one, Sized):
            weight += len(one)
    return weight


def _length(numbers: range) -> int:
    """How many there are; `len` knows no more than fit into 64 bits."""
    return max(0, -((numbers.start - numbers.stop) // numbers.step))


def _as_int(number: Any) -> int:
    """The size of an int that is dressed up as an array or tensor; 0 for any other number."""
    if type(number) is np.ndarray:
        return abs(int(number.item())) if number.dtype.kind in "iu" else 0
    if is_tensor(number) and not (number.is_floating_point() or number.is_complex()):
        return abs(int(number))
    return 0
