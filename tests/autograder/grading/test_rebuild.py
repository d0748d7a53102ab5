"""What a student's notebook brings into the one that is graded: answers, and nothing beside."""

import codecs
import time
from copy import deepcopy

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.utils import compute_checksum, determine_grade

from autograder.checks.own_judgement import Point, cell_to_tick, ticks_in
from autograder.checks.source.cells import UNANSWERED, grade_id_of
from autograder.errors import CheckError
from autograder.grading.rebuild import cells_in, rebuild
from tests.support.sample import EVERYTHING
from tests.support.samples import make_cell


def test_a_students_ticks_earn_nothing() -> None:
    """An answer in words waits for an instructor, whatever its author has ticked."""
    answer = make_cell("markdown", "YOUR ANSWER HERE", "why", solution=True, grade=True, points=3)
    answer.metadata.nbgrader["checksum"] = compute_checksum(answer)
    list_to_tick = cell_to_tick("why", [Point(1, "rows"), Point(2, "the sum")])
    list_to_tick.id = "why-points"
    source = new_notebook(cells=[answer, list_to_tick])
    own = deepcopy(source)
    own.cells[0].source = "Because."
    own.cells[1].source = own.cells[1].source.replace("[ ]", "[x]")
    assert ticks_in(own.cells[1]).worth == 3
    own.cells.append(deepcopy(own.cells[1]))
    own.cells[2].id = "another"

    rebuilt = rebuild(source, nbformat.writes(own).encode())
    assert [grade_id_of(cell) for cell in rebuilt.notebook.cells] == ["why", ""]
    assert ticks_in(rebuilt.notebook.cells[1]).ticked == 0
    assert rebuilt.notebook.cells[0].source == "Because."
    assert determine_grade(rebuilt.notebook.cells[0]) == (None, 3)


@pytest.mark.parametrize("text", ["", " \n", UNANSWERED])
def test_emptied_answer_is_none(text: str) -> None:
    """Nobody has to read it, and nobody is told that somebody will."""
    answer = make_cell("markdown", UNANSWERED, "why", solution=True, grade=True, points=3)
    answer.metadata.nbgrader["checksum"] = compute_checksum(answer)
    own = new_notebook(cells=[deepcopy(answer)])
    own.cells[0].source = text
    rebuilt = rebuild(new_notebook(cells=[answer]), nbformat.writes(own).encode())
    assert determine_grade(rebuilt.notebook.cells[0]) == (0, 3)


def test_long_words_are_read_from_their_beginning() -> None:
    """As those are that have a picture in them: a human is to read what there is."""
    answer = make_cell("markdown", "YOUR ANSWER HERE", "why", solution=True, grade=True, points=3)
    answer.metadata.nbgrader["checksum"] = compute_checksum(answer)
    own = new_notebook(cells=[deepcopy(answer)])
    own.cells[0].source = f"Because. {'A' * 200_000}"
    rebuilt = rebuild(new_notebook(cells=[answer]), nbformat.writes(own).encode())
    assert rebuilt.notebook.cells[0].source.startswith("Because. A")
    assert determine_grade(rebuilt.notebook.cells[0]) == (None, 3)
    assert "the rest is left out" in rebuilt.remarks[0]
    assert not rebuilt.too_long


def test_remarks_are_few_and_plain() -> None:
    """What a student writes often, or as a terminal's order, is not said as often, nor obeyed."""
    cell = make_cell("code", "", "double", solution=True)
    source = new_notebook(cells=[cell])
    own = deepcopy(source)
    names = ["\x1b[2J", "a" * 10_000, *(f"n{number}" for number in range(100))]
    texts = "\n".join(f"setattr(np, {name!r}, 1)" for name in names)
    own.cells[0].source = f"import numpy as np\n{texts}"
    own.cells += [deepcopy(own.cells[0]) for _ in range(30)]
    for number, one in enumerate(own.cells[1:]):
        one.id = f"again-{number}"

    remarks = rebuild(source, nbformat.writes(own).encode()).remarks
    counts = "the last one that is answered counts"
    assert remarks[0] == f"the cell of double stands 31 times: {counts}"
    assert remarks[1] == "the submission changes `numpy.?[2J`"
    assert remarks[-1].endswith("more remarks are left out")
    assert len(remarks) < 30
    assert all(remark.isprintable() and len(remark) < 200 for remark in remarks)


