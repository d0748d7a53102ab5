"""The exam of `mean_pool_heads`, lesson 07."""

from collections.abc import Callable

import torch

from autograder import Draw, Exam
from solutions import grouped_query_attention as reference
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.printed_numbers import numbers
from solutions.exams.sixteen_bits import TRIED_TWICE, bfloat16_stays_once

pooling = Exam(
    reference.mean_pool_heads,
    unasked={"gradients": "weights are converted once, before training goes on"},
)

Pooled = tuple[torch.Tensor, int, int]


@pooling.example
def six_heads_into_two() -> Pooled:
    """6 heads of two features into 2"""
    return numbers(3, 12), 6, 2


@pooling.example
def four_heads_into_one() -> Pooled:
    """4 heads of three features into 1"""
    return numbers(2, 12, start=40), 4, 1


@pooling.example
def eight_heads_into_four() -> Pooled:
    """8 heads of one feature into 4, from five features"""
    return numbers(5, 8, start=70), 8, 4


def drawn_projection(draw: Draw, num_heads: int, num_kv_heads: int) -> Pooled:
    """A projection of heads of any width."""
    draw.fix(width=num_heads * int(draw.rng.integers(2, 6)))
    return draw.tensor("d_in width"), num_heads, num_kv_heads


@pooling.case(times=2)
def six_into_two(draw: Draw) -> Pooled:
    """6 heads into 2"""
    return drawn_projection(draw, 6, 2)


@pooling.case(times=2)
def twelve_into_three(draw: Draw) -> Pooled:
    """12 heads into 3"""
    return drawn_projection(draw, 12, 3)


@pooling.case(times=1)
def five_into_one(draw: Draw) -> Pooled:
    """5 heads into 1"""
    return drawn_projection(draw, 5, 1)


@pooling.case(times=1)
def none_replaced(draw: Draw) -> Pooled:
    """5 heads into 5: nothing changes"""
    return drawn_projection(draw, 5, 5)


