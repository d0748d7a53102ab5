"""Formgrader's list in a real browser: what was not built, or has changed, is there to generate."""

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from autograder.authoring.build.incremental import build
from autograder.course import Course
from tests.support.course import ROOT
from tests.support.injections import quiet_page
from tests.support.lab import PATIENCE, keep, taught_course
from tests.support.small_course import LESSON, small_course

expect.set_options(timeout=PATIENCE)

UNBUILT = "02_without_a_reference"

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("browser")]


@pytest.fixture(scope="module")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """One lesson was built and then changed, the other is a text and no more."""
    course = small_course(tmp_path_factory.mktemp("listed") / "course")
    shutil.copy(ROOT / "nbgrader_config.py", course.root)
    text = course.lesson_file(LESSON).read_text(encoding="utf-8")
    build(course, [LESSON])
    course.lesson_file(LESSON).write_text(f"{text}\nOne more sentence.\n", encoding="utf-8")
    course.lesson_file(UNBUILT).write_text(text, encoding="utf-8")
    return course


@pytest.fixture(scope="module")
def address(course: Course) -> Iterator[str]:
    with taught_course(course.root) as address:
        yield address


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    with quiet_page(browser) as page:
        page.goto(f"{address}/formgrader/manage_assignments")
        yield page


def row(page: Page, lesson: str) -> Locator:
    return page.locator("#main-table tr", has=page.get_by_role("link", name=lesson))


def generate(page: Page, lesson: str) -> Locator:
    """Press Generate; what formgrader then says."""
    row(page, lesson).locator(".assign a").click()
    return page.locator("#success-modal, #error-modal")


def test_list_says_what_generate_builds(page: Page) -> None:
    changed, unbuilt = row(page, LESSON), row(page, UNBUILT)
    expect(changed.locator(".name")).to_contain_text("changed since it was built")
    expect(unbuilt.locator(".name")).to_contain_text("not built yet: Generate builds it")
    keep(page, "formgrader_list")


def test_generate_builds(page: Page, course: Course) -> None:
    said = generate(page, LESSON)
    expect(said).to_contain_text("Successfully created")
    expect(said).to_contain_text(f"Building {LESSON}")
    expect(row(page, LESSON).locator(".name")).to_have_text(LESSON)
    released = course.release_folder(LESSON) / f"{LESSON}.ipynb"
    assert "One more sentence." in released.read_text(encoding="utf-8")
    keep(page, "formgrader_generated")


def test_what_can_not_be_built_is_said(page: Page) -> None:
    expect(generate(page, UNBUILT)).to_contain_text("without_a_reference.py is missing")
    expect(row(page, UNBUILT).locator(".name")).to_contain_text("not built yet")
