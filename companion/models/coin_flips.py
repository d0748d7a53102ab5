"""A tiny model that learns to predict coin flips, as far as they can be predicted at all."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

_LENGTH = 12
_WIDTH = 32
_BATCH = 64


@dataclass(frozen=True)
class Guesses:
    """How training went, and how well the trained model guesses flips that it never saw.

    Attributes:
        losses: the loss after each step of training.
        inside: the share of right guesses where the flip to be guessed is in the text as well.
        next: the share of right guesses of the flip after the end of the text.
    """

    losses: tuple[float, ...]
    inside: float
    next: float


def learn_coin_flips(*, hide_future: bool, steps: int = 150, seed: int = 0) -> Guesses:
    """Train one layer of attention to guess the next one of random flips; it takes a second.

    Args:
        hide_future: whether the attention has a causal mask.
        steps: how many batches of 64 sequences to learn from.
        seed: of the flips and of the first weights.
    """
    generator = torch.Generator().manual_seed(seed)
    # Forked, so that the learner's own random numbers are left alone.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = _Guesser(hide_future)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        flips = torch.randint(2, (_BATCH, _LENGTH + 1), generator=generator)
        loss = cross_entropy(model(flips[:, :-1]).flatten(0, 1), flips[:, 1:].flatten())
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        optimizer.step()
        losses.append(loss.item())
    flips = torch.randint(2, (2000, _LENGTH + 1), generator=generator)
    with torch.no_grad():
        right = (model(flips[:, :-1]).argmax(dim=-1) == flips[:, 1:]).double()
    return Guesses(tuple(losses), right[:, :-1].mean().item(), right[:, -1].mean().item())


class _Guesser(nn.Module):
    """Flips to vectors that know their place, one head of attention, and two logits for each."""

    def __init__(self, hide_future: bool) -> None:
        super().__init__()
        self.hide_future = hide_future
        self.flips = nn.Embedding(2, _WIDTH)
        self.places = nn.Embedding(_LENGTH, _WIDTH)
        self.qkv = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.head = nn.Linear(_WIDTH, 2)

    def forward(self, flips: torch.Tensor) -> torch.Tensor:
        inputs = self.flips(flips) + self.places.weight
        queries, keys, values = self.qkv(inputs).chunk(3, dim=-1)
        contexts = scaled_dot_product_attention(queries, keys, values, is_causal=self.hide_future)
        logits: torch.Tensor = self.head(contexts)
        return logits
