"""Pages for developers name files that exist."""

import re
from pathlib import Path

import pytest

from autograder.checks.exam.exam import exams_of
from tests.support.course import COURSE, ROOT

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
# `solutions/name.py`: any lesson's.
ANY = "name.py"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_modules_exist(page: Path) -> None:
    """A path begins at the root of the course or, for short, in autograder/."""
    named = set(re.findall(r"`([\w/]+/\w+\.py)`", page.read_text(encoding="utf-8")))
    places = (ROOT, ROOT / "autograder")
    missing = {name for name in named if not any((place / name).is_file() for place in places)}
    assert {name for name in missing if Path(name).name != ANY} == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_what_is_committed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
    # An author's file shows model answers, and what is made may not be there.
    assert [link for link in links if link.startswith(("source/", "../source/"))] == []


def test_readme_says_what_the_lessons_say() -> None:
    """The minutes of each lesson, of all, and of the short path; how many exercises there are."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    minutes = {}
    for lesson in COURSE.lessons():
        text = COURSE.lesson_file(lesson).read_text(encoding="utf-8")
        minutes[lesson] = int(re.search(r"\*\*It takes\*\* about (\d+) minutes", text)[1])
        assert f"(notebooks/{lesson}/{lesson}.ipynb) | {minutes[lesson]} |" in readme
    assert f"takes about {round(sum(minutes.values()) / 60)} hours" in readme
    path = re.search(r"The short path takes (\d+):\*\* lessons ([\d, and]+),", readme)
    short = [minutes[COURSE.lessons_named([one])[0]] for one in re.findall(r"\d+", path[2])]
    assert int(path[1]) == round(sum(short) / 60)
    exercises = sum(len(exams_of(COURSE.exam_module(one))) for one in COURSE.lessons())
    told = re.search(r"Twelve Jupyter notebooks with more than (\d+) graded exercises", readme)
    assert int(told[1]) == exercises // 10 * 10
