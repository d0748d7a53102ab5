"""Habits that would hide what else is wrong with an answer, as they spoil all that it returns.

Two results in the wrong order, an array made without a dtype, a `-=` on an argument, an error that
is not raised, a mask that is no buffer, a dropout that is missing and True where False belongs are
slips of their own. Whoever makes one of them and another is told of both. Whoever makes one of them
alone, or gets the gradients wrong alone, has done half; but for the order and for True and False,
without which nothing is right.
"""

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, Protocol

from autograder.checks.values.compare import Difference
from autograder.checks.values.faults import ARGUMENTS
from autograder.checks.values.kinds import in_order_of, with_dtypes_of
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.parts import (
    is_buffer,
    is_count_of_outputs,
    is_gradient,
    is_of_several_calls,
    outputs_seen,
    tells_refusal,
)
from autograder.checks.values.tensors import table_of

# What alone may be wrong with an answer, by the word for it in an exam, as a card calls it behind
# "right but for".
ASPECTS = {
    "dtype": "the dtype",
    "gradients": "the gradients",
    "layout": "tensors that are not contiguous",
    "order": "the order of its arguments",
    "calls": "what one call or module leaves to another",
    "mode": "the mode, training or evaluation",
    "no_grad": "calls without gradients",
    "arguments": "writing to its arguments",
    "buffer": "the buffer",
    "dropout": "the dropout",
    "errors": "the errors that it should raise",
    "single": "axes with a single entry",
}
# Aspects of a value whose other parts are seen to be right; of the rest, nothing is seen.
IN_PART = ("dtype", "gradients", "arguments", "buffer")

_ORDER = " And your two results come back in the wrong order: exchange them."
_ORDER_WITHIN = " And two parts of a result stand in the wrong order: exchange them."
_DTYPE = " The dtype is not right either: keep that of what you are given."
_WRITES = " And your code writes to what it is given: leave that as it is."
_NO_ERROR = " And in one case or more, an error is asked for, and your code goes on."
_NO_BUFFER = " And a buffer that is asked for is missing."
_NO_DROPOUT = " And in training every call gives the same, as without dropout."
INVERTED = " And True and False are exchanged everywhere: invert what you return, with ~."
_DROPPED = " And calls with the same inputs differ, as if something were dropped there."


def without_habits(
    expected: Outcome, received: Outcome, dropout: bool = True, *, exchanged: bool = False
) -> tuple[Outcome | None, list[str]]:
    """What an answer would have done without these habits, of which that of `dropout` may be left.

    Args:
        expected: what should have happened.
        received: what did.
        dropout: whether a missing dropout is one of the habits.
        exchanged: whether two results are in the wrong order elsewhere.

    Returns:
        The outcome, which is `received` itself if there are none, or None if nothing is left of it;
        and a sentence about each habit, to stand behind another sentence.
    """
    if received.raised:
        return received, []
    if _is_refusal(expected) and not _is_refusal(received):
        return None, [_NO_ERROR]
    if dropout and (sentence := _about_dropout(expected.value, received.value)):
        return None, [sentence]
    ordered = in_order_of(expected.value, received.value, exchanged=exchanged)
    changed = expected.changed
    value = with_dtypes_of(expected.value, ordered)
    order = _ORDER if _are_turned(received.value, ordered) else _ORDER_WITHIN
    said = [order] * (ordered is not received.value) + [_DTYPE] * (value is not ordered)
    said += [_WRITES] * (received.changed != changed)
    whole = _with_buffers(expected.value, value)
    said += [_NO_BUFFER] * (whole is not value)
    return (replace(received, value=whole, changed=changed), said) if said else (received, [])


def _are_turned(value: Any, ordered: Any) -> bool:
    """Whether two results were exchanged themselves, and not only what one of them holds."""
    if type(value) is dict:
        return any(_are_turned(one, ordered[key]) for key, one in value.items())
    pairs = zip(value, reversed(ordered), strict=True) if type(value) in (tuple, list) else ()
    return any(one is other for one, other in pairs)


def inverted(expected: Outcome, received: Outcome) -> Outcome | None:
    """What came of a call with True and False exchanged; None if it is no table of them."""
    if expected.raised or received.raised:
        return received
    if table_of(expected.value) is None or table_of(received.value) is None:
        return None
    return replace(received, value=~received.value)


def exchanges(expected: Outcome, received: Outcome) -> bool:
    """Whether two results came back in the wrong order, as their shapes tell."""
    return in_order_of(expected.value, received.value) is not received.value


def drops_unasked(expected: Outcome, received: Outcome) -> bool:
    """Whether calls with the same inputs differ, where all should return the same."""
    return _about_dropout(expected.value, received.value) == _DROPPED


class _Case(Protocol):
    def faults(self, outcome: Outcome) -> Iterator[Difference]: ...


def aspects_alone(
    expected: Outcome, received: Outcome, parts: Collection[str], case: _Case
) -> Iterator[str]:
    """The aspects of which each by itself explains all that is wrong with an outcome.

    Args:
        expected: what should have happened.
        received: what did, and is wrong.
        parts: what of it is wrong.
        case: finds out what would be wrong with another outcome.
    """
    if _is_refusal(expected):
        yield "errors"
    elif not _is_refusal(received):
        value = with_dtypes_of(expected.value, received.value)
        whole = _with_buffers(expected.value, received.value)
        for aspect, other in (("dtype", value), ("buffer", whole)):
            if other is not received.value and not any(case.faults(replace(received, value=other))):
                yield aspect
        if all(map(is_gradient, parts)):
            yield "gradients"
        if all(part == ARGUMENTS for part in parts):
            yield "arguments"
        if all(map(is_of_several_calls, parts)) and _drops(expected.value, received.value):
            yield "dropout"


def _drops(*values: Any) -> bool:
    """Whether several calls were made in training, or did not return the same."""
    found = [(key, value) for one in values for key, value in one.items()]
    in_training = outputs_seen("training")
    return any(
        key == in_training or (is_count_of_outputs(key) and type(value) is int and value != 1)
        for key, value in found
    )


def _is_refusal(outcome: Outcome) -> bool:
    """Whether a call raised an exception, or is said to by a driver."""
    return outcome.raised is not None or tells_refusal(outcome.value)


def _about_dropout(wanted: Any, value: Any) -> str:
    if type(wanted) is dict and type(value) is dict and wanted.keys() == value.keys():
        for name in wanted:
            if is_count_of_outputs(name):
                few, many = wanted[name] == 1 != value[name], wanted[name] != 1 == value[name]
                return _DROPPED if few else _NO_DROPOUT if many else ""
    return ""


def _with_buffers(wanted: Any, value: Any) -> Any:
    if type(wanted) is not dict or type(value) is not dict or wanted.keys() != value.keys():
        return value
    missing = {name: True for name in wanted if is_buffer(name) and value[name] is False}
    return {**value, **missing} if missing else value
