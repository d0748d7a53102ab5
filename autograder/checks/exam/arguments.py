"""A case's arguments in words: the call that was made, and what it was given."""

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from autograder.checks.values.tensors import (
    as_array,
    holds_tensors,
    is_function,
    is_generator,
    is_tensor,
)

_FEW = 12
_NAMED = 4
# What is shown of an array when a learner asks for it.
_MANY = 120
_SHORT = 24
# Larger numbers are there to overflow, or to be hidden.
_ORDINARY = 10
# What a driver alone is told.
_TIMES = "calls"


def seen_by_the_answer(
    arguments: Mapping[str, object], use: Callable[..., object] | None, inputs: Sequence[str]
) -> dict[str, object]:
    """A case's arguments without those that no answer sees: how often a driver calls it."""
    if use is None:
        return {**arguments}
    given = {name: value for name, value in arguments.items() if name != _TIMES}
    several = given.get("inputs")
    if inputs and isinstance(several, tuple):
        del given["inputs"]
        given |= dict(zip(inputs, several, strict=False))
    return given


def call_of(
    name: str,
    arguments: Mapping[str, object],
    use: Callable[..., object] | None,
    inputs: Sequence[str] = (),
) -> str:
    """The call of an exercise as code: short arguments by their value, all others by their name.

    A driver that is given settings makes a module of a class and calls it with the inputs. What
    any other driver does with its arguments is its own affair, and is not shown as a call. `inputs`
    are the exercise's own names for several inputs.
    """
    if not arguments:
        return ""
    if use is None:
        return f"{name}({', '.join(_given(arguments))})"
    settings = arguments.get("settings")
    if not isinstance(settings, dict):
        return ""
    given = arguments.get("inputs")
    names = _inputs(given, inputs) if isinstance(given, tuple) else {}
    called = f"({', '.join(names)})" if names else ""
    return f"{name}({', '.join(_given(settings))}){called}"


def loose(
    arguments: Mapping[str, object],
    use: Callable[..., object] | None,
    inputs: Sequence[str] = (),
) -> dict[str, object]:
    """The arguments one by one, as the call names them, without what it shows already."""
    if use is None:
        return {name: value for name, value in arguments.items() if not _inline(value)}
    if not isinstance(arguments.get("settings"), dict):
        return dict(arguments)
    found: dict[str, object] = {}
    for name, value in arguments.items():
        if name == "inputs" and isinstance(value, tuple):
            found |= _inputs(value, inputs)
        elif name == "weights" and isinstance(value, dict):
            found |= value
        elif name == "settings" and isinstance(value, dict):
            found |= {key: one for key, one in value.items() if not _inline(one)}
        elif _is_unusual(use, name, value):
            found[name] = value
    return found


def in_words(arguments: Mapping[str, object]) -> str:
    """All arguments in one line; of many numbers, the shape alone."""
    shown = [f"{name} {_shape(value)}" for name, value in arguments.items() if _shape(value)]
    return ", ".join(shown)


def one_by_one(arguments: Mapping[str, object], *, whole: bool) -> tuple[tuple[str, str], ...]:
    """Each argument with its name; `whole` shows the numbers of larger arrays as well."""
    shown = ((name, _whole(value) if whole else _shape(value)) for name, value in arguments.items())
    return tuple((name, text) for name, text in shown if text)


def plainness(
    arguments: Mapping[str, object], use: Callable[..., object] | None
) -> tuple[int, bool, int, int]:
    """What orders cases, from the one that is the easiest to look at to the most exotic.

    First come those in which a driver does nothing unusual, such as to train or to repeat calls,
    then those with ordinary numbers, few axes, and few numbers.
    """
    unusual = sum(_is_unusual(use, *given) for given in arguments.items()) if use else 0
    arrays = [array for value in arguments.values() for array in _arrays_in(value)]
    floating = [array for array in arrays if array.dtype.kind == "f"]
    extreme = not all((np.abs(array) <= _ORDINARY).all() for array in floating)
    if any(map(is_function, arguments.values())):
        # What is tried on functions has no size: authors begin with the plainest.
        return unusual, extreme, 0, 0
    axes = max((array.ndim for array in arrays), default=0)
    return unusual, extreme, axes, sum(map(_numbers_in, arguments.values()))


