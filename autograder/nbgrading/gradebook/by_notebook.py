"""The gradebook, asked for a notebook's cells, scores and comments at once.

nbgrader asks for each cell anew, by a query that takes longer to put together than to answer, and
looks at every table each time that it opens the gradebook.
"""

import functools
from collections.abc import Callable, Iterable
from typing import Any

from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Course,
    Grade,
    Gradebook,
    GradeCell,
    MissingEntry,
    Notebook,
    SourceCell,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
    TaskCell,
)
from sqlalchemy import Engine, create_engine
from sqlalchemy.exc import DatabaseError
from sqlalchemy.orm import Query, scoped_session, sessionmaker, undefer

Named = dict[str, Any]
"""What belongs to the cells of a notebook, by their names."""

# The addresses of the gradebooks that have been opened in full by this process.
_complete: set[str] = set()


@functools.cache
def one_engine(url: str, **settings: Any) -> Engine:
    """The one engine for a gradebook: it keeps what it has made of each question in SQL.

    nbgrader makes one each time that it opens the gradebook, and lets go of its connections when it
    closes that, as before.
    """
    return create_engine(url, **settings)


class ByNotebook(Gradebook):  # type: ignore[misc]
    """nbgrader's gradebook, which finds again what it has found before.

    It keeps rows, not what is in them: that is the session's, and is read anew when this forgets
    it. What is not among them is looked for as nbgrader does, which also says what is missing.
    """

    def __init__(
        self, db_url: str, course_id: str = "default_course", authenticator: Any = None
    ) -> None:
        """As nbgrader's, which looks at every table; a gradebook that had them all once has them.

        Where another has come in its place, one without the course, or without any table, all is
        done as at first.
        """
        self._rows: dict[tuple[str, ...], Any] = {}
        self._named: dict[tuple[str, ...], Named] = {}
        self.engine = one_engine(db_url, echo=False, future=True)
        self.db: scoped_session[Any] = scoped_session(
            sessionmaker(autoflush=True, bind=self.engine, future=True)
        )
        self.course_id, self.authenticator = course_id, authenticator
        if db_url not in _complete or not self._knows(course_id):
            super().__init__(db_url, course_id, authenticator)
            _complete.add(db_url)

    def _knows(self, course: str) -> bool:
        try:
            return self.db.get(Course, course) is not None
        except DatabaseError:
            self.db.rollback()
            return False

    def find_student(self, student_id: str) -> Student:
        """As nbgrader's."""
        return self._again("student", super().find_student, student_id)

    def find_assignment(self, name: str) -> Assignment:
        """As nbgrader's."""
        return self._again("assignment", super().find_assignment, name)

    def find_notebook(self, name: str, assignment: str) -> Notebook:
        """As nbgrader's."""
        return self._again("notebook", super().find_notebook, name, assignment)

    def find_submission(self, assignment: str, student: str) -> SubmittedAssignment:
        """As nbgrader's."""
        return self._again("submission", super().find_submission, assignment, student)

    def find_submission_notebook(
        self, notebook: str, assignment: str, student: str
    ) -> SubmittedNotebook:
        """As nbgrader's."""
        usual = super().find_submission_notebook
        return self._again("submitted notebook", usual, notebook, assignment, student)

    def find_source_cell(self, name: str, notebook: str, assignment: str) -> SourceCell:
        """As nbgrader's, and all others of the notebook with it."""
        usual = super().find_source_cell
        return self._with_others(self._source_cells, usual, name, notebook, assignment)

    def find_graded_cell(self, name: str, notebook: str, assignment: str) -> GradeCell | TaskCell:
        """As nbgrader's, and all others of the notebook with it."""
        usual = super().find_graded_cell
        return self._with_others(self._graded_cells, usual, name, notebook, assignment)

    def find_grade(self, grade_cell: str, notebook: str, assignment: str, student: str) -> Grade:
        """As nbgrader's, and all others of the submission with it."""
        usual = super().find_grade
        return self._with_others(self._grades, usual, grade_cell, notebook, assignment, student)

    def find_comment(
        self, solution_cell: str, notebook: str, assignment: str, student: str
    ) -> Comment:
        """As nbgrader's, and all others of the submission with it."""
        usual = super().find_comment
        return self._with_others(
            self._comments, usual, solution_cell, notebook, assignment, student
        )

    def _again(self, what: str, find: Callable[..., Any], *names: str) -> Any:
        key = (what, *names)
        if not self._is_there(row := self._rows.get(key)):
            row = self._rows[key] = find(*names)
        return row

    def _with_others(
        self, find_all: Callable[..., Named], find: Callable[..., Any], name: str, *where: str
    ) -> Any:
        key = (find_all.__name__, *where)
        if key not in self._named:
            self._named[key] = find_all(*where)
        if not self._is_there(row := self._named[key].get(name)):
            row = self._named[key][name] = find(name, *where)
        return row

    def _is_there(self, row: Any) -> bool:
        """Whether a row has been found, and neither deleted nor rolled back since."""
        return row is not None and row in self.db

    def _source_cells(self, notebook: str, assignment: str) -> Named:
        return {cell.name: cell for cell in self._cells(SourceCell, notebook, assignment)}

    def _graded_cells(self, notebook: str, assignment: str) -> Named:
        # nbgrader takes a task only where no test is called so.
        kinds = TaskCell, GradeCell
        return {
            cell.name: cell for kind in kinds for cell in self._cells(kind, notebook, assignment)
        }

    def _cells(self, kind: Any, notebook: str, assignment: str) -> Iterable[Any]:
        query = self.db.query(kind).join(Notebook, Notebook.id == kind.notebook_id)
        query = query.join(Assignment, Assignment.id == Notebook.assignment_id)
        found: Query[Any] = query.filter(Notebook.name == notebook, Assignment.name == assignment)
        return found

    def _grades(self, *where: str) -> Named:
        return self._of_submission(Grade, "GradeCell", *where)

    def _comments(self, *where: str) -> Named:
        return self._of_submission(Comment, "SolutionCell", *where)

    def _of_submission(
        self, kind: Any, first: str, notebook: str, assignment: str, student: str
    ) -> Named:
        """Grades or comments, by the names of their cells; of two, that of the first type."""
        try:
            place = self.find_submission_notebook(notebook, assignment, student).id
        except MissingEntry:
            return {}
        query: Query[Any] = self.db.query(BaseCell.name, BaseCell.type, kind)
        rows = query.join(kind, kind.cell_id == BaseCell.id).filter(kind.notebook_id == place)
        if kind is Grade:
            rows = rows.options(undefer(Grade.max_score))
        usual = [row for row in rows if row[1] in ("TaskCell", first)]
        return {name: one for name, _, one in sorted(usual, key=lambda row: row[1] == first)}
