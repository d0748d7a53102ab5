"""The learner's own folder: lessons are copied into it, and nothing the learner wrote is lost.

A notebook is copied once. When its lesson changes later, the copy is replaced only while it is,
byte for byte, one that was given out; otherwise what the learner wrote is carried over into the
newer lesson (`update`), and their notebook as it was is kept beside it. Where it can't be read, it
stays, and the newer lesson is put beside it. What was given out is remembered in `.lessons.json`,
what each notebook was brought to last at the end. Without that file, or with a damaged one, every
notebook counts as the learner's.

Nothing is built for it, and no git is asked: the notebooks that came with the course are what is
given out.
"""

import errno
import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from tempfile import TemporaryFile

from autograder.checks.progress import MANIFEST
from autograder.course import Course
from autograder.errors import CheckError, CourseNotFound, WorkFolderError
from autograder.whole_file import write_whole

_FORMAT = 1
_LEFT_OUT = {".ipynb_checkpoints", "__pycache__"}

RELOAD = "If the notebook is open, choose File → Reload Notebook from Disk."
_OTHERWISE = "choose another folder with `autograder lab --folder FOLDER`"

Given = dict[str, list[str]]


class Change(Enum):
    """What a copy did to a notebook."""

    NONE = "unchanged"
    NEW = "new"
    REPLACED = "replaced by the newer lesson; you had not changed it"
    UPDATED = "updated to the newer lesson"
    BESIDE = "your notebook is kept; the newer lesson lies beside it"
    MISSING = "not there yet; `autograder build` makes it"


@dataclass(frozen=True)
class Copied:
    """One notebook of one lesson: where it lies now, and what was done.

    `said` are sentences about what became of the learner's work.
    """

    lesson: str
    path: Path
    change: Change
    said: tuple[str, ...] = ()

    def __str__(self) -> str:
        done = f"{self.path.parent.name}/{self.path.name}: {self.change.value}."
        return "\n  ".join([done, *self.said])


def work_folder(course: Course, folder: Path | None = None) -> Path:
    """The learner's folder, made where there is none: by default `work` in the course.

    Raises:
        WorkFolderError: when `folder` can't be one's own.
    """
    folder = (folder or course.root / "work").resolve()
    theirs = (course.source, course.notebooks, course.solutions, course.own)
    if folder == course.root or any(folder.is_relative_to(place) for place in theirs):
        raise WorkFolderError(f"{folder} belongs to the course: choose a folder of your own.")
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        _try_to_write(folder)
    return folder


def _try_to_write(folder: Path) -> None:
    """Find out before anything is opened there, which permissions alone do not tell."""
    try:
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        # It names a file that nobody knows.
        raise OSError(error.errno, error.strerror, str(folder)) from None


@contextmanager
def writing(folder: Path, otherwise: str = _OTHERWISE) -> Iterator[None]:
    """Say in one sentence that something in a folder can't be read or written, and what to do.

    Raises:
        WorkFolderError: in place of an OSError.
    """
    try:
        yield
    except OSError as error:
        where = error.filename2 or error.filename or folder
        raise WorkFolderError(
            f"{where} can't be used ({error.strerror}): put that right, or {otherwise}."
        ) from error


def copy_lessons(
    course: Course, folder: Path | None = None, *, named: Collection[str] = ()
) -> list[Copied]:
    """Copy lessons into the learner's folder, or bring those that are there to the newer ones.

    Files that are not notebooks are always refreshed.

    Args:
        course: where the lessons are.
        folder: the learner's.
        named: the lessons to look at, also where they have been brought to the newer ones already;
            without any, all.

    Returns:
        One entry per notebook, in the order of the lessons; a lesson that has none yet keeps nobody
        from the others.

    Raises:
        WorkFolderError: when `folder` can't be one's own, or can't be written to.
    """
    folder = work_folder(course, folder)
    given = _read_manifest(folder / MANIFEST)
    with writing(folder):
        # Notes that a learner has put among the texts are no reason to stop.
        lessons = named or [path.stem for path in course.texts()]
        return [
            copied
            for lesson in lessons
            for copied in _copy(course, lesson, folder, given, again=bool(named))
        ]


