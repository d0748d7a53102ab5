"""The exam of `next_token_distribution`, lesson 09, in its parts."""

from solutions.exams.transformer.next_token_distribution import (
    accepted,
    misconceptions,
    sorting,
    temperatures,
    zeros,
)
from solutions.exams.transformer.next_token_distribution.exam import distribution

__all__ = ["accepted", "distribution", "misconceptions", "sorting", "temperatures", "zeros"]
