"""The table of grades, with names that spreadsheets would calculate or take apart."""

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pandas
import pytest

from autograder.checks.card.spreadsheet import as_text, write_table
from autograder.nbgrading.exports.table import SafeCsvExport
from tests.support.gradebooks import NAMES, add_lessons, course_at, gradebook_in, hand_in


def test_names_are_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "grades.csv"
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        gradebook.add_assignment("tiny")
        for number, name in enumerate(NAMES):
            details = dict.fromkeys(("first_name", "last_name", "email"), name)
            gradebook.add_student(f"student-{number}", **details)
        gradebook.add_student("without")
        SafeCsvExport(to=str(path)).export(gradebook)
    with path.open(newline="", encoding="utf-8") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    with path.open(newline="", encoding="utf-8") as file:
        frame = pandas.read_csv(file, dtype=str, keep_default_na=False).set_index("student_id")
    for number, name in enumerate(NAMES):
        row = rows[f"student-{number}"]
        assert (row["score"], row["max_score"]) == ("0.0", "0.0")
        for column in ("first_name", "last_name", "email"):
            assert row[column].replace("'", "") == name.replace("'", "")
            assert row[column].lstrip()[0] not in "=+-@|%"
            assert frame.loc[f"student-{number}", column] == row[column]
    assert rows["without"]["email"] == ""


def test_numbers_stay_numbers() -> None:
    assert [as_text(one) for one in (-1.5, 0, None, "ada")] == [-1.5, 0, "", "ada"]


@pytest.mark.parametrize("sign", [*"=+-@|%", *"\uff1d\uff0b\uff0d\uff20"])
@pytest.mark.parametrize("before", ["", " \t", "\ufeff", "x;", "x\n", 'x;  "', "x\r\n\n", ";"])
def test_no_cell_begins_with_a_formula(before: str, sign: str) -> None:
    """Nor does what stands behind a semicolon or at a line's beginning, where one may begin."""
    text = as_text(f"{before}{sign}1+1")
    for cell in re.split(r"[;\n\r]", text):
        assert cell.strip('"\ufeff \t')[:1] != sign
    assert text.replace("'", "") == f"{before}{sign}1+1"


def test_messages_stay() -> None:
    for text in ("shape (2, -1), and not (2, 1)", "a = b", "x;y\nz", "it's 5 % off; see line 3"):
        assert as_text(text) == text


def test_what_waits_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "grades.csv"
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        add_lessons(gradebook)
        for student in ("ada", "ben", "cleo"):
            gradebook.add_student(student)
        hand_in(gradebook, "week1", "ada", 4, 2, 3, penalty=1.5)
        hand_in(gradebook, "week1", "ben", 4, 0, None)
        SafeCsvExport(to=str(path), assignment=["week1"]).export(gradebook)
    frame = pandas.read_csv(path).set_index("student_id")
    assert frame["score"].to_dict() == {"ada": 7.5, "ben": 4.0, "cleo": 0.0}
    assert frame["raw_score"]["ada"] == 9.0
    assert frame["needs_manual_grade"].to_dict() == {"ada": False, "ben": True, "cleo": False}


# The second is what somebody took away who was killed before the new one was in its place.
@pytest.mark.parametrize("folder", ["week1", ".week1.replaced"])
def test_not_graded_waits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, folder: str
) -> None:
    """It was a 0 that seemed to be the last word."""
    path = tmp_path / "grades.csv"
    (tmp_path / "submitted" / "ada" / folder).mkdir(parents=True)
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        add_lessons(gradebook)
        for student in ("ada", "ben"):
            gradebook.add_student(student)
        config = course_at(tmp_path)
        SafeCsvExport(to=str(path), config=config, assignment=["week1"]).export(gradebook)
    frame = pandas.read_csv(path, keep_default_na=False).set_index("student_id")
    assert frame["needs_manual_grade"].to_dict() == {"ada": True, "ben": False}
    assert frame["noticed"].to_dict() == {"ada": "not graded yet", "ben": ""}
    assert "week1: handed in and not graded yet, so no score" in caplog.text


def test_table_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "grades.csv"
    write_table(path, [["old"]])

    def rows() -> Iterator[list[str]]:
        yield ["new"]
        raise KeyError

    with pytest.raises(KeyError):
        write_table(path, rows())
    assert path.read_text() == '"old"\n'


def test_lessons_come_in_the_course_s_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for lesson in ("week1", "week2", "week10"):
        (tmp_path / "source").mkdir(exist_ok=True)
        (tmp_path / "source" / f"{lesson}.md").write_text("# A lesson\n")
    chosen = ["week10", "week2", "week1"]
    (tmp_path / "course.toml").write_text(f"lessons = {chosen}\n")
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        gradebook.add_student("ada")
        for name in ("a_retake", "week1", "week10", "week2"):
            gradebook.add_assignment(name)
        config, to = course_at(tmp_path), str(tmp_path / "grades.csv")
        SafeCsvExport(to=to, config=config).export(gradebook)
    frame = pandas.read_csv(to)
    assert list(frame["assignment"]) == [*chosen, "a_retake"]


def test_times_say_their_zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And by how much somebody had longer, so that a late row without a penalty is understood."""
    path = tmp_path / "grades.csv"
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        add_lessons(gradebook)
        gradebook.update_or_create_assignment("week1", duedate="2030-01-01 22:59:00 UTC")
        for student in ("ada", "ben", "cleo"):
            gradebook.add_student(student)
        for student, time in (("ada", "2030-01-02 10:00:00.25"), ("ben", "2030-01-03 10:00:00")):
            hand_in(gradebook, "week1", student, 4, 2, 3)
            gradebook.update_or_create_submission("week1", student, timestamp=f"{time} UTC")
        gradebook.grant_extension("week1", "ben", days=2, hours=12)
        SafeCsvExport(to=str(path), assignment=["week1", "week2"]).export(gradebook)
    frame = pandas.read_csv(path, keep_default_na=False).set_index(["assignment", "student_id"])
    week1, week2 = frame.loc["week1"], frame.loc["week2"]
    assert set(week1["duedate"]) == {"2030-01-01T22:59:00Z"}
    assert set(week2["duedate"]) == {""}
    assert week1["timestamp"].to_dict() == {
        "ada": "2030-01-02T10:00:00.250000Z",
        "ben": "2030-01-03T10:00:00Z",
        "cleo": "",
    }
    assert week1["extension"].to_dict() == {"ada": "", "ben": "2 days, 12:00:00", "cleo": ""}
    assert pandas.to_timedelta(week1["extension"]["ben"]) == pandas.Timedelta(hours=60)
    read = pandas.to_datetime(week1["timestamp"], format="ISO8601")
    assert str(read["ada"].tz) == "UTC"


def test_nobody_of_that_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with gradebook_in(tmp_path, monkeypatch) as gradebook, pytest.raises(SystemExit):
        SafeCsvExport(to=str(tmp_path / "grades.csv"), student=["ada"]).export(gradebook)
    assert "the gradebook has no student 'ada'" in caplog.text


def test_many_names_are_not_all_said(caplog: pytest.LogCaptureFixture) -> None:
    plugin = SafeCsvExport()
    plugin.say("not final", map(str, range(5)), 2)
    plugin.say("not final", [], 2)
    plugin.say("left out", map(str, range(5)))
    assert [one.message for one in caplog.records] == [
        "not final: '0', '1', and 3 more",
        "left out: '0', '1', '2', '3', '4'",
    ]
