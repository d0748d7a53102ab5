"""Whatever a student's code displays, made harmless for whoever opens the graded notebook.

Outputs are built anew from the few things that are known to be safe: text, PNG and JPEG pictures,
and pictures in HTML as companion draws them. Everything else is dropped; text always stays.
"""

import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nbformat.notebooknode import NotebookNode

from autograder.checks.source.cells import grade_id_of, has_role
from autograder.grading.pictures import Room, picture, pictures_in

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_LINK = re.compile(r"\]\s*([(:\[])")
_MOST = 1000
_SHOWN = 20_000
_SHOWN_IN_ALL = 200_000
_NO_ROOM = "… pictures were left out: a page may not have so many that take so long to draw\n"
_CUT = "… the rest was cut off: a cell may display no more\n"
# What a formula could do more than stand there, in programs that set formulas by themselves.
_TEX = re.compile(
    r"\\(href|url|style|class|cssId|data|require|unicode|mmlToken|includegraphics|[gex]?def|let|"
    r"(re)?newcommand|providecommand|newenvironment|DeclareMathOperator)(?![A-Za-z])"
)
# What IPython calls a cell.
_IN_CELL = re.compile(r"\(<ipython-input[^<>]*>, line (\d+)\)")
_MARKUP = re.compile(r"<(?=[A-Za-z/!?])")


def inert_outputs(
    outputs: Iterable[object], most: int, room: Room | None = None
) -> list[dict[str, Any]]:
    """Outputs as a notebook may hold them, from whatever a student's process sent.

    Args:
        outputs: what it sent.
        most: how many characters there may be in all of them together.
        room: what the page has left for pictures and lines; without it, that of an empty page.
    """
    room = room or Room()
    safe: list[dict[str, Any]] = []
    left = most
    for output in outputs:
        for made in _rebuild(output, left, room) if isinstance(output, dict) else []:
            written = str(made)
            left -= len(written)
            # As Python writes it, the end of a line is two characters.
            room.lines -= written.count("\\n")
            if left < 0 or room.lines < 0 or len(safe) == _MOST:
                return [*safe, _note(_CUT)]
            safe.append(made)
    if room.left_out:
        room.left_out = False
        safe.append(_note(_NO_ROOM))
    return safe


def _note(text: str) -> dict[str, Any]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def inert_markdown(text: str) -> str:
    """A student's words without HTML or links of their own: both are shown, not followed."""
    text = _TEX.sub(r"\\text", _MARKUP.sub("&lt;", text))
    return _LINK.sub(r"]\\\1", text)


def cut_long_sources(notebook: NotebookNode, added: str) -> dict[str, str]:
    """Cut what is too long of a student's cells: whoever opens the notebook waits for all of it.

    Args:
        notebook: the graded notebook; its cells are changed.
        added: how the ids begin of the cells that the student added.

    Returns:
        The whole texts, by the names of the files that the notebook now refers to.
    """
    whole: dict[str, str] = {}
    left = _SHOWN_IN_ALL
    for cell in notebook.cells:
        if not has_role(cell, "solution") and not cell.id.startswith(added):
            continue
        most = min(_SHOWN, left)
        left -= min(len(cell.source), most)
        if len(cell.source) > most:
            whole[_whole_file(cell)] = cell.source
            rest = cell.source[most:]
            # Whoever compares what is shown sees another text where another is cut.
            digest = hashlib.sha256(rest.encode()).hexdigest()[:12]
            cut = f"… {len(rest):,} characters are cut here (SHA-256 {digest}…)"
            sign = "# " if cell.cell_type == "code" else "\n"
            cell.source = f"{cell.source[:most]}\n{sign}{cut}: all is in {_whole_file(cell)}"
    return whole


def whole_text(cell: NotebookNode, whole: Mapping[str, str]) -> str:
    """What stood in a cell before a part of it was cut; `whole` is what was told then."""
    return whole.get(_whole_file(cell), str(cell.source))


def _whole_file(cell: NotebookNode) -> str:
    return f"{grade_id_of(cell) or cell.id}.whole.txt"


def _rebuild(output: dict[Any, Any], most: int, room: Room) -> list[dict[str, Any]]:
    # An array in the place of a word would be compared entry by entry.
    match _text(output.get("output_type")):
        case "stream":
            name = "stderr" if _text(output.get("name")) == "stderr" else "stdout"
            return [{"output_type": "stream", "name": name, "text": _text(output.get("text"))}]
        case "error":
            lines = output.get("traceback")
            return [
                {
                    "output_type": "error",
                    "ename": _text(output.get("ename")),
                    "evalue": _text(output.get("evalue")),
                    "traceback": [_text(line) for line in lines] if isinstance(lines, list) else [],
                }
            ]
        case "display_data" | "execute_result":
            data = output.get("data")
            safe = _safe_data(data, most, room) if isinstance(data, dict) else {}
            return [{"output_type": "display_data", "data": safe, "metadata": {}}] if safe else []
    return []


def _safe_data(data: dict[Any, Any], most: int, room: Room) -> dict[str, str]:
    safe = {}
    if "text/plain" in data:
        safe["text/plain"] = _text(data["text/plain"])
    for kind in ("image/png", "image/jpeg"):
        if shown := picture(kind, data.get(kind), room):
            safe[kind] = shown
    html = data.get("text/html")
    html = html if isinstance(html, str) and len(html) <= most else ""
    if images := pictures_in(html, room):
        safe["text/html"] = images
    return safe


def _text(value: object) -> str:
    return _CONTROL.sub("", value) if isinstance(value, str) else ""


def broken_syntax(outputs: Sequence[object], grade_id: str) -> str:
    """What a cell that is no Python says of itself: why the name it should define is missing."""
    for output in outputs:
        match output:
            case {
                "output_type": "error",
                "ename": "SyntaxError" | "IndentationError" | "TabError" as kind,
                "evalue": str(text),
            }:
                text = _IN_CELL.sub(r"(line \1)", text[:300])
                return f"{kind} in the cell of {grade_id}, so nothing of it was run: {text}"
    return ""
