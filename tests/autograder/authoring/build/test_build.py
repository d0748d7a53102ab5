"""What is committed is what the build makes, and the build refuses what does not fit together."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode

from autograder.authoring.build.build import build_lesson
from autograder.authoring.build.incremental import build
from autograder.authoring.build.shipping import Entry, entries_in, text_of
from autograder.authoring.build.tables.misconceptions import FILE
from autograder.checks import examples
from autograder.checks.exam.judge import judge
from autograder.checks.exam.report import Verdict
from autograder.checks.packed import pack, unpack
from autograder.checks.source.cells import has_role
from autograder.course import Course
from autograder.errors import CourseError, LessonError
from tests.support.course import COURSE, ROOT
from tests.support.samples import FRONT_MATTER
from tests.support.small_course import LESSON, small_course

ANY_LESSON = "00_foundations"


def test_notebooks_are_current() -> None:
    """Of what ships of exercises, `tests/solutions/test_exams.py` makes a few anew."""
    built: dict[Path, str] = {}
    for lesson in COURSE.lessons():
        built |= build_lesson(COURSE, lesson).files
    made = {path: text for path, text in built.items() if path.is_relative_to(COURSE.notebooks)}
    committed = {path for path in COURSE.notebooks.rglob("*") if path.is_file()}
    committed = {path for path in committed if ".ipynb_checkpoints" not in path.parts}
    assert committed == set(made)
    for path, text in made.items():
        assert path.read_bytes() == text.encode(), f"{path} is not current: make build"


def test_another_processors_numbers_are_current(course: Course) -> None:
    """A build leaves what ships as it is, where a number is one of two neighbouring steps."""
    build(course)
    path = course.release_folder(LESSON) / examples.FILE
    text = path.read_text(encoding="utf-8")
    told = json.loads(text)
    rest = {"lesson": told["lesson"], "descriptions": told["descriptions"]}
    elsewhere = text_of({name: moved(one) for name, one in entries_in(text).items()}, **rest)
    assert elsewhere != text
    for folder in (path.parent, course.source / LESSON):
        (folder / path.name).write_text(elsewhere, encoding="utf-8")
    assert build(course, force=True) == []
    assert path.read_text(encoding="utf-8") == elsewhere
    far = {name: moved(one, by=1.001) for name, one in entries_in(text).items()}
    path.write_text(text_of(far, **rest), encoding="utf-8")
    build(course)
    assert path.read_text(encoding="utf-8") == text


def moved(entry: Entry, by: float = 1 + 1e-6) -> Entry:
    """What ships of an exercise, with other digits in its outcomes."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(one) for key, one in value.items()}
        if isinstance(value, list):
            return [walk(one) for one in value]
        return value * by if isinstance(value, float) else value

    return {**entry, "outcomes": pack(walk(unpack(entry["outcomes"])))}


def test_building_twice_gives_the_same_bytes() -> None:
    first, second = (build_lesson(COURSE, ANY_LESSON).files for _ in range(2))
    assert first == second


def test_notebooks_are_held_as_they_are_written() -> None:
    built = build_lesson(COURSE, ANY_LESSON)
    before = built.files
    held = {"source": built.source, "notebooks": built.student}
    assert any("NotImplementedError" in source for source in to_write(built.student))
    assert not any("NotImplementedError" in source for source in to_write(built.solved()))
    assert built.files == before
    for folder, notebook in held.items():
        written = before[ROOT / folder / ANY_LESSON / f"{ANY_LESSON}.ipynb"]
        read = nbformat.reads(written, as_version=4)
        # What tells an edited notebook from a built one is known when the rest is.
        read.metadata.pop("autograder", None)
        assert read == notebook


