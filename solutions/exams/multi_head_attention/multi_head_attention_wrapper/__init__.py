"""The exam of `MultiHeadAttentionWrapper`, lesson 05, in its parts."""

from solutions.exams.multi_head_attention.multi_head_attention_wrapper import (
    accepted,
    misconceptions,
)
from solutions.exams.multi_head_attention.multi_head_attention_wrapper.exam import loop

__all__ = ["accepted", "loop", "misconceptions"]
