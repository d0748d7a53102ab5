"""The folder of a site: never one of somebody else's."""

from pathlib import Path

import pytest

from autograder.site.errors import SiteError
from autograder.site.place import refuse_others, take_place
from autograder.whole_folder import making


def make(folder: Path, text: str) -> None:
    refuse_others(folder)
    with making(folder) as beside:
        (beside / "pages").mkdir()
        (beside / "pages" / "index.html").write_text(text)
        take_place(beside / "pages", folder, beside / "before")


def test_a_new_site_takes_the_place_of_the_old_one(tmp_path: Path) -> None:
    folder = tmp_path / "build" / "site"
    make(folder, "old")
    (folder / "gone.html").touch()
    make(folder, "new")
    assert (folder / "index.html").read_text() == "new"
    assert not (folder / "gone.html").exists()
    assert [*folder.parent.iterdir()] == [folder]


def test_an_empty_folder_will_do(tmp_path: Path) -> None:
    make(tmp_path, "new")
    assert (tmp_path / "index.html").exists()


@pytest.mark.parametrize("name", ["notes.txt", "index.html", ".hidden"])
def test_a_folder_with_somebodys_files_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")
    with pytest.raises(SiteError, match="choose another folder"):
        make(tmp_path, "new")
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "site").write_text("mine")
    with pytest.raises(SiteError, match="not a site that was made here"):
        make(tmp_path / "site", "new")


def test_what_goes_wrong_leaves_the_old_site(tmp_path: Path) -> None:
    folder = tmp_path / "site"
    make(folder, "old")
    with pytest.raises(ZeroDivisionError), making(folder) as beside:
        (beside / "pages").write_text(str(1 / 0))
    assert (folder / "index.html").read_text() == "old"
    assert [*tmp_path.iterdir()] == [folder]
