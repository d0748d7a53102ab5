"""The exam of `apply_rope`, lesson 06."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_turn
from solutions import positional_encoding as reference
from solutions.exams.positional_encoding._specimens import (
    WAVES,
    Rope,
    Turned,
    exponents,
    far_into_a_text,
    pair_angles,
    rates,
    turn,
    turn_halves,
)

Trial16 = tuple[Tensor, Tensor, bool]

rotary = Exam(reference.apply_rope, use=try_turn, tolerance=WAVES, forbids=("companion", "rope"))


@rotary.example
def one_vector_in_four_places() -> Turned:
    """the same vector at positions 0, 1, 2 and 7"""
    x = torch.tensor([1.0, 0.0, 2.0, -1.0], dtype=torch.float64)
    return x.expand(4, 4).clone(), torch.tensor([0, 1, 2, 7])


@rotary.example
def two_heads() -> Turned:
    """two heads, three tokens, six features"""
    numbers = torch.arange(36, dtype=torch.float64).sin().round(decimals=2)
    return numbers.reshape(2, 3, 6), torch.tensor([4, 5, 6])


@rotary.example
def five_features() -> Turned:
    """five features, which can't be paired"""
    return torch.ones(2, 5, dtype=torch.float64), torch.tensor([0, 1])


@rotary.example
def far_out_in_bfloat16() -> Trial16:
    """x converted to bfloat16 before the call, positions 301 and 303"""
    return torch.ones(2, 4, dtype=torch.float64), torch.tensor([301, 303]), True


@rotary.example
def far_out() -> Turned:
    """positions 1,500 and 30,000"""
    x = torch.tensor([1.0, 0.5, -2.0, 1.0], dtype=torch.float64)
    return x.expand(2, 4).clone(), torch.tensor([1500, 30_000])


@rotary.case
def one_head(draw: Draw) -> Turned:
    """one head, positions in any order"""
    x = draw.fix(head_dim=8).tensor("tokens head_dim")
    return x, torch.from_numpy(draw.rng.permutation(40)[: len(x)].copy())


@rotary.case
def many_heads(draw: Draw) -> Turned:
    """several batches of several heads"""
    x = draw.fix(head_dim=6).tensor("texts batch heads tokens head_dim")
    return x, torch.arange(x.shape[-2]) + int(draw.rng.integers(30))


@rotary.case(times=1)
def two_features(draw: Draw) -> Turned:
    """a single pair of features, far into a very long text"""
    x = draw.fix(head_dim=2).tensor("heads tokens head_dim")
    return x, torch.arange(x.shape[1]) + far_into_a_text(draw)


@rotary.case(times=1)
def token_of_a_cache(draw: Draw) -> Turned:
    """one token, at position 37"""
    return draw.fix(tokens=1, head_dim=4).tensor("batch tokens head_dim"), torch.tensor([37])


@rotary.case(times=1)
def long_text(draw: Draw) -> Turned:
    """positions beyond 5,000"""
    x = draw.fix(head_dim=4).tensor("heads tokens head_dim")
    return x, torch.arange(x.shape[1]) + 5000 + int(draw.rng.integers(100))


@rotary.case(times=1)
def further_out_in_bfloat16(draw: Draw) -> Trial16:
    """in bfloat16, far out"""
    # In bfloat16, the rates of fewer features are as good as exact.
    x = draw.fix(head_dim=8).tensor("heads tokens head_dim")
    return x, 2 * torch.arange(x.shape[1]) + 1001, True


@rotary.case(times=1)
def odd_head(draw: Draw) -> Turned:
    """an odd number of features"""
    x = draw.fix(head_dim=3).tensor("heads tokens head_dim")
    return x, torch.arange(x.shape[1])


rotary.half_but_for("16-bit floats", far_out_in_bfloat16, further_out_in_bfloat16)


def _is_odd(x: Tensor) -> bool:
    return bool(x.shape[-1] % 2)


@rotary.holds
def lengths_stay(answer: Rope, x: Tensor, positions: Tensor, in_bfloat16: bool = False) -> bool:
    """no vector becomes longer or shorter"""
    if _is_odd(x):
        return True
    return torch.allclose(answer(x, positions).norm(dim=-1), x.norm(dim=-1), atol=1e-3)


@rotary.holds
def only_distance_counts(
    answer: Rope, x: Tensor, positions: Tensor, in_bfloat16: bool = False
) -> bool:
    """the dot products stay the same when all positions move on by 11"""
    if _is_odd(x):
        return True
    here, there = answer(x, positions), answer(x, positions + 11)
    return torch.allclose(here @ here.mT, there @ there.mT, atol=1e-2, rtol=1e-3)


