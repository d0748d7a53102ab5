"""The exam of `local_window`, lesson 01."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import LONG

window = Exam(reference.local_window)

Window = tuple[float, int, int]


@window.example
def in_the_middle() -> Window:
    """a window inside of the sentence"""
    return 4.0, 10, 2


@window.example
def at_the_beginning() -> Window:
    """a window that begins before the sentence"""
    return 1.0, 8, 3


@window.example
def at_the_end() -> Window:
    """a window that ends behind the sentence"""
    return 6.0, 8, 3


@window.example
def between_two_words() -> Window:
    """a middle between two words"""
    return 3.7, 9, 2


@window.case(times=8)
def any_window(draw: Draw) -> Window:
    """windows drawn at random"""
    length = int(draw.rng.integers(4, 20))
    return float(draw.rng.uniform(0, length - 1)), length, int(draw.rng.integers(1, 5))


@window.case(times=2)
def whole_middle(draw: Draw) -> Window:
    """windows around a word of a long sentence"""
    length = LONG + int(draw.rng.integers(500))
    return float(length - draw.rng.integers(1, 70)), length, int(draw.rng.integers(1, 5))


@window.case(times=1)
def wider_than_all(draw: Draw) -> Window:
    """a window wider than the sentence"""
    return 1.5, 4, 10


@window.case(times=1)
def nothing_in_the_middle(draw: Draw) -> Window:
    """D = 0, and no word in the middle: an empty window"""
    return 2.5, 5, 0


@window.case(times=1)
def only_the_middle(draw: Draw) -> Window:
    """D = 0: only the middle itself"""
    return 2.0, 5, 0


@window.misconception
def end_left_out(p_t: float, length: int, D: int) -> Tensor:
    """The last position is missing. `range`, `arange` and slices stop before their end, but p_t + D
    is still in the window.
    """
    first, last = math.ceil(max(p_t - D, 0)), math.floor(min(p_t + D, length - 1))
    return torch.arange(first, max(last, first))


@window.misconception
def end_without_plus_one(p_t: float, length: int, D: int) -> Tensor:
    """The last position is missing where the window ends inside the sentence: `arange`, `range` and
    slices stop before their end, so the end has to be one higher.
    """
    first, end = math.ceil(max(p_t - D, 0)), min(math.floor(p_t + D), length)
    return torch.arange(first, max(end, first))


@window.misconception
def last_word_left_out(p_t: float, length: int, D: int) -> Tensor:
    """Where the window reaches the end of the sentence, the last word is missing, for example
    because `arange` stops before its end: that has to be length, not length - 1.
    """
    first, end = math.ceil(max(p_t - D, 0)), min(math.floor(p_t + D) + 1, length - 1)
    return torch.arange(first, max(end, first))


@window.misconception
def not_cut_at_the_left(p_t: float, length: int, D: int) -> Tensor:
    """Some of your positions are below 0. As an index they would count from the end of the
    sentence: start at 0 at the earliest.
    """
    return torch.arange(math.ceil(p_t - D), math.floor(min(p_t + D, length - 1)) + 1)


@window.misconception
def not_cut_at_the_right(p_t: float, length: int, D: int) -> Tensor:
    """Some of your positions are beyond the end of the sentence: its last position is length
    - 1.
    """
    return torch.arange(math.ceil(max(p_t - D, 0)), math.floor(p_t + D) + 1)


@window.misconception
def not_cut_at_all(p_t: float, length: int, D: int) -> Tensor:
    """Some of your positions are before the beginning of the sentence or beyond its end. Keep those
    from 0 to length - 1.
    """
    return torch.arange(math.ceil(p_t - D), math.floor(p_t + D) + 1)


@window.misconception
def one_behind_the_end(p_t: float, length: int, D: int) -> Tensor:
    """One of your positions is beyond the end of the sentence. Positions count from 0, so the last
    one is length - 1.
    """
    first, last = math.ceil(max(p_t - D, 0)), math.floor(min(p_t + D, length))
    return torch.arange(first, last + 1)


@window.misconception
def rounded_down(p_t: float, length: int, D: int) -> Tensor:
    """Your window is the one around p_t rounded down, which you also get by rounding both ends
    down. It can begin too far from p_t: leave p_t as it is, and keep the positions within D of it.
    """
    places = torch.arange(length)
    return places[(places - int(p_t)).abs() <= D]


@window.misconception
def rounded_to_nearest(p_t: float, length: int, D: int) -> Tensor:
    """Your window is the one around the word nearest to p_t, which you also get by rounding both
    ends. p_t may lie between two words: leave it as it is, and keep the positions within D of it.
    """
    places = torch.arange(length)
    return places[(places - round(p_t)).abs() <= D]


@window.misconception
def shifted_to_keep_its_width(p_t: float, length: int, D: int) -> Tensor:
    """Your window has 2D + 1 positions from its first one on, unless the sentence ends before. At
    the beginning, and between two words, it then ends too far to the right: positions further than
    D from p_t are not in the window.
    """
    first = max(0, math.ceil(p_t - D))
    return torch.arange(first, min(length - 1, first + 2 * D) + 1)


@window.misconception
def end_moved_with_the_beginning(p_t: float, length: int, D: int) -> Tensor:
    """Where your window would begin before the sentence, you move its beginning to 0 and its end by
    as much to the right, so that it keeps its width. Cut it off at 0, and leave its end: only
    positions within D of p_t are in the window.
    """
    first, last = math.ceil(p_t - D), math.floor(p_t + D)
    moved = last - min(first, 0)
    return torch.arange(max(first, 0), max(min(moved, length - 1) + 1, max(first, 0)))


@window.misconception
def moved_inside(p_t: float, length: int, D: int) -> Tensor:
    """Where your window would leave the sentence, you move it inside, so that it keeps all of its
    2D + 1 positions. Cut it off there instead: only positions within D of p_t are in the window.
    """
    first = max(0, min(math.ceil(p_t - D), length - 1 - 2 * D))
    return torch.arange(first, min(length - 1, first + 2 * D) + 1)


@window.misconception
def half_as_wide(p_t: float, length: int, D: int) -> Tensor:
    """Your window is D wide. D is how far it reaches to each side, so it can have up to 2D + 1
    positions.
    """
    places = torch.arange(length)
    return places[(places - p_t).abs() <= D / 2]


@window.misconception
def without_its_edges(p_t: float, length: int, D: int) -> Tensor:
    """The positions at a distance of exactly D are missing, but they are still in the window."""
    places = torch.arange(length)
    return places[(places - p_t).abs() < D]


@window.misconception
def as_a_table(p_t: float, length: int, D: int) -> Tensor:
    """This tells whether each position is in the window. Return the positions themselves."""
    return (torch.arange(length) - p_t).abs() <= D


@window.misconception
def as_a_column(p_t: float, length: int, D: int) -> Tensor:
    """The positions are right, but they are in a column: `nonzero` gives a row for each entry that
    it finds, and `torch.where(condition)` gives a tuple. Return a single axis.
    """
    return torch.nonzero((torch.arange(length) - p_t).abs() <= D)


@window.misconception
def as_decimals(p_t: float, length: int, D: int) -> Tensor:
    """The positions are right, but as decimal numbers, which can't be used as an index. Return
    integers.
    """
    places = torch.arange(length)
    return places[(places - p_t).abs() <= D].to(torch.float32)


@window.misconception
def counted_from_a_decimal(p_t: float, length: int, D: int) -> Tensor:
    """Your positions are decimal numbers, which can't be used as an index: starting from p_t - D,
    `arange` keeps counting in decimals. Round the beginning up and the end down, to integers, or
    choose from the positions of the sentence.
    """
    return torch.arange(max(0, p_t - D), min(length - 1, p_t + D) + 1)


@window.accepts
def window_by_its_ends(p_t: float, length: int, D: int) -> Tensor:
    """The two ends, rounded inwards.

    The two ends are computed, rounded inwards and kept within the sentence. No other position is
    looked at, which pays for long sentences.
    """
    return torch.arange(max(0, math.ceil(p_t - D)), min(length - 1, math.floor(p_t + D)) + 1)


@window.accepts
def window_in_a_loop(p_t: float, length: int, D: int) -> Tensor:
    """A loop over the positions.

    A list comprehension asks of each position whether it lies in the window. `dtype=torch.long` is
    needed for an empty window: a tensor of an empty list holds floats.
    """
    return torch.tensor([s for s in range(length) if abs(s - p_t) <= D], dtype=torch.long)


@window.accepts
def window_by_nonzero(p_t: float, length: int, D: int) -> Tensor:
    """The indices where a condition holds.

    `torch.nonzero` returns the indices at which a condition holds, one to a row, and `flatten`
    makes a vector of them.
    """
    s = torch.arange(length, dtype=torch.float64)
    return torch.nonzero((s >= p_t - D) & (s <= p_t + D)).flatten()
