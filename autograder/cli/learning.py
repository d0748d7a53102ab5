"""The commands of whoever learns: how far one is, and an exercise as it was given out."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from autograder.checks.card.terminal import printable
from autograder.checks.progress import MANIFEST
from autograder.course import Course
from autograder.errors import CourseNotFound

Folder = Annotated[
    Path | None, typer.Option(help="Your own folder; by default work/ in the course.")
]


def _course() -> Course:
    """The course that the current folder lies in; whoever is in their own is told the way.

    Raises:
        CourseNotFound: when it lies in none.
    """
    try:
        return Course.find()
    except CourseNotFound:
        here = Path.cwd()
        if not (here / MANIFEST).is_file():
            raise
        raise CourseNotFound(
            f"{here} is a folder of your own, outside of its course: go to where you cloned the "
            f"course, and type the same there with --folder {shlex.quote(str(here))}."
        ) from None


def status(folder: Folder = None) -> None:
    """Show what is done in each lesson, what is left, the last mistake, and what is next.

    An exercise is done when the answer that passed its check is the one in your saved notebook.
    """
    from rich.console import Console

    from autograder.learner.notebooks.work import find_work
    from autograder.learner.status import as_table, course_status

    console = Console()
    console.print(as_table(course_status(find_work(folder)), console.width))


def update(
    lesson: Annotated[
        str, typer.Argument(help="A lesson, by name or number; without, all that have changed.")
    ] = "",
    folder: Folder = None,
) -> None:
    """Bring your notebooks to the lessons as they are now, with what you wrote carried over.

    Each notebook as it was is kept beside it, under a name with the date and time.
    """
    from autograder.learner.notebooks.work import Change, copy_lessons, find_work

    course = _course()
    named = course.lessons_named([lesson]) if lesson else []
    changed = [
        one
        for one in copy_lessons(course, find_work(folder), named=named)
        if one.change is not Change.NONE
    ]
    for one in changed:
        typer.echo(printable(str(one)))
    if not changed:
        typer.echo("Your notebooks have all of the lessons already: nothing was changed.")


def again(
    lesson: Annotated[
        str, typer.Argument(help="A lesson, by name or number; without, what is due.")
    ] = "",
    exercise: Annotated[str, typer.Argument(help="An exercise of it.")] = "",
    folder: Folder = None,
) -> None:
    """Give an exercise that has passed once more, to do it from memory.

    It stands in a notebook of its own, and your lesson stays as it is.
    """
    from autograder.errors import CheckError
    from autograder.learner.notebooks.again import give_again
    from autograder.learner.notebooks.work import find_work
    from autograder.learner.status import course_status, once_more

    course, work = _course(), find_work(folder)
    if bool(lesson) != bool(exercise):
        raise CheckError(
            "name a lesson and an exercise, as in `autograder again 02 context_vector`"
        )
    if lesson:
        lesson = course.lesson_named(lesson)
    elif found := once_more(course_status(work)):
        lesson, exercise = found.lesson.name, found.exercise
    else:
        typer.echo(
            "Nothing is due: an exercise comes back a day after it has passed its check. "
            "`autograder again LESSON EXERCISE` gives you any of them now."
        )
        return
    typer.echo(f"{exercise} waits for you in {give_again(course, work, lesson, exercise)}.")


def reset(
    lesson: Annotated[str, typer.Argument(help="A lesson, by name or number.")],
    exercise: Annotated[
        str, typer.Argument(help="One exercise of it; without, the whole lesson.")
    ] = "",
    folder: Folder = None,
) -> None:
    """Give a lesson, or the cell of one exercise, back as it was given out.

    Your own notebook is kept beside it, under a name with the date and time.
    """
    from autograder.learner.notebooks.reset import in_words
    from autograder.learner.notebooks.reset import reset as give_back
    from autograder.learner.notebooks.work import RELOAD, find_work

    course = _course()
    lesson = course.lesson_named(lesson)
    what = exercise or lesson
    kept = give_back(course, find_work(folder), lesson, exercise)
    typer.echo(in_words(what, kept))
    if kept:
        typer.echo(RELOAD)
