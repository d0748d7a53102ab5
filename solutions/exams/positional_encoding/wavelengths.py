"""The exam of `wavelengths`, lesson 06."""

import math
from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam, Tolerance
from solutions import positional_encoding as reference
from solutions.exams.positional_encoding._specimens import exponents, rates

lengths = Exam(reference.wavelengths, tolerance=Tolerance(absolute=1e-3, relative=2e-4))


@lengths.example
def of_four() -> int:
    """four columns, as on paper"""
    return 4


@lengths.example
def of_twelve() -> int:
    """twelve columns"""
    return 12


@lengths.case
def of_many(draw: Draw) -> int:
    """any even number of columns"""
    return 2 * draw.size("half")


@lengths.case(times=1)
def of_the_paper(draw: Draw) -> int:
    """the 512 columns of the paper"""
    return 512


@lengths.case(times=1)
def of_two(draw: Draw) -> int:
    """a single pair"""
    return 2


@lengths.holds
def first_is_a_full_turn(answer: Callable[[int], Tensor], d_model: int) -> bool:
    """the first wavelength is 2π"""
    return math.isclose(answer(d_model)[0].item(), 2 * math.pi, rel_tol=1e-5)


@lengths.misconception
def no_circle(d_model: int) -> Tensor:
    """These are the wavelengths without 2π. At these positions the angle is 1; a full turn has
    an angle of 2π.
    """
    return 10000 ** exponents(d_model)


@lengths.misconception
def frequencies(d_model: int) -> Tensor:
    """These are the angles by which the pairs turn from one position to the next. How many such
    steps make 2π?
    """
    return rates(d_model)


@lengths.misconception
def turns_upside_down(d_model: int) -> Tensor:
    """Your wavelengths grow shorter, but later pairs turn more slowly. These are 2π *times* the
    frequencies; a full turn takes 2π *divided* by the frequency.
    """
    return 2 * math.pi * rates(d_model)


@lengths.misconception
def counted_from_one(d_model: int) -> Tensor:
    """Your wavelengths begin with that of the second pair: the pairs are counted from 0, and the
    exponent of the first one is 0.
    """
    return 2 * math.pi * 10000 ** (exponents(d_model) + 2 / d_model)


@lengths.misconception
def one_for_each_column(d_model: int) -> Tensor:
    """You have one wavelength for each column. The sine and cosine of a pair share one: give each
    pair a single wavelength.
    """
    return 2 * math.pi * 10000 ** exponents(d_model).repeat_interleave(2)


@lengths.misconception
def own_exponents(d_model: int) -> Tensor:
    """You have one for each column, all different. Only the even columns have their own exponents,
    0, 2/d, 4/d and so on.
    """
    return 2 * math.pi * 10000 ** (torch.arange(d_model) / d_model)


@lengths.misconception
def exponents_doubled(d_model: int) -> Tensor:
    """Your exponents are twice too large: 0, 4/d, 8/d. If your i counts 0, 2, 4, it is already
    doubled.
    """
    return 2 * math.pi * 10000 ** (2 * exponents(d_model))


@lengths.misconception
def exponents_halved(d_model: int) -> Tensor:
    """Your exponents are half of what they should be: 0, 1/d, 2/d. Pair i has the exponent 2i/d."""
    return 2 * math.pi * 10000 ** (exponents(d_model) / 2)


@lengths.misconception
def exponents_floored(d_model: int) -> Tensor:
    """All your pairs have the same wavelength: the exponents are all 0, as after `//`, which rounds
    down. Divide with `/`.
    """
    return 2 * math.pi * 10000.0 ** (torch.arange(0, d_model, 2) // d_model)


@lengths.misconception
def half_a_turn(d_model: int) -> Tensor:
    """After your wavelengths, a hand has only gone halfway round. A full turn is 2π."""
    return math.pi * 10000 ** exponents(d_model)


@lengths.misconception
def all_the_way(d_model: int) -> Tensor:
    """Your last wavelength is 10000 · 2π exactly. That limit should not be reached: the last
    exponent is (d − 2)/d, not 1.
    """
    return 2 * math.pi * 10000 ** torch.linspace(0, 1, d_model // 2)


@lengths.misconception
def base_of_thousand(d_model: int) -> Tensor:
    """You have 1000 where the formula has 10000."""
    return 2 * math.pi * 1000 ** exponents(d_model)


@lengths.misconception
def longest_first(d_model: int) -> Tensor:
    """The wavelengths are right, but in reverse order. The first pair should have the shortest
    wavelength.
    """
    return (2 * math.pi * 10000 ** exponents(d_model)).flip(0)


@lengths.misconception
def evenly_spaced(d_model: int) -> Tensor:
    """Your wavelengths are evenly spaced between the two ends. They should form a geometric series:
    each is the same multiple of the one before.
    """
    longest = 10000 ** ((d_model - 2) / d_model)
    return 2 * math.pi * torch.linspace(1, longest, d_model // 2)


@lengths.accepts
def lengths_in_a_loop(d_model: int) -> Tensor:
    """A loop over the pairs.

    One wavelength at a time, straight from the formula.
    """
    return torch.tensor([2 * math.pi * 10000 ** (2 * i / d_model) for i in range(d_model // 2)])


@lengths.accepts
def lengths_by_exponential(d_model: int) -> Tensor:
    """exp and log.

    The power is written as exp of a logarithm, as in most published code.
    """
    even = torch.arange(0, d_model, 2)
    return 2 * torch.pi * torch.exp(even * (math.log(10000.0) / d_model))


@lengths.accepts
def lengths_from_frequencies(d_model: int) -> Tensor:
    """A full turn, divided by the frequencies."""
    half = d_model // 2
    return 2 * torch.pi / torch.pow(10000.0, -torch.arange(half) / half)


@lengths.accepts
def lengths_by_logspace(d_model: int) -> Tensor:
    """A geometric series.

    The wavelengths are a geometric series, so `logspace` needs only the first exponent, the
    last and how many.
    """
    last = 4 * (d_model - 2) / d_model
    return 2 * torch.pi * torch.logspace(0, last, d_model // 2, base=10)
