"""The exam of `concat_annotations`, lesson 01."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import Pair, tensor
from solutions.exams.families import TENSOR_DTYPE

annotations = Exam(reference.concat_annotations)


@annotations.example
def three_words() -> Pair:
    """a sentence of three words"""
    return tensor([1.0, 1.5], [2.0, 2.5], [3.0, 3.5]), tensor([-3.0], [-2.0], [-1.0])


@annotations.example
def as_wide_as_long() -> Pair:
    """as many words as features in a state"""
    return tensor([1.0, 1.5], [2.0, 2.5]), tensor([-2.0, -2.5], [-1.0, -1.5])


@annotations.case
def any_readers(draw: Draw) -> Pair:
    """states drawn at random"""
    return draw.tensor("source d_forward"), draw.tensor("source d_backward")


@annotations.case(times=1)
def equal_readers(draw: Draw) -> Pair:
    """readers of equal width"""
    return draw.tensor("source d_forward"), draw.tensor("source d_forward")


@annotations.case(times=1)
def single_word(draw: Draw) -> Pair:
    """a sentence of one word"""
    draw.fix(source=1)
    return draw.tensor("source d_forward"), draw.tensor("source d_backward")


@annotations.misconception
def not_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """The first word got the backward state of the last one, and the last word that of the first.
    The backward reader reads the last word first, so reverse the order of its states.
    """
    return torch.cat([forward_states, backward_states], dim=-1)


@annotations.misconception
def sliced_backwards(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """`[::-1]` reverses lists and arrays, but PyTorch's tensors do not allow negative steps. They
    have a method for it: `flip`, which needs the axis.
    """
    return torch.cat([forward_states, backward_states[::-1]], dim=-1)


@annotations.misconception
def both_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You reversed both readers, so your first row begins with the forward state of the last word.
    Only the backward states need to be reversed.
    """
    return torch.cat([forward_states, backward_states], dim=-1).flip(0)


@annotations.misconception
def forward_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You reversed the forward states. They are already in the order of the words; the backward
    states are not.
    """
    return torch.cat([forward_states.flip(0), backward_states], dim=-1)


@annotations.misconception
def features_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You reversed the features within each backward state. Reverse the order of the states
    instead, which is the first axis.
    """
    return torch.cat([forward_states, backward_states.flip(-1)], dim=-1)


@annotations.misconception
def everything_turned_round(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """The order of the states is right, but the features within each backward state are reversed as
    well. Flip only the first axis.
    """
    return torch.cat([forward_states, backward_states.flip(0, 1)], dim=-1)


@annotations.misconception
def backward_first(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """The two halves are in the wrong order: the forward state should come first."""
    return torch.cat([backward_states.flip(0), forward_states], dim=-1)


@annotations.misconception
def below_each_other(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You stacked the states one below another, as if there were twice as many words. Put them side
    by side: concatenate along the last axis.
    """
    return torch.cat([forward_states, backward_states.flip(0)], dim=0)


@annotations.misconception
def added_up(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """You added the two states. Concatenate them: an annotation contains the features of both."""
    return forward_states + backward_states.flip(0)


TENSOR_DTYPE.apply(annotations)


@annotations.accepts
def word_by_word(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """A loop over the words.

    A loop joins the two states of each word. The backward states are counted from the end, because
    their first one belongs to the last word.
    """
    last = len(forward_states) - 1
    rows = [torch.cat([f, backward_states[last - i]]) for i, f in enumerate(forward_states)]
    return torch.stack(rows)


@annotations.accepts
def by_indexing(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """The backward states by their numbers.

    A tensor of positions, from the last one down to 0, brings the backward states into the order of
    the words. Indexing works for any other order as well.
    """
    order = torch.arange(len(backward_states) - 1, -1, -1)
    return torch.hstack([forward_states, backward_states[order]])


@annotations.accepts
def filled_in(forward_states: Tensor, backward_states: Tensor) -> Tensor:
    """An empty tensor, filled in two halves.

    The result is allocated first, and its two halves are filled in. `torch.flipud` is `flip(0)` by
    another name.
    """
    width = forward_states.shape[1]
    both = forward_states.new_empty(len(forward_states), width + backward_states.shape[1])
    both[:, :width] = forward_states
    both[:, width:] = torch.flipud(backward_states)
    return both
