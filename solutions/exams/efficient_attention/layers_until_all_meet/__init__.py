"""The exam of `layers_until_all_meet`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.layers_until_all_meet import accepted, misconceptions
from solutions.exams.efficient_attention.layers_until_all_meet.exam import meeting

__all__ = ["accepted", "meeting", "misconceptions"]
