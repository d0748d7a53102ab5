"""What Python's syntax asks of an object: `len(a)`, `a == b`, `a + b`, `a[0]`, `for x in a`.

A test may ask it of a student's object where a class of the instructor's solution has the method:
then it is a method like any other that the exercise asks for. What comes back is a value.
"""

import operator
from collections.abc import Callable
from itertools import islice
from typing import Any

# What is made of a student's object by looking through all of it.
MOST_VALUES = 100_000


def _listed(value: Any) -> list[object]:
    return list(islice(value, MOST_VALUES))


def _reflected(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda value, other: function(other, value)


_BINARY = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "matmul": operator.matmul,
    "truediv": operator.truediv, "floordiv": operator.floordiv, "mod": operator.mod,
    "pow": operator.pow, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "lshift": operator.lshift, "rshift": operator.rshift,
}  # fmt: skip

OPERATORS: dict[str, Callable[..., Any]] = {
    **{f"__{name}__": function for name, function in _BINARY.items()},
    **{f"__r{name}__": _reflected(function) for name, function in _BINARY.items()},
    **{f"__{name}__": getattr(operator, name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **{f"__{name}__": getattr(operator, name) for name in ("neg", "pos", "abs", "invert")},
    "__len__": len, "__iter__": _listed, "__contains__": operator.contains, "__bool__": bool,
    "__getitem__": operator.getitem, "__setitem__": operator.setitem,
    "__delitem__": operator.delitem, "__repr__": repr, "__str__": str, "__hash__": hash,
    "__int__": int, "__float__": float, "__index__": operator.index,
}  # fmt: skip

# Which methods of a class answer for one that it does not have itself.
INSTEAD: dict[str, tuple[str, ...]] = {
    "__str__": ("__repr__",),
    "__ne__": ("__eq__",),
    "__contains__": ("__iter__", "__getitem__"),
    "__iter__": ("__getitem__",),
    "__bool__": ("__len__",),
    "__gt__": ("__lt__",),
    "__lt__": ("__gt__",),
    "__ge__": ("__le__",),
    "__le__": ("__ge__",),
}
