"""What a check found out about one exercise, in words for its learner."""

from dataclasses import dataclass
from enum import Enum

_SHOWN = 4


class State(Enum):
    """How an exercise stands."""

    PASSED = "passed"
    WRONG = "wrong"
    EXCEPTION = "exception"
    NOT_IMPLEMENTED = "not implemented yet"
    STOPPED = "stopped: it ran for too long"


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
    its sentence; both are empty when none matches. `credit` is the share of the points that an
    answer earns which has not passed.
    """

    exercise: str
    state: State
    passed: tuple[str, ...] = ()
    total: int = 0
    finding: Finding | None = None
    misconception: str = ""
    hint: str = ""
    credit: float = 0.0

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
            case State.STOPPED:
                return f"{self.exercise}: stopped, because it ran for too long"
            case State.WRONG if not self.total:
                return f"{self.exercise}: not yet right"
            case State.WRONG:
                right = f"{len(self.passed)} of {_count(self.total)} passed"
                return f"{self.exercise}: not yet right, {right}"

    @property
    def passed_in_words(self) -> str:
        """What passed, each kind of case once; empty when all did or none."""
        if self.state in (State.PASSED, State.NOT_IMPLEMENTED) or not self.passed:
            return ""
        kinds = list(dict.fromkeys(self.passed))
        more = f" and {len(kinds) - _SHOWN} more" if len(kinds) > _SHOWN else ""
        return f"passed: {'; '.join(kinds[:_SHOWN])}{more}"

    def lines(self) -> list[str]:
        """The whole result as plain text, a line each."""
        lines = [self.headline]
        if self.passed_in_words:
            lines.append(f"  {self.passed_in_words}")
        if self.finding:
            if self.finding.case:
                where = f": {self.finding.inputs}" if self.finding.inputs else ""
                lines.append(f"  {self.finding.case}{where}")
            lines += [f"    {detail}" for detail in self.finding.details]
        if self.hint:
            lines.append(f"  Hint: {self.hint}")
        return lines


def _count(number: int) -> str:
    return "1 case" if number == 1 else f"{number} cases"
