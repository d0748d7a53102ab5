"""The exam of `KVCache`, lesson 07, in its parts."""

from solutions.exams.grouped_query_attention.kv_cache import accepted, misconceptions
from solutions.exams.grouped_query_attention.kv_cache.exam import cache

__all__ = ["accepted", "cache", "misconceptions"]
