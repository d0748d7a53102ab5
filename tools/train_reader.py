"""Make the small language model in whose heads lesson 05 looks, and say how good it is.

    python tools/train_reader.py

It learns from the texts of Python's `help()`, and from random pieces that come several times. With
`--text-only` it learns from the texts alone, which in 1,600 steps gives no head that looks after an
earlier occurrence; then nothing is saved. The numbers in the lesson are those of Python 3.11, since
every version of Python has other texts.
"""

import argparse
import math
import os
import re
from collections import defaultdict
from collections.abc import Sequence
from pydoc_data.topics import topics

import torch
from torch import Tensor, nn

from companion.models.training import progress
from companion.reader.model import LONGEST, WEIGHTS_FILE, Reader, load_reader, save_reader
from companion.reader.pieces import Pieces, learn_pieces, plain

PIECES = 512
BATCH = 12
LEARNING_RATE = 4e-3
_EVERY = 10
_IGNORED = -100


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=1600)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--text-only", action="store_true", help="train without random pieces")
    options = parser.parse_args()
    train, test = texts()
    torch.set_num_threads(1)
    torch.manual_seed(options.seed)
    before = os.times()
    reader = Reader(Pieces(learn_pieces(train, PIECES)))
    fit(reader, train, options.steps, repeats=0 if options.text_only else BATCH)
    after = os.times()
    seconds = after.user + after.system - before.user - before.system
    if options.text_only:
        report(reader.eval(), train, test)
        return
    save_reader(reader)
    size = WEIGHTS_FILE.stat().st_size / 1000
    print(f"{WEIGHTS_FILE.name}: {size:.0f} kB, {seconds:.0f} s of processor time")
    # What is loaded is what learners get: in half precision.
    report(load_reader(), train, test)


def report(reader: Reader, train: str, test: str) -> None:
    """Print what the reader loses on text that it never saw, and what its heads do."""
    count = sum(weights.numel() for weights in reader.parameters())
    print(f"{count} parameters; {len(train)} characters to learn from, {len(test)} held out")
    print(f"loss per character of held-out text: {loss_per_character(reader, test):.3f}")
    for order in range(1, 8):
        print(f"  of the last {order - 1} characters: {n_gram_loss(train, test, order):.3f}")
    before, induction = head_scores(reader)
    for name, scores in (("looks one back", before), ("induction", induction)):
        print(f"{name}:", "; ".join(" ".join(f"{s:.2f}" for s in row) for row in scores.tolist()))


