"""The exam of `MultiHeadAttention`, lesson 05, in its parts."""

from solutions.exams.multi_head_attention.multi_head_attention import accepted, misconceptions
from solutions.exams.multi_head_attention.multi_head_attention.exam import batched

__all__ = ["accepted", "batched", "misconceptions"]
