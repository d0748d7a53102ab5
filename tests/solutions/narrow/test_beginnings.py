"""All lessons: a module that seeds PyTorch's random numbers, as no module may."""

from collections.abc import Callable
from inspect import signature
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


def seeding_with_dropout(module_class: type) -> Callable[..., Any]:
    """The reference, with a seed set by its constructor where something is to be dropped."""

    class Seeding(module_class):  # type: ignore[misc]
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)
            if signature(module_class).bind(*args, **kwargs).arguments.get("dropout"):
                torch.manual_seed(SEED)

    Seeding.__name__ = module_class.__name__
    return Seeding


def seeding_calls(module_class: type, *, training: bool) -> Callable[..., Any]:
    """The reference, with a seed set in each call in one mode: the number of the call."""

    class Seeding(module_class):  # type: ignore[misc]
        def forward(self, *args: object, **kwargs: object) -> Any:
            self.calls = getattr(self, "calls", 0) + 1
            if self.training == training:
                torch.manual_seed(self.calls)
            return super().forward(*args, **kwargs)

    Seeding.__name__ = module_class.__name__
    return Seeding


@pytest.mark.parametrize("training", [False, True], ids=["in evaluation", "in training"])
@pytest.mark.parametrize("place", MODULES)
def test_no_call_may_set_a_seed(place: str, training: bool) -> None:
    exam = MODULES[place]
    assert isinstance(exam.reference, type)
    report = exam.examine(seeding_calls(exam.reference, training=training), 2026)
    assert report.verdict is not Verdict.PASSED


@pytest.mark.parametrize(
    "place",
    [place for place, exam in MODULES.items() if "dropout" in signature(exam.reference).parameters],
)
def test_no_constructor_may_set_a_seed_for_dropout(place: str) -> None:
    exam = MODULES[place]
    assert isinstance(exam.reference, type)
    report = exam.examine(seeding_with_dropout(exam.reference), 2026)
    assert report.verdict is not Verdict.PASSED
