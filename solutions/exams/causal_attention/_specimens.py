"""What the exams of lesson 04 share."""

import math

import torch

from autograder import Draw
from companion import HELLO_SHINY_SUN, YOUR_JOURNEY
from solutions.exams.families.masks import ScoreOfMinusHundred

Pair = tuple[torch.Tensor, torch.Tensor]

# Read-only arrays make torch warn, so they are copied.
THREE_WORDS = torch.tensor(HELLO_SHINY_SUN.vectors)
SIX_WORDS = torch.tensor(YOUR_JOURNEY.vectors)
SIX_SCORES = SIX_WORDS @ SIX_WORDS.T
SIX_WEIGHTS = SIX_SCORES.softmax(dim=-1).round(decimals=6)
# With scores far below zero and some that are large, so that 0, −10, −100 and −10,000 are no masks,
# and with scores of 0 that are visible.
MIXED_SCORES = torch.tensor(
    [
        [2.0, -1.0, 0.5, 30.0],
        [-1.5, 1.0, -0.5, 3.0],
        [-20000.0, -20001.0, -20002.0, 1.0],
        [0.0, 1.0, -1.0, 0.0],
    ],
    dtype=torch.float64,
)

# With visible scores below what is written in place of −∞, but for the lowest number of a dtype.
# Of as many numbers as the scores above, so that a card shows those first.
FAR_BELOW_SCORES = torch.tensor(
    [
        [-1e32, 1.0, 1.0, 1.0],
        [-2e32, -1e32, 1.0, 1.0],
        [-1e32, -3e32, -2e32, 1.0],
        [0.5, -1.0, 2.0, 0.0],
    ],
    dtype=torch.float64,
)

# One sentence as it is, one with its words in reverse and pushed apart.
TWO_SENTENCES = torch.stack([SIX_WORDS, 4 * SIX_WORDS.flip(0) - 2])


class ScoreOfMinusABillion(ScoreOfMinusHundred):
    """Hidden keys enter your softmax with a large negative score, such as −10⁹, but it is not below
    all scores: next to lower ones they get all the weight. Only −∞ is always low enough.
    """

    fill = -1e9


def future(num_tokens: int, diagonal: int = 1) -> torch.Tensor:
    """True above the diagonal."""
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal)


def far_below(draw: Draw, axis: str) -> torch.Tensor:
    """Scores below what is written in place of −∞, and far from each other.

    The logarithm of a sum of two that are equal would be rounded to either.
    """
    return -1e32 * torch.from_numpy(1.0 + draw.rng.permutation(draw.size(axis)))


def hide(scores: torch.Tensor, hidden: torch.Tensor, value: float = -torch.inf) -> torch.Tensor:
    """The softmax of what is left of the scores."""
    return torch.softmax(scores.masked_fill(hidden, value), dim=-1)


def scaled(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Scores as in lesson 03."""
    return queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
