"""The reference of lesson 02, against NumPy and PyTorch themselves."""

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose

import companion
from companion import HELLO_SHINY_SUN, YOUR_JOURNEY
from solutions import dot_product_self_attention
from tests.support.course import Reference

lesson = Reference(dot_product_self_attention)
DTYPES = [np.float64, np.float32]
CLOSE = {np.float64: 1e-10, np.float32: 1e-4}


@pytest.fixture(params=DTYPES, ids=["float64", "float32"])
def inputs(request: pytest.FixtureRequest) -> np.ndarray:
    return np.random.default_rng(2).normal(size=(7, 4)).astype(request.param)


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    assert actual.dtype == expected.dtype
    tolerance = CLOSE[expected.dtype.type]
    assert_allclose(actual, expected, rtol=tolerance, atol=tolerance)


def torch_attention(inputs: np.ndarray) -> np.ndarray:
    X = torch.from_numpy(inputs)
    return torch.nn.functional.scaled_dot_product_attention(X, X, X, scale=1.0).numpy()


def torch_weights(inputs: np.ndarray) -> np.ndarray:
    X = torch.from_numpy(inputs)
    return torch.softmax(X @ X.mT, dim=-1).numpy()


def test_scores_are_numpys(inputs: np.ndarray) -> None:
    close(lesson.attention_scores(inputs[3], inputs), np.einsum("d,td->t", inputs[3], inputs))


@pytest.mark.parametrize("shape", [(5,), (3, 5)])
@pytest.mark.parametrize("scale", [1, 1000])
@pytest.mark.parametrize("dtype", DTYPES)
def test_weights_are_torchs(shape: tuple[int, ...], scale: float, dtype: type) -> None:
    scores = (scale * np.random.default_rng(3).normal(size=shape)).astype(dtype)
    close(lesson.attention_weights(scores), torch.softmax(torch.from_numpy(scores), -1).numpy())


def test_context_is_numpys(inputs: np.ndarray) -> None:
    weights = torch_weights(inputs)[2]
    close(lesson.context_vector(weights, inputs), np.average(inputs, axis=0, weights=weights))


def test_pairs_are_numpys(inputs: np.ndarray) -> None:
    close(lesson.pairwise_scores(inputs), np.inner(inputs, inputs))


def test_self_attention_is_torchs(inputs: np.ndarray) -> None:
    contexts, weights = lesson.simple_self_attention(inputs)
    close(contexts, torch_attention(inputs))
    close(weights, torch_weights(inputs))


@pytest.mark.parametrize("dtype", DTYPES)
def test_batch_is_torchs(dtype: type) -> None:
    inputs = np.random.default_rng(4).normal(size=(3, 5, 4)).astype(dtype)
    contexts, weights = lesson.simple_self_attention_batch(inputs)
    close(contexts, torch_attention(inputs))
    close(weights, torch_weights(inputs))


def test_repaired_is_torchs(inputs: np.ndarray) -> None:
    close(lesson.repaired_self_attention(inputs), torch_attention(inputs))


def test_equivariance_is_recognised() -> None:
    words, order = YOUR_JOURNEY.vectors, np.array([3, 0, 5, 1, 4, 2])
    for has_it in (companion.plain_attention, companion.leave_as_is, torch_attention):
        assert lesson.is_permutation_equivariant(has_it, words.copy(), order) is True
    for lacks_it in (companion.attention_with_positions, companion.attention_with_a_slip):
        assert lesson.is_permutation_equivariant(lacks_it, words.copy(), order) is False


@pytest.mark.parametrize(("worksheet", "query"), [("shiny_by_hand", 1), ("sun_by_hand", 2)])
def test_worksheets_are_torchs(worksheet: str, query: int) -> None:
    words = HELLO_SHINY_SUN.vectors.copy()
    numbers = getattr(lesson, worksheet)()
    assert_allclose(numbers["scores"], np.inner(words, words)[query])
    assert_allclose(numbers["weights"], torch_weights(words)[query])
    assert_allclose(numbers["context"], torch_attention(words)[query])


def test_worksheet_numbers_of_the_lesson() -> None:
    """The row that the lesson works out, and the one that it leaves to the learner."""
    words = HELLO_SHINY_SUN.vectors.copy()
    assert_allclose(torch_weights(words)[0].round(4), [0.2709, 0.3763, 0.3528])
    assert_allclose(torch_attention(words)[0].round(4), [0.3939, 0.3780, 0.8432])
    context = np.array(lesson.shiny_by_hand()["context"], dtype=float)
    assert_allclose(context.round(4), [0.3990, 0.3854, 0.8610])
