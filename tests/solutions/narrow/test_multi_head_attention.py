"""Lesson 05: answers that are right only for what an exam had tried are refused."""

import copy
import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.checks.exam.case import Case
from autograder.checks.exam.report import Report, Verdict
from companion import CausalHead
from solutions import multi_head_attention
from tests.support.course import every_exam, exam_of, without_hints

pytestmark = pytest.mark.slow

SEEDS = (0, 2026)
HEADS = {
    place.partition("/")[2]: exam for place, exam in every_exam().items() if place.startswith("05_")
}


@cache
def drawn(name: str, seed: int) -> list[Case]:
    exam = without_hints(exam_of(name, "05"))
    return [case for case in exam.hidden_cases(seed) if not case.printed]


def refusals(name: str, answer: object) -> list[Report]:
    exam = without_hints(exam_of(name, "05"))
    reports = [exam.examine(answer, seed) for seed in SEEDS]
    assert all(report.verdict is not Verdict.PASSED for report in reports)
    return reports


# --- numbers in place of −∞ ----------------------------------------------------------------------

INFINITY = re.compile(r"float\([\"']-inf[\"']\)|-(torch|math)\.inf")
# In the docstring of an exercise whose scores may be of any size. Of modules nothing is said about
# that, and published ones fill with −10⁹.
PROMISE = "hidden keys have weight 0"


def source_of(reference: Callable[..., object]) -> str:
    """Of a reference, and of the functions that it calls in its module."""
    source = inspect.getsource(reference)
    functions = inspect.getmembers(inspect.getmodule(reference), inspect.isfunction)
    called = [one for name, one in functions if re.search(rf"\b{name}\(", source)]
    return source + "".join(map(inspect.getsource, called))


def filled() -> Iterator[tuple[str, str]]:
    for name, exam in HEADS.items():
        if INFINITY.search(source_of(exam.reference)):
            promised = PROMISE in " ".join((exam.reference.__doc__ or "").split())
            yield from ((name, number) for number in ("-1e4", "-1e9", "-1e30")[: 1 + 2 * promised])


@pytest.mark.parametrize(("name", "number"), [*filled()])
def test_no_number_is_low_enough(name: str, number: str) -> None:
    altered = ModuleType("altered")
    exec(INFINITY.sub(number, inspect.getsource(multi_head_attention)), vars(altered))
    refusals(name, getattr(altered, name))


def test_every_exercise_that_hides_keys_is_tried() -> None:
    hiding = {"head_weights", "MultiHeadAttention", "CrossAttention"}
    assert {name for name, _ in filled()} == hiding & {*HEADS}


@pytest.mark.parametrize("number", [-1e9, -1e30])
@pytest.mark.parametrize("added", [False, True])
def test_a_number_in_place_of_infinity_is_named(number: float, added: bool) -> None:
    def head_weights(queries: Any, keys: Any, num_heads: int, hidden: Any) -> Any:
        q, k = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2) for x in (queries, keys))
        scores = q @ k.mT / k.shape[-1] ** 0.5
        mask = hidden if hidden.ndim == 2 else hidden[:, None]
        filled = scores + number * mask if added else scores.masked_fill(mask, number)
        return torch.softmax(filled, dim=-1)

    place = f"05_multi_head_attention/{exam_of('head_weights').name}"
    exam = every_exam()[place]
    for report in (exam.preview(head_weights), exam.examine(head_weights)):
        wanted = "scores_lowered" if added else "score_of_minus_hundred"
        assert report.misconception == wanted


# --- numbers of heads ----------------------------------------------------------------------------


def of_features(num_heads: int, x: Tensor) -> tuple[int, ...]:
    return num_heads, x.shape[-1] // num_heads


def of_module(settings: Any, *_: object) -> tuple[int, ...]:
    return settings["num_heads"], settings["d_out"] // settings["num_heads"]


