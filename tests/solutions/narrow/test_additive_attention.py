"""Lesson 01: answers that are right only for what an exam had tried."""

import inspect
import math
from typing import Any

import pytest
import torch

from tests.support.course import every_exam, exam_of, is_refused, without_hints

pytestmark = pytest.mark.slow

EXAMS = {exam.name: exam for place, exam in every_exam().items() if place.startswith("01_")}
SOURCES = {name: inspect.getsource(exam.reference) for name, exam in EXAMS.items()}


def rewritten(name: str, *changes: tuple[str, str]) -> Any:
    """The reference, with something else in place of a part of its text."""
    source = SOURCES[name]
    for before, after in changes:
        assert before in source
        source = source.replace(before, after)
    defined = {**vars(inspect.getmodule(EXAMS[name].reference))}
    exec(source, defined)
    return defined[name]


# --- numbers in place of −∞ ----------------------------------------------------------------------

HIDES = [name for name, source in SOURCES.items() if "-math.inf" in source]
# In published modules, hidden scores are often −10⁹.
FUNCTIONS = [name for name in HIDES if inspect.isfunction(EXAMS[name].reference)]


@pytest.mark.parametrize("name", HIDES)
def test_minus_ten_thousand_is_no_infinity(name: str) -> None:
    assert is_refused(EXAMS[name], rewritten(name, ("-math.inf", "-1e4")))


@pytest.mark.parametrize("number", ["-1e9", "-1e30"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_number_is_below_all_scores(name: str, number: str) -> None:
    answer = rewritten(name, ("-math.inf", number))
    for report in (EXAMS[name].preview(answer), EXAMS[name].examine(answer)):
        assert report.misconception == "minus_a_billion"


# --- long sentences ------------------------------------------------------------------------------

COUNTS = [name for name, source in SOURCES.items() if "torch.arange(" in source]


@pytest.mark.parametrize("most", [50, 128, 1024])
@pytest.mark.parametrize("name", COUNTS)
def test_no_table_of_positions_is_long_enough(name: str, most: int) -> None:
    table = f"(lambda length, **kind: torch.arange({most}, **kind)[:length])("
    assert is_refused(EXAMS[name], rewritten(name, ("torch.arange(", table)))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("name", COUNTS)
def test_positions_do_not_fit_into_a_byte(name: str, dtype: str) -> None:
    as_bytes = f"(lambda length, **_: torch.arange(length).to(torch.{dtype}).long())("
    assert is_refused(EXAMS[name], rewritten(name, ("torch.arange(", as_bytes)))


@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("name", [name for name in COUNTS if "lengths[:, None]" in SOURCES[name]])
def test_lengths_do_not_fit_into_a_byte(name: str, dtype: str) -> None:
    as_bytes = ("lengths[:, None]", f"lengths[:, None].to(torch.{dtype})")
    assert is_refused(EXAMS[name], rewritten(name, as_bytes))


# --- the softmax, written out --------------------------------------------------------------------

# What is asked for on paper has no scores but its own.
SOFTMAXES = [
    name
    for name, source in SOURCES.items()
    if "torch.softmax(" in source and not name.endswith("_by_hand")
]


@pytest.mark.parametrize("name", SOFTMAXES)
def test_exponentials_overflow(name: str) -> None:
    bare = "(lambda scores, dim: scores.exp() / scores.exp().sum(dim=dim, keepdim=True))("
    assert is_refused(EXAMS[name], rewritten(name, ("torch.softmax(", bare)))


@pytest.mark.parametrize("name", ["bahdanau_step", "luong_step", "local_weights"])
def test_exponentials_that_overflow_are_named(name: str) -> None:
    exam = exam_of(name)
    wrong = exam.misconceptions["exponentials_by_hand"]
    assert exam.examine(wrong).misconception == "exponentials_by_hand"


# --- tests of functions --------------------------------------------------------------------------


@pytest.mark.parametrize("least", [1e-8, 1e-10, 1e-12])
def test_single_precision_rounds_more(least: float) -> None:
    exam = exam_of("is_blind_to_padding", "01")
    answer = rewritten(
        "is_blind_to_padding", ("one, other, atol=1e-6", f"one, other, rtol=0, atol={least}")
    )
    report = without_hints(exam).examine(answer)
    assert report.right_but_for == "rounding in single precision"


def test_the_tolerance_of_allclose_is_enough() -> None:
    answer = rewritten("is_blind_to_padding", (", atol=1e-6", ""))
    assert not is_refused(exam_of("is_blind_to_padding", "01"), answer)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_the_reference_allows_for_rounding(dtype: torch.dtype) -> None:
    """Many contexts are near 0, where rounding is a large share of them."""

    def attention(
        query: torch.Tensor, annotations: torch.Tensor, lengths: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        is_padding = torch.arange(annotations.shape[1]) >= lengths[:, None]
        scores = torch.einsum("bd,bsd->bs", query, annotations) + annotations.sum() / 100
        weights = torch.softmax(scores.masked_fill(is_padding, -math.inf), dim=-1)
        return torch.einsum("bs,bsd->bd", weights, annotations), weights

    generator = torch.Generator().manual_seed(0)
    is_blind_to_padding: Any = exam_of("is_blind_to_padding", "01").reference
    lengths = torch.tensor([5, 2, 4, 1, 3])
    for _ in range(100):
        query = torch.randn(5, 6, generator=generator, dtype=dtype) / 3
        annotations = torch.randn(5, 7, 6, generator=generator, dtype=dtype)
        assert is_blind_to_padding(attention, query, annotations, lengths)
