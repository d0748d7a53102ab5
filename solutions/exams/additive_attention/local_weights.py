"""The exam of `local_weights`, lesson 01."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import LONG, Pair, tensor
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.sixteen_bits import TRIED_TWICE, bfloat16_stays_once

local = Exam(reference.local_weights)

Local = tuple[Tensor, float, int]
SEVEN_SCORES = tensor(0.5, -1.0, 1.5, 0.2, -0.3, 2.0, 0.8)


@local.example
def window_of_five() -> Local:
    """seven words, a window around position 3"""
    return SEVEN_SCORES, 3.0, 2


@local.example
def off_centre() -> Local:
    """seven words, the middle between two of them"""
    return SEVEN_SCORES, 1.4, 3


@local.example
def wide_window() -> Local:
    """seven words, a window that reaches over all of them"""
    return SEVEN_SCORES.flip(0), 2.5, 5


@local.example
def low_inside() -> Local:
    """scores of about -20000 inside of the window"""
    return tensor(0.5, -20000.0, -20001.0, -20000.5, 1.0), 2.0, 1


@local.example
def far_below_inside() -> Local:
    """scores of -1e32 and less inside of the window"""
    return tensor(0.5, -2e32, -1e32, -3e32, 1.0), 2.0, 1


@local.example
def zero_inside() -> Local:
    """two scores of exactly 0 inside of the window"""
    return tensor(1.5, 0.0, -0.5, 0.0, 1.0, 0.5), 2.0, 2


@local.case
def drawn_scores(draw: Draw) -> Local:
    """scores drawn at random"""
    source = int(draw.rng.integers(5, 12))
    values = torch.from_numpy(draw.rng.normal(size=source))
    return values, float(draw.rng.uniform(0, source - 1)), int(draw.rng.integers(1, 4))


@local.case(times=1)
def loud_outside(draw: Draw) -> Local:
    """scores of 1000 outside of the window"""
    return tensor(1000.0, 0.5, -0.5, 1.0, 1000.0), 2.0, 1


@local.case(times=1)
def far_apart(draw: Draw) -> Local:
    """scores far apart inside of the window"""
    return 200.0 * torch.from_numpy(draw.rng.permutation(9)), 4.0, 3


@local.case(times=1)
def drawn_far_below(draw: Draw) -> Local:
    """scores of -1e32 and less inside of a window in the middle"""
    low = -1e32 * (1 + torch.from_numpy(draw.rng.permutation(5)))
    return (
        torch.cat([draw.tensor("before"), low, draw.tensor("behind")]),
        draw.size("before") + 2.0,
        2,
    )


@local.case(times=1)
def long_sentence(draw: Draw) -> Local:
    """a sentence of more than a thousand words"""
    p_t = LONG - float(draw.rng.uniform(5, 70))
    return draw.fix(source=LONG).tensor("source"), p_t, int(draw.rng.integers(1, 4))


@local.case(times=1)
def all_inside(draw: Draw) -> Local:
    """a window wider than the sentence"""
    return draw.tensor("source"), 1.5, 9


@local.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Local:
    """in bfloat16 as well"""
    return draw.fix(source=TRIED_TWICE).tensor("source"), float(draw.rng.uniform(0, 22)), 3


local.half_but_for("16-bit floats", in_bfloat16_as_well)
local.holds(bfloat16_stays_once)


def inside_softmax(scores: Tensor, p_t: float, D: int) -> Pair:
    """The softmax of the window, and the distances from its middle."""
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    return torch.softmax(scores.masked_fill(distances.abs() > D, -math.inf), dim=-1), distances


@local.misconception
def gaussian_forgotten(scores: Tensor, p_t: float, D: int) -> Tensor:
    """These are the softmax weights within the window, without any damping. Multiply by the
    Gaussian around p_t.
    """
    return inside_softmax(scores, p_t, D)[0]


@local.misconception
def not_low_enough(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The score that you gave to words outside the window hides them only while those inside have
    far higher scores. Where all of those are far lower, the hidden words get all the weight: use
    -inf.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    inside = torch.softmax(scores.masked_fill(distances.abs() > D, -1e4), dim=-1)
    return inside * torch.exp(-2 * distances**2 / D**2)


@local.misconception
def minus_a_billion(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Words outside the window enter your softmax with a large negative score, such as −10⁹, but it
    is not below all scores: next to lower ones they get all the weight. Only −∞ is always low
    enough.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    inside = torch.softmax(scores.masked_fill(distances.abs() > D, -1e9), dim=-1)
    return inside * torch.exp(-2 * distances**2 / D**2)


@local.misconception
def exponentials_by_hand(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The exponentials you compute overflow, or all become 0, and then the division gives NaN.
    Subtract the largest score of the window first, or use `torch.softmax`.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    exponentials = scores.masked_fill(distances.abs() > D, -math.inf).exp()
    return exponentials / exponentials.sum() * torch.exp(-2 * distances**2 / D**2)


@local.misconception
def zero_scores_left_out(scores: Tensor, p_t: float, D: int) -> Tensor:
    """You hide every score that is 0, but a word inside the window can also have a score of 0. The
    distance alone decides what is hidden.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    outside = (distances.abs() > D) | (scores == 0)
    inside = torch.softmax(scores.masked_fill(outside, -math.inf), dim=-1)
    return inside * torch.exp(-2 * distances**2 / D**2)


