"""Right results made wrong in a place or two, for exams of tests that learners write."""

from collections.abc import Callable

from torch import Tensor

from autograder import Draw

_OFF = 0.5


def spoiled(draw: Draw, *shape: int) -> Callable[[Tensor], Tensor]:
    """What makes one place of a tensor wrong, and leaves all others as they are.

    Its number is off, or has the other sign, which a test of sizes overlooks, or it has changed
    places with its neighbour, which a test of sums overlooks.

    Args:
        draw: where the place and the mistake come from.
        shape: of the tensors that it is given; the last axis has two entries at least.
    """
    *place, last = (int(draw.rng.integers(size)) for size in shape)
    mistake = int(draw.rng.integers(3))

    def spoil(right: Tensor) -> Tensor:
        found = right.clone()
        row = found[tuple(place)]
        if mistake == 0:
            row[last] += _OFF
        elif mistake == 1:
            row[last] *= -1
        else:
            row[last], row[last - 1] = right[(*place, last - 1)], right[(*place, last)]
        return found

    return spoil


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
