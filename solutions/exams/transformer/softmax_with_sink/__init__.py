"""The exam of `softmax_with_sink`, lesson 09, in its parts."""

from solutions.exams.transformer.softmax_with_sink import accepted, exponentials, misconceptions
from solutions.exams.transformer.softmax_with_sink.exam import sinks

__all__ = ["accepted", "exponentials", "misconceptions", "sinks"]
