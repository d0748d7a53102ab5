"""Parts of a lesson that its core does not need: where they begin and end, what goes with them."""

import re
from pathlib import Path

import pytest

from autograder.authoring.lesson.lesson import Code, Prose, in_parts
from autograder.authoring.lesson.notebook import source_notebook
from autograder.authoring.lesson.personal import course_lesson
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import read_reference
from autograder.checks.source.cells import further_in
from autograder.course import Course
from autograder.errors import LessonError, SettingError
from tests.support.small_course import LESSON, small_course

TEXT = """\
# Title

Core.

## More · further

Further.

### Still more

```text
## In a fence
```

Further.

## Back

Core.

#### A detail · further

Further.

### Back again

Core."""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A lesson that has `shares_of` in a further part, and `why` in another."""
    course = small_course(tmp_path)
    path = course.lesson_file(LESSON)
    text = path.read_text(encoding="utf-8")
    opening = "# 01 · Mixing\n\n**It takes** about 60 minutes, 20 of them for the core.\n"
    for old, new in (
        ("# 01 · Mixing\n", opening),
        ("```{exercise} shares_of", "### Shares · further\n\nWhere.\n\n```{exercise} shares_of"),
        ("Last step", "### Mix\n\nLast step"),
        ("```{exercise} why", "## In words · further\n\n```{exercise} why"),
    ):
        assert old in text
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")
    return course


def set_to(course: Course, settings: str) -> None:
    (course.root / "course.toml").write_text(settings, encoding="utf-8")


def test_prose_is_cut_where_a_part_begins_and_keeps_its_lines() -> None:
    pieces = [*in_parts([Prose(5, TEXT), Code(40, "x = 1")])]
    told = [(block.text, block.line) for block, _ in pieces if isinstance(block, Prose)]
    assert [is_further for _, is_further in pieces] == [False, True, False, True, False, False]
    for text, line in told:
        assert TEXT.split("\n")[line - 5 :][: text.count("\n") + 1] == text.split("\n")
    assert [text.split("\n")[0] for text, _ in told] == [
        "# Title", "## More · further", "## Back", "#### A detail · further", "### Back again"
    ]  # fmt: skip
    assert sum(text.count("Further.") for text, _ in told[1::2]) == 3


def test_cards_and_cells_say_it(course: Course) -> None:
    lesson = course_lesson(course, LESSON)
    sources = read_reference(course.reference_file(LESSON))
    notebook = source_notebook(lesson, sources, dict.fromkeys(sources, "exams"))
    assert further_in(notebook.cells) == lesson.further == {"shares_of", "why"}
    cards = [one.source.split("\n")[0] for one in notebook.cells if "difficulty" in one.source]
    assert cards[0].endswith("5 minutes · explained in [By hand](#By-hand)")
    assert cards[1].endswith("· further · explained in [Shares](#Shares-%C2%B7-further)")
    assert [("further" in card) for card in cards] == [False, True, False, True]


def test_headings_can_be_overruled(course: Course) -> None:
    set_to(course, 'core = ["why"]\nfurther = ["01/mix"]\n')
    assert course_lesson(course, LESSON).further == {"shares_of", "mix"}


def test_further_exercises_can_be_worked_out(course: Course) -> None:
    set_to(course, 'leave_out = ["further"]')
    lesson = course_lesson(course, LESSON)
    assert lesson.points.keys() == {"match", "mix"}
    assert lesson.left_out == {"shares_of": True, "why": True}
    text = "\n".join(block.text for block in lesson.blocks if isinstance(block, Prose))
    assert "### Shares · further" in text
    assert "about 30 minutes, 20 of them for the core." in text


@pytest.mark.parametrize("entry", ["further", "01/further", f"{LESSON}/further"])
def test_further_parts_can_go(course: Course, entry: str) -> None:
    set_to(course, f'leave_out = {{"{entry}" = "gone"}}')
    lesson = course_lesson(course, LESSON)
    assert lesson.points.keys() == {"match", "mix"}
    text = "\n".join(block.text for block in lesson.blocks if isinstance(block, Prose))
    assert "further" not in text
    assert "Where." not in text
    assert "**It takes** about 20 minutes." in text
    assert "### Mix" in text


def test_core_that_is_all_there_is_has_no_time_of_its_own(course: Course) -> None:
    set_to(course, 'leave_out = ["further", "match"]')
    path = course.lesson_file(LESSON)
    path.write_text(path.read_text(encoding="utf-8").replace("20 of them", "45 of them"))
    blocks = course_lesson(course, LESSON).blocks
    assert any("about 25 minutes." in one.text for one in blocks if isinstance(one, Prose))


def test_what_is_said_of_one_exercise_goes_before(course: Course) -> None:
    set_to(course, 'leave_out = {further = "worked", "01/why" = "gone", mix = "gone"}')
    lesson = course_lesson(course, LESSON)
    assert lesson.left_out == {"shares_of": True, "why": False, "mix": False}


def test_core_that_needs_a_further_part_is_refused(course: Course) -> None:
    path = course.lesson_file(LESSON)
    text = path.read_text(encoding="utf-8")
    cell = "```{code-cell} ipython3\nshares_of(some_matches)\n```\n\nLast step"
    path.write_text(text.replace("Last step", cell), encoding="utf-8")
    set_to(course, 'leave_out = {further = "gone"}')
    with pytest.raises(LessonError, match="needs shares_of, which is to be gone"):
        course_lesson(course, LESSON)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ('leave_out = ["99/further"]', "'99/further' names none of the course's lessons"),
        (
            'core = ["why"]\nleave_out = {further = "gone"}',
            "core: why stands in a part that leave_out has gone",
        ),
        ('core = ["what"]', "core: no exercise of the course's lessons is called 'what'"),
    ],
)
def test_settings_that_mean_nothing(course: Course, settings: str, said: str) -> None:
    set_to(course, settings)
    with pytest.raises(SettingError, match=re.escape(said)):
        course_lesson(course, LESSON)


def test_lesson_without_marks_is_all_core(tmp_path: Path) -> None:
    course = small_course(tmp_path)
    assert read_lesson(course.lesson_file(LESSON)).further == frozenset()
    assert not further_in([{"metadata": {"autograder": 3}}])
