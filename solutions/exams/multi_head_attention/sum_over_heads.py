"""The exam of `sum_over_heads`, lesson 05."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.multi_head_attention._specimens import ENDS, mixed

summing = Exam(reference.sum_over_heads)

Heads = tuple[Tensor, Tensor, Tensor, Tensor]


@summing.example
def two_heads_summed() -> Heads:
    """two heads, three tokens of four features"""
    weights = torch.tensor([[[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]], [[0, 1, 0]] * 3])
    thin_parts = mixed(2, 4, 1, seed=60), mixed(2, 1, 4, seed=61)
    return weights.double(), mixed(3, 4, seed=62), *thin_parts


@summing.example
def three_heads_summed() -> Heads:
    """three heads, two tokens"""
    weights = torch.softmax(mixed(3, 2, 2, seed=63), dim=-1).round(decimals=4)
    return weights, mixed(2, 4, seed=64), mixed(3, 4, 2, seed=65), mixed(3, 2, 4, seed=66)


@summing.case
def drawn_sum(draw: Draw) -> Heads:
    """heads drawn at random"""
    draw.fix(**draw.in_turn(ENDS))
    return (
        torch.from_numpy(draw.weights("heads tokens tokens")),
        draw.tensor("tokens d_model"),
        draw.tensor("heads d_model head_dim"),
        draw.tensor("heads head_dim d_model"),
    )


def head_outputs(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    return weights @ (inputs @ W_down) @ W_up


@summing.misconception
def outputs_not_summed(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """These are the outputs of the heads, one by one. Add them up."""
    return head_outputs(weights, inputs, W_down, W_up)


@summing.misconception
def outputs_averaged(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You averaged the heads. Each adds its own part: sum them."""
    return head_outputs(weights, inputs, W_down, W_up).mean(dim=0)


@summing.misconception
def summed_over_tokens(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You summed over the tokens. Sum over the heads instead, the first axis."""
    return head_outputs(weights, inputs, W_down, W_up).sum(dim=1)


@summing.misconception
def parts_summed_first(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You added up what the heads have before W_up, and then the matrices W_up as well. A sum of
    products is not a product of sums: each head goes through its own W_up first.
    """
    return (weights @ inputs @ W_down).sum(dim=0) @ W_up.sum(dim=0)


@summing.misconception
def first_head_only(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """This is the output of the first head. If you have a loop, it returns in the first round."""
    return head_outputs(weights, inputs, W_down, W_up)[0]


@summing.misconception
def last_head_only(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """This is the output of the last head. If you have a loop, each round overwrites the one
    before: add with `+=`, starting from zero.
    """
    return head_outputs(weights, inputs, W_down, W_up)[-1]


@summing.misconception
def weights_turned(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You mixed with the transposed weights. Row i holds the weights of query i, so do not
    transpose.
    """
    return head_outputs(weights.mT, inputs, W_down, W_up).sum(dim=0)


@summing.misconception
def nothing_mixed(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """No token takes anything from another. The attention weights are left out, or they are summed
    on their own, which gives 1 for each query: sum weight times token over the keys.
    """
    return (inputs @ W_down @ W_up).sum(dim=0)


@summing.misconception
def every_head_with_every_other(
    weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor
) -> Tensor:
    """The weights of each head are combined with W_down and W_up of every head. Keep the three
    parts of one head together until you sum over the heads; in an einsum, they share a letter.
    """
    return weights.sum(dim=0) @ inputs @ (W_down @ W_up).sum(dim=0)


@summing.misconception
def everything_summed_first(
    weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor
) -> Tensor:
    """The weights of each head are combined with the W_down of every head, and these with every
    W_up, as when you sum each of the three over the heads first. A sum of products is not a product
    of sums: keep the parts of one head together, and sum last.
    """
    return weights.sum(dim=0) @ inputs @ W_down.sum(dim=0) @ W_up.sum(dim=0)


@summing.misconception
def one_way_back_for_all(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """All your heads go back through the W_up of head 0. Head h goes through W_up[h]."""
    return head_outputs(weights, inputs, W_down, W_up[:1]).sum(dim=0)


@summing.misconception
def one_way_down_for_all(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """All your heads get their values from the W_down of head 0. Head h gets them from
    W_down[h].
    """
    return head_outputs(weights, inputs, W_down[:1], W_up).sum(dim=0)


@summing.misconception
def first_weights_for_all(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """All your heads mix with the weights of head 0. Head h mixes with weights[h]."""
    return head_outputs(weights[:1], inputs, W_down, W_up).sum(dim=0)


@summing.misconception
def concatenated_only(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """These are the heads side by side, before the way back. Each goes through its own W_up."""
    return torch.cat(list(weights @ inputs @ W_down), dim=-1)


TENSOR_DTYPE.apply(summing)
LOOP.apply(summing)


@summing.accepts
def summed_in_a_loop(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """A loop over the heads.

    Head by head: each sends its own output through its own part of the projection, and adds it
    to what is there.
    """
    total = torch.zeros_like(inputs)
    for h in range(len(weights)):
        total = total + weights[h] @ (inputs @ W_down[h]) @ W_up[h]
    return total


@summing.accepts
def concatenated_then_projected(
    weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor
) -> Tensor:
    """Concatenated, then projected at once."""
    return torch.cat(list(weights @ (inputs @ W_down)), dim=-1) @ W_up.flatten(0, 1)


@summing.accepts
def summed_by_einsum(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """einsum.

    One einsum for all: h, the heads, is not behind the arrow, so it is summed over, as are the
    keys k and the features d and e in between.
    """
    return torch.einsum("hqk,kd,hde,hef->qf", weights, inputs, W_down, W_up)
