"""What a driver calls the parts of what it returns, where the name means something to the judge.

Whoever runs a module returns a dict: its output, gradients, and what it saw. A learner reads the
keys on the card, and so do the judge and the tolerances, by what is said here.
"""

import re

_GRADIENT = "gradient for "
_BUFFER = "a buffer of shape "
_SEEN = "outputs seen in "
_COUNTED = "different outputs in "
# A driver that lets an answer refuse its arguments says so: "refused, with a ValueError".
_REFUSAL = re.compile(r"\ban? [A-Z]\w*Error\b")


def gradient_for(name: str) -> str:
    """The part that is the gradient for an input or a weight."""
    return f"{_GRADIENT}{name}"


def is_gradient(part: str) -> bool:
    """Whether a part is a gradient: it is coarser than what it follows from."""
    return part.startswith(_GRADIENT)


def buffer_of(shape: tuple[int, ...]) -> str:
    """The part that says whether there is such a buffer."""
    return f"{_BUFFER}{shape}"


def is_buffer(part: str) -> bool:
    """Whether a part says if there is a buffer."""
    return part.startswith(_BUFFER)


def outputs_seen(mode: str) -> str:
    """The part with all outputs that differ, in training or in evaluation."""
    return f"{_SEEN}{mode}"


def outputs_counted(calls: int) -> str:
    """The part that says how many outputs differ."""
    return f"{_COUNTED}{calls} calls"


def is_count_of_outputs(part: str) -> bool:
    """Whether a part says how many outputs differ."""
    return part.startswith(_COUNTED)


def is_of_several_calls(part: str) -> bool:
    """Whether a part is found by several calls, to see what random numbers do."""
    return part.startswith((_SEEN, _COUNTED))


def follows(part: str) -> bool:
    """Whether a part follows from the others, so that it is wrong where they are."""
    return part.startswith((_GRADIENT, _SEEN))


def tells_refusal(value: object) -> bool:
    """Whether a driver says that the answer has refused its arguments."""
    return type(value) is str and _REFUSAL.search(value) is not None
