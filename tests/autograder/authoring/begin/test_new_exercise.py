"""A new exercise in somebody else's lesson builds as it stands, and changes none of their files."""

from pathlib import Path

import pytest

from autograder.authoring.begin.new_exercise import new_exercise
from autograder.authoring.build.build import build_lesson
from autograder.course import Course
from autograder.errors import LessonNameError
from tests.support.own_course import own_course
from tests.support.small_course import LESSON, small_course


def contents(course: Course) -> dict[Path, bytes]:
    files = (path for path in course.root.rglob("*.*") if path.is_file())
    return {path: path.read_bytes() for path in files if path.suffix in (".md", ".py", ".toml")}


def test_builds_as_it_stands(tmp_path: Path) -> None:
    course = small_course(tmp_path)
    before = contents(course)
    written = new_exercise(course, LESSON, "my_sum")
    own = ("01.md", "solutions/mixing.py", "exams/mixing.py")
    assert written == [course.own / name for name in own]
    assert contents(course).keys() - before.keys() == {*written}
    assert before.items() <= contents(course).items()
    assert all("Fill in: " in path.read_text("utf-8") for path in written)
    built = build_lesson(course, LESSON)
    assert built.lesson.own == {"my_sum"}
    assert '"my_sum":' in built.checks


def test_with_asserts_there_is_no_exam(tmp_path: Path) -> None:
    course = small_course(tmp_path)
    written = new_exercise(course, LESSON, "my_sum", with_asserts=True)
    assert written == [course.own / name for name in ("01.md", "solutions/mixing.py")]
    built = build_lesson(course, LESSON)
    assert built.lesson.with_tests == {"my_sum"}
    hidden = "assert my_sum([0.25, 4.0]) == 4.25"
    assert hidden in "".join(cell.source for cell in built.source.cells)
    assert hidden not in "".join(cell.source for cell in built.student.cells)


def test_what_is_there_already_stays(tmp_path: Path) -> None:
    course = own_course(tmp_path)
    before = contents(course)
    for name in ("my_sum", "another"):
        for path in new_exercise(course, LESSON, name):
            assert path.read_bytes().startswith(before[path].rstrip())
    assert build_lesson(course, LESSON).lesson.own == {"largest", "total", "my_sum", "another"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2nd", "no exercise can be called '2nd': write letters, digits and _"),
        ("a b", "no exercise can be called 'a b'"),
        ("_hidden", "no exercise can be called '_hidden'"),
        ("class", "no exercise can be called 'class'"),
        ("mix", r"01_mixing\.md:\d+ is an exercise called mix already"),
        ("why", r"01_mixing\.md:\d+ is an exercise called why already"),
        ("largest", r"mine/01\.md:\d+ is an exercise called largest already"),
    ],
)
def test_names_that_can_not_be(tmp_path: Path, name: str, said: str) -> None:
    course = own_course(tmp_path)
    before = contents(course)
    with pytest.raises(LessonNameError, match=said):
        new_exercise(course, LESSON, name)
    assert contents(course) == before
