"""Moodle's and Canvas's zips come to the right students, and to nobody where that is in doubt."""

import errno
import re
import unicodedata
import zipfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import nbformat
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_notebook

from autograder.errors import GradingFailed
from autograder.grading.submitted_files import _LEAVINGS, MOST_FILES
from autograder.nbgrading.inbox.replacing import alone
from autograder.nbgrading.term import zip_hand_ins
from autograder.nbgrading.term.roster import Listed
from autograder.nbgrading.term.unpacking import unpack
from autograder.nbgrading.term.zip_hand_ins import Collected, _Who, collect_zip

pytestmark = pytest.mark.slow

LESSON, NOTEBOOK = "02_vectors", "02_vectors.ipynb"
ROSTER = [
    Listed("ada", {"first_name": "Ada", "last_name": "Lovelace", "lms_user_id": "1815"}),
    Listed("ben", {"first_name": "Ben", "last_name": "Babbage, Jr.", "lms_user_id": "1791"}),
    Listed("renee", {"first_name": "Renée", "last_name": "O'Brien", "lms_user_id": ""}),
    Listed("lei1", {"first_name": "雷", "last_name": "李"}),
    *(Listed(f"twin{n}", {"first_name": "Kim", "last_name": "Lee"}) for n in (1, 2)),
]


def notebook(answer: str = "def half(x): return x / 2", name: str = "half") -> bytes:
    """A lesson with one exercise, as the course has it and as it comes back."""
    marks = {"grade_id": name, "solution": True, "grade": False, "locked": False}
    cell = new_code_cell(answer, id=name, metadata={"nbgrader": {**marks, "schema_version": 3}})
    return str(nbformat.writes(new_notebook(cells=[cell]))).encode()


@pytest.fixture
def collect(tmp_path: Path):
    def collect(
        files: dict[str, bytes], *, update: bool = False, students: Sequence[Listed] = ROSTER
    ) -> Collected:
        with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
        (tmp_path / NOTEBOOK).write_bytes(notebook())
        submitted = tmp_path / "submitted"
        return collect_zip(
            tmp_path / "x.zip", tmp_path / NOTEBOOK, students, submitted, update=update
        )

    collect.submitted = tmp_path / "submitted"  # type: ignore[attr-defined]
    return collect


def there(collect) -> set[str]:
    root = collect.submitted
    return {str(path.relative_to(root)) for path in root.rglob("*") if path.is_file()}


@pytest.mark.parametrize(
    ("name", "student"),
    [
        (f"Ada Lovelace_4711_assignsubmission_file_/{NOTEBOOK}", "ada"),
        (f"Ada Lovelace_4711_assignsubmission_file/{NOTEBOOK}", "ada"),
        (f"Ada Lovelace_4711_assignsubmission_file_{NOTEBOOK}", "ada"),
        (f"Lovelace Ada_4711_assignsubmission_file_/{NOTEBOOK}", "ada"),
        (f"Ben Babbage, Jr._1_assignsubmission_file_/{NOTEBOOK}", "ben"),
        (f"BEN  Babbage Jr_1_assignsubmission_file_/{NOTEBOOK}", "ben"),
        (f"Renée O'Brien_1_assignsubmission_file_/{NOTEBOOK}", "renee"),
        (f"Renée OBrien_1_assignsubmission_file_/{NOTEBOOK}", "renee"),
        (f"Rene\u0301e O'Brien_1_assignsubmission_file_/{NOTEBOOK}", "renee"),
        (f"李 雷_1_assignsubmission_file_/{NOTEBOOK}", "lei1"),
        (f"李雷_1_assignsubmission_file_/{NOTEBOOK}", "lei1"),
        (f"lovelaceada_1815_990_{NOTEBOOK}", "ada"),
        (f"lovelaceada_LATE_1815_990_{NOTEBOOK}", "ada"),
        (f"nobody_1791_990_{NOTEBOOK}", "ben"),
        (f"leekim_1791_990_{NOTEBOOK}", "ben"),
        (f"obrienrenée_77_990_{NOTEBOOK}", "renee"),
        (f"ada/{NOTEBOOK}", "ada"),
    ],
)
def test_whose_it_is(collect, name: str, student: str) -> None:
    late = ["ada"] if "LATE" in name else []
    assert collect({name: b"{}"}) == Collected([student], [], [], late=late)
    assert there(collect) == {f"{student}/{LESSON}/{NOTEBOOK}"}


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            f"Kim Lee_1_assignsubmission_file_/{NOTEBOOK}",
            "or more than one, who is Kim Lee",
        ),
        (f"Eve_1_assignsubmission_file_/{NOTEBOOK}", "nobody, or more than one, who is Eve"),
        (f"eve_666_990_{NOTEBOOK}", "nobody, or more than one, who is eve (666)"),
        (f"lovelaceada_666_990_{NOTEBOOK}", "or more than one, who is lovelaceada (666)"),
        (f"lovelaceada_1791_990_{NOTEBOOK}", "its name is ada's, and its number ben's"),
        (f"obrienrenée_1791_990_{NOTEBOOK}", "its name is renee's, and its number ben's"),
        (f"eve/{NOTEBOOK}", "its name does not say whose it is"),
        (NOTEBOOK, "its name does not say whose it is"),
        (f"../ada/{NOTEBOOK}", "its name does not say whose it is"),
    ],
)
def test_what_is_nobodys_is_set_aside(collect, name: str, why: str) -> None:
    found = collect({name: b"{}", f"ada/{NOTEBOOK}": b"{}"})
    assert found.taken == ["ada"]
    (said,) = found.aside
    assert why in said
    assert there(collect) == {f"ada/{LESSON}/{NOTEBOOK}"}


