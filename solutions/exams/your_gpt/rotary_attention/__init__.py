"""The exam of `RotaryAttention`, lesson 10, in its parts."""

from solutions.exams.your_gpt.rotary_attention import accepted, caching, misconceptions, positions
from solutions.exams.your_gpt.rotary_attention.exam import rotary

__all__ = ["accepted", "caching", "misconceptions", "positions", "rotary"]
