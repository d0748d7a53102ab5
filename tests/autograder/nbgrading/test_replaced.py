"""The table of nbgrader's names that are replaced: whole, true, and the only place that does it."""

import ast
import operator
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from autograder.nbgrading.replaced import Replaced, install, table
from tests.support.course import ROOT

HERE = Path("autograder/nbgrading/replaced.py")
ROWS = [pytest.param(one, id=f"{one.where}.{one.name}") for one in table()]


@pytest.mark.parametrize("row", ROWS)
def test_ours_is_there(row: Replaced) -> None:
    install()
    assert operator.attrgetter(row.name)(import_module(f"nbgrader.{row.where}")) is row.ours
    assert row.is_known


@pytest.mark.parametrize("row", ROWS)
def test_its_test_exists(row: Replaced) -> None:
    file, _, name = row.test.partition("::")
    tree = ast.parse((ROOT / "tests" / file).read_text(encoding="utf-8"))
    assert name in {one.name for one in tree.body if isinstance(one, ast.FunctionDef)}


@pytest.mark.parametrize(
    "row",
    [
        Replaced("api", "NoSuchName", None, "", ""),
        Replaced("no_such_module", "Gradebook", None, "", ""),
        Replaced("apps.api", "os", None, "", "", "NbGraderAPI.autograde"),
    ],
)
def test_what_nbgrader_no_longer_has_is_noticed(row: Replaced) -> None:
    assert not row.is_known


def test_no_other_place_replaces_any() -> None:
    found = {
        str(path.relative_to(ROOT)): list(replaced_in(path))
        for path in (ROOT / "autograder").rglob("*.py")
        if path.relative_to(ROOT) != HERE
    }
    assert {path: names for path, names in found.items() if names} == {}


def replaced_in(path: Path) -> Iterator[str]:
    """What a module sets of what it has imported from nbgrader."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    theirs = {
        alias.asname or alias.name.partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        if (getattr(node, "module", None) or alias.name).startswith("nbgrader")
    }
    for node in ast.walk(tree):
        start: ast.expr
        match node:
            case ast.Attribute(ctx=ast.Store()):
                start = node
            case ast.Call(func=ast.Name(id="setattr" | "vars"), args=[start, *_]):
                pass
            case _:
                continue
        while isinstance(start, ast.Attribute):
            start = start.value
        if isinstance(start, ast.Name) and start.id in theirs:
            yield ast.unparse(node)
