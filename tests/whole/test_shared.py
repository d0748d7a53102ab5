"""What test files share stands in tests/support: no test file is imported by anybody."""

import ast
from pathlib import Path

from tests.support.course import ROOT

FILES = sorted([*ROOT.glob("tests/**/*.py"), *ROOT.glob("benchmarks/**/*.py")])


def test_no_test_file_is_imported() -> None:
    tests = {path.stem for path in FILES if path.stem.startswith("test_")}
    assert {str(path): found for path in FILES if (found := modules_in(path) & tests)} == {}


def modules_in(path: Path) -> set[str]:
    """Each part of each name that is imported somewhere in a file."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names += [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
    return {part for name in names for part in name.split(".")}
