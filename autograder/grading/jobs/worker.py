"""A worker's process: it does one job after the other until whoever asks is gone.

    python -m autograder.grading.jobs.worker DESCRIPTOR

What it changes belongs to it alone: the folder it is in, where it imports from, its environment,
what its examiner writes to, and its one sandbox. It writes nothing to the gradebook, and to the
course no more than how long a solution takes, where it may.
"""

import os
import sys
import traceback
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

from autograder.errors import CourseError, GradingFailed, SourceError
from autograder.grading.jobs.garbage_collection import keep_what_is_there
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.own_code import watch
from autograder.grading.jobs.sandboxes import begin
from autograder.student.sandbox.confine import die_with_parent


def serve(connection: Connection) -> None:
    """Do what is asked, and answer with what came of it, or with what was raised."""
    while True:
        try:
            asked, job = connection.recv()
        except EOFError:
            return
        connection.send(_answer(_ASKED[asked], job))


def _answer(do: Callable[[Job], Any], job: Job) -> object:
    try:
        _be_in(job)
        # It imports what this process does, at the same time.
        begin(job.walls)
        return do(job)
    except SourceError as error:
        # It can't be sent as it is.
        return GradingFailed(str(error))
    except CourseError as error:
        return error
    except Exception as error:
        failure = RuntimeError(f"{type(error).__name__}: {error}")
        failure.add_note(traceback.format_exc())
        return failure


def _be_in(job: Job) -> None:
    """Exams compare with solutions/, which can be imported from the course's folder alone."""
    root = str(job.course)
    if root not in sys.path:
        sys.path.insert(0, root)
        watch(job.course)


def _get_ready(job: Job) -> None:
    """Have all in place that grading this job takes, and grade nothing."""
    from autograder.grading.jobs.work import get_ready  # a process that grades imports much

    get_ready(job)


def _grade(job: Job) -> object:
    from autograder.grading.jobs.work import keep_up, work

    try:
        keep_up(job.course, job.lesson)
        return work(job)
    finally:
        keep_what_is_there()


_ASKED = {"get ready": _get_ready, "grade": _grade}


if __name__ == "__main__":
    # Nobody would ask any more, and nobody end a student's process.
    die_with_parent()
    descriptor = int(sys.argv[1])
    os.set_inheritable(descriptor, False)
    serve(Connection(descriptor))
