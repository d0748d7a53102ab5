"""The program `autograder`: one command per thing that one does with a course.

Commands import what they need when they are called, so that `autograder --help` is quick.
"""

import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Never

import typer

from autograder.checks.card.terminal import as_written, printable
from autograder.course import Course
from autograder.errors import CourseError, IsolationUnavailable, NotInstalled
from autograder.preload import one_thread

if TYPE_CHECKING:
    from rich.progress import Progress

    from autograder.authoring.build.build import Built
    from autograder.grading.class_table import StudentResult

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

Lessons = Annotated[list[str] | None, typer.Argument(help="Lessons, by name or number.")]
NoOpen = Annotated[bool, typer.Option("--no-open", help="Prepare everything, start nothing.")]
Port = Annotated[int | None, typer.Option(help="JupyterLab's port, if it is free: 8888.")]
Ip = Annotated[str | None, typer.Option(help="Where JupyterLab listens: localhost.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address, open nothing.")]


@app.callback()
def autograder() -> None:
    """Build, open and grade a course of notebooks."""


@app.command()
def build(
    lessons: Lessons = None,
    force: Annotated[bool, typer.Option(help="Make what has not changed, too.")] = False,
) -> None:
    """Make what has changed of the notebooks, from the lessons' texts, the reference and the exams.

    The solution of each lesson that is made is tried in the sandbox, as a student's would be.
    Without LESSONS, the tables of docs/ are made as well. A number such as 02 stands for a lesson.
    """
    from autograder.authoring.build.incremental import build as build_changed

    course = Course.find()
    names = course.lessons_named(lessons or ())
    with one_thread(), _bar() as bar:
        show = _shown(bar, "looking for what has changed")
        changed = build_changed(
            course,
            names,
            force=force,
            progress=lambda done, steps, product: show(done, steps, f"making {product}"),
            trial=_try,
        )
    for path in changed:
        typer.echo(f"  wrote {path.relative_to(course.root)}")
    if not changed:
        typer.echo("  nothing has changed")


def _try(built: "Built") -> None:
    from autograder.nbgrading.configuration import configuration
    from autograder.nbgrading.try_solution import try_solution

    course, name = built.course, built.lesson.name
    config = configuration(course, course.root)
    if not_tried := try_solution(config, name, built.source, course.source / name):
        typer.echo(f"autograder: {not_tried}", err=True)


@app.command()
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


@app.command()
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
    with one_thread(), _bar() as bar:
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
    return f"  {result.student:5} {result.points:>9}  {told}"