def _is_unusual(use: Callable[..., object], name: str, value: object) -> bool:
    parameter = inspect.signature(use).parameters.get(name)
    default = parameter.default if parameter else inspect.Parameter.empty
    return type(value) is not type(default) or value != default


def input_names(use: Callable[..., object] | None, reference: object) -> tuple[str, ...]:
    """What an exercise that is a module calls its inputs, if there are several."""
    forward = getattr(reference, "forward", None)
    if use is None or forward is None or not isinstance(reference, type):
        return ()
    _, *names = inspect.signature(forward).parameters
    return tuple(names) if len(names) > 1 else ()


def with_input_names(text: str, arguments: Mapping[str, object], inputs: Sequence[str]) -> str:
    """A driver's words for a part of its value, with the names in it that the call shows."""
    given = arguments.get("inputs")
    for n, name in enumerate(_inputs(given, inputs) if isinstance(given, tuple) else ()):
        text = text.replace(f"inputs[{n}]", name)
    return text


def _inputs(given: tuple[object, ...], names: Sequence[str]) -> dict[str, object]:
    if len(given) == 1:
        return {"inputs": given[0]}
    numbered = [f"inputs[{n}]" for n in range(len(given))]
    return dict(zip([*names, *numbered[len(names) :]], given, strict=False))


def _given(arguments: Mapping[str, object]) -> list[str]:
    return [_inline(value, f"{name}=") or name for name, value in arguments.items()]


def _inline(value: object, before: str = "") -> str:
    """An argument as it may stand in a call, or nothing where it is too long."""
    if value is None or isinstance(value, bool | int | float | str):
        shown = repr(value)
        return f"{before}{shown}" if len(shown) <= _SHORT else ""
    return getattr(value, "__name__", "") if is_function(value) else ""


def _whole(value: object) -> str:
    numbers = as_array(value) if is_tensor(value) else value
    if isinstance(numbers, np.ndarray) and _FEW < numbers.size <= _MANY:
        shown = np.array2string(numbers, precision=4, separator=", ", suppress_small=True)
        return f"of shape {numbers.shape}\n{shown}"
    return _shape(value)


def _shape(value: object) -> str:
    if is_tensor(value):
        value = as_array(value)
    if isinstance(value, np.ndarray):
        few = np.array2string(value, precision=4, separator=", ", suppress_small=True)
        few = " ".join(few.split())
        return f"= {few}" if value.size <= _FEW and value.ndim else f"of shape {value.shape}"
    if is_generator(value):
        return f"seeded with {value.initial_seed()}"
    if isinstance(value, dict | list | tuple):
        return f"= {_brief(value)}"
    if callable(value):
        return f"= {getattr(value, '__name__', 'a function')}"
    return f"= {value!r}"


def _brief(value: object) -> str:
    """A list, tuple or dict; of tensors, and of more than a few numbers, the shape alone."""
    if is_tensor(value):
        return f"tensor of shape {tuple(value.shape)}"
    if isinstance(value, np.ndarray):
        return f"array of shape {value.shape}"
    if isinstance(value, dict):
        shown = [f"{key!r}: {_brief(entry)}" for key, entry in value.items()]
        return "{" + ", ".join(_first_of(shown)) + "}"
    if isinstance(value, list | tuple):
        if len(value) > _FEW and all(isinstance(entry, int | float) for entry in value):
            return f"{type(value).__name__} of {len(value)} numbers"
        opening, closing = "[]" if isinstance(value, list) else "()"
        comma = "," if closing == ")" and len(value) == 1 else ""
        return f"{opening}{', '.join(_first_of(list(map(_brief, value))))}{comma}{closing}"
    return repr(value)


def _first_of(shown: list[str]) -> list[str]:
    more = len(shown) - _FEW
    return shown if more <= 0 else [*shown[:_NAMED], f"and {len(shown) - _NAMED} more"]


def _arrays_in(value: object) -> Iterator[np.ndarray]:
    if isinstance(value, dict | list | tuple):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _arrays_in(one)
    elif is_tensor(value):
        yield as_array(value)
    elif isinstance(value, np.ndarray):
        yield value


def _numbers_in(value: object) -> int:
    if is_tensor(value):
        return value.numel()
    if holds_tensors(value):
        assert isinstance(value, dict | list | tuple)
        return sum(map(_numbers_in, value.values() if isinstance(value, dict) else value))
    return value.size if isinstance(value, np.ndarray) else 1
