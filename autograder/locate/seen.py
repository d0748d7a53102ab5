"""Of what kind the values of names are, as seen while an answer runs as it is.

Who takes one name for another mostly takes it for one of the same kind.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import numpy as np

from autograder.values.tensors import is_tensor

# By the name of a function, then by that of a variable or, as "self.mask", of an attribute.
Kinds = dict[str, dict[str, str]]


@contextmanager
def noting_kinds(file: str) -> Iterator[Kinds]:
    """Note what the functions of a file hold when they end."""
    kinds: Kinds = {}
    before = sys.gettrace()

    def enter(frame: FrameType, event: str, given: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != file:
            return None
        # Its end is what counts, and not every line of every turn of a loop.
        frame.f_trace_lines = False
        return note

    def note(frame: FrameType, event: str, given: Any) -> Callable[..., Any]:
        if event == "return":
            found = kinds.setdefault(frame.f_code.co_name, {})
            for name, value in dict(frame.f_locals).items():
                found[name] = _kind(value)
                if name == "self":
                    found |= {f"self.{own}": _kind(kept) for own, kept in _kept(value)}
        return note

    sys.settrace(enter)
    try:
        yield kinds
    finally:
        sys.settrace(before)


def _kept(value: Any) -> Iterator[tuple[str, object]]:
    held = getattr(value, "__dict__", {})
    yield from held.items()
    # Where a module of torch's keeps what is assigned to it.
    for name in ("_parameters", "_buffers", "_modules"):
        part = held.get(name)
        yield from part.items() if isinstance(part, dict) else ()


def _kind(value: object) -> str:
    if isinstance(value, bool | int | float | np.number):
        return "number"
    if isinstance(value, np.ndarray) or is_tensor(value):
        return "array"
    if value is None:
        return ""
    return "function" if callable(value) else type(value).__name__
