"""The exam of `RepairedNetwork`, lesson 00b."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from autograder import Draw, Exam, run_module
from solutions import tensors_and_modules as reference
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.tensors_and_modules._specimens import wave

network = Exam(reference.RepairedNetwork, use=run_module)

Trial = tuple[dict[str, int], dict[str, Tensor], tuple[Tensor, ...]]


@network.example
def five_hidden() -> Trial:
    """four inputs, three features, five in between, two out"""
    weights = {
        "layers.0": wave(3, 5),
        "layers.0.bias": wave(5, shift=1),
        "layers.1": wave(5, 2, shift=2),
        "layers.1.bias": wave(2, shift=3),
        "scale": torch.tensor([0.5, -2.0], dtype=torch.float64),
    }
    return {"d_in": 3, "d_hidden": 5, "d_out": 2}, weights, (wave(4, 3, shift=4),)


@network.example
def all_alike() -> Trial:
    """two inputs, three features everywhere"""
    weights = {
        "layers.0": wave(3, 3, shift=5),
        "layers.0.bias": wave(3, shift=6),
        "layers.1": wave(3, 3, shift=7),
        "layers.1.bias": wave(3, shift=8),
        "scale": torch.tensor([3.0, 1.5, -0.5], dtype=torch.float64),
    }
    return {"d_in": 3, "d_hidden": 3, "d_out": 3}, weights, (wave(2, 3, shift=9),)


@network.case
def drawn_network(draw: Draw) -> Trial:
    """inputs and weights drawn at random"""
    settings = {f"d_{name}": draw.size(name) for name in ("in", "hidden", "out")}
    weights = {
        "layers.0": draw.tensor("in hidden"),
        "layers.0.bias": draw.tensor("hidden"),
        "layers.1": draw.tensor("hidden out"),
        "layers.1.bias": draw.tensor("out"),
        "scale": draw.tensor("out"),
    }
    return settings, weights, (draw.tensor("batch tokens in"),)


@network.case(times=1)
def made_one_after_the_other(draw: Draw) -> Trial:
    """modules that are made one after the other"""
    return drawn_network(draw.fix(**{"in": MADE_TWICE}))


network.half_but_for("a seed that it sets", made_one_after_the_other)

network.holds(leaves_the_generator_alone)


class Layered(nn.Module):
    """The network in steps, for misconceptions to get one of them wrong."""

    def __init__(self, d_in: int, d_hidden: int, d_out: int) -> None:
        super().__init__()
        self.layers = self.kept([nn.Linear(d_in, d_hidden), nn.Linear(d_hidden, d_out)])
        self.scale = self.factors(d_hidden, d_out)

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        return nn.ModuleList(layers)

    def factors(self, d_hidden: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.ones(d_out))

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layers
        outputs: Tensor = second(torch.relu(first(x))) * self.scale
        return outputs


@network.misconception
class NothingRegistered(Layered):
    """Your module has no parameters at all, just as in the given lines. PyTorch does not find
    layers in a plain list, nor a plain tensor.
    """

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        return layers

    def factors(self, d_hidden: int, d_out: int) -> Tensor:
        return torch.ones(d_out)


@network.misconception
class ListOfLayers(Layered):
    """`scale` is a parameter now, but the layers are still not found: a plain list, tuple or dict
    hides them from PyTorch. Use an `nn.ModuleList`.
    """

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        return layers


@network.misconception
class PlainScale(Layered):
    """The layers are found now, but `scale` is still not a parameter. A plain tensor is an
    attribute like any other, and a buffer is saved but not trained.
    """

    def factors(self, d_hidden: int, d_out: int) -> Tensor:
        return torch.ones(d_out)


@network.misconception
class FrozenScale(Layered):
    """`scale` gets no gradient: it is a buffer, or created with `requires_grad=False`, or used
    through `.data` or `.detach()`. Make it a parameter that can be trained.
    """

    def factors(self, d_hidden: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.ones(d_out), requires_grad=False)


@network.misconception
class OneFactor(Layered):
    """Your `scale` is a single number. It needs one for each output."""

    def factors(self, d_hidden: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.ones(1))


@network.misconception
class HiddenFactors(Layered):
    """Your `scale` has d_hidden numbers. It multiplies the outputs, so it needs d_out."""

    def factors(self, d_hidden: int, d_out: int) -> Tensor:
        return nn.Parameter(torch.ones(d_hidden))


@network.misconception
class HiddenLayerScaled(HiddenFactors):
    """Your `scale` has d_hidden numbers, and multiplies the hidden layer. It should multiply the
    outputs, so it needs d_out numbers: leave `forward` as it is given.
    """

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layers
        outputs: Tensor = second(torch.relu(first(x)) * self.scale)
        return outputs


@network.misconception
class ReLUAmongTheLayers(Layered):
    """The second layer is `layers.2` here, because something without parameters, such as a ReLU, is
    between the two. Only the two linear layers should be in the list.
    """

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        return nn.Sequential(layers[0], nn.ReLU(), layers[1])

    def forward(self, x: Tensor) -> Tensor:
        first, relu, second = self.layers
        outputs: Tensor = second(relu(first(x))) * self.scale
        return outputs


@network.misconception
class LayersTurnedRound(Layered):
    """The two layers are in the wrong order. The one from d_in to d_hidden comes first."""

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        return nn.ModuleList([layers[1], layers[0]])

    def forward(self, x: Tensor) -> Tensor:
        second, first = self.layers
        outputs: Tensor = second(torch.relu(first(x))) * self.scale
        return outputs


@network.misconception
class OnlyTheFirst(Layered):
    """Only one of your layers is found, `layers.0`, but `layers.1` is not. Put both into the
    list.
    """

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        self.second = [layers[1]]
        return nn.ModuleList(layers[:1])

    def forward(self, x: Tensor) -> Tensor:
        (first,) = self.layers
        outputs: Tensor = self.second[0](torch.relu(first(x))) * self.scale
        return outputs


@network.misconception
class WithoutBias(Layered):
    """A layer has lost its bias. Leave each `nn.Linear` as it is given."""

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        for layer in layers:
            layer.register_parameter("bias", None)
        return nn.ModuleList(layers)


@network.misconception
class LayersByName(Layered):
    """Your layers are found under other names, as attributes or in a dict with names that you
    chose. The given `forward` uses `self.layers[0]` and `self.layers[1]`, so keep a list.
    """

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        self.first, self.second = layers
        return layers


@network.misconception
class ScaleLeftOut(Layered):
    """Everything is registered, but `scale` has no effect on the result. Leave `forward` as
    it is.
    """

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layers
        outputs: Tensor = second(torch.relu(first(x)))
        return outputs


@network.misconception
class ReLULeftOut(Layered):
    """Everything is registered, but the ReLU is gone. Leave `forward` as it is."""

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layers
        outputs: Tensor = second(first(x)) * self.scale
        return outputs


@network.misconception
class ReLUAtTheEndToo(Layered):
    """What the second layer returns goes through a ReLU as well, so nothing below zero is left of
    it. Only the features between the two layers do: leave `forward` as it is.
    """

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layers
        outputs: Tensor = torch.relu(second(torch.relu(first(x)))) * self.scale
        return outputs


@network.accepts
class AsASequence(Layered):
    """A sequence, used as a list."""

    def kept(self, layers: list[nn.Linear]) -> Iterable[nn.Module]:
        return nn.Sequential(*layers)


@network.accepts
class ListThatGrows(nn.Module):
    """Layers appended one by one, `scale` registered by name.

    A loop appends one layer for each pair of sizes to an empty `nn.ModuleList`, which is how a
    network of any depth is made. `register_parameter` does what assigning an `nn.Parameter` does.
    """

    def __init__(self, d_in: int, d_hidden: int, d_out: int) -> None:
        super().__init__()
        self.register_parameter("scale", nn.Parameter(torch.ones(d_out)))
        self.layers = nn.ModuleList()
        for size, width in ((d_in, d_hidden), (d_hidden, d_out)):
            self.layers.append(nn.Linear(size, width))

    def forward(self, x: Tensor) -> Tensor:
        hidden = torch.relu(self.layers[0](x))
        outputs: Tensor = self.layers[1](hidden) * self.get_parameter("scale")
        return outputs


@network.accepts
class DictOfLayers(nn.Module):
    """A dict whose names are numbers.

    An `nn.ModuleDict` registers its layers just as a list does, under names of your choice. Here
    they are the numbers that a list would give them, so the parameters are called the same.
    """

    def __init__(self, d_in: int, d_hidden: int, d_out: int) -> None:
        super().__init__()
        pair = {"0": nn.Linear(d_in, d_hidden), "1": nn.Linear(d_hidden, d_out)}
        self.layers = nn.ModuleDict(pair)
        self.scale = nn.Parameter(torch.ones(d_out))

    def forward(self, x: Tensor) -> Tensor:
        first, second = (self.layers[name] for name in ("0", "1"))
        outputs: Tensor = second(first(x).clamp(min=0)) * self.scale
        return outputs


@network.accepts
class AddedByName(nn.Module):
    """A module of its own that is filled by name."""

    def __init__(self, d_in: int, d_hidden: int, d_out: int) -> None:
        super().__init__()
        self.layers = nn.Sequential()
        self.layers.add_module("0", nn.Linear(d_in, d_hidden))
        self.layers.add_module("1", nn.Linear(d_hidden, d_out))
        self.scale = nn.Parameter(torch.full((d_out,), 1.0))

    def forward(self, x: Tensor) -> Tensor:
        first, second = self.layers
        outputs: Tensor = self.scale * second(nn.functional.relu(first(x)))
        return outputs
