"""The folder of lessons that run in a browser: what is in it, and what is never replaced."""

import hashlib
import json
import re
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from autograder.authoring.browser.lite import address, lead_to_site, make_lite
from autograder.authoring.browser.pyodide import NotForBrowsers
from autograder.authoring.browser.through_javascript import kept_whole
from autograder.checks.card.as_html import REPORT_MIME
from autograder.course import Course
from autograder.learner.front import extension
from autograder.learner.front.extension import NAME, write_for_a_browser
from tests.support.course import COURSE
from tests.support.like_pyodide import like_pyodide
from tests.support.served import served

pytestmark = pytest.mark.slow

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Dialog, Page

LESSON = "00_foundations"
LATER = "00_foundations/00_foundations-{}.ipynb"
# What JupyterLite has in its store, in as far as the page reads it.
KEEP = """async ([path, content]) => {
    const database = await new Promise((resolve, reject) => {
        const request = indexedDB.open("lessons of attention");
        request.onupgradeneeded = () => request.result.createObjectStore("files");
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    const work = database.transaction("files", "readwrite");
    const saved = { last_modified: "2026-11-20T10:00:00Z", content };
    work.objectStore("files").put(saved, path);
    await new Promise((resolve) => (work.oncomplete = resolve));
    database.close();
}"""


@pytest.fixture(scope="module")
def lite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lite")
    make_lite(COURSE, folder / "lite", like_pyodide(folder / "pyodide"), write_for_a_browser)
    return folder / "lite"


@pytest.fixture(scope="module")
def site(lite: Path) -> Iterator[str]:
    with served(lite) as address:
        yield address


def test_lessons_lie_there_as_they_are_given_out(lite: Path) -> None:
    assert {path.name for path in (lite / "files").iterdir()} == {
        *COURSE.lessons_named(COURSE.settings.browser)
    }
    given = COURSE.release_folder(LESSON)
    content = (given / f"{LESSON}.ipynb").read_bytes()
    file = LATER.format(hashlib.sha256(content).hexdigest()[:8])
    assert (lite / "files" / file).read_bytes() == content
    checks = (given / "checks.json").read_text()
    assert (lite / "files" / LESSON / "checks.json").read_text() == kept_whole(checks)


def test_checks_are_found_where_python_is_shown_no_files(lite: Path) -> None:
    """A private window has no service worker, and nor has one that was slow to begin it."""
    (wheel,) = lite.glob("static/pyodide/the_course-*.whl")
    with zipfile.ZipFile(wheel) as packed:
        for lesson in COURSE.lessons_named(COURSE.settings.browser):
            given = COURSE.release_folder(lesson) / "checks.json"
            inside = packed.read(f"autograder/checks/lessons/{lesson}.json")
            assert inside == given.read_bytes()


def test_nothing_is_there_that_lessons_do_not_need(lite: Path) -> None:
    apps = {path.parent.name for path in lite.glob("*/index.html")}
    assert apps == {"notebooks", "tree"}
    assert not [*lite.rglob("*.map")]
    extensions = {path.parent.name for path in lite.glob("extensions/*/*/package.json")}
    assert extensions == {"pyodide-kernel-extension"}
    assert not {"doc", "repl", "package.json"} & {path.name for path in lite.iterdir()}


def test_nothing_is_asked_of_anybody_else(lite: Path) -> None:
    site = json.loads((lite / "jupyter-lite.json").read_text())["jupyter-config-data"]
    (kernel,) = site["litePluginSettings"].values()
    assert kernel["pyodideUrl"] == "./static/pyodide/pyodide.mjs"
    assert kernel["disablePyPIFallback"] is True
    listed = json.loads((lite / "static/pyodide/pyodide-lock.json").read_text())["packages"]
    assert {*kernel["loadPyodideOptions"]["packages"]} <= listed.keys()
    # What the kernel would else look up.
    assert {"piplite", "ipykernel", "comm", "pyodide-kernel", "the-course"} <= listed.keys()
    for package in listed.values():
        assert (lite / "static" / "pyodide" / package["file_name"]).is_file()


def test_what_somebody_has_there_stays(tmp_path: Path) -> None:
    pyodide = like_pyodide(tmp_path / "pyodide")
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(NotForBrowsers, match="holds what was not made by this"):
        make_lite(COURSE, tmp_path, pyodide)
    assert (tmp_path / "thesis.tex").exists()
    with pytest.raises(NotForBrowsers, match="holds what was not made by this"):
        make_lite(COURSE, tmp_path / "thesis.tex", pyodide)


def test_course_that_names_no_lesson(tmp_path: Path) -> None:
    with pytest.raises(NotForBrowsers, match=r'name some in .*, as in browser = \["00"\]'):
        make_lite(Course(tmp_path), tmp_path / "lite", tmp_path)


