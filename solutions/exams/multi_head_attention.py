"""The exams of lesson 05."""

import math
from collections.abc import Callable, Mapping

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

import companion.padding_specimens as specimens
from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from autograder.modules import run_module
from companion import YOUR_JOURNEY
from companion.heads import CausalHead
from solutions import multi_head_attention as reference

Tensor = torch.Tensor
State = dict[str, Tensor]

# Weights rounded to four decimals may be mixed: a weight of values up to 4 is off by up to 1e-4.
FOUR_DECIMALS = Tolerance(absolute=1.5e-4)
PROJECTIONS = ("W_query", "W_key", "W_value")
# Read-only arrays make torch warn, so they are copied.
SIX_WORDS = torch.tensor(YOUR_JOURNEY.vectors)


def counted(*shape: int, start: int = 1) -> Tensor:
    """start, start + 1, … in a shape, so that every number tells where it came from."""
    return torch.arange(start, start + math.prod(shape), dtype=torch.float64).reshape(shape)


def mixed(*shape: int, seed: int = 0) -> Tensor:
    """Numbers on a grid of quarters, of either sign, short enough to be printed."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-6, 7, shape, generator=generator).double() / 4


def future(num_tokens: int) -> Tensor:
    """True above the diagonal."""
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1)


def split(x: Tensor, num_heads: int) -> Tensor:
    """(batch, tokens, d_out) to (batch, heads, tokens, head_dim)."""
    return torch.stack(x.chunk(num_heads, dim=-1), dim=1)


def wrong_view(x: Tensor, num_heads: int) -> Tensor:
    """The same shape, with tokens mixed."""
    batch, tokens, d_out = x.shape
    return x.reshape(batch, num_heads, tokens, d_out // num_heads)


def merge(x: Tensor) -> Tensor:
    """(batch, heads, tokens, head_dim) to (batch, tokens, d_out)."""
    return torch.cat(x.unbind(dim=1), dim=-1)


# --- by hand -------------------------------------------------------------------------------------

by_hand = Exam(reference.two_heads_by_hand, tolerance=FOUR_DECIMALS, reveal=False)

QUERY = torch.tensor([1.0, 1, 0, 2]).double()
KEYS = torch.tensor([[1.0, 0, 1, 1], [0, 0, 2, 0], [2, 1, 1, 0]]).double()
VALUES = torch.tensor([[1.0, 0, 0, 2], [0, 1, 4, 0], [1, 3, 0, 1]]).double()


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def worksheet(first: Tensor, second: Tensor, values: Tensor = VALUES) -> dict[str, object]:
    contexts = [first @ values[:, :2], second @ values[:, 2:]]
    return {
        "weights of head 1": first.tolist(),
        "weights of head 2": second.tolist(),
        "context of head 1": contexts[0].tolist(),
        "context of head 2": contexts[1].tolist(),
        "concatenated": torch.cat(contexts).tolist(),
    }


def two_rows(divisor: float, decimals: int = 15) -> tuple[Tensor, Tensor]:
    scores = (KEYS[:, :2] @ QUERY[:2], KEYS[:, 2:] @ QUERY[2:])
    first, second = (torch.softmax(s / divisor, dim=0).round(decimals=decimals) for s in scores)
    return first, second


@by_hand.misconception
def not_scaled() -> dict[str, object]:
    """You did not divide the scores. Divide them by the root of 2, the width of one head."""
    return worksheet(*two_rows(1))


@by_hand.misconception
def scaled_by_all_features() -> dict[str, object]:
    """You divided by the root of 4. A head has two features, so its d_k is 2: divide by √2."""
    return worksheet(*two_rows(2))


@by_hand.misconception
def one_head_for_both() -> dict[str, object]:
    """Both heads have the same weights here: you took the scores over all four features. Each head
    compares its own two features only.
    """
    weights = torch.softmax(KEYS @ QUERY / 2, dim=0)
    return worksheet(weights, weights)


@by_hand.misconception
def one_head_scaled_by_head() -> dict[str, object]:
    """You divided by √2, and took the scores over all four features. Each head compares its own two
    features only, so that the two have different weights.
    """
    weights = torch.softmax(KEYS @ QUERY / math.sqrt(2), dim=0)
    return worksheet(weights, weights)


@by_hand.misconception
def every_other_feature() -> dict[str, object]:
    """You gave every other feature to a head. Head 1 has the first two, head 2 the last two."""
    order = [0, 2, 1, 3]
    scores = KEYS[:, order] * QUERY[order] / math.sqrt(2)
    rows = (scores[:, :2].sum(1).softmax(0), scores[:, 2:].sum(1).softmax(0))
    return worksheet(*rows, VALUES[:, order])


@by_hand.misconception
def heads_exchanged() -> dict[str, object]:
    """The weights of the heads have changed places: head 1 has the first two features."""
    first, second = two_rows(math.sqrt(2))
    return worksheet(second, first)


@by_hand.misconception
def first_weights_for_both() -> dict[str, object]:
    """The weights are right. The context of head 2 is mixed with the weights of head 1: each head
    mixes its own half of the values with its own weights.
    """
    first, second = two_rows(math.sqrt(2))
    return {**worksheet(first, first), "weights of head 2": second.tolist()}


@by_hand.misconception
def keys_mixed() -> dict[str, object]:
    """The weights are right. You mixed the keys with them: it is the values that are mixed."""
    return worksheet(*two_rows(math.sqrt(2)), KEYS)


@by_hand.misconception
def contexts_take_turns() -> dict[str, object]:
    """The contexts are right. Side by side means first all of head 1, then all of head 2: here they
    take turns.
    """
    first, second = two_rows(math.sqrt(2))
    in_turns = torch.stack([first @ VALUES[:, :2], second @ VALUES[:, 2:]], dim=1).flatten()
    return {**worksheet(first, second), "concatenated": in_turns.tolist()}


@by_hand.misconception
def second_context_first() -> dict[str, object]:
    """The contexts are right. Side by side they begin with head 1."""
    first, second = two_rows(math.sqrt(2))
    reverse = torch.cat([second @ VALUES[:, 2:], first @ VALUES[:, :2]])
    return {**worksheet(first, second), "concatenated": reverse.tolist()}


@by_hand.misconception
def two_decimals() -> dict[str, object]:
    """These numbers come of weights with two decimals. Carry at least five to the end."""
    return worksheet(*two_rows(math.sqrt(2), decimals=2))


@by_hand.misconception
def three_decimals() -> dict[str, object]:
    """These numbers come of weights with three decimals. Carry at least five to the end."""
    return worksheet(*two_rows(math.sqrt(2), decimals=3))


# --- heads in a loop -----------------------------------------------------------------------------

loop = Exam(reference.MultiHeadAttentionWrapper, use=run_module)

Settings = Mapping[str, object]
Module = tuple[Settings, Mapping[str, Tensor], tuple[object, ...], bool, int]


def settings(
    inputs: Tensor, d_out: int, num_heads: int, longest: int, **others: object
) -> Settings:
    """The keywords of the class for these inputs."""
    sizes = {"d_in": inputs.shape[-1], "d_out": d_out, "context_length": longest}
    return {**sizes, "dropout": 0.0, "num_heads": num_heads, **others}


def loop_weights(d_in: int, d_out: int, heads: int, *, bias: bool = False) -> State:
    found = {}
    for h in range(heads):
        for n, name in enumerate(PROJECTIONS):
            found[f"heads.{h}.{name}"] = mixed(d_in, d_out, seed=10 * h + n)
            if bias:
                found[f"heads.{h}.{name}.bias"] = mixed(d_out, seed=10 * h + n + 5)
    return found


TWO_SENTENCES = torch.stack([SIX_WORDS, 3 * SIX_WORDS.flip(0) - 1.5])


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
    """dropout=0.5, in training, called 64 times on one word"""
    # Wide, since the smallest case that fails is the one that is shown.
    inputs = mixed(1, 1, 8, seed=42)
    return settings(inputs, 2, 2, 6, dropout=0.5), loop_weights(8, 2, 2), (inputs,), True, 64


@loop.case(times=2)
def drawn_heads(draw: Draw) -> Module:
    """heads drawn at random"""
    inputs = draw.tensor("batch tokens d_in")
    heads, d_out = draw.size("heads"), draw.size("d_out")
    weights = {
        f"heads.{h}.{name}": draw.tensor("d_in d_out") for h in range(heads) for name in PROJECTIONS
    }
    return settings(inputs, d_out, heads, 9), weights, (inputs,), False, 1


@loop.case(times=1)
def drawn_biased_heads(draw: Draw) -> Module:
    """three heads with biases"""
    inputs = draw.fix(heads=3).tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 3, 9, qkv_bias=True)
    weights = {}
    for h in range(3):
        for name in PROJECTIONS:
            weights[f"heads.{h}.{name}"] = draw.tensor("d_in d_out")
            weights[f"heads.{h}.{name}.bias"] = draw.tensor("d_out")
    return chosen, weights, (inputs,), False, 1


@loop.case(times=1)
def one_head_alone(draw: Draw) -> Module:
    """a single head"""
    inputs = draw.tensor("batch tokens d_in")
    weights = {f"heads.0.{name}": draw.tensor("d_in d_out") for name in PROJECTIONS}
    return settings(inputs, draw.size("d_out"), 1, 9), weights, (inputs,), False, 1


@loop.case(times=1)
def dropout_of_a_loop(draw: Draw) -> Module:
    """dropout in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, heads=2).tensor("batch tokens d_in")
    weights = {
        f"heads.{h}.{name}": draw.tensor("d_in d_out") for h in (0, 1) for name in PROJECTIONS
    }
    chosen = settings(inputs, draw.size("d_out"), 2, 9, dropout=0.5)
    return chosen, weights, (inputs,), True, 64


class LoopVariant(nn.Module):
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
        made = (
            CausalHead(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)
        )
        self.heads = nn.ModuleList(made)

    def forward(self, inputs: Tensor) -> Tensor:
        return self.join([head(inputs) for head in self.heads])

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts, dim=-1)


@loop.misconception
class HeadsAdded(LoopVariant):
    """You added the contexts of the heads up. Put them side by side, along the last axis."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts).sum(dim=0)


@loop.misconception
class HeadsAveraged(LoopVariant):
    """You averaged the contexts of the heads. Put them side by side, along the last axis."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts).mean(dim=0)


@loop.misconception
class AlongTokens(LoopVariant):
    """You put the heads one after another along the tokens. Each token gets more features, not the
    sentence more tokens: the last axis.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts, dim=1)


@loop.misconception
class AlongBatch(LoopVariant):
    """You put the heads one after another along the batch: torch.cat takes axis 0 unless told
    otherwise. Join them along the last axis.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts)


@loop.misconception
class HeadsStacked(LoopVariant):
    """You stacked the heads along a new axis. Concatenate them: the result has three axes."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts, dim=-1)


@loop.misconception
class HeadsStackedInFront(LoopVariant):
    """torch.stack makes a new axis, here the first one. Concatenate the heads along the last axis:
    the result has three axes.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts)


@loop.misconception
class HeadsStackedBehindTheBatch(LoopVariant):
    """The heads have an axis of their own here, behind the batch. Concatenate them along the last
    axis: the result has three axes.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts, dim=1)


@loop.misconception
class FeatureByFeature(LoopVariant):
    """The features of the heads alternate. First come all features of head 0, then those of
    head 1.
    """

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.stack(contexts, dim=-1).flatten(2)


@loop.misconception
class LastHeadFirst(LoopVariant):
    """The heads stand in reverse: head 0 comes first."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return torch.cat(contexts[::-1], dim=-1)


@loop.misconception
class FirstHeadOnly(LoopVariant):
    """This is what head 0 found, alone. Call every head, and join what they return."""

    def join(self, contexts: list[Tensor]) -> Tensor:
        return contexts[0]


