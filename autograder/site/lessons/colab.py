"""A lesson for Colab: the notebook that students get, with a first cell that installs the course.

Colab opens what lies on GitHub and nothing else, so these notebooks are found where the site is
published: on the branch from which GitHub Pages serves it.
"""

from copy import deepcopy
from pathlib import PurePosixPath

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.course import Course

# The usual name of the branch; docs/site.md has the workflow that fills it.
BRANCH = "gh-pages"
# Without the extra `lessons`: PyTorch and Matplotlib are there, and JupyterLab's kernel would take
# the place of Colab's own. In a submission, where there is no network, nothing is installed.
_INSTALL = """\
# Colab does not have this course yet. This cell installs it, which takes about a minute.
import importlib.util

if importlib.util.find_spec("autograder") is None:
    %pip install -q "git+https://github.com/{repository}\""""


def is_for_colab(course: Course) -> bool:
    """Whether Colab can install the course: it lies on GitHub, as a package."""
    return bool(course.settings.repository) and (course.root / "pyproject.toml").is_file()


def beside_page(notebook: PurePosixPath) -> PurePosixPath:
    """Where a lesson's notebook for Colab lies, by the place of the student's."""
    return notebook.with_name(f"{notebook.stem}-colab.ipynb")


def address(repository: str, notebook: PurePosixPath) -> str:
    """Where Colab opens it."""
    place = f"{repository}/blob/{BRANCH}/{beside_page(notebook)}"
    return f"https://colab.research.google.com/github/{place}"


def for_colab(student: NotebookNode, repository: str) -> NotebookNode:
    """The notebook, installing the course from `repository` (owner/name) above its first code."""
    opened = deepcopy(student)
    install = new_code_cell(_INSTALL.format(repository=repository), id="install-the-course")
    code = (place for place, cell in enumerate(opened.cells) if cell.cell_type == "code")
    opened.cells.insert(next(code, len(opened.cells)), install)
    return opened
