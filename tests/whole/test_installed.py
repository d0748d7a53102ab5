"""The engine from a wheel, at work on a course of another subject that lies somewhere else."""

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.checks.source.cells import grade_id_of
from tests.support.course import ROOT
from tests.support.installed import Environment

pytestmark = pytest.mark.long

LESSON = "week1"
MEAN = "def mean(values):\n    return np.mean(values)"
VARIANCE = "def variance(values):\n    return np.mean((values - np.mean(values)) ** 2)"
ONE_LESS = "def variance(values):\n    return np.var(values, ddof=1)"
CLASS = {
    "right": {"mean": MEAN, "variance": VARIANCE},
    "wrong": {"mean": MEAN, "variance": ONE_LESS},
    "blank": {},
}
NOSY = """\
import importlib.util, os
reference = importlib.util.find_spec("solutions")
print(sorted(os.listdir("/packages")), os.listdir({course!r}), reference)
"""


@pytest.fixture(scope="module")
def environment(wheel_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    return Environment(tmp_path_factory.mktemp("installed") / "environment", wheel_path)


@pytest.fixture(scope="module")
def course(environment: Environment) -> Path:
    """The course, built and released. It lies where students' code sees what is around it."""
    root = environment.folder / "srv" / "course"
    shutil.copytree(ROOT / "tests" / "support" / "statistics_course", root)
    environment.run("autograder", "build", folder=root)
    environment.run("nbgrader", "generate_assignment", "--force", LESSON, folder=root)
    return root


@pytest.fixture(scope="module")
def records(environment: Environment, course: Path) -> dict[str, dict[str, Any]]:
    """What was found in each submission, by the cell; a class is graded in one run."""
    for student, answers in CLASS.items():
        notebook = answered(course, answers)
        notebook.cells.append(new_code_cell(NOSY.format(course=str(course))))
        hand_in = course / "submitted" / student / LESSON
        shutil.copytree(course / "notebooks" / LESSON, hand_in)
        nbformat.write(notebook, hand_in / f"{LESSON}.ipynb")
    environment.run("autograder", "grade", LESSON, folder=course)
    found = {}
    for student in CLASS:
        text = (graded(course, student) / f"{LESSON}.verdicts.json").read_text(encoding="utf-8")
        found[student] = {cell["grade_id"]: cell for cell in json.loads(text)["cells"]}
    return found


def answered(course: Path, answers: dict[str, str]) -> NotebookNode:
    path = course / "notebooks" / LESSON / f"{LESSON}.ipynb"
    notebook: NotebookNode = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = answers.get(grade_id_of(cell), cell.source)
    return notebook


def graded(course: Path, student: str) -> Path:
    return course / "autograded" / student / LESSON


def test_scores(records: dict[str, dict[str, Any]]) -> None:
    points = {
        student: {name: cell["points"] for name, cell in cells.items()}
        for student, cells in records.items()
    }
    assert points == {
        "right": {"mean_check": 2, "variance_check": 3},
        "wrong": {"mean_check": 2, "variance_check": 0},
        "blank": {"mean_check": 0, "variance_check": 0},
    }


@pytest.mark.usefixtures("records")
def test_records_need_no_gradebook(environment: Environment, course: Path, tmp_path: Path) -> None:
    to = ("--records", tmp_path / "out")
    said = environment.run("autograder", "grade", "submitted", *to, folder=course)
    assert "3 of 3 graded" in said
    for student in CLASS:
        name = f"{student}/{LESSON}/{LESSON}"
        usual = course / "autograded" / f"{name}.verdicts.json"
        record = tmp_path / "out" / f"{name}.verdicts.json"
        assert verdicts(record) == verdicts(usual)
        assert record.with_name(f"{LESSON}.html").exists()


def verdicts(path: Path) -> list[tuple[str, float]]:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return [(cell["verdict"], cell["points"]) for cell in cells]


def test_mistake_is_named(records: dict[str, dict[str, Any]]) -> None:
    cell = records["wrong"]["variance_check"]
    assert cell["misconception"] == "one_less"
    assert cell["hint"].startswith("You divided by n - 1")


@pytest.mark.usefixtures("records")
def test_students_see_the_module_that_is_preloaded_and_nothing_else(course: Path) -> None:
    for student in CLASS:
        path = graded(course, student) / f"{LESSON}.ipynb"
        last = nbformat.read(path, as_version=4).cells[-1]
        assert last.outputs[0].text == "['sample_data.py'] [] None\n"


@pytest.mark.parametrize(("student", "says"), [("right", "Success!"), ("wrong", "failed")])
def test_notebook_far_from_any_course(
    environment: Environment, course: Path, tmp_path: Path, student: str, says: str
) -> None:
    """A student has the notebook, what lies beside it, and what the lecturer gave out."""
    folder = shutil.copytree(course / "notebooks" / LESSON, tmp_path / LESSON)
    shutil.copy(course / "sample_data.py", folder)
    nbformat.write(answered(course, CLASS[student]), folder / f"{LESSON}.ipynb")
    said = environment.run("nbgrader", "validate", f"{LESSON}.ipynb", folder=folder)
    assert says in said
