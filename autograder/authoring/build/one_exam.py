"""What an exam tries, names and accepts, and where each of that is declared."""

import difflib
import inspect
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.authoring.build.matching import every_exam
from autograder.authoring.build.proofs import Proofs
from autograder.authoring.lesson.personal import course_lesson
from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.case import WITH_ANOTHER, Case
from autograder.checks.exam.exam import Exam
from autograder.checks.exam.habits import ASPECTS
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.values.parts import (
    is_buffer,
    is_gradient,
    is_of_several_calls,
    tells_refusal,
)
from autograder.course import Course, lesson_number
from autograder.errors import LessonNotFound

_WIDTH = 30


@dataclass(frozen=True)
class KnownExam:
    """An exercise by its name, with its lesson and its exam."""

    lesson: str
    exam: Exam


def exams_called(course: Course, name: str) -> list[KnownExam]:
    """The exams of an exercise, or those that know a mistake or a family of that name.

    Raises:
        LessonNotFound: when nothing is called so.
    """
    every = [
        KnownExam(lesson, exam)
        for lesson in course.lessons()
        for exam in every_exam(course, lesson).values()
    ]
    found = [one for one in every if one.exam.name == name]
    found = found or [one for one in every if name in _mistakes(one.exam)]
    found = found or [one for one in every if any(_from_family(one.exam, name))]
    if not found:
        known = {one.exam.name for one in every} | {
            mistake for one in every for mistake in _mistakes(one.exam)
        }
        near = difflib.get_close_matches(name, known, 3)
        hint = f": did you mean {' or '.join(near)}?" if near else ""
        raise LessonNotFound(f"no exercise and no mistake is called {name!r}{hint}")
    return found


def told(course: Course, found: KnownExam) -> Iterator[str]:
    """What one exam tries, names and accepts, a line each."""
    exam = found.exam
    yield f"{exam.name}, lesson {lesson_number(found.lesson)}: {exam_place(course, exam)}"
    yield "\nIt tries"
    for label in dict.fromkeys(case.label for case in exam.printed_cases()):
        yield f"  {label} (printed)"
    for words, times in exam.drawn:
        yield f"  {words} (drawn {'once' if times == 1 else f'{times} times'})"
    hidden = exam.hidden_cases()
    asked = {case.way for case in hidden if case.way and not case.printed}
    yield from (f"  one of these, {way.words}" for name, way in WAYS.items() if name in asked)
    if any(case.group == "single" for case in hidden):
        yield "  some of these, with a single entry along an axis"
    exchanged = [case.label.partition(WITH_ANOTHER)[2] for case in hidden]
    if names := dict.fromkeys(filter(None, exchanged)):
        yield f"  some of these again, each with another value of one argument: {', '.join(names)}"
    must = dict.fromkeys(sentence for case in hidden for sentence in case.properties)
    yield from (f"  {sentence} (must hold)" for sentence in must)
    points = course_lesson(course, found.lesson).points.get(exam.name, 0)
    half = Report(exam.name, Verdict.WRONG, right_but_for="one thing" if exam.drawn else "")
    earned = half.graded_for(points, halves=course.settings.partial_credit).earned(points)
    if earned:
        yield f"\nIt gives {earned:g} of {points} points to what is right but for one of"
        yield f"  {', '.join(_aspects_of(exam, hidden))}"
        yield from (f"  {what}: {' · '.join(cases)}" for what, cases in exam.halves.items())
    if exam.forbids:
        yield f"\nIt forbids {', '.join(exam.forbids)}"
    for aspect, reason in exam.unasked.items():
        yield f"\nIt does not ask for {ASPECTS[aspect]}: {reason}"
    for name, reason in exam.allows.items():
        yield f"\nIt allows {name} as the whole answer: {reason}"
    # Of an exercise that is left out, or not built yet, nothing need be known.
    proof = Proofs(course).of(found.lesson).get(exam.name)
    unnamed, halves = (proof.unnamed, proof.halves) if proof else ({}, {})
    yield f"\nIt names {len(exam.misconceptions)} mistakes"
    for name, wrong in exam.misconceptions.items():
        yield _in_columns(name, place_of(course, wrong))
        if name in unnamed:
            yield f"    not named by its check: {unnamed[name]}"
        if earned and name in halves:
            yield f"    earns {earned:g} of {points} points: right but for {halves[name]}"
    yield f"\nIt accepts {len(exam.accepted)} other styles"
    for name, right in exam.accepted.items():
        yield _in_columns(name, place_of(course, right))


