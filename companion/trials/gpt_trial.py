"""Drivers for exams of modules with caches: called on a whole text, or on its tokens in chunks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from companion.beside import made_beside
from companion.gpt.attention import LibraryRotaryAttention
from companion.gpt.parts import LIBRARY, ListedCache, Parts, TwoLayers
from companion.trials.back_propagation import send_back
from companion.trials.other_ways import refuse_another_order

Settings = Mapping[str, int]
Weights = Mapping[str, Tensor]
Gradients = Mapping[str, Tensor | None]

# Outputs that differ by less than this share of the largest one are the same, but for rounding.
_ROUNDING = 1e-3
_TABLE = "tokens.weight"
_INPUTS = "inputs"
# So many of its standard deviations from 0, no mean of random numbers is ever found.
_DEVIATIONS = 6


class WeightMismatch(Exception):
    """A module has other parameters than were asked for. The message says so to its learner."""


class Recorded(ListedCache):
    """The library's cache, which also keeps what it returned last."""

    def reset(self) -> None:
        super().reset()
        self.kept: tuple[Tensor | None, Tensor | None] = (None, None)

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        keys, values = super().append(keys, values)
        self.kept = keys.detach().clone(), values.detach().clone()
        return keys, values


def doubled_parts() -> Parts:
    """Parts with the weights of the library's, and with results that are twice as large."""
    return replace(
        LIBRARY,
        RMSNorm=lambda d_model: _doubled(nn.RMSNorm(d_model, eps=1e-6)),
        FeedForward=lambda *sizes: _doubled(TwoLayers(*sizes)),
        RotaryAttention=lambda *given: _doubled(LibraryRotaryAttention(*given)),
    )


def library_parts() -> Parts:
    """The library's own."""
    return LIBRARY


def _doubled(module: nn.Module) -> nn.Module:
    module.register_forward_hook(lambda module, given, output: 2 * output)
    return module


def try_attention(
    module_class: Callable[..., Any],
    settings: Settings,
    weights: Weights,
    inputs: tuple[Tensor],
    chunks: Sequence[int] = (),
) -> dict[str, Any]:
    """Make an attention layer, load its weights, and call it.

    Args:
        module_class: the class, or whatever makes a module when it is called with `settings`.
        settings: d_model, num_heads and num_kv_heads, in this order.
        weights: by name, as (in, out).
        inputs: one text for each entry of the batch, (batch, tokens, d_model).
        chunks: without any, the text is given as a whole, without a cache. Otherwise it is given
            with a cache, in chunks of so many tokens. Before that, the module begins another text,
            with another cache.

    Returns:
        "output", in evaluation. For a whole text also whether a second call returns the same, and
        one in training, the gradient for the inputs, and which parameters have none, in one mode or
        the other; for one in chunks whether the whole text gives the same, and what the cache holds
        afterwards.

    Raises:
        WeightMismatch: when the module's parameters are not those of `weights`.
        OrderMismatch: when they are, but not if the arguments are given in order.
    """
    module, places = _made(module_class, settings, weights)
    _refuse_another_order(module_class, settings, library_parts, weights)
    (given,) = inputs
    if chunks:
        make = partial(_cache, module_class, settings, given, weights)
        found, caches = _in_chunks(module, given, chunks, lambda: [make()], alone=True)
        return {**found, **_held("the cache", caches[0])}
    found, gradients = _whole(module, given)
    untrained = _untrained(gradients, places)
    return {**found, "gradient for inputs": gradients[_INPUTS], **untrained}


