"""The steps that the families of attention get wrong: with none wrong, they are a right answer."""

from typing import Any

import pytest
from torch import nn

from autograder.checks.card.as_text import lines_of
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from solutions.exams.causal_attention import (
    causal_attention_weights,
    causal_column_weights,
    masked_attention_weights,
    repaired_causal_attention,
)
from solutions.exams.causal_attention.causal_attention.exam import module
from solutions.exams.causal_attention.causal_attention.variant import Variant as CausalVariant
from solutions.exams.families.family import Family
from solutions.exams.grouped_query_attention import repaired_window_attention
from solutions.exams.grouped_query_attention._shared_heads import Variant as SharedVariant
from solutions.exams.grouped_query_attention.decode_step import misconceptions as decoding
from solutions.exams.grouped_query_attention.decode_step.exam import step
from solutions.exams.grouped_query_attention.grouped_query_attention.exam import grouped
from solutions.exams.grouped_query_attention.multi_query_attention.exam import single
from solutions.exams.grouped_query_attention.multi_query_attention.misconceptions import (
    Variant as OneKeyVariant,
)
from solutions.exams.multi_head_attention import head_weights, repaired_heads
from solutions.exams.multi_head_attention.cross_attention.exam import cross
from solutions.exams.multi_head_attention.cross_attention.variant import Variant as CrossVariant
from solutions.exams.multi_head_attention.multi_head_attention.exam import batched
from solutions.exams.multi_head_attention.multi_head_attention.variant import (
    Variant as HeadsVariant,
)
from solutions.exams.positional_encoding import rope_attention
from solutions.exams.trainable_weights import (
    attend_columns,
    attend_token,
    repaired_attention,
    scaled_dot_product_attention,
    self_attention_v1,
    self_attention_v2,
)
from solutions.exams.trainable_weights._self_attention import WithLayers, WithParameters
from tests.support.sample import sample

STEPS = [
    (attend_token.token, attend_token.TokenSteps),
    (scaled_dot_product_attention.attention, scaled_dot_product_attention.Steps),
    (repaired_attention.repaired, repaired_attention.Steps),
    (attend_columns.columns, attend_columns.ColumnSteps),
    (self_attention_v1.v1, WithParameters),
    (self_attention_v2.v2, WithLayers),
    (causal_attention_weights.weights, causal_attention_weights.Steps),
    (masked_attention_weights.masked, masked_attention_weights.Steps),
    (causal_column_weights.columns, causal_column_weights.ColumnSteps),
    (repaired_causal_attention.repaired, repaired_causal_attention.Steps),
    (module, CausalVariant),
    (head_weights.maps, head_weights.Steps),
    (repaired_heads.repaired, repaired_heads.Steps),
    (batched, HeadsVariant),
    (cross, CrossVariant),
    (rope_attention.attention, rope_attention.Steps),
    (single, OneKeyVariant),
    (grouped, SharedVariant),
    (step, decoding.Steps),
    (repaired_window_attention.window, repaired_window_attention.Steps),
]


@pytest.mark.parametrize(
    ("exam", "steps"), [pytest.param(*pair, id=pair[0].name) for pair in sample(STEPS, 3)]
)
def test_steps_are_right(exam: Exam, steps: Any) -> None:
    made = None if issubclass(steps, nn.Module) else steps()

    def answer(*arguments: object) -> object:
        return made.answer(*arguments)

    report = exam.examine(steps if issubclass(steps, nn.Module) else answer)
    assert report.verdict is Verdict.PASSED, lines_of(report)


def test_families_add_up() -> None:
    class Halved:
        """Half as much."""

        def answer(self, number: int) -> object:
            return number / 2

    class Steps:
        def answer(self, number: int) -> object:
            return number

    def unchanged(number: int) -> int:
        return number

    exam = Exam(unchanged)
    (Family() + Family(Halved)).apply(exam, Steps)
    assert exam.misconceptions["halved"](3) == 1.5
