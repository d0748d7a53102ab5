"""The exam of `visible_blocks`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.visible_blocks import accepted, misconceptions
from solutions.exams.efficient_attention.visible_blocks.exam import blocks

__all__ = ["accepted", "blocks", "misconceptions"]
