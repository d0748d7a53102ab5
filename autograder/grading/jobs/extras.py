"""Which lessons have come to need what only some do, so that the next run has it from the start.

What a lesson's code makes torch import is known once its exams have run. Until then each process
of the first submission imports it anew; an empty file in the course's cache spares the first
submission of the next class that.
"""

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from autograder.grading.jobs.job import Job
from autograder.preload import load_extras
from autograder.student.sandbox.sandbox import Sandbox

_KEPT = Path("cache", "extras")


def load_known(job: Job, sandbox: Sandbox) -> None:
    """Import the extras, on both sides of the wall, where the lesson is known to need them."""
    if _mark(job).exists() and not sandbox.has_extras:
        sandbox.load_extras()
        load_extras(sandbox.preload)


@contextmanager
def noted(job: Job, sandbox: Sandbox) -> Iterator[None]:
    """Keep it if the sandbox needs the extras during this job, and has not had them before."""
    had = sandbox.has_extras
    yield
    if sandbox.has_extras and not had:
        # Who can't write there finds it out again the next time.
        with suppress(OSError):
            _mark(job).parent.mkdir(parents=True, exist_ok=True)
            _mark(job).touch()


def _mark(job: Job) -> Path:
    """What is there for a lesson that needs them, as long as it and its exams stay the same."""
    name = hashlib.sha256(job.notebook + job.code.encode()).hexdigest()[:32]
    return job.course / _KEPT / name
