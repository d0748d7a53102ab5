"""Which file of a submission is graded: no sound answer is lost by a name or by its outputs."""

import json
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checks.source.cells import grade_id_of, has_role, source_of
from autograder.grading.apart import apart
from autograder.grading.rebuild import GivenOut, cells_in
from autograder.grading.submitted_files import NOTEBOOK_BYTES, NOTEBOOK_FILE_BYTES
from autograder.nbgrading.inbox import which_notebook as module
from autograder.nbgrading.inbox.which_notebook import given_out, which_notebook
from tests.support.course import COURSE
from tests.support.samples import make_cell

pytestmark = pytest.mark.slow

ASKED = "02_vectors.ipynb"
GIVEN = GivenOut({"double": "code", "why": "markdown"})
AGAIN = "it has to be handed in again"
BLANK = "# YOUR CODE HERE\nraise NotImplementedError()"


def notebook(double: str = "def double(x): return 2 * x", printed: str = "", **more) -> bytes:
    """A notebook in which `double` is answered, and has printed something."""
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": "# Vectors"},
        {
            "cell_type": "code",
            "metadata": {"nbgrader": {"grade_id": "double", "solution": True}},
            "outputs": [output] if printed else [],
            "source": double.splitlines(keepends=True),
        },
    ]
    return json.dumps({"cells": cells, "metadata": {}, **more}).encode()


OTHER = json.dumps({"cells": [{"cell_type": "code", "metadata": {}, "source": "1"}]}).encode()


@pytest.fixture
def handed_in(tmp_path: Path) -> Callable:
    folder = tmp_path / "ada" / "02_vectors"
    folder.mkdir(parents=True)

    def choose(files: dict[str, bytes]):
        for name, content in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        return which_notebook(folder, ASKED, GIVEN)

    return choose


@pytest.mark.parametrize(
    "name",
    [
        ASKED, "02_vectors (1).ipynb", "my_solution.ipynb", "02_vectors - Kopie.ipynb",
        "02_vectors [final], v2.ipynb", "Müller's.ipynb", "02_vectors.ipynb.txt", "a.IPYNB",
        "02_vectors.ipynb.json", "02_vectors/02_vectors.ipynb", "Copy of 02_vectors.ipynb",
    ],
)  # fmt: skip
def test_the_only_notebook_is_graded_whatever_its_name(handed_in, name) -> None:
    found = handed_in({name: notebook(), "notes.txt": b"", ".ipynb_checkpoints/x.ipynb": b"{}"})
    assert (found.content, found.name, found.why_not) == (notebook(), name, "")
    told = [] if name == ASKED else [f"graded is {name}: there is no {ASKED}"]
    assert list(found.remarks) == told


def test_of_two_the_one_with_answers(handed_in) -> None:
    found = handed_in({ASKED: notebook(BLANK), "mine.ipynb": notebook(), "x.ipynb": OTHER})
    assert found.content == notebook()
    assert found.remarks == (f"graded is mine.ipynb: in {ASKED} nothing is answered",)


def test_the_one_that_was_asked_for_comes_before_others(handed_in) -> None:
    found = handed_in({ASKED: notebook(), "backup.ipynb": notebook("older = 1")})
    assert found.name == ASKED
    assert found.remarks == (f"graded is {ASKED}; not graded: backup.ipynb",)
    # A copy needs no remark.
    assert handed_in({"backup.ipynb": notebook()}).remarks == ()


def cell(kind: str, source: str, name: str = "", **more) -> dict:
    marks = {"nbgrader": {"grade_id": name, "solution": True, "grade": name == "why"}}
    return {"cell_type": kind, "metadata": marks if name else {}, "source": source, **more}


def holding(*cells: dict) -> bytes:
    return json.dumps({"cells": cells, "metadata": {}}).encode()


DOUBLE = cell("code", "def double(x): return helper(x)", "double")
WHY = cell("markdown", "Because.", "why")
HELPER = cell("code", "def helper(x): return 2 * x", id="mine")
LACKING = holding(DOUBLE, WHY)


