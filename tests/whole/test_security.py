"""docs/security_appendix.md names every attack of the suite, every class, and every relative of
holes that were found here, with what came of it.
"""

import ast
import json
import re
from pathlib import Path

import pytest

from benchmarks import relatives_table
from tests.support import gradebooks
from tests.support.attacks import ATTACKS, ORDINARY, inputs
from tests.support.course import ROOT
from tests.support.relatives import HOLES, all_relatives

PAGE = ROOT / "docs" / "security_appendix.md"
PROMISES = ROOT / "docs" / "security.md"
MOST_WORDS = 1500
BEGIN, END = "<!-- attacks: begin -->", "<!-- attacks: end -->"
CLASSES = 33
COLUMNS = 6
NUMBERED = {attack.name: number for number, attack in enumerate(ATTACKS, 1)}


@pytest.fixture(scope="module")
def part() -> str:
    text = PAGE.read_text(encoding="utf-8")
    assert (text.count(BEGIN), text.count(END)) == (1, 1)
    return text.split(BEGIN)[1].split(END)[0]


def rows(part: str, columns: int) -> list[list[str]]:
    """The rows of the table with so many columns that begin with a number."""
    found = [line.strip("|\n").split("|") for line in part.splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in row] for row in found]
    return [row for row in cells if len(row) == columns and row[0].isdigit()]


def test_every_attack_is_named(part: str) -> None:
    named = {row[1]: (int(row[0]), row[2]) for row in rows(part, COLUMNS)}
    assert named == {
        attack.name: (NUMBERED[attack.name], ", ".join(map(str, attack.classes)))
        for attack in ATTACKS
    }
    assert len(rows(part, COLUMNS)) == len(ATTACKS)


def test_every_result_is_told(part: str) -> None:
    for row in rows(part, COLUMNS):
        assert row[3]
        assert row[4] == "as an honest wrong answer"


def test_named_tests_exist(part: str) -> None:
    tests = (Path(__file__).parent / "test_attacks.py").read_text(encoding="utf-8")
    for name in set(re.findall(r"`(test_\w+)`", part)):
        assert f"def {name}(" in tests


def test_every_class_is_there(part: str) -> None:
    found = {int(row[0]): row for row in rows(part, COLUMNS - 2)}
    assert sorted(found) == list(range(1, CLASSES + 1))
    for number, (_, name, attacks, stops) in found.items():
        of_class = [NUMBERED[one.name] for one in ATTACKS if number in one.classes]
        assert attacks == ", ".join(map(str, of_class))
        assert of_class
        assert name
        assert stops


def test_counts_are_those_of_the_table(part: str) -> None:
    table = rows(part, COLUMNS)
    ran = [row for row in table if not row[3].startswith("not run")]
    assert f"{len(table)} submissions" in part
    assert f"{len(ran)} of them were run" in part
    assert f"**{sum('**' in row[3] for row in table)}** earned more" in part
    assert f"On ours **{sum('**' in row[4] for row in table)}** earned more" in part


# The relatives of holes that we had


def test_holes_have_relatives() -> None:
    names = [(hole.name, one.name) for hole in HOLES for one in hole.relatives]
    assert len(set(names)) == len(names) >= 60
    assert min(len(hole.relatives) for hole in HOLES) >= 3
    for hole in HOLES:
        assert hole.without or all(one.stock for one in hole.relatives), hole.name


def test_every_relative_has_its_test() -> None:
    """The file has the function, and it or its inputs the words by which it names the case."""
    files = [Path(str(module.__file__)) for module in (inputs, gradebooks)]
    shared = [ast.parse(path.read_text(encoding="utf-8")) for path in files]
    for number, one in all_relatives().items():
        file, function = one.test.split("::")
        code = ast.parse((ROOT / "tests" / f"{file}.py").read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(code) if isinstance(node, ast.FunctionDef)}
        assert function in functions, number
        if one.stock in relatives_table.OF_THE_SUITE:
            names = [attack.name for attack in ATTACKS]
            words = {*names, *(test for attack in ORDINARY for test in attack.tests)}
        else:
            nodes = [node for tree in (code, *shared) for node in ast.walk(tree)]
            constants = [node.value for node in nodes if isinstance(node, ast.Constant)]
            imported = [node.attr for node in nodes if isinstance(node, ast.Attribute)]
            makers = [node.name for node in nodes if isinstance(node, ast.FunctionDef)]
            words = {str(one) for one in (*constants, *imported, *makers)}
        assert any(one.case in word for word in words), number


def test_relatives_are_told_as_they_are() -> None:
    """The page's table is the one that `python benchmarks/relatives.py --table` makes."""
    seen, attacks = (
        json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))
        for name in ("relatives", "attacks")
    )
    text = PAGE.read_text(encoding="utf-8")
    assert relatives_table.part(seen, attacks) in text
    tried = {
        relatives_table.key_of(one)
        for one in all_relatives().values()
        if one.stock and one.stock not in relatives_table.OF_THE_SUITE
    }
    assert set(seen) == tried


def test_points_that_can_be_read_out_are_counted() -> None:
    """A worksheet asks for nothing but numbers, so what ships with it is its answer."""
    points, of_worksheets = 0, 0
    for path in sorted((ROOT / "notebooks").glob("*/checks.json")):
        exercises = json.loads(path.read_text(encoding="utf-8"))["exercises"]
        lesson = (ROOT / "source" / f"{path.parent.name}.md").read_text(encoding="utf-8")
        for name, worth in re.findall(r"```\{check\} (\w+)\n:points: (\d+)", lesson):
            points += int(worth)
            cases = exercises[name]["cases"]
            if not any(case["arguments"] or case["reveal"] for case in cases):
                of_worksheets += int(worth)
    assert 0 < of_worksheets < points / 10
    assert "less than a tenth of the course's points" in PROMISES.read_text(encoding="utf-8")


def test_promises_are_short_and_lead_to_the_rest() -> None:
    """Whoever decides whether to trust the grading reads one page, which names its evidence."""
    text = PROMISES.read_text(encoding="utf-8")
    assert len(text.split()) <= MOST_WORDS
    sections = re.findall(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    # Most of them stand beside a promise; that there are such headings is `test_pages`'s to see.
    assert len(set(re.findall(rf"\({PAGE.name}#([\w-]+)\)", text))) >= len(sections) - 1
