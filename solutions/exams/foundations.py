"""The exams of lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from companion import HELLO_SHINY_SUN
from companion.specimens import leave_as_is, shares, torch_softmax
from solutions import foundations as reference

Pair = tuple[np.ndarray, np.ndarray]

FOUR_DECIMALS = Tolerance(absolute=6e-5)
HELLO, SHINY, _ = HELLO_SHINY_SUN.vectors
OPPOSED = np.array([2.0, -1.0]), np.array([-1.5, 0.5])


def length(vector: np.ndarray) -> float:
    """The Euclidean length."""
    return float(np.sqrt(vector @ vector))


# --- dot product ---------------------------------------------------------------------------------

dot = Exam(reference.dot_product)


@dot.example
def hello_and_shiny() -> Pair:
    """the vectors of "Hello" and "shiny\""""
    return HELLO, SHINY


@dot.example
def two_apart() -> Pair:
    """(2, -1) and (-1.5, 0.5), which point apart"""
    return OPPOSED


@dot.case
def any_two(draw: Draw) -> Pair:
    """vectors drawn at random"""
    return draw("d"), draw("d")


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
    """vectors of whole numbers"""
    return draw.integers("d", below=9), draw.integers("d", below=9)


@dot.holds
def order_of_the_two(dot_product: Callable[..., float], a: np.ndarray, b: np.ndarray) -> bool:
    """a · b is the same as b · a"""
    return bool(np.isclose(dot_product(a, b), dot_product(b, a), atol=1e-5))


@dot.misconception
def products_not_added(a: np.ndarray, b: np.ndarray) -> object:
    """These are the products, entry by entry. A dot product adds them up to one number."""
    return a * b


@dot.misconception
def last_product_only(a: np.ndarray, b: np.ndarray) -> object:
    """Only the last product is left: each turn of your loop replaces the total. Add to it
    instead.
    """
    return a[-1] * b[-1]


@dot.misconception
def first_product_only(a: np.ndarray, b: np.ndarray) -> object:
    """What comes out is as large as the first product alone. Does `return` stand inside the
    loop?
    """
    return a[0] * b[0]


@dot.misconception
def decimals_cut_off(a: np.ndarray, b: np.ndarray) -> object:
    """The decimals are gone: something turned your numbers into whole ones. Is there an `int` in
    your code?
    """
    return sum(int(x * y) for x, y in zip(a, b, strict=True))


@dot.misconception
def sums_multiplied(a: np.ndarray, b: np.ndarray) -> object:
    """Every entry of a met every entry of b. Entry i of a meets only entry i of b: one loop, not
    two.
    """
    return a.sum() * b.sum()


@dot.misconception
def last_entry_missed(a: np.ndarray, b: np.ndarray) -> object:
    """The last entries are missing from this sum. Let the loop run over all of them."""
    return a[:-1] @ b[:-1]


@dot.misconception
def first_entry_missed(a: np.ndarray, b: np.ndarray) -> object:
    """The first entries are missing from this sum. Python counts from 0."""
    return a[1:] @ b[1:]


@dot.misconception
def started_at_one(a: np.ndarray, b: np.ndarray) -> object:
    """Your sum is too large by 1. A sum starts at 0."""
    return 1 + a @ b


@dot.misconception
def multiplied_up(a: np.ndarray, b: np.ndarray) -> object:
    """Your total is always 0: zero times anything stays zero. Add the products to it."""
    return 0.0


@dot.misconception
def entries_added(a: np.ndarray, b: np.ndarray) -> object:
    """You added all the entries. Multiply each pair first, then add the products."""
    return (a + b).sum()


@dot.misconception
def cosine_already(a: np.ndarray, b: np.ndarray) -> object:
    """This is the cosine: the dot product divided by both lengths. Here nothing is divided."""
    return a @ b / (length(a) * length(b))


@dot.accepts
def dot_by_index(a: np.ndarray, b: np.ndarray) -> float:
    """A loop over the places."""
    result = 0.0
    for i in range(len(a)):
        result += float(a[i]) * float(b[i])
    return result


@dot.accepts
def dot_by_sum(a: np.ndarray, b: np.ndarray) -> object:
    """Products, then NumPy's sum."""
    return np.sum(a * b)


@dot.accepts
def dot_by_generator(a: np.ndarray, b: np.ndarray) -> object:
    """Python's sum over pairs."""
    return sum(x * y for x, y in zip(a, b, strict=True))


@dot.accepts
def dot_by_matmul(a: np.ndarray, b: np.ndarray) -> object:
    """The operator."""
    return a @ b


# --- by hand -------------------------------------------------------------------------------------

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


@worksheet.misconception
def cosine_grew_too() -> dict[str, object]:
    """You divided 110 by the lengths of a and b. The vector 10 b is also ten times as long as b, so
    the cosine stays.
    """
    return filled_in(cosine_of_ten=110 / 15)


@worksheet.misconception
def root_left_out() -> dict[str, object]:
    """These lengths are squared. Take the square root of the sum of squares."""
    return filled_in(lengths=(9, 25), cosine=11 / 225, cosine_of_ten=110 / 22500)


@worksheet.misconception
def entries_summed() -> dict[str, object]:
    """You added the entries to get the lengths. Add their squares and take the square root."""
    return filled_in(lengths=(5, 7), cosine=11 / 35, cosine_of_ten=11 / 35)


@worksheet.misconception
def entries_counted() -> dict[str, object]:
    """You counted the entries, as `len` does. The length of an arrow is the square root of the sum
    of its squared entries.
    """
    return filled_in(lengths=(3, 3), cosine=11 / 9, cosine_of_ten=110 / 9)


@worksheet.misconception
def divided_by_a_alone() -> dict[str, object]:
    """You divided by the length of a alone. A cosine is divided by both lengths, and never
    above 1.
    """
    return filled_in(cosine=11 / 3, cosine_of_ten=110 / 3)


@worksheet.misconception
def divided_by_b_alone() -> dict[str, object]:
    """You divided by the length of b alone. A cosine is divided by both lengths, and never
    above 1.
    """
    return filled_in(cosine=11 / 5, cosine_of_ten=110 / 50)


@worksheet.misconception
def divided_by_added_lengths() -> dict[str, object]:
    """You added the two lengths before you divided by them. Multiply them."""
    return filled_in(cosine=11 / 8, cosine_of_ten=110 / 53)


@worksheet.misconception
def angle_in_degrees() -> dict[str, object]:
    """This is the angle. The cosine of the angle is asked for: the number before you look up the
    angle.
    """
    angle = float(np.degrees(np.arccos(11 / 15)))
    return filled_in(cosine=angle, cosine_of_ten=angle)


@worksheet.misconception
def everything_times_everything() -> dict[str, object]:
    """Your dot product is (1 + 2 + 2) · (3 + 0 + 4). Multiply first to first, second to second,
    third to third, then add.
    """
    return filled_in(35, cosine=35 / 15, ten_times=350, cosine_of_ten=35 / 15)


@worksheet.misconception
def zero_passed_over() -> dict[str, object]:
    """You took 2 · 0 for 2. It is 0, and adds nothing."""
    return filled_in(13, cosine=13 / 15, ten_times=130, cosine_of_ten=13 / 15)


@worksheet.misconception
def both_vectors_longer() -> dict[str, object]:
    """You made both vectors ten times as long. Only b is; a stays as it is."""
    return filled_in(ten_times=1100)