@pytest.mark.parametrize(
    "other",
    [
        holding(HELPER, DOUBLE, WHY),
        holding(DOUBLE, WHY, HELPER),
        holding(DOUBLE, WHY, cell("markdown", "And more of it.")),
        holding(DOUBLE, WHY, cell("raw", "And more of it.")),
        holding(DOUBLE, DOUBLE, WHY),
    ],
)
def test_what_is_graded_beside_the_same_answers_tells_copies_apart(handed_in, other) -> None:
    found = handed_in({"a.ipynb": LACKING, "b.ipynb": other})
    assert found.why_not == "a.ipynb and b.ipynb could each be meant: only one can count"
    found = handed_in({ASKED: LACKING, "a.ipynb": LACKING})
    assert found.remarks == (f"graded is {ASKED}; not graded: b.ipynb",)


@pytest.mark.parametrize(
    "other",
    [
        holding(cell("code", "  "), DOUBLE, WHY),
        holding(cell("markdown", "# A note"), DOUBLE, cell("markdown", "of mine"), WHY),
        holding({**DOUBLE, "outputs": [{"text": "4"}]}, cell("code", "assert 1", "x"), WHY),
    ],
)
def test_what_is_not_graded_tells_no_copies_apart(handed_in, other) -> None:
    assert handed_in({"a.ipynb": LACKING, "b.ipynb": other}).why_not == ""


def test_instructors_own_cells_tell_no_copies_apart(tmp_path: Path) -> None:
    """Whatever somebody tried in one of them; what was added with its id counts."""
    cells = [
        new_code_cell("import numpy", id="given"),
        make_cell("code", BLANK, "double", solution=True),
        make_cell("markdown", "", "why", solution=True, grade=True),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "lesson.ipynb")
    given = given_out(tmp_path / "lesson.ipynb")
    kept = cell("code", "import numpy\n", id="given")
    tried = {**kept, "source": "import numpy; numpy.pi"}
    without_id = {name: part for name, part in kept.items() if name != "id"}
    folder = tmp_path / "ada"
    folder.mkdir()

    def found(*copies: list[dict]) -> str:
        for number, cells in enumerate(copies):
            (folder / f"{number}.ipynb").write_bytes(holding(*cells, DOUBLE, WHY))
        return which_notebook(folder, ASKED, given).why_not

    assert found([kept], [tried], [without_id], []) == ""
    assert "could each be meant" in found([kept], [kept], [kept, tried], [kept])
    # It would run before the imports in one, and behind them in the other.
    assert "could each be meant" in found([kept, HELPER], [HELPER, kept])


def test_blank_alone_is_graded_as_blank(handed_in) -> None:
    assert handed_in({ASKED: notebook(BLANK), "x.ipynb": OTHER}).content == notebook(BLANK)


def test_the_same_twice_is_one(handed_in) -> None:
    files = {"a.ipynb": notebook(printed="1"), "b.ipynb": notebook(printed="2")}
    assert handed_in(files).name == "a.ipynb"


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({}, "there is no notebook in what was handed in"),
        ({"a.txt": b""}, "there is no notebook in what was handed in, only a.txt"),
        (
            {"a.ipynb": notebook("one = 1"), "b.ipynb": notebook("two = 2")},
            "a.ipynb and b.ipynb could each be meant: only one can count",
        ),
        (
            {ASKED: notebook()[:-40]},
            f"{ASKED} is not a notebook: it is not valid JSON, or breaks off; {AGAIN}",
        ),
        ({ASKED: b"{}"}, f"{ASKED} is not a notebook: it has no cells; {AGAIN}"),
        (
            {ASKED: OTHER.replace(b"{}", b'{"nbgrader": {"grade_id": "halve"}}')},
            f"{ASKED} has none of the cells that this lesson asks for; {AGAIN}",
        ),
        (
            {ASKED: OTHER},
            f"{ASKED} has cells without the names by which answers are known, as after a program "
            f"that drops metadata; {AGAIN}, in the notebook that was given out",
        ),
        (
            {ASKED: b'{"worksheets": []}'},
            f"{ASKED} has an old form (nbformat 3): open it in JupyterLab and save it; {AGAIN}",
        ),
        ({"03_other.ipynb": OTHER}, "in 03_other.ipynb no cell of this lesson is answered"),
        (
            {f"{name}.ipynb": OTHER for name in "abcde"},
            "in a.ipynb, b.ipynb, c.ipynb and 2 more no cell of this lesson is answered",
        ),
        (
            {f"{number}.ipynb": notebook() for number in range(11)},
            "11 notebooks were handed in: only one can count",
        ),
        (
            {"we\x1brd.ipynb": notebook()},
            "there is no notebook in what was handed in; we?rd.ipynb is left out: its name has "
            "characters that are not allowed",
        ),
    ],
)  # fmt: skip
def test_where_none_or_two_could_be_meant_a_human_looks(handed_in, files, why) -> None:
    found = handed_in(files)
    assert (found.content, found.why_not) == (b"", why)


