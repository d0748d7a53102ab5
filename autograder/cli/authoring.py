"""The commands of whoever writes a course."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.cli.asking import Lessons
from autograder.cli.progress import progress_bar, shown
from autograder.course import Course
from autograder.environment import one_thread, processors
from autograder.settings import where_set

if TYPE_CHECKING:
    from autograder.authoring.build.build import Built
    from autograder.authoring.build.known import Passed

# What tries a lesson's solution, on both sides of the wall. It brings nbgrader's database and web
# server.
_TRIES = "autograder.nbgrading.try_solution", "autograder.student.rpc.student_side"


def build(
    lessons: Lessons = None,
    force: Annotated[bool, typer.Option(help="Make what has not changed, too.")] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="How many exercises are proved at once; by default one for each processor."
        ),
    ] = None,
) -> None:
    """Make what has changed of the notebooks, from the lessons' texts, the reference and the exams.

    The solution of each lesson that is made is tried in the sandbox, as a student's would be, as
    far as anything has changed that this depends on.
    Without LESSONS, the tables of docs/ are made as well. A number such as 02 stands for a lesson.
    """
    from autograder.authoring.build.incremental import build as build_changed

    course = Course.find()
    names = course.lessons_named(lessons or ())
    with one_thread(), progress_bar() as bar:
        show = shown(bar, "looking for what has changed")
        changed = build_changed(
            course,
            names,
            force=force,
            workers=workers or processors(),
            progress=lambda done, steps, product: show(done, steps, f"making {product}"),
            trial=_tell_and_try,
        )
    for path in changed:
        typer.echo(f"  wrote {path.relative_to(course.root)}")
    if not changed:
        typer.echo("  nothing has changed")


def _tell_and_try(built: "Built") -> "Passed":
    """Try what has not passed yet as it is now; returns what has."""
    from autograder.authoring.build.trial import digests_of_tests, with_tests
    from autograder.grading.exam_seed import FILE, exam_seed_of

    for warning in built.warnings:
        typer.echo(f"autograder: warning: {warning}", err=True)
    course, name = built.course, built.lesson.name

    def as_now() -> "Passed":
        return digests_of_tests(built, _TRIES, [course.root / FILE])

    # It is drawn when it is first asked for.
    exam_seed_of(course.root)
    tests = as_now()
    changed = [test for test, made_of in tests.items() if built.known.passed.get(test) != made_of]
    if not changed:
        return tests
    from autograder.nbgrading.configuration import configuration
    from autograder.nbgrading.try_solution import try_solution

    config, notebook = configuration(course, course.root), with_tests(built.source, changed)
    if not_tried := try_solution(config, name, notebook, course.source / name):
        typer.echo(f"autograder: {not_tried}", err=True)
        return {}
    # What was changed meanwhile may have come too late, or half.
    return tests if tests == as_now() else {}


def lite(
    out: Annotated[
        Path | None, typer.Option(help="The folder to make; by default lite/ in the course.")
    ] = None,
    pyodide: Annotated[
        Path | None,
        typer.Option(help="Where Pyodide lies; by default cache/pyodide/ in the course."),
    ] = None,
) -> None:
    """Make a folder of web pages in which lessons run in a browser, with nothing installed.

    Which lessons: `browser` in course.toml. Any web server can offer the folder.
    """
    from autograder.authoring.browser.lite import FOLDER, make_lite
    from autograder.learner.front.extension import write_for_a_browser

    course = Course.find()
    folder = out or course.root / FOLDER
    place = pyodide or course.root / "cache" / "pyodide"
    lessons = make_lite(course, folder, place, write_for_a_browser)
    typer.echo(f"  wrote {folder}, with {', '.join(lessons)}")
    typer.echo(f"To look at it: {sys.executable} -m http.server --directory {folder}")


def exam(
    name: Annotated[str, typer.Argument(help="An exercise, a mistake, or a family of mistakes.")],
) -> None:
    """Show what an exam tries, names and accepts, and in which file each of it is declared.

    Of a mistake, such as hides_the_past, or of a family, such as MASK_VALUES, show which exercises
    know it, and from where.
    """
    from autograder.authoring.build.one_exam import exams_called, told, told_of_a_mistake

    course = Course.find()
    found = exams_called(course, name)
    of_exercise = [line for one in found if one.exam.name == name for line in told(course, one)]
    for line in of_exercise or told_of_a_mistake(course, name, found):
        typer.echo(line)


def new_course(
    folder: Annotated[Path, typer.Argument(help="A folder that is not there yet, or empty.")],
) -> None:
    """Write a course of another subject, of one small lesson that builds and grades as it stands.

    Its README.md says what is to be filled in.
    """
    from autograder.authoring.begin import new_course as begin

    for path in begin.new_course(folder):
        typer.echo(f"  wrote {path}")
    typer.echo('Fill in what says "Fill in", then run `autograder build` in that folder.')


def new_exercise(
    lesson: Annotated[str, typer.Argument(help="A lesson, by name or number.")],
    name: Annotated[str, typer.Argument(help="What the exercise and its function are called.")],
    with_asserts: Annotated[
        bool, typer.Option("--asserts", help="Its check has asserts, in place of an exam.")
    ] = False,
) -> None:
    """Add an exercise of your own to a lesson, in the folder mine/: text, reference and exam.

    No file that came with the course is changed, so a later version of it can be merged.
    """
    from autograder.authoring.begin import new_exercise as begin

    course = Course.find()
    lesson = course.lesson_named(lesson)
    for path in begin.new_exercise(course, lesson, name, with_asserts=with_asserts):
        typer.echo(f"  wrote {path.relative_to(course.root)}")
    typer.echo(f'Fill in what says "Fill in", then run `autograder build {lesson}`.')


def variant(
    lesson: Annotated[str, typer.Argument(help="What to call the retake, such as 02r_retake.")],
    of: Annotated[str, typer.Option(help="The lesson to ask again, by name or number.")],
    number: Annotated[
        int | None, typer.Option(help="What to draw from, to have the same retake once more.")
    ] = None,
) -> None:
    """Make a retake: a lesson of its own, with the exercises of another and other numbers.

    Printed examples, worksheets and hidden cases are drawn anew, until they are as hard as the
    lesson's: of the same kind and size, and with no mistake that their checks can't name.
    """
    from autograder.authoring.lesson.personal import course_lesson
    from autograder.authoring.retakes import new_retake as retakes

    course = Course.find()
    original = course.lesson_named(of)
    with one_thread(), progress_bar() as bar:
        task = bar.add_task("drawing numbers", total=None)
        made = retakes.new_retake(
            course, lesson, original, number, lambda tried: bar.update(task, completed=tried)
        )
    for path in made.files:
        typer.echo(f"  wrote {path.relative_to(course.root)}")
    points, again = (course_lesson(course, one).points for one in (original, lesson))
    typer.echo(f"The numbers are drawn from {made.number}. In the lesson, and in the retake:")
    compared = [pair for pair in made.compared if pair[0].exercise in again]
    width = max((len(before.exercise) for before, _ in compared), default=0)
    typer.echo(f"  {'':{width}}  mistakes named  largest number")
    for before, now in compared:
        named, largest = f"{before.named}, {now.named}", f"{before.largest:.4g}, {now.largest:.4g}"
        typer.echo(f"  {before.exercise:{width}}  {named:14}  {largest}")
    typer.echo(f"Points: {sum(points.values()):g} in the lesson, {sum(again.values()):g} here.")
    for which, names in (("lesson", points.keys() - again), ("retake", again.keys() - points)):
        if names:
            typer.echo(f"In the {which} alone: {', '.join(sorted(names))}.")
    if lesson not in course.lessons():
        # A course that chooses no lessons has all of them.
        settings = where_set(course.root, "lessons")
        typer.echo(f'Add "{lesson}" to `lessons` in {settings.relative_to(course.root)}.')
    if own := course.own_text(original):
        typer.echo(
            f"What {own.relative_to(course.root)} adds is the lesson's alone: copy what the retake "
            f"shall have of it into {(course.own / lesson).relative_to(course.root)}.md."
        )
    typer.echo(f"Look through the text, then run `autograder build {lesson}`.")


def site(
    folder: Annotated[
        Path | None, typer.Argument(help="Where to make it; by default build/site.")
    ] = None,
) -> None:
    """Make pages of the course: lessons as students get them, with figures, and the documents.

    They need no server: open index.html. A lesson is run again only where it has changed.
    """
    from autograder.site.site import FOLDER, make_site

    course = Course.find()
    with one_thread(), progress_bar() as bar:
        start = make_site(course, folder or course.root / FOLDER, shown(bar, "looking"))
    typer.echo(f"  made {start}")