@worksheet.misconception
def dot_product_kept() -> dict[str, object]:
    """You kept the dot product when b grew. Each of its products holds an entry of b."""
    return filled_in(ten_times=11, cosine_of_ten=11 / 150)


@worksheet.misconception
def old_dot_product_divided() -> dict[str, object]:
    """Your last cosine is 11 divided by 3 · 50. Below the line stands 10 b, above it still b: the
    dot product of a and 10 b belongs there.
    """
    return filled_in(cosine_of_ten=11 / 150)


@worksheet.misconception
def squares_all_along() -> dict[str, object]:
    """You used squared lengths, 9 and 25. Take the square root of each sum of squares."""
    return filled_in(lengths=(9, 25), cosine=11 / 225, cosine_of_ten=11 / 225)


@worksheet.misconception
def two_decimals() -> dict[str, object]:
    """This is rounded to two decimals. Write four."""
    return filled_in(cosine=0.73, cosine_of_ten=0.73)


@worksheet.misconception
def three_decimals() -> dict[str, object]:
    """A cosine is rounded to three decimals. Write four."""
    return filled_in(cosine=0.733, cosine_of_ten=0.733)


@worksheet.misconception
def cosine_grew_and_was_rounded() -> dict[str, object]:
    """7.333 is 110 divided by the lengths of a and b. The vector 10 b is also ten times as long as
    b, so the cosine stays; and write four decimals.
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


# --- cosine --------------------------------------------------------------------------------------

cosine = Exam(reference.cosine_similarity)


@cosine.example
def as_on_paper() -> Pair:
    """(1, 2, 2) and (3, 0, 4), as on paper"""
    return np.array([1.0, 2.0, 2.0]), np.array([3.0, 0.0, 4.0])


@cosine.example
def pointing_apart() -> Pair:
    """(2, -1) and (-1.5, 0.5), which point apart"""
    return OPPOSED


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
    """a vector turned round has the opposite cosine"""
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
    """`x / y * z` divides by y and then multiplies by z. Both lengths belong below the line: put
    them in brackets.
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
def lengths_added(a: np.ndarray, b: np.ndarray) -> object:
    """You added the two lengths before you divided by them. Multiply them."""
    return a @ b / (length(a) + length(b))


@cosine.misconception
def absolute_entries_added(a: np.ndarray, b: np.ndarray) -> object:
    """Your lengths are sums of entries. Square the entries, add, take the square root."""
    return a @ b / (np.abs(a).sum() * np.abs(b).sum())


