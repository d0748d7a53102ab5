"""The exam of `MultiQueryAttention`, lesson 07, in its parts."""

from solutions.exams.grouped_query_attention.multi_query_attention import accepted, misconceptions
from solutions.exams.grouped_query_attention.multi_query_attention.exam import single

__all__ = ["accepted", "misconceptions", "single"]
