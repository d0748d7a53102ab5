"""Several mistakes in one answer: two known ones, which explain it between them, or one that is all
there is to see in most examples.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

import numpy as np

from autograder.checks.exam.observation import (
    ALL,
    MORE_TO_MEND,
    Observation,
    likeness_to,
    overlap,
)
from autograder.checks.values.compare import TOLD, differences, is_telling, numbers_in_parts
from autograder.checks.values.parts import is_gradient
from autograder.checks.values.tensors import table_of

# Which entries of a mask are wrong; None of what is no mask, or of another shape.
_Entries: TypeAlias = np.ndarray | None
# A hint that begins with "The result is right, but" is untrue where another part of it is wrong.
_PRAISE = re.compile(r"\b(is|are) right\b")
_PRAISED_FIRST = re.compile(
    r"(The|Your) [\w ]+ (is|are) right, but "
    r"(?=(you|your|the|no|nothing|only|all|float\d\d|an?|each) )"
)
# What such a word stands for may have been named in what was praised, if it comes soon.
_POINTING = re.compile(r"\b(it|its|they|their|them|this|these|those|both|rest)\b|\bnot[,:]")
_SOON = 5


def praises(hint: str) -> bool:
    """Whether a hint calls something right that an answer returns."""
    return bool(_PRAISE.search(hint))


def without_praise(hint: str) -> str:
    """A hint without what it praises at its beginning, where the rest can stand by itself."""
    praised = _PRAISED_FIRST.match(hint)
    rest = hint[praised.end() :] if praised else ""
    if not rest or _POINTING.search(" ".join(rest.split()[:_SOON])):
        return hint
    return rest[0].upper() + rest[1:]


def said_of_two(two: Sequence[str], hints: Mapping[str, str]) -> str:
    """What there is to say of two slips in one answer."""
    said = " And then: ".join(without_praise(hints[name]) for name in two)
    return f"Two things differ. {said}" if two else ""


def two_slips(observations: Sequence[Observation], hints: Mapping[str, str]) -> tuple[str, ...]:
    """Two misconceptions that explain an answer between them, of which neither does alone.

    Each is all that is wrong with some printed example on which the other makes no difference, and
    none makes a difference by itself where the answer is right. Where both do, whatever comes out
    is theirs; so that is to be on fewer than half of the examples. Where a result has parts, each
    may instead be all that is wrong with those that the other leaves as they are, in every example.
    In a mask one sees which entries are whose. None if two others explain as much.
    """
    printed = [one for one in observations if one.case.printed and not one.case.way]
    failed = [one for one in printed if not one.as_expected]
    # Of answers that say yes or no, any two mistakes explain many between them.
    guessed = all(type(one.case.expected.value) is bool for one in printed)
    if guessed or all(one.outcome.raised for one in failed):
        return ()
    right = [one.case for one in printed if one.as_expected]
    possible = _possible(hints, failed)
    best: dict[frozenset[str], tuple[str, ...]] = {}
    most = 0
    shown = {name: [case.shows(name) for case in right] for name in possible}
    # Two counts are soon equal by chance.
    each = 2 if all(type(one.case.expected.value) is int for one in failed) else 1
    for pair in combinations(possible, 2):
        first, second = pair
        if shown[first] != shown[second]:
            continue
        # Few examples may be of a kind on which many mistakes look alike.
        fewest = (len(failed) + sum(shown[first])) // 2
        alone = _alone(possible[first], possible[second], failed)
        is_enough = min(alone, default=0) and sum(alone) > fewest
        if not is_enough and not any(praises(without_praise(hints[name])) for name in pair):
            alone = _in_parts(possible[first], possible[second], failed)
        count = sum(alone) if min(alone, default=0) >= each and sum(alone) > fewest else 0
        if count > most:
            best, most = {}, count
        if count and count == most:
            best.setdefault(frozenset(hints[name] for name in pair), pair)
    if best:
        # Where others explain as much, nobody knows which they are.
        return next(iter(best.values())) if len(best) == 1 else ()
    if any(_wrong(one.outcome.value, one) is None for one in failed):
        return ()
    contradicted = {name for name in hints if any(case.shows(name) for case in right)}
    return _two_in_masks(failed, [name for name in hints if name not in contradicted])


def one_of_more(observations: Sequence[Observation], hints: Mapping[str, str]) -> str:
    """The hint of a misconception that is all that is wrong in half of the printed examples, or
    more, and says that others show something else; nothing where two could be.

    What it gets wrong is wrong there in just this way, in many numbers. And it makes no difference
    where the answer is right.
    """
    printed = [one for one in observations if one.case.printed and not one.case.way]
    failed = [one for one in printed if not one.as_expected]
    right = [one.case for one in printed if one.as_expected]
    found: dict[str, list[bool]] = {}
    for name, slips in _possible(hints, failed).items():
        hint = without_praise(hints[name])
        if not praises(hint) and not any(case.shows(name) for case in right):
            its = [_is_its(name, *one) for one in zip(slips, failed, strict=True)]
            if 2 * sum(its) >= len(its):
                found[name] = its
    most = max(map(sum, found.values()), default=0)
    best = {without_praise(hints[name]): its for name, its in found.items() if sum(its) == most}
    if len(best) != 1:
        return ""
    ((hint, its),) = best.items()
    rest = [one.case.label for one, is_its in zip(failed, its, strict=True) if not is_its]
    where = f' on "{rest[0]}"' if rest else ""
    return f"{hint} And{where} {MORE_TO_MEND}."


def _is_its(name: str, slip: "_Slip | None", observation: Observation) -> bool:
    """Whether an answer has, on a call, all that a misconception gets wrong, and that is much."""
    if slip is None or observation.outcome.raised:
        return False
    is_like = slip.likeness == ALL or (slip.parts and slip.parts <= slip.like)
    return bool(is_like) and is_telling(_spoilt_numbers(name, observation))


def _spoilt_numbers(name: str, observation: Observation) -> list[np.ndarray]:
    """What a misconception gets wrong on a call, part by part, but for gradients."""
    case = observation.case
    found = dict(numbers_in_parts(case.lookalikes[name]().value, case.names, kinds=TOLD))
    wrong = []
    for part, expected in numbers_in_parts(case.expected.value, case.names, kinds=TOLD):
        there = found.get(part)
        if there is None or is_gradient(part):
            continue
        if (there.shape, there.dtype.kind) == (expected.shape, expected.dtype.kind):
            there = there[~case.tolerance.of(part).allows(expected, there)]
        wrong.append(there)
    return wrong


def explain(two: Sequence[str], observations: Sequence[Observation]) -> bool:
    """Whether two misconceptions explain, between them, all that is wrong with an answer."""
    failed = [one for one in observations if one.wrong and not one.case.way]
    first, second = ([_seen(name, one) for one in failed] for name in two)
    if failed and _alone(first, second, failed):
        return True
    wrong = [_wrong(one.outcome.value, one) for one in failed]
    one, other = (_spoilt(name, failed) for name in two)
    return bool(failed) and _are_apart(one, other, wrong)


def _two_in_masks(failed: Sequence[Observation], names: Collection[str]) -> tuple[str, ...]:
    """Two misconceptions that have, in different entries, all that is wrong with a mask."""
    wrong = [_wrong(one.outcome.value, one) for one in failed]
    spoilt = {name: _spoilt(name, failed) for name in names}
    pairs = [
        (first, second)
        for first, second in combinations(spoilt, 2)
        if _are_apart(spoilt[first], spoilt[second], wrong)
    ]
    # Where another pair has the same entries, nobody knows which it is.
    return pairs[0] if len(pairs) == 1 else ()


def _spoilt(name: str, failed: Sequence[Observation]) -> list[_Entries]:
    runs = [one.case.lookalikes.get(name) for one in failed]
    return [run and _wrong(run().value, one) for run, one in zip(runs, failed, strict=True)]


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


def _possible(
    names: Collection[str], failed: Sequence[Observation]
) -> dict[str, list["_Slip | None"]]:
    """The misconceptions that an answer is like on some call, and what each does on every one.

    Where a driver trains, or repeats calls to see what is random, a misconception takes a hundred
    times as long. One that shows on plain calls, and that the answer is like on none of these, is
    asked no further.
    """
    ways = [one.case.plainness[1] for one in failed]
    plain = [one for one, way in zip(failed, ways, strict=True) if way == min(ways)]
    found: dict[str, list[_Slip | None]] = {}
    for name in names:
        slips = [_seen(name, one) for one in plain]
        if any(slips) and not any(map(_is_like, slips)):
            continue
        slips = [_seen(name, one) for one in failed]
        if any(map(_is_like, slips)):
            found[name] = slips
    return found


@dataclass(frozen=True)
class _Slip:
    """How like an answer is to a misconception on a call, and which parts that gets wrong.

    `like` are those of the parts in which the answer is like it, and `telling` those of more than a
    yes or no, which comes about in many ways. Gradients are none of them: they follow from what is
    computed, and the other slip may have changed that.
    """

    likeness: int
    parts: frozenset[str] = frozenset()
    like: frozenset[str] = frozenset()
    telling: frozenset[str] = frozenset()


def _seen(name: str, observation: Observation) -> _Slip | None:
    """What a misconception does on a call; None where it makes no difference."""
    case, received = observation.case, observation.outcome
    if not case.shows(name):
        return None
    likeness, lookalike = likeness_to(name, observation), case.lookalikes[name]()
    # Most values are a single part, of which nothing more is to be found out.
    if not _has_parts(case.expected.value) or lookalike.raised or received.raised:
        return _Slip(likeness)
    if lookalike.changed != received.changed:
        return _Slip(likeness)
    parts = {fault.part for fault in case.faults(lookalike) if not is_gradient(fault.part)}
    tolerance = case.tolerance_of(name)
    unlike = [
        one.part for one in differences(lookalike.value, received.value, tolerance, case.names)
    ]
    like = {part for part in parts if not any(overlap(part, other) for other in unlike)}
    yes_or_no = {
        part
        for part, value in numbers_in_parts(case.expected.value, case.names, kinds="b")
        if not value.ndim
    }
    return _Slip(likeness, frozenset(parts), frozenset(like), frozenset(parts - yes_or_no))


def _has_parts(value: object) -> bool:
    """Whether a value is made of several parts, besides its gradients."""
    parts = value if isinstance(value, Mapping | tuple | list) else ()
    return sum(not (isinstance(part, str) and is_gradient(part)) for part in parts) > 1


def _is_like(slip: _Slip | None) -> bool:
    return slip is not None and bool(slip.likeness or slip.like)


def _alone(
    first: Sequence[_Slip | None], second: Sequence[_Slip | None], failed: Sequence[Observation]
) -> tuple[int, ...]:
    """How many failed cases each of two misconceptions explains alone; none if one is left over."""
    counted = [0, 0]
    for one, other, case in zip(first, second, failed, strict=True):
        if one is not None and other is not None:
            continue
        alone = one or other
        # Of another slip that meets the same wall, the words of an exception may be the same.
        if alone is None or alone.likeness != ALL or case.outcome.raised:
            return ()
        counted[int(one is None)] += 1
    return tuple(counted)


def _in_parts(
    first: Sequence[_Slip | None], second: Sequence[_Slip | None], failed: Sequence[Observation]
) -> tuple[int, ...]:
    """How many failed cases are explained by each of two misconceptions in parts of its own.

    A case counts once, for the one that has fewer. None if something is left over: a part of one
    alone in which the answer is not like it, or one that neither gets wrong.
    """
    counted = [0, 0]
    if not _alone(first, second, failed):
        return ()
    for one, other, case in zip(first, second, failed, strict=True):
        slips = (one or _Slip(0), other or _Slip(0))
        own = [
            {part for part in slip.parts if not any(overlap(part, its) for its in another.parts)}
            for slip, another in (slips, slips[::-1])
        ]
        known = slips[0].parts | slips[1].parts
        wrong = {fault.part for fault in case.wrong if not is_gradient(fault.part)}
        if any(parts - slip.like for parts, slip in zip(own, slips, strict=True)) or any(
            not any(overlap(part, its) for its in known) for part in wrong
        ):
            return ()
        with_own = [
            place
            for place, (parts, slip) in enumerate(zip(own, slips, strict=True))
            if parts & slip.telling
        ]
        if with_own:
            counted[min(with_own, key=lambda place: counted[place])] += 1
    return tuple(counted)
