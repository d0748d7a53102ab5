"""What the exams of lesson 04 share."""

import math

import torch

from companion import HELLO_SHINY_SUN, YOUR_JOURNEY

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

# One sentence as it is, one with its words in reverse and pushed apart.
TWO_SENTENCES = torch.stack([SIX_WORDS, 4 * SIX_WORDS.flip(0) - 2])


def future(num_tokens: int, diagonal: int = 1) -> torch.Tensor:
    """True above the diagonal."""
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal)


def hide(scores: torch.Tensor, hidden: torch.Tensor, value: float = -torch.inf) -> torch.Tensor:
    """The softmax of what is left of the scores."""
    return torch.softmax(scores.masked_fill(hidden, value), dim=-1)


def scaled(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Scores as in lesson 03."""
    return queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])
