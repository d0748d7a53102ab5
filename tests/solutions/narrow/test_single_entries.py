"""Answers with a `squeeze` in them: they are right as long as no axis has a single entry."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.exam.case import is_mistaken
from autograder.checks.exam.exam import Exam
from tests.support.course import every_exam, exam_of, without_hints
from tests.support.sample import sample

# Axes of what is returned that never have a single entry, or not in what an exam draws.
UNTRIED = {
    ("concat_annotations", 1),
    ("decode_step", 2),
    ("decoding_mask", 1),
    ("generate", 1),
    ("linformer_attention", 3),
    ("online_softmax_attention", 2),
    ("repaired_blockwise_attention", 3),
    ("repaired_cached_scores", 3),
    ("repaired_rope", 4),
    ("repaired_window_attention", 2),
    ("repeat_kv", 1),
    ("shift_matrix", 0),
    ("shift_matrix", 1),
    ("sinusoidal_encoding", 1),
    ("to_half_split", 1),
}
FUNCTIONS = [
    pytest.param(exam, id=place)
    for place, exam in every_exam().items()
    if not isinstance(exam.reference, type) and "single" not in exam.unasked
]


def squeezed(value: Any, axis: int) -> Any:
    """What is returned, without an axis if that has a single entry."""
    if isinstance(value, list | tuple):
        return type(value)(squeezed(one, axis) for one in value)
    if axis < axes_of(value):
        return value.squeeze(axis) if value.shape[axis] == 1 else value
    return value


def axes_of(value: Any) -> int:
    if isinstance(value, list | tuple):
        return max(map(axes_of, value), default=0)
    return value.ndim if isinstance(value, np.ndarray | torch.Tensor) else 0


@pytest.mark.parametrize("exam", sample(FUNCTIONS))
def test_no_axis_may_be_taken_away(exam: Exam) -> None:
    cases = without_hints(exam).hidden_cases()
    for axis in range(max(axes_of(case.expected.value) for case in cases if not case.way)):

        def answer(*given: Any, axis: int = axis) -> Any:
            return squeezed(exam.reference(*given), axis)

        is_refused = any(is_mistaken(case.observe(answer), case) for case in cases)
        assert is_refused is ((exam.name, axis) not in UNTRIED), axis


def test_it_costs_half() -> None:
    exam = exam_of("SelfAttention_v2")

    class SelfAttention(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = super().forward(x).squeeze(-1)
            return found

    report = without_hints(exam).examine(SelfAttention)
    assert report.right_but_for == "axes with a single entry"


def test_a_group_that_is_about_one_has_its_own_name() -> None:
    exam = exam_of("AdditiveAttention")

    class AdditiveAttention(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
            contexts, weights = super().forward(*inputs)
            return contexts, weights.squeeze(1)

    report = without_hints(exam).examine(AdditiveAttention)
    assert report.right_but_for == "sentences of one word"
