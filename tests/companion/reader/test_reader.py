"""The language model of lesson 05: what the lesson says of its heads holds."""

import pytest
import torch

from companion.reader.model import HEADS, LAYERS, LONGEST, WEIGHTS_FILE, Reader, load_reader
from companion.reader.pieces import START, Pieces, learn_pieces, plain

ONCE = 40


@pytest.fixture(scope="module")
def reader() -> Reader:
    return load_reader()


@torch.no_grad()
def read_twice(reader: Reader, seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Random pieces that come twice, the logits, and the weights of all heads."""
    generator = torch.Generator().manual_seed(seed)
    random = torch.randint(1, len(reader.pieces), (20, ONCE), generator=generator)
    twice = torch.cat([torch.zeros_like(random[:, :1]), random, random], dim=1)
    logits, weights = reader(twice)
    return twice, logits, weights


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_one_head_looks_back_and_one_looks_after(reader: Reader, seed: int) -> None:
    _, _, weights = read_twice(reader, seed)
    assert weights.shape == (20, LAYERS, HEADS, 2 * ONCE + 1, 2 * ONCE + 1)
    back = weights.diagonal(-1, -2, -1)[..., -2 * ONCE :].mean(dim=(0, -1))
    after = weights.diagonal(1 - ONCE, -2, -1)[..., -ONCE:].mean(dim=(0, -1))
    # The two heads of layer 0 and the two of layer 1 that the lesson names.
    assert back[0, 0] > 0.6
    assert back[0, 1] > 0.5
    assert after[1, 2:].min() > 0.7
    assert after[0].max() < 0.1
    assert back[1].max() < 0.3


def test_what_came_before_is_foreseen(reader: Reader) -> None:
    twice, logits, _ = read_twice(reader, 0)
    losses = torch.nn.functional.cross_entropy(
        logits[:, :-1].transpose(1, 2), twice[:, 1:], reduction="none"
    ).mean(dim=0)
    assert losses[:ONCE].mean() > 6
    assert losses[ONCE + 1 :].mean() < 0.5


@pytest.mark.parametrize(
    ("text", "next_one"),
    [
        (
            "Ada wrote a long letter, and then Ada wrote a long",
            " letter",
        ),
        (
            "The first king was called Fred. His father was old, and the first king was called",
            " Fred",
        ),
        ("Ben plays with a red ball, and Mia looks on while Ben plays with a red", " ball"),
        ("Yesterday Mia found a black cat, and today Mia found a black", " cat"),
    ],
)
def test_a_repeated_phrase_is_continued(reader: Reader, text: str, next_one: str) -> None:
    reading = reader.read(text)
    assert len(reading.guess) > 1
    assert next_one.startswith(reading.guess)
    found = [at for at, piece in enumerate(reading.pieces) if piece == reading.guess.strip()]
    assert reading.weights[1, :, -1, found].max() > 0.5
    back = reading.weights[0].diagonal(-1, -2, -1).mean(dim=-1)
    assert back.max() > 0.7


def test_a_text_is_read_as_it_is_written(reader: Reader) -> None:
    text = "Zoë said:  x[0] += 7\n(and more)"
    pieces = [reader.pieces.pieces[number] for number in reader.pieces.encode(text)]
    assert pieces[0] == START
    assert "".join(pieces[1:]) == plain(text) == " Zo? said: x[0] += 7 (and more)"
    reading = reader.read(text)
    assert len(reading.pieces) == len(pieces) == reading.weights.shape[-1]
    assert reading.weights.triu(1).abs().max() == 0


def test_no_text_is_too_short_and_one_is_too_long(reader: Reader) -> None:
    assert reader.read("").pieces == (START,)
    with pytest.raises(ValueError, match=f"holds {LONGEST - 1}: pass a shorter one"):
        reader.read("seven " * LONGEST)


def test_pieces_are_what_often_stands_together() -> None:
    pieces = learn_pieces("in the inn in the inn", 99)
    assert pieces[0] == START
    assert len(pieces) == 99
    assert {" in", " the"} & set(pieces)
    learned = Pieces(pieces)
    assert learned.encode("in")[1:] == [learned.numbers[" in"]]


def test_file_is_small() -> None:
    assert WEIGHTS_FILE.stat().st_size < 2_000_000


def test_random_numbers_are_left_alone() -> None:
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    load_reader()
    assert torch.equal(torch.rand(1), expected)
