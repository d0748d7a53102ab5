"""What is said of each submission of a class."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from autograder.checks.exam.report import Verdict
from autograder.checks.examples import FILE
from autograder.checks.source.cells import UNANSWERED, is_test
from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.grading.cell_verdict import SOLUTION_FAILS
from autograder.grading.class_table import StudentResult, as_table, found_in, without_submission
from autograder.grading.exam_seed import digest_of_seed, exam_seed_of
from autograder.grading.grade import digest_of_source
from autograder.grading.jobs.own_code import digest_of
from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record, answers_in
from autograder.nbgrading.configuration import configuration
from autograder.nbgrading.grade_class import (
    expected_of,
    go_on_after,
    outdated,
    reason_of,
    students_of,
)
from autograder.nbgrading.preprocessor import GradeSafely
from autograder.student.sandbox.sandbox import Layers
from tests.support.course import ROOT
from tests.support.samples import make_cell
from tests.support.small_course import small_course
from tests.support.tiny_course import LESSON, tiny_course

LOG = """\
[ERROR] There was an error processing assignment
    Traceback (most recent call last):
    autograder.errors.GradingFailed: add "data" to preload
[ERROR] Please see the above traceback"""


@pytest.mark.parametrize(
    ("outcome", "reason"),
    [
        ({"log": LOG, "error": "NbGraderException: see above"}, 'add "data" to preload'),
        ({"log": "started\nno space left on device"}, "no space left on device"),
        ({"error": "RuntimeError: stopped\n"}, "RuntimeError: stopped"),
    ],
)
def test_reason(outcome, reason):
    assert reason_of(outcome) == reason


def test_interrupt_is_no_failure() -> None:
    with pytest.raises(KeyboardInterrupt):
        go_on_after({"success": False, "error": "Traceback …\nKeyboardInterrupt\n"})
    go_on_after({"success": False, "error": "KeyboardInterrupt\nOSError: no space left"})
    go_on_after({"success": True})


def cell(name: str, verdict: str, misconception: str = "", message: str = "") -> CellRecord:
    """One test, as a record keeps it."""
    return CellRecord(
        grade_id=f"{name}_check",
        verdict=Verdict[verdict.upper()],
        points=0.0,
        max_points=1.0,
        misconception=misconception,
        message=message,
    )


def test_what_was_found() -> None:
    cells = (
        cell("a", "passed"),
        cell("b", "wrong", "over_the_queries"),
        cell("c", "wrong"),
        cell("d", "wrong", "over_the_queries"),
        *(cell(name, "not_implemented") for name in "efgh"),
    )
    assert found_in(Record(remarks=("late",), cells=cells)) == [
        "late",
        "b, d: over the queries",
        "c: wrong",
        "4 exercises: not implemented yet",
    ]
    assert found_in(Record(cells=cells[:1])) == []


def test_nothing_is_said_twice() -> None:
    cells = (cell("a", "killed", message="it ended with exit code 1"),)
    told = ["a: ended its own process"]
    assert found_in(Record(remarks=("it ended with exit code 1",), cells=cells)) == told
    many = ("not a notebook", *(f"the cell of {name} is missing" for name in "bcd"))
    assert found_in(Record(remarks=many, cells=cells)) == ["not a notebook", *told]


def test_answers_that_wait_for_a_human() -> None:
    graded = [
        StudentResult("ada", 1, 2, to_read=("why", "how", "what"), waiting=1.5),
        StudentResult("ben", 1, 2),
    ]
    table = as_table(graded, "tiny")
    assert [str(one) for one in table.columns[1].cells] == ["1 / 2, 1.5 wait", "1 / 2"]
    assert [str(one) for one in table.columns[2].cells] == ["3 to read", "–"]
    assert graded[0].told == "no mistake found; the rest waits for you"
    more = [*graded, *(StudentResult(name, 1, 2, to_read=("why", "when")) for name in "cd")]
    said = "to read: why (3), when (2), how (1) and 1 more"
    assert str(as_table(more, "tiny").caption) == f"4 of 4 graded; {said}"


def test_who_has_handed_in_nothing_is_named() -> None:
    assert without_submission([], 40) == ""
    assert without_submission(["ada", "ben"], 40) == (
        "Nothing is there of 2 of 40 students: ada, ben."
    )
    assert without_submission([f"s{n}" for n in range(20)], 40).endswith("s11 and 8 more.")
    # Of a retake, most of a class hand in nothing.
    assert without_submission([f"s{n}" for n in range(21)], 40) == (
        "Nothing is there of 21 of 40 students."
    )


def test_the_roster_says_who_is_expected(tmp_path: Path) -> None:
    course = small_course(tmp_path)
    (tmp_path / "roster.csv").write_text("id,last_name\nben,B\nada,A\n", encoding="utf-8")
    assert expected_of(course) == ["ben", "ada"]


def test_points_that_no_test_gives() -> None:
    read, none_lost = StudentResult("ada", 1, 2), StudentResult("ben", 2, 2)
    assert (read.told, none_lost.told) == ("no mistake found by the tests", "all right")


def test_question_that_was_left_as_it_is_was_not_answered() -> None:
    answers = {"why": UNANSWERED, "how": "Step by step."}
    cells = [
        make_cell("markdown", text, name, solution=True, grade=True, points=1)
        for name, text in answers.items()
    ]
    record = Record(answers=answers_in(new_notebook(cells=cells)))
    assert found_in(record) == ["why: not answered"]


def test_penalties_have_a_column_where_there_are_any() -> None:
    on_time, late = StudentResult("ada", 1, 2), StudentResult("ben", 2, 2, penalty=0.5)
    assert [column.header for column in as_table([on_time], "tiny").columns][2] == "by hand"
    column = as_table([on_time, late], "tiny").columns[2]
    assert (column.header, [*column.cells]) == ("late", ["–", "−0.5"])


def test_who_has_no_score_comes_first() -> None:
    graded = [StudentResult(name, 1, 2, seconds=1.0) for name in ("ada", "cem")]
    failed = [StudentResult(name, failure="the disk is full") for name in ("ben", "dan")]
    waits = StudentResult("eve", to_read=("why",), not_graded="nothing was handed in")
    table = as_table([graded[0], failed[0], waits, graded[1], failed[1]], "tiny")
    assert [str(cell) for cell in table.columns[0].cells] == ["ben", "dan", "eve", "ada", "cem"]
    assert [str(cell) for cell in table.columns[1].cells][1:3] == ["–", "not graded"]
    assert str([*table.columns[2].cells][2]) == "–"
    assert [str(cell) for cell in table.columns[4].cells][2] == "nothing was handed in"
    assert str(table.caption).startswith("2 of 5 graded, 1 waits for you to look, 2 failed")


def test_who_has_handed_in(tmp_path: Path) -> None:
    for name in ("ada", "<img src=x>", "ben"):
        (tmp_path / "submitted" / name / "tiny").mkdir(parents=True)
    (tmp_path / "submitted" / "none").mkdir()
    assert students_of(Course(tmp_path), "tiny") == ["<img src=x>", "ada", "ben"]


LIMITS_ONLY = "isolation none: limits only"


def unjudged(why: str, **more: Any) -> CellRecord:
    return CellRecord(
        grade_id="double_check",
        verdict=Verdict.NOT_GRADABLE,
        points=0.0,
        max_points=1.0,
        message=why,
        **more,
    )


@pytest.mark.parametrize(
    ("otherwise", "settings", "is_outdated"),
    [
        ({}, {}, False),
        ({"code": "other exams"}, {}, True),
        ({"isolation": LIMITS_ONLY}, {}, True),
        ({"isolation": LIMITS_ONLY}, {"isolation": "none"}, False),
        ({"isolation": "", "not_graded": "nothing was handed in"}, {}, False),
        ({"exam_seed": digest_of_seed(7)}, {}, True),
        ({"exam_seed": ""}, {}, False),
        ({"source": "another notebook"}, {}, True),
        ({}, {"seed": 5}, True),
        ({"seed": 5}, {"seed": 5}, False),
        ({"not_graded": "nothing was handed in"}, {"seed": 5}, False),
        ({"cells": [unjudged("", could_be_forged=True)]}, {}, True),
        ({"cells": [unjudged("", could_be_forged=True)]}, {"beside": True}, False),
        ({"cells": [unjudged(f"{SOLUTION_FAILS}: inspect")]}, {}, False),
        ({"cells": [unjudged(f"{SOLUTION_FAILS}: inspect")]}, {"beside": True}, True),
        ({"cells": [unjudged("it may have compared too little")]}, {"beside": True}, False),
    ],
)
def test_who_was_graded_otherwise(
    tmp_path: Path, otherwise: dict[str, Any], settings: dict[str, Any], is_outdated: bool
) -> None:
    (tmp_path / "nbgrader_config.py").write_bytes((ROOT / "nbgrader_config.py").read_bytes())
    course, source = Course(tmp_path), tmp_path / "source" / "tiny"
    source.mkdir(parents=True)
    marks = {"grade": True, "solution": False, "points": 1, "grade_id": "double_check"}
    test = new_code_cell("assert inspect.getsource(double)", metadata={"nbgrader": marks})
    nbformat.write(new_notebook(cells=[test]), source / "tiny.ipynb")
    preload = GradeSafely(config=configuration(course, tmp_path)).preload
    made: dict[str, Any] = {
        "code": digest_of(tmp_path, source, preload),
        "isolation": Layers(True, True, True, True).record,
        "exam_seed": digest_of_seed(exam_seed_of(tmp_path)),
    }
    folder = tmp_path / "autograded" / "ada" / "tiny"
    folder.mkdir(parents=True)
    (folder / f"tiny{RECORD_SUFFIX}").write_text(replace(Record(**made), **otherwise).text())
    assert outdated(course, "tiny", ["ada"], settings) == ["ada"] * is_outdated


def in_a_test(notebook: NotebookNode) -> None:
    next(one for one in notebook.cells if one.id == "double_check").source = "assert double(3) == 9"


def in_a_given_cell(notebook: NotebookNode) -> None:
    next(one for one in notebook.cells if "arange" in one.source).source += "\nlimit = 7"


def in_its_points(notebook: NotebookNode) -> None:
    graded = next(one for one in notebook.cells if one.id == "double_check")
    graded.metadata.nbgrader.points += 1


def in_its_text(notebook: NotebookNode) -> None:
    notebook.cells.insert(0, new_markdown_cell("A word about what comes."))
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source += " And another one."


def in_what_is_only_read(notebook: NotebookNode) -> None:
    marks = {"grade": False, "solution": False, "locked": True, "grade_id": "w"}
    notebook.cells.insert(0, new_markdown_cell("Words.", metadata={"nbgrader": marks}))


def in_an_empty_cell(notebook: NotebookNode) -> None:
    notebook.cells.append(new_code_cell("\n"))


def in_where_a_test_runs(notebook: NotebookNode) -> None:
    next(filter(is_test, notebook.cells)).metadata["tags"] = ["beside"]


def in_what_is_not_run(notebook: NotebookNode) -> None:
    next(one for one in notebook.cells if "arange" in one.source).metadata["tags"] = ["scenery"]


def in_a_tag_of_its_looks(notebook: NotebookNode) -> None:
    for cell in notebook.cells:
        cell.metadata["tags"] = ["hide-input"]


def in_its_outputs(notebook: NotebookNode) -> None:
    code = next(one for one in notebook.cells if one.cell_type == "code")
    code.outputs, code.execution_count = [new_output("stream", text="1")], 3


@pytest.mark.parametrize(
    ("change", "is_outdated"),
    [
        ({}, False),
        ({f"{LESSON}.ipynb": in_a_test}, True),
        ({f"{LESSON}.ipynb": in_a_given_cell}, True),
        ({f"{LESSON}.ipynb": in_its_points}, True),
        ({f"{LESSON}.ipynb": in_its_text}, False),
        ({f"{LESSON}.ipynb": in_its_outputs}, False),
        ({f"{LESSON}.ipynb": in_what_is_only_read}, False),
        ({f"{LESSON}.ipynb": in_an_empty_cell}, False),
        ({f"{LESSON}.ipynb": in_where_a_test_runs}, True),
        ({f"{LESSON}.ipynb": in_what_is_not_run}, True),
        ({f"{LESSON}.ipynb": in_a_tag_of_its_looks}, False),
        ({"data.txt": b"7"}, True),
        ({"sub/new.csv": b"7"}, True),
        ({"own.py": b"limit = 7"}, True),
        *(({name: b"7"}, False) for name in ("._data.txt", ".ipynb_checkpoints/x.txt", FILE)),
        *(({name: b"7"}, False) for name in ("Thumbs.db", "sub/desktop.ini", "~$notes.docx")),
    ],
)
def test_what_lies_in_source_is_compared(
    tmp_path: Path, change: dict[str, Any], is_outdated: bool
) -> None:
    """An ordinary test, or what it reads: nobody has told it apart from what was graded before."""
    tiny_course(tmp_path)
    course, source = Course(tmp_path), tmp_path / "source" / LESSON
    (tmp_path / "nbgrader_config.py").write_bytes((ROOT / "nbgrader_config.py").read_bytes())
    preload = GradeSafely(config=configuration(course, tmp_path)).preload
    read = nbformat.read(source / f"{LESSON}.ipynb", 4)
    record = Record(
        code=digest_of(tmp_path, source, preload),
        source=digest_of_source(read),
        isolation=Layers(True, True, True, True).record,
        exam_seed=digest_of_seed(exam_seed_of(tmp_path)),
    )
    folder = tmp_path / "autograded" / "ada" / LESSON
    folder.mkdir(parents=True)
    (folder / f"{LESSON}{RECORD_SUFFIX}").write_text(record.text())
    for name, new in change.items():
        (source / name).parent.mkdir(exist_ok=True)
        if callable(new):
            new(read)
            nbformat.write(read, source / name)
        else:
            (source / name).write_bytes(new)
    assert outdated(course, LESSON, ["ada"], {}) == ["ada"] * is_outdated


@pytest.mark.parametrize("content", [b"", b'{"cells": [', b"[]", b"\xff"])
def test_lesson_that_is_half_written_is_named(tmp_path: Path, content: bytes) -> None:
    """Whoever asks what has changed looks into the notebook before anybody compares it."""
    (tmp_path / "nbgrader_config.py").write_bytes((ROOT / "nbgrader_config.py").read_bytes())
    path = tmp_path / "source" / "tiny" / "tiny.ipynb"
    path.parent.mkdir(parents=True)
    path.write_bytes(content)
    with pytest.raises(GradingFailed, match=f"^{path} can't be read as a notebook"):
        outdated(Course(tmp_path), "tiny", ["ada"], {})
