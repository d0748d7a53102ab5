"""The exam of `learn_merges`, lesson 09, in its parts."""

from solutions.exams.transformer.learn_merges import accepted, misconceptions, ties, words
from solutions.exams.transformer.learn_merges.exam import merging

__all__ = ["accepted", "merging", "misconceptions", "ties", "words"]
