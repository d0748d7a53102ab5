"""A simulated class: submissions made from the reference and from the known misconceptions.

Everything in it is derived from the course, so a new lesson has its class at once. It shows every
verdict but "not run", which takes a submission that has used up its ten minutes.
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.authoring.build.build import Built
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import grade_id_of, has_role
from autograder.demo.standalone import standing_alone, with_body
from autograder.student.limits import Limits

# Everybody in it, in the order in which they are graded.
STUDENTS = (
    *("ada", "ben", "cleo", "dan"),
    *("eve", "finn", "gus", "hana", "ivan"),
    *("kit", "liz", "max", "nora", "otto"),
)
_MISTAKEN = STUDENTS[4:9]

_CRASH = "import os\nos._exit(1)"
_LOOP = "while True:\n    pass"
# Each of two processes asks in one step for less than what a submission may have, or a MemoryError
# would come first; both together ask for more.
_HOARD = """import os
os.fork()
kept = b"x" * {}
while True:
    pass"""
_MISSPELT = "return resutl"


@dataclass(frozen=True)
class Submission:
    """What one student hands in for one lesson, and what should come of it.

    `mistakes` maps each exercise that is wrong in a known way to its misconception's name;
    `passes` says which exercises should earn their points. `remark` stands in the record of a
    broken submission; `verdicts` are those that are right for exercises that earn nothing, where
    they are known. `why_not` is said of one that can't be graded.
    """

    student: str
    text: str
    passes: frozenset[str]
    mistakes: Mapping[str, str]
    remark: str = ""
    verdicts: frozenset[Verdict] = frozenset()
    why_not: str = ""


def submissions(
    built: Built,
    released: NotebookNode,
    exams: Mapping[str, Exam],
    memory_bytes: int = Limits.memory_bytes,
) -> list[Submission]:
    """The class for one lesson: right, empty, half done, wrong in known ways, and broken.

    Args:
        built: the lesson.
        released: the notebook that students got.
        exams: the lesson's exams.
        memory_bytes: how much a submission may have.
    """
    solved = built.solved()
    tested = {*exams, *built.lesson.with_tests}
    every = [name for name in map(_solution_of, solved.cells) if name in tested]
    half = every[: len(every) // 2]
    return [
        _hand_in("ada", solved, every),
        _hand_in("ben", _rewrite(solved, _other_styles(exams, solved)), every),
        _hand_in("cleo", released, ()),
        _hand_in("dan", _solve_only(released, solved, half), half),
        *_mistaken(solved, every, exams),
        *_broken(solved, every, 3 * memory_bytes // 4),
    ]


def _mistaken(
    solved: NotebookNode, every: Sequence[str], exams: Mapping[str, Exam]
) -> Iterator[Submission]:
    """Students who are wrong in one exercise each, in a known way."""
    choices = list(_choices(solved, [name for name in every if name in exams], exams))
    for place, student in enumerate(_MISTAKEN if choices else ()):
        name, misconception, source = choices[place * len(choices) // len(_MISTAKEN)]
        right = [other for other in every if other != name]
        submission = _hand_in(student, _rewrite(solved, {name: source}), right)
        yield replace(submission, mistakes={name: misconception})


def _broken(solved: NotebookNode, every: Sequence[str], much: int) -> Iterator[Submission]:
    """A loop without an end, half a file, and cells that break in three other ways."""

    def in_one(student: str, name: str, source: str, *verdicts: Verdict) -> Submission:
        right = [other for other in every if other != name]
        submission = _hand_in(student, _rewrite(solved, {name: source}), right)
        return replace(submission, verdicts=frozenset(verdicts))

    def over(name: str, body: str) -> str:
        return with_body(_source(solved, name), body)

    # Where there is only one, it is all four of them.
    first, second, middle, last = every[0], every[:2][-1], every[len(every) // 2], every[-1]
    yield in_one("kit", last, over(last, _LOOP), Verdict.TIMEOUT)
    text = nbformat.writes(solved)[: len(nbformat.writes(solved)) // 2]
    yield Submission("liz", text, frozenset(), {}, why_not="not valid JSON")
    crash = in_one("max", second, _CRASH, Verdict.KILLED)
    yield replace(crash, remark="ended its own process")
    # Where the machine is slow to hand out memory, the time is up before there is too much.
    hog = over(middle, _HOARD.format(much))
    yield in_one("nora", middle, hog, Verdict.MEMORY, Verdict.TIMEOUT)
    yield in_one("otto", first, over(first, _MISSPELT), Verdict.EXCEPTION)


def _hand_in(student: str, notebook: NotebookNode, passes: Sequence[str]) -> Submission:
    return Submission(student, nbformat.writes(notebook), frozenset(passes), {})


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
    return grade_id_of(cell) if has_role(cell, "solution") else ""


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
