"""Questions to a student's process, one by one or several in one message, and their replies.

While the process works on one it may ask back: it calls a function that was lent to it.
"""

import math
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from autograder.checks.values.tensors import NO_MEMORY
from autograder.errors import ExchangeError, ReplyNotUnderstood, ReplyTooLarge, StudentGone
from autograder.student.limits import Limits
from autograder.student.rpc.channel import Channel
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.doubts import NEVER_CALLED, Doubts
from autograder.student.rpc.gradients import Graphs, tracked_if_asked
from autograder.student.rpc.lent import Lent, refusal
from autograder.student.rpc.stand_in import RemoteObject
from autograder.student.rpc.weight import weight_of

_MOST_NESTED = 10
_CODES = range(-255, 256)
# Requests that are sent in one message.
_AT_ONCE = 64
# Of functions that were lent; whoever goes back through one does so soon.
_MOST_GRAPHS = 16
_BYTES_AT_ONCE = 1 << 20

_Functions = dict[int, Callable[..., object]]


class ForkEnded(StudentGone):
    """The fork that went on has ended, and the process that waited below it is back."""

    def __init__(self, code: int) -> None:
        super().__init__("the student's process has ended")
        self.code = code


class Questions:
    """What is asked, for how long an answer is waited for, and what went wrong."""

    _channel: Channel

    def __init__(self, limits: Limits, time: Allowance) -> None:
        """Ask within these limits, and all in all within this time."""
        # What broke the session: no answer that comes later makes up for it. A fork that ended is
        # kept too, but a new question goes to the process that waited.
        self.failure: ExchangeError | None = None
        self.depth = 0
        # What the longest question has taken.
        self.longest = 0.0
        # Whether the student's code has called a function that was lent to it.
        self.has_answered = False
        self.doubts = Doubts()
        self._limits = limits
        self._times = [time]
        self._lent = Lent()
        self._lent_graphs = Graphs(_MOST_GRAPHS)

    def all_doubts(self) -> dict[str, str]:
        """What could make the test pass without a right answer, once it is over."""
        if self._lent.so_far and not self.has_answered:
            return {**self.doubts.found, **NEVER_CALLED}
        return self.doubts.found

    def _ask(
        self, request: tuple[object, ...], seconds: float = 0.0, most: float = math.inf
    ) -> tuple[object, ...]:
        with self._asking(seconds) as time:
            self._channel.send(request, time)
            return self._replied(time, most)

    def _ask_each(self, requests: Sequence[tuple[object, ...]]) -> Iterator[tuple[object, ...]]:
        """The replies to several requests in few messages, each of which has its own time.

        What a request lends is lent when the replies to those before it are there.
        """
        left = deque(requests)
        while left:
            first = self._lent.so_far
            sent: list[tuple[tuple[object, ...], _Functions]] = []
            packed: list[bytes] = []
            with self._asking() as time:
                while left and len(packed) < _AT_ONCE and sum(map(len, packed)) < _BYTES_AT_ONCE:
                    packed.append(self._channel.packed(left[0]))
                    sent.append((left.popleft(), self._lent.take_back(first)))
                self._channel.send(("several", packed), time)
            for request, functions in sent:
                self._lent.functions |= functions
                with self._asking() as time:
                    reply = self._replied(time)
                if not _may_keep(request, reply):
                    self._lent.take_back(min(functions, default=self._lent.so_far))
                yield reply

    @contextmanager
    def _asking(self, seconds: float = 0.0) -> Iterator[Allowance]:
        """For a question and the reply to it: the time that they may take."""
        if self.failure is not None and not isinstance(self.failure, ForkEnded):
            raise self.failure
        # A question within a question has no more time than the one around it.
        time = self._times[-1].part(seconds or self._limits.call_seconds)
        self._times.append(time)
        try:
            yield time
        except ExchangeError as error:
            self.failure = self.failure or error
            raise
        except Exception as error:
            # The functions that were lent don't get here: it went wrong between the two sides.
            raise self._fail(error) from error
        finally:
            self.longest = max(self.longest, self._times.pop().taken)

    def _replied(self, time: Allowance, most: float = math.inf) -> tuple[object, ...]:
        while True:
            reply = self._received(time, most)
            match reply:
                case ("callback", int(number), tuple(args), dict(kwargs)):
                    self._channel.send(self._answer(number, args, kwargs), time)
                case ("callback-backward", int(number), list(cotangents)):
                    self._channel.send(self._gradients(number, cotangents), time)
                case ("back", int(code)) if self.depth and code in _CODES:
                    self.depth -= 1
                    raise ForkEnded(code)
                case _:
                    return reply

    def _received(self, time: Allowance, most: float) -> tuple[object, ...]:
        """A reply that can be matched: an array in the place of its first word would be compared
        entry by entry.
        """
        reply = self._channel.receive(time, most)
        if type(reply) is tuple and reply and type(reply[0]) is str:
            return reply
        raise ReplyNotUnderstood("a reply that begins with no word")

    def _fail(self, error: Exception) -> ExchangeError:
        no_memory = isinstance(error, MemoryError) or NO_MEMORY in str(error)
        kind = ReplyTooLarge if no_memory else ReplyNotUnderstood
        self.failure = kind("it takes too much memory" if no_memory else repr(error)[:200])
        return self.failure

    def _not_understood(self, text: str) -> ReplyNotUnderstood:
        self.failure = ReplyNotUnderstood(text)
        return self.failure

    def _answer(
        self, number: int, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[object, ...]:
        function = self._lent.functions.get(number)
        if function is None:
            raise ReplyNotUnderstood("the student's code asks for a function that it was not lent")
        if len(self._times) > _MOST_NESTED:
            return ("refused", "RecursionError: too many questions within questions")
        # What is called here runs in the grader: its memory and time are not the student's.
        given = (*args, *kwargs.values())
        if weight_of(given) > self._limits.asked_numbers:
            return ("refused", "ValueError: these arguments are too large to be tried out here")
        self.has_answered = True
        # What the function is called with may be all that a test looks at.
        for one in given:
            self.doubts.note_hollow(self.doubts.number, one)
        try:
            with tracked_if_asked((args, kwargs)):
                value = function(*args, **kwargs)
            return ("answer", value, self._lent_graphs.keep(value, (args, kwargs)))
        except Exception as error:
            return refusal(error, function, args, kwargs)

    def _gradients(self, number: int, cotangents: list[object]) -> tuple[object, ...]:
        """What comes back through a function that was lent: nothing but what a caller here gets."""
        try:
            return ("answer", self._lent_graphs.gradients(number, cotangents), None)  # type: ignore[arg-type]
        except Exception:
            return ("refused", "RuntimeError: no gradient comes back through this function here")


def _may_keep(request: tuple[object, ...], reply: tuple[object, ...]) -> bool:
    """Whether what was lent for a request may be called when its reply is there."""
    return request[0] != "call" or (len(reply) > 1 and type(reply[1]) is RemoteObject)
