"""The exam of `online_softmax_by_hand`, lesson 08."""

import math
from collections.abc import Callable

from autograder import Exam, Tolerance
from solutions import efficient_attention as reference
from solutions.exams.families import TYPED

FOUR_DECIMALS = Tolerance(absolute=6e-5)

by_hand = Exam(reference.online_softmax_by_hand, tolerance=FOUR_DECIMALS, reveal=False)

FIRST, SECOND = ((2.0, 1.0), (0.0, 2.0)), ((3.0, 3.0), (1.0, 4.0))
Block = tuple[tuple[float, float], ...]
Kept = tuple[float, float]


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def kept(block: Block, highest: float, exponential: Callable[[float], float] = math.exp) -> Kept:
    """The sum of the exponentials of a block, and that of its weighted values."""
    weights = [exponential(score - highest) for score, _ in block]
    mixed = sum(weight * value for weight, (_, value) in zip(weights, block, strict=True))
    return sum(weights), mixed


def worksheet(
    first: Kept,
    factor: float,
    second: Kept,
    *,
    highest: tuple[float, float] = (2.0, 3.0),
    context: float | None = None,
) -> dict[str, object]:
    """The four lines, from the sums after each block."""
    return {
        "kept after the first block": [highest[0], *first],
        "factor of the correction": factor,
        "kept after the second block": [highest[1], *second],
        "context": second[1] / second[0] if context is None else context,
    }


def corrected(total: float, mixed: float, exponential: Callable[[float], float]) -> Kept:
    """Both sums after the second block, from factors for those of the first one."""
    first, second = kept(FIRST, 2, exponential), kept(SECOND, 3, exponential)
    return first[0] * total + second[0], first[1] * mixed + second[1]


def usual(
    factor: float, total: float, mixed: float, context: float | None = None
) -> dict[str, object]:
    """The four lines, with these factors for the two sums of the first block."""
    second = corrected(total, mixed, math.exp)
    return worksheet(kept(FIRST, 2), factor, second, context=context)


FACTOR = math.exp(-1)

TYPED.apply(by_hand)


@by_hand.misconception
def never_corrected() -> dict[str, object]:
    """You found the factor, but used the sums of the first block in the second line unchanged.
    Multiply both by it before you add the second block.
    """
    return usual(FACTOR, 1, 1)


@by_hand.misconception
def total_not_corrected() -> dict[str, object]:
    """You corrected the sum of the weighted values, but not the sum of the exponentials. Both are
    relative to the old largest score.
    """
    return usual(FACTOR, 1, FACTOR)


@by_hand.misconception
def values_not_corrected() -> dict[str, object]:
    """You corrected the sum of the exponentials, but not that of the weighted values. Both are
    relative to the old largest score.
    """
    return usual(FACTOR, FACTOR, 1)


@by_hand.misconception
def upside_down() -> dict[str, object]:
    """Your factor is above 1, so the old sums grow. A larger score makes all earlier ones count
    less: take the exponential of the old largest score minus the new one.
    """
    return usual(math.e, math.e, math.e)


@by_hand.misconception
def divided_by_the_factor() -> dict[str, object]:
    """Your factor is right, but the sums of the first block grow, as if you had divided by it.
    Multiply both sums by the factor.
    """
    return usual(FACTOR, 1 / FACTOR, 1 / FACTOR)


@by_hand.misconception
def factor_of_the_example() -> dict[str, object]:
    """Your factor is the exponential of −2, as in the example, whose largest scores are 3 and 5.
    Take the largest scores of this exercise: the old one minus the new one.
    """
    return usual(math.exp(-2), math.exp(-2), math.exp(-2))


@by_hand.misconception
def difference_for_factor() -> dict[str, object]:
    """You multiplied by the difference of the two largest scores, which is 1. The factor is the
    exponential of the old one minus the new one.
    """
    return usual(1.0, 1.0, 1.0)


@by_hand.misconception
def corrected_twice() -> dict[str, object]:
    """The sums of the second block are relative to the new largest score already. Apply the factor
    only to the sums of the first block.
    """
    first, second = kept(FIRST, 2), kept(SECOND, 3)
    both = ((first[0] + second[0]) * FACTOR, (first[1] + second[1]) * FACTOR)
    return worksheet(first, FACTOR, both)


@by_hand.misconception
def new_block_shrunk() -> dict[str, object]:
    """You multiplied the second block by the factor, and added the sums of the first one as they
    were. The first block is the one that is relative to the old largest score: correct its sums.
    """
    first, second = kept(FIRST, 2), kept(SECOND, 3)
    return worksheet(first, FACTOR, (first[0] + second[0] * FACTOR, first[1] + second[1] * FACTOR))


@by_hand.misconception
def second_relative_to_two() -> dict[str, object]:
    """You corrected the first block, but the exponentials of the second one are relative to 2, the
    old largest score. Take them relative to the new one.
    """
    first, second = kept(FIRST, 2), kept(SECOND, 2)
    return worksheet(first, FACTOR, (first[0] * FACTOR + second[0], first[1] * FACTOR + second[1]))


@by_hand.misconception
def relative_to_three_at_once() -> dict[str, object]:
    """Your first line is relative to 3, a score of the second block, which has not been seen yet.
    Use the largest score of the first block there, and correct the sums when the 3 appears.
    """
    first, second = kept(FIRST, 3), kept(SECOND, 3)
    return worksheet(first, 1, (first[0] + second[0], first[1] + second[1]), highest=(3, 3))


