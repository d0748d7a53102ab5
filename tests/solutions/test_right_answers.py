"""Right answers in other idioms pass: a sample of what `benchmarks/right_answers.py` tries."""

from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.exam.report import Verdict
from autograder.course import lesson_number
from benchmarks.idioms import with_idioms
from benchmarks.right_answers import SEEDS, answers, refusal
from tests.support.course import COURSE, without_hints
from tests.support.sample import sample

EXAMS = [
    (f"{lesson_number(lesson)}-{name}", exam)
    for lesson in COURSE.lessons()
    for name, exam in exams_of(COURSE.exam_module(lesson)).items()
]
# All of them at all seeds take half an hour. These meet some lessons, each at a seed of its own.
SAMPLE = [pytest.param(exam, place % SEEDS, id=name) for place, (name, exam) in enumerate(EXAMS)][
    3::28
]


@pytest.mark.parametrize(("exam", "seed"), SAMPLE)
def test_right_answers_pass(exam: Exam, seed: int) -> None:
    rights = list(answers(exam).items())
    for name, right in rights[seed % 3 :: max(1, len(rights) // 2)]:
        assert refusal(exam, right, None) == "", name
        assert refusal(exam, right, seed) == "", name


@pytest.mark.parametrize(("name", "exam"), sample(EXAMS, 12))
def test_references_pass_whatever_the_default_dtype(name: str, exam: Exam) -> None:
    torch.set_default_dtype(torch.float64)
    try:
        assert without_hints(exam).examine(exam.reference, 7).verdict is Verdict.PASSED
    finally:
        torch.set_default_dtype(torch.float32)


def scaled(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    return torch.softmax(queries @ keys.mT / keys.shape[-1] ** 0.5, dim=-1)


def of_rows(x: np.ndarray) -> np.ndarray:
    powers: np.ndarray = np.exp(x)
    return powers / powers.sum(axis=-1, keepdims=True)


def test_idioms_change_the_steps_and_not_the_numbers() -> None:
    queries, keys = torch.eye(3, 4, dtype=torch.float64), torch.ones(5, 4, dtype=torch.float64)
    found = dict(with_idioms(scaled))
    assert {"root of a tensor", "keys scaled first", "softmax in float32"} <= found.keys()
    for name, written in found.items():
        weights: Any = written(queries, keys)
        assert torch.allclose(weights, scaled(queries, keys), atol=1e-6), name
    assert list(dict(with_idioms(of_rows))) == ["exp in float32"]
