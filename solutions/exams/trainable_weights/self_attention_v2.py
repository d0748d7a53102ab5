"""The exam of `SelfAttention_v2`, lesson 03."""

import torch
from torch import Tensor, nn

from autograder import Draw, Exam, run_module
from solutions import trainable_weights as reference
from solutions.exams.families import BIAS
from solutions.exams.trainable_weights._self_attention import (
    LESSONS_WEIGHTS,
    WithLayers,
    WithParameters,
    drawn_module,
    examine_module,
)
from solutions.exams.trainable_weights._specimens import INPUTS, scaled_weights, wave

v2 = Exam(reference.SelfAttention_v2, use=run_module, forbids=("companion",))

examine_module(v2, WithLayers)


@v2.example
def with_biases() -> tuple[dict[str, object], dict[str, Tensor], tuple[Tensor]]:
    """with biases: qkv_bias=True"""
    biases = {f"{name}.bias": wave(2, shift=i) for i, name in enumerate(LESSONS_WEIGHTS)}
    settings: dict[str, object] = {"d_in": 3, "d_out": 2, "qkv_bias": True}
    return settings, {**LESSONS_WEIGHTS, **biases}, (INPUTS,)


@v2.case(times=2)
def drawn_biases(draw: Draw) -> tuple[dict[str, object], dict[str, Tensor], tuple[Tensor, ...]]:
    """qkv_bias=True or qkv_bias=False, drawn at random"""
    settings, weights, inputs = drawn_module(draw)
    is_biased = draw.in_turn((True, False))
    biases = {f"{name}.bias": draw.tensor("d_out") for name in weights} if is_biased else {}
    return {**settings, "qkv_bias": is_biased}, {**weights, **biases}, inputs


v2.half_but_for("the biases", with_biases, drawn_biases)


BIAS.apply(v2, WithLayers, called={"BiasAlways": "AlwaysBiased", "BiasNever": "NeverBiased"})


@v2.misconception
class TurnedLayers(nn.Module):
    """Your layers go from d_out to d_in features. `nn.Linear` takes the width of its input first
    and then that of its output; only the matrix that it stores is the other way round.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_out, d_in, bias=qkv_bias)
        self.W_key = nn.Linear(d_out, d_in, bias=qkv_bias)
        self.W_value = nn.Linear(d_out, d_in, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.T / keys.shape[-1] ** 0.5
        return torch.softmax(attn_scores, dim=-1) @ values


@v2.misconception
class WeightsUntransposed(WithLayers):
    """In effect you multiplied by `W_query.weight` as it is stored, (d_out, d_in). Call the layer
    instead, as in `self.W_query(x)`: it handles the transpose.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys = x @ self.W_query.weight, x @ self.W_key.weight
        return scaled_weights(queries, keys) @ (x @ self.W_value.weight)


@v2.misconception
class BiasesLeftOut(WithLayers):
    """Without biases this is right, but with `qkv_bias=True` they are missing from the result, as
    when the weights are used without their layers. Call the layers.
    """

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys = x @ self.W_query.weight.T, x @ self.W_key.weight.T
        return scaled_weights(queries, keys) @ (x @ self.W_value.weight.T)


@v2.misconception
class ParametersAsBefore(WithParameters):
    """These are the parameters of `SelfAttention_v1`, and a parameter has no bias to pass
    `qkv_bias` to. Create three layers, `nn.Linear`.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__(d_in, d_out)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries, keys, values = self.projected(x)
        return scaled_weights(queries, keys) @ values


@v2.misconception
class LayersMultiplied(WithLayers):
    """A layer is not a matrix, so `@` does not work with it. Call the layer: `self.W_query(x)`."""

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        queries = x @ self.W_query  # type: ignore[operator]
        keys = x @ self.W_key  # type: ignore[operator]
        return scaled_weights(queries, keys) @ (x @ self.W_value)  # type: ignore[operator]


@v2.accepts
class PublishedLayers(nn.Module):
    """Keys first, as it is often printed.

    As textbooks often print it: three projections, the scores, the softmax and the sum, each
    with a name.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        keys = self.W_key(x)
        queries = self.W_query(x)
        values = self.W_value(x)
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        context_vec = attn_weights @ values
        return context_vec


@v2.accepts
class LayersByPytorch(nn.Module):
    """PyTorch's own function.

    PyTorch's own function does everything behind the projections. It scales by itself, and is
    fast where a GPU can fuse the steps.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_value = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        return nn.functional.scaled_dot_product_attention(
            self.W_query(x), self.W_key(x), self.W_value(x)
        )


@v2.accepts
class LayersQueryByQuery(nn.Module):
    """One query at a time.

    A loop over the tokens: each asks alone. No table of all scores is ever in memory, which is
    what exact attention in blocks is about, in lesson 08.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        keys, values = self.W_key(x), self.W_value(x)
        contexts = []
        for token in x:
            scores = keys @ self.W_query(token)
            contexts.append(torch.softmax(scores / self.d_out**0.5, dim=0) @ values)
        return torch.stack(contexts)


@v2.accepts
class ParametersInPlaceOfLayers(nn.Module):
    """Parameters, where no bias is asked for."""

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_in, d_out))
        self.W_key = nn.Parameter(torch.randn(d_in, d_out))
        self.W_value = nn.Parameter(torch.randn(d_in, d_out))
        self.biases = nn.ModuleDict()
        for name in ("W_query", "W_key", "W_value"):
            if qkv_bias:
                delattr(self, name)
                setattr(self, name, nn.Linear(d_in, d_out))

    def forward(self, x: Tensor) -> Tensor:
        """Attend."""
        layers = (self.W_query, self.W_key, self.W_value)
        made = [x @ W if isinstance(W, nn.Parameter) else W(x) for W in layers]
        return nn.functional.scaled_dot_product_attention(made[0], made[1], made[2])
