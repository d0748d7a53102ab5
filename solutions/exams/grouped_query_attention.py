"""The exams of lesson 07."""

import math
from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

import companion.cached_steps as specimens
from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from autograder.modules import run_module
from companion import YOUR_JOURNEY
from companion.cache_trial import Chunk, try_cache
from companion.cached_steps import Past, Step
from solutions import grouped_query_attention as reference

Tensors = tuple[torch.Tensor, ...]
Weights = dict[str, torch.Tensor]

FOUR_DECIMALS = Tolerance(absolute=6e-5)
# Read-only arrays make torch warn, so they are copied.
SIX_WORDS = torch.tensor(YOUR_JOURNEY.vectors)
# One text as it is, one with its words in reverse and pushed apart.
TWO_TEXTS = torch.stack([SIX_WORDS, 4 * SIX_WORDS.flip(0) - 2])


def numbers(*shape: int, start: int = 1) -> torch.Tensor:
    """Short numbers between -2 and 2 without a pattern, the same on every machine."""
    ramp = torch.arange(start, start + math.prod(shape), dtype=torch.float64)
    return (2 * torch.cos(ramp * ramp)).round(decimals=1).reshape(shape)


def future(num_tokens: int, diagonal: int = 1) -> torch.Tensor:
    """True above the diagonal."""
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal)


def hide(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """The softmax of what is left of the scores."""
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)


# --- by hand -------------------------------------------------------------------------------------

by_hand = Exam(reference.shared_heads_by_hand, tolerance=FOUR_DECIMALS, reveal=False)

QUERIES = torch.tensor([2.0, -1.0, 1.0, 0.5]).double()
KEYS = torch.tensor([[2.0, 1.0], [-1.0, 1.0]]).double()
VALUES = torch.tensor([[10.0, 20.0], [3.0, 7.0]]).double()
SHARED = [0, 0, 1, 1]


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def worksheet(
    shared: list[int],
    weights: torch.Tensor,
    context: torch.Tensor | None = None,
    kept: int = 8,
) -> dict[str, object]:
    """The five lines, from the weights of every query head."""
    if context is None:
        context = (weights * VALUES[shared]).sum(dim=-1)
    return {
        "key/value head of each query head": shared,
        "weights of query head 1": weights[1].tolist(),
        "weights of query head 2": weights[2].tolist(),
        "context of each query head": context.tolist(),
        "numbers kept": kept,
    }


def weighed(shared: list[int]) -> torch.Tensor:
    """The weights of all query heads that read these key/value heads."""
    return torch.softmax(QUERIES[:, None] * KEYS[shared], dim=-1)


@by_hand.misconception
def taken_in_turn() -> dict[str, object]:
    """Somewhere you read the key/value heads in turn: 0, 1, 0, 1. Neighbours share: the first two
    query heads read the first one, the last two the second.
    """
    return worksheet([0, 1, 0, 1], weighed([0, 1, 0, 1]))


@by_hand.misconception
def all_read_the_first() -> dict[str, object]:
    """All your query heads read key/value head 0. That is multi-query attention; here there are
    two.
    """
    return worksheet([0, 0, 0, 0], weighed([0, 0, 0, 0]))


@by_hand.misconception
def counted_from_one() -> dict[str, object]:
    """The weights and contexts are right, but you counted the heads from 1. Count from 0."""
    return {**worksheet(SHARED, weighed(SHARED)), "key/value head of each query head": [1, 1, 2, 2]}


@by_hand.misconception
def minus_lost() -> dict[str, object]:
    """Query head 1 asks with −1, and you took 1. The minus turns the order of its scores round."""
    return worksheet(SHARED, torch.softmax(QUERIES.abs()[:, None] * KEYS[SHARED], dim=-1))


@by_hand.misconception
def no_query() -> dict[str, object]:
    """These weights are a softmax of the keys. A score is the query times the key."""
    weights = torch.softmax(KEYS[SHARED], dim=-1)
    return worksheet(SHARED, weights)


@by_hand.misconception
def scores_for_weights() -> dict[str, object]:
    """These are the scores, and the values weighed by them. Take the softmax of each pair first."""
    return worksheet(SHARED, QUERIES[:, None] * KEYS[SHARED])


@by_hand.misconception
def shares_of_the_scores() -> dict[str, object]:
    """You divided each score by the sum of the scores. The softmax takes exponentials first."""
    scores = QUERIES[:, None] * KEYS[SHARED]
    # Both scores of a head with opposite keys sum to 0, and paper has no name for that.
    return worksheet(SHARED, (scores / scores.sum(dim=-1, keepdim=True)).nan_to_num(0, 0, 0))


@by_hand.misconception
def one_query_for_both() -> dict[str, object]:
    """You let query heads that share keys also share a query. Each query head asks for itself."""
    asked = torch.softmax(QUERIES[[0, 0, 2, 2], None] * KEYS[SHARED], dim=-1)
    return worksheet(SHARED, asked)


@by_hand.misconception
def plain_averages() -> dict[str, object]:
    """These contexts are plain averages of the two values. Weigh them."""
    return worksheet(SHARED, weighed(SHARED), VALUES[SHARED].mean(dim=-1))


@by_hand.misconception
def keys_mixed() -> dict[str, object]:
    """These contexts are mixtures of the keys. The weights mix the values."""
    weights = weighed(SHARED)
    return worksheet(SHARED, weights, (weights * KEYS[SHARED]).sum(dim=-1))


@by_hand.misconception
def kept_for_every_query_head() -> dict[str, object]:
    """You counted keys and values for four heads. What is shared is kept once: there are two
    key/value heads.
    """
    return worksheet(SHARED, weighed(SHARED), kept=16)


@by_hand.misconception
def half_of_it_kept() -> dict[str, object]:
    """Four numbers are half of what is kept. Either the values are missing, or one of the tokens,
    or one of the key/value heads.
    """
    return worksheet(SHARED, weighed(SHARED), kept=4)


@by_hand.misconception
def mixed_with_four_decimals() -> dict[str, object]:
    """The weights are right. The contexts come of weights that were rounded to four decimals, and
    the values are large: carry at least six, and round at the end.
    """
    rounded = weighed(SHARED).round(decimals=4)
    return worksheet(SHARED, rounded, (rounded * VALUES[SHARED]).sum(dim=-1))


@by_hand.misconception
def two_decimals() -> dict[str, object]:
    """These contexts come of weights with two decimals. Carry at least six, and type four."""
    return worksheet(SHARED, weighed(SHARED).round(decimals=2))


@by_hand.misconception
def typed_two_decimals() -> dict[str, object]:
    """As far as they go, your numbers are right. Type them with four decimals."""
    weights = weighed(SHARED)
    context = (weights * VALUES[SHARED]).sum(dim=-1)
    return worksheet(SHARED, weights.round(decimals=2), context.round(decimals=2))


# --- repeat_kv -----------------------------------------------------------------------------------

repeating = Exam(reference.repeat_kv)

Repeated = tuple[torch.Tensor, int]


@repeating.example
def three_for_each() -> Repeated:
    """2 key/value heads for 6 query heads"""
    return numbers(1, 2, 4, 3), 3


@repeating.example
def two_texts_at_once() -> Repeated:
    """a batch of two texts, 3 key/value heads for 12 query heads"""
    return numbers(2, 3, 1, 2, start=30), 4


@repeating.example
def one_for_all() -> Repeated:
    """1 key/value head for 5 query heads"""
    return numbers(1, 1, 2, 3, start=50), 5


@repeating.example
def one_for_each() -> Repeated:
    """a key/value head for each query head: nothing to repeat"""
    return numbers(1, 3, 2, 2, start=60), 1


@repeating.case
def any_heads(draw: Draw) -> Repeated:
    """heads drawn at random"""
    return draw.tensor("batch num_kv_heads tokens head_dim"), draw.size("n_rep")


@repeating.case(times=1)
def twelve_of_three(draw: Draw) -> Repeated:
    """3 key/value heads for 12 query heads"""
    return draw.fix(num_kv_heads=3).tensor("batch num_kv_heads tokens head_dim"), 4


@repeating.case(times=1)
def single_token(draw: Draw) -> Repeated:
    """one token of one text"""
    return draw.fix(batch=1, tokens=1).tensor("batch num_kv_heads tokens head_dim"), 3


