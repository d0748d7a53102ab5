"""Right answers as published code has them, lesson 00b."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from solutions.exams.tensors_and_modules.affine import affine
from solutions.exams.tensors_and_modules.fit import fitting
from solutions.exams.tensors_and_modules.gradient_of import gradient
from solutions.exams.tensors_and_modules.is_mode_kept import kept
from solutions.exams.tensors_and_modules.pairwise_differences import differences
from solutions.exams.tensors_and_modules.predict import predicting
from solutions.exams.tensors_and_modules.repaired_network import network
from solutions.exams.tensors_and_modules.weighted_sums import sums


@differences.accepts
def differences_by_letters(queries: Tensor, keys: Tensor) -> Tensor:
    """Ones for the axis that is missing."""
    left = torch.einsum("qd,k->qkd", queries, torch.ones_like(keys[:, 0]))
    return left - keys.view(1, *keys.shape)


@differences.accepts
def differences_by_vmap(queries: Tensor, keys: Tensor) -> Tensor:
    """`torch.vmap` over the queries."""
    return torch.vmap(lambda query: query - keys)(queries)


@sums.accepts
def sums_by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    """`torch.matmul`."""
    return torch.matmul(weights, values)


@sums.accepts
def sums_turned(weights: Tensor, values: Tensor) -> Tensor:
    """The transposes, and back."""
    return (values.mT @ weights.mT).mT.contiguous()


@sums.accepts
def sums_by_baddbmm(weights: Tensor, values: Tensor) -> Tensor:
    """Added to zeros."""
    zeros = values.new_zeros(weights.size(0), weights.size(1), values.size(2))
    return torch.baddbmm(zeros, weights, values)


@gradient.accepts
def gradient_in_a_scope(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """With gradients enabled, whatever they were."""
    with torch.enable_grad():
        variable = x.clone().detach().requires_grad_(True)
        return torch.autograd.grad(outputs=function(variable), inputs=variable)[0]


@gradient.accepts
def gradient_of_a_parameter(function: Callable[[Tensor], Tensor], x: Tensor) -> Any:
    """A parameter, with its gradient."""
    parameter = nn.Parameter(x.clone())
    torch.autograd.backward(function(parameter))
    return parameter.grad


@affine.accepts
class PublishedAffine(nn.Module):
    """Drawn as `nn.Linear` draws, batched by addition."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        bound = d_in**-0.5
        self.W = nn.Parameter(torch.empty((d_in, d_out)))
        self.b = nn.Parameter(torch.zeros((d_out,)))
        nn.init.uniform_(self.W, -bound, bound)

    def forward(self, x: Tensor) -> Tensor:
        return torch.add(torch.tensordot(x, self.W, dims=([-1], [0])), self.b)


@network.accepts
class PublishedNetwork(nn.Module):
    """A named sequence, and a scale of its own initialisation."""

    def __init__(self, d_in: int, d_hidden: int, d_out: int) -> None:
        super().__init__()
        layers = [("0", nn.Linear(d_in, d_hidden)), ("1", nn.Linear(d_hidden, d_out))]
        self.layers = nn.Sequential(OrderedDict(layers))
        self.scale = nn.Parameter(torch.empty(d_out))
        nn.init.ones_(self.scale)

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.layers[0](x).relu()
        outputs: Tensor = self.layers[1](hidden).mul(self.scale)
        return outputs


@fitting.accepts
def fit_with_set_to_none(
    module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """As in PyTorch's tutorials."""
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(module.parameters(), lr=learning_rate)
    running = []
    for _epoch in range(steps):
        optimizer.zero_grad(set_to_none=True)
        loss = criterion(module(inputs), targets)
        loss.backward()
        optimizer.step()
        running.append(loss.item())
    return running


@predicting.accepts
def predict_decorated(module: nn.Module, inputs: Tensor) -> Any:
    """`no_grad` as a decorator."""

    @torch.no_grad()
    def called() -> Any:
        return module(inputs)

    was_training = module.training
    module.eval()
    outputs = called()
    if was_training:
        module.train()
    return outputs


@predicting.accepts
def predict_in_inference_mode(module: nn.Module, inputs: Tensor) -> Any:
    """`torch.inference_mode`, which is stricter."""
    training = module.training
    try:
        module.eval()
        with torch.inference_mode():
            return module(inputs)
    finally:
        module.train(mode=training)


@kept.accepts
def kept_with_set(
    predict: Callable[[nn.Module, Tensor], Any], module: nn.Module, inputs: Tensor
) -> bool:
    """The differences, counted."""
    changed = 0
    for mode in (False, True):
        module.train(mode)
        _ = predict(module, inputs)
        changed += int(module.training is not mode)
    return changed == 0
