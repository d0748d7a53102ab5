"""An encoder–decoder that translates, with attention (Bahdanau et al. 2014) or without it.

The encoder is a bidirectional GRU, the decoder a GRU cell. With attention, each step of the decoder
has a context of its own; without it, every step has the same: the encoder's two last states.

It is written to be trained in half a minute. Lesson 01 builds its attention step by step; whoever
reads on here finds one that is finished.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import torch
from torch import Tensor, nn

from companion.inputs.lexicon import Words
from companion.inputs.translation import ENDINGS, Pair, vocabulary

WIDTH = 48
EMBEDDING = 24
# A translation has at most this many words, or this many more than there are to read.
_LONGEST, _MORE = 30, 6
_START = "<start>"
NO_WORD = 0
# From states (batch, hidden), annotations and lengths to contexts and weights.
Look = Callable[[Tensor, Tensor, Tensor], tuple[Tensor, Tensor]]


class Vocabulary:
    """Words and their numbers; 0 is no word at all, 1 the start of a translation."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = ["", _START, *words]
        self.numbers = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def encode(self, sentences: Sequence[Words]) -> Tensor:
        """(sentences, words of the longest): shorter sentences end in 0.

        Raises:
            ValueError: for a word that the model has never seen.
        """
        unknown = {word for words in sentences for word in words} - self.numbers.keys()
        if unknown:
            raise ValueError(
                f"The translator does not know {', '.join(map(repr, sorted(unknown)))}: use words "
                "of `training_pairs`, nouns with a capital and all others without."
            )
        longest = max(map(len, sentences))
        return torch.tensor(
            [[*(self.numbers[word] for word in words), *[NO_WORD] * (longest - len(words))]
             for words in sentences]
        )  # fmt: skip


@dataclass(frozen=True)
class Translation:
    """What a translator made of a sentence.

    Attributes:
        german: the words that it read.
        english: the words that it wrote.
        weights: `(english, german)`, its attention weights; None without attention.
    """

    german: Words
    english: Words
    weights: Tensor | None


class Translator(nn.Module):
    """German in, English out.

    Args:
        attention: whether the decoder attends to the words of the German sentence.
    """

    def __init__(self, *, attention: bool) -> None:
        super().__init__()
        german, english = vocabulary()
        self.attention = attention
        self.german, self.english = Vocabulary(german), Vocabulary(english)
        self.german_vectors = nn.Embedding(len(self.german), EMBEDDING)
        self.english_vectors = nn.Embedding(len(self.english), EMBEDDING)
        self.encoder = nn.GRU(EMBEDDING, WIDTH, bidirectional=True, batch_first=True)
        self.first_state = nn.Linear(2 * WIDTH, WIDTH)
        self.cell = nn.GRUCell(EMBEDDING + 2 * WIDTH, WIDTH)
        if attention:
            self.from_state = nn.Linear(WIDTH, WIDTH, bias=False)
            self.from_annotation = nn.Linear(2 * WIDTH, WIDTH, bias=False)
            self.rating = nn.Linear(WIDTH, 1, bias=False)
        self.other: Look | None = None
        self.logits = nn.Linear(3 * WIDTH, len(self.english))
        # Without it the decoder learns which words follow each other, and guesses.
        self.dropout = nn.Dropout(0.2)

    def forward(self, german: Tensor, english: Tensor) -> Tensor:
        """Teacher forcing: the logits of every next word, given all the right ones before it.

        Args:
            german: `(batch, source)`, all sentences of one length.
            english: `(batch, target)`, padded with 0.

        Returns:
            `(batch, target, words)`.
        """
        reading = self._read(german)
        starts = torch.full_like(english[:, :1], self.english.numbers[_START])
        written = self.dropout(self.english_vectors(torch.cat([starts, english[:, :-1]], dim=1)))
        state, outputs = reading.state, []
        for word in written.unbind(dim=1):
            context, _ = self._look(state, reading)
            state = self.cell(torch.cat([word, context], dim=-1), state)
            outputs.append(torch.cat([state, context], dim=-1))
        return cast(Tensor, self.logits(self.dropout(torch.stack(outputs, dim=1))))

    @torch.no_grad()
    def translate(self, sentence: str) -> Translation:
        """Translate a German sentence, each time writing the likeliest word.

        Raises:
            ValueError: for a word that the model has never seen.
        """
        words = split(sentence)
        return self.translate_all([words])[0]

    @torch.no_grad()
    def translate_all(self, sentences: Sequence[Words]) -> list[Translation]:
        """Translate sentences of one length together."""
        self.eval()
        reading = self._read(self.german.encode(sentences))
        word = torch.full((len(sentences),), self.english.numbers[_START])
        state, written, looks = reading.state, [], []
        for _ in range(max(_LONGEST, reading.annotations.shape[1] + _MORE)):
            context, weights = self._look(state, reading)
            state = self.cell(torch.cat([self.english_vectors(word), context], dim=-1), state)
            word = self.logits(torch.cat([state, context], dim=-1)).argmax(dim=-1)
            written.append(word)
            looks.append(weights)
        maps = torch.stack(looks, dim=1)
        return [
            self._translation(words, numbers.tolist(), seen)
            for words, numbers, seen in zip(
                sentences, torch.stack(written, dim=1), maps, strict=True
            )
        ]

    def look_through(self, other: Look) -> None:
        """Have the decoder attend through another attention than its own."""
        self.other = other

    def _translation(self, german: Words, numbers: Sequence[int], seen: Tensor) -> Translation:
        words = [self.english.words[number] for number in numbers]
        ends = [place for place, word in enumerate(words) if word in ENDINGS]
        english = tuple(words[: ends[0] + 1] if ends else words)
        return Translation(german, english, seen[: len(english)] if self.attention else None)

    def _read(self, german: Tensor) -> "_Reading":
        annotations, last = self.encoder(self.dropout(self.german_vectors(german)))
        summary = torch.cat([last[0], last[1]], dim=-1)
        keys = self.from_annotation(annotations) if self.attention else annotations
        return _Reading(annotations, keys, summary, torch.tanh(self.first_state(summary)))

    def _look(self, state: Tensor, reading: "_Reading") -> tuple[Tensor, Tensor]:
        """The context of the next word, and the weights that made it; without attention, zeros."""
        if not self.attention:
            return reading.summary, torch.zeros(reading.annotations.shape[:2])
        if self.other is not None:
            lengths = torch.full((len(state),), reading.annotations.shape[1])
            return self.other(state, reading.annotations, lengths)
        ratings = self.rating(torch.tanh(self.from_state(state).unsqueeze(1) + reading.keys))
        shares = ratings.softmax(dim=1)
        return (shares * reading.annotations).sum(dim=1), shares.squeeze(-1)


