"""Nothing that a student gets holds a solution, a hidden test or a number that is not printed."""

import ast
import json
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.course import Course, module_name
from autograder.exam import exams_of
from autograder.judge import is_mistaken
from autograder.leaks import leaks
from autograder.plain import alike, encode, encode_outcome, importable
from autograder.reference import Source, read_reference

COURSE = Course(Path(__file__).resolve().parents[1])
SECRETS = re.compile(
    r"solutions|HIDDEN|hidden_check|MARK SCHEME|BEGIN SOLUTION|Model answer|misconception\b"
)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """What `pip install` brings."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, COURSE.root]
    subprocess.run(command, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    return zipfile.ZipFile(path)


def sources() -> dict[str, Source]:
    found = {}
    for lesson in COURSE.lessons():
        found.update(read_reference(COURSE.solutions / f"{module_name(lesson)}.py"))
    return found


def cells() -> Iterator[tuple[str, str, bool]]:
    for path in sorted(COURSE.notebooks.rglob("*.ipynb")):
        for cell in nbformat.read(path, as_version=4).cells:
            yield f"{path.name}, cell {cell.id}", cell.source, cell.cell_type == "code"


def test_students_get_two_kinds_of_files() -> None:
    for lesson in COURSE.lessons():
        names = {path.name for path in COURSE.release_folder(lesson).iterdir()}
        assert names - {".ipynb_checkpoints"} == {f"{lesson}.ipynb", "checks.json"}


def test_notebooks_hold_no_solution() -> None:
    reference = sources().values()
    assert len(list(reference)) >= 20
    for place, text, is_code in cells():
        assert not SECRETS.search(text), place
        assert list(leaks(text, reference, is_code=is_code)) == [], place


def test_notebooks_hold_no_output() -> None:
    for path in COURSE.notebooks.rglob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            assert not cell.get("outputs")
            assert "attachments" not in cell


def test_numbers_are_those_of_the_printed_examples() -> None:
    """Whatever stands in checks.json comes from the printed examples and the hints alone."""
    for lesson in COURSE.lessons():
        shipped = json.loads((COURSE.release_folder(lesson) / "checks.json").read_text("utf-8"))
        exams = exams_of(COURSE.exam_module(lesson))
        assert shipped.keys() == {"format", "exercises"}
        assert shipped["exercises"].keys() == exams.keys()
        for name, exercise in shipped["exercises"].items():
            driver = exams[name].use
            assert exercise.keys() - {"use", "forbids"} == {"hints", "cases"}
            assert exercise.get("forbids", []) == list(exams[name].forbids)
            assert exercise.get("use") == (importable(driver) if driver else None)
            assert exercise["hints"] == exams[name].hints
            for case, written in zip(exams[name].printed_cases(), exercise["cases"], strict=True):
                outcomes = {name: run() for name, run in case.lookalikes.items()}
                wrong = {name: one for name, one in outcomes.items() if is_mistaken(one, case)}
                computed = {
                    "label": case.label,
                    "arguments": {key: encode(value) for key, value in case.arguments.items()},
                    "names": list(case.names),
                    "reveal": case.reveal,
                    "tolerance": [case.tolerance.absolute, case.tolerance.relative],
                    "expected": encode_outcome(case.expected),
                    "lookalikes": {key: encode_outcome(one) for key, one in wrong.items()},
                }
                assert alike(written, json.loads(json.dumps(computed)))


def test_wheel_holds_engine_and_companion(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"autograder", "companion"}


def test_wheel_holds_no_solution(wheel: zipfile.ZipFile) -> None:
    reference = sources().values()
    # Trained weights are numbers, in NumPy's own archives.
    for name in (name for name in wheel.namelist() if not name.endswith(".npz")):
        text = wheel.read(name).decode()
        assert list(leaks(text, reference, is_code=name.endswith(".py"))) == [], name


def test_companion_computes_nothing_that_is_asked(wheel: zipfile.ZipFile) -> None:
    """No exercise's own answer is in what students install, but for the library's softmax."""
    asked = set(sources())
    defined = set()
    for name in wheel.namelist():
        if name.endswith(".py"):
            tree = ast.parse(wheel.read(name))
            kinds = (ast.FunctionDef, ast.ClassDef)
            defined |= {n.name for n in ast.walk(tree) if isinstance(n, kinds)}
    assert asked & defined <= {"softmax"}
    functions = wheel.read("companion/functions.py").decode()
    assert "torch.softmax" in functions
    assert "exp(" not in functions
