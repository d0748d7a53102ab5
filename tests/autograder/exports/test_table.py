"""The table of grades, with names that spreadsheets would calculate or take apart."""

import csv
import os
import sys
from pathlib import Path

import pytest
from nbgrader.api import Gradebook

from autograder.exports.table import SafeCsvExport, as_text

NAMES = (
    '=HYPERLINK("http:report.html")', "+1+1", "-2", "@SUM(1)", "\t=1", " =1", "|calc", "%0A=1",
    "a,b", 'a"b', "a\nb", "\r=1", "Ada",
)  # fmt: skip


def test_names_are_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A new gradebook calls a program that lies beside Python.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    path = tmp_path / "grades.csv"
    with Gradebook(f"sqlite:///{tmp_path / 'gradebook.db'}", "course") as gradebook:
        gradebook.add_assignment("tiny")
        for number, name in enumerate(NAMES):
            details = dict.fromkeys(("first_name", "last_name", "email"), name)
            gradebook.add_student(f"student-{number}", **details)
        gradebook.add_student("without")
        SafeCsvExport(to=str(path)).export(gradebook)
    with path.open(newline="", encoding="utf-8") as file:
        rows = {row["student_id"]: row for row in csv.DictReader(file)}
    for number, name in enumerate(NAMES):
        row = rows[f"student-{number}"]
        assert (row["score"], row["max_score"]) == ("0.0", "0.0")
        for column in ("first_name", "last_name", "email"):
            assert row[column].removeprefix("'") == name
            assert row[column].lstrip()[0] not in "=+-@|%"
    assert rows["without"]["email"] == ""


def test_numbers_stay_numbers() -> None:
    assert [as_text(one) for one in (-1.5, 0, None, "ada")] == [-1.5, 0, "", "ada"]
