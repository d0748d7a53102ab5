"""Releasing lessons, and feedback: for everybody who can fetch it, with a word on who can't."""

import shutil
from pathlib import Path

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.utils import notebook_hash

from autograder.course import Course
from autograder.nbgrading.configuration import configuration, nbgrader_api
from tests.support.course import ROOT
from tests.support.tiny_course import LESSON

# nbgrader's own call has a slip of the pen in it.
pytestmark = pytest.mark.filterwarnings("ignore:Passing unrecognized arguments")

SECRET = "submission_secret.txt"


@pytest.fixture
def api(tmp_path: Path) -> NbGraderAPI:
    return nbgrader_api(configuration(Course(ROOT), tmp_path))


def feedback(root: Path, student: str, secret: bytes | None = None) -> Path:
    graded = root / "autograded" / student / LESSON
    graded.mkdir(parents=True)
    (graded / f"{LESSON}.ipynb").write_text("{}")
    folder = root / "feedback" / student / LESSON
    folder.mkdir(parents=True)
    (folder / f"{LESSON}.html").write_text(f"feedback for {student}")
    if secret is not None:
        (folder / SECRET).write_bytes(secret)
    return folder


def released(api: NbGraderAPI, root: Path) -> dict[str, str]:
    folder = root / "exchange" / api.course_id / "feedback"
    return {path.name: path.read_text() for path in folder.iterdir()}


def page_name(secret: str, notebook: str = LESSON) -> str:
    return f"{notebook_hash(secret=secret, notebook_id=notebook)}.html"


@pytest.mark.parametrize("is_there", [True, False])
def test_nobody_moves_what_others_have_put_there(
    api: NbGraderAPI, tmp_path: Path, is_there: bool
) -> None:
    (tmp_path / "notebooks" / LESSON).mkdir(parents=True)
    root = tmp_path / "exchange"
    if is_there:
        root.mkdir()
        root.chmod(0o777)
    # How the name begins is enough, where it is that of a lesson's text.
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / f"{LESSON}.md").touch()
    outcome = api.release_assignment(LESSON[:2])
    assert outcome["success"], outcome
    assert root.stat().st_mode & 0o7777 == 0o1777


def test_nobody_renames_what_others_hand_in(
    api: NbGraderAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A student who renames what a lecturer put there by hand handed it in as hers."""
    for folder in ("notebooks", "source"):
        (tmp_path / folder / LESSON).mkdir(parents=True)
    assert api.release_assignment(LESSON)["success"]
    inbound = tmp_path / "exchange" / api.course_id / "inbound"
    assert inbound.stat().st_mode & 0o7777 == 0o3733
    # A folder that was made before is closed by the next release, and one of another account named.
    inbound.chmod(0o2733)
    chmod = Path.chmod

    def not_ours(path: Path, mode: int) -> None:
        if path == inbound:
            raise PermissionError(1, "Operation not permitted")
        chmod(path, mode)

    shutil.rmtree(inbound.parent / "outbound" / LESSON)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", not_ours)
        outcome = api.release_assignment(LESSON)
    assert outcome["success"], outcome
    assert f"whose it is ends that with `chmod +t {inbound}`" in outcome["log"]
    shutil.rmtree(inbound.parent / "outbound" / LESSON)
    assert api.release_assignment(LESSON)["success"]
    assert inbound.stat().st_mode & 0o7777 == 0o3733


@pytest.mark.parametrize("student", ["*", "ada", "ben"])
def test_secret_of_two_releases_neither(api: NbGraderAPI, tmp_path: Path, student: str) -> None:
    """One page took the place of the other, and both students fetched the same."""
    (tmp_path / "exchange").mkdir()
    for name, secret in {"ada": b"copied", "ben": b"copied", "zoe": b"zoe's"}.items():
        feedback(tmp_path, name, secret)
    outcome = api.release_feedback(LESSON, *([] if student == "*" else [student]))
    assert outcome["success"], outcome
    found = {page_name("zoe's"): "feedback for zoe"} if student == "*" else {}
    assert released(api, tmp_path) == found
    for one, other in (("ada", "ben"), ("ben", "ada")):
        said = f"{one} has the same {SECRET} as {other}"
        assert (said in outcome["log"]) == (student in ("*", one))


def test_a_missing_secret_stops_nobody(api: NbGraderAPI, tmp_path: Path) -> None:
    (tmp_path / "exchange").mkdir()
    feedback(tmp_path, "by-folder")
    for student, secret in {"empty": b"", "no-text": b"\xff", "large": b"x" * 2000}.items():
        feedback(tmp_path, student, secret)
    (feedback(tmp_path, "linked") / SECRET).symlink_to("/etc/hostname")
    for student in ("ada", "zoe"):
        feedback(tmp_path, student, f"{student}'s".encode())
    outcome = api.release_feedback(LESSON)
    assert outcome["success"], outcome
    assert released(api, tmp_path) == {
        page_name("ada's"): "feedback for ada",
        page_name("zoe's"): "feedback for zoe",
    }
    for student in ("by-folder", "empty", "no-text", "large", "linked"):
        page = tmp_path / "feedback" / student / LESSON / f"{LESSON}.html"
        assert f"{student} handed in by folder" in outcome["log"]
        assert f"give them {page} yourself" in outcome["log"]


def test_pages_of_students_are_not_released(api: NbGraderAPI, tmp_path: Path) -> None:
    (tmp_path / "exchange").mkdir()
    folder = feedback(tmp_path, "mal", b"mal's")
    (folder / "report.html").write_text("<script>")
    outcome = api.release_feedback(LESSON, "mal")
    assert released(api, tmp_path) == {page_name("mal's"): "feedback for mal"}
    assert "report.html is left out: no graded notebook is called that" in outcome["log"]


def test_failure_of_ours_costs_nobody_else(
    api: NbGraderAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "exchange").mkdir()
    for student in ("ada", "ben", "cem"):
        feedback(tmp_path, student, f"{student}'s".encode())
    copy = shutil.copy

    def full(source: Path, target: Path) -> object:
        if "ben" in str(source):
            raise OSError(28, "No space left on device")
        return copy(source, target)

    with monkeypatch.context() as patched:
        patched.setattr(shutil, "copy", full)
        outcome = api.release_feedback(LESSON)
    assert not outcome["success"]
    assert "Nothing was released for ben: see the log, and try again" in outcome["log"]
    assert set(released(api, tmp_path)) == {page_name("ada's"), page_name("cem's")}
