"""Lesson 06: answers that are right only for what an exam had tried."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from companion import rope, sinusoids
from solutions.exams.positional_encoding._specimens import rates, turn, turn_halves
from tests.support.course import every_exam, exam_of, is_refused, without_hints

pytestmark = pytest.mark.slow

EXAMS = {exam.name: exam for place, exam in every_exam().items() if place.startswith("06_")}
Positions = Callable[[Tensor], Tensor]


# --- positions that are far from the beginning, or in no order -----------------------------------

# Functions that do nothing with positions but hand them on.
HANDED_ON = {"is_relative": "to the scoring function that is tested"}


def positions_of(exam: Exam) -> list[str]:
    """The parameters that are positions of tokens."""
    parameters = inspect.signature(exam.reference).parameters.values()
    return [
        parameter.name
        for parameter in parameters
        if parameter.name.endswith("positions") and parameter.annotation is Tensor
    ]


PLACED = [
    pytest.param(exam, name, id=f"{exam.name}-{name}")
    for exam in EXAMS.values()
    for name in positions_of(exam)
    if exam.name not in HANDED_ON
]


def looked_up(length: int) -> Positions:
    """What a table for a longest text does: there is no row beyond its end."""
    return lambda positions: torch.arange(length)[positions]


def sorted_positions(positions: Tensor) -> Tensor:
    return positions.sort().values


def counted_on(positions: Tensor) -> Tensor:
    return positions[0] + torch.arange(len(positions))


def counted_back(positions: Tensor) -> Tensor:
    return positions[-1] + torch.arange(len(positions)) - len(positions) + 1


@pytest.mark.parametrize(
    "change",
    [
        sorted_positions,
        counted_on,
        counted_back,
        *map(looked_up, (64, 512, 8192, 131_072)),
        lambda positions: positions % 8192,
        lambda positions: positions.clamp(max=131_071),
        lambda positions: positions.short().long(),
        lambda positions: positions.bfloat16().long(),
    ],
)
@pytest.mark.parametrize(("exam", "name"), PLACED)
def test_positions_may_be_anywhere(exam: Exam, name: str, change: Positions) -> None:
    signature = inspect.signature(exam.reference)

    def answer(*given: Any) -> Any:
        arguments = signature.bind(*given).arguments
        return exam.reference(**{**arguments, name: change(arguments[name])})

    assert is_refused(exam, answer)


@pytest.mark.parametrize("change", [sorted_positions, counted_on, counted_back])
def test_positions_are_handed_on_as_they_are(change: Positions) -> None:
    reference: Any = exam_of("is_relative").reference

    def is_relative(scores: Any, queries: Any, keys: Any, positions: Tensor, shift: int) -> Any:
        return reference(scores, queries, keys, change(positions), shift)

    assert is_refused(exam_of("is_relative"), is_relative)


def in_a_table(width: int, length: int = 512) -> Tensor:
    return torch.arange(length)[:, None] * rates(width)


def attended(
    queries: Tensor, keys: Tensor, values: Tensor, asked: Tensor, places: Tensor
) -> Tensor:
    table = in_a_table(keys.shape[-1])
    scores = turn(queries, table[asked]) @ turn(keys, table[places]).mT / keys.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values


def test_a_table_of_angles_has_its_end_in_the_check_or_costs_half() -> None:
    repaired, attention = exam_of("repaired_rope"), exam_of("rope_attention")

    def looked_up_in_halves(x: Tensor, positions: Tensor) -> Tensor:
        return turn_halves(x, in_a_table(x.shape[-1])[positions])

    assert repaired.preview(looked_up_in_halves).verdict is Verdict.EXCEPTION
    assert attention.examine(attended).right_but_for == "positions far into a long text"


# --- sizes ---------------------------------------------------------------------------------------


class TableOfFiveThousand(nn.Module):
    """The usual max_len, whatever context_length is."""

    encoding: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.register_buffer("encoding", sinusoids(5000, d_model))

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.shape[1]]


def test_a_context_may_be_longer_than_the_usual_table() -> None:
    report = exam_of("PositionalEncoding").examine(TableOfFiveThousand)
    assert report.right_but_for == "sentences of thousands of tokens"


def cut_from_a_table(num_positions: int, d_model: int) -> Tensor:
    if d_model % 2:
        raise ValueError(f"{d_model} is odd")
    return sinusoids(5000, d_model)[:num_positions].clone()


def shifted_by_at_most_a_thousand(k: int, d_model: int) -> Tensor:
    reference: Callable[[int, int], Tensor] = exam_of("shift_matrix").reference  # type: ignore[assignment]
    return reference(max(-1000, min(k, 1000)), d_model)


def bias_of_a_hundred_tokens(num_heads: int, num_tokens: int) -> Tensor:
    reference: Callable[[int, int], Tensor] = exam_of("alibi_bias").reference  # type: ignore[assignment]
    return reference(num_heads, 100)[:, :num_tokens, :num_tokens].clone()


def first_tokens_compared(
    scores: Callable[..., Tensor], queries: Tensor, keys: Tensor, positions: Tensor, shift: int
) -> bool:
    here, there = (scores(queries, keys, positions + by)[:50, :50] for by in (0, shift))
    return torch.allclose(here, there, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("sinusoidal_encoding", cut_from_a_table),
        ("shift_matrix", shifted_by_at_most_a_thousand),
        ("alibi_bias", bias_of_a_hundred_tokens),
        ("is_relative", first_tokens_compared),
    ],
)
def test_no_size_is_the_largest(name: str, answer: Callable[..., object]) -> None:
    assert is_refused(exam_of(name), answer)


# --- numbers that are large, and dtypes that are coarse ------------------------------------------


@pytest.mark.parametrize("name", ["overflowing", "one_maximum_for_all"])
def test_scores_may_overflow(name: str) -> None:
    def rope_attention(q: Tensor, k: Tensor, v: Tensor, asked: Tensor, places: Tensor) -> Tensor:
        scores = rope(q, asked) @ rope(k, places).mT / k.shape[-1] ** 0.5
        powers = torch.exp(scores - (scores.max() if name == "one_maximum_for_all" else 0))
        return powers / powers.sum(dim=-1, keepdim=True) @ v

    exam = exam_of("rope_attention")
    check, hidden = exam.preview(rope_attention), exam.examine(rope_attention)
    assert check.misconception == hidden.misconception == name
    assert hidden.right_but_for == "scores far from 0"


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_angles_are_fine_in_every_dtype(dtype: torch.dtype) -> None:
    exam = exam_of("apply_rope")

    def apply_rope(x: Tensor, positions: Tensor) -> Any:
        if x.dtype is not dtype or x.shape[-1] % 2:
            return exam.reference(x, positions)
        return turn(x, positions.to(dtype)[:, None] * rates(x.shape[-1]).to(dtype))

    assert exam.examine(apply_rope).right_but_for == "16-bit floats"


def test_repaired_angles_are_fine_in_bfloat16() -> None:
    def repaired_rope(x: Tensor, positions: Tensor) -> Tensor:
        return turn_halves(x, positions.to(x.dtype)[:, None] * rates(x.shape[-1]).to(x.dtype))

    assert exam_of("repaired_rope").examine(repaired_rope).right_but_for == "16-bit floats"


@pytest.mark.parametrize("bound", [1e-6, 1e-8, 1e-12])
def test_infinities_may_be_equal_and_float32_has_more_rounding(bound: float) -> None:
    def is_relative(scores: Any, queries: Any, keys: Any, positions: Any, shift: int) -> bool:
        here, there = (scores(queries, keys, positions + by) for by in (0, shift))
        return bool(((here - there).abs() <= bound).all())

    report = exam_of("is_relative").examine(is_relative)
    assert report.right_but_for == "scores of −∞, or those that are rounded to float32"
    assert report.misconception == (
        "infinity_less_infinity" if bound == 1e-6 else "gap_below_float32"
    )


@pytest.mark.parametrize("bound", [1e-5, 1e-6])
def test_rounding_grows_with_the_scores(bound: float) -> None:
    def is_relative(scores: Any, queries: Any, keys: Any, positions: Any, shift: int) -> bool:
        here, there = (scores(queries, keys, positions + by) for by in (0, shift))
        return torch.allclose(here, there, rtol=0, atol=bound)

    report = exam_of("is_relative").examine(is_relative)
    assert report.right_but_for == "scores of −∞, or those that are rounded to float32"
    assert report.misconception == "same_bound_for_all"


def test_scores_are_compared_where_some_are_infinite() -> None:
    def is_relative(scores: Any, queries: Any, keys: Any, positions: Any, shift: int) -> bool:
        here, there = (scores(queries, keys, positions + by) for by in (0, shift))
        finite = here.isfinite() & there.isfinite()
        return torch.allclose(here[finite], there[finite])

    assert is_refused(exam_of("is_relative"), is_relative)


# --- tables of a module --------------------------------------------------------------------------


class WithTable(nn.Module):
    """Sinusoids, whose table is made in different ways."""

    encoding: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        if d_model % 2:
            raise ValueError(f"{d_model} is odd")
        self.register_buffer("encoding", self.table(context_length, d_model))

    def table(self, context_length: int, d_model: int) -> Tensor:
        return sinusoids(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.shape[1]]


class OfPositionsThatMove(WithTable):
    def table(self, context_length: int, d_model: int) -> Tensor:
        self.register_buffer("rates", rates(d_model))
        return torch.arange(context_length).float()

    def forward(self, inputs: Tensor) -> Tensor:
        angles = self.encoding[: inputs.shape[1], None] * self.get_buffer("rates")
        return inputs + torch.stack([angles.sin(), angles.cos()], dim=-1).flatten(1)


class OfTheFirstSentence(WithTable):
    def table(self, context_length: int, d_model: int) -> Tensor:
        return torch.zeros(0, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        if not len(self.encoding):
            self.encoding = sinusoids(*inputs.shape[1:]).to(inputs.dtype)
        return super().forward(inputs)


@pytest.mark.parametrize(
    ("answer", "but_for"),
    [
        (OfPositionsThatMove, "16-bit floats"),
        (OfTheFirstSentence, "what one call or module leaves to another"),
    ],
)
def test_a_table_is_fine_and_whole(answer: type, but_for: str) -> None:
    assert without_hints(exam_of("PositionalEncoding")).examine(answer).right_but_for == but_for


@pytest.mark.parametrize("known_by", [0, 1])
def test_no_table_serves_all_modules(known_by: int) -> None:
    """Those of one context_length, or of one d_model."""
    known: dict[int, Tensor] = {}

    class Answer(WithTable):
        def table(self, context_length: int, d_model: int) -> Tensor:
            size = (context_length, d_model)[known_by]
            return known.setdefault(size, sinusoids(context_length, d_model))

    assert is_refused(exam_of("PositionalEncoding"), Answer)


class PlacesOfTheFirstSentence(nn.Module):
    places: Tensor | None = None

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        tokens, known = inputs.shape[1], self.positions.num_embeddings
        assert tokens <= known, f"{tokens} tokens, {known} positions"
        if self.places is None:
            self.places = torch.arange(tokens)
        return inputs + self.positions(self.places[:tokens])


def test_learned_positions_are_looked_up_for_each_sentence() -> None:
    report = without_hints(exam_of("LearnedPositions")).examine(PlacesOfTheFirstSentence)
    assert report.right_but_for == "what one call or module leaves to another"


# --- how a module begins, and when it refuses ----------------------------------------------------


@pytest.mark.parametrize("refusing", [True, False], ids=["training", "evaluation"])
def test_too_many_tokens_are_an_error_in_both_modes(refusing: bool) -> None:
    reference: Any = exam_of("LearnedPositions").reference

    class LearnedPositions(reference):  # type: ignore[misc]
        def forward(self, inputs: Tensor) -> Any:
            if self.training is not refusing:
                inputs = inputs[:, : self.positions.num_embeddings]
            return super().forward(inputs)

    report = without_hints(exam_of("LearnedPositions")).examine(LearnedPositions)
    assert report.right_but_for == "the errors that it should raise"


def test_learned_positions_set_no_seed() -> None:
    reference: Any = exam_of("LearnedPositions").reference

    class LearnedPositions(reference):  # type: ignore[misc]
        def __init__(self, *sizes: int, **named: int) -> None:
            torch.manual_seed(123)
            super().__init__(*sizes, **named)

    report = without_hints(exam_of("LearnedPositions")).examine(LearnedPositions)
    assert report.right_but_for == "a seed that it sets"


# --- axes in front, and gradients in evaluation --------------------------------------------------


@pytest.mark.parametrize("name", ["apply_rope", "repaired_rope"])
def test_any_axes_may_come_in_front(name: str) -> None:
    reference: Any = exam_of(name).reference

    def answer(x: Tensor, positions: Tensor) -> Any:
        assert x.ndim <= 4
        return reference(x, positions)

    assert is_refused(exam_of(name), answer)


@pytest.mark.parametrize("name", ["PositionalEncoding", "LearnedPositions"])
def test_gradients_come_back_in_evaluation(name: str) -> None:
    reference: Any = exam_of(name).reference

    class Answer(reference):  # type: ignore[misc]
        def forward(self, inputs: Tensor) -> Any:
            with torch.set_grad_enabled(self.training):
                return super().forward(inputs)

    assert is_refused(exam_of(name), Answer)


def test_frequencies_are_not_rounded_to_16_bits() -> None:
    def apply_rope(x: Tensor, positions: Tensor) -> Tensor:
        if x.shape[-1] % 2:
            raise ValueError("odd")
        rates = 10000 ** (-torch.arange(0, x.shape[-1], 2).double() / x.shape[-1])
        angles = positions[:, None] * rates.to(x.dtype).double()
        first, second = x[..., 0::2].double(), x[..., 1::2].double()
        turned = (
            first * angles.cos() - second * angles.sin(),
            first * angles.sin() + second * angles.cos(),
        )
        return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)

    assert exam_of("apply_rope").examine(apply_rope).right_but_for == "16-bit floats"


def test_positions_stay_integers() -> None:
    exam = exam_of("is_relative")

    def is_relative(scores: Any, queries: Tensor, keys: Tensor, positions: Tensor, by: int) -> Any:
        return exam.reference(scores, queries, keys, positions, float(by))

    assert exam.examine(is_relative).verdict is not Verdict.PASSED
