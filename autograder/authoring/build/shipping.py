"""Writes what `examples` reads: what ships of each exercise, one line for each.

Processors don't compute the same digits, so what is there is not compared with what is computed
anew by its bytes. It is *current* if its numbers agree within a part of what the check's own
comparison allows, and all else is the same: then it stays as it is. What goes through single
precision on its way has the digits of that, whatever its dtype says, and is compared accordingly.
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from autograder.checks.exam.case import Case, is_mistaken
from autograder.checks.exam.exam import Exam
from autograder.checks.examples import FORMAT, as_printed
from autograder.checks.packed import pack
from autograder.checks.values.as_json import importable, outcome_to_json, to_json
from autograder.checks.values.compare import Tolerance, differences, identical
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.precision import (
    DOUBLE,
    NUDGE,
    are_apart,
    goes_through_single,
    is_noise,
)
from autograder.checks.values.precision import printed as printed_tolerance
from autograder.checks.values.rounding import MOVED, current, shipped, with_numbers
from autograder.checks.values.tensors import cast_all
from autograder.errors import ExamError

Entry = Mapping[str, Any]


def write(
    exams: Mapping[str, Exam],
    *,
    lesson: str = "",
    places: bool = True,
    descriptions: Mapping[str, str] | None = None,
) -> str:
    """The text of `checks.json` for these exams, all of it computed anew.

    The `lesson` is what it is called for short. Without `places`, no check of the lesson says where
    to look. The `descriptions` are those of figures, by name.

    Raises:
        ExamError: when an example holds what can't be shipped.
    """
    entries = {name: entry(exam, places) for name, exam in exams.items()}
    return text_of(entries, lesson=lesson, descriptions=descriptions)


def text_of(
    entries: Mapping[str, Entry],
    *,
    lesson: str = "",
    descriptions: Mapping[str, str] | None = None,
) -> str:
    """The text of `checks.json`: a line for each exercise, so that a change of one is one."""
    lines = [f"{_compact(name)}:{_compact(one)}" for name, one in entries.items()]
    figures = f'"descriptions":{_compact({**descriptions})},\n' if descriptions else ""
    exercises = ",\n".join(lines)
    called = f'"lesson":{_compact(lesson)},' if lesson else ""
    return f'{{"format":{FORMAT},{called}\n{figures}"exercises":{{\n{exercises}\n}}}}\n'


def entries_in(text: str) -> Mapping[str, Entry]:
    """What a text of `checks.json` holds of each exercise; nothing if it is no such text."""
    try:
        written = json.loads(text)
        return dict(written["exercises"]) if written["format"] == FORMAT else {}
    except (ValueError, KeyError, TypeError):
        return {}


def is_current(there: Entry, anew: Entry) -> bool:
    """Whether what is there of an exercise is what was computed anew, but for a processor's digits.

    Names, shapes, dtypes, texts and their order are compared exactly; numbers, as the check
    compares them, within a part of its tolerance.
    """
    if {**there, "outcomes": ""} != {**anew, "outcomes": ""}:
        return False
    try:
        cases = as_printed(there).cases
    except ValueError:
        return False  # it is damaged
    pairs = zip(cases, as_printed(anew).cases, strict=True)
    return all(_agree(one, other) for one, other in pairs)


def _agree(one: Case, other: Case) -> bool:
    if one.single != other.single:
        return False
    # What is noise on another processor may not be here.
    return _same(one.expected, other.expected, one.tolerance) and all(
        name in other.lookalikes
        and one.shows(name) == other.shows(name)
        and _same(run(), other.lookalikes[name](), _tolerance_of(name, one))
        for name, run in one.lookalikes.items()
    )


def _tolerance_of(name: str, case: Case) -> Tolerance:
    """How far a misconception's numbers may be off: where they are larger than those expected, so
    is the noise in them.
    """
    value = case.lookalikes[name]().value
    return printed_tolerance(case.tolerance_of(name), case.arguments, value, case.names)


def _same(one: Outcome, other: Outcome, tolerance: Tolerance) -> bool:
    if replace(one, value=None) != replace(other, value=None):
        return False
    return not any(True for _ in differences(one.value, other.value, current(tolerance)))


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def entry(exam: Exam, places: bool = True) -> Entry:
    """What ships of an exercise.

    Raises:
        ExamError: when an example holds what can't be shipped.
    """
    printed = exam.printed_cases()
    outcomes = [_write_outcomes(case, exam) for case in printed]
    cases = [_write_case(case) for case in printed]
    driver = {"use": importable(exam.use)} if exam.use else {}
    # The reference's package is not among what learners get.
    package = exam.reference.__module__.split(".")[0]
    pattern = rf'\{{"(?:function|use)": "({re.escape(package)}[.:][^"]*)"'
    secret = re.search(pattern, json.dumps([cases, outcomes, driver]))
    if secret:
        raise ExamError(f"the exam of {exam.name} prints {secret[1]}, which learners don't have")
    rules: dict[str, Any] = {"forbids": list(exam.forbids)} if exam.forbids else {}
    if not (places and exam.places):
        rules["places"] = False
    axes = {"axes": exam.axes} if exam.axes else {}
    inputs = {"inputs": exam.inputs} if exam.inputs else {}
    untried = {"untried": exam.untried} if exam.untried else {}
    made = {
        "hints": exam.hints,
        **driver,
        **rules,
        **axes,
        **inputs,
        **untried,
        "cases": cases,
        "outcomes": pack(outcomes),
    }
    # As it comes back: tuples as lists.
    as_read: Entry = json.loads(json.dumps(made))
    return as_read


def _write_case(case: Case) -> dict[str, Any]:
    return {
        "label": case.label,
        "arguments": {name: to_json(value) for name, value in case.arguments.items()},
        "names": list(case.names),
        "reveal": case.reveal,
        "tolerance": [case.tolerance.absolute, case.tolerance.relative],
        **({"way": case.way} if case.way else {}),
    }


def _write_outcomes(case: Case, exam: Exam) -> dict[str, Any]:
    precisely = {name: cast_all(value, DOUBLE) for name, value in case.arguments.items()}
    is_precise = identical(precisely, case.arguments)

    def precise(outcome: Outcome, function: Callable[..., object]) -> Outcome:
        return outcome if is_precise else replace(case, arguments=precisely).observe(function)

    exact = precise(case.expected, exam.reference)
    case = replace(case, expected=shipped(case.expected, exact, case.tolerance))
    if is_precise:
        # What is expected has all its digits: then a misconception's can be told from them.
        case = replace(case, single=frozenset(_in_single(case, exam)))
    pairs = {
        name: (run(), precise(run(), exam.misconceptions[name]))
        for name, run in case.lookalikes.items()
    }
    noise = [name for name, pair in pairs.items() if _is_noise(name, *pair, case, exam)]
    outcomes = {
        name: shipped(*pair, case.tolerance_of(name))
        for name, pair in pairs.items()
        if name not in noise
    }
    mistaken = {
        name: one for name, one in outcomes.items() if _is_surely_mistaken(name, one, case, exam)
    }
    single = [name for name in mistaken if name in case.single]
    return {
        "expected": outcome_to_json(case.expected),
        # Whoever is not named here does what is expected.
        "lookalikes": {name: outcome_to_json(one) for name, one in mistaken.items()},
        **({"single": single} if single else {}),
        # Of these, the case says nothing.
        **({"noise": noise} if noise else {}),
    }


def _is_noise(name: str, outcome: Outcome, precise: Outcome, case: Case, exam: Exam) -> bool:
    """Whether rounding decides what a misconception computes in single precision."""
    tolerance = _tolerance_of(name, case)
    if outcome.raised or not are_apart(outcome.value, precise.value, tolerance, case.names):
        return False
    wrong = exam.misconceptions[name]
    # A small step may change nothing in single precision.
    for below, above in (_around(case, times * NUDGE) for times in (1, 8, 64)):
        one, other = (replace(case, arguments=given).observe(wrong) for given in (below, above))
        if one.raised or other.raised:
            return True
        if is_noise(one.value, outcome.value, other.value, tolerance, case.names):
            return True
    return False


def _around(case: Case, share: float) -> list[dict[str, Any]]:
    """A case's arguments, with all numbers smaller by a share, and larger."""
    given = {**case.arguments}
    return [with_numbers(given, partial(np.multiply, 1 + sign * share)) for sign in (-1, 1)]


