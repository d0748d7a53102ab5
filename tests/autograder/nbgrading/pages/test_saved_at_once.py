"""Every way to save points or a comment, while somebody else writes between its look and its write:
whoever comes second is told, and nothing is final for a text that nobody has read.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import event
from tornado.web import HTTPError
from traitlets.config import Config

from autograder.errors import NotSaved
from autograder.nbgrading.pages import asked
from autograder.nbgrading.reading.entries import Marks
from autograder.nbgrading.reading.saving import save
from tests.support.read_class import LESSON, WHY, answer, answered_class, gradebook_at, row

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")
# What each of formgrader's two requests sends, with what its page has seen.
SENT: Mapping[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "GradeHandler": (asked.save_grade, {"manual_score": 3, "extra_credit": None}),
    "CommentHandler": (asked.save_comment, {"manual_comment": "mine"}),
}
READING = "AnswerHandler"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    answered_class(tmp_path, {"ada": "Because."})
    return tmp_path


def digest_in(course: Path) -> str:
    graded = course / "autograded" / "ada" / LESSON / f"{LESSON}.ipynb"
    return hashlib.sha256(graded.read_bytes()).hexdigest()


def put(course: Path, gradebook: Gradebook, way: str, shown: str) -> None:
    """Save as a page asks for it, which has shown a text, and a row in which nothing was given."""
    grade = gradebook.find_grade(WHY, LESSON, LESSON, "ada").id
    if way == READING:
        save(
            gradebook, grade, Marks(3.0, "mine"), Marks(None, ""),
            is_same_text=lambda *_: digest_in(course) == shown,
        )  # fmt: skip
        return
    saved, fields = SENT[way]
    comment = gradebook.find_comment(WHY, LESSON, LESSON, "ada").id
    body = json.dumps({**fields, "seen": dict.fromkeys(fields)}).encode()
    handler = type(way, (SimpleNamespace,), {"get_json_body": asked.json_body})(
        current_user="a tutor",
        xsrf_token=b"",
        settings={"nbgrader_bad_setup": False, "nbgrader_gradebook": gradebook},
        coursedir=CourseDirectory(config=Config(CourseDirectory={"root": str(course)})),
        gradebook=gradebook,
        request=SimpleNamespace(body=body, headers={asked.SHOWN_TEXT: shown}),
        write=lambda _: None,
    )
    try:
        saved(handler, grade if way == "GradeHandler" else comment)
    finally:
        asked.end_transaction(handler)


def before_first_write(gradebook: Gradebook, do: Callable[[], None]) -> None:
    """Have something happen when all that a request looks at first is read."""
    waiting = [do]

    @event.listens_for(gradebook.engine, "before_cursor_execute")
    def _(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        if waiting and statement.startswith("UPDATE"):
            waiting.pop()()


def somebody_else(course: Path) -> None:
    with gradebook_at(course) as other:
        grade = other.find_grade(WHY, LESSON, LESSON, "ada")
        grade.manual_score, grade.needs_manual_grade = 1.0, False
        other.find_comment(WHY, LESSON, LESSON, "ada").manual_comment = "theirs"
        other.db.commit()


@pytest.mark.parametrize("way", [*SENT, READING])
def test_who_saves_at_the_same_moment_is_told(course: Path, way: str) -> None:
    shown = digest_in(course)
    with gradebook_at(course) as gradebook:
        before_first_write(gradebook, lambda: somebody_else(course))
        with pytest.raises((HTTPError, NotSaved), match=r"[Ss]omebody else has graded this"):
            put(course, gradebook, way, shown)
    found = row(course, "ada")
    assert (found["points"], found["comment"]) == (1.0, "theirs")


@pytest.mark.parametrize("way", [*SENT, READING])
def test_what_is_graded_at_that_moment_is_read_first(course: Path, way: str) -> None:
    shown = digest_in(course)
    with gradebook_at(course) as gradebook:
        before_first_write(gradebook, lambda: answer(course, "ada", "No idea."))
        with pytest.raises((HTTPError, NotSaved), match="graded anew since"):
            put(course, gradebook, way, shown)
    found = row(course, "ada")
    assert (found["points"], found["comment"], found["waits"]) == (None, None, True)


@pytest.mark.parametrize("way", [*SENT, READING])
def test_what_nobody_has_changed_is_saved(course: Path, way: str) -> None:
    with gradebook_at(course) as gradebook:
        put(course, gradebook, way, digest_in(course))
    found = row(course, "ada")
    assert found["points"] == 3.0 or found["comment"] == "mine"


def test_answer_graded_without_a_human_meanwhile_waits_for_none(course: Path) -> None:
    """Whether one waits is for the row to say that there is when the points are taken back."""

    def grade_it() -> None:
        with gradebook_at(course) as other:
            other.find_grade(WHY, LESSON, LESSON, "ada").auto_score = 0.0
            other.db.commit()

    with gradebook_at(course) as gradebook:
        grade = gradebook.find_grade(WHY, LESSON, LESSON, "ada").id
        before_first_write(gradebook, grade_it)
        nothing = Marks(None, "")
        saved = save(gradebook, grade, nothing, nothing, is_same_text=lambda *_: True)
    assert not saved.waits
