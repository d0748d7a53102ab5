"""What is due when, and what is taken off: a share of the points that stand now."""

import csv
from pathlib import Path

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI

from autograder.course import Course
from autograder.errors import SettingError
from autograder.nbgrading.configuration import nbgrader_api
from autograder.nbgrading.exports.table import SafeCsvExport
from autograder.nbgrading.term.late import SharePerDay, due_times
from tests.support.tiny_course import LESSON, answered, as_bytes, hand_in, tiny_course

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")

HOUR = 3600
DUE = "2030-01-01 00:00:00"


@pytest.mark.parametrize(
    ("hours", "taken"), [(0.5, 0), (2, 0), (2.1, 1), (24, 1), (24.1, 2), (96, 4), (97, 5), (999, 5)]
)
def test_each_day_that_has_begun_costs_a_share(hours: float, taken: float) -> None:
    plugin = SharePerDay(per_day=0.1, grace_hours=2, floor=0.5)
    assert plugin.late_submission_penalty("ada", 10.0, hours * HOUR) == taken


@pytest.mark.parametrize(("name", "value"), [("per_day", 1.5), ("floor", -1), ("grace_hours", -1)])
def test_shares_that_can_not_be(name: str, value: float) -> None:
    with pytest.raises(SettingError, match=name):
        SharePerDay(**{name: value})


@pytest.fixture(scope="module")
def course(tmp_path_factory) -> tuple[Path, NbGraderAPI]:
    """Three are a day and a half late: ada, ben with an extension, and cem, who also wrote."""
    root = tmp_path_factory.mktemp("late")
    config = tiny_course(root)
    config.AssignLatePenalties.plugin_class = SharePerDay
    config.SharePerDay.per_day = 0.25
    config.Deadlines.due = {LESSON: DUE}
    config.Deadlines.course = str(root)
    (root / "source" / f"{LESSON}.md").touch()
    (root / "roster.csv").write_text(f"id,extension,extension {LESSON}\nben,1,\ncem,9,0\n")
    released = nbformat.read(root / "notebooks" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for student in ("ada", "ben", "cem"):
        notebook = answered(released)
        notebook["cells"][-1]["source"] = "Because."
        folder = hand_in(root, student, as_bytes(notebook))
        (folder / "timestamp.txt").write_text("2030-01-02 12:00:00 UTC")
    api = nbgrader_api(config)
    for student in ("ada", "ben", "cem"):
        outcome = api.autograde(LESSON, student, force=False)
        assert outcome["success"], outcome
    return root, api


def exported(root: Path, api: NbGraderAPI) -> dict[str, dict[str, str]]:
    with api.gradebook as gradebook:
        SafeCsvExport(config=api.config, to=str(root / "grades.csv")).export(gradebook)
    with (root / "grades.csv").open(newline="", encoding="utf-8") as file:
        return {row["student_id"]: row for row in csv.DictReader(file)}


def penalties(root: Path, api: NbGraderAPI) -> dict[str, float]:
    rows = exported(root, api)
    return {name: float(row["late_submission_penalty"]) for name, row in rows.items()}


def give_by_hand(api: NbGraderAPI, student: str, points: float) -> None:
    with api.gradebook as gradebook:
        grade = gradebook.find_grade("why", LESSON, LESSON, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.db.commit()


@pytest.mark.long
def test_extension_makes_it_due_later(course) -> None:
    root, api = course
    assert penalties(root, api) == {"ada": 2.5, "ben": 1.25, "cem": 2.5}
    with api.gradebook as gradebook:
        assert str(gradebook.find_submission(LESSON, "ben").extension) == "1 day, 0:00:00"
        assert str(gradebook.find_assignment(LESSON).duedate) == DUE


@pytest.mark.long
def test_points_that_are_given_later_lose_the_same_share(course) -> None:
    root, api = course
    give_by_hand(api, "cem", 1.0)
    assert penalties(root, api)["cem"] == 3.0
    outcome = api.generate_feedback(LESSON, "cem")
    assert outcome["success"], outcome
    page = (root / "feedback" / "cem" / LESSON / f"{LESSON}.html").read_text()
    assert "3 points were taken off" in page
    give_by_hand(api, "cem", 0.5)
    outcome = api.generate_feedback(LESSON, "cem", force=True)
    page = (root / "feedback" / "cem" / LESSON / f"{LESSON}.html").read_text()
    assert "2.75 points were taken off" in page


def test_extension_that_is_granted_afterwards_counts_at_once(course) -> None:
    root, api = course
    before = (root / "roster.csv").read_text()
    (root / "roster.csv").write_text("id,extension\nada,2\n")
    assert penalties(root, api)["ada"] == 0
    (root / "roster.csv").write_text(before)
    assert penalties(root, api)["ada"] == 2.5


def test_times_of_course_toml(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "02_vectors.md").touch()
    (tmp_path / "course.toml").write_text('[due]\n"02" = 2026-11-30T23:59:00+01:00\n')
    assert due_times(Course(tmp_path)) == {"02_vectors": "2026-11-30 22:59:00"}
    (tmp_path / "course.toml").write_text('[due]\n"03" = 2026-11-30T23:59:00+01:00\n')
    with pytest.raises(SettingError, match=r"course.toml:2: due: no lesson is called '03'"):
        due_times(Course(tmp_path))
