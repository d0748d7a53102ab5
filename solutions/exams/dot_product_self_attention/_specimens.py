"""What the exams of lesson 02 share. What a retake has otherwise is `varied`."""

import numpy as np

import companion
from autograder.authoring.retakes.varied import Chance, varied
from companion import Sentence

Pair = tuple[np.ndarray, np.ndarray]
# Scores above it have exponentials that overflow in double precision.
_OVERFLOWING = 709.0


def _words_like(sentence: Sentence, chance: Chance, least: float, most: float) -> Sentence:
    """The same words with other vectors of two decimals.

    In each feature the words keep their order, from the smallest number to the largest.
    """
    numbers = chance.numbers(sentence.vectors.shape, least, most, decimals=2)
    places = sentence.vectors.argsort(axis=0).argsort(axis=0)
    vectors = np.take_along_axis(np.sort(numbers, axis=0), places, axis=0)
    return Sentence(sentence.words, vectors)


def _long_words(chance: Chance) -> np.ndarray:
    """Three words, of which the first two have scores with themselves that overflow."""
    while True:
        words = 5.0 * chance.numbers((3, 2), 1, 8, decimals=0, signed=True)
        if ((words @ words.T > _OVERFLOWING) == np.diag([True, True, False])).all():
            return words


def _disagreeing(chance: Chance) -> np.ndarray:
    """Three words in halves, the first two of which point away from each other."""
    while True:
        words = chance.numbers((3, 2), 1, 4, decimals=0, signed=True) / 2
        words[2, chance.one_of(2)] = 0
        scores = words @ words.T
        # A row that adds up to nothing can't be divided by its sum.
        if scores[0, 1] < 0 and np.abs(scores.sum(axis=1)).min() >= 0.5:
            return words


def _quarters(chance: Chance) -> np.ndarray:
    """Three quarters and halves, of which no sum is rounded."""
    numbers = chance.numbers((3,), 1, 4, decimals=0, signed=True) / 4
    return np.where(np.arange(3) == 0, numbers / abs(numbers) * 0.25, numbers)


def _big_scores(chance: Chance) -> np.ndarray:
    """Near a thousand, near minus a thousand, and far apart, in an order of chance."""
    near, far = np.array([0.0, 1.0, -1.0]), np.array([0.0, 0.0, -2.0])
    apart = np.array([1000.0, -1000.0, 0.0])
    turns = [chance.one_of(3) for _ in range(3)]
    shift = 1 + chance.one_of(9)
    rows = [1000 + shift + near, -1000 - shift + far, apart]
    return np.stack([np.roll(row, turn) for row, turn in zip(rows, turns, strict=True)])


HELLO_SHINY_SUN = varied(
    "HELLO_SHINY_SUN",
    companion.HELLO_SHINY_SUN,
    lambda chance: _words_like(companion.HELLO_SHINY_SUN, chance, 0.21, 0.98),
)
YOUR_JOURNEY = varied(
    "YOUR_JOURNEY",
    companion.YOUR_JOURNEY,
    lambda chance: _words_like(companion.YOUR_JOURNEY, chance, 0.05, 0.89),
)
# As many words as features, so that a product without its transpose fits, and shows what it makes.
FIVE_WORDS = varied(
    "FIVE_WORDS",
    np.array(
        [
            [0.6, -0.4, 0.9, 0.1, -0.3],
            [-0.8, 0.5, 0.2, -0.6, 0.7],
            [0.3, 0.8, -0.5, 0.4, 0.2],
            [-0.1, -0.9, 0.6, 0.7, -0.2],
            [0.5, 0.1, -0.7, -0.3, 0.8],
        ]
    ),
    lambda chance: chance.numbers((5, 5), 0.1, 0.9, decimals=1, signed=True),
)
LONG_WORDS = varied(
    "LONG_WORDS", np.array([[40.0, 10.0], [-20.0, 30.0], [5.0, -25.0]]), _long_words
)
DISAGREEING = varied("DISAGREEING", np.array([[2.0, -1.0], [-1.5, 0.5], [0.0, 1.0]]), _disagreeing)
STRANGER = varied(
    "STRANGER",
    np.array([1.125, -0.515, 0.255]),
    lambda chance: chance.numbers((3,), 0.4, 1.2, decimals=3, signed=True),
)
FIVE_FEATURES = varied(
    "FIVE_FEATURES",
    np.array([0.2, -0.7, 0.4, 0.9, -0.5]),
    lambda chance: chance.numbers((5,), 0.1, 0.9, decimals=1, signed=True),
)
OPPOSED_SCORES = varied(
    "OPPOSED_SCORES",
    np.array([[2.0, -1.0, 0.5], [-1.5, 1.0, -0.5]]),
    lambda chance: chance.numbers((2, 3), 1, 4, decimals=0, signed=True) / 2,
)
FOUR_SCORES = varied(
    "FOUR_SCORES",
    np.array([0.5, -1.0, 2.0, 1.5]),
    lambda chance: chance.numbers((4,), 1, 4, decimals=0, signed=True) / 2,
)
BIG_SCORES = varied(
    "BIG_SCORES",
    np.array([[1000.0, 1001.0, 999.0], [-1000.0, -1000.0, -1002.0], [1000.0, -1000.0, 0.0]]),
    _big_scores,
)
SIX_WEIGHTS = varied(
    "SIX_WEIGHTS",
    np.array([0.05, 0.1, 0.15, 0.4, 0.25, 0.05]),
    lambda chance: chance.weights(6, decimals=2),
)
FIVE_WEIGHTS = varied(
    "FIVE_WEIGHTS",
    np.array([0.05, 0.6, 0.1, 0.2, 0.05]),
    lambda chance: chance.weights(5, decimals=2),
)
# So far apart that each word finds itself alone: the weights are 0 and 1, and no sum is rounded.
FAR_APART = varied(
    "FAR_APART",
    40 * np.concatenate([np.eye(3), -np.eye(3)]),
    lambda chance: (31.0 + chance.one_of(9)) * np.concatenate([np.eye(3), -np.eye(3)]),
)
FOUR_TIMES_THE_SAME = varied(
    "FOUR_TIMES_THE_SAME",
    np.tile([0.5, -0.25, 1.0], (4, 1)),
    lambda chance: np.tile(_quarters(chance), (4, 1)),
)


def divided_by_sum(scores: np.ndarray) -> np.ndarray:
    """Shares of the total, as no attention takes them."""
    return scores / scores.sum(axis=-1, keepdims=True)


def attend(inputs: np.ndarray, attn_weights: np.ndarray) -> Pair:
    """What comes of a sentence with these weights."""
    return attn_weights @ inputs, attn_weights
