"""Two known mistakes in one answer: neither explains it alone, and both do between them."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations
from typing import TypeAlias

import numpy as np

from autograder.checks.exam.observation import ALL, Observation, likeness_to
from autograder.checks.values.tensors import table_of

# Which entries of a mask are wrong; None of what is no mask, or of another shape.
_Entries: TypeAlias = np.ndarray | None


def said_of_two(two: Sequence[str], hints: Mapping[str, str]) -> str:
    """What there is to say of two slips in one answer."""
    return f"Two things differ. {' And then: '.join(hints[name] for name in two)}" if two else ""


def two_slips(observations: Sequence[Observation], names: Collection[str]) -> tuple[str, ...]:
    """Two misconceptions that explain an answer between them, of which neither does alone.

    Each is all that is wrong with some printed example on which the other makes no difference, and
    none makes a difference where the answer is right. Where both do, whatever comes out is theirs;
    so that is to be on fewer than half of the examples. But in a mask one sees which entries are
    whose.
    """
    printed = [one for one in observations if one.case.printed and not one.case.way]
    failed = [one for one in printed if not one.as_expected]
    if all(one.outcome.raised for one in failed):
        return ()
    right = [one.case for one in printed if one.as_expected]
    named = (name for name in names if not any(case.shows(name) for case in right))
    found = {name: _likenesses(name, failed) for name in named}
    possible = {name: likenesses for name, likenesses in found.items() if any(likenesses)}
    best: tuple[str, ...] = ()
    most = 0
    for pair in combinations(possible, 2):
        alone = _alone(possible[pair[0]], possible[pair[1]], failed)
        # Few examples may be of a kind on which many mistakes look alike.
        if min(alone, default=0) and sum(alone) > max(most, len(failed) // 2):
            best, most = pair, sum(alone)
    return best or _two_in_masks(failed, found)


def explain(two: Sequence[str], observations: Sequence[Observation]) -> bool:
    """Whether two misconceptions explain, between them, all that is wrong with an answer."""
    failed = [one for one in observations if one.wrong and not one.case.way]
    first, second = (_likenesses(name, failed) for name in two)
    if failed and _alone(first, second, failed):
        return True
    wrong = [_wrong(one.outcome.value, one) for one in failed]
    one, other = (_spoilt(name, failed) for name in two)
    return bool(failed) and _are_apart(one, other, wrong)


def _two_in_masks(failed: Sequence[Observation], names: Collection[str]) -> tuple[str, ...]:
    """Two misconceptions that have, in different entries, all that is wrong with a mask."""
    wrong = [_wrong(one.outcome.value, one) for one in failed]
    if any(entries is None for entries in wrong):
        return ()
    spoilt = {name: _spoilt(name, failed) for name in names}
    for first, second in combinations(spoilt, 2):
        if _are_apart(spoilt[first], spoilt[second], wrong):
            return first, second
    return ()


def _spoilt(name: str, failed: Sequence[Observation]) -> list[_Entries]:
    return [_wrong(one.case.lookalikes[name]().value, one) for one in failed]


def _wrong(value: object, observation: Observation) -> _Entries:
    expected, received = table_of(observation.case.expected.value), table_of(value)
    if expected is None or received is None or expected.shape != received.shape:
        return None
    differs: np.ndarray = expected != received
    return differs


def _are_apart(
    first: Sequence[_Entries], second: Sequence[_Entries], wrong: Sequence[_Entries]
) -> bool:
    """Whether what is wrong is wrong in the entries of either of two, which share none."""
    for one, other, both in zip(first, second, wrong, strict=True):
        if one is None or other is None or both is None:
            return False
        if (one & other).any() or ((one | other) != both).any():
            return False
    return True


def _likenesses(name: str, failed: Sequence[Observation]) -> list[int | None]:
    """How like an answer is to a misconception, where that makes a difference."""
    return [likeness_to(name, one) if one.case.shows(name) else None for one in failed]


def _alone(
    first: Sequence[int | None], second: Sequence[int | None], failed: Sequence[Observation]
) -> tuple[int, ...]:
    """How many failed cases each of two misconceptions explains alone; none if one is left over."""
    counted = [0, 0]
    for likeness, other, one in zip(first, second, failed, strict=True):
        if likeness is not None and other is not None:
            continue
        place = int(likeness is None)
        # Of another slip that meets the same wall, the words of an exception may be the same.
        if (likeness, other)[place] != ALL or one.outcome.raised:
            return ()
        counted[place] += 1
    return tuple(counted)
