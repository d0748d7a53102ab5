"""What was found in a submission, exercise by exercise, in words for its student.

Points are the gradebook's, where graders may have changed them; the words are those of the record
beside the graded notebook, and of graders. A submission without a record has points alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Grade, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import ExportPlugin

from autograder.grading.record import RECORD_SUFFIX, CellRecord, Record
from autograder.nbgrading.exports.scores import Score

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


def parts_of(plugin: ExportPlugin, submission: SubmittedAssignment) -> Iterator[ScorePart]:
    """What can earn points in a submission: tests in their order, then answers in words."""
    for notebook in submission.notebooks:
        record = {one.grade_id: one for one in _record(plugin, submission, notebook.name).cells}
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
    parts = parts_of(plugin, score.submission)
    return "\n".join([*remarks(plugin, score), *(_line(one) for one in parts)])


def remarks(plugin: ExportPlugin, score: Score) -> list[str]:
    """What is to be said of a score as a whole."""
    found = []
    for notebook in score.submission.notebooks:
        if why := _record(plugin, score.submission, notebook.name).not_graded:
            found.append(f"Not graded yet: {why}.")
    if score.waits:
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
    words = [*filter(None, words), *sorted(comments)]
    return ScorePart(name, grade.score, grade.max_score, waits, "\n".join(words))


def _why(cell: CellRecord) -> str:
    if cell.hint:
        return cell.hint
    for place in cell.places:
        return f"Look at line {place.line}: {cell.where_to_look}."
    return cell.message or cell.verdict.value


def _record(plugin: ExportPlugin, submission: SubmittedAssignment, notebook: str) -> Record:
    directory = _course_of(plugin)
    folder = directory.format_path(
        directory.autograded_directory, submission.student_id, submission.name
    )
    try:
        return Record.read(Path(folder) / f"{notebook}{RECORD_SUFFIX}")
    except FileNotFoundError:
        return Record()


def _course_of(plugin: ExportPlugin) -> CourseDirectory:
    """Where the command that runs the plugin works, or else the configured place."""
    course = getattr(plugin.parent, "coursedir", None)
    return course or CourseDirectory(config=plugin.config)
