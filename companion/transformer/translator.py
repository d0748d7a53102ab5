"""A Transformer that translates lesson 01's German (Vaswani et al. 2017), small enough to ship.

Lesson 09 builds its blocks step by step; here stand the vectors of the words, the positions and the
writing, and blocks made of PyTorch's layers until the learner's own are ready.
"""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from companion.inputs.lexicon import Words
from companion.inputs.translation import ENDINGS, vocabulary
from companion.models.positions import sinusoids
from companion.models.translator import Translation, Vocabulary, split
from companion.transformer.blocks import LibraryDecoder, LibraryEncoder

WIDTH, HEADS, HIDDEN, LAYERS, DROPOUT = 64, 4, 128, 2, 0.1
_LONGEST, _MORE = 30, 6
_MOST_POSITIONS = 64
_START = "<start>"
WEIGHTS_FILE = Path(__file__).with_name("translator.npz")
_CALL = inspect.signature(nn.MultiheadAttention.forward)


class Stacks(nn.Module):
    """An encoder and a decoder, whose parameters are named as those of `nn.Transformer`.

    Args:
        encoder: makes a block of the encoder from d_model, num_heads, d_hidden and dropout.
        decoder: makes a block of the decoder from the same.
    """

    def __init__(
        self, encoder: type[nn.Module] = LibraryEncoder, decoder: type[nn.Module] = LibraryDecoder
    ) -> None:
        super().__init__()
        sizes = (WIDTH, HEADS, HIDDEN, DROPOUT)
        self.encoder, self.decoder = (
            nn.ModuleDict(
                {
                    "layers": nn.ModuleList(block(*sizes) for _ in range(LAYERS)),
                    "norm": nn.LayerNorm(WIDTH),
                }
            )
            for block in (encoder, decoder)
        )

    def forward(self, source: Tensor, target: Tensor, padding: Tensor | None = None) -> Tensor:
        """(batch, source, d_model), (batch, target, d_model) and a mask to (batch, target, …)."""
        for block in cast(nn.ModuleList, self.encoder["layers"]):
            source = block(source, padding)
        memory = self.encoder["norm"](source)
        for block in cast(nn.ModuleList, self.decoder["layers"]):
            target = block(target, memory, padding)
        return cast(Tensor, self.decoder["norm"](target))


class TransformerTranslator(nn.Module):
    """German in, English out, through an encoder and a decoder without recurrence.

    Args:
        stacks: the encoder and the decoder, called with (batch, source, 64), (batch, target, 64)
            and a padding mask (batch, source); its decoder's blocks are in `decoder["layers"]`, and
            each has an `nn.MultiheadAttention` called `multihead_attn`.
    """

    def __init__(self, stacks: nn.Module) -> None:
        super().__init__()
        german, english = vocabulary()
        self.german, self.english = Vocabulary(german), Vocabulary(english)
        self.german_vectors = nn.Embedding(len(self.german), WIDTH)
        self.english_vectors = nn.Embedding(len(self.english), WIDTH)
        self.stacks = stacks
        self.logits = nn.Linear(WIDTH, len(self.english))
        self.dropout = nn.Dropout(DROPOUT)
        positions = sinusoids(_MOST_POSITIONS, WIDTH).float()
        self.positions: Tensor
        self.register_buffer("positions", positions, persistent=False)

    def forward(self, german: Tensor, english: Tensor) -> Tensor:
        """Teacher forcing: the logits of every next word, given all the right ones before it.

        Args:
            german: (batch, source), padded with 0.
            english: (batch, target), padded with 0.

        Returns:
            (batch, target, words).
        """
        starts = torch.full_like(english[:, :1], self.english.numbers[_START])
        return self._after(german, torch.cat([starts, english[:, :-1]], dim=1))

    def translate(self, sentence: str) -> Translation:
        """Translate a German sentence, each time writing the likeliest word.

        Raises:
            ValueError: for a word that the model has never seen.
        """
        return self.translate_all([split(sentence)])[0]

    @torch.no_grad()
    def translate_all(self, sentences: Sequence[Words]) -> list[Translation]:
        """Translate sentences together; the weights are those of the decoder's last block."""
        self.eval()
        german = self.german.encode(sentences)
        written = torch.full((len(sentences), 1), self.english.numbers[_START])
        ends = torch.tensor([self.english.numbers[ending] for ending in ENDINGS])
        for _ in range(max(_LONGEST, german.shape[1] + _MORE)):
            word = self._after(german, written)[:, -1:].argmax(dim=-1)
            written = torch.cat([written, word], dim=1)
            if torch.isin(written, ends).any(dim=1).all():
                break
        maps = self._maps(german, written[:, :-1])
        return [
            self._translation(words, numbers, seen)
            for words, numbers, seen in zip(sentences, written[:, 1:].tolist(), maps, strict=True)
        ]

    def _after(self, german: Tensor, written: Tensor) -> Tensor:
        vectors = [
            self.dropout(table(words) * WIDTH**0.5 + self.positions[: words.shape[1]])
            for table, words in (
                (self.german_vectors, german),
                (self.english_vectors, written),
            )
        ]
        return cast(Tensor, self.logits(self.stacks(*vectors, german == 0)))

    def _maps(self, german: Tensor, written: Tensor) -> Tensor:
        """What the last cross-attention looks at, averaged over its heads."""
        blocks = cast(nn.ModuleList, cast(nn.ModuleDict, self.stacks.decoder)["layers"])
        attention = cast(nn.MultiheadAttention, blocks[-1].multihead_attn)
        calls: list[inspect.BoundArguments] = []
        hook = attention.register_forward_pre_hook(
            lambda module, args, kwargs: calls.append(_CALL.bind(module, *args, **kwargs)),
            with_kwargs=True,
        )
        try:
            self._after(german, written)
        finally:
            hook.remove()
        call = calls[-1]
        call.arguments.update(need_weights=True, average_attn_weights=True)
        return cast(Tensor, nn.MultiheadAttention.forward(*call.args, **call.kwargs)[1])

    def _translation(self, german: Words, numbers: Sequence[int], seen: Tensor) -> Translation:
        words = [self.english.words[number] for number in numbers]
        ends = [place for place, word in enumerate(words) if word in ENDINGS]
        english = tuple(words[: ends[0] + 1] if ends else words)
        return Translation(german, english, seen[: len(english), : len(german)])


def save_transformer_translator(translator: TransformerTranslator) -> None:
    """Write the weights to the shipped file, in half precision."""
    numbers = {name: w.numpy().astype(np.float16) for name, w in translator.state_dict().items()}
    np.savez_compressed(WEIGHTS_FILE, allow_pickle=False, **numbers)


def load_transformer_translator(stacks: nn.Module | None = None) -> TransformerTranslator:
    """The translator that this course ships, trained by `tools/train_transformer.py`.

    Args:
        stacks: an encoder and a decoder to load the weights into, whose parameters are named as
            those of `nn.Transformer`; left out, they are made of PyTorch's layers.
    """
    with torch.random.fork_rng(devices=[]):
        translator = TransformerTranslator(Stacks() if stacks is None else stacks)
    with np.load(WEIGHTS_FILE, allow_pickle=False) as numbers:
        weights = {name: torch.from_numpy(numbers[name]).float() for name in numbers.files}
    translator.load_state_dict(weights)
    return translator.eval()
