"""What goes wrong in `is_lossless`."""

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

from solutions.exams.in_steps import declares
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


declared = declares(lossless)


@declared
class AlwaysTrue(Testing):
    """Your test always returns True. Does it compare the text with itself?"""

    def verdict(self, each: list[bool]) -> Any:
        return True


@declared
class AlwaysFalse(Testing):
    """Your test always returns False. If it catches errors, it may be catching one of its own: do
    you pass a text to `encode`, and the result of that to `decode`?
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
    """Your test returns False where it should, and otherwise None. Return True after the loop."""

    def verdict(self, each: list[bool]) -> Any:
        return None if all(each) else False


@declared
class TurnedRound(Testing):
    """Your answer is the wrong way round: return True if all texts come back."""

    def verdict(self, each: list[bool]) -> Any:
        return not all(each)


@declared
class FirstTextOnly(Testing):
    """Your test checks only the first text. Does your loop return True in its first round? Return
    it after the loop.
    """

    def verdict(self, each: list[bool]) -> Any:
        return each[0]


@declared
class LastTextOnly(Testing):
    """Only the last text counts in your test. Does each round overwrite the result of the one
    before?
    """

    def verdict(self, each: list[bool]) -> Any:
        return each[-1]


@declared
class LastTextForgotten(Testing):
    """Your test does not check the last text."""

    def verdict(self, each: list[bool]) -> Any:
        return all(each[:-1])


@declared
class FirstTextForgotten(Testing):
    """Your test does not check the first text."""

    def verdict(self, each: list[bool]) -> Any:
        return all(each[1:])


@declared
class OneIsEnough(Testing):
    """Your test passes if just one of the texts comes back. All of them have to: is there an `any`,
    or a `return True` inside a loop?
    """

    def verdict(self, each: list[bool]) -> Any:
        return any(each)


@declared
class NoneComesBack(Testing):
    """Your test returns True if none of the texts comes back. Return True if every one of them
    does.
    """

    def verdict(self, each: list[bool]) -> Any:
        return not any(each)


@declared
class AVerdictForEach(Testing):
    """This is a result for each text. Return a single True or False for all of them."""

    def verdict(self, each: list[bool]) -> Any:
        return each


@declared
class HowMany(Testing):
    """This is the number of texts that come back. Return True if all of them do, otherwise
    False.
    """

    def verdict(self, each: list[bool]) -> Any:
        return sum(each)


@declared
class ErrorsPass(Testing):
    """A text on which `encode` or `decode` raises an error passes your test. Such a text does not
    come back, so the answer is False.
    """

    def after_an_error(self) -> bool:
        return True


@declared
class ErrorsEscape(Testing):
    """Your test stops with the error that `encode` or `decode` raises. Catch it: a text that causes
    an error does not come back.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        return decode(encode(text)) == text


@declared
class ErrorsOfDecodeEscape(Testing):
    """Your test stops with an error that `decode` raises, such as an IndexError. Call both
    functions inside `try`, and catch every `Exception`.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            ids = encode(text)
        except Exception:
            return False
        return decode(ids) == text


@declared
class ErrorsOfEncodeEscape(Testing):
    """Your test stops with an error that `encode` raises. Call both functions inside `try`."""

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        ids = encode(text)
        try:
            return decode(ids) == text
        except Exception:
            return False


@declared
class OnlyValueErrors(Testing):
    """Your test catches some errors but not others, such as a KeyError. Catch all of them: `except
    Exception`.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return decode(encode(text)) == text
        except ValueError:
            return False


@declared
class OnlyLookupErrors(Testing):
    """Your test catches some errors but not others, such as a UnicodeEncodeError. Catch all of
    them: `except Exception`.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return decode(encode(text)) == text
        except LookupError:
            return False


@declared
class OnlyKeyErrors(Testing):
    """Your test catches a KeyError, but not the other errors that `encode` and `decode` raise, such
    as an IndexError. Catch all of them: `except Exception`.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return decode(encode(text)) == text
        except KeyError:
            return False


