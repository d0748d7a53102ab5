"""Lessons 00, 00b, 02 and 03: answers that are right only for what an exam had tried.

And what is asked of the constructors of all modules up to lesson 03, those of lesson 01 too.
"""

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from tests.support.course import every_exam, exam_of, is_refused, without_hints

pytestmark = pytest.mark.slow

EXAMS = {
    exam.name: exam
    for place, exam in every_exam().items()
    if place.startswith(("02_", "03_")) and not exam.name.endswith("_by_hand")
}
SOURCES = {name: inspect.getsource(exam.reference) for name, exam in EXAMS.items()}


# --- the softmax, written out --------------------------------------------------------------------

SOFTMAXES = [name for name, source in SOURCES.items() if re.search(r"\bsoftmax\(\w", source)]


def bare(scores: Any, dim: int = -1, axis: int | None = None) -> Any:
    """A softmax whose exponentials overflow."""
    exp: Any = torch.exp if isinstance(scores, Tensor) else np.exp
    exponentials = exp(scores)
    return exponentials / exponentials.sum(dim if axis is None else axis, keepdims=True)


@pytest.mark.parametrize("name", SOFTMAXES)
def test_exponentials_overflow(name: str) -> None:
    exam = EXAMS[name]
    defined = {**vars(inspect.getmodule(exam.reference)), "bare": bare}
    exec(re.sub(r"(torch\.)?\bsoftmax\(", "bare(", SOURCES[name]), defined)
    report = exam.examine(defined[name])
    assert report.verdict is not Verdict.PASSED
    assert "overflow" in report.misconception.lower()


# --- tests of functions --------------------------------------------------------------------------


def within(least: float) -> dict[str, Callable[..., bool]]:
    """Tests that compare with this bound, whatever the dtype, by the exercise."""

    def is_permutation_equivariant(attention: Any, inputs: Any, permutation: Any) -> bool:
        gap = np.abs(attention(inputs[permutation]) - attention(inputs)[permutation])
        return bool(gap.max() < least)

    def is_key_shift_invariant(
        attention: Any, queries: Tensor, keys: Tensor, values: Tensor, shift: Tensor
    ) -> bool:
        gap = attention(queries, keys + shift, values) - attention(queries, keys, values)
        return bool(gap.abs().max() < least)

    def is_shift_invariant(function: Any, x: Any, shift: float) -> bool:
        return bool(np.abs(function(x + shift) - function(x)).max() < least)

    answers = (is_permutation_equivariant, is_key_shift_invariant, is_shift_invariant)
    return {answer.__name__: answer for answer in answers}


@pytest.mark.parametrize("least", [1e-9, 1e-10, 1e-12])
@pytest.mark.parametrize("name", within(0))
def test_single_precision_rounds_more(name: str, least: float) -> None:
    report = without_hints(exam_of(name)).examine(within(least)[name])
    assert report.right_but_for == "rounding in single precision"


@pytest.mark.parametrize("least", [1e-5, 1e-6])
@pytest.mark.parametrize("name", within(0))
def test_a_bound_may_leave_room_for_rounding(name: str, least: float) -> None:
    assert not is_refused(exam_of(name), within(least)[name])


def test_references_allow_for_rounding() -> None:
    """Of results near 0, rounding is a large share."""
    equivariant: Any = exam_of("is_permutation_equivariant").reference
    shift_invariant: Any = exam_of("is_shift_invariant").reference
    rng = np.random.default_rng(0)

    def less_their_mean(x: np.ndarray) -> np.ndarray:
        return x - x.mean(axis=-1, keepdims=True)

    def mixed(inputs: np.ndarray) -> np.ndarray:
        return inputs - inputs.mean(axis=0)

    for _ in range(100):
        words = rng.normal(size=(9, 6)).astype(np.float32)
        assert equivariant(mixed, words, rng.permutation(9))
        assert shift_invariant(less_their_mean, words, 1.3)


# --- what a function is given --------------------------------------------------------------------


def by_name(names: tuple[str, ...]) -> Callable[..., list[float]]:
    """A training loop that knows what the parameters of a linear layer are called."""

    def fit(
        module: nn.Module, inputs: Tensor, targets: Tensor, steps: int, learning_rate: float
    ) -> list[float]:
        losses = []
        for _ in range(steps):
            loss = functional.mse_loss(module(inputs), targets)
            parameters = [one for name, one in module.named_parameters() if name in names]
            found = torch.autograd.grad(loss, parameters)
            with torch.no_grad():
                for parameter, slope in zip(parameters, found, strict=True):
                    parameter.sub_(learning_rate * slope)
            losses.append(loss.item())
        return losses

    return fit


@pytest.mark.parametrize("names", [("weight", "bias"), ("weight", "bias", "0.weight", "0.bias")])
def test_parameters_have_any_names(names: tuple[str, ...]) -> None:
    assert is_refused(exam_of("fit"), by_name(names))


def gradient_by_copy(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    """A right answer, which asks nothing of what else `x` may be."""
    leaf = x.detach().clone().requires_grad_()
    torch.autograd.backward(function(leaf))
    assert leaf.grad is not None
    return leaf.grad


def freezes(x: Tensor) -> None:
    x.requires_grad_(False)


def wipes(x: Tensor) -> None:
    x.grad = None


def zeroes(x: Tensor) -> None:
    if x.grad is not None:
        x.grad.zero_()


@pytest.mark.parametrize("tidy", [freezes, wipes, zeroes])
def test_what_is_trained_stays_so(tidy: Callable[[Tensor], None]) -> None:
    def gradient_of(function: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
        found = gradient_by_copy(function, x)
        tidy(x)
        return found

    report = without_hints(exam_of("gradient_of")).examine(gradient_of)
    assert report.right_but_for == "a tensor that is itself being trained"


def test_a_copy_may_require_what_its_original_does() -> None:
    def gradient_of(function: Callable[[Tensor], Tensor], x: Tensor) -> Any:
        leaf = x.clone().requires_grad_()
        torch.autograd.backward(function(leaf))
        return leaf.grad

    assert not is_refused(exam_of("gradient_of"), gradient_of)


# --- constructors --------------------------------------------------------------------------------

MODULES = [
    exam
    for place, exam in every_exam().items()
    if place.startswith(("00b", "01", "02", "03")) and inspect.isclass(exam.reference)
]


@pytest.mark.parametrize("exam", MODULES, ids=lambda exam: exam.name)
def test_a_module_does_not_seed_random_numbers(exam: Exam) -> None:
    source, line = inspect.getsource(exam.reference), "super().__init__()"
    defined = {**vars(inspect.getmodule(exam.reference))}
    exec(source.replace(line, f"{line}; torch.manual_seed(123)"), defined)
    report = without_hints(exam).examine(defined[exam.name])
    assert report.right_but_for == "a seed that it sets"
