"""Printed examples as text, for a search in another process."""

from collections.abc import Sequence
from typing import Any

from autograder.exam.judge import Case
from autograder.values.as_json import (
    find,
    from_json,
    importable,
    outcome_from_json,
    outcome_to_json,
    to_json,
)
from autograder.values.compare import Tolerance


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
        }
        for case in cases
    ]


def read(cases: Sequence[dict[str, Any]]) -> list[Case]:
    """The cases that `written` wrote."""
    return [
        Case(
            label="",
            arguments={name: from_json(value) for name, value in one["arguments"].items()},
            expected=outcome_from_json(one["expected"]),
            tolerance=Tolerance(*one["tolerance"]),
            lookalikes={},
            names=tuple(one["names"]),
            use=find(one["use"]) if one["use"] else None,
        )
        for one in cases
    ]
