"""The exam of `continue_with_cache`, lesson 10, in its parts."""

from solutions.exams.your_gpt.continue_with_cache import accepted, misconceptions, prefilling
from solutions.exams.your_gpt.continue_with_cache.exam import continuing

__all__ = ["accepted", "continuing", "misconceptions", "prefilling"]
