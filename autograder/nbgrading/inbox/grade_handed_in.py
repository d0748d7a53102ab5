"""What was handed in, graded: by a job, or not at all where a human has to look first."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace

from autograder.grading.exam_seed import digest_of_seed
from autograder.grading.grade import Graded, ungraded
from autograder.grading.inert import whole_text
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.work import read_source
from autograder.grading.jobs.workers import result_of
from autograder.grading.rebuild import ADDED_ID
from autograder.grading.record import answers_in
from autograder.nbgrading.inbox.take import Beside
from autograder.nbgrading.inbox.which_notebook import HandedIn


def grade_handed_in(job: Job, submission: HandedIn, files: Beside) -> Graded:
    """What comes of a submission, with all in its record by which it is known again.

    Args:
        job: its grading.
        submission: what is graded of it.
        files: what lies beside that.

    Raises:
        SandboxFailed: when the sandbox itself fails, which is never scored.
    """
    if submission.why_not:
        graded = ungraded(read_source(job.notebook), submission.why_not)
    else:
        graded = result_of(job)
    digests = files.digests()
    record = replace(
        graded.record,
        submission=submission.digest,
        code=job.code,
        exam_seed=digest_of_seed(job.exam_seed),
        files=digests,
        answers=answers_in(graded.notebook, graded.whole),
        added=_added(graded, digests),
    )
    return replace(graded, record=record)


def _added(graded: Graded, files: Mapping[str, str]) -> str:
    """The SHA-256 of where an answer can stand beside its own cell, or be said to stand."""
    cells = [cell for cell in graded.notebook.cells if cell.id.startswith(ADDED_ID)]
    texts = [whole_text(cell, graded.whole) for cell in cells]
    return hashlib.sha256(json.dumps([texts, sorted(files.items())]).encode()).hexdigest()
