"""A line to write a guess on, wherever a lesson asks what the next cell will do.

Where prose ends with a paragraph that begins with "**Before you run this:**" and code follows, the
build puts a cell between them. Learners write their guess into it, so it is kept with the notebook
and stands above what comes, on any page that shows notebooks. It is no answer: it has no points,
and whoever grades a notebook takes nothing from it.
"""

import hashlib
from collections.abc import Mapping
from typing import Any

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell

from autograder.authoring.lesson.lesson import Block, Code, Prose
from autograder.checks.source.cells import own_mark, own_mark_of

_ASKS = "**Before you run this:**"
# What stands in the cell before anybody has written a guess.
LINE = "> **Your guess** (click here and press Enter):"
_ON = "guess_on"
_DIGITS = 12


def cell_to_guess(block: Block, following: Block | None) -> NotebookNode | None:
    """The cell between a question and the code that answers it; None where no question is asked."""
    if not (isinstance(block, Prose) and isinstance(following, Code)):
        return None
    question = block.text.rpartition("\n\n")[2]
    if not question.startswith(_ASKS):
        return None
    digest = hashlib.sha256(question.encode()).hexdigest()[:_DIGITS]
    cell: NotebookNode = new_markdown_cell(LINE, metadata=own_mark(_ON, digest))
    return cell


def question_of(cell: Mapping[str, Any]) -> str:
    """By which the question is known that a cell takes a guess on, or "" if it is another cell."""
    return own_mark_of(cell, _ON)
