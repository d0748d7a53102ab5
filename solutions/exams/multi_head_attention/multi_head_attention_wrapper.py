"""The exam of `MultiHeadAttentionWrapper`, lesson 05."""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from autograder import Draw, Exam, run_module
from companion import CausalHead
from solutions import multi_head_attention as reference
from solutions.exams.dropout_rates import ALMOST_NEVER, averages_as
from solutions.exams.multi_head_attention._specimens import (
    PROJECTIONS,
    TWO_SENTENCES,
    Module,
    State,
    mixed,
    settings,
)

loop = Exam(reference.MultiHeadAttentionWrapper, use=run_module)


def loop_weights(d_in: int, d_out: int, heads: int, *, bias: bool = False) -> State:
    found = {}
    for h in range(heads):
        for n, name in enumerate(PROJECTIONS):
            found[f"heads.{h}.{name}"] = mixed(d_in, d_out, seed=10 * h + n)
            if bias:
                found[f"heads.{h}.{name}.bias"] = mixed(d_out, seed=10 * h + n + 5)
    return found


@loop.example
def two_heads_of_two() -> Module:
    """one sentence of two words, two heads with two features each"""
    inputs = TWO_SENTENCES[:1, :2]
    return settings(inputs, 2, 2, 6), loop_weights(3, 2, 2), (inputs,), False, 1


@loop.example
def three_biased_heads() -> Module:
    """two sentences, three heads, with qkv_bias=True and dropout=0.5, in eval mode"""
    inputs = TWO_SENTENCES[:, :3]
    chosen = settings(inputs, 2, 3, 6, dropout=0.5, qkv_bias=True)
    return chosen, loop_weights(3, 2, 3, bias=True), (inputs,), False, 2


@loop.example
def loop_dropout() -> Module:
    """dropout=0.4, in training, called 64 times on one word"""
    # Wide, since the smallest case that fails is shown; not 0.5, which is both dropped and kept.
    inputs = mixed(1, 1, 8, seed=42)
    return settings(inputs, 2, 2, 6, dropout=0.4), loop_weights(8, 2, 2), (inputs,), True, 64


def drawn_loop(draw: Draw, heads: int) -> dict[str, Tensor]:
    """The projections of each head."""
    names = [f"heads.{h}.{name}" for h in range(heads) for name in PROJECTIONS]
    return {name: draw.tensor("d_in d_out") for name in names}


@loop.case
def drawn_heads(draw: Draw) -> Module:
    """heads drawn at random, or a single one"""
    heads, d_out = draw.in_turn(((4, 1), (1, 3), (2, 5)))
    inputs = draw.fix(d_out=d_out).tensor("batch tokens d_in")
    chosen = settings(inputs, d_out, heads, 9, qkv_bias=False)
    return chosen, drawn_loop(draw, heads), (inputs,), False, 1


@loop.case(times=1)
def drawn_biased_heads(draw: Draw) -> Module:
    """three heads with biases"""
    inputs, d_out = draw.fix(heads=3).tensor("batch tokens d_in"), draw.size("d_out")
    biases = {f"{name}.bias": draw.tensor("d_out") for name in drawn_loop(draw, 3)}
    weights = drawn_loop(draw, 3) | biases
    return settings(inputs, d_out, 3, 9, qkv_bias=True), weights, (inputs,), False, 1


@loop.case(times=1, dtypes=("float64",))
def nothing_to_drop(draw: Draw) -> Module:
    """with a dropout of a billionth, in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, heads=2).tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 2, 9, dropout=ALMOST_NEVER)
    return chosen, drawn_loop(draw, 2), (inputs,), True, 64


@loop.case(times=1)
def learns_in_training(draw: Draw) -> Module:
    """in training, with a dropout of a billionth"""
    inputs = draw.fix(heads=2).tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 2, 9, dropout=ALMOST_NEVER)
    return chosen, drawn_loop(draw, 2), (inputs,), True, 1


@loop.case(times=1, dtypes=("float64",))
def sentences_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on two equal sentences of one word"""
    draw.fix(batch=1, tokens=1, heads=1)
    inputs = draw.tensor("batch tokens d_in").repeat(2, 1, 1)
    chosen = settings(inputs, draw.size("d_out"), 1, 9, dropout=0.4)
    return chosen, drawn_loop(draw, 1), (inputs,), True, 128


loop.holds(averages_as(reference.MultiHeadAttentionWrapper))
loop.half_but_for("dropout", learns_in_training)


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


@loop.accepts
class AppendedHeads(nn.Module):
    """Heads appended one by one, results filled into a tensor."""

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
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            self.heads.append(CausalHead(d_in, d_out, context_length, dropout, qkv_bias))
        self.d_out = d_out

    def forward(self, x: Tensor) -> Tensor:
        found = x.new_zeros(*x.shape[:2], self.d_out * len(self.heads))
        for h, head in enumerate(self.heads):
            found[..., h * self.d_out : (h + 1) * self.d_out] = head(x)
        return found


@loop.accepts
class StackedAndFlattened(nn.Module):
    """Stacked before the last axis, then flattened."""

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
        sizes = (d_in, d_out, context_length, dropout, qkv_bias)
        self.heads = nn.ModuleList([CausalHead(*sizes) for _ in range(num_heads)])

    def forward(self, x: Tensor) -> Tensor:
        return torch.stack([head(x) for head in self.heads], dim=2).flatten(2)


@loop.accepts
class JoinedOneByOne(nn.Module):
    """Joined one after another in a loop."""

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
        self.heads = nn.ModuleList()
        for _ in range(num_heads):
            head = CausalHead(d_in, d_out, context_length, dropout=dropout, qkv_bias=qkv_bias)
            self.heads.append(head)

    def forward(self, x: Tensor) -> Tensor:
        first, *others = self.heads
        found: Tensor = first(x)
        for head in others:
            found = torch.cat((found, head(x)), 2)
        return found
