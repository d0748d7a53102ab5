"""The exam of `is_exact`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.is_exact import accepted, misconceptions
from solutions.exams.efficient_attention.is_exact.exam import Attention, exact

__all__ = ["Attention", "accepted", "exact", "misconceptions"]
