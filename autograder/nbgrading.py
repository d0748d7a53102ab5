"""Safe grading as nbgrader's own autograde: for its command, formgrader's button and its interface.

`nbgrader_config.py` puts these parts in the place of nbgrader's. Everything behind them (scores,
late penalties, manual grades, comments, feedback) is nbgrader's as it comes.
"""

import atexit
import functools
import json
import os
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbconvert.exporters.exporter import ResourcesDict
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import (
    AssignLatePenalties,
    CheckCellMetadata,
    NbGraderPreprocessor,
    OverwriteCells,
    SaveAutoGrades,
)
from traitlets import Dict, Enum, Integer, List, Unicode

from autograder.errors import GradingFailed, SandboxFailed
from autograder.grading import Graded, grade
from autograder.limits import Limits
from autograder.record import record_text
from autograder.sandbox import Sandbox

RECORD_SUFFIX = ".verdicts.json"
_NOTEBOOK_BYTES = 20_000_000
_FILE_BYTES = 10_000_000
_FILES = 200
_OUR_RETRIES = 2


class SubmissionExporter(NotebookExporter):
    """Reads a submission as bytes, whatever is in it, and makes of it what can be graded.

    nbgrader's own reader gives up on a damaged notebook, and with it on the student.
    """

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Convert one submission; its bytes are in `resources["submission"]`."""
        resources = ResourcesDict() if resources is None else resources
        content = read_regular(Path(filename), _NOTEBOOK_BYTES)
        resources["submission"] = content
        try:
            notebook = nbformat.reads(content.decode("utf-8"), as_version=4)
        except Exception:
            notebook = new_notebook()
        resources.setdefault("metadata", ResourcesDict())["name"] = Path(filename).stem
        return self.from_notebook_node(notebook, resources, **kw)  # type: ignore[no-untyped-call, no-any-return]


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
        Unicode(), ["numpy"], help="Modules that are imported once for all submissions."
    ).tag(config=True)
    seed = Integer(0, help="Where random numbers in a student's process begin.").tag(config=True)

    def preprocess(
        self, nb: NotebookNode, resources: ResourcesDict
    ) -> tuple[NotebookNode, ResourcesDict]:
        """Put the graded notebook in the place of the submission, and keep the record beside it."""
        names = resources["nbgrader"]
        directories = CourseDirectory(config=self.config)
        source = _path(directories, directories.source_directory, ".", names)
        folder = _path(directories, directories.autograded_directory, names["student"], names)
        graded = self._grade(_read_source(source, names["notebook"]), folder, resources)
        write_whole(folder / f"{names['notebook']}{RECORD_SUFFIX}", record_text(graded.record))
        return graded.notebook, resources

    def _grade(self, source: NotebookNode, folder: Path, resources: ResourcesDict) -> Graded:
        files = _files_in(folder)
        for attempt in range(_OUR_RETRIES + 1):
            box = the_sandbox(self.isolation, json.dumps(self.limits), tuple(self.preload))
            try:
                return grade(source, resources["submission"], box, files=files, seed=self.seed)
            except SandboxFailed:
                the_sandbox.cache_clear()
                if attempt == _OUR_RETRIES:
                    raise
        raise AssertionError("unreachable")


SANITIZE_PREPROCESSORS = [GradeSafely, OverwriteCells, CheckCellMetadata]
AUTOGRADE_PREPROCESSORS = [SaveAutoGrades, AssignLatePenalties, CheckCellMetadata]


@functools.cache
def the_sandbox(isolation: str, limits: str, preload: tuple[str, ...]) -> Sandbox:
    """The one sandbox of this process, opened at its first use and closed at the end."""
    modules = (*preload, "IPython", "autograder.student")
    box = Sandbox(Limits.from_mapping(json.loads(limits)), isolation, modules)  # type: ignore[arg-type]
    box.__enter__()
    atexit.register(box.__exit__, None, None, None)
    return box


def install() -> None:
    """Close two holes for which nbgrader has no setting; calling it again changes nothing.

    It copies whatever lies in a submission, links to the grader's own files too, and gives up on a
    student whose timestamp can't be read.
    """
    from nbgrader.converters import base

    if not hasattr(base.find_all_files, "only_regular"):
        base.find_all_files = _only_regular(base.find_all_files)
        CourseDirectory.get_existing_timestamp = _or_none(CourseDirectory.get_existing_timestamp)


def _only_regular(find: Callable[..., list[str]]) -> Callable[..., list[str]]:
    @functools.wraps(find)
    def find_regular(path: str, exclude: list[str] | None = None) -> list[str]:
        found = [name for name in find(path, exclude) if _is_regular(Path(name), _FILE_BYTES)]
        return found[:_FILES]

    find_regular.only_regular = True  # type: ignore[attr-defined]
    return find_regular


def _or_none(read: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(read)
    def read_or_none(*args: Any) -> Any:
        try:
            return read(*args)
        except Exception:
            return None

    return read_or_none


def read_regular(path: Path, most: int) -> bytes:
    """A file's content; nothing of it if it is a link, a pipe, a device, or too large."""
    if not _is_regular(path, most):
        return b""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(most)


def write_whole(path: Path, text: str) -> None:
    """Write a file so that it is there whole, or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(text, encoding="utf-8")
    os.replace(draft, path)


def _is_regular(path: Path, most: int) -> bool:
    try:
        status = path.lstat()
    except OSError:
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= most


def _files_in(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): read_regular(path, _FILE_BYTES)
        for path in sorted(folder.rglob("*"))
        if _is_regular(path, _FILE_BYTES) and path.suffix != ".ipynb"
        if not path.name.endswith(RECORD_SUFFIX)
    }


def _path(directories: CourseDirectory, step: str, student: str, names: Mapping[str, str]) -> Path:
    return Path(directories.format_path(step, student, names["assignment"]))


def _read_source(folder: Path, notebook: str) -> NotebookNode:
    path = folder / f"{notebook}.ipynb"
    try:
        source: NotebookNode = nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise GradingFailed(f"{path} is missing: run `autograder build` first") from None
    return source
