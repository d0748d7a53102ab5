"""The test of the tests: every known mistake is caught and named, every right style passes.

That of each exercise is proved by the build, which says so in `solutions/exams/proofs.json` with
the digest of all that the proof hangs on. So a proof that is current holds; a few of them, drawn
anew in each run, are made again here, and all of them on request.
`tests/whole/test_processors.py` tries the same on other cases, as on another processor.
"""

import inspect
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from autograder.authoring.build.build_inputs import Inputs
from autograder.authoring.build.proofs import Proofs, digest_of_entry
from autograder.authoring.build.proving import prove
from autograder.checks.card.as_text import lines_of
from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.case import Case
from autograder.checks.exam.draw import DEFAULT_SEED, Draw, drawing_from, seed_for
from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.exam.report import Verdict
from autograder.checks.values.compare import identical, numbers_in_parts
from autograder.checks.values.outcome import Outcome
from autograder.course import lesson_number
from solutions.exams.dropout_rates import ALMOST_NEVER
from tests.support.course import COURSE, every_entry, lessons_of_exams
from tests.support.sample import EVERYTHING, draw_number, sample

LESSON_OF = lessons_of_exams()
EXAMS = [
    pytest.param(exam, id=f"{lesson_number(lesson)}-{exam.name}")
    for exam, lesson in LESSON_OF.items()
]
# A proof tries each mistake on all cases: that of a block with a hundred takes minutes.
PROVED_SOON = [param for param in EXAMS if len(param.values[0].misconceptions) <= 60]
WORKSHEET = "_by_hand"
_FEW = 3
_MOST_TOKENS = 8
INPUTS = Inputs(COURSE)
PROOFS = {lesson: Proofs(COURSE).of(lesson) for lesson in COURSE.lessons()}
SHIPPED = every_entry()


@pytest.mark.parametrize("exam", sample(EXAMS))
def test_reference_passes(exam: Exam) -> None:
    for seed in (0, 2026):
        assert exam.examine(exam.reference, seed).verdict is Verdict.PASSED
    assert exam.preview(exam.reference).verdict is Verdict.PASSED


def rates_in_training(cases: list[Case]) -> set[float]:
    """The dropouts of modules that are called in training."""
    return {
        case.arguments["settings"]["dropout"]
        for case in cases
        if case.arguments.get("training") and "dropout" in case.arguments["settings"]
    }


MODULES = [one for one in EXAMS if one.values[0].use is run_module]


class HalfAsOften(nn.Module):
    """A dropout with half of its rate, by what survives the right one divided by what should."""

    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        kept = torch.rand_like(x) >= self.p / 2
        return x * kept / (1 - self.p) if self.training else x


@pytest.mark.parametrize("exam", sample(MODULES, 3))
def test_how_often_something_is_dropped_is_asked(exam: Exam) -> None:
    """All outputs that come are right ones, and each comes; only not as often as it should."""
    reference = exam.reference
    assert isinstance(reference, type)
    changed = []

    class Answer(reference):  # type: ignore[misc, valid-type]
        def __init__(self, *args: object, **settings: object) -> None:
            super().__init__(*args, **settings)
            for module in [*self.modules()]:
                for name, part in module.named_children():
                    if type(part) is nn.Dropout:
                        setattr(module, name, HalfAsOften(part.p))
                        changed.append(name)

    # Asked alone: what explains a wrong answer would take most of the time.
    found = [
        holds(Answer, *case.arguments.values())
        for case in exam.hidden_cases()
        for sentence, holds in case.properties.items()
        if "average" in sentence
    ]
    # The heads of the wrapper are the library's: it hands them their rate, and drops nothing.
    assert bool(changed) is (False in found)


@pytest.mark.parametrize("exam", sample(MODULES, 3))
def test_rate_of_dropout_is_the_one_that_is_given(exam: Exam) -> None:
    """A module with a rate of its own would drop a lot where nothing is to be dropped."""
    if any(rates_in_training(exam.printed_cases())):
        assert ALMOST_NEVER in rates_in_training(exam.hidden_cases())


@pytest.mark.parametrize("exam", sample(EXAMS, 60))
def test_right_styles_pass(exam: Exam) -> None:
    """With whatever is drawn: what a seed refuses, a course is given one day."""
    for right in exam.accepted.values():
        for seed in (DEFAULT_SEED, int(draw_number())):
            report = exam.examine(right, seed)
            assert report.verdict is Verdict.PASSED, lines_of(report)
    # A worksheet is a list of numbers: there is one way to write it.
    if not exam.name.endswith(WORKSHEET):
        assert len(exam.accepted) >= 3


@pytest.mark.parametrize("exam", EXAMS)
def test_misconceptions_are_proved(exam: Exam) -> None:
    """That each is caught and named, and the reference and all accepted answers pass, has been
    seen, of the exam and of the engine as they are.
    """
    lesson = LESSON_OF[exam]
    proof, there = PROOFS[lesson].get(exam.name), SHIPPED[f"{lesson}/{exam.name}"]
    inputs = INPUTS.of_exercise(lesson, exam.name)
    assert proof, f"{exam.name} is not proved: make build"
    assert proof.holds(inputs, there), f"{exam.name} has changed since it was proved: make build"
    assert len(exam.misconceptions) >= 4
    assert proof.unnamed.keys() <= exam.misconceptions.keys()


