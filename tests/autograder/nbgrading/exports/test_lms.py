"""Tables for Canvas and Moodle: who is in them, which scores, and nothing that is calculated."""

import csv
import io
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas
import pytest
from nbgrader.api import Gradebook

from autograder.grading.record import Record
from autograder.nbgrading.exports.canvas import CanvasExport
from autograder.nbgrading.exports.gradescope import GradescopeExport
from autograder.nbgrading.exports.moodle import MoodleExport
from autograder.nbgrading.exports.table import SafeCsvExport
from tests.support.gradebooks import (
    HINT,
    NAMES,
    add_lessons,
    course_at,
    gradebook_in,
    hand_in,
    keep_record,
)  # fmt: skip

pytestmark = pytest.mark.slow

CANVAS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


@pytest.fixture
def gradebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gradebook]:
    """A class: ada was late, ben waits for a grade in week1, cleo handed in nothing."""
    with gradebook_in(tmp_path, monkeypatch) as found:
        add_lessons(found)
        found.add_student("ada", last_name="Lovelace", first_name="Ada", lms_user_id="17",
                          email="ada@x.org")  # fmt: skip
        found.add_student("ben", last_name="Ng", lms_user_id="18", email="ben@x.org")
        found.add_student("cleo", last_name="Zhu", lms_user_id="19", email="cleo@x.org")
        hand_in(found, "week1", "ada", 1, 2, 3, penalty=1.5)
        hand_in(found, "week1", "ben", 4, 0, None)
        hand_in(found, "week2", "ben", 4, 2, 0.1)
        yield found


def exported(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, **options: Any
) -> list[list[str]]:
    """The rows of an export, which the csv module and pandas read alike."""
    path = tmp_path / "grades.csv"
    kind(to=str(path), config=course_at(tmp_path), **options).export(gradebook)
    text = path.read_bytes().decode()
    rows = list(csv.reader(io.StringIO(text, newline="")))
    frame = pandas.read_csv(
        io.StringIO(text, newline=""), header=None, dtype=str, keep_default_na=False
    )
    assert frame.to_numpy().tolist() == rows
    return rows


