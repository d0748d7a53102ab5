"""A retake is written as a lesson of its own, which builds, and nothing else is touched."""

import shutil
from pathlib import Path

import pytest

from autograder.authoring.begin.new_course import new_course
from autograder.authoring.build.build import build_lesson
from autograder.authoring.retakes.new_retake import new_retake
from autograder.authoring.retakes.text import NoRetake
from autograder.course import Course
from autograder.errors import LessonNameError
from tests.support.course import COURSE
from tests.support.retaken import let_vary

LESSON, RETAKE = "week1", "again"


@pytest.fixture
def course(tmp_path: Path) -> Course:
    root = tmp_path / "course"
    new_course(root)
    let_vary(root)
    return Course(root)


def texts(course: Course) -> dict[Path, bytes]:
    files = (path for path in course.root.rglob("*.*") if path.is_file())
    return {path: path.read_bytes() for path in files if path.suffix in (".md", ".py", ".toml")}


def test_builds_with_numbers_of_its_own(course: Course) -> None:
    before = texts(course)
    made = new_retake(course, RETAKE, LESSON)
    assert texts(course).keys() - before.keys() == {*made.files}
    assert before.items() <= texts(course).items()
    assert [now.exercise for _, now in made.compared] == ["mean"]
    lesson, retake = build_lesson(course, LESSON), build_lesson(course, RETAKE)
    assert retake.lesson.points == {"mean": 2}
    (heights,), (others,) = (
        [case.arguments["values"] for case in built.exams["mean"].printed_cases()[:1]]
        for built in (lesson, retake)
    )
    assert heights.tolist() != others.tolist()
    assert f"heights = np.array({others.tolist()})" in retake.student.cells[1].source
    assert '"mean":' in retake.checks
    solved = [cell.source for cell in retake.solved().cells if "def mean" in cell.source]
    assert "raise NotImplementedError" not in solved[0]


def test_same_number_makes_the_same(course: Course) -> None:
    made = new_retake(course, RETAKE, LESSON)
    before = texts(course)
    for path in made.files:
        path.unlink()
    new_retake(course, RETAKE, LESSON, made.number)
    assert texts(course) == before


@pytest.mark.long
def test_number_with_which_it_is_harder_is_refused(course: Course) -> None:
    exams = course.solutions / "exams" / f"{LESSON}.py"
    text = exams.read_text("utf-8").replace("1.2, 2, decimals=3", "11.2, 12, decimals=3")
    exams.write_text(text, encoding="utf-8")
    with pytest.raises(NoRetake, match="the number 5 makes mean harder or easier than week1"):
        new_retake(course, RETAKE, LESSON, 5)
    with pytest.raises(NoRetake, match="no retake of week1 is as hard as the lesson, in 200 draws"):
        new_retake(course, RETAKE, LESSON)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("HEIGHTS", "WEIGHTS", "can't be filled in: 'WEIGHTS' is undefined"),
        ('"mean"', '"spread"', "can't be filled in: 'spread'"),
        ('{{ ask("mean") }}', "", r'does not ask for mean: write \{\{ ask\("NAME"\) \}\}'),
    ],
)
def test_text_that_can_not_be_filled_in_says_why(
    course: Course, old: str, new: str, said: str
) -> None:
    template = course.solutions / "exams" / f"{LESSON}_retake.md"
    template.write_text(template.read_text("utf-8").replace(old, new), encoding="utf-8")
    before = texts(course)
    with pytest.raises(NoRetake, match=said):
        new_retake(course, RETAKE, LESSON)
    assert texts(course) == before


def test_lesson_without_a_text_for_retakes_is_refused(course: Course) -> None:
    (course.solutions / "exams" / f"{LESSON}_retake.md").unlink()
    with pytest.raises(NoRetake, match=r"solutions/exams/week1_retake\.md is missing"):
        new_retake(course, RETAKE, LESSON)


def test_lesson_that_does_not_say_what_varies_is_refused() -> None:
    with pytest.raises(NoRetake, match=r"00_foundations, as .* numbers: cosine_similarity, "):
        new_retake(COURSE, "00r_again", "00_foundations")


def test_retake_of_a_retake_is_refused(course: Course) -> None:
    new_retake(course, RETAKE, LESSON)
    with pytest.raises(NoRetake, match="again is a retake itself: make another one of week1"):
        new_retake(course, "once_more", RETAKE)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("a b", "no retake can be called 'a b': write a number, _ and a name"),
        ("02_class", "no retake can be called '02_class'"),
        ("02_week1", r"solutions/week1\.py is there already"),
        ("week1", r"source/week1\.md is there already"),
    ],
)
def test_names_that_can_not_be(course: Course, name: str, said: str) -> None:
    with pytest.raises(LessonNameError, match=said):
        new_retake(course, name, LESSON)


def test_number_of_another_lesson_is_refused(course: Course) -> None:
    shutil.move(course.lesson_file(LESSON), course.lesson_file("01_week1"))
    with pytest.raises(LessonNameError, match=r"01_week1 has the number 01 already.* 01r_again"):
        new_retake(course, "01_again", "01_week1")
