"""Steps with a cache that `is_cache_exact` is asked about in grading alone, exact and not."""

from collections.abc import Callable
from itertools import cycle

import torch

import companion.specimens.cached_steps as specimens
from companion import Past, Step

StepFunction = Callable[[torch.Tensor, Past], Step]


def sums_so_far(chunk: torch.Tensor, past: Past, /) -> Step:
    """A running sum: exact."""
    sums = chunk.cumsum(dim=1) + (past[0] if past else 0)
    return sums, (sums[:, -1:],)


def largest_so_far(chunk: torch.Tensor, past: Past, /) -> Step:
    """The largest number so far, feature by feature: exact."""
    known = torch.cat([past[0], chunk], dim=1) if past else chunk
    largest = known.cummax(dim=1).values
    return largest[:, -chunk.shape[1] :], (largest[:, -1:],)


def smallest_in_the_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """The smallest number so far, but not over the edges of chunks: not exact."""
    return chunk.cummin(dim=1).values, None


def the_word_before(chunk: torch.Tensor, past: Past, /) -> Step:
    """The word before, over the edges of chunks: exact."""
    before = past[0] if past else torch.zeros_like(chunk[:, :1])
    return torch.cat([before, chunk[:, :-1]], dim=1), (chunk[:, -1:],)


def word_before_in_the_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """The word before, but not over the edges of chunks: not exact."""
    return torch.cat([torch.zeros_like(chunk[:, :1]), chunk[:, :-1]], dim=1), None


def counts_places_anew(chunk: torch.Tensor, past: Past, /) -> Step:
    """Positions that are counted from 0 in every chunk: not exact."""
    places = torch.arange(chunk.shape[1], dtype=chunk.dtype)
    return specimens.attends_to_its_cache(chunk + places[:, None], past)


def forgets_the_first(chunk: torch.Tensor, past: Past, /) -> Step:
    """A cache that holds five tokens: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts, tuple(tokens[:, -5:] for tokens in cache or ())


def average_of_the_chunk(chunk: torch.Tensor, past: Past, /) -> Step:
    """Less the average of its chunk: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts - 0.1 * chunk.mean(dim=1, keepdim=True), cache


def last_feature_is_new(chunk: torch.Tensor, past: Past, /) -> Step:
    """The last feature sees its own chunk only: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    own = specimens.sees_its_chunk_only(chunk, None)[0]
    return torch.cat([contexts[..., :-1], own[..., -1:]], dim=-1), cache


def faintly_different(chunk: torch.Tensor, past: Past, /) -> Step:
    """A thousandth that depends on the size of the chunk: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts + 1e-3 * chunk.shape[1], cache


def a_little_louder(chunk: torch.Tensor, past: Past, /) -> Step:
    """Half a thousandth is added once there is a cache: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts * (1 if past is None else 1.0005), cache


def nothing_but_nan(chunk: torch.Tensor, past: Past, /) -> Step:
    """Nothing but NaN once there is a cache: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts * (1 if past is None else torch.nan), cache


def nan_for_zero(chunk: torch.Tensor, past: Past, /) -> Step:
    """A feature that is always 0 is NaN once there is a cache: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    # Who replaces NaN by 0 makes it right.
    contexts[..., 0] = 0 if past is None else torch.nan
    return contexts, cache


def wrong_in_chunks_of(size: int, spoil: Callable[[torch.Tensor], torch.Tensor]) -> StepFunction:
    """A step that is right but for chunks of one size."""

    def step(chunk: torch.Tensor, past: Past, /) -> Step:
        contexts, cache = specimens.attends_to_its_cache(chunk, past)
        return spoil(contexts) if chunk.shape[1] == size else contexts, cache

    return step


def wrong_with_a_cache(wrong: Callable[[torch.Tensor], torch.Tensor]) -> StepFunction:
    """A step that is right without a cache, and wrong as soon as there is one."""

    def step(chunk: torch.Tensor, past: Past, /) -> Step:
        contexts, cache = specimens.attends_to_its_cache(chunk, past)
        # Of one word nothing could cancel but in another text.
        is_right = past is None or chunk.shape[1] == 1
        return contexts if is_right else wrong(contexts), cache

    return step


def a_little_rounded(chunk: torch.Tensor, past: Past, /) -> Step:
    """Off by rounding once there is a cache, also where it should be 0: exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    contexts[..., 0] = 0
    if past is not None:
        step = torch.finfo(chunk.dtype).eps
        contexts = contexts * (1 + 2 * step)
        # Less than the absolute difference that `allclose` allows by default.
        contexts[..., 0] = step / 100
    return contexts, cache


def growing_in_place() -> StepFunction:
    """A running sum that grows in place, and a past that says where: exact."""
    # What an answer hands back may be a copy, so what grows stays here; a few texts at a time.
    kept: list[torch.Tensor | int] = [0] * 64
    places = cycle(range(len(kept)))

    def step(chunk: torch.Tensor, past: Past, /) -> Step:
        place = int(past[0]) if past else next(places)
        sums = chunk.cumsum(dim=1) + (kept[place] if past else 0)
        kept[place] = sums[:, -1:]
        return sums, (chunk.new_tensor(place),)

    return step


def with_other_features(step: StepFunction, d_out: int) -> StepFunction:
    """The same step, whose contexts have as many features as it is told."""

    def wide(chunk: torch.Tensor, past: Past, /) -> Step:
        contexts, cache = step(chunk, past)
        return contexts.repeat(1, 1, -(-d_out // chunk.shape[-1]))[..., :d_out], cache

    return wide
