import re

import pytest

from autograder.authoring.lesson.lesson import Check, Code, Exercise, Prose, WrittenExercise
from autograder.authoring.lesson.reading import read_lesson
from autograder.checks.own_judgement import Point
from autograder.errors import LessonError
from tests.support.samples import FRONT_MATTER, make_lesson

ABOVE = FRONT_MATTER.count("\n")

EXERCISE = """\
```{exercise} scores
:difficulty: 1
:minutes: 5
```
"""
CHECK = """\
```{check} scores
:points: 2
```
"""
WRITTEN = """\
````{exercise} why
:difficulty: 2
:minutes: 10
:points: 3

Why is this so?

```python
softmax(x)
```

### BEGIN SOLUTION
Because the rows
sum to 1.
### END SOLUTION

### BEGIN MARK SCHEME
- 2: it says rows
- 1: it says 1
### END MARK SCHEME
````
"""


def with_tests(tests: str) -> str:
    """An exercise that has tests of its own in its check."""
    return f"{EXERCISE}\n{CHECK.replace(':points: 2', f':points: 2{chr(10)}{chr(10)}{tests}')}"


BEFORE = {
    "front matter": "",
    "blank lines": "\n\n\n",
    "prose": "# Title\n\nSome words.\n\n",
    "cells": "words\n\n```{code-cell} ipython3\n:tags: [a]\n\nx = 1\n```\n\n\n\n+++\n\nwords\n\n"
    "```{code-cell} ipython3\ny = 2\n```\n\nwords\n\n",
    "code": "```{code-cell} ipython3\nx = 1\n\n\ny = 2\n```\n",
    "exercise": "```{exercise} earlier\n:difficulty: 1\n:minutes: 1\n```\n\n\n"
    "```{check} earlier\n:points: 1\n```\n\n",
}


def without(text: str, line: str) -> str:
    assert f"{line}\n" in text
    return text.replace(f"{line}\n", "", 1)


def error_in(path, body: str) -> LessonError:
    with pytest.raises(LessonError) as error:
        make_lesson(path, body)
    assert str(error.value).startswith(f"{path}:{error.value.line}: ")
    return error.value


@pytest.fixture
def path(tmp_path):
    return tmp_path / "02_words.md"


