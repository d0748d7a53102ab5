"""Names and messages that somebody else chose, in a terminal."""

import io

import pytest
from rich.console import Console
from rich.table import Table

from autograder.checks.card.terminal import as_written, printable
from autograder.grading.class_table import StudentResult, as_table
from autograder.learner import marks

HOSTILE = (
    "[", "b].txt", "[/]", "[/red]", "[red]red", "[link=http:report.html]here[/link]", "\\[",
    "[bold", "\x1b[2J\x1b[1;1Hall right", "\x07\x08\x7f", "\x1b]0;title\x07", "\u202egnp.exe",
    ":smile:", "<img src=x onerror=alert(1)>", "\u2028", "\ud800",
)  # fmt: skip


def shown(table: Table) -> str:
    file = io.StringIO()
    Console(file=file, width=300, force_terminal=True, color_system=None).print(table)
    return file.getvalue()


@pytest.mark.parametrize("name", HOSTILE)
def test_table_of_a_class(name: str) -> None:
    results = [StudentResult(name, 1, 2, found=(name,)), StudentResult(name, failure=name)]
    assert shown(as_table(results, name)).count(printable(name)) == 5


@pytest.mark.parametrize("name", HOSTILE)
def test_table_of_marks(name: str) -> None:
    mark = marks.Mark(name, 1.0, 2, "wrong", details=(name,), hint=name)
    assert shown(marks.as_table([mark], name)).count(printable(name)) >= 3


@pytest.mark.parametrize("name", HOSTILE)
def test_terminal_obeys_nothing(name: str) -> None:
    text = printable(name)
    assert all(one.isprintable() for one in text)
    assert as_written(name).plain == text
    assert as_written(name).spans == []
    text.encode()


def test_lines_stay() -> None:
    assert printable("one\ntwo\tthree") == "one\ntwo?three"
