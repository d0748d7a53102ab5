"""Exercises that a course does not ask: worked out in their lesson, or gone from it.

Every exercise of this course is tried, without running any cell.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from autograder.authoring.lesson.left_out import leave_out, pointing_at
from autograder.authoring.lesson.lesson import (
    Check,
    Code,
    Exercise,
    Lesson,
    Prose,
    WrittenExercise,
    validate,
)
from autograder.authoring.lesson.notebook import source_notebook
from autograder.authoring.lesson.reference import Source, read_reference
from autograder.checks.source.cell_code import statements_of
from autograder.checks.source.cells import grade_id_of
from autograder.checks.source.effects import Effects, names_in
from autograder.errors import LessonError
from tests.support.course import COURSE, as_written
from tests.support.sample import sample
from tests.support.samples import make_lesson, make_sources

EXERCISES = [
    (lesson, block.name)
    for lesson in COURSE.lessons()
    for block in as_written(lesson).blocks
    if isinstance(block, Exercise | WrittenExercise)
]


@cache
def read(lesson: str) -> tuple[Lesson, Path, dict[str, Source]]:
    file = COURSE.reference_file(lesson)
    return as_written(lesson), file, read_reference(file)


@cache
def names_of(source: str) -> list[Effects]:
    return [names_in(statement) for statement in statements_of(source)]


def users_of(name: str, lesson: Lesson) -> Iterator[Code]:
    """The given cells that use a name which the lesson's code has not made above them."""
    made = set[str]()
    for block in lesson.blocks:
        if isinstance(block, Code) and name in block.source:
            for names in names_of(block.source):
                if name in names.uses - made:
                    yield block
                made |= names.binds


@pytest.mark.parametrize(("name", "exercise"), sample(EXERCISES, 6))
def test_every_exercise_can_be_worked_out(name: str, exercise: str) -> None:
    lesson, file, sources = read(name)
    made = leave_out(lesson, {exercise: True}, file, sources)
    validate(made)
    assert not [*users_of(exercise, made)]
    assert made.points.keys() == lesson.points.keys() - {exercise}
    notebook = source_notebook(made, sources, dict.fromkeys(sources, "exams"))
    assert not [c for c in notebook.cells if grade_id_of(c).startswith(f"{exercise}_check")]
    given = [c.source for c in notebook.cells if c.cell_type == "code" and not grade_id_of(c)]
    defining = [text for text in given if re.match(rf"(def|class) {exercise}\b", text)]
    assert len(defining) == (exercise in sources)
    for text in defining:
        ast.parse(text)
        assert "### " not in text


@pytest.mark.parametrize(("name", "exercise"), sample(EXERCISES, 6))
def test_every_exercise_can_go_unless_a_cell_needs_it(name: str, exercise: str) -> None:
    lesson, file, sources = read(name)
    needed = next(users_of(exercise, lesson), None)
    if needed:
        with pytest.raises(LessonError, match=f"needs {exercise}, which is to be gone") as said:
            leave_out(lesson, {exercise: False}, file, sources)
        assert said.value.line == needed.line
    else:
        made = leave_out(lesson, {exercise: False}, file, sources)
        validate(made)
        assert exercise not in made.points
        assert len(made.blocks) < len(lesson.blocks)


LADDER = """\
Write `scores` now.

```{exercise} scores
:difficulty: 1
:minutes: 5
```

<details><summary>Hint 1: a question</summary>

Which?

</details>

In between.

<details><summary>Hint 2: the plan</summary>

So.

</details>

```{check} scores
:points: 2
```

```{code-cell}
used = print(yours(scores, otherwise=max), yours(other, otherwise=min))
```
"""
REFERENCE = '''\
def scores(query):
    """Scores."""
    found = [...]
    ### BEGIN SOLUTION (replaces the lines above)
    found = [query]
    ### END SOLUTION
    return found
'''


def tried(tmp_path: Path, text: str = LADDER, *, worked: bool = True) -> Lesson:
    lesson = make_lesson(tmp_path / "02_words.md", text)
    file = tmp_path / "words.py"
    return leave_out(lesson, {"scores": worked}, file, make_sources(file, REFERENCE))


def test_worked_out(tmp_path: Path) -> None:
    lead, said, worked, between, used = tried(tmp_path).blocks
    assert isinstance(said, Prose)
    assert said.text.startswith("**Worked out for you:** `scores` is given here with its solution")
    assert isinstance(worked, Code)
    assert worked.source == (
        'def scores(query):\n    """Scores."""\n    found = [...]\n'
        "    # In place of the lines above:\n    found = [query]\n    return found"
    )
    assert [getattr(one, "text", "") for one in (lead, between)] == [
        *("Write `scores` now.", "In between.")
    ]
    # What is given is taken as it is.
    assert isinstance(used, Code)
    assert used.source == "used = print(scores, yours(other, otherwise=min))"


