"""The exam of `GPTBlock`, lesson 09, in its parts."""

from solutions.exams.transformer.gpt_block import accepted, misconceptions
from solutions.exams.transformer.gpt_block.exam import gpt

__all__ = ["accepted", "gpt", "misconceptions"]
