"""Lessons 04 and 01: answers that are right only for what an exam had tried."""

import inspect
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

from autograder.checks.exam.report import Verdict
from companion.specimens import causal_specimens
from tests.support.course import every_exam, exam_of, is_refused, without_hints

pytestmark = pytest.mark.slow

EXAMS = {exam.name: exam for place, exam in every_exam().items() if place.startswith("04_")}
Attention = Callable[..., Any]
Change = Callable[[Tensor], Tensor]
Alike = Callable[[Tensor, Tensor], bool]


# --- numbers near 0, and far from it -------------------------------------------------------------


@pytest.mark.parametrize("little", [1e-4, 1e-6, 1e-8, 1e-9, 1e-10, 1e-12])
def test_nothing_is_added_to_a_divisor(little: float) -> None:
    def mask_then_renormalise(weights: Tensor) -> Tensor:
        past = weights.tril()
        return past / (past.sum(dim=-1, keepdim=True) + little)

    assert is_refused(exam_of("mask_then_renormalise"), mask_then_renormalise)


@pytest.mark.parametrize("least", [1e-4, 1e-6, 1e-8, 1e-9, 1e-10])
def test_a_divisor_may_be_small(least: float) -> None:
    def mask_then_renormalise(weights: Tensor) -> Tensor:
        past = weights.tril()
        return past / past.sum(dim=-1, keepdim=True).clamp(min=least)

    report = exam_of("mask_then_renormalise").examine(mask_then_renormalise)
    assert report.verdict is Verdict.WRONG
    assert least != 1e-9 or report.misconception == "no_less_than_a_billionth"


@pytest.mark.parametrize("name", ["a_hundred_millionth_added", "a_billionth_added"])
def test_a_check_names_what_is_added_to_a_divisor(name: str) -> None:
    exam = exam_of("mask_then_renormalise")
    assert exam.preview(exam.misconceptions[name]).misconception == name


HIDES = [name for name, exam in EXAMS.items() if "-torch.inf" in inspect.getsource(exam.reference)]
ANY_MAGNITUDE = [
    name for name in HIDES if "of any magnitude" in (EXAMS[name].reference.__doc__ or "")
]


def hiding_with(number: float, name: str) -> Any:
    """The reference, with a number in place of −∞."""
    reference = exam_of(name).reference
    defined = {**vars(inspect.getmodule(reference))}
    exec(inspect.getsource(reference).replace("-torch.inf", str(number)), defined)
    return defined[name]


@pytest.mark.parametrize("name", HIDES)
def test_minus_ten_thousand_is_no_infinity(name: str) -> None:
    assert is_refused(exam_of(name), hiding_with(-1e4, name))


@pytest.mark.parametrize("number", [-1e5, -1e9, -1e30])
@pytest.mark.parametrize("name", ANY_MAGNITUDE)
def test_no_number_is_below_all_scores(name: str, number: float) -> None:
    """Where scores have any magnitude, which the check says as well, and what it is about."""
    exam = exam_of(name)
    for report in (
        exam.preview(hiding_with(number, name)),
        exam.examine(hiding_with(number, name)),
    ):
        assert report.verdict is Verdict.WRONG
        assert "large negative score, such as −10⁹" in report.hint


@pytest.mark.parametrize("name", ["large_negative_number", "lowest_number"])
def test_a_hidden_row_needs_more_than_a_low_score(name: str) -> None:
    exam = exam_of("masked_attention_weights")
    assert exam.preview(exam.misconceptions[name]).misconception == name


# --- nothing at all ------------------------------------------------------------------------------


def test_all_sentences_may_be_empty() -> None:
    def causal_and_padding_mask(lengths: Tensor) -> Tensor:
        positions = torch.arange(max(1, int(lengths.max())))
        padding = positions < len(positions) - lengths[:, None]
        return (positions > positions[:, None]) | padding[:, None, :]

    assert is_refused(exam_of("causal_and_padding_mask"), causal_and_padding_mask)


# --- long sentences ------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [16, 128, 1024])
def test_sentences_may_be_longer_than_a_mask(length: int) -> None:
    def causal_and_padding_mask(lengths: Tensor) -> Tensor:
        tokens = int(lengths.max())
        future = torch.ones(length, length, dtype=torch.bool).triu(1)[:tokens, :tokens]
        return future | (torch.arange(tokens) < tokens - lengths[:, None])[:, None, :]

    report = without_hints(exam_of("causal_and_padding_mask")).examine(causal_and_padding_mask)
    assert report.right_but_for == "sentences of more than a thousand tokens"


