"""The notebook that is graded: the instructor's, with the sources of a student's solution cells.

From a submission come the sources of solution cells, by their `grade_id`, the other code cells that
a student added, as code to run, and words that stand right below an answer in words. Never tags,
metadata or outputs. A cell that is damaged or missing costs itself and nothing else. The file is
read apart, within bounds: one that can't be read within them counts as empty.
"""

import ast
import codecs
import functools
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any, Self

from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell

from autograder.checks.source.cell_code import statements_of
from autograder.checks.source.cells import (
    UNANSWERED,
    grade_id_of,
    has_role,
    is_answered,
    source_of,
)
from autograder.checks.source.patches import patches_in
from autograder.checks.source.scenery import left_out
from autograder.checks.source.written import imported
from autograder.errors import CheckError
from autograder.grading.apart import Tell, apart
from autograder.grading.inert import inert_markdown
from autograder.grading.submitted_files import listed, shown

_SOURCE_LENGTH = 200_000
_ADDED = 200
_REMARKS = 20
# So many names are said of a cell.
_NAMED = 3
# Python itself makes an int of 4,300 digits, and of no more.
_MOST_DIGITS = 4000
_UNSEEN = "there is too much code to see what of the libraries it changes"
_TOO_MUCH = "the file takes too much time or memory to be read: it counts as empty"
ADDED_ID = "added-"
# In the metadata of a graded notebook: why a human has to look at the submission first.
NOT_GRADED = "autograder_not_graded"
# Of one that is graded: what is to be said of the submission as a whole.
NOTICES = "autograder_notices"


@dataclass(frozen=True)
class GivenOut:
    """What tells the instructor's own cells in a student's notebook from those that were added.

    Attributes:
        to_write: the kinds of the cells that students write in, by their names.
        ids: of all the cells.
        by_name: the ids of those that have names.
        by_text: the ids of all others.
    """

    to_write: Mapping[str, str] = field(default_factory=dict)
    ids: frozenset[str] = frozenset()
    by_name: Mapping[str, str] = field(default_factory=dict)
    by_text: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, source: NotebookNode) -> Self:
        """About the instructor's notebook."""
        cells = source.cells
        return cls(
            {grade_id_of(cell): cell.cell_type for cell in cells if has_role(cell, "solution")},
            frozenset(cell.id for cell in cells),
            {grade_id_of(cell): cell.id for cell in cells if grade_id_of(cell)},
            {cell.source.strip(): cell.id for cell in cells if not grade_id_of(cell)},
        )

    def place_of(self, cell: Mapping[str, Any]) -> str:
        """The id of the instructor's cell that a cell of a submission once was, or "".

        Older Jupyters and other programs save notebooks without ids.
        """
        if (own := str(cell.get("id"))) in self.ids:
            return own
        text = source_of(cell).strip()
        return self.by_name.get(grade_id_of(cell)) or self.by_text.get(text, "")


@dataclass(frozen=True)
class Rebuilt:
    """The notebook to grade, and what was wrong with the submission."""

    notebook: NotebookNode
    missing: frozenset[str]
    remarks: tuple[str, ...] = ()
    # The student's own code: in their order, cells with the exercise that each answers, or "".
    written: Sequence[tuple[str, str]] = ()
    # What the instructor's cells import by name.
    given: Mapping[str, str] = field(default_factory=dict)
    # The ids of given cells that need not run.
    scenery: frozenset[str] = frozenset()
    # By a name that an answer should have made and has not: what is said of its cell.
    misnamed: Mapping[str, str] = field(default_factory=dict)
    # The exercises whose code was left out, and "" for other cells: longer than anybody writes.
    too_long: frozenset[str] = frozenset()


@dataclass
class _Found:
    """What a submission holds: answers by grade_id, and code by the cell that it stands behind."""

    answers: dict[str, str] = field(default_factory=dict)
    added: dict[str, list[str]] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    too_long: list[str] = field(default_factory=list)
    # Whose own cells are answered, and of whom nothing is.
    answered: set[str] = field(default_factory=set)
    blank: set[str] = field(default_factory=set)
    scenery: frozenset[str] = frozenset()
    misnamed: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Copy:
    """What stands where an answer is to be, or below that, and behind which given cell."""

    text: str
    is_answered: bool
    anchor: str
    is_below: bool = False


