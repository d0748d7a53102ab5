"""A small language model of attention and nothing else, and what its heads look at."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from companion.reader.pieces import Pieces

LAYERS, HEADS, WIDTH = 2, 4, 128
LONGEST = 96
# Waves of 6 to 628 tokens, strong enough to tell neighbours apart from the first step on.
_SLOWEST, _STRENGTH = 100.0, 2.0
WEIGHTS_FILE = Path(__file__).with_name("reader.npz")


@dataclass(frozen=True)
class Reading:
    """What the reader made of a text.

    Attributes:
        pieces: the pieces of the text, "<start>" first.
        weights: the attention weights, (layers, heads, queries, keys).
        guess: what the reader expects next, with the blank before it if it begins a word.
    """

    pieces: tuple[str, ...]
    weights: Tensor
    guess: str


class Reader(nn.Module):
    """Names the next piece of a text, with two layers of attention.

    Each layer reads a normalised copy of the tokens and adds what it has found to them. Positions
    are sinusoids, added to what queries and keys are made of and not to what values are made of, as
    in Shortformer (Press et al. 2021) and in the models of Elhage et al. (2021).

    Args:
        pieces: the vocabulary.
    """

    def __init__(self, pieces: Pieces) -> None:
        super().__init__()
        self.pieces = pieces
        self.tokens = nn.Embedding(len(pieces), WIDTH)
        self.layers = nn.ModuleList(
            nn.MultiheadAttention(WIDTH, HEADS, batch_first=True) for _ in range(LAYERS)
        )
        self.norms = nn.ModuleList(nn.LayerNorm(WIDTH) for _ in range(LAYERS))
        self.last_norm = nn.LayerNorm(WIDTH)
        self.logits = nn.Linear(WIDTH, len(pieces))
        self.dropout = nn.Dropout(0.1)

    def forward(self, numbers: Tensor) -> tuple[Tensor, Tensor]:
        """The logits of each next piece, and all attention weights.

        Args:
            numbers: of pieces, (batch, tokens).

        Returns:
            (batch, tokens, pieces), and (batch, layers, heads, queries, keys).
        """
        count = numbers.shape[1]
        positions, future = _positions(count), torch.ones(count, count).triu(1).bool()
        x = self.dropout(self.tokens(numbers))
        seen = []
        for norm, layer in zip(self.norms, self.layers, strict=True):
            tokens = norm(x)
            placed = tokens + positions
            found, weights = layer(
                placed, placed, tokens, attn_mask=future, average_attn_weights=False
            )
            x = x + self.dropout(found)
            seen.append(weights)
        return cast(Tensor, self.logits(self.last_norm(x))), torch.stack(seen, dim=1)

    @torch.no_grad()
    def read(self, text: str) -> Reading:
        """Read a text, and keep where each head looks.

        Raises:
            ValueError: when the text has more pieces than the reader can hold.
        """
        numbers = self.pieces.encode(text)
        if len(numbers) > LONGEST:
            raise ValueError(
                f"The text has {len(numbers) - 1} pieces, and the reader holds {LONGEST - 1}: "
                "pass a shorter one."
            )
        logits, weights = self(torch.tensor([numbers]))
        # A blank is a piece as well, before a word that is spelled in single letters.
        names = [self.pieces.pieces[number].strip() or "␣" for number in numbers]
        guess = self.pieces.pieces[int(logits[0, -1].argmax())]
        return Reading(tuple(names), weights[0], guess)


def _positions(count: int) -> Tensor:
    """Sines and cosines, (count, width)."""
    turns = _SLOWEST ** -(torch.arange(0, WIDTH, 2) / WIDTH)
    angles = torch.arange(count)[:, None] * turns
    return _STRENGTH * torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


def save_reader(reader: Reader) -> None:
    """Write pieces and weights to the shipped file, the weights in half precision."""
    numbers = {name: w.numpy().astype(np.float16) for name, w in reader.state_dict().items()}
    np.savez_compressed(
        WEIGHTS_FILE, allow_pickle=False, pieces=np.array(reader.pieces.pieces), **numbers
    )


def load_reader() -> Reader:
    """The reader that this course ships, trained by `tools/train_reader.py`."""
    with np.load(WEIGHTS_FILE, allow_pickle=False) as numbers:
        pieces = Pieces(numbers["pieces"].tolist())
        weights = {
            name: torch.from_numpy(numbers[name]).float()
            for name in numbers.files
            if name != "pieces"
        }
    with torch.random.fork_rng(devices=[]):
        reader = Reader(pieces)
    reader.load_state_dict(weights)
    return reader.eval()
