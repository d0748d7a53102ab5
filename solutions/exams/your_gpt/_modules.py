"""What the exams of `RotaryAttention` and `GPT` share, lesson 10."""

from typing import Any

import torch
from torch import Tensor

from autograder import Draw
from solutions.exams.printed_numbers import numbers

Settings = dict[str, int]
Weights = dict[str, Tensor]
Shapes = dict[str, tuple[int, ...]]


def attention_shapes(settings: Settings, prefix: str = "") -> Shapes:
    """The weights of a RotaryAttention, as (in, out)."""
    d_model = settings["d_model"]
    kv_width = settings["num_kv_heads"] * d_model // settings["num_heads"]
    return {
        f"{prefix}W_query": (d_model, d_model),
        f"{prefix}W_key": (d_model, kv_width),
        f"{prefix}W_value": (d_model, kv_width),
        f"{prefix}out_proj": (d_model, d_model),
    }


def gpt_shapes(settings: Settings) -> Shapes:
    """The weights of a GPT whose parts are the library's."""
    d_model, d_hidden = settings["d_model"], settings["d_hidden"]
    found: Shapes = {"tokens.weight": (settings["vocabulary"], d_model)}
    for block in (f"blocks.{n}" for n in range(settings["num_blocks"])):
        found |= {f"{block}.norm1.weight": (d_model,), f"{block}.norm2.weight": (d_model,)}
        found |= attention_shapes(settings, f"{block}.attention.")
        found |= {
            f"{block}.feed_forward.0": (d_model, d_hidden),
            f"{block}.feed_forward.0.bias": (d_hidden,),
            f"{block}.feed_forward.2": (d_hidden, d_model),
            f"{block}.feed_forward.2.bias": (d_model,),
        }
    return found | {"norm.weight": (d_model,)}


def printed(shapes: Shapes) -> Weights:
    """Short numbers, the same on every machine."""
    return {
        name: numbers(*shape, start=3 + 70 * place) / len(shape)
        for place, (name, shape) in enumerate(shapes.items())
    }


def drawn(draw: Draw, shapes: Shapes) -> Weights:
    """The same, drawn; small, because gradients that cancel out leave their rounding errors."""
    return {
        name: torch.from_numpy(draw.rng.normal(0, 1 if len(shape) == 1 else 0.5, shape))
        for name, shape in shapes.items()
    }


def is_alike_in_chunks(module: Any, given: Tensor, past: int, caches: object) -> bool:
    """Whether, in training, a text in two chunks comes out as it does as a whole.

    Args:
        module: a RotaryAttention or a GPT.
        given: what it is called with, (batch, tokens, ...).
        past: how many tokens are in the first chunk.
        caches: empty: the one, or the ones, that the module takes.
    """
    module.train(True)
    whole = module(given)
    module(given[:, :past], caches)
    return torch.allclose(module(given[:, past:], caches), whole[:, past:], rtol=1e-4, atol=1e-4)
