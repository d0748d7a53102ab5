"""The record that is kept of each graded submission, beside its notebook, as JSON.

    version      of this form: 1
    submission   SHA-256 of the student's file
    files        SHA-256 of each file that was handed in beside it
    source       SHA-256 of the instructor's notebook that it was graded with
    code         SHA-256 of the exams, the reference and the course's other modules (by nbgrader)
    seed         where the random numbers of the student's process began
    isolation    which walls stood
    libraries    their versions, and Python's
    remarks      what was wrong with the submission itself
    seconds      how long it took
    time         in seconds that were run or slept: what was used and what was allowed; and what
                 the instructor's solution took, or null where nobody had to know that
    cells        for each test: grade_id, verdict, points, max_points, message, misconception,
                 hint, seconds; exception: what the one says that stopped the answer; places: where
                 to look in an answer that no hint explains, each with its line, text, about and
                 more; could_be_forged: whether the test ran in the student's process, as the
                 lecturer has allowed; made_with_answers: the names that given cells have made with
                 an answer, and that the test took as they are in the student's process

A verdict is the name of one of `autograder.checks.exam.report.Verdict`, in small letters.
"""

import hashlib
import json
import platform
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from nbformat.notebooknode import NotebookNode

from autograder.checks.exam.report import Report, Verdict
from autograder.grading.allowed import Allowed

VERSION = 1
RECORD_SUFFIX = ".verdicts.json"
# Of what an exception says, which can be as long as a student likes.
_TOLD = 300
_LIBRARIES = ("nbgrader", "numpy", "torch", "ipython")


@dataclass(frozen=True)
class CellVerdict:
    """What became of one test cell. `report` is what the learner's card shows, if there is one."""

    grade_id: str
    verdict: Verdict
    points: float
    max_points: float
    message: str = ""
    report: Report | None = None
    seconds: float = 0.0
    # Names that given cells have made with an answer: the test took them from the student's side.
    made_with: tuple[str, ...] = ()
    # Whether the test ran in the student's process: its outcome could be forged.
    beside: bool = False
    # Whether it was passed with something empty or nan: then it may have compared nothing.
    hollow: bool = False


def make_record(
    source: str,
    submission: bytes,
    verdicts: Sequence[CellVerdict],
    remarks: Sequence[str],
    *,
    seed: int,
    isolation: str,
    seconds: float,
    used: float,
    allowed: Allowed,
) -> dict[str, Any]:
    """The record of one grading; `source` is the digest of the instructor's notebook."""
    return {
        "version": VERSION,
        "submission": hashlib.sha256(submission).hexdigest(),
        "source": source,
        "seed": seed,
        "isolation": isolation,
        "libraries": {"python": platform.python_version(), **_versions()},
        "remarks": list(remarks),
        "seconds": round(seconds, 3),
        "time": {
            "used": round(used, 3),
            "allowed": round(allowed.seconds, 3),
            "solution": round(allowed.solution.submission, 3) if allowed.solution else None,
        },
        "cells": [_written(verdict) for verdict in verdicts],
    }


def record_text(record: dict[str, Any]) -> str:
    """A record as the file that is kept."""
    return json.dumps(record, indent=1, ensure_ascii=False) + "\n"


def is_not_gradable(cell: NotebookNode) -> bool:
    """Whether a graded notebook's test cell says that it could not be graded here."""
    errors = (output for output in cell.outputs if output.output_type == "error")
    return any(error.ename == Verdict.NOT_GRADABLE.ename for error in errors)


def draft_of(record: Path) -> Path:
    """Where a record waits until everything that it tells of is saved."""
    return record.with_name(f".{record.name}.draft")


def _written(verdict: CellVerdict) -> dict[str, Any]:
    report = verdict.report
    return {
        "grade_id": verdict.grade_id,
        "verdict": verdict.verdict.name.lower(),
        "points": verdict.points,
        "max_points": verdict.max_points,
        "message": verdict.message,
        "misconception": report.misconception if report else "",
        "hint": report.hint if report else "",
        "exception": textwrap.shorten(report.stopped_by, _TOLD, placeholder="…") if report else "",
        "places": [vars(place) for place in report.places] if report else [],
        "seconds": round(verdict.seconds, 3),
        "made_with_answers": sorted(verdict.made_with),
        "could_be_forged": verdict.beside,
    }


def _versions() -> dict[str, str]:
    found = {}
    for name in _LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "not installed"
    return found