# Two people each, of whom the roster has the first: by first name and last name.
OTHERS = {
    "other words": (("Anna", "Li"), ("An", "Nali")),
    "one word": (("Anna", "Li"), ("Annali", "")),
    "hyphen": (("Anna-Li", "Berg"), ("Anna Li", "Berg")),
    "Devanagari": (("राम", "शर्मा"), ("रमा", "शर्मा")),
    "Thai": (("ปี", "สุข"), ("ปู", "สุข")),
    "Tamil": (("குமார்", "ராஜா"), ("குமாரி", "ராஜா")),
    "Arabic": (("عُمَر", "علي"), ("عَمْر", "علي")),
    "Hebrew": (("דָּן", "לוי"), ("דִּין", "לוי")),
    "accent": (("Rene", "Roy"), ("René", "Roy")),
}


def in_moodle(first: str, last: str, number: int = 4711) -> str:
    """A file as Moodle calls it, whose clean_filename() leaves some characters out."""
    name = re.sub(r"[&<>\"`|':\\/]", "", f"{first} {last}".strip().replace("_", " "))
    return f"{name}_{number}_assignsubmission_file/{NOTEBOOK}"


def in_canvas(first: str, last: str, number: int = 77) -> str:
    """A file as Canvas calls it, which leaves out what is in no word to Ruby."""
    name = "".join(one for one in (last + first).lower() if unicodedata.category(one) in WORD)
    return f"{name}_{number}_990_{NOTEBOOK}"


WORD = {"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Pc"}


@pytest.mark.parametrize("kind", OTHERS)
def test_another_name_is_another_person(collect, kind: str) -> None:
    """Spaces and vowel signs were left out, and Nali's file was taken for Li's."""
    (first, last), other = OTHERS[kind]
    students = [Listed("known", {"first_name": first, "last_name": last})]
    # What Canvas leaves out of a name nobody can see in a file of its.
    platforms = [in_moodle] if kind in ("one word", "hyphen") else [in_moodle, in_canvas]
    for called in platforms:
        assert collect({called(*other): b"{}"}, students=students).taken == []
        assert there(collect) == set()
    for called in platforms:
        found = collect({called(first, last): b"{}"}, students=students)
        assert [*found.taken, *found.there] == ["known"]


ALIKE = {
    "apostrophe": (("Renée", "O'Brien"), ("Renée", "OBrien")),
    "capitals": (("Ada", "de Byron"), ("ADA", "DE BYRON")),
    "order": (("Kim", "Lee"), ("Lee", "Kim")),
    "where a name ends": (("Anna Li", "Berg"), ("Anna", "Li Berg")),
    "in one word": (("修", "欧阳"), ("阳修", "欧")),
    "width": (("Ａda", "Byron"), ("Ada", "Byron")),
}


