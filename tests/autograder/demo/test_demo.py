"""The main job from end to end: a simulated class, graded by nbgrader as it comes."""

from dataclasses import replace
from pathlib import Path

import nbformat
import pytest

from autograder.authoring.build.build import Built
from autograder.authoring.lesson.lesson import Exercise, WrittenExercise
from autograder.authoring.lesson.reading import read_lesson
from autograder.checks import examples
from autograder.checks.exam.exam import exams_of
from autograder.checks.exam.report import Verdict
from autograder.course import Course
from autograder.demo import demo
from autograder.demo.classroom import STUDENTS
from autograder.demo.demo import DemoResult, disappointments, run_demo, usual_lesson, worth_opening
from autograder.errors import GradingFailed, SettingError
from autograder.grading.class_table import StudentResult
from tests.support.course import COURSE

pytestmark = pytest.mark.long

# The one of which whoever types `make demo` sees a class.
LESSON = "02_dot_product_self_attention"
TEXT = read_lesson(COURSE.lesson_file(LESSON))
POINTS = TEXT.points
TESTED = {name: POINTS[name] for name in exams_of(COURSE.exam_module(LESSON))}
ALL = sum(TESTED.values())
TO_READ = len(POINTS) - len(TESTED)


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DemoResult]:
    root = tmp_path_factory.mktemp("class") / "course"
    graded = run_demo(COURSE, root, [LESSON], progress=lambda lesson: None)
    return {result.submission.student: result for result in graded}


def lost(result: DemoResult) -> list[str]:
    return [cell.exercise for cell in result.cells if not cell.points]


def test_class_comes_out_as_made(results: dict[str, DemoResult]) -> None:
    assert tuple(results) == STUDENTS
    assert disappointments(list(results.values())) == []


def test_class_shows_every_verdict(results: dict[str, DemoResult]) -> None:
    found = {cell.verdict for result in results.values() for cell in result.cells}
    # "Not run" takes a submission which has used up its time. Of a hog, its time may be up first.
    # "Missing" is the cell of a notebook that has others.
    late = {Verdict.NOT_RUN, Verdict.NOT_GRADABLE, Verdict.MEMORY, Verdict.MISSING}
    assert found | late == {*Verdict}


def test_every_disappointment_is_told(results: dict[str, DemoResult]) -> None:
    def said(student: str, **changed: object) -> list[str]:
        result = results[student]
        return disappointments([replace(result, **changed)])  # type: ignore[arg-type]

    ada, eve = results["ada"], results["eve"]
    (mistaken,) = eve.submission.mistakes
    wrong = [replace(cell, points=0, verdict=Verdict.WRONG) for cell in ada.cells[:1]]
    unnamed = [replace(cell, misconception="", hint="") for cell in eve.cells]
    assert "earned 0, expected" in said("ada", cells=[*wrong, *ada.cells[1:]])[0]
    assert "was not graded" in said("ada", cells=ada.cells[1:])[0]
    assert "the cells add up otherwise" in said("ada", graded=replace(ada.graded, score=1.5))[0]
    assert f"{mistaken} was not named" in said("eve", cells=unnamed)[0]
    assert "the feedback page lacks the hint" in said("eve", feedback=None)[0]
    assert "the record does not say" in said("max", remarks=())[0]
    graded = replace(results["liz"].graded, not_graded="")
    assert "it waits because '', not 'not valid JSON'" in said("liz", graded=graded)[0]
    assert "it waits because" in said("ada", graded=replace(ada.graded, not_graded="why"))[0]
    failed = StudentResult("ada", failure="the disk is full")
    assert said("ada", graded=failed) == [f"ada in {LESSON}: not graded: the disk is full"]


def test_two_verdicts_may_both_be_right(results: dict[str, DemoResult]) -> None:
    nora = results["nora"]

    def said(verdict: Verdict) -> str:
        cells = [replace(cell, verdict=verdict) if not cell.points else cell for cell in nora.cells]
        return " ".join(disappointments([replace(nora, cells=cells)]))

    assert said(Verdict.MEMORY) == said(Verdict.TIMEOUT) == ""
    both = f"{Verdict.TIMEOUT.value} or {Verdict.MEMORY.value}"
    assert f"is {Verdict.WRONG.value!r}, not {both!r}" in said(Verdict.WRONG)


def test_page_worth_opening(results: dict[str, DemoResult]) -> None:
    page = worth_opening(list(results.values()))
    assert page == results["eve"].feedback


def test_lesson_of_course_toml_is_graded(tmp_path: Path) -> None:
    course = course_with(tmp_path, {"01_short": 5, "02_named": 60}, 'demo = "02"')
    assert usual_lesson(course) == "02_named"


def test_otherwise_the_shortest(tmp_path: Path) -> None:
    minutes = {"01_long": 60, "02_short": 15, "03_middle": 20, "04_only_read": 0}
    assert usual_lesson(course_with(tmp_path, minutes)) == "02_short"


def test_minutes_of_written_answers_count() -> None:
    exercises = [one for one in TEXT.blocks if isinstance(one, Exercise | WrittenExercise)]
    assert len(exercises) > len(TEXT.exercises)
    assert demo._minutes(TEXT) == sum(one.minutes for one in exercises)