@app.command()
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
    from there.
    """
    from rich.console import Console

    course = Course.find()
    if records:
        _to_records(course, Path(lesson), records, student, workers, scheduler, isolation, force)
        return
    if student and not scheduler:
        _get_ready(course, isolation)
    from autograder.grading.class_table import as_table
    from autograder.nbgrading.grade_class import grade_class, students_of

    students = [student] if student else students_of(course, lesson)
    given = {"isolation": isolation, "workers": workers, "scheduler": scheduler}
    settings = {name: value for name, value in given.items() if value is not None}
    with one_thread(), _bar() as bar:
        task = bar.add_task(lesson, total=len(students))
        results = []
        for result in grade_class(course, lesson, students, force=force, settings=settings):
            results.append(result)
            bar.update(task, advance=1, description=printable(f"{lesson} {result.student}"))
    Console().print(as_table(results, lesson))
    if any(result.failure for result in results):
        raise typer.Exit(1)


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
    from autograder.nbgrading.pages.records import grade_to_records, submitted_in

    submitted, by_lesson = (
        submitted_in(course, folder, out, student),
        dict[str, list[StudentResult]](),
    )
    with one_thread(), _bar() as bar, for_a_class(len(submitted), workers or 0, scheduler or ""):
        task = bar.add_task(folder.name, total=len(submitted))
        graded = grade_to_records(course, submitted, isolation=isolation, force=force)
        for one, result in graded:
            by_lesson.setdefault(one.lesson, []).append(result)
            bar.update(task, advance=1, description=printable(f"{one.lesson} {one.student}"))
    for lesson, results in by_lesson.items():
        Console().print(as_table(results, lesson))
    typer.echo(f"Records and pages are in {out}.")
    if any(result.failure for results in by_lesson.values() for result in results):
        raise typer.Exit(1)


def _get_ready(course: Course, isolation: str) -> None:
    """Have the sandbox start while nbgrader is imported, which takes as long."""
    from autograder.grading.jobs.sandboxes import begin, usual_walls

    # What is missing here is told when a submission needs it.
    with one_thread(), suppress(IsolationUnavailable):
        begin(usual_walls(course, isolation))


@app.command()
def report(
    lessons: Annotated[list[str], typer.Argument(help="Lessons, by name or number.")],
    to: Annotated[
        Path | None, typer.Option(help="Where the files go; by default reports/ in the course.")
    ] = None,
) -> None:
    """Write what a graded class shows: a page, and the same as JSON and CSV.

    How the points lie, which exercises were hard, which mistakes were made and by whom, and which
    answers are alike. With several LESSONS also how the class has done from one to the next.
    """
    from autograder.insight.survey.survey import write_report

    course = Course.find()
    # A notebook that was made by hand has no text from which it is built.
    graded = [one for one in lessons if any(course.root.glob(f"autograded/*/{one}"))]
    named = [*lessons] if graded == lessons else course.lessons_named(lessons)
    for path in write_report(course, named, to):
        typer.echo(f"  wrote {path}")


@app.command()
def mark(
    notebook: Annotated[Path, typer.Argument(help="A notebook of yours, of one of the lessons.")],
) -> None:
    """Run the full exam on a notebook of your own and show what each exercise earns.

    The notebook's code runs as it is, with all that you may do: for your own, trusted work.
    """
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import Progress

    from autograder.learner.marking import mark_notebook
    from autograder.learner.marks import as_table

    course = Course.find()
    with one_thread(), Progress(transient=True) as bar:
        task = bar.add_task(escape(printable(f"running {notebook.name}")))
        marks = mark_notebook(
            course,
            notebook,
            progress=lambda done, cells: bar.update(task, completed=done, total=cells),
        )
    Console().print(as_table(marks, notebook.stem))


@app.command()
def lab(
    folder: Annotated[
        Path | None, typer.Option(help="Your own folder; by default work/ in the course.")
    ] = None,
    port: Port = None,
    ip: Ip = None,
    no_browser: NoBrowser = False,
    no_open: NoOpen = False,
) -> None:
    """Copy the lessons into a folder of your own and open them in JupyterLab.

    What you wrote is never overwritten: a lesson that changed is put beside yours.
    """
    from autograder.learner.jupyter import open_lab, server_options
    from autograder.learner.work import Change, copy_lessons, work_folder

    course = Course.find()
    folder = work_folder(course, folder)
    for copied in copy_lessons(course, folder):
        if copied.change is not Change.NONE:
            typer.echo(copied)
    typer.echo(f"Your notebooks are in {folder}.")
    if not no_open:
        _announce(no_browser)
        open_lab(folder, options=server_options(port, ip, browser=not no_browser))


@app.command()
def teach(
    port: Port = None, ip: Ip = None, no_browser: NoBrowser = False, no_open: NoOpen = False
) -> None:
    """Open the course in JupyterLab, with nbgrader's formgrader ready.

    Its release and collect buttons use the folder exchange/ in the course. Nothing is built before
    it opens: Generate builds a lesson that has changed.
    """
    from autograder.authoring.build.incremental import changed_lessons
    from autograder.learner.jupyter import open_course, prepare_course, server_options

    course = Course.find()
    prepare_course(course)
    for lesson in changed_lessons(course):
        typer.echo(
            f"{lesson} has changed since it was built: press Generate in formgrader, or run "
            "`autograder build`."
        )
    if sys.platform == "win32":
        typer.echo("nbgrader's release and collect buttons need Linux or macOS; all else works.")
    typer.echo("Formgrader is in JupyterLab's menu Nbgrader.")
    if not no_open:
        _announce(no_browser)
        open_course(course, options=server_options(port, ip, browser=not no_browser))


def _bar() -> "Progress":
    """A line of progress with the time that is left, gone at the end; only on a terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        Remaining(),
        TextColumn("left"),
    )
    console = Console()
    # Elsewhere it would leave an empty line.
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


def _shown(bar: "Progress", first: str) -> Callable[[int, int, str], None]:
    """Shows steps in a bar, and each in a line where there is no terminal to draw it in."""
    task = bar.add_task(first, total=None)

    def show(done: int, steps: int, step: str) -> None:
        bar.update(task, completed=done, total=steps, description=step)
        if not bar.console.is_terminal:
            typer.echo(f"  {done} of {steps}: {step}")

    return show


def _announce(no_browser: bool) -> None:
    where = "prints its address below" if no_browser else "opens in your browser"
    typer.echo(f"JupyterLab {where}; end it with Ctrl-C here.")


def main() -> None:
    """Run the command line; a CourseError becomes one sentence and its exit code."""
    try:
        app()
    except CourseError as error:
        _end_with(error)
    except ModuleNotFoundError as error:
        if not (missing := NotInstalled.of(error)):
            raise
        _end_with(missing)


def _end_with(error: CourseError) -> Never:
    typer.echo(printable(f"autograder: {error}"), err=True)
    raise SystemExit(error.exit_code) from None


if __name__ == "__main__":
    main()
