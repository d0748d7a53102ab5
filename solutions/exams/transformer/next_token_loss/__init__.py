"""The exam of `next_token_loss`, lesson 09, in its parts."""

from solutions.exams.transformer.next_token_loss import accepted, misconceptions
from solutions.exams.transformer.next_token_loss.exam import loss

__all__ = ["accepted", "loss", "misconceptions"]
