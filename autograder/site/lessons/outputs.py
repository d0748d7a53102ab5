"""What a lesson's given cells show when it is run, every exercise solved.

Later cells may build on an answer, so the lesson runs with the reference's. What its checks and
solutions show is left out, and so is what shows a worksheet's answer. The rest is kept beside a
digest of all that it was made of, and a lesson that has not changed is not run again.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Set
from inspect import signature
from pathlib import Path
from shutil import copytree, ignore_patterns
from tempfile import TemporaryDirectory
from typing import Any

from nbformat.notebooknode import NotebookNode, from_dict

from autograder.authoring.build.build import Built
from autograder.authoring.build.build_inputs import Inputs
from autograder.checks.exam.exam import Exam
from autograder.checks.source.cell_code import statements_of
from autograder.checks.source.cells import has_role, is_test
from autograder.checks.source.effects import names_in
from autograder.errors import NotebookStopped
from autograder.learner.run_notebook import run
from autograder.whole_file import write_whole

Outputs = Mapping[str, list[NotebookNode]]

# Some lessons train a model, for minutes on a quiet machine.
_SECONDS_PER_CELL = 3600
# Jupyter's own: a cell that has it may raise, and the next one runs.
_MAY_RAISE = "raises-exception"
_WRITTEN_OVER = re.compile(r"[^\n]*\r(?=[^\n])")
# What `checks.yours` prints: whoever reads a page has written nothing.
_OF_AN_ANSWER = re.compile(r"^Your \w+ has passed its check: .*\n", re.MULTILINE)
# To a file that a cell wrote beside the notebook: a page has none beside it.
_TO_A_FILE = re.compile(r'<a href="(?![a-z]+:|[#/])[^"]*">(.*?)</a>', re.DOTALL)


def outputs_of(
    built: Built, kept_in: Path, progress: Callable[[int, int], None] = lambda done, cells: None
) -> Outputs:
    """What the given cells of a lesson show, by their ids.

    Args:
        built: the lesson.
        kept_in: the folder in which it is kept for the next time.
        progress: called after each code cell that is run, with how many are done of how many.

    Raises:
        NotebookStopped: when the lesson can't be run to its end, or a given cell fails.
    """
    solved = built.solved()
    path = kept_in / f"{built.lesson.name}.json"
    code = [cell.source for cell in solved.cells if cell.cell_type == "code"]
    made_of = Inputs(built.course).of_run(code)
    if (kept := _read(path, made_of)) is None:
        kept = _run(built, solved, progress)
        content = {"made_of": made_of, "outputs": kept}
        write_whole(path, json.dumps(content, ensure_ascii=False).encode())
    shown = _given(solved) - _showing_worksheets(solved, worksheets_in(built.exams))
    return {cell: as_seen(found) for cell, found in kept.items() if cell in shown}


def as_seen(outputs: Iterable[Mapping[str, Any]]) -> list[NotebookNode]:
    """Outputs as somebody sees them who has run the cell.

    What is printed bit by bit is one text, of a line that is written over, as a progress bar writes
    it, the last form is left, nothing is said of an answer, and nothing leads to a file that a cell
    has written.
    """
    seen = list[NotebookNode]()
    for output in map(from_dict, outputs):
        if seen and output.output_type == "stream" and seen[-1].get("name") == output.name:
            seen[-1].text += output.text
        else:
            seen.append(output)
    for output in seen:
        if output.output_type == "stream":
            output.text = _OF_AN_ANSWER.sub("", _WRITTEN_OVER.sub("", output.text))
        if "text/html" in output.get("data", {}):
            output.data["text/html"] = _TO_A_FILE.sub(r"\1", output.data["text/html"])
    return [output for output in seen if output.get("text") != ""]


def worksheets_in(exams: Mapping[str, Exam]) -> frozenset[str]:
    """The exercises whose answer is a number or a table: functions that are given nothing."""
    return frozenset(
        name
        for name, exam in exams.items()
        if not isinstance(exam.reference, type) and not signature(exam.reference).parameters
    )


def _read(path: Path, made_of: str) -> dict[str, list[NotebookNode]] | None:
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        return dict(kept["outputs"]) if kept["made_of"] == made_of else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _run(
    built: Built, solved: NotebookNode, progress: Callable[[int, int], None]
) -> dict[str, list[NotebookNode]]:
    given_out = built.course.release_folder(built.lesson.name)
    with TemporaryDirectory() as folder:
        # Cells may write files, and those are no part of what students get.
        beside = copytree(given_out, Path(folder) / given_out.name, ignore=ignore_patterns(".*"))
        run(
            solved,
            beside,
            path=built.course.root,
            seconds_per_cell=_SECONDS_PER_CELL,
            progress=progress,
        )
    given = _given(solved)
    shown = {cell.id: cell for cell in solved.cells if cell.id in given and cell.outputs}
    for cell in shown.values():
        _refuse_failed(built.lesson.name, cell)
    return {name: cell.outputs for name, cell in shown.items()}


def _refuse_failed(lesson: str, cell: NotebookNode) -> None:
    """A reader would take an exception for a part of the lesson."""
    if _MAY_RAISE in cell.metadata.get("tags", ()):
        return
    for output in cell.outputs:
        if output.output_type == "error":
            why = f"{output.ename}: {output.evalue}"
            if output.ename == KeyboardInterrupt.__name__:
                why = f"it was interrupted after {_SECONDS_PER_CELL // 60} minutes"
            raise NotebookStopped(
                f"{lesson}: a given cell fails, so no page is made of it. {cell.source[:60]!r}: "
                f"{why}. If it is meant to, give it the tag {_MAY_RAISE}"
            )


def _given(notebook: NotebookNode) -> Set[str]:
    """The ids of the code cells that neither ask nor check anything."""
    return {
        cell.id
        for cell in notebook.cells
        if cell.cell_type == "code" and not has_role(cell, "solution") and not is_test(cell)
    }


def _showing_worksheets(notebook: NotebookNode, worksheets: Iterable[str]) -> Set[str]:
    """The ids of the cells that use a worksheet's answer, or what was made with one."""
    made_with, found = {*worksheets}, set[str]()
    for cell in notebook.cells:
        if cell.cell_type == "code" and not has_role(cell, "solution"):
            for statement in statements_of(cell.source):
                names = names_in(statement)
                if names.uses & made_with:
                    made_with |= names.binds
                    found.add(cell.id)
    return found
