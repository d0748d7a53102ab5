"""The exam of `is_held_out`, lesson 10."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion.beside import made_beside
from companion.trials.other_ways import laid_apart
from solutions import your_gpt as reference

held_out = Exam(reference.is_held_out, forbids=("companion",))

Trial = tuple[Tensor, Tensor, int]

for _learned, _test, _n, _what in (
    ([3, 1, 4, 1, 5, 9], [2, 6, 8, 7], 2, "no token in common"),
    ([3, 1, 4, 1, 5, 9], [2, 4, 1, 5, 8], 3, "the run 4, 1, 5 in both"),
    ([3, 1, 4, 1, 5, 9], [1, 3, 5, 4, 9, 1], 2, "the same tokens in another order"),
    ([3, 1, 4, 1, 5, 9], [1, 4, 7, 5, 9, 2, 3, 1], 3, "runs of two in common, and none of three"),
    ([3, 1, 4, 1, 5, 9], [3, 1, 4, 7, 7], 3, "the first run of both"),
    ([3, 1, 4, 1, 5, 9], [7, 7, 1, 5, 9], 3, "the last run of both"),
    ([3, 1, 4, 1, 5, 9], [7, 3, 1, 4, 7, 7], 3, "the first run, one token later"),
    ([3, 1, 4, 1, 5, 9], [1, 4, 1, 7, 7], 3, "the second run, at the beginning"),
    ([3, 1, 4, 1, 5, 9], [8, 1, 5, 6, 1, 4, 8], 2, "two runs in common, and others"),
    ([3, 1, 4, 1, 5, 9], [7, 9, 5, 1, 7], 3, "a run backwards"),
    ([3, 1, 4, 1, 5, 9], [7, 1, 5, 4, 7], 3, "a run whose tokens have changed places"),
    ([3, 1, 4, 1, 5, 9], [3, 7, 4, 7, 5, 7], 2, "some tokens at the same places"),
    ([3, 1, 4, 1, 5, 9], [7, 3, 4, 5, 7], 3, "3, 4 and 5, but not in a row in what is learned"),
    ([3, 1, 4, 1, 5, 9], [3, 7, 1, 7, 4], 3, "3, 1 and 4, but not in a row in the test text"),
    ([3, 1, 4, 1, 5, 9], [7, 9, 7], 1, "a single token in common, runs of one"),
    ([3, 1, 4, 1, 5, 9], [7, 6, 8], 1, "no token in common, runs of one"),
    ([3, 1, 4, 1, 5, 9], [1, 4, 1], 4, "a test text that is shorter than a run"),
    ([1, 4, 1], [3, 1, 4, 1, 5, 9], 4, "a learned text that is shorter than a run"),
    ([1, 4], [1, 4], 3, "the same two tokens, runs of three"),
    ([3, 1, 4, 1, 5, 9], [7, 8], 3, "two other tokens, runs of three"),
    ([3, 1, 4], [3, 1, 4], 3, "one run, and the same"),
    ([3, 1, 4, 1, 5, 9], [7, 1, 4, 1, 5, 7], 3, "a run of four in common, runs of three"),
    ([3, 1, 4, 1, 5, 9], [1, 4, 1, 4], 2, "a text of copied runs that overlap"),
    ([3, 1, 4, 1, 5, 9], [7, 7, 4, 1, 5], 3, "the last run, from within the learned text"),
    ([3, 1, 4, 1, 5, 9], [7, 1, 5, 9, 7], 3, "the last run of the learned text, within the test"),
    ([1, 12, 7], [11, 2, 5], 2, "1, 12 and 11, 2"),
    ([15, 12, 30], [5, 12, 3], 2, "the ends of 15, 12 and of 12, 30"),
    ([2, 6, 3], [4, 4, 3], 2, "runs with the same sums"),
    ([2, 2, 5, 1], [2, 5, 5, 2], 3, "the same tokens, in different numbers"),
):

    def _example(learned: list[int] = _learned, test: list[int] = _test, n: int = _n) -> Trial:
        return torch.tensor(learned), torch.tensor(test), n

    _example.__doc__ = _what
    held_out.example(_example)


def drawn(draw: Draw, tokens: int, below: int) -> Tensor:
    return torch.from_numpy(draw.rng.integers(below, size=tokens))


@held_out.case(times=4)
def short_texts(draw: Draw) -> Trial:
    """short texts of few tokens"""
    return drawn(draw, 12, 4), drawn(draw, 7, 4), int(draw.rng.integers(2, 4))


@held_out.case(times=2)
def a_copied_run(draw: Draw) -> Trial:
    """a run that was copied to another place"""
    n = int(draw.rng.integers(3, 6))
    learned, test = drawn(draw, 40, 50), 50 + drawn(draw, 20, 50)
    start, place = int(draw.rng.integers(1, 40 - n)), int(draw.rng.integers(1, 20 - n))
    test[place : place + n] = learned[start : start + n]
    return learned, test, n


@held_out.case(times=2)
def one_token_less(draw: Draw) -> Trial:
    """a copied run that is one token too short"""
    n = int(draw.rng.integers(3, 6))
    learned, test = drawn(draw, 40, 50), 50 + drawn(draw, 20, 50)
    test[4 : 4 + n - 1] = learned[7 : 7 + n - 1]
    return learned, test, n


@held_out.case(times=3)
def one_token_within_is_another(draw: Draw) -> Trial:
    """a run that was copied but for one token within it"""
    n = int(draw.rng.integers(4, 8))
    learned, test = drawn(draw, 40, 50), 50 + drawn(draw, 20, 50)
    test[5 : 5 + n] = learned[9 : 9 + n]
    # As far away as would be the same to whoever keeps but the end of an id; no character has the
    # largest ones for its number.
    further = draw.in_turn(((64, 100, 128), (256, 1000, 2**16), (2**21, 2**22)))
    test[5 + int(draw.rng.integers(1, n - 1))] += int(draw.rng.choice(further))
    return learned, test, n


def copied(draw: Draw, n: int) -> tuple[Tensor, Tensor]:
    """Texts of which the second has, behind five other tokens, a run of the first."""
    learned, test = torch.from_numpy(draw.rng.permutation(50)), 50 + drawn(draw, 20, 50)
    test[5 : 5 + n] = learned[9 : 9 + n]
    return learned, test


@held_out.case(times=2)
def two_within_change_places(draw: Draw) -> Trial:
    """a run that was copied but for two tokens within it, which changed places"""
    n = int(draw.rng.integers(4, 12))
    learned, test = copied(draw, n)
    place = 5 + int(draw.rng.integers(1, n - 2))
    test[[place, place + 1]] = test[[place + 1, place]]
    return learned, test, n


@held_out.case(times=1)
def sums_stay(draw: Draw) -> Trial:
    """a run that was copied but for eight tokens within it, whose sums stay the same"""
    n = int(draw.rng.integers(10, 14))
    learned, test = (text + 100 for text in copied(draw, n))
    place = 5 + int(draw.rng.integers(n - 7))
    # Sums stay even if tokens are weighted by their places, or by the squares of these.
    test[place : place + 8] += 100 * torch.tensor([1, -1, -1, 1, -1, 1, 1, -1])
    return learned, test, n


# What ids are multiplied by where one number stands for a run of them.
_BASES = torch.tensor(
    (
        *(2, 7, 10, 29, 31, 33, 37, 53, 100, 101, 127, 128, 131, 256, 257, 263, 512, 911, 1000),
        *(1009, 1024, 9973, 10_000, 10_007, 13_331, 50_257, 50_304, 2**16, 65_537, 65_599),
        *(100_000, 100_003, 131_071, 1_000_000, 1_000_003, 2**20, 2**32),
        # How many ids there are in `learned` below, the largest one, and how many up to that.
        *(50, 149, 150),
    )
)


@held_out.case(times=4)
def two_neighbours_make_up(draw: Draw) -> Trial:
    """runs that were copied but for two neighbours, of which one is smaller and one larger"""
    half, swapped = draw.in_turn(((0, False), (1, True), (0, True), (1, False)))
    n, bases = int(draw.rng.integers(3, 6)), _BASES[half::2]
    learned = 100 + torch.from_numpy(draw.rng.permutation(50))
    # Behind each run, a token that is nowhere else.
    runs = torch.cat([learned[9 : 9 + n], torch.tensor([50])]).repeat(2 * len(bases), 1)
    place = int(draw.rng.integers(n - 1))
    # B times the first and the second are as much as before, or the first and B times the second.
    runs[:, place] += torch.cat([-torch.ones_like(bases), bases])
    runs[:, place + 1] += torch.cat([bases, -torch.ones_like(bases)])
    return (runs.flatten(), learned, n) if swapped else (learned, runs.flatten(), n)


@held_out.case(times=1)
def the_same_bytes(draw: Draw) -> Trial:
    """ids that are 256 times as large, or a power of that"""
    run = 1 + torch.from_numpy(draw.rng.permutation(100)[:3])
    powers = 256 ** torch.arange(1, 7)[:, None]
    zeros = torch.zeros(len(powers), 1, dtype=torch.int64)
    return torch.cat([powers * run, zeros], dim=1).flatten(), run, 2


@held_out.case(times=2)
def huge_ids(draw: Draw) -> Trial:
    """a run of huge ids that was copied but for one token within it"""
    n = int(draw.rng.integers(4, 8))
    learned, test = (text + 2**40 for text in copied(draw, n))
    # float32 does not tell the first from what was copied, nor int32 the second.
    test[5 + int(draw.rng.integers(1, n - 1))] += draw.in_turn((50, 2**32))
    return learned, test, n


@held_out.case(times=1)
def one_token_less_of_many(draw: Draw) -> Trial:
    """a long run that was copied but for its last token"""
    n = int(draw.rng.integers(10, 15))
    learned, test = copied(draw, n)
    test[5 + n - 1] += 100
    return learned, test, n


@held_out.case(times=1)
def the_last_run(draw: Draw) -> Trial:
    """the last run of both texts alone"""
    learned, test = drawn(draw, 30, 50), 50 + drawn(draw, 20, 50)
    test[-4:] = learned[-4:]
    return learned, test, 4


@held_out.case(times=1)
def shuffled(draw: Draw) -> Trial:
    """a text whose tokens were shuffled"""
    learned = torch.from_numpy(draw.rng.permutation(30))
    return learned, torch.flip(learned, dims=(0,)), 2


@held_out.case(times=1)
def shorter_than_a_run(draw: Draw) -> Trial:
    """texts that are shorter than a run"""
    text = drawn(draw, 5, 9)
    return text, text.clone(), 6


@held_out.case(times=3)
def no_text(draw: Draw) -> Trial:
    """an empty text, which has no runs of one token either"""
    sizes = draw.in_turn(((5, 0), (0, 5), (0, 0)))
    learned, test = (drawn(draw, size, 9) for size in sizes)
    return learned, test, 1


held_out.half_but_for("an empty text", no_text)


@held_out.case(times=1)
def a_long_text(draw: Draw) -> Trial:
    """20,000 tokens to learn from, and no run of them"""
    return drawn(draw, 20_000, 500), drawn(draw, 300, 500), 8


@held_out.case(times=3)
def a_run_of_a_long_text(draw: Draw) -> Trial:
    """20,000 tokens to learn from, and one run of them somewhere in a long text"""
    learned, test, n = a_long_text(draw)
    start = draw.in_turn((1_000, 9_000, 19_000)) + int(draw.rng.integers(900))
    place = draw.in_turn((10, 150, 250, 280)) + int(draw.rng.integers(10))
    test[place : place + n] = learned[start : start + n]
    return learned, test, n


@held_out.case(times=3)
def one_token_of_a_longer_run(draw: Draw) -> Trial:
    """a still longer run that was copied but for one token"""
    n, place = int(draw.rng.integers(60, 90)), draw.in_turn((1, 20, 40))
    learned, test = drawn(draw, 120, 50), 50 + drawn(draw, 120, 50)
    test[5 : 5 + n] = learned[9 : 9 + n]
    test[5 + place + int(draw.rng.integers(19))] += 100
    return learned, test, n


@held_out.holds
def memory_makes_no_difference(
    is_held_out: Callable[..., bool], learned: Tensor, test: Tensor, n: int
) -> bool:
    """it says the same of texts that are columns of a table, whose tokens lie apart in memory"""
    if n < 60:
        return True
    apart = [made_beside(is_held_out, laid_apart, text) for text in (learned, test)]
    return bool(is_held_out(*apart, n)) is bool(is_held_out(learned, test, n))
