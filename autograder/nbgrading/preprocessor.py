"""Safe grading as a preprocessor of nbgrader's autograde.

`nbgrader_config.py` puts it in the place of nbgrader's Execute. Everything behind it (scores, late
penalties, manual grades, comments, feedback) is nbgrader's as it comes.
"""

import atexit
import functools
import gc
import importlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    NbGraderPreprocessor,
    OverwriteCells,
    SaveAutoGrades,
)
from traitlets import Dict, Enum, Integer, List, Unicode

from autograder.converter import draft_of
from autograder.errors import GradingFailed, SandboxFailed
from autograder.grading import Graded, grade
from autograder.handed_in import files_in, read_regular
from autograder.limits import Limits
from autograder.record import RECORD_SUFFIX, record_text
from autograder.sandbox import Sandbox

_OUR_RETRIES = 2


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
        Unicode(), ["numpy"], help="Modules that are imported once for all submissions and tests."
    ).tag(config=True)
    seed = Integer(0, help="Where random numbers in a student's process begin.").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Put the graded notebook in the place of the submission, and keep the record beside it."""
        names = resources["nbgrader"]
        directories = CourseDirectory(config=self.config)
        source = _path(directories, directories.source_directory, ".", names)
        submitted = _path(directories, directories.submitted_directory, names["student"], names)
        folder = _path(directories, directories.autograded_directory, names["student"], names)
        left_out = files_in(submitted)[1]
        graded = self._grade(
            _read_source(source, names["notebook"]),
            resources["submission"],
            files=_read_files(folder, source, self._limits.disk_bytes // 2),
            seed=self.seed,
            remarks=left_out,
            folder=source.absolute(),
        )
        draft = draft_of(folder / f"{names['notebook']}{RECORD_SUFFIX}")
        draft.write_text(record_text(graded.record), encoding="utf-8")
        return graded.notebook, resources

    @property
    def _limits(self) -> Limits:
        return Limits.from_mapping(self.limits)

    def _grade(self, source: NotebookNode, submission: bytes, **settings: Any) -> Graded:
        for attempt in range(_OUR_RETRIES + 1):
            box = the_sandbox(self.isolation, json.dumps(self.limits), tuple(self.preload))
            try:
                return grade(source, submission, box, **settings)
            except SandboxFailed:
                the_sandbox.cache_clear()
                if attempt == _OUR_RETRIES:
                    raise
        raise AssertionError("unreachable")


SANITIZE_PREPROCESSORS = [GradeSafely, OverwriteCells]
AUTOGRADE_PREPROCESSORS = [SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]


@functools.cache
def the_sandbox(isolation: str, limits: str, preload: tuple[str, ...]) -> Sandbox:
    """The one sandbox of this process, opened at its first use and closed at the end."""
    modules = (*preload, "IPython", "autograder.student")
    box = Sandbox(Limits.from_mapping(json.loads(limits)), isolation, modules)  # type: ignore[arg-type]
    box.__enter__()
    atexit.register(box.__exit__, None, None, None)
    # The tests will need them on this side too: imported now, they take no time of their own, since
    # the sandbox is not ready before it has imported them as well.
    for name in preload:
        importlib.import_module(name)
    # All this stays. Python looks for cycles among all objects only when there are a quarter more
    # of them; counted with the libraries, that is what a hundred submissions leave behind.
    gc.freeze()
    return box


def _read_files(folder: Path, course: Path, most: int) -> dict[str, bytes]:
    """What lies beside the notebook when it runs: the course's files, then the student's."""
    files: dict[str, bytes] = {}
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    names = [str(path.relative_to(folder)) for path in paths if path.suffix != ".ipynb"]
    for name in sorted(names, key=lambda name: not (course / name).exists()):
        content = read_regular(folder / name, most)
        most -= len(content)
        files[name] = content
    return files


def _path(directories: CourseDirectory, step: str, student: str, names: Mapping[str, str]) -> Path:
    return Path(directories.format_path(step, student, names["assignment"]))


def _read_source(folder: Path, notebook: str) -> NotebookNode:
    path = folder / f"{notebook}.ipynb"
    try:
        return _read_once(path.absolute(), path.stat().st_mtime_ns)
    except FileNotFoundError:
        raise GradingFailed(f"{path} is missing: run `autograder build` first") from None


@functools.lru_cache(maxsize=4)
def _read_once(path: Path, changed: int) -> NotebookNode:
    """The instructor's notebook, read anew when it has changed; nobody writes to it."""
    source: NotebookNode = nbformat.read(path, as_version=4)
    return source
