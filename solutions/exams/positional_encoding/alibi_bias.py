"""The exam of `alibi_bias`, lesson 06."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam, Tolerance
from solutions import positional_encoding as reference
from solutions.exams.families import LOOP
from solutions.exams.positional_encoding._specimens import Sizes

alibi = Exam(reference.alibi_bias, tolerance=Tolerance(absolute=1e-5, relative=1e-5))


@alibi.example
def two_heads_four_tokens() -> Sizes:
    """two heads, four tokens"""
    return 2, 4


@alibi.example
def three_heads() -> Sizes:
    """three heads, two tokens"""
    return 3, 2


@alibi.example
def eight_heads() -> Sizes:
    """eight heads, three tokens"""
    return 8, 3


@alibi.case
def random_bias(draw: Draw) -> Sizes:
    """any number of heads and tokens"""
    return draw.size("heads"), draw.size("tokens") + 5


@alibi.case(times=1)
def single_head(draw: Draw) -> Sizes:
    """one head, and a long text"""
    return 1, int(draw.rng.integers(260, 300))


@alibi.case(times=1)
def single_token(draw: Draw) -> Sizes:
    """one token"""
    return 5, 1


@alibi.case(times=1)
def sixteen_heads(draw: Draw) -> Sizes:
    """sixteen heads, forty tokens"""
    return 16, 40


@alibi.holds
def diagonal_is_zero(answer: Callable[[int, int], Tensor], num_heads: int, num_tokens: int) -> bool:
    """a word's own score is not lowered"""
    return bool((answer(num_heads, num_tokens).diagonal(dim1=1, dim2=2) == 0).all())


def slopes(num_heads: int) -> Tensor:
    return 2.0 ** (-8 * torch.arange(1, num_heads + 1) / num_heads)


def steps_apart(num_tokens: int) -> Tensor:
    """Query minus key, (tokens, tokens)."""
    places = torch.arange(num_tokens)
    return places[:, None] - places


