"""What fails on our side is one sentence, which says nothing of a file where there is none."""

import errno
import os
import shutil
import sqlite3

import pytest
from nbgrader.api import InvalidEntry
from sqlalchemy.exc import DatabaseError, InternalError, OperationalError, ProgrammingError

from autograder.nbgrading.failures import is_busy, sentence_of


class FromServer(Exception):
    """What a driver of PostgreSQL raises, which is none of SQLite's."""


LOST = "consuming input failed: server closed the connection unexpectedly"
NO_SERVER = 'connection failed: connection to server at "::1", port 5432 failed: Connection refused'
MORE = "\n\tThis probably means the server terminated abnormally"


@pytest.mark.parametrize(
    ("failure", "says"),
    [
        (
            OperationalError("UPDATE", {}, FromServer(LOST + MORE), connection_invalidated=True),
            f"the connection to the gradebook's server failed ({LOST}): see that the server runs",
        ),
        (
            OperationalError("UPDATE", {}, FromServer("SSL SYSCALL"), connection_invalidated=True),
            "the connection to the gradebook's server failed (SSL SYSCALL): ",
        ),
        (
            OperationalError("", {}, FromServer(NO_SERVER + MORE)),
            f"the connection to the gradebook's server failed ({NO_SERVER}): ",
        ),
        (
            InternalError("", {}, FromServer("cannot execute INSERT in a read-only transaction")),
            "the gradebook's server refused what it was asked (cannot execute INSERT in a read-",
        ),
        (
            ProgrammingError("", {}, FromServer('relation "grade" does not exist\nLINE 1: FROM')),
            'the gradebook\'s server refused what it was asked (relation "grade" does not exist): ',
        ),
        (
            OperationalError(
                "", {}, FromServer('could not extend file "base/1": No space left on device')
            ),
            "the disk is full: make room where the gradebook is",
        ),
    ],
)
def test_gradebook_on_a_server_is_no_file(failure: DatabaseError, says: str) -> None:
    said = sentence_of(failure)
    assert said.startswith(says)
    assert "gradebook.db" not in said
    assert "\n" not in said
    assert not is_busy(failure)


def test_what_nbgrader_wraps_is_the_gradebooks() -> None:
    wrapped = InvalidEntry("(sqlite3.OperationalError) database or disk is full\n[SQL: INSERT")
    wrapped.__context__ = OperationalError(
        "INSERT", {}, sqlite3.OperationalError("database or disk is full")
    )
    assert sentence_of(wrapped).startswith("the disk is full: make room where the gradebook is")
    assert sentence_of(InvalidEntry("no\nname")) == "InvalidEntry: no; the log has all of it"


def test_whole_folder_that_finds_no_room_is_a_full_disk() -> None:
    copying = shutil.Error([("a", "b", f"[Errno 28] {os.strerror(errno.ENOSPC)}")])
    assert sentence_of(copying) == (
        "the disk is full (No space left on device): make room, and grade again"
    )


def test_gradebook_in_a_file_is_named() -> None:
    for reason in ("no such column: x", "attempt to write a readonly database"):
        failure = OperationalError("", {}, sqlite3.OperationalError(reason))
        assert "gradebook.db" in sentence_of(failure)
