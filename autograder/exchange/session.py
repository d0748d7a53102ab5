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

from autograder.errors import ExchangeError, ReplyNotUnderstood, ReplyTooLarge, StudentGone
from autograder.exchange.changes import Changes
from autograder.exchange.channel import Channel
from autograder.exchange.deadline import Allowance
from autograder.exchange.described import description_of
from autograder.exchange.gradients import connect, parameters_in
from autograder.exchange.operators import INSTEAD, MOST_VALUES
from autograder.exchange.stand_in import (
    OF_MODULES,
    VERDICTS,
    Description,
    NotPlain,
    RemoteObject,
    Unsent,
    error_of,
    reference_of,
)
from autograder.exchange.weight import is_hollow, weight_of
from autograder.limits import Limits
from autograder.values.as_bytes import Reference, Unsupported, dtype_of_number, number_of_dtype
from autograder.values.tensors import is_generator

_MOST_NESTED = 10
# What a cell displays is bounded where it arises, in characters. Each takes up to four bytes, and
# each output has some of its own; what is many times longer is no honest reply.
_BYTES_OF_OUTPUT = 16
_FRAME = 1 << 16
_CODES = range(-255, 256)


class Line(Protocol):
    """A student's process as far as it is spoken with."""

    @property
    def sock(self) -> socket.socket:
        """The socket at whose other end it listens."""

    @property
    def process(self) -> int | None:
        """The id of the first of its processes, if that is known."""


Peer = TypeVar("Peer", bound=Line)


class ForkEnded(StudentGone):
    """The fork that went on has ended, and the process that waited below it is back."""

    def __init__(self, code: int) -> None:
        super().__init__("the student's process has ended")
        self.code = code


