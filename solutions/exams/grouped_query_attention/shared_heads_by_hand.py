"""The exam of `shared_heads_by_hand`, lesson 07."""

import torch

from autograder import Exam, Tolerance
from solutions import grouped_query_attention as reference
from solutions.exams.families import CARRIED, CONTEXT, TYPED, WEIGHTS, Worksheet

# So narrow that 0.269 is not 0.2689, as the weights of query head 1 begin.
FOUR_DECIMALS = Tolerance(absolute=5.5e-5)

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


class SharedHeads(Worksheet):
    """All query heads, one in each row."""

    def score(self) -> torch.Tensor:
        return QUERIES[:, None] * KEYS[SHARED]

    def mix(self, weights: torch.Tensor) -> torch.Tensor:
        return (weights * VALUES[SHARED]).sum(dim=-1)

    def filled(
        self, scores: torch.Tensor, weights: torch.Tensor, context: torch.Tensor
    ) -> dict[str, object]:
        return worksheet(SHARED, weights, context)


WEIGHTS.apply(
    by_hand,
    SharedHeads,
    says={
        "EvenWeights": "You gave both tokens the same weight. The weight of each depends on its "
        "score.",
    },
    without=["SharesOfTheScores"],
)
CONTEXT.apply(
    by_hand,
    SharedHeads,
    called={"Unweighted": "plain_averages"},
    says={
        "Unweighted": "This context is a plain average. Multiply each value by its weight before "
        "you add.",
        "PlainSum": "This context is a plain sum. Multiply each value by its weight before you "
        "add.",
    },
)
CARRIED.apply(
    by_hand,
    SharedHeads,
    called={"WeightsWithTwoDecimals": "two_decimals"},
    without=["EverythingWithTwoDecimals", "EverythingWithThreeDecimals"],
)
TYPED.apply(by_hand, called={"TypedWithTwoDecimals": "typed_two_decimals"})


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
    """The query of head 1 is −1, but you took 1. The minus reverses the order of its scores."""
    return worksheet(SHARED, torch.softmax(QUERIES.abs()[:, None] * KEYS[SHARED], dim=-1))


@by_hand.misconception
def no_query() -> dict[str, object]:
    """These weights are a softmax of the keys. A score is the query times the key."""
    weights = torch.softmax(KEYS[SHARED], dim=-1)
    return worksheet(SHARED, weights)


@by_hand.misconception
def shares_of_the_scores() -> dict[str, object]:
    """You divided each score by the sum of the scores. The softmax takes exponentials first."""
    scores = QUERIES[:, None] * KEYS[SHARED]
    # Both scores of a head with opposite keys sum to 0, and paper has no name for that.
    return worksheet(SHARED, (scores / scores.sum(dim=-1, keepdim=True)).nan_to_num(0, 0, 0))


@by_hand.misconception
def one_query_for_both() -> dict[str, object]:
    """You let query heads that share keys also share a query. Each query head has its own query."""
    asked = torch.softmax(QUERIES[[0, 0, 2, 2], None] * KEYS[SHARED], dim=-1)
    return worksheet(SHARED, asked)


@by_hand.misconception
def keys_mixed() -> dict[str, object]:
    """These contexts are mixtures of the keys. The weights mix the values."""
    weights = weighed(SHARED)
    return worksheet(SHARED, weights, (weights * KEYS[SHARED]).sum(dim=-1))


@by_hand.misconception
def kept_for_every_query_head() -> dict[str, object]:
    """Sixteen numbers would be the keys and values of four heads. Shared keys and values are cached
    once, and there are two key/value heads.
    """
    return worksheet(SHARED, weighed(SHARED), kept=16)


@by_hand.misconception
def half_of_it_kept() -> dict[str, object]:
    """Four numbers are half of what has to be cached. Either the values are missing, or one of the
    tokens, or one of the key/value heads.
    """
    return worksheet(SHARED, weighed(SHARED), kept=4)


@by_hand.misconception
def mixed_with_four_decimals() -> dict[str, object]:
    """The weights are right. The contexts were computed from weights rounded to four decimals, and
    the values are large: keep at least six, and round at the end.
    """
    rounded = weighed(SHARED).round(decimals=4)
    return worksheet(SHARED, rounded, (rounded * VALUES[SHARED]).sum(dim=-1))
