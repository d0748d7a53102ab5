"""What the exams of `MultiQueryAttention` and `GroupedQueryAttention` share."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import nn

from autograder import Draw
from solutions.exams.families import Dropping, Keeping, Projecting, SharedHeads
from solutions.exams.grouped_query_attention._specimens import drawn_weights, printed_weights

Settings = Mapping[str, object]
Module = tuple[Settings, Mapping[str, torch.Tensor], tuple[torch.Tensor], bool, int]


def settings(
    inputs: torch.Tensor, d_out: int, num_heads: int, num_kv_heads: int = 0, **others: object
) -> Settings:
    """The keywords of a class for these inputs; without num_kv_heads, those of multi-query."""
    sizes = {"d_in": inputs.shape[-1], "d_out": d_out, "context_length": 6, "dropout": 0.0}
    shared = {"num_kv_heads": num_kv_heads} if num_kv_heads else {}
    return {**sizes, "num_heads": num_heads, **shared, **others}


def drawn_module(
    draw: Draw,
    num_heads: int,
    num_kv_heads: int,
    head_dim: int,
    *,
    named: bool = True,
    scale: float = 1.0,
    bias: bool | None = None,
    calls: int = 1,
    room: int = 3,
    **others: object,
) -> Module:
    """A case of a module of these sizes, with a context of `room` tokens more than there are.

    `named` is whether its class takes num_kv_heads; without a `bias`, qkv_bias is not given.
    """
    draw.fix(d_out=num_heads * head_dim, kv_width=num_kv_heads * head_dim)
    inputs = draw.tensor("batch tokens d_in", scale=scale)
    chosen: dict[str, object] = {"context_length": draw.size("tokens") + room, **others}
    if bias is not None:
        chosen["qkv_bias"] = bias
    keywords = settings(
        inputs, draw.size("d_out"), num_heads, num_kv_heads if named else 0, **chosen
    )
    return keywords, drawn_weights(draw, bias=bool(bias)), (inputs,), False, calls


def drawn_long(
    draw: Draw, num_heads: int, num_kv_heads: int, head_dim: int, *, named: bool = True
) -> Module:
    """A case of a module that reads a long text, as long as its context."""
    draw.fix(batch=1, tokens=int(draw.rng.integers(1030, 1100)))
    return drawn_module(draw, num_heads, num_kv_heads, head_dim, named=named, bias=False, room=0)


def refused(draw: Draw, d_out: int, num_heads: int, num_kv_heads: int = 0) -> Module:
    """A case of sizes that do not fit each other; without num_kv_heads, of multi-query attention.

    A class that takes them is given weights that fit, as far as there are any.
    """
    inputs = draw.fix(d_in=3, tokens=5).tensor("batch tokens d_in")
    weights = printed_weights(d_out, max(1, num_kv_heads) * (d_out // num_heads))
    return settings(inputs, d_out, num_heads, num_kv_heads), weights, (inputs,), False, 1


def refuses_when_made(
    module_class: Callable[..., object], settings: Mapping[str, Any], *_: object
) -> bool:
    """sizes that do not fit are refused when the module is made, not when it is called"""
    heads = settings["num_heads"]
    if settings["d_out"] % heads == 0 and heads % settings.get("num_kv_heads", heads) == 0:
        return True
    try:
        module_class(**settings)
    except (ValueError, AssertionError):
        return True
    return False


def no_multiple_of(draw: Draw, factor: int) -> int:
    """A number that this one does not divide, in turn a larger and a smaller one."""
    return draw.in_turn((factor, 0)) + int(draw.rng.integers(1, factor))


def far_from_zero(num_kv_heads: int, *, named: bool = True) -> Module:
    """A module of four heads whose scores lie far below zero, or are 0.

    No score is above zero. A later token has a lower one, in the third text a higher one. All of
    them are exact in float32: scores as far as these forgive no rounding.
    """
    sizes = torch.tensor([[1, 2, 3], [0, 1, 2], [3, 2, 1]]).double()
    inputs = sizes[..., None] * torch.tensor([1.0, -2.0, 1.5]).double()
    asking = torch.tensor([[1.0, -0.5], [-1.0, 1.0], [0.5, -1.0]]).double()[:, :num_kv_heads]
    weights = printed_weights(4, num_kv_heads)
    weights |= {
        "W_query": asking.repeat_interleave(4 // num_kv_heads, dim=1),
        "W_key": -4096 * asking,
    }
    keywords = settings(inputs, 4, 4, num_kv_heads if named else 0)
    return keywords, weights, (inputs,), False, 2


def one_word(
    inputs: torch.Tensor,
    *,
    dropout: float,
    calls: int,
    training: bool = False,
    named: bool = True,
    bias: bool = False,
) -> Module:
    """A module of one head with two features, of which some calls show all that dropout can do."""
    biased = {"qkv_bias": True} if bias else {}
    keywords = settings(inputs, 2, 1, int(named), dropout=dropout, **biased)
    return keywords, printed_weights(2, 2, bias=bias), (inputs,), training, calls


class Variant(SharedHeads, Dropping, Projecting, Keeping):
    """Attention with shared heads in steps, for misconceptions to get one of them wrong."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int = 1,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.check(d_out, num_heads, num_kv_heads)
        self.d_in, self.num_heads, self.head_dim = d_in, num_heads, d_out // num_heads
        self.kv_width = self.find_kv_width(num_heads, num_kv_heads)
        query_bias, key_bias, value_bias = self.biased(qkv_bias)
        self.W_query = nn.Linear(d_in, self.find_query_width(d_out), bias=query_bias)
        self.W_key = nn.Linear(d_in, self.kv_width, bias=key_bias)
        self.W_value = nn.Linear(d_in, self.find_value_width(d_out), bias=value_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(self.rate(dropout))
        self.keep(self.future(context_length, context_length))

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError("not a multiple")

    def find_query_width(self, d_out: int) -> int:
        return d_out

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_kv_heads * self.head_dim

    def find_value_width(self, d_out: int) -> int:
        return self.kv_width

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries, keys, values = self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)
        return self.attend_in_heads(queries, keys, values, self.cut(inputs.shape[1]))

    def project(self, contexts: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.out_proj(contexts)
        return projected