def rebuild(source: NotebookNode, submission: bytes) -> Rebuilt:
    """Put a submission's answers into the instructor's notebook."""
    given_out = GivenOut.of(source)
    solutions = given_out.to_write
    found = _read_apart(submission, source, given_out)
    notebook = deepcopy(source)
    cells = [_code(text, f"{ADDED_ID}0-{n}") for n, text in enumerate(found.added.get("", []))]
    for place, cell in enumerate(notebook.cells, start=1):
        grade_id = grade_id_of(cell)
        if grade_id in solutions:
            cell.source = found.answers.get(grade_id, _nothing(cell.cell_type))
        cells.append(cell)
        behind = found.added.get(cell.id, [])
        cells += [_code(text, f"{ADDED_ID}{place}-{n}") for n, text in enumerate(behind)]
    notebook.cells = cells
    missing = frozenset(solutions) - frozenset(found.answers)
    remarks = [f"the cell of {name} is missing" for name in sorted(missing)]
    given = {cell.id for cell in source.cells if not has_role(cell, "solution")}
    own = [cell for cell in cells if cell.cell_type == "code" and cell.id not in given]
    written = [(grade_id_of(cell), cell.source) for cell in own]
    texts = [cell.source for cell in source.cells if cell.id in given and cell.cell_type == "code"]
    remarks = [*found.remarks, *remarks]
    return Rebuilt(
        notebook,
        missing,
        tuple(remarks),
        written,
        imported(texts),
        found.scenery,
        found.misnamed,
        frozenset(found.too_long),
    )


def _nothing(kind: str) -> str:
    return inert_markdown(UNANSWERED) if kind == "markdown" else ""


def _read_apart(submission: bytes, source: NotebookNode, given_out: GivenOut) -> _Found:
    """What a submission holds, and what its code says of itself."""
    # The instructor's own cells are read once for a class, and not in each fork.
    left_out(source, [])
    asked = _asked(source)

    def read(tell: Tell) -> None:
        found, kinds = _read_file(submission, given_out), given_out.to_write
        tell({name: getattr(found, name) for name in ("answers", "added", "remarks", "too_long")})
        code = [text for name, text in found.answers.items() if kinds[name] == "code"]
        added = [text for texts in found.added.values() for text in texts]
        tell(patches_in([*code, *added]))
        tell(sorted(left_out(source, [*code, *added])))
        tell(_misnamed(found.answers, asked))

    told = apart(read)
    plain = next(told, None)
    if plain is None:
        return _Found(remarks=[_TOO_MUCH])
    found = _Found(**plain)
    changed = next(told, None)
    if changed is None:
        found.remarks.insert(0, _UNSEEN)
    found.remarks += [f"the submission changes `{shown(name)}`" for name in changed or ()]
    found.remarks = _few(found.remarks)
    # Where it can't be told on what the submission depends, all cells are run.
    found.scenery = frozenset(next(told, ()))
    found.misnamed = next(told, {})
    return found


def _asked(source: NotebookNode) -> dict[str, tuple[str, ...]]:
    """The names that the instructor's own answers make, by their cells."""
    return {
        grade_id_of(cell): _names_made(cell.source)
        for cell in source.cells
        if cell.cell_type == "code" and has_role(cell, "solution")
    }


