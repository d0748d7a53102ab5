"""A driver for exams of KV caches: it writes several texts with one, and says what comes back."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

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

    Its dtype is that of the keys. Beside it stands a second cache, which is given the first chunk
    of the first text with all signs turned: once before the other is used, and once afterwards.

    Args:
        cache_class: the class, or whatever makes a cache when it is called with `settings`.
        settings: batch, num_kv_heads, max_tokens and head_dim.
        texts: the keys and values of each chunk of each text; before every text but the first, the
            cache is reset. There is room for the first chunk twice, unless there is none for all.

    Returns:
        What `append` returned for each chunk, or that it refused, and `length` after each, in both
        caches.
    """
    dtype = texts[0][0][0].dtype
    cache, other = (cache_class(**settings, dtype=dtype) for _ in range(2))
    keys, values = (-x for x in texts[0][0])
    other.append(keys, values)
    seen: dict[str, object] = {}

    def append(to: Any, name: str, new: Chunk, room: int) -> int:
        """What room is left, after it was tried to append a chunk where there is so much."""
        too_long = new[0].shape[2] > room
        refusals = _REFUSALS if too_long else ()
        try:
            seen[name] = _copied(to.append(*new))
        except refusals:
            seen[name] = "refused, with a ValueError"
        seen[f"{name}: length"] = to.length
        return room if too_long else room - new[0].shape[2]

    for number, chunks in enumerate(texts, start=1):
        room = settings["max_tokens"]
        if number > 1:
            cache.reset()
            seen[f"text {number}: length after reset"] = cache.length
        for place, chunk in enumerate(chunks, start=1):
            room = append(cache, f"text {number}, chunk {place}", chunk, room)
    append(other, "second cache, chunk 2", (keys, values), settings["max_tokens"] - keys.shape[2])
    return seen


def _copied(returned: object) -> object:
    """What was returned, safe from what the cache does to its memory later."""
    if isinstance(returned, tuple):
        return tuple(map(_copied, returned))
    return returned.clone() if isinstance(returned, torch.Tensor) else in_quotes(returned)
