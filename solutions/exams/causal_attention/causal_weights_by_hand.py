"""The exam of `causal_weights_by_hand`, lesson 04."""

import math

import torch

from autograder import Exam, Tolerance
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import THREE_WORDS, future, hide
from solutions.exams.families import CARRIED, CONTEXT, TYPED, WEIGHTS, Worksheet

HELLO, SHINY, SUN = range(3)
FOUR_DECIMALS = Tolerance(absolute=6e-5)

by_hand = Exam(reference.causal_weights_by_hand, tolerance=FOUR_DECIMALS, reveal=False)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def worksheet(weights: torch.Tensor) -> dict[str, object]:
    """The rows of a table of weights, and the context that comes of the second."""
    rows = dict(zip(("Hello", "shiny", "sun"), weights.tolist(), strict=True))
    context = (weights[SHINY] @ THREE_WORDS).tolist()
    return {
        **{f"weights of {word}": row for word, row in rows.items()},
        "context of shiny": context,
    }


def plain_scores() -> torch.Tensor:
    return THREE_WORDS @ THREE_WORDS.T


class Masked(Worksheet):
    """The weights of all words, and the context of "shiny"."""

    def score(self) -> torch.Tensor:
        return plain_scores().masked_fill(future(3), -torch.inf)

    def mix(self, weights: torch.Tensor) -> torch.Tensor:
        return weights[SHINY] @ THREE_WORDS

    def filled(
        self, scores: torch.Tensor, weights: torch.Tensor, context: torch.Tensor
    ) -> dict[str, object]:
        return {**worksheet(weights), "context of shiny": context.tolist()}


# What is hidden has no score on paper.
NEED_A_SCORE = ["SharesOfTheScores", "ScoresForWeights", "EvenWeights"]
WEIGHTS.apply(by_hand, Masked, without=NEED_A_SCORE)
CONTEXT.apply(by_hand, Masked, without=["ScoresInPlaceOfWeights"])
CARRIED.apply(
    by_hand,
    Masked,
    called={"WeightsWithTwoDecimals": "two_decimals"},
    without=["EverythingWithTwoDecimals", "EverythingWithThreeDecimals"],
)
TYPED.apply(by_hand, called={"TypedWithTwoDecimals": "two_decimals_throughout"})


@by_hand.misconception
def features_for_words() -> dict[str, object]:
    """In your context each number comes from the features of a single word. Feature j of the
    context adds up feature j of the visible words, each times its word's weight: go down the
    columns of the table, not along its rows.
    """
    weights = hide(plain_scores(), future(3))
    return {**worksheet(weights), "context of shiny": (THREE_WORDS @ weights[SHINY]).tolist()}


@by_hand.misconception
def nothing_hidden() -> dict[str, object]:
    """These are the weights of lesson 02, where every word sees every word. Leave out what comes
    after the query, in the sum as well.
    """
    return worksheet(plain_scores().softmax(dim=-1))


@by_hand.misconception
def hidden_but_still_counted() -> dict[str, object]:
    """You set the hidden weights to 0, but divided the others by the sum of all three exponentials.
    Each row has to sum to 1: divide by the sum over the visible words.
    """
    return worksheet(plain_scores().softmax(dim=-1).tril())


@by_hand.misconception
def hidden_score_of_zero() -> dict[str, object]:
    """Hidden words enter your softmax with the score 0, which counts as exp(0) = 1. A hidden word
    must not enter it at all.
    """
    return worksheet(plain_scores().tril().softmax(dim=-1))


@by_hand.misconception
def past_hidden() -> dict[str, object]:
    """You hid the words before the query. Hide the words after it instead: those are the ones to be
    predicted.
    """
    return worksheet(hide(plain_scores(), future(3).T))


@by_hand.misconception
def itself_hidden() -> dict[str, object]:
    """You hid the query itself as well. A word sees itself and what came before: only the words
    after it are hidden.
    """
    weights = hide(plain_scores(), future(3, 0)).nan_to_num()
    return worksheet(weights)


@by_hand.misconception
def scaled_as_well() -> dict[str, object]:
    """You divided the scores by the square root of 3. In this exercise they stay as they are in the
    table.
    """
    return worksheet(hide(plain_scores() / math.sqrt(3), future(3)))


@by_hand.misconception
def shares_of_scores() -> dict[str, object]:
    """You divided each score by the sum of the scores. The softmax takes exponentials first."""
    seen = plain_scores().tril()
    return worksheet(seen / seen.sum(dim=-1, keepdim=True))


@by_hand.misconception
def equal_shares() -> dict[str, object]:
    """You gave equal weights to the visible words. Each weight depends on the word's score."""
    seen = torch.ones(3, 3, dtype=torch.float64).tril()
    return worksheet(seen / seen.sum(dim=-1, keepdim=True))


@by_hand.misconception
def context_of_the_last_word() -> dict[str, object]:
    """This is the context of "sun", which sees everything. "shiny" has its own weights, with 0 for
    "sun".
    """
    weights_of_all = hide(plain_scores(), future(3))
    return {
        **worksheet(weights_of_all),
        "context of shiny": (weights_of_all[SUN] @ THREE_WORDS).tolist(),
    }


@by_hand.misconception
def context_of_everything() -> dict[str, object]:
    """This context mixes in "sun", too. Use the causal weights of "shiny", in which "sun" has 0."""
    context = (plain_scores().softmax(dim=-1)[SHINY] @ THREE_WORDS).tolist()
    return {**worksheet(hide(plain_scores(), future(3))), "context of shiny": context}
