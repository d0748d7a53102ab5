"""The exam of `FeedForward`, lesson 09."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder import Draw, Exam, run_module
from solutions import transformer as reference
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.printed_numbers import numbers
from solutions.exams.transformer._norm_in_steps import Module

VIEWED = {"layout": "what a block gives it is contiguous, and GPT-2's own code views it"}
fed = Exam(reference.FeedForward, use=run_module, unasked=VIEWED)


def printed(inputs: Tensor, d_hidden: int) -> Module:
    d_model = inputs.shape[-1]
    weights = {
        "linear1": numbers(d_model, d_hidden, start=50),
        "linear1.bias": numbers(d_hidden, start=100),
        "linear2": numbers(d_hidden, d_model, start=120),
        "linear2.bias": numbers(d_model, start=170),
    }
    return {"d_model": d_model, "d_hidden": d_hidden}, weights, (inputs,), False, 1


@fed.example
def two_sentences() -> Module:
    """two sentences of three tokens, from four features to six and back"""
    return printed(numbers(2, 3, 4), 6)


@fed.example
def as_wide_inside() -> Module:
    """as many features inside as outside"""
    return printed(numbers(1, 2, 3, start=31), 3)


@fed.example
def narrow_inside() -> Module:
    """one feature inside"""
    return printed(numbers(1, 3, 2, start=41), 1)


# Its tokens are so large that tanh and sigmoid are flat there, and ReLU is not.
@fed.example
def large_features() -> Module:
    """features ten times as large"""
    return printed(10 * numbers(1, 2, 3, start=9), 5)


@fed.example
def in_training() -> Module:
    """two sentences of three tokens, called eight times in training mode"""
    settings, weights, inputs, _, _ = printed(numbers(2, 3, 4), 6)
    return settings, weights, inputs, True, 8


def drawn(draw: Draw, scale: float = 1.0) -> Module:
    weights = {
        "linear1": draw.tensor("d_model d_hidden"),
        "linear1.bias": draw.tensor("d_hidden"),
        "linear2": draw.tensor("d_hidden d_model"),
        "linear2.bias": draw.tensor("d_model"),
    }
    settings = {"d_model": draw.size("d_model"), "d_hidden": draw.size("d_hidden")}
    return settings, weights, (draw.tensor("batch tokens d_model", scale=scale),), False, 1


@fed.case
def drawn_sentences(draw: Draw) -> Module:
    """a batch of sentences"""
    return drawn(draw)


@fed.case(times=1)
def drawn_token(draw: Draw) -> Module:
    """one sentence of one token"""
    return drawn(draw.fix(batch=1, tokens=1, d_hidden=MADE_TWICE))


@fed.case(times=1)
def drawn_wide(draw: Draw) -> Module:
    """four times as many features inside"""
    return drawn(draw.fix(d_model=4, d_hidden=16))


@fed.case(times=1)
def drawn_large(draw: Draw) -> Module:
    """features thirty times as large"""
    return drawn(draw, scale=30)


@fed.case(times=1)
def drawn_training(draw: Draw) -> Module:
    """several calls in training mode"""
    settings, weights, inputs, *_ = drawn(draw)
    return settings, weights, inputs, True, 8


fed.holds(leaves_the_generator_alone)


@fed.holds
def token_by_token(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: Mapping[str, Tensor],
    inputs: tuple[Tensor],
    *_: object,
) -> bool:
    """each token is handled separately: the tokens in reverse give the outputs in reverse"""
    module = module_class(**settings)
    module.to(inputs[0].dtype)
    module.train(False)
    turned = module(inputs[0].flip(1)).flip(1)
    return torch.allclose(turned, module(inputs[0]), rtol=1e-4, atol=1e-5)


class Variant(nn.Module):
    """The feed-forward layer in steps, for misconceptions to get one of them wrong."""

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__()
        bias1, bias2 = self.biased()
        self.linear1 = nn.Linear(d_model, d_hidden, bias=bias1)
        self.linear2 = nn.Linear(d_hidden, d_model, bias=bias2)

    def biased(self) -> tuple[bool, bool]:
        return True, True

    def forward(self, inputs: Tensor) -> Tensor:
        return self.contract(self.activate(self.expand(inputs)))

    def expand(self, inputs: Tensor) -> Tensor:
        expanded: Tensor = self.linear1(inputs)
        return expanded

    def activate(self, expanded: Tensor) -> Tensor:
        return torch.relu(expanded)

    def contract(self, activated: Tensor) -> Tensor:
        contracted: Tensor = self.linear2(activated)
        return contracted


@fed.misconception
class NoActivation(Variant):
    """There is no ReLU between the two layers. Without it, they amount to a single linear layer:
    put the ReLU between them.
    """

    def activate(self, expanded: Tensor) -> Tensor:
        return expanded


@fed.misconception
class ActivatedAtTheEnd(NoActivation):
    """Your ReLU comes after the second layer, so none of your outputs is below 0. Put it between
    the two layers.
    """

    def contract(self, activated: Tensor) -> Tensor:
        return torch.relu(super().contract(activated))


@fed.misconception
class ActivatedAtTheStart(NoActivation):
    """Your ReLU comes before the first layer, which then sees no feature below 0. Put it between
    the two layers.
    """

    def expand(self, inputs: Tensor) -> Tensor:
        return super().expand(torch.relu(inputs))


@fed.misconception
class ActivatedTwice(Variant):
    """There is a second ReLU, after the second layer. Use only one, between the two."""

    def contract(self, activated: Tensor) -> Tensor:
        return torch.relu(super().contract(activated))


@fed.misconception
class ActivatedBeforeBoth(Variant):
    """There is a ReLU before each layer. Use only one, between the two."""

    def expand(self, inputs: Tensor) -> Tensor:
        return super().expand(torch.relu(inputs))


def _with(name: str, function: Callable[[Tensor], Tensor], hint: str) -> None:
    """Declare another activation."""

    def activate(_: Variant, expanded: Tensor) -> Tensor:
        return function(expanded)

    made = type(name, (Variant,), {"activate": activate, "__doc__": hint})
    made.__module__ = __name__
    fed.misconception(made)


_OTHERS: tuple[tuple[str, Callable[[Tensor], Tensor], str], ...] = (
    ("Gelu", functional.gelu, "GELU, as GPT has it"),
    ("GeluByTanh", lambda x: functional.gelu(x, approximate="tanh"), "GELU, as GPT has it"),
    ("Silu", functional.silu, "SiLU, also called Swish"),
    ("Tanh", torch.tanh, "tanh"),
    ("Sigmoid", torch.sigmoid, "a sigmoid"),
    ("LeakyRelu", functional.leaky_relu, "a leaky ReLU, which lets a little of what is below 0 by"),
    ("Elu", functional.elu, "ELU"),
    ("Softplus", functional.softplus, "softplus"),
    ("Relu6", functional.relu6, "ReLU6, which ends at 6"),
    ("Softmax", lambda x: torch.softmax(x, dim=-1), "a softmax"),
)
for _name, _function, _what in _OTHERS:
    _with(_name, _function, f"Between your layers stands {_what}. This exercise asks for ReLU.")


@fed.misconception
class NegativeKept(Variant):
    """You keep what is below 0 and drop what is above. ReLU is max(0, x)."""

    def activate(self, expanded: Tensor) -> Tensor:
        return expanded.clamp(max=0)


@fed.misconception
class AbsoluteValues(Variant):
    """You flip the sign of numbers below 0. ReLU replaces them with 0: max(0, x)."""

    def activate(self, expanded: Tensor) -> Tensor:
        return expanded.abs()


@fed.misconception
class OneInsteadOfTheNumber(Variant):
    """You pass on only whether a number is above 0, as 1 or 0. ReLU keeps the number: max(0, x)."""

    def activate(self, expanded: Tensor) -> Tensor:
        return (expanded > 0).to(expanded.dtype)


@fed.misconception
class FirstBiasLeftOut(Variant):
    """The bias of `linear1` does nothing. Call the layer, self.linear1(x), or add its bias."""

    def expand(self, inputs: Tensor) -> Tensor:
        return inputs @ self.linear1.weight.T


@fed.misconception
class SecondBiasLeftOut(Variant):
    """The bias of `linear2` does nothing. Call the layer, self.linear2(x), or add its bias."""

    def contract(self, activated: Tensor) -> Tensor:
        return activated @ self.linear2.weight.T


@fed.misconception
class Residual(Variant):
    """You add the inputs to the result. The residual connection is not part of this layer: the
    block around it will add the inputs.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + super().forward(inputs)