@pytest.mark.parametrize("kind", ALIKE)
def test_who_is_alike_on_a_platform_is_not_guessed(collect, kind: str) -> None:
    students = [
        Listed(f"one{place}", {"first_name": first, "last_name": last})
        for place, (first, last) in enumerate(ALIKE[kind])
    ]
    names = {called(*one) for called in (in_moodle, in_canvas) for one in ALIKE[kind]}
    if kind == "order":
        names = {in_moodle(*one) for one in ALIKE[kind]}
    elif kind == "in one word":
        names = {"欧阳修_4711_assignsubmission_file/" + NOTEBOOK, in_canvas("修", "欧阳")}
    elif kind == "where a name ends":
        names = {in_moodle("Anna Li", "Berg")}
    for name in names:
        found = collect({name: b"{}"}, students=students)
        assert not found.taken
        assert "the roster has nobody, or more than one, who is" in found.aside[0]


a_word = st.text(st.sampled_from("anliANé\u0301'-_,. ि่"), min_size=1, max_size=6)


@example(("A", "Á"), ("A", "A'\u0301"))
@example(("A", "A'\u0301"), ("A", "Á"))
@given(st.tuples(a_word, a_word), st.tuples(a_word, a_word))
def test_names_are_the_same_by_their_words_alone(one, other) -> None:
    """Whatever two people are called, a file is taken for the other's where Moodle can't tell."""

    def words(first: str, last: str) -> list[str]:
        written = unicodedata.normalize("NFKC", f"{first} {last}").casefold()
        # An accent behind an apostrophe is then one of the letter before it.
        written = unicodedata.normalize("NFKC", written.replace("'", ""))
        parts = written.replace("_", " ").split()
        return [part.strip(",.") for part in parts if part.strip(",.")]

    first, last = one
    who = _Who([Listed("known", {"first_name": first, "last_name": last})])
    is_same = words(*other) in (words(first, last), words(last, first))
    path = in_moodle(*other)
    assume(not path.startswith(("_", " ")) and words(*other))
    assert (who.of(path).student == "known") == is_same


@pytest.mark.parametrize(
    ("own", "others"),
    [
        ("Ada Lovelace_4711_assignsubmission_file_/", "Ada Lovelace_4712_assignsubmission_file_/"),
        ("Ada Lovelace_4711_assignsubmission_file_/", "lovelace ADA_9_assignsubmission_file_"),
        ("obrienrenée_77_990_", "obrienrenée_78_991_"),
    ],
)
@pytest.mark.parametrize("name", [NOTEBOOK, "numpy.py"])
def test_who_takes_anothers_name_hands_in_for_nobody(
    collect, own: str, others: str, name: str
) -> None:
    for first, second in ((own, others), (others, own)):
        files = {f"{first}{NOTEBOOK}": b"{}", f"{second}{name}": b"0", f"ben/{NOTEBOOK}": b"{}"}
        found = collect(files, update=True)
        assert [*found.taken, *found.there] == ["ben"]
        assert len(found.aside) == 2
        assert all("several accounts are named as if" in said for said in found.aside)
    assert there(collect) == {f"ben/{LESSON}/{NOTEBOOK}"}


def test_several_files_and_what_nobody_unpacks(collect) -> None:
    files = {
        f"ada/{NOTEBOOK}": b"{}", "ada/data/x.csv": b"1", "ada/../../evil.txt": b"1",
        "ada/a\x1bb.txt": b"1", "ada//etc/passwd": b"1", "ada/big.bin": b"0" * 10_000_001,
        "ada/data": b"in the way",
    }  # fmt: skip
    found = collect(files)
    kept = {f"ada/{LESSON}/{NOTEBOOK}", f"ada/{LESSON}/data"}
    assert there(collect) in (kept, {*kept, f"ada/{LESSON}/data/x.csv"} - {f"ada/{LESSON}/data"})
    assert len(found.aside) == 5
    assert any("big.bin is left out: it has 10.1 MB, and 10 MB are the most" in one
               for one in found.aside)  # fmt: skip
    assert all(one.isprintable() for one in found.aside)


def test_files_that_are_too_large_together(collect) -> None:
    many = {f"ada/{number:02}.bin": b"0" * 9_800_000 for number in range(11)}
    found = collect({f"ada/{NOTEBOOK}": b"{}", **many})
    last = "ada: 10.bin is left out: it has 9.8 MB, and the other files leave 2 MB"
    assert found.aside == [last]


