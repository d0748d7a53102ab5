"""The exam of `online_softmax_attention`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.online_softmax_attention import accepted, misconceptions
from solutions.exams.efficient_attention.online_softmax_attention.exam import online

__all__ = ["accepted", "misconceptions", "online"]