def test_canvas(gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    rows = exported(CanvasExport, gradebook, tmp_path, assignment_ids={"week2": 512}, section="A")
    assert rows == [
        [*CANVAS, "week1", "week2 (512)"],
        ["    Points Possible", "", "", "", "", "9.0", "9.0"],
        ["Lovelace, Ada", "17", "", "", "A", "4.5", ""],
        ["Ng", "18", "", "", "A", "", "6.1"],
        ["Zhu", "19", "", "", "A", "", ""],
    ]
    assert "week1: an empty cell, as a part of the score waits for your grade: 'ben'" in caplog.text
    assert "week2: an empty cell for 2 who handed nothing in" in caplog.text


def test_nothing_may_count_as_zero(gradebook: Gradebook, tmp_path: Path) -> None:
    rows = exported(CanvasExport, gradebook, tmp_path, missing_as_zero=True)
    assert [row[5:] for row in rows[2:]] == [["4.5", "0.0"], ["", "6.1"], ["0.0", "0.0"]]


@pytest.mark.parametrize(
    ("identify_by", "column", "value"),
    [("id", 1, "17"), ("sis_user_id", 2, "17"), ("sis_login_id", 3, "ada")],
)
def test_canvas_knows_them_by(
    gradebook: Gradebook, tmp_path: Path, identify_by: str, column: int, value: str
) -> None:
    ada = exported(CanvasExport, gradebook, tmp_path, identify_by=identify_by)[2]
    assert [place for place in (1, 2, 3) if ada[place]] == [column]
    assert ada[column] == value


def test_canvas_is_given_numbers_alone(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # Canvas would read 17, who is ada.
    gradebook.add_student("dan", lms_user_id="17b")
    rows = exported(CanvasExport, gradebook, tmp_path)
    assert [row[1] for row in rows[2:]] == ["17", "18", "19"]
    assert "left out, as their lms user id is no number of Canvas's" in caplog.text


def test_nobody_is_called_points_possible(gradebook: Gradebook, tmp_path: Path) -> None:
    gradebook.add_student("dan", lms_user_id="20", last_name="Points Possible", first_name="Dan")
    rows = exported(CanvasExport, gradebook, tmp_path)
    assert [row for row in rows if "Points Possible" in row[0]] == [rows[1]]
    assert "Points\u00a0Possible, Dan" in [row[0] for row in rows]


@pytest.mark.parametrize("kind", [CanvasExport, MoodleExport])
def test_who_is_unknown_is_said(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gradebook.add_student("dan")
    gradebook.add_student("eve", lms_user_id="18")
    gradebook.add_student("finn", lms_user_id="=1")
    text = str(exported(kind, gradebook, tmp_path))
    assert "17" in text
    for left_out in ("dan", "ben", "eve", "finn"):
        assert left_out not in text
    said = caplog.text
    assert "left out, as the gradebook has no lms user id for them" in said
    assert "columns id and lms_user_id): 'dan'" in said
    assert "left out, as they share their lms user id: 'eve', 'ben'" in said
    assert "left out, as a spreadsheet would calculate their lms user id: 'finn'" in said


@pytest.mark.parametrize("kind", [CanvasExport, MoodleExport])
def test_without_anybody_nothing_is_written(
    kind: type[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        add_lessons(gradebook)
        gradebook.add_student("dan")
        with pytest.raises(SystemExit):
            exported(kind, gradebook, tmp_path)
    assert not (tmp_path / "grades.csv").exists()


@pytest.mark.parametrize("kind", [CanvasExport, MoodleExport])
def test_hostile_names_are_data(kind: type[Any], gradebook: Gradebook, tmp_path: Path) -> None:
    for number, name in enumerate(NAMES):
        details = dict.fromkeys(("first_name", "last_name"), name)
        gradebook.add_student(f"s{number}", lms_user_id=str(100 + number), **details)
    rows = exported(kind, gradebook, tmp_path)
    assert {len(row) for row in rows} == {len(rows[0])}
    assert not [cell for row in rows for cell in row if cell.lstrip()[:1] in set("=+-@|%")]
    place = rows[0].index("ID" if kind is CanvasExport else "ID number")
    by_number = {row[place]: row[0].replace("'", "") for row in rows}
    for number, name in enumerate(NAMES):
        shown = by_number[str(100 + number)]
        name = name.replace("'", "").rstrip(" ")
        assert shown.replace('\\ "', '\\"').rstrip(" ").startswith(name)


def test_moodle(gradebook: Gradebook, tmp_path: Path) -> None:
    keep_record(tmp_path, "week1", "ada")
    header, ada, ben, cleo = exported(MoodleExport, gradebook, tmp_path)
    assert header == [
        "First name", "Last name", "ID number",
        "week1", "week1 (Feedback)", "week2", "week2 (Feedback)",
    ]  # fmt: skip
    assert ada[:4] == ["Ada", "Lovelace", "17", "4.5"]
    assert ada[4].splitlines() == [
        "Late: 1.5 of 6 points were taken off.",
        "scale: 1 of 4. " + HINT.replace("<", "&lt;").replace(">", "&gt;"),
        "mix: 2 of 2.",
        "why: 3 of 3.",
    ]
    assert ben[3] == ""
    assert ben[4].startswith("These points are not final")
    assert ben[5] == "6.1"
    assert cleo[3:] == ["", "", "", ""]


def test_moodle_knows_them_by(gradebook: Gradebook, tmp_path: Path) -> None:
    rows = exported(MoodleExport, gradebook, tmp_path, identify_by="email", feedback=False)
    assert [row[2] for row in rows] == ["Email address", "ada@x.org", "ben@x.org", "cleo@x.org"]
    rows = exported(MoodleExport, gradebook, tmp_path, identify_by="username", feedback=False)
    assert [row[2] for row in rows] == ["Username", "ada", "ben", "cleo"]


def test_no_backslash_hides_the_end_of_a_cell(gradebook: Gradebook, tmp_path: Path) -> None:
    # What PHP reads: after a backslash, a quote does not end a cell.
    gradebook.add_student("dan", lms_user_id="20", first_name="a\\", last_name='b\\",=1,"c')
    exported(MoodleExport, gradebook, tmp_path)
    assert '\\"' not in (tmp_path / "grades.csv").read_text()


def test_moodle_takes_no_more_than_it_may(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gradebook.update_or_create_grade_cell("scale_check", "week1", "week1", max_score=200,
                                          cell_type="code")  # fmt: skip
    exported(MoodleExport, gradebook, tmp_path)
    assert "week1 is worth 205 points: Moodle refuses grades above 100" in caplog.text


@pytest.mark.long
def test_chosen_as_nbgrader_chooses(gradebook: Gradebook, tmp_path: Path) -> None:
    command = [
        sys.executable, "-m", "nbgrader", "export",
        "--exporter=autograder.nbgrading.exports.canvas.CanvasExport",
        "--CanvasExport.identify_by=sis_login_id", "--to=out.csv",
        "--assignment=['week2']", f"--db=sqlite:///{tmp_path / 'gradebook.db'}",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = list(csv.reader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert rows[0] == [*CANVAS, "week2"]
    assert rows[3] == ["Ng", "", "", "ben", "", "6.1"]


@pytest.mark.parametrize("kind", [MoodleExport, GradescopeExport])
def test_every_record_is_read_once(
    gradebook: Gradebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[Any]
) -> None:
    keep_record(tmp_path, "week1", "ada")
    read, there = list[Path](), Record.read

    def noted(path: Path) -> Record:
        read.append(path)
        return there(path)

    monkeypatch.setattr(Record, "read", noted)
    kind(to=str(tmp_path / "out"), config=course_at(tmp_path)).export(gradebook)
    folders = [f"{path.parent.parent.name} {path.parent.name}" for path in read]
    assert sorted(folders) == ["ada week1", "ben week1", "ben week2"]


def test_what_only_the_lecturer_can_mend_is_in_the_table_alone(
    gradebook: Gradebook, tmp_path: Path
) -> None:
    """A timestamp is written by what collects, and students can make nothing of it."""
    own, others = "the cell of why is missing", "timestamp.txt holds no time that can be read"
    folder = tmp_path / "autograded" / "ada" / "week1"
    folder.mkdir(parents=True)
    (folder / "week1.verdicts.json").write_text(Record(remarks=(others, own)).text())
    assert str(exported(SafeCsvExport, gradebook, tmp_path)).count(f"{others}; {own}") == 1
    told = str(exported(MoodleExport, gradebook, tmp_path))
    GradescopeExport(to=str(tmp_path / "out"), config=course_at(tmp_path)).export(gradebook)
    told += "".join(path.read_text() for path in (tmp_path / "out").rglob("results.json"))
    assert told.count(f"Noticed: {own}.") == 2
    assert "timestamp.txt" not in told
