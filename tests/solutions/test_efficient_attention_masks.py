"""The first half of lesson 08's reference: patterns and mixtures, against PyTorch."""

import itertools

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.testing import assert_close

from solutions.efficient_attention import (
    fixed_mask,
    global_mask,
    layers_until_all_meet,
    linformer_attention,
    see_either,
    sliding_window_mask,
    strided_mask,
    visible_blocks,
)

SIZES = [(1, 1), (1, 4), (2, 1), (6, 2), (9, 3), (10, 4), (7, 7), (5, 20), (16, 4)]
MASKS = [sliding_window_mask, strided_mask, fixed_mask]


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def drawn(*shape: int, dtype: torch.dtype = torch.float64, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def pairs(num_tokens: int) -> list[tuple[int, int]]:
    return list(itertools.product(range(num_tokens), range(num_tokens)))


@pytest.mark.parametrize(("num_tokens", "window"), SIZES)
def test_window_is_numpys_band(num_tokens: int, window: int) -> None:
    band = np.tri(num_tokens, k=window - 1) * np.tri(num_tokens, k=window - 1).T
    hidden = sliding_window_mask(num_tokens, window)
    assert hidden.dtype is torch.bool
    assert np.array_equal(hidden.numpy(), band == 0)


def test_window_sees_as_many_as_a_convolution() -> None:
    """In the middle of the text, a window of 3 reads what a kernel of width 5 reads."""
    kernel = nn.Conv1d(1, 1, 5, padding=2, bias=False)
    nn.init.ones_(kernel.weight)
    read = kernel(torch.eye(9)[:, None])[:, 0].T
    assert torch.equal(sliding_window_mask(9, 3), read == 0)


@pytest.mark.parametrize("positions", [[], [0], [4, 1], [0, 1, 2, 3, 4, 5]])
def test_global_tokens_see_and_are_seen(positions: list[int]) -> None:
    hidden = global_mask(6, positions)
    for query, key in pairs(6):
        assert bool(hidden[query, key]) is (query not in positions and key not in positions)


def test_either_is_torchs_logical_and() -> None:
    masks = [drawn(7, 7, seed=seed) < 0.7 for seed in range(4)]
    for count in range(1, 5):
        expected = masks[0].clone()
        for mask in masks[1:count]:
            expected = torch.logical_and(expected, mask)
        assert torch.equal(see_either(masks[:count]), expected)


@pytest.mark.parametrize(("num_tokens", "stride"), SIZES)
def test_strided_keys_are_the_papers(num_tokens: int, stride: int) -> None:
    """The sets A(1) and A(2) of section 4.3, but that the window has one key less.

    The paper's window begins at max(0, i - l); the key at distance l is in A(2) as well.
    """
    hidden = strided_mask(num_tokens, stride)
    for i in range(num_tokens):
        near = set(range(max(0, i - stride), i + 1))
        far = {j for j in range(i + 1) if (i - j) % stride == 0}
        assert set(torch.where(~hidden[i])[0].tolist()) == near | far


@pytest.mark.parametrize(("num_tokens", "stride"), SIZES)
def test_fixed_keys_are_the_papers(num_tokens: int, stride: int) -> None:
    """The sets A(1) and A(2) of section 4.3, with c = 1."""
    hidden = fixed_mask(num_tokens, stride)
    for i in range(num_tokens):
        block = {j for j in range(i + 1) if j // stride == i // stride}
        ends = {j for j in range(i + 1) if j % stride in range(stride - 1, stride)}
        assert set(torch.where(~hidden[i])[0].tolist()) == block | ends


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize(("num_tokens", "width"), SIZES)
def test_no_row_is_empty(mask: object, num_tokens: int, width: int) -> None:
    """Every token sees itself, so that attention under the mask is never NaN."""
    assert callable(mask)
    hidden = mask(num_tokens, width)
    assert not hidden.diagonal().any()
    x = drawn(num_tokens, 3)
    assert functional.scaled_dot_product_attention(x, x, x, attn_mask=~hidden).isfinite().all()


def test_square_root_stride_keeps_the_square_root_of_pairs() -> None:
    for side in (4, 8, 16):
        for mask in (strided_mask, fixed_mask):
            visible = int((~mask(side * side, side)).sum())
            assert visible < 2 * side**3


def longest_of_the_shortest_paths(hidden: Tensor, causal: bool) -> int | None:
    """Floyd and Warshall, in NumPy."""
    paths = np.where(hidden.numpy(), np.inf, 1.0)
    np.fill_diagonal(paths, 0)
    for middle in range(len(paths)):
        paths = np.minimum(paths, paths[:, [middle]] + paths[[middle]])
    longest = np.tril(np.where(np.isinf(paths), -1, paths)) if causal else paths
    if np.isinf(longest).any() or (longest < 0).any():
        return None
    return int(longest.max())


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_layers_are_the_longest_shortest_path(seed: int, causal: bool) -> None:
    hidden = drawn(9, 9, seed=seed) < (1.0 if seed % 3 else 0.6)
    hidden.fill_diagonal_(False)
    expected = longest_of_the_shortest_paths(hidden, causal)
    assert layers_until_all_meet(hidden, causal) == expected


@pytest.mark.parametrize("window", [2, 3, 5])
def test_layers_of_a_window(window: int) -> None:
    for num_tokens in (1, 2, 7, 20):
        expected = -(-(num_tokens - 1) // (window - 1))
        assert layers_until_all_meet(sliding_window_mask(num_tokens, window)) == expected


def test_layers_of_known_patterns() -> None:
    with_global = see_either([sliding_window_mask(12, 2), global_mask(12, [5])])
    assert layers_until_all_meet(with_global) == 2
    assert layers_until_all_meet(strided_mask(16, 4), causal=True) == 2
    assert layers_until_all_meet(fixed_mask(16, 4), causal=True) == 2
    assert layers_until_all_meet(strided_mask(16, 4)) is None
    assert layers_until_all_meet(sliding_window_mask(4, 1)) is None


def test_layers_agree_with_gradients() -> None:
    """What a stack of attentions lets through: layer after layer, until every gradient is there."""
    hidden = see_either([sliding_window_mask(9, 2), global_mask(9, [0])])
    inputs = drawn(9, 4).requires_grad_()
    needed = layers_until_all_meet(hidden)
    x, met = inputs, []
    for _ in range(3):
        x = functional.scaled_dot_product_attention(x, x, x, attn_mask=~hidden)
        reached = [
            torch.autograd.grad(x[i].sum(), inputs, retain_graph=True)[0].abs().sum(dim=-1) > 0
            for i in range(9)
        ]
        met.append(bool(torch.stack(reached).all()))
    assert met.index(True) + 1 == needed


@pytest.mark.parametrize("block_size", [1, 2, 3, 4, 9, 20])
@pytest.mark.parametrize("shape", [(9, 9), (4, 9), (9, 4), (1, 1)])
def test_blocks_are_torchs_pooling(shape: tuple[int, int], block_size: int) -> None:
    hidden = drawn(*shape) < 1.2
    visible = (~hidden).float()[None]
    pooled = functional.max_pool2d(visible, block_size, ceil_mode=True)[0]
    assert torch.equal(visible_blocks(hidden, block_size), pooled > 0)


def test_hidden_blocks_can_be_skipped() -> None:
    """Whatever stands in hidden blocks, attention under the mask is the same."""
    hidden, size = strided_mask(12, 3), 4
    Q, K, V = (drawn(12, 5, seed=seed) for seed in range(3))
    computed = visible_blocks(hidden, size).repeat_interleave(size, 0).repeat_interleave(size, 1)
    scores = torch.where(computed, Q @ K.T / 5**0.5, torch.nan).masked_fill(hidden, -torch.inf)
    expected = functional.scaled_dot_product_attention(Q, K, V, attn_mask=~hidden)
    assert_close(torch.softmax(scores, dim=-1) @ V, expected)


@pytest.mark.parametrize("axes", [(), (3,), (2, 3)])
def test_linformer_is_torchs_attention_to_mixtures(
    axes: tuple[int, ...], dtype: torch.dtype
) -> None:
    Q, K, V = (
        drawn(*axes, tokens, width, dtype=dtype, seed=width)
        for tokens, width in ((4, 5), (7, 5), (7, 6))
    )
    E, F = drawn(2, 7, dtype=dtype, seed=8), drawn(2, 7, dtype=dtype, seed=9)
    mixed = torch.einsum("rn,...nd->...rd", E, K), torch.einsum("rn,...nd->...rd", F, V)
    expected = functional.scaled_dot_product_attention(Q, *mixed)
    assert_close(linformer_attention(Q, K, V, E, F), expected)


def test_linformer_without_mixing_is_attention() -> None:
    Q, K, V = drawn(3, 4), drawn(6, 4, seed=1), drawn(6, 5, seed=2)
    alone = torch.eye(6, dtype=torch.float64)
    expected = functional.scaled_dot_product_attention(Q, K, V)
    assert_close(linformer_attention(Q, K, V, alone, alone), expected)


def test_linformer_has_gradients() -> None:
    given = drawn(2, 3), drawn(5, 3, seed=1), drawn(5, 4, seed=2), drawn(2, 5, seed=3)
    inputs = [x.requires_grad_() for x in (*given, drawn(2, 5, seed=4))]
    assert torch.autograd.gradcheck(linformer_attention, inputs)


def test_linformer_is_not_causal() -> None:
    """As it stands: the last token changes what the first one gets."""
    x, E = drawn(6, 4), drawn(2, 6, seed=1)
    changed = x.clone()
    changed[-1] += 1
    assert not torch.allclose(
        linformer_attention(x, x, x, E, E)[0], linformer_attention(x, changed, changed, E, E)[0]
    )
