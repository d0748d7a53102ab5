from pathlib import Path

import nbformat
import pytest

from autograder.build import solved_notebook
from autograder.course import Course
from autograder.errors import CheckError
from autograder.marking import lesson_of, mark_notebook
from autograder.marks import summary

COURSE = Course(Path(__file__).resolve().parents[1])
LESSON = "02_dot_product_self_attention"


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One's own notebook: one exercise wrong beyond its printed examples, one cell deleted."""
    folder = tmp_path_factory.mktemp("own") / LESSON
    folder.mkdir()
    (folder / "checks.json").write_bytes(
        (COURSE.release_folder(LESSON) / "checks.json").read_bytes()
    )
    solved = solved_notebook(COURSE, LESSON)
    cells = {cell.id: cell for cell in solved.cells}
    cells["context-vector"].source = (
        "def context_vector(weights, inputs):\n"
        "    return weights @ inputs if len(weights) > 2 else inputs[0]"
    )
    solved.cells.remove(cells["pairwise-scores-check"])
    path = folder / f"{LESSON}.ipynb"
    nbformat.write(solved, path)
    return path


def test_own_work_is_marked(notebook: Path) -> None:
    before = notebook.read_bytes()
    steps: list[tuple[int, int]] = []
    marks = mark_notebook(
        COURSE, notebook, progress=lambda done, cells: steps.append((done, cells))
    )
    by_name = {mark.exercise: mark for mark in marks}
    assert by_name["attention_scores"].points == 2
    assert by_name["context_vector"].points == 0
    assert by_name["context_vector"].verdict == "wrong"
    assert by_name["pairwise_scores"].verdict.startswith("missing")
    assert by_name["what_it_cannot_do"].points is None
    assert summary(marks) == "24 of 29 points, and 4 more to be graded by hand"
    assert notebook.read_bytes() == before
    assert steps[-1][0] == steps[-1][1]


@pytest.mark.parametrize(
    "name",
    [
        f"{LESSON}.ipynb",
        f"{LESSON} (newer, 1a2b3c4d).ipynb",
        f"{LESSON}-Copy1.ipynb",
        f"{LESSON}/mine.ipynb",
    ],
)
def test_lesson_is_known_by_name(tmp_path: Path, name: str) -> None:
    assert lesson_of(COURSE, tmp_path / name) == LESSON


def test_strange_notebook_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="belongs to no lesson"):
        mark_notebook(COURSE, tmp_path / "holiday.ipynb")


def test_missing_notebook_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckError, match="does not exist"):
        mark_notebook(COURSE, tmp_path / f"{LESSON}.ipynb")


def test_damaged_notebook_is_refused(tmp_path: Path) -> None:
    path = tmp_path / f"{LESSON}.ipynb"
    path.write_text("{")
    with pytest.raises(CheckError, match="is not a notebook"):
        mark_notebook(COURSE, path)
