"""Who handed in the same, and what is no sign of that."""

import time
from collections.abc import Mapping

import pytest

from autograder.insight.similarity.pairs import Class
from autograder.insight.similarity.same import (
    Same,
    digest_of_words,
    plain_words,
    same_code,
    same_words,
    together,
)
from autograder.insight.similarity.usual import Usual, usual_of

LESSON = plain_words(
    "Attention is a weighted average, and its weights come from a softmax of all scores."
)
SAID = "It cannot tell the order of the words, because a sum has none of its own."
STUB = plain_words("Write here what the softmax is for, in two or three sentences of your own:")
REFERENCE = "def scale(x):\n    return x / len(x) ** 0.5"
WRONG = """\
def scale(x):
    found = []
    for number in range(0, len(x), 1):
        found.append(x[number] * 2 - x[number])
    return found
"""


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (SAID, SAID, True),
        (SAID, f"\n  {SAID.upper()}\n\n".replace(" ", "  \n"), True),
        (SAID, SAID.replace("sum", "mean"), False),
        ("a sum has no order", "a sum has no order", False),
        (" ".join("abcdefghijk"), " ".join("abcdefghijk"), False),
        (" ".join("abcdefghijkl"), " ".join("abcdefghijkl"), True),
        ("注" * 100, "注" * 100, True),
        ("注" * 99, "注" * 99, False),
        (LESSON, LESSON, False),
        (LESSON.upper(), LESSON, False),
        (STUB, STUB, False),
        (f"{STUB} no", f"{STUB} no", False),
        (f"{STUB}\n\n{SAID}", SAID, True),
        ("", "", False),
        ("\ud800" * 100, "\ud800" * 100, True),
    ],
)
def test_words_that_are_the_same(one: str, other: str, same: bool) -> None:
    digests = [digest_of_words(text, f"{LESSON} {STUB}", STUB) for text in (one, other)]
    found = same_words({"lea": {"why": digests[0]}, "max": {"why": digests[1]}})
    assert found == ([Same(("lea", "max"), words=("why",))] if same else [])


def test_same_words_in_another_question_are_others() -> None:
    digest = digest_of_words(SAID, "")
    assert same_words({"lea": {"why": digest}, "max": {"how": digest}}) == []


USUAL = {
    name: usual_of("def scale(x):\n    pass", REFERENCE, (), [WRONG]) for name in ("scale", "mix")
}


def found_in(sources: Mapping[str, Mapping[str, str]], usual: Mapping[str, Usual]) -> list[Same]:
    return same_code(Class(sources, usual, {}).forms(), usual)


RENAMED = WRONG.replace("found", "values").replace("number", "i") + "    # mine\n"


@pytest.mark.parametrize(
    ("lea", "max_", "same"),
    [
        ({"scale": WRONG}, {"scale": WRONG}, True),
        ({"scale": WRONG}, {"scale": RENAMED}, True),
        ({"scale": WRONG, "mix": REFERENCE}, {"scale": WRONG, "mix": REFERENCE}, True),
        # Who has tried one exercise more has not handed in the same.
        ({"scale": WRONG, "mix": REFERENCE}, {"scale": WRONG}, False),
        ({"scale": WRONG, "mix": "def scale(x):\n    pass"}, {"scale": WRONG}, True),
        ({"scale": WRONG}, {"scale": WRONG.replace("2", "3")}, False),
        ({"scale": REFERENCE, "mix": REFERENCE}, {"scale": REFERENCE, "mix": REFERENCE}, False),
        ({"scale": "scale = 1"}, {"scale": "scale = 1"}, False),
        ({"scale": "def scale(x):\n    pass"}, {"scale": "def scale(x):\n    pass"}, False),
        ({"scale": ""}, {"scale": ""}, False),
        ({}, {}, False),
    ],
)
def test_code_that_is_all_the_same(lea: dict[str, str], max_: dict[str, str], same: bool) -> None:
    found = found_in({"lea": lea, "max": max_, "ada": {"scale": "def scale(x): return 7"}}, USUAL)
    assert [one.students for one in found] == ([("lea", "max")] if same else [])


def test_what_is_of_the_same_students_is_one() -> None:
    pair, others = ("lea", "max"), ("ada", "ben", "cleo")
    found = together(
        [
            Same(others, words=("why",)),
            Same(pair, words=("why", "how")),
            Same(pair, code=("scale",)),
        ]
    )
    assert found == [Same(pair, ("why", "how"), ("scale",)), Same(others, ("why",))]
    assert [one.who for one in found] == ["lea and max", "ada, ben and cleo"]
    many = Same(tuple(f"s{number:02}" for number in range(20)))
    assert many.who.endswith("s10, s11 and 8 more")


@pytest.mark.parametrize("groups", [1, 250])
def test_a_large_class_takes_no_longer_than_its_texts(groups: int) -> None:
    """All the same, or two by two: neither is compared pair by pair."""
    students = [f"s{number:03}" for number in range(500)]
    sources = {
        one: {f"e{n}": WRONG.replace("2", str(number % groups)) for n in range(5)}
        for number, one in enumerate(students)
    }
    forms = Class(sources, {}, {}).forms()
    words = {
        one: {"why": f"{SAID} {number % groups} " * 100} for number, one in enumerate(students)
    }
    begun = time.process_time()
    digests = {
        one: {name: digest_of_words(text, LESSON) for name, text in own.items()}
        for one, own in words.items()
    }
    found = together([*same_words(digests), *same_code(forms, {})])
    assert time.process_time() - begun < 1
    assert len(found) == groups
    assert sum(len(one.students) for one in found) == 500
