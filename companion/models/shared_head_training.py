"""A small multi-head model, turned into one with fewer key/value heads, and trained on.

Its task needs several heads: at each place of a text of random letters it has to say which letters
stood one, two, three and four places before.
"""

from dataclasses import dataclass
from typing import Literal

import torch
from torch import nn
from torch.nn.functional import cross_entropy, scaled_dot_product_attention

Conversion = Literal["mean", "first", "random"]

_LETTERS = 12
_LENGTH = 16
_WIDTH, _HEADS = 64, 8
_BACK = 4
_BATCH = 64


@dataclass(frozen=True)
class Converted:
    """What became of a converted model.

    Attributes:
        losses: on texts that it never saw, before each step of further training and after the last.
        right: the share of right answers just after the conversion.
        right_in_the_end: the same, after the last step.
    """

    losses: tuple[float, ...]
    right: float
    right_in_the_end: float


def train_multi_head(steps: int = 100, seed: int = 0) -> nn.Module:
    """Train a model with 8 query heads and 8 key/value heads; it takes a second or two."""
    # Forked, so that the learner's own random numbers are left alone.
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = _Recaller(_HEADS)
    _train(model, steps, rate=1e-2, seed=seed)
    return model


def convert_and_train(
    model: nn.Module, num_kv_heads: int, how: Conversion = "mean", steps: int = 40, seed: int = 1
) -> Converted:
    """Give a trained multi-head model fewer key/value heads, and train it some more.

    Args:
        model: from `train_multi_head`; it is left as it is.
        num_kv_heads: 8, 4, 2 or 1.
        how: the new heads are the mean of the heads that they replace, the first of these, or drawn
            at random, as large as the old ones.
        steps: of further training.
        seed: of the texts, and of heads drawn at random.
    """
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        smaller = _Recaller(num_kv_heads)
        state = {name: value.clone() for name, value in model.state_dict().items()}
        for name in ("W_key.weight", "W_value.weight"):
            state[name] = _pooled(state[name], num_kv_heads, how)
    smaller.load_state_dict(state)
    right = _share_right(smaller)
    losses = _train(smaller, steps, rate=3e-3, seed=seed)
    return Converted(losses, right, _share_right(smaller))


def _pooled(weight: torch.Tensor, num_kv_heads: int, how: Conversion) -> torch.Tensor:
    """A projection of an nn.Linear, whose rows are the features of the heads, with fewer heads."""
    shares = _HEADS // num_kv_heads
    choice = torch.full((shares,), 1 / shares) if how == "mean" else torch.eye(shares)[0]
    if how == "random":
        weight = weight.std() * torch.randn_like(weight)
    mixing = torch.kron(torch.eye(num_kv_heads), choice)
    return torch.kron(mixing, torch.eye(_WIDTH // _HEADS)) @ weight


class _Recaller(nn.Module):
    """Letters and places to vectors, one layer of attention, and a guess for each letter back."""

    def __init__(self, num_kv_heads: int) -> None:
        super().__init__()
        narrow = num_kv_heads * _WIDTH // _HEADS
        self.letters = nn.Embedding(_LETTERS, _WIDTH)
        self.places = nn.Embedding(_LENGTH, _WIDTH)
        self.W_query = nn.Linear(_WIDTH, _WIDTH, bias=False)
        self.W_key = nn.Linear(_WIDTH, narrow, bias=False)
        self.W_value = nn.Linear(_WIDTH, narrow, bias=False)
        self.out_proj = nn.Linear(_WIDTH, _WIDTH)
        self.guesses = nn.Linear(_WIDTH, _BACK * _LETTERS)

    def forward(self, letters: torch.Tensor) -> torch.Tensor:
        inputs = self.letters(letters) + self.places.weight
        queries, keys, values = (
            layer(inputs).unflatten(-1, (-1, _WIDTH // _HEADS)).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        context = scaled_dot_product_attention(
            queries, keys, values, is_causal=True, enable_gqa=True
        )
        guesses = self.guesses(self.out_proj(context.transpose(1, 2).flatten(2)))
        shaped: torch.Tensor = guesses.unflatten(-1, (_BACK, _LETTERS))
        return shaped


def _texts(count: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Texts, and for each place the letters that stood before it."""
    letters = torch.randint(_LETTERS, (count, _LENGTH), generator=generator)
    return letters, torch.stack([letters.roll(back, 1) for back in range(1, _BACK + 1)], dim=-1)


def _loss(model: nn.Module, letters: torch.Tensor, answers: torch.Tensor) -> torch.Tensor:
    # The first places have no letters to look back to.
    guesses = model(letters)[:, _BACK:]
    return cross_entropy(guesses.flatten(0, 2), answers[:, _BACK:].flatten())


def _train(model: nn.Module, steps: int, rate: float, seed: int) -> tuple[float, ...]:
    generator = torch.Generator().manual_seed(seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for _ in range(steps + 1):
        # Each text is new, so a loss before its step is a loss on texts never seen.
        loss = _loss(model, *_texts(_BATCH, generator))
        losses.append(loss.item())
        optimizer.zero_grad()
        torch.autograd.backward([loss])
        if len(losses) <= steps:
            optimizer.step()
    return tuple(losses)


def _share_right(model: nn.Module) -> float:
    letters, answers = _texts(500, torch.Generator().manual_seed(99))
    with torch.no_grad():
        best = model(letters).argmax(dim=-1)
    return float((best == answers)[:, _BACK:].double().mean())
