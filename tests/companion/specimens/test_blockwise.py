import inspect
from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from companion.specimens import blockwise

SPECIMENS = [
    function
    for name, function in inspect.getmembers(blockwise, inspect.isfunction)
    if function.__module__ == blockwise.__name__ and not name.startswith("_")
]


def largest_errors(
    attention: Callable[[Tensor, Tensor, Tensor, int], Tensor], scale: float
) -> list[float]:
    """By how much it is off with each block size from 1 to 7."""
    generator = torch.Generator().manual_seed(0)
    queries, keys, values = (
        torch.randn(n, d, generator=generator).double() for n, d in ((4, 3), (7, 3), (7, 2))
    )
    # Keys of growing length, so that the largest score is in no query's first block.
    keys = keys.abs() * torch.arange(1.0, 8)[:, None] * scale
    queries = queries.abs()
    expected = scaled_dot_product_attention(queries, keys, values)
    errors = [(attention(queries, keys, values, size) - expected).abs() for size in range(1, 8)]
    return [float(error.nan_to_num(torch.inf).max()) for error in errors]


@pytest.mark.parametrize("attention", SPECIMENS)
def test_docstring_tells_the_truth(
    attention: Callable[[Tensor, Tensor, Tensor, int], Tensor],
) -> None:
    exact = (attention.__doc__ or "").startswith("Exact")
    errors = largest_errors(attention, 100) + largest_errors(attention, 0.3)
    assert (max(errors) < 1e-12) is exact
    assert exact or max(errors) > 7e-4


def test_some_are_wrong_with_certain_blocks_alone() -> None:
    wrong = {
        f.__name__: [size for size, error in enumerate(largest_errors(f, 0.3), 1) if error > 1e-12]
        for f in SPECIMENS
    }
    assert wrong["drops_the_rest"] == wrong["fills_the_last_block"] == [2, 3, 4, 5, 6]
    assert wrong["shrinks_only_once"] == [1, 2, 3]
    assert wrong["wrong_for_single_keys"] == [1]
    assert wrong["wrong_in_one_block"] == [7]
    assert wrong["never_shrinks"] == wrong["never_too_small"] == [1, 2, 3, 4, 5, 6]
    assert wrong["without_the_maximum"] == []
