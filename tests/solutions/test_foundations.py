"""The reference of lesson 00, against NumPy and PyTorch."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from companion import HELLO_SHINY_SUN, shares, torch_softmax
from solutions.foundations import (
    cosine_similarity,
    dot_and_cosine_by_hand,
    dot_product,
    embedding_lookup,
    is_shift_invariant,
    matmul_as_dot_products,
    row_softmax,
    softmax,
    weighted_sum,
)

FLOATS = pytest.mark.parametrize("dtype", [np.float64, np.float32])
NUMBERS = st.floats(-50, 50, width=32)


def drawn(*shape: int, dtype: type = np.float64, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def close(received: np.ndarray, expected: np.ndarray) -> bool:
    assert received.dtype == expected.dtype
    assert received.shape == expected.shape
    rough = received.dtype == np.float32
    return np.allclose(received, expected, rtol=1e-4 if rough else 1e-9, atol=1e-5 * rough)


@given(st.integers(1, 20).flatmap(lambda d: arrays(np.float64, (2, d), elements=NUMBERS)))
@settings(max_examples=50, deadline=None)
def test_dot_product(pair):
    assert dot_product(*pair) == pytest.approx(np.dot(*pair), abs=1e-9)
    assert type(dot_product(*pair)) is float


@FLOATS
def test_cosine_similarity(dtype):
    a, b = drawn(2, 9, dtype=dtype)
    expected = torch.cosine_similarity(torch.tensor(a), torch.tensor(b), dim=0).item()
    assert cosine_similarity(a, b) == pytest.approx(expected, rel=1e-5)


def test_cosine_of_opposites():
    a = drawn(7)
    assert cosine_similarity(a, 3 * a) == pytest.approx(1)
    assert cosine_similarity(a, -3 * a) == pytest.approx(-1)
    assert cosine_similarity(np.array([1.0, 0.0]), np.array([0.0, 2.0])) == 0


def test_worksheet_numbers():
    a, b = np.array([1.0, 2, 2]), np.array([3.0, 0, 4])
    expected = [
        a @ b,
        np.linalg.norm(a),
        np.linalg.norm(b),
        np.cos(np.arccos(a / 3 @ b / 5)),
        a @ (10 * b),
        torch.cosine_similarity(torch.tensor(a), torch.tensor(10 * b), dim=0).item(),
    ]
    assert list(dot_and_cosine_by_hand().values()) == pytest.approx(expected, abs=5e-5)


@FLOATS
@pytest.mark.parametrize("shape", [(2, 3, 4), (1, 5, 1), (4, 1, 3), (3, 3, 3)])
def test_matrix_product(shape, dtype):
    m, k, n = shape
    A, B = drawn(m, k, dtype=dtype), drawn(k, n, dtype=dtype, seed=1)
    assert close(matmul_as_dot_products(A, B), A @ B)
    assert close(matmul_as_dot_products(A, B), torch.mm(*map(torch.tensor, (A, B))).numpy())


@FLOATS
def test_embedding_lookup(dtype):
    table, ids = drawn(6, 4, dtype=dtype), np.array([5, 0, 5, 2, 1])
    one_hot, vectors = embedding_lookup(ids, table)
    expected = torch.nn.functional.one_hot(torch.tensor(ids), 6).numpy()
    assert close(one_hot, expected.astype(dtype))
    assert close(
        vectors, torch.nn.functional.embedding(torch.tensor(ids), torch.tensor(table)).numpy()
    )


@FLOATS
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_softmax_on_any_axis(data, dtype):
    x = data.draw(arrays(dtype, array_shapes(max_dims=4, max_side=5), elements=NUMBERS))
    axis = data.draw(st.integers(-x.ndim, x.ndim - 1))
    before = x.copy()
    assert close(softmax(x, axis), torch.softmax(torch.tensor(x), dim=axis).numpy())
    assert np.array_equal(x, before)


@FLOATS
@pytest.mark.parametrize(
    "scores",
    [
        [1000.0, 1001.0, 999.0],
        [-1000.0, -1000.0, -1002.0],
        [1000.0, -1000.0, 0.0],
        [-np.inf, 2.0, -np.inf],
        [0.5, -np.inf, 1.5],
    ],
)
def test_softmax_of_extremes(scores, dtype):
    x = np.array([scores, [0.0, 1.0, 2.0]], dtype=dtype)
    expected = torch.softmax(torch.tensor(x), dim=-1).numpy()
    assert np.isfinite(expected).all()
    assert close(softmax(x), expected)
    assert close(softmax(x.T, axis=0), expected.T)
    assert close(row_softmax(x), expected)


@FLOATS
@pytest.mark.parametrize("shape", [(2, 5), (4, 4), (1, 3), (3, 1)])
def test_row_softmax(shape, dtype):
    x = drawn(*shape, dtype=dtype)
    assert close(row_softmax(x), torch.softmax(torch.tensor(x), dim=1).numpy())


def test_shift_invariance():
    x = HELLO_SHINY_SUN.vectors
    assert is_shift_invariant(torch_softmax, x, 3.7) is True
    assert is_shift_invariant(shares, x, 3.7) is False
    assert is_shift_invariant(np.diff, x, 3.7) is True
    assert is_shift_invariant(np.sort, x, 3.7) is False
    assert is_shift_invariant(lambda x: np.where(x > 0.9, x, 0), x, 0.001) is False


@FLOATS
def test_weighted_sum(dtype):
    weights, values = drawn(3, 5, dtype=dtype), drawn(5, 2, dtype=dtype, seed=1)
    assert close(weighted_sum(weights, values), np.einsum("mn,nd->md", weights, values))
    assert close(weighted_sum(weights[0], values), np.einsum("n,nd->d", weights[0], values))
    shares_of_one = np.array([0.2, 0.1, 0.4, 0.2, 0.1], dtype=dtype)
    expected = np.average(values, axis=0, weights=shares_of_one)
    assert close(weighted_sum(shares_of_one, values), expected)
