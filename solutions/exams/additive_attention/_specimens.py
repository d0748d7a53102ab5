"""What the exams of lesson 01 share."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw
from companion import plain_cell, plain_score

Pair = tuple[Tensor, Tensor]
Three = tuple[Tensor, Tensor, Tensor]
Many = tuple[Tensor, ...]
Function = Callable[..., Tensor]
Score = Callable[[Tensor, Tensor], Tensor]
Cell = Callable[[Tensor, Tensor], Tensor]
BahdanauInputs = tuple[Tensor, Tensor, Tensor, Score, Cell]


def tensor(*rows: object) -> Tensor:
    """Numbers in double precision."""
    return torch.tensor(rows, dtype=torch.float64)


# The running example: three German words, a decoder state, and the weights between them.
STATE = tensor(1.0, -0.5)
WORDS = tensor([0.5, -1.0, 2.0], [-1.5, 0.5, 0.0], [1.0, 1.5, -0.5])
W_QUERY = tensor([0.5, -1.0, 0.2, 1.0], [1.5, 0.4, -0.6, 0.3])
W_KEY = tensor([0.3, 0.8, -0.5, 0.6], [-0.7, 0.1, 0.9, -0.2], [0.4, -0.3, 0.2, 1.1])
V = tensor(1.0, -2.0, 0.5, 1.5)
# Two sentences of four positions, the second of them with two words only.
BATCH = torch.stack(
    [
        tensor([0.5, -1.0, 2.0], [-1.5, 0.5, 0.0], [1.0, 1.5, -0.5], [0.3, -0.2, 1.2]),
        tensor([1.2, 0.4, -0.8], [-0.6, 1.0, 0.7], [9.0, -9.0, 9.0], [-9.0, 9.0, 9.0]),
    ]
)

# More positions than what is made once, for all lengths, has room for, and than a byte counts.
LONG = 1100

STATES = tensor([0.4, -0.6], [-0.9, 0.2])
LAST_WORDS = tensor([1.0, 0.5, -0.5, 0.2], [-0.3, 0.8, 0.6, -1.0])


def concat_arguments(draw: Draw) -> Many:
    """Arguments of sizes that differ."""
    W = torch.cat([draw.tensor("query_dim hidden"), draw.tensor("key_dim hidden")])
    return draw.tensor("query_dim"), draw.tensor("source key_dim"), W, draw.tensor("hidden")


def joined(state: Tensor, annotations: Tensor) -> Tensor:
    """The state in front of each annotation."""
    return torch.cat([state.expand(len(annotations), -1), annotations], dim=-1)


def draw_lengths(draw: Draw) -> Tensor:
    """Lengths from 1 to the number of positions, the first sentence the shortest or the longest."""
    batch, source = draw.size("batch"), draw.size("source")
    return torch.from_numpy(draw.rng.integers(1, source + 1, size=batch))


def hidden_places(scores: Tensor, lengths: Tensor) -> Tensor:
    """True where there is padding."""
    return torch.arange(scores.shape[-1]) >= lengths[:, None]


def mixture(score: Score, state: Tensor, annotations: Tensor) -> Pair:
    """The context of a state, and the weights that made it."""
    weights = torch.softmax(score(state, annotations), dim=-1)
    return (weights.unsqueeze(-1) * annotations).sum(dim=1), weights


def far_apart_score(state: Tensor, annotations: Tensor, /) -> Tensor:
    """Scores in the thousands, of one decoder above zero and of the next below."""
    odd = torch.arange(len(state)) % 2 == 1
    # Alike within a row, so that the weights are those of ordinary scores.
    return plain_score(state, annotations) + torch.where(odd, -2000, 2000)[:, None]


def step_arguments(draw: Draw) -> BahdanauInputs:
    """Arguments of sizes that differ."""
    return (
        draw.tensor("batch hidden"),
        draw.tensor("batch d_word"),
        draw.tensor("batch source key_dim"),
        plain_score,
        plain_cell,
    )
