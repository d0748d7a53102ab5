"""A long text that every Python brings along, and vectors for a head that looks back in it."""

import re
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn.functional import normalize, one_hot

_BACK, _WIDTH = 5, 16
# The scaled score of a key whose five characters are the query's: it outweighs thousands of others.
_HIGHEST = 16.0


@dataclass(frozen=True)
class LookingBack:
    """A text, and a head that looks for earlier places like the present one, without training.

    Attributes:
        text: the characters.
        queries: the last five characters up to each position, (positions, d_k).
        keys: the five characters that ended one position earlier, (positions, d_k).
        values: the character that followed them, which stands at the position, (positions, d_v).
    """

    text: str
    queries: Tensor
    keys: Tensor
    values: Tensor

    def right(self, contexts: Tensor) -> float:
        """How often a context's largest feature is the next character, in the second half."""
        guesses, following = contexts[:-1].argmax(dim=-1), self.values[1:].argmax(dim=-1)
        half = len(guesses) // 2
        return (guesses == following)[half:].double().mean().item()


def look_back(length: int) -> LookingBack:
    """The beginning of Python's own manual, with the queries, keys and values of a head.

    Every character has a random unit vector of 16 features. A query is made of the vectors of the
    last five characters, and the key of a position of those before it, so that a query's largest
    scores are at the positions that follow the same five characters.
    """
    from pydoc_data.topics import topics  # A large module, which only this function needs.

    text = re.sub(r"\s+", " ", " ".join(topics[name] for name in sorted(topics)))[: length + 1]
    letters = sorted(set(text))
    ids = torch.tensor([letters.index(letter) for letter in text])
    generator = torch.Generator().manual_seed(0)
    vectors = normalize(torch.randn(len(letters), _WIDTH, generator=generator), dim=-1)[ids]
    padded = torch.cat([torch.zeros(_BACK - 1, _WIDTH), vectors])
    states = torch.cat([padded[i : i + len(text)] for i in range(_BACK)], dim=-1)
    sharp = states * (_HIGHEST / _BACK * (_BACK * _WIDTH) ** 0.5) ** 0.5
    values = one_hot(ids[1:], len(letters)).float()
    return LookingBack(text[1:], sharp[1:], sharp[:-1], values)
