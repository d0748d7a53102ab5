"""nbgrader's lists of submissions: one that can't be read costs itself, and is shown as such."""

import os
from pathlib import Path

import pytest
from nbgrader.apps import NbGraderAPI

from autograder.course import Course
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.inbox.timestamps import NAME
from tests.support.course import ROOT
from tests.support.tiny_course import LESSON, hand_in

# nbgrader's own use of SQLAlchemy.
pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")

TIME = "2030-01-02 12:00:00 UTC"
UNREADABLE = "timestamp.txt is empty, or not a small file that can be read"
NO_TIME = "timestamp.txt holds no time that can be read"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> NbGraderAPI:
    root = tmp_path_factory.mktemp("lists")
    (root / "source" / LESSON).mkdir(parents=True)
    made = nbgrader_api(configuration(Course(ROOT), root))
    for student, content in {
        "ada": TIME.encode(),
        "nonsense": b"soon",
        "no-text": b"\xff\xfe",
        "digits": b"1" * 400,
        "late": b"9999-12-31 23:59:59 UTC",
        "early": b"0001-01-01 00:00:00 +14",
        "empty": b"",
    }.items():
        (hand_in(root, student, b"{}") / NAME).write_bytes(content)
    os.mkfifo(hand_in(root, "pipe", b"{}") / NAME)
    (hand_in(root, "folder", b"{}") / NAME).mkdir()
    (hand_in(root, "link", b"{}") / NAME).symlink_to("/dev/zero")
    hand_in(root, "none", b"{}")
    for name in ("<img src=x onerror=alert(1)>", "a\nb", "x;y", "-rf"):
        hand_in(root, name, b"{}")
    return made


SHOWN = {
    "ada": TIME,
    "none": None,
    **dict.fromkeys(("nonsense", "no-text", "digits", "late", "early"), NO_TIME),
    **dict.fromkeys(("empty", "pipe", "folder", "link"), UNREADABLE),
}


def test_times_of_the_class(api: NbGraderAPI) -> None:
    shown = {one["student"]: one["display_timestamp"] for one in api.get_submissions(LESSON)}
    assert shown == SHOWN


def test_time_of_one(api: NbGraderAPI) -> None:
    for student, time in SHOWN.items():
        submission = api.get_submission(LESSON, student)
        assert submission["display_timestamp"] == time
        # Formgrader shows the other only where this is not null.
        assert (submission["timestamp"] is None) == (time is None)
    assert api.get_submission(LESSON, "nobody")["timestamp"] is None


def test_lists_of_students(api: NbGraderAPI) -> None:
    assert api.get_submitted_students(LESSON) == set(SHOWN)
    assert {one["id"] for one in api.get_students()} == set(SHOWN)
    assert api.get_assignment(LESSON)["num_submissions"] == len(SHOWN)


def test_who_was_being_replaced_is_listed(api: NbGraderAPI) -> None:
    """Whoever collected was killed before the new folder was in the place of the old one."""
    folder = Path(api.coursedir.root, "submitted", "ada", LESSON)
    folder.rename(folder.with_name(f".{LESSON}.replaced"))
    assert "ada" in {one["student"] for one in api.get_submissions(LESSON)}
    assert folder.is_dir()


def test_every_reader_is_the_same(api: NbGraderAPI) -> None:
    for student in SHOWN:
        folder = Path(api.coursedir.format_path("submitted", student, LESSON))
        time = api.coursedir.get_existing_timestamp(str(folder))
        assert time == api.get_submitted_timestamp(LESSON, student)
        assert (time is not None) == (student == "ada")