def test_lesson_that_is_not_there(tmp_path: Path) -> None:
    course = course_with(tmp_path, {"01_a": 5}, 'demo = "05"')
    with pytest.raises(SettingError) as raised:
        usual_lesson(course)
    where = tmp_path / "course.toml"
    assert str(raised.value) == f"{where}:1: demo: no lesson is called '05': there are 01_a"


def test_course_without_exercises(tmp_path: Path) -> None:
    with pytest.raises(GradingFailed, match=r"no lesson in .* has an exercise to grade"):
        usual_lesson(course_with(tmp_path, {"01_a": 0}))


FRONT = "---\nkernelspec:\n  name: python3\n  display_name: Python 3\n---\n"


def course_with(root: Path, minutes: dict[str, int], toml: str = "") -> Course:
    """A course of lessons with one exercise each, that takes so many minutes, or none."""
    (root / "source").mkdir()
    (root / "course.toml").write_text(toml)
    for name, number in minutes.items():
        exercise = f"```{{exercise}} f\n:difficulty: 1\n:minutes: {number}\n```\n"
        check = "```{check} f\n:points: 1\n```\n"
        text = f"# A lesson\n\n{exercise if number else ''}\n{check if number else ''}"
        (root / "source" / f"{name}.md").write_text(f"{FRONT}{text}")
    return Course(root)


def test_examples_are_found_out_where_they_are_not_complete(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = Built(Course(tmp_path), TEXT, None, None, dict.fromkeys(TESTED), {})  # type: ignore
    shipped = (COURSE.release_folder(LESSON) / "checks.json").read_text(encoding="utf-8")
    built = replace(built, descriptions=examples.read(COURSE.release_folder(LESSON)).descriptions)
    monkeypatch.setattr(Built, "checks", "found out")
    assert demo._checks(built) == "found out"
    folder = tmp_path / "notebooks" / LESSON
    folder.mkdir(parents=True)
    (folder / "checks.json").write_text(shipped, encoding="utf-8")
    assert demo._checks(built) == shipped
    assert demo._checks(replace(built, exams={})) == "found out"
    assert demo._checks(replace(built, descriptions={"new": "x"})) == "found out"


def test_folder_that_can_not_be_emptied(tmp_path: Path) -> None:
    (tmp_path / "class").write_text("a file")
    with pytest.raises(GradingFailed, match=r"class can't be emptied .*: delete it"):
        next(run_demo(COURSE, tmp_path / "class", [LESSON], progress=lambda lesson: None))


def test_perfect_and_empty(results: dict[str, DemoResult]) -> None:
    perfect, empty = results["ada"].graded, results["cleo"].graded
    assert (perfect.score, perfect.max_score, len(perfect.to_read)) == (
        ALL,
        sum(POINTS.values()),
        TO_READ,
    )
    assert (empty.score, empty.to_read) == (0, ())


def test_known_mistakes_cost_their_exercise(results: dict[str, DemoResult]) -> None:
    mistaken = [result for result in results.values() if result.submission.mistakes]
    assert len({name for result in mistaken for name in result.submission.mistakes}) == 5
    for result in mistaken:
        ((exercise, misconception),) = result.submission.mistakes.items()
        assert lost(result) == [exercise]
        assert result.graded.score == ALL - TESTED[exercise]
        assert f"{exercise}: {misconception.replace('_', ' ')}" in result.graded.found


def test_broken_are_reported(results: dict[str, DemoResult]) -> None:
    found = {student: result.graded.told for student, result in results.items()}
    assert found["ada"] == "no mistake found; the rest waits for you"
    most = sum(POINTS.values())
    assert results["ada"].graded.points == f"{ALL:g} / {most:g}, {most - ALL:g} wait"
    assert "is not a notebook: it is not valid JSON" in found["liz"]
    assert "missing" not in found["liz"]
    assert (results["liz"].graded.points, results["liz"].graded.score) == ("not graded", 0)
    for student, reason in (("max", "ended its own process"), ("kit", "ran for too long")):
        (exercise,) = lost(results[student])
        assert found[student].startswith(f"{exercise}: ")
        assert reason in found[student]


def test_all_exercises_are_graded(results: dict[str, DemoResult]) -> None:
    for result in results.values():
        assert len(result.cells) == len(TESTED)


def test_feedback_keeps_secrets(results: dict[str, DemoResult]) -> None:
    for result in results.values():
        if result.feedback:
            page = result.feedback.read_text(encoding="utf-8")
            for secret in ("hidden_check", "HIDDEN TESTS", "MARK SCHEME", "Model answer"):
                assert secret not in page


def test_formgrader_sees_the_marking_scheme(results: dict[str, DemoResult]) -> None:
    feedback = results["ada"].feedback
    assert feedback is not None
    root = feedback.parents[3]
    graded = nbformat.read(root / "autograded" / "ada" / LESSON / f"{LESSON}.ipynb", as_version=4)
    question = next(c for c in graded.cells if c.source.startswith("**In your own words**"))
    assert "**Marks.**" in question.source


def test_nbgrader_releases_what_the_build_makes(results: dict[str, DemoResult]) -> None:
    feedback = results["ada"].feedback
    assert feedback is not None
    released = feedback.parents[3] / "notebooks" / LESSON
    for path in sorted(COURSE.release_folder(LESSON).iterdir()):
        assert (released / path.name).read_bytes() == path.read_bytes()
