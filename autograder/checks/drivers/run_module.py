"""A driver for exams of PyTorch modules: from a class to what its module computes and learns.

An exam of a class says `use=run_module`. Weights are handed over by name, always as the matrix W of
`x @ W`, so that a learner may write `self.W_query` as an `nn.Parameter` or as an `nn.Linear`.

When an instructor grades, the class lives in another process, and this runs there. Where it can't,
the calls go over one by one; so nothing is asked of the class but to be called, and nothing of its
module but what a module does by itself: state_dict, load_state_dict, named_parameters,
named_buffers, train, to, and to be called. `make_ready`, `load` and `gradients_of` ask for what a
module says of itself, and `call_often` for what it returns, and run where it is: they are its word
wherever they run.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from autograder.checks.drivers.back_propagation import is_floating, leaf_of, send_back
from autograder.checks.values import parts
from autograder.checks.values.kinds import describe
from autograder.checks.values.outcome import results_of
from autograder.checks.values.tensors import dtype_name, is_tensor, seeded

if TYPE_CHECKING:
    import torch

    Weights = Mapping[str, torch.Tensor]


# Numbers that differ by less than this share of the largest one are the same, but for rounding.
_ROUNDING = 1e-4
# What casts a module, by the dtype. Unlike `to`, these leave complex buffers as they are.
_CASTS = {"float64": "double", "float32": "float", "float16": "half", "bfloat16": "bfloat16"}
# What is kept of the outputs of several calls, all together.
_MOST_NUMBERS = 1 << 22


WRITES = (
    "your module writes to what it is called with, which whoever calls it may need again: leave "
    "that as it is, and compute a new tensor"
)
SHARED = (
    "two modules of your class have the same weights: what is loaded into one of them changes the "
    "other, so they are not trained apart; make all layers and parameters anew in `__init__`"
)


class ModuleMismatch(Exception):
    """A module can't be looked at as it is asked for. The message says why to its learner."""


def run_module(
    module_class: Callable[..., Any],
    settings: Mapping[str, object],
    weights: "Weights",
    inputs: tuple[object, ...],
    training: bool = False,
    calls: int = 1,
    buffer: tuple[int, ...] = (),
    before: Sequence[tuple[object, ...]] = (),
) -> dict[str, Any]:
    """Make a module, load weights into it, call it, and back-propagate through it.

    Args:
        module_class: the class, or whatever makes a module when it is called with `settings`.
        settings: the keywords of its constructor, such as `{"d_in": 3, "d_out": 2}`.
        weights: by name, matrices as (in, out), which fit an `nn.Parameter` of this name and the
            `nn.Linear` of this name; "W_query.bias" is a bias, (out,), and fits an `nn.Parameter`
            called W_query_bias as well. Any other full name in a state dict will do
            ("norm.weight"), and is loaded as it is. A matrix (in, 1) fits a vector (in,). Without
            any, nothing is loaded, and the module keeps what its constructor gave it.
        inputs: what the module is called with; floating tensors require gradients.
        training: whether it is called in training mode.
        calls: with more than one, the module is called that often, without gradients, to see what
            its random numbers do.
        buffer: the shape of one that the module should have.
        before: what it is called with while it still has the weights that its constructor gave it.

    Returns:
        "output", which may be a tuple, "gradient for inputs[0]" for each floating input, and
        "gradient for W_query" for each of the weights, in its shape, or None where there is none.
        The gradients are of a fixed weighted sum of all floating outputs.
        With several calls "outputs seen in training" (or "in evaluation"): all that differ by more
        than rounding, stacked and sorted, so that they are the same whatever the random numbers,
        if the calls are enough to see them all; and before them how many they are.
        With a buffer "a buffer of shape (6, 6)", say: True or False.

    Raises:
        ModuleMismatch: when the module's parameters are not those of `weights`, it writes to its
            inputs, the outputs of several calls can't be compared with each other, or, where there
            are calls before, its weights are those of another module of the class as well.
    """
    import torch

    given = [leaf_of(value) for value in inputs]
    module = module_class(**settings)
    floating = [value for value in (*given, *weights.values()) if is_floating(value)]
    cast_to = _CASTS[dtype_name(floating[0])] if floating else ""
    state, parameters = _where_it_is(make_ready, module, cast_to, training)
    if not all(map(is_tensor, state.values())):
        # There are parameters whose shapes the first inputs tell, as in an nn.LazyLinear.
        with torch.no_grad():
            module(*given)
        state, parameters = _where_it_is(make_ready, module, cast_to, training)
    with torch.enable_grad():
        for others in before:
            _left_alone(module, others)
    places = _load(module, state, parameters, weights) if weights else {}
    if before and weights:
        how = (cast_to, training)
        _refuse_shared(module, module_class(**settings), how, [*places.values()])
    if before:
        _make_another(module_class, settings)
    found: dict[str, object] = {}
    if buffer:
        found[parts.buffer_of(buffer)] = _has_buffer(module, buffer)
    if calls > 1:
        with torch.no_grad():
            outputs = _where_it_is(call_often, module, calls, *map(_apart, given))
            # What comes from another process is its word.
            number, seen = _different(_of_one_kind(outputs, calls))
        mode = "training" if training else "evaluation"
        return {**found, parts.outputs_counted(calls): number, parts.outputs_seen(mode): seen}
    with torch.enable_grad():
        output = module(*given)
        _refuse_written(given, inputs)
        send_back(output)
    back = {f"inputs[{n}]": value.grad for n, value in enumerate(given) if is_floating(value)}
    if places:
        back |= _gradients(_where_it_is(gradients_of, module), weights, places)
    return {
        **found,
        "output": output,
        **{parts.gradient_for(name): value for name, value in back.items()},
    }


