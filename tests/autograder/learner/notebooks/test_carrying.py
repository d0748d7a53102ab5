"""Nothing that a learner wrote is lost on its way into the newer lesson."""

import hashlib
from copy import deepcopy

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.utils import compute_checksum

from autograder.authoring.lesson.guesses import LINE, cell_to_guess
from autograder.authoring.lesson.lesson import Code, Prose
from autograder.checks.own_judgement import Point, cell_to_tick, ticks_in
from autograder.checks.source.cells import has_role
from autograder.learner.notebooks.carrying import carry_over
from tests.support.course import COURSE
from tests.support.samples import make_cell

STUB = "def {}():\n    raise NotImplementedError()"


def text(source: str) -> NotebookNode:
    return new_markdown_cell(source, id=digest(source))


def code(source: str) -> NotebookNode:
    return new_code_cell(source, id=digest(source))


def digest(source: str) -> str:
    return hashlib.sha256(source.encode()).hexdigest()[:12]


def exercise(name: str, stub: str = STUB) -> list[NotebookNode]:
    """The cells of an exercise: its card, its answer and its check, as they are given out."""
    answer = make_cell("code", stub.format(name), name, solution=True)
    answer.id = name
    answer.metadata.nbgrader["checksum"] = compute_checksum(answer)
    check = make_cell("code", f"check({name})", f"{name}_check", grade=True, points=2)
    check.id = f"{name}-check"
    return [text(f"**Exercise** · `{name}`"), answer, check]


def lesson(*cells: NotebookNode | list[NotebookNode]) -> NotebookNode:
    flat = [one for cell in cells for one in (cell if isinstance(cell, list) else [cell])]
    return new_notebook(cells=deepcopy(flat))


def answered(notebook: NotebookNode, **answers: str) -> NotebookNode:
    mine = deepcopy(notebook)
    for cell in mine.cells:
        if cell.id in answers:
            cell.source = answers[cell.id]
    return mine


def sources(notebook: NotebookNode) -> list[str]:
    return [cell.source for cell in notebook.cells]


INTRO, DATA, END = text("# 02 · Mixing"), code("numbers = [1, 2]"), text("The end.")
FORMER = lesson(INTRO, DATA, exercise("mix"), exercise("share"), END)


def test_answers_are_in_their_cells_with_what_they_printed() -> None:
    mine = answered(FORMER, mix="my mix")
    mine.cells[3].outputs = [new_output("stream", text="mine")]
    mine.cells[3].execution_count = 7
    newer = lesson(INTRO, text("News."), exercise("mix"), DATA, exercise("share"))
    before = deepcopy(mine), deepcopy(newer)
    carried = carry_over(mine, newer)
    assert (mine, newer) == before
    assert sources(carried.notebook) == [
        "my mix" if one == STUB.format("mix") else one for one in sources(newer)
    ]
    assert carried.answers == ["mix"]
    assert carried.notebook.cells[3].outputs == mine.cells[3].outputs
    assert carried.notebook.cells[3].execution_count == 7
    assert carried.notebook.cells[3].metadata == newer.cells[3].metadata


def test_exercise_that_is_gone_keeps_its_answer_as_a_cell_of_ones_own() -> None:
    mine = answered(FORMER, mix="my mix")
    carried = carry_over(mine, lesson(INTRO, exercise("share")))
    assert carried.gone == ["mix"]
    assert carried.left == 1
    heading, answer = carried.notebook.cells[-2:]
    assert heading.source.startswith("## From your former notebook")
    assert answer.source == "my mix"
    assert not has_role(answer, "solution")
    # What was given out and is gone is not kept.
    assert "check(mix)" not in sources(carried.notebook)
    assert "The end." not in sources(carried.notebook)


def test_exercise_that_was_never_begun_goes_without_a_word() -> None:
    carried = carry_over(FORMER, lesson(INTRO, exercise("share")))
    assert (carried.gone, carried.left, carried.answers) == ([], 0, [])
    assert sources(carried.notebook) == sources(lesson(INTRO, exercise("share")))


def test_renamed_exercise_is_a_new_one_and_keeps_the_answer() -> None:
    mine = answered(FORMER, mix="my mix")
    carried = carry_over(mine, lesson(INTRO, exercise("blend"), exercise("share")))
    assert (carried.gone, carried.new) == (["mix"], ["blend"])
    assert "my mix" in sources(carried.notebook)
    assert STUB.format("blend") in sources(carried.notebook)


