"""Which files are a student's own, and how code finds what lies beside its notebook."""

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from pathlib import Path

# What is installed may lie below a student's own places, and so may a clone of the course.
_ENGINE = Path(__file__).resolve().parents[2]
_INSTALLED = (sys.prefix + os.sep, sys.base_prefix + os.sep, f"{_ENGINE}{os.sep}")
_CLONE = f"{_ENGINE.parent}{os.sep}"
_PYTHON = f"{Path(os.__file__).parent}{os.sep}"


def is_own(file: str, folder: str = "") -> bool:
    """Whether this is the file of a cell, or lies beside the notebook.

    Args:
        file: where some code stands, as Python says it.
        folder: the notebook's, if not the current one.
    """
    folder = os.path.join(folder or os.getcwd(), "")
    if file.startswith("<"):
        return not file.startswith("<frozen ")
    if file.startswith(_INSTALLED):
        return False
    temporary = os.path.join(tempfile.gettempdir(), "")
    return file.startswith(folder if file.startswith(_CLONE) else (folder, temporary))


def is_pythons(file: str) -> bool:
    """Whether this is the file of one of Python's own modules."""
    if file.startswith("<"):
        return file.startswith("<frozen ")
    return file.startswith(_PYTHON) and "-packages" not in file


@contextmanager
def beside(folder: Path | None) -> Iterator[None]:
    """Find the files and modules that lie in this folder, as a notebook in it would."""
    if folder is None:
        yield
        return
    sys.path.insert(0, str(folder))
    try:
        with chdir(folder):
            yield
    finally:
        sys.path.remove(str(folder))
