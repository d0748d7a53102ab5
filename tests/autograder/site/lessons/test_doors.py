"""Every button opens what students get."""

import re
from pathlib import Path, PurePosixPath

import pytest

from autograder.site.lessons.colab import address
from autograder.site.lessons.doors import buttons, runnable
from tests.support.course import COURSE

NOTEBOOK = PurePosixPath("notebooks/01_x/01_x.ipynb")


def addresses(html: str) -> dict[str, str]:
    return {text: address for address, text in re.findall(r'href="(.*?)".*?>(.*?)</a>', html)}


def test_a_lesson_can_be_downloaded_without_further_ado() -> None:
    assert addresses(buttons("01_x", NOTEBOOK, run_at="", colab="", repository="")) == {
        "Download": "01_x.zip",
        "install the course": "../../index.html",
    }


def test_other_ways_are_there_where_they_lead_somewhere() -> None:
    run_at = "lite/index.html?lesson=01_x"
    assert addresses(
        buttons("01_x", NOTEBOOK, run_at=run_at, colab="https://colab", repository="ada/stats")
    ) == {
        "Run it here": f"../../{run_at}",
        "Download": "01_x.zip",
        "Open in Colab": "https://colab",
        "Open in Codespaces": "https://codespaces.new/ada/stats",
    }


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_no_button_opens_a_solution_or_an_authors_text(lesson: str) -> None:
    notebook = COURSE.release_folder(lesson).relative_to(COURSE.root) / f"{lesson}.ipynb"
    place = PurePosixPath(notebook.as_posix())
    html = buttons(lesson, place, run_at="", colab=address("a/b", place), repository="a/b")
    assert not re.search("source/|solutions|autograded", html)
    opened = f"https://colab.research.google.com/github/a/b/blob/gh-pages/notebooks/{lesson}/"
    assert addresses(html)["Open in Colab"] == f"{opened}{lesson}-colab.ipynb"


def test_the_readme_opens_what_students_get() -> None:
    links = re.findall(r"\]\(([^()]+)\)", (COURSE.root / "README.md").read_text("utf-8"))
    place = COURSE.settings.site or "notebooks/"
    lessons = [link for link in links if any(name in link for name in COURSE.lessons())]
    assert len(lessons) >= len(COURSE.lessons())
    assert [link for link in lessons if not link.startswith(place)] == []
    assert [link for link in links if link.startswith(("source/", "solutions/"))] == []


def test_lessons_that_run_in_the_browser_are_found(tmp_path: Path) -> None:
    assert runnable(tmp_path) == {}
    for name in ("01_x/01_x-abcd.ipynb", "02_y/02_y-abcd.ipynb", "03_z/checks.json"):
        path = tmp_path / "files" / name
        path.parent.mkdir(parents=True)
        path.touch()
    assert runnable(tmp_path) == {
        "01_x": "lite/index.html?lesson=01_x",
        "02_y": "lite/index.html?lesson=02_y",
    }
