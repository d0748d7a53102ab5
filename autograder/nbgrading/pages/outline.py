"""What a graded notebook is made of, as its student looks for it: exercise by exercise.

An exercise is what gives points: a test with the cells that it examines, an answer that a human
reads, or a task. A cell with a grader's comment is one as well, whether it gives points or not.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nbformat.notebooknode import NotebookNode

from autograder.checks.card.as_html import report_in
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.source.cells import NO_RESPONSE, UNANSWERED, grade_id_of, has_role, is_test
from autograder.grading.rebuild import ADDED_ID

_LONGEST = 300
# What the gradebook says of a cell beside its score and comment.
WAITS = "waits"


def is_students(cell: NotebookNode) -> bool:
    """Whether a student wrote a cell of a graded notebook; all others are the instructor's."""
    return has_role(cell, "solution") or str(cell.get("id", "")).startswith(ADDED_ID)


@dataclass
class Part:
    """One exercise: its cells, what it earned, and what graders say of it."""

    name: str
    answers: list[NotebookNode]
    graded: NotebookNode | None = None

    @property
    def points(self) -> float:
        """What it earned."""
        return _number(self.graded, "score")

    @property
    def out_of(self) -> float:
        """What it could earn."""
        return _number(self.graded, "points")

    @property
    def comments(self) -> list[str]:
        """What graders wrote about it."""
        return [comment for comment in self._remarks if comment != NO_RESPONSE]

    @property
    def cells(self) -> list[NotebookNode]:
        """The answers, and below them what was graded, if that is a cell of its own."""
        own = [] if self.graded is None or self.graded in self.answers else [self.graded]
        return [*self.answers, *own]

    @property
    def test(self) -> NotebookNode | None:
        """The cell that examined the answers, where one did."""
        return self.graded if self.graded is not None and is_test(self.graded) else None

    @property
    def is_open(self) -> bool:
        """Whether its student should look at it: it lost points, or somebody wrote about it."""
        return bool(self.comments) or (self.points < self.out_of and not self.is_blank)

    @property
    def is_blank(self) -> bool:
        """Whether it stands as it was given, and nobody gave points for it or wrote about it."""
        if self.graded is None or self.points or self.waits or self.comments:
            return False
        written = self.graded.source.strip() if self.graded in self.answers else None
        unchanged = bool(self.answers) and len(self._remarks) == len(self.answers)
        # What stands elsewhere under its name is judged as well.
        return written in ("", UNANSWERED) or (unchanged and self._is_stub)

    @property
    def _is_stub(self) -> bool:
        """Whether its test, if it has one, met nothing but the stub."""
        if self.test is None:
            return True
        if report := self._report:
            return report.verdict is Verdict.NOT_IMPLEMENTED
        return self._ended_with(Verdict.NOT_IMPLEMENTED)

    @property
    def outputs(self) -> list[NotebookNode]:
        """What its test shows: where there is a card, without the error that ends the cell."""
        found: list[NotebookNode] = self.test.get("outputs", []) if self.test is not None else []
        return [one for one in found if not (self._report and _is_error(one))]

    @property
    def waits(self) -> bool:
        """Whether a human has still to grade it."""
        return bool(self.graded is not None and _marks(self.graded).get(WAITS))

    @property
    def found(self) -> str:
        """What was found, in a few words."""
        if self.graded is None:
            return "not graded"
        if self.is_blank:
            return "not answered"
        if self.test is None:
            return "waits to be read by a human" if self.waits else "read by a human"
        report = self._report
        if self._ended_with(Verdict.NOT_GRADABLE) and not self.waits:
            return "graded by a human"
        if report:
            words = report.headline.removeprefix(f"{report.exercise}: ")
            by_hand = self.points != report.earned(self.out_of)
            if by_hand and report.right_but_for:
                words = f"right but for {report.right_but_for}"
        elif errors := [one for one in self.outputs if _is_error(one)]:
            words = _cut(str(errors[0].get("evalue") or errors[0].get("ename")))
            by_hand = self.points > 0
        else:
            words = "passed" if self.points >= self.out_of else "passed in part"
            by_hand = False
        if self.waits:
            return f"{words}; waits for a human"
        return f"{words}; points given by hand" if by_hand else words

    @property
    def advice(self) -> str:
        """What its card says first: the hint, where to look, or else what went wrong."""
        report = self._report
        if report is None or report.verdict is Verdict.PASSED or self.is_blank:
            return ""
        details = report.finding.details if report.finding else ()
        return _cut(report.hint or report.where_to_look or next(iter(details), ""))

    def _ended_with(self, verdict: Verdict) -> bool:
        """Whether the error that ended its test, which shows no card, says just this verdict."""
        return [one.get("ename") for one in self.outputs if _is_error(one)] == [verdict.ename]

    @property
    def _remarks(self) -> list[str]:
        found = (_marks(cell).get("comment") for cell in self.cells)
        return [comment for comment in found if isinstance(comment, str) and comment.strip()]

    @property
    def _report(self) -> Report | None:
        outputs = self.test.get("outputs", []) if self.test is not None else []
        found = [one for output in outputs if (one := report_in(output.get("data", {})))]
        return found[-1] if found else None


def parts_of(notebook: NotebookNode) -> list[Part]:
    """The exercises of a graded notebook, in its order."""
    return list(_parts(notebook))


def _parts(notebook: NotebookNode) -> Iterator[Part]:
    waiting: list[NotebookNode] = []
    last: list[NotebookNode] = []
    names: set[str] = set()
    for cell in notebook.cells:
        if is_test(cell):
            # A second test of the same answers has none that is new.
            last = waiting or last
            name = _name(cell, waiting)
            yield Part(grade_id_of(cell) if name in names else name, last, cell)
            waiting, names = [], names | {name}
        elif has_role(cell, "grade") or _marks(cell).get("task"):
            yield Part(grade_id_of(cell), [cell], cell)
        elif has_role(cell, "solution"):
            waiting.append(cell)
    for cell in waiting:
        yield Part(grade_id_of(cell), [cell])


def _name(test: NotebookNode, answers: list[NotebookNode]) -> str:
    if len(answers) == 1:
        return grade_id_of(answers[0])
    return grade_id_of(test).removesuffix("_check")


def _is_error(output: NotebookNode) -> bool:
    return bool(output.get("output_type") == "error")


def _cut(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST]} …"


def _number(cell: NotebookNode | None, name: str) -> float:
    value = _marks(cell).get(name) if cell is not None else None
    return float(value) if isinstance(value, int | float) else 0.0


def _marks(cell: Mapping[str, Any]) -> Mapping[str, Any]:
    marks = cell.get("metadata", {}).get("nbgrader", {})
    return marks if isinstance(marks, Mapping) else {}
