"""A lesson as a page: the student's notebook, with what its given cells show.

Of an exercise, the page has what a student begins with. Solutions, checks and their outputs are
never part of it.
"""

import re
from copy import deepcopy
from itertools import pairwise

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_output

from autograder.authoring.lesson.guesses import question_of
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.site.lessons.outputs import Outputs
from autograder.site.lessons.to_come import Foretaste

# A link to another lesson, as an output has it beside the notebooks.
_LESSON = re.compile(r'(href="\.\./([\w.-]+)/\2)\.ipynb(?=[#"])')
_CARD = "{.exercise-card}\n"
# What a reader is to guess is read when it is asked for.
_FOLDED = "hide-output"


def lesson_page(
    student: NotebookNode, outputs: Outputs, shown: Foretaste | None, doors: str
) -> NotebookNode:
    """The notebook that becomes the page.

    Args:
        student: the notebook that students get.
        outputs: what its given cells show, by their ids.
        shown: the card of a wrong answer, which stands below that exercise's check.
        doors: the buttons, as HTML, which stand below the title.
    """
    page = deepcopy(student)
    for question, asked in pairwise(page.cells):
        if question_of(question) and asked.cell_type == "code":
            asked.metadata["tags"] = [*asked.metadata.get("tags", ()), _FOLDED]
    # Nobody can write a guess on a page.
    cells = page.cells = [cell for cell in page.cells if not question_of(cell)]
    for cell, following in zip(cells, [*cells[1:], None], strict=True):
        if cell.cell_type == "code":
            cell.outputs = [_with_links(one) for one in outputs.get(cell.id, ())]
        elif grade_id_of(cell).endswith("_question") or _is_code_to_write(following):
            cell.source = f"{_CARD}{cell.source}"
        if shown and grade_id_of(cell) == f"{shown.exercise}_check":
            cell.outputs = [new_output("display_data", {"text/html": shown.html})]
    _below_title(cells[0], doors)
    return page


def _with_links(output: NotebookNode) -> NotebookNode:
    """An output whose links to lessons lead to their pages."""
    shown = deepcopy(output)
    if html := shown.get("data", {}).get("text/html"):
        shown.data["text/html"] = _LESSON.sub(r"\1.html", html)
    return shown


def _is_code_to_write(cell: NotebookNode | None) -> bool:
    return cell is not None and cell.cell_type == "code" and has_role(cell, "solution")


def _below_title(cell: NotebookNode, doors: str) -> None:
    title, _, rest = cell.source.partition("\n")
    if cell.cell_type == "markdown" and title.startswith("# "):
        cell.source = f"{title}\n\n{doors}\n\n{rest.lstrip()}"
