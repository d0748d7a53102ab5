"""The exam of `repaired_rope`, lesson 06."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import rope
from solutions import positional_encoding as reference
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.positional_encoding._specimens import (
    WAVES,
    Rope,
    Turned,
    far_into_a_text,
    in_no_order,
    pair_angles,
    turn,
    turn_halves,
)

repaired = Exam(reference.repaired_rope, tolerance=WAVES)


@repaired.example
def one_vector() -> Turned:
    """the same vector at positions 0, 1, 2 and 7"""
    x = torch.tensor([1.0, 0.0, 2.0, -1.0], dtype=torch.float64)
    return x.expand(4, 4).clone(), torch.tensor([0, 1, 2, 7])


@repaired.example
def heads_of_six() -> Turned:
    """two heads, three tokens, six features"""
    numbers = torch.arange(36, dtype=torch.float64).cos().round(decimals=2)
    return numbers.reshape(2, 3, 6), torch.tensor([4, 5, 6])


@repaired.example
def one_pair() -> Turned:
    """two heads, three tokens, two features, one of the tokens far into a text"""
    # Their frequency is 1, so that the angles are exact in float32 as well.
    numbers = torch.arange(12, dtype=torch.float64).sin().round(decimals=2)
    return numbers.reshape(2, 3, 2), torch.tensor([4, 5, 30_000])


@repaired.case
def random_heads(draw: Draw) -> Turned:
    """several batches of several heads, positions in any order"""
    x = draw.fix(head_dim=8).tensor("texts batch heads tokens head_dim")
    return x, in_no_order(draw, x.shape[-2])


@repaired.case(times=1)
def pair_alone(draw: Draw) -> Turned:
    """a single pair of features, far into a very long text"""
    x = draw.fix(head_dim=2).tensor("heads tokens head_dim")
    return x, torch.arange(x.shape[1]) + far_into_a_text(draw)


# Features of the case that is turned in bfloat16 as well, as many as in no other.
_TURNED_TWICE = 10


@repaired.case(times=1)
def in_bfloat16_as_well(draw: Draw) -> Turned:
    """in bfloat16 as well, far out"""
    x = draw.fix(head_dim=_TURNED_TWICE).tensor("heads tokens head_dim")
    return x, 2 * torch.arange(x.shape[1]) + 1001


repaired.half_but_for("16-bit floats", in_bfloat16_as_well)


@repaired.holds
def bfloat16_is_turned_as_far(answer: Rope, x: Tensor, positions: Tensor) -> bool:
    """x in bfloat16 is turned by the angles that x in float32 is turned by"""
    if x.shape[-1] != _TURNED_TWICE:
        return True
    coarse = x.bfloat16()
    output, exact = answer(coarse, positions), answer(coarse.float(), positions)
    # bfloat16 keeps 8 bits, and sums and products round a few times.
    most = 0.04 * float(exact.abs().max())
    return output.dtype == x.bfloat16().dtype and torch.allclose(output.float(), exact, 0, most)


@repaired.holds
def repaired_lengths_stay(answer: Rope, x: Tensor, positions: Tensor) -> bool:
    """no vector becomes longer or shorter"""
    return torch.allclose(answer(x, positions).norm(dim=-1), x.norm(dim=-1), atol=1e-3)


def with_partners(x: Tensor, angles: Tensor) -> Tensor:
    """The last line of the broken cell."""
    first, second = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat([-second, first], dim=-1) * angles.sin()


@repaired.misconception
def as_given(x: Tensor, positions: Tensor) -> Tensor:
    """This is still the output of the broken cell. Partners are half the width apart: do both get
    the same angle?
    """
    return with_partners(x, pair_angles(x, positions).repeat_interleave(2, dim=-1))


@repaired.misconception
def made_interleaved(x: Tensor, positions: Tensor) -> Tensor:
    """This is a correct RoPE, but in the interleaved layout. The cell is half-split: keep the
    partners that it was given with, and lay out the angles to match them.
    """
    return turn(x, pair_angles(x, positions))


@repaired.misconception
def partners_reversed(x: Tensor, positions: Tensor) -> Tensor:
    """Both features of a pair get the same angle now, but the pairs turn in the wrong direction.
    The partners of the broken cell, −second and first, were right, and so were the signs of its
    angles.
    """
    return with_partners(x, -pair_angles(x, positions).repeat(1, 2))


@repaired.misconception
def minus_lost(x: Tensor, positions: Tensor) -> Tensor:
    """The minus of the partners is lost, so the vectors change their lengths."""
    angles = pair_angles(x, positions).repeat(1, 2)
    first, second = x.chunk(2, dim=-1)
    return x * angles.cos() + torch.cat([second, first], dim=-1) * angles.sin()


@repaired.misconception
def cosines_alone(x: Tensor, positions: Tensor) -> Tensor:
    """Each feature is only multiplied by its cosine. A rotation also adds the partner times the
    sine.
    """
    return x * pair_angles(x, positions).repeat(1, 2).cos()


@repaired.misconception
def mirrored_angles(x: Tensor, positions: Tensor) -> Tensor:
    """The second half has the angles in reverse order. Feature i + head_dim / 2 gets the angle of
    feature i.
    """
    angles = pair_angles(x, positions)
    return with_partners(x, torch.cat([angles, angles.flip(-1)], dim=-1))


@repaired.misconception
def frequency_for_each_feature(x: Tensor, positions: Tensor) -> Tensor:
    """Every feature has its own frequency now. There should be one for each pair, half as many as
    features, and the second half repeats them.
    """
    own = 10000 ** (-torch.arange(x.shape[-1], dtype=x.dtype) / x.shape[-1])
    return with_partners(x, positions[:, None] * own)


@repaired.misconception
def halved_exponents(x: Tensor, positions: Tensor) -> Tensor:
    """The layout is right, but the exponents are 0, 1/d, 2/d: half of what they were. Pair i has
    the exponent 2i / head_dim.
    """
    rates = 10000 ** (-torch.arange(x.shape[-1] // 2) / x.shape[-1])
    return with_partners(x, (positions[:, None] * rates).repeat(1, 2))


@repaired.misconception
def repeated_as_rows(x: Tensor, positions: Tensor) -> Tensor:
    """You repeat the table of angles downwards. Repeat its columns instead, along the last axis."""
    return with_partners(x, pair_angles(x, positions).repeat(2, 1))


@repaired.misconception
def second_half_stays(x: Tensor, positions: Tensor) -> Tensor:
    """Only the first half is turned. Both features of a pair should be, by the same angle."""
    angles = pair_angles(x, positions)
    return with_partners(x, torch.cat([angles, torch.zeros_like(angles)], dim=-1))


@repaired.misconception
def both_changed(x: Tensor, positions: Tensor) -> Tensor:
    """You changed the partners and the angles, so they disagree again. The partners were already
    right for half-split: change only the angles.
    """
    angles = pair_angles(x, positions).repeat(1, 2)
    partners = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return x * angles.cos() + partners * angles.sin()


@repaired.misconception
def counted_again(x: Tensor, positions: Tensor) -> Tensor:
    """The layout is right, but the positions start at 0 again. Use the argument `positions`."""
    return with_partners(x, pair_angles(x, torch.arange(len(positions))).repeat(1, 2))


@repaired.misconception
def weights_of_halves(x: Tensor, positions: Tensor) -> Tensor:
    """The pairs are turned correctly, but in your result they are side by side. In this layout they
    go back to where they were, half the width apart.
    """
    halves = turn_halves(x, pair_angles(x, positions))
    return torch.stack(halves.chunk(2, dim=-1), dim=-1).flatten(-2)


TENSOR_DTYPE.apply(repaired)


@repaired.accepts
def repaired_by_repeat(x: Tensor, positions: Tensor) -> Tensor:
    """repeat in place of repeat_interleave."""
    head_dim = x.shape[-1]
    rates = 10000 ** (-torch.arange(0, head_dim, 2) / head_dim)
    angles = (positions[:, None] * rates).repeat(1, 2)
    first, second = x.chunk(2, dim=-1)
    partners = torch.cat([-second, first], dim=-1)
    return (x * torch.cos(angles) + partners * torch.sin(angles)).to(x.dtype)


@repaired.accepts
def repaired_in_halves(x: Tensor, positions: Tensor) -> Tensor:
    """Written anew, half by half."""
    half = x.shape[-1] // 2
    angles = positions[:, None] / 10000 ** (torch.arange(half) / half)
    a, b = x[..., :half], x[..., half:]
    c, s = torch.cos(angles), torch.sin(angles)
    return torch.cat([a * c - b * s, a * s + b * c], -1).to(x)


@repaired.accepts
def repaired_by_reordering(x: Tensor, positions: Tensor) -> Tensor:
    """Into the other layout, turned there, and back."""
    half = x.shape[-1] // 2
    interleaved = x.reshape(*x.shape[:-1], 2, half).transpose(-1, -2).flatten(-2)
    turned = rope(interleaved, positions)
    return turned.reshape(*x.shape[:-1], half, 2).transpose(-1, -2).flatten(-2)
