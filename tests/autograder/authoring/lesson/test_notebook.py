import nbformat
import pytest
from nbgrader.preprocessors import CheckCellMetadata

from autograder.authoring.lesson.lesson import Lesson
from autograder.authoring.lesson.notebook import source_notebook
from autograder.authoring.lesson.release import student_notebook
from tests.support.samples import make_lesson, make_sources

REFERENCE = """\
def scores(x):
    ### BEGIN SOLUTION
    return x @ x.T
    ### END SOLUTION


def mean_word(x):
    ### BEGIN SOLUTION
    return x.mean(axis=0)
    ### END SOLUTION
"""
BODY = """\
# Title

```{code-cell} ipython3
:tags: [hide-input]

import numpy as np
```

Now you.

```{exercise} scores
:difficulty: 2
:minutes: 5
```

```{check} scores
:points: 2
```

Now you.

```{exercise} mean_word
:difficulty: 3
:minutes: 10
```

```{check} mean_word
:points: 1
```

```{exercise} why_rows
:difficulty: 1
:minutes: 4
:points: 3

Why rows?

### BEGIN SOLUTION
Because.
### END SOLUTION

### BEGIN MARK SCHEME
3 for "because".
### END MARK SCHEME
```

```{code-cell} ipython3
print("done")
```
"""


@pytest.fixture
def build(tmp_path):
    sources = make_sources(tmp_path / "words.py", REFERENCE)

    def build(body: str = BODY) -> nbformat.NotebookNode:
        lesson: Lesson = make_lesson(tmp_path / "02_words.md", body)
        return source_notebook(lesson, sources, dict.fromkeys(sources, "solutions.exams.words"))

    return build


@pytest.fixture
def notebook(build):
    return build()


def by_grade_id(notebook) -> dict[str, nbformat.NotebookNode]:
    marked = [cell for cell in notebook.cells if "nbgrader" in cell.metadata]
    return {cell.metadata.nbgrader.grade_id: cell for cell in marked}


def ids(notebook) -> list[str]:
    return [cell.id for cell in notebook.cells]


def test_valid_for_jupyter(notebook):
    nbformat.validate(notebook)


def test_valid_for_nbgrader(notebook):
    CheckCellMetadata().preprocess(notebook, {})


def test_cells_in_order(notebook):
    kinds = [
        cell.metadata.get("nbgrader", {}).get("grade_id", cell.cell_type) for cell in notebook.cells
    ]
    assert kinds == [
        *("markdown", "code", "markdown"),
        *("markdown", "scores", "scores_check", "markdown"),
        *("markdown", "mean_word", "mean_word_check"),
        *("why_rows_question", "why_rows", "code"),
    ]


@pytest.mark.parametrize(
    ("grade_id", "kind", "solution", "grade", "points"),
    [
        ("scores", "code", True, False, None),
        ("scores_check", "code", False, True, 2),
        ("mean_word_check", "code", False, True, 1),
        ("why_rows_question", "markdown", False, False, None),
        ("why_rows", "markdown", True, True, 3),
    ],
)
def test_marks_of_cells(notebook, grade_id, kind, solution, grade, points):
    marks = by_grade_id(notebook)[grade_id].metadata.nbgrader
    assert (marks.cell_type, marks.solution, marks.grade) == (kind, solution, grade)
    assert marks.get("points") == points
    assert marks.locked is not solution


def test_solution_is_the_reference(notebook):
    source = by_grade_id(notebook)["scores"].source
    assert source == REFERENCE.split("\n\n\n")[0]


def test_check_has_hidden_part(notebook):
    lines = by_grade_id(notebook)["scores_check"].source.split("\n")
    assert lines[0] == "### BEGIN HIDDEN TESTS"
    assert any("solutions.exams.words" in line for line in lines[1:-2])
    assert lines[-2:] == ["### END HIDDEN TESTS", "check(scores)"]


