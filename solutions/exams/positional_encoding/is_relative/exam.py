"""The exam of `is_relative`, lesson 06: what it is tried on."""

from collections.abc import Callable

import torch
from torch import Tensor

import companion.specimens.position_scores as specimens
from autograder import Draw, Exam
from solutions import positional_encoding as reference
from solutions.exams.positional_encoding._specimens import SOME_KEYS, SOME_QUERIES
from solutions.exams.spoiled import cancelling, exchanging, last_digits_changed, late_place, spoiled

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


def nearest_first(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """Dot products divided by the distance: relative."""
    return queries @ keys.T / (1 + (positions[:, None] - positions).abs())


def look_back(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """Only keys that stand before the query count: relative."""
    return queries @ keys.T * (positions < positions[:, None])


def biases_looked_up(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """A bias for each distance, from a table, as in T5: relative."""
    distances = (positions[:, None] - positions).clamp(-8, 8)
    return queries @ keys.T + torch.linspace(-1, 1, 17, dtype=queries.dtype).sin()[distances + 8]


def keys_in_order(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """Late keys are favoured: not relative."""
    return queries @ keys.T + 0.01 * positions


def even_and_odd(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """Even positions are louder: not relative, unless the shift is even."""
    return queries @ keys.T * (1 + 0.5 * (positions % 2 == 0))


def first_row_fixed(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """Only the first query ignores positions, the others add sinusoids: not relative."""
    scores = specimens.sinusoids_added(queries, keys, positions)
    scores[0] = queries[0] @ keys.T
    return scores


def a_little_louder(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
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
        biases_looked_up,
        keys_in_order,
        even_and_odd,
        first_row_fixed,
        a_little_louder,
        specimens.gains_and_losses,
        specimens.first_query_added,
        specimens.last_query_added,
        specimens.last_key_added,
        specimens.slower_far_out,
        specimens.far_gets_louder,
        specimens.going_round,
    ),
    every_other_position,
    times=1,
)


def moved_far(draw: Draw) -> Moved:
    """So far that a slow drift is more than a share of any score."""
    return every_other_position(draw, by=70)


relative.tries([specimens.drifting], moved_far, times=1)


def wrong_once_moved(draw: Draw, tokens: int, wrong: Callable[[Tensor], Tensor]) -> Trial:
    """Scores that are right at their positions, and wrong at any others."""
    queries, keys, here, by = every_other_position(draw.fix(tokens=tokens))
    # Whoever sorts them moves them from the start.
    here = here.flip(0)

    def scores(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
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


def causal(scores: Tensor, positions: Tensor) -> Tensor:
    """Scores with −∞ for each key that stands behind the query."""
    return scores.masked_fill(positions > positions[:, None], -torch.inf)


def masked_rope(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """RoPE under a causal mask: relative."""
    return causal(specimens.rope_scores(queries, keys, positions), positions)


def masked_drift(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """Under a causal mask, all scores fall together as the text moves: not relative."""
    return causal(specimens.drifting(queries, keys, positions), positions)


def masked_at_the_beginning(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """RoPE, where keys at the positions below 5 are hidden: not relative."""
    scores = specimens.rope_scores(queries, keys, positions)
    return scores.masked_fill(positions < 5, -torch.inf)


@relative.case(times=1)
def masked_scores(draw: Draw) -> Trial:
    """rope, with a score of −∞ for keys that stand behind the query"""
    return masked_rope, *every_other_position(draw)


relative.tries([masked_drift], moved_far, times=1)
relative.tries([masked_at_the_beginning], every_other_position, times=1)


def rounded_by_the_positions(queries: Tensor, keys: Tensor, positions: Tensor, /) -> Tensor:
    """Dot products, of which the positions decide the last digit: relative."""
    found = queries @ keys.T
    return last_digits_changed(found, positions.sum().to(found.dtype))


def near_one(draw: Draw) -> Moved:
    """Scores that no test can take for rounding errors, nor their last digits for more."""
    queries, keys, positions, by = every_other_position(draw)
    return queries.softmax(dim=-1), 1 + keys.sigmoid(), positions, by


@relative.case(times=1, dtypes=("float32",))
def rounding_in_float32(draw: Draw) -> Trial:
    """rounding is all that changes, of scores in float32"""
    return rounded_by_the_positions, *near_one(draw)


@relative.case(times=1, dtypes=("float32",))
def rounding_of_hundreds(draw: Draw) -> Trial:
    """rounding is all that changes, of scores in the hundreds, in float32"""
    # Their last digits are above 1e-5: rounding grows with the scores.
    queries, keys, positions, by = near_one(draw)
    return rounded_by_the_positions, queries, 300 * keys, positions, by


@relative.case(times=1, dtypes=("float32",))
def drift_in_float32(draw: Draw) -> Trial:
    """scores that fall a little with each position, in float32"""
    return specimens.drifting, *near_one(draw)


# Together, since a difference that has to stay below a small number gets both wrong.
relative.half_but_for(
    "scores of −∞, or those that are rounded to float32",
    masked_scores,
    rounding_in_float32,
    rounding_of_hundreds,
    drift_in_float32,
)
