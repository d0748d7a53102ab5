"""Weights of a Transformer's block, printed and drawn, lesson 09."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from autograder import Draw
from solutions.exams.beginnings import MADE_TWICE
from solutions.exams.printed_numbers import numbers

Settings = Mapping[str, object]
State = dict[str, Tensor]
Case = tuple[Settings, State, tuple[Tensor | None, ...], bool, int]

ATTENTIONS = ("self_attn", "multihead_attn")


def settings(d_model: int, num_heads: int, d_hidden: int, dropout: float = 0.0) -> Settings:
    return {"d_model": d_model, "num_heads": num_heads, "d_hidden": d_hidden, "dropout": dropout}


def shapes(d_model: int, d_hidden: int, parts: int) -> dict[str, tuple[int, ...]]:
    """The weights of a block of two or three parts, in the shapes that they are handed over in."""
    found: dict[str, tuple[int, ...]] = {}
    for attention in ATTENTIONS[: parts - 1]:
        found |= {
            f"{attention}.in_proj_weight": (3 * d_model, d_model),
            f"{attention}.in_proj_bias": (3 * d_model,),
            f"{attention}.out_proj": (d_model, d_model),
            f"{attention}.out_proj.bias": (d_model,),
        }
    found |= {
        "linear1": (d_model, d_hidden),
        "linear1.bias": (d_hidden,),
        "linear2": (d_hidden, d_model),
        "linear2.bias": (d_model,),
    }
    for number in range(1, parts + 1):
        found |= {f"norm{number}.weight": (d_model,), f"norm{number}.bias": (d_model,)}
    return found


def printed_weights(d_model: int, d_hidden: int, parts: int = 2) -> State:
    """Short numbers, the same on every machine."""
    found = {}
    for start, (name, shape) in enumerate(shapes(d_model, d_hidden, parts).items(), start=3):
        weight = numbers(*shape, start=40 * start)
        found[name] = weight if len(shape) == 1 else weight / 2
    return found


def drawn_weights(draw: Draw, d_model: int, d_hidden: int, parts: int = 2) -> State:
    """The same, drawn; small, because gradients that cancel out leave their rounding errors."""
    return {
        name: torch.from_numpy(draw.rng.normal(0, 1 if len(shape) == 1 else 0.5, shape))
        for name, shape in shapes(d_model, d_hidden, parts).items()
    }


def sharp(weights: State) -> State:
    """The same, but for attention scores of some ten thousand: a low score hides nothing there."""
    found = dict(weights)
    for name, weight in weights.items():
        if ".in_proj_" in name:
            *queries_and_keys, values = weight.chunk(3)
            found[name] = torch.cat([*(100 * one for one in queries_and_keys), values])
    return found


def quiet_weights(parts: int = 2) -> State:
    """A block of three features in which each attention adds to one feature alone, and the
    feed-forward layer to another one: so few outputs that some calls show all of them.
    """
    found = printed_weights(3, 2, parts)
    for place, attention in enumerate(ATTENTIONS[: parts - 1]):
        into = torch.zeros(3, 3).double()
        into[:, place] = torch.tensor([1.0, 0.5, -0.5])
        found[f"{attention}.in_proj_bias"] = torch.tensor([2.0, 1.0, -1.0] * 3).double()
        found[f"{attention}.out_proj"] = into
        found[f"{attention}.out_proj.bias"] = torch.eye(3)[place].double()
    found["linear1"] = torch.tensor([[0.5, 0.0], [0.0, 0.5], [0.5, -0.5]]).double()
    # So far above 0 that ReLU and GELU agree: of another activation, these calls say nothing.
    found["linear1.bias"] = torch.tensor([12.0, 13.0]).double()
    found["linear2"] = torch.tensor([[0.0, 0.0, 0.5], [0.0, 0.0, 0.25]]).double()
    found["linear2.bias"] = torch.zeros(3).double()
    return found


def norms_begin_with_ones(
    module_class: Callable[..., Any], chosen: Settings, weights: State, *_: object
) -> bool:
    """the weights of each new nn.LayerNorm are 1"""
    if MADE_TWICE not in chosen.values():
        return True
    state = module_class(**chosen).state_dict()
    names = [name for name in weights if name.startswith("norm") and name.endswith(".weight")]
    return all(bool((state[name] == 1).all()) for name in names if name in state)


def one_token(*inputs: Tensor | None, training: bool, parts: int = 2) -> Case:
    """Such a block with dropout: not of 0.5, which is both dropped and kept."""
    calls = 20 * 2**parts if training else 48
    return settings(3, 1, 2, dropout=0.45), quiet_weights(parts), inputs, training, calls
