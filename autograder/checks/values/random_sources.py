"""Sources of random numbers as plain values: what NumPy and Python draw from, by their state.

A state is taken over from a process that may lie. NumPy looks up a position in its own buffer as it
was told it, wherever that leads, so each part of a state is looked at before it is used.
"""

import random
from typing import Any

import numpy as np

_KINDS: dict[str, type[Any]] = {
    kind.__name__: kind
    for kind in (
        *(np.random.PCG64, np.random.PCG64DXSM, np.random.MT19937),
        *(np.random.Philox, np.random.SFC64),
    )
}
_TWISTER = "MT19937"
# Each part of a state by its name: how many numbers of how many bits, or one that is no array.
_PARTS: dict[str, dict[str, tuple[int, int]]] = {
    "PCG64": {"state": (0, 128), "inc": (0, 128)},
    "PCG64DXSM": {"state": (0, 128), "inc": (0, 128)},
    "MT19937": {"key": (624, 32), "pos": (0, 10)},
    "Philox": {"counter": (4, 64), "key": (2, 64)},
    "SFC64": {"state": (4, 64)},
}
_HALF = {"has_uint32": (0, 1), "uinteger": (0, 32)}
_BESIDE: dict[str, dict[str, tuple[int, int]]] = {
    **dict.fromkeys(("PCG64", "PCG64DXSM", "SFC64"), _HALF),
    "Philox": {"buffer": (4, 64), "buffer_pos": (0, 3), **_HALF},
    "MT19937": {},
}
# How many numbers a buffer has: the position in it goes up to that.
_POSITIONS = {"pos": 624, "buffer_pos": 4}

Source = np.random.Generator | np.random.RandomState | random.Random
SOURCES: tuple[type[Source], ...] = (np.random.Generator, np.random.RandomState, random.Random)


def state_of(source: Source) -> dict[str, Any]:
    """All that is to be known to draw on as it would.

    Raises:
        ValueError: for one that draws in a way of its own.
    """
    if isinstance(source, random.Random):
        version, numbers, gauss = source.getstate()
        return {"version": version, "numbers": list(numbers), "gauss": gauss}
    if isinstance(source, np.random.RandomState):
        state: Any = source.get_state(legacy=False)
    else:
        state = source.bit_generator.state
    if type(state) is not dict or state.get("bit_generator") not in _KINDS:
        raise ValueError("random numbers that are drawn in a way of their own")
    return state


def draw_on(source: Source, state: dict[str, Any]) -> None:
    """Have a source draw on as the one does whose state this is.

    Raises:
        ValueError: for what is no state of a source of this type.
    """
    if isinstance(source, random.Random):
        _must_be(state.keys() == {"version", "numbers", "gauss"} and state["version"] == 3)
        numbers, gauss = state["numbers"], state["gauss"]
        _must_be(type(numbers) is list and len(numbers) == 625)
        _must_be(all(type(one) is int and 0 <= one < 1 << 32 for one in numbers))
        _must_be(gauss is None or type(gauss) is float)
        source.setstate((3, tuple(numbers), gauss))
    elif isinstance(source, np.random.RandomState):
        gauss = {"has_gauss": (0, 1)}
        rest = dict(state)
        _must_be(type(rest.pop("gauss", None)) is float)
        _must_be(_checked(rest, gauss)["bit_generator"] == _TWISTER)
        source.set_state(state)
    else:
        kind = type(source.bit_generator).__name__
        _must_be(_checked(state, {})["bit_generator"] == kind)
        source.bit_generator.state = state


def source_of(kind: type[Source], state: dict[str, Any]) -> Source:
    """A new source of this type, with this state.

    Raises:
        ValueError: for what is no state of such a source.
    """
    source: Source
    if kind is np.random.Generator:
        name = state.get("bit_generator")
        _must_be(type(name) is str and name in _KINDS)
        source = np.random.Generator(_KINDS[str(name)](0))
    elif kind is np.random.RandomState:
        source = np.random.RandomState(0)
    else:
        source = random.Random(0)
    draw_on(source, state)
    return source


def _checked(state: dict[str, Any], more: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """A state of NumPy's, if each part of it is what it must be and there is no other."""
    name, inner = state.get("bit_generator"), state.get("state")
    _must_be(type(name) is str and name in _PARTS and type(inner) is dict)
    beside = {**_BESIDE[str(name)], **more}
    _must_be(state.keys() == {"bit_generator", "state", *beside})
    _check_parts(inner, _PARTS[str(name)])
    _check_parts({part: state[part] for part in beside}, beside)
    return state


def _check_parts(found: Any, parts: dict[str, tuple[int, int]]) -> None:
    _must_be(found.keys() == parts.keys())
    for part, (count, bits) in parts.items():
        value = found[part]
        if count:
            _must_be(type(value) is np.ndarray and value.shape == (count,))
            _must_be(value.dtype == np.dtype(f"u{bits // 8}"))
        else:
            _must_be(type(value) is int and 0 <= value < 1 << bits)
            _must_be(value <= _POSITIONS.get(part, value))


def _must_be(right: bool) -> None:
    if not right:
        raise ValueError("random numbers with a state that is none")
