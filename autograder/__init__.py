"""Checks that name the mistake, for nbgrader courses of any subject."""

from autograder.check import check
from autograder.mark import mark

__all__ = ["check", "mark"]
