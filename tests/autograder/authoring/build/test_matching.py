"""A course's own exercises are built, proved and examined as those of its lessons are."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from autograder.authoring.build import proving
from autograder.authoring.build.build import Built, build_lesson
from autograder.authoring.build.build_inputs import OWN_PROOFS, PROOFS
from autograder.authoring.build.incremental import build
from autograder.authoring.build.matching import every_exam
from autograder.authoring.build.one_exam import exams_called, told
from autograder.authoring.build.proofs import Proofs
from autograder.checks.exam.exam import Exam
from autograder.checks.source.cells import grade_id_of, is_test
from autograder.course import Course
from autograder.errors import CourseError
from tests.support.own_course import own_course
from tests.support.small_course import LESSON, small_course


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return own_course(tmp_path)


def test_each_is_examined_by_its_own(course: Course) -> None:
    built = build_lesson(course, LESSON)
    tests = {grade_id_of(cell): cell.source for cell in built.source.cells if is_test(cell)}
    assert 'hidden_check("mine.exams.mixing")' in tests["largest_check"]
    assert 'hidden_check("solutions.exams.mixing")' in tests["mix_check"]
    assert "assert total([]) == 0" in tests["total_check"]
    assert [*built.exams] == ["match", "shares_of", "largest", "mix"]
    assert [*every_exam(course, LESSON)] == ["match", "shares_of", "mix", "largest"]
    shown = {grade_id_of(cell): cell.source for cell in built.student.cells}
    assert shown["largest_check"] == "check(largest)"
    assert shown["total_check"] == "assert total(numbers) == 6"
    assert "NotImplementedError" in shown["total"]
    assert '"largest":' in built.checks
    assert "total" not in built.checks


def test_what_is_proved_of_lessons_stays_as_it_was(course: Course, tmp_path: Path) -> None:
    """So that a later version of it can be merged."""
    plain = small_course(tmp_path / "plain")
    build(plain)
    (course.root / "course.toml").write_text('leave_out = ["match"]\npoints = {mix = 9}\n')
    (course.root / PROOFS).write_bytes((plain.root / PROOFS).read_bytes())
    build(course)
    assert (course.root / PROOFS).read_bytes() == (plain.root / PROOFS).read_bytes()
    assert "01_mixing/largest" in (course.root / OWN_PROOFS).read_text(encoding="utf-8")
    assert [*Proofs(course).of(LESSON)] == ["match", "mix", "shares_of", "largest"]
    assert not (plain.root / OWN_PROOFS).exists()
    for path in (course.root / "docs").iterdir():
        assert "`match`" not in path.read_text(encoding="utf-8")


def test_what_has_changed_is_made_again(course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    proved: list[str] = []
    try_all = proving.tried

    def note(exam: Exam) -> Iterator[proving.Caught]:
        proved.append(exam.name)
        yield from try_all(exam)

    monkeypatch.setattr(proving, "tried", note)
    build(course, [LESSON])
    assert sorted(proved) == ["largest", "match", "mix", "shares_of"]
    proved.clear()
    assert build(course, [LESSON]) == []
    for path, again in (
        (course.own / "01.md", []),
        (course.own / "solutions" / "mixing.py", ["largest"]),
        (course.own / "exams" / "mixing.py", ["largest"]),
    ):
        text = path.read_text(encoding="utf-8")
        path.write_text(f"{text}\n" if path.suffix == ".py" else f"{text}\nMore.\n")
        build(course, [LESSON])
        assert proved == again, path
        proved.clear()


def spoil(name: str, old: str, new: str) -> Callable[[Course], Path]:
    def spoilt(course: Course) -> Path:
        path = course.own / name
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        return path

    return spoilt


EXAM_OF_TOTAL = """\
total = Exam(reference.total)


@largest.example"""


@pytest.mark.parametrize(
    ("name", "old", "new", "blamed", "said"),
    [
        ("01.md", "} largest", "} widest", "01.md", "the exercise widest has no solution in "),
        ("solutions/mixing.py", "def total", "def sum_of", "01.md", "total has no solution in "),
        (
            "01.md",
            "assert total(",
            "assert",
            "01.md",
            "the body of the {check} of total is not Python",
        ),
        (
            *("exams/mixing.py", "@largest.example", EXAM_OF_TOTAL),
            *("exams/mixing.py", "total has tests of its own in "),
        ),
    ],
)
def test_what_does_not_fit_together(
    course: Course, name: str, old: str, new: str, blamed: str, said: str
) -> None:
    spoil(name, old, new)(course)
    with pytest.raises(CourseError) as raised:
        build_lesson(course, LESSON)
    assert str(raised.value).startswith(f"{course.own / blamed}:")
    assert said in str(raised.value)


def test_a_solution_that_the_lesson_has_already(course: Course) -> None:
    text = course.own_reference_file(LESSON).read_text(encoding="utf-8")
    added = text.replace("def total", "def mix").partition("\n\n\ndef mix")
    course.own_reference_file(LESSON).write_text(f"{text}\n\ndef mix{added[2]}", encoding="utf-8")
    with pytest.raises(CourseError, match=r"mix has solution marks but is no exercise in .*01\.md"):
        build_lesson(course, LESSON)


def test_solution_in_a_text_of_ones_own(course: Course) -> None:
    with (course.own / "01.md").open("a", encoding="utf-8") as text:
        text.write("\nUse `return shares.argmax(axis=-1)` there.\n")
    with pytest.raises(CourseError, match=r"01\.md:\d+: the solution of largest would reach"):
        build_lesson(course, LESSON)


def test_worked_out_is_told_where_it_gives_another_away(tmp_path: Path) -> None:
    course = own_course(tmp_path, 'leave_out = ["mix"]\n')
    spoil("../solutions/mixing.py", "return shares @ inputs", "return shares.argmax(axis=-1)")(
        course
    )
    built: Built = build_lesson(course, LESSON)
    (warning,) = built.warnings
    assert warning.startswith(f"{course.solutions / 'mixing.py'}:")
    assert "what is worked out here has the solution of largest in it" in warning


def test_exam_of_ones_own_is_told(course: Course) -> None:
    (found,) = exams_called(course, "largest")
    lines = [*told(course, found)]
    assert lines[0] == "largest, lesson 01: mine/exams/mixing.py:8"
    assert any("down_the_columns" in line and "mine/exams/mixing.py:" in line for line in lines)
