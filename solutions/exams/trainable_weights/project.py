"""The exam of `project`, lesson 03."""

from itertools import product

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.sixteen_bits import bfloat16_stays
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


@projected.example
def square_words() -> Four:
    """three words of three features, matrices of three by three"""
    return wave(3, 3), wave(3, 3, shift=1), wave(3, 3, shift=2), wave(3, 3, shift=3)


@projected.example
def wide_values() -> Four:
    """two words, whose values have more features than queries and keys"""
    return wave(2, 3), wave(3, 2, shift=1), wave(3, 2, shift=2), wave(3, 4, shift=3)


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


projected.holds(bfloat16_stays)


def examine_choice(chosen: tuple[int, ...]) -> None:
    """Vectors that are made by other matrices than their own."""

    def other_matrices(inputs: Tensor, *matrices: Tensor) -> Triple:
        queries, keys, values = (inputs @ matrices[which] for which in chosen)
        return queries, keys, values

    made = [f"your {VECTORS[i]} with `{MATRICES[j]}`" for i, j in enumerate(chosen) if i != j]
    other_matrices.__name__ = "made_by_" + "_".join("qkv"[which] for which in chosen)
    # The wrong matrix and the wrong order look alike.
    other_matrices.__doc__ = (
        f"You made {' and '.join(made)}, or returned the three in another order. Use for each its "
        "own matrix, and return them in the order queries, keys, values."
    )
    projected.misconception(other_matrices)


VECTORS, MATRICES = ("queries", "keys", "values"), ("W_query", "W_key", "W_value")
for choice in product(range(3), repeat=3):
    if choice != (0, 1, 2):
        examine_choice(choice)


@projected.misconception
def transposed_matrices(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """In effect, you multiplied by one or more transposed matrices. All three are already (d_in,
    d_k) or (d_in, d_v): use them as they are.
    """
    return inputs @ W_query.T, inputs @ W_key.T, inputs @ W_value.T


@projected.misconception
def matrices_on_the_left(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """A matrix is on the left of the words. Words are rows here, so put the inputs first: their
    features have to meet the rows of each matrix.
    """
    return W_query @ inputs, W_key @ inputs, W_value @ inputs


@projected.misconception
def in_three_equal_parts(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """You cut what one joined matrix gives into three equal parts. Values may have other features
    than queries and keys: cut after d_k and 2 · d_k, as `torch.split` does with a list of sizes.
    """
    joined = inputs @ torch.cat([W_query, W_key, W_value], dim=1)
    queries, keys, values = torch.tensor_split(joined, 3, dim=-1)
    return queries, keys, values


@projected.misconception
def words_on_columns(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your results have one word per column. In this exercise words are rows, in the inputs and in
    the results.
    """
    return W_query.T @ inputs.T, W_key.T @ inputs.T, W_value.T @ inputs.T


@projected.misconception
def query_as_it_is(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your queries are the words themselves. Queries, keys and values each have a matrix of their
    own.
    """
    return inputs, inputs @ W_key, inputs @ W_value


@projected.misconception
def value_as_it_is(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """Your values are the words themselves, as in lesson 02. Here queries, keys and values each
    have a matrix of their own.
    """
    return inputs @ W_query, inputs @ W_key, inputs


@projected.misconception
def values_of_the_keys(inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Triple:
    """You computed the values from the keys. All three are computed from the same thing: the
    words.
    """
    keys = inputs @ W_key
    return inputs @ W_query, keys, keys @ W_value


TENSOR_DTYPE.apply(projected)


@projected.accepts
def projected_word_by_word(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, ...]:
    """One word at a time, stacked.

    One word at a time, stacked afterwards. It shows that a projection never mixes words: each
    is multiplied on its own.
    """
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
    """The functional form of a linear layer.

    `nn.functional.linear` multiplies by the transposed matrix, so the matrix is transposed
    first. It is what `nn.Linear` calls.
    """
    return tuple(nn.functional.linear(inputs, W.T) for W in (W_query, W_key, W_value))
