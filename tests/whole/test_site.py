"""The site of a course as its readers have it: from a folder, by keyboard, on a phone, at night.

In each run it is that of a small course; in the long run also that of all lessons, and that of a
course of another subject, without a README or documents.
"""

import re
import shutil
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import nbformat
import pytest
from axe_playwright_python.sync_playwright import Axe
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.course import Course
from autograder.site import site as making_sites
from autograder.site.errors import SiteError
from autograder.site.lessons import colab
from autograder.site.site import make_site
from tests.support.course import COURSE, ROOT
from tests.support.lab import keep
from tests.support.sample import EVERYTHING
from tests.support.site_course import HALVES, built, site_course
from tests.support.small_course import LESSON

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# What a page of ours may lack of what axe asks for.
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
WIDE, PHONE = 1280, 320
# Colours don't depend on the width, so in each run two are enough.
LOOKS = [(WIDE, "light"), (PHONE, "dark")]
if EVERYTHING:
    LOOKS += [(WIDE, "dark"), (PHONE, "light")]
OTHER = ROOT / "tests" / "support" / "statistics_course"
IN_LITE = "# In the browser"


@dataclass(frozen=True)
class Made:
    """A course, and the folder of its site."""

    course: Course
    folder: Path

    @property
    def pages(self) -> list[Path]:
        """All pages that are made here."""
        pages = sorted(self.folder.rglob("*.html"))
        return [path for path in pages if "lite" not in path.parts]

    def lesson(self, name: str) -> Path:
        return self.folder / "notebooks" / name / f"{name}.html"


def made(course: Course, folder: Path | None = None) -> Made:
    place = folder or course.root / "build" / "site"
    return Made(course, make_site(course, place, lambda done, steps, step: None).parent)


@pytest.fixture(scope="module", params=["small", "other", "whole"] if EVERYTHING else ["small"])
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Made:
    if request.param == "whole":
        return made(COURSE, tmp_path_factory.mktemp("whole") / "site")
    folder = tmp_path_factory.mktemp("course")
    if request.param == "other":
        shutil.copytree(OTHER, folder, dirs_exist_ok=True)
        built(Course(folder))
        return made(Course(folder))
    course = site_course(folder)
    (course.root / "course.toml").write_text('repository = "ada/mixing"\n', encoding="utf-8")
    (course.root / "pyproject.toml").touch()
    notebook = course.root / "lite" / "files" / LESSON / f"{LESSON}-0.ipynb"
    notebook.parent.mkdir(parents=True)
    notebook.write_text("{}", encoding="utf-8")
    (course.root / "lite" / "index.html").write_text(IN_LITE, encoding="utf-8")
    return made(course)


@pytest.fixture
def small(site: Made) -> Made:
    if LESSON not in site.course.lessons():
        pytest.skip("about the small course")
    return site


class Reader(HTMLParser):
    """The addresses on a page that lead somewhere, and the places on it that have a name."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses, self.names = set[str](), set[str]()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.names.add(found.get("id", ""))
        self.addresses |= {found[name] for name in ("href", "src") if name in found}


def test_every_link_leads_somewhere(site: Made) -> None:
    pages = {page: Reader(page) for page in site.pages}
    followed = 0
    for page, reader in pages.items():
        for address in reader.addresses:
            parts = urlsplit(address)
            if parts.scheme or parts.netloc:
                continue
            there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            assert there.is_file(), f"{page}: {address}"
            if parts.fragment and there in pages:
                assert unquote(parts.fragment) in pages[there].names, f"{page}: {address}"
            followed += 1
    assert followed > 20 * len(pages)


def test_every_page_has_an_icon(site: Made) -> None:
    """Else a browser asks the server for one that isn't there."""
    for page in site.pages:
        assert any(one.endswith("/icon.svg") for one in Reader(page).addresses), page


