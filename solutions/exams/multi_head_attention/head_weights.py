"""The exam of `head_weights`, lesson 05."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.families import (
    COMPARED,
    FAR_ABOVE,
    HEADS,
    LOOP,
    MASK,
    SCALE,
    SOFTMAX,
    SPLIT,
    TENSOR_DTYPE,
    ZERO_SCORES,
    Heads,
)
from solutions.exams.multi_head_attention._specimens import (
    ENDS,
    far_below_zero,
    future,
    mixed,
    split,
)

maps = Exam(reference.head_weights)

Maps = tuple[Tensor, Tensor, int, Tensor]

# Scores of this size lie below whatever is put in place of −∞, such as −10⁹ and −10³⁰, but for the
# lowest number of a dtype.
BEYOND = 2.0**100


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
    return mixed(2, 2, 8, seed=3), mixed(2, 3, 8, seed=4), 2, hidden


@maps.example
def more_heads_than_sentences() -> Maps:
    """two sentences with masks of their own, three heads"""
    hidden = torch.tensor([[[0, 1], [0, 0]], [[0, 0], [1, 0]]]).bool()
    return mixed(2, 2, 6, seed=7), mixed(2, 2, 6, seed=8), 3, hidden


@maps.example
def far_from_zero() -> Maps:
    """scores far below zero; in the second sentence one key is of zeros, whose scores are 0"""
    sentences = [
        far_below_zero((1, 2, 3), sizes, 8, seed=5, far=BEYOND)
        for sizes in ((1, 2, 3, 4), (0, 1, 2, 3))
    ]
    queries, keys = (torch.cat(parts) for parts in zip(*sentences, strict=True))
    return queries, keys, 2, future(4)[:3]


@maps.example
def far_above() -> Maps:
    """two queries, a hidden key whose scores are far above the visible ones"""
    queries = torch.tensor([[[1.0, 2.0], [0.0, 0.5]]]).double()
    keys = torch.tensor([[[-2 * BEYOND, -BEYOND], [1.0, -1.0]]]).double()
    return queries, keys, 2, future(2)


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
    draw.fix(**draw.in_turn(ENDS))
    return (*drawn_pair(draw), drawn_mask(draw, "batch queries keys"))


@maps.case(times=1)
def a_common_mask(draw: Draw) -> Maps:
    """one mask for all sentences"""
    return (*drawn_pair(draw), drawn_mask(draw, "queries keys"))


@maps.case(times=1)
def a_common_mask_of_the_same_sizes(draw: Draw) -> Maps:
    """one mask for all sentences, as many queries as keys, as sentences and as heads"""
    draw.fix(batch=3, queries=3, keys=3, heads=3)
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


class Steps(Heads):
    """From queries and keys to the weights of all heads."""

    def answer(self, queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
        self.head_dim = queries.shape[-1] // num_heads
        mask = hidden if hidden.ndim == 2 else hidden[:, None]
        return self.weigh(self.score(self.split(queries), self.split(keys)), mask)


(SCALE + HEADS + COMPARED + SOFTMAX + MASK + FAR_ABOVE + ZERO_SCORES + SPLIT).apply(
    maps,
    Steps,
    called={
        "Unscaled": "scores_not_scaled",
        "RootOfTheKeys": "root_of_keys",
        "RootOfTheQueries": "root_of_queries",
        "ScaledByAllFeatures": "root_of_all_features",
        "ScaledByHeads": "root_of_heads",
        "NothingHidden": "mask_ignored",
        "InvertedMask": "mask_inverted",
        "MaskedAfterwards": "mask_after_softmax",
        "SplitByWrongView": "heads_by_wrong_view",
    },
    says={
        "ScoreOfMinusHundred": "Hidden keys enter your softmax with a low score, such as −100 or "
        "−10⁹, but it is not below all scores: next to lower ones they get a lot of weight. Only "
        "−∞ is always low enough.",
        "ScoresLowered": "You lower the scores of hidden keys by a number such as 100 or 10⁹. "
        "Where the visible scores are lower than the hidden ones by even more than that, the "
        "hidden keys get the weight. Only −∞ is always low enough.",
    },
    without=("RootOfTheInputWidth", "RootOfTheValues"),
)


@maps.misconception
def no_axis_for_heads(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Masks and heads are lined up: head 0 hides what sentence 0 should hide, head 1 what sentence
    1 should hide. A mask (batch, queries, keys) needs an axis for the heads, hidden[:, None]. If
    your heads share an axis with the sentences, repeat each mask as many times in a row as there
    are heads.
    """
    scores = head_scores(queries, keys, num_heads)
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)


@maps.misconception
def masks_in_turn(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Your copies of the masks stand in turn, sentence 0, 1, 0, 1 and so on, as `repeat` lays them,
    but all heads of one sentence come before those of the next. Repeat each mask as many times in a
    row as there are heads: `hidden.repeat_interleave(num_heads, dim=0)`.
    """
    scores = head_scores(queries, keys, num_heads)
    if hidden.ndim == 2:
        return weigh(scores, hidden)
    in_turn = hidden.repeat(num_heads, 1, 1).reshape(scores.shape)
    return torch.softmax(scores.masked_fill(in_turn, -torch.inf), dim=-1)


@maps.misconception
def first_mask_for_all(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """Every sentence gets the mask of the first one. Each has its own, which needs an axis for the
    heads: hidden[:, None].
    """
    scores = head_scores(queries, keys, num_heads)
    return weigh(scores, hidden[0] if hidden.ndim == 3 else hidden)


@maps.misconception
def always_an_axis(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """hidden[:, None] is right for a mask with a batch. One mask for all sentences, (queries,
    keys), fits as it is, so check `hidden.ndim`.
    """
    scores = head_scores(queries, keys, num_heads)
    return torch.softmax(scores.masked_fill(hidden[:, None], -torch.inf), dim=-1)


@maps.misconception
def weights_averaged(queries: Tensor, keys: Tensor, num_heads: int, hidden: Tensor) -> Tensor:
    """This is the average over the heads, which nn.MultiheadAttention returns by default. Keep the
    weights of every head.
    """
    return weigh(head_scores(queries, keys, num_heads), hidden).mean(dim=1)


TENSOR_DTYPE.apply(maps)
LOOP.apply(maps)


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
    """Exponentials of the masked scores."""
    scores = head_scores(queries, keys, num_heads)
    scores[hidden.reshape(-1, 1, *hidden.shape[-2:]).expand_as(scores)] = -torch.inf
    shares = torch.exp(scores - scores.amax(dim=-1, keepdim=True))
    return shares / shares.sum(dim=-1, keepdim=True)