# Of one, two, three and four bytes, as long as a name may be in letters and beyond.
LETTERS = ["a", "é", "界", "𠀀"]


@pytest.mark.parametrize("letter", LETTERS)
@pytest.mark.parametrize("length", [50, 60, 63, 64, 80, 85, 86, 100, 101, 120, 130, 150, 260])
def test_name_that_can_not_be_made_costs_itself(collect, letter: str, length: int) -> None:
    """A file system counts bytes, and who has packed the zip counted letters."""
    long = letter * length
    odd = [long, f"{long}.ipynb", f"{long}/x.csv", f"a/{long}/x.csv", "/".join([long] * 19)]
    files = {f"ada/{name}": b"1" for name in odd}
    found = collect({**files, f"ada/{NOTEBOOK}": b"{}", f"ben/{NOTEBOOK}": b"{}"})
    assert found.taken == ["ada", "ben"]
    assert {f"{student}/{LESSON}/{NOTEBOOK}" for student in found.taken} <= there(collect)
    # What is taken is taken by its name, and of the rest each is told.
    assert len(there(collect)) + len(found.aside) == len(odd) + 2


def test_what_is_there_stays_unless_asked(collect) -> None:
    collect({f"{student}/{NOTEBOOK}": b"old" for student in ("ada", "ben", "lei1")})
    too_large = b"0" * 100_000_001
    again = {"ada": b"new", "ben": b"old", "lei1": too_large}
    found = collect({f"{student}/{NOTEBOOK}": content for student, content in again.items()})
    assert found == Collected([], ["ben"], [], differing=["ada", "lei1"])
    path = collect.submitted / "ada" / LESSON / NOTEBOOK
    assert path.read_bytes() == b"old"
    assert collect({f"ada/{NOTEBOOK}": b"new"}, update=True).taken == ["ada"]
    assert path.read_bytes() == b"new"


def file_in_its_place(lesson: Path) -> None:
    lesson.parent.mkdir(parents=True)
    lesson.write_text("mine")


def file_in_the_students_place(lesson: Path) -> None:
    lesson.parent.parent.mkdir(parents=True, exist_ok=True)
    lesson.parent.write_text("mine")


@pytest.mark.parametrize("update", [False, True])
@pytest.mark.parametrize("make", [file_in_its_place, file_in_the_students_place])
def test_what_lies_there_costs_nobody_else(
    collect, make: Callable[[Path], None], update: bool
) -> None:
    make(collect.submitted / "ada" / LESSON)
    found = collect({f"ada/{NOTEBOOK}": b"{}", f"ben/{NOTEBOOK}": b"{}"}, update=update)
    assert found.taken == ["ben"]
    assert not [name for name in there(collect) if "arriving" in name]


@pytest.mark.parametrize("mark", ["_assignsubmission_file_", "_assignsubmission_file_x/"])
def test_name_with_the_platforms_own_mark_is_nobodys(collect, mark: str) -> None:
    """Who calls herself so hands in for somebody else, whose number she knows."""
    name = f"Ada Lovelace_4711{mark}x_4712_assignsubmission_file_/{NOTEBOOK}"
    found = collect({name: b"{}"})
    assert found.taken == []
    assert "can be read in more than one way" in found.aside[0]


# Names that people chose on Canvas, as its own code makes files' names of them.
TWICE = [
    f"lovelaceada_1815_99_x_666_991_{NOTEBOOK}",
    f"lovelaceada_1815_99_x_LATE_666_991_{NOTEBOOK}",
    f"lovelaceada_1815_666_991_{NOTEBOOK}",
    f"obrienrenée_77_99_x_666_991_{NOTEBOOK}",
    f"李雷_1_assignsubmission_file_x_666_991_{NOTEBOOK}",
]


@pytest.mark.parametrize("name", TWICE)
def test_name_with_canvas_ids_is_nobodys(collect, name: str) -> None:
    """Eve, whose number is 666, handed in for Ada, and her LATE was a part of a file's name."""
    found = collect({name: notebook(), f"ben/{NOTEBOOK}": b"{}"}, update=True)
    assert (found.taken, found.late) == (["ben"], [])
    assert found.aside == [f"{name} is set aside: its name can be read in more than one way"]


