"""A course of another subject: one small lesson, which builds and grades as it stands."""

import re
from pathlib import Path

from autograder.authoring.begin.templating import filled_in
from autograder.errors import WorkFolderError
from autograder.whole_file import write_all

# Each file with its template; without one it is empty.
_FILES = {
    "README.md": "README.md",
    ".gitignore": "gitignore",
    "nbgrader_config.py": "nbgrader_config.py",
    "course.toml": "course.toml",
    "source/week1.md": "week1.md",
    "solutions/__init__.py": "",
    "solutions/week1.py": "solutions.py",
    "solutions/exams/__init__.py": "",
    "solutions/exams/week1.py": "exams.py",
}


def new_course(folder: Path) -> list[Path]:
    """Write a course into a new folder; returns its files.

    Raises:
        WorkFolderError: when something is there already, or it can't be written to.
    """
    folder = folder.resolve()
    words = {"name": re.sub(r"[^\w .-]", "_", folder.name)}
    try:
        if any(not one.is_dir() for one in folder.rglob("*")):
            raise WorkFolderError(f"{folder} is not empty: name a folder that is not there yet")
        texts = {
            folder / name: filled_in(template, words) if template else ""
            for name, template in _FILES.items()
        }
        write_all({path: text.encode() for path, text in texts.items()})
    except OSError as error:
        sentence = f"{folder} can't be written to ({error.strerror}): name another folder"
        raise WorkFolderError(sentence) from error
    return [*texts]
