"""What goes wrong in `is_lossless`."""

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from solutions.exams.transformer.is_lossless.exam import lossless

Encode = Callable[[str], list[int]]
Decode = Callable[[list[int]], str]
Texts = Sequence[str]


class Testing:
    """A test in steps, for misconceptions to get one of them wrong."""

    def __call__(self, encode: Encode, decode: Decode, texts: Texts) -> Any:
        """The verdict."""
        return self.verdict([self.comes_back(encode, decode, text) for text in texts])

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return self.alike(text, decode(encode(text)))
        except Exception:
            return self.after_an_error()

    def after_an_error(self) -> bool:
        return False

    def alike(self, text: str, decoded: str) -> bool:
        return decoded == text

    def verdict(self, each: list[bool]) -> Any:
        return all(each)


def declared(made: type[Testing]) -> type[Testing]:
    """Declare a way of testing as a misconception."""

    def wrong(encode: Encode, decode: Decode, texts: Texts) -> Any:
        return made()(encode, decode, texts)

    wrong.__name__, wrong.__doc__ = made.__name__, made.__doc__
    lossless.misconception(wrong)
    return made


@declared
class AlwaysTrue(Testing):
    """Your test says True to everything. Does it compare the text with itself?"""

    def verdict(self, each: list[bool]) -> Any:
        return True


@declared
class AlwaysFalse(Testing):
    """Your test says False to everything. If it catches errors, it may have one of its own: is
    `encode` given a text, and `decode` what came out of it?
    """

    def verdict(self, each: list[bool]) -> Any:
        return False


@declared
class NothingReturned(Testing):
    """Your test returns None. Return True or False."""

    def verdict(self, each: list[bool]) -> Any:
        return None


@declared
class NothingIfLossless(Testing):
    """Your test says False where it should, and otherwise None. Return True after the loop."""

    def verdict(self, each: list[bool]) -> Any:
        return None if all(each) else False


@declared
class TurnedRound(Testing):
    """Your answer is the wrong way round: True is for texts that all come back."""

    def verdict(self, each: list[bool]) -> Any:
        return not all(each)


@declared
class FirstTextOnly(Testing):
    """Your test looks at the first text only. Does your loop return True in its first turn? Return
    it after the loop.
    """

    def verdict(self, each: list[bool]) -> Any:
        return each[0]


@declared
class LastTextOnly(Testing):
    """Only the last text counts in your test: each turn overwrites what earlier ones found."""

    def verdict(self, each: list[bool]) -> Any:
        return each[-1]


@declared
class LastTextForgotten(Testing):
    """Your test does not look at the last text."""

    def verdict(self, each: list[bool]) -> Any:
        return all(each[:-1])


@declared
class FirstTextForgotten(Testing):
    """Your test does not look at the first text."""

    def verdict(self, each: list[bool]) -> Any:
        return all(each[1:])


@declared
class OneIsEnough(Testing):
    """Your test is content if one of the texts comes back. Each of them has to: `all` instead of
    `any`.
    """

    def verdict(self, each: list[bool]) -> Any:
        return any(each)


@declared
class NoneComesBack(Testing):
    """Your test says True if none of the texts comes back. It is True if each of them does."""

    def verdict(self, each: list[bool]) -> Any:
        return not any(each)


@declared
class AVerdictForEach(Testing):
    """This is a verdict for each text. Say True or False once, for all of them."""

    def verdict(self, each: list[bool]) -> Any:
        return each


@declared
class HowMany(Testing):
    """This is how many texts come back. Say True if all of them do, otherwise False."""

    def verdict(self, each: list[bool]) -> Any:
        return sum(each)


@declared
class ErrorsPass(Testing):
    """A text on which `encode` or `decode` raises an error passes your test. It does not come back,
    so the verdict is False.
    """

    def after_an_error(self) -> bool:
        return True


