"""The records of a small class that was graded, for what a report makes of them."""

import json
from pathlib import Path
from typing import Any

from autograder.course import Course
from autograder.grading.record import RECORD_SUFFIX

LESSON = "week1"
HINT = "Divide by the root of the width, not by the width."
PLACE = {"line": 3, "text": "return x.sum(0)", "about": "an axis", "more": "the axis of the sum"}


def cell(name: str, verdict: str, points: float = 0.0, **more: Any) -> dict[str, Any]:
    """One test in a record, worth 2 points."""
    start = {"grade_id": f"{name}_check", "verdict": verdict, "points": points, "max_points": 2.0}
    empty = {"message": "", "misconception": "", "hint": "", "seconds": 0.1, "places": []}
    return {**start, **empty, **more}


def unscaled(name: str) -> dict[str, Any]:
    return cell(name, "wrong", misconception="by_width", hint=HINT)


CLASS = {
    "ada": [cell("scale", "passed", 2.0), cell("mix", "passed", 2.0)],
    "ben": [unscaled("scale"), cell("mix", "wrong", 1.0, message="1 of 2 points")],
    "cleo": [unscaled("scale"), cell("mix", "timeout", message="it ran for too long")],
    "dan": [cell("scale", "not_implemented"), cell("mix", "wrong", places=[PLACE])],
    "eve": [cell("scale", "not_gradable"), cell("mix", "exception", message="NameError: <x>")],
}


def add_record(
    course: Course, student: str, cells: list[dict[str, Any]], lesson: str = LESSON, **more: Any
) -> None:
    """What a grading leaves of a submission, in place of what an earlier one has."""
    folder = course.root / "autograded" / student / lesson
    folder.mkdir(parents=True, exist_ok=True)
    record = {"version": 1, "seconds": 1.5, "remarks": [], "cells": cells, **more}
    (folder / f"{lesson}{RECORD_SUFFIX}").write_text(json.dumps(record))


def graded(root: Path, lesson: str = LESSON) -> Course:
    """A course in which a class was graded."""
    for student, cells in CLASS.items():
        add_record(Course(root), student, cells, lesson)
    for student in ("ada", "finn"):
        (root / "submitted" / student / lesson).mkdir(parents=True)
    return Course(root)
