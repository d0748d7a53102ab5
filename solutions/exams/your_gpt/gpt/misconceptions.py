"""The known wrong answers to `GPT`, lesson 10."""

from collections.abc import Iterable, Sequence
from typing import Any

from torch import Tensor, nn

from companion import LIBRARY, Cache, Parts, RotaryBlock, sinusoids
from solutions.exams.your_gpt.gpt.exam import gpt

Caches = Sequence[Cache] | None


class Variant(nn.Module):
    """A GPT in steps, for misconceptions to get one of them wrong."""

    def __init__(
        self,
        vocabulary: int,
        d_model: int,
        num_heads: int,
        num_kv_heads: int,
        d_hidden: int,
        num_blocks: int,
        parts: Parts = LIBRARY,
    ) -> None:
        super().__init__()
        self.parts = parts
        self.tokens = nn.Embedding(vocabulary, d_model)
        self.initialise()
        sizes = d_model, num_heads, num_kv_heads, d_hidden
        self.stack(self.make_block(*sizes) for _ in range(num_blocks))
        self.norm = self.last_norm(d_model)

    def initialise(self) -> None:
        nn.init.normal_(self.tokens.weight, std=0.02)

    def make_block(
        self, d_model: int, num_heads: int, num_kv_heads: int, d_hidden: int
    ) -> nn.Module:
        return RotaryBlock(d_model, num_heads, num_kv_heads, d_hidden, self.parts)

    def stack(self, blocks: Iterable[nn.Module]) -> None:
        self.blocks: Any = nn.ModuleList(blocks)

    def last_norm(self, d_model: int) -> nn.Module:
        return self.parts.RMSNorm(d_model)

    def forward(self, ids: Tensor, caches: Caches = None) -> Any:
        x = self.through(self.embed(ids), caches)
        return self.to_logits(self.normalise(x))

    def embed(self, ids: Tensor) -> Tensor:
        embedded: Tensor = self.tokens(ids)
        return embedded

    def through(self, x: Tensor, caches: Caches) -> Tensor:
        """What all blocks make of x."""
        for index, block in enumerate(self.blocks):
            x = self.step(block, x, None if caches is None else self.cache_of(caches, index))
        return x

    def step(self, block: nn.Module, x: Tensor, cache: Any) -> Tensor:
        stepped: Tensor = block(x, cache)
        return stepped

    def cache_of(self, caches: Sequence[Cache], index: int) -> Any:
        return caches[index]

    def normalise(self, x: Tensor) -> Tensor:
        normed: Tensor = self.norm(x)
        return normed

    def to_logits(self, x: Tensor) -> Any:
        return x @ self.tokens.weight.T


@gpt.misconception
class WithoutItsParts(Variant):
    """Your model is made of the library's parts, whatever it is given as `parts`, so your own would
    never be in it. Pass `parts` on to each block, and take the last normalisation from it.
    """

    def __init__(self, *sizes: Any, parts: Parts = LIBRARY, **named: Any) -> None:
        super().__init__(*sizes, **named)


@gpt.misconception
class BlocksWithoutParts(Variant):
    """Your blocks are made of the library's parts, whatever the model is given as `parts`: pass it
    on to each `RotaryBlock`. The last normalisation comes from it already.
    """

    def make_block(
        self, d_model: int, num_heads: int, num_kv_heads: int, d_hidden: int
    ) -> nn.Module:
        return RotaryBlock(d_model, num_heads, num_kv_heads, d_hidden)


@gpt.misconception
class LastNormWithoutParts(Variant):
    """Your blocks are made of the parts that the model is given, but its last normalisation is the
    library's. Use `parts.RMSNorm`.
    """

    def last_norm(self, d_model: int) -> nn.Module:
        return LIBRARY.RMSNorm(d_model)


@gpt.misconception
class OwnOutputLayer(Variant):
    """Your model has a parameter that was not asked for. If it belongs to a layer for the logits,
    leave that layer out: the logits are the products of the output with the rows of
    `tokens.weight`.
    """

    def __init__(self, vocabulary: int, d_model: int, *sizes: Any, **others: Any) -> None:
        super().__init__(vocabulary, d_model, *sizes, **others)
        self.head = nn.Linear(d_model, vocabulary, bias=False)

    def to_logits(self, x: Tensor) -> Any:
        return self.head(x)


