"""nbgrader's autograde for submissions that nobody has looked at.

nbgrader copies whatever lies in a submission, links to the grader's own files too; gives up on a
student whose notebook or timestamp can't be read, and leaves an old score where a grading failed.
All the rest is nbgrader's, and behaves as its documentation says.
"""

import dis
import glob
import hashlib
import inspect
import json
import operator
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

from nbconvert.exporters import Exporter, NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.v4 import new_notebook
from nbgrader.api import Gradebook, MissingEntry
from nbgrader.converters import Autograde, BaseConverter, NbGraderException
from traitlets import List, Type

from autograder.checks import purpose
from autograder.errors import GradingFailed
from autograder.grading.record import RECORD_SUFFIX, draft_of
from autograder.grading.submitted_files import (
    FILE_BYTES,
    NOTEBOOK_BYTES,
    files_in,
    is_own_folder,
    read_regular,
)
from autograder.inbox import lists
from autograder.inbox.timestamps import stamp_of
from autograder.nbgrading.garbage_collection import keep_what_is_there
from autograder.nbgrading.preprocessor import AUTOGRADE_PREPROCESSORS, SANITIZE_PREPROCESSORS

_START = Autograde.start


class SubmissionExporter(NotebookExporter):
    """Takes a submission as bytes, whatever is in them: `resources["submission"]`.

    `resources["left_out"]` says which of its other files were not taken, and why. nbgrader's own
    reader gives up on a damaged notebook, and with it on the student.
    """

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert a submission or, in nbgrader's second step, what was made of it."""
        converter: Any = self.parent
        if not getattr(converter, "is_sanitizing", False):
            return super().from_filename(filename, resources, **kw)
        path = Path(filename)
        resources = ResourcesDict() if resources is None else resources
        own = is_own_folder(path.parent)
        resources["submission"] = read_regular(path, NOTEBOOK_BYTES) if own else b""
        resources["left_out"] = converter.left_out
        resources.setdefault("metadata", ResourcesDict())["name"] = path.stem
        return self.from_notebook_node(new_notebook(), resources, **kw)  # type: ignore[no-untyped-call, no-any-return]


class _TakesRegularFiles(BaseConverter):  # type: ignore[misc]
    """Stands between nbgrader's Autograde and its base, which copies files."""

    left_out: Sequence[str] = ()
    """Which of the submission's files were not taken, and why."""

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy what is taken of a submission's files."""
        folder = Path(self._format_source(assignment_id, student_id))
        target = Path(self._format_dest(assignment_id, student_id))
        target.mkdir(parents=True, exist_ok=True)
        taken, left_out = files_in(folder)
        problem = stamp_of(folder).problem
        late = [f"{problem}: it counts as handed in on time"] if problem else []
        self.left_out = [*late, *left_out]
        for name, path in taken.items():
            if path.suffix != ".ipynb" and not name.endswith(RECORD_SUFFIX):
                copy = target / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                copy.write_bytes(read_regular(path, FILE_BYTES))


