"""The exam of `sinusoidal_encoding`, lesson 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_encoding
from solutions import positional_encoding as reference
from solutions.exams.families import LOOP
from solutions.exams.positional_encoding._specimens import (
    WAVES,
    Sizes,
    every_angle,
    exponents,
    rates,
    refuse_odd,
    waves,
)

encoding = Exam(
    reference.sinusoidal_encoding,
    use=try_encoding,
    tolerance=WAVES,
    forbids=("companion", "sinusoids", "sinusoids_at"),
)


@encoding.example
def as_on_paper() -> Sizes:
    """four positions in four columns, as on paper"""
    return 4, 4


@encoding.example
def eleven_by_six() -> Sizes:
    """eleven positions in six columns"""
    return 11, 6


@encoding.example
def seven_columns() -> Sizes:
    """seven columns, which can't be paired"""
    return 4, 7


@encoding.case
def some_positions(draw: Draw) -> Sizes:
    """any even number of columns"""
    half, odd = draw.size("half"), draw.size("positions")
    return 3 * odd + 1, 2 * half


@encoding.case(times=1)
def long_text(draw: Draw) -> Sizes:
    """60 positions in 64 columns"""
    return 60, 64


@encoding.case(times=1)
def longer_text(draw: Draw) -> Sizes:
    """1010 positions in six columns"""
    return 1010, 6


@encoding.case(times=1)
def one_position(draw: Draw) -> Sizes:
    """the first position alone"""
    return 1, 6


@encoding.case(times=1)
def one_pair(draw: Draw) -> Sizes:
    """more than ten thousand positions in a single pair of columns"""
    # Its frequency is 1, so that all its angles are exact in float32 as well.
    return int(draw.rng.integers(10_000, 16_000)), 2


@encoding.case(times=1)
def odd_width(draw: Draw) -> Sizes:
    """another odd number of columns"""
    return 5, 2 * draw.size("half") + 1


@encoding.case(times=1)
def single_column(draw: Draw) -> Sizes:
    """a single column"""
    return 3, 1


@encoding.holds
def pairs_lie_on_circles(
    answer: Callable[[int, int], Tensor], num_positions: int, d_model: int
) -> bool:
    """sine² + cosine² is 1 in each pair"""
    if d_model % 2:
        return True
    pairs = answer(num_positions, d_model).reshape(num_positions, -1, 2)
    sizes = pairs.square().sum(dim=-1)
    return torch.allclose(sizes, torch.ones_like(sizes), atol=1e-4)


@encoding.misconception
def own_exponent_for_cosines(num_positions: int, d_model: int) -> Tensor:
    """Each of your columns has its own frequency, so the sine and cosine of a pair do not match. A
    pair shares one frequency: 1 / 10000^(2i / d_model) for columns 2i and 2i + 1.
    """
    if d_model % 2:
        raise ValueError(f"d_model is odd: {d_model}")
    own = 10000 ** (-torch.arange(d_model) / d_model)
    angles = torch.arange(num_positions)[:, None] * own
    return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos())


@encoding.misconception
def only_one_column_of_cosines(num_positions: int, d_model: int) -> Tensor:
    """You put all cosines into a single column: `1:2` is a single column, whereas `1::2` is every
    second one.
    """
    refuse_odd(d_model)
    angles = every_angle(num_positions, d_model)
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1:2] = torch.cos(angles)
    return table


@encoding.misconception
def own_exponent_doubled(num_positions: int, d_model: int) -> Tensor:
    """Each of your columns has its own frequency: you put the number of the column where the
    formula has the number of the pair. Column 2i and column 2i + 1 share 10000^(2i / d_model).
    """
    if d_model % 2:
        raise ValueError(f"d_model is odd: {d_model}")
    own = 10000 ** (-2 * torch.arange(d_model) / d_model)
    angles = torch.arange(num_positions)[:, None] * own
    return torch.where(torch.arange(d_model) % 2 == 0, angles.sin(), angles.cos())


