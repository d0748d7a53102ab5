"""The trusted side: stand-ins for what a student defined, and the session they speak through.

A stand-in is called like the real thing. Arguments go over by value, the result comes back by
value and is rebuilt here as plain exact types; an exception comes back as one of the same kind;
arrays that the student's code wrote to are changed here too. A function among the arguments stays
here: the student's code gets one that asks back.
"""

import builtins
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.channel import Channel
from autograder.codec import Reference, Unsupported
from autograder.errors import ReplyNotUnderstood, StudentTooSlow
from autograder.limits import Limits
from autograder.process import Student


class StudentError(Exception):
    """An exception raised by a student's code, as it told of it."""

    own_line: str = ""


@dataclass(frozen=True)
class RemoteObject:
    """Something of the student's that stays where it is."""

    session: "Session"
    reference: Reference
    __name__: str = "an object"

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self.session.call(self.reference, args, kwargs)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(
                f"{self.__name__} is in the student's process: call it, or compare what it returns"
            )
        return self.session.get(self.reference, name)

    def __deepcopy__(self, memo: object) -> "RemoteObject":
        return self


class Session:
    """A student process and what is known of it."""

    def __init__(self, student: Student, limits: Limits) -> None:
        self.student = student
        self._limits = limits
        self._callbacks: list[Callable[..., object]] = []
        self._channel = Channel(student.sock, limits, refer=self._refer, resolve=self._resolve)

    def run(self, source: str) -> list[object]:
        """Run a cell; its outputs, of which nothing is known but that they are plain values.

        Raises:
            StudentGone, StudentTooSlow, ReplyNotUnderstood: when that is what came of it.
        """
        match self._ask(("run", source), self._limits.cell_seconds):
            case ("ran", list(outputs)):
                return outputs
        raise ReplyNotUnderstood("running a cell gave no outputs")

    def find(self, name: str) -> object:
        """What the student's code has under a name: a value, or a stand-in.

        Raises:
            NameError: when it has nothing.
        """
        match self._ask(("find", name), self._limits.call_seconds):
            case ("found", RemoteObject() as found):
                return RemoteObject(self, found.reference, name)
            case ("found", value):
                return value
            case ("missing",):
                raise NameError(f"name '{name}' is not defined", name=name)
        raise ReplyNotUnderstood("looking up a name gave no answer")

    def call(
        self, target: Reference, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        """Call something of the student's."""
        reply = self._ask(("call", _Sent(target), args, kwargs), self._limits.call_seconds)
        return self._returned(reply, args)

    def get(self, target: Reference, name: str) -> object:
        """An attribute of something of the student's."""
        return self._returned(
            self._ask(("get", _Sent(target), name), self._limits.call_seconds), ()
        )

    def _returned(self, reply: object, args: tuple[object, ...]) -> object:
        match reply:
            case ("returned", value, tuple(afterwards), str(printed)):
                _write_back(args, afterwards)
                if printed:
                    print(printed, end="")
                return value
            case ("raised", str(kind), str(message), str(line), str(printed)):
                if printed:
                    print(printed, end="")
                raise _error(kind, message, line)
        raise ReplyNotUnderstood("a call gave neither a value nor an exception")

    def _ask(self, request: tuple[object, ...], seconds: float) -> object:
        deadline = time.monotonic() + seconds
        self._channel.send(request, seconds)
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                raise StudentTooSlow(f"the student's process took more than {seconds:g} s")
            reply = self._channel.receive(left)
            match reply:
                case ("callback", int(number), tuple(args)):
                    self._channel.send(self._answer(number, args), max(left, 1))
                case _:
                    return reply

    def _answer(self, number: int, args: tuple[object, ...]) -> tuple[object, ...]:
        if not 0 <= number < len(self._callbacks):
            raise ReplyNotUnderstood("the student's code asks for a function it was never given")
        # What is called here runs in the grader: its memory and time are not the student's.
        if _numbers_in(args) > self._limits.asked_numbers:
            return ("refused", "ValueError: these arrays are too large to be tried out here")
        try:
            return ("answer", self._callbacks[number](*args))
        except Exception as error:
            return ("refused", f"{type(error).__name__}: {error}")

    def _refer(self, value: object) -> Reference | None:
        if type(value) is _Sent:
            return value.reference
        if type(value) is RemoteObject:
            return value.reference
        if callable(value):
            self._callbacks.append(value)
            return Reference("callback", len(self._callbacks) - 1)
        return None

    def _resolve(self, reference: Reference) -> object:
        if reference.kind == "callback":
            raise LookupError("a function of the examiner's is not the student's to return")
        return RemoteObject(self, reference)


@dataclass(frozen=True)
class _Sent:
    """A reference to an object of the student's, on its way back there."""

    reference: Reference


def _numbers_in(value: object) -> int:
    if isinstance(value, list | tuple):
        return sum(map(_numbers_in, value))
    size: Any = getattr(value, "numel", None) or getattr(value, "size", 1)
    return int(size() if callable(size) else size)


def _write_back(args: tuple[object, ...], afterwards: tuple[object, ...]) -> None:
    """Make the caller's arguments what the student's code has left of them."""
    for mine, theirs in zip(args, afterwards, strict=False):
        if type(theirs) is Unsupported:
            continue
        if isinstance(mine, np.ndarray) and type(theirs) is np.ndarray:
            if mine.shape == theirs.shape and mine.dtype == theirs.dtype and mine.flags.writeable:
                np.copyto(mine, theirs)
        elif type(mine) is list and type(theirs) is list:
            mine[:] = theirs
        elif type(mine) is dict and type(theirs) is dict:
            mine.clear()
            mine.update(theirs)


def _error(kind: str, message: str, line: str) -> StudentError:
    """An exception of the kind the student's code raised, for `except` and for reports."""
    bases: tuple[type, ...] = (StudentError,)
    if kind in _COMMON:
        bases = (StudentError, getattr(builtins, kind))
    name = kind if kind.isidentifier() and len(kind) <= 80 else "StudentError"
    error: StudentError = type(name, bases, {})(message[:2000])
    error.own_line = line[:300]
    return error


# What a test may want to catch; each is made of a message alone.
_COMMON = frozenset(
    {
        *("ArithmeticError", "AssertionError", "AttributeError", "IndexError", "KeyError"),
        *("LookupError", "NameError", "NotImplementedError", "OverflowError", "RecursionError"),
        *("RuntimeError", "TypeError", "ValueError", "ZeroDivisionError"),
    }
)
