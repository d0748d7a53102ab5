"""What a course's own text adds to a lesson, and where."""

from pathlib import Path

import pytest

from autograder.authoring.lesson.lesson import Code, Lesson, Prose, WrittenExercise, validate
from autograder.authoring.lesson.own_text import with_own_text
from autograder.errors import LessonError
from tests.support.samples import make_lesson

CHECKED = """\
```{exercise} scores
:difficulty: 1
:minutes: 5
```

A hint.

```{check} scores
:points: 2
```
"""
WRITTEN = """\
```{exercise} why
:points: 1
:difficulty: 1
:minutes: 5

Why?

### BEGIN SOLUTION
Because.
### END SOLUTION
### BEGIN MARK SCHEME
- 1 point.
### END MARK SCHEME
```
"""


@pytest.fixture
def lesson(tmp_path: Path) -> Lesson:
    return make_lesson(tmp_path / "02_words.md", f"# Title\n\n{CHECKED}\n{WRITTEN}\nThe end.\n")


def added(lesson: Lesson, text: str) -> Lesson:
    path = lesson.path.with_name("02.md")
    path.write_text(text, encoding="utf-8")
    return with_own_text(lesson, path)


def as_words(lesson: Lesson) -> list[str]:
    return [one.text if isinstance(one, Prose) else type(one).__name__ for one in lesson.blocks]


@pytest.mark.parametrize(
    ("place", "follows"),
    [
        ("% before", ""),
        ("% before exercise scores", "# Title"),
        ("% after exercise scores", "Check"),
        ("%before exercise why", "Check"),
        ("% after exercise  why ", "WrittenExercise"),
        ("% after", "The end."),
    ],
)
def test_where_a_part_goes(lesson: Lesson, place: str, follows: str) -> None:
    before = as_words(lesson)
    made = as_words(added(lesson, f"\n{place}\n\nMine.\n"))
    where = made.index("Mine.")
    assert made[:where] + made[where + 1 :] == before
    assert (["", *made])[where] == follows


def test_parts_of_one_place_keep_their_order(lesson: Lesson) -> None:
    made = added(lesson, "% after\nOne.\n% before\nZero.\n% after\nTwo.\n")
    assert [word for word in as_words(made) if word.endswith("o.") or word == "One."] == [
        *("Zero.", "One.", "Two.")
    ]


def test_blocks_know_their_file_and_line(lesson: Lesson) -> None:
    text = f"% before\n\nMine.\n\n```{{code-cell}}\n%matplotlib inline\n```\n% after\n{WRITTEN}"
    path = lesson.path.with_name("02.md")
    own = [block for block in added(lesson, text).blocks if block.file]
    assert [(type(one), one.line, one.file) for one in own] == [
        *((Prose, 3, path), (Code, 6, path), (WrittenExercise, 9, path))
    ]


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("\nMine.\n% after\n", 2, 'say where this goes, by a line "% before", "% after"'),
        ("Mine.\n", 1, "say where this goes"),
        ("---\nkernelspec: x\n---\n", 1, "say where this goes"),
        ("% after\nMine.\n% behind\n", 3, "or \"% after exercise NAME\", found '% behind'"),
        ("% after exercise\n", 1, "found '% after exercise'"),
        ("% after scores\n", 1, "found '% after scores'"),
        ("% after\n\n% after exercise whyy\n", 3, "there is no exercise whyy in "),
        ("% after\n\n```{exercise} x\n```\n", 3, "x has no card entry `:difficulty:`"),
        ("% after\nMine.\n\n```{code-cell}\nx = 1\n", 4, "this fence is never closed"),
    ],
)
def test_text_that_can_not_be(lesson: Lesson, text: str, line: int, said: str) -> None:
    with pytest.raises(LessonError) as raised:
        added(lesson, text)
    path = lesson.path.with_name("02.md")
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (f"% after\n{WRITTEN}", 2, "the exercise why stands here and in {lesson}:"),
        ("% after\n```{exercise} a\n:difficulty: 1\n:minutes: 1\n```\n", 2, "a is never checked"),
        ("% after\n```{check} scores\n:points: 1\n```\n", 2, "scores is checked here and in "),
    ],
)
def test_what_does_not_fit_the_lesson(lesson: Lesson, text: str, line: int, said: str) -> None:
    made = added(lesson, text)
    with pytest.raises(LessonError) as raised:
        validate(made)
    assert str(raised.value).startswith(f"{lesson.path.with_name('02.md')}:{line}: ")
    assert said.format(lesson=lesson.path) in str(raised.value)