@declared
class ErrorsEscape(Testing):
    """Your test stops with the error that `encode` or `decode` raises. Catch it: a text on which
    that happens does not come back.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        return decode(encode(text)) == text


@declared
class ErrorsOfDecodeEscape(Testing):
    """Your test stops with an error that `decode` raises. Call both functions inside of `try`."""

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            ids = encode(text)
        except Exception:
            return False
        return decode(ids) == text


@declared
class ErrorsOfEncodeEscape(Testing):
    """Your test stops with an error that `encode` raises. Call both functions inside of `try`."""

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        ids = encode(text)
        try:
            return decode(ids) == text
        except Exception:
            return False


@declared
class OnlyValueErrors(Testing):
    """Your test catches some errors, and others escape, such as a KeyError. Catch all of them:
    `except Exception`.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return decode(encode(text)) == text
        except ValueError:
            return False


@declared
class OnlyLookupErrors(Testing):
    """Your test catches some errors, and others escape, such as a UnicodeEncodeError. Catch all of
    them: `except Exception`.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return decode(encode(text)) == text
        except LookupError:
            return False


@declared
class OnlyErrors(Testing):
    """Your test says False of errors alone. Compare what comes back with the text as well."""

    def alike(self, text: str, decoded: str) -> bool:
        return True


@declared
class CapitalsIgnored(Testing):
    """Lost capital letters pass your test. Compare the texts as they are, without `lower`."""

    def alike(self, text: str, decoded: str) -> bool:
        return decoded.lower() == text.lower()


@declared
class OuterSpacesIgnored(Testing):
    """Lost spaces at the beginning or at the end pass your test. Compare the texts as they are,
    without `strip`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return decoded.strip() == text.strip()


@declared
class WordsCompared(Testing):
    """You compare the words of both texts, and spaces and lines between them are lost unseen.
    Compare the texts as they are, without `split`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return decoded.split() == text.split()


@declared
class LengthsCompared(Testing):
    """You compare the lengths of both texts only. Other characters can be as many."""

    def alike(self, text: str, decoded: str) -> bool:
        return len(decoded) == len(text)


@declared
class CharactersCounted(Testing):
    """You compare which characters stand in both texts, and their order can change unseen. Compare
    the texts themselves.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return sorted(decoded) == sorted(text)


@declared
class SetsCompared(Testing):
    """You compare which characters stand in both texts, as sets: how often each of them does, and
    where, can change unseen. Compare the texts themselves.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return set(decoded) == set(text)


@declared
class AsFarAsBothGo(Testing):
    """You compare only as far as the shorter text goes, as `zip` and `startswith` do. What is cut
    off at the end passes.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return all(one == other for one, other in zip(text, decoded, strict=False))


@declared
class PartOfTheOther(Testing):
    """It is enough for your test that one text is contained in the other. `in` finds a part:
    compare with `==`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return text in decoded or decoded in text


@declared
class TextInDecoded(Testing):
    """It is enough for your test that the text is contained in what comes back. `in` finds a part:
    compare with `==`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return text in decoded


@declared
class DecodedInText(Testing):
    """It is enough for your test that what comes back is contained in the text. `in` finds a part:
    compare with `==`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return decoded in text


@declared
class LooksTheSame(Testing):
    """A letter with an accent can be one character or two, and your test takes these for the same.
    Compare the texts as they are, without `normalize`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return unicodedata.normalize("NFC", decoded) == unicodedata.normalize("NFC", text)


@declared
class IdsCompared(Testing):
    """You compare ids: those of the text, and those of what comes back. What `encode` has lost is
    missing in both. Compare what comes back with the text itself.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            ids = encode(text)
            return encode(decode(ids)) == ids
        except Exception:
            return False


@declared
class TwiceDecoded(Testing):
    """You compare what comes back with what comes back of it once more. What is lost the first time
    is missing in both: compare with the text itself.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            once = decode(encode(text))
            return decode(encode(once)) == once
        except Exception:
            return False


@declared
class AnIdForEachCharacter(Testing):
    """You ask whether there are as many ids as characters. There may be fewer or more: decode them,
    and compare texts.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return len(encode(text)) == len(text)
        except Exception:
            return False


@declared
class JoinedTexts(Testing):
    """You test all texts as one. A text can be too long together with others, though each comes
    back by itself: try them one by one.
    """

    def __call__(self, encode: Encode, decode: Decode, texts: Texts) -> Any:
        return self.comes_back(encode, decode, "".join(texts))
