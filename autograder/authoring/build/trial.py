"""What of a lesson's solution has to be tried: the tests of which something has changed.

Every test is tried on all cells above it, so a change of a cell, or of anything that cells run, is
one of all tests. The hidden cases of an exam are its own: where an exam alone has changed, its test
alone is tried, and the cells on which that depends.
"""

import json
from collections.abc import Collection, Iterable
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING

from nbformat.notebooknode import NotebookNode

from autograder.authoring.build.build_inputs import Inputs, digest_of
from autograder.authoring.build.known import Passed
from autograder.checks import examples
from autograder.checks.source.cells import grade_id_of, is_exam, is_test
from autograder.checks.source.scenery import tag_scenery

if TYPE_CHECKING:
    from autograder.authoring.build.build import Built


def digests_of_tests(built: "Built", tries: Iterable[str], files: Iterable[Path]) -> Passed:
    """The digest of all on which it depends whether the solution passes each of a lesson's tests.

    Args:
        built: the lesson.
        tries: the modules that try it.
        files: what is read for that, beside what is given out with the notebook and the settings.
    """
    inputs, lesson = Inputs(built.course), built.lesson
    cells = [cell for cell in built.source.cells if cell.cell_type == "code"]
    of_exams = {grade_id_of(cell): cell for cell in cells if is_exam(cell)}
    others = [cell for cell in cells if not is_exam(cell)]
    marks = json.dumps([cell.metadata for cell in others])
    beside = (built.course.source / lesson.name).rglob("*")
    # The notebook is what is tried, and what ships beside it is made of the exams.
    of_runs = {".ipynb", ".pyc"}
    given = [one for one in beside if one.suffix not in of_runs and one.name != examples.FILE]
    there = [*given, *inputs.configurations(), *files]
    of_all = inputs.of_run([*(cell.source for cell in others), marks], tries, there)
    found = {grade_id_of(cell): of_all for cell in others if is_test(cell)}
    for name in built.exams:
        test = of_exams[f"{name}_check"]
        exam = inputs.of_exercise(lesson.name, name, own=name in lesson.own)
        # A check that is moved has other cells above it.
        above = [one for one in cells[: cells.index(test)] if not is_exam(one)]
        parts = [of_all, exam, test.source, json.dumps(test.metadata), str(len(above))]
        found[grade_id_of(test)] = digest_of("\n".join(parts).encode())
    return found


def with_tests(notebook: NotebookNode, tests: Collection[str]) -> NotebookNode:
    """An instructor's notebook without the exams' tests but these, and what only others need."""
    copy = deepcopy(notebook)
    copy.cells = [one for one in copy.cells if not is_exam(one) or grade_id_of(one) in tests]
    tag_scenery(copy)
    return copy