@alibi.misconception
def far_is_favoured(num_heads: int, num_tokens: int) -> Tensor:
    """Your bias favours keys that are far away. It should lower their scores: put a minus
    in front.
    """
    return slopes(num_heads)[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def future_is_favoured(num_heads: int, num_tokens: int) -> Tensor:
    """In your result the future has a bias above 0, because a difference of two positions has a
    sign. A distance is never negative, so no bias is above 0: it is minus the slope times the
    absolute value.
    """
    return -slopes(num_heads)[:, None, None] * steps_apart(num_tokens)


@alibi.misconception
def past_is_favoured(num_heads: int, num_tokens: int) -> Tensor:
    """In your result the past has a bias above 0, because a difference of two positions has a sign.
    A distance is never negative, so no bias is above 0: it is minus the slope times the absolute
    value.
    """
    return slopes(num_heads)[:, None, None] * steps_apart(num_tokens)


@alibi.misconception
def place_of_the_key(num_heads: int, num_tokens: int) -> Tensor:
    """Your bias grows with the position of the key, and is the same for every query. Under a causal
    mask this gives the same weights, and BLOOM's code does it this way. Here the bias is minus the
    distance of query and key, in both directions.
    """
    places = torch.arange(num_tokens)
    return slopes(num_heads)[:, None, None] * places.expand(num_tokens, -1)


@alibi.misconception
def distance_from_the_end(num_heads: int, num_tokens: int) -> Tensor:
    """Your bias is minus the distance of the key from the last token, times the slope: the same for
    every query. Under a causal mask the softmax gives the same weights, and MPT's code does it this
    way. Here the bias is minus the distance of query and key, in both directions.
    """
    places = torch.arange(1 - num_tokens, 1)
    return slopes(num_heads)[:, None, None] * places.expand(num_tokens, -1)


@alibi.misconception
def future_hidden(num_heads: int, num_tokens: int) -> Tensor:
    """You hid the future with −∞. That is the job of the mask: the bias should be finite
    everywhere.
    """
    bias = -slopes(num_heads)[:, None, None] * steps_apart(num_tokens).abs()
    return bias.masked_fill(steps_apart(num_tokens) < 0, -torch.inf)


@alibi.misconception
def future_far_below(num_heads: int, num_tokens: int) -> Tensor:
    """You hid the future with a large negative number. That is the job of the mask: here the bias
    is minus the slope times the distance, in both directions.
    """
    bias = -slopes(num_heads)[:, None, None] * steps_apart(num_tokens).abs()
    return bias.masked_fill(steps_apart(num_tokens) < 0, -1e9)


@alibi.misconception
def future_at_a_great_distance(num_heads: int, num_tokens: int) -> Tensor:
    """You hid the future by a very large distance. That is the job of the mask: here the bias is
    minus the slope times the distance, in both directions.
    """
    steps = steps_apart(num_tokens)
    return -slopes(num_heads)[:, None, None] * steps.masked_fill(steps < 0, 10**9)


@alibi.misconception
def future_free(num_heads: int, num_tokens: int) -> Tensor:
    """In your result, keys in the future have a bias of 0. Here the distance counts in both
    directions.
    """
    return -slopes(num_heads)[:, None, None] * steps_apart(num_tokens).clamp(min=0)


@alibi.misconception
def halved_each_time(num_heads: int, num_tokens: int) -> Tensor:
    """Your slopes are 1/2, 1/4, 1/8, …, whatever the number of heads. That is right for eight of
    them; in general the first slope is 2^(−8 / num_heads), and each of the others is the one before
    it times 2^(−8 / num_heads).
    """
    halves = 2.0 ** -torch.arange(1, num_heads + 1)
    places = torch.arange(num_tokens)
    return -halves[:, None, None] * (places[:, None] - places).abs()


@alibi.misconception
def first_slope_of_one(num_heads: int, num_tokens: int) -> Tensor:
    """Your first slope is 1: you count the heads from 0. The first exponent should be −8 /
    num_heads, and the last should be −8.
    """
    early = 2.0 ** (-8 * torch.arange(num_heads) / num_heads)
    return -early[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def floored_slopes(num_heads: int, num_tokens: int) -> Tensor:
    """Your exponents are rounded to integers, as by `//`, which is right only where the number of
    heads divides 8. Divide with `/`.
    """
    whole = 2.0 ** (-8 * torch.arange(1, num_heads + 1) // num_heads)
    return -whole[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def slopes_of_the_release(num_heads: int, num_tokens: int) -> Tensor:
    """This is what the authors' code does when the number of heads is not a power of two: it joins
    two series. Here there is one series, from 2^(−8 / num_heads) to 2^(−8), for any number of
    heads.
    """
    below = 1 << (num_heads.bit_length() - 1)
    joined = torch.cat([slopes(below), slopes(2 * below)[0::2][: num_heads - below]])
    return -joined[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def evenly_spaced_slopes(num_heads: int, num_tokens: int) -> Tensor:
    """Your slopes are evenly spaced between the first and the last. Their exponents should be
    evenly spaced: each slope is the one before it times 2^(−8 / num_heads).
    """
    even = torch.linspace(2 ** (-8 / num_heads), 2**-8, num_heads)
    return -even[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def gentlest_first(num_heads: int, num_tokens: int) -> Tensor:
    """Your heads are in reverse order. The first one should have the steepest slope."""
    return -slopes(num_heads).flip(0)[:, None, None] * steps_apart(num_tokens).abs()


@alibi.misconception
def one_slope_for_all(num_heads: int, num_tokens: int) -> Tensor:
    """All your heads have the same slope. Each has its own, so that some heads look nearby and
    others far away.
    """
    return -slopes(num_heads)[0] * steps_apart(num_tokens).abs().expand(num_heads, -1, -1)


@alibi.misconception
def no_heads(num_heads: int, num_tokens: int) -> Tensor:
    """This is a single table. There should be one for each head, along the first axis."""
    return -slopes(num_heads)[0] * steps_apart(num_tokens).abs()


@alibi.misconception
def heads_at_the_end(num_heads: int, num_tokens: int) -> Tensor:
    """The heads are the last axis of your result. They should be the first: (heads, tokens,
    tokens).
    """
    return -steps_apart(num_tokens).abs()[:, :, None] * slopes(num_heads)


@alibi.misconception
def squared_distance(num_heads: int, num_tokens: int) -> Tensor:
    """Your bias grows with the square of the distance. In ALiBi it is linear."""
    return -slopes(num_heads)[:, None, None] * steps_apart(num_tokens).square()


@alibi.misconception
def no_slopes(num_heads: int, num_tokens: int) -> Tensor:
    """These are the distances, with a minus but without slopes. Multiply them by the slope of each
    head.
    """
    return -steps_apart(num_tokens).abs().float().expand(num_heads, -1, -1)


@alibi.misconception
def bias_in_double(num_heads: int, num_tokens: int) -> Tensor:
    """The numbers are right, but in float64. The bias is added to scores in float32: convert it
    with `.float()`.
    """
    return -slopes(num_heads).double()[:, None, None] * steps_apart(num_tokens).abs()


LOOP.apply(
    alibi,
    says={
        "LastRowReturned": "This is only the table of the last head. If you have a loop over the "
        "heads, does each pass overwrite the table of the one before? Collect all the tables, and "
        "return them after the loop.",
        "OnlyTheFirstRowFilled": "Only the table of the first head is filled in; the rest is still "
        "0. Is `return` inside the loop?",
        "OnlyTheLastRowFilled": "Only the table of the last head is filled in; the rest is still "
        "0. Does each pass of your loop start from new zeros? Make them once, before the loop.",
    },
    without=["FirstRowReturned"],
)


@alibi.accepts
def alibi_in_loops(num_heads: int, num_tokens: int) -> Tensor:
    """Loops.

    Three loops, for head, query and key: each entry is the distance times the slope of its
    head.
    """
    bias = torch.zeros(num_heads, num_tokens, num_tokens)
    for h in range(num_heads):
        for i in range(num_tokens):
            for j in range(num_tokens):
                bias[h, i, j] = -abs(i - j) * 2 ** (-8 * (h + 1) / num_heads)
    return bias


@alibi.accepts
def alibi_by_einsum(num_heads: int, num_tokens: int) -> Tensor:
    """An outer product."""
    ratio = 2 ** (-8 / num_heads)
    slope = torch.tensor([ratio ** (head + 1) for head in range(num_heads)])
    place = torch.arange(num_tokens, dtype=torch.float32)
    return torch.einsum("h,ij->hij", slope, -torch.cdist(place[:, None], place[:, None], p=1))


@alibi.accepts
def alibi_by_triangles(num_heads: int, num_tokens: int) -> Tensor:
    """The past, and its mirror image.

    A triangle of steps back and its transpose for the steps ahead make the distances, so no
    absolute value is needed. The slopes are powers of 2 with evenly spaced exponents.
    """
    steps = torch.arange(num_tokens)[:, None] - torch.arange(num_tokens)[None, :]
    distance = torch.tril(steps) + torch.tril(steps).T
    slope = torch.pow(2.0, torch.linspace(-8 / num_heads, -8, num_heads))
    return slope.view(-1, 1, 1) * -distance
