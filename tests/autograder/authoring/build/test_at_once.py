"""Exercises that other processes prove are proved as they are here, or refused with its words."""

import os
import signal
from multiprocessing import active_children
from pathlib import Path

import pytest

from autograder.authoring.build.build_inputs import PROOFS
from autograder.authoring.build.incremental import build
from autograder.course import Course
from autograder.errors import CourseError, ExamError, SolutionError
from tests.support.samples import FRONT_MATTER

pytestmark = pytest.mark.slow

LESSON = "00_multiples"
FACTORS = {"double": 2, "threefold": 3, "fourfold": 4, "fivefold": 5}
EXERCISE = """
```{{exercise}} {0}
:difficulty: 1
:minutes: 5
```

```{{check}} {0}
:points: 2
```
"""
REFERENCE = '''
def {0}(x: float) -> float:
    """A multiple of x."""
    ### BEGIN SOLUTION
    return {1} * x
    ### END SOLUTION
'''
EXAM = '''
{0}_exam = Exam(reference.{0})


@{0}_exam.example
def one():
    """one number"""
    return (1.5,)


@{0}_exam.misconception
def unchanged_by_{0}(x):
    """This is x itself: multiply it."""
    return x
'''
BEGINS = "from autograder import Exam\nfrom solutions import multiples as reference\n"


def course_of_multiples(root: Path) -> Course:
    (root / "source").mkdir(parents=True)
    (root / "solutions" / "exams").mkdir(parents=True)
    exercises = "".join(map(EXERCISE.format, FACTORS))
    for path, text in {
        "nbgrader_config.py": "",
        "solutions/__init__.py": "",
        "solutions/exams/__init__.py": "",
        f"source/{LESSON}.md": f"{FRONT_MATTER}# Multiples\n{exercises}",
        "solutions/multiples.py": "".join(REFERENCE.format(*one) for one in FACTORS.items()),
        "solutions/exams/multiples.py": BEGINS + "".join(map(EXAM.format, FACTORS)),
    }.items():
        (root / path).write_text(text, encoding="utf-8")
    return Course(root)


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return course_of_multiples(tmp_path / "at_once")


def add_to_exams(course: Course, text: str) -> Path:
    path = course.solutions / "exams" / "multiples.py"
    path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")
    return path


def test_same_as_here(course: Course, tmp_path: Path) -> None:
    told: list[str] = []
    build(course, [LESSON], workers=2, progress=lambda *step: told.append(step[-1]))
    assert told == [LESSON, *(f"{LESSON}: {name}" for name in FACTORS)]
    assert active_children() == []
    here = course_of_multiples(tmp_path / "here")
    build(here, [LESSON])
    for path in (PROOFS, Path("notebooks", LESSON, "checks.json")):
        assert (course.root / path).read_text() == (here.root / path).read_text()


TWICE = '''

@fourfold_exam.misconception
def like_the_other(x):
    """This is x."""
    return 1 * x
'''
FAILS = '''

@threefold_exam.example
def none():
    """no number"""
    return (1 / 0,)
'''


@pytest.mark.parametrize(
    ("text", "kind", "sentence"),
    [
        (TWICE, ExamError, "the misconception like_the_other of fourfold can't be told from"),
        (FAILS, SolutionError, "ZeroDivisionError: division by zero"),
    ],
)
def test_what_does_not_fit_is_said_as_here(
    course: Course, tmp_path: Path, text: str, kind: type[CourseError], sentence: str
) -> None:
    here = course_of_multiples(tmp_path / "here")
    said = []
    for one, workers in ((course, 2), (here, 1)):
        path = add_to_exams(one, text)
        with pytest.raises(kind) as caught:
            build(one, [LESSON], workers=workers)
        said.append(str(caught.value).replace(str(path), ""))
        assert active_children() == []
    assert sentence in said[0]
    assert said[0] == said[1]


ENDED = """
import multiprocessing, os, signal

if multiprocessing.parent_process():
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_process_that_is_killed_is_told(course: Course) -> None:
    add_to_exams(course, ENDED)
    with pytest.raises(ExamError, match=r"was ended from outside.*with --workers 1"):
        build(course, [LESSON], workers=2)


def test_what_lies_where_one_works_is_not_run(
    course: Course, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "multiprocessing.py").write_text("from pathlib import Path\nPath('ran').touch()\n")
    monkeypatch.chdir(tmp_path)
    build(course, [LESSON], workers=2)
    assert not (tmp_path / "ran").exists()


def test_interrupt_ends_them(course: Course) -> None:
    add_to_exams(course, "import multiprocessing, time\n\n"
                         "if multiprocessing.parent_process():\n    time.sleep(600)\n")  # fmt: skip

    def interrupt(done: int, steps: int, product: str) -> None:
        if product.endswith("double"):
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        build(course, [LESSON], workers=2, progress=interrupt)
    assert active_children() == []
