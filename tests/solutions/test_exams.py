"""The test of the tests: every known mistake is caught and named, every right style passes.

`tests/whole/test_processors.py` tries the same on other cases, as on another processor.
"""

import os
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest
from torch import nn

from autograder.course import lesson_number
from autograder.exam.exam import Exam, exams_of
from autograder.exam.report import Verdict
from autograder.lesson.tables.misconceptions import (
    FILE,
    Trial,
    judge_misconceptions,
    section,
    sections_in,
)
from autograder.values.compare import identical
from autograder.values.outcome import Outcome
from tests.support.course import COURSE

EXAMS = [
    pytest.param(exam, id=f"{lesson_number(lesson)}-{name}")
    for lesson in COURSE.lessons()
    for name, exam in exams_of(COURSE.exam_module(lesson)).items()
]
WORKSHEET = "_by_hand"
# Those of every third exercise are judged, unless all are asked for; the build judges all.
EVERY = "AUTOGRADER_MISCONCEPTIONS" in os.environ
JUDGED = EXAMS if EVERY else EXAMS[::3]


@cache
def judged(exam: Exam) -> tuple[Trial, ...]:
    """What becomes of an exam's misconceptions, found out once for all tests."""
    return tuple(judge_misconceptions(exam))


@pytest.mark.parametrize("exam", EXAMS)
def test_reference_passes(exam: Exam) -> None:
    for seed in (0, 2026):
        assert exam.examine(exam.reference, seed).verdict is Verdict.PASSED
    assert exam.preview(exam.reference).verdict is Verdict.PASSED


@pytest.mark.parametrize("exam", EXAMS)
def test_right_styles_pass(exam: Exam) -> None:
    for right in exam.accepted.values():
        report = exam.examine(right)
        assert report.verdict is Verdict.PASSED, report.lines()
    # A worksheet is a list of numbers: there is one way to write it.
    if not exam.name.endswith(WORKSHEET):
        assert len(exam.accepted) >= 3


@pytest.mark.parametrize("exam", JUDGED)
def test_misconceptions_are_caught(exam: Exam) -> None:
    assert len(exam.misconceptions) >= 4
    assert [trial.misconception for trial in judged(exam) if not trial.caught] == []
    name, wrong = next(iter(exam.misconceptions.items()))
    report = exam.examine(wrong)
    assert report.verdict is not Verdict.PASSED
    assert report.hint == exam.hints[name]


@pytest.mark.parametrize("exam", JUDGED)
def test_check_names_what_it_can(exam: Exam) -> None:
    """A misconception that the check does not name gives the right numbers on every example."""
    for trial in judged(exam):
        assert trial.named or trial.reason, trial.misconception


@pytest.mark.parametrize("exam", EXAMS)
def test_unwritten_is_calm(exam: Exam) -> None:
    def unwritten(*_: object, **__: object) -> None:
        raise NotImplementedError

    assert exam.examine(unwritten).verdict is Verdict.NOT_IMPLEMENTED
    assert exam.preview(unwritten).verdict is Verdict.NOT_IMPLEMENTED


@pytest.mark.parametrize("exam", EXAMS)
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
def test_table_is_current(lesson: str) -> None:
    known = [exam.values[0] for exam in JUDGED]
    exams = exams_of(COURSE.exam_module(lesson)).values()
    others = tuple(f"| `{exam.name}` |" for exam in exams if exam not in known)
    committed = sections_in((COURSE.root / FILE).read_text(encoding="utf-8"))[lesson]
    kept = [line for line in committed.splitlines() if not line.startswith(others)]
    made = section(COURSE, lesson, lambda exam: judged(exam) if exam in known else ())
    assert kept == made.splitlines()


def test_nine_in_ten_are_named() -> None:
    trials = [trial for exam in JUDGED for trial in judged(exam.values[0])]
    assert sum(trial.named for trial in trials) >= 0.9 * len(trials)


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
