"""The exam of `RotaryAttention`, lesson 10: what it is tried on."""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from companion import try_attention
from companion.beside import made_beside
from companion.trials.gpt_trial import Recorded
from solutions import your_gpt as reference
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.printed_numbers import numbers
from solutions.exams.your_gpt._modules import (
    Settings,
    Weights,
    attention_shapes,
    drawn,
    is_alike_in_chunks,
    printed,
)

rotary = Exam(
    reference.RotaryAttention,
    use=try_attention,
    forbids=("LibraryRotaryAttention", "RotaryAttention", "RotaryBlock"),
)

# Longer than any text that is drawn.
_TOKENS = 70
# The chunks of the case that much longer texts are tried beside. All keys with all keys are still
# no more than a mask may be made for.
_LONG = (18, 6)
_WHOLE, _CACHED = 1100, 4200

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
    return printed_case(numbers(1, 4, 12, start=91), 6, 3, 2, 1, 1)


@rotary.example
def every_token_alone() -> Case:
    """with a cache: three tokens, one at a time"""
    return printed_case(numbers(1, 3, 8, start=161), 2, 1, 1, 1, 1)


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
    return drawn_case(draw, MADE_TWICE, MADE_TWICE, 2)


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
    """a cache: a text of 24 tokens in two chunks, and texts of thousands of tokens"""
    return drawn_case(draw.fix(batch=1), 4, 4, 4, *_LONG)


rotary.half_but_for("texts of thousands of tokens", drawn_long)


rotary.holds(leaves_the_generator_alone)


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


@rotary.holds
def the_cache_is_used_in_training(
    module_class: Callable[..., Any],
    chosen: Settings,
    weights: Weights,
    inputs: tuple[Tensor],
    chunks: Sequence[int] = (),
) -> bool:
    """in training, too, a text in chunks comes out as it does as a whole"""
    if not chunks:
        return True
    (given,) = inputs
    module = module_class(**chosen)
    module.double() if given.dtype == torch.float64 else module.float()
    head_dim = chosen["d_model"] // chosen["num_heads"]
    sizes = len(given), chosen["num_kv_heads"], given.shape[1], head_dim, given.dtype
    cache = made_beside(module_class, Recorded, *sizes)
    return is_alike_in_chunks(module, given, chunks[0], cache)


@rotary.holds
def long_texts_are_right(
    module_class: Callable[..., Any],
    chosen: Settings,
    weights: Weights,
    inputs: tuple[Tensor],
    chunks: Sequence[int] = (),
) -> bool:
    """a text of a thousand tokens, and two tokens behind thousands of cached ones, come out as they
    should
    """
    if tuple(chunks) != _LONG:
        return True
    (given,) = inputs
    small = settings(1, 1, 2)
    module = module_class(**small)
    module.double() if given.dtype == torch.float64 else module.float()
    module.train(False)
    right = with_its_weights(module, small).to(given.dtype)
    seed = int(1000 * given.abs().sum())
    generator = torch.Generator().manual_seed(seed)
    whole, past, new = (
        torch.randn(1, tokens, 2, generator=generator, dtype=given.dtype)
        for tokens in (_WHOLE + seed % 100, _CACHED + seed % 1000, 2)
    )
    ends = []
    for maker, one in ((module_class, module), (reference.RotaryAttention, right)):
        cache = made_beside(maker, Recorded, 1, 1, past.shape[1] + 2, 2, given.dtype)
        # With values like the keys, what is read turns with the query.
        cache.append(past[:, None], past[:, None])
        ends.append((one(whole), one(new, cache), cache.kept[0][:, :, -2:]))
    return all(torch.allclose(mine, other, 1e-3, 1e-3) for mine, other in zip(*ends, strict=True))


def with_its_weights(module: Any, small: Settings) -> nn.Module:
    """The reference, with the weights of an answer, whether these are in layers or parameters."""
    make: Callable[..., nn.Module] = reference.RotaryAttention
    state, right = module.state_dict(), make(**small)
    names = {name: name.removesuffix(".weight") for name in right.state_dict()}
    right.load_state_dict(
        {name: state[name] if name in state else state[bare].T for name, bare in names.items()}
    )
    return right