@pytest.mark.parametrize("before", BEFORE.values(), ids=BEFORE.keys())
@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("words\n\n```{exercise} scores\n:difficulty: 1\n", 3, "this fence is never closed"),
        ("````{exercise} scores\n:difficulty: 1\n```\n", 1, "this fence is never closed"),
        ("```{exercice} scores\n```\n", 1, "unknown directive {exercice}; there are {code-cell}"),
        ("```{note}\nwords\n```\n", 1, "unknown directive {note}"),
        ("```{exercise}\n```\n", 1, "{exercise} needs the name of an exercise, found ''"),
        ("words\n```{check} 2nd\n```\n", 2, "{check} needs the name of an exercise, found '2nd'"),
        ("```{check} _scores\n```\n", 1, "found '_scores'"),
        ("```{check} a.b\n```\n", 1, "found 'a.b'"),
        ("```{check} s\n:points: 1\n:points: 2\n```\n", 3, "the option points stands twice"),
        (without(EXERCISE, ":minutes: 5"), 1, "scores has no card entry `:minutes:`"),
        (without(EXERCISE, ":difficulty: 1"), 1, "scores has no card entry `:difficulty:`"),
        ("```{check} s\n```\n", 1, "s has no card entry `:points:`"),
        (without(WRITTEN, ":points: 3"), 1, "why has no card entry `:points:`"),
        ("```{check} s\n:points: 0\n```\n", 1, "`:points:` of s is not a positive whole number"),
        ("```{check} s\n:points: -1\n```\n", 1, "not a positive whole number"),
        ("```{check} s\n:points: 1.5\n```\n", 1, "not a positive whole number"),
        ("```{check} s\n:points: two\n```\n", 1, "not a positive whole number"),
        ("```{check} s\n:points:\n```\n", 1, "not a positive whole number"),
        (EXERCISE.replace("```\n", ":points: 2\n```\n"), 1, "unknown option `:points:`"),
        (CHECK.replace("points: 2", "points: 2\n:minutes: 2"), 1, "unknown option `:minutes:`"),
        (
            EXERCISE.replace("difficulty: 1", "difficulty: 4"),
            1,
            "difficulty of scores is 1, 2 or 3",
        ),
        (
            without(WRITTEN, "### BEGIN SOLUTION"),
            1,
            "why needs one line ### BEGIN SOLUTION, found 0",
        ),
        (without(WRITTEN, "### END MARK SCHEME"), 1, "why needs one line ### END MARK SCHEME"),
        (WRITTEN.replace("MARK SCHEME", "SOLUTION"), 1, "line ### BEGIN SOLUTION, found 2"),
        (
            WRITTEN.replace("Because the rows\nsum to 1.\n", ""),
            1,
            "why has nothing below its ### BEGIN SOLUTION",
        ),
        (WRITTEN.replace("- 2: it says rows\n- 1: it says 1", " "), 1, "its ### BEGIN MARK SCHEME"),
        (f"{WRITTEN}\n```{{check}} why\n:points: 1\n```\n", 23, "in words and has no {check}"),
        (with_tests("assert scores("), 6, "the body of the {check} of scores is not Python"),
        (with_tests("### BEGIN HIDDEN TESTS\nassert scores()"), 6, "### END HIDDEN TESTS in turns"),
        (
            with_tests("### END HIDDEN TESTS\n### BEGIN HIDDEN TESTS"),
            6,
            "of scores needs ### BEGIN",
        ),
        (
            "```{code-cell}\nx = 1\n### BEGIN SOLUTION\n### END SOLUTION\n```\n",
            3,
            '"### BEGIN SOLUTION" stands in a given cell: write an {exercise}',
        ),
        ("words\n### BEGIN MARK SCHEME\n", 2, '"### BEGIN MARK SCHEME" stands in a given cell'),
        ("```{code-cell}\n### BEGIN HIDDEN TESTS\n```\n", 2, '"### BEGIN HIDDEN TESTS" stands'),
        (
            "```{code-cell}\n---\nnbgrader: {grade: true}\n---\nassert x\n```\n",
            1,
            "nbgrader's metadata stands in the options of this cell: write an {exercise}",
        ),
        ("```{code-cell}\n:day: 2026-01-01\n```\n", 1, "a value that a notebook can't hold"),
        ("```{check} s\n:points: ²\n```\n", 1, "not a positive whole number"),
        ("```{exercise} two words\n```\n", 1, "needs the name of an exercise, found 'two words'"),
        (f"words\n\n  {CHECK}", 3, "write ```{check} at the start of its line"),
        (f"words\n    {CHECK}", 2, "write ```{check} at the start of its line"),
        (f"words\n\n    {CHECK}", 3, "write ```{check} at the start of its line"),
        (f"- words\n  {CHECK}", 2, "write ```{check} at the start of its line"),
        (f"> {CHECK}", 1, "write ```{check} at the start of its line"),
        (f"<details>\n{CHECK}", 2, "below a blank line where HTML precedes"),
        ("``` {exercise} scores\n```\n", 1, "write ```{exercise} at the start of its line"),
        ("~~~{exercise} scores\n~~~\n", 1, "write ```{exercise} at the start of its line"),
        ("  ```{code-cell}\n  x = 1\n  ```\n", 1, "write ```{code-cell} at the start of its line"),
        ("```{raw-cell}\nx\n```\n", 1, "unknown directive {raw-cell}"),
        ("\n```{code-cell}\nx = 1\n\nwords\n", 2, "this fence is never closed"),
        (f"```{{code-cell}}\nx = 1\n\n{EXERCISE}\n{CHECK}", 1, "this fence is never closed"),
        (f"```python\nx = 1\n\n{EXERCISE}\n{CHECK}", 1, "this fence is never closed"),
        ("words\n\n```python\nx = 1\n", 3, "this fence is never closed"),
        ("```{code-cell}\n:tags: [a\nx = 1\n```\n", 1, "options of this cell are not YAML"),
        ("```{code-cell}\n---\ntags: [a\n---\n```\n", 1, "options of this cell are not YAML"),
        ("```{code-cell}\n:tags: slow\n\nx = 1\n```\n", 1, "tags of this cell are not a list"),
        ("```{code-cell}\n:slow\n\nx = 1\n```\n", 1, "tags of this cell are not a list"),
        (
            f"{EXERCISE}\n{CHECK}\n{EXERCISE.replace('scores', 'scores_check')}"
            f"{CHECK.replace('scores', 'scores_check')}",
            1,
            "scores has a cell named scores_check: give the exercise scores_check another name",
        ),
        (WRITTEN + WRITTEN.replace("} why", "} why_question"), 1, "a cell named why_question"),
        (f"{EXERCISE}\n{CHECK}\n{EXERCISE}", 10, "the exercise scores stands here and on line "),
        (f"{EXERCISE}\n{CHECK}\nwords\n\n{CHECK}", 12, "scores is checked here and on line "),
        (WRITTEN + WRITTEN, 22, "the exercise why stands here and on line "),
        (f"words\n\n{CHECK}\n{EXERCISE}", 3, "no exercise scores stands above its check"),
        (f"words\n\n\n\n{EXERCISE}", 5, "scores is never checked"),
    ],
    ids=lambda value: "" if "\n" in str(value) else None,
)
def test_broken_lesson(path, before, body, line, words):
    error = error_in(path, before + body)
    assert words in str(error)
    assert error.line == ABOVE + before.count("\n") + line
    assert str(error).count("\n") == 0


