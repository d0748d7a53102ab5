"""No sound answer scores 0, and what can't be graded waits: in every place that shows a state."""

import csv
import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import nbformat
import pytest
from nbgrader.apps import NbGraderAPI

from autograder.course import Course
from autograder.grading.class_table import StudentResult
from autograder.grading.submitted_files import NOTEBOOK_BYTES, NOTEBOOK_FILE_BYTES
from autograder.insight.survey.classwork import read_classwork
from autograder.insight.survey.page import page as report_page
from autograder.nbgrading.configuration import nbgrader_api
from autograder.nbgrading.exports.moodle import MoodleExport
from autograder.nbgrading.exports.table import SafeCsvExport
from autograder.nbgrading.grade_class import grade_class, students_of
from autograder.nbgrading.reading.questions import not_graded, questions
from tests.support.course import COURSE
from tests.support.tiny_course import LESSON, answered, hand_in, tiny_course

pytestmark = [
    pytest.mark.long,
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),
]

ASKED = f"{LESSON}.ipynb"
ALL = 5.0
Files = Callable[[bytes], dict[str, bytes]]


def printing(answer: bytes, size: int) -> bytes:
    """The answer with a cell that has printed so much."""
    notebook = json.loads(answer)
    text = {"output_type": "stream", "name": "stdout", "text": "x" * size}
    notebook["cells"][0]["outputs"] = [text]
    return json.dumps(notebook).encode()


def other_answer(answer: bytes) -> bytes:
    return answer.replace(b"return 2 * x", b"return x + x")


def from_a_browser(answer: bytes) -> bytes:
    """The answer as JupyterLite saves it, after its kernel has run."""
    notebook = json.loads(answer)
    kernel = {"name": "python", "display_name": "Python (Pyodide)", "language": "python"}
    language = {"name": "python", "version": "3.8", "nbconvert_exporter": "python"}
    notebook["metadata"] = {"kernelspec": kernel, "language_info": language}
    for cell in notebook["cells"]:
        cell["metadata"]["trusted"] = True
    return json.dumps(notebook).encode()


SOUND: dict[str, Files] = {
    "as asked": lambda answer: {ASKED: answer},
    "second download": lambda answer: {f"{LESSON} (1).ipynb": answer},
    "name of one's own": lambda answer: {"my_solution.ipynb": answer},
    "with a picture": lambda answer: {"my_solution.ipynb": answer, "me.png": b"\x89PNG"},
    "text's ending": lambda answer: {f"{ASKED}.txt": answer},
    "from a browser": lambda answer: {f"{LESSON}-0123abcd.ipynb": from_a_browser(answer)},
    "from its menu": lambda answer: {f"{LESSON}_{LESSON}-0123abcd.ipynb": from_a_browser(answer)},
    "capitals": lambda answer: {"TINY.IPYNB": answer},
    "folder in a folder": lambda answer: {f"{LESSON}/{ASKED}": answer},
    "beside a blank one": lambda answer: {ASKED: blank(answer), "done.ipynb": answer},
    "twice the same": lambda answer: {"a.ipynb": answer, "b.ipynb": answer},
    "beside another lesson": lambda answer: {"mine.ipynb": answer, "03.ipynb": b'{"cells": []}'},
    "a copy beside it": lambda answer: {ASKED: answer, "old.ipynb": other_answer(answer)},
    "endless print": lambda answer: {ASKED: printing(answer, NOTEBOOK_BYTES + 200_000)},
    "no ids, a byte order mark": lambda answer: {ASKED: b"\xef\xbb\xbf" + answer},
}
UNSURE: dict[str, tuple[Files, str]] = {
    "nothing": (lambda _: {}, "there is no notebook in what was handed in"),
    "a letter": (
        lambda _: {"answer.docx": b"PK"},
        "there is no notebook in what was handed in, only answer.docx",
    ),
    "two that differ": (
        lambda answer: {"a.ipynb": answer, "b.ipynb": other_answer(answer)},
        "a.ipynb and b.ipynb could each be meant: only one can count",
    ),
    "another lesson": (
        lambda _: {"03_other.ipynb": b'{"cells": []}'},
        "in 03_other.ipynb no cell of this lesson is answered",
    ),
    "too large": (
        lambda _: {ASKED: b" " * (NOTEBOOK_FILE_BYTES + 1)},
        f"there is no notebook in what was handed in; {ASKED} is left out: it has 100.1 MB, and "
        "100 MB are the most",
    ),
    "large without outputs": (
        lambda answer: {ASKED: answer.replace(b"import numpy", b"#" * (NOTEBOOK_BYTES + 1))},
        f"{ASKED} has 20.1 MB, and can't be read even without its outputs: hand it in again with "
        "its outputs cleared, below 20 MB",
    ),
}  # fmt: skip
NOTICED = {
    "name of one's own": f"graded is my_solution.ipynb: there is no {ASKED}",
    "endless print": f"{ASKED} has 20.3 MB: its outputs were dropped unread",
}
NOBODY = {"s14 müller": "s14_müller", "o'brien": "o_brien"}


