"""Every module is called with other inputs and weights before, and told where it keeps them."""

import inspect
from typing import Any

import pytest
import torch

from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from tests.support.course import every_entry, every_exam, exam_of, without_hints
from tests.support.sample import sample

pytestmark = pytest.mark.slow

MODULES = {place: exam for place, exam in every_exam().items() if exam.use is run_module}


def takes_a_dropout(exam: Exam) -> bool:
    return "dropout" in inspect.signature(exam.reference).parameters


DROPPING = [place for place in sorted(MODULES) if takes_a_dropout(MODULES[place])]
# Other drivers' modules; a table of positions that is computed has no weights.
OTHERS = [
    place
    for place, exam in sorted(every_exam().items())
    if isinstance(exam.reference, type)
    and issubclass(exam.reference, torch.nn.Module)
    and exam.use is not run_module
    and exam.name != "PositionalEncoding"
]
# A query and a decoder's state are vectors there, and the keys of each have their own number.
NOT_SHORTER = {"01_additive_attention/AdditiveAttention"}


def remembering(exam: Exam, *, stops: bool, in_training: bool = False) -> type:
    """The solution, which takes each input to have as many rows as the first one had.

    Or it does so `in_training` alone.
    """

    class Remembering(exam.reference):  # type: ignore[misc, name-defined]
        rows: int | None = None

        def forward(self, inputs: torch.Tensor, *others: Any) -> Any:
            if inputs.ndim == 1 or (in_training and not self.training):
                return super().forward(inputs, *others)
            self.rows = self.rows or inputs.shape[-2]
            if stops and inputs.shape[-2] != self.rows:
                raise RuntimeError(f"{inputs.shape[-2]} rows do not fit {self.rows}")
            rows = torch.arange(inputs.shape[-2]).clamp(max=self.rows - 1)
            return super().forward(inputs[..., rows, :], *others)

    return Remembering


def writing(exam: Exam) -> type:
    """The solution, which turns its inputs over where PyTorch lets it."""

    class Writing(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *inputs: Any) -> Any:
            found = super().forward(*inputs)
            for one in inputs:
                if isinstance(one, torch.Tensor) and not one.requires_grad:
                    one.copy_(one.clone().flip(-1))
            return found

    return Writing


def first_output(exam: Exam) -> type:
    """The solution, which returns for inputs of a size what it has returned for the first of it."""

    class FirstOutput(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *inputs: Any) -> Any:
            found = self.__dict__.setdefault("found", {})
            size = tuple(getattr(one, "shape", None) for one in inputs)
            if size not in found:
                found[size] = super().forward(*inputs)
            return found[size]

    return FirstOutput


def sharing(exam: Exam) -> type:
    """The solution, whose layers and parameters are those of the first module of their sizes."""
    kept: dict[tuple[str, str], Any] = {}

    class Sharing(exam.reference):  # type: ignore[misc, name-defined]
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            for name, layer in self._modules.items():
                self._modules[name] = kept.setdefault((name, repr(layer)), layer)
            for name, parameter in self._parameters.items():
                size = str(getattr(parameter, "shape", None))
                self._parameters[name] = kept.setdefault((name, size), parameter)
            # What other cases have left in them would be wrong as well.
            self.zero_grad()

    return Sharing


def like_the_last_one(exam: Exam) -> type:
    """The solution, which computes with the settings of the module that was made last."""
    last: list[dict[str, Any]] = []

    class LikeTheLastOne(exam.reference):  # type: ignore[misc, name-defined]
        def __init__(self, *given: Any, **named: Any) -> None:
            super().__init__(*given, **named)
            names = inspect.signature(exam.reference).parameters
            last[:] = [{**dict(zip(names, given, strict=False)), **named}]

        def forward(self, *inputs: Any) -> Any:
            other: Any = exam.reference(**last[0])
            other.train(self.training)
            return torch.func.functional_call(other, dict(self.named_parameters()), inputs)

    return LikeTheLastOne


