"""The exam of `repaired_heads`, lesson 05."""

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.families import MERGE, SPLIT, TENSOR_DTYPE, Heads
from solutions.exams.multi_head_attention._specimens import (
    ENDS,
    future,
    merge,
    mixed,
    split,
    wrong_view,
)

repaired = Exam(reference.repaired_heads)

Repair = tuple[Tensor, Tensor, Tensor, int]


@repaired.example
def three_tokens_two_heads() -> Repair:
    """two sentences of three tokens, two heads"""
    return mixed(2, 3, 4, seed=5), mixed(2, 3, 4, seed=6), mixed(2, 3, 4, seed=7), 2


@repaired.example
def two_tokens_three_heads() -> Repair:
    """two tokens, three heads"""
    return mixed(1, 2, 6, seed=8), mixed(1, 2, 6, seed=9), mixed(1, 2, 6, seed=10), 3


def drawn(draw: Draw) -> Repair:
    """Queries, keys and values of all heads, and the number of heads."""
    batch, tokens, heads, dim = draw.shape("batch tokens heads head_dim")
    q, k, v = (torch.from_numpy(x) for x in draw.rng.normal(size=(3, batch, tokens, heads * dim)))
    return q, k, v, heads


@repaired.case
def drawn_repair(draw: Draw) -> Repair:
    """features drawn at random"""
    return drawn(draw.fix(**draw.in_turn(ENDS)))


@repaired.case(times=1, dtypes=("float64",))
def far_from_zero(draw: Draw) -> Repair:
    """scores far below zero and far above"""
    # The first token sees a score below −10,000 alone, and so little of a row is left without its
    # future that it can't be made to sum to 1 again.
    queries, _, values, heads = drawn(draw.fix(head_dim=6))
    return 200 * queries, -200 * queries, values, heads


@repaired.case(times=1, dtypes=("float64",), hints=False)
def long_text(draw: Draw) -> Repair:
    """a text of more than a thousand tokens"""
    tokens = int(draw.rng.integers(1025, 1050))
    return drawn(draw.fix(batch=1, tokens=tokens, heads=1, head_dim=2))


def attend(q: Tensor, k: Tensor, v: Tensor, *, causal: bool = True) -> Tensor:
    return scaled_dot_product_attention(q, k, v, is_causal=causal)


class Steps(Heads):
    """The repaired cell."""

    def answer(self, queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
        num_tokens, d_out = queries.shape[1:]
        self.head_dim = d_out // num_heads
        return self.attend_in_heads(queries, keys, values, self.future(num_tokens, num_tokens))


(SPLIT + MERGE).apply(
    repaired,
    Steps,
    called={
        "WrongViewThereAndBack": "still_broken",
        "MergedByWrongView": "split_repaired_only",
        "SplitByWrongView": "merge_repaired_only",
    },
    says={
        "WrongViewThereAndBack": "These are still the contexts of the broken cell. Follow one "
        "token through the first reshape: at which position of which head do its features arrive?",
        "MergedByWrongView": "The split is right now, but the way back is not: swap axes 1 and 2 "
        "again, before you reshape.",
        "SplitByWrongView": "The way back is right now, but the split is not: split the last "
        "axis, then swap axes 1 and 2.",
    },
)


@repaired.misconception
def values_left_broken(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """Queries and keys are split correctly, but the values are not: they need the same
    two steps.
    """
    parts = (split(queries, num_heads), split(keys, num_heads), wrong_view(values, num_heads))
    return merge(attend(*parts))


@repaired.misconception
def one_wide_head(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """This is a single head over all features. Divide them among num_heads heads."""
    return attend(queries, keys, values)


@repaired.misconception
def without_the_mask(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """The heads are right, but the future is no longer hidden. is_causal=True was no mistake."""
    parts = (split(x, num_heads) for x in (queries, keys, values))
    return merge(attend(*parts, causal=False))


@repaired.misconception
def heads_attend_to_heads(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """The axes were split but not swapped, so heads attend to heads, token by token. The tokens
    have to be on the axis before the last.
    """
    parts = (x.reshape(*x.shape[:2], num_heads, -1) for x in (queries, keys, values))
    return attend(*parts).reshape(queries.shape)


TENSOR_DTYPE.apply(repaired)


@repaired.accepts
def repaired_by_chunks(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """Head by head, in chunks."""
    chunks = (x.chunk(num_heads, dim=-1) for x in (queries, keys, values))
    return torch.cat([attend(q, k, v) for q, k, v in zip(*chunks, strict=True)], dim=-1)


@repaired.accepts
def repaired_by_permute(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """permute there and back."""
    batch, tokens, d_out = queries.shape
    shape = (batch, tokens, num_heads, d_out // num_heads)
    q, k, v = (x.view(shape).permute(0, 2, 1, 3) for x in (queries, keys, values))
    return attend(q, k, v).permute(0, 2, 1, 3).flatten(2)


@repaired.accepts
def repaired_by_einsum(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """einsum, with a mask of its own."""
    q, k, v = (x.reshape(*x.shape[:2], num_heads, -1) for x in (queries, keys, values))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    weights = scores.masked_fill(future(q.shape[1]), -torch.inf).softmax(dim=-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)