def test_cards(notebook):
    cards = [cell.source for cell in notebook.cells if "difficulty" in cell.source]
    assert cards[:2] == [
        "**Exercise** · `scores` · 2 points · difficulty ●●○ · about 5 minutes",
        "**Exercise** · `mean_word` · 1 point · difficulty ●●● · about 10 minutes",
    ]
    assert cards[2].startswith("**In your own words** · `why_rows` · 3 points · difficulty ●○○")


def test_written_answer(notebook):
    cells = by_grade_id(notebook)
    assert cells["why_rows"].source == "### BEGIN SOLUTION\nBecause.\n### END SOLUTION"
    question, scheme = cells["why_rows_question"].source.split("### BEGIN MARK SCHEME\n")
    assert question.endswith("\n\nWhy rows?\n\n")
    assert "Because." in scheme
    assert scheme.endswith('\n3 for "because".\n### END MARK SCHEME')


def test_points_to_tick(build):
    body = BODY.replace(
        "### BEGIN MARK", "### BEGIN POINTS\n- 3 points: a reason\n### END POINTS\n### BEGIN MARK"
    )
    notebook = build(body)
    names = [cell.id for cell in notebook.cells]
    cell = notebook.cells[names.index("why-rows") + 1]
    assert cell.id == "why-rows-points"
    assert "- [ ] **3 points:** a reason" in cell.source
    assert "Because." not in cell.source
    scheme = by_grade_id(notebook)["why_rows_question"].source.split("### BEGIN MARK SCHEME\n")[1]
    assert '\n- 3 points: a reason\n3 for "because".\n' in scheme
    students = {one.id: one for one in student_notebook(notebook).cells}
    assert students["why-rows-points"].source == cell.source
    assert "because" not in "".join(one.source for one in students.values())
    others = [one.source for one in notebook.cells if one.id not in (cell.id, "why-rows-question")]
    assert others == [one.source for one in build().cells if one.id != "why-rows-question"]


def test_tags_and_kernel(notebook):
    assert notebook.cells[1].metadata == {"tags": ["hide-input"]}
    assert notebook.cells[-1].metadata == {}
    assert notebook.metadata.kernelspec.name == "python3"
    assert notebook.metadata.language_info.name == "python"


def test_ids_differ(notebook):
    assert len(set(ids(notebook))) == len(notebook.cells)
    first, second = [cell.id for cell in notebook.cells if cell.source == "Now you."]
    assert second == f"{first}-2"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("# Title", "# Other title"),
        ("import numpy as np", "import numpy"),
        (":minutes: 5", ":minutes: 6"),
        (":points: 2", ":points: 5"),
        ("Because.", "Because of that."),
        ('print("done")', 'print("all done")'),
    ],
)
def test_ids_stay_when_another_cell_changes(build, old, new):
    before, after = build(), build(BODY.replace(old, new))
    for one, other in zip(before.cells, after.cells, strict=True):
        assert one.id == other.id or one.source != other.source
    assert by_grade_id(before).keys() == by_grade_id(after).keys()
    for grade_id, cell in by_grade_id(before).items():
        assert by_grade_id(after)[grade_id].id == cell.id


def test_ids_stay_when_a_cell_comes(build):
    before, after = ids(build()), ids(build(f"First words.\n\n+++\n\n{BODY}\n\nLast words.\n"))
    assert after[1:-1] == before


def test_long_names(tmp_path):
    name = "a" * 70
    lesson = make_lesson(
        tmp_path / "02_words.md",
        f"```{{exercise}} {name}\n:difficulty: 1\n:minutes: 1\n```\n"
        f"```{{check}} {name}\n:points: 1\n```\n",
    )
    reference = REFERENCE.replace("scores", name)
    sources = make_sources(tmp_path / "words.py", reference)
    notebook = source_notebook(lesson, sources, {name: "exams"})
    nbformat.validate(notebook)
    assert len(set(ids(notebook))) == 3


def test_same_bytes_twice(build):
    assert nbformat.writes(build()) == nbformat.writes(build())
