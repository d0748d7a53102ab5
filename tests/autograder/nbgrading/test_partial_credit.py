"""Half of the points, from a submission to the gradebook, its table and the feedback page."""

import re
from pathlib import Path

import nbformat
import pandas
import pytest
from nbgrader.api import Gradebook

from autograder.checks.source.cells import grade_id_of
from autograder.course import Course
from autograder.grading.record import RECORD_SUFFIX, Record
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.exports.table import SafeCsvExport
from tests.support.course import ROOT
from tests.support.small_course import LESSON, small_course

RIGHT_BUT_FOR_THE_DTYPE = """\
def shares_of(matches):
    powers = np.exp(matches - matches.max(axis=-1, keepdims=True))
    return (powers / powers.sum(axis=-1, keepdims=True)).astype(np.float64)
"""


@pytest.mark.long
@pytest.mark.parametrize(
    ("setting", "points", "said"),
    [
        ("", 1.5, "right but for the dtype, half of the points"),
        ("partial_credit = false", 0.0, r"not yet right, \d+ of \d+ cases passed"),
    ],
)
def test_half_is_given_unless_the_course_wants_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, setting: str, points: float, said: str
) -> None:
    course = small_course(tmp_path / "course")
    (course.root / "course.toml").write_text(setting, encoding="utf-8")
    config = configuration(Course(ROOT), course.root)
    config.GradeSafely.course = str(course.root)
    config.TrySolution.enabled = False
    api = nbgrader_api(config)
    outcome = api.generate_assignment(LESSON)
    assert outcome["success"], outcome
    hand_in(course, RIGHT_BUT_FOR_THE_DTYPE)
    for step in (api.autograde, api.generate_feedback):
        outcome = step(LESSON, "ada")
        assert outcome["success"], outcome

    record = Record.read(course.root / "autograded" / "ada" / LESSON / f"{LESSON}{RECORD_SUFFIX}")
    (found,) = (one for one in record.cells if one.exercise == "shares_of")
    assert (found.points, found.right_but_for) == (points, "the dtype" if points else "")
    page = (course.root / "feedback" / "ada" / LESSON / f"{LESSON}.html").read_text("utf-8")
    assert re.search(said, page)
    assert f"{points:g} / 3" in page
    path = tmp_path / "grades.csv"
    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        SafeCsvExport(to=str(path)).export(gradebook)
    assert pandas.read_csv(path)["score"].tolist() == [points]


def hand_in(course: Course, answer: str) -> None:
    """One answer, and nothing else."""
    notebook = nbformat.read(course.release_folder(LESSON) / f"{LESSON}.ipynb", as_version=4)
    for cell in notebook.cells:
        if grade_id_of(cell) == "shares_of":
            cell.source = answer
    folder = course.root / "submitted" / "ada" / LESSON
    folder.mkdir(parents=True)
    nbformat.write(notebook, folder / f"{LESSON}.ipynb")