def _aspects_of(exam: Exam, hidden: Sequence[Case]) -> Iterator[str]:
    """What alone may be wrong for half of the points: what one of the hidden cases can tell."""
    ways = {WAYS[case.way].about for case in hidden if case.way and not case.printed}
    values = [case.expected.value for case in hidden]
    parts = [key for value in values if type(value) is dict for key in value if type(key) is str]
    refuses = any(case.expected.raised or tells_refusal(case.expected.value) for case in hidden)
    tells = {
        **{way.about: way.about in ways for way in WAYS.values()},
        "gradients": "gradients" in ways or any(map(is_gradient, parts)),
        "buffer": any(map(is_buffer, parts)),
        "dropout": any(map(is_of_several_calls, parts)),
        "errors": refuses,
    }
    left = {*exam.about, *(aspect for aspect, told in tells.items() if not told)}
    return (words for aspect, words in ASPECTS.items() if aspect not in left)


def told_of_a_mistake(course: Course, name: str, found: list[KnownExam]) -> Iterator[str]:
    """The exercises that know a mistake, a line each."""
    yield f"{name} reaches {len(found)} exercise{'s' if len(found) > 1 else ''}"
    for one in found:
        family = {*_from_family(one.exam, name)}
        for known, wrong in one.exam.misconceptions.items():
            if known in family or name in (known, _declared(wrong).__name__):
                exercise = f"{lesson_number(one.lesson)} {one.exam.name}"
                other = f" as {known}" if known != name else ""
                yield _in_columns(exercise, f"{place_of(course, wrong)}{other}")


def _in_columns(name: str, rest: str) -> str:
    return f"  {name:{_WIDTH}} {rest}"


def exam_place(course: Course, exam: Exam) -> str:
    """Where an exam begins."""
    path, line = exam.where
    return f"{path.relative_to(course.root) if path.is_relative_to(course.root) else path}:{line}"


def place_of(course: Course, answer: Callable[..., object]) -> str:
    """Where an answer is declared: in the exam, or in the family that it is from."""
    # One that a decorator has wrapped, such as torch.no_grad, is where it is written.
    declared = inspect.unwrap(_declared(answer))
    try:
        path, (_, line) = inspect.getsourcefile(declared), inspect.getsourcelines(declared)
    except (OSError, TypeError):
        return "made by the exam"
    return f"{_short(course, Path(str(path)))}:{line}"


def _mistakes(exam: Exam) -> set[str]:
    """The names of an exam's mistakes, and those that their families have for them."""
    declared = {_declared(wrong).__name__ for wrong in exam.misconceptions.values()}
    return {*exam.misconceptions, *declared}


def _from_family(exam: Exam, name: str) -> Iterator[str]:
    """The mistakes that a family of this name, such as MASK_VALUES, has brought to an exam."""
    for known, wrong in exam.misconceptions.items():
        declared = _declared(wrong)
        family = getattr(sys.modules.get(declared.__module__), name, None)
        if declared in getattr(family, "slips", ()):
            yield known


def _declared(answer: Callable[..., object]) -> Callable[..., object]:
    """What a family has made an answer of, or else the answer itself."""
    declared: Callable[..., object] = getattr(answer, "declared_by", answer)
    return declared


def _short(course: Course, path: Path) -> str:
    for folder in (course.solutions / "exams", course.root):
        if path.is_relative_to(folder):
            return str(path.relative_to(folder))
    return str(path)
