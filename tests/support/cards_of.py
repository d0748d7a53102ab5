"""Checks every known answer of some lessons, and prints the cards: here, or in Pyodide.

The argument is JSON: the course's `folder`, the `lessons` and their `exercises`. What is printed is
JSON too: of each answer the card, as text and as HTML, behind what it is known as. The answers are
the exams' own functions, so their modules have the exercises of other lessons too; where there is
no PyTorch, something stands in for it while they are imported, and is gone when they are checked.
"""

import importlib.util
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from autograder.checks.card.as_html import bundle
from autograder.checks.check import judged
from autograder.checks.exam.exam import Exam, exams_of
from autograder.checks.examples import Shipped, read
from autograder.checks.locate.where import with_places
from autograder.course import Course

TORCH = ("torch", "torch.nn", "torch.nn.functional")


class AnyName(type):
    """Classes, and a module, in which every name is one more such class: to derive from, to call
    for a decorator, to write as a type. Nothing is ever computed with them.
    """

    def __getattr__(cls, name: str) -> "AnyName":
        if name.startswith("__"):
            raise AttributeError(name)
        return AnyName(name, (StandIn,), {})


class StandIn(metaclass=AnyName):
    def __init__(self, *arguments: object, **options: object) -> None:
        pass

    def __call__(self, decorated: object) -> object:
        return decorated


def all_exams(course: Course, lessons: list[str]) -> dict[str, dict[str, Exam]]:
    missing = TORCH if importlib.util.find_spec("torch") is None else ()
    sys.modules.update({name: AnyName(name, (StandIn,), {}) for name in missing})  # type: ignore[misc]
    modules = {lesson: course.exam_module(lesson) for lesson in lessons}
    for name in missing:
        del sys.modules[name]
    return {lesson: dict(exams_of(module)) for lesson, module in modules.items()}


def answers_of(exam: Exam) -> Iterator[tuple[str, Callable[..., Any]]]:
    yield "reference", exam.reference
    yield from exam.misconceptions.items()
    yield from exam.accepted.items()


def card(shipped: Shipped, name: str, answer: Callable[..., Any]) -> list[object]:
    exercise, report, keeps_rules = judged(answer, {name: answer}, shipped)
    if keeps_rules and exercise.places:
        report = with_places(report, answer, exercise.cases)
    shown = bundle(report)
    return [report.misconception or report.verdict.value, shown["text/plain"], shown["text/html"]]


def cards(folder: str, lessons: list[str], exercises: list[str]) -> dict[str, list[object]]:
    course = Course(Path(folder))
    found = {}
    for lesson, exams in all_exams(course, lessons).items():
        shipped = read(course.release_folder(lesson))
        for name in exams.keys() & {*exercises}:
            for kind, answer in answers_of(exams[name]):
                found[f"{name}: {kind}"] = card(shipped, name, answer)
    return found


print(json.dumps(cards(**json.loads(sys.argv[1]))))
