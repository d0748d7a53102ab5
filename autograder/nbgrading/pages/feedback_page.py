"""The page that a student gets back: what was found first, then what lost points, then the rest.

It holds no script and asks for nothing, and it forbids its browser both.
"""

import functools
import re
from collections.abc import Callable, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup
from nbconvert.filters import Highlight2HTML, ansi2html
from nbformat.notebooknode import NotebookNode
from pygments.formatters import HtmlFormatter

from autograder.checks.card.as_html import as_html
from autograder.checks.source.scenery import NOT_RUN, SCENERY
from autograder.grading.rebuild import NOT_GRADED, NOTICES
from autograder.grading.record import for_students
from autograder.nbgrading.pages.answers import answer_to_html, comment_to_html, lesson_to_html
from autograder.nbgrading.pages.given import once
from autograder.nbgrading.pages.outline import is_students, parts_of

_TEMPLATES = Path(__file__).parent / "templates"
_HEADING = re.compile(r"^# +(.+)$", re.MULTILINE)
_ANSI = re.compile(r"\x1b\[[0-9;]*m")
_PICTURES = ("image/png", "image/jpeg")


def feedback_page(notebook: NotebookNode, resources: Mapping[str, Any], *, plain: bool) -> str:
    """The page as HTML.

    Args:
        notebook: the graded notebook, with the scores and comments of the gradebook in it.
        resources: `nbgrader` has the total, the late penalty and the notebook's name.
        plain: leave out all that takes long: colours, and the formatting of answers.
    """
    marks = resources.get("nbgrader", {})
    parts, cells = parts_of(notebook), notebook.cells
    # Whoever has looked has graded it.
    not_graded = notebook.metadata.get(NOT_GRADED, "") if any(one.waits for one in parts) else ""
    if not_graded and all(one.waits for one in parts):
        # Of what could not be read there is nothing to show but the lesson as it was given.
        parts, cells = [], []
    places = {
        id(cell): place
        for place, part in enumerate(parts)
        for cell in part.cells
        if not part.is_blank
    }
    shown = Shown(plain)
    return _environment().get_template("feedback.html.j2").render(
        title=_title(notebook) or marks.get("notebook", ""),
        score=marks.get("score", 0),
        max_score=marks.get("max_score", 0),
        late_penalty=marks.get("late_penalty") or 0,
        parts=parts,
        cells=[(cell, places.get(id(cell))) for cell in cells],
        shown=shown,
        plain=plain,
        not_graded=not_graded,
        notices=for_students(notebook.metadata.get(NOTICES, [])),
        colours=_colours(),
    )  # fmt: skip


class Shown:
    """Cells as HTML; what a student wrote is text."""

    def __init__(self, plain: bool) -> None:
        """Without colours and formatting, where they would take too long."""
        self._plain = plain
        self._colours = Colours()  # type: ignore[no-untyped-call]

    def answer(self, cell: NotebookNode) -> Markup:
        """What a student wrote in a cell."""
        if cell.cell_type == "markdown":
            return self._words(cell.source, answer_to_html)
        return self.code(cell.source)

    def code(self, source: str) -> Markup:
        """Code, in colours where that does not take long."""
        return as_text(source) if self._plain else Markup(self._colours(source))

    def prose(self, text: str) -> Markup:
        """The words of a lesson, on a page of its own."""
        return self._words(text, lesson_to_html)

    def comment(self, text: str) -> Markup:
        """The words of a grader: Markdown in its lines, and nothing of it taken for HTML."""
        return self._words(text, comment_to_html)

    def given_prose(self, text: str) -> Markup:
        """The words of a lesson, which are those of every page."""
        return self._words(text, lambda text: once("prose", text, lesson_to_html))

    def given_code(self, source: str) -> Markup:
        """The code of a lesson, which is that of every page."""
        return self.code(source) if self._plain else Markup(once("code", source, self.code))

    def outputs(self, outputs: Sequence[NotebookNode]) -> Markup:
        """What a cell displayed, printed and raised."""
        return Markup("").join(map(self._output, outputs))

    def is_picture(self, cell: NotebookNode) -> bool:
        """Whether a given cell is there to show a picture; then its code is of no interest."""
        data = (output.get("data", {}) for output in cell.get("outputs", []))
        return any("<img" in one.get("text/html", "") or set(_PICTURES) & set(one) for one in data)

    def is_scenery(self, cell: NotebookNode) -> bool:
        """Whether a given cell was left out when grading."""
        tagged = SCENERY in cell.metadata.get("tags", ())
        return tagged and any(one.get("text") == NOT_RUN for one in cell.get("outputs", []))

    def is_answer(self, cell: NotebookNode) -> bool:
        """Whether a student wrote the cell."""
        return is_students(cell)

    def _words(self, text: str, as_html: Callable[[str], str]) -> Markup:
        return as_text(text) if self._plain else Markup(as_html(text))

    def _output(self, output: NotebookNode) -> Markup:
        match output.get("output_type"):
            case "stream":
                return self._text(output.get("text", ""))
            case "error":
                lines = output.get("traceback") or [
                    f"{output.get('ename')}: {output.get('evalue')}"
                ]
                return self._text("\n".join(lines))
            case _:
                return self._data(output.get("data", {}))

    def _data(self, data: Mapping[str, str]) -> Markup:
        if "text/html" in data:
            return Markup(data["text/html"])
        for kind in _PICTURES:
            if kind in data:
                source = f"data:{kind};base64,{''.join(data[kind].split())}"
                return Markup('<img src="{}" alt="">').format(source)
        return self._text(data.get("text/plain", ""))

    def _text(self, text: str) -> Markup:
        html = without_colours(text) if self._plain else str(ansi2html(text))  # type: ignore[no-untyped-call]
        return Markup(f"<pre>{html}</pre>")


def _title(notebook: NotebookNode) -> str:
    texts = (cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    found = (_HEADING.search(text) for text in texts)
    return next((heading[1].strip() for heading in found if heading), "")


class Colours(Highlight2HTML):
    """Pygments' colours; it takes minutes for a thousand lines that end in blanks."""

    def __call__(self, source: str, language: str | None = None, metadata: Any = None) -> str:
        source = "\n".join(map(str.rstrip, source.split("\n")))
        return str(super().__call__(source, language="ipython3"))  # type: ignore[no-untyped-call]


def as_text(text: str, **_: object) -> Markup:
    """A text in its lines, without colours."""
    return Markup("<pre>{}</pre>").format(text)


def without_colours(text: str) -> str:
    """What a terminal would show, as HTML, but for its colours."""
    return escape(_ANSI.sub("", text))


@functools.cache
def _environment() -> Environment:
    environment = Environment(loader=FileSystemLoader(_TEMPLATES), autoescape=True)
    environment.filters["points"] = _points
    environment.filters["as_html"] = lambda text: Markup(as_html(text))
    return environment


def _points(number: float) -> str:
    return f"{round(number, 2):g}"


@functools.cache
def _colours() -> Markup:
    """Pygments' colours, for a light and for a dark page."""
    light, dark = (
        HtmlFormatter(style=style, nobackground=True).get_style_defs(".highlight")
        for style in ("default", "github-dark")
    )
    return Markup(f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}")
