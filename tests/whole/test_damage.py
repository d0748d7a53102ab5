"""Damaged submissions: the batch finishes, and only what is damaged costs points."""

import copy
import json
import os
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI

from autograder.grading.grade import Graded, grade
from autograder.grading.record import RECORD_SUFFIX
from autograder.nbgrading.configuration import nbgrader_api
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.sample import EVERYTHING
from tests.support.tiny_course import (
    ANSWERS,
    DOUBLE,
    LESSON,
    Json,
    answered,
    as_bytes,
    grade_id_of,
    hand_in,
    tiny_course,
    tiny_notebook,
)

pytestmark = pytest.mark.long

LIMITS = Limits(cell_seconds=10, call_seconds=3)
MUTANTS = 500 if EVERYTHING else 60
EVERY = 4

Bytes = Callable[[Json], bytes]


def change(edit: Callable[[list[Json]], object]) -> Bytes:
    """A damage done to the list of cells."""

    def damage(notebook: Json) -> bytes:
        edit(notebook["cells"])
        return as_bytes(notebook)

    return damage


def alter(grade_id: str, **values: object) -> Bytes:
    """A damage done to one cell: fields replaced, or taken out where the value is `...`."""

    def edit(cells: list[Json]) -> None:
        cell = find(cells, grade_id)
        cell.update(values)
        for name, value in values.items():
            if value is ...:
                del cell[name]

    return change(edit)


def find(cells: list[Json], grade_id: str) -> Json:
    return next(cell for cell in cells if grade_id_of(cell) == grade_id)


def delete(*grade_ids: str) -> Bytes:
    def edit(cells: list[Json]) -> None:
        cells[:] = [cell for cell in cells if grade_id_of(cell) not in grade_ids]

    return change(edit)


def double_it(grade_id: str, **values: object) -> Bytes:
    """Puts a copy of a cell behind it, changed."""

    def edit(cells: list[Json]) -> None:
        cell = find(cells, grade_id)
        cells.insert(cells.index(cell) + 1, {**copy.deepcopy(cell), **values})

    return change(edit)


def mark(cell: str, /, **marks: object) -> Bytes:
    """Changes nbgrader's own metadata of a cell."""
    return change(lambda cells: find(cells, cell)["metadata"]["nbgrader"].update(marks))


def nested(levels: int) -> Bytes:
    def damage(notebook: Json) -> bytes:
        text = as_bytes({**notebook, "metadata": {"deep": "HERE"}})
        return text.replace(b'"HERE"', b"[" * levels + b"]" * levels)

    return damage


def without_ids(notebook: Json) -> bytes:
    """As Google Colab and old Jupyters save a notebook."""
    for cell in notebook["cells"]:
        del cell["id"]
    return as_bytes({**notebook, "nbformat_minor": 4})


def using_an_added_cell(notebook: Json) -> bytes:
    """Without ids, and with an answer that needs a cell which the student added before it."""
    place = notebook["cells"].index(find(notebook["cells"], "fourfold"))
    added = {"cell_type": "code", "source": "two = double(1)", "metadata": {}, "id": "own"}
    notebook["cells"].insert(place, {**added, "outputs": [], "execution_count": None})
    find(notebook["cells"], "fourfold")["source"] = "def fourfold(x):\n    return double(x) * two"
    return without_ids(notebook)


def flooding(notebook: Json) -> bytes:
    """Prints, in cells enough, more than a notebook that can be read again."""
    flood = "print('x' * 1_000_000)"
    cells = [
        {"cell_type": "code", "source": flood, "metadata": {}, "id": f"flood-{n}",
         "outputs": [], "execution_count": None}
        for n in range(30)
    ]  # fmt: skip
    notebook["cells"] += cells
    return as_bytes(notebook)


@dataclass(frozen=True)
class Damage:
    """What happened to a submission, what it still earns, and what its record says."""

    name: str
    content: Bytes
    # None of them where it waits for a human.
    double: float | None = 2
    fourfold: float | None = 3
    says: str = ""
    folder: Callable[[Path], object] = lambda folder: None
    waits: bool = False


