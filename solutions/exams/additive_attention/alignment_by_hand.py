"""The exam of `alignment_by_hand`, lesson 01."""

import torch
from torch import Tensor

from autograder import Exam, Tolerance
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import tensor
from solutions.exams.families import CONTEXT, TYPED, WEIGHTS, Worksheet

# Who carries four decimals on the way is off by up to this.
FOUR_DECIMALS = Tolerance(absolute=2e-4)

by_hand = Exam(reference.alignment_by_hand, tolerance=FOUR_DECIMALS, reveal=False)

KEYS_BY_HAND = tensor([0.5, 0.5], [-0.5, 1.5], [1.0, 0.0])
WORDS_BY_HAND = tensor([2.0, 0.0], [0.0, 1.0], [1.0, -1.0])
V_BY_HAND = tensor(2.0, 1.0)
FIRST_QUERY, SECOND_QUERY = tensor(0.5, -0.5), tensor(-1.0, 0.5)


def worked(
    scores: Tensor, weights: Tensor | None = None, context: Tensor | None = None
) -> dict[str, object]:
    """The three lines of the worksheet; what is not given follows from what stands before it."""
    weights = torch.softmax(scores, dim=-1) if weights is None else weights
    context = weights @ WORDS_BY_HAND if context is None else context
    return {
        "scores": scores.tolist(),
        "weights": weights.tolist(),
        "context": context.tolist(),
    }


def scores_by_hand(query: Tensor = SECOND_QUERY) -> Tensor:
    """What the worksheet asks for first."""
    return torch.tanh(query + KEYS_BY_HAND) @ V_BY_HAND


def rounded_from(decimals: int) -> object:
    """Everything rounded on the way."""
    scores = (torch.tanh(SECOND_QUERY + KEYS_BY_HAND).round(decimals=decimals)) @ V_BY_HAND
    weights = torch.softmax(scores, dim=-1).round(decimals=decimals)
    return worked(scores, weights)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


class SecondStep(Worksheet):
    """The second step of the decoder."""

    def score(self) -> Tensor:
        return scores_by_hand()

    def mix(self, weights: Tensor) -> Tensor:
        return weights @ WORDS_BY_HAND

    def filled(self, scores: Tensor, weights: Tensor, context: Tensor) -> dict[str, object]:
        return worked(scores, weights, context)


WEIGHTS.apply(
    by_hand,
    SecondStep,
    called={"SharesOfTheScores": "shares_on_paper", "Exponentials": "exponentials_on_paper"},
)
CONTEXT.apply(by_hand, SecondStep, called={"Unweighted": "average_on_paper"})
TYPED.apply(by_hand, without=["CutOff"])


@by_hand.misconception
def the_first_step_again() -> object:
    """These are the numbers of the first step. In the second step the decoder has a different
    query: add that one to the keys.
    """
    return worked(scores_by_hand(FIRST_QUERY))


@by_hand.misconception
def no_tanh_on_paper() -> object:
    """The tanh is missing: you multiplied query + key by v directly. Take the tanh of each number
    first.
    """
    return worked((SECOND_QUERY + KEYS_BY_HAND) @ V_BY_HAND)


@by_hand.misconception
def v_forgotten_on_paper() -> object:
    """These scores are the sums of the two tanh values. Multiply each tanh by its entry of v before
    you add: the first counts twice.
    """
    return worked(torch.tanh(SECOND_QUERY + KEYS_BY_HAND).sum(dim=-1))


@by_hand.misconception
def tanh_at_the_end_on_paper() -> object:
    """You took the tanh of the score. Take it one step earlier: the tanh of query + key, entry by
    entry, and then the product with v.
    """
    return worked(torch.tanh((SECOND_QUERY + KEYS_BY_HAND) @ V_BY_HAND))


@by_hand.misconception
def dot_products_on_paper() -> object:
    """These scores are dot products of the query and the keys. Additive attention adds the two,
    takes the tanh and multiplies by v.
    """
    return worked(KEYS_BY_HAND @ SECOND_QUERY)


@by_hand.misconception
def multiplied_on_paper() -> object:
    """You multiplied the query and the key. Additive attention adds the two before the tanh."""
    return worked(torch.tanh(SECOND_QUERY * KEYS_BY_HAND) @ V_BY_HAND)


@by_hand.misconception
def context_of_keys_on_paper() -> object:
    """This context mixes the keys. The keys are only for comparing; the context mixes the
    annotations themselves.
    """
    scores = scores_by_hand()
    return worked(scores, None, torch.softmax(scores, dim=-1) @ KEYS_BY_HAND)


@by_hand.misconception
def two_decimals_on_paper() -> object:
    """You rounded along the way: this is the result if tanh and weights have two decimals. Carry at
    least five, and type four.
    """
    return rounded_from(2)


@by_hand.misconception
def three_decimals_on_paper() -> object:
    """You rounded along the way: this is the result if tanh and weights have three decimals. Carry
    at least five, and type four.
    """
    return rounded_from(3)


@by_hand.misconception
def sign_of_the_first_tanh() -> object:
    """A sign is missing in the first score: tanh(-0.5) is -tanh(0.5), which is negative."""
    tanhs = torch.tanh(SECOND_QUERY + KEYS_BY_HAND)
    tanhs[0] = tanhs[0].abs()
    return worked(tanhs @ V_BY_HAND)


@by_hand.misconception
def sign_of_the_second_tanh() -> object:
    """A sign is missing in the second score: tanh(-1.5) is -tanh(1.5), which is negative."""
    tanhs = torch.tanh(SECOND_QUERY + KEYS_BY_HAND)
    tanhs[1] = tanhs[1].abs()
    return worked(tanhs @ V_BY_HAND)


@by_hand.misconception
def signs_of_every_tanh() -> object:
    """The signs are missing: the tanh of a negative number is negative."""
    return worked(torch.tanh(SECOND_QUERY + KEYS_BY_HAND).abs() @ V_BY_HAND)


@by_hand.misconception
def v_swapped_on_paper() -> object:
    """You used v the other way round: the first tanh should count twice, the second once."""
    return worked(torch.tanh(SECOND_QUERY + KEYS_BY_HAND) @ V_BY_HAND.flip(0))


@by_hand.misconception
def separate_tanhs_on_paper() -> object:
    """You took the tanh of the query and the key separately. Add the two first, then take a single
    tanh.
    """
    return worked((torch.tanh(SECOND_QUERY) + torch.tanh(KEYS_BY_HAND)) @ V_BY_HAND)


@by_hand.misconception
def annotations_for_keys_on_paper() -> object:
    """You added the query to the annotations. Add it to the keys, the last column of the table."""
    return worked(torch.tanh(SECOND_QUERY + WORDS_BY_HAND) @ V_BY_HAND)


@by_hand.misconception
def sum_of_the_first_step() -> object:
    """You divided by the sum from the first step. The second step has its own exponentials, and so
    its own sum.
    """
    first_sum = scores_by_hand(FIRST_QUERY).exp().sum()
    return worked(scores_by_hand(), scores_by_hand().exp() / first_sum)


@by_hand.misconception
def context_of_the_first_step() -> object:
    """The scores and the weights are right, but this context uses the weights of the first step."""
    first_weights = torch.softmax(scores_by_hand(FIRST_QUERY), dim=-1)
    return worked(scores_by_hand(), None, first_weights @ WORDS_BY_HAND)


@by_hand.accepts
def four_decimals_on_paper() -> object:
    """Four decimals, carried all the way."""
    return rounded_from(4)
