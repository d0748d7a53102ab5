"""The exam of `linear_attention_step`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.linear_attention_step import (
    accepted,
    misconceptions,
    old_sums,
)
from solutions.exams.efficient_attention.linear_attention_step.exam import step

__all__ = ["accepted", "misconceptions", "old_sums", "step"]
