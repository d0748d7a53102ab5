"""Right answers to `is_lossless` in other styles."""

from collections.abc import Callable, Sequence

from solutions.exams.transformer.is_lossless.exam import lossless

Encode = Callable[[str], list[int]]
Decode = Callable[[list[int]], str]
Texts = Sequence[str]


@lossless.accepts
def all_in_one_try(encode: Encode, decode: Decode, texts: Texts) -> bool:
    """One `try` around all texts.

    One `try` stands around all texts, and the first that is lost ends it. This is the shortest way,
    but it cannot tell you which text was lost.
    """
    try:
        return all(decode(encode(text)) == text for text in texts)
    except Exception:
        return False


@lossless.accepts
def lists_compared(encode: Encode, decode: Decode, texts: Texts) -> bool:
    """All that comes back, as a list.

    All texts are encoded and decoded first, and then two lists are compared. `list(texts)` is
    needed because a list never equals a tuple.
    """
    try:
        back = [decode(encode(text)) for text in texts]
    except Exception:
        return False
    return back == list(texts)


@lossless.accepts
def by_a_helper(encode: Encode, decode: Decode, texts: Texts) -> bool:
    """A function for one text, used for all."""

    def comes_back(text: str) -> bool:
        try:
            ids = encode(text)
            return text == decode(ids)
        except Exception:
            return False

    return all(map(comes_back, texts))


@lossless.accepts
def losses_counted(encode: Encode, decode: Decode, texts: Texts) -> bool:
    """The texts that do not come back, counted.

    It counts the texts that are lost, and the verdict comes at the end. While you repair a
    tokenizer, the count tells you more than False.
    """
    lost = 0
    for text in texts:
        try:
            decoded = decode(encode(text))
        except Exception:
            lost += 1
        else:
            lost += decoded != text
    return lost == 0


@lossless.accepts
def a_verdict_that_falls(encode: Encode, decode: Decode, texts: Texts) -> bool:
    """True until something is lost."""
    verdict = True
    for text in texts:
        try:
            verdict = verdict and decode(encode(text)) == text
        except Exception:
            verdict = False
    return verdict


@lossless.accepts
def asserted(encode: Encode, decode: Decode, texts: Texts) -> bool:
    """As tests are written: with an assertion for each text."""
    for text in texts:
        try:
            assert decode(encode(text)) == text
        except Exception:
            return False
    return True
