"""What was found in a submission, exercise by exercise, in words for its student.

Points are the gradebook's, where graders may have changed them; the words are those of the record
beside the graded notebook, and of graders. A submission without a record has points alone.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Grade, SubmittedAssignment
from nbgrader.plugins import ExportPlugin

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import NO_RESPONSE
from autograder.errors import GradingFailed
from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record, for_students
from autograder.nbgrading.exports.scores import Score, course_of

_CHECK = "_check"
_WAITS = "This answer waits for your instructor."


@dataclass(frozen=True)
class ScorePart:
    """An exercise, or an answer in words: what it has earned, and why not more."""

    name: str
    points: float
    out_of: float
    waits: bool
    words: str


# By the notebook's name; one without a record has an empty one.
Records = Mapping[str, Record]


def records_of(plugin: ExportPlugin, submission: SubmittedAssignment) -> Records:
    """What is kept of the grading of each notebook, read once for all that is said of it.

    One that can't be read is told of, and as good as none: points are the gradebook's.
    """
    directory = course_of(plugin)
    names = submission.student_id, submission.name
    folder = Path(directory.format_path(directory.autograded_directory, *names))
    records = {one.name: Record() for one in submission.notebooks}
    for name in records:
        try:
            records[name] = Record.read(folder / f"{name}{RECORD_SUFFIX}")
        except FileNotFoundError:
            continue
        except GradingFailed as error:
            plugin.log.warning("%s: no words for %r, as %s", submission.name, names[0], error)
    return records


def parts_of(submission: SubmittedAssignment, records: Records) -> Iterator[ScorePart]:
    """What can earn points in a submission: tests in their order, then answers in words."""
    for notebook in submission.notebooks:
        record = {one.grade_id: one for one in records[notebook.name].cells}
        comments = {one.name: one.comment for one in notebook.comments if one.comment}
        order = {name: place for place, name in enumerate(record)}
        for grade in sorted(
            notebook.grades, key=lambda one: (order.get(one.name, len(order)), str(one.name))
        ):
            name = str(grade.name).removesuffix(_CHECK)
            written = {comments[one] for one in {name, grade.name} if one in comments}
            yield _part(grade, name, record.get(grade.name), written)


def in_words(plugin: ExportPlugin, score: Score) -> str:
    """What was found in a submission, a line for each part."""
    records = records_of(plugin, score.submission)
    if score.waits and records and all(record.not_graded for record in records.values()):
        return "\n".join(remarks(score, records))
    parts = parts_of(score.submission, records)
    return "\n".join([*remarks(score, records), *(_line(one) for one in parts)])


def remarks(score: Score, records: Records) -> list[str]:
    """What is to be said of a score as a whole."""
    each = records.values()
    found = [f"Not graded yet: {one.not_graded}." for one in each if one.not_graded and score.waits]
    found += [f"Noticed: {notice}." for one in each for notice in for_students(one.notices)]
    if score.waits and not any(one.not_graded for one in each):
        found.append("These points are not final: a part of the answers waits for your instructor.")
    if score.penalty:
        found.append(f"Late: {score.penalty:g} of {score.earned:g} points were taken off.")
    return found


def _line(part: ScorePart) -> str:
    return " ".join([f"{part.name}: {part.points:g} of {part.out_of:g}.", part.words]).strip()


def _part(grade: Grade, name: str, cell: CellRecord | None, comments: set[str]) -> ScorePart:
    waits = bool(grade.needs_manual_grade)
    lost = grade.score < grade.max_score
    words = [_WAITS] if waits else [_why(cell)] if lost and cell else []
    words = [*filter(None, words), *sorted(comments - {NO_RESPONSE})]
    return ScorePart(name, grade.score, grade.max_score, waits, "\n".join(words))


def _why(cell: CellRecord) -> str:
    if cell.verdict is Verdict.NOT_IMPLEMENTED:
        return "Not answered."
    if cell.hint:
        return cell.hint
    if cell.places:
        places = cell.places if cell.places[0].half else cell.places[:1]
        lines = (f"line {one.line}: {one.more or one.about}" for one in places)
        return f"Look at {', and at '.join(lines)}."
    return cell.message or cell.verdict.value