@gpt.misconception
class SinusoidsAdded(Variant):
    """You added sinusoids to the embedding. The blocks rotate queries and keys by their positions,
    so nothing has to be added.
    """

    def embed(self, ids: Tensor) -> Tensor:
        x = super().embed(ids)
        return x + sinusoids(ids.shape[1], x.shape[-1], x.dtype)


@gpt.misconception
class EmbeddingScaled(Variant):
    """You multiplied the embedding by √d_model, as in the Transformer of 2017. Here it enters the
    first block as it is.
    """

    def embed(self, ids: Tensor) -> Tensor:
        x = super().embed(ids)
        return x * x.shape[-1] ** 0.5


@gpt.misconception
class LogitsScaled(Variant):
    """Your logits are divided by √d_model, like the scores of attention. A logit is the dot product
    as it is.
    """

    def to_logits(self, x: Tensor) -> Any:
        return super().to_logits(x) / x.shape[-1] ** 0.5


@gpt.misconception
class CachesIgnored(Variant):
    """The caches stay empty, so a chunk is computed as if nothing had come before it. Pass each
    block its cache: block(x, cache).
    """

    def cache_of(self, caches: Sequence[Cache], index: int) -> Any:
        return None


@gpt.misconception
class FirstCacheForAll(Variant):
    """All your blocks share the first cache, so each of them reads the keys of the others as well.
    Block number i has the cache caches[i].
    """

    def cache_of(self, caches: Sequence[Cache], index: int) -> Any:
        return caches[0]


@gpt.misconception
class CachesReversed(Variant):
    """Your outputs are right, but the caches are in the wrong order: the first block fills the last
    one. Block number i has the cache caches[i].
    """

    def cache_of(self, caches: Sequence[Cache], index: int) -> Any:
        return caches[-1 - index]


@gpt.misconception
class AllCachesPassed(Variant):
    """You passed the whole list of caches to a block. It takes one cache: block number i has
    caches[i].
    """

    def cache_of(self, caches: Sequence[Cache], index: int) -> Any:
        return caches


@gpt.misconception
class CachesNotOptional(Variant):
    """For whole texts there are no caches: `caches` is None, and None has no entries. Give each
    block None then.
    """

    def through(self, x: Tensor, caches: Any) -> Tensor:
        for index, block in enumerate(self.blocks):
            x = block(x, caches[index])
        return x


@gpt.misconception
class CachesZipped(CachesNotOptional):
    __doc__ = CachesNotOptional.__doc__

    def through(self, x: Tensor, caches: Any) -> Tensor:
        for block, cache in zip(self.blocks, caches, strict=True):
            x = block(x, cache)
        return x


@gpt.misconception
class NoBlocksWithoutCaches(Variant):
    """Where there are no caches, no block is called: the logits are those of the embedding. `zip`
    ends with the shorter list, so an empty one of caches won't do. Give each block None then.
    """

    def through(self, x: Tensor, caches: Caches) -> Tensor:
        return x if caches is None else super().through(x, caches)


@gpt.misconception
class ResidualTwice(Variant):
    """You added each block's input to its output. A block has its residual connections inside, so
    its output replaces x.
    """

    def step(self, block: nn.Module, x: Tensor, cache: Any) -> Tensor:
        return x + super().step(block, x, cache)


@gpt.misconception
class EachReadsTheEmbedding(Variant):
    """Each of your blocks reads the embedding, and only the last one counts. The output of a block
    is the input of the next one.
    """

    def through(self, x: Tensor, caches: Caches) -> Tensor:
        found = x
        for index, block in enumerate(self.blocks):
            found = self.step(block, x, None if caches is None else caches[index])
        return found


@gpt.misconception
class FirstBlockOnly(Variant):
    """Only the first block counts: is there a `return` inside your loop, or is the block not the
    one of the loop? All blocks follow one another.
    """

    def through(self, x: Tensor, caches: Caches) -> Tensor:
        return self.step(self.blocks[0], x, None if caches is None else caches[0])


@gpt.misconception
class SoftmaxReturned(Variant):
    """These are probabilities. Return the logits, before the softmax: the loss and the choice of
    the next token take the softmax themselves.
    """

    def to_logits(self, x: Tensor) -> Any:
        return super().to_logits(x).softmax(dim=-1)