def _is_surely_mistaken(name: str, outcome: Outcome, case: Case, exam: Exam) -> bool:
    """Whether an outcome is wrong on every machine, or right on every one.

    Raises:
        ExamError: when it is wrong by about as much as is allowed, where last digits decide.
    """
    mistaken, above = (
        is_mistaken(outcome, replace(case, tolerance=case.tolerance.times(1 + share)))
        for share in (-MOVED, MOVED)
    )
    # A worksheet's numbers are made of few decimals in double precision, the same everywhere.
    if mistaken and not above and case.reveal:
        path, line = exam.where
        raise ExamError(
            f"{path}:{line}: the misconception {name} of {exam.name} is wrong on the example "
            f'"{case.label}" by about as much as a comparison allows: give the example other '
            "numbers, so that no last digit decides"
        )
    return mistaken


def _in_single(case: Case, exam: Exam) -> list[str]:
    """The misconceptions that go through single precision in a case of double precision."""
    around = _around(case, NUDGE)
    if any(identical(one, case.arguments) for one in around):
        return []
    found = []
    for name, run in case.lookalikes.items():
        if not run().raised and is_mistaken(run(), case):
            wrong = exam.misconceptions[name]
            below, above = (replace(case, arguments=one).observe(wrong).value for one in around)
            if goes_through_single(below, run().value, above):
                found.append(name)
    return found
