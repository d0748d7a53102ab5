"""How far an answer is right, where nothing says what is wrong: in a sentence that is true of it.

Either some of its results are right on every case, or it is right on some cases, and these have
something in common that no other case has.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from autograder.checks.values.tensors import as_array, is_tensor

# Of one case or two, everything is in common.
_FEWEST = 3
_IS = " is "
_NOT_NEGATIVE = " has no negative number"
# To how many decimals an answer may have been rounded, by how much it is off then, in the last of
# them, and how far single precision takes a number from one of so many decimals.
_DECIMALS = range(1, 6)
_HALF = 0.5 + 1e-2
_DUST = 1e-6
# What is said of every argument that is there, and so tells no case from another.
_IT = ""
_NAME = re.compile(r"`[^`]*`")
# Each thing that some cases alone have in common may be the reason. Of more than two, none is said.
_MOST = 2

# What can be said of the arguments of a case, by name; None of one that is None.
_Known: TypeAlias = Mapping[str, Sequence[str] | None]


@dataclass(frozen=True)
class Tried:
    """One case: on what, and which parts of what came back are wrong.

    `wrong` is None where nothing came back that has parts; `is_driven` says whether a driver called
    the answer, as one does to run a module.
    """

    label: str
    arguments: Mapping[str, Any]
    is_right: bool
    wrong: frozenset[str] | None = None
    is_driven: bool = False


def how_far(tried: Sequence[Tried], names: Sequence[str], *, all_of_them: bool = True) -> str:
    """The sentence; empty where there is nothing to say.

    Args:
        tried: the cases, of which some are wrong.
        names: the words for the results, where there are several.
        all_of_them: whether no other case was tried; others have no result.
    """
    which = "" if all_of_them else " that have a result"
    return _right_results(tried, names) or _right_cases(tried, which)


def rounded(values: Sequence[tuple[Any, Any]]) -> str:
    """A sentence for whoever has rounded what is right; empty where that is not so.

    Args:
        values: what was expected, and what was received, of cases that are wrong.
    """
    pairs = [(_as_floats(expected), _as_floats(received)) for expected, received in values]
    wanted: list[float] = []
    got: list[float] = []
    for expected, received in pairs:
        if expected is None or received is None or expected.shape != received.shape:
            return ""
        wanted += expected.ravel().tolist()
        got += received.ravel().tolist()
    with np.errstate(invalid="ignore"):
        off = np.abs(np.subtract(wanted, got))
    # What is off in nothing is not rounded, and infinity minus itself is no number.
    if len(set(got)) < _FEWEST or not np.isfinite(off).all() or (off > _DUST).sum() < _FEWEST:
        return ""
    for decimals in _DECIMALS:
        steps = np.array(got) * 10**decimals
        if np.allclose(steps, steps.round(), rtol=_DUST) and (off * 10**decimals < _HALF).all():
            places = f"{decimals} decimals" if decimals > 1 else "one decimal"
            return f"What you return is right, but rounded to {places}: return all of the digits."
    return ""


def _as_floats(value: Any) -> np.ndarray | None:
    array = as_array(value) if is_tensor(value) else value
    is_array = isinstance(array, np.ndarray) and array.dtype.kind == "f"
    return array.astype(float) if is_array else None


def _right_results(tried: Sequence[Tried], names: Sequence[str]) -> str:
    failed = [one.wrong for one in tried if not one.is_right]
    if not names or any(wrong is None or not wrong for wrong in failed):
        return ""
    parts = [part for wrong in failed for part in wrong or ()]
    if not all(any(_belongs(part, name) for name in names) for part in parts):
        return ""
    spoilt = [name for name in names if any(_belongs(part, name) for part in parts)]
    sound = [name for name in names if name not in spoilt]
    if not sound or not spoilt:
        return ""
    are, are_not = ("are" if len(some) > 1 else "is" for some in (sound, spoilt))
    return (
        f"Of the results, {' and '.join(sound)} {are} right on every case; only "
        f"{' and '.join(spoilt)} {are_not} not."
    )


def _belongs(part: str, name: str) -> bool:
    return part == name or part.startswith((f"{name}[", f"{name} "))


def _right_cases(tried: Sequence[Tried], which: str) -> str:
    right = [one for one in tried if one.is_right]
    wrong = [one for one in tried if not one.is_right]
    if len(_labels(tried)) < _FEWEST or not right or not wrong:
        return ""
    for word, these, others in (("right", right, wrong), ("wrong", wrong, right)):
        if common := _in_common(these, others):
            said = f"Of the cases tried{which}, it is {word} in just those in which"
            return f"{said} {' and '.join(common)}." if len(common) <= _MOST else ""
    return ""


def _in_common(these: Sequence[Tried], others: Sequence[Tried]) -> Sequence[str]:
    """What can be said of all of these, and of none of the others: of each kind the simplest."""
    known = [dict(_known(one.arguments)) for one in (*these, *others)]
    told = [frozenset(_told(one, known)) for one in known]
    of_these, of_others = told[: len(these)], told[len(these) :]
    common = set(of_these[0].intersection(*of_these)).difference(*of_others)
    if len(_labels(these)) == 1:
        # One case has many things that no other one has; a setting is seldom by chance.
        common = {sentence for sentence in common if _IS in sentence and "[" not in sentence}
    if any(one.is_driven for one in (*these, *others)):
        # What a module returns seldom depends on the sign of what it is given.
        common = {sentence for sentence in common if not sentence.endswith(_NOT_NEGATIVE)}
    kinds: dict[str, str] = {}
    for sentence in sorted(common, key=_simplicity):
        kinds.setdefault(_NAME.sub("", sentence), sentence)
    return [*kinds.values()]


def _told(arguments: _Known, cases: Sequence[_Known]) -> Iterator[str]:
    """What can be said of a case among others; of an argument that is None in some, only that.

    Cases in which it is missing are of another kind: there may be many reasons for that.
    """
    for name in {name for case in cases for name in case}:
        known = arguments.get(name, ())
        if all(case.get(name) for case in cases):
            yield from known or ()
        elif "[" not in name and all(name in case for case in cases):
            yield f"`{name}`{_IS}{'None' if known is None else 'given'}"


def _labels(tried: Sequence[Tried]) -> set[str]:
    """The cases, each once, whatever it was tried in."""
    return {one.label.partition(", in float")[0] for one in tried}


def _simplicity(sentence: str) -> tuple[int, str]:
    return len(sentence), sentence


def _known(arguments: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[str] | None]]:
    """The arguments of a case by name, each with what can be said of it, or None for a None."""
    for name, value in arguments.items():
        if isinstance(value, dict):
            yield from _known(value)
        elif isinstance(value, list | tuple):
            # One alone is called by the name of all; within others, nobody finds it.
            alone = len(value) == 1
            for number, entry in enumerate(value):
                if not isinstance(entry, dict | list | tuple):
                    yield from _known({name if alone else f"{name}[{number}]": entry})
        else:
            yield name, None if value is None else [_IT, *_known_of(name, value)]


def _known_of(name: str, value: object) -> Iterator[str]:
    if is_tensor(value):
        yield from _known_of_array(name, as_array(value))
    elif isinstance(value, np.ndarray):
        yield from _known_of_array(name, value)
    elif isinstance(value, bool | str) or value in (0, 1):
        yield f"`{name}`{_IS}{value!r}"


def _known_of_array(name: str, array: np.ndarray) -> Iterator[str]:
    yield f"`{name}` has {array.ndim} {'axis' if array.ndim == 1 else 'axes'}"
    for axis, size in enumerate(array.shape):
        if size == 1:
            yield f"axis {axis} of `{name}` has one entry"
    if array.ndim > 1 and array.shape[-1] == array.shape[-2] > 1:
        yield f"the last two axes of `{name}` are of one size, above 1"
    if array.dtype.kind == "b":
        yield f"`{name}` has {'a' if array.any() else 'no'} True in it"
    elif array.dtype.kind == "f":
        yield f"the numbers of `{name}` are {array.dtype}"
        if array.size and (array >= 0).all():
            yield f"`{name}`{_NOT_NEGATIVE}"
