"""A worker's process: it does one job after the other until whoever asks is gone.

What it changes belongs to it alone: the folder it is in, where it imports from, its environment,
what its examiner writes to, and its one sandbox. It writes nothing to the gradebook, and to the
course no more than how long a solution takes, where it may.
"""

import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from autograder.errors import CourseError, GradingFailed, SourceError
from autograder.grading.jobs.garbage_collection import keep_what_is_there
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.own_code import watch
from autograder.grading.jobs.sandboxes import SandboxSettings, begin


def serve(connection: Connection) -> None:
    """Do what is asked, and answer with what came of it, or with what was raised."""
    while True:
        try:
            _, job = connection.recv()
        except EOFError:
            return
        connection.send(answer(_grade, job))


def answer(do: Callable[[Any], object], given: object) -> object:
    """What comes of it, or what it raises, in a form that can be sent."""
    try:
        return do(given)
    except SourceError as error:
        # It can't be sent as it is.
        return GradingFailed(str(error))
    except CourseError as error:
        return error
    except Exception as error:
        failure = RuntimeError(f"{type(error).__name__}: {error}")
        failure.add_note(traceback.format_exc())
        return failure


def be_in(course: Path, walls: SandboxSettings) -> None:
    """Have this process belong to a course.

    Exams compare with solutions/, which can be imported from the course's folder alone. The sandbox
    imports what this process does, at the same time.
    """
    root = str(course)
    if root not in sys.path:
        sys.path.insert(0, root)
        watch(course)
    begin(walls)


def _grade(job: Job) -> object:
    be_in(job.course, job.walls)
    from autograder.grading.jobs.work import keep_up, work  # a process that grades imports much

    try:
        keep_up(job.course, job.lesson)
        return work(job)
    finally:
        keep_what_is_there()