@pytest.mark.parametrize("exam", EXAMS if EVERYTHING else sample(PROVED_SOON, 80))
def test_proof_made_again_is_the_same(exam: Exam) -> None:
    there = SHIPPED[f"{LESSON_OF[exam]}/{exam.name}"]
    proved = prove(exam, there)
    assert digest_of_entry(proved.ships) == digest_of_entry(there), "another number: make build"
    proof = PROOFS[LESSON_OF[exam]][exam.name]
    assert (proved.unnamed, proved.halves) == (proof.unnamed, proof.halves)


@pytest.mark.parametrize("exam", sample(EXAMS, 8))
def test_unwritten_is_calm(exam: Exam) -> None:
    def unwritten(*_: object, **__: object) -> None:
        raise NotImplementedError

    assert exam.examine(unwritten).verdict is Verdict.NOT_IMPLEMENTED
    assert exam.preview(unwritten).verdict is Verdict.NOT_IMPLEMENTED


@pytest.mark.parametrize("exam", sample(EXAMS))
def test_same_seed_same_cases(exam: Exam) -> None:
    """Both times they are made anew: a case that draws elsewhere than from `draw` is found."""
    for one, other in zip(exam.hidden_cases(seed=1), exam.hidden_cases(seed=1), strict=True):
        for ours, theirs in ((one.arguments, other.arguments), (one.expected, other.expected)):
            assert identical(numbers_in(ours), numbers_in(theirs)), one.label


def numbers_in(value: object) -> object:
    """What of a value can be compared: a function or an object that a case makes is another one
    each time, and is told by its name.
    """
    if isinstance(value, Outcome):
        return numbers_in([value.value, str(value.raised), value.changed, value.printed])
    if isinstance(value, Mapping):
        return {str(key): numbers_in(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [numbers_in(entry) for entry in value]
    if isinstance(value, nn.Module):
        return numbers_in(value.state_dict())
    return getattr(value, "__qualname__", value)


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_no_exercise_tells_what_another_draws(lesson: str) -> None:
    """Whoever meets the inputs of one exercise knows none of another's in the same notebook."""
    known: dict[tuple[float, ...], str] = {}
    with drawing_from(5):
        for name, exam in exams_of(COURSE.exam_module(lesson)).items():
            for place, (function, *_) in enumerate(exam._cases):
                values = function(Draw((seed_for(name), place, 0)))
                for _, numbers in numbers_in_parts(values):
                    drawn = tuple(numbers.ravel()[:_FEW].tolist())
                    # A zero or a one is no draw, and nor is a number that was rounded.
                    if len(drawn) == _FEW and all(round(one, 3) != one for one in drawn):
                        assert known.setdefault(drawn, name) == name


MASKING = [
    pytest.param(exam, id=f"{lesson_number(lesson)}-{exam.name}")
    for exam, lesson in LESSON_OF.items()
    if exam.use is None and re.search(r"causal_mask\(|triu|tril", inspect.getsource(exam.reference))
]


@pytest.mark.parametrize("exam", sample(MASKING, 6))
def test_mask_for_few_tokens_is_not_enough(exam: Exam) -> None:
    """One that was made once, for eight of them, is right for no longer text."""

    def limited(*given: Any) -> object:
        if any(one > _MOST_TOKENS for one in sizes_in(given)):
            raise IndexError("the mask was made for fewer tokens")
        return exam.reference(*given)

    assert exam.examine(limited).verdict is not Verdict.PASSED


def sizes_in(value: object) -> Iterator[int]:
    """The whole numbers in a value, and the lengths of the axes of its tensors."""
    if isinstance(value, list | tuple):
        yield from (size for one in value for size in sizes_in(one))
    elif isinstance(value, Tensor):
        yield from value.shape
    elif isinstance(value, int):
        yield value


def test_nine_in_ten_are_named() -> None:
    unnamed = sum(len(proof.unnamed) for proofs in PROOFS.values() for proof in proofs.values())
    assert unnamed <= 0.1 * sum(len(exam.misconceptions) for exam in LESSON_OF)


def test_no_proof_is_left_over() -> None:
    proved = {(lesson, name) for lesson, proofs in PROOFS.items() for name in proofs}
    assert proved == {(lesson, exam.name) for exam, lesson in LESSON_OF.items()}


@pytest.mark.parametrize("lesson", COURSE.lessons())
def test_exams_are_found_by_their_exercises(lesson: str) -> None:
    module = COURSE.exam_module(lesson)
    folder, exams = Path(str(module.__file__)).parent, exams_of(module)
    for name, exam in exams.items():
        place = folder / in_snake_case(name)
        assert exam.where[0] in (place.with_suffix(".py"), place / "exam.py")
    found = {path.stem for path in folder.iterdir() if not path.name.startswith("_")}
    assert found == set(map(in_snake_case, exams))


def test_exams_are_short() -> None:
    for path in (COURSE.solutions / "exams").rglob("*.py"):
        assert len(path.read_text(encoding="utf-8").splitlines()) <= 450, path


def in_snake_case(name: str) -> str:
    """multi_head_attention for MultiHeadAttention, kv_cache for KVCache."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
