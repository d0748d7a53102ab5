"""Sees what an answer calls while it runs, for a rule about how an exercise is written.

Names that were made at run time, aliases and calls from C, which nobody can read in a source, are
seen here. It runs in the process of the answer, whose code can put an end to it.
"""

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from types import CodeType, FrameType
from typing import Any

from autograder.checks.source.own_files import is_own, is_pythons

# What puts an end to the watching of calls, or calls where nobody watches: no answer needs it.
UNWATCHED = (
    *("setprofile", "DisableTorchFunction", "DisableTorchFunctionSubclass", "redispatch"),
    *("Thread", "start_new_thread", "ThreadPoolExecutor", "ProcessPoolExecutor"),
    *("fork", "forkpty", "posix_spawn", "subprocess", "multiprocessing"),
)

_MOST_KNOWN = 10_000
# Libraries with functions that call another one, such as `vmap` and `vectorize`.
_CALL_WHAT_IS_GIVEN = ("torch", "numpy")


class Watching:
    """Watches for calls of what has one of these names and is not the student's own."""

    def __init__(self, words: Sequence[str] = (), each: int = 1) -> None:
        """Watch.

        Args:
            words: the names.
            each: how many calls there are for one that is watched; the first one is. To watch takes
                several times as long as the call.
        """
        self._words = words
        self._each, self._calls = each, 0
        self._folder = os.getcwd()
        # What is known of files, and of names that no rule is about.
        self._own: dict[str, bool] = {}
        self._noted: dict[str, bool] = {}
        # By the id of some code, which is kept: equal code may be of another file.
        self._words_of: dict[int, tuple[str, CodeType]] = {}
        self._harmless: set[str] = set()
        self._asker: FrameType | None = None
        self.seen = ""

    @contextmanager
    def during_a_call(self) -> Iterator[None]:
        """Watch what is called until this ends, by whoever waits for that as well."""
        self._calls += 1
        if not self._words or (self._calls - 1) % self._each:
            yield
            return
        before = sys.getprofile(), threading.getprofile()
        # Behind this function stands contextlib's, and behind that the one with the `with`.
        self._asker = sys._getframe(2)
        with ExitStack() as watching:
            if torch := sys.modules.get("torch"):
                watching.enter_context(_torch_calls(torch, self._note))
            watching.callback(self._end, *before)
            threading.setprofile(self._profile)
            sys.setprofile(self._profile)
            yield

    def _end(self, profile: Any, of_threads: Any) -> None:
        sys.setprofile(profile)
        threading.setprofile(of_threads)
        self._asker = None

    def _profile(self, frame: FrameType, event: str, called: Any) -> None:
        # Returns are told too: there are as many of them.
        if event == "c_call":
            # What a library calls is its own affair, but for layers made of what a rule forbids,
            # and for Python's own modules, which call what they are given.
            file = frame.f_code.co_filename
            if file not in self._noted:
                self._noted[file] = self._is_own(frame) or _is_torch(frame) or is_pythons(file)
            word = self._word_in(getattr(called, "__name__", "")) if self._noted[file] else ""
            if word and (self._is_own(frame) or not _is_of_python(called)):
                self.seen = self.seen or word
        # Python's own functions, which need not be called from Python.
        elif event == "call" and (word := self._word_for(frame)) and self._is_asked_for(frame):
            self.seen = self.seen or word

    def _word_for(self, frame: FrameType) -> str:
        """The word that some code is to, or through; "" for the student's own, or if none is."""
        code = frame.f_code
        if id(code) not in self._words_of:
            path = f"{frame.f_globals.get('__name__')}.{code.co_qualname}"
            self._words_of[id(code)] = "" if self._is_own(frame) else self._word_in(path), code
        return self._words_of[id(code)][0]

    def _is_asked_for(self, frame: FrameType) -> bool:
        """Whether code of the student's calls this, or has it called by what calls anything."""
        called, caller = frame, frame.f_back
        while caller is not None and caller is not self._asker and not self._is_own(caller):
            if not _hands_on(caller, called):
                return False
            caller = caller.f_back
        return True

    def _is_own(self, frame: FrameType) -> bool:
        """Whether this is code of a cell, or of a file beside the notebook."""
        file = frame.f_code.co_filename
        if file not in self._own:
            self._own[file] = is_own(file, self._folder)
        return self._own[file]

    def _note(self, name: object) -> None:
        self.seen = self.seen or self._word_in(name)

    def _word_in(self, name: object) -> str:
        """The word that a name is to, or through; "" if there is none."""
        if type(name) is not str or name in self._harmless:
            return ""
        found = next((word for word in self._words if matches(word, name)), "")
        if not found and len(self._harmless) < _MOST_KNOWN:
            self._harmless.add(name)
        return found


def _hands_on(caller: FrameType, called: FrameType) -> bool:
    """Whether it is not of a library's own accord that it calls this, but as it was told to.

    A module's `forward` and what is torch's own way of asking back are called so as well, by
    whoever uses what the course has given; and while a library is imported, its functions are.
    """
    code = called.f_code
    if is_pythons(code.co_filename) or "<module>" in (code.co_name, caller.f_code.co_name):
        return False
    if is_pythons(caller.f_code.co_filename):
        return True
    is_plain = "." not in code.co_qualname or code.co_name == "__init__"
    return is_plain and _package(caller) in _CALL_WHAT_IS_GIVEN


def _package(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__")).partition(".")[0]


def _is_of_python(called: Any) -> bool:
    """Whether a function that is written in C, or a method, comes with Python: a lock's, say."""
    of = getattr(called, "__self__", None)
    home = (
        getattr(called, "__module__", None) or (of if isinstance(of, type) else type(of)).__module__
    )
    return str(home).partition(".")[0] in sys.stdlib_module_names


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


def matches(word: str, path: str) -> bool:
    """Whether a path such as `torch.softmax` is to, or through, what has this name.

    Libraries give what does the work for a public function that function's name behind an
    underscore, with words put in: `_scaled_dot_product_flash_attention`.

    Args:
        word: the name that a rule forbids.
        path: names of a library's with dots between them.
    """
    parts = path.split(".")
    if word in parts or word in UNWATCHED:
        return word in parts
    return any(part.startswith("_") and _holds(part, word) for part in parts)


def _holds(private: str, word: str) -> bool:
    left = iter(private.split("_"))
    return all(part in left for part in word.split("_"))
