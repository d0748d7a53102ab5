"""The exam of `is_causal`, lesson 04, in its parts."""

from solutions.exams.causal_attention.is_causal import accepted, misconceptions
from solutions.exams.causal_attention.is_causal.exam import causal

__all__ = ["accepted", "causal", "misconceptions"]
