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


WITH_BIASES = [
    one
    for one in MODULES
    if "self.W_value = nn.Linear(" in inspect.getsource(one.values[0].reference)
]


@pytest.mark.parametrize("exam", WITH_BIASES)
def test_biases_of_values_are_dropped_with_them(exam: Exam) -> None:
    """Rows of weights sum to 1, so that a bias may be added behind them; after dropout not."""

    def answer(**settings: Any) -> nn.Module:
        module = exam.reference(**settings)
        assert isinstance(module, nn.Module)
        values: Any = module.W_value
        if values.bias is None:
            return module

        def with_bias(contexts: Tensor) -> Tensor:
            width = settings["d_out"] // settings.get("num_heads", 1)
            shared = contexts.shape[-1] // len(values.bias)
            return (
                contexts
                + values.bias.unflatten(0, (-1, width)).repeat_interleave(shared, dim=0).flatten()
            )

        values.register_forward_hook(lambda _, given, found: found - values.bias)
        if hasattr(module, "out_proj"):
            module.out_proj.register_forward_pre_hook(lambda _, given: with_bias(*given))
        else:
            module.register_forward_hook(lambda _, given, found: with_bias(found))
        return module

    assert without_hints(exam).examine(answer).verdict is not Verdict.PASSED


def test_padding_drops_nothing_in_evaluation() -> None:
    cross = every_exam()["05_multi_head_attention/CrossAttention"]

    class Dropping(cross.reference):  # type: ignore[misc, name-defined]
        def forward(self, decoder: Tensor, encoder: Tensor, padding: Any = None) -> Any:
            if padding is None or self.training:
                return super().forward(decoder, encoder, padding)
            self.dropout.train()
            found = super().forward(decoder, encoder, padding)
            self.dropout.eval()
            return found

    assert cross.examine(Dropping).right_but_for == "the dropout"
