"""Nothing that a student gets holds a solution, a hidden test or a number that is not printed."""

import ast
import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.lesson.leaks import leaks
from autograder.authoring.lesson.lesson import WrittenExercise
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import Solution, Source, read_reference
from autograder.checks.described import keys_of
from autograder.checks.exam.case import is_mistaken
from autograder.checks.exam.exam import exams_of
from autograder.checks.packed import unpack
from autograder.checks.values.as_json import importable, outcome_from_json, to_json
from autograder.course import lesson_number, module_name
from autograder.learner.other_answers import other_answers
from tests.support.course import COURSE, ROOT

pytestmark = pytest.mark.slow

SECRETS = re.compile(
    r"solutions|HIDDEN|hidden_check|MARK SCHEME|BEGIN SOLUTION|Model answer|misconception\b"
)

EXAMPLES = "autograder/checks/lessons/"


@pytest.fixture(scope="module")
def wheel(wheel_path: Path) -> zipfile.ZipFile:
    """What `pip install` brings."""
    return zipfile.ZipFile(wheel_path)


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


def told_after_a_pass() -> dict[str, Source]:
    """The other right answers that somebody who learns alone reads, by what they do differently."""
    found = {}
    for lesson in COURSE.lessons():
        for name in exams_of(COURSE.exam_module(lesson)):
            for differs, code in other_answers(COURSE.root / "work" / lesson, name).items():
                (answer,) = ast.parse(code).body
                assert isinstance(answer, ast.FunctionDef | ast.ClassDef)
                lines = code.splitlines()[answer.body[0].lineno - 1 :]
                solution = Solution(tuple(lines), tuple(answer.body))
                found[differs] = Source(differs, 1, code, (solution,))
    return found


@pytest.mark.long
def test_other_right_answers_never_ship(wheel: zipfile.ZipFile) -> None:
    told = told_after_a_pass()
    assert len(told) > 150
    texts = [*cells()]
    texts += [(name, wheel.read(name).decode(), name.endswith(".py"))
              for name in wheel.namelist() if not name.endswith(".npz")]  # fmt: skip
    for place, text, is_code in texts:
        assert list(leaks(text, told.values(), is_code=is_code)) == [], place
        assert not any(differs in text for differs in told), place


def test_notebooks_hold_no_output() -> None:
    for path in COURSE.notebooks.rglob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            assert not cell.get("outputs")
            assert "attachments" not in cell


def test_no_cell_tells_what_its_figure_shows() -> None:
    """A reader is asked for it before, and looks at the cell while they think."""
    for lesson in COURSE.lessons():
        folder = COURSE.release_folder(lesson)
        notebook = nbformat.read(folder / f"{lesson}.ipynb", as_version=4)
        cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
        assert not re.search(r"\balt=[\"']", "\n".join(cells)), lesson
        shipped = json.loads((folder / "checks.json").read_text("utf-8"))
        named = {key for cell in cells for _, key in keys_of(ast.parse(cell))}
        assert shipped["descriptions"].keys() <= named, lesson


@pytest.mark.long
def test_numbers_are_those_of_the_printed_examples() -> None:
    """What stands in checks.json comes from printed examples, hints and hidden cases' names alone.

    That its numbers are what the build makes, to the byte, is tested elsewhere.
    """
    for lesson in COURSE.lessons():
        shipped = json.loads((COURSE.release_folder(lesson) / "checks.json").read_text("utf-8"))
        exams = exams_of(COURSE.exam_module(lesson))
        assert shipped.keys() - {"descriptions"} == {"format", "lesson", "exercises"}
        assert shipped["lesson"] == lesson_number(lesson)
        assert shipped["exercises"].keys() == exams.keys()
        for name, exercise in shipped["exercises"].items():
            driver = exams[name].use
            others = {"use", "forbids", "places", "axes", "inputs", "untried"}
            assert exercise.keys() - others == {"hints", "cases", "outcomes"}
            assert exercise.get("forbids", []) == list(exams[name].forbids)
            assert exercise.get("use") == (importable(driver) if driver else None)
            assert exercise["hints"] == exams[name].hints
            assert exercise.get("untried", []) == exams[name].untried
            assert tuple(exercise.get("inputs", ())) == tuple(exams[name].inputs)
            printed = exams[name].printed_cases()
            all_outcomes = unpack(exercise["outcomes"])
            for case, written, outcomes in zip(
                printed, exercise["cases"], all_outcomes, strict=True
            ):
                assert written == {
                    "label": case.label,
                    "arguments": {key: to_json(value) for key, value in case.arguments.items()},
                    "names": list(case.names),
                    "reveal": case.reveal,
                    "tolerance": [case.tolerance.absolute, case.tolerance.relative],
                    **({"way": case.way} if case.way else {}),
                }
                assert outcomes.keys() - {"single", "noise"} == {"expected", "lookalikes"}
                assert {*outcomes.get("noise", ())} <= case.lookalikes.keys()
                assert not outcomes["lookalikes"].keys() & outcomes.get("noise", ())
                assert {*outcomes.get("single", ())} <= outcomes["lookalikes"].keys()
                assert not is_mistaken(outcome_from_json(outcomes["expected"]), case)
                assert outcomes["lookalikes"].keys() <= case.lookalikes.keys()
                for one in outcomes["lookalikes"].values():
                    assert is_mistaken(outcome_from_json(one), case)


def numbers_in(value: object) -> Iterator[float]:
    if isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from numbers_in(one)
    elif isinstance(value, float):
        yield value


