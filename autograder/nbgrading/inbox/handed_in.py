"""Who has handed in a lesson: the folders in submitted/ that are to be graded."""

import glob
import os
import re
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from autograder.grading.submitted_files import shown
from autograder.nbgrading.inbox.replacing import finish_all
from autograder.nbgrading.inbox.student_ids import is_student_id, why_nobody


def handed_in(
    directory: CourseDirectory, lesson: str, student: str = "*"
) -> tuple[dict[str, str], list[str]]:
    """The folder of each student who has handed in, and why others can't be graded.

    Args:
        directory: where the course's folders are.
        lesson: its name.
        student: a name, or a pattern for names as nbgrader's.
    """
    step = directory.submitted_directory
    pattern = directory.format_path(step, student, lesson)
    named = directory.format_path(step, "(?P<student>.*)", re.escape(lesson), escape=True)
    away = finish_all(Path(directory.root, step), student, lesson)
    aside = [
        f"{one} is not graded: it is being replaced, or who did that was ended: collect it again"
        for one in away
    ]
    found = {}
    for folder in sorted({*filter(os.path.isdir, glob.glob(pattern)), *closed_folders(pattern)}):
        name = re.fullmatch(named, folder, re.DOTALL)
        if not name or not is_student_id(name["student"]):
            who = name["student"] if name else ""
            aside.append(f"{shown(folder)} is not graded: {why_nobody(who)}")
        elif not os.path.isdir(folder):
            aside.append(
                f"{folder} is not graded: {os.path.dirname(folder)} can't be opened by who grades; "
                "`chmod -R u+rwX` opens it"
            )
        else:
            found[name["student"]] = folder
    return found, aside


def closed_folders(pattern: str) -> set[str]:
    """The folders of students in which nobody can tell what was handed in."""
    above, lesson = os.path.split(pattern)
    return {
        os.path.join(folder, lesson)
        for folder in glob.glob(above)
        if Path(folder).is_dir() and not os.access(folder, os.X_OK, effective_ids=True)
    }
