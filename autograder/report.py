"""What a check found out about one exercise, in words for its learner."""

from dataclasses import dataclass
from enum import Enum


class State(Enum):
    """How an exercise stands."""

    PASSED = "passed"
    WRONG = "wrong"
    EXCEPTION = "exception"
    NOT_IMPLEMENTED = "not implemented yet"


@dataclass(frozen=True)
class Finding:
    """The smallest case that failed: which one, on what, and how."""

    case: str
    inputs: str
    details: tuple[str, ...]


@dataclass(frozen=True)
class Report:
    """One exercise, checked.

    `misconception` names the known wrong answer whose results the learner's equal, and `hint` is
    its sentence; both are empty when none matches.
    """

    exercise: str
    state: State
    passed: tuple[str, ...] = ()
    total: int = 0
    finding: Finding | None = None
    misconception: str = ""
    hint: str = ""

    @property
    def headline(self) -> str:
        """The result in one line."""
        match self.state:
            case State.PASSED:
                return f"{self.exercise}: passed, {_count(self.total)}"
            case State.NOT_IMPLEMENTED:
                return f"{self.exercise}: not implemented yet"
            case State.EXCEPTION:
                return f"{self.exercise}: stopped by an exception"
            case State.WRONG:
                return f"{self.exercise}: not yet right, {len(self.passed)} of {_count(self.total)} passed"

    def lines(self) -> list[str]:
        """The whole result as plain text, a line each."""
        lines = [self.headline]
        if self.finding:
            lines.append(
                f"  {self.finding.case}{self.finding.inputs and ': ' + self.finding.inputs}"
            )
            lines += [f"    {detail}" for detail in self.finding.details]
        if self.hint:
            lines.append(f"  Hint: {self.hint}")
        return lines


def _count(number: int) -> str:
    return "1 case" if number == 1 else f"{number} cases"
