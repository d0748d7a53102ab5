"""`autograder.checks` stands alone: in an environment that has little else, and in a browser.

Cells run in a CPython without PyTorch and Matplotlib, and once more in Pyodide under Node, where
there are no threads either. `make test-pyodide` fetches both; elsewhere these are skipped.
"""

import inspect
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import nbformat
import pytest
import torch
from nbformat.v4 import new_code_cell, new_notebook

from autograder.authoring.build import shipping
from autograder.authoring.build.build import build_lesson
from autograder.checks.card.as_html import REPORT_MIME
from autograder.checks.exam.exam import Exam
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.demo.classroom import names_above
from autograder.demo.standalone import standing_alone
from autograder.site.lessons.colab import for_colab
from tests.support import exam_alone
from tests.support.course import COURSE, ROOT
from tests.support.installed import BareEnvironment, EnvironmentWithoutCourse
from tools.fetch_pyodide import FOLDER as PYODIDE

pytestmark = pytest.mark.long

SUPPORT = ROOT / "tests" / "support"
SCRIPT = SUPPORT / "cells_alone.py"
# Runs cells in a folder, and returns the reports that they show, in each form.
Python = Callable[[Path, list[str]], list[dict[str, Any]]]

LESSONS = ["00_foundations", "02_dot_product_self_attention"]
IMPORTS = """\
from collections.abc import Callable
import numpy as np
from autograder import check
from companion import HELLO_SHINY_SUN, softmax, torch_softmax"""

WRONG = "def centred(values):\n    return values - np.median(values)"
UNKNOWN = "def centred(values):\n    mean = values.mean()\n    return values + mean"


@pytest.fixture(scope="module")
def environment(wheel_path: Path, tmp_path_factory: pytest.TempPathFactory) -> BareEnvironment:
    return BareEnvironment(tmp_path_factory.mktemp("bare") / "environment", wheel_path)


@pytest.fixture(scope="module")
def pyodide(environment: BareEnvironment) -> Iterator[subprocess.Popen[str]]:
    """Node with Pyodide, which takes seconds to start, and so is started once."""
    if not (shutil.which("node") and (PYODIDE / "pyodide.mjs").exists()):
        pytest.skip("make test-pyodide fetches Pyodide, and runs this")
    command = ["node", *map(str, (SUPPORT / "in_pyodide.mjs", PYODIDE, environment.libraries))]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as node:
        yield node
        node.communicate()


@pytest.fixture(params=["cpython", "pyodide"])
def python(request: pytest.FixtureRequest, environment: BareEnvironment) -> Python:
    def here(folder: Path, cells: list[str]) -> list[dict[str, Any]]:
        return json.loads(environment.run("python", SCRIPT, job(folder, cells)))

    def in_pyodide(folder: Path, cells: list[str]) -> list[dict[str, Any]]:
        node = request.getfixturevalue("pyodide")
        order = json.dumps([str(folder), str(SCRIPT), job(folder, cells)])
        print(order, file=node.stdin, flush=True)
        return json.loads(node.stdout.readline() or pytest.fail("it ended: see its errors above"))

    return here if request.param == "cpython" else in_pyodide


def job(folder: Path, cells: list[str]) -> str:
    return json.dumps({"folder": str(folder), "cells": cells})


def test_all_of_it_can_be_imported(environment: BareEnvironment) -> None:
    walk = (
        "import importlib, pkgutil, autograder.checks as checks\n"
        "for module in pkgutil.walk_packages(checks.__path__, 'autograder.checks.'):\n"
        "    importlib.import_module(module.name)"
    )
    environment.run("python", "-c", walk)


def test_exam_names_the_mistake_on_its_card(python: Python, tmp_path: Path) -> None:
    shutil.copy(exam_alone.__file__, tmp_path)
    show = (
        "from exam_alone import around_the_median, centred, exam\n"
        "from autograder.checks.card.as_html import show\n"
        "for answer in (centred, around_the_median):\n"
        "    show(exam.examine(answer))"
    )
    right, wrong = python(tmp_path, [show])
    assert right[REPORT_MIME]["verdict"] == "passed"
    assert wrong[REPORT_MIME]["misconception"] == "around_the_median"
    assert "Hint: You subtracted the number in the *middle*" in wrong["text/plain"]
    assert "</b> You subtracted the number in the <em>middle</em>" in wrong["text/html"]


def test_check_reads_what_ships(python: Python, tmp_path: Path) -> None:
    shipped = shipping.write({"centred": exam_alone.exam})
    (tmp_path / "checks.json").write_text(shipped, encoding="utf-8")
    imports = "import numpy as np\nfrom autograder import check"
    answers = [inspect.getsource(exam_alone.centred), WRONG, UNKNOWN]
    cells = [cell for answer in answers for cell in (answer, "check(centred)")]
    right, wrong, unknown = (one[REPORT_MIME] for one in python(tmp_path, [imports, *cells]))
    assert right["verdict"] == "passed"
    assert wrong["misconception"] == "around_the_median"
    assert unknown["places"][0]["line"] == 3


