"""What is tried of all that could be: a tenth, another one in each run, or all on request.

The number that draws the tenth stands at the top of what pytest prints. To draw the same one again,
set it: AUTOGRADER_SAMPLE=12345. AUTOGRADER_ALL=1, as `make test-all` sets it, tries everything.
AUTOGRADER_CONCERNED, as `make quick` sets it, names lessons and exercises, and these are tried.
"""

import os
import random
from collections.abc import Collection, Sequence
from itertools import pairwise
from typing import TypeVar

T = TypeVar("T")

EVERYTHING = "AUTOGRADER_ALL" in os.environ
_NUMBER = "AUTOGRADER_SAMPLE"
_CONCERNED = "AUTOGRADER_CONCERNED"
_SHARE = 10


def draw_number() -> str:
    """Draw the number, unless it is set; processes that are started from here have the same."""
    return os.environ.setdefault(_NUMBER, str(random.SystemRandom().randrange(100_000)))


def sample(choices: Sequence[T], share: int = _SHARE, always: Collection[T] = ()) -> list[T]:
    """One in `share` of the choices, at least one of any, and some always; all of them on request.

    They come from all along the choices, so that no run draws many of those that take long, which
    are neighbours; and another share is another draw, so that not all tests draw the same.
    """
    if EVERYTHING or not choices:
        return [*choices]
    # What is no lesson or exercise, such as a processor, is drawn there as well.
    if _CONCERNED in os.environ and all(_called(choice)[:1].isdecimal() for choice in choices):
        concerned = os.environ[_CONCERNED].split()
        return [choice for choice in choices if _called(choice) in concerned]
    drawn = random.Random(f"{draw_number()} {share}")
    count = max(1, round(len(choices) / share))
    bounds = [len(choices) * part // count for part in range(count + 1)]
    places = {drawn.randrange(*stretch) for stretch in pairwise(bounds)}
    return [one for place, one in enumerate(choices) if place in places or one in always]


def _called(choice: object) -> str:
    """A lesson's name, or an exercise as 04-causalattention, with or without its place."""
    lesson, _, name = str(getattr(choice, "id", choice)).partition("/")
    return f"{lesson.partition('_')[0]}-{name}".lower() if name else lesson.lower()