def to_write(notebook: NotebookNode) -> list[str]:
    """The sources of the cells in which learners write code."""
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [cell.source for cell in code if has_role(cell, "solution")]


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A course that can be spoilt."""
    return small_course(tmp_path)


def replace(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def in_lesson(old: str, new: str) -> Callable[[Course], Path]:
    def spoil(course: Course) -> Path:
        replace(course.lesson_file(LESSON), old, new)
        return course.lesson_file(LESSON)

    return spoil


def in_solution(old: str, new: str) -> Callable[[Course], Path]:
    def spoil(course: Course) -> Path:
        path = course.solutions / "mixing.py"
        replace(path, old, new)
        return path

    return spoil


def in_exam(old: str, new: str, *, blames_lesson: bool = False) -> Callable[[Course], Path]:
    def spoil(course: Course) -> Path:
        path = course.solutions / "exams" / "mixing.py"
        replace(path, old, new)
        return course.lesson_file(LESSON) if blames_lesson else path

    return spoil


def with_own_module(course: Course) -> Path:
    (course.root / "own_tricks.py").touch()
    return in_lesson("import numpy as np", "import own_tricks\nimport numpy as np")(course)


MARKED = "    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"
SPOILT = {
    "exercise without exam": (
        in_exam("mixture = Exam(reference.mix)", "mixture = Exam(len)", blames_lesson=True),
        "mix has no exam",
    ),
    "exam without exercise": (
        in_exam("matches = Exam(", "extra = Exam(softmax)\nmatches = Exam("),
        "the exam of softmax has no exercise",
    ),
    "no points": (in_lesson(":points: 3\n", ""), "no card entry `:points:`"),
    "no difficulty": (in_lesson(":difficulty: 1\n", ""), "no card entry `:difficulty:`"),
    "no minutes": (in_lesson(":minutes: 18\n", ""), "no card entry `:minutes:`"),
    "doubled name": (
        in_lesson("{exercise} shares_of", "{exercise} match"),
        "match stands here and on line",
    ),
    "figure without alt": (in_lesson('    alt="Arcs', '    title="Arcs'), "without alt text"),
    "image without alt": (in_lesson("## By hand", "![](sun.png)\n\n## By hand"), "no alt text"),
    "solution in code": (
        in_lesson(
            "some_matches = np",
            "def f(inputs, query):\n    return inputs @ query\nsome_matches = np",
        ),
        "the solution of",
    ),
    "solution in prose": (
        in_lesson("Last step:", "Write `return shares @ inputs`. Last step:"),
        "the solution of mix would reach students",
    ),
    "module that students do not have": (with_own_module, 'add "own_tricks" to preload in '),
    "reference in a given cell": (
        in_lesson("import numpy as np", "import solutions\nimport numpy as np"),
        "students never get solutions",
    ),
    "exercise without solution": (
        in_lesson("{exercise} shares_of", "{exercise} parts_of"),
        "no exercise shares_of stands above its check",
    ),
    "unplaced solution": (
        in_solution(
            "def shares_of",
            f"def spare():\n{MARKED}\n\n\ndef shares_of",
        ),
        "spare has solution marks but is no exercise",
    ),
    "mark never closed": (
        in_solution(
            "    return shares @ inputs\n    ### END SOLUTION", "    return shares @ inputs"
        ),
        "never ends",
    ),
}


@pytest.mark.parametrize(("spoil", "sentence"), SPOILT.values(), ids=SPOILT.keys())
def test_what_does_not_fit_is_refused(
    course: Course, spoil: Callable[[Course], Path], sentence: str
) -> None:
    path = spoil(course)
    with pytest.raises(CourseError) as caught:
        build_lesson(course, LESSON)
    place, line, message = str(caught.value).split(":", maxsplit=2)
    assert place == str(path)
    assert int(line) > 0
    assert sentence in message


def test_cell_may_import_what_is_given_out_with_the_notebook(course: Course) -> None:
    beside = course.source / LESSON / "given_with_it.py"
    beside.parent.mkdir(exist_ok=True)
    beside.write_text("def draw(numbers, alt): pass")
    path = in_lesson("import numpy as np", "import given_with_it\nimport numpy as np")(course)
    build_lesson(course, LESSON)
    replace(path, "import given_with_it", "import given_with_it; given_with_it.draw([])")
    with pytest.raises(LessonError, match="without alt text"):
        build_lesson(course, LESSON)


def test_line_is_the_authors(course: Course) -> None:
    path = course.lesson_file(LESSON)
    replace(path, '    alt="Arcs', '    title="Arcs')
    with pytest.raises(CourseError) as caught:
        build_lesson(course, LESSON)
    line = int(str(caught.value).removeprefix(f"{path}:").split(":")[0])
    assert path.read_text(encoding="utf-8").split("\n")[line - 1].startswith("arcs(")


def test_edited_lesson_changes_the_notebook(course: Course) -> None:
    build(course)
    replace(course.lesson_file(LESSON), "Six words, three numbers each.", "Six words.")
    assert {path.suffix for path in build(course)} == {".ipynb"}


def test_lesson_may_say_no_places(course: Course) -> None:
    assert '"places":false' not in build_lesson(course, LESSON).checks
    (course.root / "course.toml").write_text(f'without_places = ["{LESSON}"]\n')
    built = build_lesson(Course(course.root), LESSON)
    exercises = built.checks.count('"places":false')
    assert exercises == len(built.exams) > 0
    tests = [cell.source for cell in built.source.cells if "hidden_check(" in cell.source]
    assert tests
    assert all(", places=False)\n" in source for source in tests)


CLASS_LESSON = (
    FRONT_MATTER
    + """\
