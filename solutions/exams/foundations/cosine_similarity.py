"""The exam of `cosine_similarity`, lesson 00."""

import operator
from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import foundations as reference
from solutions.exams.foundations._specimens import OPPOSED, Pair, length

cosine = Exam(reference.cosine_similarity)


@cosine.example
def as_on_paper() -> Pair:
    """(1, 2, 2) and (3, 0, 4), as on paper"""
    return np.array([1.0, 2.0, 2.0]), np.array([3.0, 0.0, 4.0])


@cosine.example
def pointing_apart() -> Pair:
    """(2, -1) and (-1.5, 0.5), which point apart"""
    return OPPOSED


@cosine.example
def shorter_than_one() -> Pair:
    """(0.3, 0.4) and (0, 0.5), both shorter than 1"""
    return np.array([0.3, 0.4]), np.array([0.0, 0.5])


@cosine.example
def tiny() -> Pair:
    """(0.0003, 0.0004) and (0, 0.0005), both tiny"""
    # Not so tiny that they would tell of a 1e-12, which is there for vectors of zeros.
    return np.array([0.0003, 0.0004]), np.array([0.0, 0.0005])


@cosine.case
def any_directions(draw: Draw) -> Pair:
    """vectors drawn at random"""
    return draw("d"), draw("d")


@cosine.case(times=1)
def at_right_angles(draw: Draw) -> Pair:
    """vectors at a right angle"""
    x, y = draw.fix(d=2)("d")
    return np.array([x, y]), np.array([-y, x])


@cosine.case(times=1)
def both_short(draw: Draw) -> Pair:
    """two short vectors"""
    return draw("d", scale=0.1), draw("d", scale=0.1)


@cosine.case(times=1)
def both_tiny(draw: Draw) -> Pair:
    """two tiny vectors"""
    first, second = draw("d"), draw("d")
    return 3e-4 * (first + np.sign(first)), 3e-4 * (second + np.sign(second))


@cosine.case(times=1)
def on_one_line(draw: Draw) -> Pair:
    """vectors of one entry"""
    draw.fix(d=1)
    return draw("d"), draw("d")


@cosine.case(times=1)
def long_and_short(draw: Draw) -> Pair:
    """one long and one short vector of 200 entries"""
    draw.fix(d=200)
    return draw("d", scale=30), draw("d", scale=0.3)


@cosine.holds
def length_does_not_matter(
    cosine_similarity: Callable[..., float], a: np.ndarray, b: np.ndarray
) -> bool:
    """a vector ten times as long has the same cosine"""
    return bool(np.isclose(cosine_similarity(10 * a, b), cosine_similarity(a, b), atol=1e-5))


@cosine.holds
def turned_round_means_minus(
    cosine_similarity: Callable[..., float], a: np.ndarray, b: np.ndarray
) -> bool:
    """the opposite vector has the opposite cosine"""
    return bool(np.isclose(cosine_similarity(-a, b), -cosine_similarity(a, b), atol=1e-5))


@cosine.misconception
def lengths_left_in(a: np.ndarray, b: np.ndarray) -> object:
    """This is the dot product. Divide it by both lengths."""
    return a @ b


