"""Printed examples as text, for a search in another process."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from autograder.checks.exam.case import Case
from autograder.checks.values.as_json import (
    find,
    from_json,
    importable,
    outcome_from_json,
    outcome_to_json,
    to_json,
)
from autograder.checks.values.compare import Tolerance
from autograder.checks.values.precision import printed


def written(cases: Sequence[Case]) -> list[dict[str, Any]]:
    """What a search needs of cases, as what `json` can write.

    Raises:
        ExamError: for a value that can't be written so.
    """
    return [
        {
            "arguments": {name: to_json(value) for name, value in case.arguments.items()},
            "expected": outcome_to_json(case.expected),
            "tolerance": [case.tolerance.absolute, case.tolerance.relative],
            "use": importable(case.use) if case.use else None,
            "names": list(case.names),
            "way": case.way,
            "lookalikes": {name: _lookalike(name, case) for name in case.lookalikes},
            "single": sorted(case.single),
        }
        for case in cases
    ]


def _lookalike(name: str, case: Case) -> dict[str, Any] | None:
    """What a misconception does; nothing where it makes no difference."""
    return outcome_to_json(case.lookalikes[name]()) if case.shows(name) else None


def read(cases: Sequence[dict[str, Any]]) -> list[Case]:
    """The cases that `written` wrote."""
    return [_read(one) for one in cases]


def _read(one: dict[str, Any]) -> Case:
    arguments = {name: from_json(value) for name, value in one["arguments"].items()}
    expected, names = outcome_from_json(one["expected"]), tuple(one["names"])
    lookalikes = {
        name: outcome_from_json(there) if there else expected
        for name, there in one["lookalikes"].items()
    }
    return Case(
        label="",
        arguments=arguments,
        expected=expected,
        tolerance=printed(Tolerance(*one["tolerance"]), arguments, expected.value, names),
        lookalikes={name: partial(lookalikes.__getitem__, name) for name in lookalikes},
        names=names,
        use=find(one["use"]) if one["use"] else None,
        way=one["way"],
        single=frozenset(one["single"]),
    )
