"""What goes wrong in `encode`."""

import re
from functools import reduce
from itertools import pairwise, zip_longest
from typing import Any

from companion import merge_pair
from solutions import transformer as reference
from solutions.exams.transformer.encode.exam import Merges, cutting


@cutting.misconception
def characters_only(text: str, merges: Merges) -> list[str]:
    """These are the single characters: nothing is merged. If you call `merge_pair`, keep what it
    returns, because that is a new list.
    """
    return list(text)


@cutting.misconception
def stripped(text: str, merges: Merges) -> list[str]:
    """The spaces at the ends of the text are lost, as by `strip`. They are characters like any
    other: joined, your pieces have to be the text.
    """
    return reference.encode(text.strip(), merges)


@cutting.misconception
def nothing_returned(text: str, merges: Merges) -> Any:
    """Your function returns None. Return the list of pieces after the loop."""
    return None


@cutting.misconception
def first_merge_only(text: str, merges: Merges) -> Any:
    """Only the first pair is merged. Does your loop return in its first round?"""
    return reference.encode(text, merges[:1])


@cutting.misconception
def first_merge_or_none(text: str, merges: Merges) -> Any:
    """Only the first pair is merged, and without any pairs nothing is returned. Return the pieces
    after the loop, not inside it.
    """
    return reference.encode(text, merges[:1]) if merges else None


@cutting.misconception
def last_merge_only(text: str, merges: Merges) -> list[str]:
    """Only the last pair is merged. Does each round of your loop start again from the characters?
    Merge in the result of the round before.
    """
    return reference.encode(text, merges[-1:])


@cutting.misconception
def last_merge_forgotten(text: str, merges: Merges) -> list[str]:
    """The last pair is not merged. Does your loop end one round too soon?"""
    return reference.encode(text, merges[:-1])


@cutting.misconception
def first_merge_forgotten(text: str, merges: Merges) -> list[str]:
    """The first pair is not merged. Does your loop begin at 1?"""
    return reference.encode(text, merges[1:])


@cutting.misconception
def latest_first(text: str, merges: Merges) -> list[str]:
    """You merge the pairs in the opposite order. Later pairs can be made of earlier ones, so begin
    with the first.
    """
    return reference.encode(text, merges[::-1])


@cutting.misconception
def by_the_alphabet(text: str, merges: Merges) -> list[str]:
    """You merge the pairs in alphabetical order. Keep the order in which they were learnt."""
    return reference.encode(text, sorted(merges))


@cutting.misconception
def longest_piece_first(text: str, merges: Merges) -> list[str]:
    """You cut off the longest piece that fits, from left to right. Apply the merges in their order:
    an early merge can take a letter that a longer piece would need.
    """
    known = sorted(map("".join, merges), key=len, reverse=True)
    pieces = []
    while text:
        piece = next((one for one in known if text.startswith(one)), text[0])
        pieces.append(piece)
        text = text[len(piece) :]
    return pieces


@cutting.misconception
def stops_at_a_missing_pair(text: str, merges: Merges) -> list[str]:
    """You stop at the first pair that does not occur in the text. Later pairs may occur, so go
    on.
    """
    pieces = list(text)
    for pair in merges:
        if pair not in pairwise(pieces):
            break
        pieces = merge_pair(pieces, pair)
    return pieces


@cutting.misconception
def first_place_only(text: str, merges: Merges) -> list[str]:
    """You merge only the first occurrence of each pair. Merge all of them."""
    pieces = list(text)
    for pair in merges:
        if pair in pairwise(pieces):
            at = list(pairwise(pieces)).index(pair)
            pieces[at : at + 2] = ["".join(pair)]
    return pieces


@cutting.misconception
def merged_from_the_right(text: str, merges: Merges) -> list[str]:
    """You merge from right to left. Begin on the left: "aaa" becomes "aa", "a"."""
    turned = [(right[::-1], left[::-1]) for left, right in merges]
    return [piece[::-1] for piece in reference.encode(text[::-1], turned)[::-1]]


@cutting.misconception
def learnt_anew(text: str, merges: Merges) -> list[str]:
    """You learn new merges from the text that you are to split. Use the merges that you are
    given.
    """
    return reference.encode(text, reference.learn_merges(text, len(merges)))


@cutting.misconception
def characters_or_nothing(text: str, merges: Merges) -> Any:
    """These are the single characters, and without any pairs you return None. Is `return` inside
    the loop, before anything is merged? It goes after the loop.
    """
    return list(text) if merges else None


@cutting.misconception
def right_piece_lost(text: str, merges: Merges) -> list[str]:
    """When you merge a pair, its right piece is lost. The merged piece is both of them joined, with
    nothing in between.
    """
    pieces = list(text)
    for left, right in merges:
        joined = merge_pair(pieces, (left, right))
        pieces = [left if one == left + right else one for one in joined]
    return pieces


