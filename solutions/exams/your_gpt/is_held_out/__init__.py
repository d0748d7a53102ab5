"""The exam of `is_held_out`, lesson 10, in its parts."""

from solutions.exams.your_gpt.is_held_out import accepted, misconceptions
from solutions.exams.your_gpt.is_held_out.exam import held_out

__all__ = ["accepted", "held_out", "misconceptions"]