def blocked(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.mkdir()
    (path / "file").write_text("in the way")


def linked(folder: Path) -> None:
    (folder / f"{LESSON}.ipynb").unlink()
    (folder / f"{LESSON}.ipynb").symlink_to("nowhere")


def whole(
    name: str,
    content: Bytes,
    says: str = "not a notebook",
    folder: Callable[[Path], object] = lambda folder: None,
) -> Damage:
    """A damage that leaves nothing to grade: it waits for a human, and no 0 is given."""
    return Damage(name, content, None, None, says, folder, waits=True)


def lost(name: str, content: Bytes, says: str = "cell of double is missing") -> Damage:
    """A damage that costs the first exercise, on which the second stands."""
    return Damage(name, content, 0, 0, says)


STUB = "def double(x):\n    raise NotImplementedError()"
DAMAGES = [
    whole("invalid JSON", lambda notebook: b"{'cells': []}", "not valid JSON"),
    whole("truncated", lambda notebook: as_bytes(notebook)[:-400], "breaks off"),
    whole("an empty file", lambda notebook: b"", "is empty"),
    whole("not UTF-8", lambda notebook: json.dumps(notebook).encode("utf-16"), "is in UTF-16"),
    whole("null bytes alone", lambda notebook: b"\0" * 1000),
    whole("a list", lambda notebook: as_bytes([notebook]), "has no cells"),
    whole("cells missing", lambda notebook: as_bytes({**notebook, "cells": None}).replace(
          b'"cells"', b'"sells"'), "has no cells"),
    whole("cells a dict", lambda notebook: as_bytes({**notebook, "cells": {}}), "has no cells"),
    whole("cells no dicts", lambda notebook: as_bytes({**notebook, "cells": [1, None, "x", []]}),
          "none of the cells that this lesson asks for"),
    whole("all cells deleted", lambda notebook: as_bytes({**notebook, "cells": []}),
          "none of the cells that this lesson asks for"),
    whole("all marks lost", lambda notebook: as_bytes(
          {**notebook, "cells": [{**cell, "metadata": {}} for cell in notebook["cells"]]}),
          "cells without the names by which answers are known"),
    whole("too deep to read", nested(100_000)),
    Damage("deep", nested(300)),
    Damage("rather deep", nested(900)),
    Damage("latin-1", lambda notebook: json.dumps(
        {**notebook, "metadata": {"author": "Andr\xe9"}}, ensure_ascii=False).encode("latin-1")),
    Damage("old format", lambda notebook: as_bytes({**notebook, "nbformat": 3})),
    Damage("unknown format", lambda notebook: as_bytes({**notebook, "nbformat": "x"})),
    Damage("metadata a list", lambda notebook: as_bytes({**notebook, "metadata": []})),
    Damage("a test's metadata gone", alter("double_check", metadata={})),
    Damage("a test's metadata null", alter("double_check", metadata=None)),
    Damage("nbgrader's marks a list", mark("double_check", grade_id=["double_check"])),
    Damage("an old schema", mark("double_check", schema_version=0)),
    Damage("a doubled test", double_it("double_check", id="again")),
    Damage("a test as solution", mark("double_check", solution=True, locked=False)),
    Damage("points changed", mark("double_check", points=1000)),
    Damage("a test as Markdown", alter("double_check", cell_type="markdown")),
    Damage("a test as nothing known", alter("double_check", cell_type=7)),
    Damage("a test without type", alter("double_check", cell_type=...)),
    Damage("tests deleted", delete("double_check", "fourfold_check")),
    lost("a solution deleted", delete("double")),
    lost("a solution renamed", mark("double", grade_id="treble")),
    Damage("the last solution deleted", delete("fourfold"), 2, 0, "cell of fourfold is missing"),
    Damage("a solution doubled", double_it("double", id="again"), says="double stands twice"),
    lost("doubled, the second wrong", double_it("double", id="again", source="double = 0"),
         says="double stands twice"),
    Damage("doubled, the second as given", double_it("double", id="again", source=STUB),
           says="double stands twice"),
    Damage("a bad timestamp", as_bytes,
           folder=lambda folder: (folder / "timestamp.txt").write_text("last Tuesday, late")),
    Damage("a timestamp of bytes", as_bytes,
           folder=lambda folder: (folder / "timestamp.txt").write_bytes(b"\xff\x00")),
    Damage("a timestamp that is a pipe", as_bytes,
           folder=lambda folder: os.mkfifo(folder / "timestamp.txt")),
    Damage("an extra notebook", as_bytes,
           folder=lambda folder: (folder / "notes.ipynb").write_text("nothing")),
    Damage("a folder called as the record", as_bytes,
           folder=lambda folder: blocked(folder / f"{LESSON}{RECORD_SUFFIX}")),
    Damage("a folder called as a file", as_bytes,
           folder=lambda folder: blocked(folder / "data.txt")),
    whole("a folder called as the notebook", as_bytes, "there is no notebook",
          folder=lambda folder: blocked(folder / f"{LESSON}.ipynb")),
    Damage("a renamed notebook", as_bytes, says="graded is mine.ipynb",
           folder=lambda folder: (folder / f"{LESSON}.ipynb").rename(folder / "mine.ipynb")),
    whole("no notebook", as_bytes, "there is no notebook",
          folder=lambda folder: (folder / f"{LESSON}.ipynb").unlink()),
    whole("a link to nowhere", as_bytes, "there is no notebook", folder=linked),
    lost("a source that is a number", alter("double", source=7), ""),
    lost("a source that is null", alter("double", source=None), ""),
    lost("a source that is a dict", alter("double", source={"text": DOUBLE}), ""),
    lost("a source of nested lists", alter("double", source=[[DOUBLE]]), ""),
    lost("a source gone", alter("double", source=...), ""),
    Damage("a source in lines", alter("double", source=DOUBLE.splitlines(keepends=True))),
    Damage("a cell without id", alter("double", id=...)),
    Damage("ids of all kinds", alter("double", id=["x"])),
    Damage("no ids", without_ids),
    Damage("no ids, an added cell", using_an_added_cell),
    Damage("outputs nonsense", alter("double", outputs={"x": [None]}, execution_count="7")),
    Damage("a huge source", alter("double", source="x = 1\n" * 500_000 + DOUBLE), None, None,
           "characters"),
    lost("null bytes in a source", alter("double", source=DOUBLE + "\0"), "not defined"),
    Damage("a lone surrogate", alter("double", source=DOUBLE + "\nx = '\ud800'")),
    Damage("a lone surrogate, printed", alter("double", source=DOUBLE + "\nprint('\\ud800')")),
    Damage("a lone surrogate, shown", alter(
        "double", source=f"from IPython.display import HTML, display\n{DOUBLE}\n"
        "display(HTML('<img alt=\"\\ud800\">'))\n'\\ud800'")),
    lost("a lone surrogate, raised", alter(
        "double", source="def double(x):\n    raise ValueError('\\ud800')"), "understood"),
    lost("a lone surrogate, raised at once", alter(
        "double", source="raise ValueError('\\ud800')"), "not defined"),
    Damage("a lone surrogate, Markdown", alter("why", source="Because \udfff it is.")),
    Damage("control characters", alter("why", source="Because \x01\x1b[31m it is.")),
    Damage("more output than fits", flooding),
]  # fmt: skip


@dataclass(frozen=True)
class Class:
    """A class that was graded in one batch."""

    root: Path
    api: NbGraderAPI
    outcome: dict[str, Any]

    def record(self, student: str) -> dict[str, Any]:
        folder = self.root / "autograded" / student / LESSON
        read: Json = json.loads((folder / f"{LESSON}{RECORD_SUFFIX}").read_text(encoding="utf-8"))
        return read

    def scores(self, student: str) -> dict[str, float]:
        with self.api.gradebook as gradebook:
            (notebook,) = gradebook.find_submission(LESSON, student).notebooks
            return {grade.cell.name: grade.auto_score for grade in notebook.grades}


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """All damaged submissions, with good ones among them, in one run of nbgrader's autograde."""
    root = tmp_path_factory.mktemp("damage")
    api = nbgrader_api(tiny_course(root))
    released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    hand_in(root, "s00-good", as_bytes(answered(released)))
    for number, damage in enumerate(DAMAGES):
        folder = hand_in(root, student_of(damage), damage.content(answered(released)))
        damage.folder(folder)
        if number % EVERY == EVERY - 1:
            hand_in(root, f"s{number:02}-good-after", as_bytes(answered(released)))
    return Class(root, api, api.autograde(LESSON, "*"))


def student_of(damage: Damage) -> str:
    return f"s{DAMAGES.index(damage):02}-damaged"


def test_batch_finishes(graded: Class) -> None:
    assert graded.outcome["success"], graded.outcome.get("log", "")[-4000:]


def test_neighbours_score_as_ever(graded: Class) -> None:
    submitted = sorted(path.name for path in (graded.root / "submitted").iterdir())
    good = [student for student in submitted if "good" in student]
    assert len(good) == len(DAMAGES) // EVERY + 1
    for student in good:
        scores = graded.scores(student)
        assert (scores["double_check"], scores["fourfold_check"]) == (2, 3), student
        assert graded.record(student)["remarks"] == []


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.name)
def test_damage_costs_itself(graded: Class, damage: Damage) -> None:
    student = student_of(damage)
    path = graded.root / "autograded" / student / LESSON / f"{LESSON}.ipynb"
    nbformat.validate(nbformat.read(path, as_version=4))
    record, scores = graded.record(student), graded.scores(student)
    earned = (scores["double_check"], scores["fourfold_check"])
    assert earned == (damage.double, damage.fourfold)
    assert bool(record["not_graded"]) == damage.waits
    assert [cell["points"] for cell in record["cells"]] == [one or 0 for one in earned]
    told = [
        record["not_graded"],
        *record["remarks"],
        *(cell["message"] for cell in record["cells"]),
    ]
    assert damage.says in "; ".join(told)
    assert any(told) or damage.double


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, preload=["numpy"]) as sandbox:
        yield sandbox


