"""What students handed in on a learning platform: the zip that Moodle or Canvas gives of it.

    Moodle   Ada Lovelace_4711_assignsubmission_file/02_vectors.ipynb
    Moodle   Ada Lovelace_4711_assignsubmission_file_/02_vectors.ipynb    (before 2022)
    Moodle   Ada Lovelace_4711_assignsubmission_file_02_vectors.ipynb     (without folders)
    Canvas   lovelaceada_1815_990_02_vectors.ipynb, and LATE_ before the 1815 of who was late
    others   ada/02_vectors.ipynb

Moodle knows students by first and last name, and Canvas by its number, which is the roster's
`lms_user_id`, or by their names. So it takes a roster to say whose a file is, and where that can't
be told for sure it is nobody's: it is set aside, with a sentence. On many platforms people choose
their names, so a name alone says it only of somebody whom the roster gives no other number, and
only while all of the files with that name come from one account.

Two names are the same where they are the same words, letter by letter and sign by sign: An Nali is
not Anna Li. What a platform leaves out when it writes a name is left out of the roster's as well,
and where two students are alike without it, the name says of neither that a file is theirs.

What else is in the zip, and how large, is a student's doing: each file is read within bounds and
lies where it is put.
"""

import filecmp
import re
import unicodedata
import zipfile
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from autograder.errors import GradingFailed
from autograder.grading.rebuild import GivenOut
from autograder.grading.submitted_files import (
    ALL_BYTES,
    MOST_FILES,
    TOO_MANY,
    is_leaving,
    is_notebook,
    is_plain,
    listed,
    most_of,
    raise_if_ours,
    shown,
    too_large,
    too_large_together,
)
from autograder.nbgrading.inbox.replacing import alone, arriving, discard, finish_replacing, replace
from autograder.nbgrading.inbox.secret import SECRET
from autograder.nbgrading.inbox.student_ids import is_student_id
from autograder.nbgrading.inbox.timestamps import NAME
from autograder.nbgrading.inbox.which_notebook import given_out, which_notebook
from autograder.nbgrading.term.roster import Listed
from autograder.nbgrading.term.unpacking import Damaged, unpack

_MOODLE = re.compile(
    r"(?P<name>[^/]+?)_(?P<number>\d+)_assignsubmission_[a-z]+(?:_/?|/)(?P<file>.+)", re.DOTALL
)
# No id begins with a 0: `02_vectors.ipynb` behind two of them is a file's name.
_CANVAS = re.compile(
    r"(?P<name>[^_/]+)_(?P<late>LATE_)?(?P<number>[1-9]\d*)_[1-9]\d*_(?P<file>[^/]+)"
)
# On many platforms people choose their names, and could choose one with these in it.
_MARK = re.compile(r"_\d+_assignsubmission_")
_IDS = re.compile(r"(?=_[1-9]\d*_[1-9]\d*_)")
# What Moodle's clean_filename() takes out of a name.
_NOT_IN_MOODLE = re.compile(r"[&<>\"`|':\\/]")
# What Ruby calls a word, to which Canvas's sanitize_file_name() shortens a name.
_IN_CANVAS = ("L", "M", "Nd", "Pc")
# Scripts in which first and last name can be one word, the last name first.
_ONE_WORD = ("CJK UNIFIED IDEOGRAPH", "HANGUL SYLLABLE")
_FOLDER = re.compile(r"(?P<id>[^/]+)/(?P<file>.+)", re.DOTALL)
_OURS = (NAME, SECRET)
_MOST_ENTRIES = 200_000
_NAMED = 20
_TAKEN, _THERE, _DIFFERING, _UNTIMED = "taken", "there", "differing", "untimed"
# Of these, no more is unpacked than is asked for; of others, a few bytes are gigabytes at once.
_BOUNDED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Collected:
    """What came of a zip.

    Attributes:
        taken: whose was put into submitted/.
        there: whose is there already, and the same but for a time beside it.
        aside: what is set aside, each with why.
        differing: whose was there before, is another now, and is not to be replaced.
        late: who of those taken was late, if the platform says so.
        untimed: whose was replaced together with a time that stood beside it, and is another now,
            or none.
    """

    taken: Sequence[str]
    there: Sequence[str]
    aside: Sequence[str]
    differing: Sequence[str] = field(default_factory=list)
    late: Sequence[str] = field(default_factory=list)
    untimed: Sequence[str] = field(default_factory=list)


