"""A driver for exams of KV caches: it writes several texts with one, and says what comes back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from companion.beside import made_beside
from companion.trials.other_ways import refuse_another_order
from companion.trials.quoted import in_quotes

Chunk = tuple[torch.Tensor, torch.Tensor]
# Exceptions of classes that are derived from these, too.
_REFUSALS = (ValueError, AssertionError)


def try_cache(
    cache_class: Callable[..., Any],
    settings: Mapping[str, int],
    texts: Sequence[Sequence[Chunk]],
) -> dict[str, Any]:
    """Fill a cache chunk by chunk, with one text after the other.

    Its dtype is that of the keys. Beside it stands a second cache, which is reset while it is still
    empty, and is given the first chunk of the first text with all signs turned: once before the
    other is used, and once afterwards. In the end that chunk is given to a third one, which is made
    of its arguments in order.

    Args:
        cache_class: the class, or whatever makes a cache when it is called with `settings`.
        settings: batch, num_kv_heads, max_tokens and head_dim, in this order.
        texts: the keys and values of each chunk of each text; before every text but the first, the
            cache is reset, and once more. There is room for the first chunk twice, unless there is
            none for all.

    Returns:
        `length` at first, what `append` returned for each chunk, or that it refused, and `length`
        after each, in both caches.

    Raises:
        OrderMismatch: when a cache is right only if its arguments are given by name.
    """
    dtype = texts[0][0][0].dtype
    cache, other = (cache_class(**settings, dtype=dtype) for _ in range(2))
    seen: dict[str, object] = {"length at first": cache.length}
    # Beside the answer, because what is sent to another process is contiguous there.
    keys, values = (made_beside(cache_class, cut_into_heads, -x) for x in texts[0][0])
    other.reset()
    other.append(keys, values)

    def append(to: Any, name: str, new: Chunk, size: int, room: int) -> int:
        """What room is left, after it was tried to append a chunk where there is so much."""
        too_long = size > room
        refusals = _REFUSALS if too_long else ()
        try:
            seen[name] = _copied(to.append(*new))
        except refusals:
            seen[name] = "refused, with a ValueError"
        seen[f"{name}: length"] = to.length
        return room if too_long else room - size

    for number, chunks in enumerate(texts, start=1):
        room = settings["max_tokens"]
        if number > 1:
            cache.reset()
            # There is nothing left to forget.
            cache.reset()
            seen[f"text {number}: length after reset"] = cache.length
        for place, chunk in enumerate(chunks, start=1):
            name = f"text {number}, chunk {place}"
            room = append(cache, name, chunk, chunk[0].shape[2], room)
    size = texts[0][0][0].shape[2]
    append(other, "second cache, chunk 2", (keys, values), size, settings["max_tokens"] - size)
    first = texts[0][0]
    refuse_another_order(
        cache_class,
        {**settings, "dtype": dtype},
        lambda made: size > settings["max_tokens"] or _are_kept(first, made.append(*first)),
    )
    return seen


def cut_into_heads(x: torch.Tensor) -> torch.Tensor:
    """The same numbers, in memory as when a projection is cut into heads: token after token."""
    return x.transpose(1, 2).contiguous().transpose(1, 2)


def _are_kept(chunk: Chunk, returned: object) -> bool:
    """Whether an empty cache has returned the chunk that it was given."""
    return (
        isinstance(returned, tuple)
        and len(returned) == len(chunk)
        and all(
            isinstance(one, torch.Tensor) and one.dtype == given.dtype and torch.equal(one, given)
            for one, given in zip(returned, chunk, strict=True)
        )
    )


def _copied(returned: object) -> object:
    """What was returned, safe from what the cache does to its memory later."""
    if isinstance(returned, tuple):
        return tuple(map(_copied, returned))
    return returned.clone() if isinstance(returned, torch.Tensor) else in_quotes(returned)
