import pytest
import torch
from torch import nn

from autograder.checks.drivers.run_module import ModuleMismatch, run_module

SETTINGS = {"d_in": 3, "d_out": 2}
W = torch.arange(6.0, dtype=torch.float64).reshape(3, 2)
B = torch.tensor([5.0, -1.0], dtype=torch.float64)
X = torch.tensor([[[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]]], dtype=torch.float64)


class Linear(nn.Module):
    """The map x W + b."""

    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        return self.W(x)


class Parameter(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.Parameter(torch.rand(d_in, d_out))

    def forward(self, x):
        return x @ self.W


class Misnamed(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.Wq = nn.Linear(d_in, d_out, bias=False)
        self.register_buffer("mask", torch.ones(4, 4))


class Plain(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = torch.rand(d_in, d_out)


class TurnedRound(Linear):
    def __init__(self, d_in, d_out):
        super().__init__(d_out, d_in)


class Detached(Linear):
    def forward(self, x):
        return super().forward(x.detach())


class Both(Linear):
    def forward(self, x):
        return super().forward(x), [x.sum(), (x > 0)]


class Dropout(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.dropout = nn.Dropout(p)

    def forward(self, x):
        return self.dropout(x)


class StandIn:
    """A module of another process: what a driver may ask of it, and nothing else."""

    def __init__(self, module: nn.Module) -> None:
        self._module = module

    def __call__(self, *args):
        return self._module(*args)

    def state_dict(self):
        return {name: value.clone() for name, value in self._module.state_dict().items()}

    def load_state_dict(self, state, strict=True):
        self._module.load_state_dict(state, strict=strict)

    def named_parameters(self):
        yield from self._module.named_parameters()

    def train(self, mode):
        self._module.train(mode)

    def double(self):
        self._module.double()

    def float(self):
        self._module.float()


def same(first, second) -> bool:
    assert first.keys() == second.keys()
    return all(torch.allclose(first[key], second[key]) for key in first)


@pytest.mark.parametrize("module", [Linear, Parameter])
def test_what_comes_out(module):
    result = run_module(module, SETTINGS, {"W": W}, (X,))
    cotangent = torch.cos(torch.arange(1.0, 5.0, dtype=torch.float64)).reshape(1, 2, 2)
    expected = {
        "output": X @ W,
        "gradient for inputs[0]": cotangent @ W.T,
        "gradient for W": X[0].T @ cotangent[0],
    }
    assert same(result, expected)


class Lazy(nn.Module):
    """A linear layer that is told of its inputs by the first ones."""

    def __init__(self, d_in, d_out):
        super().__init__()
        self.W = nn.LazyLinear(d_out, bias=False)

    def forward(self, x):
        return self.W(x)


def test_lazy_layer_is_a_linear_layer():
    found, expected = (run_module(one, SETTINGS, {"W": W}, (X,)) for one in (Lazy, Linear))
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
        assert found[name].dtype == torch.float64


def test_bias():
    weights = {"W": W, "W.bias": B}
    result = run_module(Linear, {**SETTINGS, "bias": True}, weights, (X,))
    assert torch.allclose(result["output"], X @ W + B)
    assert result["gradient for W.bias"].shape == B.shape


def test_bias_as_parameter():
    class WithBias(Parameter):
        def __init__(self, d_in, d_out):
            super().__init__(d_in, d_out)
            self.W_bias = nn.Parameter(torch.zeros(d_out))

        def forward(self, x):
            return super().forward(x) + self.W_bias

    weights = {"W": W, "W.bias": B}
    expected = run_module(Linear, {**SETTINGS, "bias": True}, weights, (X,))
    assert same(run_module(WithBias, SETTINGS, weights, (X,)), expected)


class Vector(nn.Module):
    def __init__(self, d_in, *shape):
        super().__init__()
        self.v = nn.Parameter(torch.zeros(d_in, *shape))

    def forward(self, x):
        return x @ self.v


class Column(Vector):
    def __init__(self, d_in):
        super().__init__(d_in, 1)

    def forward(self, x):
        return super().forward(x)[..., 0]


def test_column_as_vector():
    v = torch.tensor([[1.0], [-2.0], [3.0]], dtype=torch.float64)
    result = run_module(Vector, {"d_in": 3}, {"v": v}, (X,))
    assert torch.allclose(result["output"], (X @ v)[..., 0])
    assert result["gradient for v"].shape == (3, 1)
    assert same(result, run_module(Column, {"d_in": 3}, {"v": v}, (X,)))
    with pytest.raises(ModuleMismatch, match=r"an nn.Parameter of shape \(3, 1\) or \(3,\); your"):
        run_module(Vector, {"d_in": 4}, {"v": v}, (X,))


def test_full_name_as_it_is():
    result = run_module(Linear, SETTINGS, {"W.weight": W.T}, (X,))
    assert torch.allclose(result["output"], X @ W)
    assert result["gradient for W.weight"].shape == (2, 3)


def test_dtype_of_the_inputs():
    result = run_module(Linear, SETTINGS, {"W": W.float()}, (X.float(),))
    assert {value.dtype for value in result.values()} == {torch.float32}
    assert run_module(Linear, SETTINGS, {"W": W}, (X,))["output"].dtype == torch.float64


def test_dtype_of_the_weights():
    settings = {"num_embeddings": 4, "embedding_dim": 3}
    table = torch.rand(4, 3, dtype=torch.float64)
    result = run_module(nn.Embedding, settings, {"weight": table}, (torch.tensor([1, 3]),))
    assert torch.equal(result["output"], table[[1, 3]])
    assert result.keys() == {"output", "gradient for weight"}


class Turning(nn.Module):
    """Keeps a table of complex numbers, as published models do for rotary encodings."""

    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.ones(3, 2))
        self.register_buffer("turns", torch.tensor([1j, -1j], dtype=torch.complex64))

    def forward(self, x):
        return (x @ self.W * self.turns).imag


def test_complex_buffer_keeps_its_imaginary_part():
    for x in (X, X.float()):
        result = run_module(Turning, {}, {"W": W.to(x.dtype)}, (x,))
        torch.testing.assert_close(result["output"], x @ W.to(x.dtype) * torch.tensor([1, -1]))
        assert result["output"].dtype == x.dtype


def test_inputs_stay():
    given = X.clone()
    run_module(Linear, SETTINGS, {"W": W}, (given,))
    assert (given.requires_grad, given.grad) == (False, None)
    assert torch.equal(given, X)


def test_module_that_writes_to_its_mask_is_told_so():
    class Writing(Linear):
        def forward(self, x, mask):  # type: ignore[override]
            mask[mask.all(dim=-1)] = False
            return super().forward(x).masked_fill(mask[..., :1], 0)

    mask = torch.zeros(X.shape, dtype=torch.bool)
    run_module(Writing, SETTINGS, {"W": W}, (X, mask))
    mask[0] = True
    with pytest.raises(ModuleMismatch, match="writes to what it is called with"):
        run_module(Writing, SETTINGS, {"W": W}, (X, mask))
    assert mask[0].all()


def test_through_a_stand_in():
    def make(**settings):
        return StandIn(Linear(**settings))

    for module in (make, Linear):
        result = run_module(module, SETTINGS, {"W": W}, (X,))
        assert same(result, run_module(Parameter, SETTINGS, {"W": W}, (X,)))


def test_missing_gradient():
    result = run_module(Detached, SETTINGS, {"W": W}, (X,))
    assert result["gradient for inputs[0]"] is None
    assert result["gradient for W"] is not None


def test_output_of_several_parts():
    result = run_module(Both, SETTINGS, {"W": W}, (X,))
    context, (total, positive) = result["output"]
    assert torch.allclose(context, X @ W)
    assert total == X.sum()
    assert positive.dtype == torch.bool
    assert result["gradient for inputs[0]"].shape == X.shape


def test_nothing_to_load():
    result = run_module(Linear, SETTINGS, {}, (X,))
    assert result.keys() == {"output", "gradient for inputs[0]"}


def test_without_gradients_around():
    with torch.no_grad():
        result = run_module(Linear, SETTINGS, {"W": W}, (X,))
    assert result["gradient for W"] is not None


@pytest.mark.parametrize("training", [True, False])
def test_mode(training):
    output = run_module(Dropout, {"p": 1.0}, {}, (X,), training)["output"]
    assert torch.all(output == 0).item() is training


def test_outputs_seen():
    result = run_module(Dropout, {"p": 0.5}, {}, (torch.tensor([1.0, -3.0]),), True, 64)
    seen = result["outputs seen in training"]
    assert seen.tolist() == [[0.0, -6.0], [0.0, 0.0], [2.0, -6.0], [2.0, 0.0]]
    assert result["different outputs in 64 calls"] == 4


def test_nan_is_one_output():
    class Hole(nn.Module):
        def forward(self, x):
            return torch.tensor([torch.nan, 1.0])

    result = run_module(Hole, {}, {}, (X,), True, 16)
    assert result["different outputs in 16 calls"] == 1


@pytest.mark.parametrize(("shape", "has"), [((4, 4), True), ((2, 3), False)])
def test_buffer_of_a_shape(shape, has):
    class Masked(Linear):
        def __init__(self, d_in, d_out):
            super().__init__(d_in, d_out)
            self.plain = torch.ones(2, 3)
            self.register_buffer("any_name", torch.ones(1, 4, 4), persistent=False)

    result = run_module(Masked, SETTINGS, {"W": W}, (X,), buffer=shape)
    assert result[f"a buffer of shape {shape}"] is has


def test_rounding_is_no_difference():
    outputs = iter([1.0, 1.0 + 1e-12, 2.0, 1.0, 2.0 - 1e-12])

    def make():
        return StandIn(Noisy())

    class Noisy(nn.Module):
        def forward(self, x):
            return x * next(outputs)

    result = run_module(make, {}, {}, (torch.tensor([1.0], dtype=torch.float64),), calls=5)
    # Of those that are the same, the lowest.
    assert result["outputs seen in evaluation"].tolist() == [[1.0], [2.0 - 1e-12]]


def test_single_numbers_are_told_apart_too():
    class Summed(nn.Module):
        def forward(self, x):
            return x.sum() * next(outputs)

    outputs = iter([2.0, 1.0, 2.0])
    result = run_module(Summed, {}, {}, (torch.ones(1),), calls=3)
    assert result["outputs seen in evaluation"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("module", "weights", "sentence"),
    [
        (
            Misnamed,
            {"W": W},
            "looked for W: an nn.Linear(3, 2), or an nn.Parameter of shape (3, 2), found by its "
            "name; your module has Wq.weight (2, 3)",
        ),
        (
            Plain,
            {"W": W},
            "looked for W: an nn.Linear(3, 2), or an nn.Parameter of shape (3, 2); "
            "your module has no parameters at all: of what `self` has, PyTorch finds layers, "
            "nn.Parameter and nn.ModuleList, and nothing in a plain list",
        ),
        (
            TurnedRound,
            {"W": W},
            "looked for W: an nn.Linear(3, 2), or an nn.Parameter of shape (3, 2); "
            "your module has W.weight (3, 2) (an nn.Linear stores (out, in))",
        ),
        (
            Linear,
            {"W": W, "W.bias": B},
            "looked for W.bias: the bias of an nn.Linear, or an nn.Parameter W_bias, of shape "
            "(2,); your module has W.weight (2, 3)",
        ),
        (
            Linear,
            {"W": W, "scale": B},
            "looked for scale: an nn.Parameter of shape (2,), found by its name; your module has "
            "W.weight (2, 3)",
        ),
    ],
)
def test_parameters_that_are_not_there(module, weights, sentence):
    with pytest.raises(ModuleMismatch) as error:
        run_module(module, SETTINGS, weights, (X,))
    assert str(error.value) == sentence


def test_parameter_that_was_not_asked_for():
    with pytest.raises(ModuleMismatch) as error:
        run_module(Linear, {**SETTINGS, "bias": True}, {"W": W}, (X,))
    assert str(error.value) == "your module has a parameter that was not asked for: W.bias"


class Growing(nn.Module):
    """Gives back something else at each call."""

    def __init__(self, outputs):
        super().__init__()
        self.outputs = iter(outputs)

    def forward(self, x):
        return next(self.outputs)


@pytest.mark.parametrize(
    ("outputs", "sentence"),
    [
        (
            [torch.zeros(1024, 1024)],
            "your module gave back a tensor of shape (1024, 1024), which is too large for its "
            "outputs in 128 calls to be compared with each other",
        ),
        (
            [torch.zeros(3), torch.zeros(2)],
            "for the same inputs, your module gave back a tensor of shape (3,) and type float32 in "
            "one call and a tensor of shape (2,) and type float32 in another",
        ),
        (
            [torch.zeros(3), torch.zeros(3, dtype=torch.float64)],
            "for the same inputs, your module gave back a tensor of shape (3,) and type float32 in "
            "one call and a tensor of shape (3,) and type float64 in another",
        ),
    ],
)
def test_outputs_that_can_not_be_compared_end_the_calls(outputs, sentence):
    """What would come of a further call is StopIteration."""
    with pytest.raises(ModuleMismatch) as error:
        run_module(Growing, {"outputs": outputs}, {}, (X,), True, 128)
    assert str(error.value) == sentence


@pytest.mark.parametrize("output", [[1.0] * 3, "text", torch.tensor([1, 2]), None])
def test_what_is_no_floating_tensor_is_asked_for_once(output):
    result = run_module(Growing, {"outputs": [output]}, {}, (X,), True, 128)
    assert result == {"different outputs in 128 calls": 1, "outputs seen in training": output}
