"""Formgrader's list has every lesson, and Generate builds what has changed before it generates."""

from pathlib import Path

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder.authoring.build.incremental import states
from autograder.course import Course
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.grade_class import reason_of
from autograder.nbgrading.preprocessor import GradeSafely
from tests.support.course import ROOT
from tests.support.small_course import LESSON, small_course

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course of which nothing was built."""
    return small_course(tmp_path / "course")


def api_of(course: Course, *, tried: bool = False) -> NbGraderAPI:
    config = configuration(Course(ROOT), course.root)
    config.TrySolution.enabled = tried
    return nbgrader_api(config)


def generate(course: Course, lesson: str = LESSON, *, tried: bool = False) -> str:
    """What formgrader's button does: what is logged, or what failed."""
    outcome = api_of(course, tried=tried).generate_assignment(lesson)
    return str(outcome["log"]) if outcome["success"] else f"failed: {reason_of(outcome)}"


def note(course: Course) -> str:
    (listed,) = api_of(course).get_assignments()
    assert listed["name"] == LESSON
    assert listed["note"] == api_of(course).get_assignment(LESSON)["note"]
    return str(listed["note"])


def released(course: Course) -> str:
    return (course.release_folder(LESSON) / f"{LESSON}.ipynb").read_text(encoding="utf-8")


def write_more(course: Course) -> None:
    with course.lesson_file(LESSON).open("a", encoding="utf-8") as text:
        text.write("\nOne more sentence.\n")


def edit_by_hand(course: Course) -> None:
    path = course.source / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    notebook.cells[0].source += "\n\nWritten by hand."
    nbformat.write(notebook, path)


@pytest.mark.long
def test_generate_builds(course: Course) -> None:
    assert note(course) == "not built yet: Generate builds it"
    assert f"Building {LESSON}" in generate(course)
    assert note(course) == ""
    assert "Building" not in generate(course)
    write_more(course)
    assert note(course) == "changed since it was built: Generate builds it"
    generate(course)
    assert note(course) == ""
    assert "One more sentence." in released(course)
    with api_of(course).gradebook as gradebook:
        assert gradebook.find_assignment(LESSON).max_score == 11


@pytest.mark.long
def test_what_is_edited_by_hand_is_generated(course: Course) -> None:
    generate(course)
    edit_by_hand(course)
    write_more(course)
    assert note(course) == "edited by hand"
    assert "was edited since it was built" in generate(course)
    assert "Written by hand." in released(course)
    assert "One more sentence." not in released(course)


@pytest.mark.long
def test_notebook_without_a_text_is_generated(course: Course) -> None:
    generate(course)
    course.lesson_file(LESSON).rename(course.source / "a text that is no lesson.md")
    edit_by_hand(course)
    assert note(course) == ""
    assert "Written by hand." in generate(course) + released(course)


@pytest.mark.long
def test_text_that_can_not_be_built_is_said(course: Course) -> None:
    generate(course)
    before = released(course)
    with course.lesson_file(LESSON).open("a", encoding="utf-8") as text:
        text.write("\n```{exercise} nobody_knows\n:difficulty: 1\n:minutes: 5\n```\n")
    said = generate(course)
    assert said.startswith("failed: ")
    assert f"{LESSON}.md:" in said
    assert "nobody_knows is never checked" in said
    assert released(course) == before
    assert note(course) == "changed since it was built: Generate builds it"


@pytest.mark.long
def test_solution_is_tried_before_anything_is_written(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    generate(course)
    before = released(course)
    write_more(course)
    monkeypatch.setattr(GradeSafely, "failing_with_solution", lambda *_: {"match": "wrong"})
    assert "does not pass its own tests here (match: wrong)" in generate(course, tried=True)
    assert released(course) == before
    assert note(course) == "changed since it was built: Generate builds it"


@pytest.mark.long
def test_what_may_mislead_is_said(course: Course) -> None:
    with course.lesson_file(LESSON).open("a", encoding="utf-8") as text:
        text.write("\nAs in `match`.\n")
    (course.root / "course.toml").write_text('leave_out = ["match"]', encoding="utf-8")
    assert "the text speaks of `match`, which this course does not ask" in generate(course)


def test_every_lesson_of_this_course_is_listed(tmp_path: Path) -> None:
    """As in a clone, which brings the texts and the students' notebooks."""
    course = Course(tmp_path)
    course.source.mkdir()
    for lesson in Course(ROOT).lessons():
        course.lesson_file(lesson).touch()
    listed = [one["name"] for one in api_of(course).get_assignments()]
    assert listed == sorted(Course(ROOT).lessons())
    assert {state.name for state in states(course).values()} == {"NOT_BUILT"}


def test_lessons_that_the_course_leaves_out_are_not_listed(course: Course) -> None:
    text = course.lesson_file(LESSON).read_text(encoding="utf-8")
    course.lesson_file("02_other").write_text(text, encoding="utf-8")
    (course.source / "02_other").mkdir()
    settings = course.root / "course.toml"
    for lessons, listed in (('["02", "01"]', {LESSON, "02_other"}), ('["01"]', {LESSON})):
        settings.write_text(f"lessons = {lessons}\n", encoding="utf-8")
        assert {one["name"] for one in api_of(course).get_assignments()} == listed
    # Whoever builds is told; meanwhile the list stays.
    settings.write_text('lessons = ["03"]\n', encoding="utf-8")
    assert len(api_of(course).get_source_assignments()) == 2


def test_every_command_takes_how_a_name_begins(tmp_path: Path) -> None:
    # By an argument and by a setting: nbgrader's commands ask for a lesson in no other way.
    config = configuration(Course(ROOT), tmp_path)
    config.CourseDirectory.root = str(ROOT)
    directory = CourseDirectory(config=config)
    directory.assignment_id = "02"
    assert directory.assignment_id == "02_dot_product_self_attention"
    config.CourseDirectory.assignment_id = "04"
    assert CourseDirectory(config=config).assignment_id == "04_causal_attention"
    directory.assignment_id = "another_course"
    assert directory.assignment_id == "another_course"
