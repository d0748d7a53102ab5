"""Lessons 09 and 10: modules that are right only for what an exam had tried."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from solutions import your_gpt as reference
from tests.support.course import exam_of, is_refused

pytestmark = pytest.mark.slow

BLOCKS = ("EncoderBlock", "DecoderBlock", "GPTBlock")


class DividedByWhatIsKept(nn.Dropout):
    """Dropout by hand, which is 0 / 0 where nothing is kept."""

    def forward(self, x: Tensor) -> Tensor:
        if not self.training:
            return x
        return x * (torch.rand_like(x) >= self.p) / (1 - self.p)


DROPOUTS: dict[str, Callable[[float], nn.Module]] = {
    "by hand": DividedByWhatIsKept,
    "at most a half": lambda p: nn.Dropout(min(p, 0.5)),
    "at most nine tenths": lambda p: nn.Dropout(min(p, 0.9)),
}


@pytest.mark.parametrize("dropout", DROPOUTS.values(), ids=DROPOUTS)
@pytest.mark.parametrize("name", BLOCKS)
def test_all_may_be_dropped(name: str, dropout: Callable[[float], nn.Module]) -> None:
    base: Any = exam_of(name, "09").reference

    class Answer(base):  # type: ignore[misc]
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            rate: Any = self.dropout.p
            self.dropout = dropout(rate)

    Answer.__name__ = name
    assert exam_of(name, "09").examine(Answer).right_but_for == "the dropout"


BEGINNINGS: dict[str, Callable[[Tensor], Tensor]] = {
    "zeros": nn.init.zeros_,
    "random": lambda weight: nn.init.normal_(weight, std=0.02),
}


@pytest.mark.parametrize("begins", BEGINNINGS.values(), ids=BEGINNINGS)
@pytest.mark.parametrize("name", [*BLOCKS, "GPT"])
def test_norms_begin_with_ones(name: str, begins: Callable[[Tensor], Tensor]) -> None:
    base: Any = exam_of(name).reference

    class Answer(base):  # type: ignore[misc]
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            for part, module in self.named_modules():
                if "norm" in part:
                    begins(module.weight)

    Answer.__name__ = name
    assert is_refused(exam_of(name), Answer)


@pytest.mark.parametrize("name", ["GPT", "RotaryAttention"])
def test_caches_are_used_in_training(name: str) -> None:
    base: Any = getattr(reference, name)

    class Answer(base):  # type: ignore[misc]
        def forward(self, inputs: Tensor, cache: Any = None) -> Any:
            return super().forward(inputs, None if self.training else cache)

    Answer.__name__ = name
    report = exam_of(name).examine(Answer)
    assert not report.right_but_for
    assert is_refused(exam_of(name), Answer)


LIMITED = [("GPT", 0), ("EncoderBlock", 0), ("DecoderBlock", 0), ("DecoderBlock", 1)]


@pytest.mark.parametrize("most", [64, 512, 1024])
@pytest.mark.parametrize(("name", "place"), LIMITED)
def test_texts_may_be_long(name: str, place: int, most: int) -> None:
    base: Any = exam_of(name).reference

    class Answer(base):  # type: ignore[misc]
        def forward(self, *given: Any, **named: Any) -> Any:
            if given[place].shape[1] > most:
                raise ValueError
            return super().forward(*given, **named)

    Answer.__name__ = name
    assert is_refused(exam_of(name), Answer)
