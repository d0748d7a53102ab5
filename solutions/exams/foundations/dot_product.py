"""The exam of `dot_product`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from companion import HELLO_SHINY_SUN
from solutions import foundations as reference
from solutions.exams.foundations._specimens import OPPOSED, Pair, length
from solutions.exams.library_products import PRODUCTS

HELLO, SHINY, _ = HELLO_SHINY_SUN.vectors

dot = Exam(reference.dot_product, allows=PRODUCTS)


@dot.example
def hello_and_shiny() -> Pair:
    """the vectors of "Hello" and "shiny\""""
    return HELLO, SHINY


@dot.example
def two_apart() -> Pair:
    """(2, -1) and (-1.5, 0.5), which point apart"""
    return OPPOSED


@dot.example
def with_zeros() -> Pair:
    """vectors with a 0 among their entries"""
    return np.array([1.5, 0.0, -2.0, 0.5]), np.array([2.0, 1.0, 1.5, 0.0])


@dot.case
def any_two(draw: Draw) -> Pair:
    """vectors drawn at random"""
    return draw("d"), draw("d")


@dot.case(times=2)
def of_some_zeros(draw: Draw) -> Pair:
    """vectors in which every other entry of one is 0"""
    a, b = draw.fix(d=6)("d"), draw("d")
    a[1::2] = 0
    return (a, b) if draw.rng.random() < 0.5 else (b, a)


@dot.case(times=1)
def of_one_entry(draw: Draw) -> Pair:
    """vectors of one entry"""
    draw.fix(d=1)
    return draw("d"), draw("d")


@dot.case(times=1)
def of_many_entries(draw: Draw) -> Pair:
    """vectors of 200 entries"""
    draw.fix(d=200)
    return draw("d"), draw("d")


@dot.case(times=1)
def of_whole_numbers(draw: Draw) -> Pair:
    """vectors of integers"""
    return draw.integers("d", below=9), draw.integers("d", below=9)


@dot.holds
def order_of_the_two(dot_product: Callable[..., float], a: np.ndarray, b: np.ndarray) -> bool:
    """a · b is the same as b · a"""
    return bool(np.isclose(dot_product(a, b), dot_product(b, a), atol=1e-5))


@dot.misconception
def products_not_added(a: np.ndarray, b: np.ndarray) -> object:
    """These are the products, entry by entry. A dot product adds them up to a single number."""
    return a * b


@dot.misconception
def last_product_only(a: np.ndarray, b: np.ndarray) -> object:
    """Your result equals the last product alone. If you have a loop, add each product to what is
    already in the total, so that none is replaced.
    """
    return a[-1] * b[-1]


@dot.misconception
def first_product_only(a: np.ndarray, b: np.ndarray) -> object:
    """Your result equals the first product alone. Is `return` inside the loop?"""
    return a[0] * b[0]


@dot.misconception
def stopped_at_a_zero(a: np.ndarray, b: np.ndarray) -> object:
    """Your sum ends at the first entry that is 0, as with `break`, which leaves the loop. To skip a
    single pair, use `continue`; but a product of 0 can as well be added.
    """
    zeros = np.flatnonzero((a == 0) | (b == 0))
    end = zeros[0] if len(zeros) else len(a)
    return a[:end] @ b[:end]


@dot.misconception
def decimals_cut_off(a: np.ndarray, b: np.ndarray) -> object:
    """The decimals are gone: something turned your numbers into integers. Is there an `int` in your
    code?
    """
    return sum(int(x * y) for x, y in zip(a, b, strict=True))


@dot.misconception
def sums_multiplied(a: np.ndarray, b: np.ndarray) -> object:
    """This is the sum of a times the sum of b, as if every entry of a were multiplied by every
    entry of b. Multiply entry i of a by entry i of b only, and add up these products.
    """
    return a.sum() * b.sum()


@dot.misconception
def last_entry_missed(a: np.ndarray, b: np.ndarray) -> object:
    """The last entry is missing from this sum. It should run over all of them."""
    return a[:-1] @ b[:-1]


@dot.misconception
def first_entry_missed(a: np.ndarray, b: np.ndarray) -> object:
    """The first entry is missing from this sum. Python counts from 0."""
    return a[1:] @ b[1:]


@dot.misconception
def started_at_one(a: np.ndarray, b: np.ndarray) -> object:
    """Your sum is too large by 1. A sum starts at 0."""
    return 1 + a @ b


@dot.misconception
def multiplied_up(a: np.ndarray, b: np.ndarray) -> object:
    """Your result is always 0. A total that starts at 0 stays at 0 if you multiply it: add the
    products to it instead.
    """
    return 0.0


@dot.misconception
def entries_added(a: np.ndarray, b: np.ndarray) -> object:
    """You added all the entries. Multiply each pair first, then add up the products."""
    return (a + b).sum()


@dot.misconception
def squared_distance(a: np.ndarray, b: np.ndarray) -> object:
    """These are the squared differences, added up, which is a squared distance. Multiply the
    entries of each pair instead.
    """
    return ((a - b) ** 2).sum()


@dot.misconception
def cosine_already(a: np.ndarray, b: np.ndarray) -> object:
    """This is the cosine: the dot product divided by both lengths. The dot product itself is not
    divided by anything.
    """
    return a @ b / (length(a) * length(b))


@dot.accepts
def dot_by_index(a: np.ndarray, b: np.ndarray) -> float:
    """A loop over the entries.

    It counts through the positions, so the code shows the index i that the formula sums over.
    """
    result = 0.0
    for i in range(len(a)):
        result += float(a[i]) * float(b[i])
    return result


@dot.accepts
def dot_by_sum(a: np.ndarray, b: np.ndarray) -> object:
    """Products, then NumPy's sum.

    The products come first, in an array of their own, and then their sum. Both steps of the formula
    are visible, and both vectors are multiplied without a loop.
    """
    return np.sum(a * b)


@dot.accepts
def dot_by_generator(a: np.ndarray, b: np.ndarray) -> object:
    """Python's sum over pairs."""
    return sum(x * y for x, y in zip(a, b, strict=True))


@dot.accepts
def dot_by_matmul(a: np.ndarray, b: np.ndarray) -> object:
    """The operator.

    `@` leaves the loop to NumPy's compiled code. It is what you would write in practice, and for
    long vectors much faster than a loop in Python.
    """
    return a @ b