def try_gpt(
    model_class: Callable[..., Any],
    settings: Settings,
    weights: Weights,
    inputs: tuple[Tensor, ...],
    chunks: Sequence[int] = (),
    doubled: bool = False,
) -> dict[str, Any]:
    """Make a language model, load its weights, and call it.

    Args:
        model_class: the class, or whatever makes a model when it is called with `settings`.
        settings: vocabulary, d_model, num_heads, num_kv_heads, d_hidden and num_blocks, in this
            order.
        weights: by name, as (in, out); without any, the model is only looked at.
        inputs: the ids of one text for each entry of the batch, (batch, tokens).
        chunks: as for `try_attention`, with a cache for each block.
        doubled: whether it is made of parts whose results are twice as large as the library's.

    Returns:
        As `try_attention`, with the gradient for the embedding; without weights, the standard
        deviation of the embedding's numbers, to one digit, their mean, which is 0 if it is no
        further from 0 than chance may take it, and their kurtosis, which is 3 where they are
        normal and 2 where they are uniform.

    Raises:
        WeightMismatch: when the model's parameters are not those of `weights`.
        OrderMismatch: when they are, but not if the arguments are given in order.
    """
    if not weights:
        table = model_class(**settings).state_dict().get(_TABLE)
        if table is None:
            raise WeightMismatch("looked for an embedding called tokens, and found none")
        numbers = table.double()
        deviation, mean = numbers.std().item(), numbers.mean().item()
        return {
            f"standard deviation of {_TABLE}, to one digit": float(f"{deviation:.1g}"),
            f"mean of {_TABLE}, up to chance": 0 if _is_chance(mean, deviation, numbers) else mean,
            f"kurtosis of {_TABLE}, to one digit": float(f"{_kurtosis(numbers):.1g}"),
        }
    parts = {"parts": made_beside(model_class, doubled_parts)} if doubled else {}
    module, places = _made(model_class, {**settings, **parts}, weights)
    _refuse_another_order(
        model_class, settings, doubled_parts if doubled else library_parts, weights
    )
    (ids,) = inputs
    if chunks:
        make = partial(_cache, model_class, settings, ids, weights)
        count = range(settings["num_blocks"])
        found, caches = _in_chunks(module, ids, chunks, lambda: [make() for _ in count])
        for index, cache in enumerate(caches):
            found |= _held(f"caches[{index}]", cache)
        return found
    found, gradients = _whole(module, ids)
    found[f"gradient for {_TABLE}"] = gradients[_TABLE]
    return found | _untrained(gradients, places)


def _is_chance(mean: float, deviation: float, numbers: Tensor) -> bool:
    furthest: float = _DEVIATIONS * deviation / numbers.numel() ** 0.5
    return abs(mean) <= furthest


def _kurtosis(numbers: Tensor) -> float:
    standard = (numbers - numbers.mean()) / numbers.std()
    return standard.pow(4).mean().item()


def _made(
    module_class: Callable[..., Any], settings: Mapping[str, Any], weights: Weights
) -> tuple[Any, dict[str, str]]:
    """A module with these weights, and the name that each has in its state dict."""
    module = module_class(**settings)
    return module, _filled(module, weights)


def _refuse_another_order(
    module_class: Callable[..., Any],
    settings: Settings,
    make_parts: Callable[[], Parts],
    weights: Weights,
) -> None:
    """Have a module made of its arguments in order, whose weights tell which is which.

    It gets other weights than the module that is tried, which then shows whether it shares them, or
    its sizes with one that is larger.
    """
    given = {**settings, "parts": made_beside(module_class, make_parts)}
    others = {name: weight + 1 for name, weight in weights.items()}
    refuse_another_order(module_class, given, lambda made: bool(_filled(made, others)))
    module_class(**{name: 2 * size for name, size in settings.items()})


def _filled(module: Any, weights: Weights) -> dict[str, str]:
    """Load weights into a module, for evaluation, and return the names that they have in it."""
    # Unlike `to`, these leave complex buffers as they are, such as a table of turns.
    is_double = next(iter(weights.values())).dtype == torch.float64
    module.double() if is_double else module.float()
    state = dict(module.state_dict())
    places = {name: _place(name, weight, state) for name, weight in weights.items()}
    loaded = _loaded(module, places)
    for name, parameter in _parameters(module).items():
        if name not in loaded:
            raise WeightMismatch(_not_asked_for(name, parameter, weights))
    module.load_state_dict(
        {place: _turned(weights[name], name, place) for name, place in places.items()}, strict=False
    )
    module.train(False)
    return places


def _parameters(module: Any) -> dict[str, Tensor]:
    """By all names that they have: layers that share their weights have two for one parameter."""
    return dict(module.named_parameters(remove_duplicate=False))


def _loaded(module: Any, places: Mapping[str, str]) -> set[str]:
    """The names of the parameters that have one of these places, or are shared with one.

    Of another process, there are copies of a parameter here: it is known again by its numbers.
    """
    parameters, first = _parameters(module), {name for name, _ in module.named_parameters()}
    there = set(places.values()) & parameters.keys()
    return there | {
        name
        for name in parameters
        for place in there
        # Of several names for one parameter, only one is among the first ones.
        if not first >= {name, place} and torch.equal(parameters[name], parameters[place])
    }