@gpt.misconception
class LogSoftmaxReturned(Variant):
    """These are logarithms of probabilities. Return the logits, before the softmax: the loss and
    the choice of the next token take the softmax themselves.
    """

    def to_logits(self, x: Tensor) -> Any:
        return super().to_logits(x).log_softmax(dim=-1)


@gpt.misconception
class LastTokenOnly(Variant):
    """These are the logits after the last token only. Return those after each token, which training
    needs: (batch, new, vocabulary).
    """

    def to_logits(self, x: Tensor) -> Any:
        return super().to_logits(x)[:, -1]


@gpt.misconception
class LastTokenOfAChunk(Variant):
    """With caches, you return the logits after the last token of a chunk only. Return those after
    each of its tokens, as without caches: (batch, new, vocabulary).
    """

    def forward(self, ids: Tensor, caches: Caches = None) -> Any:
        logits = super().forward(ids, caches)
        return logits if caches is None else logits[:, -1:]


@gpt.misconception
class FeaturesReturned(Variant):
    """This is the normalised output of the last block, with d_model features. Compare it with the
    embedding of every token of the vocabulary: one dot product for each.
    """

    def to_logits(self, x: Tensor) -> Any:
        return x


@gpt.misconception
class NotTransposed(Variant):
    """`tokens.weight` is (vocabulary, d_model), and your output has d_model features, so transpose
    the matrix for the product.
    """

    def to_logits(self, x: Tensor) -> Any:
        return x @ self.tokens.weight


@gpt.misconception
class TiedWithoutGradient(Variant):
    """The logits are right, but no gradient comes back to the embedding: its matrix was cut
    off, by `.detach()`, `.data` or a copy. Use `self.tokens.weight` itself.
    """

    def to_logits(self, x: Tensor) -> Any:
        return x @ self.tokens.weight.detach().T


@gpt.misconception
class PlainList(Variant):
    """PyTorch finds no parameters in `blocks`. In a plain Python list it does not look for any, so
    they would be neither trained nor saved: make an nn.ModuleList, called `blocks`.
    """

    def stack(self, blocks: Iterable[nn.Module]) -> None:
        self.blocks = list(blocks)


@gpt.misconception
class OneBlockRepeated(Variant):
    """All your blocks are one and the same, as after `[block] * num_blocks`. Each needs its own
    weights, so make a new block each time.
    """

    def stack(self, blocks: Iterable[nn.Module]) -> None:
        made = list(blocks)
        super().stack(made[:1] * len(made))


@gpt.misconception
class SingleBlock(Variant):
    """There is no second block. Make as many as `num_blocks` says, in an nn.ModuleList."""

    def stack(self, blocks: Iterable[nn.Module]) -> None:
        super().stack(list(blocks)[:1])


@gpt.misconception
class HeadsExchanged(Variant):
    """`W_key` in the first block is wider than `W_query`: num_heads and num_kv_heads are swapped.
    `RotaryBlock` takes d_model, num_heads, num_kv_heads and d_hidden, in this order.
    """

    def make_block(
        self, d_model: int, num_heads: int, num_kv_heads: int, d_hidden: int
    ) -> nn.Module:
        return super().make_block(d_model, num_kv_heads, num_heads, d_hidden)


@gpt.misconception
class NoSharedHeads(Variant):
    """`W_key` in the first block is as wide as `W_query`, so there are as many key/value heads as
    query heads. Pass `num_kv_heads` on to `RotaryBlock`.
    """

    def make_block(
        self, d_model: int, num_heads: int, num_kv_heads: int, d_hidden: int
    ) -> nn.Module:
        return super().make_block(d_model, num_heads, num_heads, d_hidden)


@gpt.misconception
class StartsLarge(Variant):
    """The embedding of a new model has a standard deviation of 1, as PyTorch leaves it, and as
    normal_(…, 0.02) does, whose 0.02 is the mean. The logits are computed with the embedding, so
    they would be far too large at first: `std=0.02`.
    """

    def initialise(self) -> None:
        pass


@gpt.misconception
class StartsWithTheRoot(Variant):
    """The embedding of a new model starts too wide, as with the square root of 0.02 for a standard
    deviation. 0.02 is the standard deviation itself, not the variance: `std=0.02`.
    """

    def initialise(self) -> None:
        nn.init.normal_(self.tokens.weight, std=0.02**0.5)
