"""The exam of `CausalAttention`, lesson 04, in its parts."""

from solutions.exams.causal_attention.causal_attention import accepted, misconceptions
from solutions.exams.causal_attention.causal_attention.exam import module

__all__ = ["accepted", "misconceptions", "module"]
