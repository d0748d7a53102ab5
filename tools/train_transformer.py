"""Make the small trained weights of lesson 09's translator, and say how good they are.

    python tools/train_transformer.py

It learns from the sentences of lesson 01's translators, in about 75 seconds on one core.
"""

import argparse
import os

import torch
from torch import nn

from companion import held_out_pairs, progress, training_pairs, translation_batches
from companion.models.translator import NO_WORD, accuracy_by_length
from companion.transformer.translator import (
    WEIGHTS_FILE,
    Stacks,
    TransformerTranslator,
    load_transformer_translator,
    save_transformer_translator,
)

PAIRS, EPOCHS, LEARNING_RATE = 12_000, 14, 3e-3
LENGTHS = [5, 8, 11, 14, 17, 20]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=EPOCHS)
    parser.add_argument("--rate", type=float, default=LEARNING_RATE)
    parser.add_argument("--dry", action="store_true", help="do not save the weights")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    before = os.times()
    translator = TransformerTranslator(Stacks())
    fit(translator, options.epochs, options.rate, options.seed)
    after = os.times()
    print(f"{after.user + after.system - before.user - before.system:.0f} s of processor time")
    if not options.dry:
        save_transformer_translator(translator.eval())
        translator = load_transformer_translator()
        print(f"{WEIGHTS_FILE.name}: {WEIGHTS_FILE.stat().st_size / 1000:.0f} kB")
    test = held_out_pairs(600)
    (right,) = accuracy_by_length(translator, test, [0])
    groups = accuracy_by_length(translator, test, LENGTHS)
    print(f"{right:.1%} right; by length", " ".join(f"{share:.2f}" for share in groups))


def fit(translator: TransformerTranslator, epochs: int, rate: float, seed: int) -> None:
    """Teach it from pairs, with the right words before each word."""
    batches = translation_batches(training_pairs(PAIRS), epochs=epochs, seed=seed)
    for table in (translator.german_vectors, translator.english_vectors):
        nn.init.normal_(table.weight, std=table.embedding_dim**-0.5)
    optimiser = torch.optim.Adam(translator.parameters(), lr=rate, betas=(0.9, 0.98))
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, rate, total_steps=len(batches))
    last = [float("nan")]
    for german, english in progress(batches, "Transformer", note=lambda: f"loss {last[0]:.3f}"):
        logits = translator(german, english)
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), english.flatten(), ignore_index=NO_WORD
        )
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(translator.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        last[0] = loss.item()


if __name__ == "__main__":
    main()
