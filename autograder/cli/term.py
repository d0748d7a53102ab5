"""The commands of a term: who takes part, what they hand in, and whether all is there for it."""

from pathlib import Path
from typing import Annotated

import typer

from autograder.checks.card.terminal import as_written, printable
from autograder.counted import counted
from autograder.course import Course
from autograder.environment import one_thread

_NAMED = 20


def roster(
    file: Annotated[
        Path | None, typer.Argument(help="A table of students; by default roster.csv.")
    ] = None,
) -> None:
    """Have the gradebook know who takes part, from a CSV file with a row for each student.

    Columns: id, last_name, first_name, email, lms_user_id, extension, and `extension 02` for one
    lesson. The file becomes roster.csv of the course, from which extensions are read when grading.
    Nobody is taken out of the gradebook, and no name is taken away that the table leaves empty.
    """
    from autograder.errors import RosterError
    from autograder.nbgrading.configuration import configuration, nbgrader_api
    from autograder.nbgrading.gradebook.transaction import transaction
    from autograder.nbgrading.term.roster import FILE, read_roster, update_gradebook
    from autograder.whole_file import write_whole

    course = Course.find()
    kept = course.root / FILE
    path = file or kept
    students = read_roster(path, course.lesson_named)
    # All of them or nobody: the gradebook may be another program's by the time of the last.
    with transaction(nbgrader_api(configuration(course, course.root)).coursedir) as gradebook:
        with gradebook.at_once():
            new, changed = update_gradebook(gradebook, students)
        gradebook.keep()
    if path.resolve() != kept:
        try:
            write_whole(kept, path.read_bytes())
        except OSError as error:
            raise RosterError(
                f"the gradebook knows everybody now, but {kept} can't be written "
                f"({error.strerror}): put that right, and run the same command again"
            ) from error
    longer = sum(bool(one.extensions) for one in students)
    everybody = counted(len(students), "student")
    typer.echo(f"{everybody}: {new} new, {changed} changed, {longer} with more time.")


def collect(
    lesson: Annotated[str, typer.Argument(help="The lesson, by name or number.")],
    zip_file: Annotated[
        Path, typer.Option("--zip", help="What Moodle or Canvas gives of all submissions.")
    ],
    update: Annotated[
        bool, typer.Option("--update", help="Replace what was handed in before.")
    ] = False,
) -> None:
    """Put what students handed in on a learning platform into submitted/, by the roster's names.

    Whose file it is must be certain: what is nobody's is named and set aside. The zip does not say
    when something was handed in, so nobody counts as late.
    """
    from autograder.errors import RosterError
    from autograder.grading.class_table import some_of
    from autograder.nbgrading.inbox.timestamps import NAME
    from autograder.nbgrading.term.roster import FILE, read_roster
    from autograder.nbgrading.term.zip_hand_ins import collect_zip

    course = Course.find()
    name = course.lesson_named(lesson)
    path = course.root / FILE
    if not path.exists():
        raise RosterError(f"{path} is missing: `autograder roster FILE.csv` says who is who")
    students = read_roster(path, course.lesson_named)
    asked = course.source / name / f"{name}.ipynb"
    found = collect_zip(zip_file, asked, students, course.root / "submitted", update=update)
    for sentence in found.aside[:_NAMED]:
        typer.echo(printable(f"  {sentence}"))
    if len(found.aside) > _NAMED:
        typer.echo(f"  {len(found.aside) - _NAMED} more are set aside")
    typer.echo(f"{len(found.taken)} taken, {len(found.aside)} set aside.")
    if found.taken:
        typer.echo(f"The zip holds no times: nobody counts as late without a {NAME}.")
    if found.late:
        typer.echo(f"Late, as Canvas says: {some_of(found.late)}.")
    if found.untimed:
        typer.echo(f"No longer with the {NAME} that was there: {some_of(found.untimed)}.")
    if found.there:
        typer.echo(f"The same as before, and left as it is: {some_of(found.there)}.")
    if found.differing:
        names = some_of(found.differing)
        typer.echo(f"Had handed in something else before, which stays without --update: {names}.")


def doctor() -> None:
    """Say what is there for grading and what is missing, each with what mends it."""
    from rich.console import Console
    from rich.table import Table

    from autograder.nbgrading.configuration import configuration
    from autograder.nbgrading.term.doctor import examine

    course = Course.find()
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    ill = False
    with one_thread():
        for one in examine(course, lambda: configuration(course, course.root)):
            ill |= bool(one.mend) and one.is_needed
            mark = "ok" if not one.mend else "MISSING" if one.is_needed else "later"
            table.add_row(mark, one.what, as_written(one.found))
            if one.mend:
                table.add_row("", "", as_written(f"→ {one.mend}"))
    Console().print(table)
    if ill:
        raise typer.Exit(1)