def _place(name: str, weight: Tensor, state: Mapping[str, Tensor]) -> str:
    shape, linear = tuple(weight.shape), f"{name}.weight"
    if name in state and tuple(state[name].shape) == shape:
        return name
    if linear in state and weight.ndim == 2 and tuple(state[linear].shape) == shape[::-1]:
        return linear
    plain = weight.ndim == 1 or name.endswith(".weight")
    wanted = f"of shape {shape}" if plain else f"an nn.Linear{shape}"
    there = next((key for key in (name, linear) if key in state), "")
    found = f"{there} is {tuple(state[there].shape)}" if there else "your module has none"
    stored = ", and an nn.Linear stores (out, in)" if there == linear else ""
    raise WeightMismatch(f"looked for {name}, {wanted}; {found}{stored}")


def _not_asked_for(name: str, parameter: Tensor, weights: Weights) -> str:
    """By its name where that is known; else all who add it read the same, whatever its name."""
    layers = {part for asked in weights for part in (asked, asked.rpartition(".")[0])}
    shown = f": {name}" if name.rpartition(".")[0] in layers - {""} else ""
    of_shape = "" if shown else f", of shape {tuple(parameter.shape)}"
    return f"your module has a parameter that was not asked for{shown}{of_shape}"


def _turned(weight: Tensor, name: str, place: str) -> Tensor:
    """A matrix as an nn.Linear stores it, or back; all else as it is."""
    return weight if name == place else weight.T


def _whole(module: Any, given: Tensor) -> tuple[dict[str, Any], Gradients]:
    """What a whole text gives, and the gradients, which are those in training if these differ."""
    output, gradients = _there_and_back(module, given)
    with torch.no_grad():
        again = module(given.detach())
    module.train(True)
    in_training, others = _there_and_back(module, given)
    module.train(False)
    found = {
        "output": output,
        "the same output in a second call": _alike(output, again),
        "the same output in training": _alike(output, in_training),
    }
    return found, {name: _of_both(one, others.get(name)) for name, one in gradients.items()}


def _there_and_back(module: Any, given: Tensor) -> tuple[Any, Gradients]:
    """The output for a whole text, and the gradients for the parameters and for the inputs."""
    module.zero_grad()
    leaf = given.detach().clone().requires_grad_(given.is_floating_point())
    with torch.enable_grad():
        output = module(leaf)
        send_back(output)
    parameters = {name: parameter.grad for name, parameter in _parameters(module).items()}
    return output, {**parameters, _INPUTS: leaf.grad}


def _of_both(one: Tensor | None, other: Tensor | None) -> Tensor | None:
    """The gradient in evaluation, if it is the one in training too; None if one of them is."""
    return one if one is None or _alike(one, other) else other


def _untrained(gradients: Gradients, places: Mapping[str, str]) -> dict[str, list[str]]:
    """The names of the weights to which no gradient came back."""
    bare = [
        name for name, place in places.items() if place in gradients and gradients[place] is None
    ]
    return {"parameters without a gradient": bare}


def _cache(answer: object, settings: Settings, given: Tensor, weights: Weights) -> Recorded:
    """An empty cache for an answer, with room for each token twice and more."""
    cache: Recorded = made_beside(
        answer,
        Recorded,
        given.shape[0],
        settings["num_kv_heads"],
        3 * given.shape[1],
        settings["d_model"] // settings["num_heads"],
        next(iter(weights.values())).dtype,
    )
    return cache


@torch.no_grad()
def _in_chunks(
    module: Any,
    given: Tensor,
    chunks: Sequence[int],
    make: Callable[[], list[Recorded]],
    alone: bool = False,
) -> tuple[dict[str, Any], list[Recorded]]:
    """The outputs for chunks of a text, joined, and the caches; `alone` hands over one cache."""

    def called(tokens: Tensor, caches: list[Recorded]) -> Any:
        return module(tokens, caches[0] if alone else caches)

    called(given.flip(1)[:, : chunks[0]], make())
    caches = make()
    outputs = [called(chunk.clone(), caches) for chunk in torch.split(given, list(chunks), dim=1)]
    output: Any = tuple(outputs)
    if all(isinstance(one, Tensor) and one.ndim == given.ndim + (not alone) for one in outputs):
        output = torch.cat(outputs, dim=1)
    return {
        "output": output,
        "the same output without a cache": _alike(output, module(given)),
    }, caches


def _held(name: str, cache: Recorded) -> dict[str, Any]:
    keys, values = cache.kept
    return {f"{name}: length": cache.length, f"{name}: keys": keys, f"{name}: values": values}


def _alike(output: object, other: object) -> bool:
    if not (isinstance(output, Tensor) and isinstance(other, Tensor)):
        return type(output) is type(other)
    if output.shape != other.shape:
        return False
    gap, largest = (output - other).abs(), output.abs().max()
    return bool((gap <= _ROUNDING * (1 + largest)).all())
