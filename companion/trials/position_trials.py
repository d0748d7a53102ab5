"""What exercises about positional encodings are tried with, where a plain call says too little."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from types import CellType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np
import torch

from companion.beside import made_beside
from companion.trials.back_propagation import send_back
from companion.trials.other_ways import is_same, laid_apart, refuse_another_order
from companion.trials.quoted import in_quotes

_TABLE = "positions.weight"
# How an exercise may refuse what it is given.
_REFUSALS = (ValueError, AssertionError)
_MODES = {"training": True, "evaluation": False}
_TOLD = 8  # numbers that a message has at most
# Where a module keeps what moves with it.
_REGISTERED = ("_parameters", "_buffers", "_modules")
_DEEPEST = 4  # of lists in lists, and of objects in objects


class TableMismatch(Exception):
    """A module keeps its positions elsewhere. The message says to its learner where they belong."""


def try_encoding(
    encoding: Callable[[int, int], object], num_positions: int, d_model: int
) -> object:
    """Ask for an encoding, and listen to how it is refused.

    Args:
        encoding: the function to try, called with the two numbers.
        num_positions: how many rows to ask for.
        d_model: how many columns.

    Returns:
        What comes back, or, for a ValueError or an assert where d_model is odd, a sentence about
        its message.
    """
    try:
        returned = encoding(num_positions, d_model)
    except _REFUSALS as error:
        return _refusal(error, d_model, due=d_model % 2 == 1)
    return in_quotes(returned)


def try_module(
    module_class: Callable[..., Any], d_model: int, context_length: int, inputs: torch.Tensor
) -> object:
    """Make a module that adds positions, and see what it adds, and of what kind it is.

    Args:
        module_class: called with `d_model` and `context_length` as keywords.
        d_model: features of a token.
        context_length: the largest number of tokens.
        inputs: `(batch, num_tokens, d_model)`.

    Returns:
        What it makes of the inputs in training, whether it makes the same of them in evaluation,
        whether they are left as they were, the gradient that comes back to them, how many numbers
        the module would train, the dtype in which its numbers come out after it was moved to
        bfloat16, and how many tables stay behind when it moves to another device. For a
        ValueError or an assert in the constructor where d_model is odd, a sentence about its
        message.

    Raises:
        OrderMismatch: when it makes that of the inputs only if its arguments are given by name.
    """
    settings = {"d_model": d_model, "context_length": context_length}
    try:
        module = module_class(**settings)
    except _REFUSALS as error:
        return _refusal(error, d_model, due=d_model % 2 == 1)
    module.to(inputs.dtype)
    found = _in_both_modes(module, inputs)
    parameters = (parameter for _, parameter in module.named_parameters())
    trained = sum(parameter.numel() for parameter in parameters if parameter.requires_grad)
    module.to(torch.bfloat16)
    moved = module(inputs.to(torch.bfloat16))

    def does_the_same(made: Any) -> bool:
        return is_same(found["output"], made.to(inputs.dtype)(inputs.clone()))

    refuse_another_order(module_class, settings, does_the_same)
    return {
        **found,
        "trained numbers": trained,
        "dtype after .to(torch.bfloat16)": _kind(moved),
        "tables that stay behind when it moves": made_beside(module_class, left_behind, module),
    }


def left_behind(module: Any) -> int:
    """How many tables are where no `.to` and no state dict know of them: in plain attributes, of
    the class as well, and in what a function among these has around it.

    A table is a tensor, an array, or rows of numbers in a list.
    """
    parts = [*module.modules()]
    kept = [
        value
        for part in parts
        for holder in (part, *_own_classes(part))
        for name, value in vars(holder).items()
        if name not in _REGISTERED
    ]
    return sum(_tables_in(value, parts) for value in kept)


def _own_classes(part: torch.nn.Module) -> list[type]:
    kinds = type(part).__mro__[:-1]
    return [kind for kind in kinds if kind.__module__.partition(".")[0] != torch.__name__]


def _is_filled(cell: CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _tables_in(value: object, parts: Collection[Any], depth: int = 0) -> int:
    if isinstance(value, torch.Tensor | np.ndarray) or _has_rows(value):
        return 1
    if isinstance(value, torch.nn.Module):
        # A part of the module that is reached once more, as by a method, moves with it.
        moves = any(value is part for part in parts)
        return 0 if moves else len([*value.parameters(), *value.buffers()])
    if depth == _DEEPEST:
        return 0
    return sum(_tables_in(held, parts, depth + 1) for held in _held_by(value))


def _has_rows(value: object) -> bool:
    first = value[0] if isinstance(value, list | tuple) and value else ()
    return isinstance(first, list | tuple) and bool(first) and isinstance(first[0], float)


def _held_by(value: object) -> Iterable[object]:
    """What a function, a list, or an object of a learner's own class keeps a table in."""
    if isinstance(value, FunctionType):
        closed = [cell.cell_contents for cell in value.__closure__ or () if _is_filled(cell)]
        return [*closed, *(value.__defaults__ or ()), *(value.__kwdefaults__ or {}).values()]
    if isinstance(value, MethodType):
        return [value.__self__, value.__func__]
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    is_whole = isinstance(value, Iterable | type | ModuleType)
    held = value if is_whole else getattr(value, "__dict__", ())
    if isinstance(held, dict):
        return held.values()
    return held if isinstance(held, Iterable) and not isinstance(held, str | Iterator) else ()


