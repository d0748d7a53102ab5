"""Safe grading as a preprocessor of nbgrader's autograde.

`nbgrader_config.py` puts it in the place of nbgrader's Execute. Everything behind it (scores, late
penalties, manual grades, comments, feedback) is nbgrader's as it comes.
"""

import json
import os
from collections import deque
from collections.abc import Mapping
from pathlib import Path

from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output
from nbgrader.api import Comment, Grade
from nbgrader.coursedir import CourseDirectory
from nbgrader.exchange.default.exchange import Exchange
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    NbGraderPreprocessor,
    OverwriteCells,
    SaveAutoGrades,
)
from traitlets import Bool, Bunch, Dict, Enum, Integer, List, Unicode, validate

from autograder.checks.exam.draw import drawing_from
from autograder.checks.source.cells import grade_id_of, is_test
from autograder.errors import GradingFailed, SettingError
from autograder.grading.exam_seed import exam_seed_of
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.own_code import digest_of
from autograder.grading.jobs.sandboxes import SandboxSettings
from autograder.grading.jobs.work import CHANGED, job_of, try_solution
from autograder.grading.rebuild import NOT_GRADED
from autograder.grading.record import RECORD_SUFFIX, Record, draft_of, is_not_gradable
from autograder.nbgrading.gradebook.earlier import Earlier, Given
from autograder.nbgrading.gradebook.transaction import at_once
from autograder.nbgrading.inbox.grade_handed_in import grade_handed_in
from autograder.nbgrading.inbox.take import Beside
from autograder.nbgrading.inbox.which_notebook import HandedIn
from autograder.nbgrading.pages.outline import parts_of
from autograder.settings import what_is_secret


class GradeSafely(NbGraderPreprocessor):  # type: ignore[misc]
    """Grades a submission: its cells in the sandbox, the tests here."""

    isolation = Enum(
        ["full", "none"],
        default_value="full",
        help='"full", or "none" to run student code with all that you may do; recorded.',
    ).tag(config=True)
    limits = Dict(
        help="Limits by name, as in autograder.student.limits; the others keep their value."
    ).tag(config=True)
    preload = List(
        Unicode(),
        ["numpy"],
        help="Modules that are imported once for all submissions and tests: see course.toml.",
    ).tag(config=True)
    course = Unicode(
        help="The course's folder: student code sees nothing of it but what is preloaded."
    ).tag(config=True)
    beside = Bool(
        False,
        help="Whether a test that the grader can't judge runs in the student's process, where its "
        "outcome could be forged; the tag `beside` says so of one cell.",
    ).tag(config=True)
    seed = Integer(0, help="Where random numbers in a student's process begin.").tag(config=True)
    workers = Integer(
        0, min=0, help="How many processes grade a class; with 0 one for each processor."
    ).tag(config=True)
    scheduler = Unicode(
        help="The address of a Dask scheduler, whose workers grade in their place: see "
        "docs/large_classes.md."
    ).tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Put the graded notebook in the place of the submission, and keep the record beside it."""
        names = resources["nbgrader"]
        folder, beside = Path(resources["folder"]), resources["beside"]
        submission: HandedIn = resources["submission"]
        begun: Job | None = resources["begun"]
        job = self.job(names["assignment"], names["notebook"], submission, beside, begun)
        graded = grade_handed_in(job, submission, beside)
        if digest_of(job.course, job.lesson, job.walls.preload) != job.code:
            raise GradingFailed(CHANGED)
        draft = draft_of(folder / f"{names['notebook']}{RECORD_SUFFIX}")
        draft.write_text(graded.record.text(), encoding="utf-8")
        for name, text in graded.whole.items():
            (folder / name).write_text(text, encoding="utf-8")
        return _with_points(graded.notebook, graded.record), resources

    def job(
        self,
        lesson: str,
        notebook: str,
        submission: HandedIn,
        beside: Beside,
        begun: Job | None = None,
    ) -> Job:
        """All on which the grading of a submission depends, as it is now.

        Args:
            lesson: the name of the lesson.
            notebook: the name of one of its notebooks.
            submission: what is graded of it.
            beside: what is taken of the others.
            begun: what a worker has begun for it: the same again, if nothing has changed since.

        Raises:
            GradingFailed: when there is no such notebook, or one that no student could run; when
                the settings, or this program, are others than when it was started.
        """
        directories = CourseDirectory(config=self.config)
        place = directories.format_path(directories.source_directory, ".", lesson)
        return job_of(
            self.course_folder,
            Path(place).absolute() / f"{notebook}.ipynb",
            submission.content,
            self.walls,
            files=beside.contents(self.walls.limits_given.disk_bytes // 2),
            remarks=(*submission.remarks, *beside.left_out),
            seed=self.seed,
            beside=self.beside,
            begun=begun,
        )

    @validate("preload")
    def _keep_secret(self, proposal: Bunch) -> list[str]:
        entries: list[str] = proposal["value"]
        if wrong := what_is_secret(entries):
            raise SettingError(f"c.GradeSafely.preload {wrong}")
        return entries

    @property
    def course_folder(self) -> Path:
        """Where the course's reference and exams are."""
        return Path(self.course or CourseDirectory(config=self.config).root)

    @property
    def _hidden(self) -> tuple[str, ...]:
        """The folders that student code must not see, wherever they lie."""
        exchange = Exchange(config=self.config).root
        folders = {str(self.course_folder), str(CourseDirectory(config=self.config).root), exchange}
        return tuple(sorted(filter(os.path.isdir, folders)))

    @property
    def walls(self) -> SandboxSettings:
        """The settings of the sandbox."""
        return SandboxSettings(
            self.isolation, json.dumps(self.limits), tuple(self.preload), self._hidden
        )

    def failing_with_solution(self, source: NotebookNode, folder: Path | None) -> Mapping[str, str]:
        """The tests that the instructor's own solution does not pass as it is graded, and why."""
        with drawing_from(exam_seed_of(self.course_folder)):
            return try_solution(
                source, self.walls, seed=self.seed, folder=folder, beside=self.beside
            )


