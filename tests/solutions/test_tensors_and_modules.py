"""The reference of lesson 00b, against PyTorch itself."""

import io
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.testing import assert_close

import companion
from solutions.tensors_and_modules import (
    Affine,
    RepairedNetwork,
    fit,
    gradient_of,
    is_mode_kept,
    pairwise_differences,
    predict,
    weighted_sums,
)
from tests.support.course import every_exam

KEEP = ("restores_the_mode", "restores_training", "never_switches")
LOSE = ("stays_in_evaluation", "ends_in_training", "switches_once")


@pytest.fixture(params=[torch.float64, torch.float32], ids=["float64", "float32"])
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    assert isinstance(request.param, torch.dtype)
    return request.param


def drawn(*shape: int, dtype: torch.dtype, seed: int = 3) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def test_differences_have_the_distances_of_torch(dtype: torch.dtype) -> None:
    queries, keys = drawn(4, 3, dtype=dtype), drawn(5, 3, dtype=dtype, seed=4)
    received = pairwise_differences(queries, keys)
    assert received.shape == (4, 5, 3)
    assert_close(received.norm(dim=-1), torch.cdist(queries, keys))
    assert_close(received, torch.from_numpy(queries.numpy()[:, None] - keys.numpy()))


def test_sums_are_batched_products(dtype: torch.dtype) -> None:
    weights, values = drawn(2, 3, 4, dtype=dtype), drawn(2, 4, 5, dtype=dtype, seed=4)
    assert_close(weighted_sums(weights, values), torch.bmm(weights, values))


def test_sums_of_shares_are_attention(dtype: torch.dtype) -> None:
    queries, keys = drawn(2, 3, 4, dtype=dtype), drawn(2, 6, 4, dtype=dtype, seed=4)
    values = drawn(2, 6, 5, dtype=dtype, seed=5)
    shares = torch.softmax(queries @ keys.mT / 2, dim=-1)
    expected = nn.functional.scaled_dot_product_attention(queries, keys, values)
    assert_close(weighted_sums(shares, values), expected)


def test_gradient_is_torchs(dtype: torch.dtype) -> None:
    x = drawn(3, 4, dtype=dtype)
    for function in (torch.sum, torch.norm, lambda x: torch.logsumexp(x, (0, 1))):
        for _ in range(2):
            assert_close(gradient_of(function, x), torch.func.grad(function)(x))
    assert not x.requires_grad
    assert x.grad is None


def test_affine_is_a_linear_layer(dtype: torch.dtype) -> None:
    layer, affine = nn.Linear(3, 2, dtype=dtype), Affine(3, 2).to(dtype)
    affine.load_state_dict({"W": layer.weight.T, "b": layer.bias})
    inputs = drawn(2, 4, 3, dtype=dtype)
    assert_close(affine(inputs), layer(inputs))
    assert [name for name, _ in affine.named_parameters()] == ["W", "b"]


def test_network_is_found_saved_and_converted() -> None:
    network = RepairedNetwork(3, 5, 2)
    sequence = nn.Sequential(network.layers[0], nn.ReLU(), network.layers[1])
    inputs = drawn(4, 3, dtype=torch.float32)
    assert_close(network(inputs), sequence(inputs))
    assert sum(p.numel() for p in network.parameters()) == 3 * 5 + 5 + 5 * 2 + 2 + 2
    assert "layers.0.bias" in network.state_dict()
    assert {p.dtype for p in network.double().parameters()} == {torch.float64}


def test_fit_finds_the_least_squares(dtype: torch.dtype) -> None:
    inputs, targets = drawn(20, 3, dtype=dtype), drawn(20, 2, dtype=dtype, seed=4)
    module = nn.Linear(3, 2, dtype=dtype)
    losses = fit(module, inputs, targets, 400, 0.3)
    longer = np.column_stack([inputs.numpy(), np.ones(20)])
    best, *_ = np.linalg.lstsq(longer, targets.numpy(), rcond=None)
    np.testing.assert_allclose(module.weight.detach().numpy().T, best[:3], atol=1e-4)
    np.testing.assert_allclose(module.bias.detach().numpy(), best[3], atol=1e-4)
    assert len(losses) == 400
    assert losses[0] > losses[10] > losses[-1]


def test_fit_is_the_companions(dtype: torch.dtype) -> None:
    inputs, targets = drawn(20, 3, dtype=dtype), drawn(20, 2, dtype=dtype, seed=4)
    first, second = nn.Linear(3, 2, dtype=dtype), nn.Linear(3, 2, dtype=dtype)
    second.load_state_dict(first.state_dict())
    expected = companion.fit_by_sgd(first, inputs, targets, 7, 0.1)
    assert fit(second, inputs, targets, 7, 0.1) == pytest.approx(expected)
    assert_close(second.weight, first.weight)