def texts() -> tuple[str, str]:
    """What is learned from, and what is held out: every tenth topic, without what came before."""
    seen: set[str] = set()
    parts: tuple[list[str], list[str]] = ([], [])
    for number, name in enumerate(sorted(topics)):
        paragraphs = [one for one in topics[name].split("\n\n") if one not in seen]
        seen.update(paragraphs)
        # Without the lines that underline headings and frame tables.
        text = re.sub(r"([*=\-~^])\1{3,}", "", " ".join(paragraphs))
        parts[number % _EVERY == _EVERY // 2].append(text)
    return plain(" ".join(parts[0])), plain(" ".join(parts[1]))


def fit(reader: Reader, text: str, steps: int, repeats: int) -> None:
    """Train on windows of the text, and on as many rows of random pieces as `repeats` says."""
    data = torch.tensor(reader.pieces.encode(text)[1:])
    optimiser = torch.optim.AdamW(
        reader.parameters(), lr=LEARNING_RATE, weight_decay=0.01, betas=(0.9, 0.98)
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, LEARNING_RATE, total_steps=steps, pct_start=0.1
    )
    nn.init.normal_(reader.tokens.weight, std=0.3)
    last = [math.nan]
    for _ in progress(range(steps), "reader", note=lambda: f"loss {last[0]:.3f}"):
        rows = [(excerpt(data), slice(0)) for _ in range(BATCH)]
        for number in range(repeats):
            rows.append(repeated(data, reader) if number % 2 else scattered(data, reader))
        targets = torch.stack([row for row, _ in rows])
        inputs = after_start(targets)
        for number, (_, unknown) in enumerate(rows):
            targets[number, unknown] = _IGNORED
        logits, _ = reader(inputs)
        loss = nn.functional.cross_entropy(
            logits.flatten(0, 1), targets.flatten(), ignore_index=_IGNORED
        )
        optimiser.zero_grad()
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(reader.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        last[0] = loss.item()


def excerpt(data: Tensor) -> Tensor:
    """A piece of the text, as long as the reader can hold."""
    start = int(torch.randint(len(data) - LONGEST, ()))
    return data[start : start + LONGEST].clone()


def repeated(data: Tensor, reader: Reader) -> tuple[Tensor, slice]:
    """Random pieces, again and again; and where nobody could foresee them."""
    period = int(torch.randint(8, LONGEST // 2 + 1, ()))
    return at_random(data, reader, period).repeat(LONGEST // period + 1)[:LONGEST], slice(period)


def scattered(data: Tensor, reader: Reader) -> tuple[Tensor, slice]:
    """Text, into which a few random pieces are put several times; likewise.

    Without such rows the heads do what is measured among random pieces alone, and not in a text.
    """
    row = excerpt(data)
    length = int(torch.randint(3, 13, ()))
    random = at_random(data, reader, length)
    places = torch.randperm(LONGEST // 12)[:4].sort().values * 12
    for place in places.tolist():
        row[place : place + length] = random
    first = int(places[0])
    return row, slice(first, first + length)


def at_random(data: Tensor, reader: Reader, count: int) -> Tensor:
    """Pieces drawn at random, either all alike or as often as they come in the text."""
    if torch.rand(()) < 0.5:
        return torch.randint(1, len(reader.pieces), (count,))
    return data[torch.randint(len(data), (count,))]


def after_start(rows: Tensor) -> Tensor:
    """What the reader sees when it should say these rows: the start, and all but the last piece."""
    return torch.cat([torch.zeros_like(rows[:, :1]), rows[:, :-1]], dim=1)


@torch.no_grad()
def loss_per_character(reader: Reader, text: str) -> float:
    """The mean of −log p per character, read in windows that do not overlap."""
    numbers = torch.tensor(reader.pieces.encode(text)[1:])
    total = 0.0
    for window in torch.split(numbers, LONGEST):
        logits, _ = reader(after_start(window[None]))
        total += nn.functional.cross_entropy(logits[0], window, reduction="sum").item()
    return total / len(text)


def n_gram_loss(train: str, test: str, order: int) -> float:
    """The same for a table of n-grams: each character by the ones before it, smoothed.

    Witten and Bell's smoothing (1991): the more different characters have followed a context, the
    more is left to the shorter one.
    """
    counts: list[defaultdict[str, defaultdict[str, int]]] = [
        defaultdict(lambda: defaultdict(int)) for _ in range(order)
    ]
    for at, character in enumerate(train):
        for length in range(min(order, at + 1)):
            counts[length][train[at - length : at]][character] += 1
    total = 0.0
    for at, character in enumerate(test):
        likely = 1 / 95
        for length in range(min(order, at + 1)):
            followed = counts[length].get(test[at - length : at])
            if followed:
                times, kinds = sum(followed.values()), len(followed)
                likely = (followed.get(character, 0) + kinds * likely) / (times + kinds)
        total -= math.log(likely)
    return total / len(test)


@torch.no_grad()
def head_scores(reader: Reader, rows: int = 20, period: int = 40) -> Sequence[Tensor]:
    """How much each head looks at the token before, and after an earlier occurrence.

    Both on random pieces that come twice, (layers, heads) each.
    """
    generator = torch.Generator().manual_seed(1)
    random = torch.randint(1, len(reader.pieces), (rows, period), generator=generator)
    inputs = torch.cat([torch.zeros_like(random[:, :1]), random, random], dim=1)
    _, weights = reader(inputs)
    back = [weights.diagonal(-distance, -2, -1) for distance in (1, period - 1)]
    return back[0].mean(dim=(0, -1)), back[1][..., 2:].mean(dim=(0, -1))


if __name__ == "__main__":
    main()
