"""Masks: what goes wrong in their values. In this course True means hidden."""

from typing import Any

import torch

from solutions.exams.families.family import Answer, Family


class VisibleInstead(Answer):
    """Your mask is True where the key is visible. In this course True means hidden: invert it with
    ~.
    """

    def answer(self, *arguments: Any) -> object:
        return ~self.right(*arguments)


class MaskOfFloats(Answer):
    """Your mask consists of the floats 0 and 1. Turn them into True and False, with
    dtype=torch.bool or .bool().
    """

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments).float()


class MaskOfWholeNumbers(Answer):
    """Your mask consists of the integers 0 and 1. Turn them into True and False, with
    dtype=torch.bool or .bool().
    """

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments).long()


class MaskToBeAdded(Answer):
    """Your mask contains −∞, to be added to the scores. Return the mask itself: True where a key is
    hidden.
    """

    def answer(self, *arguments: Any) -> object:
        mask = self.right(*arguments)
        return torch.zeros(mask.shape).masked_fill(mask, -torch.inf)


class TimesInfinity(Answer):
    """A mask of zeros and ones times −∞ is NaN wherever it was 0. Return the mask itself, as True
    and False.
    """

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments) * -torch.inf


class KeysOnRows(Answer):
    """Your mask has one row per key. Queries should be on the rows and keys on the columns."""

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments).mT


class NothingHidden(Answer):
    """Nothing is hidden. If you call `masked_fill`, `triu` or the like, assign the result to a
    name.
    """

    def answer(self, *arguments: Any) -> object:
        return torch.zeros_like(self.right(*arguments))


class AllHidden(Answer):
    """Your mask hides every key from every query. If you multiplied by −∞: 0 · (−∞) is NaN, and NaN
    as a bool is True.
    """

    def answer(self, *arguments: Any) -> object:
        return torch.ones_like(self.right(*arguments))


MASK_VALUES = Family(
    VisibleInstead,
    MaskOfFloats,
    MaskOfWholeNumbers,
    MaskToBeAdded,
    TimesInfinity,
    KeysOnRows,
    NothingHidden,
    AllHidden,
)
