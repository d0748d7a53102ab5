"""Other right answers to an exercise, for somebody who learns alone in a clone of the course.

Of the styles that an exam accepts, those that are worth reading say in a second paragraph of their
docstring what they do differently. They are read, when an answer has passed, from the `solutions/`
of the course that the learner's folder lies in, as text: nothing there is imported or run. Nothing
of them ships, so whoever has a notebook and no clone around it is shown none.

The kernels that `autograder lab` starts load this as an extension of IPython.
"""

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.checks import after_a_pass
from autograder.checks.source.cell_code import parsed
from autograder.course import Course, module_name
from autograder.errors import CourseNotFound

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

_EXAM, _ACCEPTS = "Exam", "accepts"
# More are not read.
_MOST = 3

_Style = ast.FunctionDef | ast.ClassDef


def load_ipython_extension(_: "InteractiveShell") -> None:
    """Have checks in this kernel show other right answers below one that has passed."""
    after_a_pass.tell(other_answers)


def other_answers(lesson: Path, exercise: str, cell: str = "") -> dict[str, str]:
    """The code of some other right answers, each by the sentence on what it does differently.

    Args:
        lesson: the folder of the learner's notebook.
        exercise: its name, which each of the answers has.
        cell: the learner's own answer, which is no other, whatever its names are.
    """
    own = _shape(cell, exercise)
    found: dict[str, str] = {}
    with suppress(CourseNotFound, OSError, SyntaxError, ValueError, RecursionError):
        course = Course.find(lesson)
        for root in (course.solutions, course.own):
            for path in _files(root / "exams" / module_name(lesson.name), exercise):
                found |= _told(path.read_text(encoding="utf-8"), exercise)
    others = [one for one in found.items() if not own or _shape(one[1], exercise) != own]
    return dict(others[:_MOST])


def _files(exams: Path, exercise: str) -> Iterator[Path]:
    """The files of an exercise's exam, which is called like it; else that of the whole lesson."""
    wanted = exercise.replace("_", "").lower()
    beside = sorted(exams.iterdir()) if exams.is_dir() else []
    named = [path for path in beside if path.stem.replace("_", "").lower() == wanted]
    for path in named:
        yield from sorted(path.glob("*.py")) if path.is_dir() else [path]
    if not named and (whole := exams.with_suffix(".py")).is_file():
        yield whole


def _told(text: str, exercise: str) -> Iterator[tuple[str, str]]:
    tree = ast.parse(text)
    exams = dict(_exams(tree))
    for node in tree.body:
        if isinstance(node, _Style) and any(
            exams.get(exam, exercise) == exercise for exam in _accepting(node)
        ):
            _, _, differs = (ast.get_docstring(node) or "").partition("\n\n")
            if differs:
                yield " ".join(differs.split()), _as_answer(text, node, exercise)


def _exams(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The names of the exams that a file declares, each with that of its exercise."""
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(exam)], ast.Call(ast.Name(kind), [reference, *_])):
                if kind == _EXAM:
                    yield exam, ast.unparse(reference).rpartition(".")[2]


def _accepting(style: _Style) -> list[str]:
    """The names of the exams that accept it."""
    return [
        one.value.id
        for one in style.decorator_list
        if isinstance(one, ast.Attribute)
        and one.attr == _ACCEPTS
        and isinstance(one.value, ast.Name)
    ]


def _as_answer(text: str, style: _Style, exercise: str) -> str:
    """A style as a learner would have written it: by the exercise's name, with no docstrings and
    no type hints.
    """
    lines: list[str | None] = [*text.splitlines()]
    for node in ast.walk(style):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            if ast.get_docstring(node) is not None and len(node.body) > 1:
                # And the empty line below it, that the next statement may stand after.
                _clear(lines, node.body[0].lineno, node.body[1].lineno - 1)
            if isinstance(node, ast.FunctionDef):
                _write_plainly(lines, node)
        elif isinstance(node, ast.AnnAssign) and node.value:
            line, hint = (lines[node.lineno - 1] or "").encode(), node.annotation
            plain = line[: node.target.end_col_offset] + line[hint.end_col_offset :]
            lines[node.lineno - 1] = plain.decode()
    kept = [line for line in lines[style.lineno - 1 : style.end_lineno] if line is not None]
    return re.sub(rf"\b{style.name}\b", exercise, "\n".join(kept))


def _shape(code: str, exercise: str) -> str:
    """An answer but for its names, type hints and docstrings; nothing where there is none."""
    with suppress(SyntaxError, ValueError, RecursionError):
        text = ast.unparse(parsed(code))
        for node in ast.parse(text).body:
            if isinstance(node, _Style) and node.name == exercise:
                return _without_names(ast.parse(_as_answer(text, node, exercise)))
    return ""


def _without_names(answer: ast.AST) -> str:
    """Its syntax, in which names are numbers, in the order in which they come."""
    names: dict[str, str] = {}
    for node in ast.walk(answer):
        match node:
            case ast.Name():
                node.id = names.setdefault(node.id, f"n{len(names)}")
            case ast.arg():
                node.arg = names.setdefault(node.arg, f"n{len(names)}")
    return ast.dump(answer)


def _write_plainly(lines: list[str | None], node: ast.FunctionDef) -> None:
    """Write the head of a function anew, in one line and without type hints."""
    given = node.args
    for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
        if one:
            one.annotation = None
    head = ast.FunctionDef(name=node.name, args=given, body=[], decorator_list=[], lineno=0)
    indent = " " * node.col_offset
    last = node.lineno
    while last < node.body[0].lineno and not (lines[last - 1] or "").endswith(":"):
        last += 1
    _clear(lines, node.lineno, last)
    lines[node.lineno - 1] = f"{indent}{ast.unparse(head).strip()}"


def _clear(lines: list[str | None], first: int, last: int) -> None:
    """Take out some lines, both ends included, and leave the others at their numbers."""
    lines[first - 1 : last] = [None] * (last - first + 1)
