"""The exam of `repaired_residual_stream`, lesson 09."""

from collections.abc import Callable, Sequence
from functools import reduce

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_stream
from solutions import transformer as reference
from solutions.exams.printed_numbers import numbers

repaired = Exam(reference.repaired_residual_stream, use=try_stream)

Case = tuple[Tensor, list[Tensor], list[Tensor]]
Functions = Sequence[Callable[[Tensor], Tensor]]


def printed(x: Tensor, layers: int) -> Case:
    d_model = x.shape[-1]
    matrices = [numbers(d_model, d_model, start=20 * n + 40) / 2 for n in range(layers)]
    gains = [numbers(d_model, start=10 * n + 200) for n in range(layers)]
    return x, matrices, gains


@repaired.example
def one_layer() -> Case:
    """one layer, two tokens with three features"""
    return printed(numbers(1, 2, 3), 1)


@repaired.example
def two_layers() -> Case:
    """attention and feed-forward layer, two sentences of three tokens"""
    return printed(numbers(2, 3, 2, start=13), 2)


@repaired.example
def three_layers() -> Case:
    """three layers"""
    return printed(3 * numbers(1, 2, 3, start=30), 3)


def drawn(draw: Draw, layers: int) -> Case:
    x = draw.tensor("batch tokens d_model")
    matrices = [draw.tensor("d_model d_model", scale=0.5) for _ in range(layers)]
    return x, matrices, [draw.tensor("d_model") for _ in range(layers)]


@repaired.case
def drawn_blocks(draw: Draw) -> Case:
    """two blocks, of two layers each"""
    return drawn(draw, 4)


@repaired.case(times=1)
def drawn_deep(draw: Draw) -> Case:
    """twelve layers"""
    return drawn(draw.fix(batch=1), 12)


@repaired.case(times=1)
def drawn_nothing(draw: Draw) -> Case:
    """no layer at all"""
    return drawn(draw, 0)


@repaired.case(times=1)
def drawn_token(draw: Draw) -> Case:
    """one token"""
    return drawn(draw.fix(batch=1, tokens=1), 2)