def written_forms(number: float) -> Iterator[tuple[str, str]]:
    """How a number begins that is rounded to four digits, or has more, or a power; and a pattern
    for what follows.
    """
    mantissa, power = f"{abs(number):.6e}".split("e")
    for digits, places, behind in (
        (f"{abs(number):.8f}", 4, r"(?!\d)"),
        (mantissa, 3, rf"[eE]{power[0] if power[0] == '-' else '[+]?'}0*{int(power[1:])}(?!\d)"),
    ):
        yield f"{float(digits):.{places}f}", behind
        yield digits[: digits.index(".") + places + 1], rf"\d+{behind}"


def is_written(number: float, text: str) -> bool:
    """Whether a text has a number, in one of its usual forms."""
    return any(
        # A text is looked for ten times as fast as a pattern.
        begins in text and re.search(rf"(?<![\d.]){re.escape(begins)}{rest}", text)
        for begins, rest in written_forms(number)
    )


def test_worksheets_keep_their_numbers() -> None:
    """Nobody who opens or searches checks.json finds a number that is asked for by hand."""
    searched = 0
    for lesson in COURSE.lessons():
        text = (COURSE.release_folder(lesson) / "checks.json").read_text("utf-8")
        exercises = json.loads(text)["exercises"]
        # What is given, for this exercise or another, may have an entry in common with mistakes.
        given = {"hints", "arguments", "tolerance"}
        rest = json.dumps(without(given, exercises))
        for exercise in exercises.values():
            if any(case["reveal"] for case in exercise["cases"]):
                continue
            outcomes = unpack(exercise["outcomes"])
            asked = {number for one in outcomes for number in numbers_in(one["expected"])}
            for numbers, place in ((asked, text), (set(numbers_in(outcomes)), rest)):
                # Short numbers stand everywhere.
                for number in (one for one in numbers if round(one, 2) != one):
                    assert not is_written(number, place), (lesson, number)
                    searched += 1
    assert searched > 200


def without(keys: set[str], value: object) -> object:
    if isinstance(value, dict):
        return {key: without(keys, one) for key, one in value.items() if key not in keys}
    return [without(keys, one) for one in value] if isinstance(value, list) else value


@pytest.mark.parametrize(
    ("number", "form"),
    [
        (0.784271, "0.7843"),
        (0.784271, "0.78427"),
        (0.784271, "7.843e-01"),
        (0.784271, "7.8427E-1"),
        (-12.54169, "12.5417"),
        (-12.54169, "1.254169e+01"),
    ],
)
def test_usual_forms_of_a_number_are_found(number: float, form: str) -> None:
    assert is_written(number, f"[1.0,-{form}]")
    assert not is_written(number * 1.01, f"[1.0,-{form}]")


def written_answers() -> Iterator[tuple[str, WrittenExercise]]:
    for lesson in COURSE.lessons():
        for block in read_lesson(COURSE.lesson_file(lesson)).blocks:
            if isinstance(block, WrittenExercise):
                yield lesson, block


def test_model_answers_never_ship() -> None:
    """Nor does what graders are told; the points that learners tick are written for them."""
    for lesson, block in written_answers():
        text = (COURSE.release_folder(lesson) / f"{lesson}.ipynb").read_text("utf-8")
        assert json.dumps(block.question.split("\n")[0], ensure_ascii=False)[1:-1] in text
        secret = f"{block.model_answer}\n{block.marking_scheme}"
        sentences = [one for one in re.split(r"(?<=[.:])\s+|\n", secret) if len(one) > 25]
        assert len(sentences) > 5
        for sentence in sentences:
            assert json.dumps(sentence, ensure_ascii=False)[1:-1] not in text, sentence


def test_learners_can_look_through_each_answer() -> None:
    for _, block in written_answers():
        assert 3 <= len(block.to_tick) <= 5, block.name
        for point in block.to_tick:
            assert point.text not in block.model_answer
            assert point.text[0].isupper() or point.text.startswith("`"), point.text
            assert point.text.endswith((".", ")")), point.text


@pytest.mark.long
def test_wheel_holds_the_printed_examples_of_each_lesson(wheel: zipfile.ZipFile) -> None:
    """So that a check works where somebody has the notebook alone."""
    for lesson in COURSE.lessons():
        beside = (COURSE.release_folder(lesson) / "checks.json").read_bytes()
        assert wheel.read(f"{EXAMPLES}{lesson}.json") == beside


def test_wheel_holds_engine_and_companion_whole(wheel: zipfile.ZipFile) -> None:
    """Each of their packages, and each file beside modules: styles, scripts, weights, stubs."""
    names = (name for name in wheel.namelist() if not name.startswith(EXAMPLES))
    shipped = {name for name in names if ".dist-info/" not in name}
    files = [
        path.relative_to(ROOT).as_posix()
        for package in ("autograder", "companion")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert {Path(name).suffix for name in files} >= {".css", ".js", ".npz", ".py", ".pyi", ".typed"}
    assert shipped == set(files)


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
        if name.startswith("companion/") and name.endswith(".py"):
            # A method of that name is another thing.
            kinds = (ast.FunctionDef, ast.ClassDef)
            body = ast.parse(wheel.read(name)).body
            defined |= {statement.name for statement in body if isinstance(statement, kinds)}
    assert asked & defined <= {"softmax"}
    functions = wheel.read("companion/functions.py").decode()
    assert "torch.softmax" in functions
    # Where there is no PyTorch, it goes by logarithms: what is asked for is a share of a sum.
    assert "logaddexp" in functions
    assert "sum(" not in functions