def make_ready(
    module: Any, cast_to: str, training: bool
) -> "tuple[dict[str, torch.Tensor], list[str]]":
    """Have a module compute in a dtype and a mode; its state dict, and the names of its parameters.

    Args:
        module: which.
        cast_to: the method that casts it, such as "double", or "".
        training: the mode.
    """
    if cast_to:
        getattr(module, cast_to)()
    module.train(training)
    return dict(module.state_dict()), [name for name, _ in module.named_parameters()]


def load(module: Any, state: "Weights") -> None:
    """Load a part of a state dict into a module."""
    module.load_state_dict(state, strict=False)


def gradients_of(module: Any) -> "dict[str, torch.Tensor | None]":
    """The gradient of each of a module's parameters, by its name; None where there is none."""
    return {name: parameter.grad for name, parameter in module.named_parameters()}


def call_often(module: Any, times: int, *given: object) -> list[Any]:
    """What several calls of a module return, as far as it can be compared.

    None of them finds what another has left in its inputs. They draw the same random numbers in
    whichever process they are made.
    """
    with seeded():
        return _of_one_kind((_left_alone(module, given) for _ in range(times)), times)


def _where_it_is(do: Callable[..., Any], module: Any, *arguments: object) -> Any:
    """What one of the four above does with a module, in the process that it is in."""
    return next(results_of(module, [arguments], do))


def _left_alone(module: Any, given: Sequence[object]) -> Any:
    """What a module returns for copies of these inputs, which it has to leave as they are."""
    own = [*map(_apart, given)]
    output = module(*own)
    _refuse_written(own, given)
    return output


def _refuse_written(found: Sequence[object], given: Sequence[object]) -> None:
    if any(map(_is_written, found, given)):
        raise ModuleMismatch(WRITES)


def _is_written(value: Any, before: Any) -> bool:
    """Whether an input is another after the call; NaN is not."""
    if not is_tensor(value):
        return False
    return not value.detach().nan_to_num().equal(before.detach().nan_to_num())


def _make_another(module_class: Callable[..., Any], settings: Mapping[str, object]) -> None:
    """Make a module of other sizes and rates, which a module of the same class has to survive."""
    # A class may refuse what these are together.
    with suppress(Exception):
        module_class(**{name: _another(value) for name, value in settings.items()})


def _another(setting: object) -> object:
    if type(setting) is int:
        return 2 * setting
    return setting / 2 + 0.25 if type(setting) is float else setting


def _refuse_shared(module: Any, other: Any, how: tuple[str, bool], places: Sequence[str]) -> None:
    """Load other weights into another module, which has to leave this one's as they are."""

    def found() -> "Weights":
        state, _ = _where_it_is(make_ready, module, *how)
        return {place: state[place].clone() for place in places}

    loaded = found()
    _where_it_is(make_ready, other, *how)
    _where_it_is(load, other, {place: value + 1 for place, value in loaded.items()})
    if not all(value.equal(loaded[place]) for place, value in found().items()):
        raise ModuleMismatch(SHARED)


def _apart(value: Any) -> object:
    """An input for a call of which no gradient is asked."""
    return value.detach().clone() if is_tensor(value) else value


def _has_buffer(module: Any, shape: tuple[int, ...]) -> bool:
    return any(tuple(found.shape)[-len(shape) :] == shape for _, found in module.named_buffers())


def _load(
    module: Any, state: Mapping[str, Any], parameters: Sequence[str], weights: "Weights"
) -> dict[str, str]:
    """Load weights, and return the name that each has in the module's state dict."""
    places = {name: _place(name, weight, state, parameters) for name, weight in weights.items()}
    for name in parameters:
        if name not in places.values():
            raise ModuleMismatch(f"your module has a parameter that was not asked for: {name}")
    loaded = {}
    for name, place in places.items():
        turned = _is_turned(name, place)
        loaded[place] = weights[name].T if turned else weights[name].reshape(state[place].shape)
    _where_it_is(load, module, loaded)
    return places


