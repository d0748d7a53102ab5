"""The exam of `MultiHeadAttention`, lesson 05: what it is tried on."""

from collections.abc import Callable

import torch

from autograder import Draw, Exam, run_module
from solutions import multi_head_attention as reference
from solutions.exams.multi_head_attention._specimens import (
    PROJECTIONS,
    TWO_SENTENCES,
    Module,
    State,
    batched_weights,
    mixed,
    settings,
)

batched = Exam(reference.MultiHeadAttention, use=run_module)


@batched.example
def two_words() -> Module:
    """one sentence of two words, two heads of two features"""
    inputs = TWO_SENTENCES[:1, :2]
    return settings(inputs, 4, 2, 2), batched_weights(3, 4), (inputs,), False, 1


@batched.example
def many_things_at_once() -> Module:
    """two sentences, three heads, with qkv_bias=True and dropout=0.5, in eval mode"""
    # As many words as heads would not tell the root of one from that of the other.
    inputs = TWO_SENTENCES[:, 1:5]
    chosen = settings(inputs, 6, 3, 6, dropout=0.5, qkv_bias=True)
    return chosen, batched_weights(3, 6, bias=True), (inputs,), False, 2


@batched.example
def dropout_in_training() -> Module:
    """dropout=0.5, in training, called 48 times on one word"""
    inputs = mixed(1, 1, 6, seed=42)
    return settings(inputs, 4, 2, 6, dropout=0.5), batched_weights(6, 4), (inputs,), True, 48


def drawn_batched(draw: Draw, *, bias: bool = False) -> tuple[State, int, int]:
    """Weights, d_out and the number of heads."""
    d_in, heads, dim = draw.shape("d_in heads head_dim")
    d_out, rng = heads * dim, draw.rng
    found = {name: torch.from_numpy(rng.normal(0, 0.5, (d_in, d_out))) for name in PROJECTIONS}
    if bias:
        found |= {
            f"{name}.bias": torch.from_numpy(rng.normal(0, 0.5, d_out)) for name in PROJECTIONS
        }
    found["out_proj"] = torch.from_numpy(rng.normal(0, 0.5, (d_out, d_out)))
    found["out_proj.bias"] = torch.from_numpy(rng.normal(0, 0.5, d_out))
    return found, d_out, heads


@batched.case(times=2)
def full_length(draw: Draw) -> Module:
    """sentences as long as the context"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, draw.size("tokens")), weights, (inputs,), False, 1


@batched.case(times=2)
def shorter_than_the_context(draw: Draw) -> Module:
    """sentences shorter than the context, in training"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, draw.size("tokens") + 5), weights, (inputs,), True, 1


@batched.case(times=1)
def biased(draw: Draw) -> Module:
    """with biases"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw, bias=True)
    return settings(inputs, d_out, heads, 9, qkv_bias=True), weights, (inputs,), False, 1


@batched.case(times=1)
def single_head(draw: Draw) -> Module:
    """a single head"""
    inputs = draw.fix(heads=1).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 9), weights, (inputs,), False, 1


@batched.case(times=1)
def one_word(draw: Draw) -> Module:
    """one word, in a context of 40"""
    inputs = draw.fix(batch=1, tokens=1).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 40), weights, (inputs,), False, 1


@batched.case(times=1)
def dropout_of_one_word(draw: Draw) -> Module:
    """dropout in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, heads=2, head_dim=2).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 6, dropout=0.5), weights, (inputs,), True, 48


@batched.case(times=1)
def calm_in_use(draw: Draw) -> Module:
    """in eval mode, with much dropout"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 7, dropout=0.8), weights, (inputs,), False, 8


@batched.holds
def refuses_what_does_not_divide(answer: Callable[..., object], *case: object) -> bool:
    """with d_out=8 and num_heads=3, the constructor refuses, with a ValueError or an assert"""
    try:
        answer(d_in=3, d_out=8, context_length=4, dropout=0.0, num_heads=3)
    except Exception as error:
        return type(error).__name__ in ("ValueError", "AssertionError")
    return False
