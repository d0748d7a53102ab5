"""What is told of other right answers: it runs as it is shown, and reads well."""

import ast
from itertools import takewhile

import pytest

from autograder.authoring.lesson.lesson import Code, Exercise
from autograder.authoring.lesson.reading import read_lesson
from autograder.checks.exam.report import Verdict
from autograder.learner.other_answers import other_answers
from tests.support.course import COURSE, every_exam
from tests.support.sample import sample

TOLD = {
    place: told
    for place in every_exam()
    if (told := other_answers(COURSE.root / "work" / place.split("/")[0], place.split("/")[1]))
}


def imports_above(place: str) -> str:
    """The import statements of the given cells that stand above an exercise."""
    lesson, name = place.split("/")
    blocks = read_lesson(COURSE.lesson_file(lesson)).blocks
    above = takewhile(lambda one: not (isinstance(one, Exercise) and one.name == name), blocks)
    given = [ast.parse(one.source) for one in above if isinstance(one, Code)]
    statements = [node for tree in given for node in tree.body]
    return "\n".join(
        ast.unparse(node) for node in statements if isinstance(node, ast.Import | ast.ImportFrom)
    )


@pytest.mark.parametrize("place", sample(list(TOLD), 8))
def test_each_passes_where_its_lesson_stands(place: str) -> None:
    name = place.partition("/")[2]
    for differs, code in TOLD[place].items():
        namespace: dict[str, object] = {}
        exec(imports_above(place), namespace)
        exec(code, namespace)
        report = every_exam()[place].preview(namespace[name])
        assert report.verdict is Verdict.PASSED, differs


def test_every_lesson_tells_of_some() -> None:
    assert {place.partition("/")[0] for place in TOLD} == {*COURSE.lessons()}
    assert len(TOLD) >= 70


@pytest.mark.parametrize("place", TOLD)
def test_each_is_short_and_said_in_sentences(place: str) -> None:
    assert 2 <= len(TOLD[place]) <= 3
    for differs, code in TOLD[place].items():
        assert differs.endswith("."), differs
        assert 5 <= len(differs.split()) <= 40, differs
        assert len(code.splitlines()) <= 20
        assert '"""' not in code
        assert max(map(len, code.splitlines())) <= 100
