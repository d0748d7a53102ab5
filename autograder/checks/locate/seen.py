"""What is seen while an answer runs as it is: of what kind its values are, and which lines run.

Who takes one name for another mostly takes it for one of the same kind. And a line that does not
run in a case that is wrong is not what makes it wrong (as in spectrum-based fault localisation,
Jones and Harrold 2005).
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import numpy as np

from autograder.checks.locate.clock import TooLong, processor_time
from autograder.checks.values.tensors import is_tensor

# By the name of a function, then by that of a variable or, as "self.mask", of an attribute.
Kinds = dict[str, dict[str, str]]

# So many lines of one call are looked at; after that, any other may have run as well.
_MOST_LINES = 20_000


@dataclass
class Ran:
    """The lines that one call ran."""

    lines: set[int] = field(default_factory=set)
    count: int = 0

    def any_of(self, first: int, last: int) -> bool:
        """Whether it may have run one of these lines."""
        return self.count >= _MOST_LINES or any(n in self.lines for n in range(first, last + 1))


@contextmanager
def watching(file: str, kinds: Kinds, end: float) -> Iterator[Ran]:
    """Note which lines of a file one call runs, and what its functions hold when they end.

    Raises:
        TooLong: in that call, when the processor time has come to its end.
    """
    ran = Ran()
    before = sys.gettrace()

    def enter(frame: FrameType, event: str, given: Any) -> Callable[..., Any] | None:
        if frame.f_code.co_filename != file:
            return None
        frame.f_trace_lines = ran.count < _MOST_LINES
        return note

    def note(frame: FrameType, event: str, given: Any) -> Callable[..., Any]:
        if event == "line":
            if processor_time() > end:
                raise TooLong
            ran.lines.add(frame.f_lineno)
            ran.count += 1
            frame.f_trace_lines = ran.count < _MOST_LINES
        elif event == "return":
            found = kinds.setdefault(frame.f_code.co_name, {})
            for name, value in dict(frame.f_locals).items():
                found[name] = _kind(value)
                if name == "self":
                    found |= {f"self.{own}": _kind(kept) for own, kept in _kept(value)}
        return note

    sys.settrace(enter)
    try:
        yield ran
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
