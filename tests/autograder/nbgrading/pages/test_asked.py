"""What formgrader is asked for: names in addresses, and what is sent to be saved."""

import json
import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbgrader.api import InvalidEntry, Student
from sqlalchemy.exc import OperationalError

from autograder.errors import NotSaved
from autograder.nbgrading.pages.asked import end_transaction, is_plain_name, sent, tell
from tests.support.gradebooks import gradebook_in


@pytest.mark.parametrize("name", ["02_dot_product", "ada@example.org", "Übung 1", "0" * 32, "a+b"])
def test_plain_name(name: str) -> None:
    assert is_plain_name(name)


@pytest.mark.parametrize(
    "name", ["", ".", "..", "a/b", "*", "[a-z]", "wee?", " a", "a\0", "\\a", "<b>", "é" * 128]
)
def test_other_name(name: str) -> None:
    assert not is_plain_name(name)


def test_what_can_be_saved_is_kept() -> None:
    row = {"points": 1.5, "seen": {"points": None, "comment": "Gut! 🙂"}, "waits": False}
    assert sent(json.dumps(row).encode()) == row


def test_what_no_gradebook_holds_is_refused() -> None:
    for form in ("NaN", "1e400", "9" * 400, r'"\ud800"', r'["a\u0000"]', "[[[[1]]]]"):
        with pytest.raises(NotSaved):
            sent(f'{{"field": {form}}}'.encode())
    with pytest.raises(NotSaved, match="bytes"):
        sent(b" " * 3_000_000)


def test_failure_costs_one_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        gradebook.add_student("ada")
        gradebook.db.add(Student(id="ben", first_name="\ud800"))
        with pytest.raises(UnicodeEncodeError):
            gradebook.db.commit()
        end_transaction(SimpleNamespace(settings={"nbgrader_gradebook": gradebook}))
        assert [student.id for student in gradebook.students] == ["ada"]


@pytest.mark.parametrize(
    ("reason", "method", "says"),
    [
        ("database is locked", "PUT", "Nothing is saved: another program"),
        ("database is locked", "GET", "Another program"),
        ("deadlock detected", "PUT", "Nothing is saved: another program"),
        ("database or disk is full", "PUT", "Nothing is saved, since the disk is full: make room"),
        (
            "attempt to write a readonly database",
            "PUT",
            "Nothing is saved, since the grade",
        ),
        ("no such table: grade", "GET", "This is not shown, since the gradebook can't be used"),
    ],
)
@pytest.mark.parametrize("wrapped", [False, True])
def test_failing_gradebook_is_a_sentence(
    reason: str, method: str, says: str, *, wrapped: bool
) -> None:
    """nbgrader wraps what the database says where it saves a student or a lesson."""
    try:
        try:
            raise OperationalError("UPDATE", {}, sqlite3.OperationalError(reason))
        except OperationalError as locked:
            if wrapped:
                raise InvalidEntry(*locked.args) from None
            raise
    except (OperationalError, InvalidEntry) as error:
        raised = error
    said: list[str] = []
    handler = SimpleNamespace(finish=said.append, request=SimpleNamespace(method=method))
    tell(handler, 500, exc_info=(type(raised), raised, None))
    assert said[0].startswith(says)
    assert "the server failed" not in said[0]
