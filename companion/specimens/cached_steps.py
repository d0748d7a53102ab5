"""Cached attentions to try a test on: some give the same in whatever chunks they are fed, some not.

Each is called as `step(chunk, past)`, with a chunk `(batch, new, d)` and the past that it returned
before, None at the beginning of a text. It returns the contexts, `(batch, new, d)`, and the new
past. They have nothing to train: queries, keys and values are the inputs.
"""

import torch
from torch.nn.functional import pad, scaled_dot_product_attention

Past = tuple[torch.Tensor, ...] | None
Step = tuple[torch.Tensor, Past]

_WINDOW, _ROOM = 4, 3


def attends_to_its_cache(chunk: torch.Tensor, past: Past, /) -> Step:
    """Exact: the cached tokens and the chunk, under a mask that is aligned to the end."""
    cache = _extended(past, chunk)
    return _attend(chunk, cache), (cache,)


def recomputes_everything(chunk: torch.Tensor, past: Past, /) -> Step:
    """Exact, and no faster than without a cache: it attends for the whole text each time."""
    cache = _extended(past, chunk)
    return _attend(cache, cache)[:, -chunk.shape[1] :], (cache,)


def running_average(chunk: torch.Tensor, past: Past, /) -> Step:
    """Exact up to rounding: the average of all tokens so far, of which only the sum is kept."""
    total, count = past or (torch.zeros_like(chunk[:, 0]), chunk.new_zeros(1))
    sums = total[:, None] + chunk.cumsum(dim=1)
    counts = count + torch.arange(1, chunk.shape[1] + 1, dtype=chunk.dtype)
    return sums / counts[:, None], (sums[:, -1], counts[-1:])


def only_itself(chunk: torch.Tensor, past: Past, /) -> Step:
    """Exact: each token sees itself alone, and nothing is kept."""
    return chunk.clone(), None


def doubles_each_token(chunk: torch.Tensor, past: Past, /) -> Step:
    """Exact: each token twice as large, and nothing is kept."""
    return 2 * chunk, None


def mask_from_the_start(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the mask is aligned to the first key, so a new token sees the oldest ones."""
    cache = _extended(past, chunk)
    return scaled_dot_product_attention(chunk, cache, cache, is_causal=True), (cache,)


def no_mask_in_the_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: tokens see all of their own chunk, so it is right for single tokens only."""
    cache = _extended(past, chunk)
    return scaled_dot_product_attention(chunk, cache, cache), (cache,)


def sees_its_chunk_only(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: what was cached is never looked at."""
    return _attend(chunk, chunk), (chunk,)


def keeps_the_last_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the new chunk replaces the cached one, which shows with the third."""
    return _attend(chunk, _extended(past, chunk)), (chunk,)


def trims_before_attending(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the cache is cut to the last four tokens before a chunk attends, not after.

    The last token of a chunk has all that it needs. Those before it may have lost theirs.
    """
    cache = _extended(past, chunk)[:, -_WINDOW:]
    missing = max(0, chunk.shape[1] - _WINDOW)
    contexts = _attend(chunk[:, missing:], cache)
    return torch.cat([torch.zeros_like(chunk[:, :missing]), contexts], dim=1), (cache,)


def pads_odd_chunks(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: chunks of 3, 5, 7 … tokens get a token of zeros before them that is not hidden."""
    odd = chunk.shape[1] > 1 and chunk.shape[1] % 2 == 1
    padded = pad(chunk, (0, 0, int(odd), 0))
    cache = _extended(past, padded)
    return _attend(chunk, cache), (cache,)


def keeps_three_of_a_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: of each chunk, only the first three tokens are cached."""
    return _attend(chunk, _extended(past, chunk)), (_extended(past, chunk[:, :_ROOM]),)


def largest_of_its_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the largest number so far, feature by feature, but of its own chunk alone."""
    return chunk.cummax(dim=1).values, None


def smallest_of_its_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the smallest number so far, feature by feature, but of its own chunk alone."""
    return chunk.cummin(dim=1).values, None


def shortcut_for_one(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: a single new token takes a short way, on which it can't see itself."""
    contexts, cache = attends_to_its_cache(chunk, past)
    if chunk.shape[1] > 1 or past is None:
        return contexts, cache
    return scaled_dot_product_attention(chunk, past[0], past[0]), cache


def first_text_only(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the texts of the batch but the first see their own chunk only."""
    right, cache = attends_to_its_cache(chunk, past)
    return torch.cat([right[:1], _attend(chunk, chunk)[1:]]), cache


def last_text_only(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the texts of the batch but the last see their own chunk only."""
    right, cache = attends_to_its_cache(chunk, past)
    return torch.cat([_attend(chunk, chunk)[:-1], right[-1:]]), cache


def cancelling_features(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the size of a chunk raises the first feature by what it lowers the second."""
    contexts, cache = attends_to_its_cache(chunk, past)
    contexts[..., 0] += chunk.shape[1]
    contexts[..., 1] -= chunk.shape[1]
    return contexts, cache


def cancelling_tokens(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: the first token of a chunk is raised by what the last one is lowered by."""
    contexts, cache = attends_to_its_cache(chunk, past)
    contexts[:, 0] += 1
    contexts[:, -1] -= 1
    return contexts, cache


def rounds_its_cache(chunk: torch.Tensor, past: Past, /) -> Step:
    """Not exact: cached tokens are rounded to 16 bits, the tokens of the chunk are not yet."""
    contexts, _ = attends_to_its_cache(chunk, past)
    return contexts, (_extended(past, chunk).to(torch.bfloat16).to(chunk.dtype),)


def _extended(past: Past, chunk: torch.Tensor) -> torch.Tensor:
    return chunk if past is None else torch.cat([past[0], chunk], dim=1)


def _attend(queries: torch.Tensor, tokens: torch.Tensor) -> torch.Tensor:
    """The last tokens attend to all that come before them, and to themselves."""
    new, everything = queries.shape[1], tokens.shape[1]
    visible = torch.ones(new, everything, dtype=torch.bool).tril(everything - new)
    return scaled_dot_product_attention(queries, tokens, tokens, attn_mask=visible)