@loop.misconception
class OneHeadRepeated(LoopVariant):
    """One head is used for all, so that they share their weights. Make a new CausalHead for each:
    [head] * n is n times the same.
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
class PlainList(LoopVariant):
    """The heads stand in a plain list, where no optimizer finds them. Use nn.ModuleList."""

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
class WidthDivided(LoopVariant):
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
class BiasForgotten(LoopVariant):
    """With qkv_bias=True the heads have no bias. Hand it on to each CausalHead."""

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
class DropoutForgotten(LoopVariant):
    """Nothing is dropped in training. Hand `dropout` on to each CausalHead."""

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


# --- splitting and merging -----------------------------------------------------------------------

splitting = Exam(reference.split_heads)


@splitting.example
def six_features_for_two() -> tuple[Tensor, int]:
    """three tokens of six features, for two heads"""
    return counted(1, 3, 6), 2


@splitting.example
def two_sentences_for_three() -> tuple[Tensor, int]:
    """two sentences of two tokens, for three heads"""
    return counted(2, 2, 6), 3


@splitting.example
def not_divisible() -> tuple[Tensor, int]:
    """eight features for three heads"""
    return counted(1, 2, 8), 3


@splitting.case(times=3)
def drawn_features(draw: Draw) -> tuple[Tensor, int]:
    """features drawn at random"""
    heads, head_dim = draw.size("heads"), draw.size("head_dim")
    batch, tokens = draw.shape("batch tokens")
    return torch.from_numpy(draw.rng.normal(size=(batch, tokens, heads * head_dim))), heads


@splitting.case(times=1)
def one_head_gets_all(draw: Draw) -> tuple[Tensor, int]:
    """a single head"""
    return draw.tensor("batch tokens d_out"), 1


@splitting.case(times=1)
def drawn_refusal(draw: Draw) -> tuple[Tensor, int]:
    """seven features for five heads"""
    return draw.fix(d_out=7).tensor("batch tokens d_out"), 5


def refuse(x: Tensor, num_heads: int) -> None:
    if x.shape[-1] % num_heads:
        raise ValueError(f"{x.shape[-1]} features can't be shared out among {num_heads} heads")


@splitting.misconception
def tokens_mixed(x: Tensor, num_heads: int) -> Tensor:
    """The shape is right, the numbers are not where they belong: this view cuts through the tokens,
    and pieces of one token stand in several rows. Split the last axis first, then swap axes 1
    and 2.
    """
    refuse(x, num_heads)
    return wrong_view(x, num_heads)


@splitting.misconception
def not_swapped(x: Tensor, num_heads: int) -> Tensor:
    """The features are split well. Now the heads have to stand before the tokens: swap axes 1
    and 2.
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], num_heads, -1)


@splitting.misconception
def alternating_features(x: Tensor, num_heads: int) -> Tensor:
    """The heads get every other feature. Head 0 has the *first* head_dim features, so the axis of
    the heads stands before that of their features when you split.
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], -1, num_heads).permute(0, 3, 1, 2)


@splitting.misconception
def heads_as_features(x: Tensor, num_heads: int) -> Tensor:
    """The features of a head and the heads have changed places. The order of the axes is (batch,
    num_heads, tokens, head_dim).
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 3)


