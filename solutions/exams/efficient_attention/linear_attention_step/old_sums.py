"""Contexts of `linear_attention_step`, lesson 08, in which one of both sums lacks the new token."""

from typing import Any

from torch import Tensor

from solutions.exams.efficient_attention._long_texts import FeatureMap
from solutions.exams.efficient_attention.linear_attention_step.exam import State, step
from solutions.exams.efficient_attention.linear_attention_step.misconceptions import Steps
from solutions.exams.families.family import Family


class OldTotalDivides(Steps):
    """You divide by the second sum as it was before the new token, whose weight is then missing
    from the sum of the weights. Take both sums with the new token in them.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        _, new = super().answer(state, query, key, value, feature_map)
        return self.context(feature_map(query), (new[0], state[1])), new


class OldSummaryRead(Steps):
    """You read the first sum as it was before the new token, whose value is then missing from its
    own context. Take both sums with the new token in them.
    """

    def answer(
        self, state: State, query: Tensor, key: Tensor, value: Tensor, feature_map: FeatureMap
    ) -> Any:
        _, new = super().answer(state, query, key, value, feature_map)
        return self.context(feature_map(query), (state[0], new[1])), new


Family(OldTotalDivides, OldSummaryRead).apply(step, Steps)