def test_ids_of_canvas_do_not_begin_with_0(collect) -> None:
    """So what does is a part of a name that somebody chose, and the ids stand further on."""
    found = collect({f"obrienrenée_07_09_x_666_991_{NOTEBOOK}": notebook()})
    assert not found.taken
    assert "its name does not say whose it is" in found.aside[0]


@pytest.mark.parametrize(
    "file",
    [NOTEBOOK, "02_vectors-1.ipynb", "x-1.ipynb", "2024_results.csv", "v2_final_3.ipynb", "a1.csv",
     "02_03_vectors.ipynb", "data_2024_run.csv"],
)  # fmt: skip
def test_digits_in_the_name_of_a_file_are_no_ids(collect, file: str) -> None:
    is_read_twice = file.startswith("2024_")
    for number in ("1815", "LATE_1815"):
        found = collect({f"lovelaceada_{number}_990_{file}": b"{}"}, update=True)
        assert (not [*found.taken, *found.there]) == is_read_twice
    assert (f"ada/{LESSON}/{file}" in there(collect)) != is_read_twice


@pytest.mark.parametrize("file", ["1_intro.ipynb", "1_intro-2.ipynb"])
def test_lesson_whose_name_begins_with_an_id_is_taken(file: str) -> None:
    assert _Who(ROSTER, "1_intro").of(f"lovelaceada_1815_990_{file}").student == "ada"
    assert not _Who(ROSTER, "1_intro").of(f"lovelaceada_1815_666_991_{file}").student


def test_secret_is_not_taken(collect) -> None:
    """Under a copied one, a student's page of feedback would take the place of another's."""
    secret = "submission_secret.txt"
    files = {f"ada/{NOTEBOOK}": b"{}", f"ada/{secret}": b"ben's"}
    found = collect(files)
    assert found.taken == ["ada"]
    assert there(collect) == {f"ada/{LESSON}/{NOTEBOOK}"}
    assert f"{secret} is left out: it is not for who hands in to say" in found.aside[0]
    # What `nbgrader submit` has put beside the same stays.
    (collect.submitted / "ada" / LESSON / secret).write_bytes(b"ada's")
    assert collect(files, update=True).there == ["ada"]
    assert f"ada/{LESSON}/{secret}" in there(collect)


def test_time_written_by_hand_stays_with_what_it_was_written_for(collect) -> None:
    collect({f"{student}/{NOTEBOOK}": b"old" for student in ("ada", "ben")})
    for student in ("ada", "ben"):
        (collect.submitted / student / LESSON / "timestamp.txt").write_text("2030-01-01 12:00:00")
    again = {f"ada/{NOTEBOOK}": b"old", f"ben/{NOTEBOOK}": b"new"}
    found = collect(again, update=True)
    assert (found.taken, found.there, found.untimed) == (["ben"], ["ada"], ["ben"])
    assert f"ada/{LESSON}/timestamp.txt" in there(collect)
    assert f"ben/{LESSON}/timestamp.txt" not in there(collect)


@pytest.mark.parametrize("files", [{}, {"notes.csv": b"1"}])
def test_notebook_that_is_left_out_takes_nothing_away(collect, files: dict[str, bytes]) -> None:
    """A second download broke, or holds what is too large: what was graded is still there."""
    collect({f"ada/{NOTEBOOK}": b"old", f"ben/{NOTEBOOK}": b"old"})
    before = there(collect)
    again = {f"ada/{name}": content for name, content in files.items()}
    again |= {f"ada/{NOTEBOOK}": b"0" * 100_000_001, f"ben/{NOTEBOOK}": b"new"}
    found = collect(again, update=True)
    assert (found.taken, found.there) == (["ben"], [])
    assert found.aside[1] == "ada: what was there stays, since a notebook is left out"
    assert there(collect) == before
    assert not any(path.name.startswith(".") for path in collect.submitted.rglob("*"))
    for student, content in (("ada", b"old"), ("ben", b"new")):
        assert (collect.submitted / student / LESSON / NOTEBOOK).read_bytes() == content


