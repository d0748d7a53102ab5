"""Right answers to `encode` in other styles."""

from functools import reduce

from companion import merge_pair
from solutions.exams.transformer.encode.exam import Merges, cutting


@cutting.accepts
def by_reduce(text: str, merges: Merges) -> list[str]:
    """functools.reduce."""
    return reduce(merge_pair, merges, list(text))


@cutting.accepts
def by_itself_again(text: str, merges: Merges) -> list[str]:
    """All merges but the last, then the last one.

    Python allows some 1000 calls within each other, so for many merges choose a loop.
    """
    if not merges:
        return list(text)
    *earlier, last = merges
    return merge_pair(by_itself_again(text, earlier), last)


@cutting.accepts
def piece_by_piece(text: str, merges: Merges) -> list[str]:
    """Merged by hand, into a list that grows.

    It does without `merge_pair`: a piece either joins the one before it or stands by itself. The
    flag makes sure that no piece is used twice.
    """
    pieces = [*text]
    for left, right in merges:
        merged: list[str] = []
        open_left = False
        for piece in pieces:
            if open_left and piece == right:
                merged[-1] = left + right
                open_left = False
            else:
                merged.append(piece)
                open_left = piece == left
        pieces = merged
    return pieces


@cutting.accepts
def places_cut_out(text: str, merges: Merges) -> list[str]:
    """Slices put in, from left to right."""
    pieces = list(text)
    for pair in merges:
        for at in range(len(pieces)):
            if tuple(pieces[at : at + 2]) == pair:
                pieces[at : at + 2] = ["".join(pair)]
    return pieces