@splitting.misconception
def not_refused(x: Tensor, num_heads: int) -> Tensor:
    """Eight features can't be shared out among three heads: raise a ValueError that says so. What
    you have here is the error of a view that did not fit.
    """
    batch, tokens, d_out = x.shape
    return x.view(batch, tokens, num_heads, d_out // num_heads).transpose(1, 2)


@splitting.misconception
def cut_off(x: Tensor, num_heads: int) -> Tensor:
    """You drop the features that are left over. Eight features and three heads do not go together:
    raise a ValueError.
    """
    head_dim = x.shape[-1] // num_heads
    return split(x[..., : head_dim * num_heads], num_heads)


@splitting.misconception
def asserted(x: Tensor, num_heads: int) -> Tensor:
    """An `assert` is for what can't happen, and Python may be told to skip it. For a wrong argument
    raise a ValueError.
    """
    assert x.shape[-1] % num_heads == 0
    return split(x, num_heads)


@splitting.misconception
def asserted_with_a_sentence(x: Tensor, num_heads: int) -> Tensor:
    """An `assert` is for what can't happen, and Python may be told to skip it. For a wrong argument
    raise a ValueError, with the same sentence.
    """
    assert x.shape[-1] % num_heads == 0, "d_out must be divisible by num_heads"
    return split(x, num_heads)


@splitting.misconception
def last_axes_swapped(x: Tensor, num_heads: int) -> Tensor:
    """The features are split well. Then the wrong axes were swapped: the heads go in front of the
    tokens, which are axes 1 and 2.
    """
    refuse(x, num_heads)
    return x.reshape(*x.shape[:2], num_heads, -1).transpose(2, 3)


@splitting.misconception
def number_for_width(x: Tensor, num_heads: int) -> Tensor:
    """Number and width have changed places: these are d_out / num_heads heads with num_heads
    features each. `split`, for one, is told the width of a piece, `chunk` their number.
    """
    refuse(x, num_heads)
    return split(x, x.shape[-1] // num_heads)


@splitting.misconception
def every_head_has_all(x: Tensor, num_heads: int) -> Tensor:
    """Every head gets all features here. They are shared out: each head has d_out / num_heads."""
    refuse(x, num_heads)
    return x[:, None].repeat(1, num_heads, 1, 1)


@splitting.accepts
def by_chunks(x: Tensor, num_heads: int) -> Tensor:
    """Chunks, stacked."""
    if x.size(-1) % num_heads != 0:
        raise ValueError("not divisible")
    return torch.stack(torch.chunk(x, num_heads, dim=2), dim=1)


@splitting.accepts
def by_permute(x: Tensor, num_heads: int) -> Tensor:
    """reshape and permute."""
    batch, tokens, d_out = x.shape
    head_dim, rest = divmod(d_out, num_heads)
    if rest:
        raise ValueError(f"{d_out} is not divisible by {num_heads}")
    return x.reshape(batch, tokens, num_heads, head_dim).permute(0, 2, 1, 3).contiguous()


@splitting.accepts
def by_slices(x: Tensor, num_heads: int) -> Tensor:
    """A loop over the heads, with slices."""
    width = x.shape[2] // num_heads
    if width * num_heads != x.shape[2]:
        raise ValueError("d_out must be divisible by num_heads")
    found = torch.empty(x.shape[0], num_heads, x.shape[1], width, dtype=x.dtype)
    for h in range(num_heads):
        found[:, h] = x[:, :, h * width : (h + 1) * width]
    return found


merging = Exam(reference.merge_heads)


@merging.example
def two_heads_merged() -> Tensor:
    """two heads, three tokens, two features"""
    return counted(1, 2, 3, 2)


@merging.example
def three_heads_merged() -> Tensor:
    """two sentences, three heads, two tokens, two features"""
    return counted(2, 3, 2, 2)


@merging.case
def drawn_heads_merged(draw: Draw) -> Tensor:
    """heads drawn at random"""
    return draw.tensor("batch heads tokens head_dim")


@merging.case(times=1)
def one_head_merged(draw: Draw) -> Tensor:
    """a single head"""
    return draw.fix(heads=1).tensor("batch heads tokens head_dim")


@merging.misconception
def merged_without_swap(x: Tensor) -> Tensor:
    """The shape is right, but the tokens are mixed: you reshaped before the tokens stood in front
    of the heads. If you call `transpose`, take its result: it changes nothing in place.
    """
    batch, heads, tokens, head_dim = x.shape
    return x.reshape(batch, tokens, heads * head_dim)


@merging.misconception
def merged_with_view(x: Tensor) -> Tensor:
    """`view` only works where the numbers lie in order, and after a transpose they do not. Call
    `.contiguous()` before, or use `reshape`.
    """
    batch, heads, tokens, head_dim = x.shape
    return x.transpose(1, 2).view(batch, tokens, heads * head_dim)


@merging.misconception
def not_flattened(x: Tensor) -> Tensor:
    """The heads stand behind the tokens now, but apart. Make one axis of heads and features."""
    return x.transpose(1, 2)


@merging.misconception
def tokens_joined_with_heads(x: Tensor) -> Tensor:
    """The swap is right. Then tokens and heads became one axis: join the last two instead, the
    heads and their features.
    """
    return x.transpose(1, 2).flatten(1, 2)


@merging.misconception
def heads_alternate(x: Tensor) -> Tensor:
    """The heads take turns here, feature by feature. All features of head 0 come first."""
    return x.permute(0, 2, 3, 1).flatten(2)


@merging.misconception
def heads_merged_by_sum(x: Tensor) -> Tensor:
    """You added the heads up. Put them side by side: nothing is lost."""
    return x.sum(dim=1)


@merging.misconception
def heads_merged_by_mean(x: Tensor) -> Tensor:
    """You averaged the heads. Put them side by side: nothing is lost."""
    return x.mean(dim=1)


@merging.misconception
def merged_along_tokens(x: Tensor) -> Tensor:
    """You put the heads one after another along the tokens. Each token gets more features, not the
    sentence more tokens.
    """
    return x.flatten(1, 2)


@merging.accepts
def merged_contiguous(x: Tensor) -> Tensor:
    """contiguous and view."""
    batch, _, tokens, _ = x.shape
    return x.transpose(1, 2).contiguous().view(batch, tokens, -1)


@merging.accepts
def merged_by_cat(x: Tensor) -> Tensor:
    """The heads concatenated."""
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


@merging.accepts
def merged_by_permute(x: Tensor) -> Tensor:
    """permute and reshape."""
    batch, heads, tokens, head_dim = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, tokens, heads * head_dim)


# --- the weights of all heads --------------------------------------------------------------------

maps = Exam(reference.head_weights)

Maps = tuple[Tensor, Tensor, int, Tensor]


@maps.example
def one_mask_for_all() -> Maps:
    """four queries, five keys, a mask for all sentences"""
    rows = [[0, 1, 1, 1, 0], [0, 0, 1, 0, 1], [0, 0, 0, 0, 0], [1, 0, 0, 1, 0]]
    hidden = torch.tensor(rows).bool()
    return mixed(2, 4, 6, seed=1), mixed(2, 5, 6, seed=2), 3, hidden


@maps.example
def a_mask_for_each() -> Maps:
    """two sentences with masks of their own, two heads"""
    hidden = torch.tensor([[[0, 0, 1], [0, 0, 1]], [[0, 1, 0], [0, 1, 0]]]).bool()
    return mixed(2, 2, 4, seed=3), mixed(2, 3, 4, seed=4), 2, hidden


def drawn_mask(draw: Draw, axes: str) -> Tensor:
    """A mask that leaves each query at least one key."""
    noise = draw.tensor(axes)
    return (noise > 0) & (noise != noise.min(dim=-1, keepdim=True).values)


def drawn_pair(draw: Draw) -> tuple[Tensor, Tensor, int]:
    batch, queries, keys, heads, dim = draw.shape("batch queries keys heads head_dim")
    rng = draw.rng
    return (
        torch.from_numpy(rng.normal(size=(batch, queries, heads * dim))),
        torch.from_numpy(rng.normal(size=(batch, keys, heads * dim))),
        heads,
    )


@maps.case
def masks_of_their_own(draw: Draw) -> Maps:
    """every sentence with a mask of its own"""
    return (*drawn_pair(draw), drawn_mask(draw, "batch queries keys"))


@maps.case(times=2)
def a_common_mask(draw: Draw) -> Maps:
    """one mask for all sentences"""
    return (*drawn_pair(draw), drawn_mask(draw, "queries keys"))


@maps.case(times=1)
def as_many_heads_as_sentences(draw: Draw) -> Maps:
    """as many heads as sentences"""
    draw.fix(batch=3, heads=3)
    return (*drawn_pair(draw), drawn_mask(draw, "batch queries keys"))


@maps.case(times=1)
def a_square(draw: Draw) -> Maps:
    """as many queries as keys as sentences"""
    draw.fix(batch=3, queries=3, keys=3)
    return (*drawn_pair(draw), drawn_mask(draw, "batch queries keys"))


def weigh(scores: Tensor, hidden: Tensor, dim: int = -1) -> Tensor:
    mask = hidden if hidden.ndim == 2 else hidden[:, None]
    return torch.softmax(scores.masked_fill(mask, -torch.inf), dim=dim)


def head_scores(queries: Tensor, keys: Tensor, num_heads: int) -> Tensor:
    q, k = split(queries, num_heads), split(keys, num_heads)
    return q @ k.mT / k.shape[-1] ** 0.5


@maps.misconception
def root_of_all_features(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You divided by the root of d_out. A score has only head_dim terms: divide by the root of the
    width of one head.
    """
    return weigh(head_scores(queries, keys, num_heads) / num_heads**0.5, hidden)


@maps.misconception
def root_of_heads(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You divided by the root of the number of heads. Divide by the root of head_dim."""
    scores = split(queries, num_heads) @ split(keys, num_heads).mT
    return weigh(scores / num_heads**0.5, hidden)


@maps.misconception
def root_of_keys(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You divided by the root of the number of keys. Divide by the root of head_dim, the number of
    terms in a score.
    """
    scores = split(queries, num_heads) @ split(keys, num_heads).mT
    return weigh(scores / keys.shape[1] ** 0.5, hidden)


@maps.misconception
def root_of_queries(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You divided by the root of the number of queries. Divide by the root of head_dim, the last
    axis.
    """
    scores = split(queries, num_heads) @ split(keys, num_heads).mT
    return weigh(scores / queries.shape[1] ** 0.5, hidden)


@maps.misconception
def scores_not_scaled(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """The scores are not divided by the root of head_dim."""
    return weigh(split(queries, num_heads) @ split(keys, num_heads).mT, hidden)


@maps.misconception
def mask_ignored(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Hidden keys have a weight here: these are the weights without the mask. If you call
    `masked_fill`, give its result a name.
    """
    return torch.softmax(head_scores(queries, keys, num_heads), dim=-1)


@maps.misconception
def mask_inverted(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You show what is hidden, and hide the rest. True means hidden."""
    return weigh(head_scores(queries, keys, num_heads), ~hidden)


@maps.misconception
def mask_after_softmax(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You mask the weights, after the softmax: their rows do not sum to 1. Mask the scores."""
    mask = hidden if hidden.ndim == 2 else hidden[:, None]
    return torch.softmax(head_scores(queries, keys, num_heads), dim=-1).masked_fill(mask, 0)


@maps.misconception
def score_of_zero(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You gave hidden keys the score 0, and exp(0) is 1. Fill with −∞."""
    mask = hidden if hidden.ndim == 2 else hidden[:, None]
    return head_scores(queries, keys, num_heads).masked_fill(mask, 0).softmax(dim=-1)


@maps.misconception
def keys_swapped_as_before(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """You swapped axes 1 and 2 of the keys, as was right without heads. Now they are heads and
    keys: swap the last two, transpose(-2, -1).
    """
    q, k = split(queries, num_heads), split(keys, num_heads)
    return weigh(q @ k.transpose(1, 2) / k.shape[-1] ** 0.5, hidden)


@maps.misconception
def no_axis_for_heads(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """A mask (batch, queries, keys) meets scores (batch, heads, queries, keys), and its sentences
    line up with the heads. Give the mask an axis for the heads: hidden[:, None].
    """
    scores = head_scores(queries, keys, num_heads)
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)


@maps.misconception
def always_an_axis(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """hidden[:, None] is right for a mask with a batch. One for all sentences, (queries, keys),
    fits as it is; ask for `hidden.ndim`.
    """
    scores = head_scores(queries, keys, num_heads)
    return torch.softmax(scores.masked_fill(hidden[:, None], -torch.inf), dim=-1)


@maps.misconception
def softmax_over_heads(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Your softmax runs over the heads. Each head has its own: over the keys, the last axis."""
    return weigh(head_scores(queries, keys, num_heads), hidden, dim=1)


@maps.misconception
def softmax_over_queries(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Your softmax runs over the queries. It should run over the keys, the last axis."""
    return weigh(head_scores(queries, keys, num_heads), hidden, dim=2)


@maps.misconception
def heads_by_wrong_view(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Your heads hold pieces of several tokens: a view to (batch, num_heads, tokens, head_dim) cuts
    in the wrong places. Split the last axis, then swap axes 1 and 2.
    """
    q, k = wrong_view(queries, num_heads), wrong_view(keys, num_heads)
    return weigh(q @ k.mT / k.shape[-1] ** 0.5, hidden)


@maps.misconception
def weights_averaged(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """This is the average over the heads, as nn.MultiheadAttention returns it. Keep every head's
    weights.
    """
    return weigh(head_scores(queries, keys, num_heads), hidden).mean(dim=1)


@maps.accepts
def maps_in_a_loop(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """A loop over the heads."""
    width = queries.shape[-1] // num_heads
    found = []
    for h in range(num_heads):
        part = slice(h * width, (h + 1) * width)
        scores = queries[..., part] @ keys[..., part].transpose(1, 2) / math.sqrt(width)
        found.append(torch.softmax(scores.masked_fill(hidden, float("-inf")), dim=-1))
    return torch.stack(found, dim=1)


@maps.accepts
def maps_by_einsum(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """einsum."""
    q = queries.reshape(*queries.shape[:2], num_heads, -1)
    k = keys.reshape(*keys.shape[:2], num_heads, -1)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / k.shape[-1] ** 0.5
    mask = hidden.expand(queries.shape[0], *hidden.shape[-2:]).unsqueeze(1)
    return scores.masked_fill(mask, -torch.inf).softmax(-1)


@maps.accepts
def maps_by_exponentials(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Exponentials, with the mask as a factor."""
    scores = head_scores(queries, keys, num_heads)
    seen = (~hidden).to(scores.dtype).reshape(-1, 1, *hidden.shape[-2:])
    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * seen
    return shares / shares.sum(dim=-1, keepdim=True)


# --- repair a broken cell ------------------------------------------------------------------------

repaired = Exam(reference.repaired_heads)

Repair = tuple[Tensor, Tensor, Tensor, int]


@repaired.example
def three_tokens_two_heads() -> Repair:
    """two sentences of three tokens, two heads"""
    return mixed(2, 3, 4, seed=5), mixed(2, 3, 4, seed=6), mixed(2, 3, 4, seed=7), 2


@repaired.example
def two_tokens_three_heads() -> Repair:
    """two tokens, three heads"""
    return mixed(1, 2, 6, seed=8), mixed(1, 2, 6, seed=9), mixed(1, 2, 6, seed=10), 3


@repaired.case
def drawn_repair(draw: Draw) -> Repair:
    """features drawn at random"""
    batch, tokens, heads, dim = draw.shape("batch tokens heads head_dim")
    q, k, v = (torch.from_numpy(x) for x in draw.rng.normal(size=(3, batch, tokens, heads * dim)))
    return q, k, v, heads


def attend(q: Tensor, k: Tensor, v: Tensor, *, causal: bool = True) -> Tensor:
    return scaled_dot_product_attention(q, k, v, is_causal=causal)


@repaired.misconception
def still_broken(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """These are still the contexts of the broken cell. Follow one token through the first reshape:
    in which places of which head do its features arrive?
    """
    parts = (wrong_view(x, num_heads) for x in (queries, keys, values))
    return attend(*parts).reshape(queries.shape)


@repaired.misconception
def split_repaired_only(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """The split is right now, the way back is not: swap axes 1 and 2 again, before you reshape."""
    parts = (split(x, num_heads) for x in (queries, keys, values))
    return attend(*parts).reshape(queries.shape)


@repaired.misconception
def merge_repaired_only(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """The way back is right now, the split is not: split the last axis, then swap axes 1 and 2."""
    parts = (wrong_view(x, num_heads) for x in (queries, keys, values))
    return merge(attend(*parts))


@repaired.misconception
def values_left_broken(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """Queries and keys are split well. The values are not: they need the same two steps."""
    parts = (split(queries, num_heads), split(keys, num_heads), wrong_view(values, num_heads))
    return merge(attend(*parts))


@repaired.misconception
def one_wide_head(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """This is a single head over all features. Share them out among num_heads heads."""
    return attend(queries, keys, values)


@repaired.misconception
def without_the_mask(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """The heads are right, but the future is no longer hidden. is_causal=True was no mistake."""
    parts = (split(x, num_heads) for x in (queries, keys, values))
    return merge(attend(*parts, causal=False))


@repaired.misconception
def heads_attend_to_heads(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """The axes were split and not swapped, so that heads attend to heads, token by token. The
    tokens have to stand before the last axis.
    """
    parts = (x.reshape(*x.shape[:2], num_heads, -1) for x in (queries, keys, values))
    return attend(*parts).reshape(queries.shape)


@repaired.accepts
def repaired_by_chunks(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """Head by head, in chunks."""
    chunks = (x.chunk(num_heads, dim=-1) for x in (queries, keys, values))
    return torch.cat([attend(q, k, v) for q, k, v in zip(*chunks, strict=True)], dim=-1)


@repaired.accepts
def repaired_by_permute(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """permute there and back."""
    batch, tokens, d_out = queries.shape
    shape = (batch, tokens, num_heads, d_out // num_heads)
    q, k, v = (x.view(shape).permute(0, 2, 1, 3) for x in (queries, keys, values))
    return attend(q, k, v).permute(0, 2, 1, 3).flatten(2)


@repaired.accepts
def repaired_by_einsum(queries: Tensor, keys: Tensor, values: Tensor, num_heads: int) -> Tensor:
    """einsum, with a mask of its own."""
    q, k, v = (x.reshape(*x.shape[:2], num_heads, -1) for x in (queries, keys, values))
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    weights = scores.masked_fill(future(q.shape[1]), -torch.inf).softmax(dim=-1)
    return torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2)


# --- all heads at once ---------------------------------------------------------------------------

batched = Exam(reference.MultiHeadAttention, use=run_module)


def batched_weights(d_in: int, d_out: int, *, bias: bool = False) -> State:
    found = {name: mixed(d_in, d_out, seed=20 + n) for n, name in enumerate(PROJECTIONS)}
    if bias:
        found |= {f"{name}.bias": mixed(d_out, seed=30 + n) for n, name in enumerate(PROJECTIONS)}
    return found | {
        "out_proj": mixed(d_out, d_out, seed=40),
        "out_proj.bias": mixed(d_out, seed=41),
    }


@batched.example
def two_words() -> Module:
    """one sentence of two words, two heads of two features"""
    inputs = TWO_SENTENCES[:1, :2, :2]
    return settings(inputs, 4, 2, 2), batched_weights(2, 4), (inputs,), False, 1


@batched.example
def many_things_at_once() -> Module:
    """two sentences, three heads, with qkv_bias=True and dropout=0.5, in eval mode"""
    inputs = TWO_SENTENCES[:, 1:4]
    chosen = settings(inputs, 6, 3, 6, dropout=0.5, qkv_bias=True)
    return chosen, batched_weights(3, 6, bias=True), (inputs,), False, 2


@batched.example
def dropout_in_training() -> Module:
    """dropout=0.5, in training, called 48 times on one word"""
    inputs = mixed(1, 1, 6, seed=42)
    return settings(inputs, 4, 2, 6, dropout=0.5), batched_weights(6, 4), (inputs,), True, 48


def drawn_batched(draw: Draw, *, bias: bool = False) -> tuple[State, int, int]:
    """Weights, d_out and the number of heads."""
    d_in, heads, dim = draw.shape("d_in heads head_dim")
    d_out, rng = heads * dim, draw.rng
    found = {name: torch.from_numpy(rng.normal(0, 0.5, (d_in, d_out))) for name in PROJECTIONS}
    if bias:
        found |= {
            f"{name}.bias": torch.from_numpy(rng.normal(0, 0.5, d_out)) for name in PROJECTIONS
        }
    found["out_proj"] = torch.from_numpy(rng.normal(0, 0.5, (d_out, d_out)))
    found["out_proj.bias"] = torch.from_numpy(rng.normal(0, 0.5, d_out))
    return found, d_out, heads


@batched.case(times=2)
def full_length(draw: Draw) -> Module:
    """sentences as long as the context"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, draw.size("tokens")), weights, (inputs,), False, 1


@batched.case(times=2)
def shorter_than_the_context(draw: Draw) -> Module:
    """sentences shorter than the context, in training"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, draw.size("tokens") + 5), weights, (inputs,), True, 1


@batched.case(times=1)
def biased(draw: Draw) -> Module:
    """with biases"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw, bias=True)
    return settings(inputs, d_out, heads, 9, qkv_bias=True), weights, (inputs,), False, 1


@batched.case(times=1)
def single_head(draw: Draw) -> Module:
    """a single head"""
    inputs = draw.fix(heads=1).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 9), weights, (inputs,), False, 1


@batched.case(times=1)
def one_word(draw: Draw) -> Module:
    """one word, in a context of 40"""
    inputs = draw.fix(batch=1, tokens=1).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 40), weights, (inputs,), False, 1


@batched.case(times=1)
def dropout_of_one_word(draw: Draw) -> Module:
    """dropout in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, heads=2, head_dim=2).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 6, dropout=0.5), weights, (inputs,), True, 48


@batched.case(times=1)
def calm_in_use(draw: Draw) -> Module:
    """in eval mode, with much dropout"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 7, dropout=0.8), weights, (inputs,), False, 8


@batched.holds
def refuses_what_does_not_divide(answer: Callable[..., object], *case: object) -> bool:
    """with d_out=8 and num_heads=3, the constructor refuses, with a ValueError or an assert"""
    try:
        answer(d_in=3, d_out=8, context_length=4, dropout=0.0, num_heads=3)
    except Exception as error:
        return type(error).__name__ in ("ValueError", "AssertionError")
    return False


class Variant(nn.Module):
    """All heads at once in steps, for misconceptions to get one of them wrong."""

    mask: Tensor

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
        if d_out % num_heads:
            raise ValueError(f"{d_out} features can't be shared out among {num_heads} heads")
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", future(context_length))

    def forward(self, inputs: Tensor) -> Tensor:
        q, k, v = (self.split(part) for part in self.projected(inputs))
        scores = self.score(q, k)
        weights = self.weigh(scores, self.mask[: inputs.shape[1], : inputs.shape[1]])
        return self.project(self.merge(self.mix(weights, v)))

    def projected(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(inputs), self.W_key(inputs), self.W_value(inputs)

    def split(self, x: Tensor) -> Tensor:
        return split(x, self.num_heads)

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / k.shape[-1] ** 0.5

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return self.drop(torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1))

    def drop(self, weights: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(weights)
        return dropped

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        return weights @ values

    def merge(self, contexts: Tensor) -> Tensor:
        return merge(contexts)

    def project(self, contexts: Tensor) -> Tensor:
        projected: Tensor = self.out_proj(contexts)
        return projected


@batched.misconception
class SplitByWrongView(Variant):
    """The view that splits mixes the tokens, and the future leaks past the mask. Split the last
    axis into (num_heads, head_dim) first, then swap axes 1 and 2.
    """

    def split(self, x: Tensor) -> Tensor:
        return wrong_view(x, self.num_heads)


@batched.misconception
class WrongViewThereAndBack(SplitByWrongView):
    """Both views mix the tokens, there and back: late tokens no longer see the early ones. Split
    the last axis first, then swap axes 1 and 2; and swap them back before you merge.
    """

    def merge(self, contexts: Tensor) -> Tensor:
        batch, heads, tokens, head_dim = contexts.shape
        return contexts.reshape(batch, tokens, heads * head_dim)


@batched.misconception
class MergedByWrongView(Variant):
    """The heads are right, the way back mixes the tokens: swap axes 1 and 2 before you merge."""

    def merge(self, contexts: Tensor) -> Tensor:
        batch, heads, tokens, head_dim = contexts.shape
        return contexts.reshape(batch, tokens, heads * head_dim)


@batched.misconception
class HeadsInterleaved(Variant):
    """The features of the heads alternate after merging. First come all features of head 0, then
    those of head 1, and so on.
    """

    def merge(self, contexts: Tensor) -> Tensor:
        return contexts.permute(0, 2, 3, 1).flatten(2)


@batched.misconception
class HeadsTakeTurns(Variant):
    """Head 0 should have the first head_dim features: split into (num_heads, head_dim), in this
    order.
    """

    def split(self, x: Tensor) -> Tensor:
        return x.reshape(*x.shape[:2], -1, self.num_heads).permute(0, 3, 1, 2)


@batched.misconception
class NotProjected(Variant):
    """out_proj is there and never used: it has no gradient. Send the merged contexts through it."""

    def project(self, contexts: Tensor) -> Tensor:
        return contexts


@batched.misconception
class NoOutProjection(Variant):
    """There is no out_proj. The heads' contexts are side by side; a last nn.Linear(d_out, d_out)
    mixes them.
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
        del self.out_proj

    def project(self, contexts: Tensor) -> Tensor:
        return contexts


@batched.misconception
class OutProjectionUnbiased(Variant):
    """out_proj has no bias. qkv_bias is for the three projections; out_proj always has one."""

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
        self.out_proj = nn.Linear(d_out, d_out, bias=False)


@batched.misconception
class ScaledByAllFeatures(Variant):
    """You divided by the root of d_out. A score has head_dim terms: divide by the root of the width
    of one head.
    """

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / math.sqrt(self.out_proj.in_features)


@batched.misconception
class NotScaled(Variant):
    """The scores are not divided by the root of head_dim."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT


@batched.misconception
class ScaledByHeads(Variant):
    """You divided by the root of the number of heads. It is the root of their width, head_dim."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / math.sqrt(self.num_heads)


@batched.misconception
class NoMask(Variant):
    """The future is not hidden. If you call `masked_fill`, give its result a name."""

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return self.drop(scores.softmax(dim=-1))


@batched.misconception
class ScoreOfZero(Variant):
    """You fill the future with the score 0, and exp(0) is 1. Fill with −∞."""

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return self.drop(scores.masked_fill(hidden, 0).softmax(dim=-1))


@batched.misconception
class KeysAsk(Variant):
    """Queries and keys have changed places in the product: row i of the scores belongs to query i,
    column j to key j.
    """

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return super().score(k, q)


@batched.misconception
class KeysSwappedAsBefore(Variant):
    """You swapped axes 1 and 2 of the keys, as was right without heads. Now they are heads and
    tokens: swap the last two, transpose(-2, -1).
    """

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.transpose(1, 2) / k.shape[-1] ** 0.5


@batched.misconception
class InvertedMask(Variant):
    """You fill the scores where they should be visible. True in the mask means hidden."""

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return super().weigh(scores, ~hidden)


@batched.misconception
class OwnPlaceHidden(Variant):
    """The diagonal is hidden, too: no word sees itself, and the first one sees nothing, which gives
    NaN. The mask begins above the diagonal: triu with diagonal=1.
    """

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return super().weigh(scores, torch.ones_like(hidden).triu(0))


@batched.misconception
class PastHidden(Variant):
    """You hide the past: each word sees itself and what follows. Keys are columns, so the future
    lies above the diagonal: triu, not tril.
    """

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return super().weigh(scores, hidden.mT)


@batched.misconception
class MaskNotCut(Variant):
    """Your mask fits sentences of context_length words only. Cut it to the first num_tokens rows
    and columns.
    """

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return super().weigh(scores, self.mask)


@batched.misconception
class SoftmaxOverHeads(Variant):
    """Your softmax runs over the heads. Each head has its own: over the keys, the last axis."""

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        # Hidden for all heads, a key would be 0 / 0.
        return self.drop(scores.softmax(dim=1).masked_fill(hidden, 0))


@batched.misconception
class SoftmaxOverQueries(Variant):
    """Your softmax runs over the queries. It should run over the keys, the last axis."""

    def weigh(self, scores: Tensor, hidden: Tensor) -> Tensor:
        return self.drop(scores.masked_fill(hidden, -torch.inf).softmax(dim=-2))


@batched.misconception
class ValuesAreKeys(Variant):
    """You mix the keys. It is the values that are mixed: W_value of the inputs."""

    def projected(self, inputs: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(inputs), self.W_key(inputs), self.W_key(inputs)


@batched.misconception
class BatchAsTokens(Variant):
    """Sentences attend to sentences: the first axis is taken for the tokens. Inputs are (batch,
    tokens, d_in); nn.MultiheadAttention needs batch_first=True for that.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        longest = max(inputs.shape[:2])
        if len(self.mask) < longest:
            self.mask = future(longest)
        return super().forward(inputs.transpose(0, 1)).transpose(0, 1)


@batched.misconception
class OneWideHead(Variant):
    """This is one head over all features. Share them out among num_heads heads."""

    def split(self, x: Tensor) -> Tensor:
        return x[:, None]


@batched.misconception
class WidthOfEachHead(Variant):
    """Your projections have num_heads · d_out columns. In this class d_out is the width of all
    heads together, and each has d_out / num_heads of it.
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
        wide = d_out * num_heads
        super().__init__(d_in, wide, context_length, dropout, num_heads, qkv_bias)
        self.out_proj = nn.Linear(wide, d_out)


@batched.misconception
class WidthOfEachProjectionOnly(WidthOfEachHead):
    """Your projections have num_heads · d_out columns. In this class d_out is the width of all
    heads together: W_query, W_key and W_value have d_out columns, as out_proj has.
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
        self.out_proj = nn.Linear(d_out, d_out)


@batched.misconception
class SeparateHeads(nn.Module):
    """These are separate heads, as in the loop. Here all heads share the three projections: one
    W_query of d_out columns, one W_key, one W_value.
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
        super().__init__()
        if d_out % num_heads:
            raise ValueError(f"{d_out} features can't be shared out among {num_heads} heads")
        sizes = (d_in, d_out // num_heads, context_length, dropout, qkv_bias)
        self.heads = nn.ModuleList(CausalHead(*sizes) for _ in range(num_heads))
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, inputs: Tensor) -> Tensor:
        contexts = torch.cat([head(inputs) for head in self.heads], dim=-1)
        projected: Tensor = self.out_proj(contexts)
        return projected


@batched.misconception
class MaskAsParameter(Variant):
    """Your mask is a parameter, and an optimiser is given all parameters. What belongs to the
    module and is not trained is a buffer: register_buffer.
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
        hidden = self.mask
        del self.mask
        self.mask = nn.Parameter(hidden, requires_grad=False)


@batched.misconception
class NoDropout(Variant):
    """No weight is dropped in training: nothing is, or it is scores, before the softmax. Drop the
    weights, after it.
    """

    def drop(self, weights: Tensor) -> Tensor:
        return weights


@batched.misconception
class DropoutAlways(Variant):
    """Your module drops in eval mode, too. `F.dropout` has to be told: training=self.training."""

    def drop(self, weights: Tensor) -> Tensor:
        return nn.functional.dropout(weights, self.dropout.p)


@batched.misconception
class DropoutOnContexts(Variant):
    """You drop features of the contexts. Drop attention weights, before they meet the values."""

    def drop(self, weights: Tensor) -> Tensor:
        return weights

    def mix(self, weights: Tensor, values: Tensor) -> Tensor:
        mixed_values: Tensor = self.dropout(weights @ values)
        return mixed_values


@batched.misconception
class BiasAlways(Variant):
    """The projections have a bias though nobody asked for one: bias=qkv_bias."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias=True)


@batched.misconception
class BiasNever(Variant):
    """With qkv_bias=True the three projections have a bias, too: bias=qkv_bias."""

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


@batched.accepts
class LikeTheDocuments(nn.Module):
    """view and transpose, a mask of floats, the scale inside the softmax, an assert."""

    mask: Tensor

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
        assert d_out % num_heads == 0, "d_out must be a multiple of num_heads"
        self.d_out, self.heads, self.width = d_out, num_heads, d_out // num_heads
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        k = self.W_key(x).view(b, n, self.heads, self.width).transpose(1, 2)
        q = self.W_query(x).view(b, n, self.heads, self.width).transpose(1, 2)
        v = self.W_value(x).view(b, n, self.heads, self.width).transpose(1, 2)
        scores = q @ k.transpose(2, 3)
        scores.masked_fill_(self.mask.bool()[:n, :n], -torch.inf)
        weights = self.dropout(torch.softmax(scores / self.width**0.5, dim=-1))
        merged = (weights @ v).transpose(1, 2).contiguous().view(b, n, self.d_out)
        projected: Tensor = self.out_proj(merged)
        return projected


@batched.accepts
class WithParameters(nn.Module):
    """nn.Parameter of shape (d_in, d_out), and einsum."""

    hidden: Tensor

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
        if d_out % num_heads:
            raise ValueError("num_heads must divide d_out")
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(d_out))
            self.W_value_bias = nn.Parameter(torch.zeros(d_out))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.num_heads, self.qkv_bias = num_heads, qkv_bias
        self.register_buffer("hidden", future(context_length), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = x @ self.W_query, x @ self.W_key, x @ self.W_value
        if self.qkv_bias:
            q, k, v = q + self.W_query_bias, k + self.W_key_bias, v + self.W_value_bias
        q, k, v = (part.reshape(*part.shape[:2], self.num_heads, -1) for part in (q, k, v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        hidden = self.hidden[: x.shape[1], : x.shape[1]]
        weights = self.dropout(scores.masked_fill(hidden, -torch.inf).softmax(dim=-1))
        projected: Tensor = self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
        return projected


@batched.accepts
class LibraryCall(nn.Module):
    """PyTorch's scaled_dot_product_attention."""

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
        if d_out % num_heads != 0:
            raise ValueError("d_out % num_heads != 0")
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p, self.h = dropout, num_heads

    def forward(self, x: Tensor) -> Tensor:
        layers = (self.W_query, self.W_key, self.W_value)
        q, k, v = (split(layer(x), self.h) for layer in layers)
        p = self.p if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)
        projected: Tensor = self.out_proj(found.transpose(1, 2).flatten(2))
        return projected


@batched.accepts
class LoopOverHeads(nn.Module):
    """A loop over slices of the features."""

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
        if d_out % num_heads:
            raise ValueError("not divisible")
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.width = d_out // num_heads

    def forward(self, x: Tensor) -> Tensor:
        layers = (self.W_query, self.W_key, self.W_value)
        parts = (layer(x).split(self.width, dim=-1) for layer in layers)
        found = []
        for q, k, v in zip(*parts, strict=True):
            scores = q @ k.transpose(1, 2) / math.sqrt(self.width)
            scores = scores.masked_fill(future(x.shape[1]), float("-inf"))
            found.append(self.dropout(scores.softmax(dim=-1)) @ v)
        projected: Tensor = self.out_proj(torch.cat(found, dim=-1))
        return projected


# --- the same weights in three forms -------------------------------------------------------------

batching = Exam(reference.batch_the_heads)

WEIGHTS = tuple(f"{name}.weight" for name in PROJECTIONS)


def loop_state(draw_one: Callable[[], Tensor], num_heads: int) -> State:
    return {f"heads.{h}.{name}": draw_one() for h in range(num_heads) for name in WEIGHTS}


@batching.example
def two_heads_of_a_loop() -> tuple[State, int]:
    """two heads of two features, from one"""
    state = {}
    for n, name in enumerate(f"heads.{h}.{name}" for h in range(2) for name in WEIGHTS):
        state[name] = counted(2, 1, start=10 * n + 1)
    return state, 2


@batching.example
def eleven_heads_of_a_loop() -> tuple[State, int]:
    """eleven heads of one feature, from one"""
    names = (f"heads.{h}.{name}" for h in range(11) for name in WEIGHTS)
    return {name: counted(1, 1, start=n + 1) for n, name in enumerate(names)}, 11


@batching.case
def drawn_loop(draw: Draw) -> tuple[State, int]:
    """weights drawn at random"""
    heads = draw.size("heads")
    return loop_state(lambda: draw.tensor("head_dim d_in"), heads), heads


@batching.case(times=1)
def twelve_heads(draw: Draw) -> tuple[State, int]:
    """twelve heads, of which the tenth is not the second"""
    return loop_state(lambda: draw.tensor("head_dim d_in"), 12), 12


def joined(
    state: State,
    num_heads: int,
    join: Callable[[list[Tensor]], Tensor] = torch.cat,
    order: tuple[str, ...] = WEIGHTS,
) -> State:
    found = {}
    for name, source in zip(WEIGHTS, order, strict=True):
        found[name] = join([state[f"heads.{h}.{source}"] for h in range(num_heads)])
    any_weight = state[f"heads.0.{WEIGHTS[0]}"]
    d_out = len(any_weight) * num_heads
    found["out_proj.weight"] = torch.eye(d_out, dtype=any_weight.dtype)
    found["out_proj.bias"] = torch.zeros(d_out, dtype=any_weight.dtype)
    return found


@batching.misconception
def joined_along_inputs(state: State, num_heads: int) -> State:
    """You joined the heads along the features that come in. nn.Linear stores (out, in): the heads
    stand below each other, along axis 0.
    """
    return joined(state, num_heads, lambda parts: torch.cat(parts, dim=1))


@batching.misconception
def sized_by_rows_of_one_head(state: State, num_heads: int) -> State:
    """You joined the heads along the features that come in, so that there are no more rows than in
    one head. nn.Linear stores (out, in): the heads stand below each other, along axis 0.
    """
    found = joined_along_inputs(state, num_heads)
    rows = len(found[WEIGHTS[0]])
    identity = torch.eye(rows).to(found[WEIGHTS[0]])
    return {**found, "out_proj.weight": identity, "out_proj.bias": torch.zeros_like(identity[0])}


@batching.misconception
def sized_by_inputs(state: State, num_heads: int) -> State:
    """The three matrices are right. out_proj stands behind the heads: it is as wide as all of them
    together, (d_out, d_out).
    """
    found = joined(state, num_heads)
    identity = torch.eye(found[WEIGHTS[0]].shape[1]).to(found[WEIGHTS[0]])
    return {**found, "out_proj.weight": identity, "out_proj.bias": torch.zeros_like(identity[0])}


@batching.misconception
def rows_alternate(state: State, num_heads: int) -> State:
    """The rows of the heads alternate. Head 0 comes whole, then head 1: that is how the features
    are split again.
    """
    return joined(state, num_heads, lambda parts: torch.stack(parts, dim=1).flatten(0, 1))


@batching.misconception
def heads_stacked(state: State, num_heads: int) -> State:
    """You stacked the heads along a new axis. An nn.Linear has a matrix: join them along axis 0."""
    return joined(state, num_heads, torch.stack)


@batching.misconception
def turned_as_well(state: State, num_heads: int) -> State:
    """You transposed the weights. Both sides are nn.Linear layers and store (out, in)."""
    return joined(state, num_heads, lambda parts: torch.cat(parts).T)


@batching.misconception
def heads_in_reverse(state: State, num_heads: int) -> State:
    """The heads stand in reverse. Head 0 comes first."""
    return joined(state, num_heads, lambda parts: torch.cat(parts[::-1]))


@batching.misconception
def names_as_text(state: State, num_heads: int) -> State:
    """Your heads are sorted as text: "heads.10" comes before "heads.2". Count with a number."""
    order = sorted(range(num_heads), key=str)
    return joined(state, num_heads, lambda parts: torch.cat([parts[h] for h in order]))


@batching.misconception
def keys_and_queries(state: State, num_heads: int) -> State:
    """The weights of queries and keys have changed places."""
    return joined(state, num_heads, order=(WEIGHTS[1], WEIGHTS[0], WEIGHTS[2]))


@batching.misconception
def projection_left_out(state: State, num_heads: int) -> State:
    """out_proj is missing. With weights drawn at random it would mix the heads: give it the
    identity as its weight, and a bias of zeros.
    """
    return {name: value for name, value in joined(state, num_heads).items() if name in WEIGHTS}


@batching.misconception
def projection_of_ones(state: State, num_heads: int) -> State:
    """A projection full of ones adds all features up. What changes nothing is the identity, with
    ones on the diagonal only.
    """
    found = joined(state, num_heads)
    return {**found, "out_proj.weight": torch.ones_like(found["out_proj.weight"])}


@batching.misconception
def projection_of_zeros(state: State, num_heads: int) -> State:
    """A projection full of zeros gives zeros. What changes nothing is the identity."""
    found = joined(state, num_heads)
    return {**found, "out_proj.weight": torch.zeros_like(found["out_proj.weight"])}


@batching.accepts
def filled_row_by_row(state: State, num_heads: int) -> State:
    """Filled in, head by head."""
    width, d_in = state["heads.0.W_query.weight"].shape
    found = {}
    for name in WEIGHTS:
        matrix = torch.empty(num_heads * width, d_in, dtype=state[f"heads.0.{name}"].dtype)
        for h in range(num_heads):
            matrix[h * width : (h + 1) * width] = state[f"heads.{h}.{name}"]
        found[name] = matrix
    ones = torch.ones(num_heads * width, dtype=matrix.dtype)
    return {"out_proj.bias": 0 * ones, "out_proj.weight": torch.diag(ones), **found}


@batching.accepts
def stacked_then_flattened(state: State, num_heads: int) -> State:
    """Stacked and flattened."""
    found = {}
    for name in WEIGHTS:
        found[name] = torch.stack([state[f"heads.{h}.{name}"] for h in range(num_heads)]).flatten(
            0, 1
        )
    weight = found["W_key.weight"]
    found["out_proj.weight"] = torch.eye(len(weight)).to(weight)
    found["out_proj.bias"] = weight.new_zeros(len(weight))
    return found


@batching.accepts
def by_vstack(state: State, num_heads: int) -> State:
    """vstack."""
    q, k, v = (
        torch.vstack([state[f"heads.{h}.{name}"] for h in range(num_heads)]) for name in WEIGHTS
    )
    identity = torch.eye(q.shape[0], dtype=q.dtype)
    return {
        "W_query.weight": q,
        "W_key.weight": k,
        "W_value.weight": v,
        "out_proj.weight": identity,
        "out_proj.bias": identity.sum(0) - 1,
    }


export = Exam(reference.to_torch)


def batched_state(weight: Callable[[], Tensor], bias: Callable[[], Tensor]) -> State:
    state = {name: weight() for name in (*WEIGHTS, "out_proj.weight")}
    return {**state, "out_proj.bias": bias()}


@export.example
def two_features() -> State:
    """two features, with a mask in the state"""
    state = {name: counted(2, 2, start=10 * n + 1) for n, name in enumerate(WEIGHTS)}
    state |= {"out_proj.weight": counted(2, 2, start=41), "out_proj.bias": counted(2, start=51)}
    return {"mask": future(3), **state}


@export.example
def other_order() -> State:
    """keys before queries in the state"""
    state = {name: counted(3, 3, start=10 * n + 1) for n, name in enumerate(WEIGHTS)}
    keys, queries, values = (state[WEIGHTS[n]] for n in (1, 0, 2))
    return {
        "W_key.weight": keys,
        "W_query.weight": queries,
        "W_value.weight": values,
        "out_proj.weight": counted(3, 3, start=41),
        "out_proj.bias": counted(3, start=51),
    }


@export.case
def drawn_state(draw: Draw) -> State:
    """weights drawn at random"""
    return batched_state(lambda: draw.tensor("d d"), lambda: draw.tensor("d"))


@export.case(times=1)
def drawn_state_with_mask(draw: Draw) -> State:
    """a mask in the state"""
    state = batched_state(lambda: draw.tensor("d d"), lambda: draw.tensor("d"))
    return {**state, "mask": future(draw.size("tokens"))}


def packed(state: State, join: Callable[[list[Tensor]], Tensor] = torch.cat) -> State:
    stacked = join([state[name] for name in WEIGHTS])
    return {
        "in_proj_weight": stacked,
        "in_proj_bias": stacked.new_zeros(3 * len(state["out_proj.bias"])),
        "out_proj.weight": state["out_proj.weight"],
        "out_proj.bias": state["out_proj.bias"],
    }


@export.misconception
def packed_side_by_side(state: State) -> State:
    """You joined the three matrices along axis 1. in_proj_weight has 3 · d_out rows: stack them
    below each other.
    """
    return packed(state, lambda parts: torch.cat(parts, dim=1))


@export.misconception
def packed_on_a_new_axis(state: State) -> State:
    """in_proj_weight is a matrix. Join along axis 0 instead of making a new axis."""
    return packed(state, torch.stack)


@export.misconception
def keys_first(state: State) -> State:
    """The order of the rows is queries, keys, values: not keys, queries, values."""
    return packed(state, lambda parts: torch.cat([parts[1], parts[0], parts[2]]))


@export.misconception
def values_second(state: State) -> State:
    """The order of the rows is queries, keys, values: not queries, values, keys."""
    return packed(state, lambda parts: torch.cat([parts[0], parts[2], parts[1]]))


@export.misconception
def as_they_stand(state: State) -> State:
    """You took the weights in the order in which they stand in the dict, and here the keys come
    first. Ask for them by name.
    """
    kept = [value for name, value in state.items() if name in WEIGHTS]
    return packed(state, lambda parts: torch.cat(kept))


@export.misconception
def parts_turned(state: State) -> State:
    """You transposed the three matrices. Both sides store (out, in)."""
    return packed(state, lambda parts: torch.cat([part.T for part in parts]))


@export.misconception
def rows_take_turns(state: State) -> State:
    """The rows of the three matrices take turns here. All rows of the queries come first."""
    return packed(state, lambda parts: torch.stack(parts, dim=1).flatten(0, 1))


@export.misconception
def output_turned(state: State) -> State:
    """out_proj was transposed. It is an nn.Linear on both sides: hand it on as it is."""
    return {**packed(state), "out_proj.weight": state["out_proj.weight"].T}


@export.misconception
def no_bias_in(state: State) -> State:
    """in_proj_bias is missing. nn.MultiheadAttention has one unless it is made with bias=False,
    which would take the bias of out_proj, too: give it zeros.
    """
    return {name: value for name, value in packed(state).items() if name != "in_proj_bias"}


@export.misconception
def everything_else_too(state: State) -> State:
    """There are entries that nn.MultiheadAttention does not know, such as a mask. Return the four
    tensors only.
    """
    return packed(state) | {key: value for key, value in state.items() if key not in WEIGHTS}


@export.misconception
def short_bias(state: State) -> State:
    """in_proj_bias has one zero for each row of in_proj_weight: 3 · d_out."""
    found = packed(state)
    return {**found, "in_proj_bias": torch.zeros_like(found["out_proj.bias"])}


@export.accepts
def packed_by_vstack(state: State) -> State:
    """vstack and new_zeros."""
    stacked = torch.vstack(
        [state["W_query.weight"], state["W_key.weight"], state["W_value.weight"]]
    )
    kept = {name: state[name] for name in ("out_proj.weight", "out_proj.bias")}
    return {**kept, "in_proj_weight": stacked, "in_proj_bias": stacked.new_zeros(len(stacked))}


@export.accepts
def packed_by_filling(state: State) -> State:
    """Filled in, part by part."""
    width = len(state["out_proj.bias"])
    stacked = torch.zeros(3 * width, width, dtype=state["out_proj.bias"].dtype)
    for n, name in enumerate(("query", "key", "value")):
        stacked[n * width : (n + 1) * width] = state[f"W_{name}.weight"]
    found = {"in_proj_weight": stacked, "in_proj_bias": torch.zeros_like(stacked[:, 0])}
    for name in ("out_proj.weight", "out_proj.bias"):
        found[name] = state[name].clone()
    return found


@export.accepts
def packed_by_flattening(state: State) -> State:
    """Stacked and flattened."""
    q, k, v = (state[name] for name in WEIGHTS)
    return {
        "in_proj_weight": torch.stack((q, k, v)).flatten(0, 1),
        "in_proj_bias": torch.cat([0 * state["out_proj.bias"]] * 3),
        "out_proj.bias": state["out_proj.bias"],
        "out_proj.weight": state["out_proj.weight"],
    }


# --- counting ------------------------------------------------------------------------------------

counting = Exam(reference.count_parameters)

Sizes = tuple[int, int, int, bool]


@counting.example
def six_words_sizes() -> Sizes:
    """from 5 features to 4, two heads"""
    return 5, 4, 2, False


@counting.example
def biased_sizes() -> Sizes:
    """from 5 features to 6, three heads, with biases"""
    return 5, 6, 3, True


@counting.example
def base_model() -> Sizes:
    """the Transformer of 2017: 512 features, 8 heads"""
    return 512, 512, 8, False


@counting.example
def gpt2() -> Sizes:
    """the smallest GPT-2: 768 features, 12 heads, with biases"""
    return 768, 768, 12, True


@counting.case(times=6)
def drawn_sizes(draw: Draw) -> Sizes:
    """sizes drawn at random"""
    heads = draw.size("heads")
    return draw.size("d_in") * 3, heads * draw.size("head_dim"), heads, bool(draw.rng.integers(2))


def count(d_in: int, d_out: int, out: int, bias: int) -> int:
    return 3 * d_in * d_out + out + bias


@counting.misconception
def times_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted the three projections once for each head. d_out is the width of all heads
    together: they share these columns.
    """
    once = 3 * d_in * d_out + 3 * d_out * qkv_bias
    return once * num_heads + d_out * d_out + d_out


@counting.misconception
def one_head_counted(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted the projections of one head. There are num_heads of them, each with head_dim
    columns.
    """
    return 3 * (d_in + qkv_bias) * (d_out // num_heads) + d_out * d_out + d_out


@counting.misconception
def no_output_projection(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """out_proj is missing: d_out · d_out numbers, and its bias."""
    return 3 * (d_in + qkv_bias) * d_out


@counting.misconception
def output_without_bias(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """out_proj has a bias, too: d_out numbers more."""
    return 3 * (d_in + qkv_bias) * d_out + d_out * d_out


@counting.misconception
def biases_always(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted biases of the three projections though qkv_bias is False."""
    return 3 * (d_in + 1) * d_out + d_out * d_out + d_out


@counting.misconception
def biases_never(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """With qkv_bias=True, each of the three projections has d_out numbers more."""
    return 3 * d_in * d_out + d_out * d_out + d_out


@counting.misconception
def one_bias_for_three(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted one bias for the three projections. Each has its own, of d_out numbers."""
    return 3 * d_in * d_out + d_out * qkv_bias + d_out * d_out + d_out


@counting.misconception
def output_bias_if_asked(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """The bias of out_proj is always there. qkv_bias is for the three projections only."""
    return 3 * d_in * d_out + d_out * d_out + 4 * d_out * qkv_bias


@counting.misconception
def biases_of_inputs(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You counted d_in numbers for each bias of the three projections. A bias is added to what
    comes out: d_out numbers.
    """
    return 3 * d_in * (d_out + qkv_bias) + d_out * d_out + d_out


@counting.misconception
def output_from_inputs(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """You took out_proj for (d_in, d_out). It comes after the heads: (d_out, d_out)."""
    return 3 * (d_in + qkv_bias) * d_out + d_in * d_out + d_out


@counting.misconception
def two_projections(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Queries, keys and values: three projections, not two."""
    return 2 * (d_in + qkv_bias) * d_out + d_out * d_out + d_out


@counting.accepts
def counted_by_making(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Layers made, and their numbers counted."""
    layers = [nn.Linear(d_in, d_out, bias=qkv_bias, device="meta") for _ in range(3)]
    layers.append(nn.Linear(d_out, d_out, device="meta"))
    return sum(p.numel() for layer in layers for p in layer.parameters())


@counting.accepts
def counted_by_heads(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """Head by head."""
    head_dim = d_out // num_heads
    per_head = sum(d_in * head_dim + (head_dim if qkv_bias else 0) for _ in range(3))
    return num_heads * per_head + d_out**2 + d_out


@counting.accepts
def counted_by_rows(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """A bias as one row more."""
    return (3 * (d_in + int(qkv_bias)) + d_out + 1) * d_out


# --- the value matrix in two parts ---------------------------------------------------------------

thin = Exam(reference.low_rank_value, returns=("the matrix", "numbers saved"))

Pair = tuple[Tensor, Tensor]


@thin.example
def four_by_one() -> Pair:
    """four features through one"""
    return counted(4, 1), mixed(1, 4, seed=50)


@thin.example
def three_by_two() -> Pair:
    """three features through two, which saves nothing"""
    return mixed(3, 2, seed=51), mixed(2, 3, seed=52)


@thin.case
def drawn_thin(draw: Draw) -> Pair:
    """matrices drawn at random"""
    return draw.tensor("d_model head_dim"), draw.tensor("head_dim d_model")


def saved(W_down: Tensor) -> int:
    d_model, head_dim = W_down.shape
    return d_model * d_model - 2 * d_model * head_dim


@thin.misconception
def up_before_down(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You multiplied W_up by W_down, which gives (head_dim, head_dim). Tokens are rows here, and
    what is applied first stands on the left.
    """
    product = W_up @ W_down
    return product, product.numel() - W_down.numel() - W_up.numel()


@thin.misconception
def product_turned(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """Your matrix is transposed. Tokens are rows: x @ W_down @ W_up."""
    return (W_down @ W_up).T, saved(W_down)


@thin.misconception
def one_part_counted(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You took off the numbers of one thin matrix. There are two of them."""
    return W_down @ W_up, W_down.shape[0] ** 2 - W_down.numel()


@thin.misconception
def numbers_of_both(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """This is how many numbers the two have. Say how many fewer than the whole matrix."""
    return W_down @ W_up, W_down.numel() + W_up.numel()


@thin.misconception
def sign_exchanged(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """The sign is the wrong way round: what is saved is the whole less the two parts."""
    return W_down @ W_up, -saved(W_down)


@thin.misconception
def never_below_zero(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """Two parts that are not thin have more numbers than the whole. Then the answer is below
    zero.
    """
    return W_down @ W_up, max(0, saved(W_down))


@thin.misconception
def difference_without_sign(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You took the size of the difference. Two parts that are not thin have more numbers than the
    whole: then the answer is below zero.
    """
    return W_down @ W_up, abs(saved(W_down))


@thin.misconception
def sizes_of_a_head(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You compared with a matrix (head_dim, head_dim). The whole one is (d_model, d_model)."""
    return W_down @ W_up, W_down.shape[1] ** 2 - W_down.numel() - W_up.numel()


@thin.accepts
def thin_by_einsum(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """einsum, and sizes."""
    whole = torch.einsum("ik,kj->ij", W_down, W_up)
    return whole, len(W_down) * (len(W_down) - 2 * len(W_up))


@thin.accepts
def thin_by_identity(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """The identity sent through both."""
    d_model, head_dim = W_down.shape
    unit = torch.eye(d_model, dtype=W_down.dtype)
    return unit @ W_down @ W_up, d_model**2 - 2 * d_model * head_dim


@thin.accepts
def thin_by_outer_products(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """A sum of outer products, one for each feature of the head."""
    pairs = zip(W_down.T, W_up, strict=True)
    whole = torch.stack([torch.outer(column, row) for column, row in pairs]).sum(dim=0)
    return whole, whole.numel() - (W_down.numel() + W_up.numel())


summing = Exam(reference.sum_over_heads)

Heads = tuple[Tensor, Tensor, Tensor, Tensor]


@summing.example
def two_heads_summed() -> Heads:
    """two heads, three tokens of four features"""
    weights = torch.tensor([[[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.25, 0.5]], [[0, 1, 0]] * 3])
    thin_parts = mixed(2, 4, 1, seed=60), mixed(2, 1, 4, seed=61)
    return weights.double(), mixed(3, 4, seed=62), *thin_parts


@summing.example
def three_heads_summed() -> Heads:
    """three heads, two tokens"""
    weights = torch.softmax(mixed(3, 2, 2, seed=63), dim=-1)
    return weights, mixed(2, 4, seed=64), mixed(3, 4, 2, seed=65), mixed(3, 2, 4, seed=66)


@summing.case
def drawn_sum(draw: Draw) -> Heads:
    """heads drawn at random"""
    return (
        torch.from_numpy(draw.weights("heads tokens tokens")),
        draw.tensor("tokens d_model"),
        draw.tensor("heads d_model head_dim"),
        draw.tensor("heads head_dim d_model"),
    )


def head_outputs(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    return weights @ (inputs @ W_down) @ W_up


@summing.misconception
def outputs_not_summed(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """These are the outputs of the heads, one by one. Add them up."""
    return head_outputs(weights, inputs, W_down, W_up)


@summing.misconception
def outputs_averaged(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You averaged the heads. Each adds its own part: sum them."""
    return head_outputs(weights, inputs, W_down, W_up).mean(dim=0)


@summing.misconception
def summed_over_tokens(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You summed over the tokens. Sum over the heads, the first axis."""
    return head_outputs(weights, inputs, W_down, W_up).sum(dim=1)


@summing.misconception
def parts_summed_first(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You added up what the heads have in front of W_up, and the W_up as well. The sum of products
    is not the product of sums: each head goes through its own W_up first.
    """
    return (weights @ inputs @ W_down).sum(dim=0) @ W_up.sum(dim=0)


@summing.misconception
def first_head_only(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """This is the output of the first head. If you have a loop, it returns in its first turn."""
    return head_outputs(weights, inputs, W_down, W_up)[0]


@summing.misconception
def last_head_only(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """This is the output of the last head. If you have a loop, each turn forgets the one before:
    add with `+=`, beginning at zero.
    """
    return head_outputs(weights, inputs, W_down, W_up)[-1]


@summing.misconception
def weights_turned(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """You mixed with the transposed weights. Row i belongs to query i: no transpose."""
    return head_outputs(weights.mT, inputs, W_down, W_up).sum(dim=0)


@summing.misconception
def nothing_mixed(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """No token takes anything from another: the attention weights are missing."""
    return (inputs @ W_down @ W_up).sum(dim=0)


@summing.misconception
def concatenated_only(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """These are the heads side by side, before the way back. Each goes through its own W_up."""
    return torch.cat(list(weights @ inputs @ W_down), dim=-1)


@summing.accepts
def summed_in_a_loop(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """A loop over the heads."""
    total = torch.zeros_like(inputs)
    for h in range(len(weights)):
        total = total + weights[h] @ (inputs @ W_down[h]) @ W_up[h]
    return total


@summing.accepts
def concatenated_then_projected(
    weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor
) -> Tensor:
    """Concatenated, then projected at once."""
    return torch.cat(list(weights @ (inputs @ W_down)), dim=-1) @ W_up.flatten(0, 1)


@summing.accepts
def summed_by_einsum(weights: Tensor, inputs: Tensor, W_down: Tensor, W_up: Tensor) -> Tensor:
    """einsum."""
    return torch.einsum("hqk,kd,hde,hef->qf", weights, inputs, W_down, W_up)


# --- one sequence reads another ------------------------------------------------------------------

cross = Exam(reference.CrossAttention, use=run_module)


def cross_settings(
    decoder: Tensor, encoder: Tensor, d_out: int, heads: int, **others: object
) -> Settings:
    sizes = {"d_decoder": decoder.shape[-1], "d_encoder": encoder.shape[-1], "d_out": d_out}
    return {**sizes, "dropout": 0.0, "num_heads": heads, **others}


def cross_weights(d_decoder: int, d_encoder: int, d_out: int, *, bias: bool = False) -> State:
    found = batched_weights(d_encoder, d_out, bias=bias)
    return {**found, "W_query": mixed(d_decoder, d_out, seed=70)}


DECODER = mixed(2, 2, 2, seed=71)
ENCODER = mixed(2, 3, 3, seed=72)
PADDING = torch.tensor([[0, 0, 0], [0, 1, 1]]).bool()


@cross.example
def two_queries_three_keys() -> Module:
    """two queries, three keys, two of them padding in one sentence"""
    return (
        cross_settings(DECODER, ENCODER, 4, 2),
        cross_weights(2, 3, 4),
        (DECODER, ENCODER, PADDING),
        False,
        1,
    )


@cross.example
def nothing_padded() -> Module:
    """no padding mask, three heads, with qkv_bias=True and dropout=0.5, in eval mode"""
    decoder, encoder = mixed(1, 3, 2, seed=73), ENCODER[:1]
    chosen = cross_settings(decoder, encoder, 6, 3, dropout=0.5, qkv_bias=True)
    return chosen, cross_weights(2, 3, 6, bias=True), (decoder, encoder, None), False, 2


@cross.example
def all_padded() -> Module:
    """a sentence that is all padding"""
    padding = torch.tensor([[0, 0, 1], [1, 1, 1]]).bool()
    chosen = cross_settings(DECODER, ENCODER, 4, 2)
    return chosen, cross_weights(2, 3, 4), (DECODER, ENCODER, padding), False, 1


@cross.example
def as_many_queries_as_keys() -> Module:
    """three queries and three keys of the same width, with dropout=0.5, in eval mode"""
    decoder = mixed(2, 3, 3, seed=74)
    chosen = cross_settings(decoder, ENCODER, 4, 2, dropout=0.5)
    return chosen, cross_weights(3, 3, 4), (decoder, ENCODER, PADDING), False, 2


@cross.example
def cross_dropout() -> Module:
    """dropout=0.5, in training, called 48 times on one key"""
    decoder, encoder = mixed(1, 1, 6, seed=75), mixed(1, 1, 7, seed=76)
    chosen = cross_settings(decoder, encoder, 4, 2, dropout=0.5)
    return chosen, cross_weights(6, 7, 4), (decoder, encoder, None), True, 48


def drawn_cross(draw: Draw, *, bias: bool = False) -> tuple[Tensor, Tensor, State, int, int]:
    """Decoder, encoder, weights, d_out and the number of heads."""
    batch, queries, keys, d_decoder, d_encoder, heads = draw.shape(
        "batch queries keys d_decoder d_encoder heads"
    )
    d_out, rng = heads * 2, draw.rng

    def tensor(*shape: int) -> Tensor:
        return torch.from_numpy(rng.normal(0, 0.6, shape))

    weights = {
        "W_query": tensor(d_decoder, d_out),
        "W_key": tensor(d_encoder, d_out),
        "W_value": tensor(d_encoder, d_out),
    }
    if bias:
        weights |= {f"{name}.bias": tensor(d_out) for name in PROJECTIONS}
    weights |= {"out_proj": tensor(d_out, d_out), "out_proj.bias": tensor(d_out)}
    return tensor(batch, queries, d_decoder), tensor(batch, keys, d_encoder), weights, d_out, heads


def padded_at_the_end(read: Tensor, draw: Draw) -> Tensor:
    """At least one real key, and one sentence without padding."""
    batch, keys = read.shape[:2]
    lengths = torch.from_numpy(draw.rng.integers(1, keys, size=batch))
    lengths[0] = keys
    return torch.arange(keys) >= lengths[:, None]


@cross.case(times=3)
def drawn_reading(draw: Draw) -> Module:
    """sequences of different lengths and widths, padded"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    padding = padded_at_the_end(encoder, draw)
    inputs = (decoder, encoder, padding)
    return cross_settings(decoder, encoder, d_out, heads), weights, inputs, False, 1


@cross.case(times=1)
def drawn_without_padding(draw: Draw) -> Module:
    """no padding mask, with biases, in training"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw, bias=True)
    chosen = cross_settings(decoder, encoder, d_out, heads, qkv_bias=True)
    return chosen, weights, (decoder, encoder, None), True, 1


@cross.case(times=1)
def drawn_all_padded(draw: Draw) -> Module:
    """one sentence that is all padding"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    padding = padded_at_the_end(encoder, draw)
    padding[-1] = True
    inputs = (decoder, encoder, padding)
    return cross_settings(decoder, encoder, d_out, heads), weights, inputs, False, 1


@cross.case(times=1)
def equal_lengths_and_widths(draw: Draw) -> Module:
    """both sequences of one length and one width"""
    draw.fix(queries=4, keys=4, d_decoder=3, d_encoder=3)
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    padding = padded_at_the_end(encoder, draw)
    inputs = (decoder, encoder, padding)
    return cross_settings(decoder, encoder, d_out, heads), weights, inputs, False, 1


@cross.case(times=1)
def drawn_cross_dropout(draw: Draw) -> Module:
    """dropout in training, on one key"""
    draw.fix(batch=1, queries=1, keys=1, heads=2)
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    chosen = cross_settings(decoder, encoder, d_out, heads, dropout=0.5)
    return chosen, weights, (decoder, encoder, None), True, 48


class CrossVariant(nn.Module):
    """Cross-attention in steps, for misconceptions to get one of them wrong."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.W_query = nn.Linear(d_decoder, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        q, k, v = (self.split(x) for x in self.projected(decoder, encoder))
        weights = self.weigh(self.score(q, k), padding)
        return self.project(self.merge(self.drop(weights) @ v))

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(encoder), self.W_value(encoder)

    def split(self, x: Tensor) -> Tensor:
        return split(x, self.num_heads)

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / k.shape[-1] ** 0.5

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        hidden = padding[:, None, None, :]
        weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
        return self.cleaned(weights, hidden)

    def cleaned(self, weights: Tensor, hidden: Tensor) -> Tensor:
        return weights.masked_fill(hidden, 0)

    def drop(self, weights: Tensor) -> Tensor:
        dropped: Tensor = self.dropout(weights)
        return dropped

    def merge(self, contexts: Tensor) -> Tensor:
        return merge(contexts)

    def project(self, contexts: Tensor) -> Tensor:
        projected: Tensor = self.out_proj(contexts)
        return projected


@cross.misconception
class NotANumber(CrossVariant):
    """A sentence that is all padding gives NaN, since a softmax over −∞ alone is 0 / 0. Set the
    weights of hidden keys to 0 after the softmax as well.
    """

    def cleaned(self, weights: Tensor, hidden: Tensor) -> Tensor:
        return weights


@cross.misconception
class VeryNegative(CrossVariant):
    """With −10⁹ in place of −∞, a sentence that is all padding gets equal weights for all of it. It
    should get zeros.
    """

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        return scores.masked_fill(padding[:, None, None, :], -1e9).softmax(dim=-1)


@cross.misconception
class PaddingSeen(CrossVariant):
    """The padding is not hidden. If you call `masked_fill`, give its result a name."""

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        return scores.softmax(dim=-1)


@cross.misconception
class PaddingInverted(CrossVariant):
    """You hide all that is no padding. True means hidden."""

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        return super().weigh(scores, None if padding is None else ~padding)


@cross.misconception
class OnlyPaddingSeen(CrossVariant):
    """You hide all that is no padding, which gives NaN where there is none. True means hidden."""

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        return scores.masked_fill(~padding[:, None, None, :], -torch.inf).softmax(dim=-1)


@cross.misconception
class PaddingScoredZero(CrossVariant):
    """You gave padding the score 0, and exp(0) is 1. Fill with −∞."""

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        return scores.masked_fill(padding[:, None, None, :], 0).softmax(dim=-1)


@cross.misconception
class PaddingScoredZeroThenCleaned(CrossVariant):
    """You gave padding the score 0, and exp(0) is 1: it takes its share from the others, even if it
    is set to 0 afterwards. Fill with −∞.
    """

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        hidden = padding[:, None, None, :]
        return self.cleaned(scores.masked_fill(hidden, 0).softmax(dim=-1), hidden)


@cross.misconception
class NoAxesForThePadding(CrossVariant):
    """A mask (batch, keys) meets scores (batch, heads, queries, keys) from the right: its sentences
    line up with the queries. If there are as many, no error tells you. Make it (batch, 1, 1, keys).
    """

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        weights = scores.masked_fill(padding, -torch.inf).softmax(dim=-1)
        return self.cleaned(weights, padding)


@cross.misconception
class OneAxisForThePadding(CrossVariant):
    """padding[:, None] is (batch, 1, keys), and its sentences line up with the heads. If there are
    as many, no error tells you. Make it (batch, 1, 1, keys).
    """

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        hidden = padding[:, None]
        return self.cleaned(scores.masked_fill(hidden, -torch.inf).softmax(dim=-1), hidden)


@cross.misconception
class NothingFromTheEmpty(CrossVariant):
    """Where everything is padding you return zeros. Zeros are what goes into out_proj: it adds its
    bias to them.
    """

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        found: Tensor = super().forward(decoder, encoder, padding)
        return found if padding is None else found * ~padding.all(dim=1)[:, None, None]


@cross.misconception
class NaNReplacedAtTheEnd(CrossVariant):
    """You turn NaN into zeros behind out_proj. There it is too late: the bias of out_proj is lost,
    and the gradients are still NaN. Set the weights to 0.
    """

    def cleaned(self, weights: Tensor, hidden: Tensor) -> Tensor:
        return weights

    def project(self, contexts: Tensor) -> Tensor:
        return torch.nan_to_num(super().project(contexts))


@cross.misconception
class PaddingAfterSoftmax(CrossVariant):
    """The padding adds nothing, but the softmax has counted it: the other weights sum to less
    than 1. Mask the scores, too.
    """

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        weights = scores.softmax(dim=-1)
        return weights if padding is None else weights.masked_fill(padding[:, None, None, :], 0)


@cross.misconception
class PaddingOnQueries(CrossVariant):
    """You hid rows, the queries. Padding is in what is read: hide the columns, the keys, with
    padding[:, None, None, :].
    """

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-1)
        hidden = padding[:, None, :, None]
        return scores.masked_fill(hidden, -torch.inf).softmax(dim=-1).masked_fill(hidden, 0)


@cross.misconception
class NeedsAMask(CrossVariant):
    """Without a mask, `padding` is None, and your class stops. Then nothing is to be hidden."""

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        hidden = padding[:, None, None, :]  # type: ignore[index]
        return scores.masked_fill(hidden, -torch.inf).softmax(dim=-1).masked_fill(hidden, 0)


@cross.misconception
class ValuesOfTheDecoder(CrossVariant):
    """You took the values from the decoder. Keys and values both are made of `encoder`."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_decoder, d_encoder, d_out, dropout, num_heads, qkv_bias)
        self.W_value = nn.Linear(d_decoder, d_out, bias=qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(encoder), self.W_value(decoder)


@cross.misconception
class KeysOfTheDecoder(CrossVariant):
    """You took the keys from the decoder. Keys and values both are made of `encoder`."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_decoder, d_encoder, d_out, dropout, num_heads, qkv_bias)
        self.W_key = nn.Linear(d_decoder, d_out, bias=qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(decoder), self.W_value(encoder)


@cross.misconception
class QueriesOfTheEncoder(CrossVariant):
    """You made the queries of the encoder, too. It is the decoder that asks: they are made of
    `decoder`.
    """

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_encoder, d_encoder, d_out, dropout, num_heads, qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(encoder), self.W_key(encoder), self.W_value(encoder)


@cross.misconception
class CrossBiasNever(CrossVariant):
    """With qkv_bias=True the three projections have a bias, too: bias=qkv_bias."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_decoder, d_encoder, d_out, dropout, num_heads)


@cross.misconception
class ReadsItself(CrossVariant):
    """The decoder reads itself here: queries, keys and values are all made of it. What is read is
    `encoder`.
    """

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_decoder, d_decoder, d_out, dropout, num_heads, qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(decoder), self.W_value(decoder)


@cross.misconception
class RolesExchanged(CrossVariant):
    """The encoder asks and the decoder answers here. There is one output for each token of
    `decoder`: it is the decoder that asks.
    """

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_encoder, d_decoder, d_out, dropout, num_heads, qkv_bias)

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(encoder), self.W_key(decoder), self.W_value(decoder)


@cross.misconception
class ValuesAreKeysOfEncoder(CrossVariant):
    """You mix the keys. It is the values that are mixed: W_value of `encoder`."""

    def projected(self, decoder: Tensor, encoder: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(decoder), self.W_key(encoder), self.W_key(encoder)


@cross.misconception
class CausalAsWell(CrossVariant):
    """You hide the future, too. A decoder may read the whole of what it translates: there is no
    causal mask between two sequences.
    """

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        hidden = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).triu(1)
        return super().score(q, k).masked_fill(hidden, -torch.inf)


@cross.misconception
class ShapedByKeys(CrossVariant):
    """You merge into as many tokens as the encoder has. There is one output for each query."""

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        q, k, v = (self.split(x) for x in self.projected(decoder, encoder))
        contexts = (self.drop(self.weigh(self.score(q, k), padding)) @ v).transpose(1, 2)
        batch, keys, _ = encoder.shape
        return self.project(contexts.reshape(batch, keys, self.out_proj.in_features))


@cross.misconception
class CrossSplitByWrongView(CrossVariant):
    """The view that splits mixes the tokens. Split the last axis first, then swap axes 1 and 2."""

    def split(self, x: Tensor) -> Tensor:
        return wrong_view(x, self.num_heads)


@cross.misconception
class CrossScaledByAll(CrossVariant):
    """You divided by the root of d_out. Divide by the root of the width of one head."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT / math.sqrt(self.out_proj.in_features)


@cross.misconception
class CrossNotScaled(CrossVariant):
    """The scores are not divided by the root of head_dim."""

    def score(self, q: Tensor, k: Tensor) -> Tensor:
        return q @ k.mT


@cross.misconception
class CrossSoftmaxOverQueries(CrossVariant):
    """Your softmax runs over the queries. It should run over the keys, the last axis."""

    def weigh(self, scores: Tensor, padding: Tensor | None) -> Tensor:
        if padding is None:
            return scores.softmax(dim=-2)
        hidden = padding[:, None, None, :]
        return self.cleaned(scores.masked_fill(hidden, -torch.inf).softmax(dim=-2), hidden)


@cross.misconception
class CrossMergedByWrongView(CrossVariant):
    """The heads are right, the way back mixes the tokens: swap axes 1 and 2 before you merge."""

    def merge(self, contexts: Tensor) -> Tensor:
        batch, heads, tokens, head_dim = contexts.shape
        return contexts.reshape(batch, tokens, heads * head_dim)


@cross.misconception
class CrossNotProjected(CrossVariant):
    """out_proj is there and never used. Send the merged contexts through it."""

    def project(self, contexts: Tensor) -> Tensor:
        return contexts


@cross.misconception
class CrossWithoutDropout(CrossVariant):
    """No weight is dropped in training: nothing is, or it is scores, before the softmax. Drop the
    weights, after it.
    """

    def drop(self, weights: Tensor) -> Tensor:
        return weights


@cross.accepts
class CrossByLoop(nn.Module):
    """A loop over the heads."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_decoder, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.width = d_out // num_heads

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        projected = self.W_query(decoder), self.W_key(encoder), self.W_value(encoder)
        found = []
        for q, k, v in zip(*(x.split(self.width, dim=-1) for x in projected), strict=True):
            weights = q @ k.transpose(1, 2) / self.width**0.5
            if padding is not None:
                weights = weights.masked_fill(padding[:, None], float("-inf"))
            weights = weights.softmax(dim=-1)
            if padding is not None:
                weights = torch.where(padding[:, None], torch.zeros_like(weights), weights)
            found.append(self.dropout(weights) @ v)
        out: Tensor = self.out_proj(torch.cat(found, dim=-1))
        return out


@cross.accepts
class CrossByLibrary(nn.Module):
    """PyTorch's scaled_dot_product_attention, which knows rows that are all hidden."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_decoder, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.p, self.h = dropout, num_heads

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        projected = self.W_query(decoder), self.W_key(encoder), self.W_value(encoder)
        q, k, v = (x.reshape(*x.shape[:2], self.h, -1).transpose(1, 2) for x in projected)
        seen = None if padding is None else ~padding[:, None, None]
        p = self.p if self.training else 0.0
        found = scaled_dot_product_attention(q, k, v, attn_mask=seen, dropout_p=p)
        out: Tensor = self.out_proj(found.transpose(1, 2).flatten(2))
        return out


@cross.accepts
class CrossByEinsum(nn.Module):
    """Parameters, einsum, and exponentials with the mask as a factor."""

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.randn(d_decoder, d_out))
        self.W_key = nn.Parameter(torch.randn(d_encoder, d_out))
        self.W_value = nn.Parameter(torch.randn(d_encoder, d_out))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(d_out))
            self.W_value_bias = nn.Parameter(torch.zeros(d_out))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.h, self.bias = num_heads, qkv_bias

    def forward(self, decoder: Tensor, encoder: Tensor, padding: Tensor | None = None) -> Tensor:
        q, k, v = decoder @ self.W_query, encoder @ self.W_key, encoder @ self.W_value
        if self.bias:
            q, k, v = q + self.W_query_bias, k + self.W_key_bias, v + self.W_value_bias
        q, k, v = (x.reshape(*x.shape[:2], self.h, -1) for x in (q, k, v))
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
        shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True).detach())
        if padding is not None:
            shares = shares * (~padding)[:, None, None].to(shares.dtype)
        weights = self.dropout(shares / shares.sum(dim=-1, keepdim=True).clamp(min=1e-30))
        out: Tensor = self.out_proj(torch.einsum("bhqk,bkhd->bqhd", weights, v).flatten(2))
        return out


# --- write the test ------------------------------------------------------------------------------

blind = Exam(reference.is_blind_to_padding, dtypes=("float64",))

Attention = Callable[[Tensor, Tensor, Tensor], Tensor]
Tried = tuple[Attention, Tensor, Tensor, Tensor]

TRIED_QUERIES = mixed(2, 3, 3, seed=80)
TRIED_CONTEXT = mixed(2, 4, 3, seed=81)
TRIED_PADDING = torch.tensor([[0, 0, 0, 1], [0, 1, 1, 1]]).bool()


def _tried_on(attention: Attention) -> Callable[[], Tried]:
    def trial() -> Tried:
        return attention, TRIED_QUERIES, TRIED_CONTEXT, TRIED_PADDING

    trial.__doc__ = attention.__name__
    return trial


for tried in (
    specimens.blind_attention,
    specimens.blind_average,
    specimens.blind_maximum,
    specimens.leave_queries_alone,
    specimens.no_padding_mask,
    specimens.inverted_mask,
    specimens.first_mask_for_all,
    specimens.zeroed_scores,
    specimens.masked_afterwards,
    specimens.last_is_forgotten,
    specimens.faint_leak,
    specimens.cancelling_leak,
):
    blind.example(_tried_on(tried))


@blind.example
def zeros_in_the_padding() -> Tried:
    """no_padding_mask, with zeros in the padding"""
    context = TRIED_CONTEXT.masked_fill(TRIED_PADDING[..., None], 0)
    return specimens.no_padding_mask, TRIED_QUERIES, context, TRIED_PADDING


@blind.example
def ones_in_the_padding() -> Tried:
    """no_padding_mask, with ones in the padding"""
    context = TRIED_CONTEXT.masked_fill(TRIED_PADDING[..., None], 1)
    return specimens.no_padding_mask, TRIED_QUERIES, context, TRIED_PADDING


def faint(queries: Tensor, context: Tensor, padding: Tensor) -> Tensor:
    """A thousandth of everything leaks: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    return found + 1e-3 * context.mean(dim=1, keepdim=True)


def second_half(queries: Tensor, context: Tensor, padding: Tensor) -> Tensor:
    """The last sentence sees its padding: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    found[-1:] = specimens.no_padding_mask(queries[-1:], context[-1:], padding[-1:])
    return found


def one_feature(queries: Tensor, context: Tensor, padding: Tensor) -> Tensor:
    """One feature of one query sees it: not blind."""
    found = specimens.blind_attention(queries, context, padding)
    found[:, -1, 0] += 0.1 * context[:, -1, -1]
    return found


def counts_keys(queries: Tensor, context: Tensor, padding: Tensor) -> Tensor:
    """How many keys are real, for every query: blind."""
    return queries + (~padding).sum(dim=1)[:, None, None]


def _trial(attention: Attention) -> Callable[[Draw], Tried]:
    def trial(draw: Draw) -> Tried:
        queries, context = draw.tensor("batch queries d"), draw.tensor("batch keys d")
        padding = padded_at_the_end(context, draw)
        padding[-1, -1] = True
        return attention, queries, context, padding

    trial.__doc__ = f"{attention.__doc__}".partition(":")[0].lower()
    return trial


for tried in (faint, second_half, one_feature, counts_keys, specimens.blind_average):
    blind.case(_trial(tried), times=1)
for tried in (specimens.last_is_forgotten, specimens.masked_afterwards, specimens.blind_maximum):
    blind.case(_trial(tried), times=1)
blind.case(_trial(specimens.cancelling_leak), times=1)


@blind.case(times=1)
def zeros_are_padding(draw: Draw) -> Tried:
    """zeros in the padding, and all of it leaks"""
    queries, context = draw.tensor("batch queries d"), draw.tensor("batch keys d")
    padding = padded_at_the_end(context, draw)
    padding[-1, -1] = True
    context[padding] = 0
    return specimens.no_padding_mask, queries, context, padding


@blind.case(times=1)
def ones_are_padding(draw: Draw) -> Tried:
    """ones in the padding, and all of it leaks"""
    queries, context = draw.tensor("batch queries d"), draw.tensor("batch keys d")
    padding = padded_at_the_end(context, draw)
    padding[-1, -1] = True
    context[padding] = 1
    return specimens.no_padding_mask, queries, context, padding


@blind.case(times=1)
def nothing_is_padding(draw: Draw) -> Tried:
    """without any padding nothing can leak"""
    queries, context = draw.tensor("batch queries d"), draw.tensor("batch keys d")
    return specimens.no_padding_mask, queries, context, torch.zeros(context.shape[:2]).bool()


def _changed(context: Tensor, padding: Tensor) -> Tensor:
    return torch.where(padding[..., None], 5 - context, context)


@blind.misconception
def everything_changed(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You change the whole context. What is no padding may well change the result: change the
    padding only.
    """
    changed = attention(queries, 5 - context, padding)
    return torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def real_keys_changed(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You change what is real, and leave the padding. True means padding."""
    changed = attention(queries, _changed(context, ~padding), padding)
    return torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def mask_changed(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """You change the mask. An attention that obeys it gives something else then. Change what stands
    in the padding, and keep the mask.
    """
    changed = attention(queries, context, torch.zeros_like(padding))
    return torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def same_twice(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Your test passes every attention. Is it the changed context that goes in? If you compare a
    difference with a small number: without abs(), a large one below zero is small, too.
    """
    return torch.allclose(
        attention(queries, context, padding), attention(queries, context.clone(), padding)
    )


@blind.misconception
def turned_round(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Your answer is the other way round. True is for an attention whose output stays the same."""
    changed = attention(queries, _changed(context, padding), padding)
    return not torch.allclose(attention(queries, context, padding), changed)


@blind.misconception
def rises_overlooked(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You compare a difference without abs(). Where a leak moves all numbers in one direction, it
    may be below zero, and so below any bound.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return bool((attention(queries, context, padding) - changed).max() < 1e-6)


@blind.misconception
def first_sentence_only(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """A leak in the second sentence goes unseen. Change all padding of all sentences, and compare
    all of them.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding)[0], changed[0])


@blind.misconception
def first_query_only(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You look at the first query only. Compare all of them."""
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding)[:, 0], changed[:, 0])


@blind.misconception
def to_the_last_bit(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You compare to the last bit. `blind_average` adds the padding and takes it away again, which
    leaves rounding: allow for that, with torch.allclose.
    """
    filled = torch.where(padding[..., None], context - 1 / 3, context)
    changed = attention(queries, filled, padding)
    return torch.equal(attention(queries, context, padding), changed)


@blind.misconception
def far_too_generous(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You allow for more than rounding. A small leak is a leak: leave torch.allclose its own
    tolerances.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding), changed, atol=1.0)


@blind.misconception
def a_tenth_allowed(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """A tenth is no rounding: `faint_leak` lets a hundredth of the padding through. Leave
    torch.allclose its own tolerances.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding), changed, atol=0.1)


@blind.misconception
def means_compared(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """`cancelling_leak` gets through: it raises one feature by what it lowers another. In sums and
    means that cancels, and a single feature may not show it: compare all numbers, one by one.
    """
    changed = attention(queries, _changed(context, padding), padding)
    return torch.allclose(attention(queries, context, padding).mean(), changed.mean())


@blind.misconception
def padding_set_to_zero(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Where the padding is zeros already, you change nothing: 0 in place of 0, or 2 · 0. Put
    numbers there that differ from what stands there.
    """
    other = context.clone()
    other[padding] = 0
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def padding_set_to_one(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """Where the padding is ones already, you change nothing. Put numbers there that differ from
    what stands there.
    """
    other = context.clone()
    other[padding] = 1
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def filled_with_infinity(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You fill the padding with inf or NaN. Even a weight of 0 can't stop that, since 0 · inf is
    NaN: put finite numbers there.
    """
    other = context.clone()
    other[padding] = torch.inf
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def always_false(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Your test fails every attention, even one that looks at nothing. Is it the result of the same
    queries that you compare with?
    """
    return False


@blind.misconception
def last_place_only(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You change only part of the padding. Change it everywhere the mask is True, and nowhere
    else.
    """
    other = context.clone()
    other[:, -1] = 9.0
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def padding_reordered(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You only put the padding into another order, which a sum over it does not notice. Put other
    numbers there.
    """
    other = context.clone()
    for sentence, hidden in zip(other, padding, strict=True):
        sentence[hidden] = sentence[hidden].flip(0)
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, other, padding))


@blind.misconception
def context_overwritten(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> bool:
    """You write into the context of whoever called you. Change a copy: context.clone()."""
    before = attention(queries, context, padding)
    context[padding] = 7.0
    return torch.allclose(before, attention(queries, context, padding))


@blind.misconception
def a_table_of_truths(
    attention: Attention, queries: Tensor, context: Tensor, padding: Tensor
) -> Tensor:
    """This is an answer for every number. Say True or False once, for all of them together."""
    changed = attention(queries, _changed(context, padding), padding)
    return torch.isclose(attention(queries, context, padding), changed)


@blind.accepts
def by_a_copy(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """A copy, written to."""
    other = context.clone()
    other[padding] = -4.0
    gap = attention(queries, other, padding) - attention(queries, context, padding)
    return bool(gap.abs().max() < 1e-8)


@blind.accepts
def by_noise(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Noise, added to the padding."""
    noise = torch.randn(context.shape, generator=torch.Generator().manual_seed(3)).to(context)
    other = context + noise * padding[..., None]
    found, again = (attention(queries, x, padding) for x in (context, other))
    return torch.allclose(found, again, atol=1e-7)


@blind.accepts
def by_fillings(attention: Attention, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
    """Several fillings, one after another."""
    found = []
    for filling in (-2.0, 0.5, 3.0):
        other = context.masked_fill(padding[:, :, None], filling)
        found.append(attention(queries, other, padding))
    return all(torch.allclose(found[0], one) for one in found[1:])
