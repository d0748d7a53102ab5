"""What the exams of both worksheets, `shiny_by_hand` and `sun_by_hand`, share."""

import numpy as np

from autograder import Exam, Tolerance
from solutions.exams.dot_product_self_attention._specimens import HELLO_SHINY_SUN
from solutions.exams.families import CARRIED, CONTEXT, WEIGHTS, Worksheet
from solutions.foundations import softmax

HELLO, SHINY, SUN = range(3)
FOUR_DECIMALS = Tolerance(absolute=6e-5)


def worked(scores: np.ndarray, weights: np.ndarray, context: np.ndarray) -> dict[str, object]:
    """The three lines of a worksheet."""
    return {
        "scores": scores.tolist(),
        "weights": weights.tolist(),
        "context": context.tolist(),
    }


def examine_worksheet(exam: Exam, query: int) -> None:
    """The mistakes that both worksheets share."""
    words = HELLO_SHINY_SUN.vectors
    scores = words @ words[query]

    @exam.example
    def on_paper() -> tuple[()]:
        """your numbers"""
        return ()

    class Steps(Worksheet):
        """Dot products with the query, their softmax, and the words mixed by it."""

        def score(self) -> np.ndarray:
            return words @ words[query]

        def mix(self, weights: np.ndarray) -> np.ndarray:
            return weights @ words

        def filled(
            self, scores: np.ndarray, weights: np.ndarray, context: np.ndarray
        ) -> dict[str, object]:
            return worked(scores, weights, context)

    WEIGHTS.apply(exam, Steps)
    CONTEXT.apply(exam, Steps)
    CARRIED.apply(
        exam,
        Steps,
        called={
            "WeightsWithTwoDecimals": "rounded_to_two_decimals",
            "WeightsWithThreeDecimals": "rounded_to_three_decimals",
            "EverythingWithTwoDecimals": "everything_to_two_decimals",
            "EverythingWithThreeDecimals": "everything_to_three_decimals",
        },
    )

    @exam.misconception
    def features_for_words() -> dict[str, object]:
        """In your context each number comes from the features of a single word. Feature j of the
        context adds up feature j of all the words, each times its word's weight: go down the
        columns of the table, not along its rows.
        """
        weights = softmax(scores)
        return worked(scores, weights, words @ weights)

    @exam.misconception
    def divided_by_the_sum_of_another() -> dict[str, object]:
        """You divided by another word's sum of exponentials. Each query has its own sum: add up the
        three exponentials of this row.
        """
        other = np.exp(scores) / np.exp(words @ words[query - 1]).sum()
        return worked(scores, other, other @ words)

    @exam.misconception
    def the_word_before() -> dict[str, object]:
        """Some of these numbers are those of the word before. Now the next word is the query:
        compute its own scores, weights and context.
        """
        before = words @ words[query - 1]
        return worked(before, softmax(before), softmax(before) @ words)

    @exam.misconception
    def divided_before_the_softmax() -> dict[str, object]:
        """Your weights come from scores that were divided by √3, the square root of the number of
        features. That scaling comes in lesson 03; here, apply the softmax to the scores as they
        are.
        """
        even = softmax(scores / np.sqrt(3))
        return worked(scores, even, even @ words)

    @exam.misconception
    def divided_scores() -> dict[str, object]:
        """Your scores are divided by √3, the square root of the number of features. That scaling
        comes in lesson 03; here, leave the scores as they are.
        """
        even = softmax(scores / np.sqrt(3))
        return worked(scores / np.sqrt(3), even, even @ words)

    @exam.misconception
    def cosines() -> dict[str, object]:
        """These scores are cosines: the dot products divided by both lengths. Self-attention uses
        the dot products as they are.
        """
        lengths = np.linalg.norm(words, axis=1)
        cosine = scores / lengths / lengths[query]
        return worked(cosine, softmax(cosine), softmax(cosine) @ words)
