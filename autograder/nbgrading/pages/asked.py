"""What formgrader is asked for and sent: looked at before one of nbgrader's handlers sees it.

nbgrader puts a name out of an address into a path, a pattern or a new row as it is, and what its
scripts send into the gradebook. What can't be saved there fails halfway, and all that is asked
after that fails with it, since all of formgrader has one session with the gradebook.
"""

import hashlib
import json
import math
import os
import re
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

from nbgrader.api import Comment, Grade, SubmittedNotebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.server_extensions.formgrader import apihandlers, base
from sqlalchemy import select, update
from sqlalchemy.exc import DatabaseError
from tornado import web

from autograder.errors import NotSaved
from autograder.grading.submitted_files import read_regular
from autograder.nbgrading.failures import is_busy, sentence_of
from autograder.nbgrading.inbox.student_ids import (
    NAME_LETTERS,
    NOBODY,
    is_persons_name,
    is_student_id,
)
from autograder.nbgrading.inbox.timestamps import time_in

# With these, a name could leave the text, the attribute or the script that it is written into.
MARKUP = re.compile(r"[<>\"\\\x00-\x1f\x7f\u2028\u2029]")
# With these, it would be a path, or a pattern that fits more than one lesson.
_PATH_OR_PATTERN = re.compile(r"[/*?\[\]]")
# A file system allows no more bytes, and the gradebook no more characters.
_NAME_BYTES = 255
_SENT_BYTES = 2_000_000
_NOTEBOOK_BYTES = 100_000_000
# What a human enters in a row.
_BY_HAND = ("manual_score", "extra_credit", "manual_comment")
# With which a page says what text it shows: it may have been graded anew since, and be another.
SHOWN_TEXT = "X-Graded-Text"
# Extra credit has no bound of its own; but sums of it are to be numbers that a page can read.
_MOST_POINTS = 1_000_000
# A row with its fields, in one of which a row as it was before may stand.
_DEPTH = 3
# A database can hold neither: PostgreSQL no NUL, and none of them half a surrogate pair.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def is_plain_name(name: str) -> bool:
    """Whether it can name a lesson, a notebook, a student or a row, and nothing else."""
    return (
        name.strip() == name
        and name not in ("", ".", "..")
        and not MARKUP.search(name)
        and not _PATH_OR_PATTERN.search(name)
        and len(name) <= NAME_LETTERS
        and len(name.encode("utf-8", "surrogatepass")) <= _NAME_BYTES
    )


def sent(content: bytes) -> dict[str, Any]:
    """What a script has sent: text, numbers and what holds these, each of which can be saved.

    Raises:
        NotSaved: when it is anything else.
    """
    if len(content) > _SENT_BYTES:
        raise NotSaved(f"Nothing is saved: more than {_SENT_BYTES:,} bytes were sent.")
    try:
        found = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not _can_be_saved(found, _DEPTH):
        raise NotSaved(
            "Nothing is saved: what was sent is not understood, or holds a character or a number "
            "that no gradebook can hold. Mend it, or reload the page."
        )
    return found


def _can_be_saved(value: Any, depth: int) -> bool:
    match value:
        case str():
            return not _NO_TEXT.search(value)
        case int() | float():
            return _is_finite(value)
        case dict():
            both = [*value, *value.values()]
            return depth > 0 and all(_can_be_saved(one, depth - 1) for one in both)
        case list():
            return depth > 0 and all(_can_be_saved(one, depth - 1) for one in value)
        case _:
            return value is None


def _is_finite(number: float) -> bool:
    try:
        return math.isfinite(number)
    except OverflowError:
        return False


def _text(given: Any) -> str | None:
    if not isinstance(given, str | None):
        raise ValueError(given)
    return given


def _name(given: Any) -> str | None:
    if given is not None and not (isinstance(given, str) and is_persons_name(given)):
        raise ValueError(given)
    return given


def _points(given: Any) -> float | None:
    """Points as a number: a field of the page sends them as text."""
    if given is None:
        return None
    points = math.nan if isinstance(given, bool) else float(given)
    if not 0 <= points <= _MOST_POINTS:
        raise ValueError(given)
    return points


# Which fields each handler that saves something writes to the gradebook; a field that is missing
# would be emptied there.
FIELDS: dict[str, dict[str, Callable[[Any], Any]]] = {
    "GradeHandler": {"manual_score": _points, "extra_credit": _points},
    "CommentHandler": {"manual_comment": _text},
    "StudentHandler": {"last_name": _name, "first_name": _name, "email": _name},
    "AssignmentHandler": {"duedate_notimezone": _text, "duedate_timezone": _text},
}


def json_body(self: Any) -> dict[str, Any]:
    """What one of nbgrader's handlers is sent: its fields, each of the type of its column."""
    try:
        found = sent(self.request.body)
    except NotSaved as error:
        raise web.HTTPError(400, str(error)) from None
    given = dict[str, Any]()
    for name, read in FIELDS[type(self).__name__].items():
        try:
            given[name] = read(found[name])
        except (KeyError, TypeError, ValueError):
            raise web.HTTPError(
                400, f"Nothing is saved: {name} is missing, or not what it can be."
            ) from None
    return given


def guarded(method: Callable[..., Any]) -> Callable[..., Any]:
    """As nbgrader guards its own."""
    checked: Callable[..., Any] = base.check_xsrf(base.check_notebook_dir(method))
    return web.authenticated(checked)


def graded_path(directory: CourseDirectory, submission: SubmittedNotebook) -> Path:
    """Where the graded notebook lies."""
    lesson, student = submission.assignment.assignment.name, submission.student.id
    folder = directory.format_path(directory.autograded_directory, student, lesson)
    return Path(folder, f"{submission.notebook.name}.ipynb").absolute()


