"""The exam of `positive_random_features`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.positive_random_features import accepted, misconceptions
from solutions.exams.efficient_attention.positive_random_features.exam import features

__all__ = ["accepted", "features", "misconceptions"]
