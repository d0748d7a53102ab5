"""A simulated class: submissions made from the reference and from the known misconceptions.

Everything in it is derived from the course, so a new lesson has its class at once.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.build import solved_notebook
from autograder.course import Course
from autograder.exam import Exam
from autograder.rewriting import endless, standing_alone

_CRASH = "import os\nos._exit(1)"


@dataclass(frozen=True)
class Submission:
    """What one student hands in for one lesson, and what should come of it.

    `mistakes` maps each exercise that is wrong in a known way to its misconception's name;
    `passes` says which exercises should earn their points. `remark` stands in the record of a
    broken submission.
    """

    student: str
    text: str
    passes: frozenset[str]
    mistakes: Mapping[str, str]
    remark: str = ""


def submissions(
    course: Course, lesson: str, released: NotebookNode, exams: Mapping[str, Exam]
) -> list[Submission]:
    """The class for one lesson: right, empty, half done, wrong in known ways, and broken.

    Args:
        course: where the reference is.
        lesson: the lesson's name.
        released: the notebook that students got.
        exams: the lesson's exams.
    """
    solved = solved_notebook(course, lesson)
    every = [name for name in map(_solution_of, solved.cells) if name in exams]
    half = every[: len(every) // 2]
    return [
        _hand_in("ada", solved, every),
        _hand_in("ben", _rewrite(solved, _other_styles(exams, solved)), every),
        _hand_in("cleo", released, ()),
        _hand_in("dan", _solve_only(released, solved, half), half),
        *_mistaken(solved, every, exams),
        *_broken(solved, every),
    ]


def _mistaken(
    solved: NotebookNode, every: Sequence[str], exams: Mapping[str, Exam]
) -> Iterator[Submission]:
    """Students who are wrong in one exercise each, in a known way."""
    choices = list(_choices(solved, every, exams))
    students = ("eve", "finn", "gus", "hana", "ivan")
    for place, student in enumerate(students):
        name, misconception, source = choices[place * len(choices) // len(students)]
        right = [other for other in every if other != name]
        yield _hand_in(student, _rewrite(solved, {name: source}), right, {name: misconception})


def _broken(solved: NotebookNode, every: Sequence[str]) -> Iterator[Submission]:
    """An endless loop, a file cut off in the middle, and a cell that ends its process."""
    last, text = every[-1], nbformat.writes(solved)
    looping = _rewrite(solved, {last: endless(_source(solved, last))})
    yield _hand_in("kit", looping, every[:-1])
    yield Submission("liz", text[: len(text) // 2], frozenset(), {}, remark="not valid JSON")
    crash = nbformat.writes(_rewrite(solved, {every[1]: _CRASH}))
    others = frozenset(every) - {every[1]}
    yield Submission("max", crash, others, {}, remark="ended its own process")


def _hand_in(
    student: str,
    notebook: NotebookNode,
    passes: Sequence[str],
    mistakes: Mapping[str, str] | None = None,
) -> Submission:
    return Submission(student, nbformat.writes(notebook), frozenset(passes), mistakes or {})


def _rewrite(notebook: NotebookNode, sources: Mapping[str, str]) -> NotebookNode:
    """The notebook with the solution cells of these exercises replaced."""
    copy = deepcopy(notebook)
    for cell in copy.cells:
        name = _solution_of(cell)
        if name in sources:
            cell.source = sources[name]
    return copy


def _solve_only(released: NotebookNode, solved: NotebookNode, names: Sequence[str]) -> NotebookNode:
    return _rewrite(released, {name: _source(solved, name) for name in names})


def _source(notebook: NotebookNode, name: str) -> str:
    return next(str(cell.source) for cell in notebook.cells if _solution_of(cell) == name)


def _solution_of(cell: NotebookNode) -> str:
    marks = cell.metadata.get("nbgrader", {})
    return str(marks.get("grade_id", "")) if marks.get("solution") else ""


def _other_styles(exams: Mapping[str, Exam], solved: NotebookNode) -> dict[str, str]:
    """For each exercise the first accepted answer that can stand alone in a notebook."""
    styles = {}
    for name, exam in exams.items():
        for answer in exam.accepted.values():
            source = standing_alone(answer, name, names_above(solved, name))
            if source:
                styles[name] = source
                break
    return styles


def _choices(
    solved: NotebookNode, every: Sequence[str], exams: Mapping[str, Exam]
) -> Iterator[tuple[str, str, str]]:
    """For each exercise that has one, a misconception that can stand alone in a notebook."""
    for name in every:
        known = names_above(solved, name)
        for misconception, wrong in exams[name].misconceptions.items():
            source = standing_alone(wrong, name, known)
            if source:
                yield name, misconception, source
                break


def names_above(notebook: NotebookNode, exercise: str) -> set[str]:
    """What the given cells of a notebook import before an exercise."""
    names: set[str] = set()
    for cell in notebook.cells:
        if _solution_of(cell) == exercise:
            break
        if cell.cell_type == "code" and not _solution_of(cell):
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    names |= {alias.asname or alias.name for alias in node.names}
    return names
