"""A graded class of one lesson, read from the records beside its graded notebooks."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import further_in
from autograder.checks.source.notebook_file import read_notebook
from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record, answers_in
from autograder.grading.submitted_files import shown

WhyNobody = Callable[[str], str]


@dataclass(frozen=True)
class Result:
    """What became of one test of one submission.

    `misconception` is the name of the known mistake whose results it has, `hint` its sentence,
    `place` where to look, for an answer that none explains, and `exception` what the one says that
    stopped it.
    """

    student: str
    exercise: str
    verdict: Verdict
    points: float
    out_of: float
    message: str = ""
    misconception: str = ""
    hint: str = ""
    place: str = ""
    exception: str = ""
    seconds: float = 0.0

    @property
    def told(self) -> str:
        """What its exception says; where it is not recorded, or was none, the message."""
        return self.exception or self.message

    @property
    def share(self) -> float:
        """How much of its points it earned, from 0 to 1."""
        return self.points / self.out_of if self.out_of else 0.0


@dataclass(frozen=True)
class Classwork:
    """All results of a lesson, and who handed in something that is not graded yet.

    `not_graded` has why a human has to look first, "" where nobody has tried; `noticed` what was
    noticed of somebody's submission as a whole; `further` are the exercises that the core of the
    course does not need.
    """

    lesson: str
    results: Sequence[Result]
    seconds: Mapping[str, float]
    not_graded: Mapping[str, str] = field(default_factory=dict)
    noticed: Mapping[str, Sequence[str]] = field(default_factory=dict)
    further: Collection[str] = ()

    @cached_property
    def exercises(self) -> dict[str, float]:
        """The exercises in the order of the lesson, with the points of each."""
        found: dict[str, float] = {}
        for one in self.results:
            found.setdefault(one.exercise, one.out_of)
        return found

    @cached_property
    def students(self) -> list[str]:
        """Whose submissions were graded, by the points that they have earned."""
        return sorted(self.seconds, key=lambda student: (-self.points[student], student))

    @cached_property
    def points(self) -> dict[str, float]:
        """What each student's tests have earned; answers in words are not among them."""
        found = dict.fromkeys(self.seconds, 0.0)
        for one in self.results:
            found[one.student] += one.points
        return found

    @property
    def out_of(self) -> float:
        """What the tests can earn."""
        return sum(self.exercises.values())

    @cached_property
    def by_place(self) -> dict[tuple[str, str], Result]:
        """Each result, by student and exercise."""
        return {(one.student, one.exercise): one for one in self.results}


def read_classwork(course: Course, lesson: str, why_nobody: WhyNobody = lambda _: "") -> Classwork:
    """The graded submissions of a lesson.

    Args:
        course: where they were graded.
        lesson: its full name.
        why_nobody: why a folder of this name is no student's; "" where it is one's.

    Raises:
        GradingFailed: when there are none, or a record can't be read.
    """
    pattern = f"*/{lesson}/{lesson}{RECORD_SUFFIX}"
    paths = sorted((course.root / "autograded").glob(pattern))
    if not paths:
        raise GradingFailed(
            f"nobody's {lesson} is graded yet: `autograder grade {lesson}` does it, and a report "
            "can be made after that"
        )
    results, seconds, reasons = list[Result](), dict[str, float](), dict[str, str]()
    noticed = dict[str, list[str]]()
    given, further = _as_given(course, lesson)
    for path in paths:
        student = path.parent.parent.name
        record = Record.read(path)
        if record.notices:
            noticed[student] = record.notices
        if record.not_graded:
            reasons[student] = record.not_graded
            continue
        seconds[student] = record.seconds
        results += _results(student, record, given)
    handed_in = {path.parent.name for path in (course.root / "submitted").glob(f"*/{lesson}")}
    waiting = sorted((handed_in | reasons.keys()) - seconds.keys())
    not_graded = {shown(one): reasons.get(one) or why_nobody(one) for one in waiting}
    return Classwork(lesson, results, seconds, not_graded, noticed, further)


def _as_given(course: Course, lesson: str) -> tuple[dict[str, str], set[str]]:
    """The digests of the answers' cells as they were given out, and which are further ones."""
    path = course.release_folder(lesson) / f"{lesson}.ipynb"
    if not path.exists():
        return {}, set()
    notebook = read_notebook(path)
    return answers_in(notebook), further_in(notebook.cells)


def _results(student: str, record: Record, given: Mapping[str, str]) -> list[Result]:
    return [
        _untouched(student, cell)
        if record.answers.get(cell.exercise) == given.get(cell.exercise, "")
        and cell.verdict is not Verdict.PASSED
        else _result(student, cell)
        for cell in record.cells
    ]


def _untouched(student: str, cell: CellRecord) -> Result:
    """What came of code that is as it was given out, to be repaired: its mistakes are nobody's."""
    return Result(student, cell.exercise, Verdict.NOT_IMPLEMENTED, cell.points, cell.max_points)


def _result(student: str, cell: CellRecord) -> Result:
    return Result(
        student=student,
        exercise=cell.exercise,
        verdict=cell.verdict,
        points=cell.points,
        out_of=cell.max_points,
        message=cell.message,
        misconception=cell.misconception,
        hint=cell.hint,
        place=cell.where_to_look,
        exception=cell.exception,
        seconds=cell.seconds,
    )