FUTURE = torch.ones(1024, 1024, dtype=torch.bool).triu(1)


def future(tokens: int, length: int) -> Tensor:
    return FUTURE[:length, :length][:tokens, :tokens]


def hide(scores: Tensor, hidden: Tensor, dim: int = -1) -> Tensor:
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=dim)


@pytest.mark.parametrize("length", [100, 1024])
def test_texts_may_be_longer_than_a_mask(length: int) -> None:
    def causal_attention_weights(scores: Tensor) -> Tensor:
        return hide(scores, future(scores.shape[-1], length))

    def repaired_causal_attention(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        scores = queries @ keys.mT / keys.shape[-1] ** 0.5
        return hide(scores, future(scores.shape[-1], length)) @ values

    def mask_then_renormalise(weights: Tensor) -> Tensor:
        past = weights * ~future(weights.shape[-1], length)
        return past / past.sum(dim=-1, keepdim=True)

    def causal_column_weights(scores: Tensor) -> Tensor:
        return hide(scores, future(len(scores), length).T, dim=0)

    assert is_refused(exam_of("causal_attention_weights"), causal_attention_weights)
    assert is_refused(exam_of("repaired_causal_attention"), repaired_causal_attention)
    assert is_refused(exam_of("mask_then_renormalise"), mask_then_renormalise)
    assert is_refused(exam_of("causal_column_weights"), causal_column_weights)


# --- axes in front, dtypes, and ids --------------------------------------------------------------


def few_axes(name: str, most: int) -> Any:
    """The reference, for tensors of so many axes at most."""
    reference: Any = exam_of(name).reference

    def answer(*given: Any, **named: Any) -> Any:
        assert given[0].ndim <= most
        return reference(*given, **named)

    return answer


@pytest.mark.parametrize(
    ("name", "most"),
    [
        ("causal_attention_weights", 4),
        ("repaired_causal_attention", 4),
        ("mask_then_renormalise", 4),
        ("masked_attention_weights", 4),
        ("dropout", 4),
        ("next_token_examples", 3),
    ],
)
def test_any_axes_may_come_in_front(name: str, most: int) -> None:
    assert is_refused(exam_of(name), few_axes(name, most))


def test_bfloat16_stays_bfloat16() -> None:
    def mask_then_renormalise(weights: Tensor) -> Tensor:
        past = weights * torch.ones(weights.shape[-2:]).tril()
        return past / past.sum(dim=-1, keepdim=True)

    def dropout(
        weights: Tensor, p: float, generator: torch.Generator, training: bool = True
    ) -> Tensor:
        if not training:
            return weights
        return weights * (torch.rand(weights.shape, generator=generator) >= p).float() / (1 - p)

    assert is_refused(exam_of("mask_then_renormalise"), mask_then_renormalise)
    assert is_refused(exam_of("dropout"), dropout)


def test_ids_may_be_large() -> None:
    def next_token_examples(tokens: Tensor) -> tuple[Tensor, Tensor]:
        small = tokens.short().long()
        return small[..., :-1], small[..., 1:]

    assert is_refused(exam_of("next_token_examples"), next_token_examples)


# --- tests of functions --------------------------------------------------------------------------

NUMBERS = [-1.0, 0.5, 2.0, 3.14, 42.0, 1000.0, 1e6]
CHANGES: dict[str, Change] = {
    "to its double, or from 0 to 1": lambda x: torch.where(x == 0, 1, 2 * x),
    "to its opposite, or from 0 to 1": lambda x: torch.where(x == 0, 1, -x),
}
COMPARED: dict[str, Change] = {
    "absolute values": torch.abs,
    "sums over sentences": lambda x: x.sum(dim=0),
    "sums over the last axis": lambda x: x.sum(dim=-1),
    "lengths of rows": lambda x: x.norm(dim=-1),
    "lengths of columns": lambda x: x.norm(dim=0),
    "numbers in order": lambda x: x.sort(dim=-1).values,
    "sentences in order": lambda x: x.sort(dim=0).values,
    "directions": lambda x: torch.nn.functional.normalize(x, dim=-1),
}


def everything(x: Tensor) -> Tensor:
    return x


def causal_by(change: Change, compared: Change = everything) -> Callable[..., bool]:
    """A test that changes all words to come at once, and compares something of those before."""

    def is_causal(attention: Attention, inputs: Tensor) -> bool:
        before = attention(inputs)
        for now in range(1, inputs.shape[1]):
            changed = torch.cat([inputs[:, :now], change(inputs[:, now:])], dim=1)
            one, other = compared(before[:, :now]), compared(attention(changed)[:, :now])
            if not torch.allclose(one, other):
                return False
        return True

    return is_causal


@pytest.mark.parametrize("compared", COMPARED)
def test_contexts_are_compared_number_by_number(compared: str) -> None:
    answer = causal_by(lambda x: x + 1, COMPARED[compared])
    assert is_refused(exam_of("is_causal"), answer)


@pytest.mark.parametrize("change", CHANGES)
def test_words_to_come_are_not_just_stretched(change: str) -> None:
    assert is_refused(exam_of("is_causal"), causal_by(CHANGES[change]))


@pytest.mark.parametrize("number", [1.0, 7.0, *NUMBERS])
def test_words_to_come_may_hold_what_they_are_filled_with(number: float) -> None:
    report = without_hints(exam_of("is_causal")).examine(
        causal_by(lambda x: torch.full_like(x, number))
    )
    assert report.right_but_for == "words that already hold what they are filled with"


@pytest.mark.parametrize("furthest", [1, 2])
def test_words_see_far_ahead(furthest: int) -> None:
    """A test of the words nearby, of the first word, and of the last one."""

    def is_causal(attention: Attention, inputs: Tensor) -> bool:
        before, last = attention(inputs), inputs.shape[1] - 1
        for now in range(1, last + 1):
            changed = inputs.clone()
            changed[:, now] += 1
            nearby = [0, *range(max(0, now - furthest), now)]
            watched = [*range(now)] if now == last else nearby
            if not torch.allclose(attention(changed)[:, watched], before[:, watched]):
                return False
        return True

    assert is_refused(exam_of("is_causal"), is_causal)


@pytest.mark.parametrize("bound", [1e-5, 1e-6, 1e-7, 1e-8, 1e-12])
def test_float32_has_more_rounding(bound: float) -> None:
    def is_causal(attention: Attention, inputs: Tensor) -> bool:
        before = attention(inputs)
        for now in range(1, inputs.shape[1]):
            changed = torch.cat([inputs[:, :now], inputs[:, now:] + 1], dim=1)
            if not ((attention(changed) - before)[:, :now].abs() <= bound).all():
                return False
        return True

    report = exam_of("is_causal").examine(is_causal)
    assert report.right_but_for == "numbers in float32"
    assert report.misconception == "only_rounding_in_float64"


@pytest.mark.parametrize("seed", range(20))
def test_a_sum_over_the_sentence_is_causal_in_float32(seed: int) -> None:
    is_causal: Any = exam_of("is_causal").reference
    inputs = torch.randn(3, 8, 5, generator=torch.Generator().manual_seed(seed))
    assert is_causal(causal_specimens.average_by_subtraction, inputs)
    assert not is_causal(causal_specimens.leaks_faintly, inputs)


def causal_by_gradients(attention: Attention, inputs: Tensor) -> bool:
    tracked = inputs.detach().clone().requires_grad_()
    contexts = attention(tracked)
    for now in range(inputs.shape[1] - 1) if contexts.requires_grad else ():
        mixed = (contexts[:, now] * torch.randn_like(contexts[:, now])).sum()
        (slope,) = torch.autograd.grad(mixed, tracked, retain_graph=True, allow_unused=True)
        if slope is not None and (slope[:, now + 1 :].abs() > 1e-6).any():
            return False
    return True


def test_gradients_tell_nothing_of_steps() -> None:
    report = without_hints(exam_of("is_causal")).examine(causal_by_gradients)
    assert report.right_but_for == "what no gradient tells of"


def test_sentences_see_each_other() -> None:
    def is_causal(attention: Attention, inputs: Tensor) -> bool:
        before = attention(inputs)
        for sentence in range(len(inputs)):
            for now in range(1, inputs.shape[1]):
                changed = inputs.clone()
                changed[sentence, now:] += 1
                one, other = attention(changed)[sentence, :now], before[sentence, :now]
                if not torch.allclose(one, other, rtol=1e-4, atol=1e-5):
                    return False
        return True

    assert is_refused(exam_of("is_causal"), is_causal)


# --- rates of dropout ----------------------------------------------------------------------------


@pytest.mark.parametrize("steps", [100, 200, 1000])
def test_any_rate_is_possible(steps: int) -> None:
    def dropout(
        weights: Tensor, p: float, generator: torch.Generator, training: bool = True
    ) -> Tensor:
        if not training:
            return weights
        kept = torch.randint(steps, weights.shape, generator=generator) >= steps * p
        return weights * kept / (1 - p)

    report = without_hints(exam_of("dropout")).examine(dropout)
    assert report.right_but_for == "rates of three decimals and more"


# --- how a module begins, and how long a text may be ---------------------------------------------

CausalAttention: Any = EXAMS["CausalAttention"].reference if "CausalAttention" in EXAMS else object


class SeededAtFirst(CausalAttention):  # type: ignore[misc]
    def __init__(self, *sizes: Any, **named: Any) -> None:
        torch.manual_seed(123)
        super().__init__(*sizes, **named)


class SeededAtLast(CausalAttention):  # type: ignore[misc]
    def __init__(self, *sizes: Any, **named: Any) -> None:
        super().__init__(*sizes, **named)
        torch.manual_seed(123)


class OfZeros(CausalAttention):  # type: ignore[misc]
    def __init__(self, *sizes: Any, **named: Any) -> None:
        super().__init__(*sizes, **named)
        for parameter in self.parameters():
            torch.nn.init.zeros_(parameter)


@pytest.mark.parametrize("answer", [SeededAtFirst, SeededAtLast, OfZeros])
def test_a_module_begins_with_weights_of_its_own(answer: type) -> None:
    report = without_hints(exam_of("CausalAttention")).examine(answer)
    assert report.right_but_for == "the weights it begins with"


@pytest.mark.parametrize("length", [300, 512, 1024])
def test_no_mask_is_the_largest(length: int) -> None:
    class Answer(CausalAttention):  # type: ignore[misc]
        def get_buffer(self, target: str) -> Tensor:
            return torch.ones(length, length, dtype=torch.bool).triu(1)

    report = without_hints(exam_of("CausalAttention")).examine(Answer)
    assert report.right_but_for == "texts of more than a thousand words"


# Of this name, lesson 05 has another exercise.


def blind_by(change: Change, compared: tuple[Change, Change]) -> Callable[..., bool]:
    """A test that changes all padding at once, and compares something of contexts and weights."""

    def is_blind_to_padding(
        attention: Attention, query: Tensor, annotations: Tensor, lengths: Tensor
    ) -> bool:
        is_padding = torch.arange(annotations.shape[1]) >= lengths[:, None]
        changed = torch.where(is_padding[..., None], change(annotations), annotations)
        results = (attention(query, one, lengths) for one in (annotations, changed))
        return all(
            torch.allclose(look(before), look(after))
            for look, before, after in zip(compared, *results, strict=True)
        )

    return is_blind_to_padding


@pytest.mark.parametrize("compared", COMPARED)
@pytest.mark.parametrize("part", [0, 1])
def test_contexts_and_weights_are_compared_number_by_number(compared: str, part: int) -> None:
    looks = (COMPARED[compared], everything)
    answer = blind_by(lambda x: x + 7, looks if part == 0 else looks[::-1])
    assert is_refused(exam_of("is_blind_to_padding", "01"), answer)


@pytest.mark.parametrize("change", CHANGES)
def test_padding_is_not_just_stretched(change: str) -> None:
    answer = blind_by(CHANGES[change], (everything, everything))
    assert is_refused(exam_of("is_blind_to_padding", "01"), answer)


@pytest.mark.parametrize("number", NUMBERS)
def test_padding_may_hold_what_it_is_filled_with(number: float) -> None:
    answer = blind_by(lambda x: torch.full_like(x, number), (everything, everything))
    report = without_hints(exam_of("is_blind_to_padding", "01")).examine(answer)
    assert report.right_but_for == "padding that already holds what it is filled with"


# --- contexts with features of their own ---------------------------------------------------------


def contexts_built_like_the_inputs(attention: Attention, inputs: Tensor) -> bool:
    whole, built = attention(inputs), torch.zeros_like(inputs)
    for i in range(inputs.shape[1]):
        built[:, i] = attention(inputs[:, : i + 1])[:, -1]
    return torch.allclose(built, whole, rtol=1e-4, atol=1e-5)


def features_counted_in_the_inputs(attention: Attention, inputs: Tensor) -> bool:
    features = inputs.shape[-1]
    return causal_by(lambda x: x + 1, lambda x: x[..., :features])(attention, inputs)


@pytest.mark.parametrize("answer", [contexts_built_like_the_inputs, features_counted_in_the_inputs])
def test_contexts_have_their_own_features(answer: Callable[..., bool]) -> None:
    report = without_hints(exam_of("is_causal")).examine(answer)
    assert report.right_but_for == "contexts with other features than the inputs"
