"""The exam of `split_heads`, lesson 05."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.multi_head_attention._specimens import ENDS, counted, split, wrong_view

splitting = Exam(reference.split_heads)


@splitting.example
def six_features_for_two() -> tuple[Tensor, int]:
    """three tokens of six features, for two heads"""
    return counted(1, 3, 6), 2


@splitting.example
def two_sentences_for_three() -> tuple[Tensor, int]:
    """two sentences of two tokens, for three heads"""
    return counted(2, 2, 6), 3


@splitting.example
def twelve_features_for_three() -> tuple[Tensor, int]:
    """two sentences of five tokens with twelve features, for three heads"""
    return counted(2, 5, 12), 3


@splitting.example
def not_divisible() -> tuple[Tensor, int]:
    """eight features for three heads"""
    return counted(1, 2, 8), 3


@splitting.case(times=3)
def drawn_features(draw: Draw) -> tuple[Tensor, int]:
    """features drawn at random"""
    draw.fix(**draw.in_turn(ENDS))
    heads, head_dim, batch, tokens = draw.shape("heads head_dim batch tokens")
    return torch.from_numpy(draw.rng.normal(size=(batch, tokens, heads * head_dim))), heads


@splitting.case(times=1)
def one_head_gets_all(draw: Draw) -> tuple[Tensor, int]:
    """a single head"""
    return draw.tensor("batch tokens d_out"), 1


@splitting.case(times=4)
def drawn_refusal(draw: Draw) -> tuple[Tensor, int]:
    """features that the heads do not divide, of which there may be fewer than heads"""
    heads = int(draw.rng.integers(3, 8))
    d_out = heads * draw.in_turn(range(3)) + int(draw.rng.integers(1, heads))
    return draw.fix(d_out=d_out).tensor("batch tokens d_out"), heads


def refuse(x: Tensor, num_heads: int) -> None:
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} features can't be shared out among {num_heads} heads")


@splitting.misconception
def tokens_mixed(x: Tensor, num_heads: int) -> Tensor:
    """The shape is right, but the features are in the wrong places: this cuts through the tokens,
    so the pieces of one token end up in several rows. Split the last axis first, then swap axes 1
    and 2.
    """
    refuse(x, num_heads)
    return wrong_view(x, num_heads)


@splitting.misconception
def not_swapped(x: Tensor, num_heads: int) -> Tensor:
    """The features are split correctly. Now the heads have to come before the tokens: swap axes 1
    and 2.
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], num_heads, -1)


@splitting.misconception
def alternating_features(x: Tensor, num_heads: int) -> Tensor:
    """You deal out the features to the heads one by one, in turn. Head 0 should have the *first*
    head_dim features: if you split the last axis into two, the axis of the heads comes first.
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], -1, num_heads).permute(0, 3, 1, 2)


@splitting.misconception
def heads_as_features(x: Tensor, num_heads: int) -> Tensor:
    """The features of a head and the heads are swapped. The order of the axes is (batch, num_heads,
    tokens, head_dim).
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 3)


