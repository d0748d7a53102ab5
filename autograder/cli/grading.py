"""The commands of whoever grades a class."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.checks.card.terminal import as_written, printable
from autograder.cli.asking import Lessons, lesson_called
from autograder.cli.progress import progress_bar
from autograder.course import Course
from autograder.environment import one_thread
from autograder.errors import GradingFailed, IsolationUnavailable

if TYPE_CHECKING:
    from autograder.grading.class_table import StudentResult


def demo(
    lessons: Lessons = None,
    everything: Annotated[bool, typer.Option("--all", help="All lessons: ten minutes.")] = False,
) -> None:
    """Grade a simulated class from end to end, in the folder demo/ of the course.

    Without LESSONS it is the one that course.toml names, or the shortest: a minute or so.
    """
    from autograder.demo import demo
    from autograder.grading.class_table import as_table

    course = Course.find()
    names = course.lessons() if everything else course.lessons_named(lessons or ())
    names = names or [demo.usual_lesson(course)]
    with one_thread(), progress_bar() as bar:
        console = bar.console
        task = bar.add_task("", total=len(names) * demo.CLASS_SIZE)

        def begin(lesson: str) -> None:
            console.print(
                printable(f"{lesson}: a class of {demo.CLASS_SIZE} hands in"), markup=False
            )
            bar.update(task, description=printable(lesson))

        results = []
        for result in demo.run_demo(course, course.root / "demo", names, progress=begin):
            results.append(result)
            # All of it stands in the table.
            line = as_written(_in_a_line(result.graded))
            console.print(line, no_wrap=True, overflow="ellipsis")
            bar.update(task, advance=1)
    for name in names:
        graded = [result.graded for result in results if result.lesson == name]
        console.print("", as_table(graded, name))
    console.print("\nFeedback pages:   demo/feedback/<student>/<lesson>/<lesson>.html")
    console.print("Graded notebooks: demo/autograded/<student>/<lesson>/<lesson>.ipynb")
    console.print("Your own class:   make teach", highlight=False)
    if page := demo.worth_opening(results):
        console.print(f"Worth opening:    {page.relative_to(course.root)}", soft_wrap=True)
    wrong = demo.disappointments(results)
    for sentence in wrong:
        console.print(as_written(f"not as expected: {sentence}"), style="red")
    if wrong:
        raise typer.Exit(1)


def _in_a_line(result: "StudentResult") -> str:
    told = result.told.replace("\n", "; ")
    return f"  {result.student:5} {result.points:>16}  {told}"


def grade(
    lesson: Annotated[
        str, typer.Argument(help="The name of the lesson; with --records, a folder.")
    ],
    student: Annotated[str | None, typer.Option(help="Grade this student alone.")] = None,
    records: Annotated[
        Path | None,
        typer.Option(help="Grade a folder of submissions into this one, without a gradebook."),
    ] = None,
    force: Annotated[bool, typer.Option(help="Grade again what is graded already.")] = False,
    changed: Annotated[
        bool, typer.Option("--changed", help="Grade again what newer exams or tests would grade.")
    ] = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show whose points that changes, and save nothing.")
    ] = False,
    isolation: Annotated[
        str, typer.Option(help='"full", or "none" to run student code with all that you may do.')
    ] = "full",
    workers: Annotated[
        int | None, typer.Option(help="Processes that grade a class: one for each processor.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="A Dask scheduler's address, whose workers grade instead.")
    ] = None,
) -> None:
    """Grade the submissions in submitted/ safely: scores in the gradebook, a record for each.

    With --records OUT, grade a folder that has <student>/<lesson>/<lesson>.ipynb, or
    <student>/<lesson>.ipynb, of any lessons: a record and a page for each go to OUT, and no
    gradebook is touched. Interrupt it when you like: what is graded stays, and the next run goes on
    from there. Where exams, or what is in source/, have changed since a submission was graded, a
    sentence says so; --changed grades those again, and --dry-run shows first what that would
    change.
    """
    from rich.console import Console

    course = Course.find()
    if records:
        _to_records(course, Path(lesson), records, student, workers, scheduler, isolation, force)
        return
    lesson = lesson_called(course, lesson)
    if not scheduler:
        again = force or changed or dry_run
        _get_ready(course, lesson, student or "", isolation, again=again)
    from autograder.grading.class_table import as_table, some_of, without_submission
    from autograder.nbgrading.grade_class import (
        called_as_nobody,
        expected_of,
        grade_class,
        outdated,
        students_of,
    )

    students = students_of(course, lesson)
    if student:
        if student not in students:
            raise GradingFailed(
                f"nothing is there of {printable(student)}: submissions lie in "
                f"submitted/<student>/{lesson}/"
            )
        students = [student]
    given = {"isolation": isolation, "workers": workers, "scheduler": scheduler}
    settings = {name: value for name, value in given.items() if value is not None}
    nobodys = called_as_nobody(students)
    if changed or (dry_run and not force):
        students, force = outdated(course, lesson, students, settings), True
    if dry_run:
        students = [one for one in students if one not in nobodys]
        _show_differences(course, lesson, students, settings)
        return
    if changed:
        students = [*students, *nobodys]
    with one_thread(), progress_bar() as bar:
        task = bar.add_task(lesson, total=len(students))
        results: list[StudentResult] = []
        try:
            for result in grade_class(course, lesson, students, force=force, settings=settings):
                results.append(result)
                bar.update(task, advance=1, description=printable(f"{lesson} {result.student}"))
        except KeyboardInterrupt:
            typer.echo(
                f"Interrupted: what came of {len(results)} of {len(students)} is in the gradebook, "
                "the others are as they were, and the same command goes on from here.",
                err=True,
            )
            raise typer.Exit(130) from None
    Console().print(as_table(results, lesson))
    if not (student or changed):
        known = expected_of(course)
        if missing := without_submission([one for one in known if one not in students], len(known)):
            typer.echo(printable(missing))
        strangers = [one for one in students if one not in {*known, *nobodys}]
        if strangers:
            typer.echo(printable(f"Not in the roster: {some_of(strangers)}."))
    if older := sum(result.is_outdated for result in results):
        typer.echo(
            f"{older} of them were graded with exams that have changed since, with other files in "
            f"source/, another exam_seed.txt or fewer walls: `autograder grade {lesson} --dry-run` "
            "shows whose points that changes, and --changed grades them again."
        )
    if any(result.failure for result in results):
        raise typer.Exit(1)


def _show_differences(
    course: Course, lesson: str, students: list[str], settings: Mapping[str, object]
) -> None:
    from rich.console import Console
    from rich.table import Table

    from autograder.nbgrading.grade_class import differences

    table = Table(title=as_written(lesson), title_justify="left")
    for heading in ("student", "exercise", "before", "after", "what is found now"):
        table.add_column(heading, justify="right" if heading in ("before", "after") else "left")
    touched = 0
    with one_thread(), progress_bar() as bar:
        task = bar.add_task(lesson, total=len(students))
        for student, found in differences(course, lesson, students, settings):
            touched += bool(found)
            for one in found:
                points = f"{one.before:g}", f"{one.after:g}"
                table.add_row(as_written(student), one.exercise, *points, as_written(one.why))
            bar.update(task, advance=1, description=printable(f"{lesson} {student}"))
    if touched:
        Console().print(table)
    typer.echo(
        f"{len(students)} would be graded again, and the points of {touched} would change. Nothing "
        "was saved."
    )


def _to_records(
    course: Course,
    folder: Path,
    out: Path,
    student: str | None,
    workers: int | None,
    scheduler: str | None,
    isolation: str,
    force: bool,
) -> None:
    from rich.console import Console

    from autograder.grading.class_table import StudentResult, as_table
    from autograder.grading.jobs.workers import for_a_class
    from autograder.nbgrading.pages.records import (
        closed_in,
        grade_to_records,
        nothing_in,
        submitted_in,
    )

    submitted, by_lesson = (
        submitted_in(course, folder, out, student),
        dict[str, list[StudentResult]](),
    )
    closed = closed_in(folder, student)
    with (
        one_thread(),
        progress_bar() as bar,
        for_a_class(len(submitted), workers or 0, scheduler or ""),
    ):
        task = bar.add_task(folder.name, total=len(submitted))
        graded = grade_to_records(course, submitted, isolation=isolation, force=force)
        for one, result in graded:
            by_lesson.setdefault(one.lesson, []).append(result)
            bar.update(task, advance=1, description=printable(f"{one.lesson} {result.student}"))
    for lesson, results in by_lesson.items():
        Console().print(as_table(results, lesson))
    for sentence in [*closed, *nothing_in(folder, submitted, student)]:
        typer.echo(printable(sentence), err=True)
    typer.echo(f"Records and pages are in {out}.")
    if closed or any(result.failure for results in by_lesson.values() for result in results):
        raise typer.Exit(1)


def _get_ready(course: Course, lesson: str, student: str, isolation: str, *, again: bool) -> None:
    """Have what grades start while nbgrader is imported, which takes as long."""
    from autograder.grading.jobs.sandboxes import usual_walls
    from autograder.grading.jobs.workers import begin_early

    submitted, graded = (
        [one for one in course.root.glob(f"{step}/*/{lesson}") if student in ("", one.parent.name)]
        for step in ("submitted", "autograded")
    )
    # What is missing here is told when a submission needs it.
    with one_thread(), suppress(IsolationUnavailable):
        begin_early(submitted, () if again else graded, course.root, usual_walls(course, isolation))


def report(
    lessons: Annotated[
        list[str] | None,
        typer.Argument(help="Lessons, by name or number; by default all that are graded."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option(help="Where the files go; by default reports/ in the course.")
    ] = None,
) -> None:
    """Write what a graded class shows: a page, and the same as JSON and CSV.

    How the points lie, which exercises were hard, which mistakes were made and by whom, and which
    answers are alike. With several LESSONS also how the class has done from one to the next.
    """
    from autograder.insight.survey.survey import write_report
    from autograder.nbgrading.inbox.student_ids import refusal

    course = Course.find()
    # A notebook that was made by hand has no text from which it is built.
    graded = {path.name for path in course.root.glob("autograded/*/*") if path.is_dir()}
    if not (lessons or graded):
        raise GradingFailed("nothing is graded yet: autograder grade LESSON")
    asked = lessons or course.in_order(sorted(graded))
    full = asked if graded.issuperset(asked) else course.lessons_named(asked)

    def why_nobody(folder: str) -> str:
        if not refusal(folder):
            return ""
        # Only for these is nbgrader needed.
        from autograder.nbgrading.grade_class import meant_by

        return refusal(folder, meant_by(course, [folder]))

    for path in write_report(course, full, to, why_nobody):
        typer.echo(f"  wrote {path}")