STUB = "def double(x):\n    raise NotImplementedError()"
RIGHT, WRONG = "def double(x): return 2 * x", "def double(x): return x"


@pytest.mark.parametrize(
    ("copies", "counts", "runs_before"),
    [
        ([STUB, RIGHT], RIGHT, []),
        ([RIGHT, STUB], RIGHT, []),
        ([WRONG, RIGHT], RIGHT, [WRONG]),
        ([RIGHT, STUB, WRONG], WRONG, [RIGHT]),
        (["import math", RIGHT], RIGHT, ["import math"]),
        ([STUB, STUB], STUB, []),
    ],
)
def test_of_a_doubled_answer_the_last_counts(
    copies: list[str], counts: str, runs_before: list[str]
) -> None:
    """As in the student's own notebook, where it runs last; a stub that is left is no answer."""
    source = new_notebook(
        cells=[new_code_cell("import numpy"), make_cell("code", STUB, "double", solution=True)]
    )
    own = deepcopy(source)
    own.cells[1:] = [deepcopy(own.cells[1]) for _ in copies]
    for number, (cell, text) in enumerate(zip(own.cells[1:], copies, strict=True)):
        cell.id, cell.source = f"copy-{number}", text
    rebuilt = rebuild(source, nbformat.writes(own).encode())
    assert [cell.source for cell in rebuilt.notebook.cells] == [
        "import numpy",
        *runs_before,
        counts,
    ]


@pytest.mark.parametrize(
    ("cells", "read"),
    [
        ([("why", UNANSWERED), ("", "Because."), ("", "And so.")], "Because.\n\nAnd so."),
        ([("why", "Because."), ("", "And so.")], "Because.\n\nAnd so."),
        ([("why", UNANSWERED), ("why", "Because.")], "Because."),
        ([("why", "One."), ("why", "Two.")], "One.\n\nTwo."),
        ([("", "A note."), ("why", "Because.")], "Because."),
        ([("why", UNANSWERED), ("how", "So."), ("", "Below.")], UNANSWERED),
        ([("why", UNANSWERED), ("", " ")], UNANSWERED),
    ],
)
def test_words_below_an_answer_are_part_of_it(cells: list[tuple[str, str]], read: str) -> None:
    """Nobody gets 0 for an answer that stands in a cell below the one that was meant."""
    names = ("why", "how")
    source = new_notebook(
        cells=[make_cell("markdown", UNANSWERED, name, solution=True, grade=True) for name in names]
    )
    own = new_notebook(
        cells=[
            make_cell("markdown", text, name, solution=True, grade=True)
            if name
            else new_markdown_cell(text)
            for name, text in cells
        ]
    )
    rebuilt = rebuild(source, nbformat.writes(own).encode())
    (answer,) = (cell for cell in rebuilt.notebook.cells if grade_id_of(cell) == "why")
    assert answer.source == read


def test_byte_order_mark_is_no_damage() -> None:
    source = new_notebook(cells=[make_cell("code", "", "double", solution=True)])
    own = deepcopy(source)
    own.cells[0].source = "def double(x): return 2 * x"
    rebuilt = rebuild(source, nbformat.writes(own).encode("utf-8-sig"))
    assert rebuilt.notebook.cells[0].source == own.cells[0].source
    assert rebuilt.remarks == ()


