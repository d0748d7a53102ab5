"""Pages for developers name files and modules that exist."""

import ast
import re
from pathlib import Path

import pytest

from autograder.checks.exam.exam import exams_of
from autograder.checks.source.opening import opening_of
from tests.support.course import COURSE, ROOT

PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "CONTRIBUTING.md", ROOT / "README.md"]
# `solutions/name.py` is any lesson's, and the other one is what the tutorial has its reader write.
NOT_THERE = ("name.py", "most_attended.py")
# These name the engine's modules as they are called from within autograder/.
OF_THE_ENGINE = [ROOT / "docs" / "architecture.md", ROOT / "docs" / "processes.md"]
# What is named beside modules: files of any course, which need not be in this one.
MADE = ("checks.json", ".build.json", "submitted/", "cache/", "mine/")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_named_modules_exist(page: Path) -> None:
    """A path begins at the root of the course or, for short, in autograder/."""
    named = set(re.findall(r"`([\w/]+/\w+\.py)`", page.read_text(encoding="utf-8")))
    places = (ROOT, ROOT / "autograder")
    missing = {name for name in named if not any((place / name).is_file() for place in places)}
    missing = {name for name in missing if not name.startswith(MADE)}
    assert {name for name in missing if Path(name).name not in NOT_THERE} == set()


@pytest.mark.parametrize("page", OF_THE_ENGINE, ids=lambda page: page.name)
def test_dotted_names_and_paths_exist(page: Path) -> None:
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    named = {name for name in re.findall(r"`([\w./]+)`", text) if re.search(r"\w[./]", name)}
    assert named
    for name in {one for one in named if not one.startswith(MADE)}:
        is_path = "/" in name or name.endswith((".py", ".pyi", ".toml"))
        assert is_committed(name) if is_path else is_module(name), name


def is_committed(path: str) -> bool:
    """Whether there is a file or folder of this name; of a bare name, anywhere in the engine."""
    return (ROOT / path).exists() or any((ROOT / "autograder").rglob(path))


def is_module(name: str) -> bool:
    """Whether a package, a module, or what a module defines has this name."""
    place, parts = ROOT / "autograder", name.removeprefix("autograder.").split(".")
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    if not parts:
        return (place / "__init__.py").is_file()
    file = place / f"{parts.pop(0)}.py"
    if not file.is_file() or not parts:
        return file.is_file()
    defined = {getattr(node, "name", "") for node in ast.parse(file.read_text("utf-8")).body}
    return len(parts) == 1 and parts[0] in defined


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_what_is_committed(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    links = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []
    # An author's file shows model answers, and what is made may not be there.
    assert [link for link in links if link.startswith(("source/", "../source/"))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_headings(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for place, heading in re.findall(r"\]\(((?!https?://)[^)#\s]*\.md|)#([^)\s]+)\)", text):
        assert heading in anchors(page.parent / place if place else page), (place, heading)


def anchors(page: Path) -> set[str]:
    """The names by which links lead to a page's headings."""
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", one).lower().replace(" ", "-") for one in headings}


def test_readme_says_what_the_lessons_say() -> None:
    """The minutes of each lesson, the hours of all and of their cores; how many exercises."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    minutes, core = 0, 0
    for lesson in COURSE.lessons():
        path = COURSE.release_folder(lesson) / f"{lesson}.ipynb"
        opening = opening_of(path)
        minutes, core = minutes + opening.minutes, core + opening.core
        assert f"({path.relative_to(ROOT)}) | {opening.time} |" in readme
    assert f"The cores of all lessons take {round(core / 60)} hours together" in readme
    assert f"the whole course {round(minutes / 60)}." in readme
    exercises = sum(len(exams_of(COURSE.exam_module(one))) for one in COURSE.lessons())
    told = re.search(r"Twelve Jupyter notebooks with more than (\d+) graded exercises", readme)
    assert int(told[1]) == exercises // 10 * 10
