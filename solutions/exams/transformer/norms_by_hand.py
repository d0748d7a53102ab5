"""The exam of `norms_by_hand`, lesson 09."""

import math
from collections.abc import Sequence

from autograder import Exam, Tolerance
from solutions import transformer as reference
from solutions.exams.families import TYPED

FOUR_DECIMALS = Tolerance(absolute=6e-5)
TOKEN = (4.0, -2.0, 1.0, 5.0)
CENTRED = (2.0, -4.0, -1.0, 3.0)
VARIANCE, MEAN_SQUARE = 7.5, 11.5

worksheet = Exam(reference.norms_by_hand, tolerance=FOUR_DECIMALS, reveal=False)


@worksheet.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def divided(features: Sequence[float], by: float) -> list[float]:
    """Each feature divided by one number."""
    return [feature / by for feature in features]


def filled_in(
    mean: float = 2.0,
    variance: float = VARIANCE,
    layer: Sequence[float] | None = None,
    root_mean_square: float = math.sqrt(MEAN_SQUARE),
    rms: Sequence[float] | None = None,
) -> dict[str, object]:
    """The worksheet, right where nothing else is said."""
    return {
        "mean": mean,
        "variance": variance,
        "layer normalisation": list(layer or divided(CENTRED, math.sqrt(VARIANCE))),
        "root mean square": root_mean_square,
        "RMS normalisation": list(rms or divided(TOKEN, root_mean_square)),
    }


TYPED.apply(worksheet)


@worksheet.misconception
def divided_by_three() -> dict[str, object]:
    """You divided the sum of the squared deviations by 3. The variance of a token is their mean:
    divide by the number of features.
    """
    return filled_in(variance=10.0, layer=divided(CENTRED, math.sqrt(10)))


@worksheet.misconception
def squares_not_averaged() -> dict[str, object]:
    """Your variance is the sum of the squared deviations. Divide it by the number of features."""
    return filled_in(variance=30.0, layer=divided(CENTRED, math.sqrt(30)))


@worksheet.misconception
def standard_deviation_given() -> dict[str, object]:
    """Where the variance should be, there is its square root, the standard deviation. All the other
    numbers are right.
    """
    return filled_in(variance=math.sqrt(VARIANCE))


@worksheet.misconception
def divided_by_the_variance() -> dict[str, object]:
    """In layer normalisation you divided by the variance. Divide by its square root."""
    return filled_in(layer=divided(CENTRED, VARIANCE))


@worksheet.misconception
def mean_not_subtracted() -> dict[str, object]:
    """In layer normalisation you divided the features themselves. Subtract their mean first."""
    return filled_in(layer=divided(TOKEN, math.sqrt(VARIANCE)))


@worksheet.misconception
def only_centred() -> dict[str, object]:
    """These are the deviations from the mean. In layer normalisation they are also divided by the
    standard deviation.
    """
    return filled_in(layer=CENTRED)


@worksheet.misconception
def variance_of_the_features() -> dict[str, object]:
    """Your variance is the mean of the squared features. Subtract the mean before you square."""
    return filled_in(variance=MEAN_SQUARE, layer=divided(CENTRED, math.sqrt(MEAN_SQUARE)))


@worksheet.misconception
def root_not_taken() -> dict[str, object]:
    """This is the mean of the squares, which is the root mean square before its square root."""
    return filled_in(root_mean_square=MEAN_SQUARE)


@worksheet.misconception
def no_roots() -> dict[str, object]:
    """You divided by the variance, and in RMS normalisation by the mean of the squares. Take the
    square root of each first.
    """
    return filled_in(layer=divided(CENTRED, VARIANCE), root_mean_square=MEAN_SQUARE)


@worksheet.misconception
def length_for_root_mean_square() -> dict[str, object]:
    """You divided by the length of the vector: the square root of the *sum* of the squares. Take
    the mean of the squares before the square root.
    """
    return filled_in(root_mean_square=math.sqrt(46))


@worksheet.misconception
def sums_in_both() -> dict[str, object]:
    """In both normalisations you used the sum of the squares. Divide it by the number of features:
    the variance and the root mean square need the mean.
    """
    return filled_in(
        variance=30.0, layer=divided(CENTRED, math.sqrt(30)), root_mean_square=math.sqrt(46)
    )


@worksheet.misconception
def root_before_the_mean() -> dict[str, object]:
    """Your root mean square is the square root of the sum of the squares, divided by 4. Divide the
    sum first, and then take the square root.
    """
    # On paper the root is rounded before it is divided.
    return filled_in(root_mean_square=round(math.sqrt(46), 4) / 4)


@worksheet.misconception
def minus_in_the_square() -> dict[str, object]:
    """In your root mean square, the square of −2 is subtracted from the others. The square of a
    negative number is positive: add it.
    """
    return filled_in(root_mean_square=math.sqrt((16 - 4 + 1 + 25) / 4))


@worksheet.misconception
def centred_in_both() -> dict[str, object]:
    """RMS normalisation never subtracts the mean: use the features themselves, both for the root
    mean square and for the result.
    """
    root = math.sqrt(VARIANCE)
    return filled_in(root_mean_square=root, rms=divided(CENTRED, root))


@worksheet.misconception
def standard_deviation_for_both() -> dict[str, object]:
    """Your root mean square is the standard deviation, in which the mean is subtracted before the
    squares are taken. Square the features themselves.
    """
    return filled_in(root_mean_square=math.sqrt(VARIANCE))


@worksheet.misconception
def centred_before_the_division() -> dict[str, object]:
    """In RMS normalisation you subtracted the mean from the features. Divide them as they are."""
    return filled_in(rms=divided(CENTRED, math.sqrt(MEAN_SQUARE)))


@worksheet.misconception
def one_divisor_for_both() -> dict[str, object]:
    """In RMS normalisation you divided by the standard deviation. Divide by the root mean square
    instead.
    """
    return filled_in(rms=divided(TOKEN, math.sqrt(VARIANCE)))


@worksheet.misconception
def mean_of_the_sizes() -> dict[str, object]:
    """Your root mean square is the mean of the features without their signs. Square them, take the
    mean, and then the square root.
    """
    return filled_in(root_mean_square=3.0)


@worksheet.misconception
def signs_lost() -> dict[str, object]:
    """Your mean leaves out the minus sign of −2. The four features add up to 8."""
    centred = [feature - 3 for feature in (4.0, 2.0, 1.0, 5.0)]
    return filled_in(
        mean=3.0,
        variance=2.5,
        layer=divided(centred, math.sqrt(2.5)),
        rms=divided((4.0, 2.0, 1.0, 5.0), math.sqrt(MEAN_SQUARE)),
    )


@worksheet.misconception
def no_deviation_at_minus_two() -> dict[str, object]:
    """Your deviation of −2 from the mean is 0, as if its minus sign were not there. The four
    deviations have to add up to 0.
    """
    centred = (2.0, 0.0, -1.0, 3.0)
    return filled_in(variance=14 / 4, layer=divided(centred, math.sqrt(14 / 4)))


@worksheet.misconception
def results_exchanged() -> dict[str, object]:
    """The two results are swapped: after layer normalisation, the features add up to 0."""
    return filled_in(
        layer=divided(TOKEN, math.sqrt(MEAN_SQUARE)), rms=divided(CENTRED, math.sqrt(VARIANCE))
    )