def collect_zip(
    path: Path, asked: Path, students: Sequence[Listed], submitted: Path, *, update: bool
) -> Collected:
    """Put what students handed in of a lesson where it is graded.

    Args:
        path: the zip.
        asked: the lesson's notebook, in source/, which is called as the lesson.
        students: the roster.
        submitted: the course's folder of submissions.
        update: whether to replace what is there already; otherwise that stays, as it does where
            a notebook of what is new can't be taken, or of what is new nothing could be graded.

    Raises:
        GradingFailed: when there is no such file, or it can't be read as a zip, or the lesson's
            notebook can't be read, where another program is collecting, and where the disk fails.
    """
    if not path.exists():
        raise GradingFailed(f"there is no file {path}: name the zip as it was downloaded")
    try:
        archive = zipfile.ZipFile(path)
    except Exception as error:
        # zipfile promises nothing of what it raises on a list of files that is damaged.
        raise GradingFailed(f"{path} can't be read as a zip: {error}") from None
    came = defaultdict[str, list[str]](list)
    with archive, alone(submitted):
        found, aside = _by_student(archive, students, asked.stem)
        collect = _Collecting(archive, asked.name, given_out(asked), update)
        for student, files in found.items():
            target = submitted / student / asked.stem
            try:
                outcomes, said = collect.one(files, target)
            except (OSError, RecursionError) as error:
                with suppress(OSError, RecursionError):
                    discard(target)
                if isinstance(error, OSError):
                    _tell_if_ours(error, target, came[_TAKEN])
                outcomes, said = [], ["what lies in submitted/ can't be read, or be replaced"]
            for outcome in outcomes:
                came[outcome].append(student)
            aside += [f"{student}: {sentence}" for sentence in said]
    taken = came[_TAKEN]
    late = [one for one in taken if any(_is_late(file.filename) for file in found[one].values())]
    return Collected(taken, came[_THERE], aside, came[_DIFFERING], late, came[_UNTIMED])


def _tell_if_ours(error: OSError, target: Path, taken: Sequence[str]) -> None:
    try:
        raise_if_ours(error)
    except OSError:
        taken_before = listed(taken, _NAMED) if taken else "nobody"
        raise GradingFailed(
            f"{target} can't be written ({error.strerror or error}): taken before that was "
            f"{taken_before}; put that right, as by making room, and collect again"
        ) from error


@dataclass(frozen=True)
class _Collecting:
    """How each student's files are put where they are graded."""

    archive: zipfile.ZipFile
    asked: str
    given: GivenOut
    update: bool

    def one(
        self, files: Mapping[str, zipfile.ZipInfo], target: Path
    ) -> tuple[list[str], list[str]]:
        """What came of one student's files, and what is to be said of them."""
        finish_replacing(target)
        new = arriving(target)
        left_out = _write(self.archive, files, new)
        if target.exists() and not self.update:
            is_same = not _lacks_a_notebook(left_out) and _are_same(target, new)
            discard(target)
            return [_THERE if is_same else _DIFFERING], []
        said = [f"{shown(name)} is left out: {why}" for name, why in left_out]
        if target.exists() and _lacks_a_notebook(left_out):
            discard(target)
            return [], [*said, "what was there stays, since a notebook is left out"]
        if target.exists() and _are_same(target, new):
            discard(target)
            return [_THERE], said
        if target.exists() and (why_not := self._why_not_instead(target, new)):
            discard(target)
            return [], [*said, f"what was there stays: of what is new, {why_not}"]
        is_timed = (target / NAME).is_file() and not _is_same_file(target / NAME, new / NAME)
        replace(target)
        return [_TAKEN, *([_UNTIMED] if is_timed else [])], said

    def _why_not_instead(self, there: Path, new: Path) -> str:
        """Why nothing could be graded of what is new; "" if it can, or as little of the other."""
        why_not = self._why_not(new)
        return why_not if why_not and not self._why_not(there) else ""

    def _why_not(self, folder: Path) -> str:
        return which_notebook(folder, self.asked, self.given).why_not