@pytest.mark.parametrize(
    "name", [*(f"{one}/{NOTEBOOK}" for one in sorted(_LEAVINGS)), f"._{NOTEBOOK}"]
)
def test_what_systems_leave_beside_files_is_nobodys(collect, name: str) -> None:
    """It is not told, takes nothing's place, and holds nothing up."""
    ours, moodles = f"ada/{NOTEBOOK}", in_moodle("Ben", "Babbage, Jr.")
    beside = {f"{one.removesuffix(NOTEBOOK)}{name}": b"" for one in (ours, moodles)}
    for content in (b"old", b"new"):
        handed_in = {ours: content, moodles: content}
        found = collect({**handed_in, **beside}, update=True)
        assert found == Collected(["ada", "ben"], [], [])
        assert there(collect) == {f"{one}/{LESSON}/{NOTEBOOK}" for one in ("ada", "ben")}
    path = collect.submitted / "ada" / LESSON / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(b"of whoever has opened it here")
    assert collect(handed_in).there == ["ada", "ben"]


def test_notebook_comes_before_whatever_takes_its_room(collect) -> None:
    many = {f"ada/{number:04}.txt": b"1" for number in range(MOST_FILES)}
    collect({**many, f"ada/{NOTEBOOK}": b"{}"})
    assert f"ada/{LESSON}/{NOTEBOOK}" in there(collect)


def test_collecting_that_fails_leaves_no_lock(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="full"), alone(tmp_path / "submitted"):
        raise OSError("the disk is full")
    assert [path.name for path in tmp_path.iterdir()] == ["submitted"]


@pytest.mark.parametrize("full_for", ["ada", "ben"])
def test_disk_that_fails_says_who_was_taken(
    collect, monkeypatch: pytest.MonkeyPatch, full_for: str
) -> None:
    def unpack_until_full(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, path: Path) -> int:
        if entry.filename.startswith(full_for):
            raise OSError(errno.ENOSPC, "No space left on device")
        return unpack(archive, entry, path)

    files = {f"ada/{NOTEBOOK}": b"{}", f"ben/{NOTEBOOK}": b"{}"}
    with monkeypatch.context() as patch:
        patch.setattr(zip_hand_ins, "unpack", unpack_until_full)
        with pytest.raises(GradingFailed) as told:
            collect(files)
    taken = [] if full_for == "ada" else ["ada"]
    assert str(told.value) == (
        f"{collect.submitted / full_for / LESSON} can't be written (No space left on device): "
        f"taken before that was {', '.join(taken) or 'nobody'}; put that right, as by making "
        "room, and collect again"
    )
    assert there(collect) == {f"{one}/{LESSON}/{NOTEBOOK}" for one in taken}
    assert not [*collect.submitted.rglob("*arriving*")]
    again = collect(files)
    assert (again.there, [*again.there, *again.taken]) == (taken, ["ada", "ben"])


def test_nobody_collects_beside_another(collect) -> None:
    with alone(collect.submitted), pytest.raises(GradingFailed, match="another program is coll"):
        collect({f"ada/{NOTEBOOK}": b"{}"})
    assert there(collect) == set()
    assert collect({f"ada/{NOTEBOOK}": b"{}"}).taken == ["ada"]