NOTEBOOK = '{"cells": [], "metadata": {"author": "André"}, "nbformat": 4, "nbformat_minor": 5}'
EMPTY, NO_JSON = "is empty", "is not a notebook: it is not valid JSON, or breaks off"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", EMPTY),
        (b" \r\n\t", EMPTY),
        (codecs.BOM_UTF8, EMPTY),
        *(
            (NOTEBOOK.encode(encoding), f"is in {encoding[:6].upper()}: notebooks are in UTF-8")
            for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be")
        ),
        (NOTEBOOK.encode("utf-16")[:-8], NO_JSON),
        (NOTEBOOK.encode()[:-4], NO_JSON),
        (codecs.BOM_UTF16_LE, NO_JSON),
        (b"\0" * 1000, NO_JSON),
        (b"[" * 100_000, NO_JSON),
        (("[" * 100_000).encode("utf-16"), NO_JSON),
        (b"<html>Your session has ended</html>", NO_JSON),
        (b"{}", "is not a notebook: it has no cells"),
        (b"[]", "is not a notebook: it has no cells"),
        (b'{"cells": {}}', "is not a notebook: it has no cells"),
        (
            b'{"worksheets": []}',
            "has an old form (nbformat 3): open it in JupyterLab and save it",
        ),
    ],
)
def test_why_a_file_is_no_notebook(content: bytes, said: str) -> None:
    with pytest.raises(CheckError) as raised:
        cells_in(content)
    assert str(raised.value) == said


def test_other_encodings_are_read() -> None:
    assert cells_in(NOTEBOOK.encode()) == cells_in(NOTEBOOK.encode("latin-1")) == []


ASKED = "import numpy as np\ndef helper(x): return x\ndef double(x): return helper(2 * x)"


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("def twice(x): return 2 * x", {"double": "`twice` in its place", "helper": "`twice` in"}),
        (
            "def helper(x): return x\nmy_double = lambda x: x",
            {"double": "`my_double` in its place"},
        ),
        ("class Double: pass\nhelper = 1", {"double": "`Double` in its place"}),
        ("%time 1\nhelper: int = 1\na = b = c = 2", {"double": "`a`, `b` and `c` in its place"}),
        (
            "helper = v1 = 1\n" + "\n".join(f"v{n} = 1" for n in range(2, 9)),
            {"double": "`v1`, `v2`, `v3` and 5 more in its place"},
        ),
        (f"helper = {'n' * 200} = 1", {"double": f"`{'n' * 80}` in its place"}),
        # What makes nothing else, or can't be read, has nothing to say.
        (ASKED, {}),
        ("helper = 1", {}),
        ("import torch as double2", {}),
        ("1 + 1", {}),
        ("def twice(x: return", {}),
        ("", {}),
    ],
)
def test_what_a_cell_makes_in_place_of_a_name(written: str, said: dict[str, str]) -> None:
    source = new_notebook(cells=[make_cell("code", ASKED, "double", solution=True)])
    own = deepcopy(source)
    own.cells[0].source = written
    found = rebuild(source, nbformat.writes(own).encode()).misnamed
    assert found.keys() == said.keys()
    for name, words in said.items():
        assert found[name].startswith(f"the cell of double defines {words}")


@pytest.mark.skipif(not EVERYTHING, reason="takes as long as reading may take: make test-all")
def test_what_is_too_much_to_be_read_is_said() -> None:
    source = new_notebook(cells=[make_cell("code", "", "double", solution=True)])
    own = deepcopy(source)
    own.cells += [new_code_cell("x = 1\n" * 25_000) for _ in range(60)]
    begun = time.process_time()
    rebuilt = rebuild(source, nbformat.writes(own).encode())
    assert time.process_time() - begun < 5
    assert rebuilt.remarks[0].startswith("there is too much code")


def test_what_is_changed_of_a_library_is_a_remark() -> None:
    source = new_notebook(cells=[make_cell("code", "", "double", solution=True)])
    own = deepcopy(source)
    own.cells.append(new_code_cell("import companion\ncompanion.try_dropout = None"))
    rebuilt = rebuild(source, nbformat.writes(own).encode())
    assert rebuilt.remarks == ("the submission changes `companion.try_dropout`",)
