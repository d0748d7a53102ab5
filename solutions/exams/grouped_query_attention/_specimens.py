"""What the exams of lesson 07 share."""

import torch

from autograder import Draw
from companion import YOUR_JOURNEY
from solutions.exams.library_products import WHOLE_ATTENTIONS
from solutions.exams.printed_numbers import numbers

Weights = dict[str, torch.Tensor]

# Read-only arrays make torch warn, so they are copied.
SIX_WORDS = torch.tensor(YOUR_JOURNEY.vectors)
# One text as it is, one with its words in reverse and pushed apart.
TWO_TEXTS = torch.stack([SIX_WORDS, 4 * SIX_WORDS.flip(0) - 2])

# Given queries, keys and values, PyTorch's function is all that these exercises ask for.
OWN_WORK = WHOLE_ATTENTIONS


def future(num_tokens: int, diagonal: int = 1) -> torch.Tensor:
    """True above the diagonal."""
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal)


def hide(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """The softmax of what is left of the scores."""
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)


def printed_weights(d_out: int, kv_width: int, *, bias: bool = False) -> Weights:
    """Projections of three features, with short numbers."""
    found = {
        "W_query": numbers(3, d_out),
        "W_key": numbers(3, kv_width, start=60),
        "W_value": numbers(3, kv_width, start=90),
        "out_proj": numbers(d_out, d_out, start=120) / 2,
        "out_proj.bias": numbers(d_out, start=300),
    }
    if bias:
        found["W_query.bias"] = numbers(d_out, start=320)
        found["W_key.bias"] = numbers(kv_width, start=340)
        found["W_value.bias"] = numbers(kv_width, start=360)
    return found


def drawn_weights(draw: Draw, *, bias: bool = False) -> Weights:
    """The same, drawn; the draw has to know d_out and kv_width."""
    found = {
        "W_query": draw.tensor("d_in d_out"),
        "W_key": draw.tensor("d_in kv_width", scale=0.5),
        "W_value": draw.tensor("d_in kv_width", scale=0.5),
        # Small, because gradients that cancel out leave their rounding errors behind.
        "out_proj": draw.tensor("d_out d_out", scale=0.1),
        "out_proj.bias": draw.tensor("d_out"),
    }
    if bias:
        found["W_query.bias"] = draw.tensor("d_out")
        found["W_key.bias"] = draw.tensor("kv_width")
        found["W_value.bias"] = draw.tensor("kv_width")
    return found
