"""One student: all that there is about them, copied, put under another id, or taken away.

It stands in roster.csv and in the gradebook, and lies in folders that are called by the id. What
lies there is a student's: it is copied byte by byte, and read by nobody.

Nothing is lost when this is ended halfway. A rename first sets `submitted/<id>` aside, so that
nobody grades it under either id, and puts it in its new place last. A removal begins when the copy
is there, and is the same. What was begun stands in `submitted/.<id>.renaming` or `.removing`, and
the same command goes on from there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook
from nbgrader.exchange.default.exchange import Exchange
from sqlalchemy.exc import DatabaseError, SQLAlchemyError
from traitlets.config import Config

from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.grading.submitted_files import shown
from autograder.nbgrading.failures import sentence_of
from autograder.nbgrading.inbox.student_ids import NOBODY, is_student_id
from autograder.nbgrading.term.any_files import entries, kind, printed, remove_files
from autograder.nbgrading.term.roster import FILE
from autograder.nbgrading.term.student_copy import must_be_copied, write_copy
from autograder.nbgrading.term.student_folders import StudentFolders, folders_in, move, within
from autograder.nbgrading.term.student_rows import (
    RosterFile,
    is_in,
    remove_rows,
    rename_rows,
    submissions_of,
)
from autograder.whole_file import write_whole

_RENAMING, _REMOVING = ".renaming", ".removing"


@dataclass(frozen=True)
class LessonOfOne:
    """What one lesson has come to; `by_hand` is how many parts a human has given points for."""

    lesson: str
    state: str
    points: float = 0.0
    out_of: float = 0.0
    penalty: float = 0.0
    by_hand: int = 0


@dataclass(frozen=True)
class OneStudent:
    """A student.

    Attributes:
        course: the course.
        gradebook: its gradebook, open.
        folders: the student's folders, by whose name the student is called everywhere.
    """

    course: Course
    gradebook: Gradebook
    folders: StudentFolders

    @property
    def id(self) -> str:
        """The id, or any other name of a folder in submitted/."""
        return self.folders.id

    def must_be_there(self) -> None:
        """See that there is something, and that nothing of it is on its way elsewhere.

        Raises:
            GradingFailed: when there is nothing, or a rename has to be finished first.
        """
        for note in self.folders.submitted.parent.glob(f".*{_RENAMING}/to"):
            old, new = note.parent.name[1:].removesuffix(_RENAMING), note.read_text("utf-8")
            if self.id in (old, new):
                raise GradingFailed(
                    f"{old} was to become {new}, which was broken off: finish that first, with "
                    f"`autograder student {old} --rename {new}`"
                )
        if not self._is_there():
            raise GradingFailed(
                f"nothing is there of {shown(self.id)}: neither {FILE}, nor the gradebook, nor a "
                "folder has that id"
            )

    def in_roster(self) -> dict[str, str]:
        """The row of the roster, by its columns; empty where there is none."""
        roster = RosterFile(self.course)
        return dict(zip(roster.columns, roster.row(self.id), strict=False))

    def lessons(self) -> list[LessonOfOne]:
        """What each lesson has come to, and those that were handed in and are not graded."""
        known = {one.lesson: one for one in map(_lesson, submissions_of(self.gradebook, self.id))}
        names = [one.name for one in folders_in(self.folders.submitted)]
        new = {one: LessonOfOne(one, "not graded") for one in names if not one.startswith(".")}
        return [one for _, one in sorted({**new, **known}.items())]

    def files(self) -> Iterator[tuple[str, str]]:
        """The path of each file, from the course's folder, and its size, or what it is instead."""
        for place in filter(self.folders.can_read, self.folders.places()):
            for one in entries(place):
                path = self.folders.in_copy(place).parent / one[0]
                yield printed(path), kind(one) or f"{one[1].st_size:,} bytes"

    def out_of_reach(self) -> list[str]:
        """What is or may be about the student, and is for somebody else to change."""
        root, pages = self.course.root, self.folders.inbound.parent / "feedback"
        made = [one for what in ("*.csv", "*.zip", "gradebook.db.*") for one in root.glob(what)]
        found = [one.name for one in sorted(made) if one.name != FILE]
        found += [f"{one}/" for one in ("reports", ".git") if (root / one).exists()]
        others = [one for one in self.folders.arrived() if not self.folders.can_remove(one)]
        found += [printed(self.folders.in_copy(one)) for one in others]
        return [*found, f"{pages}/, where pages have no names"] if within(pages) else found

    def copy(self, folder: Path) -> list[str]:
        """Copy everything into a new folder.

        Returns:
            what is no file, and is therefore only named there.

        Raises:
            GradingFailed: when the folder is there, or something can't be read or written.
        """
        self.must_be_there()
        with self._alone():
            return write_copy(*self._all, folder)

    def rename(self, new: str) -> None:
        """Give the student another id, everywhere; where that was broken off, go on.

        Raises:
            GradingFailed: when it can be nobody's id, is somebody's, or something can't be moved.
        """
        if not is_student_id(new):
            raise GradingFailed(f"{shown(new)!r} is no id: {NOBODY}")
        aside = self._note(_RENAMING)
        note, folder = aside / "to", aside / "folder"
        if not _says(note, new):
            self._must_be_free(new)
        with self._alone():
            write_whole(note, new.encode())
            move(self.folders.submitted, folder)
            self._rename_rows(new)
            for place in filter(self.folders.can_remove, self.folders.places()):
                move(place, self.folders.renamed(place, new))
            RosterFile(self.course).rename(self.id, new)
            move(folder, self.folders.submitted.with_name(new))
            self._note(_REMOVING).unlink(missing_ok=True)
            note.unlink()
            aside.rmdir()

    def remove(self, folder: Path) -> list[str]:
        """Copy everything into a new folder, see that it is the same, and then remove it here.

        Returns:
            what was removed.

        Raises:
            GradingFailed: when it can't be copied, or something can't be removed.
        """
        note, target = self._note(_REMOVING), str(folder.absolute())
        is_begun = _says(note, target) and folder.is_dir()
        if not is_begun:
            self.must_be_there()
        with self._alone():
            if not is_begun:
                write_copy(*self._all, folder, begin=lambda: write_whole(note, target.encode()))
            must_be_copied(*self._all, folder)
            places = [*filter(self.folders.can_remove, self.folders.places())]
            for place in places:
                remove_files(place)
            removed = [printed(self.folders.in_copy(one)) for one in places]
            if RosterFile(self.course).rename(self.id, ""):
                removed.append(f"the row in {FILE}")
            if is_in(self.gradebook, self.id):
                # A tutor may have given points meanwhile: whoever reads answers waits for nobody.
                self.gradebook.db.rollback()
                must_be_copied(*self._all, folder)
                remove_rows(self.gradebook, self.id)
                removed.append("all rows in the gradebook")
            note.unlink()
            return removed

    @property
    def _all(self) -> tuple[Course, Gradebook, StudentFolders]:
        return self.course, self.gradebook, self.folders

    def _note(self, what: str) -> Path:
        return self.folders.submitted.with_name(f".{self.id}{what}")

    def _is_there(self) -> bool:
        in_tables = RosterFile(self.course).row(self.id) or is_in(self.gradebook, self.id)
        return bool(in_tables or self.folders.places())

    def _must_be_free(self, new: str) -> None:
        self.must_be_there()
        folders = StudentFolders(self.folders.root, self.folders.inbound, new)
        if OneStudent(self.course, self.gradebook, folders)._is_there():
            raise GradingFailed(
                f"{new} is there already, and two students can't be made one: choose another id"
            )

    @contextmanager
    def _alone(self) -> Iterator[None]:
        with self.folders.alone([str(one.name) for one in self.gradebook.assignments]):
            # What was read before may have been graded since.
            self.gradebook.db.rollback()
            yield

    def _rename_rows(self, new: str) -> None:
        if not is_in(self.gradebook, self.id):
            return
        if is_in(self.gradebook, new):
            # Somebody has read a roster in again since this was broken off.
            empty = [one for one in (self.id, new) if not submissions_of(self.gradebook, one)]
            if not empty:
                raise GradingFailed(
                    f"the gradebook has submissions of {self.id} and of {new}: remove those of one "
                    "in formgrader, and the same command goes on from here"
                )
            remove_rows(self.gradebook, empty[0])
        if is_in(self.gradebook, self.id):
            rename_rows(self.gradebook, self.id, new)


