"""What holds of every right answer holds of none that changes what it is compared with."""

from collections.abc import Mapping
from inspect import getclosurevars
from typing import Any

import pytest
import torch

from autograder.checks.drivers.run_module import ModuleMismatch
from autograder.checks.exam.case import Property
from autograder.checks.exam.exam import Exam
from tests.support.course import every_exam
from tests.support.sample import sample

REFERENCE = "reference"
HOLDING = [pytest.param(exam, id=place) for place, exam in every_exam().items() if exam._properties]


def enclosed_by(holds: Property) -> Mapping[str, Any]:
    return getclosurevars(holds).nonlocals


def emptying(reference: type[torch.nn.Module]) -> type[torch.nn.Module]:
    """A right answer, but that all weights and inputs are 0 once it has seen them."""

    class Emptying(reference):  # type: ignore[misc, valid-type]
        def load_state_dict(self, state_dict: Any, *args: Any, **kwargs: Any) -> Any:
            for one in state_dict.values():
                one.zero_()
            return super().load_state_dict(state_dict, *args, **kwargs)

        def forward(self, *inputs: Any, **kwargs: Any) -> Any:
            for one in inputs:
                if isinstance(one, torch.Tensor) and one.is_floating_point():
                    one.data.zero_()
            return super().forward(*inputs, **kwargs)

    return Emptying


@pytest.mark.parametrize("exam", sample(HOLDING, 3))
def test_answer_does_not_choose_what_it_is_compared_with(exam: Exam) -> None:
    cases = [case for case in exam.hidden_cases() if case.properties]
    properties = cases[0].properties
    # Those that compare an answer with the reference enclose it.
    compared = [one for one, holds in properties.items() if REFERENCE in enclosed_by(holds)]

    def of(answer: object, sentence: str) -> bool:
        given = ((case.properties[sentence], _copied([*case.arguments.values()])) for case in cases)
        try:
            return all(holds(answer, *arguments) for holds, arguments in given)
        except ModuleMismatch:
            # It is told that it writes to its inputs, before anything is compared.
            return False

    assert isinstance(exam.reference, type) or not compared
    for sentence in compared:
        assert of(exam.reference, sentence)
        assert not of(emptying(exam.reference), sentence)  # type: ignore[arg-type]


def _copied(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: _copied(one) for key, one in value.items()}
    return type(value)(map(_copied, value)) if isinstance(value, list | tuple) else value
