"""The exam of `Affine`, lesson 00b."""

import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder import Draw, Exam, run_module
from solutions import tensors_and_modules as reference
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.tensors_and_modules._specimens import wave

affine = Exam(reference.Affine, use=run_module, forbids=("Linear",))

Trial = tuple[dict[str, int], dict[str, Tensor], tuple[Tensor, ...]]


def trial(inputs: Tensor, d_out: int, shift: float) -> Trial:
    d_in = inputs.shape[-1]
    weights = {"W": wave(d_in, d_out, shift=shift), "b": wave(d_out, shift=shift + 1)}
    return {"d_in": d_in, "d_out": d_out}, weights, (inputs,)


@affine.example
def fewer_out() -> Trial:
    """four inputs, three features in, two out"""
    return trial(wave(4, 3), d_out=2, shift=1)


@affine.example
def as_many_out() -> Trial:
    """two inputs, three features in, three out"""
    return trial(2 * wave(2, 3, shift=3), d_out=3, shift=4)


@affine.example
def batched() -> Trial:
    """two sentences of three words, two features in, four out"""
    return trial(wave(2, 3, 2, shift=5), d_out=4, shift=6)


@affine.case
def drawn_module(draw: Draw) -> Trial:
    """inputs and weights drawn at random"""
    settings = {"d_in": draw.size("d_in"), "d_out": draw.size("d_out")}
    weights = {"W": draw.tensor("d_in d_out"), "b": draw.tensor("d_out")}
    return settings, weights, (draw.tensor("batch d_in"),)


@affine.case(times=1)
def drawn_batch(draw: Draw) -> Trial:
    """inputs with three axes in front of the features"""
    settings = {"d_in": draw.size("d_in"), "d_out": draw.size("d_out")}
    weights = {"W": draw.tensor("d_in d_out"), "b": draw.tensor("d_out")}
    return settings, weights, (draw.tensor("batch heads tokens d_in"),)


@affine.case(times=1)
def one_vector(draw: Draw) -> Trial:
    """a single vector"""
    settings = {"d_in": draw.size("d_in"), "d_out": draw.size("d_out")}
    weights = {"W": draw.tensor("d_in d_out"), "b": draw.tensor("d_out")}
    return settings, weights, (draw.tensor("d_in"),)


@affine.case(times=1)
def made_one_after_the_other(draw: Draw) -> Trial:
    """modules that are made one after the other"""
    return drawn_module(draw.fix(d_in=MADE_TWICE))


affine.half_but_for("a seed that it sets", made_one_after_the_other)

affine.holds(leaves_the_generator_alone)


