"""What an answer did on one call, and how like that is to what a known wrong answer does there."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.arguments import call_of, in_words, loose, one_by_one, with_input_names
from autograder.checks.exam.case import Case
from autograder.checks.exam.habits import aspects_alone
from autograder.checks.exam.report import Finding
from autograder.checks.exam.rules import returns_nothing_on_purpose
from autograder.checks.values.compare import Difference, Tolerance, differences
from autograder.checks.values.faults import is_mismatch
from autograder.checks.values.kinds import NO_RETURN
from autograder.checks.values.outcome import Outcome, Raised
from autograder.checks.values.parts import follows
from autograder.checks.values.precision import as_of_single
from autograder.checks.values.side_by_side import comparisons, shapes
from autograder.checks.values.tensors import is_tensor

# What tells a number that is expected, by itself or with how far the answer is from it.
_NUMBER = re.compile(
    r"(largest difference \S+ at \[[^]]*\]: )?expected (-?\d\S*|-?inf|nan|True|False), (?=received)"
)
# Of a case that is all as a misconception has it.
ALL = 2
MORE_TO_MEND = "there is more to mend"
# Beyond so many times what is allowed, no noise leads two that make the same mistake.
_NEAR = 64.0


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
    tolerance = case.tolerance_of(name)
    likeness = _likeness(lookalike, observation, tolerance)
    if likeness or not (case.twins and _likeness(lookalike, observation, tolerance.times(_NEAR))):
        return likeness
    return _likeness(lookalike, observation, case.tolerance_for_noise_of(name))


def _likeness(lookalike: Outcome, observation: Observation, tolerance: Tolerance) -> int:
    received, case = observation.outcome, observation.case
    # What is still blank is nobody's mistake.
    blank = {difference.part for difference in observation.wrong if difference.blank}
    wrong = {difference.part for difference in observation.wrong} - blank
    likeness = ALL if wrong else 0
    if _is_listed(case.expected.value, lookalike.value, received.value):
        return 0
    for difference in differences(lookalike.value, received.value, tolerance, case.names):
        if difference.part in blank:
            continue
        # Most misconceptions end here, at the first part that is compared.
        if any(overlap(difference.part, other) for other in wrong):
            return 0
        # On paper, a mistake may be made in one number and not in the next.
        likeness = min(likeness, int(not case.reveal))
    return likeness


def _is_listed(expected: object, lookalike: object, received: object) -> bool:
    """Whether a misconception makes lists of what is an array, as it is in an answer."""
    if isinstance(lookalike, dict) and isinstance(received, dict) and isinstance(expected, dict):
        return any(
            _is_listed(expected.get(part), one, received.get(part))
            for part, one in lookalike.items()
        )
    return isinstance(lookalike, list) and _is_array(expected) and _is_array(received)


def _is_array(value: object) -> bool:
    return isinstance(value, np.ndarray) or is_tensor(value)


def stops_too(name: str, observations: Sequence[Observation]) -> str:
    """What else there is to say where a misconception explains what came out, and not what stops.

    Nothing of an answer that runs to its end wherever whoever has the misconception does.
    """
    for one in observations:
        case, raised = one.case, one.outcome.raised
        if one.wrong and raised and name in case.lookalikes and not likeness_to(name, one):
            what = MORE_TO_MEND if is_mismatch(one.outcome) else "your code stops"
            return f' And on "{case.label}" {what}: {one.wrong[0].text.rstrip(".")}.'
    return ""


def overlap(one: str, other: str) -> bool:
    """Whether two parts are the same, or one holds the other: "scores" holds "scores[1]"."""
    short, long = sorted((one, other), key=len)
    return not short or one == other or long.startswith((f"{short}[", f"{short} "))


def _without_line(raised: Raised | None) -> tuple[str, str] | None:
    return (raised.kind, raised.message) if raised else None


def what_failed(case: Case, exercise: str, details: Sequence[str]) -> Finding:
    """How a call that failed was made, and what there is to say of it."""
    open_ones = loose(case.arguments, case.use, case.inputs)
    call = call_of(exercise, case.arguments, case.use, case.inputs)
    return Finding(
        case.label,
        in_words(open_ones if call else case.arguments),
        tuple(details),
        call=call,
        arguments=one_by_one(open_ones, whole=case.printed),
    )


def none_is_meant(answer: object, observations: Sequence[Observation], exercise: str) -> bool:
    """Whether an answer may well return None, here as in other cases or because it says so."""
    expected = [one.case.expected for one in observations]
    is_a_result = any(one.value is None and not one.raised for one in expected)
    return is_a_result or returns_nothing_on_purpose(exercise, answer)


def finding_of(observation: Observation, exercise: str, *, is_none_meant: bool) -> Finding:
    """What there is to say of a case that failed; a result of None may be meant."""
    # Of a wrong value, the gradients are wrong as well, of a wrong number of outputs their values:
    # they would only hide it.
    causes = [one for one in observation.wrong if not follows(one.part)]
    case = observation.case
    causes = [
        replace(one, part=with_input_names(one.part, case.arguments, case.inputs))
        for one in causes or observation.wrong
    ]
    details = []
    shown = not case.reveal
    for difference in causes:
        text = _veiled(difference) if shown else difference.text
        # One number helps to find a mistake; all of a case that is not printed would be the answer.
        shown = shown or (not case.printed and bool(_NUMBER.search(text)))
        text = text.replace(NO_RETURN, "") if is_none_meant else text
        details.append(f"{difference.part}: {text}" if difference.part else text)
    raised = observation.outcome.raised
    if raised and raised.line:
        details.append(f"in your code, {raised.line}")
    if observation.outcome.printed:
        details.append(f"your code printed: {observation.outcome.printed}")
    compared = (
        comparisons(causes, case.axes, case.tolerance, reveal=case.reveal)
        if case.printed
        else shapes(causes, case.axes)
    )
    return replace(what_failed(case, exercise, details), compared=compared)


def _veiled(difference: Difference) -> str:
    return difference.veiled or _NUMBER.sub("not right yet, ", difference.text)
