"""Our own failures, each as the one sentence that the instructor reads."""

import errno
import json
import os
import re
import sqlite3

from nbformat.reader import NotJSONError
from nbgrader.api import InvalidEntry
from nbgrader.converters import NbGraderException
from sqlalchemy.exc import DatabaseError, OperationalError

from autograder.errors import CourseError
from autograder.whole_file import is_full

_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
# SQLite's word for it, and PostgreSQL's: it undoes what it can't put into an order, too.
_BUSY = re.compile(r"\b(?:dead)?lock(?:ed)?\b|could not serialize")
_FULL_THERE = re.compile(r"\bfull\b|No space left")


def is_busy(failure: DatabaseError) -> bool:
    """Whether the gradebook was only written to by others: the same may be saved in a moment."""
    return bool(_BUSY.search(_first_line(failure.orig or failure)))


def sentence_of(failure: BaseException) -> str:
    """What failed and what to do about it."""
    if isinstance(failure, CourseError | NbGraderException):
        return str(failure)
    # nbgrader wraps what the gradebook says while it saves.
    said = failure.__context__ if isinstance(failure, InvalidEntry) else failure
    if isinstance(said, DatabaseError):
        return _of_gradebook(said)
    if isinstance(failure, OSError):
        return _of_files(failure)
    if isinstance(failure, MemoryError):
        return "the grader ran out of memory: end other programs, and grade again"
    if isinstance(failure, NotJSONError | json.JSONDecodeError):
        return f"a notebook of the instructor's can't be read ({_first_line(failure)}): build again"
    what = f"{type(failure).__name__}: {_first_line(failure)}".removesuffix(": ")
    return f"{what}; the log has all of it"


def _of_gradebook(failure: DatabaseError) -> str:
    reason = _first_line(failure.orig or failure)
    if is_busy(failure):
        return "another program is writing to the gradebook: wait until it is done, and try again"
    if _FULL_THERE.search(reason):
        return "the disk is full: make room where the gradebook is, and try again"
    if not isinstance(failure.orig, sqlite3.Error):
        return _of_server(failure, reason)
    if "readonly" in reason:
        return "the gradebook can't be written to: look at who owns gradebook.db"
    if isinstance(failure, OperationalError):
        return (
            f"the gradebook can't be used as it is ({reason}): if it was made by another nbgrader, "
            "keep a copy of gradebook.db and run `nbgrader db upgrade`"
        )
    return f"the gradebook can't be read ({reason}): put back a copy of gradebook.db"


def _of_server(failure: DatabaseError, reason: str) -> str:
    """About a gradebook that is in no file here, as one on PostgreSQL."""
    if failure.connection_invalidated or "connection" in reason:
        return (
            f"the connection to the gradebook's server failed ({reason}): see that the server runs "
            "and can be reached from here, and try again"
        )
    return (
        f"the gradebook's server refused what it was asked ({reason}): see its log, and "
        "c.CourseDirectory.db_url in nbgrader_config.py"
    )


def _of_files(failure: OSError) -> str:
    reason = failure.strerror or _first_line(failure)
    where = f" {failure.filename}" if failure.filename else ""
    if is_full(failure):
        reason = failure.strerror or os.strerror(errno.ENOSPC)
        return f"the disk is full ({reason}{where and ':' + where}): make room, and grade again"
    if failure.errno in _FORBIDDEN:
        return f"{reason}:{where}: let whoever grades write there, and grade again"
    return f"{reason}:{where}"


def _first_line(failure: BaseException) -> str:
    return str(failure).strip().split("\n")[0]
