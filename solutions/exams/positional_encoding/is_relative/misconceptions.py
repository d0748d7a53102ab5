"""The known wrong answers to `is_relative`, lesson 06."""

import torch
from torch import Tensor

from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.positional_encoding.is_relative.exam import Scoring, relative


def _same(here: Tensor, there: Tensor) -> bool:
    return torch.allclose(here, there, rtol=1e-4, atol=1e-5)


class Compared(Comparison):
    """The scores at the positions, and further on."""

    def pairs(
        self, scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
    ) -> Pairs:
        yield scores(queries, keys, positions), scores(queries, keys, positions + shift)


VERDICT.apply(
    relative,
    Compared,
    called={
        "AlwaysTrue": "compared_with_itself",
        "TurnedRound": "the_other_verdict",
        "ATableOfTruths": "a_verdict_for_each",
    },
    without=["AlwaysFalse"],
)
CLOSENESS.apply(
    relative,
    Compared,
    called={
        "RisesOverlooked": "without_absolute_value",
        "FallsOverlooked": "without_absolute_value_reversed",
    },
    without=["TooGenerous"],
)
EXTENT.apply(
    relative,
    Compared,
    called={"FirstRowOnly": "first_query_only", "LastRowOnly": "last_query_only"},
    says={
        "FirstRowOnly": "You leave out queries, the last one at least: `last_query_added` gets "
        "through. Compare the scores of all of them.",
        "LastRowOnly": "Only the scores of the last query count in your test: `first_query_added` "
        "gets through. Compare those of all queries. If you do so in a loop, does the last pass "
        "overwrite what earlier ones found?",
    },
)


@relative.misconception
def shuffled(scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int) -> bool:
    """In your second text the positions are in another order, such as reversed. That changes the
    distances, so the scores may well change, too. Move all positions by the same number.
    """
    return _same(scores(queries, keys, positions), scores(queries, keys, positions.flip(0)))