def test_changed_stub_is_taken_where_nothing_was_written() -> None:
    other = "def {}(weights):\n    raise NotImplementedError()"
    newer = lesson(INTRO, exercise("mix", other), exercise("share", other))
    carried = carry_over(answered(FORMER, mix="my mix"), newer)
    assert carried.restarted == carried.answers == ["mix"]
    assert other.format("share") in sources(carried.notebook)
    again = carry_over(carried.notebook, newer)
    assert again.restarted == []
    assert again.notebook.cells == carried.notebook.cells


@pytest.mark.parametrize(
    ("newer", "expected"),
    [
        ([INTRO, DATA, END], ["# 02 · Mixing", "numbers = [1, 2]", "mine", "The end."]),
        ([DATA, INTRO, END], ["numbers = [1, 2]", "mine", "# 02 · Mixing", "The end."]),
        ([INTRO, END, text("More.")], ["# 02 · Mixing", "mine", "The end.", "More."]),
    ],
)
def test_own_cell_stays_with_its_neighbour(newer: list[NotebookNode], expected: list[str]) -> None:
    own = new_markdown_cell("mine")
    carried = carry_over(lesson(INTRO, DATA, own, END), lesson(*newer))
    assert sources(carried.notebook) == expected
    assert carried.left == 0
    assert own.id in [cell.id for cell in carried.notebook.cells]


def test_own_cells_without_neighbours_are_at_the_end() -> None:
    own = [new_markdown_cell("mine"), new_code_cell("mine too")]
    mine = lesson(new_markdown_cell("on top"), INTRO, DATA, own, END)
    newer = lesson(INTRO, exercise("mix"))
    carried = carry_over(mine, newer)
    assert carried.left == 2
    assert sources(carried.notebook)[0] == "on top"
    heading, *left = carried.notebook.cells[-3:]
    assert heading.id == "left-over"
    assert [cell.source for cell in left] == ["mine", "mine too"]
    # Nor do they move when the lesson gets longer once more.
    longer = lesson(INTRO, exercise("mix"), END)
    assert sources(carry_over(carried.notebook, longer).notebook)[-3:] == [
        heading.source,
        "mine",
        "mine too",
    ]


def test_given_cell_that_was_changed() -> None:
    """It stays as it is where the lesson has not changed it, and else beside the newer one."""
    mine = lesson(INTRO, DATA, END)
    mine.cells[1].source = "numbers = [7]"
    kept = carry_over(mine, lesson(INTRO, DATA, text("More.")))
    assert sources(kept.notebook) == ["# 02 · Mixing", "numbers = [7]", "More."]
    assert kept.edited == 0
    beside = carry_over(mine, lesson(INTRO, code("numbers = [3]"), END))
    assert sources(beside.notebook) == [
        "# 02 · Mixing", "numbers = [7]", "numbers = [3]", "The end.",
    ]  # fmt: skip
    assert beside.edited == 1


def test_answer_that_stands_twice_is_kept_twice() -> None:
    mine = answered(FORMER, mix="last")
    double = deepcopy(mine.cells[3])
    double.source, double.id = "first", "double"
    mine.cells.insert(3, double)
    carried = carry_over(mine, FORMER)
    written = [cell for cell in carried.notebook.cells if cell.source in ("first", "last")]
    assert [(cell.source, has_role(cell, "solution")) for cell in written] == [
        ("first", False),
        ("last", True),
    ]


def test_written_answers_ticks_and_pictures() -> None:
    points = (Point(1, "It is a **mean**."), Point(2, "It is linear."))
    answer = make_cell("markdown", "YOUR ANSWER HERE", "why", solution=True, grade=True, points=3)
    answer.id = "why"
    answer.metadata.nbgrader["checksum"] = compute_checksum(answer)
    mine = lesson(INTRO, answer, cell_to_tick("why", points))
    mine.cells[1].source = "Because ![](attachment:a.png)"
    mine.cells[1].attachments = {"a.png": {"image/png": "aaaa"}}
    mine.cells[2].source = mine.cells[2].source.replace("[ ]", "[x]")
    changed = (points[1], Point(1, "It is a mean."), Point(1, "It is new."))
    carried = carry_over(mine, lesson(INTRO, answer, cell_to_tick("why", changed)))
    assert carried.notebook.cells[1].source == mine.cells[1].source
    assert carried.notebook.cells[1].attachments == mine.cells[1].attachments
    assert ticks_in(carried.notebook.cells[2]).worth == 2
    assert carried.unticked == 1


