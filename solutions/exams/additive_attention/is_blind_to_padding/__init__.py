"""The exam of `is_blind_to_padding`, lesson 01, in its parts."""

from solutions.exams.additive_attention.is_blind_to_padding import accepted, misconceptions
from solutions.exams.additive_attention.is_blind_to_padding.exam import blind

__all__ = ["accepted", "blind", "misconceptions"]
