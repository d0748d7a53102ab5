"""Results for Gradescope: as documented, with what students wrote as text."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook

from autograder.checks.exam.report import Place
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


@pytest.mark.parametrize(
    ("half", "told"),
    [
        (False, "Look at line 4: an axis."),
        # Each of two changes is needed.
        (True, "Look at line 4: an axis, and at line 6: what `mean` is given."),
    ],
)
def test_lines_to_look_at_are_told(
    half: bool, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = (
        Place(4, "x.sum(axis=0)", "an axis", "", half=half),
        Place(6, "mean(x)", "a value", "what `mean` is given", half=half),
    )
    with gradebook_in(tmp_path, monkeypatch) as gradebook:
        add_lessons(gradebook)
        gradebook.add_student("ada")
        hand_in(gradebook, "week1", "ada", 1, 0, 3)
        keep_record(tmp_path, "week1", "ada", places)
        folder = tmp_path / "out"
        GradescopeExport(to=str(folder), config=course_at(tmp_path)).export(gradebook)
    result = json.loads((folder / "week1/ada/results.json").read_text("utf-8"))
    (mix,) = (test for test in result["tests"] if test["name"] == "mix")
    assert mix["output"] == told


def test_what_waits_is_not_final(results: dict[str, Any]) -> None:
    ben = results["week1/ben/results.json"]
    assert ben["score"] == 6.0
    assert ben["output"].startswith("These points are not final")
    assert ben["extra_data"]["final"] is False
    (why,) = (test for test in ben["tests"] if test["name"] == "why")
    assert "status" not in why
    assert why["output"] == "This answer waits for your instructor."


@pytest.fixture
def gradebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gradebook]:
    """A class whose week1 is graded."""
    with gradebook_in(tmp_path, monkeypatch) as found:
        add_lessons(found)
        emails = {"ada": " Ada@x.org ", "ben": "b@x.org", "cleo": "B@x.org", "dan": " "}
        for student, email in emails.items():
            found.add_student(student, email=email)
            hand_in(found, "week1", student, 4, 2, 3)
        yield found


def test_nobody_gets_anothers_results(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Who shares an e-mail with somebody who is not asked for as well."""
    chosen, out = ["ada", "ben", "dan"], tmp_path / "out"
    GradescopeExport(to=str(out), config=course_at(tmp_path), student=chosen).export(gradebook)
    written = {
        path.parent.name: json.loads(path.read_text())["extra_data"]["email"]
        for path in out.rglob("results.json")
    }
    assert written == {"ada": "Ada@x.org", "ben": "", "dan": ""}
    nobody = "results that nobody is found by, as"
    assert f"{nobody} the gradebook has no e-mail for them: 'dan'" in caplog.messages
    assert f"{nobody} they share their e-mail: 'ben'" in caplog.messages


def test_result_of_an_earlier_export_is_removed(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    gradebook.add_student("x" * 250)
    out = tmp_path / "out"

    def export(**options: Any) -> set[str]:
        GradescopeExport(to=str(out), config=course_at(tmp_path), **options).export(gradebook)
        return {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}

    before = export()
    (out / "week1" / "ada" / "notes.txt").touch()
    for student in ("ada", "ben"):
        gradebook.remove_submission("week1", student)
    (tmp_path / "submitted" / "ada" / "week1").mkdir(parents=True)
    export(student=["ada"])
    week1 = {"week1/ada/notes.txt", *before - {"week1/ada/results.json"}}
    assert export(assignment=["week2"]) == week1
    said = "week1: the results.json of an earlier export is removed, as there is no score now"
    assert f"{said}: 'ada'" in caplog.messages
    not_graded = "week1: handed in and not graded yet, so no score: grade it and export again"
    assert f"{not_graded}: 'ada'" in caplog.messages
    caplog.clear()
    assert export() == week1 - {"week1/ben/results.json"}
    assert f"{said}: 'ben'" in caplog.messages
    assert "week1: 2 students handed nothing in; no file." in caplog.messages


def test_name_that_no_folder_can_have_is_said(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    long = "x" * 250
    gradebook.add_student(long, email="x@x.org")
    hand_in(gradebook, "week1", long, 4, 2, 3)
    GradescopeExport(to=str(tmp_path / "out"), config=course_at(tmp_path)).export(gradebook)
    assert f"left out, as no folder can be called so: {long!r}" in caplog.messages
    assert (tmp_path / "out" / "week1" / "ada" / "results.json").is_file()


def test_file_in_its_place_is_a_sentence(
    gradebook: Gradebook, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "out").touch()
    with pytest.raises(SystemExit):
        GradescopeExport(to=str(tmp_path / "out"), config=course_at(tmp_path)).export(gradebook)
    assert f"{tmp_path / 'out'} can't be written (" in caplog.messages[-1]


@pytest.mark.parametrize(
    ("emails", "handed_out"),
    [
        (("a@x.org", "b@x.org"), "0"),
        (("b@x.org", "A@x.org"), "1"),
        (("a@x.org", "A@X.org"), ""),
        (("", "b@x.org"), ""),
    ],
)
def test_script_of_the_manual(tmp_path: Path, emails: tuple[str, str], handed_out: str) -> None:
    """It hands out the one result that is the student's, and none where there are several."""
    manual = Path(__file__).parents[4] / "docs" / "grades.md"
    (script,) = re.findall(r"```python\n(#!.+?)```", manual.read_text("utf-8"), re.DOTALL)
    lesson = tmp_path / "source" / "gradescope" / "02_dot_product_self_attention"
    for place, email in enumerate(emails):
        (lesson / str(place)).mkdir(parents=True)
        text = json.dumps({"extra_data": {"email": email}, "place": str(place)})
        (lesson / str(place) / "results.json").write_text(text)
    (tmp_path / "results").mkdir()
    users = [{"email": "a@x.org "}, {"email": ""}]
    (tmp_path / "submission_metadata.json").write_text(json.dumps({"users": users}))
    script = script.replace("/autograder", str(tmp_path))
    found = tmp_path / "results" / "results.json"
    if handed_out:
        exec(script, {})
        assert json.loads(found.read_text())["place"] == handed_out
    else:
        with pytest.raises(SystemExit, match="results are for"):
            exec(script, {})
        assert not found.exists()
