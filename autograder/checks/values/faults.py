"""What is wrong with what an answer did, in sentences for its learner, part by part."""

from collections.abc import Iterator, Sequence

from autograder.checks.values.compare import Difference, Tolerance, differences
from autograder.checks.values.exceptions import meaning_of
from autograder.checks.values.kinds import describe
from autograder.checks.values.outcome import Outcome

# An exception whose name ends so is a driver's: it says in one sentence why it can't use an answer.
_MISMATCH = "Mismatch"
# What an `assert` raises: it refuses as well as the `raise` that an exercise asks for.
_ASSERTED = "AssertionError"
# Of a sentence that comes from where the answer is.
_TOLD = 120
# The part in which an answer is wrong that writes to what it was given.
ARGUMENTS = "arguments"
_NOT_YOURS = (
    "which the caller may still need. `+=`, an assignment to an entry, and methods that end in an "
    "underscore do that: make a new array or tensor instead, or change a copy."
)


def faults(
    expected: Outcome,
    received: Outcome,
    tolerance: Tolerance,
    names: Sequence[str] = (),
    *,
    driven: bool = False,
) -> Iterator[Difference]:
    """What is wrong with an outcome, each fault found when it is asked for.

    Args:
        expected: what should have happened.
        received: what did.
        tolerance: how far numbers may be off.
        names: the words for the results, where there are several.
        driven: whether it was a driver that called the answer.
    """
    if expected.raised or received.raised:
        yield from _compare_raised(expected, received, "code" if driven else "function")
        return
    if received.changed != expected.changed:
        written = " and ".join(f"`{name}`" for name in received.changed)
        mine = "code writes to the" if driven else "function writes to its"
        # First: numbers may be wrong because of it.
        yield Difference(ARGUMENTS, f"your {mine} argument {written}")
    if driven and isinstance(expected.value, str) != isinstance(received.value, str):
        yield Difference("", _told(expected.value, received.value))
        return
    yield from differences(expected.value, received.value, tolerance, names)


def _told(expected: object, received: object) -> str:
    """What came back beside what was expected, one of them a sentence in which a driver says it.

    A dict is the driver's own record, which no learner has seen.
    """
    if isinstance(expected, str):
        output = "an output" if isinstance(received, dict) else describe(received)
        return f"expected {expected}, but your code returned {output}"
    output = "an output" if isinstance(expected, dict) else describe(expected)
    return f"expected {output}, received {repr(received)[1:-1][:_TOLD]}"


def _compare_raised(expected: Outcome, received: Outcome, called: str) -> list[Difference]:
    if expected.raised and received.raised:
        if received.raised.kind in (expected.raised.kind, _ASSERTED):
            return []
        text = f"expected a {expected.raised.kind}, received {received.raised}"
        if is_mismatch(received):
            # It comes from the driver: the answer has raised nothing.
            text = f"expected a {expected.raised.kind}, but your {called} raised none"
    elif expected.raised:
        text = f"expected a {expected.raised.kind}, but your {called} returned a value"
    else:
        assert received.raised is not None
        text = received.raised.message if is_mismatch(received) else str(received.raised)
    raised = received.raised
    meaning = meaning_of(raised.kind, raised.message) if raised else ""
    return [Difference("", text), *([Difference("", meaning)] if meaning else [])]


def spoilt(wrong: Sequence[Difference]) -> str:
    """What to tell whoever gets everything right, but writes to what was given; else nothing."""
    if any(one.part != ARGUMENTS for one in wrong):
        return ""
    return f"What you return is right, but {wrong[0].text}, {_NOT_YOURS}"


def is_mismatch(outcome: Outcome) -> bool:
    """Whether a driver could not make use of an answer, and says why."""
    return outcome.raised is not None and outcome.raised.kind.endswith(_MISMATCH)
