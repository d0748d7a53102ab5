"""A small model that has to look at two places at once, and what its heads look at."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import cross_entropy

LETTERS = "ADEGINRSTU"
SHOWN = "GARDEN"
_LENGTH = len(SHOWN)
_WIDTH = 32
_BATCH = 128


@dataclass(frozen=True)
class Recall:
    """A trained model's success, and where it looks.

    Attributes:
        losses: the loss after each step of training.
        left: the share of letters to the left that it names, on texts that it never saw.
        mirrored: the share of letters in the mirrored place that it names.
        letters: the text GARDEN, one letter per place.
        weights: the attention on that text, (heads, queries, keys).
    """

    losses: tuple[float, ...]
    left: float
    mirrored: float
    letters: tuple[str, ...]
    weights: torch.Tensor


def learn_two_lookups(num_heads: int, *, steps: int = 200, seed: int = 1) -> Recall:
    """Train one layer of attention to name two letters at each place of a text of six.

    One is the letter to the left, where the first place takes the last one's. The other is the
    letter in the mirrored place, as far from the end as this one is from the beginning.

    Args:
        num_heads: how many heads share the 32 features of the attention.
        steps: how many batches of 128 texts to learn from; 200 take about a second.
        seed: of the texts and of the first weights.
    """
    generator = torch.Generator().manual_seed(seed)
    # Forked, so that the learner's own random numbers are left alone.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = _Reader(num_heads)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        texts = _texts(_BATCH, generator)
        loss = cross_entropy(model(texts)[0].flatten(0, 2), _targets(texts).flatten())
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        optimizer.step()
        losses.append(loss.item())
    texts = _texts(2000, generator)
    with torch.no_grad():
        named, _ = model(texts)
        _, weights = model(torch.tensor([[LETTERS.index(letter) for letter in SHOWN]]))
    right = (named.argmax(dim=-1) == _targets(texts)).double().mean(dim=(0, 1))
    return Recall(tuple(losses), right[0].item(), right[1].item(), tuple(SHOWN), weights[0])


def _texts(count: int, generator: torch.Generator) -> torch.Tensor:
    return torch.randint(len(LETTERS), (count, _LENGTH), generator=generator)


def _targets(texts: torch.Tensor) -> torch.Tensor:
    """The letter to the left and the mirrored one, (count, length, 2)."""
    return torch.stack([texts.roll(1, dims=1), texts.flip(1)], dim=-1)


class _Reader(nn.Module):
    """Letters to vectors that know their place, one layer of attention, two letters named."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.letters = nn.Embedding(len(LETTERS), _WIDTH)
        self.places = nn.Embedding(_LENGTH, _WIDTH)
        self.attention = nn.MultiheadAttention(_WIDTH, num_heads, batch_first=True)
        self.names = nn.Linear(_WIDTH, 2 * len(LETTERS))

    def forward(self, texts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        inputs = self.letters(texts) + self.places.weight
        contexts, weights = self.attention(inputs, inputs, inputs, average_attn_weights=False)
        return self.names(contexts).unflatten(-1, (2, len(LETTERS))), weights
