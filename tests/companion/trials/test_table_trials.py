"""Whether a table of scores was made, of long texts, and only of these."""

import subprocess
import sys
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from companion import elu_plus_one, try_blocks, try_features

Triple = tuple[Tensor, Tensor, Tensor]


def drawn(tokens: int, *texts: int) -> Triple:
    generator = torch.Generator().manual_seed(0)
    queries, keys, values = torch.randn(3, *texts, tokens, 3, generator=generator)
    return queries, keys, values


def with_a_table(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: Callable[[Tensor], Tensor]
) -> Tensor:
    return feature_map(queries) @ feature_map(keys).mT @ values


def without(
    queries: Tensor, keys: Tensor, values: Tensor, feature_map: Callable[[Tensor], Tensor]
) -> Tensor:
    return feature_map(queries) @ (feature_map(keys).mT @ values)


def with_a_mask(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool
) -> Tensor:
    torch.ones(queries.shape[-2], keys.shape[-2], dtype=torch.bool).triu(1)
    return values


def with_a_broadcast_mask(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, causal: bool
) -> Tensor:
    torch.tensor(True).expand(queries.shape[-2], keys.shape[-2])
    return values


@pytest.mark.parametrize("texts", [(), (5,)])
def test_a_table_is_found(texts: tuple[int, ...]) -> None:
    with pytest.raises(Exception, match=r"40 × 40 numbers or more") as raised:
        try_features(with_a_table, *drawn(40, *texts), elu_plus_one)
    assert type(raised.value).__name__ == "TableMismatch"
    expected = without(*drawn(40, *texts), elu_plus_one)
    found = try_features(without, *drawn(40, *texts), elu_plus_one)
    assert isinstance(found, Tensor)
    assert torch.equal(found, expected)


def test_short_texts_may_have_one() -> None:
    assert isinstance(try_features(with_a_table, *drawn(6), elu_plus_one), Tensor)


def test_a_mask_of_all_pairs_is_a_table() -> None:
    with pytest.raises(Exception, match="one for each pair"):
        try_blocks(with_a_mask, *drawn(40), 8, True)


def test_what_is_broadcast_takes_no_memory() -> None:
    assert isinstance(try_blocks(with_a_broadcast_mask, *drawn(40), 8, True), Tensor)


def test_watching_imports_no_compiler() -> None:
    """It would take the seconds that an answer has."""
    code = """
import sys, torch
from companion.trials.table_trials import NoTable
watching = NoTable(8, 8, 64)
watching.begin()
torch.nn.functional.elu(torch.ones(3))
watching.end()
print("torch._dynamo" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
