"""The trusted side: stand-ins for what a student defined.

A stand-in is called like the real thing. Arguments go over by value, the result comes back by
value and is rebuilt here as plain exact types; an exception comes back as one of the same kind;
arrays that the student's code wrote to are changed here too, and gradients flow back. A function
among the arguments stays here: the student's code gets one that asks back.
"""

import builtins
from typing import Never, Protocol

from autograder.errors import ExchangeError
from autograder.values.as_bytes import Reference

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
        *("float", "half", "type"),
    }
)


class StudentError(Exception):
    """An exception raised by a student's code, as it told of it."""

    own_line: str = ""


class NotPlain(ExchangeError):
    """A test needs a plain value, and has an object that stays in the student's process."""


class Asks(Protocol):
    """Puts the questions of a stand-in to the student's process, as a `Session` does."""

    def call(
        self, target: Reference, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> object:
        """What a call of something of the student's returns."""

    def get(self, target: Reference, name: str) -> object:
        """An attribute of something of the student's."""


class RemoteObject:
    """Something of the student's that stays where it is: a function, a class, an object of one."""

    def __init__(self, session: Asks, reference: Reference, name: str = "") -> None:
        self._session = session
        self._reference = reference
        self.__name__ = name or f"the {reference.kind} that was received"

    def in_words(self) -> str:
        """What it is, for whoever made it."""
        return f"an object of another kind ({self._reference.kind})"

    def __call__(self, *args: object, **kwargs: object) -> object:
        return self._session.call(self._reference, args, kwargs)

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):
            raise AttributeError(f"{self.__name__} is in the student's process, without {name}")
        return self._session.get(self._reference, name)

    def __deepcopy__(self, memo: object) -> "RemoteObject":
        return self

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        return self.__name__

    def _refuse(self, *_: object) -> Never:
        raise NotPlain(
            f"{self.__name__} stays in the student's process: a test may call it and its methods, "
            "and look at the numbers, arrays and tensors that come back, but not compare or change "
            "the object itself"
        )

    __bool__ = __len__ = __iter__ = __getitem__ = __contains__ = __float__ = __int__ = _refuse
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _refuse
    __array__ = __setitem__ = __index__ = __add__ = __radd__ = __sub__ = __rsub__ = _refuse
    __mul__ = __rmul__ = __matmul__ = __rmatmul__ = __truediv__ = __rtruediv__ = _refuse

    def __setattr__(self, name: str, value: object) -> None:
        if name not in ("_session", "_reference", "__name__"):
            self._refuse()
        object.__setattr__(self, name, value)


def reference_of(value: object) -> Reference | None:
    """What a stand-in stands for, or None for anything else."""
    return object.__getattribute__(value, "_reference") if type(value) is RemoteObject else None


def error_of(kind: str, message: str, line: str) -> StudentError:
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
