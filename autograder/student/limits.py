"""Every number that bounds what a student's code may take, in one place.

A limit is a promise to the student as well: what stays below all of them is graded as it would be
without them.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Self

from autograder.errors import LimitError

_KIB = 1 << 10
_MIB = 1 << 20
_GIB = 1 << 30

# Above these something else gives way first.
_HIGHEST = {
    "depth": 200,  # what prints or compares a value goes one call deeper per level
    "int_digits": 4300,  # Python refuses to print an int that is longer
    "message_bytes": (1 << 32) - 1,  # lengths are sent in four bytes
}


@dataclass(frozen=True)
class Limits:
    """The limits of one grading; `dataclasses.replace` makes others out of them.

    Raises:
        LimitError: for a limit that is not a positive number, not a whole one where only whole
            ones make sense, or too high to be kept.
    """

    # Time that is spent running and sleeping; waiting for a processor that others use is free.
    # These are the most: what a submission may take follows from the instructor's own solution.
    cell_seconds: float = 600.0  # one cell of the student's
    call_seconds: float = 600.0  # one call of a function or method of the student's
    submission_seconds: float = 600.0  # all cells, calls and tests of a submission
    patience: float = 10.0  # by the clock on the wall, each of these takes so many times as long
    # Wrong answers to this course's lessons take up to four times what the solution takes, since a
    # hint and the place to look at are searched for. Loops of Python's take more.
    solution_times: float = 20.0  # what the solution takes is multiplied by this
    least_seconds: float = 45.0  # a submission may always take this; a hostile one costs no more
    least_cell_seconds: float = 10.0  # and a cell or a call this, as long as there is much left
    cpu_seconds: float = 600.0  # processor time of a student process in all its life

    # What a student may have: all of their processes together, but for files and open files.
    memory_bytes: int = 2 * _GIB
    processes: int = 64  # threads count as processes
    open_files: int = 256
    file_bytes: int = 64 * _MIB  # one file
    disk_bytes: int = 256 * _MIB  # all files together: the size of the private file system
    output_bytes: int = 1 * _MIB  # what one cell prints and displays

    # What one test may take in the grader, with what the student's code returned to it.
    test_seconds: float = 60.0  # as above, without the student's part
    test_memory_bytes: int = 224 * _MIB
    test_message_bytes: int = 256 * _MIB  # all replies to its questions together

    # One message between the examiner and the student process.
    message_bytes: int = 64 * _MIB  # all of it
    depth: int = 32  # containers inside one another
    items: int = 1_000_000  # values in it, wherever they are; an array or tensor counts as ten
    int_digits: int = 4300  # of one int
    asked_numbers: int = 4096  # in the arrays with which a student's code asks back
    key_bytes: int = 128 * _KIB  # all keys of dicts that are not strings; see `rpc.codec`

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name), whole=field.type is int)

    @classmethod
    def from_mapping(cls, numbers: Mapping[str, object]) -> Self:
        """Limits from a configuration; what it does not name keeps its default.

        Raises:
            LimitError: for a name that is no limit's, or a number that can't be one.
        """
        names = [field.name for field in fields(cls)]
        for name in numbers:
            if name not in names:
                raise LimitError(f"there is no limit {name!r}: choose from {', '.join(names)}")
        return cls(**numbers)  # type: ignore[arg-type]


def _check(name: str, number: object, *, whole: bool) -> None:
    allowed = (int,) if whole else (int, float)
    if type(number) not in allowed or not 0 < number < math.inf:  # type: ignore[operator]
        kind = "whole number" if whole else "number"
        raise LimitError(f"the limit {name} must be a positive {kind}, not {number!r}")
    highest = _HIGHEST.get(name, math.inf)
    if number > highest:  # type: ignore[operator]
        raise LimitError(f"the limit {name} can't be above {highest}")
