"""Records and pages without a gradebook are those of nbgrader's way."""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_notebook

from autograder.checks.source.cells import grade_id_of
from autograder.course import Course
from autograder.errors import GradingFailed, RenderingFailed
from autograder.grading.apart import apart
from autograder.grading.exam_seed import digest_of_seed, exam_seed_of
from autograder.grading.record import VERSION, Record
from autograder.nbgrading.configuration import configuration, nbgrader_api
from autograder.nbgrading.pages import records
from autograder.nbgrading.pages.records import (
    Submitted,
    closed_in,
    grade_to_records,
    nothing_in,
    submitted_in,
)
from tests.support.anybody import as_anybody
from tests.support.course import COURSE, ROOT
from tests.support.graded_class import STUDENTS, class_of_twelve
from tests.support.samples import make_cell
from tests.support.tiny_course import LESSON, tiny_course

pytestmark = pytest.mark.slow

# Each kind of student once.
NAMES = [f"student{number:02}" for number in range(len(STUDENTS) // 2)]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course in which each kind was graded in nbgrader's way."""
    root = class_of_twelve(tmp_path_factory.mktemp("records") / "course")
    api = nbgrader_api(configuration(Course(root), root))
    for student in sorted(path.name for path in (root / "submitted").iterdir())[: len(NAMES)]:
        assert api.autograde(LESSON, student)["success"]
        assert api.generate_feedback(LESSON, student)["success"]
    return root


def graded(root: Path, out: Path, *, force: bool = False) -> list[Submitted]:
    """Grade into a folder those that nbgrader has graded."""
    course = Course(root)
    known = {path.parent.name for path in (root / "autograded").glob(f"*/{LESSON}")}
    some = [one for one in submitted_in(course, root / "submitted", out) if one.student in known]
    return [one for one, *_ in grade_to_records(course, some, isolation="full", force=force)]


def without_times(path: Path) -> dict[str, Any]:
    record: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for part in (record, *record["cells"]):
        del part["seconds"]
    return {name: part for name, part in record.items() if name != "time"}


@pytest.mark.long
def test_both_ways_agree(root: Path, tmp_path: Path) -> None:
    submitted = graded(root, tmp_path)
    assert len(submitted) == len(NAMES)
    for one in submitted:
        usual = root / "autograded" / one.student / LESSON / one.record.name
        assert without_times(one.record) == without_times(usual)
        page = (one.to / f"{LESSON}.html").read_text(encoding="utf-8")
        feedback = root / "feedback" / one.student / LESSON / f"{LESSON}.html"
        assert page == feedback.read_text(encoding="utf-8")


@pytest.mark.long
def test_what_is_graded_is_left_alone(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, *_ = graded(root, tmp_path)
    second.record.write_text("{", encoding="utf-8")
    again: list[str] = []
    grade = records._grade

    def noted(one: Submitted, *args: Any) -> Any:
        again.append(one.student)
        return grade(one, *args)

    monkeypatch.setattr(records, "_grade", noted)
    before = first.record.stat().st_mtime_ns
    graded(root, tmp_path)
    assert again == [second.student]
    assert first.record.stat().st_mtime_ns == before
    assert json.loads(second.record.read_text(encoding="utf-8"))["version"] == 1


LIMITS_ONLY = "isolation none: limits only"


@pytest.mark.parametrize(
    ("written", "asked", "is_kept"),
    [
        ({}, "full", True),
        ({}, "none", True),
        ({"isolation": LIMITS_ONLY}, "full", False),
        ({"isolation": ""}, "full", False),
        ({"isolation": LIMITS_ONLY}, "none", True),
        ({"exam_seed": digest_of_seed(7)}, "full", False),
        ({"exam_seed": ""}, "full", True),
        ({"source": "another notebook"}, "full", False),
        ({"source": ""}, "full", True),
    ],
)
def test_what_was_graded_otherwise_is_graded_anew(
    root: Path, tmp_path: Path, written: dict[str, str], asked: str, is_kept: bool
) -> None:
    """With fewer walls, other hidden cases or another notebook of the instructor's.

    An earlier program's record does not tell these.
    """
    some = submitted_in(Course(root), root / "submitted", tmp_path)[:1]
    record = some[0].record

    def grade(isolation: str) -> dict[str, Any]:
        list(grade_to_records(Course(root), some, isolation=isolation, force=False))
        found: dict[str, Any] = json.loads(record.read_text(encoding="utf-8"))
        return found

    first = grade("full")
    assert str(exam_seed_of(root)) not in record.read_text(encoding="utf-8")
    record.write_text(json.dumps(first | written), encoding="utf-8")
    again, meant = grade(asked), first | (written if is_kept else {})
    for name in ("isolation", "exam_seed", "source"):
        assert again[name] == meant[name]


@pytest.mark.long
def test_a_notebook_may_lie_in_the_students_folder(root: Path, tmp_path: Path) -> None:
    name = f"{LESSON}.ipynb"
    content = min((root / "submitted").glob(f"*/{LESSON}/{name}")).read_bytes()
    (tmp_path / "in" / "zoe").mkdir(parents=True)
    (tmp_path / "in" / "zoe" / name).write_bytes(content)
    (tmp_path / "in" / "zoe" / "other.ipynb").write_text("{}")
    (tmp_path / "in" / "note.txt").touch()
    (one,) = submitted_in(Course(root), tmp_path / "in", tmp_path / "out")
    assert (one.student, one.lesson) == ("zoe", LESSON)
    ((_, result),) = grade_to_records(Course(root), [one], isolation="full", force=False)
    assert Record.read(one.record).remarks == ()
    assert len(result.to_read) == 1


def test_what_is_of_no_lesson_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its name it could be of any, and for each lesson it would be read again."""
    looks: list[object] = []

    def counted(*args: Any) -> Any:
        looks.append(args)
        return apart(*args)

    monkeypatch.setattr("autograder.nbgrading.inbox.which_notebook.apart", counted)
    cell = {"cell_type": "code", "source": "def f(): pass", "metadata": {}, "outputs": []}
    cell["metadata"] = {"nbgrader": {"grade_id": "nobody's", "solution": True}}
    (tmp_path / "in" / "eve").mkdir(parents=True)
    (tmp_path / "in" / "eve" / "my work.ipynb").write_text(json.dumps({"cells": [cell]}))
    assert len(COURSE.lessons()) > 1
    with pytest.raises(GradingFailed, match="no submission to a lesson of this course"):
        submitted_in(COURSE, tmp_path / "in", tmp_path / "out")
    assert len(looks) == 1
    for lesson in COURSE.lessons():
        (tmp_path / "in" / "eve" / lesson).mkdir()
    found = submitted_in(COURSE, tmp_path / "in", tmp_path / "out")
    assert [one.is_loose for one in found] == [False] * len(COURSE.lessons())
    assert len(looks) == 2


@pytest.fixture(scope="module")
def lessons(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course of the tiny lesson and of another one that has cells of other names."""
    root = tmp_path_factory.mktemp("lessons")
    (root / "source" / "other").mkdir(parents=True)
    cell = make_cell("code", "def halve(x): pass", "halve", solution=True)
    nbformat.write(new_notebook(cells=[cell]), root / "source" / "other" / "other.ipynb")
    tiny_course(root)
    return root


def copy(root: Path, double: str = "") -> bytes:
    """The tiny lesson as it was given out, or with one answer."""
    path = root / "notebooks" / LESSON / f"{LESSON}.ipynb"
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.source = double if double and grade_id_of(cell) == "double" else cell.source
    return str(nbformat.writes(notebook)).encode()


OWN, LOOSE, AGAIN = f"{LESSON}/{LESSON}.ipynb", f"{LESSON}.ipynb", f"{LESSON} (1).ipynb"
BOTH = "could each be meant: only one can count"


@pytest.mark.parametrize(
    ("files", "taken"),
    [
        ({OWN: "one = 1", LOOSE: "", "other.ipynb": "two = 2"}, OWN),
        ({OWN: "one = 1", LOOSE: "one = 1", AGAIN: "one = 1"}, OWN),
        ({OWN: "one = 1", LOOSE: "two = 2"}, f"{OWN} and {LOOSE} {BOTH}"),
        ({OWN: "one = 1", AGAIN: "two = 2"}, f"{OWN} and {AGAIN} {BOTH}"),
        ({f"{LESSON}/.ipynb_checkpoints/{AGAIN}": "one = 1", LOOSE: "two = 2"}, LOOSE),
        ({f"{LESSON}/notes.txt": "", LOOSE: "two = 2"}, LOOSE),
        ({f"{LESSON}/notes.txt": "", AGAIN: "two = 2"}, AGAIN),
        ({OWN: "", LOOSE: "two = 2"}, LOOSE),
        ({OWN: "", AGAIN: "two = 2"}, AGAIN),
        ({OWN: "", LOOSE: ""}, OWN),
        ({LOOSE: "one = 1", **{f"other/{n}.ipynb": "two = 2" for n in range(11)}}, LOOSE),
        ({AGAIN: "one = 1", "mine.ipynb": "two = 2"}, f"mine.ipynb and {AGAIN} {BOTH}"),
    ],
)
def test_what_lies_beside_a_lessons_folder_is_seen(
    lessons: Path, tmp_path: Path, files: dict[str, str], taken: str
) -> None:
    for name, double in files.items():
        (tmp_path / "in" / "ada" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / "ada" / name).write_bytes(copy(lessons, double))
    course = Course(lessons)
    found = submitted_in(course, tmp_path / "in", tmp_path / "out")
    (one,) = (one for one in found if one.lesson == LESSON)
    _, submission, _ = records._job(course, one, "none")
    place = one.folder.relative_to(tmp_path / "in" / "ada") / submission.name
    assert (submission.why_not or str(place)) == taken


def test_other_answers_beside_a_lessons_folder_are_another_submission(
    lessons: Path, tmp_path: Path
) -> None:
    course, digests = Course(lessons), set()
    for double in ("two = 2", "three = 3"):
        for name, text in ((OWN, "one = 1"), (LOOSE, double)):
            (tmp_path / "in" / "ada" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "in" / "ada" / name).write_bytes(copy(lessons, text))
        (one,) = submitted_in(course, tmp_path / "in", tmp_path / "out")
        digests.add(records._job(course, one, "none")[1].digest)
    assert len(digests) == 2


def test_whose_folder_has_no_submission_is_named(lessons: Path, tmp_path: Path) -> None:
    for name in ("ada/tiny.ipynb", "eve\nx/download/tiny.ipynb", "__MACOSX/ada/._tiny.ipynb"):
        (tmp_path / "in" / name).parent.mkdir(parents=True)
        (tmp_path / "in" / name).write_bytes(copy(lessons, "one = 1"))
    found = submitted_in(Course(lessons), tmp_path / "in", tmp_path / "out")
    (said,) = nothing_in(tmp_path / "in", found)
    assert said.startswith("eve?x has no submission to a lesson of this course in ")
    assert said.isprintable()
    assert nothing_in(tmp_path / "in", found, "ada") == []


def test_newer_record_is_not_graded_over_unasked(root: Path, tmp_path: Path) -> None:
    one, *_ = submitted_in(Course(root), root / "submitted", tmp_path)
    one.to.mkdir(parents=True)
    one.record.write_text(newer := json.dumps({"version": VERSION + 1}))
    ((_, result),) = grade_to_records(Course(root), [one], isolation="full", force=False)
    assert result.failure.startswith(f"the record {one.record} is of a newer version")
    assert one.record.read_text() == newer


def test_what_fails_costs_one_submission(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = submitted_in(Course(root), root / "submitted", tmp_path)[:3]
    page = records._page

    def failing(*args: Any) -> str:
        monkeypatch.setattr(records, "_page", page)
        raise RenderingFailed("no page")

    monkeypatch.setattr(records, "_page", failing)
    results = [one for _, one in grade_to_records(Course(root), some, isolation="full", force=True)]
    assert [one.failure for one in results] == ["no page", "", ""]
    assert [one.record.exists() for one in some] == [False, True, True]
    kept = [one for _, one in grade_to_records(Course(root), some, isolation="full", force=False)]
    assert kept[1:] == results[1:]
    assert not kept[0].failure


def test_one_student_alone(root: Path, tmp_path: Path) -> None:
    first, *_ = submitted_in(Course(root), root / "submitted", tmp_path)
    assert submitted_in(Course(root), root / "submitted", tmp_path, first.student) == [first]


def test_a_folder_without_submissions_is_said(root: Path, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    with pytest.raises(GradingFailed, match=re.escape("<student>/<lesson>.ipynb")):
        submitted_in(Course(root), tmp_path / "in", tmp_path / "out")


def test_a_closed_folder_costs_itself() -> None:
    # Where those can look who may not look into the folders of whoever runs the tests.
    with TemporaryDirectory() as place:
        course, folder = Course(Path(place)), Path(place) / "in"
        (course.source / LESSON).mkdir(parents=True)
        (course.source / LESSON / f"{LESSON}.ipynb").write_text('{"cells": []}')
        for student in ("ada", "closed", "half\nclosed", "zoe"):
            (folder / student).mkdir(parents=True)
            (folder / student / f"{LESSON}.ipynb").write_text("{}")
        with as_anybody(Path(place)):
            (folder / "closed").chmod(0)
            (folder / "half\nclosed").chmod(0o400)
            found = submitted_in(course, folder, Path(place) / "out")
            said = closed_in(folder)
            assert closed_in(folder, "ada") == []
    assert [one.student for one in found] == ["ada", "zoe"]
    assert [one.partition(" is not graded: ")[0] for one in said] == ["closed", "half?closed"]
    assert not [one for one in said if "\n" in one]


@pytest.mark.parametrize("out", ["in", "in/out", "in/ada/x", ".", "in/../in", "to in"])
def test_records_never_come_to_lie_among_submissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    """There a student's link leads to another's record, and a folder of theirs has its name."""
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "to in").symlink_to("in")
    monkeypatch.chdir(tmp_path)
    for folder in (Path("in"), tmp_path / "in", tmp_path / "to in"):
        with pytest.raises(GradingFailed, match="name another folder with --records"):
            submitted_in(COURSE, folder, Path(out))


@pytest.mark.parametrize("out", ["out", "in-records", "in/../out", "in/to out"])
def test_records_lie_beside_submissions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, out: str
) -> None:
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "out").mkdir()
    (tmp_path / "in" / "to out").symlink_to("../out")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(GradingFailed, match="has no submission"):
        submitted_in(COURSE, Path("in"), Path(out))


def test_what_cannot_be_written_costs_one_submission(root: Path, tmp_path: Path) -> None:
    some = submitted_in(Course(root), root / "submitted", tmp_path / "out")[:4]
    record, page, folder, usual = some
    record.record.mkdir(parents=True)
    (page.to / f"{LESSON}.html").mkdir(parents=True)
    page.record.write_text("earlier")
    folder.to.parent.write_text("no folder")
    results = [one for _, one in grade_to_records(Course(root), some, isolation="full", force=True)]
    for one, result in zip(some[:3], results[:3], strict=True):
        assert str(one.to) in result.failure
        assert " can't be read or written (" in result.failure
    assert page.record.read_text() == "earlier"
    assert not results[3].failure
    assert usual.record.is_file()


def test_names_are_shown_in_a_line(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of the table is one student's, whatever a folder is called."""
    content = min((root / "submitted").glob(f"*/{LESSON}/{LESSON}.ipynb")).read_bytes()
    odd = ["eve\nada", "eve\x1b[2J", "eve\u202eada", "eve\rada"]
    for student in odd:
        (tmp_path / "in" / student).mkdir(parents=True)
        (tmp_path / "in" / student / f"{LESSON}.ipynb").write_bytes(content)
    some = submitted_in(Course(root), tmp_path / "in", tmp_path / "out")
    assert sorted(one.student for one in some) == sorted(odd)
    some[1].to.parent.mkdir(parents=True)
    some[1].to.write_text("no folder")
    results = [one for _, one in grade_to_records(Course(root), some, isolation="full", force=True)]

    def failing(*args: Any) -> Any:
        raise OSError(5, "no disk", str(tmp_path / "in" / odd[0]))

    monkeypatch.setattr(records, "_job", failing)
    results += [
        one for _, one in grade_to_records(Course(root), some, isolation="full", force=True)
    ]
    assert {one.student for one in results} == {"eve?ada", "eve?[2J"}
    assert [bool(one.failure) for one in results] == [False, True, False, False] + [True] * 4
    assert all(one.failure.isprintable() for one in results)


def test_nbgrader_is_not_needed() -> None:
    modules = "autograder.nbgrading.pages.records, autograder.grading.class_table"
    code = f"import sys, {modules}; assert 'nbgrader' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)
