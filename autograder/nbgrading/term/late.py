"""When work is due, for whom later, and what it costs to be late.

What is taken off is a share of the points that stand, so it is worked out anew whenever these are
shown or handed on: who is given points by hand later loses the same share of them.
"""

import math
from collections.abc import Iterable
from datetime import UTC, timedelta
from pathlib import Path

from nbgrader.api import (
    Assignment,
    Gradebook,
    MissingEntry,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.plugins import LateSubmissionPlugin
from nbgrader.preprocessors import AssignLatePenalties
from traitlets import Bunch, Dict, Float, Unicode, validate
from traitlets.config import Config, Configurable

from autograder.course import Course
from autograder.errors import SettingError
from autograder.nbgrading.term.roster import FILE, Listed, read_roster

_DAY = timedelta(days=1).total_seconds()
_HOUR = timedelta(hours=1).total_seconds()
_DIGITS = 2


class SharePerDay(LateSubmissionPlugin):  # type: ignore[misc]
    """Takes off a share of the points for each day that has begun, up to a part that is kept."""

    per_day = Float(0.0, help="The share that a day costs, from 0 to 1.").tag(config=True)
    grace_hours = Float(0.0, help="How late is not late.").tag(config=True)
    floor = Float(0.0, help="The share that is kept, however late.").tag(config=True)

    @validate("per_day", "grace_hours", "floor")
    def _must_be_possible(self, proposal: Bunch) -> float:
        value, name = float(proposal["value"]), proposal["trait"].name
        if value < 0 or (name != "grace_hours" and value > 1):
            raise SettingError(f"c.SharePerDay.{name} can't be {value:g}")
        return value

    def late_submission_penalty(
        self, student_id: str, score: float, total_seconds_late: float
    ) -> float:
        """The points that are taken off."""
        if total_seconds_late <= self.grace_hours * _HOUR:
            return 0.0
        share = min(math.ceil(total_seconds_late / _DAY) * self.per_day, 1 - self.floor)
        return round(score * share, _DIGITS)


class Deadlines(Configurable):
    """When the lessons are due, as the course says."""

    due = Dict(
        help="When a lesson is due, by its name: '2026-11-30 22:59:00', in UTC. One that is not "
        "named is due as the gradebook says."
    ).tag(config=True)
    course = Unicode(help="The course's folder, where roster.csv lies.").tag(config=True)

    def tell(self, gradebook: Gradebook, lesson: str) -> None:
        """Have the gradebook know when a lesson is due."""
        if lesson in self.due:
            try:
                gradebook.find_assignment(lesson)
            except MissingEntry:
                return
            gradebook.update_or_create_assignment(lesson, duedate=self.due[lesson])

    def extend(self, gradebook: Gradebook, submission: SubmittedAssignment) -> None:
        """Have the gradebook know by how much a submission was due later than others.

        Without a roster, extensions are what somebody has granted in the gradebook.
        """
        roster = self._roster()
        if roster is None:
            return
        listed = roster.get(submission.student_id)
        extension = listed.extension(submission.name) if listed else timedelta()
        if (submission.extension or timedelta()) != extension:
            submission.extension = extension or None
            gradebook.db.commit()

    def _roster(self) -> dict[str, Listed] | None:
        path = Path(self.course, FILE)
        return _read(path, path.stat().st_mtime_ns) if self.course and path.exists() else None


def due_times(course: Course) -> dict[str, str]:
    """When the lessons are due that course.toml names, as the gradebook takes it: in UTC.

    Raises:
        SettingError: naming the line, for a lesson that there is not.
    """
    due = course.settings.due
    return {
        lesson: f"{due[name].astimezone(UTC):%Y-%m-%d %H:%M:%S}"
        for name, lesson in course.lessons_in("due").items()
    }


def work_out_penalties(
    gradebook: Gradebook, config: Config, lessons: Iterable[Assignment], student: str = ""
) -> None:
    """Have the gradebook know what is taken off of the points that stand now.

    Args:
        gradebook: the open gradebook.
        config: nbgrader's, which says by which plugin.
        lessons: of which submissions.
        student: whose; by default everybody's.
    """
    step = AssignLatePenalties(config=config)
    step.init_plugin()
    deadlines = Deadlines(config=config)
    for lesson in lessons:
        deadlines.tell(gradebook, lesson.name)
        for submission in _submissions(gradebook, lesson, student):
            if lesson.duedate is None or submission.timestamp is None:
                # Nothing is known to be late: what somebody has taken off by hand stays.
                continue
            deadlines.extend(gradebook, submission)
            for notebook in submission.notebooks:
                _work_out(step, notebook, submission.student_id, submission.total_seconds_late)
    gradebook.db.commit()


def _submissions(
    gradebook: Gradebook, lesson: Assignment, student: str
) -> Iterable[SubmittedAssignment]:
    if not student:
        return list(lesson.submissions)
    try:
        return [gradebook.find_submission(lesson.name, student)]
    except MissingEntry:
        return []


def _work_out(
    step: AssignLatePenalties, notebook: SubmittedNotebook, student: str, seconds_late: float
) -> None:
    penalty = None
    if seconds_late > 0:
        penalty = step.plugin_inst.late_submission_penalty(student, notebook.score, seconds_late)
        if penalty is not None:
            penalty = step._check_late_penalty(notebook, penalty)
    if notebook.late_submission_penalty != penalty:
        notebook.late_submission_penalty = penalty


_known: dict[tuple[Path, int], dict[str, Listed]] = {}


def _read(path: Path, changed: int) -> dict[str, Listed]:
    """The roster, read again when it has changed."""
    if (path, changed) not in _known:
        course = Course(path.parent)
        students = read_roster(path, course.lesson_named)
        _known.clear()
        _known[path, changed] = {one.id: one for one in students}
    return _known[path, changed]
