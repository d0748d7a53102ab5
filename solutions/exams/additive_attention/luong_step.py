"""The exam of `luong_step`, lesson 01."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import plain_cell, plain_score
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    BATCH,
    LAST_WORDS,
    STATES,
    W_KEY,
    W_QUERY,
    WORDS,
    Cell,
    Score,
    Three,
    far_apart_score,
    mixture,
    step_arguments,
)
from solutions.exams.families import TENSOR_DTYPE, declare_places

luong = Exam(reference.luong_step, returns=("state", "attentional state", "weights"))

LuongInputs = tuple[Tensor, Tensor, Tensor, Score, Cell, Tensor]


@luong.example
def luong_writes() -> LuongInputs:
    """two decoders write their second word"""
    W_context = torch.cat([W_KEY[:, :2], W_QUERY[:, 2:]])
    return STATES, LAST_WORDS, BATCH[:, :3] / 4, plain_score, plain_cell, W_context


@luong.example
def luong_same_widths() -> LuongInputs:
    """a state, a word and annotations of the same width"""
    W_context = torch.cat([W_KEY[:, :3], W_KEY[:, 1:]])
    return WORDS[:2] / 2, BATCH[:, 1] / 2, BATCH[:, :2], plain_score, plain_cell, W_context


def luong_arguments(draw: Draw) -> LuongInputs:
    """Arguments of sizes that differ."""
    W_context = torch.cat([draw.tensor("key_dim hidden"), draw.tensor("hidden hidden")])
    return (*step_arguments(draw), W_context)


@luong.case
def luong_drawn(draw: Draw) -> LuongInputs:
    """states and words drawn at random"""
    return luong_arguments(draw)


@luong.case(times=1)
def luong_alone(draw: Draw) -> LuongInputs:
    """a batch of one sentence"""
    return luong_arguments(draw.fix(batch=1))


@luong.case(times=1)
def overflowing_scores(draw: Draw) -> LuongInputs:
    """scores whose exponentials overflow"""
    state, word, annotations, _, cell, W_context = luong_arguments(draw)
    return state, word, annotations, far_apart_score, cell, W_context


@luong.misconception
def scored_with_the_previous_state(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """You scored with the previous state, as Bahdanau does. In Luong's step the cell comes first,
    and the new state is the query.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, previous_state, annotations)
    return state, torch.tanh(torch.cat([context, state], dim=-1) @ W_context), weights


@luong.misconception
def bahdanau_order(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The context went into the cell, as in Bahdanau's step. Luong's cell only gets the word; the
    context joins its state afterwards.
    """
    context, weights = mixture(score, previous_state, annotations)
    state = cell(torch.cat([word, context], dim=-1), previous_state)
    return state, torch.tanh(torch.cat([context, state], dim=-1) @ W_context), weights


@luong.misconception
def state_in_front(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The first rows of W_context meet the state here. They are meant for the context: the order is
    [context ; state].
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.tanh(torch.cat([state, context], dim=-1) @ W_context), weights


@luong.misconception
def attentional_without_tanh(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The tanh is missing: the attentional state needs one around the product."""
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.cat([context, state], dim=-1) @ W_context, weights


@luong.misconception
def tanh_before_the_product(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """You took the tanh of [context ; state], before the product with W_context. Take it around the
    product.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.tanh(torch.cat([context, state], dim=-1)) @ W_context, weights


@luong.misconception
def context_returned(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """Your second result is the context. Concatenate it with the state, multiply by W_context, and
    take the tanh.
    """
    state = cell(word, previous_state)
    return state, *mixture(score, state, annotations)


@luong.misconception
def attentional_state_handed_on(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """Your first result is the attentional state. The cell continues from the state that it
    returned itself; the attentional state only predicts the word.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    attentional = torch.tanh(torch.cat([context, state], dim=-1) @ W_context)
    return attentional, attentional, weights


@luong.misconception
def exponentials_by_hand(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The exponentials you compute overflow, or all become 0, and then the division gives NaN.
    Subtract the largest score of each sentence first, or use `torch.softmax`.
    """
    state = cell(word, previous_state)
    exponentials = torch.exp(score(state, annotations))
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return state, torch.tanh(torch.cat([context, state], dim=-1) @ W_context), weights


@luong.misconception
def luong_over_the_batch(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The softmax runs over the sentences. It should run over the words of each, the last axis."""
    state = cell(word, previous_state)
    weights = torch.softmax(score(state, annotations), dim=0)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return state, torch.tanh(torch.cat([context, state], dim=-1) @ W_context), weights


@luong.misconception
def state_left_out(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """Only the context enters your attentional state. Concatenate it with the new state before the
    product with W_context.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.tanh(context @ W_context[: context.shape[1]]), weights


@luong.misconception
def context_without_state(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """The attentional state was computed with the previous state. Concatenate the context with the
    new one.
    """
    state = cell(word, previous_state)
    context, weights = mixture(score, state, annotations)
    return state, torch.tanh(torch.cat([context, previous_state], dim=-1) @ W_context), weights


declare_places(luong, without=[(1, 1, 2)])
TENSOR_DTYPE.apply(luong)


@luong.accepts
def luong_by_bmm(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """Batched matrix products.

    The weighted sum is a batched matrix product: `unsqueeze` makes a matrix of one row of each
    sentence's weights, and `squeeze` takes that axis away again.
    """
    state = cell(word, previous_state)
    weights = score(state, annotations).softmax(dim=1)
    context = torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)
    return state, (torch.hstack([context, state]) @ W_context).tanh(), weights


@luong.accepts
def luong_in_two_products(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """W_context cut in two.

    `W_context` is cut in two, one part for the context and one for the state. Multiplying a
    concatenation is nothing else than adding these two products.
    """
    state = cell(word, previous_state)
    weights = torch.softmax(score(state, annotations), dim=-1)
    context = torch.einsum("bs,bsd->bd", weights, annotations)
    width = context.shape[1]
    return state, torch.tanh(context @ W_context[:width] + state @ W_context[width:]), weights


@luong.accepts
def luong_in_a_loop(
    previous_state: Tensor,
    word: Tensor,
    annotations: Tensor,
    score: Score,
    cell: Cell,
    W_context: Tensor,
) -> Three:
    """A loop over the sentences."""
    state = cell(word, previous_state)
    weights = torch.softmax(score(state, annotations), dim=-1)
    context = torch.stack([w @ words for w, words in zip(weights, annotations, strict=True)])
    rows = [torch.cat(pair) @ W_context for pair in zip(context, state, strict=True)]
    return state, torch.tanh(torch.stack(rows)), weights
