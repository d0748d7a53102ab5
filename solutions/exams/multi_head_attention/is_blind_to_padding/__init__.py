"""The exam of `is_blind_to_padding`, lesson 05, in its parts."""

from solutions.exams.multi_head_attention.is_blind_to_padding import accepted, misconceptions
from solutions.exams.multi_head_attention.is_blind_to_padding.exam import blind

__all__ = ["accepted", "blind", "misconceptions"]
