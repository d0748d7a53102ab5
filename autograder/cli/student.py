"""The command about one student."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from autograder.checks.card.terminal import as_written, printable
from autograder.counted import counted
from autograder.course import Course

if TYPE_CHECKING:
    from autograder.nbgrading.term.one_student import OneStudent

_FILES = 200


def student(
    name: Annotated[str, typer.Argument(metavar="ID", help="The student's id.")],
    copy: Annotated[Path | None, typer.Option(help="Copy everything into this new folder.")] = None,
    rename: Annotated[str | None, typer.Option(help="Give the student this id instead.")] = None,
    remove: Annotated[
        Path | None, typer.Option(help="Copy everything into this new folder, then remove it here.")
    ] = None,
) -> None:
    """Show what there is about one student: the roster's row, points, files. Or copy, or change it.

    --copy hands all of it out: files as they are, and as CSV what the roster and the gradebook
    know. --rename gives another id, and all points, comments and files stay. --remove takes
    somebody out of the course, once the copy is there and the same. Interrupt any of them when you
    like: nothing is lost, and the same command goes on.
    """
    if sum(one is not None for one in (copy, rename, remove)) > 1:
        raise typer.BadParameter("--copy, --rename and --remove go one at a time")
    from autograder.nbgrading.configuration import configuration, nbgrader_api
    from autograder.nbgrading.term.one_student import one_student

    course = Course.find()
    config = configuration(course, course.root)
    with one_student(course, config, lambda: nbgrader_api(config).gradebook, name) as one:
        try:
            _do(one, copy, rename, remove)
        except KeyboardInterrupt:
            typer.echo("Interrupted: nothing is lost, and the same command goes on.", err=True)
            raise typer.Exit(130) from None


def _do(one: "OneStudent", copy: Path | None, rename: str | None, remove: Path | None) -> None:
    if copy is not None:
        _tell_what_is_no_file(one.copy(copy))
        typer.echo(printable(f"All that there is of {one.id} is in {copy}."))
    elif rename is not None:
        one.rename(rename)
        typer.echo(printable(f"{one.id} is {rename} now."))
        _tell_out_of_reach(one, f"{one.id} may still stand in")
    elif remove is not None:
        _remove(one, remove)
    else:
        _show(one)


def _show(one: "OneStudent") -> None:
    from rich.console import Console
    from rich.table import Table

    one.must_be_there()
    row = {name: cell for name, cell in one.in_roster().items() if cell}
    cells = ", ".join(f"{name} {cell}" for name, cell in row.items())
    typer.echo(printable(f"In the roster: {cells or 'no'}.").replace("\n", " "))
    table = Table(title=as_written(one.id), title_justify="left")
    for heading in ("lesson", "points", "late", "by hand", "state"):
        table.add_column(heading, justify="left" if heading in ("lesson", "state") else "right")
    lessons = one.lessons()
    for found in lessons:
        points = f"{found.points:g} / {found.out_of:g}" if found.out_of else "–"
        late = f"−{found.penalty:g}" if found.penalty else ""
        by_hand = str(found.by_hand or "")
        table.add_row(as_written(found.lesson), points, late, by_hand, found.state)
    if lessons:
        Console().print(table)
    files = [*one.files()]
    for path, size in files[:_FILES]:
        typer.echo(printable(f"  {path}  {size}"))
    if len(files) > _FILES:
        typer.echo(f"  and {len(files) - _FILES} more")
    typer.echo(f"{counted(len(files), 'file')}.")
    _tell_out_of_reach(one, "More about this student may stand in")


def _remove(one: "OneStudent", folder: Path) -> None:
    for removed in one.remove(folder):
        typer.echo(printable(f"  removed {removed}"))
    typer.echo(printable(f"{one.id} is no longer in the course. The copy is in {folder}."))
    _tell_out_of_reach(one, "Out of reach, and for you to look through")


def _tell_what_is_no_file(left_out: list[str]) -> None:
    for sentence in left_out[:_FILES]:
        typer.echo(printable(f"  not copied: {sentence}"))


def _tell_out_of_reach(one: "OneStudent", words: str) -> None:
    if found := one.out_of_reach():
        typer.echo(printable(f"{words}: {', '.join(found)}."))