@local.misconception
def made_to_sum_to_one(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your weights sum to 1. Luong's sum to less: the Gaussian should come after the softmax, and
    the weights should not be divided by their sum again.
    """
    weights = reference.local_weights(scores, p_t, D)
    return weights / weights.sum()


@local.misconception
def softmax_of_everything(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your softmax runs over the whole sentence and is cut afterwards. The words outside the window
    must not count in its sum: hide their scores first.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    damped = torch.softmax(scores, dim=-1) * torch.exp(-2 * distances**2 / D**2)
    return damped.masked_fill(distances.abs() > D, 0.0)


@local.misconception
def no_window(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Words outside the window get weights. The Gaussian alone does not cut them off: hide the
    scores with |j - p_t| > D.
    """
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    return torch.softmax(scores, dim=-1) * torch.exp(-2 * distances**2 / D**2)


@local.misconception
def sigma_twice_as_large(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your Gaussian is too wide: σ is D / 2, not D."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (2 * D**2))


@local.misconception
def two_left_out(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The 2 in 2 σ² is missing: your Gaussian is too narrow."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (D / 2) ** 2)


@local.misconception
def sigma_left_out(scores: Tensor, p_t: float, D: int) -> Tensor:
    """This is what comes out with σ = 1. Is σ² missing from the exponent, or is σ rounded to a
    whole number? σ is D / 2, and the exponent should be divided by 2 σ².
    """
    inside, distances = inside_softmax(scores, p_t, D)
    return inside * torch.exp(-(distances**2) / 2)


@local.misconception
def sigma_above_the_line(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The exponent is divided by 2 and multiplied by σ², as `/ 2 * sigma**2` does. Both have to be
    in the denominator: put them in brackets.
    """
    inside, distances = inside_softmax(scores, p_t, D)
    return inside * torch.exp(-(distances**2) / 2 * (D / 2) ** 2)


@local.misconception
def two_squared_as_well(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your Gaussian is too wide: the exponent is divided by D², which is 4 σ², as if 2 σ were
    squared as a whole. In 2 σ² only σ is squared, with σ = D / 2.
    """
    inside, distances = inside_softmax(scores, p_t, D)
    return inside * torch.exp(-(distances**2) / (2 * (D / 2)) ** 2)


@local.misconception
def minus_missing(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The minus sign is missing in the exponent: your Gaussian grows with the distance from p_t."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(distances**2 / (2 * (D / 2) ** 2))


@local.misconception
def sigma_rounded_down(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your Gaussian is too narrow where D is odd: σ is rounded down there, as by `//`, and it
    should be D / 2.
    """
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (2 * (D // 2) ** 2))


@local.misconception
def edges_hidden(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The positions at a distance of exactly D are hidden, but they are still in the window."""
    _, distances = inside_softmax(scores, p_t, D)
    inside = torch.softmax(scores.masked_fill(distances.abs() >= D, -math.inf), dim=-1)
    return inside * torch.exp(-(distances**2) / (2 * (D / 2) ** 2))


@local.misconception
def middle_rounded(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Your window and your Gaussian are centred on the word nearest to p_t. p_t may lie between two
    words: measure the distances from p_t itself.
    """
    return reference.local_weights(scores, round(p_t), D)


@local.misconception
def sigma_not_squared(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The exponent is divided by 2 σ, which is D: σ is not squared. It should be divided by 2 σ²,
    with σ = D / 2.
    """
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-(distances**2) / (2 * (D / 2)))


@local.misconception
def window_alone(scores: Tensor, p_t: float, D: int) -> Tensor:
    """These are only the weights of the window. Return one for each word of the sentence, with 0
    outside the window.
    """
    places = torch.arange(len(scores))
    return reference.local_weights(scores, p_t, D)[(places - p_t).abs() <= D]


@local.misconception
def distance_not_squared(scores: Tensor, p_t: float, D: int) -> Tensor:
    """You did not square the distance from p_t. The Gaussian needs its square."""
    weights, distances = inside_softmax(scores, p_t, D)
    return weights * torch.exp(-distances.abs() / (2 * (D / 2) ** 2))


@local.misconception
def gaussian_on_scores(scores: Tensor, p_t: float, D: int) -> Tensor:
    """You multiplied the scores by the Gaussian. Multiply the weights by it, after the softmax."""
    distances = torch.arange(len(scores), dtype=scores.dtype) - p_t
    damped = scores * torch.exp(-2 * distances**2 / D**2)
    return torch.softmax(damped.masked_fill(distances.abs() > D, -math.inf), dim=-1)


@local.misconception
def gaussian_alone(scores: Tensor, p_t: float, D: int) -> Tensor:
    """This is only the Gaussian. Multiply it by the softmax of the window's scores."""
    _, distances = inside_softmax(scores, p_t, D)
    return torch.exp(-2 * distances**2 / D**2).masked_fill(distances.abs() > D, 0.0)


TENSOR_DTYPE.apply(local)


@local.accepts
def local_in_a_loop(scores: Tensor, p_t: float, D: int) -> Tensor:
    """A loop over the window.

    The softmax runs over the positions inside the window only, and all others keep their 0. Each
    weight can then be checked by itself.
    """
    places = [s for s in range(len(scores)) if abs(s - p_t) <= D]
    weights = torch.zeros_like(scores)
    weights[places] = torch.softmax(scores[places], dim=0)
    for s in places:
        weights[s] *= math.exp(-2 * (s - p_t) ** 2 / D**2)
    return weights


@local.accepts
def local_by_where(scores: Tensor, p_t: float, D: int) -> Tensor:
    """Conditions over the whole sentence.

    `torch.where` takes the score inside the window and −∞ outside, and the Gaussian is written with
    its standard deviation, D / 2.
    """
    s = torch.arange(len(scores)).to(scores)
    inside = (s - p_t).abs() <= D
    weights = torch.where(inside, scores, float("-inf")).softmax(0)
    return weights * torch.exp(-0.5 * ((s - p_t) / (D / 2)) ** 2)


@local.accepts
def local_with_scatter(scores: Tensor, p_t: float, D: int) -> Tensor:
    """The window cut out, and put back.

    The window is cut out, weighted, and put back into zeros with `scatter`. The softmax never sees
    what lies outside, so nothing has to be hidden.
    """
    s = torch.arange(len(scores))
    places = s[(s - p_t).abs() <= D]
    sigma = D / 2
    damped = torch.softmax(scores[places], dim=0) * torch.exp(
        -((places.to(scores) - p_t) ** 2) / (2 * sigma**2)
    )
    return torch.zeros_like(scores).scatter(0, places, damped)