def test_first_cell_in_colab_installs_all_that_a_lesson_takes(
    wheel_path: Path, tmp_path: Path
) -> None:
    """Nothing is downloaded: the wheel takes the place of the address, and needs nothing more."""
    colab = EnvironmentWithoutCourse(tmp_path / "colab")
    lesson = build_lesson(COURSE, LESSONS[1])
    opened = for_colab(lesson.student, "ada/course")
    code = [cell.source for cell in opened.cells if cell.cell_type == "code"][:2]
    code[0] = code[0].replace("git+https://github.com/ada/course", str(wheel_path))
    name, *_ = lesson.exams
    answer, misconception = a_wrong_one(lesson.exams[name], name, set())
    notebook = new_notebook(cells=[*map(new_code_cell, [*code, answer, f"check({name})"])])
    nbformat.write(notebook, path := tmp_path / "opened.ipynb")
    (profile := tmp_path / "profile").mkdir()
    here = ("--no-banner", f"--ipython-dir={profile}")
    said = colab.run("python", "-m", "IPython", *here, path, folder=tmp_path)
    assert "lesson 02 in the installed" in said
    hint = lesson.exams[name].hints[misconception]
    assert hint.replace("*", "") in said


@pytest.mark.parametrize(("name", "says"), [("mark", "clone the course"), ("status", "clone")])
def test_what_needs_a_clone_says_so_in_a_sentence(
    python: Python, tmp_path: Path, name: str, says: str
) -> None:
    """Wherever a lesson runs, and whatever is missing there."""
    call = f"from autograder import {name}\nfrom autograder.errors import CourseError\ntry:\n"
    call += f"    {name}()\nexcept CourseError as error:\n    assert {says!r} in str(error)\n"
    assert python(tmp_path, [f"{call}else:\n    raise AssertionError"]) == []


def test_softmax_of_the_companion(python: Python, tmp_path: Path) -> None:
    scores = [[0.5, -1.0, 2.0], [1000.0, 999.0, -1000.0]]
    expected = torch.tensor(scores, dtype=torch.float64).softmax(dim=0).tolist()
    compare = f"np.testing.assert_allclose(softmax({scores}, axis=0), {expected}, rtol=1e-12)"
    # Learners compare shifted scores with ==, which holds for PyTorch's where the shift is exact.
    shifted = "assert (softmax([0.25, 2.0, -1.5]) == softmax([8.25, 10.0, 6.5])).all()"
    assert python(tmp_path, [IMPORTS, compare, shifted]) == []


@pytest.mark.parametrize("axis", [2, -3])
def test_softmax_along_no_axis_says_what_torch_says(
    python: Python, tmp_path: Path, axis: int
) -> None:
    with pytest.raises(IndexError) as raised:
        torch.ones(2, 3).softmax(dim=axis)
    call = f"try:\n    softmax(np.ones((2, 3)), axis={axis})\nexcept IndexError as error:\n"
    compare = f"    assert str(error) == {str(raised.value)!r}\nelse:\n    raise AssertionError"
    assert python(tmp_path, [IMPORTS, call + compare]) == []


def test_attention_of_the_companion(python: Python, tmp_path: Path) -> None:
    inputs = [[0.5, -1.0], [2.0, 0.25], [30.0, -40.0]]
    X = torch.tensor(inputs, dtype=torch.float64)
    weights = (X @ X.T).softmax(dim=-1)
    compare = (
        "from companion import attention_map, plain_attention\n"
        f"np.testing.assert_allclose(attention_map({inputs}), {weights.tolist()}, atol=1e-12)\n"
        f"np.testing.assert_allclose(plain_attention({inputs}), {(weights @ X).tolist()})"
    )
    assert python(tmp_path, [IMPORTS, compare]) == []


@pytest.mark.parametrize("lesson", LESSONS)
def test_lesson_that_needs_no_torch(python: Python, lesson: str) -> None:
    answers = list(answers_of(lesson))
    cells = [cell for name, source, _ in answers for cell in (source, f"check({name})")]
    shown = [one[REPORT_MIME] for one in python(COURSE.release_folder(lesson), [IMPORTS, *cells])]
    found = [(one["exercise"], one["misconception"] or one["verdict"]) for one in shown]
    assert found == [(name, expected) for name, _, expected in answers]


def test_lesson_without_its_examples_beside_it(
    environment: BareEnvironment, tmp_path: Path
) -> None:
    """The wheel has them. Of two lessons with a `context_vector`, it is the one that fits."""
    answers = [*answers_of(LESSONS[1])]
    cells = [cell for name, source, _ in answers for cell in (source, f"check({name})")]
    said, shown = environment.run("python", SCRIPT, job(tmp_path, [IMPORTS, *cells])).splitlines()
    reports = [one[REPORT_MIME] for one in json.loads(shown)]
    found = [(one["exercise"], one["misconception"] or one["verdict"]) for one in reports]
    assert found == [(name, expected) for name, _, expected in answers]
    assert said == (
        "There is no checks.json beside this notebook, so its checks are those of lesson 02 in the "
        f"installed attention-course {version('attention-course')}."
    )


def answers_of(lesson: str) -> Iterator[tuple[str, str, str]]:
    """A wrong and a right answer of each exercise: its name, a cell, and what the check finds."""
    built = build_lesson(COURSE, lesson)
    solved = built.solved()
    for cell in solved.cells:
        name = grade_id_of(cell)
        if has_role(cell, "solution") and name in built.exams:
            yield name, *a_wrong_one(built.exams[name], name, names_above(solved, name))
            yield name, cell.source, "passed"


def a_wrong_one(exam: Exam, name: str, known: set[str]) -> tuple[str, str]:
    """A cell with the first misconception that the check names and that can stand alone in one, and
    which it is.
    """
    for misconception, wrong in exam.misconceptions.items():
        if exam.preview(wrong).misconception != misconception:
            continue
        if not inspect.signature(wrong).parameters:
            # A worksheet: the numbers that it is filled in with are all that there is to it.
            return f"def {name}():\n    return {wrong()!r}", misconception
        if source := standing_alone(wrong, name, known):
            return source, misconception
    raise AssertionError(f"no misconception of {name} can stand alone")
