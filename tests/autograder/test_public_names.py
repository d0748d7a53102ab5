"""What the packages offer by their own names: all that courses and notebooks import."""

import ast
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

import autograder
import companion
from tests.support.course import COURSE, ROOT

# Notebooks and checks.json that have been handed out know these: none may go, or change its
# meaning, without a new format of checks.json.
PUBLIC = [
    *("Draw", "Exam", "ModuleMismatch", "Tolerance", "check", "configure"),
    *("described", "driven", "gather", "hidden_check", "mark", "run_module", "status", "yours"),
]
PACKAGES = {"autograder": autograder, "companion": companion}


def test_names_of_the_engine() -> None:
    assert sorted(autograder.__all__) == PUBLIC  # type: ignore[attr-defined]


@pytest.mark.parametrize("package", PACKAGES.values(), ids=PACKAGES)
def test_all_names_are_there(package: Any) -> None:
    names = package.__all__
    assert len(names) == len(set(names)) > 0
    for name in names:
        assert getattr(package, name) is not None
    assert set(names) <= set(dir(package))
    with pytest.raises(AttributeError, match="no_such_name"):
        package.no_such_name  # noqa: B018


@pytest.mark.parametrize(
    ("statement", "may_need"),
    [
        ("import autograder", set()),
        ("import companion", set()),
        ("from autograder import Exam, check", {"numpy", "IPython"}),
    ],
)
def test_import_brings_nothing_along(statement: str, may_need: set[str]) -> None:
    heavy = {"torch", "numpy", "matplotlib", "nbgrader", "nbformat", "rich", "IPython"}
    # IPython's front end in a terminal, and its kernel.
    heavy |= {"prompt_toolkit", "IPython.terminal", "ipykernel"}
    # The search for a line, which few checks need.
    heavy |= {"autograder.checks.locate.search"}
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert heavy & {*done.stdout.split()} <= may_need


def test_function_is_offered_though_its_module_has_its_name() -> None:
    code = (
        "import autograder.checks.drivers.run_module, companion.pictures.bars\n"
        "from autograder import check, run_module\n"
        "from companion import bars\n"
        "print(callable(check), callable(run_module), callable(bars))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert done.stdout == "True True True\n", done.stderr


def cells() -> Iterator[tuple[str, str]]:
    """The code of all that students and instructors run."""
    for path in (*COURSE.notebooks.rglob("*.ipynb"), *COURSE.source.rglob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                yield f"{path.name}, cell {cell.id}", cell.source


def imported(source: str) -> Iterator[tuple[str, str]]:
    """What a cell imports: modules and the names in them."""
    for node in ast.walk(ast.parse(re.sub(r"^[%!].*$", "", source, flags=re.M))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)


def test_notebooks_import_public_names() -> None:
    seen = set()
    for place, source in cells():
        for module, name in imported(source):
            package = PACKAGES.get(module.partition(".")[0])
            if package:
                assert module in PACKAGES, f"{place} imports {module}"
                assert name in package.__all__, f"{place} imports {module}.{name}"
                seen.add(module)
    assert seen == set(PACKAGES)


def shipped_names(folder: Path) -> set[str]:
    text = (folder / "checks.json").read_text(encoding="utf-8")
    json.loads(text)
    return set(re.findall(r'"(?:function|use)":"([^"]*)"', text))


def test_checks_name_public_names() -> None:
    names = set().union(*(shipped_names(COURSE.release_folder(one)) for one in COURSE.lessons()))
    assert "autograder:run_module" in names
    for name in names:
        module, attribute = name.split(":")
        assert attribute in PACKAGES[module].__all__, name
