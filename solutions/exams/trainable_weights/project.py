"""The exam of `project`, lesson 03."""

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.trainable_weights._specimens import (
    INPUTS,
    W_KEY,
    W_QUERY,
    W_VALUE,
    Four,
    Triple,
    wave,
)

projected = Exam(reference.project, returns=("queries", "keys", "values"))


@projected.example
def six_words() -> Four:
    """Your journey starts with one step"""
    return INPUTS, W_QUERY, W_KEY, W_VALUE


@projected.example
def square_matrices() -> Four:
    """two words of three features, matrices of three by three"""
    return wave(2, 3), wave(3, 3, shift=1), wave(3, 3, shift=2), wave(3, 3, shift=3)


def four_drawn(draw: Draw) -> Four:
    """Words and matrices."""
    W_query, W_key = draw.tensor("d_in d_k"), draw.tensor("d_in d_k")
    return draw.tensor("tokens d_in"), W_query, W_key, draw.tensor("d_in d_v")


@projected.case
def random_projections(draw: Draw) -> Four:
    """words and matrices drawn at random"""
    return four_drawn(draw)


@projected.case(times=1)
def one_projected_word(draw: Draw) -> Four:
    """a sentence of one word"""
    return four_drawn(draw.fix(tokens=1))


@projected.misconception
def values_before_keys(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """The keys stand where the values should, and the values where the keys should. The order is
    query, key, value.
    """
    return inputs @ W_query, inputs @ W_value, inputs @ W_key


@projected.misconception
def keys_before_queries(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """The keys stand where the queries should. The order is query, key, value."""
    return inputs @ W_key, inputs @ W_query, inputs @ W_value


@projected.misconception
def transposed_matrices(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """You multiplied by the transposed matrices. They are (d_in, d_k) and (d_in, d_v) as they come,
    so the features of a word meet their rows.
    """
    return inputs @ W_query.T, inputs @ W_key.T, inputs @ W_value.T


@projected.misconception
def matrices_on_the_left(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """The matrix stands on the left of the words. Words are rows here, so their features meet the
    matrix from the left: inputs first.
    """
    return W_query @ inputs, W_key @ inputs, W_value @ inputs


@projected.misconception
def words_on_columns(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your results have one word per column. In this exercise words are rows, in and out."""
    return W_query.T @ inputs.T, W_key.T @ inputs.T, W_value.T @ inputs.T


@projected.misconception
def value_by_the_key_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your values are the keys. A value has a matrix of its own, `W_value`."""
    return inputs @ W_query, inputs @ W_key, inputs @ W_key


@projected.misconception
def key_by_the_query_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your keys are the queries. A key has a matrix of its own, `W_key`."""
    return inputs @ W_query, inputs @ W_query, inputs @ W_value


@projected.misconception
def query_by_the_key_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your queries are the keys. A query has a matrix of its own, `W_query`."""
    return inputs @ W_key, inputs @ W_key, inputs @ W_value


@projected.misconception
def value_by_the_query_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """Your values are the queries. A value has a matrix of its own, `W_value`."""
    return inputs @ W_query, inputs @ W_key, inputs @ W_query


@projected.misconception
def all_by_the_query_matrix(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> Triple:
    """All three are the queries. Each has a matrix of its own: `W_query`, `W_key`, `W_value`."""
    return inputs @ W_query, inputs @ W_query, inputs @ W_query


@projected.misconception
def query_as_it_is(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your queries are the words themselves. The query has a matrix as well: all three do."""
    return inputs, inputs @ W_key, inputs @ W_value


@projected.misconception
def value_as_it_is(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your values are the words themselves, as in lesson 02. Here the value has a matrix as well:
    all three do.
    """
    return inputs @ W_query, inputs @ W_key, inputs


@projected.misconception
def values_of_the_keys(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """You made the values of the keys. All three are made of the same thing: the words."""
    keys = inputs @ W_key
    return inputs @ W_query, keys, keys @ W_value


TENSOR_DTYPE.apply(projected)


@projected.accepts
def projected_word_by_word(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    """One word at a time, stacked."""
    matrices = (W_query, W_key, W_value)
    return tuple(torch.stack([word @ W for word in inputs]) for W in matrices)


@projected.accepts
def projected_by_einsum(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> list[Tensor]:
    """Index expressions, in a list."""
    return [torch.einsum("td,dk->tk", inputs, W) for W in (W_query, W_key, W_value)]


@projected.accepts
def projected_by_linear(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    """The functional form of a linear layer."""
    return tuple(nn.functional.linear(inputs, W.T) for W in (W_query, W_key, W_value))