class SafeAutograde(Autograde, _TakesRegularFiles):  # type: ignore[misc]
    """Autograde that finishes for every student who handed in anything.

    It runs their code in the sandbox, whatever becomes of a course's settings.
    """

    exporter_class = Type(SubmissionExporter, klass=Exporter).tag(config=True)
    sanitize_preprocessors = List(SANITIZE_PREPROCESSORS).tag(config=True)
    autograde_preprocessors = List(AUTOGRADE_PREPROCESSORS).tag(config=True)

    @property
    def is_sanitizing(self) -> bool:
        """Whether this is the first of nbgrader's two steps, which reads what was handed in."""
        return bool(self._sanitizing)

    def init_notebooks(self) -> None:
        """Find the notebooks of each student, those too that are not there."""
        self.assignments: dict[str, list[str]] = {}
        self.notebooks: list[str] = []
        names = self._notebooks_of(self.coursedir.assignment_id)
        pattern = self._format_source(self.coursedir.assignment_id, self.coursedir.student_id)
        for folder in glob.glob(pattern):
            self.assignments[folder] = [os.path.join(folder, f"{name}.ipynb") for name in names]
        if not self.assignments or not names:
            super().init_notebooks()

    def init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copy what is taken, and have the gradebook know the submission."""
        super().init_assignment(assignment_id, student_id)
        source = self._format_source(assignment_id, student_id)
        if self.coursedir.get_existing_timestamp(source) is None:
            # nbgrader would keep the time of an earlier submission.
            with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
                gradebook.update_or_create_submission(assignment_id, student_id, timestamp=None)

    def init_destination(self, assignment_id: str, student_id: str) -> bool:
        """Whether to grade: also what was handed in anew, or begun and never finished."""
        target = Path(self._format_dest(assignment_id, student_id))
        if target.exists() and not all(map(self._is_finished, self.notebooks)):
            self.log.info("Not finished, or handed in anew: %s", target)
            shutil.rmtree(target)
        return bool(super().init_destination(assignment_id, student_id))

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Grade one notebook; its record is there when all else is."""
        # nbgrader sets it, and leaves it behind when something is raised.
        with purpose.kept():
            try:
                super().convert_single_notebook(notebook_filename)
            except Exception:
                self._clear_scores(notebook_filename)
                raise
        record = self._record_of(notebook_filename)
        os.replace(draft_of(record), record)

    def _is_finished(self, notebook_filename: str) -> bool:
        record = self._record_of(notebook_filename)
        try:
            graded = json.loads(record.read_text(encoding="utf-8"))["submission"]
        except (OSError, ValueError, KeyError, TypeError):
            return False
        content = read_regular(Path(notebook_filename), NOTEBOOK_BYTES)
        return bool(graded == hashlib.sha256(content).hexdigest())

    def _record_of(self, notebook_filename: str) -> Path:
        names = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        target = Path(self._format_dest(names["assignment"], names["student"]))
        return target / f"{names['notebook']}{RECORD_SUFFIX}"

    def _notebooks_of(self, assignment: str) -> list[str]:
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            try:
                names = [one.name for one in gradebook.find_assignment(assignment).notebooks]
            except MissingEntry:
                return []
        wanted = self.coursedir.notebook_id
        return [name for name in names if wanted in ("*", name)]

    def _clear_scores(self, notebook_filename: str) -> None:
        """A grading that failed on our side leaves no score, nor the one from before."""
        names = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        with Gradebook(self.coursedir.db_url, self.coursedir.course_id) as gradebook:
            try:
                submission = gradebook.find_submission_notebook(
                    names["notebook"], names["assignment"], names["student"]
                )
            except MissingEntry:
                return
            for grade in submission.grades:
                grade.auto_score = None
                grade.needs_manual_grade = grade.manual_score is None
            gradebook.db.commit()


class SafeCommand(SafeAutograde):
    """The same for `nbgrader autograde`, whose process does nothing else."""

    def convert_single_notebook(self, notebook_filename: str) -> None:
        """Grade one notebook."""
        super().convert_single_notebook(notebook_filename)
        keep_what_is_there()


@contextmanager
def or_nothing_is_graded() -> Iterator[None]:
    """Have nbgrader refuse to grade when what is done within fails.

    nbgrader only warns of what its configuration raises, and goes on without: with no sandbox.
    """
    Autograde.start = _START
    try:
        yield
    except Exception as failure:
        Autograde.start = _refusing(failure)
        raise


def install() -> None:
    """Have nbgrader's command, its interface and formgrader grade with `SafeAutograde`.

    nbgrader has no setting for it. Calling this again changes nothing.

    Raises:
        GradingFailed: when nbgrader is not made as we know it, and would grade without a sandbox.
    """
    from nbgrader.apps import api, autogradeapp

    makers = (
        (api, "NbGraderAPI.autograde", SafeAutograde),
        (autogradeapp, "AutogradeApp.start", SafeCommand),
    )
    for module, maker, safe in makers:
        if not _makes(module, maker, safe):
            raise GradingFailed(
                f"nbgrader {metadata.version('nbgrader')} does not grade by {maker} as we know it, "
                "and would run student code without a sandbox: install a version that the "
                "course's pyproject.toml allows"
            )
    for module, _, safe in makers:
        module.Autograde = safe
    lists.install()


def _makes(module: ModuleType, maker: str, safe: type[Autograde]) -> bool:
    """Whether a function of nbgrader's looks up `Autograde` where we can put another."""
    try:
        function = inspect.unwrap(operator.attrgetter(maker)(module))
        known = module.Autograde in (Autograde, safe)
    except AttributeError:
        return False
    steps = dis.get_instructions(function)
    return known and any(
        step.opname == "LOAD_GLOBAL" and step.argval == "Autograde" for step in steps
    )


def _refusing(failure: Exception) -> Callable[[Autograde], None]:
    def start(self: Autograde) -> None:
        self.log.error("Nothing is graded: %s", failure)
        raise NbGraderException(f"nothing is graded: {failure}") from failure

    return start
