"""What is tried for one exercise: a right answer, and the mistakes that one makes in it."""

import ast
import linecache
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

Mistake = Mapping[str, str]
_FIRST_CELL = """
import math
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
"""


@dataclass(frozen=True)
class Answers:
    """A right answer to an exercise of `lesson`, which TorchCode has as `task`.

    `wrong` has each mistake by what it is: what stands in the right answer, and what stands there
    instead.
    """

    lesson: str
    task: str
    right: str
    wrong: Mapping[str, Mistake]

    @property
    def exercise(self) -> str:
        """The name of the function or class."""
        defined = ast.parse(self.right).body[0]
        assert isinstance(defined, ast.FunctionDef | ast.ClassDef)
        return defined.name

    def wrong_texts(self) -> Iterator[tuple[str, str]]:
        """What each mistake is, and the source of the answer that makes it.

        Raises:
            ValueError: when a part that changes does not stand in the right answer once.
        """
        for what, mistake in self.wrong.items():
            text = self.right
            for old, new in mistake.items():
                if text.count(old) != 1:
                    raise ValueError(f"{self.exercise}, {what}: {text.count(old)} times {old!r}")
                text = text.replace(old, new)
            yield what, text

    def changed_lines(self, text: str) -> set[int]:
        """The lines of a wrong answer that the right one does not have, from 1 on.

        Where a line is left out, it is the lines around.
        """
        right, wrong = self.right.strip().splitlines(), text.strip().splitlines()
        changed: set[int] = set()
        for kind, _, _, begin, end in SequenceMatcher(None, right, wrong, False).get_opcodes():
            if kind == "delete":
                changed |= {begin, begin + 1}
            elif kind != "equal":
                changed |= {*range(begin + 1, end + 1)}
        return changed

    def right_answer(self) -> Callable[..., Any]:
        """The right answer, as a cell of a notebook defines it."""
        return self.defined(self.right, "right")

    def defined(self, text: str, what: str) -> Callable[..., Any]:
        """What a cell with this text defines; its lines can be looked up, as in a notebook."""
        text = text.lstrip("\n")
        file = f"/tmp/ipykernel_1/{self.exercise}_{what}.py".replace(" ", "_")
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        namespace: dict[str, Any] = {"__name__": "__main__"}
        exec(_FIRST_CELL, namespace)
        exec(compile(text, file, "exec"), namespace)
        answer: Callable[..., Any] = namespace[self.exercise]
        return answer
