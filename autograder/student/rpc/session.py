"""The trusted side of one student process: requests, their replies, and how long they may take.

The process is asked to run cells, and before each test to stop and remember where it is: it forks,
the copy goes on, the original waits. When all cells were run, the tests are examined, the last one
first, each where its original waits. So nothing that a test gives to the student's code can show
up in the output of a cell, nor in the memory of the process in which another test is examined.
"""

import math
import socket
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from typing import Generic, Never, Protocol, TypeVar

from autograder.checks.values.tensors import is_generator
from autograder.student.limits import Limits
from autograder.student.rpc.changes import Changes
from autograder.student.rpc.channel import Channel
from autograder.student.rpc.codec.grammar import (
    Reference,
    Unsupported,
    dtype_of_number,
    number_of_dtype,
)
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.described import description_of
from autograder.student.rpc.doubts import entries_in
from autograder.student.rpc.gradients import are_tracked, connect, with_gradients
from autograder.student.rpc.operators import INSTEAD, MOST_VALUES
from autograder.student.rpc.questions import ForkEnded, Questions
from autograder.student.rpc.stand_in import (
    OF_MODULES,
    VERDICTS,
    Description,
    NotPlain,
    RemoteObject,
    Unsent,
    error_of,
    reference_of,
)

# What a cell displays is bounded where it arises, in characters. Each takes up to four bytes, and
# each output has some of its own; what is many times longer is no honest reply.
_BYTES_OF_OUTPUT = 16
_FRAME = 1 << 16


class Line(Protocol):
    """A student's process as far as it is spoken with."""

    @property
    def sock(self) -> socket.socket:
        """The socket at whose other end it listens."""

    @property
    def process(self) -> int | None:
        """The id of the first of its processes, if that is known."""


Peer = TypeVar("Peer", bound=Line)
# A driver's name, or "" for a call, and the arguments.
Call = tuple[str, tuple[object, ...]]


