"""Training a translator, with a progress bar, and the batches that it is trained on."""

import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TextIO, TypeVar

import torch
from torch import Tensor, nn

from companion.inputs.translation import Pair, training_pairs, vocabulary
from companion.models.translator import NO_WORD, Translator, Vocabulary, by_length
from companion.threads import one_thread

Item = TypeVar("Item")
PAIRS = 12_000
EPOCHS = 7
# Without attention it needs more, and more would hardly help.
EPOCHS_WITHOUT = 14
BATCH = 128
LEARNING_RATE = 8e-3
_BAR = 30
_SECONDS_BETWEEN = 0.2


def train_translator(
    *, attention: bool, seed: int = 0, pairs: int = PAIRS, epochs: int | None = None
) -> Translator:
    """Train a translator from nothing, showing how far it is: about half a minute.

    Args:
        attention: whether it has attention.
        seed: the same seed gives the same model, on one machine.
        pairs: how many sentences it learns from.
        epochs: how often it sees each; left out, as often as for the shipped weights, which is
            twice as often without attention.
    """
    if epochs is None:
        epochs = EPOCHS if attention else EPOCHS_WITHOUT
    with one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        translator = Translator(attention=attention)
        batches = translation_batches(training_pairs(pairs), epochs=epochs, seed=seed)
        _fit(translator, batches)
    return translator.eval()


def translation_batches(
    pairs: Sequence[Pair], *, size: int = BATCH, epochs: int = 1, seed: int = 0
) -> list[tuple[Tensor, Tensor]]:
    """Pairs as numbers, in random batches whose German sentences have one length each.

    So the encoder meets no padding, in training as little as later.

    Args:
        pairs: sentences with their translations, in words of the small German and English.
        size: how many there are in a batch at most.
        epochs: how often each pair comes.
        seed: the same seed gives the same order.

    Returns:
        For each batch the German, (batch, source), and the English, (batch, target), padded with 0.
    """
    german, english = map(Vocabulary, vocabulary())
    rng = random.Random(seed)
    return [
        (
            german.encode([pair.german for pair in part]),
            english.encode([pair.english for pair in part]),
        )
        for _ in range(epochs)
        for part in _shuffled(pairs, size, rng)
    ]


def progress(
    items: Sequence[Item],
    label: str,
    *,
    note: Callable[[], str] = str,
    to: TextIO | None = None,
) -> Iterator[Item]:
    """Go through items and draw, on one line, how far it is.

    Args:
        items: what to go through.
        label: stands before the bar.
        note: is asked each time for what stands behind the bar, such as a loss.
        to: where to draw; left out, standard output.
    """
    stream = sys.stdout if to is None else to
    began = time.monotonic()
    drawn = -_SECONDS_BETWEEN
    for done, item in enumerate(items):
        if time.monotonic() - began - drawn >= _SECONDS_BETWEEN:
            drawn = time.monotonic() - began
            print("\r" + _line(label, done / len(items), drawn, note()), end="", file=stream)
        yield item
    print("\r" + _line(label, 1, time.monotonic() - began, note()), file=stream)


def _line(label: str, part: float, seconds: float, note: str) -> str:
    full = round(_BAR * part)
    bar = "█" * full + "░" * (_BAR - full)
    return f"{label} {bar} {part:4.0%}  {seconds:.0f} s  {note}".ljust(80)


def _fit(translator: Translator, batches: Sequence[tuple[Tensor, Tensor]]) -> None:
    optimiser = torch.optim.Adam(translator.parameters(), lr=LEARNING_RATE)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, LEARNING_RATE, total_steps=len(batches)
    )
    losses: list[float] = []
    name = "with attention   " if translator.attention else "without attention"
    for german, english in progress(batches, name, note=lambda: _last(losses)):
        logits = translator(german, english)
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), english.flatten(), ignore_index=NO_WORD
        )
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(translator.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        losses.append(loss.item())


def _last(losses: Sequence[float]) -> str:
    return f"loss {losses[-1]:.3f}" if losses else ""


def _shuffled(pairs: Sequence[Pair], size: int, rng: random.Random) -> list[list[Pair]]:
    parts = []
    for _, group in by_length(pairs):
        shuffled = rng.sample(group, len(group))
        parts += [shuffled[start : start + size] for start in range(0, len(shuffled), size)]
    rng.shuffle(parts)
    return parts