@by_hand.misconception
def relative_to_the_old_one() -> dict[str, object]:
    """You kept everything relative to 2, the largest score of the first block. That gives the right
    context here, but a much larger score would overflow: switch to 3.
    """
    first, second = kept(FIRST, 2), kept(SECOND, 2)
    both = (first[0] + second[0], first[1] + second[1])
    return worksheet(first, 1, both, highest=(2, 2))


@by_hand.misconception
def nothing_subtracted() -> dict[str, object]:
    """These are the exponentials of the scores themselves. Subtract the largest score so far first,
    as the example does.
    """
    first, second = kept(FIRST, 0), kept(SECOND, 0)
    return worksheet(first, 1, (first[0] + second[0], first[1] + second[1]))


@by_hand.misconception
def nothing_subtracted_but_corrected() -> dict[str, object]:
    """These are the exponentials of the scores themselves, in both blocks. Subtract the largest
    score so far first, as the example does.
    """
    first, second = kept(FIRST, 0), kept(SECOND, 0)
    both = (first[0] * FACTOR + second[0], first[1] * FACTOR + second[1])
    return worksheet(first, FACTOR, both)


@by_hand.misconception
def block_alone() -> dict[str, object]:
    """After the second block you keep only that block. Add the corrected sums of the
    first block.
    """
    return worksheet(kept(FIRST, 2), FACTOR, kept(SECOND, 3))


@by_hand.misconception
def average_of_the_blocks() -> dict[str, object]:
    """The sums are right, but this context is the average of the contexts of the two separate
    blocks. The second block counts for more: divide the total of the weighted values by that of the
    exponentials.
    """
    first, second = kept(FIRST, 2), kept(SECOND, 3)
    return usual(FACTOR, FACTOR, FACTOR, (first[1] / first[0] + second[1] / second[0]) / 2)


@by_hand.misconception
def not_divided() -> dict[str, object]:
    """The sums are right, but this context is not divided yet: divide the sum of the weighted
    values by the sum of the exponentials.
    """
    return usual(FACTOR, FACTOR, FACTOR, corrected(FACTOR, FACTOR, math.exp)[1])


@by_hand.misconception
def divided_the_wrong_way() -> dict[str, object]:
    """The sums are right, but the division is upside down: the sum of the weighted values should be
    the numerator, and that of the exponentials the denominator.
    """
    total, mixed = corrected(FACTOR, FACTOR, math.exp)
    return usual(FACTOR, FACTOR, FACTOR, total / mixed)


@by_hand.misconception
def divided_at_once() -> dict[str, object]:
    """You already divided the sum of the weighted values in the first line. Divide once, at the
    end, and keep the two sums separate until then.
    """
    first, second = kept(FIRST, 2), kept(SECOND, 3)
    averaged = (first[0], first[1] / first[0])
    both = (averaged[0] * FACTOR + second[0], averaged[1] * FACTOR + second[1])
    return worksheet(averaged, FACTOR, both)


@by_hand.misconception
def contexts_kept() -> dict[str, object]:
    """In the third place of both lines stands the context, already divided. Keep the sum of the
    weighted values there, and divide once, at the end.
    """
    first, second = kept(FIRST, 2), corrected(FACTOR, FACTOR, math.exp)
    shown = [(total, mixed / total) for total, mixed in (first, second)]
    return worksheet(shown[0], FACTOR, shown[1], context=second[1] / second[0])


@by_hand.misconception
def values_not_weighted() -> dict[str, object]:
    """You added the values as they are. Multiply each by its exponential first."""
    first, second = (kept(FIRST, 2)[0], 3.0), (kept(SECOND, 3)[0], 7.0)
    both = (first[0] * FACTOR + second[0], first[1] * FACTOR + second[1])
    return worksheet(first, FACTOR, both)


@by_hand.misconception
def powers_of_two() -> dict[str, object]:
    """These are powers of 2. The softmax takes powers of e."""
    second = corrected(0.5, 0.5, lambda x: 2.0**x)
    return worksheet(kept(FIRST, 2, lambda x: 2.0**x), 0.5, second)


def zero_for_zero(x: float) -> float:
    """The exponential, but 0 where it is that of 0."""
    return math.exp(x) if x else 0.0


@by_hand.misconception
def largest_left_out() -> dict[str, object]:
    """In your sums the largest score of each block counts for nothing. Relative to itself it is 0,
    and the exponential of 0 is 1.
    """
    second = corrected(FACTOR, FACTOR, zero_for_zero)
    return worksheet(kept(FIRST, 2, zero_for_zero), FACTOR, second)


@by_hand.misconception
def carried_with_two_decimals() -> dict[str, object]:
    """You continued with numbers of two decimals. Keep at least five, and type four."""
    first, second = kept(FIRST, 2), kept(SECOND, 3)
    short = [round(number, 2) for number in (*first, FACTOR, *second)]
    both = (
        round(short[0] * short[2] + short[3], 2),
        round(short[1] * short[2] + short[4], 2),
    )
    return worksheet((short[0], short[1]), short[2], both, context=round(both[1] / both[0], 2))
