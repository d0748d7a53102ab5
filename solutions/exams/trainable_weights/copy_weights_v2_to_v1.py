"""The exam of `copy_weights_v2_to_v1`, lesson 03."""

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.trainable_weights._specimens import wave

copied = Exam(reference.copy_weights_v2_to_v1)

State = dict[str, Tensor]
NAMES = ("W_query", "W_key", "W_value")


@copied.example
def three_to_two() -> State:
    """from three features to two"""
    return {f"{name}.weight": wave(2, 3, shift=i) for i, name in enumerate(NAMES)}


@copied.example
def three_to_three() -> State:
    """from three features to three, where every shape fits"""
    return {f"{name}.weight": wave(3, 3, shift=i) for i, name in enumerate(NAMES)}


@copied.example
def two_to_three() -> State:
    """from two features to three"""
    return {f"{name}.weight": wave(3, 2, shift=i) for i, name in enumerate(NAMES)}


@copied.example
def another_order() -> State:
    """the keys first, then values and queries"""
    return {f"{NAMES[i]}.weight": wave(2, 3, shift=i) for i in (1, 2, 0)}


@copied.case
def drawn_state(draw: Draw) -> State:
    """weights drawn at random"""
    return {f"{name}.weight": draw.tensor("d_out d_in") for name in NAMES}


@copied.misconception
def not_transposed(v2_state: State) -> State:
    """A matrix here is still as nn.Linear stores it, (d_out, d_in). SelfAttention_v1 computes `x @
    W` with (d_in, d_out): transpose each of the three.
    """
    return {name: v2_state[f"{name}.weight"] for name in NAMES}


@copied.misconception
def square_ones_not_transposed(v2_state: State) -> State:
    """A square matrix here is still as nn.Linear stores it. It fits as it is, but as the matrix of
    `x @ W` it is another one: transpose each of the three, whatever its shape.
    """
    layers = {name: v2_state[f"{name}.weight"] for name in NAMES}
    return {name: W if W.shape[0] == W.shape[1] else W.T for name, W in layers.items()}


@copied.misconception
def reshaped(v2_state: State) -> State:
    """The shapes are right, but the entries are in the wrong positions: `reshape` and `view` read
    row after row. A transpose turns rows into columns: `.T`.
    """
    layers = {name: v2_state[f"{name}.weight"] for name in NAMES}
    return {name: W.reshape(W.shape[1], W.shape[0]) for name, W in layers.items()}


@copied.misconception
def names_of_layers(v2_state: State) -> State:
    """The names are still those of the layers. A parameter is called "W_query", without
    ".weight".
    """
    return {name: weight.T for name, weight in v2_state.items()}


@copied.misconception
def names_of_parameters_looked_up(v2_state: State) -> State:
    """You looked for "W_query" in the state of the layers. There it is called "W_query.weight"; the
    short names are for the new dict.
    """
    return {name: v2_state[name].T for name in NAMES}


@copied.misconception
def letters_stripped(v2_state: State) -> State:
    """ "W_value" has lost its e: `strip` removes single letters as long as they are among the given
    ones. To remove a whole ending, use `removesuffix`.
    """
    return {name.strip(".weight"): W.T for name, W in v2_state.items()}


@copied.misconception
def names_and_shapes_of_layers(v2_state: State) -> State:
    """This is the state of the layers, unchanged. Give each matrix its new name, and
    transpose it.
    """
    return dict(v2_state)


@copied.misconception
def one_matrix_for_all(v2_state: State) -> State:
    """The matrix of the queries appears under another name as well. Each name needs its own
    matrix.
    """
    return dict.fromkeys(NAMES, v2_state["W_query.weight"].T)


@copied.misconception
def key_and_value_exchanged(v2_state: State) -> State:
    """Key and value are swapped, or one matrix is used for both."""
    query, key, value = (v2_state[f"{name}.weight"].T for name in NAMES)
    return {"W_query": query, "W_key": value, "W_value": key}


@copied.misconception
def query_and_key_exchanged(v2_state: State) -> State:
    """Query and key are swapped, or one matrix is used for both."""
    query, key, value = (v2_state[f"{name}.weight"].T for name in NAMES)
    return {"W_query": key, "W_key": query, "W_value": value}


@copied.misconception
def named_by_place(v2_state: State) -> State:
    """You assign the names by position, as if the state always came in the same order. Look up each
    matrix by its name.
    """
    return {name: W.T for name, W in zip(NAMES, v2_state.values(), strict=False)}


@copied.misconception
def state_emptied(v2_state: State) -> State:
    """The numbers are right, but `pop` also removes them from the dict that was passed in, or a
    transpose was made in place. Leave the argument as it was.
    """
    return {name: v2_state.pop(f"{name}.weight").T for name in NAMES}


@copied.accepts
def copied_by_name(v2_state: State) -> State:
    """Whatever is in the state, by its first name."""
    return {name.removesuffix(".weight"): W.detach().t().clone() for name, W in v2_state.items()}


@copied.accepts
def copied_one_by_one(v2_state: State) -> State:
    """One after the other, as parameters."""
    v1_state: State = {}
    v1_state["W_query"] = nn.Parameter(v2_state["W_query.weight"].T)
    v1_state["W_key"] = nn.Parameter(v2_state["W_key.weight"].T)
    v1_state["W_value"] = nn.Parameter(v2_state["W_value.weight"].T)
    return v1_state


@copied.accepts
def copied_by_einsum(v2_state: State) -> State:
    """An index expression."""
    return {
        name: torch.einsum("od->do", v2_state[name + ".weight"])
        for name in ("W_value", "W_key", "W_query")
    }
