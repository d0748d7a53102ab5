"""Pieces of a text, from characters to whole words."""

from collections.abc import Sequence


def merge_pair(pieces: Sequence[str], pair: tuple[str, str]) -> list[str]:
    """Merge a pair of neighbouring pieces into one wherever it stands, from left to right.

    Args:
        pieces: the pieces of a text, in their order.
        pair: the two pieces, the left one first.

    Returns:
        The pieces after merging; "aaa" with the pair ("a", "a") becomes "aa", "a".
    """
    merged: list[str] = []
    rest = iter(range(len(pieces)))
    for index in rest:
        if tuple(pieces[index : index + 2]) == pair:
            merged.append("".join(pair))
            next(rest)
        else:
            merged.append(pieces[index])
    return merged
