"""The page about one's own GPT: whole, inert, alone, and readable by everybody."""

import math
import re
import shutil
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from torch import nn

from companion import Parts, page_of_gpt
from companion.drawing.theme import DARK, LIGHT, Theme, luminance

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = [one.name for one in fields(Parts)]
FOUND = [(name, "07_grouped_query_attention", name in NAMES[:5]) for name in NAMES]
MODEL = nn.Linear(30, 40, bias=False)
BAD = "<script>alert(1)</script> & \"x\" 'y'"
WHOLE: dict[str, Any] = {
    "losses": {"new <paragraphs>": 3.32},
    "curves": {f"training {BAD}": [6.2, 4.0, 3.1], "new": [6.2, 4.5, 3.3]},
    "every": 40,
    "texts": {"A class is": f"A class is {BAD}\n\nnot", "gone": "on"},
    "title": f"Mine {BAD}",
}


class Reader(HTMLParser):
    """The elements of a page, in their order, and the text that is read."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with all that there can be, drawn once for all tests."""
    file = tmp_path_factory.mktemp("whole") / "whole.html"
    page_of_gpt(FOUND, model=MODEL, vocabulary=512, file=file, **WHOLE)
    return file


@pytest.fixture
def page(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, under its usual name and in the folder of the notebook."""
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copy(whole, tmp_path / "my_gpt.html"))


def read(page: Path) -> Reader:
    return Reader(page.read_text(encoding="utf-8"))


def test_page_says_whose_each_part_is_and_what_it_has_learned(page: Path) -> None:
    text = " ".join(read(page).text.split())
    assert "1,200 parameters" in text
    assert "5 of its 12 parts I wrote myself" in text
    for name, _, mine in FOUND:
        assert re.search(rf"\b{name} ?{'✓ mine' if mine else 'the library’s'} ?07\b", text), name
    assert "new <paragraphs>3.3228 tokens" in text
    assert f"guessing at random{math.log(512):.2f}512 tokens" in text
    assert f"A class is {BAD} not" in text


def test_all_that_is_the_learners_or_the_models_is_escaped(page: Path) -> None:
    reader = read(page)
    assert "script" not in {tag for tag, _ in reader.elements}
    assert {name for _, attributes in reader.elements for name in attributes} <= {
        *("lang", "charset", "name", "content", "http-equiv", "class", "tabindex", "role", "alt"),
        *("aria-label", "media", "srcset", "src", "scope"),
    }
    assert f"Mine {BAD}" in reader.text
    alts = [str(one["alt"]) for tag, one in reader.elements if tag == "img"]
    told = f"training {BAD}: from 6.20 to 3.10; new: from 6.20 to 3.30."
    assert alts[1] == f"Losses over the training. {told}"


def test_page_names_no_address(page: Path) -> None:
    addresses = [
        value
        for _, attributes in read(page).elements
        for name, value in attributes.items()
        if name in ("src", "srcset", "href", "action", "data", "poster")
    ]
    assert len(addresses) == 4
    assert all(str(one).startswith("data:image/svg+xml;base64,") for one in addresses)
    text = re.sub(r"data:[^\"]+", "", page.read_text(encoding="utf-8"))
    assert "url(" not in text
    assert "http" not in text.replace("http-equiv", "")


def test_page_is_for_those_who_hear_it(page: Path) -> None:
    elements = read(page).elements
    tags = [tag for tag, _ in elements]
    assert dict(elements)["html"] == {"lang": "en"}
    assert [tag for tag in tags if re.fullmatch(r"h\d", tag)] == ["h1", "h2", "h2", "h2"]
    assert all(one["alt"] for tag, one in elements if tag == "img")
    assert all("scope" in one for tag, one in elements if tag == "th")
    assert all(one["aria-label"] for _, one in elements if "tabindex" in one)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_words_stand_out(theme: Theme) -> None:
    paper = luminance(theme.paper)
    for colour in (theme.ink, theme.muted, theme.cycle[0]):
        high, low = sorted((luminance(colour), paper), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5


def test_page_fits_a_telephone_and_asks_for_nothing(page: Path, browser: "Browser") -> None:
    asked: list[str] = []
    for theme in ("light", "dark"):
        shown = browser.new_page(viewport={"width": 320, "height": 640}, color_scheme=theme)
        shown.route("http*://**", lambda route: asked.append(route.request.url))
        shown.goto(page.as_uri())
        assert shown.evaluate("document.documentElement.scrollWidth") == 320
        drawn = "[...document.images].map(image => image.naturalWidth > 0)"
        assert shown.evaluate(drawn) == [True, True]
    assert asked == []


@pytest.mark.parametrize("there", [*WHOLE, "none of it"])
def test_what_is_not_there_is_left_out(page: Path, there: str) -> None:
    given = {name: value for name, value in WHOLE.items() if name == there}
    page_of_gpt([], model=MODEL, vocabulary=512, **given)
    reader = read(page)
    assert "Its parts" not in reader.text
    assert ("What it writes" in reader.text) == (there == "texts")
    assert ("How it learned" in reader.text) == (there in ("losses", "curves"))
    assert len([tag for tag, _ in reader.elements if tag == "img"]) == (there == "curves")


@pytest.mark.parametrize("loss", [math.nan, math.inf, 1e9])
def test_training_that_went_wrong_is_shown_as_well(page: Path, loss: float) -> None:
    page_of_gpt([], model=MODEL, vocabulary=512, losses={"new": loss}, curves={"new": [6.0, loss]})
    assert f"new{loss:.2f}–" in read(page).text.replace("\n", "")


@pytest.mark.long
def test_page_is_written_anew_and_nothing_else_is(
    page: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page_of_gpt([], model=MODEL, vocabulary=512, title="Second")
    assert "Second" in read(page).text
    assert capsys.readouterr().out.startswith("Your page is in my_gpt.html")
    page.write_text("notes")
    with pytest.raises(FileExistsError, match=r"my_gpt\.html is there and is no such page"):
        page_of_gpt([], model=MODEL, vocabulary=512)
    assert page.read_text() == "notes"
    assert [one.name for one in page.parent.iterdir()] == ["my_gpt.html"]