def _with_points(notebook: NotebookNode, record: Record) -> NotebookNode:
    """The notebook with the output that has nbgrader's `determine_grade` give a part of the points.

    Without it a test earns all of them, or none if it ends in an error.
    """
    part = {one.grade_id: one.points for one in record.cells if 0 < one.points < one.max_points}
    for cell in notebook.cells:
        if is_test(cell) and grade_id_of(cell) in part:
            data = {"text/plain": f"{part[grade_id_of(cell)]:.2f}"}
            cell.outputs.append(new_output("execute_result", data=data))
    return notebook


class SaveGrades(SaveAutoGrades):  # type: ignore[misc]
    """Saves the scores; what could not be graded here waits for a human.

    A test that is not gradable has no score, or that of an earlier grading, which stands until
    another has succeeded. Of a submission that nobody could grade, nothing has one. What a human
    has graded is final, and stays so as long as the answer's text, and what a test says of it, are
    the same. Points for words that have become others are no points of these, nor is extra credit
    for any such answer: they stay in the comment. Where nobody knows which text they were given
    for, they stand, and wait for a human. Nor do points stand that are more than an exercise gives.
    """

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Save what the notebook has earned."""
        self._is_graded = NOT_GRADED not in nb.metadata
        earlier: Earlier = resources["earlier"]
        same, others = earlier.same, earlier.others
        self._earlier, self._waiting = earlier, dict[str, Given]()
        examined = {
            grade_id_of(part.graded): {grade_id_of(one) for one in part.answers}
            for part in parts_of(nb)
            if part.graded is not None
        }
        self._same = {name for name, answers in examined.items() if answers <= same}
        self._others = {name: min(found) for name in examined if (found := examined[name] & others)}
        with at_once():
            graded: tuple[NotebookNode, ResourcesDict] = super().preprocess(nb, resources)
        if not self._is_graded:
            earlier.keep(self._waiting)
        return graded

    def _add_score(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        place = (self.notebook_id, self.assignment_id, self.student_id)
        name = grade_id_of(cell)
        grade = self.gradebook.find_grade(name, *place)
        given = grade.manual_score, grade.extra_credit
        is_given = grade.manual_score is not None or bool(grade.extra_credit)
        waits = grade.needs_manual_grade
        is_final = is_given and self._earlier.was_final(name, given, waits=waits)
        before = grade.auto_score or 0.0
        if not self._is_graded:
            grade.auto_score = None
            grade.needs_manual_grade = True
            self._waiting |= {name: given} if is_final else {}
            # Here for what can't be graded itself: it may be the same once more.
            is_final = is_given and not waits
        elif is_test(cell) and is_not_gradable(cell):
            grade.needs_manual_grade = True
        else:
            super()._add_score(cell, resources)
            # nbgrader looks at points alone, and not at extra credit.
            grade.needs_manual_grade |= is_given
        if is_given and self._is_graded and name in self._others:
            comment = self.gradebook.find_comment(self._others[name], *place)
            _take_out(grade, comment, is_points=not is_test(cell))
        is_same, is_too_much = name in self._same, (grade.manual_score or 0.0) > grade.max_score
        if is_too_much:
            # The exercise gives less now than when a human gave this.
            grade.needs_manual_grade = True
        elif is_final and is_same and (grade.auto_score or 0.0) == before:
            grade.needs_manual_grade = False
        self.gradebook.db.commit()

    def _add_comment(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        super()._add_comment(cell, resources)
        if not self._is_graded:
            # Nobody knows yet what was answered.
            place = (self.notebook_id, self.assignment_id, self.student_id)
            self.gradebook.find_comment(grade_id_of(cell), *place).auto_comment = None
            self.gradebook.db.commit()


def _take_out(grade: Grade, comment: Comment, *, is_points: bool) -> None:
    """Have what a human gave for another answer stand in the comment alone."""
    told = [comment.manual_comment]
    if is_points and grade.manual_score is not None:
        told.append(f"(An earlier answer was given {grade.manual_score:g} of these points.)")
        grade.manual_score = None
    if grade.extra_credit:
        told.append(f"(An earlier answer was given {grade.extra_credit:g} in extra credit.)")
        grade.extra_credit = None
    comment.manual_comment = "\n".join(filter(None, told)) or None


class CheckMetadata(CheckCellMetadata):  # type: ignore[misc]
    """nbgrader's check of the cells' metadata: once for a class, as they are the instructor's."""

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Leave the notebook as it is, or fail."""
        cells = [(cell.cell_type, cell.metadata.get("nbgrader")) for cell in nb.cells]
        if (marks := json.dumps(cells, sort_keys=True)) not in _valid:
            super().preprocess(nb, resources)
            _valid.append(marks)
        return nb, resources


_valid = deque[str](maxlen=4)

SANITIZE_PREPROCESSORS = [GradeSafely, OverwriteCells]
AUTOGRADE_PREPROCESSORS = [SaveGrades, AssignLatePenalties, CheckMetadata]
