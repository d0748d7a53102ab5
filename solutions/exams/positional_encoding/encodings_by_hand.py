"""The exam of `encodings_by_hand`, lesson 06."""

import math

import torch
from torch import Tensor

from autograder import Exam, Tolerance
from solutions import positional_encoding as reference
from solutions.exams.families import TYPED
from solutions.exams.positional_encoding._specimens import waves

FOUR_DECIMALS = Tolerance(absolute=6e-5)

by_hand = Exam(reference.encodings_by_hand, tolerance=FOUR_DECIMALS, reveal=False)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def worksheet(table: Tensor, decimals: int = 12) -> dict[str, object]:
    """The four lines, from the encodings of the positions 0 to 3."""
    table = table.double().round(decimals=decimals)
    return {
        "PE(2)": table[2].tolist(),
        "PE(3)": table[3].tolist(),
        "PE(2) · PE(3)": (table[2] @ table[3]).item(),
        "PE(1) · PE(3)": (table[1] @ table[3]).item(),
    }


def four_columns(slow: float = 0.01, start: int = 0, unit: float = 1.0) -> Tensor:
    places = torch.arange(start, start + 4, dtype=torch.float64)[:, None] * unit
    return waves(places * torch.tensor([1.0, slow], dtype=torch.float64))


TYPED.apply(by_hand)


@by_hand.misconception
def in_degrees() -> dict[str, object]:
    """These are sines and cosines of degrees, as from a calculator that is set to them. The angles
    are in radians: a full turn is 2π.
    """
    return worksheet(four_columns(unit=math.pi / 180))


@by_hand.misconception
def in_degrees_and_rounded() -> dict[str, object]:
    """These are sines and cosines of degrees, as from a calculator that is set to them, and they
    were rounded before the dot products. The angles are in radians: a full turn is 2π.
    """
    return worksheet(four_columns(unit=math.pi / 180), decimals=4)


@by_hand.misconception
def cosine_first() -> dict[str, object]:
    """The columns of each pair are swapped: the sine should come first, then the cosine."""
    return worksheet(four_columns()[:, [1, 0, 3, 2]])


@by_hand.misconception
def sines_then_cosines() -> dict[str, object]:
    """You put both sines first and both cosines last. Here the columns come in pairs: sine and
    cosine of the fast angle, then sine and cosine of the slow one.
    """
    return worksheet(four_columns()[:, [0, 2, 1, 3]])


@by_hand.misconception
def four_frequencies() -> dict[str, object]:
    """You gave each column its own frequency. The sine and cosine of a pair share one, so here
    there are two frequencies, 1 and 1/100.
    """
    own = 10000 ** (-torch.arange(4, dtype=torch.float64) / 4)
    angles = torch.arange(4, dtype=torch.float64)[:, None] * own
    return worksheet(torch.where(torch.arange(4) % 2 == 0, angles.sin(), angles.cos()))


@by_hand.misconception
def slow_hand_of_a_tenth() -> dict[str, object]:
    """Your second pair turns by 1/10. Its exponent should be 2/4, the number of its first column
    over d, and 10000 to the 2/4 is 100.
    """
    return worksheet(four_columns(slow=0.1))


@by_hand.misconception
def slow_hand_of_ten_thousandths() -> dict[str, object]:
    """Your second pair turns by 1/10000. Its exponent should be 2/4: 10000 to the 2/4 is 100."""
    return worksheet(four_columns(slow=1e-4))


@by_hand.misconception
def counted_from_one() -> dict[str, object]:
    """These are the encodings of the positions 3 and 4. Positions count from 0."""
    return worksheet(four_columns(start=1))


@by_hand.misconception
def second_row_taken() -> dict[str, object]:
    """These are the encodings of the positions 1 and 2. PE(2) is the encoding of position 2, whose
    first hand has turned by 2.
    """
    return worksheet(four_columns(start=-1))


@by_hand.misconception
def two_decimals() -> dict[str, object]:
    """You rounded to two decimals before the dot products. Keep at least five to the end."""
    return worksheet(four_columns(), decimals=2)


@by_hand.misconception
def first_pair_only() -> dict[str, object]:
    """Your dot products stop after the first pair. Go on: add the two products of the second."""
    table = four_columns()
    full, fast = worksheet(table), worksheet(table[:, :2])
    return {name: (fast if "·" in name else full)[name] for name in full}