def test_lessons_have_what_jupyterlab_does_for_a_learner(lite: Path) -> None:
    """Each part that adds itself, but for that of whoever teaches, and of what is not there."""
    settings = json.loads((lite / "jupyter-lite.json").read_text("utf-8"))
    listed = settings["jupyter-config-data"]["federated_extensions"]
    (ours,) = (one for one in listed if one["name"] == NAME)
    script = (lite / "extensions" / NAME / ours["load"]).read_text("utf-8")
    parts = {
        name
        for path in Path(extension.__file__).parent.glob("*.js")
        for name in re.findall(r'parts\.push\(\{ name: "([\w-]+)"', path.read_text("utf-8"))
    }
    assert len(parts) > 5
    there = {*re.findall(r'parts\.push\(\{ name: "([\w-]+)"', script)}
    assert there == parts - {"formgrader-first", "start-page"}


@pytest.mark.parametrize("page", ["index.html", "notebooks/index.html", "tree/index.html"])
def test_every_page_leads_back(lite: Path, tmp_path: Path, page: str) -> None:
    """To the list of lessons, and in a site to its start."""
    copy = shutil.copytree(lite, tmp_path / "site" / "lite", ignore=_all_but_pages)
    lead_to_site(copy)
    for folder, where in ((lite, {lite}), (copy, {copy, copy.parent})):
        addresses = re.findall(r'<a href="([^"]+)"', (folder / page).read_text("utf-8"))
        leads = {(folder / page).parent.joinpath(one).resolve() for one in addresses}
        assert leads == {one / "index.html" for one in where} - {folder / page}


def _all_but_pages(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if not (Path(folder, name).is_dir() or name == "index.html")]


def opened(browser: "Browser", address: str) -> "Page":
    page = browser.new_context(accept_downloads=True).new_page()
    # JupyterLite itself, which has no Pyodide here, would take seconds to begin.
    page.route("**/build/**", lambda route: route.abort())
    page.goto(address)
    return page


def test_lesson_opens_at_its_address(browser: "Browser", lite: Path, site: str) -> None:
    (notebook,) = (lite / "files" / LESSON).glob("*.ipynb")
    page = opened(browser, f"{site}/{address(LESSON)}")
    page.wait_for_url(f"{site}/notebooks/index.html?path={LESSON}%2F{notebook.name}")
    page.context.close()


def test_older_copy_is_kept_and_hides_nothing(browser: "Browser", lite: Path, site: str) -> None:
    page, older = opened(browser, site), LATER.format("0123abcd")
    page.evaluate(KEEP, [older, {"cells": ["my work"]}])
    page.goto(f"{site}/{address(LESSON)}")
    card = page.locator("section")
    card.get_by_text("Your notebook of an older version of this lesson is kept").wait_for()
    (notebook,) = (lite / "files" / LESSON).glob("*.ipynb")
    newest = card.get_by_role("link", name="Start the newest version").get_attribute("href")
    assert newest.endswith(notebook.name)
    assert (
        card.get_by_role("link", name="Go on with it")
        .get_attribute("href")
        .endswith("0123abcd.ipynb")
    )
    with page.expect_download() as downloading:
        card.get_by_role("button", name="Download").click()
    assert downloading.value.suggested_filename == f"{LESSON}.ipynb"
    assert json.loads(downloading.value.path().read_text()) == {"cells": ["my work"]}
    page.context.close()


def test_only_what_is_said_to_be_removed_goes(browser: "Browser", lite: Path, site: str) -> None:
    page = opened(browser, site)
    (notebook,) = (lite / "files" / LESSON).glob("*.ipynb")
    for path in (f"{LESSON}/{notebook.name}", f"{LESSON}/notes.ipynb"):
        page.evaluate(KEEP, [path, {}])
    page.reload()
    anew, said = page.get_by_role("button", name="Start anew…"), list[str]()

    def refuse(dialog: "Dialog") -> None:
        said.append(dialog.message)
        dialog.dismiss()

    page.once("dialog", refuse)
    anew.click()
    assert said[0].startswith('This removes your notebook of "00 · Foundations", saved on Nov')
    assert anew.count() == 1
    page.once("dialog", lambda dialog: dialog.accept())
    anew.click()
    page.get_by_text('Your notebook of "00 · Foundations" is removed.').wait_for()
    assert anew.count() == 0
    assert page.get_by_text("notes.ipynb is kept too").count() == 1
    page.context.close()


