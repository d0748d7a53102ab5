"""What is told of other right answers: it runs as it is shown, and reads well."""

import ast
from itertools import takewhile

import pytest

from autograder.authoring.lesson.lesson import Code, Exercise
from autograder.checks.exam.report import Verdict
from autograder.learner.other_answers import other_answers
from tests.support.course import COURSE, as_written, every_exam
from tests.support.sample import sample


@pytest.fixture(scope="module")
def told() -> dict[str, dict[str, str]]:
    """The other answers to each exercise that has some, by its place."""
    return {
        place: others
        for place in every_exam()
        if (
            others := other_answers(COURSE.root / "work" / place.split("/")[0], place.split("/")[1])
        )
    }


def imports_above(place: str) -> str:
    """The import statements of the given cells that stand above an exercise."""
    lesson, name = place.split("/")
    blocks = as_written(lesson).blocks
    above = takewhile(lambda one: not (isinstance(one, Exercise) and one.name == name), blocks)
    given = [ast.parse(one.source) for one in above if isinstance(one, Code)]
    statements = [node for tree in given for node in tree.body]
    return "\n".join(
        ast.unparse(node) for node in statements if isinstance(node, ast.Import | ast.ImportFrom)
    )


def test_each_passes_where_its_lesson_stands(told: dict[str, dict[str, str]]) -> None:
    for place in sample(list(told), 8):
        name = place.partition("/")[2]
        for differs, code in told[place].items():
            namespace: dict[str, object] = {}
            exec(imports_above(place), namespace)
            exec(code, namespace)
            report = every_exam()[place].preview(namespace[name])
            assert report.verdict is Verdict.PASSED, (place, differs)


def test_every_lesson_tells_of_some(told: dict[str, dict[str, str]]) -> None:
    assert {place.partition("/")[0] for place in told} == {*COURSE.lessons()}
    assert len(told) >= 70


def test_each_is_short_and_said_in_sentences(told: dict[str, dict[str, str]]) -> None:
    for place, others in told.items():
        assert 2 <= len(others) <= 3, place
        for differs, code in others.items():
            assert differs.endswith("."), (place, differs)
            assert 5 <= len(differs.split()) <= 40, (place, differs)
            assert len(code.splitlines()) <= 20, (place, differs)
            assert '"""' not in code, (place, differs)
            assert max(map(len, code.splitlines())) <= 100, (place, differs)
