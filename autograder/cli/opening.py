"""The commands of whoever works in a course: their own notebooks, or all of it, in JupyterLab."""

import shutil
import sys
import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from autograder.checks.card.terminal import printable
from autograder.course import Course
from autograder.environment import one_thread

NoOpen = Annotated[bool, typer.Option("--no-open", help="Prepare everything, start nothing.")]
Port = Annotated[int | None, typer.Option(help="JupyterLab's port, if it is free: 8888.")]
Ip = Annotated[str | None, typer.Option(help="Where JupyterLab listens: localhost.")]
NoBrowser = Annotated[bool, typer.Option("--no-browser", help="Print the address, open nothing.")]


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


def lab(
    folder: Annotated[
        Path | None, typer.Option(help="Your own folder; by default work/ in the course.")
    ] = None,
    port: Port = None,
    ip: Ip = None,
    no_browser: NoBrowser = False,
    no_open: NoOpen = False,
) -> None:
    """Copy the lessons into a folder of your own and open it in JupyterLab, at a map of it.

    Where a lesson has changed, what you wrote is carried over into the newer one, and your notebook
    as it was is kept beside it.
    """
    from autograder.learner.jupyter import open_lab, server_options
    from autograder.learner.notebooks.work import Change, copy_lessons, work_folder
    from autograder.learner.start_page import write_start_page

    course = Course.find()
    folder = work_folder(course, folder)
    copies = copy_lessons(course, folder)
    typer.echo(f"Your notebooks are in {folder}.")
    if new := [copied.lesson for copied in copies if copied.change is Change.NEW]:
        typer.echo(printable(f"New in it: {', '.join(new)}."))
    for copied in copies:
        if copied.change not in (Change.NONE, Change.NEW):
            typer.echo(printable(str(copied)))
    write_start_page(folder)
    _tell_how_to_call_us()
    if not no_open:
        browser = _announce(no_browser)
        open_lab(folder, options=server_options(port, ip, browser=browser))


def teach(
    port: Port = None, ip: Ip = None, no_browser: NoBrowser = False, no_open: NoOpen = False
) -> None:
    """Open the course in JupyterLab, which begins with nbgrader's formgrader.

    Its release and collect buttons use the folder exchange/ in the course, unless
    mine/nbgrader_config.py names another. Nothing is built before it opens: Generate builds a
    lesson that has changed.
    """
    from autograder.authoring.build.incremental import changed_lessons
    from autograder.learner.jupyter import open_course, prepare_course, server_options
    from autograder.nbgrading.configuration import configuration

    course = Course.find()
    # A configuration that fails opens no formgrader, which would say so in a log alone.
    configuration(course, course.root)
    prepare_course(course)
    for lesson in changed_lessons(course):
        typer.echo(
            f"{lesson} has changed since it was built: press Generate in formgrader, or run "
            "`autograder build`."
        )
    if sys.platform == "win32":
        typer.echo("nbgrader's release and collect buttons need Linux or macOS; all else works.")
    typer.echo("JupyterLab begins with formgrader; its menu Nbgrader has it too.")
    _tell_how_to_call_us()
    if not no_open:
        browser = _announce(no_browser)
        open_course(course, options=server_options(port, ip, browser=browser))


def _tell_how_to_call_us() -> None:
    """`make` calls us by our path, and whoever reads of a command types its name."""
    activate = Path(sys.executable).with_name("activate")
    if activate.is_file() and not shutil.which("autograder"):
        typer.echo(f"For commands such as `autograder status`, type first: source {activate}")


def _announce(no_browser: bool) -> bool:
    """Whether a browser is to open, which not every machine has."""
    try:
        browser = not no_browser and bool(webbrowser.get())
    except webbrowser.Error:
        browser = False
    where = "opens in your browser" if browser else "prints its address below"
    typer.echo(f"JupyterLab {where}; end it with Ctrl-C here.")
    return browser
