"""A lesson that can be asked again: its retake is whole, and those that were given out stay."""

import shutil
from pathlib import Path

import pytest

from autograder.authoring.build.build import build_lesson
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.retakes.anew import specimens_and_exams
from autograder.authoring.retakes.likeness import not_varied
from autograder.authoring.retakes.new_retake import new_retake
from autograder.authoring.retakes.text import NoRetake, filled, template_of
from autograder.checks.exam.exam import exams_of
from autograder.course import Course
from companion import Sentence
from tests.support.course import COURSE
from tests.support.sample import EVERYTHING

FIRST = "02_dot_product_self_attention"
# It makes a retake of that lesson which is as hard.
NUMBER = 81934


def can_be_asked_again(lesson: str) -> bool:
    try:
        return template_of(COURSE, lesson, COURSE.exam_module(lesson)).is_file()
    except NoRetake:
        return False


LESSONS = [*filter(can_be_asked_again, COURSE.lessons())]


def test_lesson_02_can_be_asked_again() -> None:
    assert FIRST in LESSONS


@pytest.mark.parametrize("lesson", LESSONS)
def test_text_asks_for_all_exercises_and_is_worth_as_much(lesson: str, tmp_path: Path) -> None:
    original = read_lesson(COURSE.lesson_file(lesson))
    examined = COURSE.exam_module(lesson)
    specimens, _ = specimens_and_exams(examined, NUMBER)
    path = tmp_path / "retake.md"
    path.write_text(filled(template_of(COURSE, lesson, examined), original, specimens), "utf-8")
    retake = read_lesson(path)
    assert [one.name for one in retake.exercises] == [one.name for one in original.exercises]
    assert sum(retake.points.values()) == sum(original.points.values())


@pytest.mark.parametrize("lesson", LESSONS)
def test_no_printed_example_stays(lesson: str) -> None:
    exams = exams_of(COURSE.exam_module(lesson))
    for number in range(3):
        _, anew = specimens_and_exams(COURSE.exam_module(lesson), number)
        assert not [one.name for one in anew.values() if not_varied(exams[one.name], one)]


def test_numbers_that_were_given_out_stay() -> None:
    specimens, _ = specimens_and_exams(COURSE.exam_module(FIRST), NUMBER)
    words = specimens["HELLO_SHINY_SUN"]
    assert isinstance(words, Sentence)
    assert words.vectors.tolist() == [[0.63, 0.63, 0.26], [0.95, 0.66, 0.94], [0.28, 0.85, 0.75]]


@pytest.mark.skipif(not EVERYTHING, reason="tries every mistake twice: make test-all")
def test_retake_of_lesson_02_builds(tmp_path: Path) -> None:
    for name in (f"source/{FIRST}.md", "nbgrader_config.py", "course.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(COURSE.root / name, tmp_path / name)
    shutil.copytree(COURSE.solutions, tmp_path / "solutions")
    course = Course(tmp_path)
    made = new_retake(course, "02r_retake", FIRST, NUMBER)
    assert len(made.compared) == len(exams_of(course.exam_module(FIRST)))
    assert build_lesson(course, "02r_retake").proved.proofs.keys() == {
        now.exercise for _, now in made.compared
    }