def _misnamed(answers: Mapping[str, str], asked: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """What is said of cells that make something else than they are asked for, by what they lack."""
    said: dict[str, str] = {}
    for cell, names in asked.items():
        made = _names_made(answers.get(cell, ""))
        others = [f"`{shown(name)}`" for name in made if name not in names]
        if others:
            said |= {name: _in_its_place(cell, others) for name in names if name not in made}
    return said


def _in_its_place(cell: str, others: Sequence[str]) -> str:
    return f"the cell of {cell} defines {listed(others, _NAMED)} in its place"


@functools.lru_cache(maxsize=256)
def _names_made(text: str) -> tuple[str, ...]:
    """The functions, classes and variables that a cell makes, each once, in their order."""
    return tuple(dict.fromkeys(name for one in statements_of(text) for name in _made_by(one)))


def _made_by(statement: ast.stmt) -> Iterator[str]:
    match statement:
        case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
            yield name
        case ast.Assign(targets):
            yield from (one.id for one in targets if isinstance(one, ast.Name))
        case ast.AnnAssign(target=ast.Name(name)):
            yield name


def _few(remarks: Sequence[str]) -> list[str]:
    """Each remark once, and of very many the first: a record is read by people."""
    each = list(dict.fromkeys(remarks))
    more = len(each) - _REMARKS
    return [*each[:_REMARKS], f"{more} more remarks are left out"] if more > 0 else each


def _code(text: str, cell_id: str) -> NotebookNode:
    cell: NotebookNode = new_code_cell(text, id=cell_id)
    return cell


@dataclass(frozen=True)
class Counted:
    """What of a submission comes into the notebook that is graded.

    Attributes:
        answered: the names of the cells that students write in, of those in which they did.
        answers: what counts as an answer, by its name, but for what was left as it was given out.
        added: the code that is run besides, by the instructor's cell that it stands behind.
    """

    answered: frozenset[str]
    answers: Mapping[str, str]
    added: Mapping[str, Sequence[str]]

    @classmethod
    def of(cls, cells: Iterable[Mapping[str, Any]], given_out: GivenOut) -> Self:
        """What of these cells. To be called apart."""
        found = _read(cells, given_out)
        written = {name: one for name, one in found.answers.items() if name not in found.blank}
        return cls(frozenset(found.answered), written, found.added)

    @property
    def digest(self) -> str:
        """By it two copies are known that are graded alike."""
        counted = sorted(self.answers.items()), sorted(self.added.items())
        return hashlib.sha256(repr(counted).encode()).hexdigest()


def _read_file(submission: bytes, given_out: GivenOut) -> _Found:
    try:
        return _read(cells_in(submission), given_out)
    except CheckError as error:
        return _Found(remarks=[f"the file {error}"])


def _read(cells: Iterable[Mapping[str, Any]], given_out: GivenOut) -> _Found:
    found, anchor, seen = _Found(), "", set[str]()
    solutions, copies, below = given_out.to_write, dict[str, list[_Copy]](), ""
    for cell in cells:
        text, grade_id, place = source_of(cell), grade_id_of(cell), given_out.place_of(cell)
        if len(text) > _SOURCE_LENGTH:
            is_code = solutions.get(grade_id, cell.get("cell_type")) == "code"
            what = f"the cell of {grade_id}" if grade_id in solutions else "a cell"
            rest = "left out" if is_code else "the rest is left out"
            found.remarks.append(f"{what} has more than {_SOURCE_LENGTH:,} characters: {rest}")
            text = "" if is_code else text[:_SOURCE_LENGTH]
            if is_code and (grade_id in solutions or not place):
                found.too_long.append(grade_id if grade_id in solutions else "")
        if grade_id in solutions:
            copies.setdefault(grade_id, []).append(_Copy(text, is_answered(cell), anchor))
        if place or grade_id in solutions:
            below = grade_id if solutions.get(grade_id) == "markdown" else ""
        if place and place not in seen:
            anchor = place
            seen.add(place)
        elif grade_id or not text.strip():
            pass
        elif cell.get("cell_type") == "code":
            found.added.setdefault(anchor, []).append(text)
        elif below and not place:
            copies[below].append(_Copy(text, True, anchor, is_below=True))
    for name, own in copies.items():
        _take(found, name, own, is_text=solutions[name] == "markdown")
    if sum(map(len, found.added.values())) > _ADDED:
        found.added.clear()
        found.remarks.append(f"more than {_ADDED} cells were added: none of them is run")
    return found


def _take(found: _Found, name: str, copies: Sequence[_Copy], *, is_text: bool) -> None:
    """What counts of all that stands where one answer is to be: of code the last that is written,
    which runs last in the student's notebook as well, and of words all of it.
    """
    own = [one for one in copies if not one.is_below]
    written = [one for one in copies if one.is_answered]
    if any(one.is_answered for one in own):
        found.answered.add(name)
    if not written:
        found.blank.add(name)
        written = own[-1:]
    counts = "all of them are read" if is_text else "the last one that is answered counts"
    if len(own) > 1:
        often = "twice" if len(own) == 2 else f"{len(own)} times"
        found.remarks.append(f"the cell of {name} stands {often}: {counts}")
    if len(own) < len(copies):
        found.remarks.append(f"what stands below the cell of {name} is read as part of the answer")
    if is_text:
        each = dict.fromkeys(one.text for one in written)
        words = inert_markdown("\n\n".join(each)[:_SOURCE_LENGTH])
        # An answer that was emptied is none, as one that was never begun.
        found.answers[name] = words if words.strip() else _nothing("markdown")
        return
    *before, last = written
    found.answers[name] = last.text
    for one in before:
        found.added.setdefault(one.anchor, []).append(one.text)


def cells_in(submission: bytes) -> list[dict[str, Any]]:
    """The cells of what was handed in. To be called apart.

    Raises:
        CheckError: saying why it is no notebook.
    """
    try:
        text = submission.decode("utf-8-sig", errors="replace")
        notebook = json.loads(text, parse_int=_number)
    except (ValueError, RecursionError):
        raise CheckError(_no_json(submission)) from None
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    if isinstance(notebook, dict) and "worksheets" in notebook:
        raise CheckError("has an old form (nbformat 3): open it in JupyterLab and save it")
    if not isinstance(cells, list):
        raise CheckError("is not a notebook: it has no cells")
    return [cell for cell in cells if isinstance(cell, dict)]


def _number(digits: str) -> float:
    """A whole number; one that is too long for Python costs no student their answers."""
    return int(digits) if len(digits) < _MOST_DIGITS else float(digits)


def _no_json(submission: bytes) -> str:
    """Why a file can't be read as JSON in UTF-8."""
    if not submission.removeprefix(codecs.BOM_UTF8).strip():
        return "is empty"
    encoding = json.detect_encoding(submission)
    if encoding.startswith(("utf-16", "utf-32")):
        # Zeros in a damaged file would be taken for this as well.
        with suppress(ValueError, RecursionError):
            json.loads(submission.decode(encoding))
            return f"is in {encoding[:6].upper()}: notebooks are in UTF-8"
    return "is not a notebook: it is not valid JSON, or breaks off"
