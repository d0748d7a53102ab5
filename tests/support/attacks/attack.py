"""What an attack is: one submission, and what several of them begin with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Folder = Callable[[Path], None]

LESSON = "02_dot_product_self_attention"
WRONG = "def attention_weights(scores):\n    return 0 * scores + 0.5\n"
EXITS = WRONG.replace("return", "import os; os._exit(0); return")
WRONG_DOUBLE = "def double(x):\n    return 7\n"


@dataclass(frozen=True)
class Attack:
    """One submission.

    Attributes:
        name: what it does, in a few words.
        classes: the numbers of the classes it belongs to.
        answer: the source of the attacked solution cell.
        added: cells put before the first exercise.
        after: cells put at the end.
        others: sources of other solution cells, by grade_id.
        files: what lies beside the notebook.
        tests: for an ordinary notebook: its test cells.
        given: for an ordinary notebook: its other cells.
        whole: makes the file that is handed in from the notebook's JSON.
        tight: whether it is about the time of a whole submission, and gets little of it.
        folder: changes the folder that is handed in; such an attack goes through nbgrader.
    """

    name: str
    classes: tuple[int, ...]
    answer: str = ""
    added: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    others: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, bytes] = field(default_factory=dict)
    tests: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    whole: Callable[[dict[str, Any]], bytes] | None = None
    tight: bool = False
    folder: Folder | None = None


# What several attacks begin with.

SIDE = """
import sys
def side():
    frame = sys._getframe()
    while frame:
        if type(frame.f_locals.get("self")).__name__ == "StudentSide":
            return frame.f_locals["self"]
        frame = frame.f_back
"""
# Speaks to the examiner in place of the student's side: the codec is public.
FORGE = f"""{SIDE}
import struct
from autograder.student.rpc.deadline import Deadline
from autograder.student.rpc.codec.grammar import Reference, Unsupported
from autograder.student.rpc.codec.writer import encode
from autograder.student.limits import Limits
def send(*values):
    channel = side()._channel
    for value in values:
        message = value if isinstance(value, bytes) else encode(value, channel._limits)
        channel._socket.sendall(struct.pack(">I", len(message)) + message)
def hear():
    return side()._channel.receive(Deadline(5))
"""
TRY = """
def attempt(what, do):
    try:
        found = do()
    except BaseException:
        return
    print("BREACH", what, found)
"""
