"""A course's own modules: which of them students' code can import, and what to do about the rest.

That code finds what is installed, what lies beside its notebook, and what `preload` names. Of the
course's folder it sees nothing.
"""

import ast
import importlib.machinery
import sys
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from autograder.preload import package_of
from autograder.settings import FILE, OWN, SOLUTIONS

_ENGINE = "autograder"


def out_of_reach(
    source: str, root: Path, preload: Sequence[str], beside: Path
) -> Iterator[tuple[int, str]]:
    """Imports in a cell that would fail for students, though they work here.

    Args:
        source: the cell.
        root: the course's folder.
        preload: the course's setting.
        beside: the folder whose files lie beside the notebook.

    Yields:
        The line, from 1, and a sentence that says what to do.

    Raises:
        SyntaxError: when the cell is not Python.
    """
    in_reach = {_ENGINE, *map(package_of, preload)}
    for line, name in _imports(source):
        if name in in_reach or not _lies_in(root, name) or _lies_in(beside, name):
            continue
        if name in (SOLUTIONS, OWN):
            yield line, f"students never get {name}: a cell of theirs can't import it"
        elif not _is_installed(name, root):
            yield (
                line,
                f"students' code sees nothing of the course's folder and can't import {name}: "
                f'add "{name}" to preload in {root / FILE}',
            )


@lru_cache(maxsize=1000)
def _imports(source: str) -> tuple[tuple[int, str], ...]:
    return tuple(_imports_of(source))


def _imports_of(source: str) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, package_of(alias.name)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.lineno, package_of(node.module)


def _lies_in(folder: Path, name: str) -> bool:
    is_package = (folder / name / "__init__.py").is_file() or name == OWN
    return (folder / f"{name}.py").is_file() or (is_package and (folder / name).is_dir())


def _is_installed(name: str, root: Path) -> bool:
    elsewhere = [place for place in sys.path if Path(place or ".").resolve() != root.resolve()]
    return importlib.machinery.PathFinder.find_spec(name, elsewhere) is not None
