"""A graded notebook as a page: for formgrader, and for the student as feedback.

Formgrader's template is nbgrader's, but a student's text comes through one escape: answers in words
are rendered by `answers`, code and outputs are text. Formulas are MathML, so the page asks for
nothing from elsewhere: there is no MathJax on it.
"""

import functools
import re
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

from jinja2 import FileSystemLoader, pass_context
from markupsafe import Markup
from nbconvert.exporters import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from traitlets.config import Config

from autograder.checks.source.cells import grade_id_of, has_role
from autograder.grading.rebuild import NOT_GRADED, NOTICES
from autograder.nbgrading.pages.answers import Formulas, answer_to_html
from autograder.nbgrading.pages.feedback_page import (
    Colours,
    as_text,
    feedback_page,
    without_colours,
)
from autograder.nbgrading.pages.letters import soon_set
from autograder.nbgrading.pages.one_answer import answer_in, question_in

Kind = Literal["formgrade", "feedback", "question", "answer"]

_OURS = Path(__file__).parent / "templates"
# Found without importing nbgrader, which takes longer than a page.
_NBGRADER = Path(str(getattr(find_spec("nbgrader"), "origin", ""))).parent
_FORMGRADER = _NBGRADER / "server_extensions" / "formgrader"
_BOOTSTRAP = _FORMGRADER / "static" / "node_modules" / "bootstrap" / "dist" / "css"
_BEGIN = 'id="notebook-container">'
_LINK = "Open live notebook"
_LIVE = (
    f"{_LINK}: whatever you run there is code of the student&#x27;s, and outside of the sandbox it "
    "may do all that you may do"
)
_NOTE = Markup('<p class="alert alert-warning">{}</p>')
_PLAIN = (
    "It takes too long to set this submission with colours and formulas: it is shown as plain text."
)
_NOTHING = "Nothing of this could be graded: {}. What follows is the lesson as it was given out."
# What the scheme stands between, which Markdown takes for headings.
_MARKS = re.compile(r"^.*\b(?:BEGIN|END) MARK SCHEME\b.*\n?", re.MULTILINE)


def page(kind: Kind, notebook: NotebookNode, resources: Mapping[str, Any], *, plain: bool) -> str:
    """A page as HTML; a question or an answer as JSON.

    Args:
        kind: whose template it is, or what of the notebook is wanted, by the name in `resources`.
        notebook: the graded notebook.
        resources: what the template reads besides, all of it escaped.
        plain: leave out all that takes long: colours, and the formatting of answers.
    """
    match kind:
        case "feedback":
            return soon_set(feedback_page(notebook, resources, plain=plain))
        case "question":
            return question_in(notebook, resources["name"])
        case "answer":
            return answer_in(notebook, resources["name"], plain=plain)
    html, _ = _exporter(plain).from_notebook_node(notebook, dict(resources))
    html = html.replace(f'title="{_LINK}"', f'title="{_LIVE}"')
    why = notebook.metadata.get(NOT_GRADED)
    notes = [*([_PLAIN] if plain else []), *([_NOTHING.format(why)] if why else [])]
    notes += notebook.metadata.get(NOTICES, [])
    return soon_set(html.replace(_BEGIN, f"{_BEGIN}{''.join(map(_NOTE.format, notes))}", 1))


@functools.cache
def prepare(kind: Kind) -> None:
    """Load what such pages need: to be called before a process forks for each of them."""
    notebook = new_notebook(cells=[new_code_cell("x = 1")])
    marks = dict.fromkeys(("score", "max_score", "late_penalty"), 0.0)
    resources = {"index": 0, "total": 0, "nbgrader": marks, "name": ""}
    page(kind, notebook, resources, plain=False)


@functools.cache
def _exporter(plain: bool) -> "_Exporter":
    config = Config()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [str(_FORMGRADER / "templates")]
    config.HTMLExporter.extra_template_paths = [str(_BOOTSTRAP)]
    made = _PlainExporter if plain else _Exporter
    return made(config=config, extra_loaders=[FileSystemLoader(_OURS)])


class _Exporter(HTMLExporter):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)  # type: ignore[no-untyped-call]
        self.filters = {
            "highlight_code": Colours(),  # type: ignore[no-untyped-call]
            # It looks for links of a form that is long gone, in quadratic time.
            "strip_files_prefix": _unchanged,
        }

    @pass_context
    def markdown2html(self, context: Mapping[str, Any], source: str) -> str:
        cell = context.get("cell", {})
        if has_role(cell, "solution") and source == cell.source:
            return self.answer(source)
        attachments = cell.get("attachments", {})
        if grade_id_of(cell):
            source = _MARKS.sub("", source)
        return MarkdownWithMath(renderer=_LessonWords(attachments=attachments)).render(source)

    def answer(self, source: str) -> str:
        return answer_to_html(source)


class _PlainExporter(_Exporter):
    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.filters |= {"highlight_code": as_text, "ansi2html": without_colours}

    def answer(self, source: str) -> str:
        return as_text(source)


class _LessonWords(Formulas, IPythonRenderer):
    """The words of a lesson, whose HTML is its author's own."""

    def __init__(self, attachments: Mapping[str, Any]) -> None:
        super().__init__(escape=False, attachments=dict(attachments), exclude_anchor_links=True)


def _unchanged(text: str) -> str:
    return text
