"""The exam of `AdditiveAttention`, lesson 01, in its parts."""

from solutions.exams.additive_attention.additive_attention import accepted, misconceptions
from solutions.exams.additive_attention.additive_attention.exam import attention

__all__ = ["accepted", "attention", "misconceptions"]
