"""nbgrader's own lists of submissions, behind its commands and formgrader's pages, made safe.

One submission whose timestamp or name can't be read costs itself, and is shown as such.
"""

from pathlib import Path
from typing import Any

from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder.grading.record import noticed, records_in
from autograder.nbgrading.inbox.replacing import finish_all
from autograder.nbgrading.inbox.student_ids import is_student_id
from autograder.nbgrading.inbox.timestamps import stamp_of

_SUBMITTED_STUDENTS = NbGraderAPI.get_submitted_students
_SUBMISSION = NbGraderAPI.get_submission
_SUBMISSIONS = NbGraderAPI.get_submissions
_NOTEBOOK_SUBMISSIONS = NbGraderAPI.get_notebook_submissions


def existing_timestamp(self: CourseDirectory, dest_path: str) -> Any:
    """When something was handed in, for whoever asks nbgrader."""
    stamp = stamp_of(Path(dest_path))
    if stamp.problem:
        self.log.warning("%s: %s", dest_path, stamp.problem)
    return stamp.time


def submitted_timestamp(self: NbGraderAPI, assignment_id: str, student_id: str) -> Any:
    """The same of a student's submission."""
    return stamp_of(_submitted(self, assignment_id, student_id)).time


def submitted_students(self: NbGraderAPI, assignment_id: str) -> set[str]:
    """Those who have handed in, as far as they can be students."""
    directory = self.coursedir
    finish_all(Path(directory.root, directory.submitted_directory), lesson=assignment_id)
    return {name for name in _SUBMITTED_STUDENTS(self, assignment_id) if is_student_id(name)}


def submission(
    self: NbGraderAPI, assignment_id: str, student_id: str, *rest: Any, **named: Any
) -> Any:
    """What nbgrader lists of one submission, with what is to be said of it."""
    return _with_notes(self, _SUBMISSION(self, assignment_id, student_id, *rest, **named))


def submissions(self: NbGraderAPI, assignment_id: str) -> list[dict[str, Any]]:
    """What nbgrader lists of a class."""
    return [_with_notes(self, one) for one in _SUBMISSIONS(self, assignment_id)]


def notebook_submissions(
    self: NbGraderAPI, assignment_id: str, notebook_id: str
) -> list[dict[str, Any]]:
    """What nbgrader lists of a class's notebooks, for whoever grades by hand."""
    listed = _NOTEBOOK_SUBMISSIONS(self, assignment_id, notebook_id)
    return [one | {"note": _note(self, assignment_id, one)} for one in listed]


def _with_notes(api: NbGraderAPI, submission: dict[str, Any] | None) -> Any:
    """Show what was noticed, and why there is no time, where nbgrader would show "None"."""
    if not submission or not submission["submitted"]:
        return submission
    lesson, student = submission["name"], submission["student"]
    submission["note"] = _note(api, lesson, submission) if submission["autograded"] else ""
    if submission["timestamp"] is None:
        problem = stamp_of(_submitted(api, lesson, student)).problem
        if problem:
            # formgrader looks at the second only where the first is not null.
            submission |= {"timestamp": "", "display_timestamp": problem}
    return submission


def _note(api: NbGraderAPI, lesson: str, listed: dict[str, Any]) -> str:
    """What is to be said of a graded submission as a whole."""
    graded = _folder(api, api.coursedir.autograded_directory, lesson, listed["student"])
    return "; ".join(noticed(records_in(graded), waits=listed["needs_manual_grade"]))


def _submitted(api: NbGraderAPI, lesson: str, student: str) -> Path:
    return _folder(api, api.coursedir.submitted_directory, lesson, student)


def _folder(api: NbGraderAPI, step: str, lesson: str, student: str) -> Path:
    directory: CourseDirectory = api.coursedir
    return Path(directory.format_path(step, student, lesson)).absolute()
