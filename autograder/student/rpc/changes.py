"""What a student's code wrote to its arguments, made visible here, and taken back at the end."""

import copy
import sys
from collections import Counter, deque
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

import numpy as np

from autograder.checks.values.compare import identical
from autograder.checks.values.random_sources import SOURCES, draw_on, state_of
from autograder.checks.values.tensors import is_tensor
from autograder.student.rpc.codec.grammar import Unsupported
from autograder.student.rpc.doubts import Place
from autograder.student.rpc.stand_in import RemoteObject, Unsent

# What is written to as a whole, since its entries have no places of their own.
_WHOLE = (set, Counter, deque, bytearray)
_WRITTEN = (np.ndarray, list, dict, *_WHOLE, *SOURCES)
# Of an argument, to see whether it was written to; larger ones are sent back.
_MOST_COPIED = 1 << 16


def left_of(value: object, before: object) -> object:
    """An argument after the call, where the examiner wants to know whether it was written to."""
    if not _may_be_written(value) or (before is not None and imprint(value) == before):
        return Unsupported("unchanged")
    return value


def imprint(value: object) -> object:
    """What differs once an argument was written to; None where that would take long, or be hard."""
    entries: list[tuple[object, object]] = [("", value)]
    if type(value) is dict:
        entries = [*value.items()]
    elif type(value) is tuple:
        entries = [(str(number), one) for number, one in enumerate(value)]
    found = [(name, _numbers_of(one)) for name, one in entries if type(name) is str]
    return found if len(found) == len(entries) and all(one for _, one in found) else None


def _numbers_of(value: Any) -> tuple[object, ...]:
    if is_tensor(value):
        # Of what NumPy doesn't know, such as bfloat16, or of what lies elsewhere, it makes nothing.
        with suppress(TypeError, RuntimeError):
            value = value.detach().numpy()
    if (
        type(value) is not np.ndarray
        or value.dtype.kind not in "biufc"
        or value.nbytes > _MOST_COPIED
    ):
        return ()
    return value.dtype.str, value.shape, value.tobytes()


class Changes:
    """Changes to values on this side, which may live longer than one grading."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], object]] = []
        self._written: list[Place] = []

    def write(self, mine: tuple[object, ...], theirs: tuple[object, ...]) -> list[Place]:
        """Make the caller's arguments what the student's code has left of them.

        Returns:
            where that is something else: the numbers of an argument and of entries in it. Random
            numbers that were drawn are not among them: that is what a source is given for.
        """
        self._written = []
        for number, (one, other) in enumerate(zip(mine, theirs, strict=False)):
            if type(other) not in (Unsupported, Unsent):
                self._write_one(one, other, (number,))
        return self._written

    def take_back(self) -> None:
        """Make everything what it was before the first change."""
        while self._undo:
            self._undo.pop()()

    def _note(self, place: Place, undo: Callable[[], object]) -> None:
        self._written.append(place)
        self._undo.append(undo)

    def _write_one(self, mine: Any, theirs: Any, place: Place) -> None:
        if type(mine) is not type(theirs):
            return
        if type(mine) is np.ndarray:
            self._write_array(mine, theirs, place)
        elif type(mine) is list:
            self._write_list(mine, theirs, place)
        elif type(mine) is dict:
            self._write_dict(mine, theirs, place)
        elif type(mine) is tuple:
            for number, (one, other) in enumerate(zip(mine, theirs, strict=False)):
                self._write_one(one, other, (*place, number))
        elif type(mine) in _WHOLE:
            self._write_whole(mine, theirs, place)
        elif type(mine) in SOURCES:
            self._draw_on(mine, theirs)
        elif _is_tensor(mine) and mine.dtype == theirs.dtype:
            self._write_tensor(mine, theirs, place)

    def _draw_on(self, mine: Any, theirs: Any) -> None:
        # A foreign one, or one that draws in another way, is not what was lent.
        with suppress(ValueError):
            before, state = state_of(mine), state_of(theirs)
            draw_on(mine, state)
            self._undo.append(lambda: draw_on(mine, before))

    def _write_list(self, mine: list[Any], theirs: list[Any], place: Place) -> None:
        before = list(mine)
        if len(mine) != len(theirs):
            mine[:] = theirs
        else:
            entries = zip(before, theirs, strict=True)
            mine[:] = [self._kept(*pair, (*place, n)) for n, pair in enumerate(entries)]
        if len(mine) != len(before) or not _same_entries(mine, before):
            self._note(place, lambda: mine.__setitem__(slice(None), before))

    def _write_dict(self, mine: dict[Any, Any], theirs: dict[Any, Any], place: Place) -> None:
        before = dict(mine)
        kept = {
            key: self._kept(before[key], one, (*place, n)) if key in before else one
            for n, (key, one) in enumerate(theirs.items())
        }
        if list(kept) != list(before) or not _same_entries(kept.values(), before.values()):
            self._note(place, lambda: _refill(mine, before))
            _refill(mine, kept)

    def _write_whole(self, mine: Any, theirs: Any, place: Place) -> None:
        if not identical(mine, theirs):
            before = copy.copy(mine)
            self._note(place, lambda: _refill(mine, before))
            _refill(mine, theirs)

    def _kept(self, mine: Any, theirs: Any, place: Place) -> object:
        """What an entry is from now on: the caller's own object, unless it was replaced."""
        if type(theirs) in (Unsupported, Unsent, RemoteObject):
            # A caller's function comes back as a stand-in of a stand-in.
            return mine
        if type(mine) is type(theirs) and _may_be_written(mine):
            self._write_one(mine, theirs, place)
            if type(mine) in (list, dict, *_WHOLE, *SOURCES):
                return mine
        return mine if identical(mine, theirs) else theirs

    def _write_array(self, mine: np.ndarray, theirs: np.ndarray, place: Place) -> None:
        if mine.dtype != theirs.dtype or not mine.flags.writeable:
            return
        # By its axis, the same numbers in another shape are as much of a change.
        if mine.size == theirs.size and mine.shape != theirs.shape and mine.flags.c_contiguous:
            shape = mine.shape
            self._note(place, lambda: setattr(mine, "shape", shape))
            mine.shape = theirs.shape
        if mine.shape == theirs.shape and mine.tobytes() != theirs.tobytes():
            before = copy.deepcopy(mine)
            self._note(place, lambda: np.copyto(mine, before))
            np.copyto(mine, theirs)

    def _write_tensor(self, mine: Any, theirs: Any, place: Place) -> None:
        if mine.shape == theirs.shape:
            self._write_array(_numbers(mine), _numbers(theirs), place)
        else:
            before = mine.data
            self._note(place, lambda: setattr(mine, "data", before))
            mine.data = theirs.detach()


def _same_entries(some: Iterable[object], others: Iterable[object]) -> bool:
    return all(one is other for one, other in zip(some, others, strict=False))


def _refill(mine: Any, content: Any) -> None:
    mine.clear()
    if type(mine) in (deque, bytearray):
        mine.extend(content)
    else:
        mine.update(content)


def _may_be_written(value: object) -> bool:
    if type(value) is tuple:
        return any(map(_may_be_written, value))
    return type(value) in _WRITTEN or _is_tensor(value)


def _is_tensor(value: object) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and type(value) is torch.Tensor


def _numbers(tensor: Any) -> np.ndarray:
    """The same memory as an array; NumPy does not know bfloat16."""
    import torch

    plain = tensor.detach()
    numbers: np.ndarray = (
        plain.view(torch.int16) if plain.dtype == torch.bfloat16 else plain
    ).numpy()
    return numbers