def test_every_lesson_and_document_is_found_from_the_start(site: Made) -> None:
    start = Reader(site.folder / "index.html")
    documents = {path.stem for path in site.course.root.glob("docs/*.md")}
    listed = {path.stem for path in site.folder.glob("docs/*.html")}
    assert listed == documents - {"README", "misconceptions"}
    wanted = [f"docs/{name}.html" for name in listed] + ["map.html"]
    wanted += [f"notebooks/{name}/{name}.html" for name in site.course.lessons()]
    assert {*wanted} <= start.addresses


def test_no_page_shows_a_secret(site: Made) -> None:
    """The site has been searched for all of them when it was made; here for how they are marked."""
    for page in site.pages:
        text = page.read_text(encoding="utf-8")
        if page.parent.name != "docs" and page.stem not in ("CONTRIBUTING", "CHANGELOG"):
            assert not re.search("BEGIN (HIDDEN|MARK|SOLUTION)|hidden_check", text), page
        assert "application/vnd.autograder" not in text, page


def test_no_page_says_that_the_theme_knows_nothing(site: Made) -> None:
    texts = {page: page.read_text(encoding="utf-8") for page in site.pages}
    assert [page for page, text in texts.items() if "Author name not set" in text] == []


def test_what_is_downloaded_is_what_students_get(site: Made) -> None:
    for name in site.course.lessons():
        with zipfile.ZipFile(site.lesson(name).with_suffix(".zip")) as packed:
            found = {entry: packed.read(entry) for entry in packed.namelist()}
        folder = site.course.release_folder(name)
        there = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
        visible = [one for one in there if ".ipynb_checkpoints" not in one.parts]
        assert found == {f"{name}/{one.name}": one.read_bytes() for one in visible}


def test_colab_opens_what_students_get_below_a_cell_that_installs(small: Made) -> None:
    given = nbformat.read(
        small.course.release_folder(LESSON) / f"{LESSON}.ipynb", as_version=nbformat.NO_CONVERT
    )
    path = small.lesson(LESSON).with_name(f"{LESSON}-colab.ipynb")
    opened = nbformat.read(path, as_version=nbformat.NO_CONVERT)
    nbformat.validate(opened)
    first = next(cell for cell in opened.cells if cell.cell_type == "code")
    assert '%pip install -q "git+https://github.com/ada/mixing"' in first.source
    opened.cells.remove(first)
    assert opened == given


