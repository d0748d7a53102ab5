"""The exam of `is_lossless`, lesson 09, in its parts."""

from solutions.exams.transformer.is_lossless import accepted, misconceptions
from solutions.exams.transformer.is_lossless.exam import lossless

__all__ = ["accepted", "lossless", "misconceptions"]
