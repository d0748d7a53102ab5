"""The exam of `visible_blocks`, lesson 08: what it is tried on."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._patterns import distances

blocks = Exam(reference.visible_blocks)

Cut = tuple[Tensor, int]


def where(*rows: str) -> Tensor:
    """A mask as it looks: # is hidden."""
    return torch.tensor([[mark == "#" for mark in row] for row in rows])


@blocks.example
def causal() -> Cut:
    """a causal mask of six tokens, in blocks of 2"""
    return distances(6) < 0, 2


@blocks.example
def window() -> Cut:
    """a window of 2, in blocks of 3"""
    return reference.sliding_window_mask(12, 2), 3


@blocks.example
def one_entry_each() -> Cut:
    """one visible key in some blocks, wherever it stands"""
    return where("###.", "####", "####", "#.##", "####", ".###"), 2


@blocks.example
def not_dividing() -> Cut:
    """blocks of 3 that are smaller at the lower and right edge"""
    return where(
        "########", "##.#####", "########", "######.#", "#######.", "########", "...#####"
    ), 3


@blocks.example
def more_keys_than_queries() -> Cut:
    """two queries and seven keys, in blocks of 3"""
    return where("..###.#", "#######"), 3


@blocks.example
def blocks_of_one() -> Cut:
    """blocks of 1"""
    return where("#.#", "..#"), 1


@blocks.example
def larger_than_the_mask() -> Cut:
    """a block larger than the mask"""
    return where("##.", "###"), 5


@blocks.case(times=3)
def drawn(draw: Draw) -> Cut:
    """masks drawn at random"""
    # Of one size: what was found of another mask is of no use.
    return torch.from_numpy(draw.fix(queries=13, keys=18)("queries keys") < 1.4), 4


@blocks.case(times=2)
def dividing(draw: Draw) -> Cut:
    """blocks that divide the mask"""
    size = int(draw.rng.integers(2, 5))
    draw.fix(queries=4 * size, keys=3 * size)
    return torch.from_numpy(draw("queries keys") < 1.5), size


@blocks.case(times=1)
def all_hidden(draw: Draw) -> Cut:
    """a mask that hides everything"""
    return torch.ones(5, 7, dtype=torch.bool), 2


@blocks.case(times=1)
def nothing_hidden(draw: Draw) -> Cut:
    """a mask that hides nothing, in blocks of 16"""
    # There are 256 pairs in a block, and a count of them that is kept in a byte is 0.
    return torch.zeros(35, 56, dtype=torch.bool), 16


@blocks.case(times=1)
def one_pair(draw: Draw) -> Cut:
    """one query and one key"""
    return torch.zeros(1, 1, dtype=torch.bool), 2


@blocks.case(times=1)
def one_query(draw: Draw) -> Cut:
    """one query that sees one of 2,500 keys, in blocks of 1,100"""
    return torch.arange(2500)[None] != int(draw.rng.integers(1100, 2200)), 1100


@blocks.case(times=1)
def long_text(draw: Draw) -> Cut:
    """a single visible pair, in blocks of more than 100"""
    size = int(draw.rng.integers(101, 106))
    hidden = torch.ones(size + 9, 2 * size + 17, dtype=torch.bool)
    hidden[draw.rng.integers(size), size + draw.rng.integers(size)] = False
    return hidden, size
