"""A small task that needs the order of words: who was named last?"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn.functional import cross_entropy

from companion.models.positions import rope, sinusoids

NAMES = ("Ann", "Bob", "Cleo", "Dan")
FILLER = "…"
KINDS = ("none", "learned", "sinusoids", "RoPE", "ALiBi")

_VOCABULARY = (FILLER, *NAMES)
_NAMED = 0.4
_WIDTH = 32
_HEADS = 4
_BATCH = 64
_TRIALS = 1000


@dataclass(frozen=True, eq=False)
class LastNamed:
    """A trained model, to be asked who was named last.

    Attributes:
        positions: how it was told the order, one of `KINDS`.
        length: how many words the sentences had that it learned from.
        losses: the loss after each step of training.
        model: the model itself.
    """

    positions: str
    length: int
    losses: tuple[float, ...]
    model: nn.Module

    def shares(self, sentence: str) -> dict[str, float]:
        """What the model believes after the last word of a sentence such as "Ann … Bob …"."""
        with torch.no_grad():
            logits = self.model(_ids(sentence.split()))[0, -1]
        return dict(zip(NAMES, logits[1:].softmax(dim=0).tolist(), strict=True))

    def weights(self, sentence: str) -> torch.Tensor:
        """The attention weights of each head, `(heads, words, words)`."""
        with torch.no_grad():
            found: torch.Tensor = self.model.weigh(self.model.embed(_ids(sentence.split())))[0]  # type: ignore[operator]
        return found[0]

    def accuracy(self, length: int) -> float:
        """The share of right answers after the last word of 1000 new sentences of this length.

        0 where the model has no positions for so many words, and gives no answer.
        """
        if self.positions == "learned" and length > self.length:
            return 0.0
        words, last = _sentences(_TRIALS, length, torch.Generator().manual_seed(1000 + length))
        with torch.no_grad():
            answers = self.model(words)[:, -1].argmax(dim=-1)
        return float((answers == last[:, -1]).double().mean())


def learn_who_was_last(
    positions: str, *, length: int = 16, steps: int = 300, seed: int = 0
) -> LastNamed:
    """Train one layer of causal attention to say, at each word, who was named last.

    It takes a second or two.

    Args:
        positions: how the model is told the order, one of `KINDS`.
        length: how many words each sentence has.
        steps: how many batches of 64 sentences to learn from.
        seed: of the sentences and of the first weights.

    Raises:
        ValueError: when `positions` is not one of `KINDS`.
    """
    if positions not in KINDS:
        raise ValueError(f"There is no model for {positions!r}: choose one of {', '.join(KINDS)}.")
    generator = torch.Generator().manual_seed(seed)
    # Forked, so that the learner's own random numbers are left alone.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = _Listener(positions, length)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(steps):
        words, last = _sentences(_BATCH, length, generator)
        loss = cross_entropy(model(words).flatten(0, 1), last.flatten())
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        optimizer.step()
        losses.append(loss.item())
    return LastNamed(positions, length, tuple(losses), model)


def _ids(words: Sequence[str]) -> torch.Tensor:
    return torch.tensor([[_VOCABULARY.index(word) for word in words]])


def _sentences(
    count: int, length: int, generator: torch.Generator
) -> tuple[torch.Tensor, torch.Tensor]:
    """Words, and at each of them the name that was the last one up to there; (count, length)."""
    names = torch.randint(1, len(_VOCABULARY), (count, length), generator=generator)
    words = names * (torch.rand(count, length, generator=generator) < _NAMED)
    # Somebody has to be named before anybody can be asked about it.
    words[:, 0] = names[:, 0]
    latest = torch.where(words > 0, torch.arange(length), 0).cummax(dim=1).values
    return words, words.gather(1, latest)


class _Listener(nn.Module):
    """Embeddings, one causal attention of four heads, and a score for each word."""

    def __init__(self, positions: str, length: int) -> None:
        super().__init__()
        self.positions = positions
        self.words = nn.Embedding(len(_VOCABULARY), _WIDTH)
        self.places = nn.Embedding(length, _WIDTH) if positions == "learned" else None
        self.qkv = nn.Linear(_WIDTH, 3 * _WIDTH)
        self.out = nn.Linear(_WIDTH, len(_VOCABULARY))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        weights, values = self.weigh(self.embed(words))
        scores: torch.Tensor = self.out((weights @ values).transpose(1, 2).flatten(2))
        return scores

    def embed(self, words: torch.Tensor) -> torch.Tensor:
        vectors: torch.Tensor = self.words(words)
        if self.places is not None:
            return vectors + self.places.weight[: words.shape[1]]
        if self.positions == "sinusoids":
            return vectors + sinusoids(words.shape[1], _WIDTH)
        return vectors

    def weigh(self, vectors: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        parts = self.qkv(vectors).chunk(3, dim=-1)
        queries, keys, values = (part.unflatten(-1, (_HEADS, -1)).transpose(1, 2) for part in parts)
        places = torch.arange(vectors.shape[1])
        if self.positions == "RoPE":
            queries, keys = rope(queries, places), rope(keys, places)
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(_WIDTH // _HEADS)
        if self.positions == "ALiBi":
            fall = torch.tensor([2.0 ** (-2 * (head + 1)) for head in range(_HEADS)])
            scores = scores + fall[:, None, None] * (places - places[:, None])
        future = places > places[:, None]
        return scores.masked_fill(future, -torch.inf).softmax(dim=-1), values