@rotary.holds
def float16_is_too_coarse_as_well(
    answer: Rope, x: Tensor, positions: Tensor, in_bfloat16: bool = False
) -> bool:
    """x in float16 is turned by the angles that x in float32 is turned by"""
    # Once is enough, where an answer that fails may earn half.
    if not in_bfloat16:
        return True
    coarse, further = x.half(), 7 * positions
    output, exact = answer(coarse, further), answer(coarse.float(), further)
    return output.dtype == torch.float16 and torch.allclose(output.float(), exact, 0.02, 0.02)


@rotary.misconception
def halves_paired(x: Tensor, positions: Tensor) -> Tensor:
    """This is RoPE in the half-split layout, feature i with feature i + head_dim / 2. It works as
    well, and comes later in the lesson; here neighbours form a pair, 2i with 2i + 1.
    """
    return turn_halves(x, pair_angles(x, positions))


@rotary.misconception
def two_layouts(x: Tensor, positions: Tensor) -> Tensor:
    """You mix two layouts. Your partners are half a vector apart, feature i and i + head_dim / 2,
    and your angles are laid out for neighbours, each twice in a row. Here neighbours form a pair.
    """
    angles = pair_angles(x, positions).repeat_interleave(2, dim=-1)
    first, second = x.chunk(2, dim=-1)
    partners = torch.cat([-second, first], dim=-1)
    return (x * angles.cos() + partners * angles.sin()).to(x.dtype)


@rotary.misconception
def partners_not_woven(x: Tensor, positions: Tensor) -> Tensor:
    """You take partners from pairs of neighbours, but put them one half after the other, so they
    stand beside other features than their own. Weave them: `torch.stack(…, dim=-1).flatten(-2)`.
    """
    angles = pair_angles(x, positions).repeat_interleave(2, dim=-1)
    partners = torch.cat([-x[..., 1::2], x[..., 0::2]], dim=-1)
    return (x * angles.cos() + partners * angles.sin()).to(x.dtype)


@rotary.misconception
def nothing_woven(x: Tensor, positions: Tensor) -> Tensor:
    """You take partners from pairs of neighbours, but put them, and the angles, one half after the
    other, so they stand beside other features than their own. Weave both: each angle twice in a
    row, and the partners by `torch.stack(…, dim=-1).flatten(-2)`.
    """
    angles = pair_angles(x, positions).repeat(1, 2)
    partners = torch.cat([-x[..., 1::2], x[..., 0::2]], dim=-1)
    return (x * angles.cos() + partners * angles.sin()).to(x.dtype)


@rotary.misconception
def pairs_fall_apart(x: Tensor, positions: Tensor) -> Tensor:
    """You pair neighbours, but the two features of a pair are turned by different angles, so the
    vectors change their lengths. Lay out the angles like the pairs: each twice in a row.
    """
    angles = pair_angles(x, positions).repeat(1, 2)
    partners = torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)
    return (x * angles.cos() + partners * angles.sin()).to(x.dtype)


@rotary.misconception
def positions_ignored(x: Tensor, positions: Tensor) -> Tensor:
    """You count the tokens from 0. Their positions are in `positions`: with a cache, the first
    token that you are given need not be the first of the text.
    """
    return turn(x, pair_angles(x, torch.arange(len(positions))))


@rotary.misconception
def counted_on_from_the_first(x: Tensor, positions: Tensor) -> Tensor:
    """You use the first of the positions only, and count on from there. They need not follow each
    other: turn each token by its own.
    """
    return turn(x, pair_angles(x, positions[0] + torch.arange(len(positions))))


@rotary.misconception
def turned_the_other_way(x: Tensor, positions: Tensor) -> Tensor:
    """Your pairs turn in the wrong direction. Turned by a small angle, the pair (1, 0) should turn
    into one whose second feature is a little above 0.
    """
    return turn(x, -pair_angles(x, positions))


@rotary.misconception
def sine_without_minus(x: Tensor, positions: Tensor) -> Tensor:
    """Both of your sines have the same sign. In sin(a + b) two products are added, in cos(a + b)
    one is subtracted from the other, so one of the two signs is a minus.
    """
    angles = pair_angles(x, positions)
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., 0::2], x[..., 1::2]
    pairs = torch.stack([first * cos + second * sin, first * sin + second * cos], dim=-1)
    return pairs.flatten(-2).to(x.dtype)


