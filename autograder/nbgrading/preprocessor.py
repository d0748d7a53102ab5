"""Safe grading as a preprocessor of nbgrader's autograde.

`nbgrader_config.py` puts it in the place of nbgrader's Execute. Everything behind it (scores, late
penalties, manual grades, comments, feedback) is nbgrader's as it comes.
"""

import atexit
import functools
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
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

from autograder.cells import grade_id_of, is_test
from autograder.errors import GradingFailed, SandboxFailed, SettingError
from autograder.grading.grade import Graded, failing_with_solution, forget_solutions, grade
from autograder.grading.record import RECORD_SUFFIX, draft_of, is_not_gradable, record_text
from autograder.grading.submitted_files import read_regular
from autograder.grading.tests_beside import marked_beside
from autograder.inbox.kept_names import name_handed_in
from autograder.limits import Limits
from autograder.nbgrading.own_code import digest_of, refresh
from autograder.own_modules import out_of_reach
from autograder.preload import load
from autograder.sandbox.sandbox import Sandbox
from autograder.settings import what_is_secret

_OUR_RETRIES = 2
_Made = TypeVar("_Made")


class GradeSafely(NbGraderPreprocessor):  # type: ignore[misc]
    """Grades a submission: its cells in the sandbox, the tests here."""

    isolation = Enum(
        ["full", "none"],
        default_value="full",
        help='"full", or "none" to run student code with all that you may do; recorded.',
    ).tag(config=True)
    limits = Dict(help="Limits by name, as in autograder.limits; the others keep their value.").tag(
        config=True
    )
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

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Put the graded notebook in the place of the submission, and keep the record beside it."""
        names = resources["nbgrader"]
        directories = CourseDirectory(config=self.config)
        source = _path(directories, directories.source_directory, ".", names)
        folder = Path(resources["folder"])
        course = Path(self._course)
        if refresh(course, source):
            close_sandboxes()
            forget_solutions()
        code = digest_of(course, source, self.preload)
        notebook = _read_source(source, names["notebook"])
        self._refuse_out_of_reach(notebook, source)
        graded = self._grade(
            notebook,
            resources["submission"],
            files=_read_files(folder, source, self._limits.disk_bytes // 2),
            seed=self.seed,
            remarks=resources["left_out"],
            folder=source.absolute(),
            beside=self.beside,
        )
        draft = draft_of(folder / f"{names['notebook']}{RECORD_SUFFIX}")
        if digest_of(course, source, self.preload) != code:
            raise GradingFailed("the exams have changed while they were run: grade again")
        record = {**graded.record, "code": code, "files": resources["files"]}
        draft.write_text(record_text(record), encoding="utf-8")
        for name, text in graded.whole.items():
            (folder / name).write_text(text, encoding="utf-8")
        return graded.notebook, resources

    @validate("preload")
    def _keep_secret(self, proposal: Bunch) -> list[str]:
        entries: list[str] = proposal["value"]
        if wrong := what_is_secret(entries):
            raise SettingError(f"c.GradeSafely.preload {wrong}")
        return entries

    def _refuse_out_of_reach(self, notebook: NotebookNode, folder: Path) -> None:
        """Fail where a cell that every student runs imports what none of them can."""
        for cell in notebook.cells:
            if cell.cell_type == "markdown" or is_test(cell):
                continue
            with suppress(SyntaxError):
                found = out_of_reach(cell.source, Path(self._course), self.preload, folder)
                for _, sentence in found:
                    raise GradingFailed(sentence)

    @property
    def _course(self) -> str:
        return self.course or str(CourseDirectory(config=self.config).root)

    @property
    def _hidden(self) -> tuple[str, ...]:
        """The folders that student code must not see, wherever they lie."""
        exchange = Exchange(config=self.config).root
        folders = {self._course, str(CourseDirectory(config=self.config).root), exchange}
        return tuple(sorted(filter(os.path.isdir, folders)))

    @property
    def _limits(self) -> Limits:
        return Limits.from_mapping(self.limits)

    def failing_with_solution(self, source: NotebookNode, folder: Path | None) -> Mapping[str, str]:
        """The tests that the instructor's own solution does not pass as it is graded, and why."""

        def failing(box: Sandbox, beside: frozenset[str]) -> Mapping[str, str]:
            return failing_with_solution(source, box, beside, seed=self.seed, folder=folder)

        def tried(box: Sandbox) -> Mapping[str, str]:
            marked = marked_beside(source)
            found = failing(box, marked)
            return failing(box, marked | found.keys()) if found and self.beside else found

        return self._in_sandbox(tried)

    def _grade(self, source: NotebookNode, submission: bytes, **settings: Any) -> Graded:
        return self._in_sandbox(lambda box: grade(source, submission, box, **settings))

    def _in_sandbox(self, do: Callable[[Sandbox], _Made]) -> _Made:
        for attempt in range(_OUR_RETRIES + 1):
            limits, preload = json.dumps(self.limits), tuple(self.preload)
            try:
                return do(the_sandbox(self.isolation, limits, preload, self._hidden))
            except SandboxFailed:
                close_sandboxes()
                if attempt == _OUR_RETRIES:
                    raise
        raise AssertionError("unreachable")