@pooling.holds
def keys_are_averaged(
    mean_pool_heads: Callable[..., torch.Tensor], W: torch.Tensor, num_heads: int, num_kv_heads: int
) -> bool:
    """the new keys are the means of the old ones"""
    x = torch.ones(1, len(W), dtype=W.dtype).cumsum(dim=1)
    old = (x @ W).view(num_kv_heads, num_heads // num_kv_heads, -1).mean(dim=1)
    new = x @ mean_pool_heads(W, num_heads, num_kv_heads)
    return torch.allclose(new.view(num_kv_heads, -1), old, atol=1e-3)


@pooling.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Pooled:
    """in bfloat16 as well"""
    draw.fix(width=TRIED_TWICE)
    return draw.tensor("d_in width"), TRIED_TWICE, 1


pooling.half_but_for("16-bit floats", in_bfloat16_as_well)
pooling.holds(bfloat16_stays_once)


@pooling.misconception
def pooled_in_turn(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You averaged heads that are not neighbours: of six, 0, 2, 4 and 1, 3, 5. Neighbouring query
    heads share a key/value head, so average neighbours.
    """
    heads = W.reshape(len(W), num_heads // num_kv_heads, num_kv_heads, -1)
    return heads.mean(dim=1).flatten(1)


@pooling.misconception
def neighbouring_columns(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """Each of your columns is the mean of columns that are side by side in W, so different features
    are mixed. Average feature 0 of one head with feature 0 of the next: give the heads and their
    features an axis each.
    """
    return W.reshape(len(W), -1, num_heads // num_kv_heads).mean(dim=-1)


@pooling.misconception
def summed_heads(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You added up the heads. Divide by how many of them make one new head, or the results grow
    with their number.
    """
    heads = W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1)
    return heads.sum(dim=2).flatten(1)


@pooling.misconception
def divided_by_all_heads(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """The sums are right, but you divided them by num_heads. Each new head is the mean of num_heads
    / num_kv_heads old ones: divide by the number of heads in each sum.
    """
    heads = W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1)
    return heads.sum(dim=2).flatten(1) / num_heads


@pooling.misconception
def rows_cut_into_heads(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """Your heads are cut out of W row after row, but each row belongs to one feature of the input
    and has all the heads side by side: split the last axis into (num_heads, head_dim).
    """
    heads = W.reshape(num_kv_heads, num_heads // num_kv_heads, len(W), -1)
    return heads.mean(dim=1).reshape(len(W), -1)


@pooling.misconception
def rows_cut_and_put_aside(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """Your heads are cut out of W row after row, but each row belongs to one feature of the input
    and has all the heads side by side: split the last axis into (num_heads, head_dim).
    """
    heads = W.reshape(num_kv_heads, num_heads // num_kv_heads, len(W), -1)
    return heads.mean(dim=1).transpose(0, 1).flatten(1)


@pooling.misconception
def first_heads_kept(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You kept the first head of each group and threw away the others. Take the mean of all."""
    return W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1)[:, :, 0].flatten(1)


@pooling.misconception
def first_columns_kept(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You kept the first num_kv_heads heads as they are. Each new head is the mean of those that it
    replaces.
    """
    return W[:, : W.shape[1] // num_heads * num_kv_heads].clone()


@pooling.misconception
def pooled_rows(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You averaged rows, which are the features of the input. The heads are along the columns: this
    W is used as x @ W. (The weight of an nn.Linear is its transpose.)
    """
    width = W.shape[1] // num_heads * num_kv_heads
    return W.mean(dim=0, keepdim=True).expand(len(W), -1)[:, :width]


@pooling.misconception
def heads_per_share_came_out(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You made num_heads / num_kv_heads heads, each a mean of num_kv_heads. It should be the other
    way round: num_kv_heads new heads.
    """
    return W.reshape(len(W), num_heads // num_kv_heads, num_kv_heads, -1).mean(dim=2).flatten(1)


@pooling.misconception
def a_single_mean(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You get a single head, the mean of all. There should be num_kv_heads, each the mean of its
    own group.
    """
    return W.reshape(len(W), num_heads, -1).mean(dim=1)


@pooling.misconception
def one_mean_for_all(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """All your new heads are the mean of all the old ones. Each should be the mean of its own
    group.
    """
    return W.reshape(len(W), num_heads, -1).mean(dim=1).repeat(1, num_kv_heads)


@pooling.misconception
def means_repeated(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You repeated each mean for every head that it replaces. Keep it only once, which is what
    saves memory.
    """
    n_rep = num_heads // num_kv_heads
    heads = W.reshape(len(W), num_kv_heads, n_rep, -1).mean(dim=2, keepdim=True)
    return heads.repeat(1, 1, n_rep, 1).flatten(1)


@pooling.misconception
def features_averaged(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You averaged the features of each head. Keep the features apart and average the heads."""
    return W.reshape(len(W), num_heads, -1).mean(dim=-1)


@pooling.misconception
def axes_left_over(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """The means are right, but they have their own axis. Merge heads and features into columns."""
    return W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1).mean(dim=2)


TENSOR_DTYPE.apply(pooling)
LOOP.apply(pooling)


@pooling.accepts
def pooled_in_loops(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """Loops.

    The columns of each head are cut out, added up group by group, and divided by the number of
    heads. It shows which columns are averaged.
    """
    head_dim = W.shape[1] // num_heads
    n_rep = num_heads // num_kv_heads
    new = []
    for shared in range(num_kv_heads):
        total = torch.zeros_like(W[:, :head_dim])
        for head in range(shared * n_rep, (shared + 1) * n_rep):
            total = total + W[:, head * head_dim : (head + 1) * head_dim]
        new.append(total / n_rep)
    return torch.cat(new, dim=1)


@pooling.accepts
def pooled_by_einsum(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """An index expression.

    einsum adds up the heads of each group, because r is missing behind the arrow, and a division
    makes the mean of it.
    """
    n_rep = num_heads // num_kv_heads
    heads = W.view(len(W), num_kv_heads, n_rep, -1)
    return torch.einsum("ikrd->ikd", heads).flatten(1) / n_rep


@pooling.accepts
def pooled_by_a_matrix(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """A product with an averaging matrix.

    Pooling is a linear map, so a single matrix does it, which `torch.kron` builds out of a small
    one. In this form it could be multiplied into the weights of another layer.
    """
    n_rep, head_dim = num_heads // num_kv_heads, W.shape[1] // num_heads
    column = torch.full((n_rep, 1), 1 / n_rep, dtype=W.dtype)
    mixing = torch.kron(torch.eye(num_kv_heads, dtype=W.dtype), column)
    return W @ torch.kron(mixing, torch.eye(head_dim, dtype=W.dtype))
