"""The description of a figure, from the file beside the notebook, where its cell runs."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import InteractiveShell

from autograder.authoring.build.shipping import write
from autograder.checks import examples
from autograder.checks.described import describe_figures, described, keys_of
from autograder.checks.examples import FILE
from tests.support.samples import MEANS

CELL = 'drawn = [draw(max(1, 2)), draw(3, alt="Mine."), other(4)]'
DRAW = "def draw(x, *, alt='Nothing.'):\n    return alt\n\ndef other(x):\n    return x\n"
FIRST = "A map of weights."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    shell = InteractiveShell.instance()
    shell.run_cell(DRAW)
    describe_figures()
    describe_figures()
    assert len(shell.ast_transformers) == 1
    yield shell
    InteractiveShell.clear_instance()


def ship(folder: Path) -> None:
    first = next(key for call, key in keys_of(ast.parse(CELL)) if "max" in ast.unparse(call))
    text = write({MEANS.name: MEANS}, descriptions={first: FIRST, "heatmap-1": "A map."})
    (folder / FILE).write_text(text, "utf-8")


def test_figure_is_described_where_the_package_knows_it(
    folder: Path, shell: InteractiveShell, monkeypatch: pytest.MonkeyPatch
) -> None:
    ship(folder)
    lesson = examples.read(folder)
    (folder / FILE).unlink()
    monkeypatch.setattr(examples, "installed", lambda: (lesson,))
    assert drawn_by(shell, CELL) == [FIRST, "Mine.", 4]


def drawn_by(shell: InteractiveShell, cell: str) -> object:
    done = shell.run_cell(cell)
    done.raise_error()
    return shell.user_ns["drawn"]


def test_figure_of_a_cell_is_described_where_it_runs(folder: Path, shell: InteractiveShell) -> None:
    ship(folder)
    assert drawn_by(shell, CELL) == [FIRST, "Mine.", 4]
    assert drawn_by(shell, f"# Run again.\n{CELL}\n") == [FIRST, "Mine.", 4]


def test_figure_of_a_changed_cell_is_not(folder: Path, shell: InteractiveShell) -> None:
    ship(folder)
    assert drawn_by(shell, CELL.replace("3", "5")) == ["Nothing.", "Mine.", 4]


def test_file_that_has_changed_is_read_again(folder: Path, shell: InteractiveShell) -> None:
    assert drawn_by(shell, CELL) == ["Nothing.", "Mine.", 4]
    ship(folder)
    assert drawn_by(shell, CELL) == [FIRST, "Mine.", 4]


@pytest.mark.parametrize("text", ["", '{"format": 1}', '{"format": 3, "exercises": {}}'])
def test_figure_is_drawn_without_one(folder: Path, shell: InteractiveShell, text: str) -> None:
    (folder / FILE).write_text(text, "utf-8")
    assert drawn_by(shell, CELL) == ["Nothing.", "Mine.", 4]
    assert described("heatmap-1") == "A figure of this lesson."


def test_notebook_that_was_given_out_earlier_finds_its_descriptions(folder: Path) -> None:
    ship(folder)
    assert described("heatmap-1") == "A map."
