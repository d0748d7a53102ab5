"""Tokenizers to try a test on: their docstrings say whether they lose something."""

import inspect

import pytest

from companion.specimens import tokenizers

TEXT = "  Über  balloons\ne\u0301 € 😀, and 1 more "
PARTNERS = {
    "utf8_bytes": tokenizers.from_utf8_bytes,
    "run_lengths": tokenizers.from_run_lengths,
    "backwards": tokenizers.from_backwards,
}
WAYS = [
    (name, made)
    for name, made in inspect.getmembers(tokenizers, inspect.isfunction)
    if made.__module__ == tokenizers.__name__
]
ENCODERS = [(name, made) for name, made in WAYS if not name.startswith("from_")]
DECODERS = [
    (name, made)
    for name, made in WAYS
    if name.startswith("from_") and made not in PARTNERS.values()
]


def comes_back(encode, decode, text):
    try:
        return decode(encode(text)) == text
    except (ValueError, LookupError):
        return False


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
def test_docstring_is_true_of_ids(name, encode):
    decode = PARTNERS.get(name, tokenizers.from_table_ids)
    assert comes_back(encode, decode, TEXT) is encode.__doc__.startswith("Loses nothing")


@pytest.mark.parametrize(("name", "decode"), DECODERS)
def test_docstring_is_true_of_texts(name, decode):
    verdict = comes_back(tokenizers.table_ids, decode, TEXT)
    assert verdict is decode.__doc__.startswith("Loses nothing")


@pytest.mark.parametrize(("name", "encode"), ENCODERS)
def test_ids_are_whole_numbers(name, encode):
    ids = encode("word")
    assert isinstance(ids, list)
    assert all(type(number) is int for number in ids)
