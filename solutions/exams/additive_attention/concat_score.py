"""The exam of `concat_score`, lesson 01."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    STATE,
    W_KEY,
    W_QUERY,
    WORDS,
    Many,
    V,
    concat_arguments,
    joined,
)
from solutions.exams.families import LOOP, TENSOR_DTYPE

concat = Exam(reference.concat_score)


@concat.example
def one_state_three_words() -> Many:
    """one state and three words"""
    return STATE, WORDS, torch.cat([W_QUERY, W_KEY]), V


@concat.example
def large_state() -> Many:
    """a state with large entries"""
    return 3 * STATE, WORDS[:2], torch.cat([W_QUERY, W_KEY]), V


@concat.case
def any_words(draw: Draw) -> Many:
    """states drawn at random"""
    return concat_arguments(draw)


@concat.case(times=1)
def one_annotation(draw: Draw) -> Many:
    """a sentence of one word"""
    return concat_arguments(draw.fix(source=1))


@concat.case(times=1)
def equal_widths(draw: Draw) -> Many:
    """as many words as the state has features"""
    return concat_arguments(draw.fix(source=3, query_dim=3, key_dim=3))


@concat.misconception
def annotation_in_front(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """The first rows of W meet the annotation here, and the last ones the state. The widths add up
    either way, so there is no error, but the first rows are meant for the state: [s ; h].
    """
    states = state.expand(len(annotations), -1)
    return torch.tanh(torch.cat([annotations, states], dim=-1) @ W) @ v


@concat.misconception
def concat_without_tanh(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """The tanh is missing. Without it the state adds the same number to every score, so the weights
    do not depend on the state at all.
    """
    return joined(state, annotations) @ W @ v


@concat.misconception
def concat_tanh_at_the_end(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """You took the tanh of the score. Take the tanh of the hidden layer, before v."""
    return torch.tanh(joined(state, annotations) @ W @ v)


@concat.misconception
def concat_tanh_before_the_matrix(
    state: Tensor, annotations: Tensor, W: Tensor, v: Tensor
) -> Tensor:
    """You took the tanh of the state and the annotations themselves. Take it after W."""
    return torch.tanh(joined(state, annotations)) @ W @ v


@concat.misconception
def concat_without_v(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """You added up the hidden layer. Multiply it by v: each hidden feature has its own weight."""
    return torch.tanh(joined(state, annotations) @ W).sum(dim=-1)


@concat.misconception
def hidden_layer_only(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """This is the hidden layer, with several features for each word. One step is missing: its
    product with v.
    """
    return torch.tanh(joined(state, annotations) @ W)


@concat.misconception
def times_v_not_summed(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """You multiplied by v entry by entry but did not add up the products. A score is a single
    number.
    """
    return torch.tanh(joined(state, annotations) @ W) * v


@concat.misconception
def concat_summed_over_the_words(
    state: Tensor, annotations: Tensor, W: Tensor, v: Tensor
) -> Tensor:
    """This is one number for the whole sentence: you also summed over the words. Sum over the
    hidden features only, the last axis.
    """
    return (torch.tanh(joined(state, annotations) @ W) * v).sum()


@concat.misconception
def concat_weights(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """These are the scores after a softmax. Return the scores themselves."""
    return torch.softmax(torch.tanh(joined(state, annotations) @ W) @ v, dim=-1)


@concat.misconception
def sigmoid_for_tanh(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """These scores come from a sigmoid of the hidden layer, between 0 and 1. Bahdanau's score has a
    tanh, between -1 and 1.
    """
    return torch.sigmoid(joined(state, annotations) @ W) @ v


@concat.misconception
def state_alone(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """`torch.cat` needs tensors with the same number of axes, but here the state has one and the
    annotations have two: repeat the state for each annotation first, with `expand`.
    """
    return torch.tanh(torch.cat([state, annotations], dim=-1) @ W) @ v


@concat.misconception
def concat_as_a_list(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> list[Tensor]:
    """This is a list of scores. Turn it into one tensor with `torch.stack`."""
    return [torch.tanh(torch.cat([state, h]) @ W) @ v for h in annotations]


TENSOR_DTYPE.apply(concat)
LOOP.apply(concat)


@concat.accepts
def concat_in_a_loop(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """A loop over the words.

    One word at a time: the state and its annotation are joined, and a small network makes a single
    score of them. You can check it against the formula line by line.
    """
    return torch.stack([v.dot(torch.tanh(torch.cat([state, h]) @ W)) for h in annotations])


@concat.accepts
def concat_by_repeating(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """The state repeated, an index expression.

    `repeat` copies the state for each word, where `expand` only views it, and einsum spells out
    both products. For long sentences the copies cost memory.
    """
    pairs = torch.hstack([state.repeat(annotations.shape[0], 1), annotations])
    return torch.einsum("sh,h->s", torch.tanh(torch.einsum("sd,dh->sh", pairs, W)), v)


@concat.accepts
def concat_as_columns(state: Tensor, annotations: Tensor, W: Tensor, v: Tensor) -> Tensor:
    """One column for each word, as in the paper.

    Each word is a column, as in formulas, so the matrix stands on the left and is transposed. With
    words on rows, as in most code, no transpose is needed.
    """
    H = annotations.T
    S = state[:, None].expand(-1, H.shape[1])
    return v @ torch.tanh(W.T @ torch.cat([S, H]))
