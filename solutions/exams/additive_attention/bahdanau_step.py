"""The exam of `bahdanau_step`, lesson 01."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import plain_cell, plain_score
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    BATCH,
    LAST_WORDS,
    STATES,
    WORDS,
    BahdanauInputs,
    Cell,
    Score,
    Three,
    far_apart_score,
    mixture,
    step_arguments,
)
from solutions.exams.families import TENSOR_DTYPE, declare_places

bahdanau = Exam(reference.bahdanau_step, returns=("state", "context", "weights"))


@bahdanau.example
def second_word_is_written() -> BahdanauInputs:
    """two decoders write their second word"""
    return STATES, LAST_WORDS, BATCH[:, :3] / 4, plain_score, plain_cell


@bahdanau.example
def same_widths() -> BahdanauInputs:
    """a state, a word and annotations of the same width"""
    return (WORDS[:2] / 2, BATCH[:, 1] / 2, BATCH[:, :2], plain_score, plain_cell)


@bahdanau.case
def drawn_step(draw: Draw) -> BahdanauInputs:
    """states and words drawn at random"""
    return step_arguments(draw)


@bahdanau.case(times=1)
def one_decoder(draw: Draw) -> BahdanauInputs:
    """a batch of one sentence"""
    return step_arguments(draw.fix(batch=1))


@bahdanau.case(times=1)
def overflowing_scores(draw: Draw) -> BahdanauInputs:
    """scores whose exponentials overflow"""
    state, word, annotations, _, cell = step_arguments(draw)
    return state, word, annotations, far_apart_score, cell


bahdanau.half_but_for("scores far from 0", overflowing_scores)


@bahdanau.misconception
def cell_first(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You scored with a state that the cell has already updated. Bahdanau scores with the previous
    state, s_{i-1}, because the new one is only computed from the context.
    """
    nothing = torch.zeros_like(annotations[:, 0])
    early = cell(torch.cat([word, nothing], dim=-1), previous_state)
    context, weights = mixture(score, early, annotations)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def luong_order(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """This is Luong's order: the cell comes first and sees the word but no context, and attention
    follows. In Bahdanau's step the attention comes first, and its context is part of the cell's
    input.
    """
    state = cell(word, previous_state)
    return state, *mixture(score, state, annotations)


@bahdanau.misconception
def cell_without_context(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The context is right, but the cell never sees it: its input is [word ; context]."""
    return cell(word, previous_state), *mixture(score, previous_state, annotations)


@bahdanau.misconception
def context_in_front(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The context stands in front of the word in the cell's input. The order should be [word ;
    context].
    """
    context, weights = mixture(score, previous_state, annotations)
    return cell(torch.cat([context, word], dim=-1), previous_state), context, weights


@bahdanau.misconception
def cell_without_word(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The cell only got the context. It also needs the word that was written last."""
    context, weights = mixture(score, previous_state, annotations)
    return cell(context, previous_state), context, weights


@bahdanau.misconception
def scored_with_the_word(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You computed the scores from the word that was written last. The query is the decoder's
    state.
    """
    context, weights = mixture(score, word, annotations)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def attends_to_its_own_word(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """Your attention looks at the decoder's own word, with a single weight, which is always 1.
    Compare the state with the annotations, which come from the encoder, and mix those.
    """
    context, weights = mixture(score, previous_state, word.unsqueeze(1))
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def scores_not_weights(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The context was mixed with the scores. A softmax over the words turns them into weights."""
    weights = score(previous_state, annotations)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def exponentials_by_hand(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The exponentials you compute overflow, or all become 0, and then the division gives NaN.
    Subtract the largest score of each sentence first, or use `torch.softmax`.
    """
    exponentials = torch.exp(score(previous_state, annotations))
    weights = exponentials / exponentials.sum(dim=-1, keepdim=True)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def step_over_the_batch(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The softmax runs over the sentences. It should run over the words of each, the last axis."""
    weights = torch.softmax(score(previous_state, annotations), dim=0)
    context = (weights.unsqueeze(-1) * annotations).sum(dim=1)
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights


@bahdanau.misconception
def attended_again(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """The state is right, but the context and the weights you return were computed with the new
    state. Return the ones that the cell's input was made from.
    """
    context, _ = mixture(score, previous_state, annotations)
    state = cell(torch.cat([word, context], dim=-1), previous_state)
    return state, *mixture(score, state, annotations)


@bahdanau.misconception
def previous_state_returned(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You return the previous state. The first result should be the new state that the cell
    returns.
    """
    return previous_state, *mixture(score, previous_state, annotations)


@bahdanau.misconception
def arguments_of_the_cell_swapped(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """You called the cell with its arguments in the wrong order: it is `cell(inputs, state)`."""
    context, weights = mixture(score, previous_state, annotations)
    return cell(previous_state, torch.cat([word, context], dim=-1)), context, weights


declare_places(bahdanau)
TENSOR_DTYPE.apply(bahdanau)


@bahdanau.accepts
def bahdanau_by_bmm(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """Batched matrix products.

    `torch.bmm` takes the weights as a matrix of one row for each sentence, so no table of all
    products of weight and annotation is kept in memory.
    """
    weights = score(previous_state, annotations).softmax(dim=1)
    context = torch.bmm(weights.unsqueeze(1), annotations).squeeze(1)
    return cell(torch.hstack([word, context]), previous_state), context, weights


@bahdanau.accepts
def bahdanau_by_einsum(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """An index expression."""
    scores = score(previous_state, annotations)
    exponentials = torch.exp(scores - scores.amax(dim=1, keepdim=True))
    weights = exponentials / exponentials.sum(dim=1, keepdim=True)
    context = torch.einsum("bs,bsd->bd", weights, annotations)
    return cell(torch.cat((word, context), 1), previous_state), context, weights


@bahdanau.accepts
def bahdanau_in_a_loop(
    previous_state: Tensor, word: Tensor, annotations: Tensor, score: Score, cell: Cell
) -> Three:
    """A loop over the sentences.

    Only the context is computed sentence by sentence, as a vector times a matrix. Score and cell
    still work on the whole batch.
    """
    weights = torch.softmax(score(previous_state, annotations), dim=-1)
    context = torch.stack([w @ words for w, words in zip(weights, annotations, strict=True)])
    return cell(torch.cat([word, context], dim=-1), previous_state), context, weights
