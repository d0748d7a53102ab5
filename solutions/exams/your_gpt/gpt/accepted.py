"""Right answers to `GPT` in other styles, lesson 10."""

import itertools
from collections import OrderedDict
from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from companion import LIBRARY, Cache, Parts, RotaryBlock
from solutions.exams.your_gpt.gpt.exam import gpt


@gpt.accepts
class WithATiedLayer(nn.Module):
    """A linear layer that shares its weights with the embedding, made before it."""

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
        self.head = nn.Linear(d_model, vocabulary, bias=False)
        torch.nn.init.normal_(self.head.weight, 0.0, 0.02)
        self.tokens = nn.Embedding(vocabulary, d_model)
        self.tokens.weight = self.head.weight
        sizes = d_model, num_heads, num_kv_heads, d_hidden, parts
        self.blocks = nn.ModuleList([RotaryBlock(*sizes) for _ in range(num_blocks)])
        self.norm = parts.RMSNorm(d_model)

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        x, given = self.tokens(ids), caches or itertools.repeat(None)
        for block, cache in zip(self.blocks, given, strict=False):
            x = block(x, cache)
        logits: Tensor = self.head(self.norm(x))
        return logits


@gpt.accepts
class InSequence(nn.Module):
    """The blocks in an nn.Sequential, which is called as a whole where there are no caches."""

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
        drawn = torch.randn(vocabulary, d_model) * 0.02
        self.tokens = nn.Embedding(vocabulary, d_model, _weight=drawn)
        named = OrderedDict[str, nn.Module]()
        for n in range(num_blocks):
            named[str(n)] = RotaryBlock(d_model, num_heads, num_kv_heads, d_hidden, parts=parts)
        self.blocks = nn.Sequential(named)
        self.norm = parts.RMSNorm(d_model)

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        hidden = functional.embedding(ids, self.tokens.weight)
        if caches is None:
            hidden = self.blocks(hidden)
        else:
            for n in range(len(self.blocks)):
                hidden = self.blocks[n](hidden, caches[n])
        return functional.linear(self.norm(hidden), self.tokens.weight)


@gpt.accepts
class ByEinsum(nn.Module):
    """A dictionary of blocks, an embedding by index, and logits by an index expression."""

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
        self.tokens = nn.Embedding(vocabulary, d_model)
        with torch.no_grad():
            self.tokens.weight.mul_(0.02)
        make = {"num_heads": num_heads, "num_kv_heads": num_kv_heads, "d_hidden": d_hidden}
        self.blocks = nn.ModuleDict(
            {str(n): RotaryBlock(d_model, parts=parts, **make) for n in range(num_blocks)}
        )
        self.norm = parts.RMSNorm(d_model)

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        x = self.tokens.weight[ids]
        for name, block in self.blocks.items():
            x = block(x, cache=caches[int(name)] if caches else None)
        return torch.einsum("btd,vd->btv", self.norm(x), self.tokens.weight)


@gpt.accepts
class ByRecursion(nn.Module):
    """Each block calls what comes above it, and every logit is a sum of products."""

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
        self.tokens = nn.Embedding(vocabulary, d_model)
        self.tokens.weight.data.normal_(mean=0, std=0.02)
        self.blocks = nn.ModuleList()
        while len(self.blocks) < num_blocks:
            self.blocks.append(RotaryBlock(d_model, num_heads, num_kv_heads, d_hidden, parts))
        self.norm = parts.RMSNorm(d_model)

    def forward(self, ids: Tensor, caches: Sequence[Cache] | None = None) -> Tensor:
        return self.above(0, self.tokens(ids), caches)

    def above(self, level: int, x: Tensor, caches: Sequence[Cache] | None) -> Tensor:
        if level == len(self.blocks):
            return (self.norm(x)[..., None, :] * self.tokens.weight).sum(dim=-1)
        cache = caches[level] if caches is not None else None
        return self.above(level + 1, self.blocks[level](x, cache), caches)
