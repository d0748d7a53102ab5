"""The exam of `linear_attention`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.linear_attention import accepted, misconceptions
from solutions.exams.efficient_attention.linear_attention.exam import linear

__all__ = ["accepted", "linear", "misconceptions"]
