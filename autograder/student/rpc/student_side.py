"""The untrusted side: runs a student's cells and answers the examiner's calls.

This runs in the sandbox, beside the student's code, which can change all of it. So nothing here
decides anything: what it sends is a claim, and the examiner believes values alone.

A request is a tuple, its first entry what to do; so is each reply:

    run source               → ran outputs
    remember                 → remembered number, by a fork that has this number for itself; this
                               process waits for its end, and tells:
                               back exit-code
    seed kind number         → returned … | missing
    leave                    → nothing: this process ends
    find name                → found value gradients | missing
    call target driver args kwargs tracked
                             → returned value args-afterwards printed graph gradients
                             | raised kind family message line printed
                             | missing: a driver is named, which is to call the target, and isn't
    make name args           → returned … | raised …: what a function of the course's makes
    operate operator args    → returned … | raised …
    describe target          → returned … | raised …
    get target name          → returned … | raised …
    several requests         → the replies to them, each when it is there
    backward graph cotangents → returned gradients-of-arguments … | raised …
    watch names              → watched: from now on, in one call of five, whether code of the
                               student's calls these
    seen                     → saw name, or "", and watches no more
    examine by-exam          → examined: what comes back is sent as an exam compares it, or not

`tracked` is whether the call is one through which gradients go back, as it is for the examiner;
`graph` is the number by which the result can be sent backward, or None; `gradients` are those that
the parameters in a value have; `args-afterwards` are those by position and then those by name.

While it works on a call it may ask back, `callback number args kwargs`, and is told `answer value
graph` or `refused message`; for the gradients of args, `callback-backward graph cotangents`.
"""

import builtins
import inspect
import os
import random
import select
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from types import ModuleType
from typing import Any

from autograder.checks.exam.watching import Watching
from autograder.checks.values.as_json import find
from autograder.checks.values.outcome import describe_error
from autograder.checks.values.tensors import seeded
from autograder.errors import ExchangeError, ReplyNotUnderstood, StudentGone, ValueTooLarge
from autograder.preload import load
from autograder.student.limits import Limits
from autograder.student.rpc.changes import imprint, left_of
from autograder.student.rpc.channel import Channel
from autograder.student.rpc.codec.grammar import (
    Reference,
    dtype_of_number,
    number_of_dtype,
)
from autograder.student.rpc.codec.sent_as import ITERATORS, sent_as, stays
from autograder.student.rpc.deadline import Deadline
from autograder.student.rpc.described import describe
from autograder.student.rpc.gradients import Graphs, as_there, connect, parameters_in
from autograder.student.rpc.operators import OPERATORS
from autograder.student.rpc.shell import Shell, the_shell

_CALLBACK = "callback"
_SENT_ALONE = (type(None), bool, int, float, str)
# What a class could answer otherwise than by what its modules have.
_LISTS = frozenset(
    {
        *("parameters", "named_parameters", "buffers", "named_buffers"),
        *("modules", "named_modules", "children", "named_children"),
    }
)
_WHENEVER = Deadline(None)
_WATCHED_ONE_IN = 5  # no multiple of two, by which cases in two dtypes come
# They are not imported anew in each process.
for _package in ("IPython", "autograder"):
    load(_package)
_MODULE = os.path.join("torch", "nn", "modules", "module.py")


def serve(sock: socket.socket, limits: Limits) -> None:
    """Answer requests until the examiner hangs up."""
    StudentSide(sock, limits).serve()


