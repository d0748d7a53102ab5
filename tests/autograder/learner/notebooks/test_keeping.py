"""What a learner's notebook may hold, and what no command on it may stumble over."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from typer.testing import CliRunner

from autograder.checks import examples
from autograder.cli import program
from autograder.course import Course
from autograder.errors import CheckError
from autograder.learner.due import place_again
from autograder.learner.notebooks.keeping import in_bytes
from autograder.learner.notebooks.reset import reset
from autograder.learner.notebooks.update import update_notebook
from autograder.learner.notebooks.work import copy_lessons
from tests.support.one_lesson import course_of, give_out
from tests.support.samples import make_cell

LESSON, OTHER = "02_mixing", "03_sharing"
STUB = "def mix():\n    raise NotImplementedError()"
UPDATE, RESET, AGAIN, LAB = ["update"], ["reset", "02", "mix"], ["again", "02", "mix"], ["lab"]
ODD = {
    "first half of a letter": "\ud83d",
    "second half": "\ude00",
    "halves the wrong way round": "\ude00\ud83d",
    "half behind a backslash": "\\\ud83d",
    "escape of a half, as text": "\\ud83d",
    "whole letter": "😀",
    "nothing": "\0",
    "ends of lines": "a\r\n\u2028\x85b",
}

Json = dict[str, Any]


def of_stream(cell: Json, text: str) -> None:
    cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": text}]


def of_display(cell: Json, text: str) -> None:
    data = {"text/html": text}
    cell["outputs"] = [{"output_type": "display_data", "data": data, "metadata": {}}]


def of_error(cell: Json, text: str) -> None:
    error = {"ename": "E", "evalue": text, "traceback": [text]}
    cell["outputs"] = [{"output_type": "error", **error}]


PLACES: dict[str, Callable[[Json, str], None]] = {
    "source": lambda cell, text: cell.update(source=text),
    "metadata": lambda cell, text: cell["metadata"].update(note=text),
    "name in metadata": lambda cell, text: cell["metadata"].update({text: text}),
    "stream": of_stream,
    "display": of_display,
    "error": of_error,
}


def release(course: Course, edition: int) -> None:
    """Give out both lessons."""
    for lesson in (LESSON, OTHER):
        cells = [
            new_code_cell(f"edition = {edition}", id=f"edition-{edition}"),
            make_cell("code", STUB, "mix", solution=True),
            make_cell("code", "check(mix)", "mix_check", grade=True, points=2),
        ]
        cells[1].id, cells[2].id = "mix", "mix-check"
        folder = give_out(course, lesson, cells)
        (folder / examples.FILE).write_text("{}")


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course whose lessons a learner has copied, and answered."""
    course = course_of(tmp_path, LESSON)
    course.lesson_file(OTHER).touch()
    release(course, 1)
    copy_lessons(course)
    for lesson in (LESSON, OTHER):
        change(mine(course, lesson), lambda written: written["cells"][1].update(source="mine"))
    monkeypatch.chdir(course.root)
    return course


def mine(course: Course, lesson: str = LESSON) -> Path:
    return course.root / "work" / lesson / f"{lesson}.ipynb"


def change(path: Path, how: Callable[[Json], object]) -> None:
    written = json.loads(path.read_bytes())
    how(written)
    path.write_text(json.dumps(written))


def call(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(program.app, [*arguments])
    # What is no sentence of ours is a defect.
    assert result.exception is None or isinstance(result.exception, (SystemExit, CheckError))
    return result.exit_code, result.output


def strings_in(value: object) -> list[str]:
    if isinstance(value, dict):
        return [*value, *(text for one in value.values() for text in strings_in(one))]
    if isinstance(value, list):
        return [text for one in value for text in strings_in(one)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("command", [UPDATE, RESET, AGAIN], ids=lambda one: one[0])
@pytest.mark.parametrize("odd", ODD)
def test_odd_text_stays(course: Course, odd: str, command: list[str]) -> None:
    release(course, 2)
    path = course.release_folder(LESSON) / mine(course).name if command == AGAIN else mine(course)
    cells: list[Json] = [json.loads(json.dumps(new_code_cell(place))) for place in PLACES]
    for cell, put in zip(cells, PLACES.values(), strict=True):
        put(cell, ODD[odd])
    change(path, lambda written: written.update(cells=[*cells, *written["cells"]]))
    before = path.read_bytes()
    code, said = call(*command)
    assert code == 0, said
    if command == AGAIN:
        path = place_again(course.root / "work", LESSON, "mix")
    else:
        (kept,) = path.parent.glob("*(kept *")
        assert kept.read_bytes() == before
    # As cells have their lines one by one, they are put together again.
    found = ["".join(strings_in(one)) for one in json.loads(path.read_bytes())["cells"]]
    assert sum(ODD[odd] in texts for texts in found) == len(PLACES), said


def test_every_half_of_a_letter_has_bytes() -> None:
    for code in range(0xD800, 0xE000):
        written = json.dumps({"text": chr(code)}, ensure_ascii=False)
        assert json.loads(in_bytes(written)) == {"text": chr(code)}


def deep(levels: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(levels):
        value = [value]
    return value


DAMAGES: dict[str, Callable[[Json], object]] = {
    "points beyond any number": lambda written: written["cells"][1]["metadata"]["nbgrader"].update(
        grade=True, points=10**400
    ),
    "half of a letter in a name": lambda written: written["cells"][1]["metadata"][
        "nbgrader"
    ].update(grade_id="\ud83d"),
    "half of a letter in an id": lambda written: written["cells"][1].update(id="\ud83d"),
    "deep metadata": lambda written: written["metadata"].update(deep=deep(400)),
    "deeper metadata": lambda written: written["metadata"].update(deep=deep(900)),
    "a form to come": lambda written: written.update(nbformat_minor=10**30),
}


@pytest.mark.parametrize("command", [UPDATE, [*LAB, "--no-open"], RESET], ids=lambda one: one[0])
@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_notebook_keeps_nobody_from_the_others(
    course: Course, damage: str, command: list[str]
) -> None:
    change(mine(course), DAMAGES[damage])
    before = mine(course).read_bytes()
    release(course, 2)
    code, said = call(*command)
    if command != RESET:
        assert code == 0
        assert f"{LESSON}/{LESSON}" in said
        assert "edition = 2" in mine(course, OTHER).read_text()
    there = {path.read_bytes() for path in mine(course).parent.glob("*.ipynb")}
    assert before in there


@pytest.mark.parametrize("error", [ValueError("no: x"), OverflowError("no"), RecursionError("no")])
def test_what_cannot_be_written_is_a_sentence(
    course: Course, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(*args: object) -> str:
        raise error

    release(course, 2)
    before = mine(course).read_bytes()
    monkeypatch.setattr(nbformat, "writes", failing)
    original = course.release_folder(LESSON) / mine(course).name
    said = r"02_mixing\.ipynb can't be read or written: no$"
    with pytest.raises(CheckError, match=said):
        update_notebook(mine(course), original)
    with pytest.raises(CheckError, match=said):
        reset(course, course.root / "work", LESSON, "mix")
    assert mine(course).read_bytes() == before
    assert not [*mine(course).parent.glob("*(kept *")]
