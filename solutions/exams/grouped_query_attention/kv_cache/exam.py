"""The exam of `KVCache`, lesson 07: what it is tried on."""

from collections.abc import Callable
from typing import Any

import torch

from autograder import Draw, Exam
from companion import Chunk, try_cache
from companion.beside import made_beside
from companion.trials.training_trials import copy_of
from solutions import grouped_query_attention as reference
from solutions.exams.printed_numbers import numbers

cache = Exam(reference.KVCache, use=try_cache, forbids=("companion",))

Texts = tuple[dict[str, int], list[list[Chunk]]]


def cache_sizes(batch: int, num_kv_heads: int, max_tokens: int, head_dim: int) -> dict[str, int]:
    """The keywords of the class."""
    return {
        "batch": batch,
        "num_kv_heads": num_kv_heads,
        "max_tokens": max_tokens,
        "head_dim": head_dim,
    }


def in_chunks(keys: torch.Tensor, values: torch.Tensor, *sizes: int) -> list[Chunk]:
    """A text, cut into chunks of these sizes."""
    cut = (torch.split(x, list(sizes), dim=2) for x in (keys, values))
    chunks = zip(*cut, strict=True)
    return [(k.clone(), v.clone()) for k, v in chunks]


def printed_text(
    *sizes: int, start: int, batch: int = 1, heads: int = 2, head_dim: int = 1
) -> list[Chunk]:
    """Texts of as many key/value heads with as many features, in chunks."""
    shape = batch, heads, sum(sizes), head_dim
    keys, values = (numbers(*shape, start=start + i) for i in (0, 50))
    return in_chunks(keys, values, *sizes)


@cache.example
def token_by_token() -> Texts:
    """three tokens, one by one, in a buffer for five"""
    return cache_sizes(1, 2, 5, 1), [printed_text(1, 1, 1, start=1)]


@cache.example
def uneven_chunks() -> Texts:
    """two texts of one head with three features, in chunks of two, three and one token"""
    # No other size is one of these chunks and the next of another.
    text = printed_text(2, 3, 1, start=20, batch=2, heads=1, head_dim=3)
    return cache_sizes(2, 1, 6, 3), [text]


@cache.example
def two_texts_in_a_row() -> Texts:
    """two texts in a row, with a reset between them"""
    # With five features, who counts features for tokens refuses the second chunk.
    texts = [
        printed_text(2, 1, start=1, heads=1, head_dim=5),
        printed_text(1, 1, start=20, heads=1, head_dim=5),
    ]
    return cache_sizes(1, 1, 6, 5), texts


@cache.example
def too_many_tokens() -> Texts:
    """four tokens for a cache of at most three, which is refused, and then a third one"""
    return cache_sizes(1, 2, 3, 1), [printed_text(2, 2, 1, start=30)]


@cache.example
def too_many_at_last() -> Texts:
    """four tokens for a cache of at most three, the last two of which are refused"""
    # Nothing follows that a cache which has counted them would refuse as well.
    return cache_sizes(1, 2, 3, 1), [printed_text(2, 2, start=60)]


def drawn_text(draw: Draw, *sizes: int) -> list[Chunk]:
    """A text of as many tokens, in chunks of these sizes."""
    shape = (draw.size("batch"), draw.size("num_kv_heads"), sum(sizes), draw.size("head_dim"))
    keys, values = (torch.from_numpy(draw.rng.normal(size=shape)) for _ in range(2))
    return in_chunks(keys, values, *sizes)


def drawn_sizes(draw: Draw, max_tokens: int) -> dict[str, int]:
    return cache_sizes(
        draw.size("batch"), draw.size("num_kv_heads"), max_tokens, draw.size("head_dim")
    )


@cache.case(times=1)
def chunks_of_every_size(draw: Draw) -> Texts:
    """seven texts of seven tokens, in chunks of one, of two, … of seven"""
    texts = [
        drawn_text(draw, *(min(size, 7 - start) for start in range(0, 7, size)))
        for size in range(1, 8)
    ]
    return drawn_sizes(draw, 9), texts


@cache.case(times=2)
def three_texts(draw: Draw) -> Texts:
    """three texts in a row, the first the longest"""
    texts = [drawn_text(draw, 3, 2, 1), drawn_text(draw, 1, 2), drawn_text(draw, 4)]
    return drawn_sizes(draw, 6), texts


@cache.case(times=1)
def long_text(draw: Draw) -> Texts:
    """one long text, most of it in a single chunk"""
    draw.fix(batch=1, num_kv_heads=2, head_dim=3)
    prompt = int(draw.rng.integers(4200, 4800))
    text = drawn_text(draw, 2, prompt, 3)
    return drawn_sizes(draw, prompt + 5), [text]


@cache.case(times=1)
def overfull_in_the_end(draw: Draw) -> Texts:
    """tokens that are too many, which are refused, in the end or at once, and fewer after them"""
    return drawn_sizes(draw, 6), [drawn_text(draw, 3, 2, 2, 1, 1), drawn_text(draw, 7, 4)]


@cache.case(times=1)
def overwritten_chunks(draw: Draw) -> Texts:
    """a caller that writes each chunk over the one before"""
    ((keys, values),) = drawn_text(draw, 2)
    return drawn_sizes(draw, 5), [[(keys, values), (-keys, -values)]]


@cache.holds
def chunks_may_be_overwritten(
    KVCache: Callable[..., reference.KVCache], settings: dict[str, int], texts: list[list[Chunk]]
) -> bool:
    """what is cached stays as it was when the tensors that were passed in are overwritten, after
    `reset` too
    """
    (keys, values), *others = texts[0]
    if len(others) != 1 or not torch.equal(others[0][0], -keys):
        return True
    kept = KVCache(**settings, dtype=keys.dtype)
    right = [torch.cat([chunk, -chunk], dim=2) for chunk in (keys, values)]
    for _text in range(2):
        # Beside the answer, so that it can keep them, wherever it is.
        new = [made_beside(KVCache, copy_of, chunk) for chunk in (keys, values)]
        kept.append(*new)
        for chunk in new:
            chunk.neg_()
        both = kept.append(*new)
        if not all(torch.equal(one, other) for one, other in zip(both, right, strict=True)):
            return False
        kept.reset()
    return True


@cache.holds
def dtype_is_kept(
    KVCache: Callable[..., reference.KVCache], settings: dict[str, int], texts: list[list[Chunk]]
) -> bool:
    """a cache made without a dtype returns 32-bit numbers, and one made with a 16-bit dtype returns
    16-bit numbers, after `reset` too
    """
    (keys, values), *_ = texts[0]
    # Who stores everything in 32 bits is wrong in 64 already, and in nothing but the dtype.
    is_single = keys.dtype == torch.float32
    options: list[dict[str, Any]] = [{"dtype": torch.float16}, {"dtype": torch.bfloat16}]
    for given in [{}] if is_single else options:
        dtype = given.get("dtype", torch.float32)
        new = keys.to(dtype), values.to(dtype)
        made = KVCache(**settings, **given)
        for _text in range(2):
            pairs = zip(made.append(*new), new, strict=True)
            if not all(kept.dtype == dtype and torch.equal(kept, one) for kept, one in pairs):
                return False
            made.reset()
    return True


cache.half_but_for("chunks that the caller overwrites", overwritten_chunks)
cache.half_but_for(
    "refusing tokens for which there is no room",
    too_many_tokens,
    too_many_at_last,
    overfull_in_the_end,
)
