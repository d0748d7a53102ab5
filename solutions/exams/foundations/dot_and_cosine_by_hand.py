"""The exam of `dot_and_cosine_by_hand`, lesson 00."""

import numpy as np

from autograder import Exam, Tolerance
from solutions import foundations as reference
from solutions.exams.families import TYPED

FOUR_DECIMALS = Tolerance(absolute=6e-5)

worksheet = Exam(reference.dot_and_cosine_by_hand, tolerance=FOUR_DECIMALS, reveal=False)


@worksheet.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def filled_in(
    dot_product: float = 11,
    lengths: tuple[float, float] = (3, 5),
    cosine: float = 11 / 15,
    ten_times: float = 110,
    cosine_of_ten: float = 11 / 15,
) -> dict[str, object]:
    """The worksheet, right where nothing else is said."""
    return {
        "dot product": dot_product,
        "length of a": lengths[0],
        "length of b": lengths[1],
        "cosine": cosine,
        "dot product of a and 10 b": ten_times,
        "cosine of a and 10 b": cosine_of_ten,
    }


TYPED.apply(
    worksheet,
    called={"TypedWithTwoDecimals": "two_decimals", "TypedWithThreeDecimals": "three_decimals"},
    # Of 0.73333…, four decimals are the same whether they are cut off or rounded.
    without=["CutOff"],
)


@worksheet.misconception
def cosine_grew_too() -> dict[str, object]:
    """Your last cosine is 110 divided by the lengths of a and b. But 10 b is also ten times as long
    as b, so the cosine stays the same.
    """
    return filled_in(cosine_of_ten=110 / 15)


@worksheet.misconception
def root_left_out() -> dict[str, object]:
    """These are the squared lengths. Take the square root of each sum of squares."""
    return filled_in(lengths=(9, 25), cosine=11 / 225, cosine_of_ten=110 / 22500)


@worksheet.misconception
def root_of_b_left_out() -> dict[str, object]:
    """The length of b is squared here, but the length of a is not. Take the square root of both
    sums of squares.
    """
    return filled_in(lengths=(3, 25), cosine=11 / 75, cosine_of_ten=11 / 75)


@worksheet.misconception
def entries_summed() -> dict[str, object]:
    """Your lengths are the sums of the entries. Add up the squares of the entries and take the
    square root.
    """
    return filled_in(lengths=(5, 7), cosine=11 / 35, cosine_of_ten=11 / 35)


@worksheet.misconception
def entries_counted() -> dict[str, object]:
    """Both of your lengths are 3, the number of entries, as `len` counts them. The length of an
    arrow is the square root of the sum of its squared entries.
    """
    return filled_in(lengths=(3, 3), cosine=11 / 9, cosine_of_ten=110 / 9)


@worksheet.misconception
def length_of_a_twice() -> dict[str, object]:
    """Both of your lengths are that of a. The length of b is the square root of the sum of its own
    squared entries.
    """
    return filled_in(lengths=(3, 3))


@worksheet.misconception
def length_of_b_twice() -> dict[str, object]:
    """Both of your lengths are that of b. The length of a is the square root of the sum of its own
    squared entries.
    """
    return filled_in(lengths=(5, 5))


@worksheet.misconception
def divided_by_a_alone() -> dict[str, object]:
    """You divided by the length of a only. For a cosine, divide by both lengths; it is never above
    1.
    """
    return filled_in(cosine=11 / 3, cosine_of_ten=110 / 3)


@worksheet.misconception
def divided_by_b_alone() -> dict[str, object]:
    """You divided by the length of b only. For a cosine, divide by both lengths; it is never above
    1.
    """
    return filled_in(cosine=11 / 5, cosine_of_ten=110 / 50)


@worksheet.misconception
def divided_by_added_lengths() -> dict[str, object]:
    """You added the two lengths before you divided by them. Multiply them instead."""
    return filled_in(cosine=11 / 8, cosine_of_ten=110 / 53)


@worksheet.misconception
def angle_in_degrees() -> dict[str, object]:
    """This is the angle itself. The worksheet asks for its cosine, the number you have before you
    look up the angle.
    """
    angle = float(np.degrees(np.arccos(11 / 15)))
    return filled_in(cosine=angle, cosine_of_ten=angle)


@worksheet.misconception
def angle_in_radians() -> dict[str, object]:
    """This is the angle itself, in radians. The worksheet asks for its cosine, the number you have
    before you look up the angle.
    """
    angle = float(np.arccos(11 / 15))
    return filled_in(cosine=angle, cosine_of_ten=angle)


@worksheet.misconception
def everything_times_everything() -> dict[str, object]:
    """Your dot product is (1 + 2 + 2) · (3 + 0 + 4). Multiply first by first, second by second and
    third by third, then add up the products.
    """
    return filled_in(35, cosine=35 / 15, ten_times=350, cosine_of_ten=35 / 15)


@worksheet.misconception
def zero_passed_over() -> dict[str, object]:
    """Your dot product is 13, as if 2 · 0 were 2. It is 0, and adds nothing."""
    return filled_in(13, cosine=13 / 15, ten_times=130, cosine_of_ten=13 / 15)


@worksheet.misconception
def both_vectors_longer() -> dict[str, object]:
    """1100 is the dot product of 10 a and 10 b. Only b becomes longer; a stays as it is."""
    return filled_in(ten_times=1100)


@worksheet.misconception
def dot_product_kept() -> dict[str, object]:
    """You kept the old dot product when b became longer. Each of its products contains an entry of
    b.
    """
    return filled_in(ten_times=11, cosine_of_ten=11 / 150)


@worksheet.misconception
def old_dot_product_divided() -> dict[str, object]:
    """Your last cosine is 11 divided by 3 · 50. That is 10 b in the denominator but still b in the
    numerator, which should be the dot product of a and 10 b.
    """
    return filled_in(cosine_of_ten=11 / 150)


@worksheet.misconception
def squares_all_along() -> dict[str, object]:
    """You used the squared lengths, 9 and 25. Take the square root of each sum of squares."""
    return filled_in(lengths=(9, 25), cosine=11 / 225, cosine_of_ten=11 / 225)


@worksheet.misconception
def cosine_grew_and_was_rounded() -> dict[str, object]:
    """7.333 is 110 divided by the lengths of a and b. But 10 b is also ten times as long as b, so
    the cosine stays the same. Also, give it with four decimals.
    """
    return filled_in(cosine=0.733, cosine_of_ten=7.333)


@worksheet.accepts
def as_fractions() -> dict[str, object]:
    """Unrounded."""
    return filled_in()


@worksheet.accepts
def from_numpy() -> dict[str, object]:
    """NumPy's numbers."""
    a, b = np.array([1, 2, 2]), np.array([3, 0, 4])
    cosine = a @ b / np.linalg.norm(a) / np.linalg.norm(b)
    lengths = (float(np.linalg.norm(a)), float(np.linalg.norm(b)))
    return filled_in(a @ b, lengths, cosine, 10 * (a @ b), cosine)


@worksheet.accepts
def typed_in() -> dict[str, object]:
    """Four decimals."""
    return filled_in(11.0, (3.0, 5.0), 0.7333, 110.0, 0.7333)