@pytest.mark.parametrize(("takes", "left"), [(150, 145), (147, 140), (12, 5), (5, 5)])
@pytest.mark.parametrize("worked", [True, False])
def test_time_is_shorter_by_that_of_the_exercise(
    tmp_path: Path, takes: int, left: int, worked: bool
) -> None:
    cells = LADDER.partition("```{code-cell}")[0]
    time = "**You need** ten minutes. **It takes** about {} minutes; see about 90 minutes.\n\n"
    text = f"{time.format(takes)}+++\n\n{cells}"
    first, *_ = tried(tmp_path, text, worked=worked).blocks
    assert isinstance(first, Prose)
    assert first.text == time.format(left).rstrip()


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_every_lesson_says_a_time_that_can_be_shorter(lesson: str) -> None:
    made, file, sources = read(lesson)
    (minutes, exercise) = max((one.minutes, one.name) for one in made.exercises)
    shorter = leave_out(made, {exercise: True}, file, sources)

    def time_of(one: Lesson) -> int:
        text = "".join(block.text for block in one.blocks if isinstance(block, Prose))
        (found,) = re.findall(r"\*\*It takes\*\* about (\d+) minutes", text)
        return int(found)

    assert abs(time_of(made) - minutes - time_of(shorter)) <= 2.5


def test_hints_of_an_exercise_in_between_stay(tmp_path: Path) -> None:
    cells = LADDER.partition("```{code-cell}")[0]
    other = cells.replace("} scores", "} other").replace("`scores`", "`other`")
    made = tried(tmp_path, cells.replace("In between.", other), worked=False)
    assert [type(block) for block in made.blocks] == [Prose, Exercise, Prose, Check]
    lead, _, hints, _ = made.blocks
    assert isinstance(lead, Prose)
    assert isinstance(hints, Prose)
    assert (lead.text, hints.text.count("<details>")) == ("Write `other` now.", 2)


def test_what_needs_one_that_is_gone(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match=r'02_words\.md:\d+: this needs scores, .* "worked" in'):
        tried(tmp_path, worked=False)
    cells, _, _ = LADDER.partition("```{code-cell}")
    gone = tried(tmp_path, cells, worked=False)
    assert [type(block) for block in gone.blocks] == [Prose]
    # A name of the cell's own is not the exercise.
    own = "```{code-cell}\nscores = 1\nprint(scores)\n```\n"
    assert len(tried(tmp_path, cells + own, worked=False).blocks) == 2
    tests = (
        "```{exercise} total\n:difficulty: 1\n:minutes: 5\n```\n\n"
        "```{check} total\n:points: 2\n\nassert total(scores(1)) == 1\n```\n"
    )
    with pytest.raises(LessonError, match="this needs scores"):
        tried(tmp_path, cells + tests, worked=False)


def test_sentences_that_ask_for_one_that_is_gone_go(tmp_path: Path) -> None:
    cells, _, _ = LADDER.partition("```{code-cell}")
    lead = "About `scores(q)`.\n\nWe have $q$ e.g. above. So write `scores(q)` now. Use *q*.\n\n"
    cells = cells.replace("Write `scores` now.\n\n", lead)
    kept, *_ = tried(tmp_path, cells, worked=False).blocks
    assert isinstance(kept, Prose)
    assert kept.text == "About `scores(q)`.\n\nWe have $q$ e.g. above."
    as_it_was, *_ = tried(tmp_path, cells, worked=True).blocks
    assert isinstance(as_it_was, Prose)
    assert as_it_was.text == lead.rstrip()


def test_no_solution_to_work_out(tmp_path: Path) -> None:
    lesson = make_lesson(tmp_path / "02_words.md", LADDER)
    with pytest.raises(LessonError, match=r"the exercise scores has no solution in .*words\.py"):
        leave_out(lesson, {"scores": True}, tmp_path / "words.py", {})


def test_prose_that_points_at_what_is_left_out(tmp_path: Path) -> None:
    lesson = tried(tmp_path, f"{LADDER}\nOne.\nAs in `scores(query)`, `scores_by` and scores.\n")
    file, path = tmp_path / "words.py", tmp_path / "02_words.md"
    lines = path.read_text(encoding="utf-8").split("\n")
    where = [n for n, line in enumerate(lines, 1) if "`scores" in line]
    said = [*pointing_at(lesson, ["scores"], file)]
    assert [one.partition(": ")[0] for one in said] == [f"{path}:{n}" for n in where]
    assert all("the text speaks of `scores`, which this course does not ask" in one for one in said)
    # Where the lesson asks for it, it is another lesson's that is left out.
    again = Exercise(1, "scores", 1, 1), Check(2, "scores", 1)
    asked = replace(lesson, blocks=(*lesson.blocks, *again))
    assert not [*pointing_at(asked, ["scores"], file)]
