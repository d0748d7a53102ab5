"""What was handed in, graded: by a job, or not at all where a human has to look first."""

from dataclasses import replace

from autograder.grading.grade import Graded, ungraded
from autograder.grading.jobs.job import Job
from autograder.grading.jobs.work import read_source
from autograder.grading.jobs.workers import result_of
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
    record = replace(
        graded.record,
        submission=submission.digest,
        code=job.code,
        files=files.digests(),
        answers=answers_in(graded.notebook),
    )
    return replace(graded, record=record)
