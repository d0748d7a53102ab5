"""Two known mistakes in one answer: neither explains it alone, and both do between them."""

from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from autograder.checks.exam.observation import ALL, Observation, likeness_to


def said_of_two(two: Sequence[str], hints: Mapping[str, str]) -> str:
    """What there is to say of two slips in one answer."""
    return f"Two things differ. {' And then: '.join(hints[name] for name in two)}" if two else ""


def two_slips(observations: Sequence[Observation], names: Collection[str]) -> tuple[str, ...]:
    """Two misconceptions that explain an answer between them, of which neither does alone.

    Each is all that is wrong with some printed example on which the other makes no difference, and
    none makes a difference where the answer is right. Where both do, whatever comes out is theirs;
    so that is to be on fewer than half of the examples.
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
    return best


def explain(two: Sequence[str], observations: Sequence[Observation]) -> bool:
    """Whether two misconceptions explain, between them, all that is wrong with an answer."""
    failed = [one for one in observations if one.wrong and not one.case.way]
    first, second = (_likenesses(name, failed) for name in two)
    return bool(failed) and bool(_alone(first, second, failed))


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