@cosine.misconception
def counts_for_lengths(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by how many entries there are. `len` counts; the length of an arrow is another
    thing: the root of the sum of its squared entries.
    """
    return a @ b / (len(a) * len(b))


@cosine.misconception
def averaged_products(a: np.ndarray, b: np.ndarray) -> object:
    """You divided by the dimension. Divide by both lengths instead."""
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
    """You took the dot product for an angle and handed it to `np.cos`. No angle is needed: divide
    the dot product by both lengths.
    """
    return np.cos(a @ b)


@cosine.misconception
def root_of_each_entry(a: np.ndarray, b: np.ndarray) -> object:
    """Your lengths are vectors: the root was taken entry by entry. Add all the squares first, then
    take one root.
    """
    return a @ b / (np.sqrt(a**2) * np.sqrt(b**2))


@cosine.misconception
def roots_summed(a: np.ndarray, b: np.ndarray) -> object:
    """You took the root of each entry, which is NaN below zero. Square the entries, add the
    squares, then take one root.
    """
    return a @ b / (np.sqrt(a).sum() * np.sqrt(b).sum())


@cosine.misconception
def normalised_in_place(a: np.ndarray, b: np.ndarray) -> object:
    """The number is right, but `/=` also changes the vectors that the caller handed in. Make new
    ones.
    """
    a /= length(a)
    b /= length(b)
    return a @ b


@cosine.misconception
def sign_lost(a: np.ndarray, b: np.ndarray) -> object:
    """The sign got lost: vectors that point apart have a cosine below zero."""
    return abs(a @ b) / (length(a) * length(b))


@cosine.accepts
def cosine_in_loops(a: np.ndarray, b: np.ndarray) -> float:
    """Loops."""
    product = square_a = square_b = 0.0
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        product += x * y
        square_a += x * x
        square_b += y * y
    return product / float(np.sqrt(square_a) * np.sqrt(square_b))


@cosine.accepts
def cosine_of_unit_vectors(a: np.ndarray, b: np.ndarray) -> object:
    """Both vectors brought to length 1."""
    return np.dot(a / np.linalg.norm(a), b / np.linalg.norm(b))


@cosine.accepts
def cosine_with_one_root(a: np.ndarray, b: np.ndarray) -> object:
    """One root for both."""
    return np.sum(a * b) / np.sqrt(np.sum(a**2) * np.sum(b**2))


# --- matrix product ------------------------------------------------------------------------------

matmul = Exam(reference.matmul_as_dot_products)


@matmul.example
def two_by_three() -> Pair:
    """a 2 × 3 matrix times a 3 × 4 matrix"""
    A = np.array([[1.0, 2.0, 0.0], [-1.0, 0.5, 3.0]])
    B = np.array([[2.0, 0.0, 1.0, -1.0], [1.0, 1.0, 0.0, 2.0], [0.0, -2.0, 1.0, 1.0]])
    return A, B


@matmul.example
def two_squares() -> Pair:
    """two square matrices"""
    return np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[0.0, 1.0], [-1.0, 2.0]])


@matmul.case
def any_shapes(draw: Draw) -> Pair:
    """matrices drawn at random"""
    return draw("m k"), draw("k n")


@matmul.case(times=1)
def row_times_column(draw: Draw) -> Pair:
    """a row times a column"""
    draw.fix(m=1, n=1)
    return draw("m k"), draw("k n")


@matmul.case(times=1)
def column_times_row(draw: Draw) -> Pair:
    """a column times a row"""
    draw.fix(k=1)
    return draw("m k"), draw("k n")


@matmul.case(times=1)
def many_products(draw: Draw) -> Pair:
    """rows of 100 entries"""
    draw.fix(k=100)
    return draw("m k"), draw("k n")


@matmul.case(times=1)
def whole_numbers(draw: Draw) -> Pair:
    """matrices of whole numbers"""
    return draw.integers("m k", below=9), draw.integers("k n", below=9)


@matmul.holds
def identity_changes_nothing(
    matmul_as_dot_products: Callable[..., np.ndarray], A: np.ndarray, B: np.ndarray
) -> bool:
    """the identity matrix changes nothing"""
    identity = np.eye(A.shape[1], dtype=A.dtype)
    return bool(np.allclose(matmul_as_dot_products(A, identity), A, atol=1e-6))


@matmul.misconception
def entry_by_entry(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You multiplied entry by entry. Entry (i, j) is a whole dot product: row i of A with column j
    of B.
    """
    return A * B


@matmul.misconception
def rows_with_rows(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You took rows of A with rows of B. The second partner is a column of B."""
    return A @ B.T


@matmul.misconception
def columns_with_columns(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You took columns of A with columns of B. The first partner is a row of A."""
    return A.T @ B


@matmul.misconception
def wrong_order(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """This is B times A. The rows come from A, the columns from B."""
    return B @ A


@matmul.misconception
def rows_and_columns_exchanged(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Your result is transposed. Row i of A belongs to row i of the result, not to column i."""
    return (A @ B).T


@matmul.misconception
def only_the_last_product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Each entry holds its last product alone: your inner loop replaces what it had. Add to it."""
    return A[:, -1:] @ B[-1:]


@matmul.misconception
def in_float64(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The numbers are right, but float32 went in and float64 came out. An array that you make has a
    dtype: give it the one of A.
    """
    product = np.zeros((A.shape[0], B.shape[1]))
    product += A @ B
    return product


@matmul.misconception
def diagonal_only(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You paired row i with column i alone. Every row meets every column: one loop inside
    another.
    """
    product = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    for i in range(min(product.shape)):
        product[i, i] = A[i] @ B[:, i]
    return product


@matmul.misconception
def returned_after_one_row(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Only the first row is filled, the rest is still 0. Does `return` stand inside the loop over
    the rows?
    """
    product = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    product[0] = A[0] @ B
    return product


@matmul.misconception
def returned_after_one_entry(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Only the first entry is filled, the rest is still 0. Does `return` stand inside the loops?"""
    product = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    product[0, 0] = A[0] @ B[:, 0]
    return product


@matmul.accepts
def product_in_three_loops(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Loops."""
    product = np.zeros((len(A), B.shape[1]), dtype=A.dtype)
    for i in range(len(A)):
        for j in range(B.shape[1]):
            for k in range(len(B)):
                product[i, j] += A[i, k] * B[k, j]
    return product


@matmul.accepts
def product_from_lists(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Lists of dot products."""
    return np.array([[row @ column for column in B.T] for row in A])


@matmul.accepts
def product_by_einsum(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """An index expression."""
    return np.einsum("ik,kj->ij", A, B)


@matmul.accepts
def product_by_broadcasting(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Every product at once, then a sum."""
    return (A[:, :, None] * B[None]).sum(axis=1, dtype=A.dtype)


# --- embedding lookup ----------------------------------------------------------------------------

lookup = Exam(reference.embedding_lookup, returns=("one_hot", "vectors"))


@lookup.example
def four_words() -> Pair:
    """the words 3, 1, 3, 0 of a vocabulary of five"""
    table = np.array([[0.1, 0.9], [0.8, -0.3], [-0.5, 0.4], [0.7, 0.6], [-0.2, -0.8]])
    return np.array([3, 1, 3, 0]), table


@lookup.case
def any_words(draw: Draw) -> Pair:
    """words drawn at random"""
    return draw.integers("tokens", below=draw.size("vocabulary")), draw("vocabulary d_in")


@lookup.case(times=1)
def one_word_again_and_again(draw: Draw) -> Pair:
    """one word, again and again"""
    return np.full(draw.size("tokens"), 1), draw("vocabulary d_in")


@lookup.case(times=1)
def a_single_word(draw: Draw) -> Pair:
    """a sentence of one word, the last of the vocabulary"""
    return np.array([draw.size("vocabulary") - 1]), draw("vocabulary d_in")


@lookup.case(times=1)
def more_words_than_vocabulary(draw: Draw) -> Pair:
    """a sentence of 100 words, a vocabulary of 64"""
    draw.fix(tokens=100, vocabulary=64)
    return draw.integers("tokens", below=64), draw("vocabulary d_in")


@lookup.case(times=1)
def as_many_words_as_rows(draw: Draw) -> Pair:
    """as many words as the vocabulary has rows"""
    draw.fix(tokens=5, vocabulary=5)
    return draw.rng.permutation(5), draw("vocabulary d_in")


@lookup.holds
def words_keep_their_places(
    embedding_lookup: Callable[..., Pair], token_ids: np.ndarray, embeddings: np.ndarray
) -> bool:
    """the words in reverse give the same vectors in reverse"""
    backwards = embedding_lookup(token_ids[::-1].copy(), embeddings)[1]
    return bool(np.allclose(backwards, embedding_lookup(token_ids, embeddings)[1][::-1]))


def ones_at(token_ids: np.ndarray, embeddings: np.ndarray) -> np.ndarray:
    """The one-hot matrix."""
    return np.eye(len(embeddings), dtype=embeddings.dtype)[token_ids]


@lookup.misconception
def one_hot_transposed(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix is transposed. One row for each word of the sentence, one column for each
    word of the vocabulary.
    """
    one_hot = ones_at(token_ids, embeddings)
    return one_hot.T.copy(), one_hot @ embeddings


@lookup.misconception
def counted_from_one(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Every 1 stands one column too far to the left. Ids count from 0: the word 0 is the first
    row.
    """
    one_hot = ones_at(token_ids - 1, embeddings)
    return one_hot, one_hot @ embeddings


@lookup.misconception
def whole_columns(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Every row has a 1 for every word of the sentence: a colon stands for all rows. Pair row 0
    with the first id, row 1 with the second.
    """
    one_hot = np.zeros((len(token_ids), len(embeddings)), dtype=embeddings.dtype)
    one_hot[:, token_ids] = 1
    return one_hot, one_hot @ embeddings


@lookup.misconception
def ids_in_place_of_ones(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """The ids themselves stand in your one-hot matrix. The id says where; what stands there is
    1.
    """
    one_hot = ones_at(token_ids, embeddings) * token_ids[:, None].astype(embeddings.dtype)
    return one_hot, one_hot @ embeddings


@lookup.misconception
def lookup_in_float64(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """The numbers are right, but float32 went in and float64 came out. An array that you make has a
    dtype: give it the one of the table.
    """
    one_hot = np.eye(len(embeddings))[token_ids]
    return one_hot, one_hot @ embeddings


@lookup.misconception
def one_hot_of_integers(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix holds integers. Give it the dtype of the table."""
    one_hot = np.eye(len(embeddings), dtype=int)[token_ids]
    return one_hot, one_hot @ embeddings


@lookup.misconception
def one_hot_of_truths(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Your one-hot matrix holds True and False. Turn them into numbers of the table's dtype."""
    one_hot = token_ids[:, None] == np.arange(len(embeddings))
    return one_hot, one_hot @ embeddings


@lookup.misconception
def vectors_first(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """The two results are in the wrong order: the one-hot matrix first, then the vectors."""
    one_hot = ones_at(token_ids, embeddings)
    return one_hot @ embeddings, one_hot


@lookup.misconception
def first_rows_of_the_table(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Word i of the sentence got row i of the table. Which row it gets is what its id says."""
    one_hot = np.eye(len(token_ids), len(embeddings), dtype=embeddings.dtype)
    return one_hot, one_hot @ embeddings


@lookup.misconception
def vectors_summed(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """You added the vectors of all words. Each word keeps a row of its own."""
    one_hot = ones_at(token_ids, embeddings)
    return one_hot, one_hot.sum(axis=0) @ embeddings


@lookup.misconception
def each_word_once(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """You sorted the words and dropped the second "3". A word that stands twice in a sentence gets
    two rows, in the sentence's order.
    """
    one_hot = ones_at(np.unique(token_ids), embeddings)
    return one_hot, one_hot @ embeddings


@lookup.accepts
def lookup_in_a_loop(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """A loop."""
    one_hot = np.zeros((token_ids.shape[0], embeddings.shape[0])).astype(embeddings.dtype)
    for row, token in enumerate(token_ids):
        one_hot[row, token] = 1.0
    return one_hot, np.matmul(one_hot, embeddings)


@lookup.accepts
def lookup_from_the_identity(token_ids: np.ndarray, embeddings: np.ndarray) -> Pair:
    """Rows of the identity matrix, rows of the table."""
    identity = np.identity(len(embeddings), dtype=embeddings.dtype)
    return identity[token_ids], embeddings[token_ids]


@lookup.accepts
def lookup_by_comparing(token_ids: np.ndarray, embeddings: np.ndarray) -> list[np.ndarray]:
    """A comparison with every id."""
    one_hot = (token_ids[:, None] == np.arange(len(embeddings))).astype(embeddings.dtype)
    return [one_hot, np.einsum("tv,vd->td", one_hot, embeddings)]


# --- repair --------------------------------------------------------------------------------------

rows = Exam(reference.row_softmax)

TWO_BY_THREE = np.array([[2.0, -1.0, 0.5], [-1.5, 1.0, 1.0]])
SQUARE = np.array([[1.0, 3.0], [-2.0, 0.5]])
FAR_OUT = np.array([[1000.0, 1001.0, 999.0], [-1000.0, -1000.0, -1002.0], [1000.0, -1000.0, 0.0]])


@rows.example
def wider_than_high() -> np.ndarray:
    """two rows of three scores"""
    return TWO_BY_THREE


@rows.example
def square() -> np.ndarray:
    """a square matrix"""
    return SQUARE


@rows.example
def large_scores() -> np.ndarray:
    """scores near 1000 and -1000"""
    return FAR_OUT[:2]


@rows.case
def any_rows(draw: Draw) -> np.ndarray:
    """scores drawn at random"""
    return draw("rows columns", scale=2)


@rows.case(times=1)
def large_square(draw: Draw) -> np.ndarray:
    """a square matrix of 20 rows"""
    return draw.fix(n=20)("n n")


@rows.case(times=1)
def a_single_row(draw: Draw) -> np.ndarray:
    """one row"""
    return draw.fix(rows=1)("rows columns")


@rows.case(times=1)
def single_scores(draw: Draw) -> np.ndarray:
    """rows of one score"""
    return draw.fix(columns=1)("rows columns")


@rows.holds
def row_sum_is_one(row_softmax: Callable[..., np.ndarray], x: np.ndarray) -> bool:
    """each row sums to 1"""
    return bool(np.allclose(row_softmax(x).sum(axis=1), 1, atol=1e-5))


@rows.holds
def rows_are_alone(row_softmax: Callable[..., np.ndarray], x: np.ndarray) -> bool:
    """a change in the last row changes no other"""
    changed = x.copy()
    changed[-1] += np.arange(x.shape[1], dtype=x.dtype)
    return bool(np.allclose(row_softmax(changed)[:-1], row_softmax(x)[:-1], atol=1e-6))


@rows.misconception
def as_given(x: np.ndarray) -> np.ndarray:
    """These are still the results of the broken cell. Print the shapes of `x` and of `largest`: how
    does NumPy line them up?
    """
    exponentials = np.exp(x - x.max(axis=-1))
    return exponentials / exponentials.sum(axis=-1)


@rows.misconception
def only_the_total_repaired(x: np.ndarray) -> np.ndarray:
    """The total is repaired, the maximum is not: row i's maximum is still subtracted from
    column i.
    """
    exponentials = np.exp(x - x.max(axis=-1))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@rows.misconception
def only_the_maximum_repaired(x: np.ndarray) -> np.ndarray:
    """The maximum is repaired, the total is not: row i's total still divides column i."""
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1)


@rows.misconception
def columns_now(x: np.ndarray) -> np.ndarray:
    """It no longer stops, but now each column sums to 1. Axis 0 fits by shape, not by meaning: stay
    with the last axis and keep it.
    """
    return reference.softmax(x, 0)


@rows.misconception
def all_rows_together(x: np.ndarray) -> np.ndarray:
    """Without an axis, the whole matrix sums to 1. Each row needs a maximum and a total of its
    own.
    """
    exponentials = np.exp(x - x.max())
    return exponentials / exponentials.sum()


@rows.misconception
def one_maximum(x: np.ndarray) -> np.ndarray:
    """You subtract one maximum from all rows. In a row far below it, all exponentials are 0, and
    0 / 0 is NaN: each row needs its own.
    """
    exponentials = np.exp(x - x.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@rows.misconception
def maximum_dropped(x: np.ndarray) -> np.ndarray:
    """Without the maximum, exp(1000) overflows, and inf / inf is NaN. Keep the line and repair
    it.
    """
    exponentials = np.exp(x)
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@rows.misconception
def left_transposed(x: np.ndarray) -> np.ndarray:
    """The numbers are right, but rows and columns are exchanged. Transpose back at the end."""
    return reference.softmax(x.T, 0)


@rows.accepts
def repaired_by_newaxis(x: np.ndarray) -> np.ndarray:
    """A new axis for each."""
    exponentials = np.exp(x - x.max(axis=-1)[:, np.newaxis])
    return exponentials / exponentials.sum(axis=-1)[:, np.newaxis]


@rows.accepts
def repaired_by_transposing(x: np.ndarray) -> np.ndarray:
    """There and back."""
    exponentials = np.exp(x.T - x.max(axis=-1))
    return (exponentials / exponentials.sum(axis=0)).T


@rows.accepts
def repaired_row_by_row(x: np.ndarray) -> np.ndarray:
    """A loop."""
    result = np.empty_like(x)
    for i, row in enumerate(x):
        exponentials = np.exp(row - row.max())
        result[i] = exponentials / exponentials.sum()
    return result


# --- softmax -------------------------------------------------------------------------------------

softmax = Exam(reference.softmax)

HIDDEN = np.array([[0.5, -np.inf, 1.5, 0.0], [-np.inf, -np.inf, -2.0, -np.inf]])


@softmax.example
def each_row() -> tuple[np.ndarray, int]:
    """two rows of three scores, axis -1"""
    return TWO_BY_THREE, -1


@softmax.example
def each_column() -> tuple[np.ndarray, int]:
    """two rows of three scores, axis 0"""
    return TWO_BY_THREE, 0


@softmax.example
def no_axis_named() -> np.ndarray:
    """three rows of two scores, no axis given"""
    return TWO_BY_THREE.T.copy()


@softmax.example
def a_square() -> tuple[np.ndarray, int]:
    """a square matrix, axis 1"""
    return SQUARE, 1


@softmax.example
def far_from_zero() -> tuple[np.ndarray, int]:
    """scores near 1000 and -1000"""
    return FAR_OUT, -1


@softmax.example
def with_minus_infinity() -> tuple[np.ndarray, int]:
    """scores of -inf, in one row all but one"""
    return HIDDEN, -1


@softmax.case
def drawn_scores(draw: Draw) -> tuple[np.ndarray, int]:
    """scores drawn at random"""
    return draw("rows columns", scale=2), -1


@softmax.case(times=1)
def axis_left_out(draw: Draw) -> np.ndarray:
    """a matrix, no axis given"""
    return draw("rows columns")


@softmax.case(times=1)
def one_axis_only(draw: Draw) -> np.ndarray:
    """a vector, no axis given"""
    return draw("n")


@softmax.case(times=1)
def three_axes(draw: Draw) -> tuple[np.ndarray, int]:
    """three axes, the softmax over the middle one"""
    return draw("batch rows columns"), 1


@softmax.case(times=1)
def first_of_four(draw: Draw) -> tuple[np.ndarray, int]:
    """four axes, the softmax over the first one"""
    return draw("batch heads rows columns"), 0


@softmax.case(times=1)
def last_of_a_cube(draw: Draw) -> tuple[np.ndarray, int]:
    """three axes of the same length"""
    return draw.fix(batch=3, rows=3, columns=3)("batch rows columns"), -2


@softmax.case
def spread_wide(draw: Draw) -> tuple[np.ndarray, int]:
    """scores hundreds apart"""
    return draw("rows columns", scale=300), 0


@softmax.case(times=1)
def hidden_triangle(draw: Draw) -> tuple[np.ndarray, int]:
    """-inf above the diagonal"""
    n = draw.size("n")
    scores = draw("n n")
    scores[np.triu_indices(n, k=1)] = -np.inf
    return scores, 1


@softmax.case(times=1)
def a_single_score(draw: Draw) -> tuple[np.ndarray, int]:
    """one score per row"""
    return draw.fix(columns=1)("rows columns"), -1


@softmax.holds
def sum_is_one(softmax: Callable[..., np.ndarray], x: np.ndarray, axis: int = -1) -> bool:
    """the weights sum to 1 along the axis"""
    return bool(np.allclose(softmax(x, axis).sum(axis=axis), 1, atol=1e-5))


@softmax.holds
def shift_changes_nothing(
    softmax: Callable[..., np.ndarray], x: np.ndarray, axis: int = -1
) -> bool:
    """the same number added to all scores changes no weight"""
    return bool(np.allclose(softmax(x + 2, axis), softmax(x, axis), atol=1e-4))


@softmax.misconception
def always_the_last_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Your weights sum to 1 along the last axis, whatever axis was asked for. Use the argument
    `axis`.
    """
    return reference.softmax(x)


@softmax.misconception
def always_the_first_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Your weights sum to 1 down each column, whatever axis was asked for. Use the argument
    `axis`.
    """
    return reference.softmax(x, 0)


@softmax.misconception
def the_first_axis_by_default(x: np.ndarray, axis: int = 0) -> np.ndarray:
    """Where no axis is given, your softmax runs over the first one. Let `axis` be -1 in the first
    line of the function, as it was.
    """
    return reference.softmax(x, axis)


@softmax.misconception
def keepdims_forgotten(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """Once an axis is summed away, row i's sum lines up with column i. Keep that axis, with length
    1, in the maximum and in the sum.
    """
    exponentials = np.exp(x - x.max(axis=axis))
    return exponentials / exponentials.sum(axis=axis)


@softmax.misconception
def maximum_without_keepdims(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The sum has kept its axis, the maximum has not: row i's maximum lines up with column i. Keep
    the axis there too.
    """
    exponentials = np.exp(x - x.max(axis=axis))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def sum_without_keepdims(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The sum has lost its axis, so that row i's sum divides column i. Keep the axis, with length
    1.
    """
    exponentials = np.exp(x - x.max(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis)


@softmax.misconception
def overflowing(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """`exp` of a large score is inf, and inf / inf is NaN; in float32 that begins at 89. Subtract
    the largest score first: the weights stay the same.
    """
    exponentials = np.exp(x)
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def one_maximum_for_all(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You subtracted the largest score of the whole array. In a row far below it, every exponential
    is 0, and 0 / 0 is NaN: take the maximum along the axis.
    """
    exponentials = np.exp(x - x.max())
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def divided_by_sum(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You divided the scores by their sum, and a score below zero made a weight below zero. Take
    the exponential of each first.
    """
    return x / x.sum(axis=axis, keepdims=True)


@softmax.misconception
def over_everything(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """All your weights together sum to 1. They should sum to 1 along the axis, once for each row or
    column.
    """
    exponentials = np.exp(x - x.max())
    return exponentials / exponentials.sum()


@softmax.misconception
def never_divided(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """These are exponentials that no one divided. Divide by their sum along the axis."""
    return np.exp(x - x.max(axis=axis, keepdims=True))


@softmax.misconception
def written_in_place(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The numbers are right, but `-=` also changes the array that the caller handed in. Leave x as
    it is and make a new array.
    """
    x -= x.max(axis=axis, keepdims=True)
    return reference.softmax(x, axis)


@softmax.misconception
def softmax_in_float64(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The numbers are right, but float32 went in and float64 came out. Keep the dtype of x."""
    return reference.softmax(x.astype(np.float64), axis)


@softmax.misconception
def shifted_by_the_minimum(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You subtracted the smallest score. The largest one then still overflows, and -inf - -inf is
    NaN: subtract the largest.
    """
    exponentials = np.exp(x - x.min(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def shifted_by_the_mean(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You subtracted the mean. With one score of -inf the mean is -inf as well, and -inf - -inf is
    NaN: subtract the largest.
    """
    exponentials = np.exp(x - x.mean(axis=axis, keepdims=True))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def clipped(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You cut the scores off, so that 1000 and 1001 became the same. Subtract the largest instead:
    that keeps their differences.
    """
    exponentials = np.exp(np.clip(x, -80, 80))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def clipped_far_out(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You cut the scores off, so that 1000 and 1001 became the same; and in float32, `exp` is inf
    from 89 on. Subtract the largest score instead: that keeps the differences.
    """
    exponentials = np.exp(np.clip(x, -500, 500))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def clipped_above(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You cut large scores off, so that 1000 and 1001 became the same, and scores near -1000 still
    end as 0 / 0. Subtract the largest score instead: that cures both.
    """
    exponentials = np.exp(np.minimum(x, 80))
    return exponentials / exponentials.sum(axis=axis, keepdims=True)


@softmax.misconception
def turned_round(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The smallest score got the largest weight: you subtracted the scores from their maximum.
    Subtract the maximum from the scores.
    """
    return reference.softmax(-x, axis)


@softmax.misconception
def winner_takes_all(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """You gave all the weight to the largest score. The softmax leaves every score a share."""
    return (x == x.max(axis=axis, keepdims=True)).astype(x.dtype)


@softmax.misconception
def logarithms(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """These are the logarithms of the weights: all below zero. Return the weights."""
    shifted = x - x.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


@softmax.accepts
def softmax_slice_by_slice(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """One vector at a time."""

    def weights(scores: np.ndarray) -> np.ndarray:
        exponentials = np.exp(scores - max(scores))
        return exponentials / sum(exponentials)

    return np.apply_along_axis(weights, axis, x)


@softmax.accepts
def softmax_by_logarithms(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """exp(x - log-sum-exp)."""
    return np.exp(x - np.logaddexp.reduce(x, axis=axis, keepdims=True))


@softmax.accepts
def softmax_on_the_last_axis(x: np.ndarray, axis: int = -1) -> np.ndarray:
    """The axis moved to the end and back."""
    moved = np.moveaxis(x, axis, -1)
    exponentials = np.exp(moved - np.max(moved, axis=-1)[..., np.newaxis])
    weights = exponentials / np.sum(exponentials, axis=-1)[..., np.newaxis]
    return np.moveaxis(weights, -1, axis)


# --- write the test ------------------------------------------------------------------------------

Function = Callable[[np.ndarray], np.ndarray]
Trial = tuple[Function, np.ndarray, float]

invariant = Exam(reference.is_shift_invariant, dtypes=("float64",))

SCORES = np.array([[2.1, 1.4, 0.3], [1.6, 0.7, 0.5]])
ONE_ROW_OF_EQUALS = np.array([[2.1, 1.2, 0.3], [0.5, 0.5, 0.5]])
FIRST_IS_THE_MEAN = np.array([[0.5, 0.2, 0.8], [1.6, 0.7, 0.5]])
EIGHTHS = np.array([[2.125, 1.25, 0.375], [1.625, 0.75, 0.5]])


@invariant.example
def on_softmax() -> Trial:
    """the softmax"""
    return torch_softmax, SCORES, 1.7


@invariant.example
def on_shares() -> Trial:
    """shares of the sum, the second row three equal scores"""
    return shares, ONE_ROW_OF_EQUALS, 1.7


@invariant.example
def on_shares_from_below() -> Trial:
    """shares of the sum, the first row three equal scores"""
    return shares, ONE_ROW_OF_EQUALS[::-1].copy(), 1.7


@invariant.example
def on_shares_by_a_little() -> Trial:
    """shares of the sum, a small shift"""
    return shares, SCORES, 0.05


@invariant.example
def on_shares_with_a_fixed_entry() -> Trial:
    """shares of the sum, the first of which stays"""
    return shares, FIRST_IS_THE_MEAN, 1.7


@invariant.example
def on_softmax_of_eighths() -> Trial:
    """the softmax of numbers that shift without rounding"""
    return torch_softmax, EIGHTHS, 1.5


@invariant.example
def on_softmax_with_minus_infinity() -> Trial:
    """the softmax, one score is -inf"""
    return torch_softmax, np.array([[-np.inf, 1.4, 0.3], [1.6, 0.7, 0.5]]), 1.7


@invariant.example
def on_nothing_done() -> Trial:
    """the scores themselves, which grow along with the shift"""
    return leave_as_is, SCORES, 1.7


def less_their_mean(x: np.ndarray) -> np.ndarray:
    """Less the mean: invariant."""
    return x - x.mean(axis=-1, keepdims=True)


def softmax_of_the_double(x: np.ndarray) -> np.ndarray:
    """The softmax of twice the scores: invariant."""
    return torch_softmax(2 * x)


def standardised(x: np.ndarray) -> np.ndarray:
    """A layer normalisation: invariant."""
    return less_their_mean(x) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def best_score(x: np.ndarray) -> np.ndarray:
    """A 1 at the largest score: invariant."""
    return np.eye(x.shape[-1])[x.argmax(axis=-1)]


def steps(x: np.ndarray) -> np.ndarray:
    """Differences of neighbours: invariant."""
    return np.diff(x, axis=-1)


def sigmoid(x: np.ndarray) -> np.ndarray:
    """The sigmoid: not invariant."""
    return 1 / (1 + np.exp(-x))


def exponential(x: np.ndarray) -> np.ndarray:
    """The exponential: not invariant."""
    return np.exp(x)


def softmax_but_for_the_last(x: np.ndarray) -> np.ndarray:
    """The softmax, wrong in its last entry: not invariant."""
    weights = torch_softmax(x)
    weights[..., -1] = x[..., -1]
    return weights


def one_entry_leaks(x: np.ndarray) -> np.ndarray:
    """The softmax, wrong in its very first entry: not invariant."""
    weights = torch_softmax(x)
    weights.flat[0] += 0.01 * x.flat[0]
    return weights


def sorted_scores(x: np.ndarray) -> np.ndarray:
    """The scores in order: not invariant."""
    return np.sort(x, axis=-1)


def the_opposite(x: np.ndarray) -> np.ndarray:
    """Minus the scores: not invariant."""
    return -x


def softmax_of_squares(x: np.ndarray) -> np.ndarray:
    """The softmax of the squared scores: not invariant."""
    return torch_softmax(x**2)


def _trial(function: Function) -> Callable[[Draw], Trial]:
    def trial(draw: Draw) -> Trial:
        return function, draw("rows columns"), float(draw.rng.uniform(1, 3))

    trial.__doc__ = (function.__doc__ or "").split(":")[0].lower()
    return trial


for specimen in (
    less_their_mean, softmax_of_the_double, standardised, best_score, steps, sigmoid, exponential,
    softmax_but_for_the_last, one_entry_leaks, sorted_scores, the_opposite,
    softmax_of_squares,
):  # fmt: skip
    invariant.case(_trial(specimen), times=1)


@invariant.case(times=1)
def shifted_down(draw: Draw) -> Trial:
    """the softmax of a vector, shifted down"""
    return torch_softmax, draw("n"), -2.5


@invariant.misconception
def always_true(function: Function, x: np.ndarray, shift: float) -> bool:
    """Your test says True to every function, to the shares too. Both sides of the comparison seem
    to be the same thing.
    """
    return bool(np.allclose(function(x), function(x)))


@invariant.misconception
def always_false(function: Function, x: np.ndarray, shift: float) -> bool:
    """Your test says False to every function, to the softmax too. Compare what comes out of the
    function, once with the shift and once without.
    """
    return bool(np.allclose(x + shift, x))


@invariant.misconception
def shifted_output(function: Function, x: np.ndarray, shift: float) -> bool:
    """You ask that the output grows along with the input. Invariance asks that it stays."""
    return bool(np.allclose(function(x + shift), function(x) + shift))


@invariant.misconception
def to_the_last_bit(function: Function, x: np.ndarray, shift: float) -> bool:
    """You compare to the last bit, and the shifted sum rounds differently. Allow for that, with
    `np.allclose`.
    """
    return bool(np.all(function(x + shift) == function(x)))


@invariant.misconception
def totals_only(function: Function, x: np.ndarray, shift: float) -> bool:
    """You compare totals. Softmax and shares both sum to 1, shifted or not: compare entry by
    entry.
    """
    return bool(np.allclose(function(x + shift).sum(), function(x).sum()))


@invariant.misconception
def one_entry_shifted(function: Function, x: np.ndarray, shift: float) -> bool:
    """You shifted one entry only. The question is what happens when all grow by the same number."""
    moved = x.copy()
    moved.flat[0] += shift
    return bool(np.allclose(function(moved), function(x)))


@invariant.misconception
def first_row_shifted(function: Function, x: np.ndarray, shift: float) -> bool:
    """You shifted the first row only: `x[0]` is one row of a matrix. All entries grow by the same
    number.
    """
    moved = x.copy()
    moved[0] += shift
    return bool(np.allclose(function(moved), function(x)))


@invariant.misconception
def scaled(function: Function, x: np.ndarray, shift: float) -> bool:
    """You multiplied the input. A shift adds the same number to every entry."""
    return bool(np.allclose(function(x * shift), function(x)))


@invariant.misconception
def written_over(function: Function, x: np.ndarray, shift: float) -> bool:
    """`+=` changes the array itself, so that both calls get the same shifted input. Leave x as it
    is and make a new array.
    """
    before = x
    x += shift
    return bool(np.allclose(function(x), function(before)))


@invariant.misconception
def answer_turned_round(function: Function, x: np.ndarray, shift: float) -> bool:
    """Your answer is the wrong way round: True means that the function is invariant."""
    return not np.allclose(function(x + shift), function(x))


@invariant.misconception
def entry_by_entry_answer(function: Function, x: np.ndarray, shift: float) -> object:
    """You return one truth for each entry. The function passes when all of them are true: return
    one.
    """
    return np.isclose(function(x + shift), function(x))


@invariant.misconception
def first_entry_only(function: Function, x: np.ndarray, shift: float) -> bool:
    """Your test says True as soon as the first entry stays. A function can be wrong anywhere:
    compare all entries.
    """
    return bool(np.isclose(function(x + shift).flat[0], function(x).flat[0]))


@invariant.misconception
def any_entry(function: Function, x: np.ndarray, shift: float) -> bool:
    """One entry that stays is enough for your test. All of them must stay."""
    return bool(np.isclose(function(x + shift), function(x)).any())


@invariant.misconception
def too_patient(function: Function, x: np.ndarray, shift: float) -> bool:
    """Your test forgives differences of a tenth. Rounding is far smaller than that: the default of
    `np.allclose` is enough.
    """
    return bool(np.allclose(function(x + shift), function(x), atol=0.1))


@invariant.accepts
def by_greatest_gap(function: Function, x: np.ndarray, shift: float) -> bool:
    """The largest difference is small."""
    return float(np.max(np.abs(function(x + shift) - function(x)))) < 1e-6


@invariant.accepts
def by_each_entry(function: Function, x: np.ndarray, shift: float) -> np.bool_:
    """All entries close."""
    moved = x.copy()
    moved += shift
    return np.isclose(function(moved), function(x)).all()


@invariant.accepts
def by_rounding(function: Function, x: np.ndarray, shift: float) -> bool:
    """Equal up to eight decimals, in a loop."""
    pairs = zip(function(x + shift).ravel(), function(x).ravel(), strict=True)
    return all(abs(one - other) < 1e-8 for one, other in pairs)


# --- weighted sum --------------------------------------------------------------------------------

mixing = Exam(reference.weighted_sum)


@mixing.example
def one_mixture() -> Pair:
    """one row of weights"""
    values = np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])
    return np.array([0.5, 0.3, 0.2]), values


@mixing.example
def four_mixtures() -> Pair:
    """four rows of weights, of any sign and sum"""
    weights = np.array([[0.2, 0.5, 0.3], [1.0, -0.5, 0.0], [2.0, 1.0, 0.5], [0.0, 0.0, 1.0]])
    return weights, np.array([[1.0, 0.0], [0.0, 2.0], [-1.0, 1.0]])


@mixing.example
def all_square() -> Pair:
    """two rows of weights, two vectors of two entries"""
    return np.array([[0.9, 0.1], [0.6, 0.4]]), np.array([[1.0, 2.0], [-3.0, 5.0]])


@mixing.case
def any_weights(draw: Draw) -> Pair:
    """one row of weights drawn at random"""
    return draw("n"), draw("n d")


@mixing.case
def any_rows_of_weights(draw: Draw) -> Pair:
    """rows of weights drawn at random"""
    return draw("m n"), draw("n d")


@mixing.case(times=1)
def attention_weights(draw: Draw) -> Pair:
    """rows of weights that sum to 1"""
    return draw.weights("m n"), draw("n d")


@mixing.case(times=1)
def all_on_the_last(draw: Draw) -> Pair:
    """all the weight on the last vector"""
    values = draw("n d")
    return np.eye(len(values))[-1], values


@mixing.case(times=1)
def one_row_of_many(draw: Draw) -> Pair:
    """a matrix with one row of weights"""
    draw.fix(m=1, n=50)
    return draw("m n"), draw("n d")


@mixing.holds
def twice_the_weights(
    weighted_sum: Callable[..., np.ndarray], weights: np.ndarray, values: np.ndarray
) -> bool:
    """twice the weights give twice the sum"""
    doubled = weighted_sum(2 * weights, values)
    return bool(np.allclose(doubled, 2 * weighted_sum(weights, values), atol=1e-4))


@mixing.misconception
def not_added_up(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """These are the weighted vectors, one by one. Add them up."""
    return weights[..., None] * values


@mixing.misconception
def plain_sum(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the sum of the vectors without their weights."""
    return values.sum(axis=0)


@mixing.misconception
def plain_average(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the plain average of the vectors. Let each count by its weight."""
    return values.mean(axis=0)


@mixing.misconception
def averaged_twice(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You also divided by the number of vectors. The weights alone say how much each counts."""
    return (weights[..., None] * values).mean(axis=-2)


@mixing.misconception
def rescaled(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You divided by the sum of the weights. Take them as they are, also when they do not sum
    to 1.
    """
    return weights @ values / weights.sum(axis=-1, keepdims=True)


@mixing.misconception
def numpys_average(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """`np.average` also divides by the sum of the weights, and takes one row of weights only.
    Multiply and add yourself.
    """
    return np.asarray(np.average(values, axis=0, weights=weights))


@mixing.misconception
def rescaled_by_all(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You divided by the sum of all the weights. Take them as they are, also when they do not sum
    to 1.
    """
    return weights @ values / weights.sum()


@mixing.misconception
def through_a_softmax(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You sent the weights through a softmax. Here they are given: take them as they are."""
    return reference.softmax(weights) @ values


@mixing.misconception
def largest_only(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the vector with the largest weight alone. Add the others, each by its weight."""
    return values[weights.argmax(axis=-1)]


@mixing.misconception
def added_over_the_entries(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You added over the entries of each vector. Add over the vectors: the mixture has as many
    entries as each of them.
    """
    return (weights[..., None] * values).sum(axis=-1)


@mixing.misconception
def weights_transposed(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You mixed by the columns of the weights. Each row is one set of weights: no transpose."""
    return weights.T @ values


@mixing.misconception
def values_first(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The vectors stand on the left of your product. A row of weights meets the columns of the
    matrix on its right.
    """
    return values @ weights


@mixing.misconception
def entry_by_entry_mixed(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """You multiplied entry by entry, so that a weight met one entry. Each weight multiplies a whole
    vector.
    """
    return weights * values


@mixing.misconception
def one_row_at_most(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works, several do not: the axis that you add over is another one then. Try
    a matrix product, or count axes from the end.
    """
    return (weights[:, None] * values).sum(axis=0)


@mixing.misconception
def added_over_the_mixtures(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several, axis 0 counts the mixtures, and you added these. Add
    over the vectors: count their axis from the end.
    """
    return (weights[..., None] * values).sum(axis=0)


@mixing.misconception
def vectors_on_the_left(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several, a row of the vectors' transpose meets a column of the
    weights. Each row of weights should meet the columns of the vectors.
    """
    return values.T @ weights


@mixing.misconception
def rows_for_numbers(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """One row of weights works. With several, your loop takes a whole row for the weight of one
    vector. Loop over the rows first: each makes a mixture of its own.
    """
    total = np.zeros(values.shape[1], dtype=values.dtype)
    for weight, vector in zip(weights, values, strict=False):
        total = total + weight * vector
    return total


@mixing.misconception
def returned_after_first_row(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the first mixture alone. Each row of weights makes one: does `return` stand inside
    the loop over the rows?
    """
    return np.atleast_2d(weights)[0] @ values


@mixing.misconception
def only_the_first_row_filled(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Only the first row of the result is filled, the rest is still 0. Does `return` stand inside
    the loop over the rows?
    """
    if weights.ndim == 1:
        return np.asarray(weights @ values)
    mixtures = np.zeros((len(weights), values.shape[1]), dtype=values.dtype)
    mixtures[0] = weights[0] @ values
    return mixtures


@mixing.misconception
def returned_after_first_vector(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """This is the first vector alone, times its weight. Does `return` stand inside the loop?"""
    return np.asarray(np.atleast_2d(weights)[0, 0] * values[0])


@mixing.misconception
def last_vector_only(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Only the last vector is left, times its weight: each turn of your loop replaces the total.
    Add to it.
    """
    return weights[..., -1:] * values[-1]


@mixing.misconception
def mixed_in_float64(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The numbers are right, but float32 went in and float64 came out. An array that you make has a
    dtype: give it the one of the vectors.
    """
    return np.asarray(weights @ values, dtype=np.float64)


@mixing.misconception
def mixtures_as_columns(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Your mixtures stand as columns. Row i of the weights makes row i of the result."""
    return (weights @ values).T


@mixing.accepts
def mixing_in_loops(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Loops."""
    every = []
    for row in np.atleast_2d(weights):
        total = np.zeros_like(values[0])
        for weight, vector in zip(row, values, strict=True):
            total = total + weight * vector
        every.append(total)
    return every[0] if weights.ndim == 1 else np.array(every)


@mixing.accepts
def mixing_by_broadcasting(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Every product at once, then a sum."""
    return (weights[..., np.newaxis] * values).sum(axis=-2)


@mixing.accepts
def mixing_by_einsum(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """An index expression."""
    return np.einsum("...n,nd->...d", weights, values)


# --- Jacobian ------------------------------------------------------------------------------------

jacobian = Exam(reference.softmax_jacobian)


@jacobian.example
def three_weights() -> np.ndarray:
    """the weights 0.5, 0.3 and 0.2"""
    return np.array([0.5, 0.3, 0.2])


@jacobian.case
def any_distribution(draw: Draw) -> np.ndarray:
    """weights drawn at random"""
    return draw.weights("n")


@jacobian.case(times=1)
def all_on_one(draw: Draw) -> np.ndarray:
    """all the weight on one score"""
    return np.eye(draw.size("n"))[0]


@jacobian.case(times=1)
def all_alike(draw: Draw) -> np.ndarray:
    """40 equal weights"""
    return np.full(40, 1 / 40)


@jacobian.case(times=1)
def two_weights_only(draw: Draw) -> np.ndarray:
    """two weights"""
    return draw.fix(n=2).weights("n")


@jacobian.holds
def rows_sum_to_zero(softmax_jacobian: Callable[..., np.ndarray], p: np.ndarray) -> bool:
    """each row sums to 0"""
    return bool(np.allclose(softmax_jacobian(p).sum(axis=1), 0, atol=1e-6))


@jacobian.holds
def weights_move_so(softmax_jacobian: Callable[..., np.ndarray], p: np.ndarray) -> bool:
    """a small step of the scores moves the weights as the derivatives say"""
    scores = np.log(np.maximum(p.astype(np.float64), 1e-300))
    step = 1e-4 * np.sin(np.arange(len(p)))
    moved = reference.softmax(scores + step) - reference.softmax(scores - step)
    return bool(np.allclose(softmax_jacobian(p) @ (2 * step), moved, atol=1e-9))


@jacobian.misconception
def only_the_diagonal(p: np.ndarray) -> np.ndarray:
    """The diagonal is right, and the rest is 0. But when one score grows, the other weights shrink:
    fill in what stands beside the diagonal.
    """
    return np.diag(p * (1 - p))


@jacobian.misconception
def number_for_outer(p: np.ndarray) -> np.ndarray:
    """You subtracted one number from all entries: p transposed is still a vector, and two vectors
    make a dot product. Every pair (i, j) needs a product of its own.
    """
    return np.diag(p) - p @ p.T


@jacobian.misconception
def squares_in_each_row(p: np.ndarray) -> np.ndarray:
    """You subtracted the squares of p, the same in each row. Entry (i, j) needs the product of
    weight i and weight j.
    """
    return np.diag(p) - p * p


@jacobian.misconception
def sign_turned(p: np.ndarray) -> np.ndarray:
    """Every sign is turned round. A weight grows with its own score, so the diagonal is
    positive.
    """
    return np.outer(p, p) - np.diag(p)


@jacobian.misconception
def outer_added(p: np.ndarray) -> np.ndarray:
    """You added the products. Beside the diagonal the entries are below zero: subtract."""
    return np.diag(p) + np.outer(p, p)


@jacobian.misconception
def sign_beside_the_diagonal(p: np.ndarray) -> np.ndarray:
    """The diagonal is right; beside it the sign is not. When one score grows, the other weights
    shrink.
    """
    return np.diag(p) + np.outer(p, p) - 2 * np.diag(p * p)


@jacobian.misconception
def p_in_each_row(p: np.ndarray) -> np.ndarray:
    """p stands in every row of the first term: a vector is repeated for each row. It belongs on the
    diagonal alone.
    """
    return p - np.outer(p, p)


@jacobian.misconception
def outer_only(p: np.ndarray) -> np.ndarray:
    """These are the products of every two weights alone. They are subtracted from a matrix with p
    on its diagonal.
    """
    return np.outer(p, p)


@jacobian.misconception
def minus_outer_only(p: np.ndarray) -> np.ndarray:
    """Beside the diagonal this is right. On it, p_i is missing: a weight grows with its own
    score.
    """
    return -np.outer(p, p)


@jacobian.misconception
def outer_left_out(p: np.ndarray) -> np.ndarray:
    """Only p on the diagonal is here. The product of weight i and weight j is to be subtracted
    everywhere.
    """
    return np.diag(p)


@jacobian.misconception
def ones_on_the_diagonal(p: np.ndarray) -> np.ndarray:
    """You began with 1 on the diagonal. It is p that belongs there."""
    return np.eye(len(p), dtype=p.dtype) - np.outer(p, p)


@jacobian.misconception
def a_vector(p: np.ndarray) -> np.ndarray:
    """These are the diagonal entries alone, as a vector. Each weight depends on every score: the
    derivatives are a matrix.
    """
    return p * (1 - p)


@jacobian.misconception
def softmax_once_more(p: np.ndarray) -> np.ndarray:
    """You sent p through a softmax. It has been through one already: p holds the weights."""
    weights = reference.softmax(p)
    return np.diag(weights) - np.outer(weights, weights)


@jacobian.misconception
def jacobian_in_float64(p: np.ndarray) -> np.ndarray:
    """The numbers are right, but float32 went in and float64 came out. An array that you make has a
    dtype: give it the one of p.
    """
    return p[:, None] * (np.eye(len(p)) - p)


@jacobian.accepts
def jacobian_in_loops(p: np.ndarray) -> np.ndarray:
    """Loops."""
    J = np.empty((len(p), len(p)), dtype=p.dtype)
    for i, one in enumerate(p):
        for j, other in enumerate(p):
            J[i, j] = one * (1 - one) if i == j else -one * other
    return J


@jacobian.accepts
def jacobian_by_broadcasting(p: np.ndarray) -> np.ndarray:
    """The Kronecker delta as a matrix."""
    return p[:, None] * (np.eye(len(p), dtype=p.dtype) - p[None, :])


@jacobian.accepts
def jacobian_by_diagonal(p: np.ndarray) -> np.ndarray:
    """The products first, then the diagonal."""
    J = -p.reshape(-1, 1) @ p.reshape(1, -1)
    J[np.diag_indices(len(p))] += p
    return J