@encoding.misconception
def exponent_doubled(num_positions: int, d_model: int) -> Tensor:
    """Your waves slow down twice as fast as they should: the exponents are 0, 4/d, 8/d. If your i
    counts 0, 2, 4, it is already doubled.
    """
    refuse_odd(d_model)
    slow = 10000 ** (-2 * torch.arange(0, d_model, 2) / d_model)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def exponent_halved(num_positions: int, d_model: int) -> Tensor:
    """Your exponents are 0, 1/d, 2/d: half of what they should be. Pair i has the exponent 2i/d."""
    refuse_odd(d_model)
    slow = 10000 ** (-torch.arange(d_model // 2) / d_model)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def floored_exponents(num_positions: int, d_model: int) -> Tensor:
    """All your pairs have the same frequency: the exponents are all 0, as after `//`, which rounds
    down. Divide by d_model with `/`.
    """
    refuse_odd(d_model)
    slow = 10000 ** -(torch.arange(0, d_model, 2) / d_model // 2)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def divided_by_the_frequency(num_positions: int, d_model: int) -> Tensor:
    """Your waves get faster from pair to pair. The angle is the position divided by 10000^(2i/d):
    either divide by that, or multiply by its inverse.
    """
    refuse_odd(d_model)
    return waves(torch.arange(num_positions)[:, None] / rates(d_model))


@encoding.misconception
def multiplied_by_the_power(num_positions: int, d_model: int) -> Tensor:
    """Your waves get faster from pair to pair. The angle is the position divided by 10000^(2i/d):
    either divide by that, or multiply by its inverse.
    """
    # Far out, it is rounded otherwise than what is divided by the inverse.
    refuse_odd(d_model)
    return waves(torch.arange(num_positions)[:, None] * 10000 ** exponents(d_model))


@encoding.misconception
def too_many_frequencies(num_positions: int, d_model: int) -> Tensor:
    """You have as many frequencies as columns, but only half of the columns to put them in. There
    should be one for each pair of columns.
    """
    refuse_odd(d_model)
    angles = torch.arange(num_positions)[:, None] * 10000 ** (-torch.arange(d_model) / d_model)
    table = torch.zeros(num_positions, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)
    return table


@encoding.misconception
def base_1000(num_positions: int, d_model: int) -> Tensor:
    """You have 1000 where the formula has 10000."""
    refuse_odd(d_model)
    return waves(torch.arange(num_positions)[:, None] * 1000 ** -exponents(d_model))


@encoding.misconception
def logarithm_to_base_10(num_positions: int, d_model: int) -> Tensor:
    """You have e⁴, which is about 55, where the formula has 10000. That happens when `exp` is
    combined with `log10`: use the natural logarithm, `math.log`, which `exp` undoes.
    """
    refuse_odd(d_model)
    return waves(torch.arange(num_positions)[:, None] * torch.exp(-4 * exponents(d_model)))


@encoding.misconception
def in_two_halves(num_positions: int, d_model: int) -> Tensor:
    """All the columns are right, but in a different order: the sines in the left half, the cosines
    in the right one. Some libraries do that, and it works as well; but here sine and cosine
    alternate.
    """
    refuse_odd(d_model)
    angles = every_angle(num_positions, d_model)
    return torch.cat([angles.sin(), angles.cos()], dim=1)


@encoding.misconception
def cosines_first(num_positions: int, d_model: int) -> Tensor:
    """Sines and cosines are swapped: column 0 should be a sine, which starts at 0."""
    refuse_odd(d_model)
    angles = every_angle(num_positions, d_model)
    return torch.stack([angles.cos(), angles.sin()], dim=-1).flatten(1)


@encoding.misconception
def cosines_missing(num_positions: int, d_model: int) -> Tensor:
    """Every second column of yours is 0 in all rows: the cosines are missing. They go into the odd
    columns, `1::2`.
    """
    refuse_odd(d_model)
    table = waves(every_angle(num_positions, d_model))
    table[:, 1::2] = 0
    return table


@encoding.misconception
def sines_missing(num_positions: int, d_model: int) -> Tensor:
    """Your even columns are 0 in all rows: the sines are missing. They go into the
    columns `0::2`.
    """
    refuse_odd(d_model)
    table = waves(every_angle(num_positions, d_model))
    table[:, 0::2] = 0
    return table


@encoding.misconception
def first_position_is_one(num_positions: int, d_model: int) -> Tensor:
    """Your first row is that of position 1. Positions count from 0: row 0 is 0, 1, 0, 1, …"""
    refuse_odd(d_model)
    return waves(torch.arange(1, num_positions + 1)[:, None] * rates(d_model))


@encoding.misconception
def ends_at_ten_thousand(num_positions: int, d_model: int) -> Tensor:
    """Your slowest pair turns by 1/10000. The exponents should be 2i/d, so the last one is (d −
    2)/d, and not 1, as after `linspace(0, 1, …)` or a division by d_model − 2.
    """
    refuse_odd(d_model)
    slow = 10000.0 ** -torch.linspace(0, 1, d_model // 2)
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def divided_by_less(num_positions: int, d_model: int) -> Tensor:
    """Your slowest pair turns by 1/10000, and with two columns you divide 0 by 0, because your
    exponents are 2i/(d − 2). They should be 2i/d, so the last one is (d − 2)/d, and not 1.
    """
    refuse_odd(d_model)
    slow = 10000.0 ** (-torch.arange(0, d_model, 2) / (d_model - 2))
    return waves(torch.arange(num_positions)[:, None] * slow)


@encoding.misconception
def in_double(num_positions: int, d_model: int) -> Tensor:
    """The numbers are right, but in float64. Models compute in float32, torch's default: convert
    the result with `.float()`.
    """
    refuse_odd(d_model)
    return waves(every_angle(num_positions, d_model).double())


@encoding.misconception
def positions_on_columns(num_positions: int, d_model: int) -> Tensor:
    """Your table is transposed: it has one column per position, but it should have one row per
    position.
    """
    refuse_odd(d_model)
    return waves(every_angle(num_positions, d_model)).T


@encoding.misconception
def odd_width_crashes(num_positions: int, d_model: int) -> Tensor:
    """With an odd d_model your code fails somewhere inside, and torch's message about sizes does
    not say why. Check d_model first, and raise a ValueError that says what is wrong with it.
    """
    table = torch.zeros(num_positions, d_model)
    angles = every_angle(num_positions, d_model)
    table[:, 0::2] = torch.sin(angles)
    table[:, 1::2] = torch.cos(angles)
    return table


@encoding.misconception
def odd_width_grows(num_positions: int, d_model: int) -> Tensor:
    """With an odd d_model you return one column too many. Raise a ValueError instead."""
    return waves(every_angle(num_positions, d_model))


@encoding.misconception
def odd_width_is_cut(num_positions: int, d_model: int) -> Tensor:
    """With an odd d_model you leave out the last cosine. That works, but it hides a mistake of the
    caller. Here an odd d_model should raise a ValueError.
    """
    return waves(every_angle(num_positions, d_model))[:, :d_model]


@encoding.misconception
def refused_without_a_word(num_positions: int, d_model: int) -> Tensor:
    """Your error does not say which d_model it refuses. Put the number into the message, so that
    its reader need not search for the call.
    """
    if d_model % 2:
        raise ValueError("d_model must be even")
    return waves(every_angle(num_positions, d_model))


LOOP.apply(
    encoding,
    says={
        "FirstRowReturned": "This is only the first row, that of position 0. If you have a loop, "
        "does it return in its first pass? Collect all the rows, and return them after the loop.",
        "LastRowReturned": "This is only the last row. If you have a loop, does each pass "
        "overwrite the row of the one before? Collect all the rows, and return them after the "
        "loop.",
    },
)


@encoding.accepts
def encoding_in_loops(num_positions: int, d_model: int) -> Tensor:
    """Loops.

    Entry by entry, from the formula: a position, a pair, an angle, its sine and its cosine.
    """
    if d_model % 2 != 0:
        raise ValueError(f"Cannot pair {d_model} columns.")
    table = torch.empty(num_positions, d_model)
    for position in range(num_positions):
        for i in range(d_model // 2):
            angle = position / 10000 ** (2 * i / d_model)
            table[position, 2 * i] = math.sin(angle)
            table[position, 2 * i + 1] = math.cos(angle)
    return table


@encoding.accepts
def encoding_by_exponential(num_positions: int, d_model: int) -> Tensor:
    """The usual code: exp and log, two slices."""
    if d_model % 2:
        raise ValueError(f"d_model should be even, got {d_model}")
    position = torch.arange(num_positions).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
    pe = torch.zeros(num_positions, d_model)
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe


@encoding.accepts
def encoding_by_stacking(num_positions: int, d_model: int) -> Tensor:
    """An outer product, stacked.

    `outer` makes all angles, and stacking sine and cosine on a last axis of 2 makes `reshape`
    interleave them.
    """
    pairs, rest = divmod(d_model, 2)
    if rest:
        raise ValueError(f"odd width: {d_model}")
    angles = torch.outer(
        torch.arange(num_positions).float(), 10000 ** (-torch.arange(pairs) / pairs)
    )
    return torch.stack((torch.sin(angles), torch.cos(angles)), dim=2).reshape(-1, d_model)


@encoding.accepts
def encoding_by_phase(num_positions: int, d_model: int) -> Tensor:
    """A cosine is a sine, a quarter of a turn ahead.

    A cosine is a sine a quarter of a turn ahead, so there is a single call of `sin` for all
    columns.
    """
    if d_model % 2:
        raise ValueError(f"{d_model} is odd")
    column = torch.arange(d_model, dtype=torch.float64)
    angles = torch.arange(num_positions)[:, None] / 10000 ** ((column - column % 2) / d_model)
    return torch.sin(angles + column % 2 * torch.pi / 2).float()