DRAFTS = {f"draft {number}.ipynb": notebook(f"one = {number}") for number in range(11)}


def test_right_name_counts_beside_many_drafts(handed_in) -> None:
    found = handed_in({ASKED: notebook(), **DRAFTS})
    (remark,) = found.remarks
    assert (found.name, found.why_not) == (ASKED, "")
    assert remark.startswith("not looked into: draft 0.ipynb, ")


def test_right_name_alone_is_no_answer(handed_in) -> None:
    """One of many others may be the answer: nothing is graded, and no 0 given."""
    stub = "def double(x):\n    raise NotImplementedError()"
    found = handed_in({ASKED: notebook(stub), **DRAFTS})
    assert (found.content, found.why_not) == (
        b"",
        "12 notebooks were handed in: only one can count",
    )


def test_outputs_are_dropped_before_size_is_judged(handed_in) -> None:
    large = notebook(printed="x" * (NOTEBOOK_BYTES + 200_000))
    found = handed_in({ASKED: large})
    assert found.remarks == (f"{ASKED} has 20.3 MB: its outputs were dropped unread",)
    cells = json.loads(found.content)["cells"]
    assert ["".join(cell["source"]) for cell in cells] == [
        "# Vectors",
        "def double(x): return 2 * x",
    ]
    assert cells[1]["metadata"]["nbgrader"]["grade_id"] == "double"
    assert "outputs" not in cells[1]


def test_a_large_one_under_another_name(handed_in) -> None:
    large = notebook(printed="x" * (NOTEBOOK_BYTES + 200_000))
    assert b"def double" in handed_in({"mine.ipynb": large, "x.ipynb": OTHER}).content


@pytest.mark.parametrize("end", [b"", b'"}'])
def test_what_is_large_without_outputs_waits(handed_in, end) -> None:
    large = notebook("x" * (NOTEBOOK_BYTES + 1000))
    found = handed_in({ASKED: large[:-2] + end})
    assert found.content == b""
    assert found.why_not == (
        f"{ASKED} has 20.1 MB, and can't be read even without its outputs: hand it in again with "
        "its outputs cleared, below 20 MB"
    )


def test_too_large_a_file_says_its_size_and_the_limit(handed_in, tmp_path) -> None:
    handed_in({})
    with (tmp_path / "ada" / "02_vectors" / ASKED).open("wb") as file:
        file.truncate(NOTEBOOK_FILE_BYTES + 1)
    assert handed_in({}).why_not == (
        f"there is no notebook in what was handed in; {ASKED} is left out: it has 100.1 MB, and "
        "100 MB are the most"
    )


def test_links_lead_nowhere(handed_in, tmp_path) -> None:
    handed_in({})
    (tmp_path / "secret.ipynb").write_bytes(notebook())
    (tmp_path / "ada" / "02_vectors" / ASKED).symlink_to(tmp_path / "secret.ipynb")
    found = handed_in({})
    assert found.content == b""
    assert found.why_not.endswith(f"{ASKED} is left out: it is not a regular file")
    (tmp_path / "ben").symlink_to(tmp_path / "ada")
    assert which_notebook(tmp_path / "ben" / "02_vectors", ASKED, GIVEN).why_not


