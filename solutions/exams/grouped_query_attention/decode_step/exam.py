"""The exam of `decode_step`, lesson 07: what it is tried on."""

from collections.abc import Callable

import torch

from autograder import Draw, Exam
from solutions import grouped_query_attention as reference
from solutions.exams.grouped_query_attention._specimens import (
    OWN_WORK,
    TWO_TEXTS,
    Weights,
    drawn_weights,
    printed_weights,
)
from solutions.exams.printed_numbers import numbers

Tensors = tuple[torch.Tensor, ...]

step = Exam(
    reference.decode_step,
    returns=("contexts", "keys", "values"),
    forbids=OWN_WORK,
    unasked={"gradients": "a model that decodes is not trained"},
)

Decoding = tuple[torch.Tensor, Weights, torch.Tensor, torch.Tensor]


def printed_decoding(new: int, cached: int, num_heads: int, num_kv_heads: int) -> Decoding:
    """The last tokens of two texts, in heads of two features."""
    d_out, kv_width = num_heads * 2, num_kv_heads * 2
    weights = printed_weights(d_out, kv_width)
    del weights["out_proj.bias"]
    past_keys, past_values = (
        numbers(2, num_kv_heads, cached, 2, start=start) for start in (400, 500)
    )
    return TWO_TEXTS[:, -new:], weights, past_keys, past_values


@step.example
def first_chunk() -> Decoding:
    """three tokens, nothing cached"""
    return printed_decoding(3, 0, 6, 2)


@step.example
def one_new_token() -> Decoding:
    """one new token, three cached ones"""
    return printed_decoding(1, 3, 6, 2)


@step.example
def a_chunk_later() -> Decoding:
    """two new tokens, three cached ones, and values before keys in the dict of weights"""
    inputs, weights, past_keys, past_values = printed_decoding(2, 3, 6, 2)
    names = ("W_query", "W_value", "W_key", "out_proj")
    return inputs, {name: weights[name] for name in names}, past_keys, past_values


@step.example
def one_head_for_all() -> Decoding:
    """two new tokens, three cached ones, and a single key/value head"""
    return printed_decoding(2, 3, 4, 1)


@step.example
def far_from_zero() -> Decoding:
    """scores far below zero; in the second text the cached key is of zeros, whose scores are 0, and
    in the third the future has the highest
    """
    # No score is above zero. A later token has a lower one, in the third text a higher one. All of
    # them are exact in float32: scores as far as these forgive no rounding.
    asking = torch.tensor([[1.0, -0.5], [-1.0, 1.0], [0.5, -1.0]]).double()
    word = torch.tensor([1.0, -2.0, 1.5]).double()
    cached = torch.tensor([[1.0], [0], [3]]).double()
    new = torch.tensor([[2.0, 3], [1, 2], [2, 1]]).double()
    weights = printed_weights(4, 2)
    del weights["out_proj.bias"]
    weights |= {"W_query": asking.repeat_interleave(2, dim=1), "W_key": -4096 * asking}
    past_keys = (cached[..., None] * word @ weights["W_key"]).mT[..., None]
    return new[..., None] * word, weights, past_keys, numbers(3, 2, 1, 1, start=700)


def drawn_decoding(
    draw: Draw,
    new: int,
    cached: int,
    num_heads: int,
    num_kv_heads: int,
    scale: float = 1.0,
    **sizes: int,
) -> Decoding:
    """The same with numbers drawn, and heads of any width."""
    head_dim = int(draw.rng.integers(2, 6))
    draw.fix(new=new, cached=cached, num_kv_heads=num_kv_heads, head_dim=head_dim, **sizes)
    draw.fix(d_out=num_heads * head_dim, kv_width=num_kv_heads * head_dim)
    inputs = draw.tensor("batch new d_in", scale=scale)
    weights = drawn_weights(draw)
    del weights["out_proj.bias"]
    past_keys, past_values = (draw.tensor("batch num_kv_heads cached head_dim") for _ in range(2))
    # In reverse, so that whoever counts on the order of a dict is refused.
    backwards = {name: weights[name] for name in reversed(weights)}
    return inputs, backwards, past_keys, past_values


@step.case(times=2)
def drawn_chunk(draw: Draw) -> Decoding:
    """a chunk after a cached text, 6 query heads and 2 key/value heads"""
    return drawn_decoding(draw, 4, 7, 6, 2)


@step.case(times=1)
def drawn_token(draw: Draw) -> Decoding:
    """one token after a cached text, 12 query heads and 3 key/value heads"""
    return drawn_decoding(draw, 1, 7, 12, 3)


@step.case(times=1)
def drawn_prompt(draw: Draw) -> Decoding:
    """a whole text, nothing cached"""
    return drawn_decoding(draw, 6, 0, 6, 2)


@step.case(times=1)
def drawn_long_chunk(draw: Draw) -> Decoding:
    """a chunk that is longer than the past"""
    return drawn_decoding(draw, 7, 2, 4, 2)


@step.case(times=1)
def drawn_multi_head(draw: Draw) -> Decoding:
    """as many key/value heads as query heads"""
    return drawn_decoding(draw, 3, 4, 5, 5)


@step.case(times=1)
def drawn_multi_query(draw: Draw) -> Decoding:
    """a single key/value head, and thousands of cached tokens"""
    # Of one text, so that there are few enough numbers.
    return drawn_decoding(draw, 3, int(draw.rng.integers(4200, 4800)), 5, 1, batch=1)


@step.case(times=1)
def drawn_sharp(draw: Draw) -> Decoding:
    """inputs ten times as large"""
    return drawn_decoding(draw, 3, 4, 4, 2, scale=10)


@step.holds
def any_chunks_will_do(
    decode_step: Callable[..., Tensors],
    inputs: torch.Tensor,
    weights: Weights,
    past_keys: torch.Tensor,
    past_values: torch.Tensor,
) -> bool:
    """the same tokens in chunks of any size give the same contexts, keys and values"""
    whole = decode_step(inputs, weights, past_keys, past_values)
    for size in range(1, inputs.shape[1]):
        keys, values, contexts = past_keys, past_values, []
        for start in range(0, inputs.shape[1], size):
            chunk = inputs[:, start : start + size].clone()
            context, keys, values = decode_step(chunk, weights, keys, values)
            contexts.append(context)
        parts = (torch.cat(contexts, dim=1), keys, values)
        pairs = zip(parts, whole, strict=True)
        if not all(torch.allclose(a, b, rtol=1e-3, atol=1e-4) for a, b in pairs):
            return False
    return True


@step.holds
def texts_do_not_meet(
    decode_step: Callable[..., Tensors],
    inputs: torch.Tensor,
    weights: Weights,
    past_keys: torch.Tensor,
    past_values: torch.Tensor,
) -> bool:
    """a second text gives the same contexts whether or not another was read before it"""
    nothing = past_keys[:, :, :0].clone()
    alone = decode_step(inputs, weights, nothing, nothing)[0]
    decode_step(2 - inputs, weights, past_keys, past_values)
    again = decode_step(inputs, weights, nothing, nothing)[0]
    return torch.allclose(again, alone, rtol=1e-4, atol=1e-5)