class StudentSide:
    """One student's namespace and the objects in it that the examiner holds on to."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._objects: list[object] = []
        self._made: list[object] = []  # for a driver, beside the answer
        self._graphs = Graphs()
        self._channel = Channel(sock, limits, refer=self._refer, resolve=self._resolve)
        self._shell: Shell = the_shell(limits.output_bytes)
        # As in Jupyter, modules beside the notebook can be imported; last, so that a file that is
        # called like a library does not take its place.
        sys.path.append("")
        self._watching = Watching()
        self._is_examined = False
        self._goodbye: int | None = None  # where to tell the process that waits for this one's end

    def serve(self) -> None:
        """Answer requests until the examiner hangs up."""
        while True:
            try:
                request = self._channel.receive(_WHENEVER)
            except StudentGone:
                return
            for one in self._each(request):
                self._reply(self._answer(one))

    def _each(self, request: object) -> Iterator[object]:
        """The requests in one message; nothing of one is there before it is its turn."""
        match request:
            case ("several", list(packed)):
                yield from map(self._channel.unpacked, packed)
            case _:
                yield request

    def _answer(self, request: object) -> tuple[object, ...]:
        match request:
            case ("run", str(source)):
                return ("ran", self._shell.run(source))
            case ("remember",):
                return self._remember()
            case ("leave",):
                if self._goodbye is not None:
                    os.write(self._goodbye, b".")
                os._exit(0)
            case ("seed", str(kind), int(number)):
                return self._seed(kind, number)
            case ("find", str(name)):
                return self._find(name)
            case ("call", target, str(driver), tuple(args), dict(kwargs), bool(tracked)):
                with as_there(tracked):
                    return self._called(target, driver, args, kwargs)
            case ("make", str(name), tuple(args)):
                return self._make(name, args)
            case ("get", target, str(name)):
                return self._call(_part_of, (target, name), {}, back=())
            case ("operate", str(operator), tuple(args)):
                return self._call(_OPERATIONS[operator], args, {}, back=())
            case ("describe", target):
                return self._call(describe, (target,), {}, back=())
            case ("backward", int(number), tuple(cotangents)):
                return self._call(self._graphs.backward, (number, cotangents), {}, back=())
            case ("watch", tuple(words)):
                names = [word for word in words if type(word) is str]
                self._watching = Watching(names, _WATCHED_ONE_IN)
                return ("watched",)
            case ("seen",):
                seen, self._watching = self._watching.seen, Watching()
                return ("saw", seen)
            case ("examine", by_exam):
                self._is_examined = bool(by_exam)
                return ("examined",)
        raise ReplyNotUnderstood(f"an unknown request: {request!r:.80}")

    def _remember(self) -> tuple[object, ...]:
        """Stay behind, as this process is now, until the fork that goes on has ended."""
        numbers = random.getstate()
        waiting, goodbye = os.pipe()
        fork = os.fork()
        if not fork:
            # Python seeds its random numbers anew in a fork, from nobody knows where.
            random.setstate(numbers)
            if self._goodbye is not None:
                os.close(self._goodbye)
            os.close(waiting)
            self._goodbye = goodbye
            return ("remembered", os.getpid())
        os.close(goodbye)
        try:
            return ("back", 0 if _leaves(fork, waiting) else _exit_code(fork))
        finally:
            os.close(waiting)

    def _seed(self, kind: str, number: int) -> tuple[object, ...]:
        modules = {"random": "random", "numpy": "numpy.random", "torch": "torch.random"}
        begins: Any = sys.modules.get(modules.get(kind, ""))
        # torch.manual_seed seeds graphics cards as well, and takes a hundred times as long.
        begins = getattr(begins, "default_generator", begins)
        begin = getattr(begins, "manual_seed" if kind == "torch" else "seed", None)
        return self._call(begin, (number,), {}, back=()) if begin else ("missing",)

    def _find(self, name: str) -> tuple[object, ...]:
        if name not in self._shell.user_ns:
            return ("missing",)
        value = self._by_value_or_reference(self._shell.user_ns[name])
        return ("found", value, _gradients(value))

    def _called(
        self, target: object, driver: str, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> tuple[object, ...]:
        if not callable(target):
            raise ReplyNotUnderstood(f"a call of what can't be called: {target!r:.80}")
        if driver:
            return self._drive(driver, target, args)
        # What a driver has made here is the course's own, and calls the course's own code.
        return self._call(
            target, args, kwargs, watching=nullcontext() if self._is_made(target) else None
        )

    def _call(
        self,
        target: Callable[..., object],
        args: tuple[object, ...],
        kwargs: dict[str, object],
        back: tuple[object, ...] | None = None,
        whose: Callable[..., object] | None = None,
        watching: AbstractContextManager[None] | None = None,
    ) -> tuple[object, ...]:
        given = (*args, *kwargs.values())
        before = [*map(imprint, given)] if back is None else []
        try:
            with self._shell.hushed() as printed, watching or self._watching.during_a_call():
                value = target(*args, **kwargs)
        except (Exception, SystemExit, ExchangeError) as error:
            raised = describe_error(error, whose or target)
            told = raised.message, raised.line, printed.getvalue()
            return ("raised", raised.kind, _family_of(error), *told)
        afterwards = tuple(map(left_of, given, before)) if back is None else back
        value = self._by_value_or_reference(value)
        graph = self._graphs.keep(value, (args, kwargs)) if back is None else None
        return ("returned", value, afterwards, printed.getvalue(), graph, _gradients(value))

    def _drive(
        self, name: str, target: Callable[..., object], args: tuple[object, ...]
    ) -> tuple[object, ...]:
        try:
            driver = find(name)
        except (ImportError, ValueError):
            return ("missing",)

        before = [*map(imprint, args)]

        def driven(*given: object) -> object:
            with seeded():
                return driver(target, *given)

        match self._call(driven, args, {}, back=(), whose=target):
            case ("returned", value, _, *rest):
                return ("returned", value, tuple(map(left_of, args, before)), *rest)
            case reply:
                return reply

    def _make(self, name: str, args: tuple[object, ...]) -> tuple[object, ...]:
        """What a function makes; it stays here, unless it is a mere number or text, or nothing."""

        def made() -> object:
            value = find(name)(*args)
            if type(value) in _SENT_ALONE:
                return value
            self._made.append(value)
            return _Kept(value)

        return self._call(made, (), {}, back=())

    def _is_made(self, target: Callable[..., object]) -> bool:
        of = getattr(target, "__self__", target)
        return any(of is one for one in self._made)

    def _reply(self, reply: tuple[object, ...]) -> None:
        try:
            self._channel.send(reply)
        except ValueTooLarge as error:
            self._channel.send(("raised", "ValueTooLarge", "", str(error), "", ""))

    def _by_value_or_reference(self, value: object) -> object:
        """What is sent by value, or a reference to what can be called or looked into."""
        if type(value) is _Kept:
            return self._keep(value.value)
        if inspect.isgenerator(value) and value.gi_code.co_filename.endswith(_MODULE):
            # What torch's own modules list: parameters, buffers, submodules, with their names.
            return list(value)
        value = sent_as(value, examined=self._is_examined)
        return self._keep(value) if stays(value) else value

    def _keep(self, value: object) -> Reference:
        self._objects.append(value)
        if type(value) in ITERATORS:
            return Reference("iterator", len(self._objects) - 1)
        kind = "module" if type(value) is ModuleType else "object"
        return Reference("function" if callable(value) else kind, len(self._objects) - 1)

    def _refer(self, value: object) -> Reference | None:
        if (number := number_of_dtype(value)) is not None:
            return Reference("dtype", number)
        return self._keep(value) if stays(value) else None

    def _resolve(self, reference: Reference) -> object:
        if reference.kind == _CALLBACK:
            return lambda *args, **kwargs: self._ask_back(reference.number, args, kwargs)
        if reference.kind == "dtype":
            return dtype_of_number(reference.number)
        if reference.kind == "generator":
            import torch

            return torch.Generator().manual_seed(reference.number)
        return self._objects[reference.number]

    def _ask_back(self, number: int, args: tuple[object, ...], kwargs: dict[str, object]) -> object:
        value, graph = self._told((_CALLBACK, number, args, kwargs))
        if type(graph) is not int:
            return value

        def backward(cotangents: Sequence[object]) -> Any:
            return self._told((f"{_CALLBACK}-backward", graph, list(cotangents)))[0]

        return connect(value, (args, kwargs), backward)

    def _told(self, question: tuple[object, ...]) -> tuple[object, object]:
        """What the examiner says to a question; its gradients can be asked for by a number."""
        self._channel.send(question)
        while True:
            match self._channel.receive(_WHENEVER):
                case ("answer", value, graph):
                    return value, graph
                case ("refused", str(message)):
                    raise _as_there(message)
                case request:
                    # To answer, the examiner may have to call something of the student's.
                    for one in self._each(request):
                        self._reply(self._answer(one))


class _Kept:
    """Says of a value that it stays, whatever it is."""

    def __init__(self, value: object) -> None:
        self.value = value


def _as_there(message: str) -> Exception:
    """The exception of a lent function, of the same kind if that is one of Python's own."""
    kind, _, text = message.partition(": ")
    own = getattr(builtins, kind, None)
    if isinstance(own, type) and issubclass(own, Exception):
        with suppress(TypeError):  # such as of a UnicodeDecodeError, which is made of more
            return own(text)
    return RuntimeError(message)


