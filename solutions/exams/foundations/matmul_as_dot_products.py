"""The exam of `matmul_as_dot_products`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import foundations as reference
from solutions.exams.families import ARRAY_DTYPE, ENDS, LOOP
from solutions.exams.foundations._specimens import Pair
from solutions.exams.library_products import PRODUCTS

matmul = Exam(reference.matmul_as_dot_products, allows=PRODUCTS)


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


@matmul.example
def three_rows() -> Pair:
    """two square matrices of three rows"""
    A = np.array([[1.0, -2.0, 0.0], [0.5, 1.0, -1.0], [2.0, 0.0, 1.5]])
    return A, np.array([[2.0, 1.0, -1.0], [0.0, 1.5, 1.0], [1.0, -0.5, 2.0]])


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
    """matrices of integers"""
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
    """You multiplied entry by entry. Entry (i, j) of the product is a whole dot product: row i of A
    with column j of B.
    """
    return A * B


@matmul.misconception
def entry_by_entry_in_a_loop(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You multiplied entry (i, j) of A by entry (i, j) of B. Entry (i, j) of the product is a whole
    dot product: row i of A with column j of B.
    """
    product = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            product[i, j] = A[i, j] * B[i, j]
    return product


@matmul.misconception
def rows_with_rows(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You paired rows of A with rows of B. Pair them with the columns of B."""
    return A @ B.T


@matmul.misconception
def columns_with_columns(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You paired columns of A with columns of B. Take the rows of A instead."""
    return A.T @ B


@matmul.misconception
def wrong_order(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """This is B times A. The rows should come from A and the columns from B."""
    return B @ A


@matmul.misconception
def rows_and_columns_exchanged(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Your result is transposed. Row i of A gives row i of the result, not column i."""
    return (A @ B).T


@matmul.misconception
def only_the_last_product(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Each entry holds only its last product. If you loop over the products, each pass replaces
    what the one before has found: add to it instead.
    """
    return A[:, -1:] @ B[-1:]


@matmul.misconception
def last_product_left_out(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The last product is missing from each entry. Each dot product should run to the end of its
    row and column.
    """
    return A[:, :-1] @ B[:-1]


@matmul.misconception
def diagonal_only(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """You paired row i with column i only. Every row meets every column, so put one loop inside
    another.
    """
    product = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    for i in range(min(product.shape)):
        product[i, i] = A[i] @ B[:, i]
    return product


@matmul.misconception
def returned_after_one_entry(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Only the first entry is filled in; the rest are still 0. Is `return` inside the loops?"""
    product = np.zeros((A.shape[0], B.shape[1]), dtype=A.dtype)
    product[0, 0] = A[0] @ B[:, 0]
    return product


@matmul.misconception
def in_whole_numbers(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Your result holds integers, so everything after the decimal point is cut off. Create the
    array with the dtype of A.
    """
    return np.asarray(A @ B).astype(int)


ARRAY_DTYPE.apply(matmul, called={"InFloat64": "in_float64"})
ENDS.apply(matmul)
LOOP.apply(matmul, called={"OnlyTheFirstRowFilled": "returned_after_one_row"})


@matmul.accepts
def product_in_three_loops(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Loops.

    Written out to the last multiplication, a matrix product is three loops. That is why its cost
    grows with all three sizes.
    """
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
    """An index expression.

    einsum names the axes: i for the rows of A, j for the columns of B. k is missing behind the
    arrow, so it is summed over.
    """
    return np.einsum("ik,kj->ij", A, B)


@matmul.accepts
def product_by_broadcasting(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Every product at once, then a sum.

    Broadcasting computes every product at once, in an array of three axes, and a sum removes the
    one in the middle. There is no loop, but memory is needed for all the products.
    """
    return (A[:, :, None] * B[None]).sum(axis=1, dtype=A.dtype)
