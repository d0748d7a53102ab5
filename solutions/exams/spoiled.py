"""Right results made wrong in a place or two, for exams of tests that learners write."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import torch
from torch import Tensor

from autograder import Draw

# Tensors, and arrays.
Numbers = TypeVar("Numbers", bound=Any)

_OFF = 0.5
_LAST = 3


def place_in_turn(draw: Draw, *shape: int) -> tuple[int, ...]:
    """A place; along each axis it is another one each time that the case is drawn.

    Args:
        draw: where it comes from.
        shape: sizes of which no two are equal. Along axes that are equally long, places would be
            equal too, and never be beside the diagonal.
    """
    return tuple(draw.in_turn(range(size)) for size in shape)


def only(*place: int) -> tuple[slice, ...]:
    """A place in slices: nothing where there is no such place, as in a text that was cut off."""
    return tuple(slice(one, one + 1) for one in place)


def late_place(draw: Draw, *shape: int) -> tuple[int, ...]:
    """One of the last places along each axis, where nobody looks who stops at a smaller size."""
    return tuple(int(draw.rng.integers(size - _LAST, size)) for size in shape)


def spoiled(draw: Draw, *place: int) -> Callable[[Numbers], Numbers]:
    """What makes one place of a result wrong, and leaves all others as they are.

    Its number is off, or has the other sign, which a test of sizes overlooks, or it has changed
    places with its neighbour, which a test of sums overlooks. A result that has no such place, as
    of a text that was cut off, stays as it is.

    Args:
        draw: where the mistake comes from.
        place: a number for each axis; the last axis has two entries at least.
    """
    *before, last = place
    mistake = draw.in_turn(range(3))

    def spoil(right: Numbers) -> Numbers:
        found = right + 0
        if any(one >= size for one, size in zip(place, right.shape, strict=True)):
            return found
        row = found[tuple(before)]
        if mistake == 0:
            row[last] += _OFF
        elif mistake == 1:
            row[last] *= -1
        else:
            row[last], row[last - 1] = right[(*before, last - 1)], right[(*before, last)]
        if not abs(found - right).max() > _OFF / 10:
            # It is next to 0, or to its neighbour: a test that allows for rounding may pass it.
            row[last] += _OFF
        return found

    return spoil


def exchanging(draw: Draw, size: int) -> Callable[[Numbers], Numbers]:
    """What makes two entries of a result's first axis change places.

    A test that sorts along this axis overlooks it, and so does one of what all entries have in sum.
    """
    one, other = draw.rng.choice(size, 2, replace=False).tolist()

    def exchange(right: Numbers) -> Numbers:
        if len(right) != size:
            return right
        order = [*range(size)]
        order[one], order[other] = other, one
        return right[order]

    return exchange


def shuffled(right: Tensor, by: Tensor) -> Tensor:
    """A result whose entries along the first axis come in an order that hangs on one number.

    A test that sorts along this axis overlooks it. Any other sees it, whatever it changes, so eight
    entries are enough: two numbers have the same order once in 40,000 times. One that takes
    gradients is right too, so it is to see where the number comes from.
    """
    # Not in equal steps: with these there would be far fewer orders than entries can have.
    steps = torch.linspace(8, 12, len(right), dtype=by.dtype).exp()
    order = torch.sin(by.detach() * steps).argsort(stable=True)
    return right[order] + (by - by.detach())


def signs_changed(right: Tensor, by: Tensor) -> Tensor:
    """A result in which numbers change their signs, which ones hangs on one number.

    A test of absolute values overlooks it. Gradients come back as in `shuffled`.
    """
    steps = torch.linspace(8, 12, right.numel(), dtype=by.dtype).exp().reshape(right.shape)
    signs = torch.where(torch.sin(by.detach() * steps) < 0, -1, 1)
    return right * signs + (by - by.detach())


def last_digits_changed(right: Tensor, by: Tensor) -> Tensor:
    """A result whose last digits hang on one number, as when a kernel adds in another order."""
    signs = signs_changed(torch.ones_like(right), by.detach())
    return right * (1 + torch.finfo(right.dtype).eps * signs)


def of_one_number(fillings: Iterable[Tensor]) -> list[Tensor]:
    """Of what a test has filled in, that which is one number everywhere: its blind spots."""
    return [filling for filling in fillings if bool((filling == filling[0, 0]).all())]


def cancelling(right: Tensor, axis: int, amount: Tensor | float = _OFF) -> Tensor:
    """A result that is too large at one end of an axis, and too small by as much at the other.

    The next entries of each other axis are off the other way round. So a test of sums or averages,
    along whichever axis, overlooks it, and where there are four rows and columns or more, so does
    one of the diagonal.

    Args:
        right: two entries long, at least, along the axis.
        axis: which.
        amount: by how much it is off; if it is a tensor, one that fits the result.
    """
    for place, size in enumerate(right.shape):
        signs = right.new_ones(size)
        if place == axis or size > 1:
            up, down = (0, -1) if place == axis else (size // 3, size // 3 + 1)
            signs = right.new_zeros(size)
            signs[up], signs[down] = 1, -1
        amount = amount * signs.reshape(-1, *(1 for _ in right.shape[place + 1 :]))
    return right + amount
