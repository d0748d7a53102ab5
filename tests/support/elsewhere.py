"""Has submissions graded by others than this process: by a worker, or by one of a scheduler's.

Either is started by this process: a stopwatch that counts what its descendants wait for a processor
counts what these wait.
"""

import json
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Protocol

import nbformat
from nbformat.notebooknode import NotebookNode

from autograder.checks.exam.draw import seed_in_use
from autograder.grading.grade import Graded
from autograder.grading.jobs.cluster import Cluster
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.own_code import digest_of, engine_digest
from autograder.grading.jobs.processes import Processes
from autograder.grading.jobs.sandboxes import SandboxSettings
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.dask import Dask

# "workers" or "scheduler"; without it, the tests grade in their own process.
GRADED_BY = os.environ.get("AUTOGRADER_ATTACKS_BY", "")


class Crew(Protocol):
    """Whoever grades."""

    def grade(self, job: Job) -> Graded:
        """Do a job, and wait for what comes of it."""


class _Scheduled:
    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    def grade(self, job: Job) -> Graded:
        return self._cluster.submit(job).result()


@contextmanager
def crew_in(folder: Path) -> Iterator[Crew | None]:
    """Those whom the environment asks for, with one worker; None where this process is meant.

    Args:
        folder: an empty one, for what they write about themselves.

    Raises:
        ValueError: when it asks for others than there are.
    """
    if not GRADED_BY:
        yield None
    elif GRADED_BY == "workers":
        with closing(Processes()) as processes:
            yield processes
    elif GRADED_BY == "scheduler":
        with Dask(folder) as dask:
            dask.add_worker()
            with closing(Cluster(dask.address)) as cluster:
                yield _Scheduled(cluster)
    else:
        raise ValueError(f"AUTOGRADER_ATTACKS_BY is 'workers' or 'scheduler', not {GRADED_BY!r}")


def job_like(
    box: Sandbox,
    course: Path,
    lesson: str,
    source: NotebookNode,
    submission: bytes,
    files: dict[str, bytes],
    seed: int,
) -> Job:
    """The job of grading a submission behind the same walls as this sandbox's."""
    usual = asdict(Limits())
    limits = {name: value for name, value in asdict(box.limits).items() if value != usual[name]}
    folder = course / "source" / lesson
    return Job(
        nbformat.writes(source).encode(),
        submission,
        files,
        remarks=(),
        course=course,
        lesson=folder,
        code=digest_of(course, folder, box.preload),
        engine=engine_digest(),
        walls=SandboxSettings("full", json.dumps(limits), tuple(box.preload), ()),
        seed=seed,
        exam_seed=seed_in_use(),
        beside=False,
    )
