"""Models without weights, to try on them what writes a text: each has a rule that one can follow.

Each is called as `model(tokens)` with whole numbers from 0 to 9, (batch, tokens), and returns
logits for these ten, (batch, tokens, 10). No two logits of a position are equal, and those at a
position depend on the tokens up to it.
"""

import torch
from torch import Tensor

_VOCABULARY = 10
_POSITIONS = 5


def counts_on(tokens: Tensor, /) -> Tensor:
    """The next number: 4 after 3, and 0 after 9."""
    return _favour(tokens + 1)


def hesitates(tokens: Tensor, /) -> Tensor:
    """The next number, by a hair: what draws its tokens may draw any of the ten."""
    return _favour(tokens + 1) / 30_000


def adds_up(tokens: Tensor, /) -> Tensor:
    """The last digit of the sum of all tokens so far, plus 1."""
    return _favour(tokens.cumsum(dim=1) + 1)


def counts_what_it_sees(tokens: Tensor, /) -> Tensor:
    """How many tokens there are so far, counted from the first one that the model is given."""
    return _favour(torch.ones_like(tokens).cumsum(dim=1))


def alternates(tokens: Tensor, /) -> Tensor:
    """1 after an even number, and 0 after an odd one."""
    return _favour((tokens + 1) % 2)


def has_five_positions(tokens: Tensor, /) -> Tensor:
    """The sum of the last token and of its position, of which there are five.

    Raises:
        IndexError: for more than five tokens.
    """
    num_tokens = tokens.shape[1]
    if num_tokens > _POSITIONS:
        raise IndexError(f"this model has {_POSITIONS} positions, and was given {num_tokens}")
    return _favour(tokens + torch.arange(num_tokens))


def _favour(tokens: Tensor) -> Tensor:
    """Logits that are largest at these tokens, and smaller the further one goes up from them."""
    distance = (torch.arange(_VOCABULARY) - tokens[..., None]) % _VOCABULARY
    batch, num_tokens = tokens.shape
    # Other scales and heights elsewhere, so that what mixes texts or positions finds no ties.
    scale = 1 + 0.1 * torch.arange(num_tokens)[:, None]
    return torch.arange(batch)[:, None, None] + scale * (4 - distance.sqrt())
