"""Pages are made, or it is said what keeps them from being made."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from autograder.site import rendering
from autograder.site.errors import SiteError
from autograder.site.rendering import render


def rendered(folder: Path, text: str) -> Path:
    texts = folder / "texts"
    texts.mkdir()
    (texts / "index.md").write_text(text, encoding="utf-8")
    render(texts, folder / "pages", title="Title", repository="", address="")
    return folder / "pages"


@pytest.mark.long
def test_what_sphinx_warns_of_stops_it(tmp_path: Path) -> None:
    with pytest.raises(SiteError) as caught:
        rendered(tmp_path, "# Title\n\n[x](#nowhere)\n")
    assert str(caught.value).startswith("the pages can't be made: index.md:3: WARNING: ")
    assert "nowhere" in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_full_disk_is_no_list_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sphinx warns of each file that it can't copy."""
    said = f"WARNING: Failed to copy a.js: OSError(28, '{os.strerror(errno.ENOSPC)}')\n" * 9
    done = subprocess.CompletedProcess([], 0, "", said)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    with pytest.raises(SiteError) as caught:
        rendered(tmp_path, "# Title\n")
    assert str(caught.value) == (
        "the pages can't be made: the disk is full (No space left on device): make room, and make "
        "them again"
    )


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_is_installed", lambda module: module == "sphinx")
    with pytest.raises(SiteError, match=r"myst_nb and sphinx_book_theme must be .*'\.\[site\]'"):
        rendered(tmp_path, "# Title\n")
