"""The exam of `speculative_step`, lesson 10, in its parts."""

from solutions.exams.your_gpt.speculative_step import (
    accepted,
    distributions,
    endings,
    misconceptions,
)
from solutions.exams.your_gpt.speculative_step.exam import speculating

__all__ = ["accepted", "distributions", "endings", "misconceptions", "speculating"]