@pytest.mark.long
def test_deep_and_endless_json_costs_nothing(handed_in) -> None:
    found = handed_in({"a.ipynb": b"[" * 5_000_000, "b.ipynb": notebook()})
    assert found.name == "b.ipynb"


def test_a_changed_reason_is_another_submission(handed_in) -> None:
    nothing = handed_in({})
    assert nothing.digest != handed_in({"x.ipynb": OTHER}).digest


def test_what_has_not_changed_is_read_once(handed_in, monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []

    def counted(work: Callable, descriptor: int) -> object:
        looks.append(work)
        return apart(work, descriptor)

    monkeypatch.setattr("autograder.nbgrading.inbox.which_notebook.apart", counted)
    first = handed_in({ASKED: notebook()})
    assert handed_in({}) is first
    assert len(looks) == 1
    # As long as before, and written within the same second.
    other = notebook(double="def double(x): return 3 * x")
    assert handed_in({ASKED: other}).content == other
    # What can't be read may be readable later, and takes what time there is again until then.
    handed_in({ASKED: b"{"})
    assert len(looks) == 3
    assert handed_in({}).why_not
    assert len(looks) == 3
    monkeypatch.setattr(module, "_READ_AGAIN", 0.0)
    handed_in({})
    assert len(looks) == 4


def test_what_is_remembered_is_bounded(tmp_path: Path) -> None:
    content = notebook() + b" " * 15_000_000
    for student in range(5):
        folder = tmp_path / str(student)
        folder.mkdir()
        (folder / ASKED).write_bytes(content)
        assert which_notebook(folder, ASKED, GIVEN).content == content
    kept = [len(look.handed_in.content) for look in module._made.values()]
    assert len(content) in kept
    assert sum(kept) <= module._REMEMBERED_BYTES


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_lesson_as_it_was_given_out_is_no_answer(lesson: str, tmp_path: Path) -> None:
    """Worksheets and code to repair have no stub to know them by."""
    asked = f"{lesson}.ipynb"
    blank = (COURSE.release_folder(lesson) / asked).read_bytes()
    cells = json.loads(blank)["cells"]
    answers = [cell for cell in cells if has_role(cell, "solution")]
    answers[0]["source"] = ["mine = 1"]
    given = GivenOut({grade_id_of(cell): cell["cell_type"] for cell in answers})
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / asked).write_bytes(blank)
    (folder / "again (1).ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}))
    found = which_notebook(folder, asked, given)
    assert found.remarks == (f"graded is again (1).ipynb: in {asked} nothing is answered",)


@pytest.mark.parametrize("checksum", [None, 3, "", [], {"a": 1}])
def test_whatever_a_cell_says_of_itself_it_is_read(handed_in, checksum: object) -> None:
    cells = json.loads(notebook())["cells"]
    cells[1]["metadata"]["nbgrader"]["checksum"] = checksum
    odd = json.dumps({"cells": cells, "metadata": {}}).encode()
    assert handed_in({"a.ipynb": odd, ASKED: notebook(BLANK)}).name == "a.ipynb"


# As they stand in a file: of 401 and of 5,001 digits, and such as JSON itself does not know.
POINTS = [
    "1", "1" + "0" * 400, "-1" + "0" * 400, "1" + "0" * 5000, "1e999", "NaN", "-Infinity", "-3",
    "true", "null", '"3"', "[]",
]  # fmt: skip


@pytest.mark.parametrize("points", POINTS, ids=lambda points: points[:5] + str(len(points)))
def test_whatever_a_file_says_of_points_its_answers_count(
    handed_in, tmp_path: Path, points: str
) -> None:
    content = notebook().replace(
        b'"solution": true',
        b'"solution": true, "grade": true, "checksum": "x", "points": ' + points.encode(),
    )
    # Under another name it is looked into for answers, and under its own for anything to grade.
    assert handed_in({"mine.ipynb": content, ASKED: notebook(BLANK)}).name == "mine.ipynb"
    (tmp_path / "ada" / "02_vectors" / "mine.ipynb").unlink()
    found = handed_in({ASKED: content})
    assert (found.name, found.why_not) == (ASKED, "")
    assert source_of(cells_in(found.content)[1]).startswith("def double")