@pytest.mark.long
def test_a_notebook_with_a_secret_is_refused(small: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    def careless(student: NotebookNode, repository: str) -> NotebookNode:
        return new_notebook(cells=[new_markdown_cell(HALVES)])

    monkeypatch.setattr(colab, "for_colab", careless)
    with pytest.raises(SiteError, match=r"-colab\.ipynb would show the model answer of why_not"):
        made(small.course)


def test_a_page_with_a_secret_leaves_the_old_site(
    small: Made, monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(texts: Path, pages: Path, **_: str) -> None:
        (pages / "notebooks" / LESSON).mkdir(parents=True)
        (pages / "guide.html").write_text(f"<p>{HALVES}</p>", encoding="utf-8")

    monkeypatch.setattr(making_sites, "render", careless)
    with pytest.raises(SiteError, match=r"guide\.html would show the model answer of why_not"):
        made(small.course)
    assert small.lesson(LESSON).is_file()
    assert {path.name for path in small.folder.parent.iterdir()} == {"site", "site-outputs"}


def test_a_course_that_is_not_built_has_no_site(small: Made, tmp_path: Path) -> None:
    root = shutil.copytree(small.course.root, tmp_path / "course")
    (root / "notebooks" / LESSON / f"{LESSON}.ipynb").write_text("{}")
    with pytest.raises(SiteError, match="run `autograder build` first"):
        made(Course(root))


def test_buttons_stand_on_the_lesson(small: Made) -> None:
    page = Reader(small.lesson(LESSON))
    inside = f"notebooks/{LESSON}/{LESSON}-colab.ipynb"
    assert {
        f"../../lite/index.html?lesson={LESSON}",
        f"{LESSON}.zip",
        f"https://colab.research.google.com/github/ada/mixing/blob/gh-pages/{inside}",
        "https://codespaces.new/ada/mixing",
    } <= page.addresses
    assert (small.folder / "lite" / "index.html").read_text("utf-8") == IN_LITE
    guide = Reader(small.folder / "docs" / "guide.html")
    assert "https://github.com/ada/mixing/blob/HEAD/solutions/mixing.py" in guide.addresses


@contextmanager
def opened(
    browser: "Browser", page: Path, *, width: int = WIDE, theme: str = "light"
) -> Iterator["Page"]:
    """A page from the folder; a request that leaves it fails the test."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme="dark" if theme == "dark" else "light",
        # Colours that are still on their way to those of the night are no page's.
        reduced_motion="reduce",
    )
    tab = context.new_page()
    asked: list[str] = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(page.as_uri(), wait_until="load")
    yield tab
    assert [one for one in asked if not one.startswith(("file:", "data:", "blob:"))] == []
    context.close()


@pytest.mark.long
@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_all_can_read_every_page(site: Made, browser: "Browser", width: int, theme: str) -> None:
    for page in site.pages:
        with opened(browser, page, width=width, theme=theme) as tab:
            # It would read style sheets as a server has them, which a folder has not.
            options = {"runOnly": LEVELS, "preload": False, "resultTypes": ["violations"]}
            found = Axe().run(tab, options=options)
            wider = tab.evaluate("document.documentElement.scrollWidth - innerWidth")
            keep(tab, f"site_{page.stem}_{width}_{theme}")
        assert found.response["violations"] == [], f"{page}: {found.generate_report()}"
        assert wider <= 0, page


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_figures_and_cards_follow_the_theme(small: Made, browser: "Browser", theme: str) -> None:
    with opened(browser, small.lesson(LESSON), theme=theme) as tab:
        figure = tab.locator(".cell_output img").first
        content = figure.evaluate("image => getComputedStyle(image).content")
        card = tab.locator(".ag-card")
        paper = card.evaluate("card => getComputedStyle(card).backgroundColor")
        said = card.inner_text()
    assert content.startswith("url") == (theme == "dark")
    assert (sum(map(int, re.findall(r"\d+", paper)[:3])) < 200) == (theme == "dark")
    assert "These are products" in said


def test_formulas_are_set_without_a_script(small: Made, browser: "Browser") -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(small.lesson(LESSON).as_uri())
    assert tab.locator("math mfrac").count() == 2
    assert tab.locator(".formula math mtr").count() == 2
    context.close()


def test_all_is_reached_by_keyboard(small: Made, browser: "Browser") -> None:
    focused = "[document.activeElement.textContent.trim(), document.activeElement.className]"
    with opened(browser, small.lesson(LESSON), width=PHONE) as tab:
        reached = []
        for _ in range(60):
            tab.keyboard.press("Tab")
            reached.append(tab.evaluate(focused))
        tab.get_by_text("Compare", exact=True).focus()
        tab.keyboard.press("Enter")
        assert tab.locator("details[open] math").count() == 1
    texts = [text for text, _ in reached]
    assert texts[0] == "Skip to main content"
    assert {"Download", "Open in Colab", "Compare"} <= {*texts}
    assert "formula" in [classes for _, classes in reached]
    # Opened from a folder, a page can't start Python.
    assert "Run it here" not in texts


def test_the_search_works_from_a_folder(site: Made, browser: "Browser") -> None:
    with opened(browser, site.folder / "search.html") as tab:
        tab.goto(f"{(site.folder / 'search.html').as_uri()}?q=exercise")
        found = tab.locator("#search-results li a").first
        found.wait_for()
        assert found.get_attribute("href")


def test_the_search_knows_no_word_that_is_only_in_secrets(small: Made) -> None:
    index = (small.folder / "searchindex.js").read_text(encoding="utf-8")
    assert "mixing" in index
    assert "sevenfold" not in index
