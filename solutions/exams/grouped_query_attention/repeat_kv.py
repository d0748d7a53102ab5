"""The exam of `repeat_kv`, lesson 07."""

import torch

from autograder import Draw, Exam
from solutions import grouped_query_attention as reference
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.printed_numbers import numbers
from solutions.exams.sixteen_bits import bfloat16_stays

repeating = Exam(reference.repeat_kv, forbids=("companion",))

Repeated = tuple[torch.Tensor, int]


@repeating.example
def three_for_each() -> Repeated:
    """2 key/value heads for 6 query heads"""
    return numbers(1, 2, 4, 3), 3


@repeating.example
def two_texts_at_once() -> Repeated:
    """a batch of two texts, 3 key/value heads for 12 query heads"""
    return numbers(2, 3, 1, 2, start=30), 4


@repeating.example
def two_for_each() -> Repeated:
    """2 key/value heads for 4 query heads"""
    return numbers(1, 2, 3, 2, start=80), 2


@repeating.example
def one_for_all() -> Repeated:
    """1 key/value head for 5 query heads"""
    return numbers(1, 1, 2, 3, start=50), 5


@repeating.example
def one_for_each() -> Repeated:
    """a key/value head for each query head: nothing to repeat"""
    return numbers(1, 3, 2, 2, start=60), 1


@repeating.case
def any_heads(draw: Draw) -> Repeated:
    """heads drawn at random"""
    return draw.tensor("batch num_kv_heads tokens head_dim"), draw.size("n_rep")


@repeating.case(times=1)
def twelve_of_three(draw: Draw) -> Repeated:
    """3 key/value heads for 12 query heads"""
    return draw.fix(num_kv_heads=3).tensor("batch num_kv_heads tokens head_dim"), 4


@repeating.case(times=1)
def single_token(draw: Draw) -> Repeated:
    """one token of one text"""
    return draw.fix(batch=1, tokens=1).tensor("batch num_kv_heads tokens head_dim"), 3


repeating.holds(bfloat16_stays)


@repeating.misconception
def tiled(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Your key/value heads go from the first one to the last, and then start again from the first.
    Neighbouring query heads share, so each key/value head must appear n_rep times in a row before
    the next one.
    """
    return x.repeat(1, n_rep, 1, 1)


@repeating.misconception
def along_the_tokens(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated the tokens. Repeat the heads instead, along axis 1."""
    return x.repeat_interleave(n_rep, dim=2)


@repeating.misconception
def tokens_tiled(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated the whole text n_rep times. The tokens stay as they are: repeat the heads."""
    return x.repeat(1, 1, n_rep, 1)


@repeating.misconception
def along_the_batch(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated the texts. The heads are the second axis, dim=1."""
    return x.repeat_interleave(n_rep, dim=0)


@repeating.misconception
def along_the_features(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated the features of each head. Repeat the heads instead, along axis 1."""
    return x.repeat_interleave(n_rep, dim=-1)


@repeating.misconception
def all_in_one_row(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Your result has a single axis: without dim=, repeat_interleave flattens first. Say dim=1."""
    return x.repeat_interleave(n_rep)


@repeating.misconception
def axis_left_over(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """The copies have their own axis. Merge it with the axis of the heads, which comes just before
    it: flatten(1, 2), or reshape.
    """
    batch, num_kv_heads, tokens, head_dim = x.shape
    return x[:, :, None].expand(batch, num_kv_heads, n_rep, tokens, head_dim)


@repeating.misconception
def one_too_many(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You added n_rep copies to the original. Each head should appear n_rep times in total."""
    return x.repeat_interleave(n_rep + 1, dim=1)


@repeating.misconception
def n_rep_heads_in_all(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You used n_rep as the number of heads in the result. It says how often each head is repeated,
    so the result has num_kv_heads times n_rep heads.
    """
    places = torch.arange(n_rep) * x.shape[1] // n_rep
    return x[:, places]


@repeating.misconception
def first_head_only(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """All your heads are copies of the first key/value head. Repeat each of them n_rep times."""
    return x[:, :1].expand(-1, x.shape[1] * n_rep, -1, -1)


@repeating.misconception
def as_often_as_there_are_heads(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated each head as often as there are key/value heads. Repeat it n_rep times."""
    return x.repeat_interleave(x.shape[1], dim=1)


@repeating.misconception
def reshaped_only(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """The shape is right, but tokens are mixed into the heads, as when copies that lie behind the
    tokens are reshaped. Put the copies on an axis right after the heads before you merge.
    """
    batch, num_kv_heads, tokens, head_dim = x.shape
    copies = x[:, :, :, None].expand(-1, -1, -1, n_rep, -1)
    return copies.reshape(batch, num_kv_heads * n_rep, tokens, head_dim)


@repeating.misconception
def left_as_it_is(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Nothing is repeated here: there are as many heads as before."""
    return x


TENSOR_DTYPE.apply(repeating)
LOOP.apply(repeating)


@repeating.accepts
def repeated_by_expanding(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """A new axis behind the heads, expanded and merged.

    An axis behind the heads is expanded and then merged with them, as published models do. `expand`
    copies nothing, but `reshape` then has to.
    """
    batch, num_kv_heads, tokens, head_dim = x.shape
    copies = x[:, :, None].expand(batch, num_kv_heads, n_rep, tokens, head_dim)
    return copies.reshape(batch, num_kv_heads * n_rep, tokens, head_dim)


@repeating.accepts
def repeated_in_loops(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Loops.

    Two loops make the order visible: each head is repeated before the next one comes, as in 0, 0,
    1, 1.
    """
    heads = []
    for head in range(x.shape[1]):
        for _ in range(n_rep):
            heads.append(x[:, head])
    return torch.stack(heads, dim=1)


@repeating.accepts
def repeated_by_index(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """The number of each head."""
    return x[:, torch.arange(x.shape[1] * n_rep) // n_rep]


@repeating.accepts
def repeated_by_einsum(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """An index expression.

    einsum multiplies by a vector of ones, which makes a copy for each of its entries on a new axis
    behind the heads; `flatten` merges the two axes.
    """
    ones = torch.ones(n_rep, dtype=x.dtype)
    return torch.einsum("bhtd,r->bhrtd", x, ones).flatten(1, 2)
