"""Byte-pair encoding in steps, for misconceptions of `learn_merges` to get one of them wrong."""

import itertools
from collections import Counter
from collections.abc import Iterable
from typing import Any

from companion import merge_pair
from solutions.exams.in_steps import declares
from solutions.exams.transformer.learn_merges.exam import merging

Pair = tuple[str, str]


class Merging:
    """Byte-pair encoding in steps, for misconceptions to get one of them wrong."""

    def __call__(self, text: str, num_merges: int) -> Any:
        """Learn."""
        pieces = self.cut(text)
        merges: list[Pair] = []
        for _ in range(self.turns(num_merges, pieces)):
            counts = Counter(self.pairs(pieces))
            pair = self.chosen(counts) if counts else None
            if pair is None or counts[pair] < self.least():
                break
            merges.append(pair)
            pieces = self.merged(pieces, pair)
        return self.returned(merges, pieces)

    def cut(self, text: str) -> list[str]:
        return list(text)

    def turns(self, num_merges: int, pieces: list[str]) -> int:
        return num_merges

    def pairs(self, pieces: list[str]) -> Iterable[Pair]:
        return itertools.pairwise(pieces)

    def chosen(self, counts: Counter[Pair]) -> Pair:
        return max(counts, key=counts.__getitem__)

    def least(self) -> int:
        return 2

    def merged(self, pieces: list[str], pair: Pair) -> list[str]:
        return merge_pair(pieces, pair)

    def returned(self, merges: list[Pair], pieces: list[str]) -> Any:
        return merges


declared = declares(merging)
