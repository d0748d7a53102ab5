"""docs/add_an_exercise.md keeps its word: what it says to write makes the card that it shows."""

import re
from pathlib import Path

import pytest

from autograder.authoring.build.proving import unnamed_by_the_check
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import read_reference
from autograder.checks.card.as_text import lines_of
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from autograder.errors import ExamError
from solutions import dot_product_self_attention
from tests.support.course import ROOT
from tests.support.samples import FRONT_MATTER

NAME = "most_attended"
TUTORIAL = ROOT / "docs" / "add_an_exercise.md"


def blocks(kind: str) -> list[str]:
    """What stands in the page between fences of this kind."""
    text = TUTORIAL.read_text(encoding="utf-8")
    return [one[2] for one in re.finditer(rf"^(`{{3,}}){kind}\n(.*?)^\1$", text, re.S | re.M)]


@pytest.fixture
def exam(monkeypatch: pytest.MonkeyPatch) -> Exam:
    """The exam of the page, of the reference of the page."""
    reference, examined, *_ = blocks("python")
    namespace = vars(dot_product_self_attention).copy()
    exec(reference, namespace)
    monkeypatch.setattr(dot_product_self_attention, NAME, namespace[NAME], raising=False)
    namespace = {"__name__": NAME}
    exec(examined, namespace)
    made = namespace["most"]
    assert isinstance(made, Exam)
    return made


def test_exam_tells_all_mistakes_apart(exam: Exam) -> None:
    assert list(unnamed_by_the_check(exam)) == []
    assert len(exam.misconceptions) >= 4
    assert len(exam.accepted) >= 3
    for answer in (exam.reference, *exam.accepted.values()):
        assert exam.examine(answer).verdict is Verdict.PASSED


def test_build_refuses_what_the_page_says(exam: Exam) -> None:
    exam.misconceptions["by_sorting"] = exam.accepted["by_sorting"]
    with pytest.raises(ExamError) as refused:
        list(unnamed_by_the_check(exam))
    assert " ".join(blocks("text")[1].split()) in str(refused.value)


def test_card_is_the_one_shown(exam: Exam) -> None:
    namespace = vars(dot_product_self_attention).copy()
    exec(blocks("python")[3], namespace)
    assert lines_of(exam.preview(namespace[NAME])) == blocks("text")[2].splitlines()


def test_lesson_and_reference_can_be_read(tmp_path: Path) -> None:
    lesson = tmp_path / "01_x.md"
    lesson.write_text(f"{FRONT_MATTER}# A lesson\n\n{blocks('text')[0]}", encoding="utf-8")
    assert read_lesson(lesson).points == {NAME: 1}
    module = tmp_path / "x.py"
    module.write_text(blocks("python")[0], encoding="utf-8")
    assert read_reference(module)[NAME].solution