```{code-cell} ipython3
import torch
from torch import nn
```

```{exercise} Affine
:difficulty: 1
:minutes: 5
```

```{check} Affine
:points: 2
```
"""
)
CLASS_REFERENCE = '''\
import torch
from torch import nn


class Affine(nn.Module):
    """The map x W."""

    def __init__(self, d_in: int, d_out: int) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.W = nn.Linear(d_in, d_out, bias=False)
        ### END SOLUTION

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        return self.W(x)
        ### END SOLUTION
'''
CLASS_EXAM = '''\
import torch

from autograder.checks.exam.exam import Exam
from autograder.checks.drivers.run_module import run_module
from solutions.maps import Affine

affine = Exam(Affine, use=run_module)


@affine.example
def one_word():
    """one word"""
    return {"d_in": 2, "d_out": 1}, {"W": torch.ones(2, 1)}, (torch.ones(1, 2),)


@affine.misconception
class Detached(Affine):
    """The input learns nothing."""

    def forward(self, x):
        return super().forward(x.detach())
'''


@pytest.fixture
def course_of_classes(tmp_path: Path) -> Course:
    for path, text in {
        "source/01_maps.md": CLASS_LESSON,
        "solutions/__init__.py": "",
        "solutions/maps.py": CLASS_REFERENCE,
        "solutions/exams/__init__.py": "",
        "solutions/exams/maps.py": CLASS_EXAM,
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    return Course(tmp_path)


def test_class_is_built(course_of_classes: Course) -> None:
    build(course_of_classes)
    folder = course_of_classes.release_folder("01_maps")
    cells = nbformat.read(folder / "01_maps.ipynb", as_version=4).cells
    stub, check = [cell.source for cell in cells if cell.cell_type == "code"][1:]
    assert stub.count("        # YOUR CODE HERE\n        raise NotImplementedError()") == 2
    assert stub.startswith('class Affine(nn.Module):\n    """The map x W."""')
    assert "        super().__init__()\n        # YOUR CODE HERE" in stub
    assert "Linear" not in stub
    assert check == "check(Affine)"
    assert "| `Affine` | Detached | yes |" in (course_of_classes.root / FILE).read_text("utf-8")


def test_empty_class_is_unwritten(course_of_classes: Course) -> None:
    build(course_of_classes)
    folder = course_of_classes.release_folder("01_maps")
    namespace: dict[str, object] = {}
    for cell in nbformat.read(folder / "01_maps.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and "check" not in cell.source:
            exec(cell.source, namespace)
    shipped = examples.read(folder)["Affine"]
    report = judge("Affine", namespace["Affine"], shipped.cases, shipped.hints)
    assert report.verdict is Verdict.NOT_IMPLEMENTED


def test_method_in_given_code(course_of_classes: Course) -> None:
    path = course_of_classes.lesson_file("01_maps")
    given = "def make(self):\n    self.W = nn.Linear(d_in, d_out, bias=False)\n"
    replace(path, "from torch import nn\n", f"from torch import nn\n\n{given}")
    with pytest.raises(CourseError, match="the solution of Affine would reach students"):
        build_lesson(course_of_classes, "01_maps")