def read_graded(directory: CourseDirectory, submission: SubmittedNotebook) -> bytes:
    """The graded notebook; nothing where there is none."""
    return read_regular(graded_path(directory, submission), _NOTEBOOK_BYTES) or b""


def digest_of(notebook: bytes) -> str:
    """What a page sends of the notebook that it shows."""
    return hashlib.sha256(notebook).hexdigest()


def put_grade(put: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that saves points for what was read, and no more than the question gives: the rest
    is extra credit.
    """

    def checked(self: Any, grade: str) -> Any:
        points = self.get_json_body()["manual_score"]
        _refuse_unseen(self, Grade, grade)
        most = self.gradebook.db.scalar(select(Grade.max_score).where(Grade.id == grade))
        if None not in (points, most) and points > most:
            raise web.HTTPError(
                400, f"{points:g} points are not saved: this question gives 0 to {most:g}."
            )
        return put(self, grade)

    return guarded(checked)


def put_comment(put: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that saves a comment on what was read."""

    def checked(self: Any, comment: str) -> Any:
        self.get_json_body()
        _refuse_unseen(self, Comment, comment)
        return put(self, comment)

    return guarded(checked)


def _refuse_unseen(handler: Any, kind: type[Grade | Comment], row: str) -> None:
    """Refuse to save where there is another text, or another row, than the page has shown."""
    gradebook = handler.gradebook.db
    # A change to nothing: who else writes, a grading too, waits until what is compared is saved.
    held = update(kind).where(kind.id == row).values(id=row)
    gradebook.execute(held, execution_options={"synchronize_session": False})
    if not (found := gradebook.get(kind, row, populate_existing=True)):
        return
    shown, before = handler.request.headers.get(SHOWN_TEXT), sent(handler.request.body).get("seen")
    if shown not in (None, digest_of(read_graded(handler.coursedir, found.notebook))):
        raise web.HTTPError(
            409,
            "Nothing is saved: this submission was graded anew since you opened the page. Note "
            "down what you have entered, reload the page, and read the text that it shows then.",
        )
    seen = before.items() if isinstance(before, dict) else ()
    if any(getattr(found, name) != value for name, value in seen if name in _BY_HAND):
        raise web.HTTPError(
            409,
            "Nothing is saved: somebody else has graded this since you opened the page. Note down "
            "what you have entered, and reload the page to see what there is now.",
        )


def put_student(put: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that saves a student of whom there can be a folder."""

    def checked(self: Any, student: str) -> Any:
        if not is_student_id(student):
            raise web.HTTPError(400, f"This student is not saved: {NOBODY}.")
        return put(self, student)

    return guarded(checked)


def refuse_lesson(lesson: str) -> None:
    """Refuse what nobody could hand in, before nbgrader fails at it."""
    if lesson.startswith(".") or "+" in lesson:
        raise web.HTTPError(
            400,
            "Nothing is done, and the lesson is not saved: a name begins with no dot, and has no + "
            "in it.",
        )


def put_lesson(put: Callable[..., Any]) -> Callable[..., Any]:
    """A handler that saves a lesson which can be handed in, and a due date that is a time."""

    def checked(self: Any, lesson: str) -> Any:
        refuse_lesson(lesson)
        folder = self.coursedir.format_path(self.coursedir.source_directory, ".", lesson)
        if os.path.lexists(folder) and not os.path.isdir(folder):
            raise web.HTTPError(400, f"This lesson is not saved: {folder} is no folder.")
        given = self.get_json_body()
        due = " ".join(filter(None, (given["duedate_notimezone"], given["duedate_timezone"])))
        if given["duedate_notimezone"] and time_in(due) is None:
            raise web.HTTPError(400, "The due date is not saved: it is no time that can be read.")
        return put(self, lesson)

    return guarded(checked)


def tell(self: Any, status_code: int, **about: Any) -> None:
    """Answer with why nothing is saved, as text, which the page shows."""
    error = about.get("exc_info", (None, None))[1]
    said = error.log_message if isinstance(error, web.HTTPError) else None
    is_read = self.request.method == "GET"
    if failed := _gradebooks(error):
        undone = "This is not shown" if is_read else "Nothing is saved"
        said = f"{undone}, since {sentence_of(failed)}."
        if is_busy(failed):
            said = (
                "Another program writes to the gradebook: reload the page in a moment."
                if is_read
                else "Nothing is saved: another program writes to the gradebook. Enter it once "
                "more."
            )
    elif status_code == HTTPStatus.INTERNAL_SERVER_ERROR:
        said = "Nothing is saved: the server failed, and what it prints says why."
    self.finish(said or HTTPStatus(status_code).phrase)


def _gradebooks(error: BaseException | None) -> DatabaseError | None:
    """What the gradebook has said of an error, however that is wrapped."""
    while error and not isinstance(error, DatabaseError):
        error = error.__cause__ or error.__context__
    return error if isinstance(error, DatabaseError) else None


def end_transaction(self: Any) -> None:
    """Let a request that failed halfway cost no other one.

    All requests have one session with the gradebook, and after a failure it does nothing until it
    is told to forget it. What others have written meanwhile is read by the next one as well.
    """
    if (known := self.settings["nbgrader_gradebook"]) is not None:
        known.db.rollback()


save_grade = put_grade(apihandlers.GradeHandler.put)
save_comment = put_comment(apihandlers.CommentHandler.put)
save_student = put_student(apihandlers.StudentHandler.put)
save_lesson = put_lesson(apihandlers.AssignmentHandler.put)
