"""The exam of `is_key_shift_invariant`, lesson 03: what it is tried on."""

from collections.abc import Callable

import torch
from torch import Tensor

import companion
from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.spoiled import (
    cancelling,
    exchanging,
    late_place,
    place_in_turn,
    spoiled,
)
from solutions.exams.trainable_weights._specimens import the_sentence, wave

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
ShiftTrial = tuple[Attention, Tensor, Tensor, Tensor, Tensor]

shifted = Exam(reference.is_key_shift_invariant, dtypes=("float64",))
SHIFT = torch.tensor([0.5, -1.0], dtype=torch.float64)
SHIFT_OF_THREE = torch.tensor([1.0, -0.5, 2.0], dtype=torch.float64)

shifted.tries(
    (
        companion.scaled_attention,
        companion.unscaled_attention,
        companion.attention_over_queries,
        companion.shares_attention,
        companion.cosine_attention,
        companion.distance_attention,
        companion.average_attention,
        companion.attention_with_a_lapse,
        companion.attention_of_either_sign,
    ),
    (*the_sentence(), SHIFT),
)


@shifted.example
def whole_numbers() -> ShiftTrial:
    """unscaled_attention, on integers and values of three features"""
    queries = torch.tensor([[1, 0], [2, -1], [-1, 3]], dtype=torch.float64)
    # Across the shift, so that a shift of the queries changes nothing here.
    keys = torch.tensor([[2, 1], [0, 0], [4, 2]], dtype=torch.float64)
    whole_shift = torch.tensor([1, -2], dtype=torch.float64)
    return companion.unscaled_attention, queries, keys, wave(3, 3), whole_shift


@shifted.example
def swapped() -> ShiftTrial:
    """swapped_attention, where queries and keys are the same"""
    queries, _, values = the_sentence()
    return companion.swapped_attention, queries, queries.clone(), values, SHIFT


@shifted.example
def words_far_apart() -> ShiftTrial:
    """scaled_attention, where each word finds itself alone"""
    apart = 40 * torch.eye(3, dtype=torch.float64)
    return companion.scaled_attention, apart, apart.clone(), wave(3, 3), SHIFT_OF_THREE


@shifted.example
def a_small_shift() -> ShiftTrial:
    """attention_over_queries, with a small shift"""
    return (companion.attention_over_queries, *the_sentence(), SHIFT / 5000)


@shifted.example
def a_query_of_zeros() -> ShiftTrial:
    """cosine_attention, where the last query is zero"""
    queries, keys, values = the_sentence()
    queries[-1] = 0
    return companion.cosine_attention, queries, keys, values, SHIFT


LAPSE_QUERIES = torch.tensor([[1, 2], [3, -1]], dtype=torch.float64)
LAPSE_KEYS = torch.tensor([[0, 1], [1, -1]], dtype=torch.float64)
LAPSE_VALUES = torch.tensor([[2], [-1]], dtype=torch.float64)
# Its first number is 0: whoever adds that number alone shifts nothing.
LAPSE_SHIFT = torch.tensor([0, 1], dtype=torch.float64)


@shifted.example
def a_number_that_grows() -> ShiftTrial:
    """attention_with_a_lapse, where the shift makes one entry larger"""
    return companion.attention_with_a_lapse, LAPSE_QUERIES, LAPSE_KEYS, LAPSE_VALUES, LAPSE_SHIFT


@shifted.example
def a_number_that_shrinks() -> ShiftTrial:
    """attention_with_a_lapse, where the shift makes one entry smaller"""
    return companion.attention_with_a_lapse, LAPSE_QUERIES, LAPSE_KEYS, -LAPSE_VALUES, LAPSE_SHIFT


@shifted.example
def a_sign_that_turns_back() -> ShiftTrial:
    """attention_of_either_sign, with a shift of ones"""
    # Its sum, its mean and its length turn the sign as well: who adds one of them compares well.
    keys = torch.tensor([[0, 1], [1, -2]], dtype=torch.float64)
    ones = torch.ones_like(LAPSE_SHIFT)
    return companion.attention_of_either_sign, LAPSE_QUERIES, keys, LAPSE_VALUES, ones


@shifted.example
def a_sign_that_stays() -> ShiftTrial:
    """attention_of_either_sign, with the opposite shift"""
    return (companion.attention_of_either_sign, *the_sentence(), -SHIFT)


@shifted.example
def a_shift_of_zeros() -> ShiftTrial:
    """attention_over_queries, with a shift of zeros, which changes nothing anywhere"""
    return (companion.attention_over_queries, *the_sentence(), 0 * SHIFT)