@fed.misconception
class ResidualAndGelu(Residual):
    """You add the inputs to the result, and use GELU. The residual connection is not part of this
    layer, and the activation is ReLU.
    """

    def activate(self, expanded: Tensor) -> Tensor:
        return functional.gelu(expanded)


@fed.misconception
class Normalised(Variant):
    """Your outputs are normalised. Normalisation is not part of this layer: the block around it
    will do that.
    """

    def contract(self, activated: Tensor) -> Tensor:
        return functional.layer_norm(super().contract(activated), (self.linear2.out_features,))


@fed.misconception
class FirstLayerAlone(Variant):
    """This is the result of the first layer, after its ReLU. Pass it through `linear2` next."""

    def contract(self, activated: Tensor) -> Tensor:
        return activated


@fed.misconception
class FirstLayerTwice(Variant):
    """`linear1` is used twice. The second layer is `linear2`."""

    def contract(self, activated: Tensor) -> Tensor:
        again: Tensor = self.linear1(activated)
        return again


@fed.misconception
class SecondLayerTwice(Variant):
    """`linear2` is used twice. The first layer is `linear1`."""

    def expand(self, inputs: Tensor) -> Tensor:
        first: Tensor = self.linear2(inputs)
        return first


@fed.misconception
class SecondLayerFirst(Variant):
    """`linear2` comes first. `linear1` turns d_model features into d_hidden, and then `linear2`
    turns d_hidden back into d_model.
    """

    def expand(self, inputs: Tensor) -> Tensor:
        first: Tensor = self.linear2(inputs)
        return first

    def contract(self, activated: Tensor) -> Tensor:
        second: Tensor = self.linear1(activated)
        return second


