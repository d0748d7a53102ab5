"""The exam of `repaired_causal_attention`, lesson 04."""

from collections.abc import Callable

import torch
from torch.nn.functional import scaled_dot_product_attention

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import THREE_WORDS, future, hide, scaled
from solutions.exams.families import (
    FUTURE,
    MASK,
    ROLES,
    SCALE,
    SOFTMAX,
    TENSOR_DTYPE,
    ZERO_SCORES,
    Causal,
)

Triple = tuple[torch.Tensor, torch.Tensor, torch.Tensor]

repaired = Exam(reference.repaired_causal_attention)


@repaired.example
def three_words() -> Triple:
    """Hello shiny sun!, with keys that are the opposite of the queries"""
    # So the scores of the past are far below zero, and −10 in the future is a large one.
    apart = 9 * THREE_WORDS - 4.5
    return apart, -apart, THREE_WORDS


@repaired.example
def strong_opinions() -> Triple:
    """queries and keys that disagree, values of another width"""
    # The first query and the first key disagree so much that −100 in the future is a large score.
    queries = torch.tensor([[40, -30], [-5, 2], [1, 6], [3, 3]], dtype=torch.float64)
    keys = torch.tensor([[-3, 5], [6, -2], [-4, 5], [-6, -4]], dtype=torch.float64)
    values = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)
    return queries, keys, values


@repaired.example
def two_sentences() -> Triple:
    """two sentences of three words, with scores far below zero and a key of zeros"""
    queries = torch.tensor([[[2, 1], [1, -1], [0, 2]], [[90, -80], [1, 3], [2, 2]]]).double()
    keys = torch.tensor([[[0, 0], [1, 2], [-1, 1]], [[-90, 80], [-2, 1], [1, -3]]]).double()
    return queries, keys, torch.arange(6.0).double().reshape(2, 3, 1)


@repaired.case
def one_sentence(draw: Draw) -> Triple:
    """one sentence"""
    return draw.tensor("tokens d_k"), draw.tensor("tokens d_k"), draw.tensor("tokens d_v")


@repaired.case
def several_sentences(draw: Draw) -> Triple:
    """a batch of sentences"""
    queries, keys = draw.tensor("batch tokens d_k"), draw.tensor("batch tokens d_k")
    return queries, keys, draw.tensor("batch tokens d_v")


@repaired.case(times=1)
def heads_of_sentences(draw: Draw) -> Triple:
    """several batches of sentences, in several heads"""
    axes = "texts batch heads tokens"
    queries, keys = draw.tensor(f"{axes} d_k"), draw.tensor(f"{axes} d_k")
    return queries, keys, draw.tensor(f"{axes} d_v")


@repaired.case(times=1)
def large_keys(draw: Draw) -> Triple:
    """scores in the hundreds"""
    queries, keys = draw.tensor("batch tokens d_k", scale=20), draw.tensor("batch tokens d_k", 20)
    return queries, keys, draw.tensor("batch tokens d_v")


@repaired.case(times=1, dtypes=("float32",), hints=False)
def long_sentence(draw: Draw) -> Triple:
    """a text of more than a thousand words"""
    # Longer than the masks that models are often given.
    draw.fix(tokens=1030)
    return draw.tensor("tokens d_k"), draw.tensor("tokens d_k"), draw.tensor("tokens d_v")


