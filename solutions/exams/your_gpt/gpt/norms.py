"""What goes wrong with the last normalisation of `GPT`, lesson 10."""

from typing import Any

from torch import Tensor, nn

from solutions.exams.your_gpt.gpt.exam import gpt
from solutions.exams.your_gpt.gpt.misconceptions import Variant


@gpt.misconception
class NormNotUsed(Variant):
    """The output of the last block goes into the logits as it is. Normalise it first: `norm` is
    there, but no gradient comes back to it.
    """

    def normalise(self, x: Tensor) -> Tensor:
        return x


@gpt.misconception
class NoLastNorm(Variant):
    """There is no `norm`. The blocks normalise what goes into their layers, but the output of
    the last block is not normalised yet: make a parts.RMSNorm(d_model) called `norm`.
    """

    def last_norm(self, d_model: int) -> nn.Module:
        return nn.Identity()


@gpt.misconception
class LayerNormAtTheEnd(Variant):
    """`norm` has a bias, as an `nn.LayerNorm` has. An RMS normalisation has weights only: take
    parts.RMSNorm(d_model).
    """

    def last_norm(self, d_model: int) -> nn.Module:
        return nn.LayerNorm(d_model)


@gpt.misconception
class NormedFirst(Variant):
    """You normalise the embedding, before the first block. `norm` belongs after the last one."""

    def embed(self, ids: Tensor) -> Tensor:
        return super().normalise(super().embed(ids))

    def normalise(self, x: Tensor) -> Tensor:
        return x


@gpt.misconception
class NormedAfterEachBlock(Variant):
    """You call `norm` after every block, and each block begins with a normalisation of its own.
    Call it once, after the last block.
    """

    def step(self, block: nn.Module, x: Tensor, cache: Any) -> Tensor:
        return super().normalise(super().step(block, x, cache))

    def normalise(self, x: Tensor) -> Tensor:
        return x


@gpt.misconception
class NormedBeforeEachBlock(Variant):
    """You call `norm` before every block as well, so x is no longer passed on as it is. Each block
    normalises what its layers read: call `norm` once, after the last block.
    """

    def step(self, block: nn.Module, x: Tensor, cache: Any) -> Tensor:
        return super().step(block, super().normalise(x), cache)


@gpt.misconception
class NormedBetweenBlocks(Variant):
    """You call `norm` after every block and once more after the last one. Call it only there: each
    block normalises what its layers read.
    """

    def step(self, block: nn.Module, x: Tensor, cache: Any) -> Tensor:
        return super().normalise(super().step(block, x, cache))