@cutting.misconception
def compared_when_joined(text: str, merges: Merges) -> list[str]:
    """You compare two pieces after joining them, so "a", "bc" counts as the pair "ab", "c". Compare
    each piece with its own half of the pair.
    """
    pieces = list(text)
    for left, right in merges:
        merged: list[str] = []
        while pieces:
            size = 2 if len(pieces) > 1 and "".join(pieces[:2]) == left + right else 1
            merged.append("".join(pieces[:size]))
            pieces = pieces[size:]
        pieces = merged
    return pieces


@cutting.misconception
def partner_kept(text: str, merges: Merges) -> list[str]:
    """When you merge a pair, its right piece stays as well, so the text gets longer. Skip both
    pieces.
    """
    pieces = list(text)
    for pair in merges:
        joined = ["".join(two) if two == pair else two[0] for two in pairwise(pieces)]
        pieces = [*joined, *pieces[-1:]]
    return pieces


@cutting.misconception
def grows_on_and_on(text: str, merges: Merges) -> list[str]:
    """Where a letter is repeated, a merged piece keeps growing. With the pair ("a", "a"), "aaa"
    becomes "aa", "a": after a merge, go on with the next piece.
    """
    pieces = list(text)
    for left, right in merges:
        merged: list[str] = []
        is_open = False
        for piece in pieces:
            if is_open and piece == right:
                merged[-1] += piece
            else:
                merged.append(piece)
                is_open = piece == left
        pieces = merged
    return pieces


@cutting.misconception
def shared_by_two_pairs(text: str, merges: Merges) -> list[str]:
    """Where a letter is repeated, you use the same piece in two pairs. With the pair ("a", "a"),
    "aaa" becomes "aa", "a": after a merge, go on behind both pieces.
    """
    pieces = list(text)
    for pair in merges:
        merged: list[str] = []
        is_partner = False
        for piece, following in zip_longest(pieces, pieces[1:]):
            fits = (piece, following) == pair
            if fits:
                merged.append("".join(pair))
            elif not is_partner:
                merged.append(piece)
            is_partner = fits
        pieces = merged
    return pieces


@cutting.misconception
def replaced_in_a_joined_text(text: str, merges: Merges) -> list[str]:
    """You join the pieces with spaces and replace in that text. There, a piece that only ends or
    begins like one of the pair is mistaken for it, and the spaces of the text are lost: use
    `merge_pair`.
    """
    joined = " ".join(text)
    for pair in merges:
        joined = joined.replace(" ".join(pair), "".join(pair))
    return joined.split()


def _replaced(text: str, merges: Merges, mark: str) -> str:
    joined = mark.join(text)
    for pair in merges:
        joined = joined.replace(mark.join(pair), "".join(pair))
    return joined


@cutting.misconception
def replaced_and_split_at_spaces(text: str, merges: Merges) -> list[str]:
    """You join the pieces with spaces and replace in that text. There, a piece that only ends or
    begins like one of the pair is mistaken for it, and the spaces of the text become empty pieces:
    use `merge_pair`.
    """
    return _replaced(text, merges, " ").split(" ")


def _with_a_mark(mark: str, of_them: str) -> None:
    """Declare an answer that keeps the pieces in one text, with this mark between each two."""

    def replaced(text: str, merges: Merges) -> list[str]:
        return _replaced(text, merges, mark).split(mark) if text else []

    def replaced_unguarded(text: str, merges: Merges) -> list[str]:
        return _replaced(text, merges, mark).split(mark)

    replaced.__name__ = f"replaced_between_{of_them}"
    replaced.__doc__ = (
        "You join the pieces with a mark between them and replace in that text. There, a piece "
        "that only ends or begins like one of the pair is mistaken for it: use `merge_pair`."
    )
    replaced_unguarded.__name__ = f"{replaced.__name__}_unguarded"
    replaced_unguarded.__doc__ = (
        "You join the pieces with a mark between them and replace in that text. There, a piece "
        "that only ends or begins like one of the pair is mistaken for it, and an empty text gets "
        "an empty piece: use `merge_pair`."
    )
    cutting.misconception(replaced)
    cutting.misconception(replaced_unguarded)


for _mark, _of_them in (("\0", "marks"), ("|", "bars"), (",", "commas"), ("\t", "tabs")):
    _with_a_mark(_mark, _of_them)


@cutting.misconception
def replaced_as_whole_pieces(text: str, merges: Merges) -> list[str]:
    """You join the pieces with spaces and split at them in the end, so the spaces of the text are
    lost among yours. Keep the pieces in a list: use `merge_pair`.
    """
    return _whole_pieces(text, merges).split(" ")


