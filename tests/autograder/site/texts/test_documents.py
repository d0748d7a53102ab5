"""Documents are listed by their readers, each once."""

from pathlib import Path

import pytest

from autograder.course import Course
from autograder.site.errors import SiteError
from autograder.site.texts.documents import shelves
from tests.support.course import COURSE


@pytest.fixture
def course(tmp_path: Path) -> Course:
    (tmp_path / "docs").mkdir()
    for name in ("a", "b", "misconceptions"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n")
    return Course(tmp_path)


def listed(course: Course, text: str) -> list[tuple[str, list[str]]]:
    (course.root / "docs" / "README.md").write_text(text)
    return [(shelf.heading, [*map(str, shelf.documents)]) for shelf in shelves(course)]


def test_all_stand_together_without_a_list(course: Course) -> None:
    (shelf,) = shelves(course)
    assert [*map(str, shelf.documents)] == ["docs/a.md", "docs/b.md"]


def test_a_course_may_have_none(tmp_path: Path) -> None:
    assert shelves(Course(tmp_path)) == []


def test_the_list_says_the_order(course: Course) -> None:
    (course.root / "NEWS.md").write_text("# News\n")
    text = "# All\n\n## One\n\n- [b](b.md)\n\n## Two\n\n- [a](a.md), [news](../NEWS.md)\n"
    assert listed(course, text) == [("One", ["docs/b.md"]), ("Two", ["docs/a.md", "NEWS.md"])]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("## One\n[b](b.md)", "does not name docs/a.md"),
        ("## One\n[b](b.md) [a](a.md)\n## Two\n[b](b.md)", "names twice docs/b.md"),
        ("## One\n[b](b.md) [a](a.md) [c](c.md)", "names docs/c.md, which is not there"),
    ],
)
def test_a_list_that_is_not_as_it_should_be(course: Course, text: str, wrong: str) -> None:
    with pytest.raises(SiteError, match=wrong):
        listed(course, text)


def test_this_course_lists_all_of_its_documents() -> None:
    assert len(shelves(COURSE)) == 3
