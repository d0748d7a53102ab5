"""The exam of `to_half_split`, lesson 06."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import positional_encoding as reference
from solutions.exams.families import TENSOR_DTYPE

layout = Exam(
    reference.to_half_split,
    unasked={"gradients": "weights are converted once, when they are loaded"},
)

Projection = tuple[Tensor, int]


@layout.example
def numbered_columns() -> Projection:
    """three heads of four; every column holds its number"""
    return torch.arange(12, dtype=torch.float64).expand(2, 12).clone(), 3


@layout.example
def one_head_of_four() -> Projection:
    """one head of six"""
    return torch.arange(18, dtype=torch.float64).reshape(3, 6), 1


@layout.case
def random_projection(draw: Draw) -> Projection:
    """any number of heads"""
    num_heads, head_dim = draw.size("heads"), 8
    W = torch.from_numpy(draw.rng.normal(size=(draw.size("d_in"), num_heads * head_dim)))
    return W, num_heads


@layout.case(times=1)
def smallest_heads(draw: Draw) -> Projection:
    """three heads of two, where nothing moves"""
    return draw.fix(d_out=6).tensor("d_in d_out"), 3


@layout.misconception
def across_the_heads(W: Tensor, num_heads: int) -> Tensor:
    """You reordered all columns together, so the heads are mixed. Each head keeps its own columns:
    reorder within each.
    """
    return torch.cat([W[:, 0::2], W[:, 1::2]], dim=1)


@layout.misconception
def the_way_back(W: Tensor, num_heads: int) -> Tensor:
    """This is the way back, from half-split to interleaved. In the result, the first columns of all
    pairs should come together: 0, 2, 4, …, then 1, 3, 5, …
    """
    halves = W.reshape(len(W), num_heads, 2, -1)
    return halves.transpose(2, 3).reshape(W.shape)


@layout.misconception
def nothing_moved(W: Tensor, num_heads: int) -> Tensor:
    """No column has moved, as with a reshape there and back. In between, swap the axis of the pairs
    with that of the two columns in each.
    """
    return W.reshape(len(W), num_heads, -1, 2).reshape(W.shape)


@layout.misconception
def seconds_first(W: Tensor, num_heads: int) -> Tensor:
    """In your result, the second columns of the pairs come first. Put the first ones first."""
    pairs = W.reshape(len(W), num_heads, -1, 2).flip(-1)
    return pairs.transpose(2, 3).reshape(W.shape)


@layout.misconception
def first_ones_twice(W: Tensor, num_heads: int) -> Tensor:
    """The first columns of the pairs are in both halves, and the second ones are lost. The second
    half of a head should have its columns 1, 3, 5, …
    """
    pairs = W.reshape(len(W), num_heads, -1, 2)
    return pairs[..., :1].expand_as(pairs).transpose(2, 3).reshape(W.shape)


@layout.misconception
def rows_reordered(W: Tensor, num_heads: int) -> Tensor:
    """You reordered the rows, which are the input features. Heads and pairs are columns."""
    return torch.cat([W[0::2], W[1::2]])


@layout.misconception
def heads_taken_apart(W: Tensor, num_heads: int) -> Tensor:
    """The heads and the pairs are swapped. Swap only the last two axes: the pairs and the two
    columns in each.
    """
    return W.reshape(len(W), num_heads, -1, 2).transpose(1, 2).reshape(W.shape)


@layout.misconception
def heads_as_width(W: Tensor, num_heads: int) -> Tensor:
    """You used num_heads as the width of a head. There are num_heads heads, each of d_out /
    num_heads columns.
    """
    heads = torch.chunk(W, W.shape[1] // num_heads, dim=1)
    return torch.cat([part for head in heads for part in (head[:, 0::2], head[:, 1::2])], dim=1)


@layout.misconception
def first_head_only(W: Tensor, num_heads: int) -> Tensor:
    """Only the first head is reordered. If you have a loop over the heads, does it return in its
    first round?
    """
    head_dim = W.shape[1] // num_heads
    first = W[:, :head_dim]
    return torch.cat([first[:, 0::2], first[:, 1::2], W[:, head_dim:]], dim=1)


@layout.misconception
def axes_not_joined(W: Tensor, num_heads: int) -> Tensor:
    """The columns are in the right order, but still on several axes. Join them into a matrix of the
    shape of W.
    """
    return W.reshape(len(W), num_heads, -1, 2).transpose(2, 3)


TENSOR_DTYPE.apply(layout)


@layout.accepts
def head_by_head(W: Tensor, num_heads: int) -> Tensor:
    """A loop over the heads."""
    parts = []
    for head in W.chunk(num_heads, dim=1):
        parts += [head[:, ::2], head[:, 1::2]]
    return torch.cat(parts, dim=1)


@layout.accepts
def by_order_of_columns(W: Tensor, num_heads: int) -> Tensor:
    """A list of column numbers."""
    width = W.shape[1] // num_heads
    order = [h * width + i for h in range(num_heads) for s in (0, 1) for i in range(s, width, 2)]
    return W[:, order]


@layout.accepts
def by_permuted_rows(W: Tensor, num_heads: int) -> Tensor:
    """As published converters do it, on the transposed matrix."""
    d_in, d_out = W.shape
    rows = W.T.reshape(num_heads, d_out // num_heads // 2, 2, d_in)
    return rows.transpose(1, 2).reshape(d_out, d_in).T