@cutting.misconception
def replaced_and_split_at_whitespace(text: str, merges: Merges) -> list[str]:
    """You join the pieces with spaces and split at whitespace in the end, so the spaces and ends of
    lines of the text are lost. Keep the pieces in a list: use `merge_pair`.
    """
    return _whole_pieces(text, merges).split()


def _whole_pieces(text: str, merges: Merges) -> str:
    """The pieces with a space between each two."""
    joined = " ".join(text)
    for pair in merges:
        found = re.escape(" ".join(pair))
        joined = re.sub(rf"(?<!\S){found}(?!\S)", "".join(pair), joined)
    return joined


@cutting.misconception
def unknown_left_out(text: str, merges: Merges) -> list[str]:
    """Characters that are in none of the pairs are missing. Keep them, as pieces of one
    character.
    """
    known = set("".join(map("".join, merges)))
    return [piece for piece in reference.encode(text, merges) if set(piece) <= known]


@cutting.misconception
def characters_left_out(text: str, merges: Merges) -> list[str]:
    """Pieces of one character are missing. Keep what is not merged."""
    return [piece for piece in reference.encode(text, merges) if len(piece) > 1]


@cutting.misconception
def word_by_word(text: str, merges: Merges) -> list[str]:
    """You split the text into words first, so the spaces are lost. Here a space is a character like
    any other.
    """
    return [piece for word in text.split() for piece in reference.encode(word, merges)]


@cutting.misconception
def words_between_spaces(text: str, merges: Merges) -> list[str]:
    """You split the text into words first, so the spaces are lost. Here a space is a character like
    any other.
    """
    return [piece for word in text.split(" ") for piece in reference.encode(word, merges)]


@cutting.misconception
def within_words(text: str, merges: Merges) -> list[str]:
    """You never merge a pair that contains a space. Here a space is a character like any other."""
    return reference.encode(text, [pair for pair in merges if " " not in "".join(pair)])


@cutting.misconception
def words_as_pieces(text: str, merges: Merges) -> list[str]:
    """Your first pieces are words. Start with characters: list(text)."""
    return reduce(lambda pieces, pair: merge_pair(pieces, pair), merges, text.split())


@cutting.misconception
def in_lower_case(text: str, merges: Merges) -> list[str]:
    """You converted the text to lower case. Joined, the pieces have to be the text itself."""
    return reference.encode(text.lower(), merges)


@cutting.misconception
def joined_by_spaces(text: str, merges: Merges) -> Any:
    """This is one string, the pieces joined. Return the list of pieces."""
    return " ".join(reference.encode(text, merges))


@cutting.misconception
def the_text_itself(text: str, merges: Merges) -> Any:
    """This is the text itself. Did you join the pieces again, or return the argument? Return the
    list of pieces.
    """
    return text


@cutting.misconception
def every_stage(text: str, merges: Merges) -> Any:
    """You return a list for every merge. Return only the pieces after the last one."""
    return [reference.encode(text, merges[: n + 1]) for n in range(len(merges))]


@cutting.misconception
def each_piece_once(text: str, merges: Merges) -> list[str]:
    """Each piece appears only once in your result. Return all of them, in the order of the text."""
    return list(dict.fromkeys(reference.encode(text, merges)))


@cutting.misconception
def pairs_in_a_tuple(text: str, merges: Merges) -> Any:
    """A merged pair is still a tuple in your result. Join its two pieces: "".join(pair)."""
    pieces: list[Any] = list(text)
    for pair in merges:
        merged: list[Any] = []
        for piece in pieces:
            if merged and (merged[-1], piece) == pair:
                merged[-1] = pair
            else:
                merged.append(piece)
        pieces = merged
    return pieces


@cutting.misconception
def last_piece_lost(text: str, merges: Merges) -> list[str]:
    """The end of the text is lost: each pass over the pieces leaves out the last one, unless it is
    merged. A loop over neighbours stops before it, because it has none to its right: append it
    after the loop.
    """
    pieces = list(text)
    for first, second in merges:
        merged, place = [], 0
        while place < len(pieces) - 1:
            is_pair = (pieces[place], pieces[place + 1]) == (first, second)
            merged.append(first + second if is_pair else pieces[place])
            place += 2 if is_pair else 1
        pieces = merged
    return pieces


@cutting.misconception
def any_known_pair(text: str, merges: Merges) -> list[str]:
    """You merge whichever pair of `merges` comes first in the text. Merge the first pair of the
    list everywhere, then the second, and so on, as they were learnt.
    """
    pieces, known, place = list(text), set(merges), 0
    while place < len(pieces) - 1:
        if (pieces[place], pieces[place + 1]) in known:
            pieces[place : place + 2] = ["".join(pieces[place : place + 2])]
            place = 0
        else:
            place += 1
    return pieces
