"""The exam of `RotaryAttention`, lesson 10: what it is tried on."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_attention
from solutions import your_gpt as reference
from solutions.exams.printed_numbers import numbers
from solutions.exams.your_gpt._modules import Settings, Weights, attention_shapes, drawn, printed

rotary = Exam(
    reference.RotaryAttention,
    use=try_attention,
    forbids=("LibraryRotaryAttention", "RotaryAttention", "RotaryBlock"),
)

# Longer than any text that is drawn.
_TOKENS = 70

Case = tuple[Settings, Weights, tuple[Tensor], Sequence[int]]


def settings(num_heads: int, num_kv_heads: int, head_dim: int) -> Settings:
    return {
        "d_model": num_heads * head_dim,
        "num_heads": num_heads,
        "num_kv_heads": num_kv_heads,
    }


def printed_case(inputs: Tensor, num_heads: int, num_kv_heads: int, *chunks: int) -> Case:
    chosen = settings(num_heads, num_kv_heads, inputs.shape[-1] // num_heads)
    return chosen, printed(attention_shapes(chosen)), (inputs,), chunks


@rotary.example
def one_key_for_two() -> Case:
    """a whole text of three tokens, 2 query heads of four features and 1 key/value head"""
    return printed_case(numbers(1, 3, 8), 2, 1)


@rotary.example
def two_keys_for_four() -> Case:
    """two whole texts of two tokens, 4 query heads of two features and 2 key/value heads"""
    return printed_case(numbers(2, 2, 8, start=31), 4, 2)


@rotary.example
def three_keys_for_six() -> Case:
    """one whole text of two tokens, 6 query heads of two features and 3 key/value heads"""
    return printed_case(numbers(1, 2, 12, start=61), 6, 3)


@rotary.example
def token_by_token() -> Case:
    """with a cache: two tokens, then one, then another one"""
    return printed_case(numbers(1, 4, 8, start=91), 4, 2, 2, 1, 1)


@rotary.example
def every_token_alone() -> Case:
    """with a cache: three tokens, one at a time"""
    return printed_case(numbers(1, 3, 8, start=161), 4, 2, 1, 1, 1)


@rotary.example
def chunk_behind_a_past() -> Case:
    """with a cache: one token, then three at once"""
    return printed_case(numbers(1, 4, 8, start=131), 2, 1, 1, 3)


def drawn_case(
    draw: Draw,
    num_heads: int,
    num_kv_heads: int,
    head_dim: int,
    *chunks: int,
    scale: float = 1.0,
) -> Case:
    """The same with numbers drawn; with chunks, the text is as long as they are together."""
    chosen = settings(num_heads, num_kv_heads, head_dim)
    draw.fix(d_model=chosen["d_model"])
    if chunks:
        draw.fix(tokens=sum(chunks))
    inputs = draw.tensor("batch tokens d_model", scale=scale)
    return chosen, drawn(draw, attention_shapes(chosen)), (inputs,), chunks


@rotary.case(times=2)
def drawn_texts(draw: Draw) -> Case:
    """whole texts, 6 query heads and 2 key/value heads"""
    return drawn_case(draw, 6, 2, 4)


@rotary.case(times=1)
def drawn_multi_head(draw: Draw) -> Case:
    """whole texts, as many key/value heads as query heads"""
    return drawn_case(draw, 3, 3, 4)


@rotary.case(times=1)
def drawn_token(draw: Draw) -> Case:
    """a text of one token"""
    return drawn_case(draw.fix(batch=1, tokens=1), 4, 2, 6)


@rotary.case(times=1)
def drawn_sharp(draw: Draw) -> Case:
    """inputs five times as large"""
    return drawn_case(draw, 4, 2, 2, scale=5)


@rotary.case(times=2)
def drawn_writing(draw: Draw) -> Case:
    """a cache: a prompt, then token by token"""
    return drawn_case(draw, 6, 2, 4, 5, 1, 1, 1)


@rotary.case(times=1)
def drawn_chunks(draw: Draw) -> Case:
    """a cache: chunks of different sizes, one key/value head"""
    return drawn_case(draw, 5, 1, 2, 3, 4, 2)


@rotary.case(times=1)
def drawn_long(draw: Draw) -> Case:
    """a cache: a text of 24 tokens in two chunks"""
    return drawn_case(draw.fix(batch=1), 4, 4, 4, 18, 6)


@rotary.holds
def past_does_not_see_the_future(
    module_class: Callable[..., Any],
    chosen: Settings,
    weights: Weights,
    inputs: tuple[Tensor],
    *_: object,
) -> bool:
    """if the last token changes, nothing changes before it"""
    (given,) = inputs
    module = module_class(**chosen)
    module.to(given.dtype)
    other = given.clone()
    other[:, -1] = 1 - other[:, -1]
    # With inputs so large, scores of visible keys can lie far below what stands for −∞.
    return all(
        torch.allclose(module(size * other)[:, :-1], module(size * given)[:, :-1], 1e-4, 1e-4)
        for size in (1, 1000)
    )


@rotary.holds
def nothing_is_kept_of_a_text(
    module_class: Callable[..., Any],
    chosen: Settings,
    weights: Weights,
    inputs: tuple[Tensor],
    *_: object,
) -> bool:
    """a text of 70 tokens gives the same after a shorter one as it gives at first"""
    (given,) = inputs
    fresh, used = (module_class(**chosen).to(given.dtype) for _ in range(2))
    used.load_state_dict(fresh.state_dict())
    used(given)
    long = given.index_select(1, torch.arange(_TOKENS) % given.shape[1])
    return torch.allclose(used(long), fresh(long), rtol=1e-4, atol=1e-4)
