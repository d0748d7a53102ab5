"""The exam of `train`, lesson 10, in its parts."""

from solutions.exams.your_gpt.train import accepted, beginnings, misconceptions
from solutions.exams.your_gpt.train.exam import training

__all__ = ["accepted", "beginnings", "misconceptions", "training"]
