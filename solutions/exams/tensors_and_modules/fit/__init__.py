"""The exam of `fit`, lesson 00b, in its parts."""

from solutions.exams.tensors_and_modules.fit import accepted, misconceptions
from solutions.exams.tensors_and_modules.fit.exam import fitting

__all__ = ["accepted", "fitting", "misconceptions"]
