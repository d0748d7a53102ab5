"""The exam of `dropout`, lesson 04, in its parts."""

from solutions.exams.causal_attention.dropout import accepted, misconceptions
from solutions.exams.causal_attention.dropout.exam import dropping

__all__ = ["accepted", "dropping", "misconceptions"]
