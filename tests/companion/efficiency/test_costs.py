import math

import pytest
import torch
from torch import Tensor
from torch.nn.functional import elu, scaled_dot_product_attention

from companion import (
    SlowMemory,
    blockwise_attention,
    fastest_seconds,
    growth_exponent,
    kernel_attention,
    megabytes_kept,
    nearest_direction,
    peak_megabytes,
    random_features,
    seconds_and_megabytes,
    sparse_pattern,
)


def plain(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values


def drawn(*shape: int) -> Tensor:
    return torch.randn(3, *shape, generator=torch.Generator().manual_seed(0)).double()


def test_memory_is_what_is_alive_at_once() -> None:
    x = torch.zeros(1000)

    def one_after_the_other(x: Tensor) -> None:
        for _ in range(5):
            x = x + 1

    def all_together(x: Tensor) -> list[Tensor]:
        return [x + i for i in range(5)]

    def in_place(x: Tensor) -> Tensor:
        return x.add_(1).view(10, 100)

    assert peak_megabytes(one_after_the_other, x) == pytest.approx(0.008)
    assert peak_megabytes(all_together, x) == pytest.approx(0.020)
    assert peak_megabytes(in_place, x) == 0


def test_only_plain_attention_needs_all_scores_at_once() -> None:
    lengths = [256, 512, 1024]
    inputs = [drawn(n, 8).float() for n in lengths]
    peaks = {f: [peak_megabytes(f, *x) for x in inputs] for f in (plain, blockwise_attention)}
    assert growth_exponent(lengths, peaks[plain]) > 1.9
    assert growth_exponent(lengths, peaks[blockwise_attention]) < 1.1
    kept = [megabytes_kept(blockwise_attention, *x) for x in inputs]
    assert growth_exponent(lengths, kept) > 1.9
    library = [megabytes_kept(scaled_dot_product_attention, *x[:, None, None]) for x in inputs]
    assert growth_exponent(lengths, library) < 1.1


def test_time_and_memory_are_those_of_the_call() -> None:
    x = torch.zeros(1000)
    seconds, megabytes = seconds_and_megabytes(torch.exp, x, repeats=2)
    assert seconds > 0
    assert megabytes == pytest.approx(0.004)
    assert fastest_seconds(torch.exp, x) > 0


def test_exponent_of_a_power() -> None:
    lengths = [10, 20, 50]
    assert growth_exponent(lengths, [3 * n**1.5 for n in lengths]) == pytest.approx(1.5)


@pytest.mark.parametrize("block_size", [1, 3, 7, 50])
def test_blocks_are_exact(block_size: int) -> None:
    queries, keys, values = 5 * drawn(2, 7, 4)
    expected = scaled_dot_product_attention(queries, keys, values)
    found = blockwise_attention(queries, keys, values, block_size)
    torch.testing.assert_close(found, expected)


def test_kernel_attention_has_the_weights_of_its_features() -> None:
    queries, keys, values = drawn(2, 7, 4)
    weights = (elu(queries) + 1) @ (elu(keys) + 1).mT
    expected = weights / weights.sum(dim=-1, keepdim=True) @ values
    found = kernel_attention(queries, keys, values, lambda x: elu(x) + 1)
    torch.testing.assert_close(found, expected)


@pytest.mark.parametrize("kind", ["positive", "trigonometric"])
def test_random_features_are_unbiased(kind: str) -> None:
    queries, keys, _ = drawn(4, 8) / 2
    generator = torch.Generator().manual_seed(1)
    directions = torch.randn(200_000, 8, generator=generator).double()
    q, k = (random_features(x, directions, kind) for x in (queries, keys))
    torch.testing.assert_close(q @ k.T, torch.exp(queries @ keys.T / 8**0.5), rtol=0.03, atol=0)


def test_patterns_show_what_they_promise() -> None:
    shown = {
        kind: ~sparse_pattern(kind, 13, 4)
        for kind in ("window", "global", "random", "strided", "fixed")
    }
    for query in range(13):
        distances = [query - key for key in range(13)]
        rows = {kind: pattern[query].tolist() for kind, pattern in shown.items()}
        assert rows["window"] == [abs(d) < 4 for d in distances]
        assert rows["global"] == [query < 4 or key < 4 for key in range(13)]
        assert sum(rows["random"]) == 4
        assert rows["strided"] == [d >= 0 and (d < 4 or d % 4 == 0) for d in distances]
        own = query // 4
        assert rows["fixed"] == [
            key <= query and (key // 4 == own or key % 4 == 3) for key in range(13)
        ]
    with pytest.raises(ValueError, match="no pattern"):
        sparse_pattern("dense", 4, 1)


def test_vectors_go_with_the_nearest_direction() -> None:
    angles = torch.tensor([0.1, 1.5, 3.0, 4.6])
    vectors = torch.stack([angles.cos(), angles.sin()], dim=1)
    rotation = torch.eye(2)
    assert nearest_direction(vectors, rotation).tolist() == [0, 1, 2, 3]


def test_slow_memory_counts_what_moves() -> None:
    memory = SlowMemory(Q=torch.arange(12.0).view(6, 2))
    part = memory.load("Q", slice(2, 4))
    memory.store("R", part, slice(0, 2))
    memory.store("R", part + 1, slice(2, 4))
    assert (memory.read, memory.written) == (4, 8)
    assert memory.look("R").tolist() == [[4, 5], [6, 7], [5, 6], [7, 8]]
    memory.store("R", part)
    assert memory.look("R").tolist() == [[4, 5], [6, 7]]
    assert math.prod(memory.load("Q").shape) == 12
    assert memory.read == 16
