"""The exam of `batch_the_heads`, lesson 05."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.multi_head_attention._specimens import ENDS, WEIGHTS, State, counted
from solutions.exams.sixteen_bits import bfloat16_stays

batching = Exam(reference.batch_the_heads)


def loop_state(draw_one: Callable[[], Tensor], num_heads: int) -> State:
    return {f"heads.{h}.{name}": draw_one() for h in range(num_heads) for name in WEIGHTS}


@batching.example
def two_heads_of_a_loop() -> tuple[State, int]:
    """two heads of two features, from one"""
    state = {}
    for n, name in enumerate(f"heads.{h}.{name}" for h in range(2) for name in WEIGHTS):
        state[name] = counted(2, 1, start=10 * n + 1)
    return state, 2


@batching.example
def eleven_heads_of_a_loop() -> tuple[State, int]:
    """eleven heads of one feature, from one"""
    names = (f"heads.{h}.{name}" for h in range(11) for name in WEIGHTS)
    return {name: counted(1, 1, start=n + 1) for n, name in enumerate(names)}, 11


@batching.example
def last_head_in_front() -> tuple[State, int]:
    """three heads of one feature, from two, of which the last one stands first in the dict"""
    names = [f"heads.{h}.{name}" for h in (2, 0, 1) for name in WEIGHTS]
    return {name: counted(1, 2, start=10 * n + 1) for n, name in enumerate(names)}, 3


@batching.case
def drawn_loop(draw: Draw) -> tuple[State, int]:
    """weights drawn at random"""
    heads = draw.fix(**draw.in_turn(ENDS)).size("heads")
    return loop_state(lambda: draw.tensor("head_dim d_in"), heads), heads


@batching.case(times=1)
def twelve_heads(draw: Draw) -> tuple[State, int]:
    """twelve heads, of which the tenth is not the second"""
    return loop_state(lambda: draw.tensor("head_dim d_in"), 12), 12


batching.holds(bfloat16_stays)


def joined(
    state: State,
    num_heads: int,
    join: Callable[[list[Tensor]], Tensor] = torch.cat,
    order: tuple[str, ...] = WEIGHTS,
) -> State:
    found = {}
    for name, source in zip(WEIGHTS, order, strict=True):
        found[name] = join([state[f"heads.{h}.{source}"] for h in range(num_heads)])
    any_weight = state[f"heads.0.{WEIGHTS[0]}"]
    d_out = len(any_weight) * num_heads
    found["out_proj.weight"] = torch.eye(d_out, dtype=any_weight.dtype)
    found["out_proj.bias"] = torch.zeros(d_out, dtype=any_weight.dtype)
    return found


@batching.misconception
def joined_along_inputs(state: State, num_heads: int) -> State:
    """You joined the heads along the input features. nn.Linear stores (out, in): stack the heads as
    rows, along axis 0.
    """
    return joined(state, num_heads, lambda parts: torch.cat(parts, dim=1))


@batching.misconception
def sized_by_rows_of_one_head(state: State, num_heads: int) -> State:
    """You joined the heads along the input features, so there are no more rows than in one head.
    nn.Linear stores (out, in): stack the heads as rows, along axis 0.
    """
    found = joined_along_inputs(state, num_heads)
    rows = len(found[WEIGHTS[0]])
    identity = torch.eye(rows).to(found[WEIGHTS[0]])
    return {**found, "out_proj.weight": identity, "out_proj.bias": torch.zeros_like(identity[0])}


@batching.misconception
def sized_by_inputs(state: State, num_heads: int) -> State:
    """The three matrices are right. out_proj comes after the heads: it is as wide as all of them
    together, (d_out, d_out).
    """
    found = joined(state, num_heads)
    identity = torch.eye(found[WEIGHTS[0]].shape[1]).to(found[WEIGHTS[0]])
    return {**found, "out_proj.weight": identity, "out_proj.bias": torch.zeros_like(identity[0])}


@batching.misconception
def rows_alternate(state: State, num_heads: int) -> State:
    """The rows of the heads alternate. All rows of head 0 should come first, then those of head 1,
    because that is how the features are split again later.
    """
    return joined(state, num_heads, lambda parts: torch.stack(parts, dim=1).flatten(0, 1))


@batching.misconception
def heads_stacked(state: State, num_heads: int) -> State:
    """You stacked the heads along a new axis. The weight of an nn.Linear is a matrix: join them
    along axis 0.
    """
    return joined(state, num_heads, torch.stack)


@batching.misconception
def turned_as_well(state: State, num_heads: int) -> State:
    """You transposed the weights. Both sides are nn.Linear layers and store (out, in)."""
    return joined(state, num_heads, lambda parts: torch.cat(parts).T)


@batching.misconception
def heads_in_reverse(state: State, num_heads: int) -> State:
    """The heads are in reverse order. Head 0 should come first."""
    return joined(state, num_heads, lambda parts: torch.cat(parts[::-1]))


@batching.misconception
def names_as_text(state: State, num_heads: int) -> State:
    """Your heads are sorted as text: "heads.10" comes before "heads.2". Count with an integer."""
    order = sorted(range(num_heads), key=str)
    return joined(state, num_heads, lambda parts: torch.cat([parts[h] for h in order]))


@batching.misconception
def heads_as_they_stand(state: State, num_heads: int) -> State:
    """You took the heads in the order of the dict, and here the last one comes first. Look them up
    by name, starting with head 0.
    """
    order = [int(name.split(".")[1]) for name in state if name.endswith(WEIGHTS[0])]
    return joined(state, num_heads, lambda parts: torch.cat([parts[h] for h in order]))


@batching.misconception
def keys_and_queries(state: State, num_heads: int) -> State:
    """The weights of queries and keys are swapped."""
    return joined(state, num_heads, order=(WEIGHTS[1], WEIGHTS[0], WEIGHTS[2]))


@batching.misconception
def projection_left_out(state: State, num_heads: int) -> State:
    """out_proj is missing. With random weights, it would mix the heads: give it the identity as its
    weight, and a bias of zeros.
    """
    return {name: value for name, value in joined(state, num_heads).items() if name in WEIGHTS}


@batching.misconception
def projection_of_ones(state: State, num_heads: int) -> State:
    """A projection full of ones adds up all features. Use the identity, with ones on the diagonal
    only: it changes nothing.
    """
    found = joined(state, num_heads)
    return {**found, "out_proj.weight": torch.ones_like(found["out_proj.weight"])}


@batching.misconception
def projection_of_zeros(state: State, num_heads: int) -> State:
    """A projection full of zeros gives zeros. Use the identity, which changes nothing."""
    found = joined(state, num_heads)
    return {**found, "out_proj.weight": torch.zeros_like(found["out_proj.weight"])}


@batching.accepts
def filled_row_by_row(state: State, num_heads: int) -> State:
    """Filled in, head by head."""
    width, d_in = state["heads.0.W_query.weight"].shape
    found = {}
    for name in WEIGHTS:
        matrix = torch.empty(num_heads * width, d_in, dtype=state[f"heads.0.{name}"].dtype)
        for h in range(num_heads):
            matrix[h * width : (h + 1) * width] = state[f"heads.{h}.{name}"]
        found[name] = matrix
    ones = torch.ones(num_heads * width, dtype=matrix.dtype)
    return {"out_proj.bias": 0 * ones, "out_proj.weight": torch.diag(ones), **found}


@batching.accepts
def stacked_then_flattened(state: State, num_heads: int) -> State:
    """Stacked and flattened."""
    found = {}
    for name in WEIGHTS:
        found[name] = torch.stack([state[f"heads.{h}.{name}"] for h in range(num_heads)]).flatten(
            0, 1
        )
    weight = found["W_key.weight"]
    found["out_proj.weight"] = torch.eye(len(weight)).to(weight)
    found["out_proj.bias"] = weight.new_zeros(len(weight))
    return found


@batching.accepts
def by_vstack(state: State, num_heads: int) -> State:
    """vstack."""
    q, k, v = (
        torch.vstack([state[f"heads.{h}.{name}"] for h in range(num_heads)]) for name in WEIGHTS
    )
    identity = torch.eye(q.shape[0], dtype=q.dtype)
    return {
        "W_query.weight": q,
        "W_key.weight": k,
        "W_value.weight": v,
        "out_proj.weight": identity,
        "out_proj.bias": identity.sum(0) - 1,
    }