@dataclass(frozen=True)
class _Reading:
    """What the encoder has read; `keys` are the annotations as the attention compares them."""

    annotations: Tensor
    keys: Tensor
    summary: Tensor
    state: Tensor


def split(sentence: str) -> Words:
    """The words of a written sentence; its first one small, as inside of a sentence.

    "Kannst du mir helfen, …?" begins with a capital, and its comma stands at a word.
    """
    words = re.findall(r"\w+|[^\w\s]", sentence)
    return (words[0].lower(), *words[1:]) if words else ()


class Translates(Protocol):
    """Whatever translates several sentences together."""

    def translate_all(self, sentences: Sequence[Words]) -> list[Translation]: ...


def accuracy_by_length(
    translator: Translates, pairs: Sequence[Pair], lengths: Sequence[int]
) -> list[float]:
    """The share of sentences translated without a single wrong word, by their German length.

    Args:
        translator: the model.
        pairs: what it is tried on.
        lengths: where each group of lengths begins; the last group has no end.

    Returns:
        One number for each group.
    """
    right: list[list[bool]] = [[] for _ in lengths]
    for length, group in by_length(pairs):
        found = translator.translate_all([pair.german for pair in group])
        place = sum(length >= start for start in lengths) - 1
        right[max(place, 0)] += [
            translation.english == pair.english
            for translation, pair in zip(found, group, strict=True)
        ]
    return [float(np.mean(group)) for group in right]


def by_length(pairs: Iterable[Pair]) -> Iterator[tuple[int, list[Pair]]]:
    """The pairs in groups whose German sentences have the same length, the shortest first."""
    groups: dict[int, list[Pair]] = {}
    for pair in pairs:
        groups.setdefault(len(pair.german), []).append(pair)
    yield from sorted(groups.items())


def weights_file(*, attention: bool) -> Path:
    """Where the shipped weights of a translator are."""
    name = "with" if attention else "without"
    return Path(__file__).with_name(f"translator_{name}_attention.npz")


def save_translator(translator: Translator) -> None:
    """Write the weights to the shipped file, each in half precision: no digit of it matters."""
    numbers = {name: w.numpy().astype(np.float16) for name, w in translator.state_dict().items()}
    np.savez_compressed(weights_file(attention=translator.attention), allow_pickle=False, **numbers)


def load_translator(*, attention: bool) -> Translator:
    """The translator that this course ships, trained by `tools/train_translation.py`."""
    with torch.random.fork_rng(devices=[]):
        translator = Translator(attention=attention)
    with np.load(weights_file(attention=attention), allow_pickle=False) as numbers:
        weights = {name: torch.from_numpy(numbers[name]).float() for name in numbers.files}
    translator.load_state_dict(weights)
    return translator.eval()
