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
    path = tmp_path / f"{kind.__name__}.csv"
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
        ["Lovelace, Ada [ada]", "17", "", "", "A", "4.5", ""],
        ["Ng [ben]", "18", "", "", "A", "", "6.1"],
        ["Zhu [cleo]", "19", "", "", "A", "", ""],
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
    gradebook.add_student("nameless", lms_user_id="21")
    rows = exported(CanvasExport, gradebook, tmp_path)
    assert "[nameless]" in [row[0] for row in rows]
    assert [row for row in rows if "Points Possible" in row[0]] == [rows[1]]
    assert "Points\u00a0Possible, Dan [dan]" in [row[0] for row in rows]


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
    assert not [*tmp_path.glob("*.csv")]


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
        shown = by_number[str(100 + number)].removesuffix(f" [s{number}]")
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
    assert '\\"' not in (tmp_path / "MoodleExport.csv").read_text()


def test_moodle_takes_no_more_than_it_may(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gradebook.update_or_create_grade_cell("scale_check", "week1", "week1", max_score=200,
                                          cell_type="code")  # fmt: skip
    exported(MoodleExport, gradebook, tmp_path)
    assert "week1 is worth 205 points: Moodle refuses grades above 100" in caplog.text
    assert "Moodle refuses a score above" not in caplog.text


def test_extra_credit_can_be_more_than_moodle_takes(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gradebook.find_grade("mix_check", "week1", "week1", "ada").extra_credit = 120
    gradebook.find_grade("mix_check", "week1", "week1", "ben").extra_credit = 120
    gradebook.db.commit()
    rows = exported(MoodleExport, gradebook, tmp_path, feedback=False)
    assert [row[3] for row in rows[1:]] == ["124.5", "", ""]
    assert "week1: Moodle refuses a score above 100, unless `unlimitedgrades` is on: 'ada'" in (
        caplog.messages
    )


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
    assert rows[3] == ["Ng [ben]", "", "", "ben", "", "6.1"]


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


@pytest.mark.parametrize("kind", [CanvasExport, MoodleExport])
def test_not_graded_is_not_nothing(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It was 0 with missing_as_zero, and said to be of somebody who had handed in nothing."""
    (tmp_path / "submitted" / "cleo" / "week1").mkdir(parents=True)
    for zero, nothing in ((False, ""), (True, "0.0")):
        rows = exported(kind, gradebook, tmp_path, missing_as_zero=zero)
        row = dict(zip(rows[0], rows[-1], strict=True))
        assert (row["week1"], row["week2"]) == ("", nothing)
    said = "week1: handed in and not graded yet, so no score: grade it and export again: 'cleo'"
    assert said in caplog.messages
    waits = "week1: an empty cell, as a part of the score waits for your grade: 'ben'"
    assert waits in caplog.messages
    assert "week1: an empty cell for" not in caplog.text
    assert "week2: an empty cell for 2 who handed nothing in" in caplog.messages


def test_canvas_reads_numbers(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    for student, number in (
        ("dan", "017"),
        ("eve", "0"),
        ("finn", "020"),
        ("gus", "9" * 5000),
        ("hal", ""),
    ):
        gradebook.add_student(student, lms_user_id=number)
    rows = exported(CanvasExport, gradebook, tmp_path)
    assert [row[1] for row in rows[2:]] == ["020", "9" * 5000, "18", "19"]
    assert "left out, as they share their lms user id: 'dan', 'ada'" in caplog.messages
    (no_number,) = (one for one in caplog.messages if "no number of Canvas's" in one)
    assert no_number.endswith(": 'eve'")


@pytest.mark.parametrize(
    ("number", "is_kept"),
    [
        *(("4711", True), ("4711.5", True), ("a1.2.3", True), ("50%", True), ("0", True)),
        *(("1.2.3", False), ("1,234", False), ("12.", False), ("12,", False), ("1.2.3%", False)),
    ],
)
def test_canvas_rewrites_what_looks_like_a_number(
    gradebook: Gradebook, tmp_path: Path, number: str, is_kept: bool
) -> None:
    gradebook.update_or_create_student("ada", lms_user_id=number)
    rows = exported(CanvasExport, gradebook, tmp_path, identify_by="sis_user_id")
    assert (number in [row[2] for row in rows]) == is_kept


@pytest.mark.parametrize(
    ("identify_by", "column"),
    [("id_number", "lms_user_id"), ("email", "email"), ("username", "id")],
)
@pytest.mark.parametrize("name", ["0", "a\\", 'a\\"b'])
def test_php_reads_another(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    identify_by: str, column: str, name: str,
) -> None:  # fmt: skip
    details = {"lms_user_id": "20", "email": "x", "last_name": "Left out"}
    details |= {column: name} if column != "id" else {}
    student = name if column == "id" else "dan"
    gradebook.add_student(student, **details)
    rows = exported(MoodleExport, gradebook, tmp_path, identify_by=identify_by)
    assert len(rows) == 4
    assert "Left out" not in str(rows)
    what = column.replace("_", " ")
    assert f"left out, as their {what} would be read as another one: {student!r}" in caplog.messages


@pytest.mark.parametrize("kind", [CanvasExport, MoodleExport])
def test_who_is_not_asked_for_is_counted(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gradebook.add_student("eve", lms_user_id="18")
    text = str(exported(kind, gradebook, tmp_path, student=["ada", "ben"]))
    assert "17" in text
    assert "18" not in text
    assert "left out, as they share their lms user id: 'ben'" in caplog.messages


@pytest.mark.parametrize(
    ("numbers", "sentence"),
    [
        (
            {"week1": 7, "week2": "07"},
            "CanvasExport.assignment_ids has 7 for week1 and for another lesson as well: write "
            "each lesson's own number",
        ),
        (
            {"week3": 7},
            "CanvasExport.assignment_ids names 'week3', which is no assignment of the gradebook: "
            "name one of week1, week2",
        ),
        *(
            (
                {"week1": value},
                f"CanvasExport.assignment_ids has {value!r} for week1: write Canvas's number, a "
                "positive whole one",
            )
            for value in (0, -7, 7.0, True, "", "seven", None)
        ),
    ],
)
def test_canvas_has_a_number_for_each_lesson(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    numbers: dict[str, Any], sentence: str,
) -> None:  # fmt: skip
    with pytest.raises(SystemExit):
        exported(CanvasExport, gradebook, tmp_path, assignment_ids=numbers, assignment=["week1"])
    assert caplog.messages[-1] == sentence
    assert not [*tmp_path.glob("*.csv")]


TABLES = [CanvasExport, MoodleExport, SafeCsvExport]


@pytest.mark.parametrize("kind", TABLES)
def test_only_a_table_of_its_own_is_overwritten(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A gradebook became a table."""
    path = tmp_path / f"{kind.__name__}.csv"
    assert exported(kind, gradebook, tmp_path) == exported(kind, gradebook, tmp_path)
    others = [b"", b"Student,ID,SIS User ID,SIS Login ID,Section\n", b"\xff\x00"]
    for content in [*others, (tmp_path / "gradebook.db").read_bytes()]:
        path.write_bytes(content)
        with pytest.raises(SystemExit):
            exported(kind, gradebook, tmp_path)
        assert path.read_bytes() == content
        assert caplog.messages[-1].startswith(f"{path} is there already and is no table of this")


@pytest.mark.parametrize("kind", TABLES)
def test_link_leads_to_the_new_table(kind: type[Any], gradebook: Gradebook, tmp_path: Path) -> None:
    link, there = tmp_path / f"{kind.__name__}.csv", tmp_path / "there.csv"
    link.symlink_to(there)
    exported(kind, gradebook, tmp_path)
    assert link.is_symlink()
    assert there.is_file()


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize(
    ("to", "sentence"),
    [
        ("none/grades.csv", "there is no folder {root}/none for grades.csv: make it, or choose"),
        ("folder", "{root}/folder is there already and is no table of this export's: choose"),
        ("x" * 300, "{root}/xxx"),
    ],
)
def test_place_that_cannot_be_written_is_a_sentence(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture,
    to: str, sentence: str,
) -> None:  # fmt: skip
    (tmp_path / "folder").mkdir()
    with pytest.raises(SystemExit) as ended:
        kind(to=str(tmp_path / to), config=course_at(tmp_path)).export(gradebook)
    assert ended.value.code == 1
    assert caplog.messages[-1].startswith(sentence.format(root=tmp_path))
    assert "--to" in caplog.messages[-1]


@pytest.mark.parametrize("kind", [*TABLES, GradescopeExport])
def test_roster_that_cannot_be_is_a_sentence(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "roster.csv").write_text("name\nada\n")
    gradebook.update_or_create_assignment("week1", duedate="2030-01-01 22:59:00 UTC")
    gradebook.update_or_create_submission("week1", "ada", timestamp="2030-01-02 10:00:00 UTC")
    config = course_at(tmp_path)
    config.Deadlines.course = str(tmp_path)
    with pytest.raises(SystemExit) as ended:
        kind(to=str(tmp_path / "out"), config=config).export(gradebook)
    assert ended.value.code == 1
    assert "roster.csv:1: no column is called id" in caplog.messages[-1]
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", [MoodleExport, SafeCsvExport, GradescopeExport])
def test_damaged_record_costs_words_alone(
    kind: type[Any], gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    folder = tmp_path / "autograded" / "ada" / "week1"
    folder.mkdir(parents=True)
    (folder / "week1.verdicts.json").write_text("{")
    out = tmp_path / "out"
    kind(to=str(out), config=course_at(tmp_path)).export(gradebook)
    files = [out] if out.is_file() else [*out.rglob("ada/results.json")]
    assert "4.5" in "".join(path.read_text() for path in files)
    (said,) = (one for one in caplog.messages if "no words for" in one)
    assert said.startswith(f"week1: no words for 'ada', as the record {folder}")
