"""What the exams of lesson 05 share."""

import math
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from autograder import Draw
from companion import YOUR_JOURNEY

State = dict[str, Tensor]
Settings = Mapping[str, object]
Module = tuple[Settings, Mapping[str, Tensor], tuple[object, ...], bool, int]
PROJECTIONS = ("W_query", "W_key", "W_value")
# Read-only arrays make torch warn, so they are copied.
SIX_WORDS = torch.tensor(YOUR_JOURNEY.vectors)

TWO_SENTENCES = torch.stack([SIX_WORDS, 3 * SIX_WORDS.flip(0) - 1.5])
# Far enough that scores lie below −10,000.
FAR = 4096
WEIGHTS = tuple(f"{name}.weight" for name in PROJECTIONS)
# Sizes for cases to take in turn: any, a single head, and as many heads as features.
ENDS: tuple[dict[str, int], ...] = ({}, {"heads": 1}, {"head_dim": 1})


def counted(*shape: int, start: int = 1) -> Tensor:
    """start, start + 1, … in a shape, so that every number tells where it came from."""
    return torch.arange(start, start + math.prod(shape), dtype=torch.float64).reshape(shape)


def mixed(*shape: int, seed: int = 0) -> Tensor:
    """Numbers on a grid of quarters, of either sign, short enough to be printed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-6, 7, shape, generator=generator).double() / 4


def future(num_tokens: int) -> Tensor:
    """True above the diagonal."""
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1)


def split(x: Tensor, num_heads: int) -> Tensor:
    """(batch, tokens, d_out) to (batch, heads, tokens, head_dim)."""
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def wrong_view(x: Tensor, num_heads: int) -> Tensor:
    """The same shape, with tokens mixed."""
    batch, tokens, d_out = x.shape
    return x.reshape(batch, num_heads, tokens, d_out // num_heads)


def merge(x: Tensor) -> Tensor:
    """(batch, heads, tokens, head_dim) to (batch, tokens, d_out)."""
    return torch.cat(x.unbind(dim=1), dim=-1)


def settings(
    inputs: Tensor, d_out: int, num_heads: int, longest: int, **others: object
) -> Settings:
    """The keywords of the class for these inputs."""
    sizes = {"d_in": inputs.shape[-1], "d_out": d_out, "context_length": longest}
    return {**sizes, "dropout": 0.0, "num_heads": num_heads, **others}


def batched_weights(d_in: int, d_out: int, *, bias: bool = False) -> State:
    found = {name: mixed(d_in, d_out, seed=20 + n) for n, name in enumerate(PROJECTIONS)}
    if bias:
        found |= {f"{name}.bias": mixed(d_out, seed=30 + n) for n, name in enumerate(PROJECTIONS)}
    return found | {
        "out_proj": mixed(d_out, d_out, seed=40),
        "out_proj.bias": mixed(d_out, seed=41),
    }


def far_below_zero(
    queries: Sequence[int], keys: Sequence[int], width: int, *, seed: int, far: float = FAR
) -> tuple[Tensor, Tensor]:
    """(1, queries, width) and (1, keys, width), multiples of one vector and of its opposite.

    No score is above zero, and a larger key has a lower score. All is exact in float32, if the root
    of head_dim is: scores as far as these forgive no rounding.
    """
    direction = mixed(width, seed=seed)
    asking, asked = (torch.tensor(numbers).double()[None, :, None] for numbers in (queries, keys))
    return asking * direction, -far * asked * direction


def padded_anywhere(read: Tensor, draw: Draw) -> Tensor:
    """At least one real key, one sentence without padding, and one with real keys behind it."""
    batch, keys = read.shape[:2]
    padding = torch.from_numpy(draw.rng.random((batch, keys)) < 0.5)
    padding[:, -1], padding[-1, 0], padding[0] = False, True, False
    return padding


def padded_at_the_end(read: Tensor, draw: Draw) -> Tensor:
    """At least one real key, and one sentence without padding."""
    batch, keys = read.shape[:2]
    lengths = torch.from_numpy(draw.rng.integers(1, keys, size=batch))
    lengths[0] = keys
    return torch.arange(keys) >= lengths[:, None]
