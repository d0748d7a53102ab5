"""The trusted side: stand-ins for what a student defined.

A stand-in is called like the real thing. Arguments go over by value, the result comes back by
value and is rebuilt here as plain exact types; an exception comes back as one of the same kind;
arrays that the student's code wrote to are changed here too, and gradients flow back. A function
among the arguments stays here: the student's code gets one that asks back.
"""

import builtins
import contextlib
import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Never, Protocol, TypeVar

from autograder.checks.values.as_json import find, importable
from autograder.checks.values.tensors import SEED
from autograder.errors import ExamError, ExchangeError
from autograder.student.rpc.codec.grammar import Reference
from autograder.student.rpc.operators import OPERATORS

_Plain = TypeVar("_Plain", bool, int, float)

# An object that answers these is a number, an array or a tensor. One of the student's own could
# answer them as it likes.
VERDICTS = frozenset(
    {
        *("all", "allclose", "any", "array_equal", "eq", "equal", "ge", "gt", "isclose", "item"),
        *("le", "lt", "ne", "numpy", "tolist", "is_integer", "issubset", "issuperset"),
        *("startswith", "endswith", "count", "index"),
    }
)


# What drivers of the course's ask of a torch.nn.Module, whatever class it is of.
OF_MODULES = frozenset(
    {
        *("state_dict", "load_state_dict", "named_parameters", "named_buffers", "parameters"),
        *("train", "eval", "to", "forward", "zero_grad", "training", "children", "modules"),
        *("named_modules", "named_children", "weight", "bias", "requires_grad_", "double"),
        *("float", "half", "bfloat16", "type"),
    }
)


class StudentError(Exception):
    """An exception raised by a student's code, as it told of it."""

    own_line: str = ""


class NotPlain(ExchangeError):
    """A test needs a plain value, and has an object that stays in the student's process."""


@dataclass(frozen=True)
class Description:
    """What a function says of itself, as plain values."""

    doc: str | None
    signature: inspect.Signature
    annotations: dict[str, object]


