"""The interactive view of attention in JupyterLab, exported, and where scripts are taken out."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbconvert import HTMLExporter
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from autograder.learner.run_notebook import run
from tests.support.lab import PATIENCE, choose_dark_theme, keep, menu, open_notebook, running_lab

CELLS = [
    """import numpy as np
from companion import HELLO_SHINY_SUN, attention_view, softmax

words = HELLO_SHINY_SUN.words
scores = HELLO_SHINY_SUN.vectors @ HELLO_SHINY_SUN.vectors.T
causal = np.where(np.tri(3) > 0, scores, -np.inf)""",
    """attention_view(softmax(np.stack([scores, causal])), queries=words, title="Two heads",
               alt="The second head never looks ahead.")""",
    """attention_view(frames={t: softmax(scores / t) for t in (0.1, 1.0)}, slider="temperature",
               queries=words, focus=1, alt="A low temperature lets shiny look at itself.")""",
    """hostile = ["</script><img src=x onerror=window.harmed=1>", '"><b>bold', "$x$ {{ }}"]
attention_view(softmax(scores), queries=hostile, title="<i>a & b</i>", alt='"><u>alt')""",
    """many = [f"word{i}" for i in range(29)] + ["antidisestablishmentarianism"]
rng = np.random.default_rng(0)
attention_view(softmax(2 * rng.normal(size=(12, 30, 30))), queries=many, alt="Thirty words.")""",
]

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("browser")]
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A notebook to run, and the same one as somebody else has run it."""
    folder = tmp_path_factory.mktemp("views")
    notebook = new_notebook(cells=[new_code_cell(source) for source in CELLS])
    notebook.metadata.kernelspec = {"name": "python3", "display_name": "Python 3"}
    nbformat.write(notebook, folder / "views.ipynb")
    run(notebook, folder)
    for cell in notebook.cells:
        cell.metadata.pop("trusted", None)
    nbformat.write(notebook, folder / "from_elsewhere.ipynb")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_lab(folder, tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.fixture(scope="module")
def page(browser: Browser, server: str) -> Page:
    page = open_notebook(browser, server, "views.ipynb")
    menu(page, "Run", "Run All Cells")
    expect(page.locator(".ca-view")).to_have_count(4)
    return page


@pytest.fixture
def two_heads(page: Page) -> Locator:
    return fresh(page, 0)


@pytest.fixture
def temperatures(page: Page) -> Locator:
    return fresh(page, 1)


def fresh(page: Page, number: int) -> Locator:
    """A view as it was made: its cell is run once more."""
    page.mouse.move(0, 0)
    cell = page.locator(".jp-CodeCell").nth(number + 1)
    page.evaluate("document.querySelectorAll('.ca-view').forEach(view => view.dataset.old = 1)")
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    view = cell.locator(".ca-view:not([data-old])")
    expect(view).to_be_visible()
    return view


@pytest.fixture(scope="module")
def exported(folder: Path) -> Path:
    """The notebook as HTML."""
    html, _ = HTMLExporter().from_filename(str(folder / "from_elsewhere.ipynb"))
    path = folder / "exported.html"
    path.write_text(html, encoding="utf-8")
    return path


@pytest.fixture
def offline(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(offline=True, viewport={"width": 1000, "height": 900})
    yield context
    context.close()


def word(view: Locator, name: str, side: str = "queries") -> Locator:
    return view.get_by_role("group", name=side).get_by_role("button", name=name, exact=True)


def says(view: Locator, text: str | re.Pattern[str]) -> None:
    expect(view.get_by_role("status")).to_have_text(text)


def test_pointing_at_query(two_heads: Locator) -> None:
    says(two_heads, "Point at a word, tap it or tab to it, to see where it looks.")
    word(two_heads, "shiny").hover()
    says(two_heads, "shiny looks at shiny 0.41, sun 0.36, Hello 0.23")
    expect(two_heads.locator(".ca-keys .ca-number").first).to_have_text("0.23")


def test_pointing_at_key(two_heads: Locator) -> None:
    word(two_heads, "Hello", "keys").hover()
    says(two_heads, "Hello is looked at by Hello 0.27, shiny 0.23, sun 0.23")


def test_picture_gives_way(page: Page) -> None:
    for i in range(4):
        output = page.locator(".companion-attention").nth(i)
        expect(output.locator(":scope > img")).to_be_hidden()
        expect(output.locator(".ca-view")).to_be_visible()


def test_lines_meet_their_words(two_heads: Locator) -> None:
    line = two_heads.locator("path").nth(2)
    start, end = word(two_heads, "Hello"), word(two_heads, "sun", "keys")
    assert ends_of(line) == pytest.approx(middle_of(start, 1.0) + middle_of(end, 0.0), abs=1.5)


def ends_of(line: Locator) -> list[float]:
    """Where a line starts and ends on the screen: x, y, x, y."""
    found: list[float] = line.evaluate(
        """line => [0, line.getTotalLength()].flatMap(at => {
            const point = line.getPointAtLength(at).matrixTransform(line.getScreenCTM());
            return [point.x, point.y];
        })"""
    )
    return found


def middle_of(button: Locator, side: float) -> list[float]:
    """The middle of a word's left (0) or right (1) edge."""
    box = button.bounding_box()
    assert box
    return [box["x"] + side * box["width"], box["y"] + box["height"] / 2]


def test_heads_switch(two_heads: Locator) -> None:
    two_heads.get_by_role("radio", name="head 2").click()
    word(two_heads, "Hello").hover()
    says(two_heads, "Hello looks at Hello 1.00")
    expect(two_heads.locator("path").nth(1)).to_have_css("stroke-opacity", "0")


def test_word_stays_pinned(two_heads: Locator, page: Page) -> None:
    word(two_heads, "sun").click()
    word(two_heads, "Hello").hover()
    says(two_heads, re.compile("^Hello looks at"))
    page.mouse.move(0, 0)
    says(two_heads, re.compile("^sun looks at"))
    expect(word(two_heads, "sun")).to_have_attribute("aria-pressed", "true")
    word(two_heads, "sun").click()
    page.mouse.move(0, 0)
    says(two_heads, re.compile("^Point at"))


def test_keyboard_alone(two_heads: Locator, page: Page) -> None:
    two_heads.get_by_role("radio", name="lines").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowRight")
    expect(two_heads.get_by_role("radio", name="head 2")).to_be_focused()
    expect(two_heads.get_by_role("radio", name="head 2")).to_be_checked()
    page.keyboard.press("Tab")
    expect(word(two_heads, "Hello")).to_be_focused()
    page.keyboard.press("ArrowDown")
    says(two_heads, "shiny looks at shiny 0.64, Hello 0.36")
    page.keyboard.press("1")
    says(two_heads, "shiny looks at shiny 0.41, sun 0.36, Hello 0.23")
    keep(page, "attention_keyboard")
    page.keyboard.press("Enter")
    expect(word(two_heads, "shiny")).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("ArrowRight")
    expect(word(two_heads, "shiny", "keys")).to_be_focused()
    page.keyboard.press("End")
    says(two_heads, re.compile("^sun is looked at by"))
    page.keyboard.press("Escape")
    expect(word(two_heads, "shiny")).to_have_attribute("aria-pressed", "false")


def test_jupyterlab_keeps_its_cells(two_heads: Locator, page: Page) -> None:
    """Neither 2, a heading in command mode, nor an arrow or Enter may reach the notebook."""
    cells = page.locator(".jp-Notebook > * .jp-Cell, .jp-Notebook .jp-Cell").count()
    word(two_heads, "Hello").click()
    for key in ("2", "ArrowDown", "Enter", "Home"):
        page.keyboard.press(key)
    expect(word(two_heads, "Hello")).to_be_focused()
    expect(page.locator(".jp-MarkdownCell")).to_have_count(0)
    assert page.locator(".jp-Notebook > * .jp-Cell, .jp-Notebook .jp-Cell").count() == cells
    expect(page.locator(".jp-Cell.jp-mod-active .ca-view")).to_have_count(1)
    expect(page.locator(".jp-mod-editMode")).to_have_count(0)


def test_grid(two_heads: Locator, page: Page) -> None:
    two_heads.get_by_role("radio", name="grid").click()
    rows = two_heads.get_by_role("row")
    expect(rows.nth(2)).to_have_text("shiny0.230.410.36")
    rows.nth(2).get_by_role("cell").nth(2).hover()
    says(two_heads, "shiny looks at sun 0.36")
    rows.nth(1).get_by_role("button").focus()
    page.keyboard.press("ArrowDown")
    says(two_heads, re.compile("^shiny looks at shiny"))
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    says(two_heads, re.compile("^sun is looked at by"))
    keep(page, "attention_grid")


def test_slider_moves_one_view(temperatures: Locator, page: Page) -> None:
    says(temperatures, "shiny looks at shiny 0.75, sun 0.25")
    handle = temperatures.get_by_role("slider", name="temperature")
    expect(handle).to_have_attribute("aria-valuetext", "0.1")
    handle.focus()
    page.keyboard.press("ArrowRight")
    expect(handle).to_have_attribute("aria-valuetext", "1.0")
    says(temperatures, "shiny looks at shiny 0.41, sun 0.36, Hello 0.23")
    says(page.locator(".ca-view").nth(2), re.compile("^Point at"))
    keep(page, "attention_slider")


def test_words_are_only_words(page: Page) -> None:
    view = page.locator(".ca-view").nth(2)
    expect(view.locator("img, b, i, u")).to_have_count(0)
    expect(view.locator(".ca-title")).to_have_text("<i>a & b</i>")
    expect(view.locator(".ca-word").first).to_have_text(
        "</script><img src=x onerror=window.harmed=1>"
    )
    expect(view.locator(".ca-word").nth(2)).to_have_text("$x$ {{ }}")
    assert page.evaluate("window.harmed") is None


def test_many_words_fit(page: Page) -> None:
    view = page.locator(".ca-view").nth(3)
    long = word(view, "antidisestablishmentarianism")
    long.scroll_into_view_if_needed()
    long.hover()
    expect(long).to_have_attribute("title", "antidisestablishmentarianism")
    says(view, re.compile("^antidisestablishmentarianism looks at .*, .* more 0.[0-9]+ together$"))
    page.keyboard.press("Escape")
    keep(page, "attention_many")
    view.get_by_role("radio", name="head 12").click()
    view.get_by_role("radio", name="grid").click()
    expect(view.get_by_role("cell")).to_have_count(900)
    keep(page, "attention_many_grid")
    assert view.locator(".ca-scroll").evaluate("grid => grid.scrollWidth <= grid.clientWidth")


def no_overflow(page: Page) -> bool:
    return bool(
        page.evaluate(
            "[...document.querySelectorAll('.ca-view')]"
            ".every(view => view.scrollWidth <= view.clientWidth)"
        )
    )


def test_narrow_window(exported: Path, offline: BrowserContext) -> None:
    page = offline.new_page()
    page.set_viewport_size({"width": 400, "height": 800})
    page.goto(exported.as_uri(), wait_until="commit")
    expect(page.locator(".ca-view")).to_have_count(4)
    assert no_overflow(page)
    page.locator(".ca-view").nth(3).scroll_into_view_if_needed()
    keep(page, "attention_narrow")
    page.locator(".ca-view").nth(3).get_by_role("radio", name="grid").click()
    assert no_overflow(page)


def test_untrusted_shows_picture(browser: Browser, server: str) -> None:
    page = open_notebook(browser, server, "from_elsewhere.ipynb")
    pictures = page.locator(".jp-OutputArea img")
    expect(pictures).to_have_count(4)
    expect(pictures.first).to_be_visible()
    expect(pictures.first).to_have_attribute("alt", "The second head never looks ahead.")
    expect(page.locator(".ca-view")).to_have_count(0)
    keep(page, "attention_untrusted")
    page.close()


def test_export_works_offline(exported: Path, offline: BrowserContext) -> None:
    page = offline.new_page()
    page.goto(exported.as_uri(), wait_until="commit")
    view = page.locator(".ca-view").first
    word(view, "shiny").hover()
    says(view, "shiny looks at shiny 0.41, sun 0.36, Hello 0.23")
    keep(page, "attention_exported")


def test_sanitised_shows_picture(exported: Path, offline: BrowserContext) -> None:
    html = exported.read_text(encoding="utf-8")
    bare = re.sub(r"<(script|style)\b.*?</\1>", "", html, flags=re.DOTALL)
    page = offline.new_page()
    page.set_content(bare)
    pictures = page.locator(".companion-attention img")
    expect(pictures).to_have_count(4)
    assert pictures.first.evaluate("image => image.complete && image.naturalWidth > 100")
    assert page.locator(".companion-attention").first.inner_text().strip() == ""


def test_print_shows_picture(exported: Path, offline: BrowserContext) -> None:
    page = offline.new_page()
    page.goto(exported.as_uri(), wait_until="commit")
    page.emulate_media(media="print")
    expect(page.locator(".companion-attention > img").first).to_be_visible()
    expect(page.locator(".ca-view").first).to_be_hidden()


def test_tap(exported: Path, browser: Browser) -> None:
    context = browser.new_context(offline=True, has_touch=True)
    page = context.new_page()
    page.goto(exported.as_uri(), wait_until="commit")
    view = page.locator(".ca-view").first
    word(view, "shiny").tap()
    says(view, "shiny looks at shiny 0.41, sun 0.36, Hello 0.23")
    word(view, "shiny").tap()
    says(view, re.compile("^Point at"))
    context.close()


def test_reduced_motion(exported: Path, offline: BrowserContext) -> None:
    page = offline.new_page()
    page.goto(exported.as_uri(), wait_until="commit")
    line = page.locator(".ca-view path").first
    expect(line).to_have_css("transition-duration", "0.12s, 0.2s")
    page.emulate_media(reduced_motion="reduce")
    expect(line).to_have_css("transition-duration", "0s")


def test_theme_follows(page: Page) -> None:
    choose_dark_theme(page)
    view = page.locator(".ca-view").first
    expect(view).to_have_css("background-color", "rgb(17, 17, 17)")
    view.scroll_into_view_if_needed()
    word(page.locator(".ca-view").nth(1), "sun").hover()
    keep(page, "attention_dark")
