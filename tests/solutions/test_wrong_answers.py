"""Wrong answers that once passed, or had no name: each is refused, and told what is wrong."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from autograder.checks.exam.report import Report, Verdict
from tests.support.course import exam_of


def both(name: str, answer: object) -> tuple[Report, Report]:
    """What the check and the exam say."""
    exam = exam_of(name)
    return exam.preview(answer), exam.examine(answer)


@pytest.mark.parametrize("temperature", [1.0, 0.1, 0.01])
def test_a_token_that_is_drawn_is_not_the_most_likely_one(temperature: float) -> None:
    def generate(model: Any, tokens: Any, num_new_tokens: int, context_length: int) -> Any:
        for _ in range(num_new_tokens):
            logits = model(tokens[:, -context_length:])[:, -1]
            new = torch.multinomial(torch.softmax(logits / temperature, dim=-1), 1)
            tokens = torch.cat([tokens, new], dim=1)
        return tokens

    for report in both("generate", generate):
        assert report.verdict is Verdict.WRONG
        assert "draws random numbers" in report.hint


def test_texts_that_are_joined_afterwards_are_not_compared_one_by_one() -> None:
    def is_lossless(encode: Any, decode: Any, texts: Any) -> bool:
        try:
            return "".join(decode(encode(text)) for text in texts) == "".join(texts)
        except Exception:
            return False

    for report in both("is_lossless", is_lossless):
        assert report.misconception == "JoinedAfterwards"


@pytest.mark.parametrize("length", [1024, 4096])
def test_positions_do_not_begin_again(length: int) -> None:
    exam = exam_of("apply_rope")
    for report in both("apply_rope", lambda x, positions: exam.reference(x, positions % length)):
        assert report.verdict is Verdict.WRONG


@pytest.mark.parametrize("dtype", [torch.float32, torch.int64])
def test_counts_of_ways_overflow(dtype: torch.dtype) -> None:
    def layers_until_all_meet(hidden: Any, causal: bool = False) -> int | None:
        seen, received = (~hidden).to(dtype), torch.eye(len(hidden), dtype=dtype)
        needed = received.new_ones(received.shape)
        needed = needed.tril() if causal else needed
        for layers in range(len(hidden) + 1):
            if ((received > 0) >= (needed > 0)).all():
                return layers
            received = seen @ received
        return None

    report = exam_of("layers_until_all_meet").examine(layers_until_all_meet)
    assert report.misconception == "counts_that_overflow"


def by_the_reciprocal(inputs: Any, mean: Any, spread: Any, weight: Any) -> Any:
    return weight * (inputs - mean) * torch.rsqrt(spread)


def by_the_root(inputs: Any, mean: Any, spread: Any, weight: Any) -> Any:
    return (inputs - mean) / spread.sqrt() * weight


@pytest.mark.parametrize("scaled", [by_the_reciprocal, by_the_root])
def test_a_difference_of_squares_is_right_but_far_from_zero(scaled: Callable[..., Any]) -> None:
    class LayerNorm(nn.Module):
        def __init__(self, d_model: int, eps: float = 1e-5) -> None:
            super().__init__()
            self.eps = eps
            self.weight = nn.Parameter(torch.ones(d_model))
            self.bias = nn.Parameter(torch.zeros(d_model))

        def forward(self, inputs: Any) -> Any:
            mean = inputs.mean(-1, keepdim=True)
            spread = inputs.pow(2).mean(-1, keepdim=True) - mean.pow(2) + self.eps
            return scaled(inputs, mean, spread, self.weight) + self.bias

    check, exam = both("LayerNorm", LayerNorm)
    assert check.misconception == exam.misconception == "DifferenceOfSquares"
    assert exam.right_but_for == "features far from 0, in float32"


def test_weights_that_were_nan_give_gradients_that_are() -> None:
    """The maximum of a row of −∞ is −∞, and what nan_to_num hides forward comes back."""

    def softmax_with_sink(scores: Any, sink: Any) -> Any:
        highest = scores.amax(dim=-1, keepdim=True)
        powers = torch.exp(scores - highest)
        beside = torch.exp(sink.view(-1, 1, 1) - highest)
        return torch.nan_to_num(powers / (powers.sum(dim=-1, keepdim=True) + beside))

    report = exam_of("softmax_with_sink").examine(softmax_with_sink)
    assert report.verdict is Verdict.WRONG
    assert "NaN comes back through it as a gradient" in report.hint
