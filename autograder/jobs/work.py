"""A job, done in this process."""

import functools
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.errors import GradingFailed
from autograder.grading.allowed import Kept
from autograder.grading.grade import Graded, forget_solutions, grade
from autograder.jobs import extras
from autograder.jobs.job import Job
from autograder.jobs.own_code import digest_of, engine_digest, refresh
from autograder.jobs.sandboxes import close_sandboxes, in_sandbox
from autograder.sandbox.sandbox import Sandbox

CHANGED = "the exams are not those with which this grading was begun: grade again"
_ANOTHER = (
    "a worker has another version of autograder than the program that asked it: install the same "
    "on both, and start it again"
)

# Where a course keeps what its solutions take.
SOLUTIONS = Path("cache", "solutions")


def keep_up(course: Path, lesson: Path) -> None:
    """Have this process grade with the course's code as it is now.

    Args:
        course: the course's folder.
        lesson: the folder of the notebook that is graded.

    Raises:
        GradingFailed: when the settings, or this program, are others than when it was started.
    """
    if refresh(course, lesson):
        close_sandboxes()
        forget_solutions()


def work(job: Job) -> Graded:
    """Grade, in a process that has kept up with the course's code.

    Raises:
        GradingFailed: when that is not the code with which the job is to be done.
        SandboxFailed: when the sandbox itself fails, which is never scored.
    """
    _must_be_meant(job)
    graded = in_sandbox(job.walls, functools.partial(_grade, job))
    _must_be_meant(job)
    return graded


def get_ready(job: Job) -> None:
    """Have all in place that grading this job takes, and grade nothing.

    Raises:
        SandboxFailed: when the sandbox does not get ready.
    """
    in_sandbox(job.walls, functools.partial(_get_ready, job))


def _get_ready(job: Job, sandbox: Sandbox) -> None:
    extras.load_known(job, sandbox)
    sandbox.wait_until_ready()


def _grade(job: Job, sandbox: Sandbox) -> Graded:
    extras.load_known(job, sandbox)
    with extras.noted(job, sandbox):
        return grade(
            read_source(job.notebook),
            job.submission,
            sandbox,
            files=job.files,
            seed=job.seed,
            remarks=job.remarks,
            folder=job.lesson,
            beside=job.beside,
            kept=Kept(job.course / SOLUTIONS, job.code),
        )


def _must_be_meant(job: Job) -> None:
    if engine_digest() != job.engine:
        raise GradingFailed(_ANOTHER)
    if digest_of(job.course, job.lesson, job.walls.preload) != job.code:
        raise GradingFailed(CHANGED)


@functools.lru_cache(maxsize=4)
def read_source(content: bytes) -> NotebookNode:
    """The instructor's notebook, as long as it says the same; nobody writes to it."""
    source: NotebookNode = nbformat.reads(content.decode(), as_version=4)
    return source
