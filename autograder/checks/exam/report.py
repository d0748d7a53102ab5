"""What can become of an exercise, and what was found out about one, in words for its learner."""

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, asdict, dataclass, replace
from enum import Enum
from typing import Any, Self

from autograder.checks.values.comparison import Comparison, comparison_from

_SHOWN = 4
# A name of a case may have commas and semicolons.
_BETWEEN = " · "
# Of an exercise of fewer points, half is not worth telling apart.
_FEWEST_HALVED = 3


class Verdict(Enum):
    """What becomes of an exercise or of a test cell; the last five are a grader's alone to find.

    Records keep the names and outputs the values, so neither may change.
    """

    PASSED = "passed"
    WRONG = "wrong"
    EXCEPTION = "exception"
    NOT_IMPLEMENTED = "not implemented yet"
    TIMEOUT = "stopped: it ran for too long"
    MEMORY = "took too much memory"
    KILLED = "ended its own process"
    MISSING = "missing"
    NOT_RUN = "not run"
    NOT_GRADABLE = "not gradable"

    @property
    def ename(self) -> str:
        """The name of the error that a graded notebook shows for it."""
        return self.name.title().replace("_", "")


@dataclass(frozen=True)
class Finding:
    """The plainest case that failed: which one, on what, and how.

    `inputs` are the arguments in one line, `call` is the call as code, and `arguments` are those
    that the call only names. Each of `compared` belongs to some of the `details`.
    """

    case: str
    inputs: str
    details: tuple[str, ...]
    _: KW_ONLY
    call: str = ""
    arguments: tuple[tuple[str, str], ...] = ()
    compared: tuple[Comparison, ...] = ()

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """The finding in what `Report.as_json` has written."""
        return cls(
            written["case"],
            written["inputs"],
            tuple(written["details"]),
            call=written["call"],
            arguments=tuple((name, text) for name, text in written["arguments"]),
            compared=tuple(map(comparison_from, written["compared"])),
        )


@dataclass(frozen=True)
class Place:
    """A line of an answer in which one small change makes every example right.

    `text` is the line as its author wrote it, `about` says what the change is about, and `more`
    narrows that down. The change itself is not told. If it is not `alone`, the mistake that the
    hint names is left after it, or one of them if it names `both`. If it is a `half`, two changes
    make every example right, each of them in one of the lines.
    """

    line: int
    text: str
    about: str
    more: str
    alone: bool = True
    both: bool = False
    half: bool = False