def checked(exercise: str, verdict: str) -> dict[str, object]:
    """The cell of a check that has been run."""
    marks = {"nbgrader": {"grade_id": f"{exercise}_check", "grade": True, "solution": False}}
    outputs = [{"output_type": "display_data", "data": {REPORT_MIME: {"verdict": verdict}}}]
    return {"cell_type": "code", "metadata": marks, "source": "", "outputs": outputs}


def test_list_says_how_far_each_notebook_is(browser: "Browser", lite: Path, site: str) -> None:
    page = opened(browser, site)
    (notebook,) = (lite / "files" / LESSON).glob("*.ipynb")
    cells = [checked("one", "passed"), checked("two", "wrong"), {"cell_type": "markdown"}]
    page.evaluate(KEEP, [f"{LESSON}/{notebook.name}", {"cells": cells}])
    page.reload()
    page.get_by_text("; 1 of its 2 checks have passed.").wait_for()
    page.context.close()


def test_what_was_downloaded_is_put_back_beside_the_rest(
    browser: "Browser", lite: Path, site: str, tmp_path: Path
) -> None:
    page = opened(browser, site)
    said, card = page.locator("#said"), page.locator("section").first
    mine = tmp_path / f"{LESSON} (1).ipynb"
    mine.write_text(json.dumps({"cells": [checked("one", "passed")]}))

    def put_back(file: Path) -> None:
        with page.expect_file_chooser() as choosing:
            card.get_by_role("button", name="Put back a notebook…").click()
        choosing.value.set_files(file)

    put_back(mine)
    said.get_by_text("can't be put back: start the lesson first").wait_for()
    (notebook,) = (lite / "files" / LESSON).glob("*.ipynb")
    page.evaluate(KEEP, [f"{LESSON}/{notebook.name}", {"cells": []}])
    put_back(mine)
    said.get_by_text(f"{mine.name} is in the list.").wait_for()
    card.get_by_text("1 of its 1 checks have passed").wait_for()
    card.get_by_text("0 of its 0 checks have passed").wait_for()
    with page.expect_download() as downloading:
        card.get_by_role("button", name="Download").last.click()
    assert json.loads(downloading.value.path().read_text()) == json.loads(mine.read_text())
    for number, content in enumerate(("no notebook", "{}")):
        (damaged := tmp_path / f"{number}.ipynb").write_text(content)
        put_back(damaged)
        said.get_by_text(f"{damaged.name} can't be put back: it is not a notebook").wait_for()
    assert card.get_by_role("button", name="Download").count() == 2
    # It is no older version, between which and the newest one had to choose.
    page.goto(f"{site}/{address(LESSON)}")
    page.wait_for_url(f"{site}/notebooks/index.html?path=**")
    page.context.close()


@pytest.mark.long
def test_page_fits_a_phone(browser: "Browser", site: str) -> None:
    page = opened(browser, site)
    page.set_viewport_size({"width": 320, "height": 640})
    page.evaluate(KEEP, [LATER.format("0123abcd"), {}])
    page.reload()
    page.get_by_role("button", name="Remove…").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    page.context.close()


LINK = '<a href="../../index.html">All pages of the course</a>'


@pytest.mark.long
def test_lesson_fits_a_phone(browser: "Browser", lite: Path, site: str) -> None:
    from tests.support.lab import keep

    (notebook,) = (lite / "files" / LESSON).glob("*.ipynb")
    page = browser.new_page(viewport={"width": 320, "height": 640})
    page.goto(f"{site}/notebooks/index.html?path={LESSON}/{notebook.name}")
    page.locator(".jp-Cell").first.wait_for()
    said = page.locator("#back")
    assert "▶ runs a cell" in said.inner_text()
    for _ in ("alone", "in a site"):
        assert said.evaluate("bar => bar.scrollHeight <= bar.clientHeight")
        top = page.locator("#main").bounding_box()["y"]
        assert top == said.bounding_box()["height"]
        said.evaluate(f"bar => bar.querySelector('a').insertAdjacentHTML('afterend', '{LINK}')")
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    run = page.locator('.jp-NotebookPanel-toolbar [data-jp-item-name="run"]')
    assert run.bounding_box()["width"] >= 40
    assert not page.locator(".jp-NotebookTrustedStatus").is_visible()
    keep(page, "lite_phone")
    page.close()


@pytest.mark.long
def test_folder_is_made_anew(tmp_path: Path, lite: Path) -> None:
    again = tmp_path / "lite"
    shutil.copytree(lite, again)
    (again / "old.html").touch()
    make_lite(COURSE, again, like_pyodide(tmp_path / "pyodide"), write_for_a_browser)
    assert {path.name for path in again.iterdir()} == {path.name for path in lite.iterdir()}
    assert {path.name for path in tmp_path.iterdir()} == {"lite", "pyodide"}
