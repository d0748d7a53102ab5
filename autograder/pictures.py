"""Every picture of a lesson has a description for those who can't see it.

Images in the text need alt text; calls of functions that take an `alt` argument must pass one. The
functions are found through the lesson's own imports, so the engine need not know any of them.
"""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator

_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\]\(")
_TAG = re.compile(r"<img\b(?P<attributes>[^>]*)>", re.I)
_PYPLOT = "matplotlib.pyplot"


def undescribed_in_prose(text: str) -> Iterator[tuple[int, str]]:
    """Lines (from 1) of Markdown with an image that has no alt text, and what is missing."""
    for number, line in enumerate(text.split("\n"), start=1):
        if any(not image["alt"].strip() for image in _IMAGE.finditer(line)):
            yield number, "an image has no alt text"
        for tag in _TAG.finditer(line):
            if not re.search(r"""\balt=["'][^"']""", tag["attributes"]):
                yield number, "an <img> has no alt text"


class Pictures:
    """Reads a lesson's code cells in their order, remembering which names draw pictures."""

    def __init__(self) -> None:
        self._drawing: set[str] = set()

    def undescribed(self, source: str) -> Iterator[tuple[int, str]]:
        """Lines (from 1) of a code cell that draw without alt text, and what is missing."""
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._remember(node)
            elif isinstance(node, ast.Call):
                yield from self._inspect(node)

    def _remember(self, node: ast.Import | ast.ImportFrom) -> Iterator[tuple[int, str]]:
        module = node.module if isinstance(node, ast.ImportFrom) else None
        names = [alias.name for alias in node.names]
        if _PYPLOT in names or _PYPLOT in (module, *(f"{module}.{name}" for name in names)):
            yield node.lineno, "pyplot draws pictures without alt text: use the course's figures"
            return
        if module:
            imported = importlib.import_module(module)
            for alias in node.names:
                if _takes_alt(getattr(imported, alias.name, None)):
                    self._drawing.add(alias.asname or alias.name)

    def _inspect(self, call: ast.Call) -> Iterator[tuple[int, str]]:
        name = call.func.id if isinstance(call.func, ast.Name) else ""
        if name not in self._drawing:
            return
        alt = next((word.value for word in call.keywords if word.arg == "alt"), None)
        if alt is None or (isinstance(alt, ast.Constant) and not str(alt.value or "").strip()):
            yield call.lineno, f"{name} draws a figure without alt text: pass alt=…"


def _takes_alt(thing: object) -> bool:
    return inspect.isfunction(thing) and "alt" in inspect.signature(thing).parameters
