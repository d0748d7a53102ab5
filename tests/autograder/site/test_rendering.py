"""Pages are made, or it is said what keeps them from being made."""

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


def test_what_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_is_installed", lambda module: module == "sphinx")
    with pytest.raises(SiteError, match=r"myst_nb and sphinx_book_theme must be .*'\.\[site\]'"):
        rendered(tmp_path, "# Title\n")
