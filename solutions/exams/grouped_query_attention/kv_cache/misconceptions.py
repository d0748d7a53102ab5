"""The known wrong answers to `KVCache`, lesson 07."""

import torch

from solutions.exams.grouped_query_attention.kv_cache.exam import cache


class Notebook:
    """A cache in steps, for misconceptions to get one of them wrong."""

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.shape = (batch, num_kv_heads, max_tokens, head_dim)
        self.keys = torch.zeros(self.shape, dtype=dtype)
        self.values = torch.zeros(self.shape, dtype=dtype)
        self.length = 0

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        start, end = self.length, self.length + keys.shape[2]
        self.refuse(end)
        self.keys[:, :, start:end] = keys
        self.values[:, :, start:end] = values
        self.length = self.advanced(keys.shape[2])
        return self.given(self.keys, end, keys), self.given(self.values, end, values)

    def refuse(self, end: int) -> None:
        if end > self.shape[2]:
            raise ValueError("no room")

    def advanced(self, new: int) -> int:
        return self.length + new

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return kept[:, :, :end]

    def reset(self) -> None:
        self.length = 0


@cache.misconception
class LengthStays(Notebook):
    """`length` never grows, and you return the newest chunk alone, as when every chunk is written
    to the beginning, over the one before. Add the number of new tokens to `length`.
    """

    def advanced(self, new: int) -> int:
        return self.length


class SlicedByLength(Notebook):
    """What it returns is cut by `length`, as it has become."""

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return kept[:, :, : self.length]


@cache.misconception
class NothingCounted(SlicedByLength):
    """`length` stays 0, so nothing is returned. Add the number of new tokens to it."""

    def advanced(self, new: int) -> int:
        return self.length


@cache.misconception
class LengthIsTheLastChunk(SlicedByLength):
    """`length` becomes the size of the newest chunk, and you return only that many tokens. Add the
    size to it.
    """

    def advanced(self, new: int) -> int:
        return new


@cache.misconception
class ChunksCountedAndReturned(SlicedByLength):
    """`length` grows by 1 for each call, and so does what you return. A chunk may have several
    tokens: add keys.shape[2].
    """

    def advanced(self, new: int) -> int:
        return self.length + 1


@cache.misconception
class WrittenToTheBeginning(SlicedByLength):
    """`length` grows as it should, but every chunk is written to the beginning, over the one
    before. Write it after the tokens that are already there.
    """

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        new = keys.shape[2]
        self.refuse(self.length + new)
        self.keys[:, :, :new], self.values[:, :, :new] = keys, values
        self.length += new
        return self.given(self.keys, new, keys), self.given(self.values, new, values)


@cache.misconception
class LengthCountsChunks(Notebook):
    """`length` grows by 1 for each call. A chunk may have several tokens: add keys.shape[2]."""

    def advanced(self, new: int) -> int:
        return self.length + 1


@cache.misconception
class NotReset(Notebook):
    """After a reset, the slots of the previous text still count, so the new text would attend to
    them. Forget them: set `length` back to 0.
    """

    def reset(self) -> None:
        return


@cache.misconception
class ClearedButNotReset(Notebook):
    """After a reset the old tokens are zeros, but `length` stays as it was, so a new text would
    attend to zeros. Set it back to 0.
    """

    def reset(self) -> None:
        self.keys.zero_()
        self.values.zero_()


@cache.misconception
class WholeBuffer(Notebook):
    """You return the whole buffer, with zeros in the slots that hold no token yet. A key of zeros
    still gets a weight: return the first `length` tokens only.
    """

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return kept


@cache.misconception
class WholeBufferCleared(WholeBuffer):
    """You return the whole buffer, with zeros in the slots that hold no token yet. A key of zeros
    still gets a weight: return the first `length` tokens only. Then a reset need not clear
    anything.
    """

    def reset(self) -> None:
        self.keys.zero_()
        self.values.zero_()
        self.length = 0


@cache.misconception
class EmptySlotsReturned(Notebook):
    """You return only empty slots of the buffer, all of them zeros. Are the new tokens never
    written, or joined to a buffer whose empty slots come first, as by `torch.cat`? Write them into
    its slots, from `length` on, or begin with an empty one.
    """

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return torch.zeros_like(kept[:, :, :end])


@cache.misconception
class NewOnly(Notebook):
    """You return only the new tokens. Return all tokens so far."""

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return new


@cache.misconception
class OldOnly(Notebook):
    """You return what was cached before this call. Include the new tokens, because a token attends
    to itself, too.
    """

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return kept[:, :, : end - new.shape[2]]


@cache.misconception
class OneMissing(Notebook):
    """The newest token is missing from what you return. A slice ends before its end."""

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return kept[:, :, : end - 1]


@cache.misconception
class KeysTwice(Notebook):
    """Your values are the keys. Store both."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return super().append(keys, keys)


@cache.misconception
class SharedByBoth(Notebook):
    """Your keys are the values. Are both kept in the same tensor, where the values overwrite the
    keys? After `a = b`, both names refer to one tensor: make two.
    """

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return super().append(values, values)


@cache.misconception
class ValuesFirst(Notebook):
    """Keys and values are swapped. Return the keys first."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        kept_keys, kept_values = super().append(keys, values)
        return kept_values, kept_keys


