"""nbgrader's feedback: a page for each graded notebook, and beside it nothing of the student's."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nbconvert.exporters import Exporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import (
    ClearHiddenTests,
    ClearMarkScheme,
    GetGrades,
    NbGraderPreprocessor,
)
from traitlets import Type

from autograder.nbgrading.all_or_nothing import remove
from autograder.nbgrading.gradebook.transaction import opened
from autograder.nbgrading.inbox import secret, timestamps
from autograder.nbgrading.pages.outline import WAITS, is_students
from autograder.nbgrading.pages.rendering import WORKER
from autograder.nbgrading.routine import no_warnings_of_routine
from autograder.nbgrading.term.late import work_out_penalties
from autograder.whole_file import write_whole

# What nbgrader reads of this folder when it releases the page.
_KEPT = (timestamps.NAME, secret.SECRET)


class GetGradesAndGaps(GetGrades):  # type: ignore[misc]
    """Scores and comments from the gradebook, and whether a human has still to give a score."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Write them into the notebook; what is taken off is a share of the points as they are."""
        names = resources["nbgrader"]
        with opened(names["db_url"]) as gradebook:
            lesson = gradebook.find_assignment(names["assignment"])
            work_out_penalties(gradebook, self.config, [lesson], names["student"])
        return super().preprocess(nb, resources)  # type: ignore[no-any-return]

    def _get_score(self, cell: NotebookNode, resources: Mapping[str, Any]) -> None:
        super()._get_score(cell, resources)
        marks = cell.metadata.nbgrader
        grade = self.gradebook.find_grade(
            marks["grade_id"], self.notebook_id, self.assignment_id, self.student_id
        )
        marks[WAITS] = bool(grade.needs_manual_grade)


class _InstructorsCells(NbGraderPreprocessor):  # type: ignore[misc]
    """Leaves alone what a student wrote, in which the marks of nbgrader's steps mean nothing."""

    def preprocess_cell(
        self, cell: NotebookNode, resources: ResourcesDict, cell_index: int
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Have the step look at a cell that the instructor wrote."""
        if is_students(cell):
            return cell, resources
        return super().preprocess_cell(cell, resources, cell_index)  # type: ignore[no-any-return]


class ClearLessonsHiddenTests(_InstructorsCells, ClearHiddenTests):  # type: ignore[misc]
    """Takes hidden tests out of the instructor's cells."""


class ClearLessonsMarkSchemes(_InstructorsCells, ClearMarkScheme):  # type: ignore[misc]
    """Takes marking schemes out of the instructor's cells."""


# The page that a student gets back holds neither hidden tests nor marking schemes.
PREPROCESSORS: list[type[NbGraderPreprocessor]] = [
    GetGradesAndGaps,
    ClearLessonsHiddenTests,
    ClearLessonsMarkSchemes,
]


class FeedbackPage(Exporter):
    """Renders feedback in a process of its own."""

    file_extension = ".html"
    output_mimetype = "text/html"

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """A page for the student, from what nbgrader's steps make of the graded notebook."""
        resources = self._init_resources(resources)  # type: ignore[no-untyped-call]
        for step in self._preprocessors:
            nb, resources = step(nb, resources)
        # nbconvert would copy it for each step, and validate it, as the worker does.
        return WORKER.page("feedback", json.dumps(nb), _plain(resources)), resources


class SafeFeedback(GenerateFeedback):  # type: ignore[misc]
    """GenerateFeedback by our page; a student's own files stay where they are.

    nbgrader removes the earlier page before it makes the new one, and both where that fails: here
    the earlier one has another name meanwhile, and is put back.
    """

    exporter_class = Type(FeedbackPage, klass=Exporter).tag(config=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As nbgrader's."""
        super().__init__(*args, **kwargs)
        # What stands where a page comes, and where it is meanwhile.
        self._earlier: dict[Path, Path] = {}

    def start(self) -> None:
        """As nbgrader's, with warnings only of what is wrong."""
        no_warnings_of_routine(self.log)
        super().start()

    def convert_notebooks(self) -> None:
        """Make each student's page, or leave the one that is there."""
        try:
            super().convert_notebooks()
        finally:
            self._put_back()

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Whether a page is to be made, as nbgrader has it; what is there is set aside then."""
        self._put_back()
        if student_id in self.coursedir.student_id_exclude.split(","):
            return False
        folder = Path(self._format_dest(assignment_id, student_id))
        pages = [
            folder / f"{Path(one).stem}{self.exporter.file_extension}" for one in self.notebooks
        ]
        replaced = [folder] if self.coursedir.notebook_id == "*" else pages
        self._earlier = {path: path.with_name(f".{path.name}.earlier") for path in replaced}
        # A kill has left it so, before there was another.
        was_begun = any(aside.exists() for aside in self._earlier.values())
        earlier = self._put_back()
        now, before = map(
            self.coursedir.get_existing_timestamp,
            (self._format_source(assignment_id, student_id), str(folder)),
        )
        is_newer = bool(now and before and now > before)
        is_done = all(page.exists() for page in pages) and not was_begun
        if is_done and not (self.force or is_newer):
            self.log.info("Skipping what is there already: %s", folder)
            return False
        self._earlier = earlier
        # A full disk has room for another name.
        for path, aside in earlier.items():
            if path.exists():
                path.rename(aside)
        return True

    def set_permissions(self, assignment_id: str, student_id: str) -> None:
        """As nbgrader's; it comes when all pages of a student are made."""
        super().set_permissions(assignment_id, student_id)
        for aside in self._earlier.values():
            remove(aside)
        self._earlier = {}

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy what belongs to the page; what renders it starts meanwhile."""
        WORKER.start("feedback")
        source = Path(self._format_source(assignment_id, student_id))
        target = Path(self._format_dest(assignment_id, student_id))
        target.mkdir(parents=True, exist_ok=True)
        for name in _KEPT:
            if (source / name).is_file():
                shutil.copyfile(source / name, target / name, follow_symlinks=False)

    def write_single_notebook(self, output: str, resources: ResourcesDict) -> None:
        """Write a page under its name when all of it is there; nbgrader's own writer begins so."""
        names = resources["nbgrader"]
        folder = Path(self._format_dest(names["assignment"], names["student"]))
        page = f"{resources['unique_key']}{resources['output_extension']}"
        write_whole(folder / page, output.encode())

    def _put_back(self) -> dict[Path, Path]:
        """Put back what was set aside for a page that could not be made."""
        earlier, self._earlier = self._earlier, {}
        for path, aside in earlier.items():
            if aside.exists():
                remove(path)
                aside.rename(path)
                self.log.warning("What was there stays: %s", path)
        return earlier


def _plain(resources: Mapping[str, Any]) -> dict[str, Any]:
    wanted = {name: resources[name] for name in ("nbgrader", "metadata") if name in resources}
    plain: dict[str, Any] = json.loads(json.dumps(wanted, default=str))
    return plain