@fed.misconception
class SecondLayerOfTheInputs(Variant):
    """You pass the inputs to `linear2`, so the result of `linear1` is lost. Pass it the result of
    the ReLU.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return self.contract(inputs)


@fed.misconception
class AlwaysFourTimes(Variant):
    """Your layer is always four times as wide inside as outside. Its inner width is given by
    d_hidden.
    """

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__(d_model, 4 * d_model)


@fed.misconception
class WidthsExchanged(Variant):
    """d_model and d_hidden are exchanged. `linear1` turns d_model features into d_hidden, and
    `linear2` turns d_hidden into d_model.
    """

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__(d_hidden, d_model)


@fed.misconception
class NeitherBias(Variant):
    """A layer has no bias. `linear1` and `linear2` both need one, which nn.Linear has unless you
    pass bias=False.
    """

    def biased(self) -> tuple[bool, bool]:
        return False, False


@fed.misconception
class SecondBiasMissing(NeitherBias):
    __doc__ = NeitherBias.__doc__

    def biased(self) -> tuple[bool, bool]:
        return True, False


@fed.accepts
class ByClamp(Variant):
    """clamp, and functional.linear."""

    def forward(self, inputs: Tensor) -> Tensor:
        hidden = functional.linear(inputs, self.linear1.weight, self.linear1.bias).clamp(min=0)
        return functional.linear(hidden, self.linear2.weight, self.linear2.bias)


@fed.accepts
class ByParameters(nn.Module):
    """Parameters, matrix products, and torch.where.

    The layers are parameters of shape (in, out), so the products in `forward` read like the
    formula, and `torch.where` is the ReLU.
    """

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__()
        self.linear1 = nn.Parameter(torch.randn(d_model, d_hidden))
        self.linear1_bias = nn.Parameter(torch.zeros(d_hidden))
        self.linear2 = nn.Parameter(torch.randn(d_hidden, d_model))
        self.linear2_bias = nn.Parameter(torch.zeros(d_model))

    def forward(self, inputs: Tensor) -> Tensor:
        hidden = inputs @ self.linear1 + self.linear1_bias
        return torch.where(hidden > 0, hidden, 0) @ self.linear2 + self.linear2_bias


@fed.accepts
class TokenByToken(Variant):
    """A loop over sentences and tokens."""

    def forward(self, inputs: Tensor) -> Tensor:
        found = torch.zeros_like(inputs)
        for sentence in range(inputs.shape[0]):
            for token in range(inputs.shape[1]):
                hidden = self.linear1(inputs[sentence, token])
                found[sentence, token] = self.linear2(hidden * (hidden > 0))
        return found


@fed.accepts
class ByEinsum(Variant):
    """einsum, and torch.maximum."""

    def forward(self, inputs: Tensor) -> Tensor:
        hidden = torch.einsum("btd,hd->bth", inputs, self.linear1.weight) + self.linear1.bias
        hidden = torch.maximum(hidden, torch.zeros_like(hidden))
        return torch.einsum("bth,dh->btd", hidden, self.linear2.weight) + self.linear2.bias


@fed.accepts
class AsASequence(nn.Module):
    """The two layers, and nn.Sequential over them.

    `nn.Sequential` runs the two layers with the ReLU as a module in between. The layers keep names
    of their own, so weights can be loaded by these names.
    """

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(d_model, d_hidden), nn.Linear(d_hidden, d_model)
        self.activation = nn.ReLU()

    def forward(self, inputs: Tensor) -> Tensor:
        result: Tensor = nn.Sequential(self.linear1, self.activation, self.linear2)(inputs)
        return result
