"""The exam of `is_relative`, lesson 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

import companion.specimens.position_scores as specimens
from autograder import Draw, Exam
from solutions import positional_encoding as reference
from solutions.exams.families import CLOSENESS, EXTENT, VERDICT, Comparison, Pairs
from solutions.exams.positional_encoding._specimens import SOME_KEYS, SOME_QUERIES
from solutions.exams.spoiled import cancelling, exchanging, late_place, spoiled

Scoring = Callable[[Tensor, Tensor, Tensor], Tensor]
Moved = tuple[Tensor, Tensor, Tensor, int]
Trial = tuple[Scoring, *Moved]

relative = Exam(reference.is_relative, dtypes=("float64",))

FIRST_FOUR = torch.arange(4)

for scoring, first, by in (
    (specimens.no_positions, 0, 3),
    (specimens.rope_scores, 0, 3),
    (specimens.rope_scores, 2, 41),
    (specimens.alibi_scores, 0, 3),
    (specimens.sinusoids_added, 0, 3),
    (specimens.sinusoids_alone, 0, 3),
    (specimens.rope_on_queries_only, 0, 3),
    (specimens.rope_restarted, 0, 3),
    (specimens.rope_wrapped, 12, 3),
    (specimens.rope_wrapped, 2, 13),
    (specimens.rope_mispaired, 0, 3),
    (specimens.first_is_special, 0, 3),
    (specimens.first_is_special, 3, 3),
    (specimens.every_second, 0, 3),
    (specimens.slower_far_out, 0, 3),
    (specimens.first_query_added, 0, 3),
    (specimens.last_query_added, 0, 3),
    (specimens.last_key_added, 0, 3),
    (specimens.gains_and_losses, 0, 3),
    (specimens.drifting, 0, 3),
    (specimens.far_gets_louder, 0, 3),
    (specimens.going_round, 0, 3),
):
    relative.tries(
        [scoring],
        (SOME_QUERIES, SOME_KEYS, FIRST_FOUR + first, by),
        on=f"positions {first} to {first + 3} moved by {by}",
    )


def nearest_first(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Dot products divided by the distance: relative."""
    return queries @ keys.T / (1 + (positions[:, None] - positions).abs())


def look_back(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Only keys that stand before the query count: relative."""
    return queries @ keys.T * (positions < positions[:, None])


def keys_in_order(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Late keys are favoured: not relative."""
    return queries @ keys.T + 0.01 * positions


def even_and_odd(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Even positions are louder: not relative, unless the shift is even."""
    return queries @ keys.T * (1 + 0.5 * (positions % 2 == 0))


def first_row_fixed(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Only the first query ignores positions, the others add sinusoids: not relative."""
    scores = specimens.sinusoids_added(queries, keys, positions)
    scores[0] = queries[0] @ keys.T
    return scores


def a_little_louder(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
    """Each position is louder than the one before, by half a thousandth: not relative."""
    return specimens.rope_scores(queries, keys, positions) * (1 + 0.0005 * positions)


def every_other_position(draw: Draw, by: int = 7) -> Moved:
    """Queries, keys, their positions, and by how much these are moved."""
    queries = draw.fix(d_k=6).tensor("tokens d_k")
    keys = draw.tensor("tokens d_k")
    positions = torch.arange(len(queries)) * 2 + int(draw.rng.integers(5))
    return queries, keys, positions, by


relative.tries(
    (
        nearest_first,
        look_back,
        keys_in_order,
        even_and_odd,
        first_row_fixed,
        a_little_louder,
        specimens.gains_and_losses,
        specimens.first_query_added,
        specimens.last_query_added,
        specimens.last_key_added,
        specimens.slower_far_out,
        specimens.drifting,
        specimens.far_gets_louder,
        specimens.going_round,
    ),
    every_other_position,
    times=1,
)


def wrong_once_moved(draw: Draw, tokens: int, wrong: Callable[[Tensor], Tensor]) -> Trial:
    """Scores that are right at their positions, and wrong at any others."""
    queries, keys, here, by = every_other_position(draw.fix(tokens=tokens))

    def scores(queries: Tensor, keys: Tensor, positions: Tensor) -> Tensor:
        found = specimens.rope_scores(queries, keys, positions)
        return found if positions.equal(here) else wrong(found)

    return scores, queries, keys, here, by


@relative.case(times=7)
def one_score_is_wrong(draw: Draw) -> Trial:
    """one score is wrong once the positions have moved"""
    query, keys_on = draw.in_turn(range(7)), int(draw.rng.integers(1, 7))
    return wrong_once_moved(draw, 7, spoiled(draw, query, (query + keys_on) % 7))


@relative.case(times=2)
def a_late_score_is_wrong(draw: Draw) -> Trial:
    """of many scores one of the last is wrong once the positions have moved"""
    tokens = int(draw.rng.integers(*draw.in_turn(((12, 20), (60, 120)))))
    return wrong_once_moved(draw, tokens, spoiled(draw, *late_place(draw, tokens, tokens)))


@relative.case(times=1)
def scores_cancel(draw: Draw) -> Trial:
    """once the positions have moved, two scores are too large, and two too small by as much"""
    return wrong_once_moved(draw, 5, lambda found: cancelling(found, 0))


@relative.case(times=1)
def queries_exchange(draw: Draw) -> Trial:
    """two queries exchange their scores once the positions have moved"""
    return wrong_once_moved(draw, 5, exchanging(draw, 5))


@relative.case(times=1)
def even_shift(draw: Draw) -> Trial:
    """even positions are louder, the shift is even"""
    return even_and_odd, *every_other_position(draw, by=6)


@relative.case(times=1)
def other_order(draw: Draw) -> Trial:
    """rope, the tokens in another order"""
    queries, keys, positions, by = every_other_position(draw)
    return specimens.rope_scores, queries, keys, positions.flip(0) + 3, by


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
    """You move one token, or not all of them, and so the distances change. Move all tokens."""
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


@relative.accepts
def by_plain_allclose(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """allclose with its own tolerances."""
    return torch.allclose(
        scores(queries, keys, positions), scores(queries, keys, shift + positions)
    )


@relative.accepts
def by_greatest_gap(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """The largest difference is small."""
    gap = scores(queries, keys, positions + shift) - scores(queries, keys, positions)
    return bool(gap.abs().max() < 1e-6)


@relative.accepts
def score_by_score(
    scores: Scoring, queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    """A loop over all scores."""
    here = scores(queries, keys, positions).flatten().tolist()
    there = scores(queries, keys, torch.add(positions, shift)).flatten().tolist()
    return all(
        math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in zip(here, there, strict=True)
    )