def blank(answer: bytes) -> bytes:
    notebook = json.loads(answer)
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("solution"):
            cell["source"] = "raise NotImplementedError()"
    return json.dumps(notebook).encode()


def name_of(what: str) -> str:
    return what.replace(" ", "-").replace("'", "").replace(",", "")


@dataclass(frozen=True)
class Term:
    """A class that has handed in, and all that is told of it."""

    root: Path
    api: NbGraderAPI
    results: dict[str, StudentResult]

    def page(self, student: str) -> str:
        outcome = self.api.generate_feedback(LESSON, student)
        assert outcome["success"], outcome
        return (self.root / "feedback" / student / LESSON / f"{LESSON}.html").read_text()

    def rows(self, exporter: type, name: str, **settings: object) -> list[dict[str, str]]:
        plugin = exporter(config=self.api.config, to=str(self.root / name), **settings)
        with self.api.gradebook as gradebook:
            plugin.export(gradebook)
        with (self.root / name).open(newline="", encoding="utf-8") as file:
            return [*csv.DictReader(file)]


@pytest.fixture(scope="module")
def term(tmp_path_factory) -> Term:
    root = tmp_path_factory.mktemp("hand-ins")
    config = tiny_course(root)
    released = nbformat.read(root / "notebooks" / LESSON / ASKED, as_version=4)
    answer = json.dumps(answered(released)).encode()
    files = SOUND | {what: made for what, (made, _) in UNSURE.items()}
    for what, made in files.items():
        folder = root / "submitted" / name_of(what) / LESSON
        folder.mkdir(parents=True)
        for name, content in made(answer).items():
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_bytes(content)
    for name in NOBODY:
        (root / "submitted" / name / LESSON).mkdir(parents=True)
        (root / "submitted" / name / LESSON / ASKED).write_bytes(answer)
    settings = {"preload": ["numpy"], "limits": {"cell_seconds": 10}}
    students = students_of(Course(root), LESSON)
    graded = grade_class(COURSE, LESSON, students, force=False, settings=settings, root=root)
    return Term(root, nbgrader_api(config), {one.student: one for one in graded})


@pytest.mark.parametrize("what", SOUND)
def test_sound_answer_earns_its_points(term: Term, what: str) -> None:
    result = term.results[name_of(what)]
    assert (result.score, result.not_graded, result.failure) == (ALL, "", "")


def test_another_name_is_remarked(term: Term) -> None:
    """Before all else: the questions are left as they were given."""
    for what, remark in NOTICED.items():
        first, second = term.results[name_of(what)].found
        assert first == remark
        assert second.endswith(": not answered")


@pytest.mark.parametrize("what", [*NOTICED, *UNSURE])
def test_what_was_noticed_is_said_everywhere(term: Term, what: str) -> None:
    """To the student as well, and wherever a list or a table has the submission."""
    student = name_of(what)
    why = NOTICED.get(what) or f"not graded yet: {UNSURE[what][1]}"
    lists = term.api.get_submissions(LESSON), term.api.get_notebook_submissions(LESSON, LESSON)
    (row,) = term.rows(SafeCsvExport, "one.csv", student=[student])
    notes = [one["note"] for listed in lists for one in listed if one["student"] == student]
    assert [*notes, row["noticed"]] == [why] * 3
    assert term.api.get_submission(LESSON, student)["note"] == why
    page = unescape(term.page(student))
    assert why.removeprefix("not graded yet: ") in page
    (moodle,) = term.rows(MoodleExport, "m.csv", identify_by="username", student=[student])
    assert why[1:] in "".join(moodle.values())


