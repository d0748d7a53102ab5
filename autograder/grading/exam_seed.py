"""What a course's hidden cases are drawn from: a number that it keeps to itself, beside its grades.

The exams are in every learner's hands. So that nobody can draw their hidden inputs beforehand, the
number is drawn once for a course, and kept: a submission that is graded again meets the same ones.
"""

import hashlib
import os
import secrets
from contextlib import suppress
from pathlib import Path

from autograder.errors import GradingFailed
from autograder.whole_file import part_of

FILE = "exam_seed.txt"
_BITS = 128


def exam_seed_of(course: Path) -> int:
    """The number of a course, drawn if it has none yet.

    Raises:
        GradingFailed: when the file holds no number, or can't be read or written.
    """
    path = course / FILE
    try:
        if not path.exists():
            _draw(path)
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError) as error:
        raise GradingFailed(
            f"{path} has to hold the number from which hidden cases are drawn ({error}): restore "
            "it, or remove it, and another is drawn, with which grades may differ"
        ) from None


def digest_of_seed(number: int) -> str:
    """By which a course's number is known again; whoever reads it does not have the number."""
    return hashlib.sha256(str(number).encode()).hexdigest()


def _draw(path: Path) -> None:
    """Draw a number, unless another process is first."""
    part = part_of(path)
    part.write_text(f"{secrets.randbits(_BITS)}\n", encoding="ascii")
    try:
        with suppress(FileExistsError):
            os.link(part, path)
    finally:
        part.unlink()
