"""A report for programs: everything as JSON, and each result as a row of CSV."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from autograder.checks.card.spreadsheet import as_text
from autograder.insight.survey import findings
from autograder.insight.survey.alike import ALL, Alike, rows_of
from autograder.insight.survey.classwork import Classwork

_COLUMNS = (
    "lesson", "student", "exercise", "points", "out_of", "verdict", "misconception", "hint",
    "place", "exception", "message", "seconds",
)  # fmt: skip
_PAIR = (
    "lesson", "student", "other", "figure", "same_lines", "exercise", "share_of_figure", "mistake",
    "usual",
)  # fmt: skip


def as_json(works: Sequence[Classwork], alike: Mapping[str, Alike]) -> str:
    """All that the page shows, and each result, by lesson; what is about several, behind them."""
    report: dict[str, dict[str, Any]] = {
        work.lesson: {
            "out_of": work.out_of,
            "students": {
                who: {"points": work.points[who], "seconds": work.seconds[who]}
                for who in work.students
            },
            "not_graded": dict(work.not_graded),
            "noticed": dict(work.noticed),
            "exercises": [asdict(one) for one in findings.exercises_of(work)],
            "misconceptions": [asdict(one) for one in findings.misconceptions_of(work)],
            "places": [asdict(one) for one in findings.places_of(work)],
            "exceptions": [asdict(one) for one in findings.exceptions_of(work)],
            "alike": _pairs(alike[work.lesson]) if work.lesson in alike else None,
            "results": [
                {**asdict(one), "verdict": one.verdict.name.lower()} for one in work.results
            ],
        }
        for work in works
    }
    if ALL in alike:
        report[ALL] = {"alike": _pairs(alike[ALL])}
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def as_csv(works: Sequence[Classwork]) -> str:
    """A row for each result; no name or message is a formula to whoever calculates."""
    return _table(
        _COLUMNS,
        (
            {**asdict(one), "lesson": work.lesson, "verdict": one.verdict.value}
            for work in works
            for one in work.results
        ),
    )


def alike_as_csv(alike: Mapping[str, Alike]) -> str:
    """A row for each exercise that a pair of students has in common."""
    return _table(_PAIR, rows_of(alike))


def _pairs(alike: Alike) -> dict[str, Any]:
    return {
        "same": [asdict(one) for one in alike.same],
        "pairs": [{**asdict(pair), "figure": pair.times} for pair in alike.pairs],
        "too_long": alike.answers.too_long,
        "not_read": alike.answers.not_read,
    }


def _table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    table.writerow(columns)
    for row in rows:
        table.writerow([as_text(row[name]) for name in columns])
    return text.getvalue()
