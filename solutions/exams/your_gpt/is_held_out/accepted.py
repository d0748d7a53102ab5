"""Right answers to `is_held_out` in other styles."""

from collections.abc import Iterator

import torch
from torch import Tensor

from solutions.exams.your_gpt.is_held_out.exam import held_out

Run = tuple[int, ...]


@held_out.accepts
def by_sets(learned: Tensor, test: Tensor, n: int) -> bool:
    """Two sets of tuples that have nothing in common.

    Both texts become sets of runs, and `isdisjoint` asks whether they share one. The cost grows
    with the sum of the lengths, not with their product.
    """

    def cut(text: Tensor) -> set[Run]:
        ids = text.tolist()
        return {tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)}

    return cut(learned).isdisjoint(cut(test))


@held_out.accepts
def every_pair(learned: Tensor, test: Tensor, n: int) -> bool:
    """Loops over slices of lists, every run with every other.

    Every run of one text is compared with every run of the other. No set has to be kept in memory,
    but the cost grows with the product of the lengths.
    """
    a, b = learned.tolist(), test.tolist()
    for i in range(len(b) - n + 1):
        run = b[i : i + n]
        for j in range(len(a) - n + 1):
            if a[j] == run[0] and a[j : j + n] == run:
                return False
    return True


@held_out.accepts
def by_broadcasting(learned: Tensor, test: Tensor, n: int) -> Tensor:
    """A table of which tokens are equal, and its diagonals."""
    if len(learned) < n or len(test) < n:
        return torch.tensor(True)
    equal = test[:, None] == learned
    rows, columns = len(test) - n + 1, len(learned) - n + 1
    shared = torch.ones(rows, columns, dtype=torch.bool)
    for k in range(n):
        shared &= equal[k : k + rows, k : k + columns]
    return ~shared.any()


@held_out.accepts
def by_shifted_lists(learned: Tensor, test: Tensor, n: int) -> bool:
    """Shifted lists zipped: each tuple is a run."""

    def cut(text: Tensor) -> Iterator[Run]:
        ids = text.tolist()
        return zip(*(ids[k:] for k in range(n)), strict=False)

    known = frozenset(cut(learned))
    return not any(map(known.__contains__, cut(test)))


@held_out.accepts
def by_text_with_separators(learned: Tensor, test: Tensor, n: int) -> bool:
    """Texts of ids, each id between commas."""

    def joined(ids: list[int]) -> str:
        return "," + ",".join(map(str, ids)) + ","

    text, ids = joined(learned.tolist()), test.tolist()
    return not any(joined(ids[i : i + n]) in text for i in range(len(ids) - n + 1))


@held_out.accepts
def growing_runs(learned: Tensor, test: Tensor, n: int) -> bool:
    """The longest run in common, by how long the runs are that end at each token.

    For each token of the test it knows how long the shared runs are that end there, as in a search
    for the longest common substring. No run is cut out.
    """
    longest = torch.zeros(len(learned) + 1, dtype=torch.int64)
    for token in test:
        longer = torch.where(learned == token, longest[:-1] + 1, 0)
        longest = torch.cat([longest.new_zeros(1), longer])
        if bool((longest >= n).any()):
            return False
    return True