class Session(Generic[Peer]):
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
        self.student = student
        # What broke the session: no answer that comes later makes up for it. A fork that ended is
        # kept too, but a new question goes to the process that waited.
        self.failure: ExchangeError | None = None
        # The first thing that was asked of the student's objects and is not answered: a test that
        # has caught this goes on with what is not so.
        self.refused: NotPlain | None = None
        self.depth = 0
        # What the longest question has taken.
        self.longest = 0.0
        # Whether the student's code has called a function that was lent to it.
        self.has_answered = False
        # Whether something that came back was empty or nan: a test may have compared nothing.
        self.gave_nothing = False
        self._limits = limits
        self._times = [time]
        time.follow(student.process)
        self._changes = changes or Changes()
        self._attributes = attributes
        self._lent: dict[int, Callable[..., object]] = {}
        self._lent_so_far = 0
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
        """Run a cell; its outputs, of which nothing is known but that they are plain values.

        Raises:
            StudentGone, StudentTooSlow, ReplyNotUnderstood: when that is what came of it.
        """
        most = _BYTES_OF_OUTPUT * self._limits.output_bytes + _FRAME
        match self._ask(("run", source), self._limits.cell_seconds, most):
            case ("ran", list(outputs)):
                return outputs
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
        self._lent.clear()
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
                return RemoteObject(self, reference_of(found) or Reference("object", 0), name)
            case ("found", value, tuple(gradients)):
                self.gave_nothing |= is_hollow(value)
                return _with_gradients(value, gradients)
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
        lent = self._lent_so_far
        value = None
        try:
            reply = self._ask(("call", _Sent(target), args, kwargs))
            value = self._returned(reply, args, kwargs)
            return value
        finally:
            if type(value) is not RemoteObject:
                self._lent = {n: function for n, function in self._lent.items() if n < lent}

    def drive(self, driver: str, target: Reference, args: tuple[object, ...]) -> tuple[object, ...]:
        """What a driver that works in the student's process makes of something of theirs.

        Nothing, where that process has no driver of this name.
        """
        request = ("drive", driver, _Sent(target), args)
        reply = self._ask(request)
        return () if reply == ("missing",) else (self._returned(reply, args, {}),)

    def get(self, target: Reference, name: str) -> object:
        """An attribute of something of the student's.

        Raises:
            NotPlain: for one that the instructor's solution does not have. The student's object
                would answer for itself: its `equals` says what it likes.
        """
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

    def _stream(self, reference: Reference) -> Iterator[object]:
        """What an iterator of the student's gives, one after the other."""
        for _ in range(MOST_VALUES):
            request = ("operate", "next", (_Sent(reference),))
            match self._returned(self._ask(request), (), {}):
                case (value,):
                    yield value
                case _:
                    return
        self.refuse(f"an iterator gave more than {MOST_VALUES:,} values")

    def _backward(self, graph: int, cotangents: Sequence[object]) -> Sequence[object]:
        value = self._returned(self._ask(("backward", graph, tuple(cotangents))), (), {})
        if type(value) is not list:
            raise self._not_understood("a backward pass gave no gradients")
        return value

    def _returned(
        self, reply: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        match reply:
            case ("returned", value, tuple(after), str(printed), graph, tuple(gradients)):
                self._changes.write((*args, *kwargs.values()), after)
                print(printed[: self._limits.output_bytes], end="")
                self.gave_nothing |= is_hollow(value)
                value = _with_gradients(value, gradients)
                if type(graph) is int:
                    return connect(value, (args, kwargs), lambda c: self._backward(graph, c))
                return value
            case ("raised", str(kind), str(message), str(line), str(printed)):
                print(printed[: self._limits.output_bytes], end="")
                raise error_of(kind, message, line)
        raise self._not_understood("a call gave neither a value nor an exception")

    def _ask(
        self, request: tuple[object, ...], seconds: float = 0.0, most: float = math.inf
    ) -> tuple[object, ...]:
        if self.failure is not None and not isinstance(self.failure, ForkEnded):
            raise self.failure
        # A question within a question has no more time than the one around it.
        time = self._times[-1].part(seconds or self._limits.call_seconds)
        self._times.append(time)
        try:
            self._channel.send(request, time)
            while True:
                reply = self._received(time, most)
                match reply:
                    case ("callback", int(number), tuple(args)):
                        self._channel.send(self._answer(number, args), time)
                    case ("back", int(code)) if self.depth and code in _CODES:
                        self.depth -= 1
                        raise ForkEnded(code)
                    case _:
                        return reply
        except ExchangeError as error:
            self.failure = self.failure or error
            raise
        except Exception as error:
            # The functions that were lent don't get here: it went wrong between the two sides.
            raise self._fail(error) from error
        finally:
            self.longest = max(self.longest, self._times.pop().taken)

    def _received(self, time: Allowance, most: float) -> tuple[object, ...]:
        """A reply that can be matched: an array in the place of its first word would be compared
        entry by entry.
        """
        reply = self._channel.receive(time, most)
        if type(reply) is tuple and reply and type(reply[0]) is str:
            return reply
        raise ReplyNotUnderstood("a reply that begins with no word")

    def _fail(self, error: Exception) -> ExchangeError:
        no_memory = isinstance(error, MemoryError) or "can't allocate memory" in str(error)
        kind = ReplyTooLarge if no_memory else ReplyNotUnderstood
        self.failure = kind("it takes too much memory" if no_memory else repr(error)[:200])
        return self.failure

    def _not_understood(self, text: str) -> ReplyNotUnderstood:
        self.failure = ReplyNotUnderstood(text)
        return self.failure

    def _answer(self, number: int, args: tuple[object, ...]) -> tuple[object, ...]:
        if number not in self._lent:
            raise ReplyNotUnderstood("the student's code asks for a function that it was not lent")
        if len(self._times) > _MOST_NESTED:
            return ("refused", "RecursionError: too many questions within questions")
        # What is called here runs in the grader: its memory and time are not the student's.
        if weight_of(args) > self._limits.asked_numbers:
            return ("refused", "ValueError: these arguments are too large to be tried out here")
        self.has_answered = True
        try:
            return ("answer", self._lent[number](*args))
        except Exception as error:
            return ("refused", f"{type(error).__name__}: {error}"[:2000])

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
            self._lent[self._lent_so_far] = value
            self._lent_so_far += 1
            return Reference("callback", self._lent_so_far - 1)
        return None

    def _resolve(self, reference: Reference) -> object:
        if reference.kind == "dtype":
            return dtype_of_number(reference.number)
        if reference.kind == "iterator":
            return self._stream(reference)
        if reference.kind not in ("function", "class", "module", "object"):
            raise LookupError("what is the examiner's is not the student's to return")
        return RemoteObject(self, reference)


class _Sent:
    """A reference to an object of the student's, on its way back there."""

    def __init__(self, reference: Reference) -> None:
        self.reference = reference


def _with_gradients(value: object, gradients: tuple[object, ...]) -> object:
    """Give parameters the gradients that they have over there."""
    for parameter, gradient in zip(parameters_in(value), gradients, strict=False):
        if type(gradient) is type(parameter.data) and gradient.shape == parameter.shape:
            parameter.grad = gradient.detach().to(parameter.dtype)
    return value