@repeating.misconception
def tiled(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Your heads come in turn: 0, 1, 0, 1, … Neighbouring query heads share, so each key/value head
    must stand n_rep times in a row: 0, 0, …, 1, 1, …
    """
    return x.repeat(1, n_rep, 1, 1)


@repeating.misconception
def along_the_tokens(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated the tokens. It is the heads that are repeated, along axis 1."""
    return x.repeat_interleave(n_rep, dim=2)


@repeating.misconception
def tokens_tiled(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You put the whole text n_rep times one after the other. The tokens stay; it is the heads that
    are repeated.
    """
    return x.repeat(1, 1, n_rep, 1)


@repeating.misconception
def along_the_batch(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated the texts. The heads are the second axis, dim=1."""
    return x.repeat_interleave(n_rep, dim=0)


@repeating.misconception
def along_the_features(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You repeated the features of each head. It is the heads that are repeated, along axis 1."""
    return x.repeat_interleave(n_rep, dim=-1)


@repeating.misconception
def all_in_one_row(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Your result has a single axis: without dim=, repeat_interleave flattens first. Say dim=1."""
    return x.repeat_interleave(n_rep)


@repeating.misconception
def axis_left_over(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """The copies stand on an axis of their own. Merge it with the heads, behind which it stands:
    flatten(1, 2), or reshape.
    """
    batch, num_kv_heads, tokens, head_dim = x.shape
    return x[:, :, None].expand(batch, num_kv_heads, n_rep, tokens, head_dim)


@repeating.misconception
def one_too_many(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You added n_rep copies to the original. Each head should stand n_rep times in all."""
    return x.repeat_interleave(n_rep + 1, dim=1)


@repeating.misconception
def n_rep_heads_in_all(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """You took n_rep for the number of heads that come out. It is how often each head is repeated:
    num_kv_heads times n_rep come out.
    """
    places = torch.arange(n_rep) * x.shape[1] // n_rep
    return x[:, places]


@repeating.misconception
def reshaped_only(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """The shape is right, but your reshape mixes tokens into the heads. Put the copies on an axis
    right behind the heads before you merge.
    """
    batch, num_kv_heads, tokens, head_dim = x.shape
    copies = x[:, :, :, None].expand(-1, -1, -1, n_rep, -1)
    return copies.reshape(batch, num_kv_heads * n_rep, tokens, head_dim)


@repeating.misconception
def left_as_it_is(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Nothing is repeated here: there are as many heads as before."""
    return x


@repeating.accepts
def repeated_by_expanding(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """A new axis behind the heads, expanded and merged."""
    batch, num_kv_heads, tokens, head_dim = x.shape
    copies = x[:, :, None].expand(batch, num_kv_heads, n_rep, tokens, head_dim)
    return copies.reshape(batch, num_kv_heads * n_rep, tokens, head_dim)


@repeating.accepts
def repeated_in_loops(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """Loops."""
    heads = []
    for head in range(x.shape[1]):
        for _ in range(n_rep):
            heads.append(x[:, head])
    return torch.stack(heads, dim=1)


@repeating.accepts
def repeated_by_index(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """The number of each head."""
    return x[:, torch.arange(x.shape[1] * n_rep) // n_rep]


@repeating.accepts
def repeated_by_einsum(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    """An index expression."""
    ones = torch.ones(n_rep, dtype=x.dtype)
    return torch.einsum("bhtd,r->bhrtd", x, ones).flatten(1, 2)


# --- attention with shared heads -----------------------------------------------------------------

# Given queries, keys and values, PyTorch's function is all that these exercises ask for.
OWN_WORK = ("scaled_dot_product_attention",)

single = Exam(reference.MultiQueryAttention, use=run_module, forbids=OWN_WORK)
grouped = Exam(reference.GroupedQueryAttention, use=run_module, forbids=OWN_WORK)

Settings = Mapping[str, object]
Module = tuple[Settings, Mapping[str, torch.Tensor], tuple[torch.Tensor], bool, int]

PROJECTIONS = ("W_query", "W_key", "W_value")


def settings(
    inputs: torch.Tensor, d_out: int, num_heads: int, num_kv_heads: int = 0, **others: object
) -> Settings:
    """The keywords of a class for these inputs; without num_kv_heads, those of multi-query."""
    sizes = {"d_in": inputs.shape[-1], "d_out": d_out, "context_length": 6, "dropout": 0.0}
    shared = {"num_kv_heads": num_kv_heads} if num_kv_heads else {}
    return {**sizes, "num_heads": num_heads, **shared, **others}


def printed_weights(d_out: int, kv_width: int, *, bias: bool = False) -> Weights:
    """Projections of three features, with short numbers."""
    found = {
        "W_query": numbers(3, d_out),
        "W_key": numbers(3, kv_width, start=60),
        "W_value": numbers(3, kv_width, start=90),
        "out_proj": numbers(d_out, d_out, start=120) / 2,
        "out_proj.bias": numbers(d_out, start=300),
    }
    if bias:
        found["W_query.bias"] = numbers(d_out, start=320)
        found["W_key.bias"] = numbers(kv_width, start=340)
        found["W_value.bias"] = numbers(kv_width, start=360)
    return found


def drawn_weights(draw: Draw, *, bias: bool = False) -> Weights:
    """The same, drawn; the draw has to know d_out and kv_width."""
    found = {
        "W_query": draw.tensor("d_in d_out"),
        "W_key": draw.tensor("d_in kv_width", scale=0.5),
        "W_value": draw.tensor("d_in kv_width", scale=0.5),
        # Small, because gradients that cancel out leave their rounding errors behind.
        "out_proj": draw.tensor("d_out d_out", scale=0.1),
        "out_proj.bias": draw.tensor("d_out"),
    }
    if bias:
        found["W_query.bias"] = draw.tensor("d_out")
        found["W_key.bias"] = draw.tensor("kv_width")
        found["W_value.bias"] = draw.tensor("kv_width")
    return found


def drawn_module(
    draw: Draw,
    num_heads: int,
    num_kv_heads: int,
    head_dim: int,
    *,
    named: bool = True,
    scale: float = 1.0,
    bias: bool = False,
    **others: object,
) -> Module:
    """A case of a module of these sizes; `named` is whether its class takes num_kv_heads."""
    draw.fix(d_out=num_heads * head_dim, kv_width=num_kv_heads * head_dim)
    inputs = draw.tensor("batch tokens d_in", scale=scale)
    chosen: dict[str, object] = {"context_length": draw.size("tokens") + 3, **others}
    if bias:
        chosen["qkv_bias"] = True
    keywords = settings(
        inputs, draw.size("d_out"), num_heads, num_kv_heads if named else 0, **chosen
    )
    calls = 3 if "dropout" in others else 1
    return keywords, drawn_weights(draw, bias=bias), (inputs,), False, calls


@single.example
def two_texts_three_heads() -> Module:
    """two texts of four words, three heads of two features"""
    inputs = TWO_TEXTS[:, :4]
    return settings(inputs, 6, 3), printed_weights(6, 2), (inputs,), False, 1


@single.example
def two_words_two_heads() -> Module:
    """two words, two heads of three features"""
    # The other text's scores are so far apart that a wrong scale would hardly show.
    inputs = TWO_TEXTS[:1, :2]
    return settings(inputs, 6, 2), printed_weights(6, 3), (inputs,), False, 1


@single.example
def single_with_biases() -> Module:
    """with qkv_bias=True"""
    inputs = TWO_TEXTS[1:, 1:5]
    chosen = settings(inputs, 6, 3, qkv_bias=True)
    return chosen, printed_weights(6, 2, bias=True), (inputs,), False, 1


@single.example
def single_dropout_in_use() -> Module:
    """dropout=0.5, in eval mode"""
    inputs = TWO_TEXTS[:, :2]
    return settings(inputs, 6, 3, dropout=0.5), printed_weights(6, 2), (inputs,), False, 3


@single.example
def single_dropout_in_training() -> Module:
    """dropout=0.5, in training, called 64 times on one word"""
    inputs = TWO_TEXTS[:1, :1]
    return settings(inputs, 4, 2, dropout=0.5), printed_weights(4, 2), (inputs,), True, 64


@single.example
def single_odd_width() -> Module:
    """seven features for three heads, which is an error"""
    return settings(TWO_TEXTS, 7, 3), {}, (TWO_TEXTS,), False, 1


@single.case(times=1)
def single_drawn(draw: Draw) -> Module:
    """texts shorter than the context"""
    return drawn_module(draw, 3, 1, 8, named=False)


@single.case(times=1)
def single_many_heads(draw: Draw) -> Module:
    """twelve heads of two features, with biases"""
    return drawn_module(draw, 12, 1, 2, named=False, bias=True)


@single.case(times=1)
def single_one_head(draw: Draw) -> Module:
    """one head, so nothing is shared"""
    return drawn_module(draw, 1, 1, 9, named=False)


@single.case(times=1)
def single_one_word(draw: Draw) -> Module:
    """one text of one word"""
    draw.fix(batch=1, tokens=1)
    return drawn_module(draw, 4, 1, 2, named=False)


@single.case(times=1)
def single_calm_in_use(draw: Draw) -> Module:
    """in eval mode, with much dropout"""
    return drawn_module(draw, 3, 1, 3, named=False, dropout=0.8)


@single.case(times=1)
def single_refused(draw: Draw) -> Module:
    """ten features for four heads, which is an error"""
    inputs = draw.tensor("batch tokens d_in")
    return settings(inputs, 10, 4), {}, (inputs,), False, 1


@grouped.example
def six_on_two() -> Module:
    """two texts of four words, 6 query heads and 2 key/value heads of two features"""
    inputs = TWO_TEXTS[:, :4]
    return settings(inputs, 12, 6, 2), printed_weights(12, 4), (inputs,), False, 1


@grouped.example
def six_on_three() -> Module:
    """two words, 6 query heads and 3 key/value heads of one feature"""
    inputs = TWO_TEXTS[1:, :2]
    return settings(inputs, 6, 6, 3), printed_weights(6, 3), (inputs,), False, 1


@grouped.example
def four_on_four() -> Module:
    """a key/value head for each query head: multi-head attention"""
    inputs = TWO_TEXTS[1:, :4]
    return settings(inputs, 8, 4, 4), printed_weights(8, 8), (inputs,), False, 1


@grouped.example
def four_on_one() -> Module:
    """one key/value head for all: multi-query attention"""
    inputs = TWO_TEXTS[1:, :4]
    return settings(inputs, 8, 4, 1), printed_weights(8, 2), (inputs,), False, 1


@grouped.example
def grouped_with_biases() -> Module:
    """with qkv_bias=True"""
    inputs = TWO_TEXTS[1:, 1:5]
    chosen = settings(inputs, 6, 6, 2, qkv_bias=True)
    return chosen, printed_weights(6, 2, bias=True), (inputs,), False, 1


@grouped.example
def grouped_dropout_in_use() -> Module:
    """dropout=0.5, in eval mode"""
    inputs = TWO_TEXTS[:, :2]
    return settings(inputs, 12, 6, 2, dropout=0.5), printed_weights(12, 4), (inputs,), False, 3


@grouped.example
def grouped_dropout_in_training() -> Module:
    """dropout=0.5, in training, called 64 times on one word"""
    inputs = TWO_TEXTS[:1, :1]
    return settings(inputs, 4, 2, 1, dropout=0.5), printed_weights(4, 2), (inputs,), True, 64


@grouped.example
def grouped_odd_width() -> Module:
    """ten features for four heads, which is an error"""
    return settings(TWO_TEXTS, 10, 4, 2), {}, (TWO_TEXTS,), False, 1


@grouped.example
def grouped_odd_heads() -> Module:
    """6 query heads for 4 key/value heads, which is an error"""
    return settings(TWO_TEXTS, 12, 6, 4), {}, (TWO_TEXTS,), False, 1


@grouped.case(times=1)
def grouped_drawn(draw: Draw) -> Module:
    """6 query heads and 2 key/value heads"""
    return drawn_module(draw, 6, 2, 5)


@grouped.case(times=1)
def twelve_on_three(draw: Draw) -> Module:
    """12 query heads and 3 key/value heads, with biases"""
    return drawn_module(draw, 12, 3, 2, bias=True)


@grouped.case(times=1)
def grouped_multi_head(draw: Draw) -> Module:
    """as many key/value heads as query heads, inputs ten times as large"""
    return drawn_module(draw, 5, 5, 2, scale=10)


@grouped.case(times=1)
def grouped_multi_query(draw: Draw) -> Module:
    """a single key/value head"""
    return drawn_module(draw, 5, 1, 3)


@grouped.case(times=1)
def grouped_one_word(draw: Draw) -> Module:
    """one text of one word"""
    draw.fix(batch=1, tokens=1)
    return drawn_module(draw, 6, 3, 2)


@grouped.case(times=1)
def grouped_calm_in_use(draw: Draw) -> Module:
    """in eval mode, with much dropout"""
    return drawn_module(draw, 4, 2, 3, dropout=0.8)


@grouped.case(times=1)
def grouped_refused(draw: Draw) -> Module:
    """5 query heads for 2 key/value heads, which is an error"""
    inputs = draw.tensor("batch tokens d_in")
    return settings(inputs, 15, 5, 2), {}, (inputs,), False, 1


class Variant(nn.Module):
    """Attention with shared heads in steps, for misconceptions to get one of them wrong."""

    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int = 1,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.check(d_out, num_heads, num_kv_heads)
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.kv_width = self.find_kv_width(num_heads, num_kv_heads)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, self.kv_width, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, self.kv_width, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", future(context_length))

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError("not a multiple")

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_kv_heads * self.head_dim

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries = self.split(self.W_query(inputs), self.head_dim)
        keys = self.share(self.split(self.W_key(inputs), self.head_dim))
        values = self.share(self.split(self.project_values(inputs), self.head_dim))
        hidden = self.mask[: inputs.shape[1], : inputs.shape[1]]
        context = self.mix(self.weigh(self.score(queries, keys), hidden), values)
        return self.finish(self.merge(context))

    def split(self, x: torch.Tensor, width: int) -> torch.Tensor:
        return x.view(*x.shape[:2], -1, width).transpose(1, 2)

    def share(self, x: torch.Tensor) -> torch.Tensor:
        return x.repeat_interleave(self.num_heads // x.shape[1], dim=1)

    def project_values(self, inputs: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.W_value(inputs)
        return projected

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(2, 3) / math.sqrt(self.head_dim)

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, hidden))

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        dropped: torch.Tensor = self.dropout(weights)
        return dropped

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return weights @ values

    def merge(self, context: torch.Tensor) -> torch.Tensor:
        return context.transpose(1, 2).flatten(2)

    def finish(self, context: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.out_proj(context)
        return projected


@single.misconception
class KeysForEveryHead(Variant):
    """W_key and W_value make a head for every query head: that is multi-head attention. Here they
    make one, of d_out / num_heads features.
    """

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_heads * self.head_dim


@single.misconception
class SingleUnmasked(Variant):
    """The future is not hidden: these are the outputs without a mask."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.softmax(dim=-1))


@single.misconception
class SingleDiagonalHidden(Variant):
    """Your mask hides the diagonal: the first word sees nobody and becomes NaN."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, future(scores.shape[-1], diagonal=0)))


@single.misconception
class SingleHiddenByZero(Variant):
    """You set the hidden scores to 0, and e to the power of 0 is 1: the future still gets weight.
    Set them to minus infinity.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.masked_fill(hidden, 0).softmax(dim=-1))


@single.misconception
class SingleSoftmaxOfColumns(Variant):
    """Your softmax runs along the queries. The weights of each query sum to 1: along the keys."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.masked_fill(hidden, -torch.inf).softmax(dim=-2))


@single.misconception
class SinglePastHidden(Variant):
    """You hide the past, below the diagonal. The future is above it."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, hidden.T))


@single.misconception
class SingleNotScaled(Variant):
    """The scores are not divided by the root of the head's width."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(2, 3)


@single.misconception
class SingleRootForgotten(Variant):
    """You divided by the width of a head. Divide by its square root."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(2, 3) / self.head_dim


@single.misconception
class ScaledByAllHeads(Variant):
    """You divided by the root of d_out. What counts is the width of one head."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return super().score(queries, keys) / math.sqrt(self.num_heads)


@single.misconception
class SplitWithoutTranspose(Variant):
    """Your view takes tokens for heads: it mixes the tokens. View as (batch, tokens, heads,
    head_dim) first, then swap the two axes in the middle.
    """

    def split(self, x: torch.Tensor, width: int) -> torch.Tensor:
        return x.reshape(len(x), -1, x.shape[1], width)


@single.misconception
class MergedWithoutTranspose(Variant):
    """You merged the heads without swapping heads and tokens back first: the features of other
    tokens have come into each.
    """

    def merge(self, context: torch.Tensor) -> torch.Tensor:
        return context.reshape(len(context), context.shape[2], -1)


@single.misconception
class HeadsAdded(Variant):
    """You averaged the heads. They stand side by side: merge them into d_out features."""

    def merge(self, context: torch.Tensor) -> torch.Tensor:
        return context.mean(dim=1).repeat(1, 1, self.num_heads)


@single.misconception
class SingleKeysMixed(Variant):
    """You mix the keys. It is the values that are mixed."""

    def project_values(self, inputs: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.W_key(inputs)
        return projected


@single.misconception
class NotProjected(Variant):
    """The output projection is there, but it is not used: call out_proj on the merged heads."""

    def finish(self, context: torch.Tensor) -> torch.Tensor:
        return context


@single.misconception
class ProjectedTwice(Variant):
    """The output projection is applied twice. Once is enough."""

    def finish(self, context: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.out_proj(self.out_proj(context))
        return projected


@single.misconception
class OneQueryHead(Variant):
    """You averaged the queries of the heads. Only keys and values are shared: each query head asks
    for itself.
    """

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return super().score(queries.mean(dim=1, keepdim=True).expand_as(queries), keys)


@single.misconception
class SingleNoDropout(Variant):
    """Nothing is dropped in training. Apply the dropout to the attention weights."""

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return weights


@single.misconception
class SingleDropoutAlways(Variant):
    """Your module drops in eval mode, too. `nn.Dropout` knows the mode; `F.dropout` has to be told:
    training=self.training.
    """

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(weights, self.dropout.p)


@single.misconception
class DropoutOnContexts(Variant):
    """You drop features of the contexts. Drop attention weights, before they meet the values."""

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return weights

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        dropped: torch.Tensor = self.dropout(weights @ values)
        return dropped


@single.misconception
class SingleUnchecked(Variant):
    """Seven features can't be divided among three heads, and your class does not say so. Raise a
    ValueError in __init__ unless d_out is a multiple of num_heads.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        return


@single.misconception
class SingleAsserted(Variant):
    """You check the sizes with assert, which is gone when Python runs with -O. Raise a
    ValueError.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        # Spelt out, because pytest would add to the message of an assert.
        if d_out % num_heads:
            raise AssertionError


@single.misconception
class SingleBiasAlways(Variant):
    """The projections have a bias though nobody asked for one: nn.Linear adds it unless it is told
    bias=qkv_bias.
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
        super().__init__(d_in, d_out, context_length, dropout, num_heads, 1, True)


@single.accepts
class SingleByBroadcasting(nn.Module):
    """One key/value head that broadcasts over the query heads, in parameters."""

    hidden: torch.Tensor

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
            raise ValueError("d_out must be divisible by num_heads")
        self.num_heads, self.head_dim, self.qkv_bias = num_heads, d_out // num_heads, qkv_bias
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, self.head_dim))
        self.W_value = nn.Parameter(torch.rand(d_in, self.head_dim))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(self.head_dim))
            self.W_value_bias = nn.Parameter(torch.zeros(self.head_dim))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("hidden", future(context_length), persistent=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        batch, tokens, _ = inputs.shape
        queries, keys, values = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        if self.qkv_bias:
            queries = queries + self.W_query_bias
            keys, values = keys + self.W_key_bias, values + self.W_value_bias
        queries = queries.view(batch, tokens, self.num_heads, self.head_dim)
        scores = torch.einsum("bqhd,bkd->bhqk", queries, keys) / self.head_dim**0.5
        weights = self.dropout(hide(scores, self.hidden[:tokens, :tokens]))
        context = torch.einsum("bhqk,bkd->bqhd", weights, values)
        result: torch.Tensor = self.out_proj(context.reshape(batch, tokens, -1))
        return result


@single.accepts
class SingleInLoops(nn.Module):
    """A loop over the query heads."""

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
        self.head_dim, rest = divmod(d_out, num_heads)
        if rest:
            raise ValueError(f"{num_heads} heads do not divide {d_out}")
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        keys, values = self.W_key(inputs), self.W_value(inputs)
        contexts = []
        for queries in self.W_query(inputs).split(self.head_dim, dim=-1):
            scores = queries @ keys.mT * self.head_dim**-0.5
            weights = hide(scores, future(inputs.shape[1]))
            contexts.append(self.dropout(weights) @ values)
        joined: torch.Tensor = self.out_proj(torch.cat(contexts, dim=-1))
        return joined


@single.accepts
class SingleWithAddedMask(nn.Module):
    """Keys expanded over the query heads, the scale in the queries, and a mask that is added."""

    mask: torch.Tensor

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
            raise ValueError("the heads can't be equally wide")
        self.num_heads, self.p = num_heads, dropout
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, d_out // num_heads, qkv_bias)
        self.W_value = nn.Linear(d_in, d_out // num_heads, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        everything = torch.full((context_length, context_length), -torch.inf)
        self.register_buffer("mask", everything.triu(1))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        tokens = inputs.shape[1]
        queries = self.W_query(inputs).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        keys = self.W_key(inputs).unsqueeze(1).expand_as(queries)
        values = self.W_value(inputs).unsqueeze(1).expand_as(queries)
        scores = (queries * queries.shape[-1] ** -0.5) @ keys.mT + self.mask[:tokens, :tokens]
        weights = nn.functional.dropout(scores.softmax(-1), self.p, training=self.training)
        joined: torch.Tensor = self.out_proj((weights @ values).transpose(1, 2).flatten(2))
        return joined


@grouped.misconception
class Tiled(Variant):
    """Your query heads read the key/value heads in turn: 0, 1, 0, 1, … Neighbours share:
    repeat_interleave, not repeat.
    """

    def share(self, x: torch.Tensor) -> torch.Tensor:
        return x.repeat(1, self.num_heads // x.shape[1], 1, 1)


@grouped.misconception
class HeadsPerShare(Variant):
    """W_key is as wide as num_heads / num_kv_heads heads. num_kv_heads is how many there are, not
    how many query heads share one.
    """

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_heads // num_kv_heads * self.head_dim


@grouped.misconception
class KeysAsWideAsQueries(Variant):
    """W_key and W_value make as many heads as there are query heads. They make num_kv_heads."""

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return num_heads * self.head_dim


@grouped.misconception
class OneForAll(Variant):
    """There is a single key/value head for all: that is multi-query attention. Make num_kv_heads of
    them.
    """

    def find_kv_width(self, num_heads: int, num_kv_heads: int) -> int:
        return self.head_dim


@grouped.misconception
class FirstHeadForAll(Variant):
    """All your query heads read the first key/value head. Each is read by its own neighbours."""

    def share(self, x: torch.Tensor) -> torch.Tensor:
        return x[:, :1].expand(-1, self.num_heads, -1, -1)


@grouped.misconception
class HeadsMixed(Variant):
    """You averaged the key/value heads, so that every query head reads the same."""

    def share(self, x: torch.Tensor) -> torch.Tensor:
        return x.mean(dim=1, keepdim=True).expand(-1, self.num_heads, -1, -1)


@grouped.misconception
class RepeatedAlongTokens(Variant):
    """You repeated the tokens of the keys, not the heads: the axis of the heads is 1."""

    def share(self, x: torch.Tensor) -> torch.Tensor:
        return x.repeat_interleave(self.num_heads // x.shape[1], dim=2)


@grouped.misconception
class GroupedUnmasked(Variant):
    """The future is not hidden: these are the outputs without a mask."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.softmax(dim=-1))


@grouped.misconception
class GroupedDiagonalHidden(Variant):
    """Your mask hides the diagonal: the first word sees nobody and becomes NaN."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, future(scores.shape[-1], diagonal=0)))


@grouped.misconception
class GroupedHiddenByZero(Variant):
    """You set the hidden scores to 0, and e to the power of 0 is 1: the future still gets weight.
    Set them to minus infinity.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.masked_fill(hidden, 0).softmax(dim=-1))


@grouped.misconception
class GroupedSoftmaxOfColumns(Variant):
    """Your softmax runs along the queries. The weights of each query sum to 1: along the keys."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.masked_fill(hidden, -torch.inf).softmax(dim=-2))


@grouped.misconception
class GroupedRootForgotten(Variant):
    """You divided by the width of a head. Divide by its square root."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(2, 3) / self.head_dim


@grouped.misconception
class FeaturesRepeated(Variant):
    """You repeated the features before they were cut into heads, so a head is made of copies of a
    few of its features. Cut into heads first.
    """

    def split(self, x: torch.Tensor, width: int) -> torch.Tensor:
        n_rep = self.num_heads * self.head_dim // x.shape[-1]
        return super().split(x.repeat_interleave(n_rep, dim=-1), width)


@grouped.misconception
class GroupedNotScaled(Variant):
    """The scores are not divided by the root of the head's width."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(2, 3)


@grouped.misconception
class ScaledByKeyWidth(Variant):
    """You divided by the root of the features of several heads. What counts is the width of one."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(2, 3) / math.sqrt(self.kv_width)


@grouped.misconception
class GroupedSplitWithoutTranspose(Variant):
    """Your view takes tokens for heads: it mixes the tokens. View as (batch, tokens, heads,
    head_dim) first, then swap the two axes in the middle.
    """

    def split(self, x: torch.Tensor, width: int) -> torch.Tensor:
        return x.reshape(len(x), -1, x.shape[1], width)


@grouped.misconception
class GroupedMergedWithoutTranspose(Variant):
    """You merged the heads without swapping heads and tokens back first."""

    def merge(self, context: torch.Tensor) -> torch.Tensor:
        return context.reshape(len(context), context.shape[2], -1)


@grouped.misconception
class ValuesNotShared(Variant):
    """The keys are shared among neighbours, but the values are handed out in turn. Treat both
    alike.
    """

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        n_rep = self.num_heads * self.head_dim // self.kv_width
        return weights @ values[:, ::n_rep].repeat(1, n_rep, 1, 1)


@grouped.misconception
class GroupedKeysMixed(Variant):
    """You mix the keys. It is the values that are mixed."""

    def project_values(self, inputs: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.W_key(inputs)
        return projected


@grouped.misconception
class GroupedNotProjected(Variant):
    """The output projection is there, but it is not used: call out_proj on the merged heads."""

    def finish(self, context: torch.Tensor) -> torch.Tensor:
        return context


@grouped.misconception
class GroupedNoDropout(Variant):
    """Nothing is dropped in training. Apply the dropout to the attention weights."""

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return weights


@grouped.misconception
class GroupedDropoutOnContexts(Variant):
    """You drop features of the contexts. Drop attention weights, before they meet the values."""

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return weights

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        dropped: torch.Tensor = self.dropout(weights @ values)
        return dropped


@grouped.misconception
class GroupedDropoutAlways(Variant):
    """Your module drops in eval mode, too. `nn.Dropout` knows the mode; `F.dropout` has to be told:
    training=self.training.
    """

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(weights, self.dropout.p)


@grouped.misconception
class SharesUnchecked(Variant):
    """Six query heads can't share four key/value heads evenly, and your class takes them. Check
    both multiples in __init__, d_out of num_heads and num_heads of num_kv_heads, and raise a
    ValueError.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if d_out % num_heads:
            raise ValueError("not a multiple")


@grouped.misconception
class WidthUnchecked(Variant):
    """Ten features can't be divided among four heads, and your class does not say so. Raise a
    ValueError in __init__ unless d_out is a multiple of num_heads.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if num_heads % num_kv_heads:
            raise ValueError("not a multiple")


@grouped.misconception
class GroupedAsserted(Variant):
    """You check the sizes with assert, which is gone when Python runs with -O. Raise a
    ValueError.
    """

    def check(self, d_out: int, num_heads: int, num_kv_heads: int) -> None:
        if d_out % num_heads or num_heads % num_kv_heads:
            raise AssertionError


@grouped.misconception
class GroupedBiasNever(Variant):
    """With qkv_bias=True there is no bias. Pass it on: nn.Linear(…, bias=qkv_bias)."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, num_heads, num_kv_heads)


@grouped.accepts
class GroupedByView(nn.Module):
    """The queries viewed as (shares, heads per share), in parameters; nothing is repeated."""

    hidden: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if d_out % num_heads != 0 or num_heads % num_kv_heads != 0:
            raise ValueError("sizes do not fit")
        self.num_kv_heads, self.head_dim, self.qkv_bias = num_kv_heads, d_out // num_heads, qkv_bias
        width = num_kv_heads * self.head_dim
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, width))
        self.W_value = nn.Parameter(torch.rand(d_in, width))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(width))
            self.W_value_bias = nn.Parameter(torch.zeros(width))
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("hidden", future(context_length), persistent=False)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        batch, tokens, _ = inputs.shape
        queries, keys, values = inputs @ self.W_query, inputs @ self.W_key, inputs @ self.W_value
        if self.qkv_bias:
            queries = queries + self.W_query_bias
            keys, values = keys + self.W_key_bias, values + self.W_value_bias
        queries = queries.view(batch, tokens, self.num_kv_heads, -1, self.head_dim)
        keys = keys.view(batch, tokens, self.num_kv_heads, self.head_dim)
        values = values.view(batch, tokens, self.num_kv_heads, self.head_dim)
        scores = torch.einsum("bqgrd,bkgd->bgrqk", queries, keys) / self.head_dim**0.5
        weights = self.dropout(hide(scores, self.hidden[:tokens, :tokens]))
        context = torch.einsum("bgrqk,bkgd->bqgrd", weights, values)
        result: torch.Tensor = self.out_proj(context.reshape(batch, tokens, -1))
        return result


@grouped.accepts
class GroupedInLoops(nn.Module):
    """A loop over the query heads, each with its slice of the keys and values."""

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if num_heads % num_kv_heads:
            raise ValueError("heads can't be shared evenly")
        if d_out % num_heads:
            raise ValueError("heads can't be equally wide")
        self.num_heads, self.head_dim = num_heads, d_out // num_heads
        self.n_rep = num_heads // num_kv_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        queries = self.W_query(inputs).split(self.head_dim, dim=-1)
        keys = self.W_key(inputs).split(self.head_dim, dim=-1)
        values = self.W_value(inputs).split(self.head_dim, dim=-1)
        contexts = []
        for head in range(self.num_heads):
            shared = head // self.n_rep
            scores = queries[head] @ keys[shared].transpose(1, 2) / self.head_dim**0.5
            weights = self.dropout(hide(scores, future(inputs.shape[1])))
            contexts.append(weights @ values[shared])
        joined: torch.Tensor = self.out_proj(torch.cat(contexts, dim=-1))
        return joined


@grouped.accepts
class GroupedByIndex(nn.Module):
    """The number of each query head's key/value head, and a mask that is added."""

    mask: torch.Tensor
    shared: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if d_out % num_heads or num_heads % num_kv_heads:
            raise ValueError("not a multiple")
        self.num_heads, self.num_kv_heads, self.p = num_heads, num_kv_heads, dropout
        width = d_out // num_heads * num_kv_heads
        self.W_query = nn.Linear(d_in, d_out, qkv_bias)
        self.W_key = nn.Linear(d_in, width, qkv_bias)
        self.W_value = nn.Linear(d_in, width, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("shared", torch.arange(num_heads) * num_kv_heads // num_heads)
        everything = torch.full((context_length, context_length), -torch.inf)
        self.register_buffer("mask", everything.triu(1))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        tokens = inputs.shape[1]
        queries = self.W_query(inputs).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        keys = self.W_key(inputs).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
        values = self.W_value(inputs).unflatten(-1, (self.num_kv_heads, -1)).transpose(1, 2)
        scores = queries @ keys[:, self.shared].mT / queries.shape[-1] ** 0.5
        weights = (scores + self.mask[:tokens, :tokens]).softmax(-1)
        weights = nn.functional.dropout(weights, self.p, training=self.training)
        context = weights @ values[:, self.shared]
        joined: torch.Tensor = self.out_proj(context.transpose(1, 2).flatten(2))
        return joined


# --- from a multi-head checkpoint ----------------------------------------------------------------

pooling = Exam(reference.mean_pool_heads)

Pooled = tuple[torch.Tensor, int, int]


@pooling.example
def six_heads_into_two() -> Pooled:
    """6 heads of two features into 2"""
    return numbers(3, 12), 6, 2


@pooling.example
def four_heads_into_one() -> Pooled:
    """4 heads of one feature into 1"""
    return numbers(2, 4, start=40), 4, 1


@pooling.example
def eight_heads_into_four() -> Pooled:
    """8 heads of one feature into 4, from five features"""
    return numbers(5, 8, start=70), 8, 4


def drawn_projection(draw: Draw, num_heads: int, num_kv_heads: int) -> Pooled:
    """A projection of heads of any width."""
    draw.fix(width=num_heads * int(draw.rng.integers(2, 6)))
    return draw.tensor("d_in width"), num_heads, num_kv_heads


@pooling.case(times=2)
def six_into_two(draw: Draw) -> Pooled:
    """6 heads into 2"""
    return drawn_projection(draw, 6, 2)


@pooling.case(times=2)
def twelve_into_three(draw: Draw) -> Pooled:
    """12 heads into 3"""
    return drawn_projection(draw, 12, 3)


@pooling.case(times=1)
def five_into_one(draw: Draw) -> Pooled:
    """5 heads into 1"""
    return drawn_projection(draw, 5, 1)


@pooling.case(times=1)
def none_replaced(draw: Draw) -> Pooled:
    """5 heads into 5: nothing changes"""
    return drawn_projection(draw, 5, 5)


@pooling.holds
def keys_are_averaged(
    mean_pool_heads: Callable[..., torch.Tensor], W: torch.Tensor, num_heads: int, num_kv_heads: int
) -> bool:
    """the new keys are the means of the old ones"""
    x = torch.ones(1, len(W), dtype=W.dtype).cumsum(dim=1)
    old = (x @ W).view(num_kv_heads, num_heads // num_kv_heads, -1).mean(dim=1)
    new = x @ mean_pool_heads(W, num_heads, num_kv_heads)
    return torch.allclose(new.view(num_kv_heads, -1), old, atol=1e-3)


@pooling.misconception
def pooled_in_turn(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You averaged heads that lie apart: 0, 2, 4 and 1, 3, 5. Query heads share with their
    neighbours, so neighbours are averaged.
    """
    heads = W.reshape(len(W), num_heads // num_kv_heads, num_kv_heads, -1)
    return heads.mean(dim=1).flatten(1)


@pooling.misconception
def neighbouring_columns(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You averaged neighbouring columns, which are features of one head. Feature 0 of a head
    belongs with feature 0 of the next: give the heads and their features an axis each.
    """
    return W.reshape(len(W), -1, num_heads // num_kv_heads).mean(dim=-1)


@pooling.misconception
def summed_heads(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You added the heads up. Divide by how many of them make one new head: without it, the scores
    would grow with their number.
    """
    heads = W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1)
    return heads.sum(dim=2).flatten(1)


@pooling.misconception
def first_heads_kept(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You kept the first head of each share and threw the others away. Take the mean of all."""
    return W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1)[:, :, 0].flatten(1)


@pooling.misconception
def first_columns_kept(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You kept the first num_kv_heads heads as they are. Each new head is the mean of those that it
    replaces.
    """
    return W[:, : W.shape[1] // num_heads * num_kv_heads].clone()


@pooling.misconception
def pooled_rows(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You averaged rows, which are the features of the input. The heads lie along the columns: this
    W is used as x @ W. (The weight of an nn.Linear is its transpose.)
    """
    width = W.shape[1] // num_heads * num_kv_heads
    return W.mean(dim=0, keepdim=True).expand(len(W), -1)[:, :width]


@pooling.misconception
def heads_per_share_came_out(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You made num_heads / num_kv_heads heads, each a mean of num_kv_heads. It is the other way
    round: num_kv_heads come out.
    """
    return W.reshape(len(W), num_heads // num_kv_heads, num_kv_heads, -1).mean(dim=2).flatten(1)


@pooling.misconception
def a_single_mean(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """A single head comes out, the mean of all. There are to be num_kv_heads, each the mean of its
    own share.
    """
    return W.reshape(len(W), num_heads, -1).mean(dim=1)


@pooling.misconception
def one_mean_for_all(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """All your new heads are the mean of all the old ones. Each is the mean of its own share."""
    return W.reshape(len(W), num_heads, -1).mean(dim=1).repeat(1, num_kv_heads)


@pooling.misconception
def means_repeated(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You put each mean back in the place of every head that it replaces. Keep it once: that is
    what saves the memory.
    """
    n_rep = num_heads // num_kv_heads
    heads = W.reshape(len(W), num_kv_heads, n_rep, -1).mean(dim=2, keepdim=True)
    return heads.repeat(1, 1, n_rep, 1).flatten(1)


@pooling.misconception
def features_averaged(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """You averaged the features of each head. They stay; it is the heads that are averaged."""
    return W.reshape(len(W), num_heads, -1).mean(dim=-1)


@pooling.misconception
def axes_left_over(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """The means are right, but they stand on an axis of their own. Merge heads and features into
    columns.
    """
    return W.reshape(len(W), num_kv_heads, num_heads // num_kv_heads, -1).mean(dim=2)


@pooling.accepts
def pooled_in_loops(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """Loops."""
    head_dim = W.shape[1] // num_heads
    n_rep = num_heads // num_kv_heads
    new = []
    for shared in range(num_kv_heads):
        total = torch.zeros_like(W[:, :head_dim])
        for head in range(shared * n_rep, (shared + 1) * n_rep):
            total = total + W[:, head * head_dim : (head + 1) * head_dim]
        new.append(total / n_rep)
    return torch.cat(new, dim=1)


@pooling.accepts
def pooled_by_einsum(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """An index expression."""
    n_rep = num_heads // num_kv_heads
    heads = W.view(len(W), num_kv_heads, n_rep, -1)
    return torch.einsum("ikrd->ikd", heads).flatten(1) / n_rep


@pooling.accepts
def pooled_by_a_matrix(W: torch.Tensor, num_heads: int, num_kv_heads: int) -> torch.Tensor:
    """A product with an averaging matrix."""
    n_rep, head_dim = num_heads // num_kv_heads, W.shape[1] // num_heads
    column = torch.full((n_rep, 1), 1 / n_rep, dtype=W.dtype)
    mixing = torch.kron(torch.eye(num_kv_heads, dtype=W.dtype), column)
    return W @ torch.kron(mixing, torch.eye(head_dim, dtype=W.dtype))


# --- the mask of new tokens ----------------------------------------------------------------------

mask = Exam(reference.decoding_mask)


@mask.example
def two_after_three() -> tuple[int, int]:
    """two new tokens after three cached ones"""
    return 2, 5


@mask.example
def one_after_three() -> tuple[int, int]:
    """one new token after three cached ones: it sees everything"""
    return 1, 4


@mask.example
def nothing_cached() -> tuple[int, int]:
    """three tokens, nothing cached: the mask of lesson 04"""
    return 3, 3


@mask.case
def some_cached(draw: Draw) -> tuple[int, int]:
    """some new tokens after some cached ones"""
    return draw.size("new"), draw.size("new") + draw.size("cached")


@mask.case(times=1)
def many_cached(draw: Draw) -> tuple[int, int]:
    """three new tokens after 60 cached ones"""
    return 3, 63


@mask.case(times=1)
def many_new(draw: Draw) -> tuple[int, int]:
    """40 new tokens after one"""
    return 40, 41


@mask.misconception
def aligned_to_the_start(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask is aligned to the first key, so that a new token sees only the oldest ones. The new
    tokens are the last: query 0 stands at place num_keys - num_queries.
    """
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(1)


@mask.misconception
def visible_instead(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask is True where the key is visible. In this course True means hidden."""
    return torch.ones(num_queries, num_keys, dtype=torch.bool).tril(num_keys - num_queries)


@mask.misconception
def hides_itself(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask hides each token from itself as well. A token may see itself."""
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(num_keys - num_queries)


@mask.misconception
def sees_the_next(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your tokens still see the one that comes next: the triangle begins one place too far to the
    right.
    """
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(num_keys - num_queries + 2)


@mask.misconception
def nothing_hidden(num_queries: int, num_keys: int) -> torch.Tensor:
    """Nothing is hidden. That is right for a single new token; of several, the first may not see
    the others.
    """
    return torch.zeros(num_queries, num_keys, dtype=torch.bool)


@mask.misconception
def shifted_the_other_way(num_queries: int, num_keys: int) -> torch.Tensor:
    """You shifted the triangle to the left instead of to the right: new tokens see less than before
    instead of more.
    """
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(num_queries - num_keys + 1)


@mask.misconception
def square_mask(num_queries: int, num_keys: int) -> torch.Tensor:
    """This mask has a row for every token there is. Only the new ones ask: num_queries rows."""
    return future(num_keys)


@mask.misconception
def new_against_new(num_queries: int, num_keys: int) -> torch.Tensor:
    """This mask has columns for the new tokens alone. They see the cached ones, too: num_keys
    columns.
    """
    return future(num_queries)


@mask.misconception
def cached_hidden(num_queries: int, num_keys: int) -> torch.Tensor:
    """You hid the cached tokens. They are the past: visible to every new token."""
    hidden = torch.ones(num_queries, num_keys, dtype=torch.bool)
    hidden[:, num_keys - num_queries :] = future(num_queries)
    return hidden


@mask.misconception
def keys_on_rows(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask has the keys on rows. The queries stand on rows, as in lesson 04."""
    return torch.ones(num_keys, num_queries, dtype=torch.bool).tril(num_queries - num_keys - 1)


@mask.misconception
def mask_of_floats(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask is made of the floats 0 and 1. Make it True and False, with dtype=torch.bool or
    .bool().
    """
    return torch.ones(num_queries, num_keys).triu(num_keys - num_queries + 1)


@mask.misconception
def mask_to_be_added(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask holds minus infinity, to be added to scores. Here it says what is hidden: True and
    False.
    """
    return torch.full((num_queries, num_keys), -torch.inf).triu(num_keys - num_queries + 1)


@mask.accepts
def last_rows_of_a_square(num_queries: int, num_keys: int) -> torch.Tensor:
    """The last rows of the mask of lesson 04."""
    return future(num_keys)[num_keys - num_queries :]


@mask.accepts
def mask_by_places(num_queries: int, num_keys: int) -> torch.Tensor:
    """Comparing places."""
    places = torch.arange(num_keys)
    return places[None, :] > places[num_keys - num_queries :, None]


@mask.accepts
def mask_in_loops(num_queries: int, num_keys: int) -> torch.Tensor:
    """Loops."""
    hidden = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    for query in range(num_queries):
        for key in range(num_keys):
            hidden[query, key] = key > query + (num_keys - num_queries)
    return hidden


# --- the cache -----------------------------------------------------------------------------------

cache = Exam(reference.KVCache, use=try_cache)

Texts = tuple[dict[str, int], list[list[Chunk]]]


def cache_sizes(batch: int, num_kv_heads: int, max_tokens: int, head_dim: int) -> dict[str, int]:
    """The keywords of the class."""
    return {
        "batch": batch,
        "num_kv_heads": num_kv_heads,
        "max_tokens": max_tokens,
        "head_dim": head_dim,
    }


def in_chunks(keys: torch.Tensor, values: torch.Tensor, *sizes: int) -> list[Chunk]:
    """A text, cut into chunks of these sizes."""
    cut = (torch.split(x, list(sizes), dim=2) for x in (keys, values))
    chunks = zip(*cut, strict=True)
    return [(k.clone(), v.clone()) for k, v in chunks]


def printed_text(*sizes: int, start: int) -> list[Chunk]:
    """One text of two key/value heads with one feature, in chunks."""
    keys, values = (numbers(1, 2, sum(sizes), 1, start=start + i) for i in (0, 50))
    return in_chunks(keys, values, *sizes)


@cache.example
def token_by_token() -> Texts:
    """three tokens, one by one, with room for five"""
    return cache_sizes(1, 2, 5, 1), [printed_text(1, 1, 1, start=1)]


@cache.example
def uneven_chunks() -> Texts:
    """chunks of two, three and one token, which fill it"""
    return cache_sizes(1, 2, 6, 1), [printed_text(2, 3, 1, start=20)]


@cache.example
def two_texts_in_a_row() -> Texts:
    """two texts in a row, with a reset between them"""
    texts = [printed_text(2, 1, start=1), printed_text(1, 1, start=20)]
    return cache_sizes(1, 2, 6, 1), texts


@cache.example
def too_many_tokens() -> Texts:
    """four tokens for a cache with room for three, which is an error"""
    return cache_sizes(1, 2, 3, 1), [printed_text(2, 2, start=30)]


def drawn_text(draw: Draw, *sizes: int) -> list[Chunk]:
    """A text of as many tokens, in chunks of these sizes."""
    shape = (draw.size("batch"), draw.size("num_kv_heads"), sum(sizes), draw.size("head_dim"))
    keys, values = (torch.from_numpy(draw.rng.normal(size=shape)) for _ in range(2))
    return in_chunks(keys, values, *sizes)


def drawn_sizes(draw: Draw, max_tokens: int) -> dict[str, int]:
    return cache_sizes(
        draw.size("batch"), draw.size("num_kv_heads"), max_tokens, draw.size("head_dim")
    )


@cache.case(times=1)
def chunks_of_every_size(draw: Draw) -> Texts:
    """seven texts of seven tokens, in chunks of one, of two, … of seven"""
    texts = [
        drawn_text(draw, *(min(size, 7 - start) for start in range(0, 7, size)))
        for size in range(1, 8)
    ]
    return drawn_sizes(draw, 9), texts


@cache.case(times=2)
def three_texts(draw: Draw) -> Texts:
    """three texts in a row, the first the longest"""
    texts = [drawn_text(draw, 3, 2, 1), drawn_text(draw, 1, 2), drawn_text(draw, 4)]
    return drawn_sizes(draw, 6), texts


@cache.case(times=1)
def overfull_in_the_end(draw: Draw) -> Texts:
    """one token too many, which is an error"""
    return drawn_sizes(draw, 5), [drawn_text(draw, 3, 2, 1)]


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
    """Every chunk is written to the beginning, over the one before: `length` never grows. Add the
    number of new tokens to it.
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
    """`length` becomes the size of the newest chunk, and what was there before is lost. Add the
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
    before. Write it behind what is there.
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
    """After a reset the tokens of the text before are still there: the new text would attend to the
    old one. Set `length` back to 0.
    """

    def reset(self) -> None:
        return


@cache.misconception
class ClearedButNotReset(Notebook):
    """A reset fills the tensors with zeros, but `length` stays: a new text would attend to zeros.
    Set it back to 0.
    """

    def reset(self) -> None:
        self.keys.zero_()
        self.values.zero_()


@cache.misconception
class WholeBuffer(Notebook):
    """You return all the room there is, with zeros where no token is yet. A key of zeros still gets
    a weight: return the first `length` tokens only.
    """

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return kept


@cache.misconception
class NewOnly(Notebook):
    """You return the new tokens alone. Return all tokens so far."""

    def given(self, kept: torch.Tensor, end: int, new: torch.Tensor) -> torch.Tensor:
        return new


@cache.misconception
class OldOnly(Notebook):
    """You return what was cached before this call. The new tokens belong to it: a token attends to
    itself, too.
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
    """Your values are the keys. Keep both."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return super().append(keys, keys)


@cache.misconception
class SharedByBoth(Notebook):
    """Keys and values are kept in the same tensor, and the values end up on top: after `a = b`,
    both names mean one tensor. Make two.
    """

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return super().append(values, values)


@cache.misconception
class ValuesFirst(Notebook):
    """Keys and values have changed places. Return the keys first."""

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        kept_keys, kept_values = super().append(keys, values)
        return kept_values, kept_keys


@cache.misconception
class NewestFirst(Notebook):
    """The newest tokens stand first. The oldest do: the mask counts on it."""

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
    """Your cache keeps 32-bit numbers, whatever it is told. Pass dtype on to torch.zeros."""

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
    """When there is no room left, something else goes wrong than should. Compare before you write,
    and raise a ValueError.
    """

    def refuse(self, end: int) -> None:
        return


@cache.misconception
class OldestForgotten(Notebook):
    """When it is full, your cache drops the oldest tokens, and nobody hears of it. Raise a
    ValueError.
    """

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        over = max(0, self.length + keys.shape[2] - self.shape[2])
        self.keys, self.values = self.keys.roll(-over, dims=2), self.values.roll(-over, dims=2)
        self.length -= over
        return super().append(keys, values)


@cache.misconception
class OneForAllLayers(Notebook):
    """Two caches of yours share their memory: what is appended to one is found in the other. Make
    the tensors in __init__, as attributes of `self`; not in the class, and not as a default value.
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


@cache.accepts
class GrowingTensors:
    """torch.cat."""

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.empty = torch.zeros(batch, num_kv_heads, 0, head_dim, dtype=dtype)
        self.max_tokens = max_tokens
        self.keys = self.values = self.empty
        self.length = 0

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self.length + keys.shape[2] > self.max_tokens:
            raise ValueError("the cache is full")
        self.keys = torch.cat([self.keys, keys], dim=2)
        self.values = torch.cat([self.values, values], dim=2)
        self.length += keys.shape[2]
        return self.keys, self.values

    def reset(self) -> None:
        self.keys = self.values = self.empty
        self.length = 0


@cache.accepts
class ListOfChunks:
    """A list of what was appended; the length is counted when somebody asks."""

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.max_tokens = max_tokens
        self.chunks: list[tuple[torch.Tensor, torch.Tensor]] = []

    @property
    def length(self) -> int:
        return sum(keys.shape[2] for keys, _ in self.chunks)

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        if self.length + keys.shape[2] > self.max_tokens:
            raise ValueError(f"more than {self.max_tokens} tokens")
        self.chunks.append((keys.clone(), values.clone()))
        all_keys, all_values = zip(*self.chunks, strict=True)
        return torch.cat(all_keys, dim=2), torch.cat(all_values, dim=2)

    def reset(self) -> None:
        self.chunks.clear()


@cache.accepts
class OneTensorForBoth(nn.Module):
    """Keys and values in one buffer of a module."""

    kept: torch.Tensor

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__()
        empty = torch.empty(2, batch, num_kv_heads, max_tokens, head_dim, dtype=dtype)
        self.register_buffer("kept", empty)
        self.length = 0

    def append(self, keys: torch.Tensor, values: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        new = torch.stack([keys, values])
        if self.length + new.shape[3] > self.kept.shape[3]:
            raise ValueError("full")
        self.kept[:, :, :, self.length : self.length + new.shape[3]] = new
        self.length += new.shape[3]
        known = self.kept[:, :, :, : self.length]
        return known[0], known[1]

    def reset(self) -> None:
        self.length = 0


# --- a step of decoding --------------------------------------------------------------------------

step = Exam(reference.decode_step, returns=("contexts", "keys", "values"), forbids=OWN_WORK)

Decoding = tuple[torch.Tensor, Weights, torch.Tensor, torch.Tensor]


def printed_decoding(new: int, cached: int, num_heads: int, num_kv_heads: int) -> Decoding:
    """The last tokens of two texts, in heads of two features."""
    d_out, kv_width = num_heads * 2, num_kv_heads * 2
    weights = printed_weights(d_out, kv_width)
    del weights["out_proj.bias"]
    past_keys, past_values = (
        numbers(2, num_kv_heads, cached, 2, start=start) for start in (400, 500)
    )
    return TWO_TEXTS[:, -new:], weights, past_keys, past_values


@step.example
def first_chunk() -> Decoding:
    """three tokens, nothing cached"""
    return printed_decoding(3, 0, 6, 2)


@step.example
def one_new_token() -> Decoding:
    """one new token, three cached ones"""
    return printed_decoding(1, 3, 6, 2)


@step.example
def a_chunk_later() -> Decoding:
    """two new tokens, three cached ones"""
    return printed_decoding(2, 3, 6, 2)


def drawn_decoding(
    draw: Draw, new: int, cached: int, num_heads: int, num_kv_heads: int, scale: float = 1.0
) -> Decoding:
    """The same with numbers drawn, and heads of any width."""
    head_dim = int(draw.rng.integers(2, 6))
    draw.fix(new=new, cached=cached, num_kv_heads=num_kv_heads, head_dim=head_dim)
    draw.fix(d_out=num_heads * head_dim, kv_width=num_kv_heads * head_dim)
    inputs = draw.tensor("batch new d_in", scale=scale)
    weights = drawn_weights(draw)
    del weights["out_proj.bias"]
    past_keys, past_values = (draw.tensor("batch num_kv_heads cached head_dim") for _ in range(2))
    return inputs, weights, past_keys, past_values


@step.case(times=2)
def drawn_chunk(draw: Draw) -> Decoding:
    """a chunk after a cached text, 6 query heads and 2 key/value heads"""
    return drawn_decoding(draw, 4, 7, 6, 2)


@step.case(times=1)
def drawn_token(draw: Draw) -> Decoding:
    """one token after a cached text, 12 query heads and 3 key/value heads"""
    return drawn_decoding(draw, 1, 7, 12, 3)


@step.case(times=1)
def drawn_prompt(draw: Draw) -> Decoding:
    """a whole text, nothing cached"""
    return drawn_decoding(draw, 6, 0, 6, 2)


@step.case(times=1)
def drawn_long_chunk(draw: Draw) -> Decoding:
    """a chunk that is longer than the past"""
    return drawn_decoding(draw, 7, 2, 4, 2)


@step.case(times=1)
def drawn_multi_head(draw: Draw) -> Decoding:
    """as many key/value heads as query heads"""
    return drawn_decoding(draw, 3, 4, 5, 5)


@step.case(times=1)
def drawn_multi_query(draw: Draw) -> Decoding:
    """a single key/value head"""
    return drawn_decoding(draw, 3, 4, 5, 1)


@step.case(times=1)
def drawn_sharp(draw: Draw) -> Decoding:
    """inputs ten times as large"""
    return drawn_decoding(draw, 3, 4, 4, 2, scale=10)


@step.holds
def any_chunks_will_do(
    decode_step: Callable[..., Tensors],
    inputs: torch.Tensor,
    weights: Weights,
    past_keys: torch.Tensor,
    past_values: torch.Tensor,
) -> bool:
    """the same tokens in chunks of any size give the same contexts, keys and values"""
    whole = decode_step(inputs, weights, past_keys, past_values)
    for size in range(1, inputs.shape[1]):
        keys, values, contexts = past_keys, past_values, []
        for start in range(0, inputs.shape[1], size):
            chunk = inputs[:, start : start + size].clone()
            context, keys, values = decode_step(chunk, weights, keys, values)
            contexts.append(context)
        parts = (torch.cat(contexts, dim=1), keys, values)
        pairs = zip(parts, whole, strict=True)
        if not all(torch.allclose(a, b, rtol=1e-3, atol=1e-4) for a, b in pairs):
            return False
    return True


@step.holds
def texts_do_not_meet(
    decode_step: Callable[..., Tensors],
    inputs: torch.Tensor,
    weights: Weights,
    past_keys: torch.Tensor,
    past_values: torch.Tensor,
) -> bool:
    """a second text gives the same contexts whether or not another was read before it"""
    nothing = past_keys[:, :, :0].clone()
    alone = decode_step(inputs, weights, nothing, nothing)[0]
    decode_step(2 - inputs, weights, past_keys, past_values)
    return torch.equal(decode_step(inputs, weights, nothing, nothing)[0], alone)


def heads_of(x: torch.Tensor, head_dim: int) -> torch.Tensor:
    return x.reshape(*x.shape[:2], -1, head_dim).transpose(1, 2)


def projected(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Queries of the new tokens, keys and values of all."""
    head_dim = past_keys.shape[-1]
    queries, keys, values = (heads_of(inputs @ weights[name], head_dim) for name in PROJECTIONS)
    return queries, torch.cat([past_keys, keys], dim=2), torch.cat([past_values, values], dim=2)


def attended(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    hidden: torch.Tensor,
    scale: float = 1.0,
) -> torch.Tensor:
    """Contexts of all heads, side by side, for keys and values that are repeated already."""
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5 * scale
    return (hide(scores, hidden) @ values).transpose(1, 2).flatten(2)


def shared_among(queries: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return x.repeat_interleave(queries.shape[1] // x.shape[1], dim=1)


def end_aligned(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    new, everything = queries.shape[2], keys.shape[2]
    return torch.ones(new, everything, dtype=torch.bool).triu(everything - new + 1)


@step.misconception
def step_masked_from_the_start(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your mask is aligned to the first key: a new token sees the oldest tokens only. Shift it by
    the number of cached tokens.
    """
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    hidden = torch.ones(queries.shape[2], keys.shape[2], dtype=torch.bool).triu(1)
    shared = shared_among(queries, keys), shared_among(queries, values)
    return attended(queries, *shared, hidden) @ weights["out_proj"], keys, values


@step.misconception
def step_without_a_mask(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Nothing is hidden in your step. That is right for a single new token; in a chunk, the first
    tokens see the last ones.
    """
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    hidden = torch.zeros(queries.shape[2], keys.shape[2], dtype=torch.bool)
    shared = shared_among(queries, keys), shared_among(queries, values)
    return attended(queries, *shared, hidden) @ weights["out_proj"], keys, values


@step.misconception
def step_hides_itself(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your new tokens do not see themselves. Begin the mask one place further to the right."""
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    hidden = torch.ones(queries.shape[2], keys.shape[2], dtype=torch.bool)
    hidden = hidden.triu(past_keys.shape[2])
    shared = shared_among(queries, keys), shared_among(queries, values)
    return attended(queries, *shared, hidden) @ weights["out_proj"], keys, values


@step.misconception
def step_tiles_the_heads(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your query heads read the key/value heads in turn: 0, 1, 0, 1, … Neighbours share:
    repeat_interleave, not repeat.
    """
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    n_rep = queries.shape[1] // keys.shape[1]
    shared = keys.repeat(1, n_rep, 1, 1), values.repeat(1, n_rep, 1, 1)
    context = attended(queries, *shared, end_aligned(queries, keys))
    return context @ weights["out_proj"], keys, values


@step.misconception
def step_forgets_the_past(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your new tokens attend to each other alone. Join the cached keys and values with the new
    ones first.
    """
    nothing = past_keys[:, :, :0]
    queries, keys, values = projected(inputs, weights, nothing, nothing)
    shared = shared_among(queries, keys), shared_among(queries, values)
    context = attended(queries, *shared, end_aligned(queries, keys))
    everything = torch.cat([past_keys, keys], dim=2), torch.cat([past_values, values], dim=2)
    return (context @ weights["out_proj"], *everything)


@step.misconception
def step_without_a_past(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The past is not used at all: not attended to, and not handed on. Join it with the new keys
    and values first.
    """
    nothing = past_keys[:, :, :0]
    return reference.decode_step(inputs, weights, nothing, nothing)


@step.misconception
def step_returns_values_first(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right. Of what follows them, the keys come first."""
    context, keys, values = reference.decode_step(inputs, weights, past_keys, past_values)
    return context, values, keys


@step.misconception
def step_returns_the_new_only(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right, but you return the new keys and values alone: the next step would
    know nothing of the past. Return them joined.
    """
    context, keys, values = reference.decode_step(inputs, weights, past_keys, past_values)
    new = inputs.shape[1]
    return context, keys[:, :, -new:], values[:, :, -new:]


@step.misconception
def step_returns_the_past_only(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right, but you return the keys and values that you were given: the new
    tokens would be forgotten. Return them joined.
    """
    context, _, _ = reference.decode_step(inputs, weights, past_keys, past_values)
    return context, past_keys, past_values


@step.misconception
def step_caches_repeated_heads(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The contexts are right, but what you return to be cached has a head for every query head. So
    nothing is saved: return the keys and values as they were before they were repeated.
    """
    context, keys, values = reference.decode_step(inputs, weights, past_keys, past_values)
    n_rep = weights["W_query"].shape[1] // weights["W_key"].shape[1]
    return context, keys.repeat_interleave(n_rep, 1), values.repeat_interleave(n_rep, 1)


@step.misconception
def step_puts_the_newest_first(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You put the new tokens before the cached ones. They come after them, and the mask counts on
    it.
    """
    nothing = past_keys[:, :, :0]
    queries, new_keys, new_values = projected(inputs, weights, nothing, nothing)
    keys, values = torch.cat([new_keys, past_keys], 2), torch.cat([new_values, past_values], 2)
    shared = shared_among(queries, keys), shared_among(queries, values)
    context = attended(queries, *shared, end_aligned(queries, keys))
    return context @ weights["out_proj"], keys, values


@step.misconception
def step_joins_heads(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You joined old and new along the heads. The tokens are axis 2: torch.cat(…, dim=2)."""
    nothing = past_keys[:, :, :0]
    _, new_keys, new_values = projected(inputs, weights, nothing, nothing)
    keys, values = torch.cat([past_keys, new_keys], 1), torch.cat([past_values, new_values], 1)
    return inputs @ weights["W_query"] @ weights["out_proj"], keys, values


@step.misconception
def step_not_scaled(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The scores are not divided by the root of the head's width."""
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    shared = shared_among(queries, keys), shared_among(queries, values)
    root = queries.shape[-1] ** 0.5
    context = attended(queries, *shared, end_aligned(queries, keys), scale=root)
    return context @ weights["out_proj"], keys, values


@step.misconception
def step_scaled_by_all_heads(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You divided by the root of d_out. What counts is the width of one head, the size of the last
    axis of past_keys.
    """
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    shared = shared_among(queries, keys), shared_among(queries, values)
    ratio = queries.shape[1] ** -0.5
    context = attended(queries, *shared, end_aligned(queries, keys), scale=ratio)
    return context @ weights["out_proj"], keys, values


@step.misconception
def step_not_projected(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Keys and values are right; the contexts are the merged heads. Multiply by out_proj."""
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    shared = shared_among(queries, keys), shared_among(queries, values)
    return attended(queries, *shared, end_aligned(queries, keys)), keys, values


@step.misconception
def step_merges_wrongly(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """You merged the heads without swapping heads and tokens back first."""
    queries, keys, values = projected(inputs, weights, past_keys, past_values)
    shared = shared_among(queries, keys), shared_among(queries, values)
    context = heads_of(attended(queries, *shared, end_aligned(queries, keys)), keys.shape[-1])
    return context.reshape(*inputs.shape[:2], -1) @ weights["out_proj"], keys, values


@step.misconception
def step_splits_wrongly(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your view takes tokens for heads. View as (batch, new, heads, head_dim) first, then swap the
    two axes in the middle.
    """
    batch, new, _ = inputs.shape
    head_dim = past_keys.shape[-1]
    queries, new_keys, new_values = (
        (inputs @ weights[name]).view(batch, -1, new, head_dim) for name in PROJECTIONS
    )
    keys, values = torch.cat([past_keys, new_keys], 2), torch.cat([past_values, new_values], 2)
    shared = shared_among(queries, keys), shared_among(queries, values)
    context = attended(queries, *shared, end_aligned(queries, keys))
    return context @ weights["out_proj"], keys, values


@step.misconception
def step_values_from_keys(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Your new values are the new keys. Take W_value for them."""
    confused = {**weights, "W_value": weights["W_key"]}
    return reference.decode_step(inputs, confused, past_keys, past_values)


@step.misconception
def step_writes_in_place(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The results are right, but your step writes to what it was given. Whoever called you still
    needs it: multiply with *, not *=.
    """
    result = reference.decode_step(inputs, weights, past_keys, past_values)
    inputs *= past_keys.shape[-1] ** -0.5
    return result


@step.accepts
def step_by_index(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """The number of each query head's key/value head, and a mask that is added."""
    num_kv_heads, cached, head_dim = past_keys.shape[1:]
    rows = (*inputs.shape[:2], -1, head_dim)
    queries = (inputs @ weights["W_query"]).view(rows).transpose(1, 2)
    new_keys = (inputs @ weights["W_key"]).view(rows).transpose(1, 2)
    new_values = (inputs @ weights["W_value"]).view(rows).transpose(1, 2)
    keys = torch.cat([past_keys, new_keys], dim=2)
    values = torch.cat([past_values, new_values], dim=2)
    shared = torch.arange(queries.shape[1]) * num_kv_heads // queries.shape[1]
    added = torch.full((queries.shape[2], keys.shape[2]), -torch.inf, dtype=inputs.dtype)
    scores = queries @ keys[:, shared].mT / math.sqrt(head_dim) + added.triu(cached + 1)
    context = scores.softmax(dim=-1) @ values[:, shared]
    return context.transpose(1, 2).flatten(2) @ weights["out_proj"], keys, values


@step.accepts
def step_by_einsum(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """Index expressions; nothing is repeated."""
    batch, new, _ = inputs.shape
    num_kv_heads, cached, head_dim = past_keys.shape[1:]
    queries = (inputs @ weights["W_query"]).view(batch, new, num_kv_heads, -1, head_dim)
    new_keys = (inputs @ weights["W_key"]).view(batch, new, num_kv_heads, head_dim)
    new_values = (inputs @ weights["W_value"]).view(batch, new, num_kv_heads, head_dim)
    keys = torch.cat([past_keys, new_keys.transpose(1, 2)], dim=2)
    values = torch.cat([past_values, new_values.transpose(1, 2)], dim=2)
    scores = torch.einsum("bqgrd,bgkd->bgrqk", queries, keys) / math.sqrt(head_dim)
    places = torch.arange(cached + new)
    shares = hide(scores, places > places[cached:, None])
    context = torch.einsum("bgrqk,bgkd->bqgrd", shares, values).reshape(batch, new, -1)
    return context @ weights["out_proj"], keys, values


@step.accepts
def step_in_loops(
    inputs: torch.Tensor, weights: Weights, past_keys: torch.Tensor, past_values: torch.Tensor
) -> Tensors:
    """One token and one query head at a time."""
    head_dim, num_kv_heads = past_keys.shape[-1], past_keys.shape[1]
    keys, values, contexts = past_keys, past_values, []
    for token in inputs.unbind(dim=1):
        new_key = (token @ weights["W_key"]).view(len(token), num_kv_heads, 1, head_dim)
        new_value = (token @ weights["W_value"]).view(len(token), num_kv_heads, 1, head_dim)
        keys, values = torch.cat([keys, new_key], dim=2), torch.cat([values, new_value], dim=2)
        heads = torch.split(token @ weights["W_query"], head_dim, dim=-1)
        parts = []
        for number, query in enumerate(heads):
            shared = number * num_kv_heads // len(heads)
            scores = (keys[:, shared] @ query[:, :, None])[..., 0] / head_dim**0.5
            parts.append((scores.softmax(dim=-1)[:, None] @ values[:, shared])[:, 0])
        contexts.append(torch.cat(parts, dim=-1))
    return torch.stack(contexts, dim=1) @ weights["out_proj"], keys, values


# --- write the test ------------------------------------------------------------------------------

exact = Exam(reference.is_cache_exact, dtypes=("float64",))

StepFunction = Callable[[torch.Tensor, Past], Step]
Tried = tuple[StepFunction, torch.Tensor]


def _tried_on(function: StepFunction, inputs: torch.Tensor, on: str) -> Callable[[], Tried]:
    def trial() -> Tried:
        return function, inputs

    trial.__doc__ = f"{function.__name__}, {on}"
    return trial


for step_specimen in (
    specimens.attends_to_its_cache,
    specimens.recomputes_everything,
    specimens.running_average,
    specimens.only_itself,
    specimens.mask_from_the_start,
    specimens.no_mask_in_the_chunk,
    specimens.sees_its_chunk_only,
    specimens.keeps_the_last_chunk,
    specimens.trims_before_attending,
    specimens.pads_odd_chunks,
    specimens.keeps_three_of_a_chunk,
    specimens.largest_of_its_chunk,
    specimens.shortcut_for_one,
    specimens.first_text_only,
    specimens.rounds_its_cache,
):
    exact.example(_tried_on(step_specimen, TWO_TEXTS, "two texts of six words"))
exact.example(_tried_on(specimens.first_text_only, TWO_TEXTS[:1], "one text"))
exact.example(_tried_on(specimens.pads_odd_chunks, TWO_TEXTS[:, :2], "two words"))
exact.example(_tried_on(specimens.shortcut_for_one, TWO_TEXTS[:, :2], "two words"))


def sums_so_far(chunk: torch.Tensor, past: Past) -> Step:
    """A running sum: exact."""
    sums = chunk.cumsum(dim=1) + (past[0] if past else 0)
    return sums, (sums[:, -1:],)


def largest_so_far(chunk: torch.Tensor, past: Past) -> Step:
    """The largest number so far, feature by feature: exact."""
    known = torch.cat([past[0], chunk], dim=1) if past else chunk
    largest = known.cummax(dim=1).values
    return largest[:, -chunk.shape[1] :], (largest[:, -1:],)


def smallest_in_the_chunk(chunk: torch.Tensor, past: Past) -> Step:
    """The smallest number so far, but not over the edges of chunks: not exact."""
    return chunk.cummin(dim=1).values, None


def the_word_before(chunk: torch.Tensor, past: Past) -> Step:
    """The word before, over the edges of chunks: exact."""
    before = past[0] if past else torch.zeros_like(chunk[:, :1])
    return torch.cat([before, chunk[:, :-1]], dim=1), (chunk[:, -1:],)


def word_before_in_the_chunk(chunk: torch.Tensor, past: Past) -> Step:
    """The word before, but not over the edges of chunks: not exact."""
    return torch.cat([torch.zeros_like(chunk[:, :1]), chunk[:, :-1]], dim=1), None


def counts_places_anew(chunk: torch.Tensor, past: Past) -> Step:
    """Places that are counted from 0 in every chunk: not exact."""
    places = torch.arange(chunk.shape[1], dtype=chunk.dtype)
    return specimens.attends_to_its_cache(chunk + places[:, None], past)


def forgets_the_first(chunk: torch.Tensor, past: Past) -> Step:
    """A cache that holds five tokens: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts, tuple(tokens[:, -5:] for tokens in cache or ())


def average_of_the_chunk(chunk: torch.Tensor, past: Past) -> Step:
    """Less the average of its chunk: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts - 0.1 * chunk.mean(dim=1, keepdim=True), cache


def last_feature_is_new(chunk: torch.Tensor, past: Past) -> Step:
    """The last feature sees its own chunk only: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    own = specimens.sees_its_chunk_only(chunk, None)[0]
    return torch.cat([contexts[..., :-1], own[..., -1:]], dim=-1), cache


def faintly_different(chunk: torch.Tensor, past: Past) -> Step:
    """A thousandth that depends on the size of the chunk: not exact."""
    contexts, cache = specimens.attends_to_its_cache(chunk, past)
    return contexts + 1e-3 * chunk.shape[1], cache


def _trial(function: StepFunction) -> Callable[[Draw], Tried]:
    def trial(draw: Draw) -> Tried:
        return function, draw.fix(batch=3, tokens=7).tensor("batch tokens d_in")

    trial.__doc__ = f"{function.__doc__}".partition(":")[0].lower()
    return trial


for specimen in (
    sums_so_far,
    largest_so_far,
    smallest_in_the_chunk,
    the_word_before,
    word_before_in_the_chunk,
    counts_places_anew,
    forgets_the_first,
    average_of_the_chunk,
    last_feature_is_new,
    faintly_different,
    specimens.keeps_the_last_chunk,
    specimens.keeps_three_of_a_chunk,
):
    exact.case(_trial(specimen), times=1)


@exact.case(times=1)
def one_word_is_one_chunk(draw: Draw) -> Tried:
    """a text of one word, of which there is one chunk"""
    return specimens.mask_from_the_start, draw.fix(tokens=1).tensor("batch tokens d_in")


@exact.case(times=1)
def two_words_one_by_one(draw: Draw) -> Tried:
    """a text of two words, of which a second chunk can't see itself"""
    return specimens.shortcut_for_one, draw.fix(tokens=2).tensor("batch tokens d_in")


@exact.case(times=1)
def long_text_is_forgotten(draw: Draw) -> Tried:
    """a cache that holds five tokens, on a text of 20"""
    return forgets_the_first, draw.fix(tokens=20).tensor("batch tokens d_in")


def fed(function: StepFunction, inputs: torch.Tensor, size: int) -> torch.Tensor:
    """The contexts of a text, in chunks of one size."""
    past: Past = None
    contexts = []
    for start in range(0, inputs.shape[1], size):
        context, past = function(inputs[:, start : start + size], past)
        contexts.append(context)
    return torch.cat(contexts, dim=1)


def agrees(
    function: StepFunction,
    inputs: torch.Tensor,
    sizes: range,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    whole = function(inputs, None)[0]
    return all(close(fed(function, inputs, size), whole) for size in sizes)


def every_size(inputs: torch.Tensor) -> range:
    return range(1, inputs.shape[1])


@exact.misconception
def single_tokens_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Your chunks are too small. `pads_odd_chunks` is right for single tokens and pairs, and wrong
    for chunks of three: try every size.
    """
    return agrees(step, inputs, range(1, 2))


@exact.misconception
def pairs_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You feed chunks of two only. `shortcut_for_one` gets these right: try every size."""
    return agrees(step, inputs, range(2, 3))


@exact.misconception
def half_the_text_at_most(step: StepFunction, inputs: torch.Tensor) -> bool:
    """`keeps_three_of_a_chunk` goes wrong in what is left of a text after a chunk of four or five.
    Try these sizes too, and compare the rest, even if it is no full chunk.
    """
    return agrees(step, inputs, range(1, inputs.shape[1] // 2 + 1))


@exact.misconception
def no_single_tokens(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You leave out chunks of one token. `shortcut_for_one` is wrong on two words, and nothing else
    shows it: begin with size 1.
    """
    return agrees(step, inputs, range(2, inputs.shape[1]))


@exact.misconception
def halves_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You cut each text in two. `keeps_the_last_chunk` needs a third chunk to show what it lost:
    try every size.
    """
    whole = step(inputs, None)[0]
    for place in range(1, inputs.shape[1]):
        first, past = step(inputs[:, :place], None)
        second, _ = step(inputs[:, place:], past)
        if not torch.allclose(torch.cat([first, second], dim=1), whole):
            return False
    return True


@exact.misconception
def last_token_only(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You compare the end of a text alone. `no_mask_in_the_chunk` gets that right: compare all its
    tokens.
    """
    return agrees(step, inputs, every_size(inputs), lambda a, b: torch.allclose(a[:, -1], b[:, -1]))


@exact.misconception
def first_text_compared(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You compare the first text of the batch alone. `first_text_only` is right there: compare all
    of them.
    """
    return agrees(step, inputs, every_size(inputs), lambda a, b: torch.allclose(a[0], b[0]))


@exact.misconception
def past_not_passed_on(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Your chunks get a wrong past. The first chunk of a text gets None, and with every size the
    text begins anew; each later chunk gets what the step returned for the one before.
    """
    whole = step(inputs, None)[0]
    for size in every_size(inputs):
        chunks = [inputs[:, i : i + size] for i in range(0, inputs.shape[1], size)]
        parts = [step(chunk, None)[0] for chunk in chunks]
        if not torch.allclose(torch.cat(parts, dim=1), whole):
            return False
    return True


@exact.misconception
def split_along_the_batch(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You cut the batch into texts. Each text is cut along its tokens, dim=1."""
    whole = step(inputs, None)[0]
    for size in every_size(inputs):
        past: Past = None
        contexts = []
        for texts in torch.split(inputs, size):
            context, past = step(texts, past)
            contexts.append(context)
        if not torch.allclose(torch.cat(contexts), whole):
            return False
    return True


@exact.misconception
def signs_kept(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Your differences keep their signs, and all of those of `largest_of_its_chunk` are below zero.
    Take abs() first.
    """
    return agrees(step, inputs, every_size(inputs), lambda a, b: bool((a - b).max() < 1e-6))


@exact.misconception
def any_number_will_do(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You are content when some of the numbers agree. All of them have to."""
    close = torch.isclose
    return agrees(step, inputs, every_size(inputs), lambda a, b: bool(close(a, b).any()))


@exact.misconception
def nobody_passes(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Not even `only_itself` passes your test, though it returns each token as it is. Look at what
    you compare, and at what you return.
    """
    return False


@exact.misconception
def compared_exactly(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You compare with ==, and `running_average` differs in its last bits. Allow for that, with
    torch.allclose.
    """
    return agrees(step, inputs, every_size(inputs), torch.equal)


@exact.misconception
def too_generous(step: StepFunction, inputs: torch.Tensor) -> bool:
    """You allow for more than rounding, and `rounds_its_cache` slips through. Leave torch.allclose
    its own tolerances.
    """
    return agrees(step, inputs, every_size(inputs), partial(torch.allclose, atol=0.1))


@exact.misconception
def compared_with_itself(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Every step passes your test. One side of the comparison has to be the whole text at once, the
    other its chunks; and a difference at any size is enough for False.
    """
    sizes = every_size(inputs)
    return all(torch.allclose(fed(step, inputs, n), fed(step, inputs, n)) for n in sizes)


@exact.misconception
def turned_round(step: StepFunction, inputs: torch.Tensor) -> bool:
    """True and False have changed places."""
    return not agrees(step, inputs, every_size(inputs))


@exact.misconception
def a_table_of_truths(step: StepFunction, inputs: torch.Tensor) -> torch.Tensor:
    """This is an answer for every number. Say True or False once, for all of them together."""
    return torch.isclose(fed(step, inputs, 1), step(inputs, None)[0])


@exact.accepts
def all_sizes_at_once(step: StepFunction, inputs: torch.Tensor) -> bool:
    """The largest difference over all sizes."""
    whole = step(inputs, None)[0]
    gaps = [(fed(step, inputs, size) - whole).abs().max() for size in every_size(inputs)]
    return not gaps or bool(torch.stack(gaps).max() < 1e-6)


@exact.accepts
def against_single_tokens(step: StepFunction, inputs: torch.Tensor) -> bool:
    """Every size, the whole text among them, against token by token."""
    slow = fed(step, inputs, 1)
    sizes = range(1, inputs.shape[1] + 1)
    return all(torch.allclose(fed(step, inputs, size), slow, atol=1e-7) for size in sizes)


@exact.accepts
def while_tokens_are_left(step: StepFunction, inputs: torch.Tensor) -> bool:
    """A loop over what is left, comparing chunk by chunk."""
    whole = step(inputs, None)[0]
    for size in range(1, inputs.shape[1]):
        past: Past = None
        done = 0
        while done < inputs.shape[1]:
            context, past = step(inputs[:, done : done + size], past)
            if (context - whole[:, done : done + size]).abs().max() > 1e-6:
                return False
            done += size
    return True


# --- a window, repaired --------------------------------------------------------------------------

window = Exam(reference.repaired_window_attention)

Windowed = tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]


def printed_window(new: int, tokens: int, width: int) -> Windowed:
    return (
        numbers(1, new, 2),
        numbers(1, tokens, 2, start=40),
        numbers(1, tokens, 2, start=80) * 5,
        width,
    )


@window.example
def one_in_a_window() -> Windowed:
    """one new token of six, a window of three"""
    return printed_window(1, 6, 3)


@window.example
def chunk_in_a_window() -> Windowed:
    """two new tokens of six, a window of three"""
    return printed_window(2, 6, 3)


@window.example
def chunk_wider_than_the_window() -> Windowed:
    """five new tokens of seven, a window of two"""
    return printed_window(5, 7, 2)


@window.example
def prompt_in_a_window() -> Windowed:
    """four new tokens, nothing before them, a window of three"""
    return printed_window(4, 4, 3)


def drawn_window(draw: Draw, new: int, tokens: int, width: int) -> Windowed:
    draw.fix(new=new, tokens=tokens)
    queries = draw.tensor("batch num_heads new head_dim")
    keys, values = (draw.tensor("batch num_heads tokens head_dim") for _ in range(2))
    return queries, keys, values, width


@window.case(times=2)
def drawn_chunk_in_a_window(draw: Draw) -> Windowed:
    """a chunk after a text, several heads"""
    return drawn_window(draw, 4, 11, 3)


@window.case(times=1)
def drawn_token_in_a_window(draw: Draw) -> Windowed:
    """one new token"""
    return drawn_window(draw, 1, 9, 4)


@window.case(times=1)
def drawn_itself_only(draw: Draw) -> Windowed:
    """a window of one: every token sees itself alone"""
    return drawn_window(draw, 3, 8, 1)


@window.case(times=1)
def drawn_wide_window(draw: Draw) -> Windowed:
    """a window that is wider than the text"""
    return drawn_window(draw, 3, 8, 20)


@window.case(times=1)
def drawn_whole_text(draw: Draw) -> Windowed:
    """a whole text at once"""
    return drawn_window(draw, 9, 9, 4)


def distances(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """How far before each query each key stands."""
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    return torch.arange(num_keys - num_queries, num_keys)[:, None] - torch.arange(num_keys)


def attend_at(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, hidden: torch.Tensor
) -> torch.Tensor:
    """Attention under a mask."""
    return hide(queries @ keys.mT / queries.shape[-1] ** 0.5, hidden) @ values


@window.misconception
def cut_before_attending(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """The keys and values are still cut to the last window before anybody attends. The first of
    several new tokens needs older ones than the last does: cut less, and mask.
    """
    keys, values = keys[..., -window:, :], values[..., -window:, :]
    return attend_at(queries, keys, values, distances(queries, keys) < 0)


@window.misconception
def no_window(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your tokens see all of the past. Hide what lies outside of the window."""
    return attend_at(queries, keys, values, distances(queries, keys) < 0)


@window.misconception
def one_too_wide(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your window is wider by one. It counts the token itself: itself and window - 1 before it."""
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart > window))


@window.misconception
def one_too_narrow(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your window is narrower by one: itself and window - 1 before it are visible."""
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart >= window - 1))


@window.misconception
def window_on_both_sides(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your window reaches into the future as well. Hide what comes after the query."""
    return attend_at(queries, keys, values, distances(queries, keys).abs() >= window)


@window.misconception
def cut_to_what_all_need(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """You keep enough keys for the first new token, and let the last one see all of them. Besides
    the future, each row hides what is too old for it.
    """
    needed = window + queries.shape[-2] - 1
    keys, values = keys[..., -needed:, :], values[..., -needed:, :]
    return attend_at(queries, keys, values, distances(queries, keys) < 0)


@window.misconception
def window_from_the_start(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your mask is aligned to the first key. The new tokens are the last ones: shift it by the
    number of tokens before them.
    """
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    apart = torch.arange(num_queries)[:, None] - torch.arange(num_keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart >= window))


@window.misconception
def old_hidden_future_seen(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """What is too old is hidden, but the future is not any more. Hide both."""
    return attend_at(queries, keys, values, distances(queries, keys) >= window)


@window.misconception
def nothing_hidden_at_all(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Every token sees every key, the later ones, too. If you joined two triangles with &, no key
    lies in both: what is too new or too old takes |.
    """
    return attend_at(queries, keys, values, distances(queries, keys) > 10**6)


@window.misconception
def itself_hidden(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your tokens do not see themselves: the triangle of what comes after begins one place too far
    to the left.
    """
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart <= 0) | (apart >= window))


@window.misconception
def cut_one_short(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your masks are right, but you cut away one key too many: the first new token misses its
    oldest.
    """
    needed = window + queries.shape[-2] - 2
    kept_keys, kept_values = keys[..., -needed:, :], values[..., -needed:, :]
    apart = distances(queries, kept_keys)
    return attend_at(queries, kept_keys, kept_values, (apart < 0) | (apart >= window))


@window.misconception
def inside_hidden(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """You hide the inside of the window. True means hidden: turn the mask round with ~."""
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart >= 0) & (apart < window))


@window.accepts
def window_by_distance(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Nothing is cut; the distance of each pair decides."""
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart >= window))


@window.accepts
def window_query_by_query(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Loops; each query has its own slice."""
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    contexts = []
    for row in range(num_queries):
        end = num_keys - num_queries + row + 1
        start = max(0, end - window)
        scores = queries[..., row : row + 1, :] @ keys[..., start:end, :].mT
        weights = torch.softmax(scores / queries.shape[-1] ** 0.5, dim=-1)
        contexts.append(weights @ values[..., start:end, :])
    return torch.cat(contexts, dim=-2)


@window.accepts
def window_by_pytorch(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """PyTorch's own function, with a mask of what is visible."""
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    band = torch.ones(num_keys, num_keys, dtype=torch.bool).tril()
    band = band & ~band.tril(-window)
    return scaled_dot_product_attention(queries, keys, values, attn_mask=band[-num_queries:])


# --- counting bytes ------------------------------------------------------------------------------

size = Exam(reference.kv_cache_bytes)

CacheShape = tuple[int, int, int, int, int, int]


@size.example
def llama_2_70b() -> CacheShape:
    """LLaMA-2 70B, one text of 4096 tokens"""
    return 1, 4096, 80, 8, 128, 2


@size.example
def mistral_7b() -> CacheShape:
    """Mistral 7B, four texts of 8192 tokens"""
    return 4, 8192, 32, 8, 128, 2


@size.example
def in_32_bits() -> CacheShape:
    """one token of a model with one layer and one head of one feature, in 32 bits"""
    return 1, 1, 1, 1, 1, 4


@size.case
def any_model(draw: Draw) -> CacheShape:
    """a model drawn at random"""
    names = ("batch", "tokens", "num_layers", "num_kv_heads", "head_dim")
    return (*(draw.size(name) for name in names), 4)  # type: ignore[return-value]


@size.case(times=1)
def palm_540b(draw: Draw) -> CacheShape:
    """PaLM 540B, 64 texts of 2048 tokens"""
    return 64, 2048, 118, 1, 256, 2


@size.misconception
def keys_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """This is half of it: the keys alone. The values are as large."""
    return batch * tokens * layers * kv_heads * width * per_number


@size.misconception
def one_layer_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """This is the cache of one layer. Every layer has its own."""
    return 2 * batch * tokens * kv_heads * width * per_number


@size.misconception
def numbers_not_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """This counts numbers. Multiply by bytes_per_number."""
    return 2 * batch * tokens * layers * kv_heads * width


@size.misconception
def always_16_bits(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """You wrote 2 for the bytes of a number. Other numbers have more: multiply by
    bytes_per_number.
    """
    return 4 * batch * tokens * layers * kv_heads * width


@size.misconception
def one_text_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """This is the cache of one text. Each text of the batch has its own."""
    return 2 * tokens * layers * kv_heads * width * per_number


@size.misconception
def one_token_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """These are the bytes of one token. All the tokens are kept."""
    return 2 * batch * layers * kv_heads * width * per_number


@size.misconception
def one_head_only(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """This is the cache of one key/value head. There are num_kv_heads in each layer."""
    return 2 * batch * tokens * layers * width * per_number


@size.misconception
def bits_not_bytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """These are bits. A byte has eight of them."""
    return 16 * batch * tokens * layers * kv_heads * width * per_number


@size.misconception
def in_gigabytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """These are gigabytes. Return bytes, as a whole number."""
    numbers = 2 * batch * tokens * layers * kv_heads * width
    return numbers * per_number / 1e9


@size.misconception
def in_gibibytes(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """These are gibibytes, 1024 to the power of 3. Return bytes, as a whole number."""
    numbers = 2 * batch * tokens * layers * kv_heads * width
    return numbers * per_number / 2**30


@size.misconception
def scores_kept(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """You multiplied by the tokens twice, as for scores. Nothing is kept for pairs of tokens: the
    cache grows with the tokens, not with their square.
    """
    numbers = 2 * batch * tokens**2 * layers * kv_heads * width
    return numbers * per_number


@size.accepts
def size_by_a_tensor(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """The size of a tensor that takes no memory."""
    shape = (layers, 2, batch, kv_heads, tokens, width)
    return torch.empty(shape, device="meta").numel() * per_number


@size.accepts
def size_in_a_loop(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """A loop over the layers."""
    total = 0
    for _ in range(layers):
        keys = batch * kv_heads * tokens * width
        total += (keys + keys) * per_number
    return total


@size.accepts
def size_by_a_product(
    batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> int:
    """math.prod."""
    return math.prod((2, batch, tokens, layers, kv_heads, width, per_number))


read = Exam(reference.bytes_read_per_token)

Reading = tuple[int, int, int, int, int, int, int]


@read.example
def tiny_model() -> Reading:
    """a model of 1001 parameters and two layers, four texts of ten tokens"""
    return 1001, 4, 10, 2, 3, 5, 2


@read.example
def llama_2_70b_alone() -> Reading:
    """LLaMA-2 70B, one text of 4096 tokens"""
    return 70_000_000_000, 1, 4096, 80, 8, 128, 2


@read.example
def llama_2_70b_in_company() -> Reading:
    """LLaMA-2 70B, 64 texts of 4096 tokens"""
    return 70_000_000_000, 64, 4096, 80, 8, 128, 2


@read.case
def any_reading(draw: Draw) -> Reading:
    """a model drawn at random, in 32 bits"""
    names = ("batch", "tokens", "num_layers", "num_kv_heads", "head_dim")
    return (int(draw.rng.integers(10, 999)), *(draw.size(name) for name in names), 4)  # type: ignore[return-value]


@read.case(times=1)
def nothing_cached_yet(draw: Draw) -> Reading:
    """the first token, with nothing in the cache"""
    return 12345, 7, 0, 2, 3, 5, 2


def cache_of_one(tokens: int, layers: int, kv_heads: int, width: int, per_number: int) -> int:
    return 2 * tokens * layers * kv_heads * width * per_number


@read.misconception
def parameters_not_shared(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """You let every text read the parameters by itself. One reading serves all texts of a step:
    divide it by the batch.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return float(n * per_number + cache)


@read.misconception
def cache_shared_as_well(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """You divided the cache by the batch, too. The texts share the parameters; each has a cache of
    its own.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return (n * per_number + cache) / batch


@read.misconception
def a_whole_step(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """These are the bytes of a whole step, which makes a token for every text. Divide by the
    batch.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return float(n * per_number + batch * cache)


@read.misconception
def all_caches(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """You counted the caches of all texts for one token. A token reads the cache of its own text
    alone.
    """
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n * per_number / batch + batch * cache


@read.misconception
def parameters_alone(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """The cache is missing: each new token reads all the keys and values of its text."""
    return n * per_number / batch


@read.misconception
def cache_alone(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """The parameters are missing: a step reads all of them."""
    return float(cache_of_one(tokens, layers, kv_heads, width, per_number))


@read.misconception
def parameters_not_in_bytes(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """You counted the parameters, not their bytes: each has bytes_per_number."""
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n / batch + cache


@read.misconception
def keys_read_only(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """You read the keys and forgot the values."""
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n * per_number / batch + cache / 2


@read.misconception
def new_token_only(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """You counted the keys and values of one token. The new one attends to all: it reads the whole
    cache of its text.
    """
    cache = cache_of_one(1, layers, kv_heads, width, per_number)
    return n * per_number / batch + cache


@read.misconception
def whole_bytes(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """You divided with //, which drops what is left over. Shares need not be whole: use /."""
    cache = cache_of_one(tokens, layers, kv_heads, width, per_number)
    return n // batch * per_number + cache


@read.accepts
def read_in_a_step(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """A whole step, divided by the batch."""
    numbers = n + 2 * batch * tokens * layers * kv_heads * width
    return numbers * per_number / batch


@read.accepts
def read_text_by_text(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """A loop over the texts and layers."""
    total = n * per_number
    for _ in range(batch):
        for _ in range(layers):
            total += 2 * tokens * kv_heads * width * per_number
    return total / batch


@read.accepts
def read_by_parts(
    n: int, batch: int, tokens: int, layers: int, kv_heads: int, width: int, per_number: int
) -> float:
    """Parameters and cache, each by itself."""
    parameters = n * per_number / batch
    keys = tokens * layers * kv_heads * width * per_number
    return parameters + 2.0 * keys