@declared
class OnlyErrors(Testing):
    """Your test returns False only when there is an error. Compare what comes back with the text as
    well.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return True


@declared
class CapitalsIgnored(Testing):
    """Your test does not notice lost capital letters. Compare the texts as they are, without
    `lower` or the like.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return decoded.lower() == text.lower()


@declared
class OuterSpacesIgnored(Testing):
    """Your test does not notice lost spaces at the beginning or at the end. Compare the texts as
    they are, without `strip`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return decoded.strip() == text.strip()


@declared
class WordsCompared(Testing):
    """You compare the words of both texts, so lost spaces and line breaks between them go
    unnoticed. Compare the texts as they are, without `split`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return decoded.split() == text.split()


@declared
class LengthsCompared(Testing):
    """You compare only the lengths of the two texts. Texts of the same length can still contain
    different characters.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return len(decoded) == len(text)


@declared
class CharactersCounted(Testing):
    """You compare which characters both texts contain, so a change in their order goes unnoticed.
    Compare the texts themselves.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return sorted(decoded) == sorted(text)


@declared
class SetsCompared(Testing):
    """You compare which characters both texts contain, as sets, so a change in how often or where
    they occur goes unnoticed. Compare the texts themselves.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return set(decoded) == set(text)


@declared
class AsFarAsBothGo(Testing):
    """You compare only up to the end of the shorter text, as `zip` and `startswith` do. If the end
    of a text is cut off, that goes unnoticed.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return all(one == other for one, other in zip(text, decoded, strict=False))


@declared
class PartOfTheOther(Testing):
    """Your test passes if one of the two texts contains the other. `in` only looks for a part, so
    compare with `==`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return text in decoded or decoded in text


@declared
class TextInDecoded(Testing):
    """Your test passes if what comes back contains the text. `in` only looks for a part, so compare
    with `==`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return text in decoded


@declared
class DecodedInText(Testing):
    """Your test passes if the text contains what comes back. `in` only looks for a part, so compare
    with `==`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return decoded in text


@declared
class LooksTheSame(Testing):
    """A letter with an accent can be one character or two, and your test does not tell these apart.
    Compare the texts as they are, without `normalize`.
    """

    def alike(self, text: str, decoded: str) -> bool:
        return unicodedata.normalize("NFC", decoded) == unicodedata.normalize("NFC", text)


@declared
class IdsCompared(Testing):
    """You compare ids: those of the text, and those of what comes back. Anything that `encode`
    loses is missing from both. Compare what comes back with the text itself.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            ids = encode(text)
            return encode(decode(ids)) == ids
        except Exception:
            return False


@declared
class TwiceDecoded(Testing):
    """You encode and decode a second time, and compare the second result with the first. Anything
    lost the first time is missing from both: compare with the text itself.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            once = decode(encode(text))
            return decode(encode(once)) == once
        except Exception:
            return False


@declared
class AnIdForEachCharacter(Testing):
    """You check whether there are as many ids as characters. There may be fewer or more: decode
    them, and compare the texts.
    """

    def comes_back(self, encode: Encode, decode: Decode, text: str) -> bool:
        try:
            return len(encode(text)) == len(text)
        except Exception:
            return False


@declared
class JoinedTexts(Testing):
    """You test all texts as one. Joined, they can be too long even though each of them comes back
    on its own: test them one by one.
    """

    def __call__(self, encode: Encode, decode: Decode, texts: Texts) -> Any:
        return self.comes_back(encode, decode, "".join(texts))


@declared
class JoinedAfterwards(Testing):
    """You join what comes back, and compare it with the joined texts. A space that one text loses
    and the next one gains goes unnoticed: compare the texts one by one.
    """

    def __call__(self, encode: Encode, decode: Decode, texts: Texts) -> Any:
        try:
            return "".join(decode(encode(text)) for text in texts) == "".join(texts)
        except Exception:
            return False


@declared
class IdsOfAllTexts(Testing):
    """You decode the ids of all texts together. What a text becomes can depend on where it begins
    and ends, so decode each by itself, and compare it with its text.
    """

    def __call__(self, encode: Encode, decode: Decode, texts: Texts) -> Any:
        try:
            return decode([one for text in texts for one in encode(text)]) == "".join(texts)
        except Exception:
            return False
