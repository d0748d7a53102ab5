"""A simulated class: submissions made from the reference and from the known misconceptions.

Everything in it is derived from the course, so a new lesson has its class at once.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.build import solved_notebook
from autograder.course import Course
from autograder.exam import Exam

_CRASH = "import os\nos._exit(1)"


@dataclass(frozen=True)
class Submission:
    """What one student hands in for one lesson, and what should come of it.

    `mistakes` maps each exercise that is wrong in a known way to its misconception's name;
    `passes` says which exercises should earn their points. `broken` is what keeps the submission
    from being graded at all, if anything does.
    """

    student: str
    text: str
    passes: frozenset[str]
    mistakes: Mapping[str, str]
    broken: str = ""


def submissions(course: Course, lesson: str, released: NotebookNode, exams: Mapping[str, Exam]) -> (
    list[Submission]
):  # fmt: skip
    """The class for one lesson: right, empty, half done, wrong in known ways, and broken.

    Args:
        course: where the reference is.
        lesson: the lesson's name.
        released: the notebook that students got.
        exams: the lesson's exams, in the order of the notebook.
    """
    solved = solved_notebook(course, lesson)
    every = list(exams)
    half = every[: len(every) // 2]
    made = [
        _hand_in("ada", solved, every),
        _hand_in("ben", _rewrite(solved, _other_styles(exams, solved)), every),
        _hand_in("cleo", released, ()),
        _hand_in("dan", _solve_only(released, solved, half), half),
    ]
    for student, mistakes in zip(_MISTAKEN, _spread(exams, solved, len(_MISTAKEN)), strict=True):
        wrong = {name: source for name, (_, source) in mistakes.items()}
        right = [name for name in every if name not in mistakes]
        named = {name: misconception for name, (misconception, _) in mistakes.items()}
        made.append(_hand_in(student, _rewrite(solved, wrong), right, named))
    text = nbformat.writes(solved)
    loop = every[-1]
    endless = _rewrite(solved, {loop: _endless(_source(solved, loop))})
    made += [
        _hand_in("kit", endless, [name for name in every if name != loop]),
        Submission("liz", text[: len(text) // 2], frozenset(), {}, "it is not valid JSON"),
        Submission(
            "max", nbformat.writes(_rewrite(solved, {every[1]: _CRASH})), frozenset(), {},
            "the kernel died",
        ),  # fmt: skip
    ]
    return made


_MISTAKEN = ("eve", "finn", "gus", "hana", "ivan")


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


def _solve_only(
    released: NotebookNode, solved: NotebookNode, names: Sequence[str]
) -> NotebookNode:
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
            source = standing_alone(answer, name, _names_in(solved))
            if source:
                styles[name] = source
                break
    return styles


def _spread(
    exams: Mapping[str, Exam], solved: NotebookNode, students: int
) -> Iterator[dict[str, tuple[str, str]]]:
    """For each student one exercise to get wrong, and how, going round through the lesson."""
    names = _names_in(solved)
    choices = []
    for name, exam in exams.items():
        for misconception, wrong in exam.misconceptions.items():
            source = standing_alone(wrong, name, names)
            if source:
                choices.append((name, misconception, source))
                break
    for student in range(students):
        name, misconception, source = choices[student * len(choices) // students]
        yield {name: (misconception, source)}


def _names_in(notebook: NotebookNode) -> set[str]:
    """What the given cells of a notebook import or define."""
    names = set()
    for cell in notebook.cells:
        if cell.cell_type == "code" and not _solution_of(cell):
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Import | ast.ImportFrom):
                    names |= {alias.asname or alias.name for alias in node.names}
    return names


def standing_alone(function: Callable[..., object], name: str, known: set[str]) -> str:
    """A function of an exam as a student would have written it: by another name, undocumented.

    Returns an empty string when it needs more than `known` names.
    """
    needed = inspect.getclosurevars(function)
    if not known.issuperset([*needed.globals, *needed.nonlocals]):
        return ""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    definition = tree.body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.name = name
    definition.decorator_list = []
    definition.returns = None
    for argument in definition.args.args:
        argument.annotation = None
    definition.body = definition.body[1:]
    return ast.unparse(definition)


def _endless(source: str) -> str:
    """The same signature over a loop without an end."""
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.FunctionDef)
    definition.body = ast.parse("while True:\n    pass").body
    return ast.unparse(definition)
