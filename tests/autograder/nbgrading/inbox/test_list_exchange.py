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
from autograder.nbgrading.inbox import arrivals
from autograder.nbgrading.inbox.collect import SafeCollect
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
    # What nobody can read is left out of what is listed, and a line is a line.
    os.close(os.open(os.fsencode(inbound / min(good)) + b"/\xff.ipynb", os.O_CREAT))
    hand_in(inbound, f"ada+tiny\n[ListApp] bob\x1b[2J+{STAMP}")
    (hand_in(inbound, f"none+{LESSON}+{STAMP}") / f"{LESSON}.ipynb").unlink()
    found, log = listing(api)
    assert found == good
    assert "\x1b" not in log
    assert f"none+{LESSON}+{STAMP} is set aside: there is no notebook in it" in log
    assert log.count("is set aside: ") == 15
    assert f"pipe+{LESSON}+{STAMP} is set aside: x.ipynb can't be read" in log
    assert f"empty+{LESSON}+{STAMP} is set aside: submission_secret.txt holds no secret" in log
    assert "it has no submission_secret.txt, and 11 MB of notebooks" in log
    found, _ = listing(api, remove=True)
    assert found == good
    assert len(os.listdir(inbound)) == 15
    assert (linked / "x.ipynb").is_symlink()


def test_anothers_folder_is_not_listed_as_theirs(
    api: NbGraderAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inbound = tmp_path / "exchange" / api.course_id / "inbound"
    hand_in(inbound, f"ada+{LESSON}+{STAMP}+c2Vj")
    monkeypatch.setattr(arrivals, "keeper_of", lambda _: -1)
    found, log = listing(api)
    assert found == set()
    assert "and not to ada" in log
    monkeypatch.setattr(SafeCollect, "check_owner", False)
    assert len(listing(api)[0]) == 1


def test_what_has_no_secret_has_room_together(api: NbGraderAPI, tmp_path: Path) -> None:
    inbound = tmp_path / "exchange" / api.course_id / "inbound"
    for second in range(4):
        folder = hand_in(inbound, f"ada+{LESSON}+2030-01-01 12:00:0{second}.000000 UTC+c2Vj")
        (folder / "submission_secret.txt").unlink()
        os.truncate(folder / f"{LESSON}.ipynb", 4_000_000)
    found, log = listing(api)
    assert len(found) == 2
    assert log.count("is set aside: it has no submission_secret.txt") == 2


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