@splitting.misconception
def not_refused(x: Tensor, num_heads: int) -> Tensor:
    """Eight features cannot be divided among three heads: raise a ValueError that says so. The
    error here comes from a `view` or `reshape` that did not fit. If you do test for it, your
    condition is not true here: what has to be 0 is the remainder of the division.
    """
    batch, tokens, d_out = x.shape
    return x.view(batch, tokens, num_heads, d_out // num_heads).transpose(1, 2)


@splitting.misconception
def not_refused_by_a_free_size(x: Tensor, num_heads: int) -> Tensor:
    """Eight features cannot be divided among three heads: raise a ValueError that says so. The
    error here comes from a `view` or `reshape` that did not fit.
    """
    return x.view(*x.shape[:2], num_heads, -1).transpose(1, 2)


@splitting.misconception
def not_refused_by_chunks(x: Tensor, num_heads: int) -> Tensor:
    """Eight features cannot be divided among three heads: raise a ValueError that says so. The
    error here comes from pieces of unequal width, which cannot be stacked.
    """
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


@splitting.misconception
def one_head_more(x: Tensor, num_heads: int) -> Tensor:
    """Eight features cannot be divided among three heads: raise a ValueError that says so. Here
    they become four heads of two.
    """
    return torch.stack(torch.split(x, x.shape[-1] // num_heads, dim=-1), dim=1)


@splitting.misconception
def cut_off(x: Tensor, num_heads: int) -> Tensor:
    """You drop the features that are left over. Eight features cannot be divided among three heads,
    and that should be a ValueError. If you do raise one, your condition is not true here: what has
    to be 0 is the remainder of the division.
    """
    head_dim = x.shape[-1] // num_heads
    return split(x[..., : head_dim * num_heads], num_heads)


@splitting.misconception
def last_axes_swapped(x: Tensor, num_heads: int) -> Tensor:
    """The features are split correctly, but then you swapped the wrong axes. Swap the tokens and
    the heads, which are axes 1 and 2.
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], num_heads, -1).transpose(2, 3)


@splitting.misconception
def number_for_width(x: Tensor, num_heads: int) -> Tensor:
    """Number and width are swapped: these are d_out / num_heads heads with num_heads features each.
    For example, `split` takes the width of a piece, and `chunk` the number of pieces.
    """
    refuse(x, num_heads)
    return split(x, x.shape[-1] // num_heads)


@splitting.misconception
def every_head_has_all(x: Tensor, num_heads: int) -> Tensor:
    """Every head gets all features here. Divide them: each head gets d_out / num_heads."""
    refuse(x, num_heads)
    return x[:, None].repeat(1, num_heads, 1, 1)


@splitting.misconception
def heads_before_sentences(x: Tensor, num_heads: int) -> Tensor:
    """The heads are right, but they come before the sentences. The order of the axes is (batch,
    num_heads, tokens, head_dim): `torch.stack` puts its new axis first unless told otherwise.
    """
    refuse(x, num_heads)
    return split(x, num_heads).transpose(0, 1)


@splitting.misconception
def heads_one_after_another(x: Tensor, num_heads: int) -> Tensor:
    """The heads have no axis of their own: they are one after another along the tokens. Stack them
    along a new axis, or split the last axis into two.
    """
    refuse(x, num_heads)
    return split(x, num_heads).flatten(1, 2)


@splitting.misconception
def first_head_alone(x: Tensor, num_heads: int) -> Tensor:
    """Only head 0 is filled, the others are still 0. Is `return` inside the loop?"""
    refuse(x, num_heads)
    found = torch.zeros_like(split(x, num_heads))
    found[:, 0] = split(x, num_heads)[:, 0]
    return found


TENSOR_DTYPE.apply(splitting)


@splitting.accepts
def by_chunks(x: Tensor, num_heads: int) -> Tensor:
    """Chunks, stacked.

    `torch.chunk` cuts the features into one piece for each head, and `stack` makes the new
    axis. No view can mix tokens here.
    """
    if x.size(-1) % num_heads != 0:
        raise ValueError("not divisible")
    return torch.stack(torch.chunk(x, num_heads, dim=2), dim=1)


@splitting.accepts
def by_permute(x: Tensor, num_heads: int) -> Tensor:
    """reshape and permute.

    It names the new order of all four axes at once. `contiguous` copies, so that a later `view`
    is allowed.
    """
    batch, tokens, d_out = x.shape
    head_dim, rest = divmod(d_out, num_heads)
    if rest:
        raise ValueError(f"{d_out} is not divisible by {num_heads}")
    return x.reshape(batch, tokens, num_heads, head_dim).permute(0, 2, 1, 3).contiguous()


@splitting.accepts
def by_slices(x: Tensor, num_heads: int) -> Tensor:
    """A loop over the heads, with slices.

    A loop that says which features belong to which head: head h has those from h · head_dim on.
    """
    width = x.shape[2] // num_heads
    if width * num_heads != x.shape[2]:
        raise ValueError("d_out must be divisible by num_heads")
    found = torch.empty(x.shape[0], num_heads, x.shape[1], width, dtype=x.dtype)
    for h in range(num_heads):
        found[:, h] = x[:, :, h * width : (h + 1) * width]
    return found


@splitting.accepts
def split_after_an_assert(x: Tensor, num_heads: int) -> Tensor:
    """An assert in place of a raise, and the pieces stacked."""
    assert x.shape[-1] % num_heads == 0, "d_out must be divisible by num_heads"
    return torch.stack(torch.chunk(x, num_heads, dim=-1), dim=1)
