"""An answer that writes into what it is given changes neither what is expected nor later exams."""

import functools
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from autograder.checks.card.as_text import lines_of
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from tests.support.course import lessons_of_exams
from tests.support.sample import sample

FUNCTIONS = [
    pytest.param(exam, id=exam.name)
    for exam in lessons_of_exams()
    if not isinstance(exam.reference, type)
]


def emptying(exam: Exam, emptied: list[object], when: str) -> Any:
    """An answer that puts zeros into its arguments, and is right about these or what was there."""

    @functools.wraps(exam.reference)
    def answer(*arguments: Any, **keywords: Any) -> Any:
        result = exam.reference(*arguments, **keywords) if when == "after" else None
        for one in (*arguments, *keywords.values()):
            if isinstance(one, Tensor | np.ndarray) and (np.asarray(one.tolist()) != 0).any():
                emptied.append(one)
                with torch.no_grad():
                    one[...] = 0
        return exam.reference(*arguments, **keywords) if when == "before" else result

    return answer


@pytest.mark.parametrize("exam", sample(FUNCTIONS, 24))
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_an_answer_writes_stays_its_own(exam: Exam, when: str) -> None:
    emptied = list[object]()
    report = exam.examine(emptying(exam, emptied, when))
    # Whether a module is in training does not change with the numbers that it is given.
    if when == "before" and emptied and exam.name != "is_mode_kept":
        assert report.verdict is not Verdict.PASSED
    after = exam.examine(exam.reference)
    assert after.verdict is Verdict.PASSED, lines_of(after)