@pytest.mark.parametrize("packed", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_unpacks_without_bounds_is_left_out(tmp_path: Path, packed: int) -> None:
    """bzip2 and LZMA give all that there is in what they are given, however little is wanted."""
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(f"ben/{NOTEBOOK}", b"{}")
        archive.writestr(f"ada/{NOTEBOOK}", b"{}", compress_type=packed)
        archive.writestr("ada/zeros.txt", b"0" * 1_000_000, compress_type=packed)
    (tmp_path / NOTEBOOK).write_bytes(notebook())
    found = collect_zip(
        tmp_path / "x.zip", tmp_path / NOTEBOOK, ROSTER, tmp_path / "submitted", update=False
    )
    assert "ben" in found.taken
    assert len(found.aside) == 2
    assert all("packed in another way than platforms do" in one for one in found.aside)


def test_size_is_counted_and_not_believed(collect, tmp_path: Path) -> None:
    """A file that says that it is small, and is a bomb."""
    collect({f"ada/{NOTEBOOK}": b"0" * 30_000_000})
    zipped = bytearray((tmp_path / "x.zip").read_bytes())
    size = (30_000_000).to_bytes(4, "little")
    assert zipped.count(size) == 2
    (tmp_path / "lie.zip").write_bytes(zipped.replace(size, (10).to_bytes(4, "little")))
    submitted = tmp_path / "elsewhere"
    found = collect_zip(tmp_path / "lie.zip", tmp_path / NOTEBOOK, ROSTER, submitted, update=False)
    assert found.aside == [f"ada: {NOTEBOOK} is left out: it can't be unpacked"]
    assert not any(path.is_file() for path in submitted.rglob("*"))


@pytest.mark.parametrize("packed", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_damage_costs_what_is_damaged(tmp_path: Path, packed: int) -> None:
    """Wherever a zip is damaged, as by a download that broke, no other student pays for it.

    One whose list of files is damaged is none.
    """
    with zipfile.ZipFile(tmp_path / "x.zip", "w", packed) as archive:
        for name in (f"ada/{NOTEBOOK}", "ada/é.csv", f"ben/{NOTEBOOK}"):
            archive.writestr(name, b"{}" * 20)
    sound = (tmp_path / "x.zip").read_bytes()
    read = 0
    for place in range(0, len(sound), 13):
        damaged = bytearray(sound)
        damaged[place : place + 2] = b"\xff\xff"
        (tmp_path / "y.zip").write_bytes(damaged)
        with suppress(GradingFailed):
            submitted = tmp_path / f"submitted-{place}"
            found = collect_zip(
                tmp_path / "y.zip", tmp_path / NOTEBOOK, ROSTER, submitted, update=True
            )
            read += 1
            assert found.taken or found.aside
    assert read > 9


def test_no_zip(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(b"PK")
    said = {"x.zip": "x.zip can't be read as a zip", "none.zip": "there is no file .*none.zip"}
    for name, sentence in said.items():
        with pytest.raises(GradingFailed, match=sentence):
            collect_zip(tmp_path / name, tmp_path / NOTEBOOK, ROSTER, tmp_path, update=False)


@pytest.mark.parametrize(
    "newer",
    [
        {NOTEBOOK: notebook()[:-30]},
        {NOTEBOOK: b""},
        {NOTEBOOK: notebook().decode().encode("utf-16")},
        {NOTEBOOK: notebook(name="double")},
        {NOTEBOOK: b"[" * 100_000},
        {"answers.pdf": b"%PDF"},
        {"one.ipynb": notebook(), "other.ipynb": notebook("def half(x): return x * 0.5")},
    ],
    ids=["cut off", "empty", "UTF-16", "another lesson's", "deep", "no notebook", "two"],
)
def test_what_could_not_be_graded_takes_the_place_of_nothing_that_can(
    collect, newer: dict[str, bytes]
) -> None:
    """A student's sound hand-in, and with it their points, was gone with a download that broke."""
    folder = collect.submitted / "ada" / LESSON
    collect({f"ada/{NOTEBOOK}": notebook()})
    files = {f"ada/{name}": content for name, content in newer.items()}
    found = collect(files, update=True)
    assert not found.taken
    (sentence,) = found.aside
    assert sentence.startswith("ada: what was there stays: of what is new, ")
    assert (folder / NOTEBOOK).read_bytes() == notebook()
    assert there(collect) == {f"ada/{LESSON}/{NOTEBOOK}"}
    # What can't be graded either gives way, and so does everything to what can be.
    (folder / NOTEBOOK).write_bytes(b"{")
    assert collect(files, update=True).taken == ["ada"]
    better = {f"ada/{NOTEBOOK}": notebook("def half(x): return 0.5 * x")}
    assert collect(better, update=True).taken == ["ada"]


HALF = {
    "cut off": notebook()[:-30],
    "empty": b"",
    "not in UTF-8": b"\xff\xfe\x00",
    "another form": b"[]",
    "without cells": b'{"nbformat": 4}',
    "cells that are none": b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [3]}',
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("kind", HALF)
def test_lesson_that_is_half_written_is_named(tmp_path: Path, kind: str) -> None:
    """Somebody builds, or copies, the instructor's notebook just then."""
    asked, submitted = tmp_path / NOTEBOOK, tmp_path / "submitted"
    asked.write_bytes(HALF[kind])
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(f"ada/{NOTEBOOK}", notebook())
    with pytest.raises(GradingFailed) as error:
        collect_zip(tmp_path / "x.zip", asked, ROSTER, submitted, update=True)
    said = str(error.value)
    assert said.startswith(f"{asked} can't be read as a notebook (")
    assert said.endswith("build the lesson again")
    assert "\n" not in said
    assert not [*submitted.rglob("*")]
