"""What goes wrong in `RotaryAttention` with the cache."""

from torch import Tensor

from companion import Cache
from solutions.exams.your_gpt.rotary_attention.exam import rotary
from solutions.exams.your_gpt.rotary_attention.variant import Pair, Variant


@rotary.misconception
class CacheNotOptional(Variant):
    """For a whole text there is no cache: `cache` is None, and None has neither a length nor an
    `append`. Use these only if there is a cache; without one, positions start at 0.
    """

    def first_position(self, cache: Cache | None) -> int:
        return cache.length  # type: ignore[union-attr]


@rotary.misconception
class AppendNotOptional(Variant):
    __doc__ = CacheNotOptional.__doc__

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        return cache.append(keys, values)  # type: ignore[union-attr]


@rotary.misconception
class HiddenWithACacheOnly(Variant):
    """Without a cache, your tokens see those after them: the mask is made only where there is a
    cache. A whole text needs it as well.
    """

    def hidden(self, queries: int, keys: int, cache: Cache | None) -> Tensor | None:
        return None if cache is None else super().hidden(queries, keys, cache)


@rotary.misconception
class CacheIgnored(Variant):
    """The cache stays empty, and each chunk is computed as if it were a whole text. Append the new
    keys and values, and attend to what `append` returns.
    """

    def first_position(self, cache: Cache | None) -> int:
        return 0

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        return keys, values


@rotary.misconception
class PastNotRead(Variant):
    """New keys and values are cached, but your queries see those of their own chunk only. `append`
    returns all that the cache holds: attend to these, and let the mask hide none of the past.
    """

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        super().remember(keys, values, cache)
        return keys, values


@rotary.misconception
class AppendedTwice(Variant):
    """Each token is in the cache twice: `append` was called twice for the same keys and values.
    Call it once, and keep both tensors that it returns.
    """

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        super().remember(keys, values, cache)
        return super().remember(keys, values, cache)


@rotary.misconception
class AppendedForEach(Variant):
    """There are more values than keys: `append` was called once for the keys and once more for the
    values, and each call appends both. Call it once, and keep both tensors that it returns.
    """

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        return (
            super().remember(keys, values, cache)[0],
            super().remember(keys, values, cache)[1],
        )


@rotary.misconception
class AppendedSwapped(Variant):
    """With a cache, you append keys and values in the wrong order: it is append(keys, values)."""

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        return (keys, values) if cache is None else cache.append(values, keys)


@rotary.misconception
class ReturnedSwapped(Variant):
    """The cache holds the right tensors, but you swapped those that come back: `append` returns
    the keys first, and then the values.
    """

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        keys, values = super().remember(keys, values, cache)
        return (keys, values) if cache is None else (values, keys)


@rotary.misconception
class CachedRepeated(Variant):
    """Your outputs are right, but the cache holds a key and a value for every query head, so
    nothing is saved. Append them first, and repeat what `append` returns.
    """

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        return super().remember(super().share(keys), super().share(values), cache)

    def share(self, x: Tensor) -> Tensor:
        return x


@rotary.misconception
class AppendedAndReturnedSwapped(Variant):
    """Your outputs are right, but the cache holds values where its keys belong, and keys where its
    values belong: you call append(values, keys). Call append(keys, values), which returns both in
    this order.
    """

    def remember(self, keys: Tensor, values: Tensor, cache: Cache | None) -> Pair:
        return (keys, values) if cache is None else cache.append(values, keys)[::-1]