@pytest.mark.parametrize("what", UNSURE)
def test_what_cannot_be_graded_waits_everywhere(term: Term, what: str) -> None:
    student, why = name_of(what), UNSURE[what][1]
    result = term.results[student]
    assert (result.points, result.told) == ("not graded", why)
    with term.api.gradebook as gradebook:
        submission = gradebook.find_submission(LESSON, student)
        assert submission.needs_manual_grade
        grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
        assert all(grade.needs_manual_grade and grade.auto_score is None for grade in grades)
    page = term.page(student)
    assert "Not graded yet:" in page
    assert why in unescape(page)
    assert "No response" not in page
    assert "read by a human" not in page


def test_exports_say_that_it_waits(term: Term) -> None:
    rows = {one["student_id"]: one for one in term.rows(SafeCsvExport, "grades.csv")}
    for what in UNSURE:
        assert rows[name_of(what)]["needs_manual_grade"] == "True"
    moodle = {
        one["Username"]: one
        for one in term.rows(MoodleExport, "moodle.csv", identify_by="username")
    }
    row = moodle[name_of("two that differ")]
    assert row[LESSON] == ""
    assert "Not graded yet: a.ipynb and b.ipynb could each be meant" in "".join(row.values())


def test_list_of_questions_has_it_once(term: Term) -> None:
    with term.api.gradebook as gradebook:
        assert {one.student for one in not_graded(gradebook)} == set(map(name_of, UNSURE))
        assert not [one.name for one in questions(gradebook) if one.kind == "test"]


def test_report_does_not_count_it_as_nothing_written(term: Term) -> None:
    work = read_classwork(Course(term.root), LESSON)
    assert {name_of(what): why for what, (_, why) in UNSURE.items()}.items() <= (
        work.not_graded.items()
    )
    said = unescape(report_page([work], {}))
    assert all(f"{name_of(what)} is not graded: {why}" in said for what, (_, why) in UNSURE.items())
    assert not set(map(name_of, UNSURE)) & set(work.students)


@pytest.mark.parametrize("name", NOBODY)
def test_name_that_nobody_can_have_says_what_to_do(term: Term, name: str) -> None:
    result = term.results[name]
    assert result.failure == ""
    told = "; rename the folder as the student is called in the gradebook, for example to "
    assert result.not_graded.endswith(f"{told}{NOBODY[name]}")


def test_what_a_human_gives_stays(term: Term) -> None:
    """A second run, with nothing changed, asks for nothing again."""
    student = name_of("nothing")
    with term.api.gradebook as gradebook:
        (notebook,) = gradebook.find_submission(LESSON, student).notebooks
        for grade in notebook.grades:
            grade.manual_score, grade.needs_manual_grade = 1.0, False
        gradebook.db.commit()
    assert term.api.autograde(LESSON, student, force=True)["success"]
    with term.api.gradebook as gradebook:
        submission = gradebook.find_submission(LESSON, student)
        assert (submission.score, submission.needs_manual_grade) == (3.0, False)
    page = term.page(student)
    assert "Not graded yet" not in page
    assert "<b>3</b> of 6 points" in page


def test_points_for_other_words_are_no_points_of_these(term: Term) -> None:
    """They are not lost: whoever reads the new words finds them in the comment, and once."""
    before = term.root / "submitted" / name_of("as asked") / LESSON / ASKED
    path = hand_in(term.root, "zoe", before.read_bytes()) / ASKED
    assert term.api.autograde(LESSON, "zoe", force=False)["success"]

    def why() -> tuple[float | None, bool, float, str | None]:
        with term.api.gradebook as gradebook:
            grade = gradebook.find_grade("why", LESSON, LESSON, "zoe")
            comment = gradebook.find_comment("why", LESSON, LESSON, "zoe").manual_comment
            score = gradebook.find_submission(LESSON, "zoe").score
            return grade.manual_score, grade.needs_manual_grade, score, comment

    with term.api.gradebook as gradebook:
        grade = gradebook.find_grade("why", LESSON, LESSON, "zoe")
        grade.manual_score, grade.needs_manual_grade = 0.5, False
        gradebook.find_comment("why", LESSON, LESSON, "zoe").manual_comment = "Nearly."
        gradebook.db.commit()
    assert term.api.autograde(LESSON, "zoe", force=True)["success"]
    assert why() == (0.5, False, 5.5, "Nearly.")
    notebook = json.loads(before.read_bytes())
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "why":
            cell["source"] = "I have changed my mind."
    path.write_text(json.dumps(notebook))
    for _ in range(2):
        assert term.api.autograde(LESSON, "zoe", force=True)["success"]
        note = "(An earlier answer was given 0.5 of these points.)"
        assert why() == (None, True, 5.0, f"Nearly.\n{note}")
    assert note in unescape(term.page("zoe"))


