"""All that a grading writes to the gradebook, written at once or not at all.

nbgrader's steps open the gradebook one after the other, and each commits for itself: a grading that
fails halfway leaves half of its scores. Within `transaction` they all get the same gradebook, and
what they commit waits until `keep`.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any

from nbgrader.api import Comment, Grade, Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import event, update
from sqlalchemy.orm import Session, scoped_session, sessionmaker

from autograder.nbgrading.gradebook.by_notebook import ByNotebook


class _Waiting(Session):
    """A session whose commits are seen by itself alone."""

    is_changed = False
    is_held = False

    def commit(self) -> None:
        if self.is_held:
            return
        self.flush()
        if self.is_changed:
            # As after a commit, what is computed from other rows is read anew.
            self.expire_all()
            self.is_changed = False

    def keep(self) -> None:
        super().commit()


@event.listens_for(_Waiting, "after_flush")
def _note(session: _Waiting, _: Any) -> None:
    session.is_changed = True


class WaitingGradebook(ByNotebook):
    """The gradebook, in which nothing is changed before `keep`."""

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

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Write what is committed within when all of it is there: sums are as before until then."""
        session: _Waiting = self.db()
        session.is_held = True
        try:
            yield
        finally:
            session.is_held = False
        session.commit()


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


def hold(directories: CourseDirectory, lesson: str, student: str) -> None:
    """Have whoever else writes to a submission's points and comments wait until what is written
    here is kept, and read anew what they are now.
    """
    with gradebook_of(directories) as gradebook:
        session = gradebook.db()
        notebooks = [one.id for one in gradebook.find_submission(lesson, student).notebooks]
        for kind in (Grade, Comment):
            # A change to nothing: a row that stays as it is would not be locked.
            rows = update(kind).where(kind.notebook_id.in_(notebooks))
            same = rows.values(notebook_id=kind.notebook_id)
            session.execute(same, execution_options={"synchronize_session": False})
        session.expire_all()


def opened(*args: Any, **kwargs: Any) -> Gradebook:
    """The gradebook of the open transaction, or one that is opened as nbgrader does."""
    return _the_open_one.get() or ByNotebook(*args, **kwargs)


def at_once() -> AbstractContextManager[None]:
    """Have the open transaction, if there is one, write all that a step commits at its end."""
    gradebook = _the_open_one.get()
    return gradebook.at_once() if gradebook else nullcontext()
