"""What a check reads in a browser is what it reads here, kinds of numbers included."""

import json
from pathlib import Path

import numpy as np
import pytest

from autograder.authoring.browser.through_javascript import kept_whole
from autograder.checks.examples import FILE, read
from autograder.checks.values.as_json import from_json, to_json
from tests.support.course import COURSE


def through_javascript(text: str) -> str:
    """What JSON.stringify(JSON.parse(text)) makes of numbers."""

    def number(written: str) -> float:
        value = float(written)
        return int(value) if value.is_integer() else value

    return json.dumps(json.loads(text, parse_float=number))


def kinds(value: object) -> object:
    if isinstance(value, np.ndarray):
        return str(value.dtype), value.tolist()
    if isinstance(value, dict):
        return {name: kinds(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value), [*map(kinds, value)]
    return type(value), value


@pytest.mark.parametrize(
    "value", [2.0, -0.0, 1e300, 2, True, [1.0, 2], (0.5, 3.0), {"by": 4.0}, np.ones(2)], ids=str
)
def test_argument_keeps_its_kind(value: object) -> None:
    text = json.dumps({"cases": [{"arguments": {"x": to_json(value)}}]})
    (case,) = json.loads(through_javascript(kept_whole(text)))["cases"]
    assert kinds(from_json(case["arguments"]["x"])) == kinds(value)


@pytest.mark.parametrize("lesson", COURSE.lessons_named(COURSE.settings.browser))
def test_lesson_keeps_all_of_it(lesson: str, tmp_path: Path) -> None:
    folder = COURSE.release_folder(lesson)
    text = through_javascript(kept_whole((folder / FILE).read_text(encoding="utf-8")))
    (tmp_path / FILE).write_text(text, encoding="utf-8")
    here, there = read(folder), read(tmp_path)
    assert (there.lesson, there.descriptions) == (here.lesson, here.descriptions)
    assert [*there] == [*here]
    for name, exercise in here.items():
        assert there[name].hints == exercise.hints
        for one, other in zip(there[name].cases, exercise.cases, strict=True):
            assert kinds(one.arguments) == kinds(other.arguments)
            assert kinds(one.expected.value) == kinds(other.expected.value)
            assert one.tolerance == other.tolerance