def _lacks_a_notebook(left_out: Sequence[tuple[str, str]]) -> bool:
    return any(is_notebook(name) for name, _ in left_out)


def _are_same(there: Path, new: Path) -> bool:
    """Whether two folders have the same files, but for a time, and leavings, beside them."""
    before, now = (
        {
            name: path
            for path in folder.rglob("*")
            if path.is_file() and not is_leaving(name := str(path.relative_to(folder)))
        }
        for folder in (there, new)
    )
    before = {name: path for name, path in before.items() if name in now or name not in _OURS}
    return before.keys() == now.keys() and all(_is_same_file(before[one], now[one]) for one in now)


def _is_same_file(one: Path, other: Path) -> bool:
    return other.is_file() and filecmp.cmp(one, other, shallow=False)


def _is_late(path: str) -> bool:
    canvas = None if _MOODLE.fullmatch(path) else _CANVAS.fullmatch(path)
    return bool(canvas and canvas["late"])


def _by_student(
    archive: zipfile.ZipFile, students: Sequence[Listed], asked: str
) -> tuple[dict[str, dict[str, zipfile.ZipInfo]], list[str]]:
    """The files of each student, by their names, and what is nobody's."""
    entries = [one for one in archive.infolist() if not one.filename.endswith("/")]
    if len(entries) > _MOST_ENTRIES:
        raise GradingFailed(f"{archive.filename} has {len(entries):,} files: nothing is taken")
    who, aside = _Who(students, asked), list[str]()
    owned = [(entry, who.of(entry.filename)) for entry in entries]
    owned = [(entry, one) for entry, one in owned if not is_leaving(one.file)]
    accounts = defaultdict(set)
    for _, one in owned:
        accounts[one.student].add(one.account)
    found: dict[str, dict[str, zipfile.ZipInfo]] = defaultdict(dict)
    for entry, one in owned:
        why_not = one.why_nobody
        if one.student and len(accounts[one.student]) > 1:
            why_not = f"files of several accounts are named as if they were {one.student}'s"
        elif one.file in found[one.student]:
            why_not = f"{one.student} has another {shown(one.file)}"
        if why_not:
            aside.append(f"{shown(entry.filename)} is set aside: {why_not}")
        else:
            found[one.student][one.file] = entry
    return {name: files for name, files in sorted(found.items()) if files}, aside


@dataclass(frozen=True)
class _Owner:
    """Whose a file is, and what it is called there; or else why it is nobody's.

    `account` is what the platform calls who handed it in; two of one student's differ in it only
    where somebody else has the same name.
    """

    student: str = ""
    file: str = ""
    account: str = ""
    why_nobody: str = ""


class _Who:
    """Tells by the name of a file whose it is."""

    def __init__(self, students: Sequence[Listed], asked: str = "") -> None:
        self._asked = re.compile(rf"{re.escape(asked)}(-\d+)?\.ipynb")
        self._ids = {one.id for one in students}
        self._in_moodle = _only_ones({one.id: _names_in_moodle(one) for one in students})
        self._in_canvas = _only_ones({one.id: _names_in_canvas(one) for one in students})
        self._numbers = {one.id: one.names.get("lms_user_id", "") for one in students}
        self._by_number = _only_ones({name: [one] for name, one in self._numbers.items()})

    def of(self, path: str) -> _Owner:
        """Whose the file with this path is."""
        moodle, canvas = _MOODLE.fullmatch(path), _CANVAS.fullmatch(path)
        found, marks = moodle or canvas, _MARK.findall(path)
        # Canvas makes no folders; what is called as asked, or so with -1, has no ids in its name.
        if "/" not in path and not (found and self._asked.fullmatch(found["file"])):
            marks += _IDS.findall(path)
        if len(marks) > 1:
            return _Owner(why_nobody="its name can be read in more than one way")
        if found and moodle:
            # The number is Moodle's for this one assignment, and no roster knows it.
            student = self._in_moodle.get(_in_moodle(found["name"]), "")
            return self._known(student, found["name"], found)
        if found:
            named = self._in_canvas.get(_in_canvas(found["name"]), "")
            numbered = self._by_number.get(found["number"], "")
            if named and numbered and named != numbered:
                return _Owner(why_nobody=f"its name is {named}'s, and its number {numbered}'s")
            student = numbered or (named if not self._numbers.get(named) else "")
            return self._known(student, f"{found['name']} ({found['number']})", found)
        found = _FOLDER.fullmatch(path)
        if found and found["id"] in self._ids and is_student_id(found["id"]):
            return _Owner(found["id"], found["file"])
        return _Owner(why_nobody="its name does not say whose it is, as Moodle's and Canvas's do")

    def _known(self, student: str, name: str, found: re.Match[str]) -> _Owner:
        if student:
            return _Owner(student, found["file"], found["number"])
        return _Owner(why_nobody=f"the roster has nobody, or more than one, who is {shown(name)}")