@relative.misconception
def stretched(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Your second text has other distances between its tokens: their positions are multiplied, for
    example, or put in another order. Add the shift to each position.
    """
    return _same(scores(queries, keys, positions), scores(queries, keys, positions * shift))


@relative.misconception
def best_keys_alone(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare which keys have the highest scores, or their order. These can stay the same while
    the scores change: compare all the scores.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return torch.equal(here.argmax(dim=-1), there.argmax(dim=-1))


@relative.misconception
def one_token_moved(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You move some tokens further than others, or not at all, and so the distances change. Add the
    same shift to all positions.
    """
    moved = positions.clone()
    moved[-1] += shift
    return _same(scores(queries, keys, positions), scores(queries, keys, moved))


@relative.misconception
def words_moved(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You return False even for scores that do not depend on positions. Compare the same pair of
    words before and after the move. Scores of other pairs differ anyway, and so do those of queries
    or keys to which something was added: add the shift to the positions only.
    """
    here = scores(queries, keys, positions)
    return _same(here, scores(queries + shift, keys + shift, positions))


@relative.misconception
def by_the_sum(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare a sum or an average, in which one score can make up for another. Compare score by
    score.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here.sum(dim=0), there.sum(dim=0))


@relative.misconception
def one_score_only(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare too few scores: the score of every query with every key has to agree."""
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here[:2, :2], there[:2, :2])


@relative.misconception
def first_key_only(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare the scores for some keys, but not for all: `last_key_added` gets through. Each
    query's score for each key has to agree.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here[:, 0], there[:, 0])


@relative.misconception
def itself_only(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare too few scores, such as a single one, or the diagonal: tokens with themselves, at
    distance 0. Each query's score for each key has to agree.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here.diagonal(), there.diagonal())


@relative.misconception
def moved_by_one(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You always move by the same few positions, such as 1. Some scores only change with larger
    moves: move by `shift`.
    """
    return _same(scores(queries, keys, positions), scores(queries, keys, positions + 1))


@relative.misconception
def moved_back(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You move the text the other way, by −shift. In that direction, a scoring function that
    depends on the positions may give the same scores: add the shift.
    """
    return _same(scores(queries, keys, positions), scores(queries, keys, positions - shift))


@relative.misconception
def counted_from_the_shift(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Your second text counts its positions from `shift`. The tokens already have positions, in
    `positions`: add the shift to these.
    """
    moved = torch.arange(len(positions)) + shift
    return _same(scores(queries, keys, positions), scores(queries, keys, moved))


@relative.misconception
def too_tolerant(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You let a slow drift pass, in which all scores fall or rise together. Either the tolerance is
    too wide, where rounding changes these scores by less than 1e-8, or a softmax has removed the
    drift: compare the scores themselves.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return torch.allclose(here, there, rtol=0.0, atol=0.03)


@relative.misconception
def a_thousandth_allowed(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You allow for more than rounding: scores that drift by less than a thousandth pass your test,
    and rounding changes these scores by less than 1e-8. Leave torch.allclose its own tolerances.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return torch.allclose(here, there, atol=1e-3)


@relative.misconception
def only_rounding_in_float64(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Your tolerance is too small for float32, whose numbers have about seven digits: there,
    rounding alone makes your test return False, and the larger the scores, the more there is of it.
    Leave torch.allclose its own tolerances: `rtol` grows with the scores.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return torch.allclose(here, there, rtol=0, atol=1e-12)


@relative.misconception
def same_bound_for_all(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Your bound is the same for scores of any size, but rounding grows with them: in float32, of
    scores in the hundreds alone more is lost. Leave torch.allclose its own `rtol`, which grows as
    well.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return torch.allclose(here, there, rtol=0, atol=1e-6)


@relative.misconception
def infinity_less_infinity(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """A score that is −∞ before and after the move has not changed, as under a mask. But −∞ minus
    −∞ is NaN, and NaN is not below any bound. torch.allclose takes equal infinities for equal.
    """
    gap = scores(queries, keys, positions) - scores(queries, keys, positions + shift)
    return bool(gap.abs().max() < 1e-5)


@relative.misconception
def infinity_less_infinity_as_a_share(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """A score that is −∞ before and after the move has not changed, as under a mask. But −∞ minus
    −∞ is NaN, which is no small share of anything. torch.allclose takes equal infinities for equal.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return bool(((here - there).abs() / (1 + here.abs()) < 1e-4).all())


@relative.misconception
def gap_below_float32(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """Two things are wrong with the difference that you take: −∞ minus −∞ is NaN, though such a
    score has not changed, and your bound is smaller than rounding errors in float32. torch.allclose
    has tolerances that fit, and takes equal infinities for equal.
    """
    gap = scores(queries, keys, positions) - scores(queries, keys, positions + shift)
    return bool(gap.abs().max() < 1e-8)


@relative.misconception
def weights_compared(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You compare weights, after a softmax. It takes away a drift in which all scores of a query
    fall or rise together: compare the scores themselves.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here.softmax(dim=-1), there.softmax(dim=-1))


@relative.misconception
def by_the_norm(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You do not notice when scores are exchanged among the keys. A norm, a maximum or sorted
    scores cannot show that: compare each score with the one at the same position.
    """
    here, there = scores(queries, keys, positions), scores(queries, keys, positions + shift)
    return _same(here.sort(dim=-1).values, there.sort(dim=-1).values)


@relative.misconception
def positions_overwritten(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """The verdict is right, but you have moved the caller's positions, too, as `positions += shift`
    does. Make new ones.
    """
    here = scores(queries, keys, positions)
    positions += shift
    return _same(here, scores(queries, keys, positions))


@relative.misconception
def overwritten_at_once(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """You move the caller's positions, so both calls get the same ones. `moved = positions` is a
    second name for them, and `+=` changes both: add with `+`.
    """
    positions += shift
    return _same(scores(queries, keys, positions), scores(queries, keys, positions))
