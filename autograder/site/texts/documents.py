"""The documents of a course, by who reads them: `docs/README.md` lists them under headings.

Where there is no such list, all documents stand under one heading.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from posixpath import normpath

from autograder.authoring.build.tables import misconceptions
from autograder.course import Course
from autograder.site.errors import SiteError

FOLDER = PurePosixPath("docs")
LIST = FOLDER / "README.md"
_SECTION = re.compile(r"^## (?P<heading>.+)$", re.MULTILINE)
_LINK = re.compile(r"\]\((?P<path>[^():#\s]+\.md)\)")
_OTHERS = "Documents"


@dataclass(frozen=True)
class Shelf:
    """Documents of one kind, as paths from the course's root."""

    heading: str
    documents: tuple[PurePosixPath, ...]


def shelves(course: Course) -> list[Shelf]:
    """The documents of a course, in the order in which it lists them.

    Raises:
        SiteError: for a document that the list leaves out, names twice, or has without its file.
    """
    there = _documents(course)
    path = course.root / LIST
    if not path.is_file():
        return [Shelf(_OTHERS, tuple(there))] if there else []
    found = list(_listed(path.read_text(encoding="utf-8")))
    named = [document for shelf in found for document in shelf.documents]
    for document in there:
        if named.count(document) != 1:
            what = "names twice" if document in named else "does not name"
            raise SiteError(f"{path} {what} {document}: list each document under one heading")
    for document in named:
        if not (course.root / document).is_file():
            raise SiteError(f"{path} names {document}, which is not there: leave it out")
    return found


def _documents(course: Course) -> list[PurePosixPath]:
    # The table of misconceptions is for whoever writes exams, and may not be up to date.
    kept_back = {*map(str, (LIST, misconceptions.FILE.as_posix()))}
    paths = (FOLDER / path.name for path in sorted(Path(course.root / FOLDER).glob("*.md")))
    return [path for path in paths if str(path) not in kept_back]


def _listed(text: str) -> Iterator[Shelf]:
    sections = [*_SECTION.finditer(text)]
    ends = [*(one.start() for one in sections[1:]), len(text)]
    for section, end in zip(sections, ends, strict=True):
        links = _LINK.finditer(text, section.end(), end)
        paths = (PurePosixPath(normpath(FOLDER / link["path"])) for link in links)
        yield Shelf(section["heading"].strip(), tuple(dict.fromkeys(paths)))
