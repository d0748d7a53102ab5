import inspect
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from companion.specimens import causal_specimens

SPECIMENS = [
    function
    for name, function in inspect.getmembers(causal_specimens, inspect.isfunction)
    if function.__module__ == causal_specimens.__name__
    and not name.startswith("_")
    and name != "causal_map"
]


def future_gradients(attention: Callable[[Tensor], Tensor], inputs: Tensor) -> Tensor:
    """The gradients of each output with respect to later inputs, all sentences together."""
    jacobian = torch.autograd.functional.jacobian(attention, inputs)
    return jacobian.abs().sum(dim=(0, 2, 3, 5)).triu(1)


@pytest.mark.parametrize("attention", SPECIMENS)
def test_docstring_tells_the_truth(attention: Callable[[Tensor], Tensor]) -> None:
    inputs = torch.randn(2, 7, 3, generator=torch.Generator().manual_seed(0)).double()
    before = inputs.clone()
    leak = future_gradients(attention, inputs).max().item()
    assert (leak < 1e-12) is (attention.__doc__ or "").startswith("Causal")
    assert torch.equal(inputs, before)
    assert attention(inputs).shape == inputs.shape


@pytest.mark.parametrize(
    ("attention", "shape"),
    [
        (causal_specimens.leaks_when_long, (2, 5, 3)),
        (causal_specimens.masks_first_sentence, (1, 7, 3)),
        (causal_specimens.masks_last_sentence, (1, 7, 3)),
    ],
)
def test_some_leak_only_elsewhere(
    attention: Callable[[Tensor], Tensor], shape: tuple[int, ...]
) -> None:
    inputs = torch.randn(shape, generator=torch.Generator().manual_seed(1)).double()
    assert not future_gradients(attention, inputs).any()


def test_map_has_the_weights() -> None:
    words = torch.randn(5, 3, generator=torch.Generator().manual_seed(2)).double()
    weights = causal_specimens.causal_map(words)
    torch.testing.assert_close(weights @ words, causal_specimens.causal_attention(words[None])[0])
    assert not weights.triu(1).any()
