"""A learner at work in JupyterLab, in a real browser; screenshots are kept in artefacts/."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from lab import choose_dark_theme, keep, menu, open_notebook, running_lab
from playwright.sync_api import Browser, Locator, Page, expect

from autograder.build import solved_notebook
from autograder.course import Course

ROOT = Path(__file__).resolve().parents[1]
LESSON = "02_dot_product_self_attention"
WRONG = """def attention_weights(scores):
    exponentials = np.exp(scores - scores.max(axis=0))
    return exponentials / exponentials.sum(axis=0)"""
RIGHT = """def attention_weights(scores):
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)"""
CRASHING = """def attention_weights(scores):
    return scores / keepdims"""

pytestmark = pytest.mark.xdist_group("browser")
expect.set_options(timeout=60_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's folder in which all but one exercise of lesson 02 is done."""
    folder = tmp_path_factory.mktemp("learner")
    released = ROOT / "notebooks" / LESSON
    shutil.copytree(released, folder / LESSON)
    notebook = solved_notebook(Course(ROOT), LESSON)
    unfinished = nbformat.read(released / f"{LESSON}.ipynb", as_version=4)
    stub = {cell.id: cell.source for cell in unfinished.cells}
    for cell in notebook.cells:
        if cell.id == "attention-weights":
            cell.source = stub[cell.id]
    nbformat.write(notebook, folder / LESSON / f"{LESSON}.ipynb")
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_lab(folder, tmp_path_factory.mktemp("home")) as address:
        yield address


@pytest.fixture(scope="module")
def page(browser: Browser, server: str) -> Page:
    page = open_notebook(browser, server, f"{LESSON}/{LESSON}.ipynb")
    menu(page, "Run", "Run All Cells")
    expect(cards(page)).to_have_count(10)
    return page


def cards(page: Page) -> Locator:
    return page.locator(".ag-card")


def card_of(page: Page, exercise: str) -> Locator:
    return page.locator(".ag-card", has_text=exercise).first


def write_solution(page: Page, code: str) -> None:
    """Type an answer into the exercise's cell and run it and its check, as a learner does."""
    cell = page.locator(".jp-CodeCell", has_text="def attention_weights(").first
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    check = page.locator(".jp-CodeCell", has_text="check(attention_weights)").first
    check.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")


def test_unfinished_is_calm(page: Page) -> None:
    card = card_of(page, "attention_weights")
    expect(card).to_contain_text("not implemented yet")
    expect(
        page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']")
    ).to_have_count(0)
    card.scroll_into_view_if_needed()
    keep(page, "check_not_implemented")


def test_wrong_answer_is_named(page: Page) -> None:
    write_solution(page, WRONG)
    card = card_of(page, "attention_weights")
    expect(card).to_contain_text("This is what comes out when the softmax runs over the queries")
    card.scroll_into_view_if_needed()
    keep(page, "check_wrong")


def test_exception_shows_own_line(page: Page) -> None:
    write_solution(page, CRASHING)
    card = card_of(page, "attention_weights")
    expect(card).to_contain_text("in your code, line 2: return scores / keepdims")
    expect(card).not_to_contain_text("autograder")
    keep(page, "check_exception")


def test_right_answer_is_green(page: Page) -> None:
    write_solution(page, RIGHT)
    card = card_of(page, "attention_weights")
    expect(card).to_contain_text("passed, 6 cases")
    card.scroll_into_view_if_needed()
    keep(page, "check_passed")


def test_figures_have_alt_text(page: Page) -> None:
    images = page.locator(".jp-OutputArea img")
    assert images.count() >= 4
    for index in range(images.count()):
        assert len(images.nth(index).get_attribute("alt") or "") > 20


def test_validate_passes(page: Page) -> None:
    """The button saves; a save before it would still be under way when the second begins."""
    page.get_by_text("Validate", exact=True).click()
    dialog = page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("Success! Your notebook passes all the tests.", timeout=120_000)
    keep(page, "validate")
    dialog.locator("button", has_text="Ok").click()


def test_dark_theme(page: Page) -> None:
    choose_dark_theme(page)
    write_solution(page, WRONG)
    card = card_of(page, "attention_weights")
    expect(card).to_contain_text("runs over the queries")
    expect(card).to_have_css("background-color", "rgb(33, 33, 33)")
    keep(page, "check_wrong_dark")
    figure = page.locator(".jp-OutputArea img").first
    figure.scroll_into_view_if_needed()
    keep(page, "figure_dark")