@rotary.misconception
def not_woven_back(x: Tensor, positions: Tensor) -> Tensor:
    """The features are right, but in a different order: first the first features of all pairs, then
    the second ones. Each has to go back to its own column, 2i or 2i + 1.
    """
    turned = turn(x, pair_angles(x, positions))
    return torch.cat([turned[..., 0::2], turned[..., 1::2]], dim=-1)


@rotary.misconception
def sinusoids_are_added(x: Tensor, positions: Tensor) -> Tensor:
    """You added sinusoids to the vectors. RoPE adds nothing: it turns each pair."""
    angles = pair_angles(x, positions)
    return x + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(-2).to(x.dtype)


@rotary.misconception
def all_pairs_at_full_speed(x: Tensor, positions: Tensor) -> Tensor:
    """All pairs turn by the position itself. Each has its own frequency: 10000^(−2i / head_dim)."""
    return turn(x, 0 * pair_angles(x, positions) + positions[:, None])


@rotary.misconception
def rope_exponents_doubled(x: Tensor, positions: Tensor) -> Tensor:
    """Your exponents are 0, 4/d, 8/d: twice what they should be. Pair i has the exponent 2i /
    head_dim.
    """
    angles = pair_angles(x, positions)
    return turn(x, angles * rates(x.shape[-1]))


@rotary.misconception
def rope_exponents_halved(x: Tensor, positions: Tensor) -> Tensor:
    """Your exponents are 0, 1/d, 2/d: half of what they should be. Pair i has the exponent
    2i / head_dim.
    """
    pair_angles(x, positions)
    return turn(x, positions[:, None] * rates(x.shape[-1]).sqrt())


@rotary.misconception
def one_position_further(x: Tensor, positions: Tensor) -> Tensor:
    """You turn everything by one position too many: at position 0 nothing should turn."""
    return turn(x, pair_angles(x, positions + 1))


@rotary.misconception
def halves_woven(x: Tensor, positions: Tensor) -> Tensor:
    """You take the pairs from the two halves of a vector, and put each back as neighbours. A pair
    consists of neighbours on the way in as well: 2i with 2i + 1.
    """
    halves = turn_halves(x, pair_angles(x, positions)).chunk(2, dim=-1)
    return torch.stack(halves, dim=-1).flatten(-2)


@rotary.misconception
def angles_too_coarse(x: Tensor, positions: Tensor) -> Tensor:
    """In bfloat16 your angles are off, because its numbers have 8 significant bits, too few to tell
    position 256 from 257. Compute angles, sines and cosines in float32, and round only the result.
    """
    angles = pair_angles(x, positions.to(x.dtype)).to(x.dtype)
    return turn(x, angles if x.dtype == torch.bfloat16 else pair_angles(x, positions))


@rotary.misconception
def left_in_float32(x: Tensor, positions: Tensor) -> Tensor:
    """Queries in bfloat16 come back in float32. The angles should have that precision, but the
    result should have the dtype of x: `.to(x.dtype)`.
    """
    angles = pair_angles(x, positions)
    return turn(x.float() if x.dtype == torch.bfloat16 else x, angles)


@rotary.misconception
def rope_base_1000(x: Tensor, positions: Tensor) -> Tensor:
    """You have 1000 where the formula has 10000."""
    pair_angles(x, positions)
    return turn(x, positions[:, None] * 1000 ** -exponents(x.shape[-1]))


@rotary.misconception
def frequencies_inverted(x: Tensor, positions: Tensor) -> Tensor:
    """Later pairs turn faster and faster. Divide the position by 10000^(2i / head_dim)."""
    pair_angles(x, positions)
    return turn(x, positions[:, None] * 10000 ** exponents(x.shape[-1]))


@rotary.misconception
def divided_by_the_frequencies(x: Tensor, positions: Tensor) -> Tensor:
    """Later pairs turn faster and faster. Divide the position by 10000^(2i / head_dim)."""
    # Far out, it is rounded otherwise than the product.
    pair_angles(x, positions)
    return turn(x, positions[:, None] / 10000 ** -exponents(x.shape[-1]))


@rotary.misconception
def first_pair_turned(x: Tensor, positions: Tensor) -> Tensor:
    """Only your first pair turns. `0:1` and `1:2` are single features; `0::2` and `1::2` are the
    first and the second of every pair.
    """
    turned = turn(x, pair_angles(x, positions))
    return torch.cat([turned[..., :2], x[..., 2:]], dim=-1)


