"""The program: its commands, and how it ends when one of them can't be carried out."""

import errno
import inspect
import os
import sys
from collections.abc import Callable
from typing import Never

import typer

from autograder.checks.card.terminal import printable
from autograder.cli.authoring import build, exam, lite, new_course, new_exercise, site, variant
from autograder.cli.grading import demo, grade, report
from autograder.cli.learning import again, reset, status, update
from autograder.cli.opening import lab, mark, teach
from autograder.cli.student import student
from autograder.cli.term import collect, doctor, roster
from autograder.errors import CourseError, GradingFailed, NotInstalled
from autograder.whole_file import is_full

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


def _in_paragraphs(command: Callable[..., None]) -> str:
    """What a command's docstring says, without the line breaks of this code, which typer keeps."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(one.split()) for one in paragraphs)


@app.callback()
def autograder() -> None:
    """Build, open and grade a course of notebooks."""


# In the order in which --help lists them.
for command in (
    build, exam, site, lite, new_course, new_exercise, variant, demo, doctor, roster, collect,
    student, grade, report, mark, lab, update, reset, again, status, teach,
):  # fmt: skip
    app.command(help=_in_paragraphs(command))(command)


def main() -> None:
    """Run the command line; a CourseError becomes one sentence and its exit code.

    So does what becomes of a gradebook that another program holds, or that can't be read, and of a
    full disk, whichever file was to be written.
    """
    try:
        app()
    except CourseError as error:
        _end_with(error)
    except ModuleNotFoundError as error:
        if not (missing := NotInstalled.of(error)):
            raise
        _end_with(missing)
    except Exception as error:
        if not (told := _of_gradebook(error) or _of_full_disk(error)):
            raise
        _end_with(told)


def _of_gradebook(error: Exception) -> GradingFailed | None:
    """About a gradebook that can't be used, whichever command has asked it; None for all else."""
    # Only a program that has opened one has loaded what opens it, which takes its time.
    if "sqlalchemy" not in sys.modules:
        return None
    from sqlalchemy.exc import DatabaseError

    from autograder.nbgrading.failures import sentence_of

    return GradingFailed(sentence_of(error)) if isinstance(error, DatabaseError) else None


def _of_full_disk(error: BaseException | None) -> CourseError | None:
    """About a disk that was full, whatever failed for that; None for all else."""
    while error and not is_full(error):
        error = error.__cause__ or error.__context__
    if not isinstance(error, OSError):
        return None
    reason = error.strerror or os.strerror(errno.ENOSPC)
    where = f": {error.filename}" if error.filename else ""
    return CourseError(
        f"the disk is full ({reason}{where}): make room, and run the same command again"
    )


def _end_with(error: CourseError) -> Never:
    typer.echo(printable(f"autograder: {error}"), err=True)
    raise SystemExit(error.exit_code) from None
