"""Listing what was handed in: a name or a file that can't be read costs itself."""

import os
from pathlib import Path
from typing import Any

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.exchange.default import ExchangeList
from nbgrader.utils import capture_log

from autograder.course import Course
from autograder.nbgrading.configuration import configuration, nbgrader_api
from tests.support.attacks.inputs import leased
from tests.support.course import ROOT
from tests.support.tiny_course import LESSON

# nbgrader leaves it to Python to close a notebook.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

STAMP = "2030-01-01 12:00:00.000000 UTC"


@pytest.fixture
def api(tmp_path: Path) -> NbGraderAPI:
    return nbgrader_api(configuration(Course(ROOT), tmp_path))


def hand_in(inbound: Path, name: str) -> Path:
    folder = inbound / name
    folder.mkdir(parents=True)
    (folder / f"{LESSON}.ipynb").write_text("{}")
    (folder / "submission_secret.txt").write_text("my secret")
    return folder


def listing(api: NbGraderAPI, *, remove: bool = False) -> tuple[set[str], str]:
    lister = api.exchange.List(coursedir=api.coursedir, authenticator=api.authenticator, parent=api)
    lister.inbound, lister.remove = True, remove
    outcome = capture_log(lister)
    assert outcome["success"], outcome
    return {Path(one).name for one in lister.assignments}, str(outcome.get("log", ""))


def test_hostile_exchange(api: NbGraderAPI, tmp_path: Path) -> None:
    inbound = tmp_path / "exchange" / api.course_id / "inbound"
    good = {f"{student}+{LESSON}+{STAMP}+c2Vj" for student in ("ada", "ben.b@uni.de", "secretless")}
    for name in good:
        hand_in(inbound, name)
    (inbound / f"secretless+{LESSON}+{STAMP}+c2Vj" / "submission_secret.txt").unlink()
    for name in ("<img src=x>", "-rf", "a\nb", ""):
        hand_in(inbound, f"{name}+{LESSON}+{STAMP}")
    hand_in(inbound, f"mal+{LESSON}+soon")
    os.mkfifo(hand_in(inbound, f"pipe+{LESSON}+{STAMP}") / "x.ipynb")
    linked = hand_in(inbound, f"link+{LESSON}+{STAMP}")
    (linked / "x.ipynb").symlink_to("/dev/zero")
    (inbound / f"folder+{LESSON}+{STAMP}").symlink_to(linked)
    leased(hand_in(inbound, f"lease+{LESSON}+{STAMP}"))
    without = hand_in(inbound, f"large-without+{LESSON}+{STAMP}")
    (without / "submission_secret.txt").unlink()
    os.truncate(without / f"{LESSON}.ipynb", 11_000_000)
    for name, secret in {"text": b"\xff", "empty": b"", "large": b"x" * 2000}.items():
        folder = hand_in(inbound, f"{name}+{LESSON}+{STAMP}")
        (folder / "submission_secret.txt").write_bytes(secret)
    found, log = listing(api)
    assert found == good
    assert log.count("is set aside: ") == 13
    assert f"pipe+{LESSON}+{STAMP} is set aside: x.ipynb can't be read" in log
    assert f"empty+{LESSON}+{STAMP} is set aside: submission_secret.txt holds no secret" in log
    assert "it has no submission_secret.txt, and 11 MB of notebooks" in log
    found, _ = listing(api, remove=True)
    assert found == good
    assert len(os.listdir(inbound)) == 13
    assert (linked / "x.ipynb").is_symlink()


def test_many_odd_names(api: NbGraderAPI, tmp_path: Path) -> None:
    inbound = tmp_path / "exchange" / api.course_id / "inbound"
    for number in range(25):
        (inbound / f"x;{number}+{LESSON}+{STAMP}").mkdir(parents=True)
    found, log = listing(api)
    assert found == set()
    assert "5 more are set aside" in log


def test_nothing_is_read_where_students_can_write(
    api: NbGraderAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbound = tmp_path / "exchange" / api.course_id / "inbound"
    submissions = [
        hand_in(inbound, f"ada+{lesson}+{STAMP}+c2Vj") for lesson in ("another", LESSON, "third")
    ]
    (submissions[0] / "submission_secret.txt").unlink()
    asked = ExchangeList.parse_assignments

    def parse_assignments(lister: ExchangeList) -> Any:
        # What was looked at is something else by the time that nbgrader reads it.
        for submission in submissions:
            for name in os.listdir(submission):
                (submission / name).unlink()
                os.mkfifo(submission / name)
        return asked(lister)

    monkeypatch.setattr(ExchangeList, "parse_assignments", parse_assignments)
    lister = api.exchange.List(coursedir=api.coursedir, authenticator=api.authenticator, parent=api)
    lister.inbound = True
    # The other two were not looked at yet, and are set aside.
    [listed] = lister.start()
    [one] = listed["submissions"]
    assert one["path"] == str(submissions[0])
    assert [notebook["path"] for notebook in one["notebooks"]] == [
        str(submissions[0] / f"{LESSON}.ipynb")
    ]
