"""The exam of `is_key_shift_invariant`, lesson 03, in its parts."""

from solutions.exams.trainable_weights.is_key_shift_invariant import accepted, misconceptions
from solutions.exams.trainable_weights.is_key_shift_invariant.exam import shifted

__all__ = ["accepted", "misconceptions", "shifted"]
