"""A family of mistakes: slips that belong together, declared once and applied to many exercises."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from torch import nn

from autograder import Exam


class Answer:
    """The right answer of an exercise, for slips to spoil what comes out of it."""

    right: Callable[..., Any]

    def answer(self, *arguments: Any) -> object:
        """What the exercise asks for."""
        return self.right(*arguments)


class Family:
    """Slips that belong together."""

    def __init__(self, *slips: type) -> None:
        self.slips = slips

    def __add__(self, other: "Family") -> "Family":
        """The slips of both, for exercises in which all of them can be made."""
        return Family(*self.slips, *other.slips)

    def apply(
        self,
        exam: Exam,
        steps: type | None = None,
        *,
        called: Mapping[str, str] | None = None,
        says: Mapping[str, str] | None = None,
        without: Iterable[str] = (),
    ) -> None:
        """Declare each slip as a misconception of an exercise.

        Args:
            exam: the exercise's exam.
            steps: how the exercise calls the steps that the slips get wrong; without it, they
                spoil what the reference returns.
            called: names for slips that have another one in this exercise.
            says: hints for slips of which this exercise can say more.
            without: slips that change nothing here, or that the exercise declares in its own words.

        Raises:
            ValueError: for a slip that the family does not have.
        """
        called, says, without = called or {}, says or {}, set(without)
        unknown = {*called, *says, *without} - {slip.__name__ for slip in self.slips}
        if unknown:
            raise ValueError(f"the family has no slip {', '.join(sorted(unknown))}")
        for slip in self.slips:
            if slip.__name__ not in without:
                wrong = _made(slip, steps or _steps_of(exam), says.get(slip.__name__))
                wrong.__name__ = called.get(slip.__name__, wrong.__name__)
                wrong.declared_by = slip
                exam.misconception(wrong)


def _steps_of(exam: Exam) -> type:
    return type("Steps", (Answer,), {"right": staticmethod(exam.reference)})


def _made(slip: type, steps: type, hint: str | None) -> Any:
    made = type(slip.__name__, (slip, steps), {"__doc__": hint or slip.__doc__})
    made.__module__ = steps.__module__
    return made if issubclass(steps, nn.Module) else _as_function(made)


def _as_function(steps: type[Any]) -> Callable[..., object]:
    def wrong(*arguments: object) -> object:
        return steps().answer(*arguments)

    wrong.__name__ = _in_snake_case(steps.__name__)
    wrong.__doc__ = steps.__doc__
    return wrong


def _in_snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