class Mapping(nn.Module):
    """An affine map in steps, for misconceptions to get one of them wrong."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.W = self.matrix(d_in, d_out)
        self.b = self.bias(d_in, d_out)

    def matrix(self, d_in: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.randn(d_in, d_out))

    def bias(self, d_in: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.zeros(d_out))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W + self.b


@affine.misconception
class PlainTensors(Mapping):
    """Your module has no parameters: a plain tensor that is assigned to `self` is an attribute like
    any other. Wrap both tensors in `nn.Parameter`.
    """

    def matrix(self, d_in: int, d_out: int) -> Tensor:
        return torch.randn(d_in, d_out)

    def bias(self, d_in: int, d_out: int) -> Tensor:
        return torch.zeros(d_out)


@affine.misconception
class PlainMatrix(Mapping):
    """Your module has the parameter `b` but no `W`. Is `W` a plain tensor, or does it have a
    different name? Assign an `nn.Parameter` to `self.W`.
    """

    def matrix(self, d_in: int, d_out: int) -> Tensor:
        return torch.randn(d_in, d_out)


@affine.misconception
class PlainBias(Mapping):
    """Your module has the parameter `W` but no `b`. Is `b` a plain tensor, is it missing, or does
    it have a different name? Assign an `nn.Parameter` to `self.b`.
    """

    def bias(self, d_in: int, d_out: int) -> Tensor:
        return torch.zeros(d_out)


@affine.misconception
class TurnedMatrix(Mapping):
    """Your `W` is (d_out, d_in), as an `nn.Linear` stores it. Make it (d_in, d_out), so that `x @
    W` needs no transpose.
    """

    def matrix(self, d_in: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.randn(d_out, d_in))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W.T + self.b


@affine.misconception
class BiasOfTheInputs(Mapping):
    """Your `b` has d_in numbers. It is added to the outputs, so it needs d_out."""

    def bias(self, d_in: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.zeros(d_in))


@affine.misconception
class OneNumberForBias(Mapping):
    """Your `b` is a single number. It needs one for each of the d_out outputs."""

    def bias(self, d_in: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.zeros(1))


@affine.misconception
class BiasAsARow(Mapping):
    """Your `b` has two axes, (1, d_out). Give it only one, (d_out,): broadcasting does the rest."""

    def bias(self, d_in: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.zeros(1, d_out))


@affine.misconception
class BiasLeftOut(Mapping):
    """The product is right, but `b` has no effect on the result: add it."""

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W


@affine.misconception
class BiasSubtracted(Mapping):
    """`b` is subtracted. Add it instead."""

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W - self.b


@affine.misconception
class BiasMultiplied(Mapping):
    """`b` is multiplied. Add it instead."""

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W * self.b


@affine.misconception
class BiasInTheMatrix(Mapping):
    """`b` is added to every row of `W` before the product. Broadcasting lets you do that, but `b`
    has to be added to the product: check your brackets.
    """

    def forward(self, x: Tensor) -> Tensor:
        return x @ (self.W + self.b)


@affine.misconception
class EntryByEntry(Mapping):
    """`*` multiplies entry by entry. The matrix product is `@`."""

    def forward(self, x: Tensor) -> Tensor:
        return x * self.W + self.b


@affine.misconception
class MatrixFirst(Mapping):
    """The matrix comes before the inputs. The inputs are rows here, so they come first: `x @ W`."""

    def forward(self, x: Tensor) -> Tensor:
        return self.W @ x + self.b


@affine.misconception
class MatrixTransposed(Mapping):
    """Your `W` is (d_in, d_out) already: `x @ self.W` needs no transpose."""

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W.T + self.b


@affine.misconception
class NumbersOnly(Mapping):
    """The outputs are right, but no gradient flows back to `W` and `b`. Both have to be parameters
    that require gradients, and `forward` has to use them as they are, without `.data`, `.detach()`
    or `torch.no_grad()`.
    """

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W.detach() + self.b.detach()


@affine.misconception
class NoGradients(Mapping):
    """The outputs are right, but nothing flows back through them, not even to the inputs. Leave out
    `torch.no_grad()`, `.detach()` and `.data`.
    """

    def forward(self, x: Tensor) -> Tensor:
        with torch.no_grad():
            return x @ self.W + self.b


@affine.misconception
class MatrixDetached(Mapping):
    """The outputs are right, but no gradient flows back to `W`. It has to be an `nn.Parameter`, and
    `forward` has to use it as it is, without `.data` or `.detach()`.
    """

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W.detach() + self.b


@affine.misconception
class BiasDetached(Mapping):
    """The outputs are right, but no gradient flows back to `b`. It has to be an `nn.Parameter`, and
    `forward` has to use it as it is, without `.data` or `.detach()`.
    """

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.W + self.b.detach()


@affine.misconception
class WithReLU(Mapping):
    """Outputs below zero have become 0: you apply a ReLU. An affine map has none."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.relu(x @ self.W + self.b)


@affine.misconception
class BatchAveraged(Mapping):
    """The outputs are averaged over the first axis. Each input should have its own output."""

    def forward(self, x: Tensor) -> Tensor:
        return (x @ self.W + self.b).mean(dim=0)


@affine.misconception
class ReturnForgotten(Mapping):
    """Your `forward` returns nothing. End it with a `return` of the result."""

    def forward(self, x: Tensor) -> None:  # type: ignore[override]
        x @ self.W + self.b


@affine.misconception
class OtherNames(nn.Module):
    """Your parameters are called `weight` and `bias`. Call them `W` and `b`."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(d_in, d_out))
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


@affine.accepts
class ByFunctionalLinear(Mapping):
    """PyTorch's function, which wants the matrix transposed."""

    def forward(self, x: Tensor) -> Tensor:
        return functional.linear(x, self.W.T, self.b)


@affine.accepts
class ByLetters(Mapping):
    """einsum."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.einsum("...i,io->...o", x, self.W) + self.b


@affine.accepts
class Registered(nn.Module):
    """Parameters registered by name, other numbers to begin with."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        self.register_parameter("b", nn.Parameter(torch.zeros(d_out)))
        self.register_parameter("W", nn.Parameter(torch.empty(d_in, d_out).uniform_(-1, 1)))

    def forward(self, x: Tensor) -> Tensor:
        product: Tensor = torch.matmul(x, self.get_parameter("W"))
        return product.add(self.get_parameter("b"))


@affine.accepts
class OneMoreFeature(Mapping):
    """The bias as one more row of the matrix."""

    def forward(self, x: Tensor) -> Tensor:
        longer = torch.cat([x, torch.ones_like(x[..., :1])], dim=-1)
        return longer @ torch.cat([self.W, self.b[None]])
