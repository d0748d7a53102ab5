"""A retake's exams are the lesson's with other numbers, and the lesson's stay as they are."""

import sys
from typing import cast

import numpy as np
import pytest

from autograder.authoring.retakes.anew import exams_anew, specimens_and_exams
from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.exam.report import Verdict
from autograder.checks.values.compare import identical
from companion import Sentence
from tests.support.course import COURSE

LESSON = "02_dot_product_self_attention"
MODULE = COURSE.exam_module(LESSON)
EXAMS = exams_of(MODULE)
OF_THE_LESSON = "numbers_of_the_lesson"


def of_a_retake(number: int) -> dict[str, Exam]:
    return {exam.name: exam for exam in exams_anew(MODULE, number).values()}


@pytest.fixture(scope="module")
def retake() -> dict[str, Exam]:
    return of_a_retake(5)


def modules() -> dict[str, object]:
    """Those of the reference and the exams, and what the packages that they are in have of them."""
    loaded = {name: one for name, one in sys.modules.items() if name.startswith("solutions")}
    names = [name.rpartition(".") for name in loaded if "." in name]
    return loaded | {f"{own} in {name}": getattr(loaded[name], own) for name, _, own in names}


def test_lesson_stays_as_it_is() -> None:
    before = modules()
    of_a_retake(1)
    assert modules() == before
    assert exams_of(COURSE.exam_module(LESSON)) == EXAMS


def test_lesson_stays_as_it_is_when_its_exams_can_not_be_run(monkeypatch) -> None:
    before = modules()
    monkeypatch.setattr("autograder.authoring.retakes.varied.Chance.numbers", None)
    with pytest.raises(TypeError):
        of_a_retake(1)
    assert modules() == before


def test_exercises_mistakes_and_styles_are_the_lessons(retake: dict[str, Exam]) -> None:
    assert [*retake] == [*EXAMS]
    for name, exam in retake.items():
        added = {OF_THE_LESSON} if not exam.parameters else set()
        assert exam.misconceptions.keys() == EXAMS[name].misconceptions.keys() | added
        assert exam.accepted.keys() == EXAMS[name].accepted.keys()
        assert (exam.drawn, exam.halves, exam.where) == (
            EXAMS[name].drawn, EXAMS[name].halves, EXAMS[name].where,
        )  # fmt: skip


@pytest.mark.parametrize("name", EXAMS)
def test_every_case_has_other_numbers_and_the_same_for_the_same_number(
    name: str, retake: dict[str, Exam]
) -> None:
    def given(exam: Exam, seed: int = 1) -> list[object]:
        cases = exam.hidden_cases(seed)
        return [
            [one for one in case.arguments.values() if not callable(one)] or case.expected.value
            for case in cases
        ]

    assert all(map(identical, given(retake[name]), given(of_a_retake(5)[name])))
    assert not any(map(identical, given(retake[name]), given(EXAMS[name])))


def test_reference_computes_with_what_was_drawn() -> None:
    specimens, exams = specimens_and_exams(MODULE, 5)
    words = cast(Sentence, specimens["HELLO_SHINY_SUN"]).vectors
    by_hand = exams["sun"].reference()
    np.testing.assert_allclose(by_hand["scores"], words @ words[2])


def test_numbers_of_the_lesson_are_recognised(retake: dict[str, Exam]) -> None:
    lessons = EXAMS["shiny_by_hand"].reference
    for report in (
        retake["shiny_by_hand"].preview(lessons),
        retake["shiny_by_hand"].examine(lessons),
    ):
        assert (report.verdict, report.misconception) == (Verdict.WRONG, OF_THE_LESSON)
    right = retake["shiny_by_hand"].reference
    assert retake["shiny_by_hand"].examine(right).verdict is Verdict.PASSED