# How many heads there are, and how many features each has.
SIZES: dict[str, Callable[..., Sequence[int]]] = {
    "MultiHeadAttentionWrapper": lambda settings, *_: (settings["num_heads"], settings["d_out"]),
    "split_heads": lambda x, num_heads: of_features(num_heads, x),
    "merge_heads": lambda x: (x.shape[1], x.shape[3]),
    "head_weights": lambda queries, keys, num_heads, hidden: of_features(num_heads, queries),
    "repaired_heads": lambda queries, keys, values, num_heads: of_features(num_heads, queries),
    "MultiHeadAttention": of_module,
    "batch_the_heads": lambda state, num_heads: (
        num_heads,
        len(state["heads.0.W_query.weight"]),
    ),
    # Nothing in it depends on the features of a single head.
    "count_parameters": lambda d_in, d_out, num_heads, *_: (num_heads,),
    "sum_over_heads": lambda weights, inputs, W_down, W_up: (len(W_down), W_down.shape[2]),
    "CrossAttention": of_module,
}


def test_every_exercise_with_heads_is_tried() -> None:
    with_heads = {
        name
        for name, exam in HEADS.items()
        if "num_heads" in inspect.signature(exam.reference).parameters
    }
    assert with_heads <= {*SIZES}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", SIZES)
def test_a_single_head_and_heads_of_one_feature_are_tried(name: str, seed: int) -> None:
    cases = [case for case in drawn(name, seed) if not case.expected.raised]
    sizes = [SIZES[name](*case.arguments.values()) for case in cases]
    assert all(1 in one and max(one) > 1 for one in zip(*sizes, strict=True))


def another_error(x: Any, num_heads: int) -> Any:
    raise IndexError("more heads than features")


def empty_heads(x: Any, num_heads: int) -> Any:
    return x.new_zeros(len(x), num_heads, x.shape[1], 0)


def a_feature_each(x: Any, num_heads: int) -> Any:
    return x.transpose(1, 2)[..., None]


@pytest.mark.parametrize("split", [another_error, empty_heads, a_feature_each])
def test_more_heads_than_features_are_an_error(split: Callable[..., Any]) -> None:
    reference = exam_of("split_heads").reference

    def split_heads(x: Any, num_heads: int) -> Any:
        return (split if x.shape[-1] < num_heads else reference)(x, num_heads)

    refusals("split_heads", split_heads)


def test_a_module_refuses_more_heads_than_features() -> None:
    reference: Any = exam_of("MultiHeadAttention").reference

    class MultiHeadAttention(reference):  # type: ignore[misc]
        def __init__(self, d_in: int, d_out: int, *others: Any, num_heads: int, **named: Any):
            if d_out < num_heads:
                nn.Module.__init__(self)
            else:
                super().__init__(d_in, d_out, *others, num_heads=num_heads, **named)

    refusals("MultiHeadAttention", MultiHeadAttention)


# --- masks whose axes have the sizes of others ---------------------------------------------------


@pytest.mark.parametrize("place", [1, 2])
def test_a_mask_for_all_sentences_has_none_of_its_own(place: int) -> None:
    reference: Any = exam_of("head_weights").reference

    def head_weights(queries: Any, keys: Any, num_heads: int, hidden: Any) -> Any:
        size = (len(queries), num_heads)[place - 1]
        if hidden.ndim == 2 and len(hidden) == size:
            scores_of_each = reference(queries, keys, num_heads, torch.zeros_like(hidden)).log()
            lined_up = hidden[:, None, None] if place == 1 else hidden[:, None]
            return torch.softmax(scores_of_each.masked_fill(lined_up, -torch.inf), dim=-1)
        return reference(queries, keys, num_heads, hidden)

    refusals("head_weights", head_weights)


def test_padding_has_sentences_on_its_rows() -> None:
    reference: Any = exam_of("CrossAttention").reference

    class CrossAttention(reference):  # type: ignore[misc]
        def forward(self, decoder: Any, encoder: Any, padding: Any = None) -> Any:
            if padding is not None and padding.shape == padding.T.shape:
                padding = padding.T
            return super().forward(decoder, encoder, padding)

    refusals("CrossAttention", CrossAttention)