@dataclass(frozen=True)
class Report:
    """One exercise, checked.

    `misconception` names the known wrong answer whose results the learner's equal, and `hint` is
    its sentence; both are empty when none matches. `passed` are the labels of the cases that are
    right, and `kinds` those of which every case is. `places` are where to look instead, or as well,
    that of the nearest change first, and `nearest` says how far it is right where there are none.
    `untried` is what the full exam tries beyond a check that has passed. `right_but_for` is the one
    thing that is wrong, where that is all: it earns half of the points.
    """

    exercise: str
    verdict: Verdict
    _: KW_ONLY
    passed: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    total: int = 0
    finding: Finding | None = None
    misconception: str = ""
    hint: str = ""
    right_but_for: str = ""
    places: tuple[Place, ...] = ()
    nearest: str = ""
    untried: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The report as plain data, by the names of its fields."""
        plain: dict[str, Any] = _plain({**asdict(self), "verdict": self.verdict.value})
        return plain

    @classmethod
    def from_json(cls, written: Mapping[str, Any]) -> Self:
        """The report that `as_json` has written.

        Raises:
            KeyError, TypeError, ValueError: for what is none.
        """
        finding = written["finding"]
        return cls(
            written["exercise"],
            Verdict(written["verdict"]),
            passed=tuple(written["passed"]),
            # What was graded by an earlier program has neither of these.
            kinds=tuple(written.get("kinds", ())),
            total=written["total"],
            finding=Finding.from_json(finding) if finding else None,
            misconception=written["misconception"],
            hint=written["hint"],
            right_but_for=written.get("right_but_for", ""),
            places=tuple(Place(**place) for place in written["places"]),
            nearest=written["nearest"],
            untried=tuple(written["untried"]),
        )

    def graded_for(self, points: float, *, halves: bool = True) -> Self:
        """The report of an exercise of so many points, half of which may not be to be earned."""
        earns = halves and points >= _FEWEST_HALVED
        return self if earns else replace(self, right_but_for="")

    def earned(self, points: float) -> float:
        """What is earned of so many points: all, or half, rounded down to halves, or nothing."""
        if self.verdict is Verdict.PASSED:
            return points
        return math.floor(points) / 2 if self.right_but_for else 0.0

    @property
    def headline(self) -> str:
        """The result in one line."""
        if self.right_but_for:
            return f"{self.exercise}: right but for {self.right_but_for}, half of the points"
        match self.verdict:
            case Verdict.PASSED:
                return f"{self.exercise}: passed, {_count(self.total)}"
            case Verdict.NOT_IMPLEMENTED:
                return f"{self.exercise}: not implemented yet"
            case Verdict.EXCEPTION:
                return f"{self.exercise}: stopped by an exception"
            case Verdict.TIMEOUT:
                return f"{self.exercise}: stopped, because it ran for too long"
            case Verdict.WRONG if not self.total:
                return f"{self.exercise}: not yet right"
            case Verdict.WRONG:
                right = f"{len(self.passed)} of {_count(self.total)} passed"
                return f"{self.exercise}: not yet right, {right}"
            case _:
                return f"{self.exercise}: {self.verdict.value}"

    @property
    def stopped_by(self) -> str:
        """What the exception says that stopped an answer, and its class; empty where none did."""
        found = self.finding if self.verdict is Verdict.EXCEPTION else None
        return found.details[0] if found else ""

    @property
    def passed_in_words(self) -> str:
        """Which kinds of case passed; empty when all did or none."""
        if self.verdict in (Verdict.PASSED, Verdict.NOT_IMPLEMENTED) or not self.kinds:
            return ""
        more = f" and {len(self.kinds) - _SHOWN} more" if len(self.kinds) > _SHOWN else ""
        return f"passed: {_BETWEEN.join(self.kinds[:_SHOWN])}{more}"

    @property
    def untried_in_words(self) -> str:
        """What the hidden cases try, in a sentence; empty where there are none."""
        if not self.untried:
            return ""
        return f"The full exam also tries hidden cases: {_BETWEEN.join(self.untried)}."

    @property
    def where_to_look(self) -> str:
        """What the places have in common, in a sentence; empty where there are none."""
        if not self.places:
            return ""
        *others, last = [str(one.line) for one in self.places]
        abouts = [*dict.fromkeys(one.about for one in self.places)]
        lines = f"lines {', '.join(others)} and {last}" if others else f"line {last}"
        if self.places[0].both:
            return f"Then they are in {lines}: one small change in either of them leaves the other."
        if self.places[0].half:
            told = "one small change in each" if others else "two small changes there"
            more = f" The changes are about {' and '.join(abouts)}." if others else ""
            both = f"Look at {lines}: with {told}, every example is right."
            return f"Perhaps two things differ. {both}{more}"
        change = f"one small change {'in any one of them' if others else 'there'}"
        about = f"The change is about {' or '.join(abouts)}."
        if not self.places[0].alone:
            left = f"{change} leaves what comes of the other alone"
            return f"The one to mend first is then in {lines}: {left}. {about}"
        return f"Look at {lines}: {change} makes every example right. {about}"


def _plain(value: Any) -> Any:
    """Tuples as lists, as JSON brings them back."""
    if isinstance(value, dict):
        return {key: _plain(one) for key, one in value.items()}
    return list(map(_plain, value)) if isinstance(value, tuple) else value


def _count(number: int) -> str:
    return "1 case" if number == 1 else f"{number} cases"
