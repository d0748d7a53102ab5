"""The exam of `decode_step`, lesson 07, in its parts."""

from solutions.exams.grouped_query_attention.decode_step import accepted, misconceptions
from solutions.exams.grouped_query_attention.decode_step.exam import step

__all__ = ["accepted", "misconceptions", "step"]
