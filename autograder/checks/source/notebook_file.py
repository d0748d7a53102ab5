"""A notebook as it was saved, read from its file."""

from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.errors import CheckError


def read_notebook(path: Path) -> NotebookNode:
    """A notebook from a file.

    Raises:
        CheckError: when there is none, or it is not one.
    """
    if path.exists() and not path.is_file():
        raise CheckError(f"{path} is not a notebook, and no file: move it away")
    try:
        notebook: NotebookNode = nbformat.read(path, as_version=4)
    except FileNotFoundError:
        raise CheckError(f"{path} does not exist") from None
    except (
        OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, AssertionError
    ) as error:  # fmt: skip
        # What stands behind a colon is the file's own text.
        reason = str(error).partition(":")[0] or type(error).__name__
        raise CheckError(f"{path} is not a notebook: {reason[:100]}") from error
    except nbformat.ValidationError as error:
        raise CheckError(f"{path} is not a notebook: {error.message[:100]}") from error
    return notebook
