"""An exercise that has passed, once more: when it is offered, and what its notebook holds."""

import json
import os
from datetime import datetime
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell
from typer.testing import CliRunner

from autograder import check
from autograder.authoring.build import shipping
from autograder.authoring.lesson.reference import read_reference
from autograder.checks import examples, progress, purpose
from autograder.checks.card.as_html import collect
from autograder.checks.exam.report import Verdict
from autograder.checks.progress import FOLDER, digest_of
from autograder.checks.source.cells import grade_id_of
from autograder.cli import program
from autograder.course import Course
from autograder.errors import CheckError
from autograder.learner.due import Passed, due
from autograder.learner.notebooks.again import give_again
from autograder.learner.notebooks.work import copy_lessons
from autograder.learner.status import as_html, as_text, course_status
from tests.support.course import COURSE, every_exam
from tests.support.one_lesson import course_of, give_out
from tests.support.sample import sample
from tests.support.samples import make_cell, mixing_exam, run_cell

LESSON = "02_mixing"
DAY = 86_400.0
STUB = "def mix(weights, values):\n    raise NotImplementedError()"
RIGHT = "def mix(weights, values):\n    return weights @ values"
NOW = datetime(2026, 11, 26, 9, 5, 7)


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Course:
    """A course with one lesson, which a learner has copied, solved and saved."""
    course = course_of(tmp_path, LESSON)
    cells = [
        new_markdown_cell("# 02 · Mixing"),
        new_code_cell("import numpy as np\nfrom autograder import check"),
        new_code_cell("figure()", metadata={"tags": ["scenery"]}),
        make_cell("code", "def other(): ...", "other", solution=True),
        make_cell("code", "check(other)", "other_check", grade=True, points=1),
        new_markdown_cell("**Exercise** · `mix`"),
        make_cell("code", STUB, "mix", solution=True),
        new_markdown_cell("Hint 1"),
        make_cell("code", "check(mix)", "mix_check", grade=True, points=2),
        make_cell("markdown", "YOUR ANSWER HERE", "why", solution=True, grade=True, points=4),
    ]
    release = give_out(course, LESSON, cells)
    (release / examples.FILE).write_text(shipping.write({"mix": mixing_exam()}), encoding="utf-8")
    copy_lessons(course)
    mine = course.root / "work" / LESSON / f"{LESSON}.ipynb"
    solved = nbformat.read(mine, as_version=4)
    solved.cells[6].source = RIGHT
    nbformat.write(solved, mine)
    monkeypatch.chdir(course.root)
    monkeypatch.delenv(purpose.VARIABLE, raising=False)
    return course


def passed(course: Course, at: float) -> list[Passed]:
    """Have the exercise passed at a time, in seconds."""
    work = course.root / "work"
    path = work / FOLDER / LESSON / "mix.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"passed": digest_of(RIGHT), "passed_at": at}))
    (lesson,) = course_status(work)
    return [*lesson.passed]


def test_exercise_is_due_a_day_after_it_has_passed(course: Course) -> None:
    done = passed(course, 1000.0)
    assert due(done, now=1000.0 + DAY - 1) is None
    found = due(done, now=1000.0 + DAY)
    assert found is not None
    assert (found.lesson.name, found.exercise) == (LESSON, "mix")
    assert due([], now=1e12) is None


def test_exercise_is_offered_once_until_it_passes_anew(course: Course) -> None:
    done = passed(course, 1000.0)
    path = give_again(course, course.root / "work", LESSON, "mix")
    os.utime(path, (5000.0, 5000.0))
    assert due(done, now=1e9) is None
    assert due(passed(course, 6000.0), now=1e9) is not None


def test_oldest_pass_comes_first(course: Course) -> None:
    done = passed(course, 1000.0)
    found = due([*done, Passed(done[0].lesson, "other", 900.0)], now=1e9)
    assert found is not None
    assert found.exercise == "other"


def test_map_offers_it_in_both_forms(course: Course) -> None:
    lessons = course_status(course.root / "work")
    assert "From memory" not in as_text(lessons) + as_html(lessons, course.root)
    passed(course, 1000.0)
    lessons = course_status(course.root / "work")
    offer = "From memory: mix of lesson 02 once more, by {}autograder again{}."
    assert offer.format("`", "`") in " ".join(as_text(lessons).split())
    assert offer.format("<code>", "</code>") in as_html(lessons, course.root)


def test_notebook_holds_what_the_exercise_needs_and_no_answer(course: Course) -> None:
    path = give_again(course, course.root / "work", LESSON, "mix")
    cells = nbformat.read(path, as_version=4).cells
    opening, *rest = [cell.source for cell in cells]
    assert opening.startswith("# Once more: `mix`")
    assert "(../../02_mixing/02_mixing.ipynb)" in opening
    assert (path.parent / "../../02_mixing/02_mixing.ipynb").is_file()
    assert rest == [
        "import numpy as np\nfrom autograder import check",
        "**Exercise** · `mix`",
        STUB,
        "check(mix)",
    ]


def test_second_try_changes_nothing_that_is_remembered(
    course: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (done,) = passed(course, 1000.0)
    path = give_again(course, course.root / "work", LESSON, "mix")
    before = progress.recall(done.lesson, done.exercise)
    monkeypatch.chdir(path.parent)
    namespace: dict[str, object] = {"check": check}
    for answer in (STUB, RIGHT.replace("weights @ values", "np.dot(weights, values)")):
        run_cell(f"import numpy as np\n{answer}", namespace)
        run_cell("check(mix)", namespace)
    assert "mix: passed" in capsys.readouterr().out
    assert progress.recall(done.lesson, done.exercise) == before
    assert course_status(course.root / "work")[0].done == 1


def test_earlier_try_is_kept(course: Course) -> None:
    path = give_again(course, course.root / "work", LESSON, "mix")
    path.write_text("mine")
    assert give_again(course, course.root / "work", LESSON, "mix", now=NOW) == path
    kept = path.with_name("mix (kept 2026-11-26 09.05.07).ipynb")
    assert kept.read_text() == "mine"
    assert "Once more" in path.read_text()


@pytest.mark.parametrize("exercise", ["why", "nothing", "mix_check", ""])
def test_only_exercises_with_a_check_are_given(course: Course, exercise: str) -> None:
    with pytest.raises(CheckError, match=r"there are other, mix$"):
        give_again(course, course.root / "work", LESSON, exercise)
    assert not (course.root / "work" / "again").exists()


def test_command_gives_what_is_due_or_what_is_named(course: Course) -> None:
    def says(*arguments: str) -> str:
        result = CliRunner().invoke(program.app, ["again", *arguments], catch_exceptions=False)
        return result.output.replace("\n", "")

    assert "Nothing is due" in says()
    passed(course, 1000.0)
    assert "mix waits for you in" in says()
    assert "Nothing is due" in says()
    assert "mix waits for you in" in says("02", "mix")
    with pytest.raises(CheckError, match="name a lesson and an exercise"):
        says("02")


@pytest.mark.parametrize("place", sample([*every_exam()], 48))
def test_right_answer_passes_in_its_notebook(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson, exercise = place.split("/")
    answer = read_reference(COURSE.reference_file(lesson))[exercise].text
    path = give_again(COURSE, tmp_path, lesson, exercise)
    monkeypatch.chdir(path.parent)
    namespace: dict[str, object] = {}
    with collect() as reports:
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                run_cell(answer if grade_id_of(cell) == exercise else cell.source, namespace)
    assert [report.verdict for report in reports] == [Verdict.PASSED]
