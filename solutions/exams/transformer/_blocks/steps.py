"""A block in steps, and what goes wrong between its parts and in its feed-forward layer."""

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from solutions.exams.families.family import Family

Settings = Mapping[str, object]
State = dict[str, Tensor]
Sublayer = Callable[[Tensor], Tensor]


def later(queries: int, keys: int, by: int = 1) -> Tensor:
    """True where a key comes at least so many positions after its query."""
    return torch.ones(queries, keys, dtype=torch.bool).triu(by)


class Block(nn.Module):
    """A block in steps; `places` says what its sublayers are, in their order."""

    places: tuple[str, ...] = ("attention", "feed-forward")
    pre_norm = False

    def __init__(self, d_model: int, num_heads: int, d_hidden: int, dropout: float) -> None:
        super().__init__()
        self.self_attn = self.attention(d_model, num_heads, dropout)
        if len(self.places) > 2:
            self.multihead_attn = self.attention(d_model, num_heads, dropout)
        self.linear1 = nn.Linear(d_model, d_hidden)
        self.linear2 = nn.Linear(d_hidden, d_model)
        for number in range(1, len(self.places) + 1):
            setattr(self, f"norm{number}", nn.LayerNorm(d_model))
        self.dropout = nn.Dropout(self.rate(dropout))

    def attention(self, d_model: int, num_heads: int, dropout: float) -> nn.MultiheadAttention:
        return nn.MultiheadAttention(d_model, num_heads, batch_first=True)

    def rate(self, dropout: float) -> float:
        """The p of nn.Dropout."""
        return dropout

    def run(self, inputs: Tensor, *sublayers: Sublayer) -> Tensor:
        """All sublayers in their order, each in its residual connection."""
        x = inputs
        for place, sublayer in enumerate(sublayers):
            x = self.around(place, x, sublayer, inputs)
        return x

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        """A sublayer with what stands around it."""
        if self.norms_first(place):
            return self.add(place, x, sublayer(self.norm(place, x)))
        return self.norm(place, self.add(place, x, sublayer(x)))

    def norms_first(self, place: int) -> bool:
        """Whether x is normalised before a sublayer, and not the sum after it."""
        return self.pre_norm

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return x + self.drop(place, made)

    def drop(self, place: int, made: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(made)
        return dropped

    def norm(self, place: int, x: Tensor) -> Tensor:
        normed: Tensor = getattr(self, f"norm{place + 1}")(x)
        return normed

    def attend(self, x: Tensor, context: Tensor, **masks: Any) -> Any:
        """Self-attention, of which the weights are thrown away."""
        return self.call(self.self_attn, x, context, context, **masks)

    def call(
        self, attn: nn.MultiheadAttention, x: Tensor, keys: Tensor, values: Tensor, **masks: Any
    ) -> Any:
        return attn(x, keys, values, need_weights=False, **masks)[0]

    def feed(self, x: Tensor) -> Tensor:
        fed: Tensor = self.linear2(self.activate(self.linear1(x)))
        return fed

    def activate(self, x: Tensor) -> Tensor:
        return torch.relu(x)


# --- residual connections ------------------------------------------------------------------------


class NoResiduals(Block):
    """There are no residual connections: to the result of each part, add the x that it was
    given.
    """

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return self.drop(place, made)


class NoResidualAtFirst(Block):
    """The self-attention has no residual connection, so the block loses the inputs that went in.
    Add them to its result.
    """

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return super().add(place, x, made) if place else self.drop(place, made)


class NoResidualAtLast(Block):
    """The feed-forward layer has no residual connection. Add to its result the output of the part
    before it.
    """

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        last = place == len(self.places) - 1
        return self.drop(place, made) if last else super().add(place, x, made)


class LastPartDoubled(Block):
    __doc__ = NoResidualAtLast.__doc__

    # A normalisation takes the factor of 2 away again, all but eps.
    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return super().add(place, made if place == len(self.places) - 1 else x, made)


class FirstPartDoubled(Block):
    __doc__ = NoResidualAtFirst.__doc__

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return super().add(place, x if place else made, made)


class FirstPartNotAdded(Block):
    """The result of the self-attention is never added: x goes on as it came in."""

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return super().add(place, x, made) if place else x


class LastPartNotAdded(Block):
    """The result of the feed-forward layer is never added: x goes on as it came in."""

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return x if place == len(self.places) - 1 else super().add(place, x, made)


class ResidualOfTheInputs(Block):
    """Each residual connection adds the inputs of the block. From the second one on, add the stream
    as the one before has left it.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        if self.norms_first(place):
            return self.add(place, inputs, sublayer(self.norm(place, x)))
        return self.norm(place, self.add(place, inputs, sublayer(x)))


class SideBySide(Block):
    """Each part is given the inputs of the block, as in models whose parts work in parallel. Here
    they follow each other: each part is given the sum to which the one before it was added.
    """

    def around(self, place: int, x: Tensor, sublayer: Sublayer, inputs: Tensor) -> Tensor:
        if self.norms_first(place):
            return self.add(place, x, sublayer(self.norm(place, inputs)))
        return self.norm(place, self.add(place, x, sublayer(inputs)))


class ResidualTwice(Block):
    """You add the input of a part twice. Add it only once."""

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return x + super().add(place, x, made)


class ResidualMultiplied(Block):
    """You multiply the result of a part by its input. Add it."""

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return x * self.drop(place, made)


class ResidualSubtracted(Block):
    """You subtract the result of a part from its input. Add it."""

    def add(self, place: int, x: Tensor, made: Any) -> Tensor:
        return x - self.drop(place, made)


# --- the feed-forward layer ----------------------------------------------------------------------


class NoActivation(Block):
    """There is no activation between `linear1` and `linear2`. Without one, the two amount to a
    single linear layer.
    """

    def activate(self, x: Tensor) -> Tensor:
        return x


class ActivatedAtTheEnd(Block):
    """The activation comes after `linear2` as well, or only there. Put it between the two
    layers.
    """

    def feed(self, x: Tensor) -> Tensor:
        return self.activate(self.linear2(self.linear1(x)))


class ActivatedTwice(Block):
    __doc__ = ActivatedAtTheEnd.__doc__

    def feed(self, x: Tensor) -> Tensor:
        return self.activate(super().feed(x))


class Gelu(Block):
    """You use GELU between `linear1` and `linear2`, as in GPT. This block uses ReLU."""

    def activate(self, x: Tensor) -> Tensor:
        return functional.gelu(x)


class FirstBiasLeftOut(Block):
    """The bias of `linear1` does nothing. Call the layer, self.linear1(x), or add its bias."""

    def feed(self, x: Tensor) -> Tensor:
        fed: Tensor = self.linear2(self.activate(x @ self.linear1.weight.T))
        return fed


class SecondBiasLeftOut(Block):
    """The bias of `linear2` does nothing. Call the layer, self.linear2(x), or add its bias."""

    def feed(self, x: Tensor) -> Tensor:
        return self.activate(self.linear1(x)) @ self.linear2.weight.T


class NoFeedForward(Block):
    """There is no feed-forward layer in your block: `linear1`, the activation, and `linear2` are
    missing.
    """

    def run(self, inputs: Tensor, *sublayers: Sublayer) -> Tensor:
        return super().run(inputs, *sublayers[:-1])


class FeedForwardFirst(Block):
    """Your feed-forward layer comes first. It should come last, after attention."""

    def run(self, inputs: Tensor, *sublayers: Sublayer) -> Tensor:
        x = inputs
        for place in (len(sublayers) - 1, *range(len(sublayers) - 1)):
            x = self.around(place, x, sublayers[place], inputs)
        return x


RESIDUAL = Family(
    NoResiduals,
    NoResidualAtFirst,
    NoResidualAtLast,
    LastPartDoubled,
    FirstPartDoubled,
    FirstPartNotAdded,
    LastPartNotAdded,
    ResidualOfTheInputs,
    SideBySide,
    ResidualTwice,
    ResidualMultiplied,
    ResidualSubtracted,
)
FEEDING = Family(
    NoActivation,
    ActivatedAtTheEnd,
    ActivatedTwice,
    Gelu,
    FirstBiasLeftOut,
    SecondBiasLeftOut,
    NoFeedForward,
    FeedForwardFirst,
)
