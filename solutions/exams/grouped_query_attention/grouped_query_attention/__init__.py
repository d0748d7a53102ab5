"""The exam of `GroupedQueryAttention`, lesson 07, in its parts."""

from solutions.exams.grouped_query_attention.grouped_query_attention import accepted, misconceptions
from solutions.exams.grouped_query_attention.grouped_query_attention.exam import grouped

__all__ = ["accepted", "grouped", "misconceptions"]