def first_weights(exam: Exam) -> type:
    """The solution, which computes with the weights that it had in its first call."""

    class FirstWeights(exam.reference):  # type: ignore[misc, name-defined]
        def forward(self, *inputs: Any) -> Any:
            weights = {name: one.detach().clone() for name, one in self.named_parameters()}
            kept = self.__dict__.setdefault("kept", weights)
            # With gradients for those that it has now, as if it had computed with them.
            theirs = {
                name: kept[name] + one - one.detach() for name, one in self.named_parameters()
            }
            with torch.nn.utils.stateless._reparametrize_module(self, theirs):
                return super().forward(*inputs)

    return FirstWeights


@pytest.mark.parametrize("stops", [False, True])
@pytest.mark.parametrize("place", sample(sorted(MODULES.keys() - NOT_SHORTER), 8))
def test_size_of_a_first_call_that_is_kept_has_its_name(place: str, stops: bool) -> None:
    told(place, remembering(MODULES[place], stops=stops), stops=stops)


@pytest.mark.parametrize("place", sample(DROPPING, 4))
def test_size_of_a_first_call_in_training_that_is_kept_has_its_name(place: str) -> None:
    report = MODULES[place].examine(remembering(MODULES[place], stops=True, in_training=True))
    assert "wrong after calls with other inputs and weights" in report.hint
    assert report.right_but_for == "what one call or module leaves to another"


@pytest.mark.parametrize("place", sample(sorted(MODULES), 8))
def test_inputs_are_left_alone_where_no_gradients_are_asked(place: str) -> None:
    report = MODULES[place].examine(writing(MODULES[place]))
    assert report.verdict is Verdict.WRONG
    told = " ".join((report.hint, *(report.finding.details if report.finding else ())))
    assert "writes to what it is called with" in told


@pytest.mark.parametrize("place", sample(sorted(MODULES), 8))
def test_weights_of_a_first_call_that_are_kept_have_their_name(place: str) -> None:
    told(place, first_weights(MODULES[place]), stops=False)


@pytest.mark.parametrize("place", sample(sorted([*MODULES, *OTHERS]), 8))
def test_weights_of_another_module_do_not_do(place: str) -> None:
    assert every_exam()[place].examine(sharing(every_exam()[place])).verdict is Verdict.WRONG


@pytest.mark.parametrize("name", ["LayerNorm", "RMSNorm", "MultiHeadAttention", "GPTBlock"])
def test_settings_of_another_module_do_not_do(name: str) -> None:
    report = exam_of(name).examine(like_the_last_one(exam_of(name)))
    assert report.verdict is not Verdict.PASSED
    assert "its settings stand on the class" in report.hint


# Neither begins with weights that are told, nor drops anything.
@pytest.mark.parametrize("name", ["SelfAttention_v2", "CrossAttention", "FeedForward"])
def test_weights_of_another_module_have_their_name(name: str) -> None:
    exam = exam_of(name)
    report = exam.examine(sharing(exam))
    assert "two modules of it have the same weights" in report.hint
    assert report.right_but_for == "what one call or module leaves to another"


@pytest.mark.parametrize("place", sample(sorted(MODULES), 8))
def test_output_of_a_first_call_does_not_do(place: str) -> None:
    exam = without_hints(MODULES[place])
    for report in (exam.examine(first_output(exam)), exam.preview(first_output(exam))):
        assert report.verdict is not Verdict.PASSED


def told(place: str, answer: type, *, stops: bool) -> None:
    """The check and the exam say of an answer that it is right in its first call alone."""
    exam = MODULES[place]
    graded, checked = exam.examine(answer), exam.preview(answer)
    for report in (graded, checked):
        assert report.verdict is (Verdict.EXCEPTION if stops else Verdict.WRONG)
        assert "wrong after calls with other inputs and weights" in report.hint
    assert graded.right_but_for == "what one call or module leaves to another"


def test_every_module_is_asked() -> None:
    shipped = every_entry()
    asked = {
        place
        for place in MODULES
        if any(case.get("way") == "after others" for case in shipped[place]["cases"])
    }
    assert asked == MODULES.keys()
    assert len(asked) > 10
