"""The exam of `CrossAttention`, lesson 05, in its parts."""

from solutions.exams.multi_head_attention.cross_attention import accepted, misconceptions
from solutions.exams.multi_head_attention.cross_attention.exam import cross

__all__ = ["accepted", "cross", "misconceptions"]