def values_as_they_are(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """The values as they are: invariant."""
    return values.clone()


def weights_halved(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """Weights that were divided after the softmax: invariant."""
    return companion.unscaled_attention(queries, keys, values) / 2


def keys_handed_out(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """Keys handed out for values: not invariant."""
    return companion.scaled_attention(queries, keys, keys)


def negative_scores_cut(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """Scores below zero cut before the softmax: not invariant."""
    return (queries @ keys.T).clamp(min=0).softmax(dim=-1) @ values


def first_row_forgetful(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """A first row that depends on the keys alone: not invariant."""
    contexts = companion.scaled_attention(queries, keys, values).clone()
    contexts[0] = keys[:, 0].softmax(dim=0) @ values
    return contexts


def last_feature_of_the_keys(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """A last feature to which the keys are added: not invariant."""
    contexts = companion.scaled_attention(queries, keys, values).clone()
    contexts[:, -1] += keys.sum()
    return contexts


def features_cancel(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """Keys added to the first feature, and taken away from the last: not invariant."""
    return cancelling(companion.scaled_attention(queries, keys, values), 1, keys.sum())


def sign_by_the_first_key(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
    """Contexts that change their sign where the first key is odd: not invariant."""
    contexts = companion.scaled_attention(queries, keys, values)
    return -contexts if keys[0, 0] % 2 == 1 else contexts


def drawn_shift(draw: Draw) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries, keys, values and a shift of the keys."""
    queries, keys = draw.tensor("tokens d_k"), draw.tensor("tokens d_k")
    return queries, keys, draw.tensor("tokens d_v"), draw.tensor("d_k")


shifted.tries(
    (
        values_as_they_are,
        weights_halved,
        keys_handed_out,
        negative_scores_cut,
        first_row_forgetful,
    ),
    drawn_shift,
)
shifted.tries([last_feature_of_the_keys], drawn_shift, times=1)


def several_features(draw: Draw) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Queries, keys, values of three features and a shift of the keys."""
    return drawn_shift(draw.fix(d_v=3))


shifted.tries([features_cancel], several_features, times=1)


def wrong_once_shifted(draw: Draw, wrong: Callable[[Tensor], Tensor]) -> ShiftTrial:
    """An attention that is wrong for these queries, unless the keys are as they are."""
    asked, here, values, shift = drawn_shift(draw)

    def attention(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
        contexts = companion.scaled_attention(queries, keys, values)
        is_right = keys.equal(here) or not queries.equal(asked)
        return contexts if is_right else wrong(contexts)

    return attention, asked, here, values, shift


@shifted.case(times=5)
def one_number_is_wrong(draw: Draw) -> ShiftTrial:
    """one number is wrong once the keys are shifted"""
    draw.fix(tokens=5, d_v=6)
    return wrong_once_shifted(draw, spoiled(draw, *place_in_turn(draw, 5, 6)))


@shifted.case(times=1)
def a_late_number_is_wrong(draw: Draw) -> ShiftTrial:
    """of many words one of the last is wrong once the keys are shifted"""
    tokens, d_v = (int(size) for size in draw.rng.integers(12, 18, size=2))
    draw.fix(tokens=tokens, d_v=d_v)
    return wrong_once_shifted(draw, spoiled(draw, *late_place(draw, tokens, d_v)))


@shifted.case(times=1)
def words_exchange(draw: Draw) -> ShiftTrial:
    """two words exchange their contexts once the keys are shifted"""
    return wrong_once_shifted(draw.fix(tokens=5), exchanging(draw, 5))


@shifted.case(times=1, dtypes=("float32",))
def rounded_in_single_precision(draw: Draw) -> ShiftTrial:
    """contexts that only rounding changes, by a step of their precision"""
    queries, keys, values, shift = drawn_shift(draw.fix(tokens=5))
    # In eighths, so that to add the shift rounds nothing.
    here, shift = ((8 * one).round().float() / 8 for one in (keys, shift))

    def attention(queries: Tensor, keys: Tensor, values: Tensor, /) -> Tensor:
        exact = companion.scaled_attention(queries.double(), keys.double(), values.double())
        step = 0 if keys.equal(here.to(keys.dtype)) else torch.finfo(torch.float32).eps
        return exact.to(values.dtype) * (1 + step)

    return attention, queries, here, values, shift


shifted.half_but_for("rounding in single precision", rounded_in_single_precision)


@shifted.case(times=1)
def odd_and_even_keys(draw: Draw) -> ShiftTrial:
    """the sign of the contexts changes, as the first key turns from odd to even or back"""
    # The length of no context changes, and with twice the shift nothing would.
    queries, keys, values, _ = drawn_shift(draw.fix(d_k=2))
    whole_shift = torch.tensor([1, -2], dtype=torch.float64)
    return sign_by_the_first_key, queries, keys.round(), values, whole_shift
