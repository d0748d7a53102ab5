"""What of a student's values is sent, and as what; all else stays in their process, to be asked."""

import os
import sys
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from types import FunctionType, GeneratorType, ModuleType
from typing import Any

from autograder.checks.source.own_files import is_own

_ITERABLES: tuple[Any, ...] = ([], (), "", {}, set(), range(0), {}.items(), {}.values())
# What is compared as if it were one of these.
_PLAIN: dict[type, Callable[[Any], object]] = {
    **{OrderedDict: dict, defaultdict: dict},
    **{type({}.values()): list, type({}.items()): list},
}
# In an exam, so is every kind of these, such as a named tuple or what `torch.max` returns; in a
# plain test, it may be asked for what has a name in it.
_KINDS: dict[type, Callable[[Any], object]] = {
    tuple: lambda value: tuple.__getitem__(value, slice(None)),
    list: lambda value: list.__getitem__(value, slice(None)),
    dict: dict.copy,
}
# Where the kinds of classes are from that a student's may be of: type, ABCMeta, that of Protocol.
_OF_CLASSES = ("builtins", "abc", "typing")
# What gives its values one after the other, and only once.
ITERATORS = frozenset(
    {GeneratorType, map, filter, zip, enumerate, reversed, *(type(iter(one)) for one in _ITERABLES)}
)


def sent_as(value: object, *, examined: bool) -> object:
    """A value as what it is sent: itself, or what is compared in its place, with its entries.

    Args:
        value: what an answer gave.
        examined: whether an exam called it.
    """
    plain = _plain(value, examined)
    if not examined:
        return plain
    if type(plain) is dict:
        return {name: _plain(one, examined) for name, one in plain.items()}
    if type(plain) is list or type(plain) is tuple:
        return type(plain)(_plain(one, examined) for one in plain)
    return plain


def _plain(value: object, examined: bool) -> object:
    kind = type(value)
    if kind in _PLAIN:
        return _PLAIN[kind](value)
    if examined and kind not in _KINDS and not callable(value):
        for base, exactly in _KINDS.items():
            if issubclass(kind, base) and not _has_methods_of_its_own(kind, base):
                return exactly(value)
    return value


def _has_methods_of_its_own(kind: type, base: type) -> bool:
    """Whether an object is more than a kind of list: a cache that is a dict, say."""
    own = (vars(one) for one in kind.__mro__ if one not in base.__mro__)
    return any(
        isinstance(value, FunctionType) and not name.startswith("_")
        for names in own
        for name, value in names.items()
    )


def stays(value: object) -> bool:
    """Whether a value is an object to be held, not one to be sent."""
    if callable(value) or type(value) is ModuleType or type(value) in ITERATORS:
        return True
    return type(type(value)).__module__ in _OF_CLASSES and _is_students(type(value).__module__)


def _is_students(module: object) -> bool:
    """Whether a module is the notebook, or lies beside it."""
    if module == "__main__" or type(module) is not str:
        return module == "__main__"
    file = getattr(sys.modules.get(module), "__file__", None)
    return type(file) is str and is_own(file, os.getcwd())
