"""Sees what a student's code calls while the examiner waits for an answer: the untrusted side of a
rule about how an exercise is written.

It runs in the process of the student, whose code can put an end to it. But names that were made at
run time, aliases and calls from C, which nobody can read in a source, are seen here.
"""

import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

from autograder.forbidden import matches


class Watching:
    """Watches for calls of what has one of these names and is not the student's own."""

    def __init__(self, words: Sequence[str] = ()) -> None:
        self._words = words
        self._own = ("<", os.getcwd() + os.sep, tempfile.gettempdir() + os.sep)
        # They may lie below one of these.
        self._installed = (sys.prefix + os.sep, sys.base_prefix + os.sep)
        self.seen = ""

    @contextmanager
    def during_a_call(self) -> Iterator[None]:
        """Watch what is called until this ends."""
        if not self._words:
            yield
            return
        before = sys.getprofile()
        with ExitStack() as watching:
            if torch := sys.modules.get("torch"):
                watching.enter_context(_torch_calls(torch, self._note))
            watching.callback(sys.setprofile, before)
            sys.setprofile(self._profile)
            yield

    def _profile(self, frame: FrameType, event: str, called: Any) -> None:
        if event == "call":
            # Python's own functions, which need not be called from Python.
            caller = frame.f_back
            if not self._is_own(frame) and (caller is None or self._is_own(caller)):
                self._note(f"{frame.f_globals.get('__name__')}.{frame.f_code.co_name}")
        elif event == "c_call" and (self._is_own(frame) or _is_torch(frame)):
            # What a library calls is its own affair, but for layers made of what a rule forbids.
            self._note(getattr(called, "__name__", ""))

    def _is_own(self, frame: FrameType) -> bool:
        """Whether this is code of a cell, or of a file beside the notebook."""
        path = frame.f_code.co_filename
        return path.startswith(self._own) and not path.startswith(self._installed)

    def _note(self, name: object) -> None:
        if not self.seen and type(name) is str:
            self.seen = next((word for word in self._words if matches(word, name)), "")


def _is_torch(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__")).startswith("torch.")


def _torch_calls(torch: Any, note: Any) -> Any:
    """What is called of torch on tensors, from C and by libraries too; while torch itself answers
    such a call, this does not see what it is made of.
    """

    class Calls(torch.overrides.TorchFunctionMode):  # type: ignore[misc]
        def __torch_function__(
            self, func: Any, types: Any, args: Any = (), kwargs: Any = None
        ) -> Any:
            note(getattr(func, "__name__", ""))
            return func(*args, **(kwargs or {}))

    return Calls()
