"""The exam of `is_cache_exact`, lesson 07, in its parts."""

from solutions.exams.grouped_query_attention.is_cache_exact import accepted, misconceptions
from solutions.exams.grouped_query_attention.is_cache_exact.exam import exact

__all__ = ["accepted", "exact", "misconceptions"]
