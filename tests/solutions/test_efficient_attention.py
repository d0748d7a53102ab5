"""The reference of lesson 08, second half: linear attention and attention in blocks.

It is compared with PyTorch and with NumPy.
"""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.nn.functional import elu, scaled_dot_product_attention
from torch.testing import assert_close

from autograder.student.limits import Limits
from companion.specimens import blockwise
from solutions.efficient_attention import (
    causal_linear_attention,
    is_exact,
    linear_attention,
    linear_attention_step,
    online_softmax_attention,
    positive_random_features,
    repaired_blockwise_attention,
)
from solutions.exams.efficient_attention._long_texts import (
    CAUSAL_TOKENS,
    TOKENS,
    are_contexts,
    too_long,
)

Attention = Callable[..., Tensor]
Triple = tuple[Tensor, Tensor, Tensor]


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    found: torch.dtype = request.param
    return found


def drawn(*shape: int, dtype: torch.dtype, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def text(queries: int, keys: int, dtype: torch.dtype, axes: tuple[int, ...] = ()) -> Triple:
    """Queries, keys and values of several widths."""
    return (
        drawn(*axes, queries, 4, dtype=dtype),
        drawn(*axes, keys, 4, dtype=dtype, seed=1),
        drawn(*axes, keys, 3, dtype=dtype, seed=2),
    )


def trainable(tokens: int) -> Triple:
    queries, keys, values = text(tokens, tokens, torch.float64)
    return queries.requires_grad_(), keys.requires_grad_(), values.requires_grad_()


def elu_plus_one(x: Tensor) -> Tensor:
    return elu(x) + 1


def squares_too(x: Tensor) -> Tensor:
    return torch.cat([elu(x) + 1, x.square() + 0.1], dim=-1)


def by_numpy(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: Callable[..., Tensor], causal: bool
) -> np.ndarray:
    """All weights at once, in NumPy."""
    asked, offered = feature_map(queries).numpy(), feature_map(keys).numpy()
    weights = np.einsum("...if,...jf->...ij", asked, offered)
    weights = np.tril(weights) if causal else weights
    weights = weights / weights.sum(axis=-1, keepdims=True)
    mixed: np.ndarray = np.matmul(weights, values.numpy())
    return mixed


@pytest.mark.parametrize("feature_map", [elu_plus_one, squares_too])
@pytest.mark.parametrize("axes", [(), (2,), (2, 3)])
def test_linear_attention_is_numpys(
    feature_map: Callable[..., Tensor], axes: tuple[int, ...], dtype: torch.dtype
) -> None:
    given = text(5, 7, dtype, axes)
    found = linear_attention(*given, feature_map)
    assert found.dtype is dtype
    np.testing.assert_allclose(
        found.numpy(), by_numpy(*given, feature_map, causal=False), rtol=2e-4, atol=1e-5
    )


@pytest.mark.parametrize("feature_map", [elu_plus_one, squares_too])
@pytest.mark.parametrize("axes", [(), (2, 3)])
def test_causal_linear_attention_is_numpys(
    feature_map: Callable[..., Tensor], axes: tuple[int, ...], dtype: torch.dtype
) -> None:
    given = text(6, 6, dtype, axes)
    found = causal_linear_attention(*given, feature_map)
    assert found.dtype is dtype
    np.testing.assert_allclose(
        found.numpy(), by_numpy(*given, feature_map, causal=True), rtol=2e-4, atol=1e-5
    )


def test_steps_are_the_causal_form_in_numpy(dtype: torch.dtype) -> None:
    queries, keys, values = text(6, 6, dtype)
    state = (torch.zeros(8, 3, dtype=dtype), torch.zeros(8, dtype=dtype))
    contexts = []
    for query, key, value in zip(queries, keys, values, strict=True):
        before = [part.clone() for part in state]
        context, new = linear_attention_step(state, query, key, value, squares_too)
        assert all(map(torch.equal, state, before))
        state = new
        contexts.append(context.numpy())
    expected = by_numpy(queries, keys, values, squares_too, causal=True)
    np.testing.assert_allclose(np.stack(contexts), expected, rtol=2e-4, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_linear_gradients_are_those_of_all_weights(causal: bool) -> None:
    ours, theirs = trainable(6), trainable(6)
    attention = causal_linear_attention if causal else linear_attention
    attention(*ours, elu_plus_one).square().sum().backward()
    weights = elu_plus_one(theirs[0]) @ elu_plus_one(theirs[1]).mT
    weights = weights.tril() if causal else weights
    (weights @ theirs[2] / weights.sum(dim=-1, keepdim=True)).square().sum().backward()
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one.grad, other.grad)


def test_random_features_are_numpys(dtype: torch.dtype) -> None:
    x, directions = drawn(2, 5, 4, dtype=dtype), drawn(9, 4, dtype=dtype, seed=1)
    scaled = x.numpy() / 4**0.25
    exponent = scaled @ directions.numpy().T - np.square(scaled).sum(axis=-1, keepdims=True) / 2
    found = positive_random_features(x, directions)
    assert found.dtype is dtype
    np.testing.assert_allclose(found.numpy(), np.exp(exponent) / 3, rtol=1e-4)


def test_random_features_are_unbiased() -> None:
    """The average over very many directions is exp(q · k / √d), up to its standard error."""
    queries, keys = (drawn(n, 4, dtype=torch.float64, seed=n) / 2 for n in (3, 5))
    directions = drawn(200_000, 4, dtype=torch.float64, seed=2)
    asked, offered = (positive_random_features(x, directions) for x in (queries, keys))
    products = asked[:, None] * offered * len(directions)
    error = products.std(dim=-1) / len(directions) ** 0.5
    expected = torch.exp(queries @ keys.T / 2)
    assert bool(((products.mean(dim=-1) - expected).abs() < 5 * error).all())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("block_size", [1, 2, 3, 7, 20])
@pytest.mark.parametrize("axes", [(), (2, 3)])
def test_online_softmax_is_torchs(
    axes: tuple[int, ...], block_size: int, causal: bool, dtype: torch.dtype
) -> None:
    given = text(7, 7, dtype, axes)
    found = online_softmax_attention(*given, block_size, causal)
    assert found.dtype is dtype
    assert_close(found, scaled_dot_product_attention(*given, is_causal=causal))


@pytest.mark.parametrize("attention", [online_softmax_attention, repaired_blockwise_attention])
@pytest.mark.parametrize("scale", [1, 30])
def test_blocks_of_keys_are_torchs(attention: Attention, scale: int, dtype: torch.dtype) -> None:
    queries, keys, values = text(3, 8, dtype, (2,))
    expected = scaled_dot_product_attention(scale * queries, keys * scale, values)
    for block_size in range(1, 10):
        found = attention(scale * queries, keys * scale, values, block_size)
        assert_close(found, expected, rtol=2e-3 if dtype is torch.float32 else 1e-7, atol=1e-5)


@pytest.mark.parametrize("causal", [False, True])
def test_online_gradients_are_torchs(causal: bool) -> None:
    ours, theirs = trainable(7), trainable(7)
    online_softmax_attention(*ours, 3, causal).square().sum().backward()
    scaled_dot_product_attention(*theirs, is_causal=causal).square().sum().backward()
    for one, other in zip(ours, theirs, strict=True):
        assert_close(one.grad, other.grad)


def test_exactness_is_what_docstrings_say() -> None:
    """Some go wrong with large scores alone, others with scores of ordinary size."""
    queries, keys, values = text(4, 7, torch.float64)
    keys = keys.abs() * torch.arange(1, 8)[:, None]
    for name, attention in vars(blockwise).items():
        said = getattr(attention, "__doc__", None) or ""
        if not name.startswith("_") and said.startswith(("Exact", "Not exact")):
            found = [
                is_exact(attention, queries.abs(), scale * keys, values) for scale in (0.3, 99)
            ]
            assert all(found) is said.startswith("Exact"), name


def test_table_of_a_long_text_does_not_fit() -> None:
    """Nor does the half of it that is left where no token sees a later one."""
    assert Limits().memory_bytes < TOKENS**2 * 8
    assert Limits().memory_bytes < CAUSAL_TOKENS**2 / 2 * 8


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_tables_of_fewer_bytes_are_told_from_exact_ones(dtype: torch.dtype) -> None:
    """They would fit, in one piece or in tiles, in PyTorch or in NumPy."""
    _, keys, values = too_long(1, TOKENS, 0)
    queries = drawn(40, 1, dtype=torch.float64)
    exact = online_softmax_attention(queries, keys, values, 1000)
    weights = torch.softmax(queries @ keys.mT, dim=-1)
    assert are_contexts(weights @ values, exact)
    kept = weights.to(dtype).double()
    assert not are_contexts(kept @ values / kept.sum(dim=-1, keepdim=True), exact)