def test_first_of_two_is_named(path):
    doubled = f"words\n\n{EXERCISE}\n{CHECK}\n{EXERCISE}"
    assert str(error_in(path, doubled)).endswith(f"and on line {ABOVE + 3}")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "the front matter names no kernelspec"),
        ("# Title\n\nwords\n", 1, "the front matter names no kernelspec"),
        ("---\njupytext:\n  formats: md:myst\n---\n\nwords\n", 1, "names no kernelspec"),
        ("---\nkernelspec: [\n---\n\nwords\n", 2, "the front matter is not YAML"),
        ("---\nwords: 1\nkernelspec: }\n---\n\nwords\n", 3, "the front matter is not YAML"),
        ("---\nkernelspec: python3\n---\n\nwords\n", 1, "with a name and a display_name"),
        ("---\nkernelspec:\n  name: python3\n---\n\nwords\n", 1, "a name and a display_name"),
        ("---\n- kernelspec\n---\n\nwords\n", 1, "with a name and a display_name"),
    ],
)
def test_no_notebook(path, text, line, words):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LessonError) as error:
        read_lesson(path)
    assert error.value.line == line
    assert words in str(error.value)
    assert str(error.value).count("\n") == 0


def test_blocks_in_order(path):
    cell = "```{code-cell} ipython3\nx = 1\n\ny = 2\n```\n"
    lesson = make_lesson(path, f"# Title\n\nwords\n\n{cell}\n{EXERCISE}\n\nmore\n{CHECK}last\n")
    assert lesson.blocks == (
        Prose(ABOVE + 1, "# Title\n\nwords"),
        Code(ABOVE + 6, "x = 1\n\ny = 2"),
        Exercise(ABOVE + 11, "scores", difficulty=1, minutes=5),
        Prose(ABOVE + 17, "more"),
        Check(ABOVE + 18, "scores", points=2),
        Prose(ABOVE + 21, "last"),
    )


def test_lesson_as_a_whole(path):
    lesson = make_lesson(path, EXERCISE + CHECK + WRITTEN)
    assert lesson.name == "02_words"
    assert [exercise.name for exercise in lesson.exercises] == ["scores"]
    assert lesson.points == {"scores": 2, "why": 3}
    assert lesson.metadata == {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}
    }


def test_check_far_below(path):
    lesson = make_lesson(path, f"{EXERCISE}\n{BEFORE['cells']}\n{CHECK}")
    assert lesson.points == {"scores": 2}


def test_written_answer(path):
    lesson = make_lesson(path, f"words\n\n{WRITTEN}")
    assert lesson.blocks[1] == WrittenExercise(
        ABOVE + 3, "why", difficulty=2, minutes=10, points=3,
        question="Why is this so?\n\n```python\nsoftmax(x)\n```",
        model_answer="Because the rows\nsum to 1.",
        marking_scheme="- 2: it says rows\n- 1: it says 1",
    )  # fmt: skip


POINTS = "### BEGIN POINTS\n- 2 points: rows\n- 1 point: the sum\n### END POINTS\n"
TICKED = WRITTEN.replace("### BEGIN MARK", f"{POINTS}### BEGIN MARK")