def saying(answer: bytes, words: str) -> bytes:
    notebook = json.loads(answer)
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "why":
            cell["source"] = words
    return json.dumps(notebook).encode()


@pytest.mark.parametrize("what", UNSURE)
def test_points_by_hand_outlast_what_cannot_be_graded(term: Term, what: str) -> None:
    """They stand again for the words that they were given for, and for no others."""
    sound = (term.root / "submitted" / name_of("as asked") / LESSON / ASKED).read_bytes()
    answer = saying(sound, "Because two is two.")
    student = f"again-{name_of(what)}"
    folder = hand_in(term.root, student, answer)
    place = ("why", LESSON, LESSON, student)

    def graded(files: dict[str, bytes]) -> tuple[float | None, bool, float]:
        for path in folder.iterdir():
            path.unlink()
        for name, content in files.items():
            (folder / name).write_bytes(content)
        outcome = term.api.autograde(LESSON, student, force=True)
        assert outcome["success"], outcome
        with term.api.gradebook as gradebook:
            grade = gradebook.find_grade(*place)
            score = gradebook.find_submission(LESSON, student).score
            return grade.manual_score, grade.needs_manual_grade, score

    assert graded({ASKED: answer}) == (None, True, ALL)
    with term.api.gradebook as gradebook:
        grade = gradebook.find_grade(*place)
        grade.manual_score, grade.needs_manual_grade = 0.5, False
        gradebook.db.commit()
    broken, _ = UNSURE[what]
    for _ in range(2):
        assert graded(broken(answer))[:2] == (0.5, True)
    assert graded({ASKED: answer}) == (0.5, False, ALL + 0.5)
    assert graded(broken(answer))[:2] == (0.5, True)
    assert graded({ASKED: saying(sound, "I do not know.")}) == (None, True, ALL)
    with term.api.gradebook as gradebook:
        comment = gradebook.find_comment(*place).manual_comment
    assert comment == "(An earlier answer was given 0.5 of these points.)"


def test_other_points_are_noticed(tmp_path: Path) -> None:
    """Who was graded with the old ones is to be graded again, and no points by hand exceed them."""
    api = nbgrader_api(tiny_course(tmp_path))
    released = nbformat.read(tmp_path / "notebooks" / LESSON / ASKED, as_version=4)
    hand_in(tmp_path, "ada", json.dumps(answered(released)).encode())
    settings = {"preload": ["numpy"], "limits": {"cell_seconds": 10}}

    def result(*, force: bool) -> StudentResult:
        graded = grade_class(COURSE, LESSON, ["ada"], force=force, settings=settings, root=tmp_path)
        (found,) = graded
        return found

    assert result(force=False).is_outdated is False
    with api.gradebook as gradebook:
        grade = gradebook.find_grade("why", LESSON, LESSON, "ada")
        grade.manual_score, grade.needs_manual_grade = 1.0, False
        gradebook.db.commit()
    assert result(force=True).to_read == ()
    path = tmp_path / "source" / LESSON / ASKED
    source = nbformat.read(path, as_version=4)
    for cell in source.cells:
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("grade"):
            marks["points"] = {"double_check": 1, "fourfold_check": 3, "why": 0.5}[
                marks["grade_id"]
            ]
    nbformat.write(source, path)
    assert api.generate_assignment(LESSON, force=True)["success"]
    assert result(force=False).is_outdated is True
    again = result(force=True)
    assert (again.is_outdated, again.to_read, again.max_score) == (False, ("why",), 4.5)


def test_an_old_mark_does_not_stand_for_nothing(term: Term) -> None:
    student = name_of("as asked")
    os.unlink(term.root / "submitted" / student / LESSON / ASKED)
    assert term.api.autograde(LESSON, student, force=False)["success"]
    with term.api.gradebook as gradebook:
        submission = gradebook.find_submission(LESSON, student)
        assert (submission.score, submission.needs_manual_grade) == (0.0, True)
