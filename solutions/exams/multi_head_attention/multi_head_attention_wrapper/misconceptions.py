"""The known wrong answers to `MultiHeadAttentionWrapper`, lesson 05."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from companion import CausalHead
from solutions.exams.multi_head_attention.multi_head_attention_wrapper.exam import loop


class Variant(nn.Module):
    """The loop in steps, for misconceptions to get one of them wrong."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        width = self.read_by_a_head(d_in, num_heads)
        made = (
            CausalHead(width, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)
        )
        self.heads = nn.ModuleList(made)

    def read_by_a_head(self, d_in: int, num_heads: int) -> int:
        """How many features of a token a head is given."""
        return d_in

    def given(self, inputs: Tensor) -> Sequence[Tensor]:
        """What each head is given."""
        return [inputs] * len(self.heads)

    def forward(self, inputs: Tensor) -> Tensor:
        pairs = zip(self.heads, self.given(inputs), strict=True)
        return self.join([head(part) for head, part in pairs])

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts, dim=-1)


@loop.misconception
class InputsSplit(Variant):
    """The matrices of your heads have d_in // num_heads rows instead of d_in, as if each head
    projected only a part of the features. Give every head the whole input; they differ by their
    weights.
    """

    def read_by_a_head(self, d_in: int, num_heads: int) -> int:
        return d_in // num_heads

    def given(self, inputs: Tensor) -> Sequence[Tensor]:
        return inputs.chunk(len(self.heads), dim=-1)


@loop.misconception
class HeadsAdded(Variant):
    """You added up the contexts of the heads. Put them side by side, along the last axis."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts).sum(dim=0)


@loop.misconception
class HeadsAveraged(Variant):
    """You averaged the contexts of the heads. Put them side by side, along the last axis."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts).mean(dim=0)


@loop.misconception
class HeadsAveragedAndRepeated(Variant):
    """This is the average of the heads, repeated until the shape fits. What each head found can no
    longer be told apart. Put the heads' own contexts side by side.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts).mean(dim=0).repeat(1, 1, len(contexts))


@loop.misconception
class AlongTokens(Variant):
    """You put the heads one after another along the tokens. Each token should get more features,
    not the sentence more tokens: use the last axis.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts, dim=1)


@loop.misconception
class AlongBatch(Variant):
    """The heads are one after another along the batch: torch.cat joins along axis 0 unless told
    otherwise. Join them along the last axis.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts)


@loop.misconception
class HeadsStacked(Variant):
    """You stacked the heads along a new axis. Concatenate them: the result has three axes."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts, dim=-1)


@loop.misconception
class HeadsStackedInFront(Variant):
    """Here the heads have their own axis, the first one, as after torch.stack. Concatenate them
    along the last axis: the result has three axes.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts)


@loop.misconception
class HeadsStackedBehindTheBatch(Variant):
    """Here the heads have their own axis, after the batch. Concatenate them along the last axis:
    the result has three axes.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts, dim=1)


@loop.misconception
class FeatureByFeature(Variant):
    """The features of the heads alternate. First should come all features of head 0, then those of
    head 1.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts, dim=-1).flatten(2)


@loop.misconception
class LastHeadFirst(Variant):
    """The heads are in reverse order. Head 0 should come first."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts[::-1], dim=-1)


@loop.misconception
class FirstHeadOnly(Variant):
    """This is the result of head 0 alone. Call every head, and join their results."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return contexts[0]


@loop.misconception
class OneHeadRepeated(Variant):
    """You use one head for all of them, so they share their weights, as in [head] * n, which is the
    same head n times. Make a new CausalHead for each.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, 1, qkv_bias)
        self.heads = nn.ModuleList([self.heads[0]] * num_heads)


@loop.misconception
class PlainList(Variant):
    """PyTorch finds no parameters in your module, and neither would an optimiser. Are the heads in
    a plain list? Use nn.ModuleList.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        made = list(self.heads)
        del self.heads
        self.__dict__["heads"] = made


@loop.misconception
class WidthDivided(Variant):
    """You divided d_out by the number of heads. In this class d_out is the width of one head."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out // num_heads, context_length, dropout, num_heads, qkv_bias)


@loop.misconception
class BiasForgotten(Variant):
    """With qkv_bias=True, your heads have no bias. Pass `qkv_bias` to each CausalHead."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads)


@loop.misconception
class DropoutForgotten(Variant):
    """Nothing is dropped in training. Pass `dropout` to each CausalHead."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, 0.0, num_heads, qkv_bias)


@loop.misconception
class BiasedInAnyCase(Variant):
    """The heads have a bias although `qkv_bias` is False. Pass qkv_bias to each CausalHead."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, True)


@loop.misconception
class DropoutOfItsOwn(Variant):
    """Your heads drop with a different probability. Pass them the one that the class is given."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, 0.5, num_heads, qkv_bias)