class Asks(Protocol):
    """Puts the questions of a stand-in to the student's process, as a `Session` does."""

    def call(
        self, target: Reference, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        """What a call of something of the student's returns."""

    def make(self, name: str, args: tuple[object, ...]) -> object:
        """What a function makes over there that can be imported under this name."""

    def seed(self, kind: str, number: int) -> None:
        """Begin a module's random numbers anew over there."""

    def each(
        self, target: Reference, calls: Sequence[tuple[str, tuple[object, ...]]]
    ) -> list[Callable[[], object]]:
        """What several calls, and drives by a driver's name, give: each when it is called."""

    def get(self, target: Reference, name: str) -> object:
        """An attribute of something of the student's."""

    def operate(self, target: Reference, operator: str, args: tuple[object, ...]) -> object:
        """What Python's syntax makes of something of the student's; or NotPlain."""

    def refuse(self, reason: str) -> Never:
        """Raise NotPlain, and keep in mind that it was: a test may catch anything."""

    def described(self, target: Reference) -> Description:
        """What a function of the student's says of itself."""

    def is_instance(self, value: object, target: Reference) -> bool:
        """Whether a value is of a class of the student's."""


class RemoteObject:
    """Something of the student's that stays where it is: a function, a class, an object of one."""

    __doc__ = property(lambda self: self._session.described(self._reference).doc)

    def __init__(self, session: Asks, reference: Reference, name: str = "") -> None:
        self._session = session
        self._reference = reference
        self.__name__ = name or f"the {reference.kind} that was received"

    def in_words(self) -> str:
        """What it is, for whoever made it."""
        return f"an object of another kind ({self._reference.kind})"

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self._session.call(self._reference, args, kwargs)

    def __driven_by__(self, use: Callable[..., object]) -> Callable[..., object]:
        """A driver at work here, with a message for each thing that it asks of the object."""

        def drive(*arguments: object) -> object:
            self._session.seed("torch", SEED)
            return use(self, *arguments)

        return drive

    def __made_beside__(self, make: Callable[..., object], arguments: tuple[object, ...]) -> object:
        """What a function of the course's makes in the process in which the object is."""
        return self._session.make(f"{make.__module__}:{make.__qualname__}", arguments)

    def __called_together__(
        self, use: Callable[..., object] | None, calls: Sequence[tuple[object, ...]]
    ) -> list[Callable[[], object]]:
        """Several calls, or what a driver makes of them, in few messages: what comes of each.

        Each is returned, or raised, when it is called.
        """
        name = _public_name(use) if use else ""
        if use and not name:
            return [functools.partial(self.__driven_by__(use), *arguments) for arguments in calls]
        results = self._session.each(self._reference, [(name, one) for one in calls])
        if use is None:
            return results
        return [
            functools.partial(self._driven, use, result, arguments)
            for result, arguments in zip(results, calls, strict=True)
        ]

    def _driven(
        self,
        use: Callable[..., object],
        there: Callable[[], object],
        arguments: tuple[object, ...],
    ) -> object:
        """What a driver has made over there or, where that process does not have it, makes here."""
        found = there()
        if type(found) is tuple and found:
            return found[0]
        return self.__driven_by__(use)(*arguments)

    def __getattr__(self, name: str) -> object:
        if name == "__signature__":
            return self._session.described(self._reference).signature
        if name == "__annotations__":
            return self._session.described(self._reference).annotations
        if name.startswith("__"):
            raise AttributeError(f"{self.__name__} is in the student's process, without {name}")
        return self._session.get(self._reference, name)

    def __deepcopy__(self, memo: object) -> "RemoteObject":
        return self

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        try:
            text = self._session.operate(self._reference, "__repr__", ())
        except NotPlain:
            return self.__name__
        return text if type(text) is str else self.__name__

    def __str__(self) -> str:
        try:
            text = self._session.operate(self._reference, "__str__", ())
        except NotPlain:
            return self.__name__
        return text if type(text) is str else self.__name__

    def __instancecheck__(self, instance: object) -> bool:
        return self._session.is_instance(instance, self._reference)

    def __iter__(self) -> Iterator[object]:
        found = self._operate("__iter__")
        if type(found) is not list:
            self._refuse()
        return iter(found)

    def __bool__(self) -> bool:
        return self._of_type(bool, self._operate("__bool__"))

    def __len__(self) -> int:
        return self._of_type(int, self._operate("__len__"))

    def __contains__(self, value: object) -> bool:
        return self._of_type(bool, self._operate("__contains__", value))

    def __int__(self) -> int:
        return self._of_type(int, self._operate("__int__"))

    def __index__(self) -> int:
        return self._of_type(int, self._operate("__index__"))

    def __float__(self) -> float:
        return self._of_type(float, self._operate("__float__"))

    def _operate(self, operator: str, *args: object) -> object:
        try:
            return self._session.operate(self._reference, operator, args)
        except NotPlain:
            self._refuse()

    def _of_type(self, kind: type[_Plain], value: object) -> _Plain:
        if type(value) is not kind:
            self._refuse()
        return value

    def _refuse(self, *_: object) -> Never:
        self._session.refuse(
            f"{self.__name__} stays in the student's process: a test may call it and its methods, "
            "and look at the numbers, arrays and tensors that come back, but not compare or change "
            "the object itself"
        )

    __array__ = _refuse

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("_session", "_reference", "__name__"):
            object.__setattr__(self, name, value)
        else:
            self._operate("__setattr__", name, value)


@functools.cache
def _public_name(driver: Callable[..., object]) -> str:
    """The name under which students' processes find a driver, if they do."""
    # What ships needs a name that lasts. The engine's own drivers are the same on both sides.
    with contextlib.suppress(ExamError, AttributeError):
        return importable(driver)
    with contextlib.suppress(ImportError, AttributeError):
        name = f"{driver.__module__}:{driver.__qualname__}"
        return name if find(name) is driver else ""
    return ""


def _asking(operator: str) -> Callable[..., object]:
    def ask(self: RemoteObject, *args: object) -> object:
        return self._operate(operator, *args)

    return ask


# The rest of the syntax is asked for as it is; an __eq__ may say what it likes.
for _name in OPERATORS:
    if _name not in vars(RemoteObject):
        setattr(RemoteObject, _name, _asking(_name))
RemoteObject.__eq__ = _asking("__eq__")  # type: ignore[method-assign,assignment]


class Unsent:
    """What the student's code has and what can't be sent, by the name of its type.

    A test gets nothing out of it, not even a text: two of them are not equal because both have none
    to compare, and not different because they are two.
    """

    def __init__(self, session: Asks, name: str) -> None:
        self._session = session
        self._name = name.rpartition(".")[2]

    def in_words(self) -> str:
        """What it was, for whoever sent it."""
        return f"a {self._name}"

    def __deepcopy__(self, memo: object) -> "Unsent":
        return self

    def __getattr__(self, name: str) -> Never:
        if name.startswith("__"):
            raise AttributeError(name)
        self._refuse()

    def _refuse(self, *_: object) -> Never:
        self._session.refuse(
            f"the test looks at a {self._name}, which can't be sent from the student's process: "
            "have the answer, or a given cell below it, make numbers, text, lists or arrays of it, "
            "and compare these; or have the test run beside the student's code"
        )

    __array__ = _refuse


for _name in OPERATORS:
    setattr(Unsent, _name, Unsent._refuse)


def reference_of(value: object) -> Reference | None:
    """What a stand-in stands for, or None for anything else."""
    return object.__getattribute__(value, "_reference") if type(value) is RemoteObject else None


def error_of(kind: str, family: str, message: str, line: str) -> StudentError:
    """An exception of the kind the student's code raised, for `except` and for reports.

    Args:
        kind: the name of its class.
        family: that of the first one of Python's own which this is, or comes from.
        message: what it says.
        line: where in the student's code it was raised.
    """
    own = getattr(builtins, family, None)
    known = own.__mro__ if isinstance(own, type) else ()
    bases = (StudentError, *[one for one in known if one.__name__ in _COMMON][:1])
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