@pytest.mark.parametrize("training", [True, False])
def test_predict_leaves_no_trace(training: bool, dtype: torch.dtype) -> None:
    layer = nn.Linear(3, 4, dtype=dtype)
    module = nn.Sequential(layer, nn.Dropout(0.5)).train(training)
    inputs = drawn(5, 3, dtype=dtype)
    outputs = predict(module, inputs)
    assert_close(outputs, layer(inputs).detach())
    assert not outputs.requires_grad
    assert module.training is training


@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("name", [*KEEP, *LOSE])
def test_mode_is_kept_or_not(name: str, training: bool) -> None:
    module = nn.Dropout(0.5).train(training)
    assert is_mode_kept(getattr(companion, name), module, torch.ones(3)) is (name in KEEP)


def test_what_the_lesson_says_of_dtypes() -> None:
    single, double = torch.ones(2, 2), torch.tensor(np.ones((2, 2)))
    assert (single + double).dtype == double.dtype == torch.float64
    assert (single * 0.5).dtype == (torch.tensor([[1, 2]]) * 0.5).dtype == torch.float32
    with pytest.raises(RuntimeError, match="same dtype"):
        single @ double
    with pytest.raises(RuntimeError, match="same dtype"):
        nn.Linear(3, 2)(torch.tensor(companion.YOUR_JOURNEY.vectors))


def test_what_the_lesson_says_of_the_softmax() -> None:
    scores = torch.tensor([2.0, 1.0, 0.0])
    p = torch.softmax(scores, dim=0)
    received = gradient_of(lambda x: torch.softmax(x, dim=0)[0], scores)
    assert_close(received, (torch.diag(p) - torch.outer(p, p))[0])
    assert round(p[0].item(), 4) == 0.6652
    assert round(received[0].item(), 4) == 0.2227


def test_what_the_lesson_says_of_loading() -> None:
    layer, file = nn.Linear(3, 2), io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    again = nn.Linear(3, 2)
    again.load_state_dict(torch.load(file))
    assert torch.equal(again.weight, layer.weight)
    with pytest.raises(RuntimeError, match="Missing key"):
        again.load_state_dict({"W": layer.weight.T, "bias": layer.bias})


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("layer", [Affine, nn.Linear])
def test_letter_is_learned(layer: type[nn.Module], seed: int) -> None:
    """As in "Your code at work", however the layer begins."""
    torch.manual_seed(seed)
    points = torch.randn(40, 2, generator=torch.Generator().manual_seed(4))
    matrix, move = torch.tensor([[0.4, 1.1], [-1.2, 0.6]]), torch.tensor([1.5, -0.5])
    module, letter = layer(2, 2), torch.tensor(companion.LETTER).float()
    fit(module, points, points @ matrix + move, 60, 0.1)
    off = (module(letter) - (letter @ matrix + move)).norm(dim=-1).max()
    assert off < 0.05


def by_differences(
    function: Callable[[Tensor], Tensor], x: Tensor, ahead: float = 1.0, back: float = 1.0
) -> Tensor:
    """The gradient without PyTorch's: by a step at each entry, as long as its number is large."""
    at = x.double()
    # A step to one side is less exact than one to both.
    share = 1e-5 if ahead * back else 1e-7
    gradient, steps = torch.zeros_like(at), (share * at.abs().clamp(min=1.0)).numpy()
    for place, step in np.ndenumerate(steps):
        moved = torch.zeros_like(at)
        moved[place] = float(step)
        change = function(at + ahead * moved) - function(at - back * moved)
        gradient[place] = change / ((ahead + back) * step)
    return gradient.to(x.dtype)


def layer_by_layer(module: nn.Sequential, inputs: Tensor) -> Tensor:
    """Never in evaluation mode: the dropout is left out by hand."""
    with torch.no_grad():
        for layer in module:
            if not isinstance(layer, nn.Dropout):
                inputs = layer(inputs)
    return inputs


def by_formula(
    module: nn.Linear, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
) -> list[float]:
    """Without a call of the module: the derivatives of a linear layer are known."""
    losses = []
    with torch.no_grad():
        for _ in range(steps):
            off = inputs @ module.weight.T + module.bias - targets
            losses.append(off.square().mean().item())
            back = 2 * off / off.numel()
            module.weight.sub_(learning_rate * back.T @ inputs)
            module.bias.sub_(learning_rate * back.sum(0))
    return losses


@pytest.mark.parametrize(
    ("name", "shortcut", "closed"),
    [
        ("gradient_of", by_differences, "at 0"),
        ("gradient_of", partial(by_differences, back=0.0), "at 0"),
        ("gradient_of", partial(by_differences, ahead=0.0), "at 0"),
        ("predict", layer_by_layer, "tanh"),
        ("fit", by_formula, "tanh"),
    ],
)
def test_shortcuts_fail_where_they_lead_nowhere(
    name: str, shortcut: Callable[..., object], closed: str
) -> None:
    exam = every_exam()[f"00b_tensors_and_modules/{name}"]
    passed = exam.examine(shortcut).passed
    failed = [one.label for one in exam.hidden_cases() if one.label not in passed]
    assert failed
    assert all(closed in label for label in failed)