def test_points_to_tick(path):
    (block,) = make_lesson(path, TICKED).blocks
    assert block.to_tick == (Point(2, "rows"), Point(1, "the sum"))
    assert block.question == "Why is this so?\n\n```python\nsoftmax(x)\n```"
    assert block.marking_scheme == "- 2: it says rows\n- 1: it says 1"


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("- 2 points: rows\n", "", "why is worth 3 points, and its list has 1"),
        ("- 2 points: rows", "- two: rows", "why has a line that is no point"),
        ("### END POINTS\n", "", "why needs one line ### END POINTS, found 0"),
        ("### BEGIN POINTS\n", "", "why needs one line ### BEGIN POINTS, found 0"),
        (POINTS, POINTS + POINTS, "why needs one line ### BEGIN POINTS, found 2"),
        ("- 2 points: rows\n- 1 point: the sum\n", "", "nothing below its ### BEGIN POINTS"),
    ],
)
def test_points_that_do_not_fit_are_refused(path, old, new, sentence):
    with pytest.raises(LessonError, match=re.escape(sentence)):
        make_lesson(path, TICKED.replace(old, new))


def test_plain_tests(path):
    tests = "assert scores(1) == 1\n### BEGIN HIDDEN TESTS\nassert scores(2)\n### END HIDDEN TESTS"
    lesson = make_lesson(path, with_tests(tests))
    assert lesson.blocks[1] == Check(ABOVE + 6, "scores", 2, tests)
    assert lesson.with_tests == {"scores"}


def test_other_options_of_a_cell(path):
    lesson = make_lesson(
        path, "```{code-cell}\n:tags: [a]\n:scenery:\n:slides: {show: 1}\n\nx\n```\n"
    )
    (cell,) = lesson.blocks
    assert (cell.tags, cell.metadata) == (("a", "scenery"), {"slides": {"show": 1}})


def test_tags(path):
    lesson = make_lesson(path, "```{code-cell} ipython3\n:tags: [hide-input, slow]\n\nx = 1\n```\n")
    (cell,) = lesson.blocks
    assert (cell.source, cell.tags) == ("x = 1", ("hide-input", "slow"))


def test_separate_prose_cells(path):
    lesson = make_lesson(path, "same\n\n+++\n\nsame\n\n+++\n\nother\n")
    assert lesson.blocks == (
        Prose(ABOVE + 1, "same"), Prose(ABOVE + 5, "same"), Prose(ABOVE + 9, "other"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "prose",
    [
        "```python\nx = 1\n\n\ny = 2\n```",
        "````markdown\n```python\nx = 1\n```\n````",
        "````markdown\n```{exercise} foo\n:points: 2\n```\n\n```{code-cell}\nx = 1\n```\n````",
        "~~~markdown\n```{check} foo\n~~~",
        "- words\n\n  ```python\n  x = 1\n  ```",
        "words\n```\n:points: 2\n```\nwords",
        "| a | b |\n| --- | --- |\n| `{check}` | {exercise} |",
        "$$\n{x}\n$$",
        "<details><summary>Hint</summary>\n\n```text\nf(x)\n```\n\n</details>",
    ],
)
def test_prose_is_untouched(path, prose):
    lesson = make_lesson(path, f"{EXERCISE}\n{prose}\n\n{CHECK}")
    assert lesson.blocks[1] == Prose(ABOVE + 6, prose)


def test_windows_line_ends(path):
    path.write_bytes((FRONT_MATTER + EXERCISE + CHECK).replace("\n", "\r\n").encode())
    assert [block.line for block in read_lesson(path).blocks] == [ABOVE + 1, ABOVE + 5]


@pytest.mark.parametrize(
    ("above", "body"),
    [
        ("", "x = 1\n\ny = 2\n"),
        (":tags: [a]\n", "x = 1\n"),
        (":tags: [a]\n\n", "x = 1\n\n\n"),
        ("---\ntags:\n  - a\n---\n\n", "x = 1\n"),
        ("\n", "x = 1\n"),
    ],
)
def test_line_of_code(path, above, body):
    lesson = make_lesson(path, f"words\n\n```{{code-cell}} ipython3\n{above}{body}```\n")
    assert lesson.blocks[1].source.rstrip("\n") == body.rstrip("\n")
    lines = path.read_text(encoding="utf-8").split("\n")
    assert lines[lesson.blocks[1].line - 1] == "x = 1"
