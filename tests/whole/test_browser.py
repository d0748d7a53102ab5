"""A learner at work in JupyterLab, in a real browser; screenshots are kept in artefacts/."""

from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from autograder.authoring.build.build import build_lesson
from tests.support.lab import PATIENCE, choose_dark_theme, keep, menu, open_notebook, running_lab
from tests.support.small_course import LESSON, small_course

WRONG = """def shares_of(matches):
    powers = np.exp(matches - matches.max(axis=0))
    return powers / powers.sum(axis=0)"""
RIGHT = """def shares_of(matches):
    powers = np.exp(matches - matches.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)"""
CRASHING = """def shares_of(matches):
    return matches / keepdims"""

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("browser")]
expect.set_options(timeout=PATIENCE)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A learner's folder in which all but one exercise of the small lesson is done."""
    folder = tmp_path_factory.mktemp("learner")
    course = small_course(tmp_path_factory.mktemp("small"))
    built = build_lesson(course, LESSON)
    (folder / LESSON).mkdir()
    checks = built.files[course.release_folder(LESSON) / "checks.json"]
    (folder / LESSON / "checks.json").write_text(checks, encoding="utf-8")
    notebook = built.solved()
    stub = {cell.id: cell.source for cell in built.student.cells}
    for cell in notebook.cells:
        if cell.id == "shares-of":
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
    expect(cards(page)).to_have_count(3)
    return page


def cards(page: Page) -> Locator:
    return page.locator(".ag-card")


def card_of(page: Page, exercise: str) -> Locator:
    return page.locator(".ag-card", has_text=exercise).first


def write_solution(page: Page, code: str) -> None:
    """Type an answer into the exercise's cell and run it and its check, as a learner does."""
    cell = page.locator(".jp-CodeCell", has_text="def shares_of(").first
    cell.scroll_into_view_if_needed()
    cell.locator(".cm-content").click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(code)
    page.keyboard.press("Control+Enter")
    check = page.locator(".jp-CodeCell", has_text="check(shares_of)").first
    check.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")


def test_unfinished_is_calm(page: Page) -> None:
    card = card_of(page, "shares_of")
    expect(card).to_contain_text("not implemented yet")
    expect(
        page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']")
    ).to_have_count(0)
    card.scroll_into_view_if_needed()
    keep(page, "check_not_implemented")


def test_wrong_answer_is_named(page: Page) -> None:
    write_solution(page, WRONG)
    card = card_of(page, "shares_of")
    expect(card).to_contain_text("The shares sum to 1 down the columns")
    expect(card.locator("table caption")).to_have_text(["expected", "received"])
    expect(card.locator(".ag-wrong .ag-mark").first).to_have_text("✗")
    card.scroll_into_view_if_needed()
    keep(page, "check_wrong")


def test_exception_shows_own_line(page: Page) -> None:
    write_solution(page, CRASHING)
    card = card_of(page, "shares_of")
    expect(card).to_contain_text("in your code, line 2: return matches / keepdims")
    expect(card).not_to_contain_text("autograder")
    keep(page, "check_exception")


def test_right_answer_is_green(page: Page) -> None:
    write_solution(page, RIGHT)
    card = card_of(page, "shares_of")
    expect(card).to_contain_text("passed, 3 cases")
    card.scroll_into_view_if_needed()
    keep(page, "check_passed")


def test_figures_have_alt_text(page: Page) -> None:
    images = page.locator(".jp-OutputArea img")
    assert images.count() >= 1
    for index in range(images.count()):
        assert len(images.nth(index).get_attribute("alt") or "") > 20


def test_validate_passes(page: Page) -> None:
    """The button saves; a save before it would still be under way when the second begins."""
    page.get_by_text("Validate", exact=True).click()
    dialog = page.locator(".jp-Dialog")
    expect(dialog).to_contain_text("Success! Your notebook passes all the tests.")
    keep(page, "validate")
    dialog.locator("button", has_text="Ok").click()


def test_dark_theme(page: Page) -> None:
    choose_dark_theme(page)
    write_solution(page, WRONG)
    card = card_of(page, "shares_of")
    expect(card).to_contain_text("down the columns")
    expect(card).to_have_css("background-color", "rgb(33, 33, 33)")
    # JupyterLab's own rules for tables would stripe it.
    row = card.locator("tbody tr").nth(1)
    expect(row).to_have_css("background-color", "rgba(0, 0, 0, 0)")
    keep(page, "check_wrong_dark")
    figure = page.locator(".jp-OutputArea img").first
    figure.scroll_into_view_if_needed()
    keep(page, "figure_dark")
