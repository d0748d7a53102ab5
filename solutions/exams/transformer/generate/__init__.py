"""The exam of `generate`, lesson 09, in its parts."""

from solutions.exams.transformer.generate import accepted, misconceptions
from solutions.exams.transformer.generate.exam import generating

__all__ = ["accepted", "generating", "misconceptions"]
