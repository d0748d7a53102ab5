"""What the exams of lesson 02 share."""

import numpy as np

Pair = tuple[np.ndarray, np.ndarray]
# As many words as features, so that a product without its transpose fits, and shows what it makes.
FIVE_WORDS = np.array(
    [
        [0.6, -0.4, 0.9, 0.1, -0.3],
        [-0.8, 0.5, 0.2, -0.6, 0.7],
        [0.3, 0.8, -0.5, 0.4, 0.2],
        [-0.1, -0.9, 0.6, 0.7, -0.2],
        [0.5, 0.1, -0.7, -0.3, 0.8],
    ]
)
LONG_WORDS = np.array([[40.0, 10.0], [-20.0, 30.0], [5.0, -25.0]])


def divided_by_sum(scores: np.ndarray) -> np.ndarray:
    """Shares of the total, as no attention takes them."""
    return scores / scores.sum(axis=-1, keepdims=True)


def attend(inputs: np.ndarray, attn_weights: np.ndarray) -> Pair:
    """What comes of a sentence with these weights."""
    return attn_weights @ inputs, attn_weights
