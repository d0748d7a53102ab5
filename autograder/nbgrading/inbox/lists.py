"""nbgrader's own lists of submissions, behind its commands and formgrader's pages, made safe.

One submission whose timestamp or name can't be read costs itself, and is shown as such.
"""

from pathlib import Path
from typing import Any

from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from autograder.nbgrading.inbox.student_ids import is_student_id
from autograder.nbgrading.inbox.timestamps import stamp_of

_SUBMITTED_STUDENTS = NbGraderAPI.get_submitted_students
_SUBMISSION = NbGraderAPI.get_submission
_SUBMISSIONS = NbGraderAPI.get_submissions


def install() -> None:
    """Have every part of nbgrader list submissions by these; it has no setting for it.

    Calling this again changes nothing.
    """
    CourseDirectory.get_existing_timestamp = _existing_timestamp
    NbGraderAPI.get_submitted_timestamp = _submitted_timestamp
    NbGraderAPI.get_submitted_students = _submitted_students
    NbGraderAPI.get_submission = _submission
    NbGraderAPI.get_submissions = _submissions


def _existing_timestamp(self: CourseDirectory, dest_path: str) -> Any:
    stamp = stamp_of(Path(dest_path))
    if stamp.problem:
        self.log.warning("%s: %s", dest_path, stamp.problem)
    return stamp.time


def _submitted_timestamp(self: NbGraderAPI, assignment_id: str, student_id: str) -> Any:
    return stamp_of(_folder(self, assignment_id, student_id)).time


def _submitted_students(self: NbGraderAPI, assignment_id: str) -> set[str]:
    return {name for name in _SUBMITTED_STUDENTS(self, assignment_id) if is_student_id(name)}


def _submission(
    self: NbGraderAPI, assignment_id: str, student_id: str, *rest: Any, **named: Any
) -> Any:
    return _with_problem(self, _SUBMISSION(self, assignment_id, student_id, *rest, **named))


def _submissions(self: NbGraderAPI, assignment_id: str) -> list[dict[str, Any]]:
    return [_with_problem(self, one) for one in _SUBMISSIONS(self, assignment_id)]


def _with_problem(api: NbGraderAPI, submission: dict[str, Any] | None) -> Any:
    """Show why there is no time, where nbgrader would show "None"."""
    if submission and submission["submitted"] and submission["timestamp"] is None:
        problem = stamp_of(_folder(api, submission["name"], submission["student"])).problem
        if problem:
            # formgrader looks at the second only where the first is not null.
            submission |= {"timestamp": "", "display_timestamp": problem}
    return submission


def _folder(api: NbGraderAPI, assignment_id: str, student_id: str) -> Path:
    directory: CourseDirectory = api.coursedir
    step = directory.submitted_directory
    return Path(directory.format_path(step, student_id, assignment_id)).absolute()