# --- entries of a state --------------------------------------------------------------------------


@pytest.mark.parametrize("names", [("bias_k", "bias_v"), ("running_mean", "running_var")])
def test_no_entries_are_added(names: tuple[str, ...]) -> None:
    reference: Any = exam_of("to_torch").reference
    refusals("to_torch", lambda state: reference(state) | dict.fromkeys(names, torch.zeros(1)))


@pytest.mark.parametrize("known", [(), ("mask",), ("mask", "hidden")])
def test_other_entries_are_not_only_masks(known: tuple[str, ...]) -> None:
    reference: Any = exam_of("to_torch").reference

    def to_torch(state: dict[str, Tensor]) -> dict[str, Tensor]:
        others = {name for name in state if not name.startswith("W_")}.difference(known)
        return {name: state[name] for name in others} | reference(state)

    refusals("to_torch", to_torch)


# --- a test of padding ---------------------------------------------------------------------------


def compared(
    alike: Callable[[Tensor, Tensor], bool], changed: Callable[[Tensor], Tensor]
) -> Callable[..., bool]:
    """A test that changes the padding so, and asks whether what comes out is alike."""

    def answer(attention: Any, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
        other = torch.where(padding[..., None], changed(context), context)
        return alike(attention(queries, context, padding), attention(queries, other, padding))

    return answer


@pytest.mark.parametrize("number", [-4.0, -1.0, 1e-3, 0.5, 2.0, 5.0, 7.0, 9.0, 1000.0, 1e6])
def test_padding_may_hold_what_it_is_filled_with(number: float) -> None:
    answer = compared(torch.allclose, lambda context: torch.full_like(context, number))
    for report in refusals("is_blind_to_padding", answer):
        assert report.right_but_for == "padding that already holds what it is filled with"


@pytest.mark.parametrize("number", [0.0, 1.0])
def test_zeros_and_ones_are_printed_and_earn_nothing(number: float) -> None:
    answer = compared(torch.allclose, lambda context: torch.full_like(context, number))
    for report in refusals("is_blind_to_padding", answer):
        assert not report.right_but_for


def test_several_fillings_are_compared_with_each_other() -> None:
    def answer(attention: Any, queries: Tensor, context: Tensor, padding: Tensor) -> bool:
        fillings = (context.masked_fill(padding[..., None], number) for number in (0, 7))
        one, other = (attention(queries, filling, padding) for filling in fillings)
        return torch.allclose(one, other)

    exam = exam_of("is_blind_to_padding", "05")
    assert all(exam.examine(answer, seed).verdict is Verdict.PASSED for seed in SEEDS)


IN_PART: dict[str, Callable[[Tensor], Tensor]] = {
    "mean": lambda found: found.mean(),
    "means over sentences": lambda found: found.mean(dim=0),
    "means over queries": lambda found: found.mean(dim=1),
    "means over features": lambda found: found.mean(dim=2),
    "mean of squares": lambda found: found.square().mean(),
    "length": lambda found: found.norm(dim=-1),
    "size": lambda found: found.abs(),
    "signs": lambda found: found.sign(),
    "extremes": lambda found: torch.stack([found.min(), found.max()]),
    "median": lambda found: found.median(),
    "sorted": lambda found: found.flatten().sort().values,
}


@pytest.mark.parametrize("part", IN_PART)
def test_all_numbers_are_compared(part: str) -> None:
    look = IN_PART[part]
    refusals(
        "is_blind_to_padding",
        compared(
            lambda one, other: torch.allclose(look(one), look(other)),
            lambda context: context.square() + 1,
        ),
    )


# --- how a module begins, and how long a text may be ---------------------------------------------


def seeded(name: str) -> Any:
    reference: Any = exam_of(name, "05").reference

    class Seeded(reference):  # type: ignore[misc]
        def __init__(self, *sizes: Any, **named: Any) -> None:
            torch.manual_seed(123)
            super().__init__(*sizes, **named)

    return Seeded


class CopiedHeads(nn.Module):
    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        head = CausalHead(d_in, d_out, context_length, dropout, qkv_bias)
        self.heads = nn.ModuleList(copy.deepcopy(head) for _ in range(num_heads))

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.cat([head(inputs) for head in self.heads], dim=-1)


@pytest.mark.parametrize(
    ("name", "answer"),
    [
        ("MultiHeadAttentionWrapper", CopiedHeads),
        *((name, seeded(name)) for name in HEADS if name.startswith("MultiHeadAttention")),
    ],
)
def test_weights_begin_at_random(name: str, answer: object) -> None:
    assert {one.right_but_for for one in refusals(name, answer)} == {"the weights it begins with"}


@pytest.mark.parametrize("length", [300, 1024])
def test_no_mask_is_the_largest(length: int) -> None:
    reference: Any = exam_of("MultiHeadAttention", "05").reference

    class Answer(reference):  # type: ignore[misc]
        def get_buffer(self, target: str) -> Tensor:
            return torch.ones(length, length, dtype=torch.bool).triu(1)

    found = {one.right_but_for for one in refusals("MultiHeadAttention", Answer)}
    assert found == {"texts of more than a thousand words"}


MASK = torch.ones(1024, 1024, dtype=torch.bool).triu(1)


def filled_with(number: float, scores: Tensor) -> Tensor:
    hidden = torch.ones_like(scores, dtype=torch.bool).triu(1)
    return scores.masked_fill(hidden, number).softmax(dim=-1)


def cut_from_a_mask(length: int, scores: Tensor) -> Tensor:
    tokens = scores.shape[-1]
    hidden = MASK[:length, :length][:tokens, :tokens]
    return scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)


