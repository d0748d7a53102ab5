"""Every module is called with inputs of two sizes, and told where it keeps one of them."""

from typing import Any

import pytest
import torch

from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from tests.support.course import every_exam
from tests.support.sample import sample

MODULES = {place: exam for place, exam in every_exam().items() if exam.use is run_module}
# A query and a decoder's state are vectors there, and the keys of each have their own number.
NOT_ASKED = {"01_additive_attention/AdditiveAttention"}


def remembering(exam: Exam, *, stops: bool) -> type:
    """The solution, which takes each input to have as many rows as the first one had."""

    class Remembering(exam.reference):  # type: ignore[misc, name-defined]
        rows: int | None = None

        def forward(self, inputs: torch.Tensor, *others: Any) -> Any:
            if inputs.ndim == 1:
                return super().forward(inputs, *others)
            self.rows = self.rows or inputs.shape[-2]
            if stops and inputs.shape[-2] != self.rows:
                raise RuntimeError(f"{inputs.shape[-2]} rows do not fit {self.rows}")
            rows = torch.arange(inputs.shape[-2]).clamp(max=self.rows - 1)
            return super().forward(inputs[..., rows, :], *others)

    return Remembering


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("place", sample(sorted(MODULES.keys() - NOT_ASKED), 8))
def test_what_is_kept_of_a_first_call_has_its_name(place: str, stops: bool) -> None:
    exam = MODULES[place]
    graded, checked = exam.examine(answer := remembering(exam, stops=stops)), exam.preview(answer)
    for report in (graded, checked):
        assert report.verdict is (Verdict.EXCEPTION if stops else Verdict.WRONG)
        assert "wrong after a call with a shorter input" in report.hint
    assert graded.right_but_for == "a call that is not the first"


def test_who_is_not_asked_is_known() -> None:
    asked = {
        place
        for place, exam in MODULES.items()
        if any(case.way == "after a shorter" for case in exam.printed_cases())
    }
    assert asked == MODULES.keys() - NOT_ASKED
    assert len(asked) > 10
