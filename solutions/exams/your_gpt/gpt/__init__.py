"""The exam of `GPT`, lesson 10, in its parts."""

from solutions.exams.your_gpt.gpt import accepted, misconceptions, norms
from solutions.exams.your_gpt.gpt.exam import gpt

__all__ = ["accepted", "gpt", "misconceptions", "norms"]