def renormalised(scores: Tensor) -> Tensor:
    past = scores.softmax(dim=-1).tril()
    return past / past.sum(dim=-1, keepdim=True)


def without_a_maximum(scores: Tensor) -> Tensor:
    past = scores.exp().tril()
    return past / past.sum(dim=-1, keepdim=True)


@pytest.mark.parametrize(
    "weigh",
    [
        *(partial(filled_with, number) for number in (-1e2, -1e4)),
        *(partial(cut_from_a_mask, length) for length in (32, 1024)),
        renormalised,
        without_a_maximum,
    ],
)
def test_heads_are_repaired_for_any_scores_and_any_length(weigh: Callable[..., Tensor]) -> None:
    def repaired_heads(queries: Any, keys: Any, values: Any, num_heads: int) -> Any:
        given = (queries, keys, values)
        q, k, v = (x.unflatten(-1, (num_heads, -1)).transpose(1, 2) for x in given)
        weights = weigh(q @ k.mT / k.shape[-1] ** 0.5)
        return (weights @ v).transpose(1, 2).flatten(2)

    refusals("repaired_heads", repaired_heads)


# --- rounding ------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [1e-5, 1e-6, 1e-7, 1e-8, 1e-12])
def test_float32_has_more_rounding(bound: float) -> None:
    def is_blind_to_padding(attention: Any, queries: Any, context: Any, padding: Any) -> bool:
        other = torch.where(padding[..., None], 5 - context, context)
        gap = attention(queries, other, padding) - attention(queries, context, padding)
        return bool((gap.abs() <= bound).all())

    report = exam_of("is_blind_to_padding", "05").examine(is_blind_to_padding)
    assert report.right_but_for == "numbers in float32"
    assert report.misconception == "only_rounding_in_float64"


def test_a_small_leak_is_no_rounding() -> None:
    def loosely_alike(one: Tensor, other: Tensor) -> bool:
        return torch.allclose(one, other, atol=1e-3)

    squared = compared(loosely_alike, lambda context: context.square() + 1)
    refusals("is_blind_to_padding", squared)


