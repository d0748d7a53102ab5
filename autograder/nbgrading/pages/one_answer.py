"""A question by itself, and one student's answer to it: for whoever reads all answers to one.

Both are JSON, whose HTML is made as that of the other pages: what a student wrote is text.
"""

import hashlib
import json
import re
from collections.abc import Iterator

from markupsafe import Markup
from nbformat.notebooknode import NotebookNode

from autograder.checks.source.cells import grade_id_of, has_role
from autograder.grading.rebuild import ADDED_ID, NOT_GRADED
from autograder.nbgrading.pages.feedback_page import Shown
from autograder.nbgrading.pages.letters import soon_set
from autograder.nbgrading.pages.outline import Part, parts_of

_SCHEME = re.compile(
    r"^(?>.*?BEGIN MARK SCHEME).*\n(?P<scheme>(?:(?!.*BEGIN MARK SCHEME).*\n)*?)"
    r".*END MARK SCHEME.*(?:\n|\Z)",
    re.MULTILINE,
)


def question_in(notebook: NotebookNode, name: str) -> str:
    """What is asked, and how it is marked.

    Args:
        notebook: the instructor's, or a graded one.
        name: the graded cell's `grade_id`.

    Returns:
        as JSON, `text` and `scheme`, both HTML; both are "" where the notebook has no such cell.
    """
    source = _question(notebook, name)
    scheme = "\n".join(found["scheme"] for found in _SCHEME.finditer(source))
    shown = Shown(plain=False)
    texts = {"text": _SCHEME.sub("", source), "scheme": scheme}
    return json.dumps({key: str(shown.prose(text)) for key, text in texts.items()})


def answer_in(notebook: NotebookNode, name: str, *, plain: bool) -> str:
    """What a student answered.

    Args:
        notebook: a graded one.
        name: the graded cell's `grade_id`.
        plain: leave out all that takes long.

    Returns:
        as JSON, `html`, and `digest`, by which two texts can be told apart; both are "" where the
        notebook has no such cell.
    """
    part = _part(notebook, name)
    if part is None:
        return json.dumps({"html": "", "digest": ""})
    shown = Shown(plain)
    cells = [*_answers(notebook, part)]
    parts = [one for cell in cells for one in _cell(shown, cell)]
    why = notebook.metadata.get(NOT_GRADED)
    if why and part.test is None:
        # What stands there in its place is no empty answer.
        parts = [Markup("<p><b>Not graded, and nothing was read of it:</b> {}.</p>").format(why)]
    if part.test is not None:
        parts.append(shown.outputs(part.outputs))
    texts = json.dumps([cell.source for cell in cells])
    digest = hashlib.sha256(texts.encode()).hexdigest()
    return json.dumps({"html": soon_set(Markup("\n").join(parts)), "digest": digest})


def _part(notebook: NotebookNode, name: str) -> Part | None:
    graded = (part for part in parts_of(notebook) if part.graded is not None)
    return next((part for part in graded if grade_id_of(part.graded or {}) == name), None)


def _question(notebook: NotebookNode, name: str) -> str:
    """The task, or the last words of the lesson above the first answer."""
    part = _part(notebook, name)
    if part is None or not part.cells:
        return ""
    first = part.cells[0]
    if not has_role(first, "solution") and first.cell_type == "markdown":
        return str(first.source)
    before = notebook.cells[: notebook.cells.index(first)]
    words = (cell for cell in reversed(before) if cell.cell_type == "markdown")
    return next((str(cell.source) for cell in words if not has_role(cell, "solution")), "")


def _answers(notebook: NotebookNode, part: Part) -> Iterator[NotebookNode]:
    """The cells that the student wrote; below a task, those that were added."""
    written = [cell for cell in part.answers if has_role(cell, "solution")]
    yield from written
    if not written and part.answers:
        for cell in notebook.cells[notebook.cells.index(part.answers[0]) + 1 :]:
            if not str(cell.get("id", "")).startswith(ADDED_ID):
                return
            yield cell


def _cell(shown: Shown, cell: NotebookNode) -> Iterator[Markup]:
    yield shown.answer(cell)
    if cell.cell_type == "code" and cell.outputs:
        yield shown.outputs(cell.outputs)
