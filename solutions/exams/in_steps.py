"""Answers as classes with a method for each step, of which a misconception gets one wrong."""

from collections.abc import Callable
from typing import Any, TypeVar

from autograder import Exam

Steps = TypeVar("Steps", bound=type[Any])


def declares(exam: Exam) -> Callable[[Steps], Steps]:
    """What declares a class as a misconception of an exercise; its docstring is the hint.

    An answer is an instance of its own, which is called as the exercise's function is.
    """

    def declared(made: Steps) -> Steps:
        def wrong(*arguments: Any) -> Any:
            return made()(*arguments)

        wrong.__name__, wrong.__doc__ = made.__name__, made.__doc__
        exam.misconception(wrong)
        return made

    return declared