def test_gradients_tell_nothing_of_steps() -> None:
    @torch.enable_grad()
    def is_blind_to_padding(attention: Any, queries: Any, context: Any, padding: Any) -> bool:
        tracked = context.detach().clone().requires_grad_()
        found = attention(queries, tracked, padding)
        if not found.requires_grad:
            return True
        for one in found.flatten():
            (slope,) = torch.autograd.grad(one, tracked, retain_graph=True, allow_unused=True)
            if slope is not None and (slope[padding].abs() > 1e-6).any():
                return False
        return True

    found = {one.right_but_for for one in refusals("is_blind_to_padding", is_blind_to_padding)}
    assert found == {"what no gradient tells of"}


def test_sentences_see_the_padding_of_each_other() -> None:
    def is_blind_to_padding(attention: Any, queries: Any, context: Any, padding: Any) -> bool:
        whole = attention(queries, context, padding)
        for sentence in range(len(queries)):
            other = context.clone()
            other[sentence][padding[sentence]] += 7
            changed = attention(queries, other, padding)
            if not torch.allclose(changed[sentence], whole[sentence], rtol=1e-4, atol=1e-5):
                return False
        return True

    refusals("is_blind_to_padding", is_blind_to_padding)


# --- padding of one call alone -------------------------------------------------------------------


def reading(change: Callable[[Any, Tensor, Tensor | None], Tensor | None]) -> Any:
    """CrossAttention that changes the padding it is given, before it uses it."""
    reference: Any = exam_of("CrossAttention").reference

    class CrossAttention(reference):  # type: ignore[misc]
        kept: Tensor | None = None

        def forward(self, decoder: Any, encoder: Any, padding: Any = None) -> Any:
            return super().forward(decoder, encoder, change(self, encoder, padding))

    return CrossAttention


def kept(module: Any, encoder: Tensor, padding: Tensor | None) -> Tensor | None:
    module.kept = module.kept if padding is None else padding
    return module.kept


def zeros_are_padding(module: Any, encoder: Tensor, padding: Tensor | None) -> Tensor | None:
    return (encoder == 0).all(-1) if padding is None else padding


def never_all(module: Any, encoder: Tensor, padding: Tensor | None) -> Tensor | None:
    """In training, a sentence that is all padding is read as if it had none."""
    if module.training and padding is not None:
        return padding & ~padding.all(-1, keepdim=True)
    return padding


@pytest.mark.parametrize(
    ("change", "but_for"),
    [
        (kept, "padding of an earlier call"),
        (zeros_are_padding, ""),
        (never_all, "a sentence that is all padding"),
    ],
)
def test_padding_is_what_a_call_is_given(change: Callable[..., Any], but_for: str) -> None:
    found = {one.right_but_for for one in refusals("CrossAttention", reading(change))}
    assert found == {but_for}


def test_padding_of_the_caller_stays() -> None:
    reference: Any = exam_of("CrossAttention").reference

    class CrossAttention(reference):  # type: ignore[misc]
        def forward(self, decoder: Any, encoder: Any, padding: Any = None) -> Any:
            if padding is None:
                return super().forward(decoder, encoder)
            found = super().forward(decoder, encoder, padding.clone())
            padding[padding.all(-1)] = False
            return found

    found = {one.right_but_for for one in refusals("CrossAttention", CrossAttention)}
    assert found == {"a sentence that is all padding"}


def test_cross_attention_sets_no_seed() -> None:
    found = {one.right_but_for for one in refusals("CrossAttention", seeded("CrossAttention"))}
    assert found == {"a seed that it sets"}


# --- whole numbers, and entries in any order -----------------------------------------------------


def test_parameters_are_counted_to_the_last() -> None:
    reference: Any = exam_of("count_parameters").reference
    refusals("count_parameters", lambda *sizes: int(torch.tensor(float(reference(*sizes)))))


def test_a_state_has_no_order() -> None:
    reference: Any = exam_of("to_torch").reference

    def to_torch(state: dict[str, Tensor]) -> dict[str, Tensor]:
        weight, bias = (value for name, value in state.items() if name.startswith("out_proj"))
        return reference(state) | {"out_proj.weight": weight, "out_proj.bias": bias}

    refusals("to_torch", to_torch)
