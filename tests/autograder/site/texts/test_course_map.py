"""The map is made of what lessons say of themselves."""

from autograder.checks.source.opening import Opening
from autograder.site.texts.course_map import OnMap, begin, map_page

LESSONS = [
    OnMap("00_a", "n/00_a/00_a", Opening("00 · A", 30, "Python"), 2, 5),
    OnMap("01_b", "n/01_b/01_b", Opening("01 · B | C", 60, "00"), 3, 9),
    OnMap("02_c", "n/02_c/02_c", Opening("", 45, "00 to 01"), 1, 4),
]


def test_every_lesson_has_its_row() -> None:
    page = map_page(LESSONS, {})
    assert "3 lessons with 6 exercises, about 2 hours in all." in page
    assert "| [00 · A](n/00_a/00_a.ipynb) | 30 | Python | 2 | 5 |" in page
    assert r"| [01 · B \| C](n/01_b/01_b.ipynb) | 60 | [00](n/00_a/00_a.ipynb) | 3 | 9 |" in page
    needs = "[00](n/00_a/00_a.ipynb) to [01](n/01_b/01_b.ipynb)"
    assert f"| [02_c](n/02_c/02_c.ipynb) | 45 | {needs} | 1 | 4 |" in page
    assert page.count("<rect") == 3


def test_what_is_answered_in_words_is_counted_by_itself() -> None:
    """A learner's own map counts what has a check."""
    page = map_page([*LESSONS, OnMap("03", "n/03/03", Opening("", 45, ""), 5, 9, 2)], {})
    assert "4 lessons with 11 exercises (2 of them in words), about 3 hours in all." in page


def test_no_hours_are_made_up_where_a_lesson_says_none() -> None:
    lessons = [LESSONS[0], OnMap("w", "n/w/w", Opening("W", None, ""), 1, 1)]
    page = map_page(lessons, {})
    assert "2 lessons with 3 exercises.\n" in page
    assert "<svg" not in page


def test_the_start_leads_into_the_browser_where_that_is_possible() -> None:
    assert "in the browser" not in begin(LESSONS, {})
    ways = begin(LESSONS, {"01_b": "lite/index.html?lesson=01_b"})
    assert ways.index('href="lite/index.html?lesson=01_b"') < ways.index('href="n/00_a/00_a.html"')
    assert "lite/" in map_page(LESSONS, {"01_b": "lite/index.html?lesson=01_b"})
