"""Which tests a change needs."""

import subprocess
import sys

import pytest

from autograder.course import lesson_number, module_name
from tests.support.course import COURSE, ROOT
from tools.quick import EXAMS, LESSONS, Plan, examination, plan, plan_of_lesson, preparation

LESSON = COURSE.lessons()[3]
NUMBER, MODULE = lesson_number(LESSON), module_name(LESSON)


def exists(path: str) -> bool:
    return (ROOT / path).exists()


def needs(path: str) -> Plan:
    return plan([path], COURSE, exists)


@pytest.mark.parametrize(
    ("path", "place"),
    [
        ("autograder/checks/card.py", "tests/autograder/checks/test_card.py"),
        ("autograder/course.py", "tests/autograder/test_course.py"),
        ("autograder/checks/purpose.py", "tests/autograder/checks"),
        ("autograder/checks/__init__.py", "tests/whole/test_arrows.py"),
        ("companion/pictures/attention_view.js", "tests/companion/pictures/test_attention_view.py"),
        ("companion/trials/scatter.py", "tests/companion/trials/test_scatter.py"),
        ("tests/whole/test_arrows.py", "tests/whole/test_arrows.py"),
        ("tools/quick.py", "tests/tools/test_quick.py"),
        ("docs/errata.md", "tests/whole/test_errata.py"),
        ("docs/authoring.md", "tests/whole/test_setup.py"),
        *((path, "tests/whole/test_setup.py") for path in ("Makefile", "README.md", "course.toml")),
    ],
)
def test_mirror(path: str, place: str) -> None:
    assert exists(place)
    assert needs(path) == Plan({place})


@pytest.mark.parametrize("path", ["CHANGELOG.md", "tests/support/lab.py", "LICENSE"])
def test_what_nothing_mirrors(path: str) -> None:
    assert needs(path) == Plan()


def test_text_of_a_lesson() -> None:
    made = needs(f"source/{LESSON}.md")
    assert made == Plan(lessons={LESSON}, chosen={LESSONS: {f"shape and {LESSON}"}})
    assert needs(f"notebooks/{LESSON}/checks.json") == Plan(lessons={LESSON})


def test_reference() -> None:
    made = needs(f"solutions/{MODULE}.py")
    assert made.tests == {f"tests/solutions/test_{MODULE}.py"}
    assert (made.lessons, made.chosen) == ({LESSON}, {EXAMS: {f"{NUMBER}-"}})


@pytest.mark.parametrize("file", ["two_heads.py", "two_heads/drawn.py"])
def test_one_exam(file: str) -> None:
    made = needs(f"solutions/exams/{MODULE}/{file}")
    assert made.lessons == {LESSON}
    assert made.chosen == {EXAMS: {f"{NUMBER}-two_heads]", f"{NUMBER}-twoheads]"}}


def test_what_a_lessons_exams_share() -> None:
    made = needs(f"solutions/exams/{MODULE}/_specimens.py")
    assert made.chosen == {EXAMS: {f"{NUMBER}-"}}


def test_one_command_for_each_kind() -> None:
    made = plan([f"source/{LESSON}.md", "tools/quick.py", "Makefile"], COURSE, exists)
    (lint, build), (whole, chosen) = preparation(made), examination(made)
    assert lint[0] == "make"
    assert lint[-1] == "lint"
    assert build[1:] == ["build", LESSON]
    assert whole[-2:] == ["tests/tools/test_quick.py", "tests/whole/test_setup.py"]
    assert chosen[-3:] == [LESSONS, "-k", f"(shape and {LESSON})"]
    assert (len(preparation(Plan())), examination(Plan())) == (1, [])


def test_words_find_tests() -> None:
    """What is chosen by words in names is there: pytest finds it."""
    _, *chosen = examination(plan_of_lesson(LESSON, exists))
    for command in chosen:
        found = [*command, "--collect-only"]
        done = subprocess.run(found, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


def test_unknown_lesson() -> None:
    command = [sys.executable, str(ROOT / "tools" / "quick.py"), "--lesson", "99"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("quick: no lesson is called '99': there are ")
