"""The stand-ins of lesson 07's generator, and the counter of projections."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from companion import CountTokens, GroupedHeads, JoinedCache
from solutions.grouped_query_attention import GroupedQueryAttention, KVCache


def test_stand_in_is_the_reference() -> None:
    stand_in = GroupedHeads(6, 8, 5, 0.0, num_heads=4, num_kv_heads=2)
    reference = GroupedQueryAttention(6, 8, 5, 0.0, num_heads=4, num_kv_heads=2)
    reference.load_state_dict(stand_in.state_dict(), strict=False)
    inputs = torch.randn(2, 5, 6, generator=torch.Generator().manual_seed(0))
    assert_close(stand_in(inputs), reference(inputs))


def test_joined_cache_holds_what_the_buffer_holds() -> None:
    generator = torch.Generator().manual_seed(0)
    joined, buffer = JoinedCache(2, 3, 6, 4), KVCache(2, 3, 6, 4)
    for text in range(2):
        for new in (1, 3, 2):
            keys, values = torch.randn(2, 2, 3, new, 4, generator=generator)
            for ours, theirs in zip(
                joined.append(keys, values), buffer.append(keys, values), strict=True
            ):
                assert torch.equal(ours, theirs), text
            assert joined.length == buffer.length
        with pytest.raises(ValueError, match="no room for more than 6"):
            joined.append(keys, values)
        assert joined.length == 6
        joined.reset()
        buffer.reset()
        assert joined.length == 0


def test_tokens_are_counted_however_a_projection_is_written() -> None:
    inputs = torch.ones(2, 5, 3)
    linear, matrix = nn.Linear(3, 4), nn.Parameter(torch.ones(3, 4))
    with CountTokens(linear) as counter:
        linear(inputs)
        linear(inputs[:, :1])
        inputs @ matrix
    assert counter.tokens == 2 * 5 + 2
    for product in (
        lambda: inputs @ matrix,
        lambda: torch.matmul(inputs, matrix),
        lambda: torch.einsum("btd,de->bte", inputs, matrix),
        lambda: matrix.T.shape,
    ):
        with CountTokens(matrix) as counter:
            result = product()
        assert counter.tokens == (10 if isinstance(result, torch.Tensor) else 0)
    linear(inputs)
    assert counter.tokens == 0