def test_notebook_without_ids() -> None:
    """As a program of 2020 saves it."""
    mine = answered(FORMER, mix="my mix")
    mine.cells.append(new_markdown_cell("mine"))
    for cell in mine.cells:
        del cell["id"]
    mine.nbformat_minor = 4
    carried = carry_over(mine, FORMER)
    nbformat.validate(carried.notebook)
    assert sources(carried.notebook) == sources(mine)
    assert sources(carry_over(carried.notebook, FORMER).notebook) == sources(mine)


@pytest.mark.parametrize("name", COURSE.lessons())
def test_lessons_as_they_are_given_out_are_known_as_such(name: str) -> None:
    """By their ids and by nbgrader's checksums: every cell of every lesson, and none is kept."""
    release = nbformat.read(COURSE.release_folder(name) / f"{name}.ipynb", as_version=4)
    carried = carry_over(release, lesson(INTRO))
    assert sources(carried.notebook) == [INTRO.source]
    same = carry_over(release, release)
    assert same.notebook.cells == release.cells
    assert (same.answers, same.new) == ([], [])


NAMES = st.sampled_from(["a", "b", "c", "d"])
PARTS = st.one_of(
    NAMES.map(exercise),
    st.tuples(NAMES, st.just("def {}(x):\n    raise NotImplementedError()")).map(
        lambda one: exercise(*one)
    ),
    st.sampled_from(["one", "two", "three"]).map(lambda one: [text(one)]),
)


@st.composite
def lessons(draw: st.DrawFn) -> NotebookNode:
    parts = draw(st.lists(PARTS, max_size=6, unique_by=lambda part: part[-1].id))
    return lesson(*parts)


@st.composite
def work(draw: st.DrawFn) -> tuple[NotebookNode, set[str]]:
    """A learner's notebook, and all texts in it that are theirs."""
    mine, own = draw(lessons()), set[str]()
    for cell in list(mine.cells):
        if draw(st.booleans()) and not cell.id.endswith("-check"):
            cell.source = f"changed {cell.id}"
            own.add(cell.source)
    for number in range(draw(st.integers(0, 4))):
        cell = draw(st.sampled_from([new_code_cell, new_markdown_cell]))(f"own {number}")
        mine.cells.insert(draw(st.integers(0, len(mine.cells))), cell)
        own.add(cell.source)
    if mine.cells and draw(st.booleans()):
        del mine.cells[draw(st.integers(0, len(mine.cells) - 1))]
    own &= set(sources(mine))
    return mine, own


@settings(max_examples=60, deadline=None)
@given(work(), st.lists(lessons(), min_size=1, max_size=3))
def test_nothing_is_lost_in_any_order_of_updates(
    done: tuple[NotebookNode, set[str]], releases: list[NotebookNode]
) -> None:
    mine, own = done
    for newer in releases:
        carried = carry_over(mine, newer)
        nbformat.validate(carried.notebook)
        mine = carried.notebook
        assert own <= set(sources(mine))
        ids = [cell.id for cell in mine.cells]
        assert len(ids) == len({*ids})
        # All of the newer lesson is there, but for what the learner has changed.
        assert [cell.id for cell in newer.cells] == [one for one in ids if one in newer_ids(newer)]
        again = carry_over(mine, newer)
        assert again.notebook.cells == mine.cells


def newer_ids(notebook: NotebookNode) -> set[str]:
    return {cell.id for cell in notebook.cells}


def test_guess_follows_its_question() -> None:
    """Whatever stands around it in the newer lesson; where the question is gone, it is kept."""

    def asked(text: str, written: str = "") -> NotebookNode:
        question = Prose(1, f"**Before you run this:** {text}")
        cell = cell_to_guess(question, Code(2, "1 + 1"))
        assert cell is not None
        cell.source += written
        return cell

    mine = lesson(INTRO, asked("how many?", " two"), asked("which?", " this"), asked("why?"))
    newer = lesson(INTRO, asked("why?"), asked("how many?"))
    carried = carry_over(mine, newer)
    assert sources(carried.notebook)[1:] == [LINE, f"{LINE} two", f"{LINE} this"]
