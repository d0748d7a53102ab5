"""What `autograder exam` shows is what the exam has, and each place is there."""

import pytest

from autograder.authoring.build.one_exam import (
    exams_called,
    place_of,
    told,
    told_of_a_mistake,
)
from autograder.authoring.build.proofs import Proof, Proofs
from autograder.checks.exam.exam import exams_of
from autograder.errors import LessonNotFound
from tests.support.course import COURSE
from tests.support.sample import sample


def test_all_of_an_exam_is_told() -> None:
    (found,) = exams_called(COURSE, "causal_mask")
    text = "\n".join(told(COURSE, found))
    for name in (*found.exam.misconceptions, *found.exam.accepted):
        assert f"  {name} " in text
    assert "  four tokens (printed)" in text
    assert "  more than a thousand tokens (drawn once)" in text
    assert "  some of these, with a single entry along an axis" in text
    assert "visible_instead                families/mask_values.py:" in text


def test_arguments_with_another_value_are_told() -> None:
    (found,) = exams_called(COURSE, "dot_product")
    wanted = "  some of these again, each with another value of one argument: `a`, `b`"
    assert wanted in told(COURSE, found)


def test_what_the_engine_asks_by_itself_is_told() -> None:
    (asked,) = exams_called(COURSE, "causal_attention_weights")
    text = "\n".join(told(COURSE, asked))
    for words in ("back-propagation", "transposed tensors"):
        assert f"the scores of all six words, with {words} (printed)" in text
        assert f"  one of these, with {words}" in text
    assert "  one of these, with expanded tensors" in text
    (unasked,) = exams_called(COURSE, "decode_step")
    reason = "It does not ask for the gradients: a model that decodes is not trained"
    assert reason in "\n".join(told(COURSE, unasked))


def test_what_earns_half_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    proof = Proof("", "", {}, {"NotANumber": "a sentence that is all padding"})
    monkeypatch.setattr(Proofs, "of", lambda *_: {"CrossAttention": proof, "causal_mask": proof})
    (found,) = exams_called(COURSE, "CrossAttention")
    lines = list(told(COURSE, found))
    assert "    earns 2 of 4 points: right but for a sentence that is all padding" in lines
    declared = "a sentence that is all padding: a sentence that is all padding · one sentence"
    assert any(line.startswith(f"  {declared}") for line in lines)
    (small,) = exams_called(COURSE, "causal_mask")
    assert not any("right but for" in line for line in told(COURSE, small))


def test_a_familys_mistake_is_found_by_each_of_its_names() -> None:
    by_family = list(told_of_a_mistake(COURSE, "X", exams_called(COURSE, "VisibleInstead")))
    found = exams_called(COURSE, "VisibleInstead")
    lines = list(told_of_a_mistake(COURSE, "VisibleInstead", found))
    assert len(lines) == len(found) + 1 > 5
    assert any(line.endswith(" as true_for_visible") for line in lines)
    assert len(by_family) == 1


def test_a_family_is_found_by_its_name() -> None:
    found = exams_called(COURSE, "MASK_VALUES")
    lines = list(told_of_a_mistake(COURSE, "MASK_VALUES", found))
    assert lines[0] == f"MASK_VALUES reaches {len(found)} exercises"
    assert len(lines) > 20
    assert all("families/mask_values.py:" in line for line in lines[1:])


def test_what_is_near_is_offered() -> None:
    with pytest.raises(LessonNotFound, match="did you mean causal_mask"):
        exams_called(COURSE, "causal_msk")


@pytest.mark.parametrize("lesson", sample(COURSE.lessons(), 6))
def test_every_answer_has_its_place(lesson: str) -> None:
    for exam in exams_of(COURSE.exam_module(lesson)).values():
        for answer in (*exam.misconceptions.values(), *exam.accepted.values()):
            file = place_of(COURSE, answer).partition(":")[0]
            assert (COURSE.solutions / "exams" / file).is_file() or file == "made by the exam"
