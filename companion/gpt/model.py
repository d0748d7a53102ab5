"""A block made of parts, and a whole model for learners whose own is not ready yet."""

import itertools
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn.functional import linear

from companion.gpt.attention import Cache
from companion.gpt.parts import LIBRARY, Parts


class RotaryBlock(nn.Module):
    """A pre-norm block: rotary attention, then the feed-forward layer, each added to its input.

    Call it with (batch, tokens, d_model), and with a cache if the tokens continue a text; it
    returns (batch, tokens, d_model).

    Args:
        d_model: the number of features of a token.
        num_heads: the number of query heads, a divisor of d_model.
        num_kv_heads: the number of key/value heads, a divisor of num_heads.
        d_hidden: the number of features inside the feed-forward layer.
        parts: the attention, the feed-forward layer and the normalisation are taken from these.
    """

    def __init__(
        self,
        d_model: int,
        num_heads: int,
        num_kv_heads: int,
        d_hidden: int,
        parts: Parts = LIBRARY,
    ) -> None:
        super().__init__()
        self.norm1, self.norm2 = parts.RMSNorm(d_model), parts.RMSNorm(d_model)
        self.attention = parts.RotaryAttention(d_model, num_heads, num_kv_heads, parts)
        self.feed_forward = parts.FeedForward(d_model, d_hidden)

    def forward(self, inputs: Tensor, cache: Cache | None = None) -> Tensor:
        attended = inputs + self.attention(self.norm1(inputs), cache)
        result: Tensor = attended + self.feed_forward(self.norm2(attended))
        return result


class LibraryGPT(nn.Module):
    """What lesson 10's `GPT` computes.

    Call it with ids, (batch, tokens), and with a cache for each block if the tokens continue a
    text; it returns the logits, (batch, tokens, vocabulary).

    Args:
        vocabulary: the number of different tokens.
        d_model: the number of features of a token.
        num_heads: the number of query heads, a divisor of d_model.
        num_kv_heads: the number of key/value heads, a divisor of num_heads.
        d_hidden: the number of features inside the feed-forward layers.
        num_blocks: the number of blocks.
        parts: what the blocks are made of.
    """

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
        sizes = d_model, num_heads, num_kv_heads, d_hidden
        self.blocks = nn.ModuleList([RotaryBlock(*sizes, parts) for _ in range(num_blocks)])
        self.norm = parts.RMSNorm(d_model)
        self.tokens = nn.Embedding(
            vocabulary, d_model, _weight=0.02 * torch.randn(vocabulary, d_model)
        )

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        rows = self.tokens.weight
        x = rows[ids]
        for block, cache in zip(self.blocks, caches or itertools.repeat(None), strict=False):
            x = block(x, cache)
        return linear(self.norm(x), rows)
