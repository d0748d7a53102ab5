"""nbgrader's autograde for submissions that nobody has looked at.

nbgrader copies whatever lies in a submission, links to the grader's own files too; gives up on a
student whose notebook or timestamp can't be read, and has deleted what was there where a grading
fails.
All the rest is nbgrader's, and behaves as its documentation says.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from glob import glob
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import Exporter, NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat import v4
from nbformat.notebooknode import NotebookNode
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import (
    Autograde,
    BaseConverter,
    NbGraderException,
)
from nbgrader.utils import find_all_files
from traitlets import List, TraitError, Type
from traitlets.config import Config

from autograder.checks import purpose
from autograder.checks.exam.report import Verdict
from autograder.errors import CourseError
from autograder.grading.jobs.garbage_collection import keep_what_is_there
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.workers import ahead, begin_early, for_a_class, room_ahead
from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record, draft_of
from autograder.nbgrading.agreement import must_agree
from autograder.nbgrading.all_or_nothing import remove
from autograder.nbgrading.failures import sentence_of
from autograder.nbgrading.gradebook.earlier import Earlier
from autograder.nbgrading.gradebook.missing import still_waiting
from autograder.nbgrading.gradebook.transaction import gradebook_of, hold, transaction
from autograder.nbgrading.inbox.handed_in import handed_in
from autograder.nbgrading.inbox.take import Beside, beside
from autograder.nbgrading.inbox.which_notebook import HandedIn, given_out, which_notebook
from autograder.nbgrading.one_by_one import OneByOne
from autograder.nbgrading.preprocessor import (
    AUTOGRADE_PREPROCESSORS,
    SANITIZE_PREPROCESSORS,
    GradeSafely,
)
from autograder.nbgrading.term.late import Deadlines

_ROUNDING = 0.005
# What workers have begun and nobody has asked for yet, by the notebook that was asked for.
_begun: dict[str, Job] = {}


class SubmissionExporter(NotebookExporter):
    """Takes a submission as bytes, whatever is in them: `resources["submission"]`.

    `resources["beside"]` says what is taken of its other files, and `resources["earlier"]` what the
    grading before has found. nbgrader's own reader gives up on a damaged notebook, and with it on
    the student.
    """

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a submission or, in nbgrader's second step, what was made of it."""
        converter: Any = self.parent
        path = Path(filename)
        resources = ResourcesDict() if resources is None else resources
        names = resources["nbgrader"]
        resources.setdefault("metadata", ResourcesDict())["name"] = path.stem
        if not getattr(converter, "is_sanitizing", False):
            resources["earlier"] = converter.earlier(names["assignment"], names["student"], path)
            made = v4.reads(path.read_text(encoding="utf-8"))
            return self.from_notebook_node(made, resources, **kw)
        resources["submission"] = converter.submission(names["assignment"], path)
        resources["beside"] = converter.beside
        resources["begun"] = _begun.pop(filename, None)
        resources["folder"] = converter._format_dest(names["assignment"], names["student"])
        return self.from_notebook_node(v4.new_notebook(), resources, **kw)

    def from_notebook_node(  # type: ignore[override]
        self, nb: NotebookNode, resources: Any | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        """Convert a notebook by all of nbgrader's steps, and validate what comes of the last.

        nbconvert copies the notebook three times, and validates it behind each step.
        """
        resources = self._init_resources(resources)  # type: ignore[no-untyped-call]
        for step in self._preprocessors:
            nb, resources = step(nb, resources)
        if getattr(self.parent, "is_sanitizing", False):
            return json.dumps(nb), resources
        nbformat.validate(nb, relax_add_props=True)
        return f"{v4.writes(nb)}\n", resources


class _TakesRegularFiles(OneByOne):
    """Stands between nbgrader's Autograde and its base, which copies files."""

    beside = Beside()
    """What lies beside the submission's notebooks."""

    def course_files(self, lesson: str) -> dict[str, Path]:
        """The course's files that come to a submission's, in their place, by name."""
        source = self.coursedir.format_path(self.coursedir.source_directory, ".", lesson)
        found = find_all_files(source, [*self.coursedir.ignore, "*.ipynb"])
        named = {os.path.relpath(path, source): Path(path) for path in found}
        left_to_students = self.exclude_overwriting.get(lesson, [])
        return {name: path for name, path in named.items() if name not in left_to_students}

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy what is taken of a submission's files."""
        folder = Path(self._format_source(assignment_id, student_id))
        target = Path(self._format_dest(assignment_id, student_id))
        target.mkdir(parents=True, exist_ok=True)
        self.beside = beside(folder, self.course_files(assignment_id))
        self.beside.copy_to(target)


class SafeAutograde(Autograde, _TakesRegularFiles):  # type: ignore[misc]
    """Autograde that finishes for every student who handed in anything.

    It runs their code in the sandbox, whatever becomes of a course's settings. What a submission
    has earned stands until a grading of it, or of a newer one, has come to its end.
    """

    exporter_class = Type(SubmissionExporter, klass=Exporter).tag(config=True)
    sanitize_preprocessors = List(SANITIZE_PREPROCESSORS).tag(config=True)
    autograde_preprocessors = List(AUTOGRADE_PREPROCESSORS).tag(config=True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """As nbgrader's."""
        super().__init__(*args, **kwargs)
        self._asked: set[str] = set()

    @property
    def is_sanitizing(self) -> bool:
        """Whether this is the first of nbgrader's two steps, which reads what was handed in."""
        return bool(self._sanitizing)

    def start(self) -> None:
        """Grade, unless the gradebook knows another lesson than the one in source/."""
        try:
            self._must_agree()
        except Exception as failure:
            self.log.error("Nothing is graded: %s", sentence_of(failure))
            raise NbGraderException(sentence_of(failure)) from failure
        super().start()

    def init_notebooks(self) -> None:
        """Find the notebooks of each student, those too that are not there."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []
        names = self._notebooks_of(self.coursedir.assignment_id)
        directory = self.coursedir
        found, aside = handed_in(directory, directory.assignment_id, directory.student_id)
        for sentence in aside:
            self.log.error(sentence)
        for folder in found.values():
            self.assignments[folder] = [os.path.join(folder, f"{name}.ipynb") for name in names]
        if aside and not found:
            raise NbGraderException("; ".join(aside))
        if not self.assignments or not names:
            super().init_notebooks()

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy what is taken, and have the gradebook know the submission."""
        super().init_assignment(assignment_id, student_id)
        source = self._format_source(assignment_id, student_id)
        if self.coursedir.get_existing_timestamp(source) is None:
            # nbgrader would keep the time of an earlier submission.
            with gradebook_of(self.coursedir) as gradebook:
                gradebook.update_or_create_submission(assignment_id, student_id, timestamp=None)

        with gradebook_of(self.coursedir) as gradebook:
            submission = gradebook.find_submission(assignment_id, student_id)
            Deadlines(config=self.config).extend(gradebook, submission)

    def begin(self) -> None:
        """Have workers begin what `start` will ask for, as far as they have room."""
        self.init_notebooks()
        self.begin_ahead(sorted(self.assignments))

    def begin_ahead(self, sources: Sequence[str]) -> None:
        """Have workers begin the submissions that come next."""
        for source in sources[: room_ahead()]:
            if source not in self._asked:
                self._asked.add(source)
                # What fails here fails again, and is told, when it is its turn.
                with suppress(Exception):
                    self._begin(source)

    def _begin(self, source: str) -> None:
        self.notebooks = sorted(self.assignments[source])
        is_begun = any(path in _begun for path in self.notebooks)
        if not is_begun and self.is_wanted(*self._names_of(source)):
            for path, (job, submission, _) in zip(self.notebooks, self.jobs(source), strict=True):
                if not submission.why_not:
                    _begun[path] = job
                    ahead(job)

    def jobs(self, source: str) -> Iterator[tuple[Job, HandedIn, Beside]]:
        """The gradings of a submission's notebooks, with what is graded and what lies beside it."""
        self.notebooks = sorted(self.assignments[source])
        lesson, _ = self._names_of(source)
        files = beside(Path(source), self.course_files(lesson))
        grading = GradeSafely(config=self.config)
        for path in map(Path, self.notebooks):
            submission = self.submission(lesson, path)
            yield grading.job(lesson, path.stem, submission, files), submission, files

    def is_wanted(self, lesson: str, student: str) -> bool:
        """Whether to grade: what was handed in anew, begun and never finished, or is forced."""
        place = self.folder(lesson, student).place
        records = [_record_in(place, path) for path in self.notebooks]
        if self.force or None in [Record.before(record) for record in records]:
            return True
        if not all(self._is_kept(place, lesson, student, path) for path in self.notebooks):
            self.log.info("Handed in anew, or not in the gradebook: %s", place)
            return True
        handed_in = self.coursedir.get_existing_timestamp(self._format_source(lesson, student))
        before = self.coursedir.get_existing_timestamp(str(place))
        return bool(handed_in and before and handed_in > before)

    def is_finished(self, folder: Path) -> bool:
        """Whether each notebook that is asked for has its record, be it a newer program's."""
        return all(Record.is_whole(_record_in(folder, path)) for path in self.notebooks)

    def prepare(self, lesson: str, student: str) -> None:
        """Run the submission and its tests; the gradebook is only asked whether it would do."""
        _TakesRegularFiles.init_assignment(self, lesson, student)
        with transaction(self.coursedir) as gradebook:
            self._must_take(student, gradebook)
        self._convert(lesson, student, sanitizing=True)

    def _must_take(self, student: str, gradebook: Gradebook) -> None:
        if self.create_student:
            gradebook.update_or_create_student(student)
            return
        try:
            gradebook.find_student(student)
        except MissingEntry:
            raise NbGraderException(
                f"the gradebook knows no student {student}: add them, or set "
                "c.Autograde.create_student = True"
            ) from None

    def complete(self, lesson: str, student: str) -> None:
        """Write the scores."""
        with still_waiting(self.coursedir, lesson, student, self.notebooks):
            self.init_assignment(lesson, student)
        hold(self.coursedir, lesson, student)
        self._convert(lesson, student, sanitizing=False)

    def settle(self, folder: Path) -> None:
        """The record of a grading is there when all else is."""
        for path in self.notebooks:
            record = _record_in(folder, path)
            os.replace(draft_of(record), record)

    @property
    def final_directory(self) -> str:
        """Where graded submissions are."""
        return str(self.coursedir.autograded_directory)

    @property
    def _input_directory(self) -> str:
        if self._sanitizing:
            return str(self.coursedir.submitted_directory)
        return self._output_directory

    # Autograde's own is the final one.
    _output_directory = OneByOne._output_directory

    def _convert(self, lesson: str, student: str, *, sanitizing: bool) -> None:
        """One of nbgrader's two steps, for each notebook."""
        made = Path(self._format_dest(lesson, student))
        self._sanitizing = sanitizing
        self._init_preprocessors()
        try:
            # nbgrader sets it, and leaves it behind when something is raised.
            with purpose.kept():
                for path in self.notebooks:
                    os.environ[purpose.VARIABLE] = "autograde"
                    copy = made / Path(path).name
                    if sanitizing:
                        remove(copy)
                    BaseConverter.convert_single_notebook(self, path if sanitizing else str(copy))
        finally:
            self._sanitizing = True

    def submission(self, lesson: str, notebook: Path) -> HandedIn:
        """What is graded in the place of a notebook that was asked for."""
        source = self.coursedir.format_path(self.coursedir.source_directory, ".", lesson)
        given = given_out(Path(source, notebook.name))
        others = {Path(path).name for path in self.notebooks} - {notebook.name}
        return which_notebook(notebook.parent, notebook.name, given, others)

    def earlier(self, lesson: str, student: str, notebook: Path) -> Earlier:
        """What is known of the grading before that of a notebook."""
        before = Record.known(_record_in(self.folder(lesson, student).place, notebook.name))
        return Earlier(draft_of(_record_in(notebook.parent, notebook.name)), before or Record())

    def _is_kept(self, place: Path, lesson: str, student: str, notebook_filename: str) -> bool:
        """Whether what is in the gradebook came from just this file."""
        path = Path(notebook_filename)
        record = Record.known(_record_in(place, notebook_filename))
        if not record or record.submission != self.submission(lesson, path).digest:
            return False
        files = beside(path.parent, self.course_files(lesson))
        if record.files != files.digests():
            return False
        with gradebook_of(self.coursedir) as gradebook:
            try:
                found = gradebook.find_submission_notebook(path.stem, lesson, student)
            except MissingEntry:
                return False
            scores = {grade.name: grade.auto_score for grade in found.grades}
        return all(_is_score(cell, scores.get(cell.grade_id)) for cell in record.cells)

    def _notebooks_of(self, assignment: str) -> list[str]:
        with gradebook_of(self.coursedir) as gradebook:
            try:
                names = [one.name for one in gradebook.find_assignment(assignment).notebooks]
            except MissingEntry:
                return []
        wanted = self.coursedir.notebook_id
        return [name for name in names if wanted in ("*", name)]

    def _must_agree(self) -> None:
        lesson = self.coursedir.assignment_id
        folder = self.coursedir.format_path(self.coursedir.source_directory, ".", lesson)
        with gradebook_of(self.coursedir) as gradebook:
            must_agree(Path(os.path.normpath(folder)), lesson, gradebook)
            Deadlines(config=self.config).tell(gradebook, lesson)


@contextmanager
def workers_for(submissions: int, config: Config) -> Iterator[None]:
    """As many workers as a class asks for, and the course's settings allow."""
    settings = GradeSafely(config=config)
    with for_a_class(submissions, settings.workers, settings.scheduler):
        try:
            yield
        finally:
            _begun.clear()


class SafeCommand(SafeAutograde):
    """The same for `nbgrader autograde`, whose process does nothing else."""

    def start(self) -> None:
        """As for others; what grades gets ready while the gradebook is asked."""
        # What fails here fails again, and is told, when there is something to grade.
        with suppress(CourseError, TraitError):
            self._get_ready()
        super().start()

    def _get_ready(self) -> None:
        grading, directory = GradeSafely(config=self.config), self.coursedir
        steps = directory.submitted_directory, directory.autograded_directory
        submitted, graded = (
            glob(directory.format_path(one, directory.student_id, directory.assignment_id))
            for one in steps
        )
        if not grading.scheduler:
            before = () if self.force else graded
            begin_early(submitted, before, grading.course_folder, grading.walls)

    def convert_notebooks(self) -> None:
        """As for others, and on all processors."""
        with workers_for(len(self.assignments), self.config):
            super().convert_notebooks()

    def settle(self, folder: Path) -> None:
        """As for others, and with its memory kept flat."""
        super().settle(folder)
        keep_what_is_there()


def _is_score(cell: CellRecord, score: float | None) -> bool:
    """Whether a score is what the record says of its cell, where that could be graded."""
    if cell.verdict is Verdict.NOT_GRADABLE:
        return True
    return score is not None and abs(score - cell.points) < _ROUNDING


def _record_in(folder: Path, notebook_filename: str) -> Path:
    return folder / f"{Path(notebook_filename).stem}{RECORD_SUFFIX}"
