"""The texts of questions and answers as HTML, rendered in another process under a clock.

A rendered answer is kept as long as its file stays the same: a tutor reads it, and saving compares
it once more.
"""

import functools
import json
from dataclasses import dataclass
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from autograder.errors import RenderingFailed
from autograder.grading.record import RECORD_SUFFIX, records_in
from autograder.grading.submitted_files import read_regular
from autograder.nbgrading.pages.rendering import WORKER
from autograder.nbgrading.reading.questions import NotGraded, Question

_NOTEBOOK_BYTES = 100_000_000
_KEPT = 1000


@dataclass(frozen=True)
class Answer:
    """An answer as HTML, and the digest of what was written."""

    html: str
    digest: str


@dataclass(frozen=True)
class Asked:
    """A question as HTML, and how it is marked."""

    text: str
    scheme: str


class Texts:
    """Those of a course."""

    def __init__(self, directories: CourseDirectory) -> None:
        """Read from these folders."""
        self._directories = directories

    def question(self, question: Question, students: list[str]) -> Asked:
        """What is asked: from the instructor's notebook, or else from a graded one.

        Args:
            question: which.
            students: who may have a graded notebook.
        """
        source = self._notebook(self._directories.source_directory, ".", question)
        graded = (self._graded(question, student) for student in students)
        for path in (source, *graded):
            page = _page("question", path, question.name)
            asked = Asked(**json.loads(page)) if page else None
            if asked and (asked.text or asked.scheme):
                return asked
        return Asked("", "")

    def answer(self, question: Question, student: str) -> Answer:
        """What a student answered.

        Raises:
            RenderingFailed: when there is no graded notebook, or it can't be shown.
        """
        path = self._graded(question, student)
        try:
            stat = path.stat()
        except OSError:
            raise RenderingFailed(_NOT_GRADED) from None
        return _answer(path, question.name, (stat.st_mtime_ns, stat.st_size, stat.st_ino))

    def record(self, question: Question, student: str) -> Path:
        """The record beside a graded notebook."""
        return self._graded(question, student).with_suffix(RECORD_SUFFIX)

    def why_not(self, one: NotGraded) -> str:
        """Why nothing of a submission is graded, as its record says."""
        graded = self._folder(self._directories.autograded_directory, one.student, one.lesson)
        return "; ".join(record.not_graded for record in records_in(graded))

    def _graded(self, question: Question, student: str) -> Path:
        return self._notebook(self._directories.autograded_directory, student, question)

    def _notebook(self, step: str, student: str, question: Question) -> Path:
        return self._folder(step, student, question.lesson) / f"{question.notebook}.ipynb"

    def _folder(self, step: str, student: str, lesson: str) -> Path:
        return Path(self._directories.format_path(step, student, lesson)).absolute()


_NOT_GRADED = "The graded notebook is not there: grade this submission again, then reload the page."


@functools.lru_cache(_KEPT)
def _answer(path: Path, name: str, _: tuple[int, ...]) -> Answer:
    page = _page("answer", path, name)
    found = Answer(**json.loads(page)) if page else None
    if found is None or not found.digest:
        raise RenderingFailed(_NOT_GRADED)
    return found


def _page(kind: str, path: Path, name: str) -> str:
    notebook = read_regular(path, _NOTEBOOK_BYTES)
    return WORKER.page(kind, notebook.decode(), {"name": name}) if notebook else ""
