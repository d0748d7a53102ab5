"""Pieces of a text, merged."""

import pytest

from companion import merge_pair


@pytest.mark.parametrize(
    ("text", "pair", "merged"),
    [
        ("abab", ("a", "b"), ["ab", "ab"]),
        ("aaa", ("a", "a"), ["aa", "a"]),
        ("abc", ("c", "a"), ["a", "b", "c"]),
        ("b", ("b", "b"), ["b"]),
        ("", ("a", "b"), []),
    ],
)
def test_merge_pair(text: str, pair: tuple[str, str], merged: list[str]) -> None:
    assert merge_pair(list(text), pair) == merged


def test_pieces_may_be_long() -> None:
    assert merge_pair(["lo", "w", "er"], ("lo", "w")) == ["low", "er"]
