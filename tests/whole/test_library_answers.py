"""What everybody has is no answer: a library's function is refused, or allowed with a reason."""

import json
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import torch

from autograder.checks.exam.case import is_mistaken
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from autograder.checks.exam.rules import Written, broken, looking_at
from autograder.checks.exam.watching import matches
from autograder.checks.values.outcome import observe
from tests.support.course import every_exam
from tests.support.libraries import MODULES, callables
from tests.support.sample import sample

EXAMS = every_exam()
# By which a student's cell could bring a library's function into the place of an answer.
FORMS = (
    "{name} = {path}",
    "def {name}(*given, **named):\n    return {path}(*given, **named)",
    "class {name}({path}):\n    pass",
)
IMPORTS = "\n".join(f"import {module.__name__}" for module in MODULES)


class TooSlow(BaseException):
    """A library's function waits for somebody, or computes for ever."""


@pytest.mark.parametrize("place", sample(list(EXAMS), 100))
def test_what_a_library_offers_is_no_answer(place: str, tmp_path: Path) -> None:
    exam = EXAMS[place]
    for path in right_answers(exam, tmp_path):
        if not any(matches(word, path) for word in exam.allows):
            for form in FORMS:
                text = f"{IMPORTS}\n{form.format(name=exam.name, path=path)}"
                with looking_at(Written([(exam.name, text)])):
                    assert broken(exam.name, print, exam.forbids), form.format(
                        name=exam.name, path=path
                    )


@pytest.mark.parametrize(
    "call",
    ["nn.MultiheadAttention", "F.multi_head_attention_forward", "_native_multi_head_attention"],
)
def test_one_whole_attention_for_another_is_no_answer(call: str) -> None:
    """Where scaled_dot_product_attention is forbidden, what computes the same is so too."""
    about = [exam for exam in EXAMS.values() if "scaled_dot_product_attention" in exam.forbids]
    assert len(about) > 5
    for exam in about:
        imports = "from torch import nn\nimport torch.nn.functional as F"
        text = f"{imports}\ndef {exam.name}(*given):\n    return {call}(*given)"
        with looking_at(Written([(exam.name, text)])):
            assert broken(exam.name, print, exam.forbids), exam.name


def right_answers(exam: Exam, folder: Path) -> list[str]:
    """The callables that pass an exam, tried in a fork: some change the process that calls them."""
    read, write = os.pipe()
    process = os.fork()
    if not process:
        try:
            os.chdir(folder)
            torch.set_num_threads(1)
            found = json.dumps([path for path, one in callables().items() if is_right(exam, one)])
            os.write(write, found.encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        told = pipe.read()
    os.waitpid(process, 0)
    paths: list[str] = json.loads(told)
    return paths


def is_right(exam: Exam, answer: Any) -> bool:
    first = exam._once(None)[0]
    with suppress(BaseException), at_most(2):
        if is_mistaken(observe(answer, first.arguments, exam.use), first):
            return False
        return _passes(exam, answer)
    return False


def _passes(exam: Exam, answer: Any) -> bool:
    forbids, exam.forbids = exam.forbids, ()
    try:
        return exam.examine(answer).verdict is Verdict.PASSED
    finally:
        exam.forbids = forbids


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def end(number: int, frame: FrameType | None) -> None:
        raise TooSlow

    signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
