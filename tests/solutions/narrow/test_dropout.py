"""Dropout that is right for one word alone: in the average, it is right for any number of them."""

import inspect
from typing import Any

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from tests.support.course import every_exam, without_hints

pytestmark = pytest.mark.slow

MODULES = [
    pytest.param(exam, id=exam.name)
    for exam in every_exam().values()
    if exam.use is run_module and "nn.Dropout(" in inspect.getsource(exam.reference)
]


class OneMaskForAllWords(nn.Dropout):
    def forward(self, inputs: Tensor) -> Tensor:
        if not self.training:
            return inputs
        return inputs * functional.dropout(torch.ones_like(inputs[..., :1, :]), self.p)


class NothingOfManyWords(nn.Dropout):
    def forward(self, inputs: Tensor) -> Tensor:
        return inputs if inputs.shape[-2] > 1 else super().forward(inputs)


@pytest.mark.parametrize("wrong", [OneMaskForAllWords, NothingOfManyWords])
@pytest.mark.parametrize("exam", MODULES)
def test_words_are_dropped_one_by_one(exam: Exam, wrong: type[nn.Dropout]) -> None:
    def answer(**settings: Any) -> nn.Module:
        module = exam.reference(**settings)
        assert isinstance(module, nn.Module)
        for part in [*module.modules()]:
            for name, child in part.named_children():
                if type(child) is nn.Dropout:
                    setattr(part, name, wrong(child.p))
        return module

    assert without_hints(exam).examine(answer).verdict is not Verdict.PASSED
