"""What the exams of the sparse patterns share: positions, and what goes wrong in every pattern."""

from typing import Any

import torch
from torch import Tensor

from autograder import Draw
from solutions.exams.families import MASK_VALUES
from solutions.exams.families.family import Answer, Family


def rows_and_columns(num_tokens: int) -> tuple[Tensor, Tensor]:
    """The positions of the queries, (num_tokens, 1), and those of the keys, (num_tokens,)."""
    positions = torch.arange(num_tokens)
    return positions[:, None], positions


def distances(num_tokens: int) -> Tensor:
    """How far each key stands before its query; below 0 where it comes after it."""
    rows, columns = rows_and_columns(num_tokens)
    return rows - columns


def many_tokens(draw: Draw) -> int:
    """So many that their positions do not fit into a byte; few enough for loops over pairs."""
    return int(draw.rng.integers(260, 280))


class FirstRowReturned(Answer):
    """This is only one row, that of the first query. The mask has a row for each query: put
    `return` after the loop, or, without a loop, give the positions of the queries their own axis.
    """

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments)[0]


class LastRowReturned(Answer):
    """This is only one row, that of the last query. The mask has a row for each query: in a loop,
    collect all of them.
    """

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments)[-1]


class FirstRowFilled(Answer):
    """Only the first row of your mask is filled, and the others hide nothing. Is `return` inside
    the loop?
    """

    rest = False

    def answer(self, *arguments: Any) -> object:
        right = self.right(*arguments)
        filled = torch.full_like(right, self.rest)
        filled[0] = right[0]
        return filled


class FirstRowFilledRestHidden(FirstRowFilled):
    """Only the first row of your mask is filled, and the others hide everything. Is `return` inside
    the loop?
    """

    rest = True


class LastRowFilled(Answer):
    """Only the last row of your mask is filled, and the others hide nothing. Does each round of
    your loop start with a new mask? Make it once, before the loop.
    """

    rest = False

    def answer(self, *arguments: Any) -> object:
        right = self.right(*arguments)
        filled = torch.full_like(right, self.rest)
        filled[-1] = right[-1]
        return filled


class LastRowFilledRestHidden(LastRowFilled):
    """Only the last row of your mask is filled, and the others hide everything. Does each round of
    your loop start with a new mask? Make it once, before the loop.
    """

    rest = True


class LastColumnLeftOut(Answer):
    """Your last column hides everything, and so does the last row: do your loops, or your `arange`,
    end one position too early?
    """

    rest = True

    def answer(self, *arguments: Any) -> object:
        right = self.right(*arguments).clone()
        right[-1], right[:, -1] = self.rest, self.rest
        return right


class LastColumnOpen(LastColumnLeftOut):
    """Your last row and last column hide nothing: do your loops end one position too early?"""

    rest = False


class FirstColumnLeftOut(Answer):
    """Your first row and first column hide everything: do your loops start at 1? Positions count
    from 0.
    """

    rest = True

    def answer(self, *arguments: Any) -> object:
        right = self.right(*arguments).clone()
        right[0], right[:, 0] = self.rest, self.rest
        return right


class FirstColumnOpen(FirstColumnLeftOut):
    """Your first row and first column hide nothing: do your loops start at 1? Positions count from
    0.
    """

    rest = False


class OneTokenMore(Answer):
    """Your mask has one row and one column too many: there are num_tokens positions, counted from
    0.
    """

    def answer(self, num_tokens: int, *arguments: Any) -> object:
        return self.right(num_tokens + 1, *arguments)


class OneTokenLess(Answer):
    """Your mask is missing a row and a column: there are num_tokens positions, counted from 0, and
    `arange(n)` and `range(n)` already stop before n.
    """

    def answer(self, num_tokens: int, *arguments: Any) -> object:
        return self.right(num_tokens - 1, *arguments)


ROWS = Family(
    FirstRowReturned,
    LastRowReturned,
    FirstRowFilled,
    FirstRowFilledRestHidden,
    LastRowFilled,
    LastRowFilledRestHidden,
)
PATTERN = (
    MASK_VALUES
    + ROWS
    + Family(
        LastColumnLeftOut,
        LastColumnOpen,
        FirstColumnLeftOut,
        FirstColumnOpen,
        OneTokenMore,
        OneTokenLess,
    )
)