def _names_in_moodle(student: Listed) -> list[str]:
    """What Moodle may call a student: which name comes first is for its settings to say."""
    first, last = (_in_moodle(one) for one in _first_and_last(student))
    names = [f"{first} {last}".strip(), f"{last} {first}".strip()]
    is_one_word = all(unicodedata.name(one, "").startswith(_ONE_WORD) for one in first + last)
    return [*names, last + first] if is_one_word else names


def _in_moodle(name: str) -> str:
    """The words of a name, as they can be compared with those of a file in Moodle's zip."""
    # An accent behind what Moodle leaves out becomes one of the letter before it.
    words = _plain(_NOT_IN_MOODLE.sub("", _plain(name).replace("_", " "))).split()
    # What separates words belongs to none: "Babbage, Jr." and "Babbage Jr" are the same two.
    return " ".join(filter(None, (word.strip(",.") for word in words)))


def _names_in_canvas(student: Listed) -> list[str]:
    """What Canvas calls a student: the last name first, and all in one word."""
    first, last = _first_and_last(student)
    return [_in_canvas(last + first)]


def _in_canvas(name: str) -> str:
    return "".join(one for one in _plain(name) if unicodedata.category(one).startswith(_IN_CANVAS))


def _first_and_last(student: Listed) -> tuple[str, str]:
    return student.names.get("first_name", ""), student.names.get("last_name", "")


def _plain(name: str) -> str:
    """A name without what makes no other name of it: capitals, and the ways to write a letter."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _only_ones(names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The students by those of their names that nobody else has."""
    often = Counter(name for own in names.values() for name in {*own} if name)
    return {name: one for one, own in names.items() for name in own if often[name] == 1}


def _write(
    archive: zipfile.ZipFile, files: Mapping[str, zipfile.ZipInfo], folder: Path
) -> list[tuple[str, str]]:
    """Write what is taken of a student's files into a folder; what is not is named, with why."""
    room, left_out = ALL_BYTES, []
    for number, (name, entry) in enumerate(sorted(files.items(), key=_notebooks_first)):
        if reason := _why_not(name, entry, room, number):
            left_out.append((name, reason))
            continue
        try:
            room -= unpack(archive, entry, folder.joinpath(*PurePosixPath(name).parts))
        except (Damaged, FileExistsError):
            left_out.append((name, "it can't be unpacked"))
        except OSError as error:
            # Two of a student's files can be in each other's way, or a name too long to be made.
            raise_if_ours(error)
            left_out.append((name, "it can't be unpacked"))
    return left_out


def _notebooks_first(file: tuple[str, zipfile.ZipInfo]) -> tuple[bool, str]:
    return not is_notebook(file[0]), file[0]


def _why_not(name: str, entry: zipfile.ZipInfo, room: int, number: int) -> str:
    if name in _OURS:
        return "it is not for who hands in to say when that was, or which feedback is theirs"
    if not is_plain(name):
        return "its name has characters that are not allowed"
    if number >= MOST_FILES:
        return TOO_MANY
    if entry.compress_type not in _BOUNDED:
        return "it is packed in another way than platforms do, by deflate"
    size = entry.file_size
    return too_large(size, most_of(name)) or too_large_together(size, room)
