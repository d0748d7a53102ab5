"""Results: what goes wrong after the right numbers have been found."""

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import numpy as np
import torch

from autograder import Exam
from solutions.exams.families.family import Answer, Family


def _changed(change: Any, result: Any) -> Any:
    """Change every array of a result."""
    return tuple(map(change, result)) if isinstance(result, tuple) else change(result)


class InFloat64(Answer):
    """The numbers are right, but float32 went in and float64 came out. Keep the dtype of the
    input.
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(_in_float64, self.right(*arguments))


def _in_float64(result: Any) -> Any:
    return result.astype(np.float64)


class InFloat32(Answer):
    """The numbers are right, but float64 went in and float32 came out, which is PyTorch's default
    dtype. Keep the dtype of the input.
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(torch.Tensor.float, self.right(*arguments))


ARRAY_DTYPE, TENSOR_DTYPE = Family(InFloat64), Family(InFloat32)


class FirstRowReturned(Answer):
    """This is only the first part of the result, such as the first row, or the first sentence of a
    batch. If you have a loop, does it return in its first pass? Collect all the parts, and return
    them after the loop. Or does an index take one of them, where a slice would take several?
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(lambda result: result[0], self.right(*arguments))


class LastRowReturned(Answer):
    """This is only the last part of the result, such as the last row, or the last sentence of a
    batch. If you have a loop, does each pass overwrite the result of the one before? Collect all
    the parts, and return them after the loop.
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(lambda result: result[-1], self.right(*arguments))


class OnlyTheFirstRowFilled(Answer):
    """Only the first part of the result is filled in; the rest is still 0. If you have a loop, is
    `return` inside it?
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(lambda result: _kept(result, 0), self.right(*arguments))


class OnlyTheLastRowFilled(Answer):
    """Only the last part of the result is filled in; the rest is still 0. If you have a loop, does
    each pass start from new zeros? Make them once, before the loop.
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(lambda result: _kept(result, -1), self.right(*arguments))


def _kept(result: Any, row: int) -> Any:
    kept = 0 * result
    kept[row] = result[row]
    return kept


LOOP = Family(FirstRowReturned, LastRowReturned, OnlyTheFirstRowFilled, OnlyTheLastRowFilled)


class FirstRowLeftOut(Answer):
    """Everything is right except the first part of the result, which is 0. If you have a loop, does
    it start with the second one?
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(lambda result: _but(result, 0), self.right(*arguments))


class LastRowLeftOut(Answer):
    """Everything is right except the last part of the result, which is 0. If you have a loop, does
    it end one pass too early?
    """

    def answer(self, *arguments: Any) -> object:
        return _changed(lambda result: _but(result, -1), self.right(*arguments))


def _but(result: Any, row: int) -> Any:
    left = 1 * result
    left[row] = 0
    return left


ENDS = Family(FirstRowLeftOut, LastRowLeftOut)


class Swapped(Answer):
    """The two results are in the wrong order: the exercise says which one comes first."""

    def answer(self, *arguments: Any) -> object:
        first, second = self.right(*arguments)
        return second, first


class FirstAlone(Answer):
    """This is only the first of the two results. Return both, with a comma between them."""

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments)[0]


class SecondAlone(Answer):
    """This is only the second of the two results. Return both, with a comma between them."""

    def answer(self, *arguments: Any) -> object:
        return self.right(*arguments)[1]


class FirstTwice(Answer):
    """Both of your results are the first one. Return it once, followed by the second."""

    def answer(self, *arguments: Any) -> object:
        first, _ = self.right(*arguments)
        return first, first


class SecondTwice(Answer):
    """Both of your results are the second one. Return the first before it; if you do, see that the
    second is not written over it.
    """

    def answer(self, *arguments: Any) -> object:
        _, second = self.right(*arguments)
        return second, second


def declare_places(exam: Exam, without: Iterable[tuple[int, ...]] = ()) -> None:
    """Declare every way to return some of an exercise's results in each other's places.

    `without` are those for which the exercise has words of its own: (1, 1, 2) is the second result
    in the first place, too.
    """
    known = {tuple(range(len(exam.returns))), *without}
    for chosen in product(range(len(exam.returns)), repeat=len(exam.returns)):
        if chosen not in known:
            exam.misconception(_in_other_places(exam, chosen))


def _in_other_places(exam: Exam, chosen: tuple[int, ...]) -> Callable[..., object]:
    names = [exam.returns[which] for which in chosen]

    def wrong(*arguments: Any) -> object:
        results: Any = exam.reference(*arguments)
        return tuple(results[which] for which in chosen)

    pairs = zip(exam.returns, names, strict=True)
    slips = [f"the {name} where the {place} should be" for place, name in pairs if place != name]
    wrong.__name__ = "returned_" + "_".join(names).replace(" ", "_")
    wrong.__doc__ = f"You return {' and '.join(slips)}. The order is {', '.join(exam.returns)}."
    return wrong


PAIR = Family(Swapped, FirstAlone, SecondAlone, FirstTwice, SecondTwice)


class FirstPartOfTheSecond(Answer):
    """The first result is right. Of the second, you return only the first part: the first row, or
    the first sentence of a batch. Return all of its parts.
    """

    def answer(self, *arguments: Any) -> object:
        first, second = self.right(*arguments)
        return first, second[0]


class LastPartOfTheSecond(Answer):
    """The first result is right. Of the second, you return only the last part: the last row, or the
    last sentence of a batch. If you have a loop, does each pass overwrite the result of the one
    before? Collect all the parts, as in the first result.
    """

    def answer(self, *arguments: Any) -> object:
        first, second = self.right(*arguments)
        return first, second[-1]


# For exercises whose results both have a part for each row or sentence.
PARTS = Family(FirstPartOfTheSecond, LastPartOfTheSecond)
