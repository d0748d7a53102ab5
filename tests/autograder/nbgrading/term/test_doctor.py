"""What is missing for grading is named, with what mends it."""

import os
import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from traitlets.config import Config

from autograder.course import Course
from autograder.errors import IsolationUnavailable
from autograder.nbgrading.configuration import configuration
from autograder.nbgrading.inbox import arrivals
from autograder.nbgrading.term import doctor
from autograder.nbgrading.term.doctor import Checkup, examine


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course of two lessons that is not built; its sandbox opens without being tried."""
    (tmp_path / "source").mkdir()
    for name in ("01_one", "02_two"):
        (tmp_path / "source" / f"{name}.md").touch()
    monkeypatch.setattr(doctor, "in_sandbox", lambda walls, use: None)
    return Course(tmp_path)


def found(course: Course) -> dict[str, Checkup]:
    config = Config()
    config.CourseDirectory.root = str(course.root)
    config.Exchange.root = str(course.root / "exchange")
    return {one.what: one for one in examine(course, lambda: config)}


def test_all_is_looked_at(course: Course) -> None:
    seen = found(course)
    assert seen["settings"].found.endswith(": 01_one, 02_two")
    assert seen["instructor's notebooks"] == Checkup(
        "instructor's notebooks", "missing of 01_one, 02_two", "autograder build", is_needed=False
    )
    assert seen["roster"].mend == "autograder roster FILE.csv"
    assert seen["gradebook"].mend == seen["exchange"].mend == seen["versions"].mend == ""
    assert all(one.found for one in seen.values())


def test_what_is_wrong_is_said(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    def unavailable(walls: object, use: object) -> None:
        raise IsolationUnavailable("no user namespaces here")

    monkeypatch.setattr(doctor, "in_sandbox", unavailable)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    (course.root / "roster.csv").write_text("name\nada\n")
    seen = found(course)
    assert {one.what for one in seen.values() if one.mend and one.is_needed} == {
        "bubblewrap", "sandbox", "roster",
    }  # fmt: skip
    assert seen["sandbox"].found == "no user namespaces here"
    assert "unprivileged_userns" in seen["sandbox"].mend
    assert "roster.csv:1: no column is called id" in seen["roster"].found


def test_container_that_hides_a_part_of_proc_is_started_otherwise(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = "bwrap: Can't mount proc on /newroot/proc: Operation not permitted"

    def unavailable(walls: object, use: object) -> None:
        raise IsolationUnavailable(f"the zygote did not start: {said}")

    monkeypatch.setattr(doctor, "in_sandbox", unavailable)
    assert "docs/where_it_runs.md" in found(course)["sandbox"].mend


def test_settings_that_can_not_be_end_it(course: Course) -> None:
    (course.root / "course.toml").write_text("pyplot = 1\n")
    *_, last = found(course).values()
    assert last.what == "settings"
    assert "course.toml:1: pyplot must be true or false" in last.found


@pytest.mark.parametrize(
    "setting", ["points = {no_such_exercise = 3}", 'leave_out = {nothing = "gone"}', 'demo = "77"']
)
def test_settings_about_nothing_end_it(course: Course, setting: str) -> None:
    (course.root / "course.toml").write_text(f"{setting}\n")
    *_, last = found(course).values()
    assert last.what == "settings"
    assert f"course.toml:1: {setting.split()[0]}: " in last.found


def test_roster_says_who_has_no_email(course: Course) -> None:
    (course.root / "roster.csv").write_text("id,email\nada,ada@example.org\nben,\n")
    said = found(course)["roster"].found
    assert said == "2 students, 1 without an e-mail, which Gradescope needs"


def test_closed_exchange(course: Course) -> None:
    (course.root / "exchange").mkdir(mode=0o750)
    said = found(course)["exchange"]
    assert said.mend == f"chmod 1777 {course.root / 'exchange'}"
    assert not said.is_needed


def test_exchange_in_which_anybody_moves_folders(course: Course) -> None:
    root = course.root / "exchange"
    root.mkdir()
    for mode, is_fit in ((0o777, False), (0o1777, True), (0o1775, False)):
        root.chmod(mode)
        said = found(course)["exchange"]
        assert said.mend == ("" if is_fit else f"chmod 1777 {root}")
        assert ("in the place of the course's" in said.found) == (mode == 0o777)


def test_inbound_in_which_anybody_moves_folders(course: Course) -> None:
    root = course.root / "exchange"
    (inbound := root / course.settings.id / "inbound").mkdir(parents=True)
    root.chmod(0o1777)
    for mode, mend in ((0o2733, f"chmod +t {inbound}"), (0o3733, "")):
        inbound.chmod(mode)
        said = found(course)["exchange"]
        assert said.mend == mend
        assert ("can rename what others have put there" in said.found) == bool(mend)
    root.chmod(0o777)
    assert found(course)["exchange"].mend == f"chmod 1777 {root}"


def test_exchange_that_the_course_names(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setenv("PATH", os.environ["PATH"])
    shared = course.root / "shared"
    shared.mkdir(mode=0o750)
    (course.root / "nbgrader_config.py").write_text(
        "from autograder import configure\n\nc = get_config()\nconfigure(c, __file__)\n"
        f"c.Exchange.root = {str(shared)!r}\n"
    )
    looked_at = examine(course, lambda: configuration(course, course.root))
    (said,) = (one for one in looked_at if one.what == "exchange")
    assert said.mend == f"chmod 1777 {shared}"


def test_folder_that_a_student_has_made_first(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = course.root / "exchange"
    (root / course.settings.id / "inbound").mkdir(parents=True)
    root.chmod(0o1777)
    assert found(course)["exchange"].mend == ""
    monkeypatch.setattr(arrivals, "keeper_of", lambda _: -1)
    assert "may have made it to take in what others submit" in found(course)["exchange"].mend


def test_course_that_every_account_reads(course: Course) -> None:
    # What pytest makes is closed to others.
    with TemporaryDirectory() as open_to_all:
        root = shutil.copytree(course.root, Path(open_to_all), dirs_exist_ok=True)
        root.chmod(0o755)
        assert found(Course(root))["privacy"].mend.startswith(f"chmod o= {root}; students")
        root.chmod(0o750)
        assert found(Course(root))["privacy"].mend == ""
