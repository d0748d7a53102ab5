from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from autograder.errors import GradingFailed
from autograder.nbgrading.all_or_nothing import MAKING, Folder
from tests.support.course import ROOT


def folder_of(root: Path, student: str) -> Folder:
    return Folder(root / student / "01_x", root / MAKING / student / "01_x")


def make(folder: Folder, text: str) -> None:
    with folder.alone():
        folder.recover(lambda made: (made / "text").exists())
        with folder.made_anew(keep_others=False):
            folder.next.mkdir()
            (folder.next / "text").write_text(text)
            with folder.replaced():
                pass


def make_often(root: Path, student: str) -> None:
    for number in range(200):
        make(folder_of(root, student), str(number))


def test_others_go_on(tmp_path: Path) -> None:
    ada, bob = folder_of(tmp_path, "ada"), folder_of(tmp_path, "bob")
    with ada.alone():
        make(bob, "bob's")
        with pytest.raises(GradingFailed, match="another program is making"):
            make(ada, "ada's")
        assert ada.lock.exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ada", "bob"]


@pytest.mark.long
def test_many_at_once(tmp_path: Path) -> None:
    """They make and remove the same folder above their own."""
    students = ["ada", "bob", "eve"]
    with ProcessPoolExecutor(len(students), mp_context=get_context("spawn")) as pool:
        for done in [pool.submit(make_often, tmp_path, student) for student in students]:
            done.result()
    for student in students:
        assert (tmp_path / student / "01_x" / "text").read_text() == "199"
    assert sorted(path.name for path in tmp_path.iterdir()) == students


def test_what_a_kill_left_goes(tmp_path: Path) -> None:
    ada = folder_of(tmp_path, "ada")
    make(ada, "first")
    for left in (ada.before, ada.next):
        left.mkdir(parents=True)
    ada.lock.touch()
    make(ada, "second")
    assert (ada.place / "text").read_text() == "second"
    assert [path.name for path in tmp_path.iterdir()] == ["ada"]


def test_git_ignores_it() -> None:
    assert f"{MAKING}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()
