"""Every picture of a lesson has a description for those who can't see it.

Images in the text need alt text; calls of functions that take an `alt` argument must pass one. The
functions are found through the lesson's own imports, so the engine need not know any of them.
"""

import ast
import importlib
import inspect
import re
import sys
from collections.abc import Iterator

from autograder.settings import FILE

_IMAGE = re.compile(r"!\[(?P<alt>[^\]]*)\][(\[]")
_TAG = re.compile(r"<img\b(?P<attributes>[^>]*)>", re.I)
_PYPLOT = "matplotlib.pyplot"


def undescribed_in_prose(text: str) -> Iterator[tuple[int, str]]:
    """Lines (from 1) of Markdown with an image that has no alt text, and what is missing."""
    for image in _IMAGE.finditer(text):
        if not image["alt"].strip():
            yield _line(text, image), "an image has no alt text"
    for tag in _TAG.finditer(text):
        if not re.search(r"""\balt=["'][^"']""", tag["attributes"]):
            yield _line(text, tag), "an <img> has no alt text"


def _line(text: str, match: re.Match[str]) -> int:
    return text.count("\n", 0, match.start()) + 1


class Pictures:
    """Reads a lesson's code cells in their order, remembering what their imports stand for."""

    def __init__(self, *, pyplot: bool = False) -> None:
        """Begin a lesson, which may draw with pyplot or may not."""
        self._pyplot = pyplot
        self._imported: dict[str, object] = {}

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
        imported = {*names, module, *(f"{module}.{name}" for name in names)}
        if _PYPLOT in imported and not self._pyplot:
            yield (
                node.lineno,
                "pyplot draws pictures without alt text: use the course's figures, or set "
                f"pyplot = true in {FILE}",
            )
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                importlib.import_module(alias.name)
                name = alias.name if alias.asname else alias.name.split(".")[0]
                self._imported[alias.asname or name] = sys.modules[name]
        if module:
            found = importlib.import_module(module)
            for alias in node.names:
                thing = getattr(found, alias.name, None)
                self._imported[alias.asname or alias.name] = thing

    def _inspect(self, call: ast.Call) -> Iterator[tuple[int, str]]:
        if not _takes_alt(self._meaning(call.func)):
            return
        alt = next((word.value for word in call.keywords if word.arg == "alt"), None)
        if alt is None or (isinstance(alt, ast.Constant) and not str(alt.value or "").strip()):
            yield (
                call.lineno,
                f"{ast.unparse(call.func)} draws a figure without alt text: pass alt=…",
            )

    def _meaning(self, name: ast.expr) -> object:
        if isinstance(name, ast.Attribute):
            return getattr(self._meaning(name.value), name.attr, None)
        return self._imported.get(name.id) if isinstance(name, ast.Name) else None


def _takes_alt(thing: object) -> bool:
    return inspect.isfunction(thing) and "alt" in inspect.signature(thing).parameters