@cosine.misconception
def missing_square_root(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the squared lengths. A length is the square root of the sum of squares."""
    return a @ b / ((a @ a) * (b @ b))


@cosine.misconception
def brackets_missing(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the length of a and multiplied by that of b, as `x / y * z` does. Both belong
    below the line, in brackets.
    """
    return a @ b / length(a) * length(b)


@cosine.misconception
def only_the_length_of_a(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the length of a alone. Divide by the length of b as well."""
    return a @ b / length(a)


@cosine.misconception
def only_the_length_of_b(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the length of b alone. Divide by the length of a as well."""
    return a @ b / length(b)


@cosine.misconception
def the_length_of_a_twice(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the length of a twice. One of the two lengths is that of b."""
    return a @ b / (length(a) * length(a))


@cosine.misconception
def the_length_of_b_twice(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the length of b twice. One of the two lengths is that of a."""
    return a @ b / (length(b) * length(b))


@cosine.misconception
def lengths_added(a: np.ndarray, b: np.ndarray) -> object:
    """You added the two lengths before you divided by them. Multiply them."""
    return a @ b / (length(a) + length(b))


@cosine.misconception
def length_of_the_products(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the length of the vector of products. Divide by the length of a times the
    length of b.
    """
    return a @ b / length(a * b)


@cosine.misconception
def sums_for_lengths(a: np.ndarray, b: np.ndarray) -> object:
    """Your lengths are sums of the entries, without their signs. Square each entry first, then add
    the squares and take the square root.
    """
    return a @ b / (abs(a.sum()) * abs(b.sum()))


@cosine.misconception
def length_of_b_from_both(a: np.ndarray, b: np.ndarray) -> object:
    """You take the root of a · b for the length of b, which is NaN if a · b is negative. For the
    length of b, multiply b by itself. Does a function inside yours use `a` from outside?
    """
    return a @ b / (length(a) * np.sqrt(a @ b))


@cosine.misconception
def length_of_a_from_both(a: np.ndarray, b: np.ndarray) -> object:
    """You take the root of a · b for the length of a, which is NaN if a · b is negative. For the
    length of a, multiply a by itself. Does a function inside yours use `b` from outside?
    """
    return a @ b / (length(b) * np.sqrt(a @ b))


@cosine.misconception
def absolute_entries_added(a: np.ndarray, b: np.ndarray) -> object:
    """Your lengths are sums of the absolute values of the entries. Square the entries, add, take
    the square root.
    """
    return a @ b / (np.abs(a).sum() * np.abs(b).sum())


@cosine.misconception
def counts_for_lengths(a: np.ndarray, b: np.ndarray) -> object:
    """This is the dot product divided by the number of entries of a and by that of b, as `len`
    counts them. The length of an arrow is something else: the root of the sum of its squared
    entries.
    """
    return a @ b / (len(a) * len(b))


@cosine.misconception
def averaged_products(a: np.ndarray, b: np.ndarray) -> object:
    """This is the dot product divided by the dimension, as the mean of the products is. Divide by
    both lengths instead.
    """
    return a @ b / len(a)


@cosine.misconception
def the_angle(a: np.ndarray, b: np.ndarray) -> object:
    """This is the angle. Return its cosine."""
    return np.arccos(a @ b / (length(a) * length(b)))


@cosine.misconception
def a_distance(a: np.ndarray, b: np.ndarray) -> object:
    """This is 1 minus the cosine, a distance. Return the cosine: 1 for the same direction."""
    return 1 - a @ b / (length(a) * length(b))


@cosine.misconception
def cosine_of_the_dot_product(a: np.ndarray, b: np.ndarray) -> object:
    """This is the cosine of the dot product, as if that were an angle. No angle is needed: divide
    the dot product by both lengths.
    """
    return np.cos(a @ b)


@cosine.misconception
def root_of_each_entry(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by vectors: entry by entry, the root of a square is only the absolute value. Add
    all the squares first, then take one root.
    """
    return a @ b / (np.sqrt(a**2) * np.sqrt(b**2))


@cosine.misconception
def roots_summed(a: np.ndarray, b: np.ndarray) -> object:
    """You took the root of each entry, which is NaN below zero. Square the entries, add the
    squares, then take one root.
    """
    return a @ b / (np.sqrt(a).sum() * np.sqrt(b).sum())


@cosine.misconception
def at_least_one_below_the_line(a: np.ndarray, b: np.ndarray) -> object:
    """The cosine of short vectors comes out too close to 0: what you divide by is never less than
    1, as after `max(…, 1)`. Divide by the two lengths, however short they are.
    """
    return a @ b / max(length(a) * length(b), 1.0)


@cosine.misconception
def each_length_at_least_one(a: np.ndarray, b: np.ndarray) -> object:
    """The cosine of short vectors comes out too close to 0: what you divide by is never less than
    1, as after `max(…, 1)`. Divide by the two lengths, however short they are.
    """
    return a @ b / (max(length(a), 1.0) * max(length(b), 1.0))


def _kept_from_zero(name: str, little: float, divisor: Callable[[float, float], float]) -> None:
    """Declare an answer that keeps what it divides by above 0."""

    def kept(a: np.ndarray, b: np.ndarray) -> object:
        return a @ b / divisor(length(a) * length(b), little)

    kept.__name__ = f"{name}_{little:.0e}".replace("-", "_")
    kept.__doc__ = (
        "The cosine of tiny vectors comes out too close to 0: what you divide by is kept away from "
        "0, as by adding 1e-8 or by `max(…, 1e-6)`. Neither vector is all zeros: divide by the two "
        "lengths alone."
    )
    cosine.misconception(kept)


for _little in (1e-10, 1e-9, 1e-8, 1e-6):
    _kept_from_zero("little_added", _little, operator.add)
_kept_from_zero("bounded_below", 1e-6, max)


@cosine.misconception
def normalised_in_place(a: np.ndarray, b: np.ndarray) -> object:
    """The number is right, but the vectors that the caller handed in are changed as well, as by
    `/=`. Make new ones.
    """
    a /= length(a)
    b /= length(b)
    return a @ b


@cosine.misconception
def sign_lost(a: np.ndarray, b: np.ndarray) -> object:
    """The sign got lost: vectors that point apart have a cosine below zero."""
    return abs(a @ b) / (length(a) * length(b))


@cosine.misconception
def means_taken_off(a: np.ndarray, b: np.ndarray) -> object:
    """This is a correlation: a cosine of vectors whose mean has been taken off first. Take the
    vectors as they are.
    """
    a, b = a - a.mean(), b - b.mean()
    return a @ b / (length(a) * length(b))


@cosine.misconception
def none_below_zero(a: np.ndarray, b: np.ndarray) -> object:
    """Where the cosine is below zero, you return 0. Return it as it is: -1 stands for opposite
    directions.
    """
    return max(a @ b / (length(a) * length(b)), 0.0)


@cosine.accepts
def cosine_in_loops(a: np.ndarray, b: np.ndarray) -> float:
    """Loops.

    A single pass over both vectors collects all three sums: that of the products, and those of the
    two squares.
    """
    product = square_a = square_b = 0.0
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        product += x * y
        square_a += x * x
        square_b += y * y
    return product / float(np.sqrt(square_a) * np.sqrt(square_b))


@cosine.accepts
def cosine_of_unit_vectors(a: np.ndarray, b: np.ndarray) -> object:
    """Both vectors brought to length 1.

    Both vectors are brought to length 1 first; their dot product is then the cosine itself. Choose
    this where a vector meets many others, since each has to be normalised only once.
    """
    return np.dot(a / np.linalg.norm(a), b / np.linalg.norm(b))


@cosine.accepts
def cosine_with_one_root(a: np.ndarray, b: np.ndarray) -> object:
    """One root for both.

    Both squared lengths stand under one root, so only one is taken. For vectors with huge entries,
    their product can overflow where neither length would.
    """
    return np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2))
