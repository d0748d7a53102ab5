"""Which questions are listed, and in which order their answers stand."""

from pathlib import Path

import pytest
from nbgrader.api import Grade

from autograder.errors import NotSaved
from autograder.nbgrading.reading.entries import entries, find_entry
from autograder.nbgrading.reading.questions import find_question, not_graded, questions
from tests.support.read_class import BLANK, LESSON, OUT_OF, TEST, WHY, answered_class, gradebook_at

pytestmark = pytest.mark.filterwarnings("ignore:Object of type .* not in session")
ANSWERS = {"ada": "Because.", "ben": BLANK, "cleo": "Why not?"}


def test_question_is_listed_with_what_is_left(tmp_path: Path) -> None:
    answered_class(tmp_path, ANSWERS)
    with gradebook_at(tmp_path) as gradebook:
        (one,) = questions(gradebook)
    assert (one.lesson, one.notebook, one.name, one.kind) == (LESSON, LESSON, WHY, "answer")
    assert (one.out_of, one.left, one.done) == (OUT_OF, 2, 1)


def test_test_is_listed_once_it_waits(tmp_path: Path) -> None:
    """One that could not be graded by itself stands below the answers, and stays when done."""
    answered_class(tmp_path, ANSWERS)
    with gradebook_at(tmp_path) as gradebook:
        grade = gradebook.find_grade(TEST, LESSON, LESSON, "cleo")
        grade.auto_score, grade.needs_manual_grade = None, True
        gradebook.db.commit()
        _, test = questions(gradebook)
        assert (test.name, test.kind, test.left, test.done) == (TEST, "test", 1, 0)
        assert [one.student for one in entries(gradebook, test, named=True)] == ["cleo"]
        assert find_entry(gradebook, grade.id)[1].remark
        grade.manual_score, grade.needs_manual_grade = 1.0, False
        gradebook.db.commit()
        _, test = questions(gradebook)
        assert (test.left, test.done) == (0, 1)


def test_submission_of_which_nothing_could_be_graded_stands_there_once(tmp_path: Path) -> None:
    answered_class(tmp_path, ANSWERS)
    with gradebook_at(tmp_path) as gradebook:
        notebook = gradebook.find_notebook(LESSON, LESSON)
        cell = gradebook.add_grade_cell("another", LESSON, LESSON, max_score=1, cell_type="code")
        assert cell in notebook.grade_cells
        for student in ANSWERS:
            submitted = gradebook.find_submission_notebook(LESSON, LESSON, student)
            waits = student == "ben"
            gradebook.db.add(
                Grade(cell=cell, notebook=submitted, auto_score=None if waits else 1.0,
                      needs_manual_grade=waits)
            )  # fmt: skip
        for name in (TEST, WHY):
            grade = gradebook.find_grade(name, LESSON, LESSON, "ben")
            grade.auto_score, grade.needs_manual_grade = None, True
        gradebook.db.commit()
        (one,) = not_graded(gradebook)
        assert (one.lesson, one.student) == (LESSON, "ben")
        assert [(one.name, one.left) for one in questions(gradebook)] == [(WHY, 2)]
        question = find_question(gradebook, LESSON, LESSON, WHY)
        assert question
        read = entries(gradebook, question, named=True)
        assert [one.student for one in read] == ["ada", "cleo"]
        # Points that are given for one test make it a test like others.
        gradebook.find_grade(TEST, LESSON, LESSON, "ben").needs_manual_grade = False
        gradebook.find_grade(TEST, LESSON, LESSON, "ben").manual_score = 1.0
        gradebook.db.commit()
        assert not_graded(gradebook) == []
        assert [one.name for one in questions(gradebook)] == [WHY, "another", TEST]


def test_named_answers_are_in_the_order_of_names(tmp_path: Path) -> None:
    answered_class(tmp_path, ANSWERS)
    with gradebook_at(tmp_path) as gradebook:
        question = find_question(gradebook, LESSON, LESSON, WHY)
        assert question
        found = entries(gradebook, question, named=True)
    assert [one.name for one in found] == ["Jonson, Benjamin", "Lovelace, Augusta", "cleo"]


def test_nameless_order_is_its_own_and_stays(tmp_path: Path) -> None:
    students = {f"s{number:02d}": "Because." for number in range(30)}
    answered_class(tmp_path, students)
    with gradebook_at(tmp_path) as gradebook:
        question = find_question(gradebook, LESSON, LESSON, WHY)
        assert question
        once, again = (
            [one.student for one in entries(gradebook, question, named=False)] for _ in range(2)
        )
    assert once == again
    assert sorted(once) == sorted(students)
    assert once != sorted(once)


def test_student_whom_no_page_can_hold_is_left_out(tmp_path: Path) -> None:
    answered_class(tmp_path, {"ada": "Because."})
    with gradebook_at(tmp_path) as gradebook:
        gradebook.add_student("<b>")
        gradebook.add_submission(LESSON, "<b>")
        question = find_question(gradebook, LESSON, LESSON, WHY)
        assert question
        assert [one.student for one in entries(gradebook, question, named=True)] == ["ada"]


def test_answer_that_is_gone_says_so(tmp_path: Path) -> None:
    answered_class(tmp_path, {})
    with gradebook_at(tmp_path) as gradebook:
        assert questions(gradebook) == []
        with pytest.raises(NotSaved, match="no longer has this answer"):
            find_entry(gradebook, "nothing")