class SaveGrades(SaveAutoGrades):  # type: ignore[misc]
    """Saves the scores; a test that could not be graded here waits for a human.

    It has no score, or the one of an earlier grading: that stands until another has succeeded.
    """

    def _add_score(self, cell: NotebookNode, resources: ResourcesDict) -> None:
        if not (is_test(cell) and is_not_gradable(cell)):
            super()._add_score(cell, resources)
            return
        place = (self.notebook_id, self.assignment_id, self.student_id)
        grade = self.gradebook.find_grade(grade_id_of(cell), *place)
        grade.needs_manual_grade = True
        self.gradebook.db.commit()


SANITIZE_PREPROCESSORS = [GradeSafely, OverwriteCells]
AUTOGRADE_PREPROCESSORS = [SaveGrades, AssignLatePenalties, CheckCellMetadata]


_open: dict[tuple[object, ...], Sandbox] = {}


def the_sandbox(
    isolation: str, limits: str, preload: tuple[str, ...], hidden: tuple[str, ...]
) -> Sandbox:
    """The one sandbox of this process with these settings, opened at its first use."""
    settings = isolation, limits, preload, hidden
    if settings in _open:
        return _open[settings]
    box = Sandbox(
        Limits.from_mapping(json.loads(limits)),
        isolation,  # type: ignore[arg-type]
        preload,
        hidden=[Path(folder) for folder in hidden],
    )
    _open[settings] = box.__enter__()
    # The tests will need them on this side too: imported now, they take no time of their own, since
    # the sandbox is not ready before it has imported them as well.
    for entry in preload:
        load(entry)
    return box


@atexit.register
def close_sandboxes() -> None:
    """Close what is open, broken or not; whoever needs a sandbox after that gets a new one."""
    while _open:
        _, box = _open.popitem()
        with suppress(SandboxFailed):
            box.__exit__(None, None, None)


def _read_files(folder: Path, course: Path, most: int) -> dict[str, bytes]:
    """What lies beside the notebook when it runs: the course's files, then the student's."""
    files: dict[str, bytes] = {}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [str(path.relative_to(folder)) for path in paths if path.suffix != ".ipynb"]
    for name in sorted(names, key=lambda name: not (course / name).exists()):
        content = read_regular(folder / name, most)
        most -= len(content)
        files.setdefault(name if (course / name).exists() else name_handed_in(name), content)
    return files


def _path(directories: CourseDirectory, step: str, student: str, names: Mapping[str, str]) -> Path:
    return Path(directories.format_path(step, student, names["assignment"]))


def _read_source(folder: Path, notebook: str) -> NotebookNode:
    path = folder / f"{notebook}.ipynb"
    try:
        return _read_once(path.read_bytes())
    except FileNotFoundError:
        raise GradingFailed(f"{path} is missing: run `autograder build` first") from None


@functools.lru_cache(maxsize=4)
def _read_once(content: bytes) -> NotebookNode:
    """The instructor's notebook, as long as it says the same; nobody writes to it."""
    source: NotebookNode = nbformat.reads(content.decode(), as_version=4)
    return source
