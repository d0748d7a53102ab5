"""What a driver says in a student's process earns nothing, and all else is as where one learns."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from torch import Tensor, nn

from autograder.checks.exam.judge import judge
from autograder.checks.exam.report import Verdict
from autograder.student.rpc.student_side import StudentSide
from tests.support.course import every_entry, every_exam
from tests.support.over_there import attributes_of, over_there
from tests.support.sample import sample

pytestmark = pytest.mark.slow

Answer = Callable[..., object]
Arguments = tuple[object, ...]

EXAMS = every_exam()
DRIVEN = [place for place, exam in EXAMS.items() if exam.use]
# Those of the bridge to PyTorch take a few seconds each, the others up to two minutes.
QUICK = [place for place in DRIVEN if place.startswith("00b")]
IN_LAYOUTS = [
    place
    for place, entry in every_entry().items()
    if any(case.get("way") == "transposed" for case in entry["cases"])
]


def hollow(reference: Callable[..., object]) -> Callable[..., object]:
    """An answer that has nothing in it."""
    if isinstance(reference, type):
        return type(reference.__name__, (nn.Module,), {})
    return lambda *_, **__: None


@pytest.mark.parametrize("place", sample(DRIVEN, 12))
def test_forged_driver_earns_nothing(place: str) -> None:
    """Each driver has been replaced by one that finds in a hollow answer what is expected."""
    exam = EXAMS[place]

    class Forging(StudentSide):
        def _drive(self, name: str, target: Answer, args: Arguments) -> Arguments:
            return super()._drive(name, exam.reference, args)

    # Who makes which mistake is not asked.
    cases = exam.hidden_cases()
    with over_there({"empty": hollow(exam.reference)}, attributes_of(exam), Forging) as session:
        report = judge(exam.name, session.find("empty"), cases, {})
    assert report.passed or all(case.here for case in cases), "nothing was forged"
    assert report.verdict is not Verdict.PASSED
    assert not report.right_but_for


@pytest.mark.parametrize("place", sample(DRIVEN, 3))
def test_each_group_is_driven_from_here(place: str) -> None:
    """No share of the points is earned by what a student's process says of itself."""
    cases = EXAMS[place].hidden_cases()
    from_here = {case.group for case in cases if case.here}
    assert from_here
    assert from_here >= {case.group for case in cases if not case.printed}


@pytest.mark.parametrize(
    "place",
    [
        pytest.param(place, marks=() if place in QUICK else pytest.mark.long)
        for place in sample(DRIVEN, 20, always=QUICK)
    ],
)
def test_wrong_answers_are_named_over_there(place: str) -> None:
    exam = EXAMS[place]
    every: dict[str, Any] = {**exam.accepted, **exam.misconceptions}
    answers = {name: every[name] for name in sample([*every], 5 if place in QUICK else 10)}
    with over_there(answers, attributes_of(exam)) as session:
        for name, answer in answers.items():
            here, there = exam.examine(answer), exam.examine(session.find(name))
            assert (here.verdict, here.misconception) == (there.verdict, there.misconception), name
            assert here.passed == there.passed


@pytest.mark.parametrize("place", sample(IN_LAYOUTS, 20))
def test_layouts_are_made_over_there(place: str) -> None:
    """Numbers arrive one after the other, so it is there that they are laid out otherwise."""
    exam = EXAMS[place]

    def answer(*given: Any) -> Any:
        for one in given:
            # Some functions take several tensors in a list.
            for part in one if isinstance(one, list | tuple) else [one]:
                if isinstance(part, Tensor):
                    part.view(-1)
        return exam.reference(*given)

    with over_there({"right": exam.reference, "viewed": answer}) as session:
        assert exam.examine(session.find("right")).verdict is Verdict.PASSED
        assert "is right for contiguous tensors" in exam.examine(session.find("viewed")).hint


def zeroed(argument: Any) -> bool:
    """Whether there was anything in it to be written to."""
    if isinstance(argument, tuple):
        return any(zeroed(one) for one in argument)
    if isinstance(argument, np.ndarray | Tensor) and not getattr(argument, "requires_grad", False):
        argument[...] = 0
        return bool(argument.size if isinstance(argument, np.ndarray) else argument.numel())
    if isinstance(argument, list | dict | set):
        argument.clear()
        return True
    return False


def reshaped(argument: Any) -> bool:
    """Whether it could be given another shape, in place."""
    if isinstance(argument, np.ndarray):
        argument.shape = (1, *argument.shape)
    elif isinstance(argument, Tensor) and not argument.requires_grad:
        argument.unsqueeze_(0)
    else:
        return False
    return True


@pytest.mark.parametrize("write", [zeroed, reshaped])
@pytest.mark.parametrize("place", sample([one for one in EXAMS if one not in DRIVEN], 20))
def test_what_is_written_to_an_argument_is_seen_over_there(
    place: str, write: Callable[[Any], bool]
) -> None:
    exam = EXAMS[place]
    written = set()

    def writing_to(number: int) -> Answer:
        def answer(*given: Any) -> Any:
            found = exam.reference(*copy.deepcopy(given))
            if number < len(given) and write(given[number]):
                written.add(number)
            return found

        return answer

    answers = {f"to_{number}": writing_to(number) for number in range(len(exam.parameters))}
    with over_there(answers) as session:
        for number, name in enumerate(answers):
            there = exam.examine(session.find(name))
            earlier = exam.preview(answers[name])
            assert number not in written or Verdict.PASSED not in (there.verdict, earlier.verdict)