class Session(Questions, Generic[Peer]):
    """A student process and what is known of it."""

    def __init__(
        self,
        student: Peer,
        limits: Limits,
        time: Allowance,
        changes: Changes | None = None,
        attributes: Collection[str] | None = None,
        *,
        most: float = math.inf,
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        """Speak with a process.

        Args:
            student: the process.
            limits: how long a cell and a call may take, among others.
            time: what the whole submission may take.
            changes: where to note what the student's code writes to arguments.
            attributes: what may be asked of the student's objects; without it, what is no verdict.
            most: how many bytes it may send in all.
            waiting: what is entered while it is waited for.
        """
        super().__init__(limits, time)
        self.student = student
        # The first thing that was asked of the student's objects and is not answered: a test that
        # has caught this goes on with what is not so.
        self.refused: NotPlain | None = None
        self._names: dict[Reference, str] = {}
        time.follow(student.process)
        self._changes = changes or Changes()
        self._attributes = attributes
        self._made: set[int] = set()
        self._channel = Channel(
            student.sock,
            limits,
            refer=self._refer,
            resolve=self._resolve,
            # Where no test looks at values, a name says all that is known of what was not sent.
            unsupported=Unsupported if attributes is None else partial(Unsent, self),
            most=most,
            waiting=waiting,
        )

    def hold_to(self, limits: Limits) -> None:
        """Have a cell and a call take no longer than this, from now on."""
        self._limits = limits

    def run(self, source: str) -> list[object]:
        """Run a cell; its outputs, of which nothing is known but that JSON could hold them.

        Raises:
            StudentGone, StudentTooSlow, ReplyNotUnderstood: when that is what came of it.
        """
        most = _BYTES_OF_OUTPUT * self._limits.output_bytes + _FRAME
        match self._ask(("run", source), self._limits.cell_seconds, most):
            case ("ran", list(outputs)):
                return [_as_json_has_it(output) for output in outputs]
        raise self._not_understood("running a cell gave no outputs")

    def remember(self) -> int:
        """Have the process wait where it is, and a fork of it go on, which tells its number."""
        match self._ask(("remember",)):
            case ("remembered", int(number)):
                self.depth += 1
                return number
        raise self._not_understood("the process did not go on")

    def go_back(self) -> None:
        """End the fork that went on: who speaks now is the process that waited."""
        self._lent.take_back(0)
        try:
            self._ask(("leave",))
        except ForkEnded:
            self.failure = None
            return
        raise self._not_understood("the process did not go back")

    def find(self, name: str) -> object:
        """What the student's code has under a name: a value, or a stand-in.

        Raises:
            NameError: when it has nothing.
        """
        match self._ask(("find", name)):
            case ("found", RemoteObject() as found, _):
                self.doubts.count()
                reference = reference_of(found) or Reference("object", 0)
                self._names[reference] = name
                return RemoteObject(self, reference, name)
            case ("found", value, tuple(gradients)):
                self.doubts.count(value)
                return with_gradients(value, gradients)
            case ("missing",):
                raise NameError(f"name '{name}' is not defined", name=name)
        raise self._not_understood("looking up a name gave no answer")

    def seed(self, kind: str, number: int) -> None:
        """Begin a module's random numbers anew, as the test does with its own."""
        self._ask(("seed", kind, number))

    def call(
        self, target: Reference, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        """Call something of the student's. Functions that were lent to it end with the call,
        unless what came back is an object that may have kept them.
        """
        lent = self._lent.so_far
        value = None
        try:
            reply = self._ask(_request(target, args, kwargs))
            value = self._returned(reply, args, kwargs, self._names.get(target, ""))
            if target.number in self._made:
                self._note_made(value)
            return value
        finally:
            if type(value) is not RemoteObject:
                self._lent.take_back(lent)

    def make(self, name: str, args: tuple[object, ...]) -> object:
        """What a function makes in the student's process that can be imported under this name.

        Of such an object a driver may ask what it likes: it is of the course's making, in a process
        that may have changed the course.
        """
        made = self._returned(self._ask(("make", name, args)), args, {})
        self._note_made(made)
        return made

    def _note_made(self, value: object) -> None:
        entries = value if type(value) in (list, tuple) else (value,)
        references = (reference_of(one) for one in entries)  # type: ignore[attr-defined]
        self._made |= {one.number for one in references if one}

    def each(self, target: Reference, calls: Sequence[Call]) -> list[Callable[[], object]]:
        """What several calls and drives give of which none depends on another; in few messages.

        Each returns, or raises, what came of its call; a drive returns as `drive` does.
        """
        replies = self._ask_each([_request(target, args, {}, driver) for driver, args in calls])
        return [
            partial(self._driven, reply, args)
            if driver
            else partial(self._returned, reply, args, {})
            for (driver, args), reply in zip(calls, replies, strict=True)
        ]

    def _driven(self, reply: tuple[object, ...], args: tuple[object, ...]) -> tuple[object, ...]:
        return () if reply == ("missing",) else (self._returned(reply, args, {}),)

    def get(self, target: Reference, name: str) -> object:
        """An attribute of something of the student's.

        Raises:
            NotPlain: for one that the instructor's solution does not have. The student's object
                would answer for itself: its `equals` says what it likes.
        """
        if target.number in self._made:
            found = self._returned(self._ask(("get", _Sent(target), name)), (), {})
            self._note_made(found)
            return found
        known = self._attributes
        if (name in VERDICTS and name not in (known or ())) or (
            known is not None and name not in known and name not in OF_MODULES
        ):
            self.refuse(
                f"the test asks for `{name}` of an object that stays in the student's process, "
                "which no class of the instructor's solution has: have the answer give a number, "
                "text, list or array back, and compare that here"
            )
        return self._returned(self._ask(("get", _Sent(target), name)), (), {})

    def begin_test(self, *, by_exam: bool) -> None:
        """Say who compares: an exam has a kind of list, such as a named tuple, come as the list.

        In a plain test it stays where it is, and may be asked for what has a name in it.
        """
        if self._ask(("examine", by_exam)) != ("examined",):
            raise self._not_understood("the process does not say that it is examined")

    @contextmanager
    def watching(self, words: Sequence[str]) -> Iterator[Callable[[], str]]:
        """Have the process watch for calls of these names; afterwards, which of them it saw."""
        match self._ask(("watch", tuple(words))):
            case ("watched",):
                yield lambda: self._seen(words)
                return
        raise self._not_understood("the process does not watch")

    def _seen(self, words: Sequence[str]) -> str:
        match self._ask(("seen",)):
            case ("saw", str(word)):
                return word if word in words else ""
        raise self._not_understood("the process does not tell what it saw")

    def operate(self, target: Reference, operator: str, args: tuple[object, ...]) -> object:
        """What an operator makes of something of the student's.

        Raises:
            NotPlain: for one that no class of the instructor's solution has.
        """
        known = self._attributes or ()
        wanted = args[0] if operator == "__setattr__" and args else operator
        if wanted not in known and not any(one in known for one in INSTEAD.get(operator, ())):
            raise NotPlain(f"{operator} of an object in the student's process is not asked for")
        request = ("operate", operator, (_Sent(target), *args))
        return self._returned(self._ask(request), (), {})

    def refuse(self, reason: str) -> Never:
        """Raise NotPlain, and keep in mind that it was: a test may catch anything."""
        error = NotPlain(reason)
        self.refused = self.refused or error
        raise error

    def is_instance(self, value: object, target: Reference) -> bool:
        """Whether a value is of a class of the student's, as their process says."""
        request = ("operate", "isinstance", (value, _Sent(target)))
        return self._returned(self._ask(request), (), {}) is True

    def described(self, target: Reference) -> Description:
        """What a function of the student's says of itself."""
        return description_of(self._returned(self._ask(("describe", _Sent(target))), (), {}))

    def _stream(self, reference: Reference, number: int) -> Iterator[object]:
        """What an iterator of the student's gives, one after the other.

        It counts as what a list would be, one reply: where the solution gives that, nothing is
        out of step.
        """
        entries = 0
        for given in range(MOST_VALUES):
            request = ("operate", "next", (_Sent(reference),))
            match self._returned(self._ask(request), (), {}, counts=False):
                case (value,):
                    self.doubts.note_hollow(number, value)
                    entries += max(1, entries_in(value))
                    yield value
                case _:
                    self.doubts.note_size(number, entries)
                    if not given:
                        self.doubts.note_hollow(number, ())
                    return
        self.refuse(f"an iterator gave more than {MOST_VALUES:,} values")

    def _backward(self, graph: int, cotangents: Sequence[object]) -> Sequence[object]:
        value = self._returned(self._ask(("backward", graph, tuple(cotangents))), (), {})
        if type(value) is not list:
            raise self._not_understood("a backward pass gave no gradients")
        return value

    def _returned(
        self,
        reply: object,
        args: tuple[object, ...],
        kwargs: dict[str, object],
        name: str = "",
        *,
        counts: bool = True,
    ) -> object:
        match reply:
            case ("returned", value, tuple(after), str(printed), graph, tuple(gradients)):
                given = (*args, *kwargs.values())
                written = self._changes.write(given, after)
                print(printed[: self._limits.output_bytes], end="")
                if counts:
                    self.doubts.note_written(self.doubts.count(value), name, given, written)
                value = with_gradients(value, gradients)
                if type(graph) is int:
                    return connect(value, (args, kwargs), lambda c: self._backward(graph, c))
                return value
            case ("raised", str(kind), str(family), str(message), str(line), str(printed)):
                self.doubts.count()
                print(printed[: self._limits.output_bytes], end="")
                raise error_of(kind, family, message, line)
        raise self._not_understood("a call gave neither a value nor an exception")

    def _refer(self, value: object) -> Reference | None:
        if type(value) is _Sent:
            return value.reference
        if reference := reference_of(value):
            return reference
        if is_generator(value):
            # A generator crosses as what it was seeded with, and begins there anew.
            return Reference("generator", value.initial_seed() % 2**64)
        if (number := number_of_dtype(value)) is not None:
            return Reference("dtype", number)
        if callable(value):
            return self._lent.lend(value)
        return None

    def _resolve(self, reference: Reference) -> object:
        if reference.kind == "dtype":
            return dtype_of_number(reference.number)
        if reference.kind == "iterator":
            return self._stream(reference, self.doubts.number)
        if reference.kind not in ("function", "class", "module", "object"):
            raise LookupError("what is the examiner's is not the student's to return")
        return RemoteObject(self, reference)


def _as_json_has_it(value: object) -> object:
    """What a notebook can hold of an output: whoever compares it is answered by no stand-in, and by
    no array.
    """
    if type(value) is dict:
        return {name: _as_json_has_it(one) for name, one in value.items() if type(name) is str}
    if type(value) in (list, tuple):
        return [_as_json_has_it(one) for one in value]  # type: ignore[attr-defined]
    return value if type(value) in (str, int, float, bool) else None


def _request(
    target: Reference, args: tuple[object, ...], kwargs: dict[str, object], driver: str = ""
) -> tuple[object, ...]:
    return ("call", _Sent(target), driver, args, kwargs, are_tracked())


class _Sent:
    """A reference to an object of the student's, on its way back there."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference
