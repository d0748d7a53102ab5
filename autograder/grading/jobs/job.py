"""A grading to be done, as data that another process, or another machine, can be sent."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from autograder.grading.jobs.sandboxes import SandboxSettings


@dataclass(frozen=True)
class Job:
    """One notebook to be graded: all on which its verdicts depend.

    Attributes:
        notebook: the instructor's, with solutions and hidden tests.
        submission: the student's file, whatever is in it.
        files: what lies beside the notebook when it runs, by name.
        remarks: what was seen of the submission before, for the record.
        course: the course's folder, where the reference and the exams are.
        lesson: the folder of the instructor's notebook.
        code: by which the reference and the exams are known again (`own_code.digest_of`).
        engine: by which this program is (`own_code.engine_digest`).
        walls: the sandbox that it runs in.
        seed: where the random numbers of the student's process begin.
        exam_seed: what hidden cases are drawn from.
        beside: whether a test that can't be judged runs beside the student's code.
    """

    notebook: bytes
    submission: bytes
    files: Mapping[str, bytes]
    remarks: tuple[str, ...]
    course: Path
    lesson: Path
    code: str
    engine: str
    walls: SandboxSettings
    seed: int
    exam_seed: int
    beside: bool

    @cached_property
    def submission_digest(self) -> str:
        """By which the student's file is known again."""
        return _digest(self.submission)

    @cached_property
    def key(self) -> str:
        """By which it is known again: another one with the same key gives the same verdicts."""
        files = [(name, _digest(content)) for name, content in sorted(self.files.items())]
        read = _digest(self.notebook), self.submission_digest, files, self.remarks
        by = str(self.course), str(self.lesson), self.code, self.engine
        return _digest(
            repr((read, by, self.walls, self.seed, self.exam_seed, self.beside)).encode()
        )


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
