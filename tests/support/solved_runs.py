"""What every lesson's solved notebook was last seen to run through with, all its checks green.

`lessons_run.json` has a line for each: the digest of all that its cells run, on whichever machine.
`make lesson` and `make quick` write it once they have run the lesson, and `make test` compares it.
The engine does not count: each run of the tests tries it with a few lessons, others each time.
"""

import json
import os
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import nbformat
from filelock import FileLock
from nbformat.notebooknode import NotebookNode

from autograder.authoring.build.build_inputs import Inputs, digest_of
from autograder.checks.examples import FILE
from autograder.course import module_name
from autograder.import_graph import ImportGraph
from autograder.whole_file import write_whole
from tests.support.course import COURSE

RUNS = Path(__file__).parent / "lessons_run.json"
# Set where a run that passes is to be written down.
KEEPS = "AUTOGRADER_KEEPS_RUNS"
# What computes and draws in a lesson, besides the course's own modules.
_LIBRARIES = ("numpy", "torch", "matplotlib")
_OWN = ("companion", "solutions")


def known() -> dict[str, str]:
    """The digests by lesson, as they were written down."""
    found: dict[str, str] = json.loads(RUNS.read_text(encoding="utf-8"))
    return found


def keep(lesson: str) -> None:
    """Write down that a lesson has run as it is now, if this run is to keep that."""
    if KEEPS not in os.environ:
        return
    artefacts = COURSE.root / "artefacts"
    artefacts.mkdir(exist_ok=True)
    with FileLock(artefacts / f"{RUNS.name}.lock"):
        runs = known() | {lesson: digest_of_run(lesson)}
        text = json.dumps(runs, indent=1, sort_keys=True) + "\n"
        write_whole(RUNS, text.encode())


def digest_of_run(lesson: str) -> str:
    """The digest of all that the cells of a solved lesson run, but for the engine."""
    libraries = [f"{name} {version(name).partition('+')[0]}" for name in _LIBRARIES]
    code = [cell.source for cell in _cells(lesson) if cell.cell_type == "code"]
    root = COURSE.root
    files = [f"{path.relative_to(root)} {digest_of(path.read_bytes())}" for path in _files(lesson)]
    return digest_of("\n".join([*libraries, *code, *sorted(files)]).encode())


def _files(lesson: str) -> Iterator[Path]:
    """What is given out with a lesson, and the modules that its cells and solutions reach."""
    graph = ImportGraph({name: COURSE.root / name for name in _OWN})
    named = [one for cell in _cells(lesson) for one in graph.named_in(cell.source)]
    yield from graph.files(graph.reached([*named, f"solutions.{module_name(lesson)}"]))
    yield COURSE.release_folder(lesson) / FILE
    yield from Inputs(COURSE).beside(lesson)


def _cells(lesson: str) -> list[NotebookNode]:
    path = COURSE.release_folder(lesson) / f"{lesson}.ipynb"
    cells: list[NotebookNode] = nbformat.read(path, as_version=4).cells
    return cells
