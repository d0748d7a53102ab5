"""What the gradebook knows of a class: the scores that every export begins with."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import Any, ClassVar, NoReturn

from nbgrader.api import Assignment, Gradebook, Student, SubmittedAssignment
from nbgrader.coursedir import CourseDirectory
from nbgrader.plugins import ExportPlugin

from autograder.checks.card.spreadsheet import write_table
from autograder.course import Course
from autograder.errors import CourseError
from autograder.grading.submitted_files import shown
from autograder.nbgrading.inbox.replacing import finish_all
from autograder.nbgrading.term.late import work_out_penalties


@dataclass(frozen=True)
class Score:
    """What a submission has earned so far.

    `penalty` is what was taken off because it was late. While `waits`, a human has yet to grade a
    part of it, and no number is the last word.
    """

    earned: float
    penalty: float
    waits: bool
    submission: SubmittedAssignment

    @property
    def total(self) -> float:
        """The points with the penalty taken off, never less than none."""
        return round(max(0.0, self.earned - self.penalty), 5)


# Of what was handed in and nobody has graded: it has no submission in the gradebook.
NOT_GRADED = Score(0.0, 0.0, waits=True, submission=None)
# So many names are enough where nobody is left out.
FEW = 10
# By student, and None for who has handed nothing in.
Scores = Mapping[str, Score | None]


class ScoresExport(ExportPlugin):  # type: ignore[misc]
    """What the exports share: whom and what they are asked for, and how they say what is wrong.

    Each has a `default`, which is what it writes where nothing else is asked for, and a `write`.
    """

    default: ClassVar[str]

    def export(self, gradebook: Gradebook) -> None:
        """Write what is asked for; what stands in the way is a sentence, and no traceback."""
        destination = Path(self.to or self.default)
        self.log.info("Exporting grades to %s", destination)
        try:
            self.write(gradebook, destination)
        except CourseError as error:
            self.fail(f"the export ended early: {error}")
        except OSError as error:
            self.fail(
                f"{destination} can't be written ({error}): see to it that it can be, or choose "
                "another place with --to"
            )

    def write(self, gradebook: Gradebook, destination: Path) -> None:
        """Write the export to a file or folder."""
        raise NotImplementedError

    def lessons(self, gradebook: Gradebook) -> list[Assignment]:
        """The assignments to export, with penalties as they are now.

        They come in the order of the course's lessons, and behind them others, such as retakes, in
        the gradebook's.
        """
        found = self._chosen(gradebook.assignments, self.assignment, "name", "assignment")
        by_name = {one.name: one for one in found}
        chosen = [by_name[name] for name in Course(Path(course_of(self).root)).in_order(by_name)]
        work_out_penalties(gradebook, self.config, chosen)
        known = {student.id for student in gradebook.students}
        for lesson in chosen:
            self.say(
                f"{lesson.name}: in submitted/, and nobody whom the gradebook knows",
                sorted(self._handed_in(lesson.name) - known),
                FEW,
            )
        return chosen

    def _handed_in(self, lesson: str) -> set[str]:
        """Whose folders there are for a lesson, whatever they are called."""
        directory = course_of(self)
        step = directory.submitted_directory
        away = finish_all(Path(directory.root, step), lesson=lesson)
        folders = [*glob(directory.format_path(step, "*", lesson)), *away]
        return {shown(Path(folder).parent.name) for folder in folders}

    def students(self, gradebook: Gradebook) -> list[Student]:
        """The students to export, in the gradebook's order."""
        return self._chosen(gradebook.students, self.student, "id", "student")

    def scores(self, lesson: Assignment, students: Sequence[Student]) -> Scores:
        """What each of these students has earned in a lesson."""
        found = {one.student_id: _score(one) for one in lesson.submissions}
        directory = course_of(self)
        for name in {student.id for student in students} - found.keys():
            if os.path.isdir(
                directory.format_path(directory.submitted_directory, name, lesson.name)
            ):
                found[name] = NOT_GRADED
        scores = {student.id: found.get(student.id) for student in students}
        self.say(
            f"{lesson.name}: handed in and not graded yet, so no score: grade it and export again",
            [name for name, score in scores.items() if score is NOT_GRADED],
            FEW,
        )
        return scores

    def waiting(self, scores: Scores) -> list[str]:
        """Whose submission is graded but for a part that waits for a human."""
        return [
            name
            for name, score in scores.items()
            if score and score.waits and score is not NOT_GRADED
        ]

    def fail(self, sentence: str) -> NoReturn:
        """Say what is wrong and end as nbgrader's own commands do."""
        self.log.error(sentence)
        raise SystemExit(1)

    def say(self, sentence: str, students: Iterable[str], most: int | None = None) -> None:
        """A warning about some students, with their names, or so many of them, behind it."""
        names = [repr(student) for student in students]
        more = [f"and {len(names) - most} more"] if most and len(names) > most else []
        if names:
            self.log.warning("%s: %s", sentence, ", ".join([*names[:most], *more]))

    def _chosen(
        self, all_of_them: Sequence[Any], asked: list[Any], key: str, kind: str
    ) -> list[Any]:
        wanted = dict.fromkeys(map(str, asked))
        known = {getattr(one, key) for one in all_of_them}
        for name in wanted:
            if name not in known:
                self.fail(f"the gradebook has no {kind} {name!r}: nothing was exported")
        return [one for one in all_of_them if not wanted or getattr(one, key) in wanted]


class TableExport(ScoresExport):
    """An export to one file: a table, the first of whose columns are always called the same."""

    first_columns: ClassVar[Sequence[str]]

    def write(self, gradebook: Gradebook, destination: Path) -> None:
        """Write the table, all of it or nothing."""
        if not destination.parent.is_dir():
            self.fail(
                f"there is no folder {destination.parent} for {destination.name}: make it, or "
                "choose another place with --to"
            )
        if destination.exists() and not self._is_ours(destination):
            self.fail(
                f"{destination} is there already and is no table of this export's: choose another "
                "name with --to, so that it is not overwritten"
            )
        write_table(destination, [*self.rows(gradebook)])

    def rows(self, gradebook: Gradebook) -> Iterable[Sequence[Any]]:
        """The table, with the names of its columns above."""
        raise NotImplementedError

    def _is_ours(self, path: Path) -> bool:
        begin = ",".join(f'"{name}"' for name in self.first_columns).encode()
        if not path.is_file():
            return False
        with path.open("rb") as file:
            return file.read(len(begin)) == begin


def _score(submission: SubmittedAssignment) -> Score:
    return Score(
        submission.score,
        submission.late_submission_penalty or 0.0,
        bool(submission.needs_manual_grade),
        submission,
    )


def course_of(plugin: ExportPlugin) -> CourseDirectory:
    """Where the command that runs the plugin works, or else the configured place."""
    course = getattr(plugin.parent, "coursedir", None)
    return course or CourseDirectory(config=plugin.config)
