"""What an answer did on one call, and how like that is to what a known wrong answer does there."""

from dataclasses import dataclass, replace

from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.case import Case
from autograder.checks.exam.habits import aspects_alone
from autograder.checks.values.compare import Difference, differences
from autograder.checks.values.outcome import Outcome, Raised
from autograder.checks.values.precision import as_of_single

# Of a case that is all as a misconception has it.
ALL = 2


@dataclass(frozen=True)
class Observation:
    """What came of one case: `as_expected` is its value, of which something else may not hold."""

    case: Case
    outcome: Outcome
    wrong: list[Difference]
    as_expected: bool

    @property
    def alone(self) -> set[str]:
        """The aspects and the group of cases of which each explains all that is wrong."""
        if self.as_expected:
            return {self.case.group}
        # Who has computed in single precision has lost the dtype, and no more than that.
        forgiving = replace(self.case, tolerance=as_of_single(self.case.tolerance))
        parts = {difference.part for difference in self.wrong}
        alone = set(aspects_alone(self.case.expected, self.outcome, parts, forgiving))
        way = WAYS.get(self.case.way)
        if way and way.costs_no_more:
            alone.add(way.about)
        return {self.case.group, *alone}


def likeness_to(name: str, observation: Observation) -> int:
    """ALL where what came out is as a misconception has it, 1 if it is so in part, 0 if not."""
    received, case = observation.outcome, observation.case
    lookalike = case.lookalikes[name]()
    if lookalike.raised or received.raised:
        return ALL * (_without_line(lookalike.raised) == _without_line(received.raised))
    if lookalike.changed != received.changed:
        return 0
    # What is still blank is nobody's mistake.
    blank = {difference.part for difference in observation.wrong if difference.blank}
    wrong = {difference.part for difference in observation.wrong} - blank
    likeness = ALL if wrong else 0
    tolerance = case.tolerance_of(name)
    for difference in differences(lookalike.value, received.value, tolerance, case.names):
        if difference.part in blank:
            continue
        # Most misconceptions end here, at the first part that is compared.
        if any(overlap(difference.part, other) for other in wrong):
            return 0
        # On paper, a mistake may be made in one number and not in the next.
        likeness = min(likeness, int(not case.reveal))
    return likeness


def overlap(one: str, other: str) -> bool:
    """Whether two parts are the same, or one holds the other: "scores" holds "scores[1]"."""
    short, long = sorted((one, other), key=len)
    return not short or one == other or long.startswith((f"{short}[", f"{short} "))


def _without_line(raised: Raised | None) -> tuple[str, str] | None:
    return (raised.kind, raised.message) if raised else None
