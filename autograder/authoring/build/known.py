"""What an earlier build has found of a lesson, and the next one need not find again.

To import a lesson's exams takes a second or two, which is torch's, and to try its solution several.
Each is known by the digest of all that it depends on.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from autograder.checks.exam.exam import Exam

# The exams of a lesson by the module that declares them, each in its order.
Names = Mapping[str, Collection[str]]
# Tests that a lesson's solution has passed, each with the digest of all on which that depends.
Passed = Mapping[str, str]


@dataclass(frozen=True)
class Known:
    """What was found of a lesson.

    `exams` says which it has; `described` is the digest of given cells in which every picture is
    described.
    """

    exams: Names | None = None
    described: str = ""
    passed: Passed = field(default_factory=dict)


class KnownExams(Mapping[str, "Exam"]):
    """Exams of which the names are known, by these; one is imported when it is asked for."""

    def __init__(self, names: Collection[str], find: Callable[[str], "Exam"]) -> None:
        self._names, self._find = tuple(names), find

    def __getitem__(self, name: str) -> "Exam":
        if name not in self._names:
            raise KeyError(name)
        return self._find(name)

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
