"""Does a call leave all as it was for the next one? Asked of functions, and of what drivers call.

What a function returns belongs to whoever called it, who may write to it; and what it sets for all
of PyTorch is set for all that runs later.
"""

import copy
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import numpy as np

from autograder.checks.values.outcome import MADE_BESIDE, Outcome
from autograder.checks.values.tensors import (
    dtype_name,
    is_generator,
    is_tensor,
    seed_torch,
    settings_of_torch,
)
from autograder.errors import ExchangeError

WORDS = "in a second call, after the first result was written to"
AFTERWARDS = "and what PyTorch computes with afterwards"
# No seed that anybody chooses.
_SELDOM = 7_160_243_985
_SAID = {
    "default dtype": "your code changes PyTorch's default dtype for all that runs after it, as "
    "`torch.set_default_dtype` does: give the tensors that you make a `dtype`",
    "gradients": "after a call of your code PyTorch computes no gradients any more, as after "
    "`torch.set_grad_enabled(False)`: write `with torch.no_grad():`, which ends with its block",
    "seed": "your code seeds PyTorch's own random numbers, for all that runs after it: leave "
    "out `torch.manual_seed`, or draw from a generator of your own",
}
# Those that outlast a call from another process: the default dtype is put back after each.
_LASTING = ("gradients", "seed")
_KEPT = (
    "Your function is right when it is called once, and wrong in the next call if its first result "
    "is written to in between: it keeps what it has returned, as `functools.cache` and a table "
    "outside of it do. Return a new tensor, array or list from each call."
)


class SettingMismatch(Exception):
    """A setting of PyTorch's is another one after a call. The message says which."""


def called_again(answer: Callable[..., Any], *given: object) -> object:
    """What an answer returns in its second call, after its first result was written to.

    Raises:
        SettingMismatch: when it changes what other code computes with.
    """
    with _settings_kept():
        first = answer(*copy.deepcopy(given))
    undo = [*_written_to(first)]
    # If it is the first result once more, it is put right below.
    second = _kept(answer(*given))
    for put_right in undo:
        put_right()
    return second


def settings_kept(use: Callable[..., Any], answer: Callable[..., Any], *given: object) -> bool:
    """True, unless a setting is another one in an answer's process after a driver was at work.

    Raises:
        SettingMismatch: when it changes what other code computes with.
    """
    elsewhere = getattr(type(answer), MADE_BESIDE, None)

    def there(do: Callable[..., Any], *arguments: object) -> Any:
        return elsewhere(answer, do, arguments) if elsewhere else do(*arguments)

    def look() -> dict[str, object]:
        return {name: there(setting_of_torch, name) for name in _LASTING}

    with _settings_kept(partial(there, seed_torch), look):
        try:
            use(answer, *given)
        except ExchangeError:
            raise
        except Exception:
            # It is told where results are asked for, and in another process may be another one.
            pass
    return True


def setting_of_torch(name: str) -> object:
    """One of those that PyTorch computes with, a plain value: of another process its word."""
    return settings_of_torch().get(name)


@contextmanager
def _settings_kept(
    begin: Callable[[int], object] = seed_torch,
    look: Callable[[], dict[str, object]] = settings_of_torch,
) -> Iterator[None]:
    begin(_SELDOM)
    # An earlier call may have switched gradients off for good: then this one leaves them so.
    before = {**look(), "gradients": True}
    yield
    for name, value in look().items():
        if value != before.get(name, value):
            raise SettingMismatch(_SAID[name])


def can_be_repeated(arguments: Collection[object]) -> bool:
    """Whether there is something to repeat, and two calls with these arguments do the same."""
    return bool(arguments) and not any(map(is_generator, arguments))


def what_is_left(expected: object, found: Outcome) -> str:
    """A sentence for whoever leaves something to the next call, and is right in the first.

    Args:
        expected: what a right answer returns.
        found: what theirs has done.
    """
    return what_is_set(expected, found) or _KEPT


def what_is_set(expected: object, found: Outcome) -> str:
    """A sentence for whoever leaves PyTorch another setting, and nothing for others."""
    told = found.raised.message if found.raised else ""
    return f"{told[:1].upper()}{told[1:]}." if told in _SAID.values() else ""


def _kept(value: Any) -> object:
    """A result that nothing writes to any more."""
    if type(value) is list or type(value) is tuple:
        return type(value)(map(_kept, value))
    if type(value) is dict:
        return {key: _kept(one) for key, one in value.items()}
    if is_tensor(value):
        return value.detach().clone()
    return value.copy() if isinstance(value, np.ndarray) else value


def _written_to(value: Any) -> Iterator[Callable[[], object]]:
    """Change all that can be changed in a result, and yield what takes each change back."""
    if isinstance(value, list | tuple | dict):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _written_to(one)
        if isinstance(value, list):
            yield partial(value.extend, [*value])
            value.clear()
        elif isinstance(value, dict):
            yield partial(value.update, {**value})
            value.clear()
    elif is_tensor(value):
        numbers = value.detach()
        # Nothing can be written into an expanded one.
        with suppress(RuntimeError):
            before = numbers.clone()
            numbers.copy_(_others(numbers, dtype_name(numbers)))
            yield partial(numbers.copy_, before)
    elif isinstance(value, np.ndarray):
        with suppress(ValueError):
            entries = value.copy()
            value[...] = _others(value, value.dtype.name)
            yield partial(np.copyto, value, entries)


def _others(numbers: Any, dtype: str) -> Any:
    return ~numbers if dtype == "bool" else numbers + 1