def try_learned(
    module_class: Callable[..., Any], inputs: torch.Tensor, table: torch.Tensor
) -> object:
    """Make a module that learns its positions, put numbers into its table, and call it.

    Args:
        module_class: called with `d_model` and `context_length` as keywords.
        inputs: `(batch, num_tokens, d_model)`.
        table: the vectors of the positions, `(context_length, d_model)`.

    Returns:
        What it makes of the inputs in training, whether it makes the same of them in evaluation,
        whether they are left as they were, and the gradients that come back to them and to the
        table. For a ValueError or an assert where there are more tokens than positions, a sentence
        about its message, which says so if it is raised in one of the two modes alone.

    Raises:
        TableMismatch: when the table is not where it is looked for.
        OrderMismatch: when it is, but not if the arguments are given in order.
    """
    context_length, d_model = table.shape
    settings = {"d_model": d_model, "context_length": context_length}
    module = module_class(**settings)
    module.to(table.dtype)
    _fill(module, table)
    # It gets another table than the module that is tried, which then shows whether it shares it.
    refuse_another_order(module_class, settings, lambda made: _fill(made, table + 1))
    try:
        found = _in_both_modes(module, inputs)
    except _REFUSALS as error:
        tokens = inputs.shape[1]
        told = _refusal(error, tokens, context_length, due=tokens > context_length)
        modes = [name for name, training in _MODES.items() if _refuses(module, inputs, training)]
        return told if len(modes) == len(_MODES) else f"{told}, in {' and '.join(modes)} alone"
    gradient = dict(module.named_parameters())[_TABLE].grad
    # A table may be asked to have gradients for the rows alone that were looked up.
    dense = gradient if gradient is None else gradient.to_dense()
    return {**found, f"gradient for {_TABLE}": dense}


def try_turn(
    turn: Callable[[torch.Tensor, torch.Tensor], object],
    x: torch.Tensor,
    positions: torch.Tensor,
    in_bfloat16: bool = False,
) -> dict[str, object]:
    """Turn queries or keys, and back-propagate through the turn.

    Args:
        turn: the function to try, called with the next two.
        x: `(..., tokens, head_dim)`.
        positions: `(tokens,)`.
        in_bfloat16: whether to turn x in bfloat16 instead, and only to look at the angles.

    Returns:
        What comes back, whether x is left as it was, and the gradient that comes back to x. In
        bfloat16, of what dtype the result is, what float32 gives for the same numbers, and whether
        the result is that, but for the rounding of x and of the result.
    """
    if in_bfloat16:
        coarse = x.to(torch.bfloat16)
        output, exact = turn(coarse, positions), turn(coarse.float(), positions)
        return {
            "dtype": _kind(output),
            "output in float32": exact,
            "angles as in float32": _alike(output, exact),
        }
    return _there_and_back(turn, "x", x, positions)


def _there_and_back(
    answer: Callable[..., object], name: str, x: torch.Tensor, *others: object
) -> dict[str, object]:
    """What comes out with gradients, or what does without them or of another layout, if it differs.

    A model is evaluated without gradients, and there an answer may write to what it is given.
    """
    leaf = x.detach().clone().requires_grad_()
    # What is no leaf may be written to, so that an answer that does so is told of it.
    given, plain = leaf.clone(), x.detach().clone()
    output = answer(given, *others)
    kept = torch.equal(given.detach(), x)
    with torch.no_grad():
        again = answer(plain, *others)
        kept = kept and torch.equal(plain, x)
        apart = answer(made_beside(answer, laid_apart, x), *others)
    send_back(output)
    unlike = [one for one in (again, apart) if not is_same(output, one)]
    return {
        "output": unlike[0] if unlike else output,
        f"{name} left as it was": kept,
        f"gradient for {name}": leaf.grad,
    }


def _in_both_modes(module: Any, inputs: torch.Tensor) -> dict[str, object]:
    found = _there_and_back(module, "inputs", inputs)
    module.train(False)
    given = inputs.clone()
    evaluated = module(given)
    return {
        **found,
        "inputs left as it was": found["inputs left as it was"] and torch.equal(given, inputs),
        "the same output in evaluation": is_same(found["output"], evaluated),
    }


def _refuses(module: Any, inputs: torch.Tensor, training: bool) -> bool:
    module.train(training)
    try:
        module(inputs.clone())
    except _REFUSALS:
        return True
    return False


def _fill(module: Any, table: torch.Tensor) -> bool:
    """Put numbers into the table: it is there, or an exception says that it is not."""
    shapes = {name: tuple(found.shape) for name, found in module.named_parameters()}
    if list(shapes) != [_TABLE]:
        raise TableMismatch("looked for one thing to train, an nn.Embedding called positions")
    if shapes[_TABLE] != tuple(table.shape):
        raise TableMismatch(f"{_TABLE} should be {tuple(table.shape)}, and is {shapes[_TABLE]}")
    module.load_state_dict({_TABLE: table}, strict=False)
    return True


def _kind(output: object) -> str:
    return str(getattr(output, "dtype", type(output).__name__)).removeprefix("torch.")


def _alike(output: object, exact: object) -> bool:
    if not (isinstance(output, torch.Tensor) and isinstance(exact, torch.Tensor)):
        return False
    if output.shape != exact.shape:
        return False
    # bfloat16 keeps 8 bits, and sums and products round a few times.
    gap = (output.float() - exact.float()).abs().max()
    return bool(gap <= 0.04 * exact.abs().max())


def _refusal(error: Exception, *numbers: int, due: bool) -> str:
    if not due:
        # "not enough values to unpack", and much else of Python's and PyTorch's, is a ValueError.
        raise error
    told = set(map(int, re.findall(r"\d+", str(error))))
    # A message with ever so many numbers names none.
    names = "names" if told.issuperset(numbers) and len(told) <= _TOLD else "does not name"
    return f"a ValueError, or an assert, whose message {names} {' and '.join(map(str, numbers))}"
