"""The untrusted side: runs a student's cells and answers the examiner's calls.

This runs in the sandbox, beside the student's code, which can change all of it. So nothing here
decides anything: what it sends is a claim, and the examiner believes values alone.

A request is a tuple, its first entry what to do; so is each reply:

    run source            → ran outputs
    find name             → found value | missing
    call target args kw   → returned value args-afterwards | raised kind message line
    get target name       → returned value () | raised …

While it works on a call it may ask back, `callback number args`, and is told `answer value` or
`refused message`.
"""

import socket
from collections import OrderedDict
from collections.abc import Callable
from types import ModuleType

from autograder.channel import Channel
from autograder.codec import Reference, Unsupported
from autograder.errors import ReplyNotUnderstood, StudentGone, ValueTooLarge
from autograder.limits import Limits
from autograder.outcome import describe_error
from autograder.shell import Shell, the_shell

_CALLBACK = "callback"


def serve(sock: socket.socket, limits: Limits) -> None:
    """Answer requests until the examiner hangs up."""
    StudentSide(sock, limits).serve()


class StudentSide:
    """One student's namespace and the objects in it that the examiner holds on to."""

    def __init__(self, sock: socket.socket, limits: Limits) -> None:
        self._objects: list[object] = []
        self._channel = Channel(sock, limits, refer=self._refer, resolve=self._resolve)
        self._shell: Shell = the_shell(limits.output_bytes)

    def serve(self) -> None:
        """Answer requests until the examiner hangs up."""
        while True:
            try:
                request = self._channel.receive(None)
            except StudentGone:
                return
            self._reply(self._answer(request))

    def _answer(self, request: object) -> tuple[object, ...]:
        match request:
            case ("run", str(source)):
                return ("ran", self._shell.run(source))
            case ("find", str(name)):
                return self._find(name)
            case ("call", target, tuple(args), dict(kwargs)) if callable(target):
                return self._call(target, args, kwargs)
            case ("get", target, str(name)):
                return self._call(getattr, (target, name), {}, back=())
        raise ReplyNotUnderstood(f"an unknown request: {request!r:.80}")

    def _find(self, name: str) -> tuple[object, ...]:
        if name not in self._shell.user_ns:
            return ("missing",)
        return ("found", self._by_value_or_reference(self._shell.user_ns[name]))

    def _call(
        self,
        target: Callable[..., object],
        args: tuple[object, ...],
        kwargs: dict[str, object],
        back: tuple[object, ...] | None = None,
    ) -> tuple[object, ...]:
        try:
            with self._shell.hushed() as printed:
                value = target(*args, **kwargs)
        except Exception as error:
            raised = describe_error(error, target)
            return ("raised", raised.kind, raised.message, raised.line, printed.getvalue())
        afterwards = tuple(map(_mutable, args)) if back is None else back
        return ("returned", self._by_value_or_reference(value), afterwards, printed.getvalue())

    def _reply(self, reply: tuple[object, ...]) -> None:
        try:
            self._channel.send(reply)
        except ValueTooLarge as error:
            self._channel.send(("raised", "ValueTooLarge", str(error), "", ""))

    def _by_value_or_reference(self, value: object) -> object:
        """What is sent by value, or a reference to what can be called or looked into."""
        if type(value) is OrderedDict:
            return dict(value)
        if _stays(value):
            return self._keep(value)
        return value

    def _keep(self, value: object) -> Reference:
        self._objects.append(value)
        kind = "module" if type(value) is ModuleType else "object"
        return Reference("function" if callable(value) else kind, len(self._objects) - 1)

    def _refer(self, value: object) -> Reference | None:
        return self._keep(value) if _stays(value) else None

    def _resolve(self, reference: Reference) -> object:
        if reference.kind == _CALLBACK:
            return lambda *args: self._ask_back(reference.number, args)
        return self._objects[reference.number]

    def _ask_back(self, number: int, args: tuple[object, ...]) -> object:
        self._channel.send((_CALLBACK, number, args))
        match self._channel.receive(None):
            case ("answer", value):
                return value
            case ("refused", str(message)):
                raise RuntimeError(message)
        raise ReplyNotUnderstood("the examiner's answer is not understood")


def _stays(value: object) -> bool:
    """Whether a value is an object to be held, not one to be sent."""
    if callable(value) or type(value) is ModuleType:
        return True
    return type(type(value)) is type and type(value).__module__ == "__main__"


def _mutable(value: object) -> object:
    """An argument after the call, where the examiner wants to know whether it was written to."""
    kind = type(value).__name__
    return value if kind in ("ndarray", "Tensor", "list", "dict") else Unsupported("unchanged")