@repaired.misconception
def still_broken(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """This is still the broken stack: what you add to a layer's result has been normalised, so
    every layer changes the whole stream. Only the layer should see the normalised vectors.
    """
    for layer, norm in zip(layers, norms, strict=True):
        x = norm(x)
        x = x + layer(x)
    return x


@repaired.misconception
def no_residual(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """There is no sum: each layer's result replaces its input. Add the input to it."""
    for layer, norm in zip(layers, norms, strict=True):
        x = layer(norm(x))
    return x


@repaired.misconception
def layers_alone(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """There is neither a normalisation nor a sum: each layer is given the output of the one before.
    Normalise x for the layer, and add the layer's output to x itself.
    """
    for layer in layers:
        x = layer(x)
    return x


@repaired.misconception
def no_norms(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """Nothing is normalised. Give each layer norm(x), and add its result to x itself."""
    for layer in layers:
        x = x + layer(x)
    return x


@repaired.misconception
def post_norm(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You normalise the sums, which is post-norm. In pre-norm the normalisation comes before the
    layer, inside the residual connection, and nothing normalises the sum.
    """
    for layer, norm in zip(layers, norms, strict=True):
        x = norm(x + layer(x))
    return x


@repaired.misconception
def norm_behind_the_layer(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You normalise the result of the layer. Normalise its input."""
    for layer, norm in zip(layers, norms, strict=True):
        x = x + norm(layer(x))
    return x


@repaired.misconception
def normed_on_both_sides(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You normalise the input of a layer, and then the sum as well. Leave the sum as it is."""
    for layer, norm in zip(layers, norms, strict=True):
        x = norm(x + layer(norm(x)))
    return x


@repaired.misconception
def normed_sum_of_normed(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You add layer(x) to norm(x). It should be the other way round: pass norm(x) to the layer, and
    add its result to x itself.
    """
    for layer, norm in zip(layers, norms, strict=True):
        x = norm(x) + layer(x)
    return x


@repaired.misconception
def input_added_each_time(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You add the input of the stack to each layer's result, so what the earlier layers have added
    is lost. Add the stream as the layer before has left it.
    """
    stream = x
    for layer, norm in zip(layers, norms, strict=True):
        stream = x + layer(norm(stream))
    return stream


@repaired.misconception
def input_to_every_layer(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """Every layer is given the input of the stack. Give it the stream as the layers before have
    left it, normalised.
    """
    stream = x
    for layer, norm in zip(layers, norms, strict=True):
        stream = stream + layer(norm(x))
    return stream


@repaired.misconception
def one_for_each_pair(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You have one residual connection around each two layers, as around a whole block. Put one
    around each layer: attention has its own, and the feed-forward layer too.
    """
    for start in range(0, len(layers), 2):
        x = x + no_residual(x, layers[start : start + 2], norms[start : start + 2])
    return x


@repaired.misconception
def input_added_at_the_end(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You add the input once, at the end. Every layer has its own residual connection."""
    return x + no_residual(x, layers, norms)


@repaired.misconception
def both_added(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You add both x and norm(x) to the layer's result. Add only x."""
    for layer, norm in zip(layers, norms, strict=True):
        normed = norm(x)
        x = x + normed + layer(normed)
    return x


@repaired.misconception
def added_twice(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You add the input of a layer twice. Add it only once."""
    for layer, norm in zip(layers, norms, strict=True):
        x = x + x + layer(norm(x))
    return x


@repaired.misconception
def subtracted(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You subtract the layer's result. Add it."""
    for layer, norm in zip(layers, norms, strict=True):
        x = x - layer(norm(x))
    return x


@repaired.misconception
def multiplied(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You multiply by the layer's result. Add it."""
    for layer, norm in zip(layers, norms, strict=True):
        x = x * layer(norm(x))
    return x


@repaired.misconception
def first_layer_alone(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """Only the first layer was used. Is `return` inside the loop?"""
    for layer, norm in zip(layers, norms, strict=True):
        return x + layer(norm(x))
    return x


@repaired.misconception
def nothing_added(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """This is the input of the stack: no layer has added anything. In each round of the loop,
    assign what you have computed back to the same name.
    """
    return x


@repaired.misconception
def last_layer_alone(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """Only the last layer has an effect on the result. In each round of the loop, continue with the
    result of the round before.
    """
    stream = x
    for layer, norm in zip(layers, norms, strict=True):
        stream = x + layer(norm(x))
    return stream


@repaired.misconception
def first_norm_everywhere(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You use the first normalisation for every layer. Each layer has its own."""
    for layer in layers:
        x = x + layer(norms[0](x))
    return x


@repaired.misconception
def normed_at_the_end(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """Your stack is right up to its end, where you normalise it once more. A model does that after
    its last block, with an extra normalisation; here the sum is returned as it is.
    """
    for layer, norm in zip(layers, norms, strict=True):
        x = x + layer(norm(x))
    return norms[-1](x) if norms else x


@repaired.misconception
def normed_at_the_start_alone(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """Only the input of the stack is normalised. Every layer has its own normalisation."""
    x = norms[0](x) if norms else x
    for layer in layers:
        x = x + layer(x)
    return x


@repaired.misconception
def halved(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You average a layer's input and its result. Add them."""
    for layer, norm in zip(layers, norms, strict=True):
        x = (x + layer(norm(x))) / 2
    return x


@repaired.misconception
def detached(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """The outputs are right, but the gradient does not flow back along the residual connections.
    Leave out `.detach()`, `.data` and `torch.no_grad()`.
    """
    for layer, norm in zip(layers, norms, strict=True):
        x = x.detach() + layer(norm(x))
    return x


@repaired.misconception
def in_place(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """You write into `x`, for example with `+=` or `add_`. PyTorch does not allow that where
    gradients are needed, and the caller still needs the numbers. Make a new tensor: x = x + …
    """
    for layer, norm in zip(layers, norms, strict=True):
        x += layer(norm(x))
    return x


@repaired.accepts
def by_names(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """A name for every step.

    Every step has a name, which shows what goes where: the layer reads what is normalised, and its
    result is added to what is not.
    """
    for layer, norm in zip(layers, norms, strict=True):
        normed = norm(x)
        added = layer(normed)
        x = torch.add(x, added)
    return x


@repaired.accepts
def by_number(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """A loop over numbers."""
    for n in range(len(layers)):
        residual = x
        x = norms[n](x)
        x = layers[n](x)
        x = residual + x
    return x


@repaired.accepts
def by_recursion(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """Recursion: the first layer, and then the rest.

    It does the first layer, and then calls itself for the rest. A residual stream is this one step,
    repeated.
    """
    if not layers:
        return x
    return by_recursion(x + layers[0](norms[0](x)), layers[1:], norms[1:])


@repaired.accepts
def by_reduce(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """functools.reduce."""

    def step(stream: Tensor, pair: tuple[Callable[..., Tensor], Callable[..., Tensor]]) -> Tensor:
        layer, norm = pair
        return stream + layer(norm(stream))

    return reduce(step, zip(layers, norms, strict=True), x)


@repaired.accepts
def by_sum(x: Tensor, layers: Functions, norms: Functions) -> Tensor:
    """A list of all that is added, summed for each layer.

    It keeps a list of everything that is added. The stream is the sum of the input and of what each
    layer has written, which the loop usually hides.
    """
    parts = [x]
    for layer, norm in zip(layers, norms, strict=True):
        parts.append(layer(norm(torch.stack(parts).sum(dim=0))))
    return torch.stack(parts).sum(dim=0)