@cache.misconception
class NewestFirst(Notebook):
    """The newest tokens come first. The oldest should, because the mask relies on it."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        old_keys, old_values = self.keys[:, :, : self.length], self.values[:, :, : self.length]
        both = torch.cat([keys, old_keys], dim=2), torch.cat([values, old_values], dim=2)
        end = self.length + keys.shape[2]
        self.refuse(end)
        self.keys[:, :, :end], self.values[:, :, :end] = both
        self.length = end
        return both


@cache.misconception
class JoinedAlongHeads(Notebook):
    """You joined new to old along the heads. Tokens are axis 2."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.refuse(self.length + keys.shape[2])
        if self.length:
            keys, values = torch.cat([self.keys, keys], 1), torch.cat([self.values, values], 1)
        self.keys, self.values = keys, values
        self.length = keys.shape[2]
        return keys, values


@cache.misconception
class FixedType(Notebook):
    """Your cache is float32, whatever dtype it is given. Make the buffers with that dtype, as in
    torch.zeros(…, dtype=dtype).
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(batch, num_kv_heads, max_tokens, head_dim, torch.float32)


@cache.misconception
class NoLimit(Notebook):
    """When the buffer is full, your code fails with the wrong kind of error. Check before you
    write, and raise a ValueError.
    """

    def refuse(self, end: int) -> None:
        return


@cache.misconception
class RefusesTheLast(Notebook):
    """Your cache refuses tokens that would just fill it. As many as max_tokens fit: refuse one
    more.
    """

    def refuse(self, end: int) -> None:
        if end >= self.shape[2]:
            raise ValueError("no room")


@cache.misconception
class CountedBeforeRefused(Notebook):
    """Your cache counts the new tokens, or stores them, before it refuses them, so afterwards
    `length` is larger than it should be. Check first, and change nothing unless they all fit.
    """

    def refuse(self, end: int) -> None:
        if end > self.shape[2]:
            self.length = end
            raise ValueError("no room")


@cache.misconception
class ClearedBeforeRefused(Notebook):
    """When new tokens do not fit, your cache forgets what it holds. Reject the new tokens, and keep
    the old ones.
    """

    def refuse(self, end: int) -> None:
        if end > self.shape[2]:
            self.length = 0
            raise ValueError("no room")


@cache.misconception
class OldestForgotten(Notebook):
    """When it is full, your cache silently drops the oldest tokens. Raise a ValueError."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        over = max(0, self.length + keys.shape[2] - self.shape[2])
        self.keys, self.values = self.keys.roll(-over, dims=2), self.values.roll(-over, dims=2)
        self.length -= over
        return super().append(keys, values)


class Growing(Notebook):
    """It joins new tokens to what it has, and allocates no buffer in advance."""

    kept = False

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        self.refuse(self.length + keys.shape[2])
        if self.kept:
            keys, values = torch.cat([self.keys, keys], 2), torch.cat([self.values, values], 2)
        self.keys, self.values, self.kept = keys.clone(), values.clone(), True
        self.length = keys.shape[2]
        return keys, values

    def reset(self) -> None:
        self.length, self.kept = 0, False


@cache.misconception
class GrowsWithoutEnd(Growing):
    """Your cache accepts more tokens than max_tokens, and grows. Check first, and raise a
    ValueError.
    """

    def refuse(self, end: int) -> None:
        return


@cache.misconception
class JoinedToTheTextBefore(Growing):
    """A reset sets `length` to 0, but the tokens of the previous text are still there, and the next
    ones are joined to them. Forget them as well.
    """

    def reset(self) -> None:
        self.length = 0


@cache.misconception
class GrowsAndJoins(GrowsWithoutEnd, JoinedToTheTextBefore):
    """A reset sets `length` to 0, but the tokens of the previous text are still there, and the next
    ones are joined to them: forget them as well. And your cache accepts more tokens than
    max_tokens: check first, and raise a ValueError.
    """


@cache.misconception
class TokensForgottenAlone(Growing):
    """A reset forgets the tokens, but `length` still counts them, and continues from there. Set it
    back to 0.
    """

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        counted = self.length + keys.shape[2]
        both = super().append(keys, values)
        self.length = counted
        return both

    def reset(self) -> None:
        self.kept = False


@cache.misconception
class OneForAllLayers(Notebook):
    """Two of your caches share their memory: what you append to one also appears in the other. Make
    the tensors in __init__, as attributes of `self`; not as attributes of the class, and not as
    default values.
    """

    shared: tuple[torch.Tensor, torch.Tensor] | None = None

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(batch, num_kv_heads, max_tokens, head_dim, dtype)
        kind = type(self)
        if kind.shared is None or kind.shared[0].shape != self.keys.shape:
            kind.shared = None
        if kind.shared is not None and kind.shared[0].dtype != dtype:
            kind.shared = None
        kind.shared = kind.shared or (self.keys, self.values)
        self.keys, self.values = kind.shared