def _place(
    name: str, weight: "torch.Tensor", state: Mapping[str, Any], parameters: Sequence[str]
) -> str:
    """Where a weight belongs in a module's state dict, of which these are parameters."""
    shape, linear = tuple(weight.shape), f"{name}.weight"
    # The name of an nn.Parameter can't hold a dot.
    bias = f"{name.removesuffix('.bias')}_bias" if name.endswith(".bias") else ""
    shapes = (shape, shape[:1]) if shape[1:] == (1,) else (shape,)
    for place in (name, bias):
        if place in state and tuple(state[place].shape) in shapes:
            return place
    if weight.ndim == 2 and linear in state and state[linear].shape == weight.T.shape:
        return linear
    wanted = f"an nn.Parameter of shape {' or '.join(map(str, shapes))}"
    if bias:
        wanted = f"the bias of an nn.Linear, or an nn.Parameter {bias}, of shape {shape}"
    elif weight.ndim == 2 and not name.endswith(".weight"):
        wanted = f"an nn.Linear{shape}, or {wanted}"
    # Buffers are free, and so is the order: who makes the same mistake reads the same sentence.
    shown = sorted(key for key in parameters if key in state)
    found = ", ".join(f"{key} {tuple(state[key].shape)}" for key in shown)
    # A layer that is turned round shows the very numbers that were asked for.
    turned = linear in state and tuple(state[linear].shape) == shape
    stored = " (an nn.Linear stores (out, in))" if turned else ""
    nothing = (
        "no parameters at all: of what `self` has, PyTorch finds layers, nn.Parameter and "
        "nn.ModuleList, and nothing in a plain list"
    )
    by_name = ", found by its name" if found and not bias and not {name, linear} & {*state} else ""
    raise ModuleMismatch(
        f"looked for {name}: {wanted}{by_name}; your module has {found or nothing}{stored}"
    )


def _is_turned(name: str, place: str) -> bool:
    """Whether a matrix lies in its place as (out, in)."""
    return place == f"{name}.weight"


def _gradients(
    found: "Mapping[str, torch.Tensor | None]", weights: "Weights", places: Mapping[str, str]
) -> Iterator[tuple[str, object]]:
    for name, place in places.items():
        gradient = found.get(place)
        if gradient is not None:
            turned = _is_turned(name, place)
            gradient = gradient.T if turned else gradient.reshape(weights[name].shape)
        yield name, gradient


def _of_one_kind(outputs: Iterable[Any], calls: int) -> list[object]:
    """The outputs of several calls: those that can't be looked at together are not waited for."""
    kept: list[Any] = []
    for output in outputs:
        if not is_floating(output):
            return [output]
        if output.numel() * calls > _MOST_NUMBERS:
            raise ModuleMismatch(
                f"your module gave back {describe(output)}, which is too large for its outputs in "
                f"{calls} calls to be compared with each other"
            )
        if kept and (output.shape, output.dtype) != (kept[0].shape, kept[0].dtype):
            raise ModuleMismatch(
                "for the same inputs, your module gave back "
                f"{_in_full(kept[0])} in one call and {_in_full(output)} in another"
            )
        kept.append(output)
    return kept


def _in_full(output: Any) -> str:
    return f"{describe(output)} and type {dtype_name(output)}"


def _different(outputs: Sequence[object]) -> tuple[int, object]:
    """How many outputs differ by more than rounding, and these.

    They are stacked in an order that rounding can't change.
    """
    import torch

    if not all(is_floating(output) for output in outputs):
        return 1, outputs[0]
    stacked = torch.stack(cast("list[torch.Tensor]", outputs))
    numbers = stacked.nan_to_num(posinf=0.0, neginf=0.0)
    unit = numbers.abs().max() * _ROUNDING
    # Adding zero makes one zero of two. NaN differs from itself, and so would be counted each time.
    rounded = ((stacked / unit).round() if unit else stacked).nan_to_num(torch.inf) + 0.0
    _, kinds = torch.unique(rounded, dim=0, return_inverse=True)
    # Two may differ by less than that, where next to nothing is dropped: which of them stands for
    # both must not hang on which came first.
    rows = numbers.double().unsqueeze(-1).flatten(1)
    height = rows @ torch.arange(1, rows.shape[1] + 1, dtype=torch.float64).cos()
    lowest = [
        int(height.masked_fill(kinds != kind, torch.inf).argmin())
        for kind in range(int(kinds.max()) + 1)
    ]
    return len(lowest), stacked[lowest]
