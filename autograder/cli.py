"""The program `autograder`: one command per thing that one does with a course.

Commands import what they need when they are called, so that `autograder --help` is quick.
"""

import sys
from pathlib import Path
from typing import Annotated

import typer

from autograder.course import Course
from autograder.errors import CourseError
from autograder.threads import one_thread

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

NoOpen = Annotated[bool, typer.Option("--no-open", help="Prepare everything, start nothing.")]


@app.callback()
def autograder() -> None:
    """Build, open and grade a course of notebooks."""


@app.command()
def build() -> None:
    """Make the notebooks from the lessons' texts, the reference and the exams."""
    changed = _build(Course.find())
    if not changed:
        typer.echo("  nothing has changed")


def _build(course: Course) -> list[Path]:
    from autograder.build import build as build_all

    with one_thread():
        changed = build_all(course, progress=lambda lesson: typer.echo(f"building {lesson}"))
    for path in changed:
        typer.echo(f"  wrote {path.relative_to(course.root)}")
    return changed


@app.command()
def demo() -> None:
    """Grade a simulated class from end to end, in the folder demo/ of the course."""
    from rich.console import Console

    from autograder.demo import as_tables, disappointments, run_demo

    course = Course.find()
    folder = course.root / "demo"
    console = Console()
    with one_thread():
        results = run_demo(
            course, folder, course.lessons(), progress=lambda step: console.print(f"  {step}")
        )
    for table in as_tables(results):
        console.print("", table)
    console.print("\nFeedback pages:  demo/feedback/<student>/<lesson>/<lesson>.html")
    console.print("Graded notebooks: demo/autograded/<student>/<lesson>/<lesson>.ipynb")
    console.print("Your own class:  make teach", highlight=False)
    wrong = disappointments(results)
    for sentence in wrong:
        console.print(f"not as expected: {sentence}", style="red")
    if wrong:
        raise typer.Exit(1)


@app.command()
def grade(
    lesson: Annotated[str, typer.Argument(help="The name of the lesson.")],
    student: Annotated[str | None, typer.Option(help="Grade this student alone.")] = None,
    force: Annotated[bool, typer.Option(help="Grade again what is graded already.")] = False,
    isolation: Annotated[
        str, typer.Option(help='"full", or "none" to run student code with all that you may do.')
    ] = "full",
) -> None:
    """Grade the submissions in submitted/ safely: scores in the gradebook, a record for each.

    Interrupt it when you like: what is graded stays, and the next run goes on from there.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as Remaining

    from autograder.classwork import as_table, grade_class, students_of

    course = Course.find()
    students = [student] if student else students_of(course, lesson)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Remaining())
    with one_thread(), Progress(*columns, transient=True) as bar:
        task = bar.add_task(lesson, total=len(students))
        results = []
        for result in grade_class(course, lesson, students, force=force, isolation=isolation):
            results.append(result)
            bar.update(task, advance=1, description=f"{lesson} {result.student}")
    Console().print(as_table(results, lesson))
    if any(result.failure for result in results):
        raise typer.Exit(1)


@app.command()
def mark(
    notebook: Annotated[Path, typer.Argument(help="A notebook of yours, of one of the lessons.")],
) -> None:
    """Run the full exam on a notebook of your own and show what each exercise earns.

    The notebook's code runs as it is, with all that you may do: for your own, trusted work.
    """
    from rich.console import Console
    from rich.progress import Progress

    from autograder.marking import mark_notebook
    from autograder.marks import as_table

    course = Course.find()
    with one_thread(), Progress(transient=True) as bar:
        task = bar.add_task(f"running {notebook.name}")
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
    no_open: NoOpen = False,
) -> None:
    """Copy the lessons into a folder of your own and open them in JupyterLab.

    What you wrote is never overwritten: a lesson that changed is put beside yours.
    """
    from autograder.jupyter import open_lab
    from autograder.work import Change, copy_lessons, work_folder

    course = Course.find()
    _build(course)
    folder = work_folder(course, folder)
    for copied in copy_lessons(course, folder):
        if copied.change is not Change.NONE:
            typer.echo(copied)
    typer.echo(f"Your notebooks are in {folder}.")
    if not no_open:
        typer.echo("JupyterLab opens in your browser; end it with Ctrl-C here.")
        open_lab(folder)


@app.command()
def teach(no_open: NoOpen = False) -> None:
    """Open the course in JupyterLab, with nbgrader's formgrader ready.

    Its release and collect buttons use the folder exchange/ in the course.
    """
    from autograder.jupyter import open_course, prepare_course

    course = Course.find()
    _build(course)
    prepare_course(course)
    if sys.platform == "win32":
        typer.echo("nbgrader's release and collect buttons need Linux or macOS; all else works.")
    typer.echo("Formgrader is in JupyterLab's menu Nbgrader.")
    if not no_open:
        typer.echo("JupyterLab opens in your browser; end it with Ctrl-C here.")
        open_course(course)


def main() -> None:
    """Run the command line; a CourseError becomes one sentence and its exit code."""
    try:
        app()
    except CourseError as error:
        typer.echo(f"autograder: {error}", err=True)
        raise SystemExit(error.exit_code) from None


if __name__ == "__main__":
    main()
