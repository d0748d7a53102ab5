import pytest
from support import FRONT_MATTER, make_lesson

from autograder.errors import LessonError
from autograder.lesson import Check, Code, Exercise, Prose, Written, read_lesson

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
        ("words\n\n```{exercise} scores\n:difficulty: 1\n", 3, "this directive is never closed"),
        ("````{exercise} scores\n:difficulty: 1\n```\n", 1, "this directive is never closed"),
        ("```{exercice} scores\n```\n", 1, "unknown directive {exercice}; there are {code-cell}"),
        ("```{note}\nwords\n```\n", 1, "unknown directive {note}"),
        ("```{exercise}\n```\n", 1, "{exercise} needs the name of an exercise, found ''"),
        ("words\n```{check} 2nd\n```\n", 2, "{check} needs the name of an exercise, found '2nd'"),
        ("```{check} Scores\n```\n", 1, "found 'Scores'"),
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
        (without(WRITTEN, "### BEGIN SOLUTION"), 1, "why has no ### BEGIN SOLUTION"),
        (without(WRITTEN, "### END MARK SCHEME"), 1, "why has no ### BEGIN MARK SCHEME"),
        (f"{EXERCISE}\n{CHECK}\n{EXERCISE}", 10, "the exercise scores stands here and on line "),
        (f"{EXERCISE}\n{CHECK}\nwords\n\n{CHECK}", 12, "scores is checked here and on line "),
        (WRITTEN + WRITTEN, 22, "the exercise why stands here and on line "),
        (f"words\n\n{CHECK}\n{EXERCISE}", 3, "scores is checked before its exercise"),
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
    ("text", "words"),
    [
        ("", "the front matter names no kernelspec"),
        ("# Title\n\nwords\n", "the front matter names no kernelspec"),
        ("---\njupytext:\n  formats: md:myst\n---\n\nwords\n", "names no kernelspec"),
        ("---\nkernelspec: [\n---\n\nwords\n", "this is not a MyST notebook: "),
        (
            f"{FRONT_MATTER}```{{code-cell}} ipython3\n:tags: [a\nx = 1\n```\n",
            f"at line {ABOVE + 1} could not be read: Invalid YAML",
        ),
    ],
)
def test_no_notebook(path, text, words):
    path.write_text(text, encoding="utf-8")
    with pytest.raises(LessonError) as error:
        read_lesson(path)
    assert error.value.line == 1
    assert words in str(error.value)


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
    assert lesson.blocks[1] == Written(
        ABOVE + 3, "why", difficulty=2, minutes=10, points=3,
        question="Why is this so?\n\n```python\nsoftmax(x)\n```",
        model_answer="Because the rows\nsum to 1.",
        marking_scheme="- 2: it says rows\n- 1: it says 1",
    )  # fmt: skip


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
