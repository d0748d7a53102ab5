"""All that a grading writes to the gradebook, written at once or not at all.

nbgrader's steps open the gradebook one after the other, and each commits for itself: a grading that
fails halfway leaves half of its scores. Within `transaction` they all get the same gradebook, and
what they commit waits until `keep`.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import Engine, create_engine
from sqlalchemy.orm import Session, scoped_session, sessionmaker


class _Waiting(Session):
    """A session whose commits are seen by itself alone."""

    def commit(self) -> None:
        # As after a commit, what is computed from other rows is read anew.
        self.flush()
        self.expire_all()

    def keep(self) -> None:
        super().commit()


class WaitingGradebook(Gradebook):  # type: ignore[misc]
    """The gradebook, in which nothing is changed before `keep`."""

    db: scoped_session[_Waiting]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As nbgrader's."""
        super().__init__(*args, **kwargs)
        self.db.remove()
        self.db = scoped_session(sessionmaker(class_=_Waiting, bind=self.engine, future=True))

    def close(self) -> None:
        """Each of nbgrader's steps closes what it has opened; this one is still needed."""

    def keep(self) -> None:
        """Change the gradebook."""
        self.db().keep()

    def end(self) -> None:
        """Forget what was not kept."""
        super().close()


_the_open_one: ContextVar[WaitingGradebook | None] = ContextVar("gradebook", default=None)


@contextmanager
def transaction(directories: CourseDirectory) -> Iterator[WaitingGradebook]:
    """Have all of nbgrader's steps write to one gradebook, which changes when it is told to."""
    gradebook = WaitingGradebook(directories.db_url, directories.course_id)
    before = _the_open_one.set(gradebook)
    try:
        yield gradebook
    finally:
        _the_open_one.reset(before)
        gradebook.end()


def gradebook_of(directories: CourseDirectory) -> Gradebook:
    """The gradebook as nbgrader's steps open it: for `with`."""
    return opened(directories.db_url, directories.course_id)


@functools.cache
def one_engine(url: str, **settings: Any) -> Engine:
    """The one engine for a gradebook: it keeps what it has made of each question in SQL.

    nbgrader makes one each time that it opens the gradebook, and lets go of its connections when it
    closes that, as before.
    """
    return create_engine(url, **settings)


def opened(*args: Any, **kwargs: Any) -> Gradebook:
    """The gradebook of the open transaction, or one that is opened as nbgrader does."""
    return _the_open_one.get() or Gradebook(*args, **kwargs)
