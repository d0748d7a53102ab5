"""`checks.json`: the printed examples of a lesson, with the numbers that come out of them.

Written by the build beside each notebook, read by the learner's check. It holds what the reference
and each misconception give on the printed examples, and nothing else.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from autograder.compare import Tolerance
from autograder.errors import CheckError, ExamError
from autograder.exam import Exam
from autograder.judge import Case, is_mistaken
from autograder.plain import decode, decode_outcome, encode, encode_outcome, find, importable

FILE = "checks.json"
_FORMAT = 1


@dataclass(frozen=True)
class Printed:
    """What a learner's check knows of one exercise."""

    cases: tuple[Case, ...]
    hints: Mapping[str, str]
    forbids: tuple[str, ...] = ()


def write(exams: Mapping[str, Exam]) -> str:
    """The text of `checks.json` for these exams; the same exams give the same text.

    Raises:
        ExamError: when an example holds what can't be shipped.
    """
    exercises = {name: _write_exam(exam) for name, exam in exams.items()}
    written = {"format": _FORMAT, "exercises": exercises}
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")) + "\n"


def read(folder: Path) -> dict[str, Printed]:
    """The printed examples of the lesson in `folder`, by exercise.

    Raises:
        CheckError: when the file is missing or not ours, or needs what is not installed.
    """
    path = folder / FILE
    try:
        written = json.loads(path.read_text(encoding="utf-8"))
        if written["format"] != _FORMAT:
            raise CheckError(
                f"{path} has format {written['format']}, this version of autograder reads "
                f"{_FORMAT}: install the version that came with the notebook"
            )
        return {name: _read_exam(exam) for name, exam in written["exercises"].items()}
    except FileNotFoundError:
        raise CheckError(
            f"{FILE} is not in {folder}: keep it beside the notebook it came with"
        ) from None
    except ImportError as error:
        raise CheckError(
            f"{path} needs what is not installed ({error}): install the version of the course that "
            "came with the notebook"
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError, RuntimeError) as error:
        raise CheckError(
            f"{path} is damaged ({error}): copy it again from where the notebook came from"
        ) from error


def _write_exam(exam: Exam) -> dict[str, Any]:
    cases = [_write_case(case) for case in exam.printed_cases()]
    driver = {"use": importable(exam.use)} if exam.use else {}
    # The reference's package is not among what learners get.
    package = exam.reference.__module__.split(".")[0]
    pattern = rf'\{{"(?:function|use)": "({re.escape(package)}[.:][^"]*)"'
    secret = re.search(pattern, json.dumps([cases, driver]))
    if secret:
        raise ExamError(f"the exam of {exam.name} prints {secret[1]}, which learners don't have")
    rules = {"forbids": list(exam.forbids)} if exam.forbids else {}
    return {"hints": exam.hints, **driver, **rules, "cases": cases}


def _write_case(case: Case) -> dict[str, Any]:
    outcomes = {name: run() for name, run in case.lookalikes.items()}
    mistaken = {name: one for name, one in outcomes.items() if is_mistaken(one, case)}
    return {
        "label": case.label,
        "arguments": {name: encode(value) for name, value in case.arguments.items()},
        "names": list(case.names),
        "reveal": case.reveal,
        "tolerance": [case.tolerance.absolute, case.tolerance.relative],
        "expected": encode_outcome(case.expected),
        # Whoever is not named here does what is expected.
        "lookalikes": {name: encode_outcome(one) for name, one in mistaken.items()},
    }


def _read_exam(written: dict[str, Any]) -> Printed:
    use = find(written["use"]) if "use" in written else None
    cases = tuple(_read_case(case, written["hints"], use) for case in written["cases"])
    return Printed(cases, written["hints"], tuple(written.get("forbids", ())))


def _read_case(
    written: dict[str, Any], misconceptions: Iterable[str], use: Callable[..., object] | None
) -> Case:
    expected = decode_outcome(written["expected"])
    mistaken = dict.fromkeys(misconceptions, expected) | {
        name: decode_outcome(one) for name, one in written["lookalikes"].items()
    }
    return Case(
        label=written["label"],
        arguments={name: decode(value) for name, value in written["arguments"].items()},
        expected=expected,
        tolerance=Tolerance(*written["tolerance"]),
        lookalikes={name: partial(mistaken.__getitem__, name) for name in misconceptions},
        names=tuple(written["names"]),
        reveal=written["reveal"],
        use=use,
    )
