"""The exam of `to_torch`, lesson 05."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.multi_head_attention._specimens import WEIGHTS, State, counted, future
from solutions.exams.sixteen_bits import bfloat16_stays

export = Exam(reference.to_torch)


def batched_state(weight: Callable[[], Tensor], bias: Callable[[], Tensor]) -> State:
    state = {name: weight() for name in (*WEIGHTS, "out_proj.weight")}
    return {**state, "out_proj.bias": bias()}


@export.example
def two_features() -> State:
    """two features, with a mask in the state"""
    state = {name: counted(2, 2, start=10 * n + 1) for n, name in enumerate(WEIGHTS)}
    state |= {"out_proj.weight": counted(2, 2, start=41), "out_proj.bias": counted(2, start=51)}
    return {"mask": future(3), **state}


@export.example
def other_order() -> State:
    """keys before queries in the state"""
    state = {name: counted(3, 3, start=10 * n + 1) for n, name in enumerate(WEIGHTS)}
    keys, queries, values = (state[WEIGHTS[n]] for n in (1, 0, 2))
    return {
        "W_key.weight": keys,
        "W_query.weight": queries,
        "W_value.weight": values,
        "out_proj.weight": counted(3, 3, start=41),
        "out_proj.bias": counted(3, start=51),
    }


@export.case
def drawn_state(draw: Draw) -> State:
    """weights drawn at random"""
    return batched_state(lambda: draw.tensor("d d"), lambda: draw.tensor("d"))


@export.case(times=1)
def drawn_state_with_mask(draw: Draw) -> State:
    """other entries in the state, such as a mask"""
    state = batched_state(lambda: draw.tensor("d d"), lambda: draw.tensor("d"))
    # In no usual order: a bias before its matrix, and both before the projections.
    state = {name: state[name] for name in reversed(state)}
    seen = future(draw.size("tokens"))
    return {"mask": seen, "positions.table": draw.tensor("tokens d"), **state, "hidden": seen}


export.holds(bfloat16_stays)


def packed(state: State, join: Callable[[list[Tensor]], Tensor] = torch.cat) -> State:
    stacked = join([state[name] for name in WEIGHTS])
    return {
        "in_proj_weight": stacked,
        "in_proj_bias": stacked.new_zeros(3 * len(state["out_proj.bias"])),
        "out_proj.weight": state["out_proj.weight"],
        "out_proj.bias": state["out_proj.bias"],
    }


@export.misconception
def packed_side_by_side(state: State) -> State:
    """You joined the three matrices along axis 1. in_proj_weight has 3 · d_out rows: stack the
    three matrices as rows.
    """
    return packed(state, lambda parts: torch.cat(parts, dim=1))


@export.misconception
def packed_on_a_new_axis(state: State) -> State:
    """in_proj_weight is a matrix. Join along axis 0 instead of making a new axis."""
    return packed(state, torch.stack)


@export.misconception
def keys_first(state: State) -> State:
    """The rows should be in the order queries, keys, values, not keys, queries, values."""
    return packed(state, lambda parts: torch.cat([parts[1], parts[0], parts[2]]))


@export.misconception
def values_second(state: State) -> State:
    """The rows should be in the order queries, keys, values, not queries, values, keys."""
    return packed(state, lambda parts: torch.cat([parts[0], parts[2], parts[1]]))


@export.misconception
def as_they_stand(state: State) -> State:
    """You took the weights in the order of the dict, and here the keys come first. Look them up by
    name.
    """
    kept = [value for name, value in state.items() if name in WEIGHTS]
    return packed(state, lambda parts: torch.cat(kept))


@export.misconception
def parts_turned(state: State) -> State:
    """You transposed the three matrices. Both sides store (out, in)."""
    return packed(state, lambda parts: torch.cat([part.T for part in parts]))


@export.misconception
def rows_take_turns(state: State) -> State:
    """The rows of the three matrices take turns here. All rows of the queries come first."""
    return packed(state, lambda parts: torch.stack(parts, dim=1).flatten(0, 1))


@export.misconception
def output_turned(state: State) -> State:
    """out_proj was transposed. It is an nn.Linear on both sides: copy it as it is."""
    return {**packed(state), "out_proj.weight": state["out_proj.weight"].T}


@export.misconception
def no_bias_in(state: State) -> State:
    """in_proj_bias is missing. nn.MultiheadAttention has one unless it is made with bias=False,
    which would remove the bias of out_proj, too. Fill it with zeros.
    """
    return {name: value for name, value in packed(state).items() if name != "in_proj_bias"}


@export.misconception
def output_bias_three_times(state: State) -> State:
    """Your in_proj_bias repeats the bias of out_proj, which only belongs to out_proj. The three
    projections of the state have no bias: fill in_proj_bias with zeros.
    """
    return {**packed(state), "in_proj_bias": state["out_proj.bias"].repeat(3)}


@export.misconception
def everything_else_too(state: State) -> State:
    """There are entries that nn.MultiheadAttention does not know, such as a mask. Return only the
    four tensors.
    """
    return packed(state) | {key: value for key, value in state.items() if key not in WEIGHTS}


@export.misconception
def short_bias(state: State) -> State:
    """in_proj_bias has one zero for each row of in_proj_weight: 3 · d_out."""
    found = packed(state)
    return {**found, "in_proj_bias": torch.zeros_like(found["out_proj.bias"])}


@export.accepts
def packed_by_vstack(state: State) -> State:
    """vstack and new_zeros."""
    stacked = torch.vstack(
        [state["W_query.weight"], state["W_key.weight"], state["W_value.weight"]]
    )
    kept = {name: state[name] for name in ("out_proj.weight", "out_proj.bias")}
    return {**kept, "in_proj_weight": stacked, "in_proj_bias": stacked.new_zeros(len(stacked))}


@export.accepts
def packed_by_filling(state: State) -> State:
    """Filled in, part by part."""
    width = len(state["out_proj.bias"])
    stacked = torch.zeros(3 * width, width, dtype=state["out_proj.bias"].dtype)
    for n, name in enumerate(("query", "key", "value")):
        stacked[n * width : (n + 1) * width] = state[f"W_{name}.weight"]
    found = {"in_proj_weight": stacked, "in_proj_bias": torch.zeros_like(stacked[:, 0])}
    for name in ("out_proj.weight", "out_proj.bias"):
        found[name] = state[name].clone()
    return found


@export.accepts
def packed_by_flattening(state: State) -> State:
    """Stacked and flattened."""
    q, k, v = (state[name] for name in WEIGHTS)
    return {
        "in_proj_weight": torch.stack((q, k, v)).flatten(0, 1),
        "in_proj_bias": torch.cat([0 * state["out_proj.bias"]] * 3),
        "out_proj.bias": state["out_proj.bias"],
        "out_proj.weight": state["out_proj.weight"],
    }
