"""The exam of `encode`, lesson 09, in its parts."""

from solutions.exams.transformer.encode import accepted, misconceptions
from solutions.exams.transformer.encode.exam import cutting

__all__ = ["accepted", "cutting", "misconceptions"]
