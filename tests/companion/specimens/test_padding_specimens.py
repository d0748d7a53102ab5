import inspect
from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from companion.specimens import padding_specimens

SPECIMENS = [
    function
    for name, function in inspect.getmembers(padding_specimens, inspect.isfunction)
    if function.__module__ == padding_specimens.__name__ and not name.startswith("_")
]


@pytest.mark.parametrize("attention", SPECIMENS)
def test_docstring_tells_the_truth(attention: Callable[[Tensor, Tensor, Tensor], Tensor]) -> None:
    generator = torch.Generator().manual_seed(0)
    queries, context = (torch.randn(2, n, 3, generator=generator).double() for n in (4, 5))
    padding = torch.tensor([[0, 0, 0, 0, 1], [0, 1, 1, 1, 1]]).bool()
    context.requires_grad_()
    found = attention(queries, context, padding)
    assert found.shape == queries.shape
    leak = torch.zeros(())
    if found.requires_grad:
        (gradient,) = torch.autograd.grad((found * torch.arange(1.0, 4)).sum(), context)
        leak = gradient[padding].abs().max()
    assert (leak.item() < 1e-12) is (attention.__doc__ or "").startswith("Blind")
