"""The exam of `is_relative`, lesson 06, in its parts."""

from solutions.exams.positional_encoding.is_relative import accepted, misconceptions
from solutions.exams.positional_encoding.is_relative.exam import relative

__all__ = ["accepted", "misconceptions", "relative"]
