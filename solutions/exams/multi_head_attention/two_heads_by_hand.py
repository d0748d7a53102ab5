"""The exam of `two_heads_by_hand`, lesson 05."""

import math

import torch
from torch import Tensor

from autograder import Exam, Tolerance
from solutions import multi_head_attention as reference
from solutions.exams.families import CARRIED, CONTEXT, TYPED, WEIGHTS, Worksheet

# Weights rounded to four decimals may be mixed: a weight of values up to 4 is off by up to 1e-4.
FOUR_DECIMALS = Tolerance(absolute=1.5e-4)

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
        "weights of head 0": first.tolist(),
        "weights of head 1": second.tolist(),
        "context of head 0": contexts[0].tolist(),
        "context of head 1": contexts[1].tolist(),
        "concatenated": torch.cat(contexts).tolist(),
    }


def two_rows(divisor: float) -> tuple[Tensor, Tensor]:
    scores = (KEYS[:, :2] @ QUERY[:2], KEYS[:, 2:] @ QUERY[2:])
    first, second = (torch.softmax(s / divisor, dim=0) for s in scores)
    return first, second


class TwoHeads(Worksheet):
    """Both heads, one in each row."""

    def score(self) -> Tensor:
        products = KEYS * QUERY / math.sqrt(2)
        return torch.stack([products[:, :2].sum(dim=1), products[:, 2:].sum(dim=1)])

    def mix(self, weights: Tensor) -> Tensor:
        return torch.stack([weights[0] @ VALUES[:, :2], weights[1] @ VALUES[:, 2:]])

    def filled(self, scores: Tensor, weights: Tensor, context: Tensor) -> dict[str, object]:
        return {
            **worksheet(*weights),
            "context of head 0": context[0].tolist(),
            "context of head 1": context[1].tolist(),
            "concatenated": context.flatten().tolist(),
        }


WEIGHTS.apply(by_hand, TwoHeads)
CONTEXT.apply(by_hand, TwoHeads)
CARRIED.apply(
    by_hand,
    TwoHeads,
    called={
        "WeightsWithTwoDecimals": "two_decimals",
        "WeightsWithThreeDecimals": "three_decimals",
    },
    without=["EverythingWithTwoDecimals", "EverythingWithThreeDecimals"],
)
TYPED.apply(by_hand, without=["CutOff"])


@by_hand.misconception
def not_scaled() -> dict[str, object]:
    """You did not divide the scores. Divide them by the square root of 2, the width of one head."""
    return worksheet(*two_rows(1))


@by_hand.misconception
def scaled_by_all_features() -> dict[str, object]:
    """Your scores are divided by 2: the square root of all four features, or the width of a head
    without the root. A head has two features, so its d_k is 2: divide by √2.
    """
    return worksheet(*two_rows(2))


@by_hand.misconception
def one_head_for_both() -> dict[str, object]:
    """Both heads have the same weights here, because you took the scores over all four features.
    Each head compares its own two features only.
    """
    weights = torch.softmax(KEYS @ QUERY / 2, dim=0)
    return worksheet(weights, weights)


@by_hand.misconception
def one_head_scaled_by_head() -> dict[str, object]:
    """You divided by √2, but took the scores over all four features. Each head compares its own two
    features only, so the two get different weights.
    """
    weights = torch.softmax(KEYS @ QUERY / math.sqrt(2), dim=0)
    return worksheet(weights, weights)


@by_hand.misconception
def every_other_feature() -> dict[str, object]:
    """You gave every other feature to a head. Head 0 should have the first two, head 1 the last
    two.
    """
    order = [0, 2, 1, 3]
    scores = KEYS[:, order] * QUERY[order] / math.sqrt(2)
    rows = (scores[:, :2].sum(1).softmax(0), scores[:, 2:].sum(1).softmax(0))
    return worksheet(*rows, VALUES[:, order])


@by_hand.misconception
def heads_exchanged() -> dict[str, object]:
    """The weights of the heads are swapped: head 0 has the first two features."""
    first, second = two_rows(math.sqrt(2))
    return worksheet(second, first)


@by_hand.misconception
def first_weights_for_both() -> dict[str, object]:
    """The weights are right, but the context of head 1 is mixed with the weights of head 0: each
    head mixes its own half of the values with its own weights.
    """
    first, second = two_rows(math.sqrt(2))
    return {**worksheet(first, first), "weights of head 1": second.tolist()}


@by_hand.misconception
def keys_mixed() -> dict[str, object]:
    """The weights are right. But you mixed the keys with them. Mix the values instead."""
    return worksheet(*two_rows(math.sqrt(2)), KEYS)


@by_hand.misconception
def contexts_take_turns() -> dict[str, object]:
    """The contexts are right, but here they alternate. Concatenated means first all of head 0, then
    all of head 1.
    """
    first, second = two_rows(math.sqrt(2))
    in_turns = torch.stack([first @ VALUES[:, :2], second @ VALUES[:, 2:]], dim=1).flatten()
    return {**worksheet(first, second), "concatenated": in_turns.tolist()}


@by_hand.misconception
def second_context_first() -> dict[str, object]:
    """The contexts are right. When they are concatenated, head 0 comes first."""
    first, second = two_rows(math.sqrt(2))
    reverse = torch.cat([second @ VALUES[:, 2:], first @ VALUES[:, :2]])
    return {**worksheet(first, second), "concatenated": reverse.tolist()}
