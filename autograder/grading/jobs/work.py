"""A job, done in this process."""

import functools
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.checks.exam.draw import drawing_from
from autograder.checks.source.cells import is_test
from autograder.errors import GradingFailed
from autograder.grading.allowed import Kept
from autograder.grading.exam_seed import exam_seed_of
from autograder.grading.grade import (
    Graded,
    digest_of_source,
    failing_with_solution,
    forget_solutions,
    grade,
)
from autograder.grading.jobs import extras
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.own_code import digest_of, engine_digest, refresh
from autograder.grading.jobs.sandboxes import SandboxSettings, close_sandboxes, in_sandbox
from autograder.grading.ordinary.tests_beside import marked_beside
from autograder.own_modules import out_of_reach
from autograder.settings import read_settings
from autograder.student.sandbox.sandbox import Sandbox

CHANGED = (
    "the exams, or the files beside the instructor's notebook, are not those with which this "
    "grading was begun: grade again"
)
_ANOTHER = (
    "a worker has another version of autograder, or of Python, than the program that asked it: "
    "install the same on both, and start it again"
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
    # Hidden tests compare with solutions/, which is importable from the course's folder alone.
    if str(course) not in sys.path:
        sys.path.insert(0, str(course))
    if refresh(course, lesson):
        close_sandboxes()
        forget_solutions()


def job_of(
    course: Path,
    notebook: Path,
    submission: bytes,
    walls: SandboxSettings,
    *,
    files: Mapping[str, bytes],
    remarks: Sequence[str] = (),
    seed: int = 0,
    beside: bool = False,
    begun: Job | None = None,
) -> Job:
    """All on which the grading of a submission depends, as it is now.

    Args:
        course: the course's folder.
        notebook: the instructor's.
        submission: the student's file.
        walls: the settings of the sandbox.
        files: what lies beside the notebook when it runs, by name.
        remarks: what was seen of the submission before.
        seed: where the random numbers of the student's process begin.
        beside: whether a test that can't be judged runs beside the student's code.
        begun: what a worker has begun for it. If nothing of all that has changed since, it is this
            again: the settings, and this program, were looked at then, and are its worker's.

    Raises:
        GradingFailed: when there is no such notebook, or one that no student could run; when the
            settings, or this program, are others than when it was started.
    """
    try:
        source = notebook.read_bytes()
    except FileNotFoundError:
        raise GradingFailed(f"{notebook} is missing: run `autograder build` first") from None

    def as_now() -> Job:
        return Job(
            source,
            submission,
            files=files,
            remarks=tuple(remarks),
            course=course,
            lesson=notebook.parent,
            code=digest_of(course, notebook.parent, walls.preload),
            engine=engine_digest(),
            walls=walls,
            seed=seed,
            exam_seed=exam_seed_of(course),
            beside=beside,
        )

    if begun is not None and as_now() == begun:
        return begun
    keep_up(course, notebook.parent)
    try:
        read = read_source(source)
    except Exception as error:
        raise unreadable(notebook, error) from error
    _refuse_out_of_reach(read, course, walls.preload, notebook.parent)
    return as_now()


def _refuse_out_of_reach(
    notebook: NotebookNode, course: Path, preload: Sequence[str], folder: Path
) -> None:
    """Fail where a cell that every student runs imports what none of them can."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" or is_test(cell):
            continue
        with suppress(SyntaxError):
            for _, sentence in out_of_reach(cell.source, course, preload, folder):
                raise GradingFailed(sentence)


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


def try_solution(
    source: NotebookNode, walls: SandboxSettings, *, seed: int, folder: Path | None, beside: bool
) -> Mapping[str, str]:
    """The tests that the instructor's own solution does not pass as it is graded, and why.

    Args:
        source: the instructor's notebook.
        walls: the settings of the sandbox.
        seed: where random numbers begin.
        folder: where the notebook lies.
        beside: whether a test that can't be judged here may run in the student's process.

    Raises:
        SandboxFailed: when the sandbox itself fails.
    """

    def failing(box: Sandbox, tests: frozenset[str]) -> Mapping[str, str]:
        return failing_with_solution(source, box, tests, seed=seed, folder=folder)

    def tried(box: Sandbox) -> Mapping[str, str]:
        marked = marked_beside(source)
        found = failing(box, marked)
        return failing(box, marked | found.keys()) if found and beside else found

    return in_sandbox(walls, tried)


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
    with extras.noted(job, sandbox), drawing_from(job.exam_seed):
        return grade(
            read_source(job.notebook),
            job.submission,
            sandbox,
            files=job.files,
            seed=job.seed,
            remarks=job.remarks,
            folder=job.lesson,
            beside=job.beside,
            halves=read_settings(job.course).partial_credit,
            kept=Kept(job.course / SOLUTIONS, job.code),
        )


def _must_be_meant(job: Job) -> None:
    if engine_digest() != job.engine:
        raise GradingFailed(_ANOTHER)
    if digest_of(job.course, job.lesson, job.walls.preload) != job.code:
        raise GradingFailed(CHANGED)


def source_at(path: Path) -> NotebookNode:
    """The instructor's notebook, from its file.

    Raises:
        GradingFailed: naming the file, when there is none or it can't be read, as one of which
            only half has been written.
    """
    try:
        return read_source(path.read_bytes())
    except Exception as error:
        # nbformat promises nothing of what it raises on what is no notebook.
        raise unreadable(path, error) from error


def unreadable(path: Path, error: BaseException) -> GradingFailed:
    """Said of an instructor's notebook that can't be read."""
    reason = (str(error).splitlines() or [type(error).__name__])[0][:100]
    return GradingFailed(f"{path} can't be read as a notebook ({reason}): build the lesson again")


@functools.lru_cache(maxsize=4)
def source_digest(content: bytes) -> str:
    """By which a record knows the instructor's notebook again."""
    return digest_of_source(read_source(content))


@functools.lru_cache(maxsize=4)
def read_source(content: bytes) -> NotebookNode:
    """The instructor's notebook, as long as it says the same; nobody writes to it."""
    source: NotebookNode = nbformat.reads(content.decode(), as_version=4)
    return source