@contextmanager
def one_student(
    course: Course, config: Config, open_gradebook: Callable[[], Gradebook], name: str
) -> Iterator[OneStudent]:
    """A student, while the gradebook is open; files and gradebooks that fail are a sentence.

    Args:
        course: the course.
        config: nbgrader's, which says where the exchange is.
        open_gradebook: opens the course's gradebook.
        name: the student's id.

    Raises:
        GradingFailed: when no folder of a student is called so, or something can't be read or
            changed.
    """
    if name.startswith(".") or Path(name).name != name or not (name and name.isprintable()):
        raise GradingFailed(f"{shown(name)!r} is no id: {NOBODY}")
    inbound = Path(Exchange(config=config).root) / course.settings.id / "inbound"
    folders = StudentFolders(course.root, inbound, name)
    try:
        with open_gradebook() as gradebook:
            yield OneStudent(course, gradebook, folders)
    except BrokenPipeError:
        raise
    except (OSError, RecursionError) as error:
        what = getattr(error, "strerror", "") or "folders lie too deep in folders"
        name = getattr(error, "filename", "") or "a folder"
        raise GradingFailed(
            f"{printed(Path(name))}: {what}: mend that, and the same command goes on from here"
        ) from error
    except DatabaseError as error:
        raise GradingFailed(f"{sentence_of(error)}; the same command goes on from here") from error
    except SQLAlchemyError as error:
        raise GradingFailed(
            f"the gradebook could not be used ({str(error).splitlines()[0]}): the same command "
            "goes on from here"
        ) from error


def _says(note: Path, what: str) -> bool:
    return note.is_file() and note.read_text("utf-8") == what


def _lesson(submission: Any) -> LessonOfOne:
    grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
    return LessonOfOne(
        str(submission.name),
        "waits for you" if submission.needs_manual_grade else "graded",
        submission.score,
        submission.max_score,
        submission.late_submission_penalty or 0.0,
        sum(one.manual_score is not None or bool(one.extra_credit) for one in grades),
    )
