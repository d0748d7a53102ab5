"""Stacks of many blocks, wired in three ways: what reaches their first block, and do they learn?"""

from collections.abc import Callable
from functools import partial
from typing import Literal

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from companion.models.training import progress

Wiring = Literal["none", "post", "pre"]
_WIDTH, _HEADS, _LETTERS = 32, 4, 10
_PERIOD, _TIMES, _BATCH = 4, 4, 16


class Stack(nn.Module):
    """A causal model of blocks of attention and feed-forward layers, which names letters.

    Args:
        wiring: "none", each layer is given what the one before returns; "post", it is added to its
            input and the sum is normalised; "pre", its input is normalised, and the sum is not.
        depth: the number of blocks.
    """

    def __init__(self, wiring: Wiring, depth: int) -> None:
        super().__init__()
        self.wiring = wiring
        self.letters = nn.Embedding(_LETTERS, _WIDTH)
        self.places = nn.Embedding(_PERIOD * _TIMES, _WIDTH)
        self.attentions, self.feeds, self.norms = (nn.ModuleList() for _ in range(3))
        for _ in range(depth):
            self.attentions.append(nn.MultiheadAttention(_WIDTH, _HEADS, batch_first=True))
            wide = 4 * _WIDTH
            self.feeds.append(
                nn.Sequential(nn.Linear(_WIDTH, wide), nn.ReLU(), nn.Linear(wide, _WIDTH))
            )
            self.norms.extend([nn.LayerNorm(_WIDTH), nn.LayerNorm(_WIDTH)])
        self.last_norm = nn.LayerNorm(_WIDTH) if wiring == "pre" else nn.Identity()
        self.logits = nn.Linear(_WIDTH, _LETTERS)

    def forward(self, letters: Tensor) -> tuple[Tensor, list[Tensor]]:
        """(batch, tokens) to logits (batch, tokens, letters), and what goes into each block."""
        x = self.letters(letters) + self.places.weight[: letters.shape[1]]
        future = torch.ones(letters.shape[1], letters.shape[1], dtype=torch.bool).triu(1)
        inputs = []
        for block, attention in enumerate(self.attentions):
            inputs.append(x)
            x = self._step(2 * block, x, partial(_attend, attention, future))
            x = self._step(2 * block + 1, x, self.feeds[block])
        return self.logits(self.last_norm(x)), inputs

    def _step(self, number: int, x: Tensor, layer: Callable[[Tensor], Tensor]) -> Tensor:
        norm: Callable[[Tensor], Tensor] = self.norms[number]
        if self.wiring == "none":
            return layer(x)
        return norm(x + layer(x)) if self.wiring == "post" else x + layer(norm(x))


def gradients_by_depth(wiring: Wiring, depth: int = 24, seed: int = 0) -> list[float]:
    """How long the gradient of the loss is for what goes into each block, before any training.

    Args:
        wiring: "none", "post" or "pre".
        depth: the number of blocks.
        seed: of the weights and the letters.

    Returns:
        A norm for each block, the first block first.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        # In float32, what reaches the first block without residuals is rounded to 0.
        stack, text = Stack(wiring, depth).double(), _text()
    logits, inputs = stack(text[:, :-1])
    gradients = torch.autograd.grad(_loss(logits, text), inputs)
    return [gradient.norm().item() for gradient in gradients]


def train_stack(
    wiring: Wiring, depth: int = 24, steps: int = 100, rate: float = 3e-3, seed: int = 0
) -> list[float]:
    """Train a stack to go on with four letters that come again and again.

    Args:
        wiring: "none", "post" or "pre".
        depth: the number of blocks.
        steps: of the training, by Adam.
        rate: the learning rate, the same in all steps.
        seed: of the weights and the letters.

    Returns:
        The loss before each step.
    """
    losses: list[float] = []
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        stack = Stack(wiring, depth)
        optimiser = torch.optim.Adam(stack.parameters(), lr=rate)
        for _ in progress(range(steps), f"{wiring:5}", note=lambda: _last(losses)):
            text = _text()
            loss = _loss(stack(text[:, :-1])[0], text)
            optimiser.zero_grad()
            torch.autograd.backward(loss)
            optimiser.step()
            losses.append(loss.item())
    return losses


def _text() -> Tensor:
    return torch.randint(_LETTERS, (_BATCH, _PERIOD)).repeat(1, _TIMES)


def _loss(logits: Tensor, text: Tensor) -> Tensor:
    """For the letters that can be known: all after the first four."""
    return cross_entropy(logits[:, _PERIOD - 1 :].flatten(0, 1), text[:, _PERIOD:].flatten())


def _attend(layer: nn.Module, future: Tensor, x: Tensor) -> Tensor:
    attended: Tensor = layer(x, x, x, attn_mask=future, need_weights=False)[0]
    return attended


def _last(losses: list[float]) -> str:
    return f"loss {losses[-1]:.2f}" if losses else ""
