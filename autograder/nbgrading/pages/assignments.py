"""Formgrader's list of assignments: all lessons of the course, each with what Generate will build.

A clone brings the students' notebooks and not the instructor's, and nbgrader lists what has a
folder in source/. So a lesson that has none is given an empty one, which is also where a click on
its name leads. The note is shown by formgrader's page, `manage_assignments` in `pages`.
"""

from contextlib import suppress
from pathlib import Path
from typing import Any

from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from traitlets import Bunch

from autograder.authoring.build.incremental import BuildState, states
from autograder.course import Course
from autograder.errors import LessonNameError, SettingError

_SOURCES = NbGraderAPI.get_source_assignments
_ASSIGNMENT = NbGraderAPI.get_assignment
_ASSIGNMENTS = NbGraderAPI.get_assignments
_NAME = CourseDirectory._validate_assignment_id.func


def in_full(self: CourseDirectory, proposal: Bunch) -> str:
    """The lesson that is asked for; how its name begins is enough, as for our own commands."""
    return Course(Path(self.root)).in_full(_NAME(self, proposal))


def sources(self: NbGraderAPI) -> set[str]:
    """All lessons of the course, beside what nbgrader finds, but for those that it leaves out."""
    course = Course(Path(self.coursedir.root))
    for lesson in _lessons(course):
        with suppress(OSError):
            (course.source / lesson).mkdir(exist_ok=True)
    found: set[str] = _SOURCES(self)
    return found - _not_chosen(course)


def assignments(self: NbGraderAPI) -> list[dict[str, Any]]:
    """nbgrader's list, each with its note."""
    # Read once for all lessons, each of which is asked for by itself.
    self.notes = _notes(self)
    try:
        listed: list[dict[str, Any]] = _ASSIGNMENTS(self)
        return listed
    finally:
        self.notes = None


def assignment(self: NbGraderAPI, name: str, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
    """What nbgrader says of a lesson, with a note on what Generate will do."""
    found: dict[str, Any] | None = _ASSIGNMENT(self, name, *args, **kwargs)
    if found is not None:
        notes = getattr(self, "notes", None) or _notes(self)
        found["note"] = notes.get(name, "")
    return found


def _notes(api: NbGraderAPI) -> dict[str, str]:
    course = Course(Path(api.coursedir.root))
    if not _lessons(course):
        return {}
    return {lesson: _note(state) for lesson, state in states(course).items()}


def _note(state: BuildState) -> str:
    built_by = state in (BuildState.NOT_BUILT, BuildState.CHANGED)
    return f"{state.value}: Generate builds it" if built_by else state.value


def _lessons(course: Course) -> list[str]:
    """The lessons' names; none, where a text can't be a lesson: whoever builds is told."""
    try:
        return course.lessons()
    except (LessonNameError, SettingError):
        return []


def _not_chosen(course: Course) -> set[str]:
    try:
        return course.lessons_not_chosen()
    except SettingError:
        return set()