VALUES = [
    None, True, 0, -1, 1e308, 10**30, "", "x", "\ud800", "\0", "\u202e", "9" * 5000,
    [], {}, [[]], [None], {"x": []}, ["def double(x):\n", 7], {"nbgrader": 3},
    {"nbgrader": {"grade_id": "double", "solution": True}}, "double", "fourfold_check",
]  # fmt: skip


def mutant(notebook: Json, chance: random.Random) -> bytes:
    """The file with one to four things wrong in it."""
    whole: Any = copy.deepcopy(notebook)
    for _ in range(chance.randint(1, 4)):
        mutate(whole, chance)
    content = as_bytes(whole)
    if chance.random() < 0.15:
        content = content[: chance.randrange(len(content))]
    if chance.random() < 0.15:
        place = chance.randrange(len(content) + 1)
        content = content[:place] + bytes([chance.randrange(256)]) + content[place + 1 :]
    return content


def mutate(whole: Any, chance: random.Random) -> None:
    """Delete, duplicate, retype, swap or flip something, anywhere in the tree."""
    holder, key = chance.choice(list(places(whole)))
    match chance.randrange(6):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(chance.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        case 2 if isinstance(holder, list):
            chance.shuffle(holder)
        case 3 if isinstance(holder[key], str) and holder[key]:
            place = chance.randrange(len(holder[key]))
            letter = chr(ord(holder[key][place]) ^ (1 << chance.randrange(7)))
            holder[key] = holder[key][:place] + letter + holder[key][place + 1 :]
        case 4 if isinstance(holder, dict):
            holder[chance.choice(["id", "source", "metadata", "x"])] = holder.pop(key)
        case _:
            holder[key] = copy.deepcopy(chance.choice(VALUES))


def places(node: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in a tree of JSON, as what holds it and the key or index."""
    if isinstance(node, dict | list):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key
            yield from places(node[key])


def unharmed(content: bytes) -> set[str]:
    """The answers that a file still holds as they were; none if a changed cell may spoil them."""
    try:
        cells = json.loads(content.decode(errors="replace"))["cells"]
        cells = [cell for cell in cells if isinstance(cell, dict)]
    except (ValueError, KeyError, TypeError, RecursionError):
        return set()
    first: dict[str, str] = {}
    for cell in cells:
        try:
            grade_id = cell["metadata"]["nbgrader"]["grade_id"]
        except (KeyError, TypeError):
            grade_id = ""
        text = cell.get("source")
        if isinstance(text, list):
            text = "".join(line for line in text if isinstance(line, str))
        if isinstance(grade_id, str) and grade_id in ANSWERS:
            first.setdefault(grade_id, text)
        elif "def " in str(text) and text not in ANSWERS.values():
            return set()
    return {name for name, text in first.items() if text == ANSWERS[name]}


def test_mutants_are_graded(sandbox: Sandbox) -> None:
    chance, source = random.Random(0), tiny_notebook()
    right = answered(source)
    owed = dict.fromkeys(ANSWERS, 0)
    for number in range(MUTANTS):
        content = mutant(right, chance)
        result = grade(source, content, sandbox)
        kept, intact = complete(result), unharmed(content)
        for name in intact if "double" in intact else ():
            assert kept[f"{name}_check"] == "passed", (number, content)
            owed[name] += 1
    assert min(owed.values()) > MUTANTS / 5


def complete(result: Graded) -> dict[str, str]:
    """What a full record says of each test; fails if the notebook or the record can't be kept."""
    nbformat.validate(result.notebook)
    nbformat.writes(result.notebook).encode()
    record = json.loads(result.record.text().encode())
    assert [cell["grade_id"] for cell in record["cells"]] == ["double_check", "fourfold_check"]
    assert {"version", "submission", "source", "seed", "isolation", "remarks"} < set(record)
    for cell in record["cells"]:
        assert (cell["verdict"] == "passed") == (cell["points"] == cell["max_points"])
    return {cell["grade_id"]: cell["verdict"] for cell in record["cells"]}
