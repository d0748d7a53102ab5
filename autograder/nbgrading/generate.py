"""nbgrader's generate_assignment, which first builds a lesson that has changed, and where it fails
leaves the old notebook, and every grade.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbformat.notebooknode import NotebookNode
from nbgrader.api import Comment, Grade, Gradebook, MissingEntry, Notebook
from nbgrader.converters import BaseConverter, GenerateAssignment, NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import SaveCells
from traitlets import Bool

from autograder.authoring.build.incremental import build
from autograder.course import Course
from autograder.errors import GradingFailed, NotebookEdited
from autograder.grading.jobs.own_code import refresh
from autograder.nbgrading.agreement import Cells, Disagreement, cells_known, cells_of
from autograder.nbgrading.failures import sentence_of
from autograder.nbgrading.gradebook.transaction import gradebook_of
from autograder.nbgrading.one_by_one import OneByOne
from autograder.nbgrading.term.late import Deadlines
from autograder.nbgrading.try_solution import TrySolution

if TYPE_CHECKING:
    from autograder.authoring.build.build import Built


class KeepGrades(SaveCells):  # type: ignore[misc]
    """Tells the gradebook of exercises that have come, or gone, since students handed in.

    nbgrader refuses both. An exercise that is new has no score until it is graded. One that is
    gone takes the points with it that were earned in it, so that has to be asked for.
    """

    drop = Bool(
        False,
        help="Whether scores in exercises that a lesson no longer has may be deleted.",
    ).tag(config=True)

    def _create_notebook(self, nb: NotebookNode) -> None:
        try:
            known = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        except MissingEntry:
            known = None
        if known is not None and known.submissions:
            difference = Disagreement.between(cells_known(known), cells_of(nb))
            self._drop(known, difference.dropped)
            self._add(known, difference.added)
            self._match_sources(known)
        super()._create_notebook(nb)

    def _drop(self, known: Notebook, dropped: Cells) -> None:
        cells = [cell for cell in _graded(known) if (cell.name, _part(cell)) in dropped]
        lost = [grade for cell in cells for grade in cell.grades if grade.score]
        if lost and not self.drop:
            names = ", ".join(sorted({grade.name for grade in lost}))
            whose = sorted({grade.student.id for grade in lost})
            points = sum(grade.score for grade in lost)
            raise GradingFailed(
                f"{names} is gone from {self.notebook_id}, and {_listed(whose)} earned "
                f"{points:g} points in it: put it back, give the lesson a new name, or delete "
                f"them with `nbgrader generate_assignment --force {self.assignment_id} "
                "--KeepGrades.drop=True`"
            )
        for cell in [*_graded(known), *known.solution_cells]:
            if (cell.name, _part(cell)) in dropped:
                # What is left of a grade without its cell would still count.
                for row in [*(cell.grades or ()), *(cell.comments or ()), cell]:
                    self.gradebook.db.delete(row)
        self.gradebook.db.commit()

    def _add(self, known: Notebook, added: Cells) -> None:
        notebook, assignment = self.notebook_id, self.assignment_id
        for name, part in added:
            if part == "solution":
                info = self.new_solution_cells[name]
                cell = self.gradebook.add_solution_cell(name, notebook, assignment, **info)
            elif part == "grade":
                info = self.new_grade_cells[name]
                cell = self.gradebook.add_grade_cell(name, notebook, assignment, **info)
            else:
                info = self.new_task_cells[name]
                cell = self.gradebook.add_task_cell(name, notebook, assignment, **info)
            for submission in known.submissions:
                if part != "solution":
                    self.gradebook.db.add(Grade(cell_id=cell.id, notebook=submission))
                if part != "grade":
                    self.gradebook.db.add(Comment(cell_id=cell.id, notebook=submission))
        self.gradebook.db.commit()

    def _match_sources(self, known: Notebook) -> None:
        """The texts that nbgrader keeps of cells: the same ones as in the notebook."""
        there = {cell.name: cell for cell in known.source_cells}
        for name in there.keys() - self.new_source_cells.keys():
            self.gradebook.db.delete(there[name])
        for name in self.new_source_cells.keys() - there.keys():
            info = self.new_source_cells[name]
            self.gradebook.add_source_cell(name, self.notebook_id, self.assignment_id, **info)
        self.gradebook.db.commit()


class SafeGenerate(OneByOne, GenerateAssignment):  # type: ignore[misc]
    """GenerateAssignment that builds what has changed of a lesson's text, and replaces the notebook
    for students, and what the gradebook knows of it, when all has gone well.
    """

    def __init__(self, coursedir: CourseDirectory | None = None, **kwargs: Any) -> None:
        """As nbgrader's, with the gradebook told by `KeepGrades`."""
        super().__init__(coursedir=coursedir, **kwargs)
        usual = GenerateAssignment.preprocessors.get(self)
        steps = [KeepGrades if step is SaveCells else step for step in usual]
        self.preprocessors = [TrySolution, *steps]

    def start(self) -> None:
        """Build and generate; what fails is said in a sentence."""
        try:
            self._build()
            super().start()
        except NbGraderException:
            raise
        except Exception as failure:
            self.log.error("Nothing is generated: %s", sentence_of(failure))
            raise NbGraderException(sentence_of(failure)) from failure

    def _build(self) -> None:
        """Build what has changed of the lessons that are asked for; one without a text stays."""
        course, asked = Course(Path(self.coursedir.root)), self.coursedir.assignment_id
        if asked != "*" and not (course.source / asked).is_dir():
            course.lesson_named(asked)
        texts = {path.stem for path in course.source.glob(f"{asked}.md")}
        for lesson in [one for one in course.lessons() if one in texts] if texts else ():
            # Formgrader's server may have imported the reference as it was days ago.
            refresh(course.root, course.source / lesson)
            try:
                build(course, [lesson], progress=self._tell, trial=self._try)
            except NotebookEdited as edited:
                self.log.warning("%s", edited)

    def _tell(self, done: int, steps: int, lesson: str) -> None:
        self.log.info("Building %s, which may take a minute", lesson)

    def _try(self, built: "Built") -> None:
        name = built.lesson.name
        for warning in built.warnings:
            self.log.warning("%s", warning)
        names = {"nbgrader": {"assignment": name, "notebook": name}}
        TrySolution(parent=self)(built.source, names)

    def is_wanted(self, lesson: str, student: str) -> bool:
        """Whether to generate: what is not there yet or unknown to the gradebook, or is forced."""
        place = self.folder(lesson, student).place
        made = all((place / Path(path).name).exists() for path in self.notebooks)
        return self.force or not made or not self._is_known(lesson)

    def _is_known(self, lesson: str) -> bool:
        """Whether the gradebook knows a lesson: a clone brings its notebook, and no gradebook."""
        if self.no_database:
            return True
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            try:
                return bool(gradebook.find_assignment(lesson).notebooks)
            except MissingEntry:
                return False

    def is_finished(self, folder: Path) -> bool:
        """Whether a folder has every notebook; it gets its place when it has."""
        return all((folder / Path(path).name).exists() for path in self.notebooks)

    def complete(self, lesson: str, student: str) -> None:
        """Make the folder that students get, and tell the gradebook of its cells and due date."""
        self.init_assignment(lesson, student)
        for path in self.notebooks:
            copy = os.path.join(self._format_dest(lesson, student), os.path.basename(path))
            if os.path.exists(copy):
                os.remove(copy)
            BaseConverter.convert_single_notebook(self, path)
        if not self.no_database:
            with gradebook_of(self.coursedir) as gradebook:
                Deadlines(config=self.config).tell(gradebook, lesson)

    @property
    def final_directory(self) -> str:
        """Where the notebooks for students are."""
        return str(self.coursedir.release_directory)


def _graded(known: Notebook) -> list[Any]:
    return [*known.grade_cells, *known.task_cells]


def _part(cell: Any) -> str:
    return {"GradeCell": "grade", "TaskCell": "task", "SolutionCell": "solution"}[cell.type]


def _listed(students: list[str]) -> str:
    more = f" and {len(students) - 3} more" if len(students) > 3 else ""
    return f"{', '.join(students[:3])}{more}"
