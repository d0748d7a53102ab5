"""A report for programs: everything as JSON, and each result as a row of CSV."""

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict

from autograder.exports.as_text import as_text
from autograder.survey import findings
from autograder.survey.classwork import Classwork

_COLUMNS = (
    "lesson", "student", "exercise", "points", "out_of", "verdict", "misconception", "hint",
    "place", "message", "seconds",
)  # fmt: skip


def as_json(works: Sequence[Classwork]) -> str:
    """All that the page shows, and each result, by lesson."""
    report = {
        work.lesson: {
            "out_of": work.out_of,
            "students": {
                who: {"points": work.points[who], "seconds": work.seconds[who]}
                for who in work.students
            },
            "not_graded": list(work.not_graded),
            "exercises": [asdict(one) for one in findings.exercises_of(work)],
            "misconceptions": [asdict(one) for one in findings.misconceptions_of(work)],
            "places": [asdict(one) for one in findings.places_of(work)],
            "results": [
                {**asdict(one), "verdict": one.verdict.name.lower()} for one in work.results
            ],
        }
        for work in works
    }
    return json.dumps(report, indent=1, ensure_ascii=False) + "\n"


def as_csv(works: Sequence[Classwork]) -> str:
    """A row for each result; no name or message is a formula to whoever calculates."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    table.writerow(_COLUMNS)
    for work in works:
        for one in work.results:
            row = {**asdict(one), "lesson": work.lesson, "verdict": one.verdict.value}
            table.writerow([as_text(row[name]) for name in _COLUMNS])
    return text.getvalue()