def _part_of(target: object, name: str) -> object:
    """An attribute; what a module lists of itself is listed as torch does it for every module."""
    torch = sys.modules.get("torch") if name in _LISTS else None
    if torch is not None and isinstance(target, torch.nn.Module):
        return getattr(torch.nn.Module, name).__get__(target)
    return getattr(target, name)


def _next(iterator: Any) -> tuple[object, ...]:
    """The next value, or nothing at the end."""
    for value in iterator:
        return (value,)
    return ()


_OPERATIONS: dict[str, Callable[..., object]] = {
    **OPERATORS,
    "next": _next,
    "isinstance": isinstance,
    "__setattr__": setattr,
}


def _leaves(fork: int, waiting: int) -> bool:
    """Whether a fork says, once it is about to end, that it ends as it was asked to.

    To take down its memory takes the kernel longer than most tests take, and goes on meanwhile.
    """
    if sys.platform != "linux":
        return False
    end = os.pidfd_open(fork)
    either = select.poll()
    either.register(end, select.POLLIN)
    either.register(waiting, select.POLLIN)
    ready = [descriptor for descriptor, event in either.poll() if event & select.POLLIN]
    os.close(end)
    return waiting in ready


def _exit_code(fork: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1])


def _family_of(error: BaseException) -> str:
    """The first class of Python's own that an exception's is, or comes from."""
    return next(one.__name__ for one in type(error).__mro__ if one.__module__ == "builtins")


def _gradients(value: object) -> tuple[object, ...]:
    return tuple(parameter.grad for parameter in parameters_in(value))