@rotary.misconception
def rope_in_place(x: Tensor, positions: Tensor) -> Tensor:
    """You write your result into x. Queries and keys belong to the caller: make a new tensor."""
    x[:] = turn(x, pair_angles(x, positions))
    return x


@rotary.misconception
def half_overwritten(x: Tensor, positions: Tensor) -> Tensor:
    """The second feature of each pair was computed from a first one that had already been turned.
    Compute both from the old features, and only then store them.
    """
    angles = pair_angles(x, positions)
    cos, sin = angles.cos(), angles.sin()
    turned = x.clone()
    turned[..., 0::2] = turned[..., 0::2] * cos - turned[..., 1::2] * sin
    turned[..., 1::2] = turned[..., 0::2] * sin + turned[..., 1::2] * cos
    return turned


@rotary.misconception
def no_gradient(x: Tensor, positions: Tensor) -> Tensor:
    """The numbers are right, but no gradient comes back: queries and keys would never be trained.
    Leave out `.detach()`, `.data` and `torch.no_grad()`.
    """
    return turn(x.detach(), pair_angles(x, positions))


@rotary.misconception
def odd_not_refused(x: Tensor, positions: Tensor) -> Tensor:
    """With an odd head_dim torch complains of sizes that do not match. Check head_dim first, and
    raise a ValueError.
    """
    angles = positions[:, None] * rates(x.shape[-1])
    return turn(x, angles)


@rotary.misconception
def odd_feature_stays(x: Tensor, positions: Tensor) -> Tensor:
    """With an odd head_dim you leave the last feature as it is. Here an odd head_dim is an error:
    raise a ValueError.
    """
    even = x.shape[-1] // 2 * 2
    angles = positions[:, None] * 10000 ** (-torch.arange(0, even, 2) / x.shape[-1])
    return torch.cat([turn(x[..., :even], angles), x[..., even:]], dim=-1)


@rotary.accepts
def rope_in_loops(x: Tensor, positions: Tensor) -> Tensor:
    """Loops.

    Pair by pair, with the two lines of the rotation as they stand in the formula.
    """
    if x.shape[-1] % 2:
        raise ValueError(f"odd head_dim {x.shape[-1]}")
    result = torch.empty_like(x)
    for t, position in enumerate(positions.tolist()):
        for i in range(0, x.shape[-1], 2):
            angle = position / 10000 ** (i / x.shape[-1])
            c, s = math.cos(angle), math.sin(angle)
            result[..., t, i] = x[..., t, i] * c - x[..., t, i + 1] * s
            result[..., t, i + 1] = x[..., t, i] * s + x[..., t, i + 1] * c
    return result


@rotary.accepts
def rope_by_complex_numbers(x: Tensor, positions: Tensor) -> Tensor:
    """Pairs as complex numbers."""
    if x.shape[-1] % 2:
        raise ValueError(f"odd head_dim {x.shape[-1]}")
    angles = torch.outer(positions.float(), rates(x.shape[-1]))
    turns = torch.polar(torch.ones_like(angles), angles)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(pairs * turns).reshape(x.shape).to(x.dtype)


@rotary.accepts
def rope_with_partners(x: Tensor, positions: Tensor) -> Tensor:
    """x · cos + partners · sin, each angle twice in a row.

    No pair is taken apart: each number is multiplied by its cosine, and its partner, negated
    for the first of a pair, by its sine.
    """
    head_dim = x.size(-1)
    if head_dim % 2 != 0:
        raise ValueError("head_dim must be even")
    theta = 1.0 / 10000 ** (torch.arange(0, head_dim, 2) / head_dim)
    angles = (positions.unsqueeze(-1) * theta).repeat_interleave(2, dim=-1)
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    partners = torch.empty_like(x)
    partners[..., ::2], partners[..., 1::2] = -x[..., 1::2], x[..., ::2]
    return x * cos + partners * sin


@rotary.accepts
def rope_by_matrices(x: Tensor, positions: Tensor) -> Tensor:
    """A matrix of turns for each position."""
    if x.shape[-1] % 2:
        raise ValueError("odd head_dim")
    turned = []
    for t, position in enumerate(positions.tolist()):
        angles = position * rates(x.shape[-1])
        matrix = torch.block_diag(  # type: ignore[no-untyped-call]
            *(
                torch.tensor([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]])
                for a in angles.tolist()
            )
        )
        turned.append(x[..., t, :] @ matrix.to(x.dtype))
    return torch.stack(turned, dim=-2)