def _copy(
    course: Course, lesson: str, folder: Path, given: Given, *, again: bool
) -> Iterator[Copied]:
    is_there = False
    for release in _files(course, lesson):
        mine = folder / release.relative_to(course.notebooks)
        if release.suffix == ".ipynb":
            is_there = True
            name = mine.relative_to(folder).as_posix()
            before = given.get(name, [])
            if not again:
                # The last of them, so that in the end they are in the order of the lessons.
                given.pop(name, None)
            given[name] = before
            yield _copy_notebook(lesson, release, mine, before, again=again)
            _write_manifest(folder / MANIFEST, given)
        elif not _same(release, mine):
            write_whole(mine, release.read_bytes())
    if not is_there:
        yield Copied(lesson, folder / lesson / f"{lesson}.ipynb", Change.MISSING)


def _files(course: Course, lesson: str) -> Iterator[Path]:
    for path in sorted(course.release_folder(lesson).rglob("*")):
        if path.is_file() and not _LEFT_OUT.intersection(path.parts):
            yield path


def _copy_notebook(
    lesson: str, release: Path, mine: Path, given: list[str], *, again: bool
) -> Copied:
    """Copy one notebook, and put the release at the end of those that were `given` out."""
    content = release.read_bytes()
    now = _digest(content)
    is_known, is_last = now in given, given[-1:] == [now]
    given[:] = [*(one for one in given if one != now), now]
    if not mine.exists():
        write_whole(mine, content)
        return Copied(lesson, mine, Change.NEW)
    if not mine.is_file():
        raise OSError(errno.EINVAL, "it is no file", str(mine))
    written = _digest(mine.read_bytes())
    if written == now:
        return Copied(lesson, mine, Change.NONE)
    if written in given:
        write_whole(mine, content)
        return Copied(lesson, mine, Change.REPLACED)
    if is_last and not again:
        return Copied(lesson, mine, Change.NONE)
    try:
        return _update(lesson, mine, release)
    except CheckError as error:
        beside = mine.with_name(f"{mine.stem} (newer, {now[:8]}).ipynb")
        if is_known or beside.exists():
            return Copied(lesson, mine, Change.NONE)
        write_whole(beside, content)
        return Copied(lesson, beside, Change.BESIDE, (f"{error}.",))


def _update(lesson: str, mine: Path, release: Path) -> Copied:
    # It reads notebooks, which nobody else has to wait for who opens their lessons.
    from autograder.learner.notebooks.update import update_notebook

    updated = update_notebook(mine, release)
    if updated is None:
        return Copied(lesson, mine, Change.NONE)
    kept = f"What you had is kept in {updated.kept}."
    return Copied(lesson, mine, Change.UPDATED, (*updated.said, kept, RELOAD))


def find_work(start: Path | None = None) -> Path:
    """The learner's folder around `start`, by default the current one, or that of its course.

    Raises:
        WorkFolderError: when nothing has been given out there.
    """
    start = (start or Path.cwd()).resolve()
    places = [start, *start.parents]
    with suppress(CourseNotFound):
        places.append(Course.find(start).root / "work")
    for folder in places:
        if (folder / MANIFEST).is_file():
            return folder
    raise WorkFolderError(
        f"no lessons have been copied to {start} yet: `autograder lab` in a clone of the course "
        "makes a folder of your own with all of them."
    )


def lesson_folders(folder: Path) -> list[Path]:
    """The folders of the lessons that lie in a learner's folder, in the order of the course."""
    given = (folder / name for name in _read_manifest(folder / MANIFEST))
    return [path.parent for path in given if path.stem == path.parent.name and path.is_file()]


def _read_manifest(path: Path) -> Given:
    try:
        written = json.loads(path.read_text(encoding="utf-8") if path.is_file() else "")
        if written["format"] != _FORMAT:
            return {}
        return {name: [str(digest) for digest in given] for name, given in written["given"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return {}


def _write_manifest(path: Path, given: Given) -> None:
    content = json.dumps({"format": _FORMAT, "given": given}, indent=1) + "\n"
    if not path.exists() or path.read_text(encoding="utf-8", errors="replace") != content:
        write_whole(path, content.encode())


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
