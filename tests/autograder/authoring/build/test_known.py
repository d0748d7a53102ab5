"""What an earlier build has found is not found again, and is as soon as it may have changed."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from autograder.authoring.build.build import Built
from autograder.authoring.build.build_inputs import Inputs
from autograder.authoring.build.incremental import build
from autograder.authoring.build.known import Known, Passed
from autograder.authoring.build.trial import digests_of_tests, with_tests
from autograder.authoring.lesson.alt_text import Pictures
from autograder.checks.source.cells import grade_id_of, is_test
from autograder.checks.source.scenery import scenery_in
from autograder.course import Course
from autograder.errors import LessonError
from autograder.nbgrading.try_solution import try_solution
from tests.support.course import COURSE
from tests.support.small_course import LESSON, small_course

pytestmark = pytest.mark.slow

MODULE = "mixing"
TESTS = {"match_check", "shares_of_check", "mix_check"}
# In a process of its own, where nothing has been imported.
BUILDS = """\
import sys; from pathlib import Path
from autograder.authoring.build.incremental import build
from autograder.course import Course
print([path.name for path in build(Course(Path(sys.argv[1])))])
print([name for name in sys.argv[2:] if name in sys.modules])
"""


@pytest.fixture
def course(tmp_path: Path) -> Course:
    return small_course(tmp_path)


def append(path: Path, text: str) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(text)


@pytest.mark.long
def test_sentence_brings_neither_exams_nor_pictures(course: Course) -> None:
    build(course)
    append(course.lesson_file(LESSON), "\nOne more sentence.\n")
    heavy = [f"solutions.exams.{MODULE}", f"solutions.{MODULE}", "companion", "matplotlib", "torch"]
    command = [sys.executable, "-c", BUILDS, str(course.root), *heavy]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == [f"{[f'{LESSON}.ipynb'] * 2}", "[]"], done.stderr


class Trials:
    """Notes which tests are to be tried again, and passes them all."""

    def __init__(self, course: Course) -> None:
        self.course, self.tried = course, list[str]()

    def __call__(self, built: Built) -> Passed:
        tests = digests_of_tests(built, [try_solution.__module__], [self.course.root / "seed.txt"])
        self.tried = [one for one in tests if built.known.passed.get(one) != tests[one]]
        return tests

    def after(self, path: str = "", text: str = "", *, force: bool = False) -> set[str]:
        self.tried = []
        if path:
            append(self.course.root / path, text)
        build(self.course, [LESSON], trial=self, force=force)
        return {*self.tried}


def test_what_has_changed_is_tried(course: Course) -> None:
    (course.root / "seed.txt").write_text("7")
    trials = Trials(course)
    assert trials.after() == TESTS
    text = f"source/{LESSON}.md"
    assert trials.after(text, "\nOne more sentence.\n") == set()
    assert trials.after(text, "\n```{code-cell} ipython3\n1 + 1\n```\n") == TESTS
    assert trials.after(f"solutions/exams/{MODULE}.py", "\n# changed\n") == TESTS
    assert trials.after("nbgrader_config.py", "\n# changed\n") == TESTS
    assert trials.after(f"solutions/{MODULE}.py", "\n# changed\n") == TESTS
    (course.root / "seed.txt").write_text("8")
    assert trials.after(text, "\nAnother sentence.\n") == TESTS
    assert trials.after(force=True) == TESTS


def test_exam_in_a_file_of_its_own_is_tried_alone(course: Course) -> None:
    folder = course.solutions / "exams" / MODULE
    folder.mkdir()
    folder.with_suffix(".py").rename(folder / "__init__.py")
    for name in ("match", "shares_of", "mix"):
        append(folder / "__init__.py", f"\nimport solutions.exams.{MODULE}.{name}\n")
        (folder / f"{name}.py").write_text("# Here its exam would be.\n")
    trials = Trials(course)
    assert trials.after() == TESTS
    changed = (folder / "match.py").relative_to(course.root)
    assert trials.after(str(changed), "# changed\n") == {"match_check"}


def test_pictures_are_looked_at_when_something_may_have_changed(
    course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    undescribed = Pictures.undescribed

    def note(self: Pictures, source: str) -> Iterator[tuple[int, str]]:
        looked.append(source)
        return undescribed(self, source)

    monkeypatch.setattr(Pictures, "undescribed", note)
    (course.root / "drawn_here.py").write_text("def draw(): ...\n")
    text, cell = course.lesson_file(LESSON), "\n```{code-cell} ipython3\nimport drawn_here\n```\n"
    append(course.root / "course.toml", 'preload = ["drawn_here"]\n')
    for path, more, is_looked_at in (
        (text, cell, True),
        (text, "\nOne more sentence.\n", False),
        (course.root / "drawn_here.py", "def other(): ...\n", True),
        (course.solutions / f"{MODULE}.py", "# changed\n", False),
    ):
        looked.clear()
        append(path, more)
        build(course, [LESSON])
        assert bool(looked) == is_looked_at, path


def test_picture_in_a_text_is_looked_at_each_time(course: Course) -> None:
    build(course, [LESSON])
    append(course.lesson_file(LESSON), "\n![](picture.png)\n")
    with pytest.raises(LessonError, match="picture"):
        build(course, [LESSON])


def test_check_that_is_moved_is_tried(course: Course) -> None:
    (course.root / "seed.txt").write_text("7")
    trials, cell = Trials(course), "```{code-cell} ipython3\n1 + 1\n```"
    text = course.lesson_file(LESSON)
    append(text, f"\n{cell}\n")
    assert trials.after() == TESTS
    (check,) = re.findall(r"^```\{check\} mix\n.*?```$", text.read_text(), re.MULTILINE | re.DOTALL)
    text.write_text(text.read_text().replace(check, "").rstrip() + f"\n\n{check}\n")
    assert trials.after() == {"mix_check"}


def test_notebook_keeps_what_the_tests_need(course: Course) -> None:
    built: list[Built] = []
    build(course, [LESSON], trial=lambda one: built.append(one))
    source = built[0].source
    less = with_tests(source, ["match_check"])
    assert [grade_id_of(cell) for cell in less.cells if is_test(cell)] == ["match_check"]
    assert {cell.id for cell in source.cells} - {cell.id for cell in less.cells} == {
        cell.id for cell in source.cells if grade_id_of(cell) in TESTS - {"match_check"}
    }
    assert scenery_in(source) <= scenery_in(less)


def test_damaged_record_says_nothing(course: Course) -> None:
    found: list[Known] = []
    build(course, [LESSON], trial=lambda one: found.append(one.known))
    for damage in ('"exams"', '"passed"', '"known"'):
        record = course.root / ".build.json"
        record.write_text(record.read_text().replace(damage, '"other"'))
        append(course.lesson_file(LESSON), "\nOne more sentence.\n")
        build(course, [LESSON], trial=lambda one: found.append(one.known))
    assert len({str(one) for one in found}) == 1


class Read(Inputs):
    """Notes the files that go into a digest."""

    def __init__(self, course: Course) -> None:
        super().__init__(course)
        self.files = set[str]()

    def _digest_of(self, path: Path) -> str:
        self.files.add(path.as_posix())
        return super()._digest_of(path)


def test_lesson_is_not_made_of_the_whole_engine() -> None:
    inputs = Read(COURSE)
    inputs.of_lesson("02_dot_product_self_attention")
    engine = {path.partition("/autograder/")[2] for path in inputs.files} - {""}
    assert engine >= {"authoring/lesson/notebook.py", "checks/exam/judge.py", "checks/check.py"}
    rooms = {path.rpartition("/")[0] for path in engine}
    assert not rooms & {"checks/card", "checks/locate", "checks/locate/families"}
    assert not {room.partition("/")[0] for room in rooms} - {"", "authoring", "checks"}