def _repair(
    docstring: str, weigh: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], name: str
) -> None:
    """A wrong repair that differs in how scores and the mask of the future become weights."""

    def wrong(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return weigh(scaled(queries, keys), future(keys.shape[-2])) @ values

    wrong.__name__, wrong.__doc__ = name, docstring
    repaired.misconception(wrong)


@repaired.misconception
def as_given(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Everything is still NaN, as in the broken cell: a triangle of ones times −∞ has 0 · (−∞) in
    it. Fill with −∞ where the triangle is 1.
    """
    num_tokens, d_k = keys.shape[-2:]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * float("-inf")
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + mask
    return torch.softmax(attn_scores, dim=-1) @ values


_repair(
    "The NaNs are gone, but so are the weights: everything is 0, as when NaN is replaced by 0 at "
    "the end. Look for the line that produces the first NaN, and repair that one.",
    lambda scores, hidden: torch.softmax(scores + hidden * -torch.inf, dim=-1).nan_to_num(),
    "nan_to_zero_in_the_weights",
)
_repair(
    "The scores of the future are only lower by 10, as with −10 in place of −∞. The future still "
    "gets small weights, and large ones where the visible scores are low. Fill with −∞.",
    lambda scores, hidden: torch.softmax(scores - 10.0 * hidden, dim=-1),
    "minus_ten_in_place_of_infinity",
)
_repair(
    "The scores of the future are only lower by a number such as 100, as with −100 in place of "
    "−∞. Some scores of the past are lower still, so in their rows the future gets the weight. "
    "Fill with −∞.",
    lambda scores, hidden: torch.softmax(scores - 100.0 * hidden, dim=-1),
    "minus_hundred_in_place_of_infinity",
)


class Steps(Causal):
    """The repaired cell."""

    def answer(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> torch.Tensor:
        num_tokens = keys.shape[-2]
        return self.attend(queries, keys, values, self.future(num_tokens, num_tokens))


(MASK + ZERO_SCORES).apply(
    repaired,
    Steps,
    called={
        "NothingHidden": "mask_thrown_away",
        "InvertedMask": "filled_the_wrong_way_round",
        "ScoreOfZero": "future_scores_of_zero",
        "ScoreOfMinusHundred": "filled_with_minus_hundred",
        "PlusInfinity": "filled_with_plus_infinity",
        "MaskAdded": "triangle_added",
        "MaskedAfterwards": "masked_behind_the_softmax",
    },
    # What the broken cell does, and what is said below in the words of its triangle.
    without=["TimesInfinity", "MaskSubtracted"],
)
FUTURE.apply(
    repaired,
    Steps,
    called={"PastHidden": "other_triangle", "DiagonalHidden": "diagonal_hidden_too"},
    says={
        "PastHidden": "You hid what is below the diagonal. The triangle of the broken cell was the "
        "right one.",
    },
)
SCALE.apply(
    repaired,
    Steps,
    called={"Unscaled": "scale_lost"},
    says={"Unscaled": "The mask is right, but in repairing it you lost the division by √d_k."},
    without=("RootOfTheInputWidth", "RootOfTheQueries"),
)
SOFTMAX.apply(repaired, Steps, without=["SoftmaxOverTheFirstAxis"])
ROLES.apply(repaired, Steps)


_repair(
    "Every visible word gets the same weight: the scores of the past are lost, as when NaN is "
    "replaced by 0 in the scores. Look for the line that produces the first NaN, and repair that "
    "one.",
    lambda scores, hidden: hide(torch.zeros_like(scores), hidden),
    "nan_to_zero_in_the_scores",
)
_repair(
    "The scores of the future are only lower by 1, which makes its weights smaller but "
    "does not hide it. That happens if you subtract a triangle of ones, or use −1 in place of −∞. "
    "Fill with −∞ where the triangle is 1.",
    lambda scores, hidden: torch.softmax(scores - hidden.to(scores), dim=-1),
    "triangle_subtracted",
)


TENSOR_DTYPE.apply(repaired)


@repaired.accepts
def repaired_by_addition(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """A mask of zeros, filled with −∞ and added."""
    num_tokens, d_k = keys.shape[-2:]
    added = torch.zeros(num_tokens, num_tokens)
    added[torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) == 1] = float("-inf")
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + added
    return torch.softmax(attn_scores, dim=-1) @ values


@repaired.accepts
def repaired_by_triangle(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """A triangle of −∞, with no product."""
    num_tokens, d_k = keys.shape[-2:]
    added = torch.triu(torch.full((num_tokens, num_tokens), float("-inf")), diagonal=1)
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + added
    return torch.softmax(attn_scores, dim=-1) @ values


@repaired.accepts
def repaired_by_the_library(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """PyTorch's own."""
    return scaled_dot_product_attention(queries, keys, values, is_causal=True)


@repaired.accepts
def repaired_without_nan(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """NaN replaced where it is born."""
    num_tokens, d_k = keys.shape[-2:]
    product = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * float("-inf")
    added = torch.nan_to_num(product, nan=0.0, neginf=float("-inf"))
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + added
    return torch.softmax(attn_scores, dim=-1) @ values
