"""Results for Gradescope: as documented, with what students wrote as text."""

import json
from pathlib import Path
from typing import Any

import pytest

from autograder.nbgrading.exports.gradescope import GradescopeExport
from tests.support.gradebooks import (
    HINT,
    add_lessons,
    course_at,
    gradebook_in,
    hand_in,
    keep_record,
)  # fmt: skip

# https://gradescope-autograders.readthedocs.io/en/latest/specs/
WHOLE = {
    "score", "execution_time", "output", "output_format", "test_output_format",
    "test_name_format", "visibility", "stdout_visibility", "extra_data", "tests", "leaderboard",
}  # fmt: skip
TEST = {
    "score", "max_score", "status", "name", "name_format", "number", "output", "output_format",
    "tags", "visibility", "extra_data",
}  # fmt: skip


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        add_lessons(gradebook)
        gradebook.add_student("ada", email="ada@x.org")
        for name in ("ben", "cleo", "../eve"):
            gradebook.add_student(name)
        hand_in(gradebook, "week1", "ada", 1, 0, 3, penalty=1.5)
        hand_in(gradebook, "week1", "ben", 4, 2, None)
        hand_in(gradebook, "week1", "../eve", 4, 2, 3)
        gradebook.find_comment("why", "week1", "week1", "ada").manual_comment = "Well said."
        gradebook.db.commit()
        keep_record(tmp_path, "week1", "ada")
        folder = str(tmp_path / "out")
        GradescopeExport(to=folder, config=course_at(tmp_path)).export(gradebook)
    return {
        path.relative_to(tmp_path / "out").as_posix(): json.loads(path.read_text("utf-8"))
        for path in tmp_path.rglob("results.json")
    }


def test_a_file_for_each_submission(results: dict[str, Any]) -> None:
    assert sorted(results) == ["week1/ada/results.json", "week1/ben/results.json"]


def test_results_have_the_documented_form(results: dict[str, Any]) -> None:
    for result in results.values():
        assert result.keys() <= WHOLE
        assert result["visibility"] == "after_published"
        assert isinstance(result["score"], float)
        for test in result["tests"]:
            assert test.keys() <= TEST
            assert (test["output_format"], test["name_format"]) == ("text", "text")
            assert test.get("status", "passed") in ("passed", "failed")


def test_what_was_found_is_said(results: dict[str, Any]) -> None:
    ada = results["week1/ada/results.json"]
    assert ada["score"] == 2.5
    assert ada["output"] == "Late: 1.5 of 4 points were taken off."
    assert ada["extra_data"] == {
        "lesson": "week1", "student": "ada", "email": "ada@x.org", "final": True,
    }  # fmt: skip
    found = {test["name"]: test for test in ada["tests"]}
    assert [found["scale"][key] for key in ("score", "max_score", "status", "output")] == [
        1.0, 4.0, "failed", HINT,
    ]  # fmt: skip
    assert found["mix"]["output"] == "stopped: it ran for too long"
    assert (found["why"]["status"], found["why"]["output"]) == ("passed", "Well said.")


def test_what_waits_is_not_final(results: dict[str, Any]) -> None:
    ben = results["week1/ben/results.json"]
    assert ben["score"] == 6.0
    assert ben["output"].startswith("These points are not final")
    assert ben["extra_data"]["final"] is False
    (why,) = (test for test in ben["tests"] if test["name"] == "why")
    assert "status" not in why
    assert why["output"] == "This answer waits for your instructor."
