"""The exam of `layer_cost`, lesson 08, in its parts."""

from solutions.exams.efficient_attention.layer_cost import accepted, misconceptions
from solutions.exams.efficient_attention.layer_cost.exam import cost

__all__ = ["accepted", "cost", "misconceptions"]
