"""All lessons: a module that seeds PyTorch's random numbers when it is made, as no module may."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from autograder.checks.exam.report import Verdict
from tests.support.course import every_exam, without_hints

pytestmark = pytest.mark.slow

# They have no weights that could begin at random.
WITHOUT_WEIGHTS = {"PositionalEncoding", "KVCache"}
MODULES = {
    place: without_hints(exam)
    for place, exam in every_exam().items()
    if isinstance(exam.reference, type) and exam.name not in WITHOUT_WEIGHTS
}
SEED = 123


def seeding(module_class: type, *, first: bool) -> Callable[..., Any]:
    """The reference, with a seed set before or behind all else that its constructor does."""

    class Seeding(module_class):  # type: ignore[misc]
        def __init__(self, *args: object, **kwargs: object) -> None:
            if first:
                torch.manual_seed(SEED)
            super().__init__(*args, **kwargs)
            if not first:
                torch.manual_seed(SEED)

    Seeding.__name__ = module_class.__name__
    return Seeding


@pytest.mark.parametrize("first", [True, False], ids=["before", "behind"])
@pytest.mark.parametrize("place", MODULES)
def test_no_constructor_may_set_a_seed(place: str, first: bool) -> None:
    exam = MODULES[place]
    assert isinstance(exam.reference, type)
    report = exam.examine(seeding(exam.reference, first=first), 2026)
    assert report.verdict is not Verdict.PASSED
