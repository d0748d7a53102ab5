"""A copy of all that there is about one student: files as they are, and tables as CSV."""

import filecmp
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from nbgrader.api import Gradebook

from autograder.checks.card.spreadsheet import write_table
from autograder.course import Course
from autograder.errors import GradingFailed
from autograder.grading.submitted_files import megabytes
from autograder.nbgrading.term.any_files import copy_files, not_copied, size_of
from autograder.nbgrading.term.roster import FILE
from autograder.nbgrading.term.student_folders import StudentFolders
from autograder.nbgrading.term.student_rows import RosterFile, tables
from autograder.whole_folder import making

_NO_FILES = "not_copied.txt"


def write_copy(
    course: Course,
    gradebook: Gradebook,
    folders: StudentFolders,
    to: Path,
    begin: Callable[[], None] = lambda: None,
) -> list[str]:
    """Copy everything into a new folder, which is there when all of it is.

    Args:
        course: the course.
        gradebook: its gradebook.
        folders: the student's.
        to: the new folder.
        begin: is called when all is copied, right before the folder gets its name.

    Returns:
        what is no file, and is therefore only named there.

    Raises:
        GradingFailed: when the folder is there, or can't be made.
    """
    places = [*filter(folders.can_read, folders.places())]
    _must_be_possible(course, to, sum(map(size_of, places)))
    left_out: list[str] = []
    with making(to) as beside:
        made = beside / "copy"
        # Nobody else on this machine has to read it.
        made.mkdir(mode=0o700)
        _write_tables(course, gradebook, folders.id, made)
        for place in places:
            where = folders.in_copy(place).parent
            left_out += [f"{where}/{one}" for one in copy_files(place, made / where)]
        if left_out:
            (made / _NO_FILES).write_text("\n".join([*left_out, ""]), encoding="utf-8")
        begin()
        made.rename(to)
    return left_out


def must_be_copied(
    course: Course, gradebook: Gradebook, folders: StudentFolders, copy: Path
) -> None:
    """See that all that is still here, and can be removed, is in the copy as it is.

    Raises:
        GradingFailed: when something is not.
    """
    places = [*filter(folders.can_remove, folders.places())]
    found = []
    for place in places:
        where = folders.in_copy(place).parent
        found += [f"{where}/{one}" for one in not_copied(place, copy / where)]
    with TemporaryDirectory() as again:
        _write_tables(course, gradebook, folders.id, Path(again))
        names = [one.name for one in Path(again).iterdir()]
        _, differ, missing = filecmp.cmpfiles(again, copy, names, shallow=False)
    for name in [*found, *differ, *missing]:
        raise GradingFailed(
            f"nothing more is removed, as {name} is not in {copy} as it is here: name a new folder"
        )


def _must_be_possible(course: Course, folder: Path, needed: int) -> None:
    if os.path.lexists(folder):
        raise GradingFailed(f"{folder} is there already: name a folder that is yet to be made")
    if folder.resolve().is_relative_to(course.root.resolve()):
        raise GradingFailed(
            f"{folder} would lie in the course, where git finds it: name a folder outside of it, "
            f"such as ../{folder.name}"
        )
    above = next(one for one in folder.absolute().parents if one.exists())
    if needed > (free := shutil.disk_usage(above).free):
        raise GradingFailed(
            f"a copy has {megabytes(needed)}, and in {above.resolve()} only {megabytes(free)} are "
            "free: `autograder student` shows which file is so large"
        )


def _write_tables(course: Course, gradebook: Gradebook, student: str, folder: Path) -> None:
    roster = RosterFile(course)
    if row := roster.row(student):
        write_table(folder / FILE, [roster.columns, row])
    for name, rows in tables(gradebook, student).items():
        write_table(folder / f"{name}.csv", rows)
