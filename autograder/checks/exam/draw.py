"""Random inputs for the hidden cases of an exam, and the seed that they are drawn from.

Everybody can draw from the default seed. Where an instructor grades, it is one that the course
keeps to itself.
"""

import hashlib
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from itertools import count, islice
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from autograder.errors import ExamError

if TYPE_CHECKING:
    import torch

T = TypeVar("T")

DEFAULT_SEED = 2026

_SIZES = (2, 3, 4, 5, 6, 7)
_seed: ContextVar[int] = ContextVar("seed", default=DEFAULT_SEED)


@contextmanager
def drawing_from(seed: int) -> Iterator[None]:
    """Have hidden cases drawn from this seed."""
    token = _seed.set(seed)
    try:
        yield
    finally:
        _seed.reset(token)


def seed_in_use() -> int:
    """What hidden cases are drawn from here."""
    return _seed.get()


def seed_for(exercise: str) -> int:
    """What the hidden cases of one exercise are drawn from here.

    The inputs of one tell nothing of another's: an answer that is asked about both, and lent a
    function in the first, could prepare the second with it.
    """
    seed = seed_in_use()
    if seed == DEFAULT_SEED:
        return seed
    return int.from_bytes(hashlib.sha256(f"{seed} {exercise}".encode()).digest(), "big")


class Draw:
    """Random inputs of shapes that can't be confused: every axis name gets a size of its own.

    Sizes are 2 to 7, all different within one case, so that no wrong axis has the right length and
    no matrix is square; where fixed sizes have taken some of these, 8 and more. Numbers are normal,
    positive and negative, of order 1. An axis that is called like the `single` one has size 1.
    """

    def __init__(self, seed: Sequence[int], single: str = "") -> None:
        self._seed, self._single = tuple(seed), single
        self.rng = np.random.default_rng(seed)
        self._free = [int(size) for size in self.rng.permutation(_SIZES)]
        self._sizes: dict[str, int] = {}
        self._drawn: list[str] = []

    @property
    def drawn(self) -> Sequence[str]:
        """The axes that were given sizes of their own."""
        return self._drawn

    def size(self, axis: str) -> int:
        """The size of a named axis, drawn at its first mention."""
        if axis not in self._sizes:
            if not self._free:
                raise ExamError(
                    f"a case names more than {len(_SIZES)} axes: {[*self._sizes, axis]}"
                )
            own = self._free.pop()
            self._sizes[axis] = 1 if axis == self._single else own
            self._drawn.append(axis)
        return self._sizes[axis]

    def fix(self, **sizes: int) -> "Draw":
        """Set sizes by hand, for a case such as a sentence of one word, before any is drawn."""
        if self._drawn:
            raise ExamError(
                f"a case fixes {', '.join(sizes)} after {', '.join(self._drawn)} was drawn: "
                "fix sizes first"
            )
        self._sizes.update(sizes)
        taken = set(self._sizes.values())
        left = [size for size in self._free if size not in taken]
        larger = (size for size in count(max(_SIZES) + 1) if size not in taken.union(left))
        # Drawn from the end: a larger one is the last that is taken.
        self._free = [*islice(larger, len(self._free) - len(left)), *left]
        return self

    def in_turn(self, options: Sequence[T]) -> T:
        """One of these, and another each time that a case is drawn, until all were.

        So a mistake in any one place is tried in as many places as the case is drawn times.
        """
        *case, turn = self._seed
        order = np.random.default_rng([*case, len(options)]).permutation(len(options))
        return options[int(order[turn % len(options)])]

    def __call__(self, axes: str, scale: float = 1.0) -> np.ndarray:
        """A float64 array with the named axes, normal with standard deviation `scale`."""
        return scale * self.rng.normal(size=self.shape(axes))

    def tensor(self, axes: str, scale: float = 1.0) -> "torch.Tensor":
        """The same as a float64 tensor."""
        import torch

        return torch.from_numpy(self(axes, scale))

    def shape(self, axes: str) -> tuple[int, ...]:
        """The sizes of the named axes, as in `draw.shape("tokens d_in")`."""
        return tuple(self.size(axis) for axis in axes.split())

    def weights(self, axes: str) -> np.ndarray:
        """Positive numbers that sum to 1 over the last named axis."""
        return self.rng.dirichlet(np.ones(self.size(axes.split()[-1])), self.shape(axes)[:-1])

    def integers(self, axes: str, below: int) -> np.ndarray:
        """Whole numbers from 0 to `below` - 1."""
        return self.rng.integers(below, size=self.shape(axes))


Drawn = Callable[[Draw], object]


def single_entries(
    declared: Iterable[Drawn], grouped: Container[object], seed: int
) -> Iterator[tuple[str, Drawn, object]]:
    """Each axis that cases draw, and what one of them is with a single entry along it.

    That is the first of those with the most axes: there it stands beside all others. A case that
    can't be like that is left out, as is one of a group: it would be wrong for two reasons.
    """
    cases = [one for one in declared if one not in grouped]
    firsts = [Draw((seed, place, 0)) for place in range(len(cases))]
    for function, first in zip(cases, firsts, strict=True):
        function(first)
    places = sorted(range(len(cases)), key=lambda place: -len(firsts[place].drawn))
    seen = set[str]()
    for place in places:
        for axis in firsts[place].drawn:
            if axis not in seen:
                seen.add(axis)
                with suppress(ValueError, IndexError, ExamError):
                    yield axis, cases[place], cases[place](Draw((seed, place, 0), axis))
