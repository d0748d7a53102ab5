"""Whether a built notebook is still what the build made of it.

An instructor may open the notebook in source/, mend a test there and save. So it carries a digest
of what the build made: of its cells as far as somebody writes them, not of what running adds.
"""

import hashlib
import json
from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # A build of what has not changed imports no more than it needs.
    from nbformat.notebooknode import NotebookNode

KEY = "autograder"
_BUILT = "built"
_WRITTEN = ("nbgrader", "tags")


def signed(notebook: "NotebookNode") -> "NotebookNode":
    """The notebook with the digest of what it is now."""
    copy = deepcopy(notebook)
    copy.metadata[KEY] = {_BUILT: _digest(notebook)}
    return copy


def is_edited(path: Path, made: str) -> bool:
    """Whether a notebook is another than the build has made.

    Args:
        path: where it is, if it is there.
        made: the digest of the file that was made last, if known: notebooks of an earlier build
            carry none of their own.
    """
    if not path.is_file():
        return False
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() == made:
        return False
    try:
        notebook = json.loads(content)
        return bool(notebook["metadata"][KEY][_BUILT] != _digest(notebook))
    except (ValueError, KeyError, TypeError, AttributeError):
        return True


def _digest(notebook: Mapping[str, Any]) -> str:
    cells = [
        {
            "type": cell["cell_type"],
            # A file may have it line by line.
            "source": "".join(cell["source"]),
            **{name: cell["metadata"].get(name) for name in _WRITTEN},
        }
        for cell in notebook["cells"]
    ]
    return hashlib.sha256(json.dumps(cells, sort_keys=True).encode()).hexdigest()
