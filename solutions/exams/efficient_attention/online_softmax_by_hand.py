"""The exam of `online_softmax_by_hand`, lesson 08."""

import math

from autograder import Exam, Tolerance
from solutions import efficient_attention as reference
from solutions.exams.families import TYPED

FOUR_DECIMALS = Tolerance(absolute=6e-5)

by_hand = Exam(reference.online_softmax_by_hand, tolerance=FOUR_DECIMALS, reveal=False)

SCORES = ((2.0, 1.0), (4.0, 3.0))
VALUES = ((10.0, 20.0), (30.0, 40.0))
FACTOR = math.exp(-2)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def block(number: int, highest: float) -> tuple[float, float]:
    """The two sums of a block, relative to a score."""
    exponentials = [math.exp(score - highest) for score in SCORES[number]]
    weighted = [part * value for part, value in zip(exponentials, VALUES[number], strict=True)]
    return sum(exponentials), sum(weighted)


FIRST, SECOND = block(0, 2), block(1, 4)


def worksheet(
    first: tuple[float, float] = FIRST,
    factor: float = FACTOR,
    second: tuple[float, float] | None = None,
    highest: tuple[float, float] = (2.0, 4.0),
    context: float | None = None,
) -> dict[str, object]:
    """The lines, from the sums after each block."""
    if second is None:
        second = (first[0] * factor + SECOND[0], first[1] * factor + SECOND[1])
    return {
        "after the first block": [highest[0], *first],
        "factor": factor,
        "after the second block": [highest[1], *second],
        "context": second[1] / second[0] if context is None else context,
    }


TYPED.apply(by_hand)


@by_hand.misconception
def sums_left_as_they_were() -> dict[str, object]:
    """The two sums of the first block went into the second ones as they were. They are relative to
    2, and the new ones to 4: multiply them by your factor first.
    """
    return worksheet(second=(FIRST[0] + SECOND[0], FIRST[1] + SECOND[1]))


@by_hand.misconception
def factor_upside_down() -> dict[str, object]:
    """Your factor is above 1, and what was kept has to shrink, because the new largest score is
    higher. Take the exponential of the old largest score minus the new one.
    """
    return worksheet(factor=math.exp(2))


@by_hand.misconception
def factor_of_one_less() -> dict[str, object]:
    """Your factor belongs to a difference of 1. The largest score goes from 2 to 4."""
    return worksheet(factor=math.exp(-1))


@by_hand.misconception
def factor_without_exponential() -> dict[str, object]:
    """Your factor is the quotient of the two largest scores. Exponentials change by the exponential
    of their difference.
    """
    return worksheet(factor=0.5)


@by_hand.misconception
def only_the_exponentials_shrink() -> dict[str, object]:
    """The sum of the exponentials is right, but the weighted values of the first block went in
    without the factor. Both sums are relative to the old largest score.
    """
    return worksheet(second=(FIRST[0] * FACTOR + SECOND[0], FIRST[1] + SECOND[1]))


@by_hand.misconception
def only_the_values_shrink() -> dict[str, object]:
    """The sum of the weighted values is right, but the exponentials of the first block went in
    without the factor. Both sums are relative to the old largest score.
    """
    return worksheet(second=(FIRST[0] + SECOND[0], FIRST[1] * FACTOR + SECOND[1]))


@by_hand.misconception
def second_block_shrinks() -> dict[str, object]:
    """The sums of the second block are multiplied by the factor here. They are relative to the new
    largest score already: it is the kept sums that have to shrink.
    """
    return worksheet(second=(FIRST[0] + FACTOR * SECOND[0], FIRST[1] + FACTOR * SECOND[1]))


@by_hand.misconception
def relative_to_the_first_block() -> dict[str, object]:
    """Your sums after the second block are relative to 2, though the largest score is 4 by then.
    The context is right all the same; with scores in the thousands, such sums would overflow.
    """
    after = block(1, 2)
    return worksheet(
        factor=1.0, second=(FIRST[0] + after[0], FIRST[1] + after[1]), highest=(2.0, 2.0)
    )


@by_hand.misconception
def plain_exponentials() -> dict[str, object]:
    """These are sums of plain exponentials. Subtract the largest score so far first, so that the
    largest exponential is 1.
    """
    first, after = block(0, 0), block(1, 0)
    return worksheet(first, 1.0, (first[0] + after[0], first[1] + after[1]))


@by_hand.misconception
def values_without_weights() -> dict[str, object]:
    """The sums of the values are plain sums. Multiply each value by its exponential first."""
    return worksheet((FIRST[0], 30.0), second=(FIRST[0] * FACTOR + SECOND[0], 30 * FACTOR + 70))


@by_hand.misconception
def began_anew() -> dict[str, object]:
    """After the second block, your sums are those of the second block alone. What was kept of the
    first one, times the factor, comes on top.
    """
    return worksheet(second=SECOND)


@by_hand.misconception
def average_of_the_blocks() -> dict[str, object]:
    """The sums are right, but the context is the mean of the two blocks' own contexts. Divide the
    last sum of the weighted values by the last sum of the exponentials.
    """
    return worksheet(context=(FIRST[1] / FIRST[0] + SECOND[1] / SECOND[0]) / 2)


@by_hand.misconception
def not_divided() -> dict[str, object]:
    """Your context is the sum of the weighted values. Divide it by the sum of the exponentials."""
    return worksheet(context=FIRST[1] * FACTOR + SECOND[1])


@by_hand.misconception
def divided_upside_down() -> dict[str, object]:
    """Your context is the sum of the exponentials divided by that of the weighted values. It is the
    other way round: the values are averaged.
    """
    total, weighted = FIRST[0] * FACTOR + SECOND[0], FIRST[1] * FACTOR + SECOND[1]
    return worksheet(context=total / weighted)


@by_hand.misconception
def sums_swapped() -> dict[str, object]:
    """Your two sums stand in each other's places: first the exponentials, then the weighted values."""
    right = worksheet()
    swapped = {
        line: [part[0], part[2], part[1]] for line, part in right.items() if isinstance(part, list)
    }
    return {**right, **swapped}
