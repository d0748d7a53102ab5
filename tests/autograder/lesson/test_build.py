"""What is committed is what the build makes, and the build refuses what does not fit together."""

import shutil
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from support import FRONT_MATTER

from autograder import printed
from autograder.build import build, build_lesson, is_current
from autograder.course import Course
from autograder.errors import CourseError
from autograder.judge import judge
from autograder.matrix import FILE
from autograder.report import State

ROOT = Path(__file__).resolve().parents[1]
LESSON = "02_dot_product_self_attention"


def test_notebooks_are_current() -> None:
    course, built = Course(ROOT), {}
    for name in course.lessons():
        built.update(build_lesson(course, name).files)
    made = {path: text for path, text in built.items() if path.is_relative_to(course.notebooks)}
    committed = {path for path in course.notebooks.rglob("*") if path.is_file()}
    committed = {path for path in committed if ".ipynb_checkpoints" not in path.parts}
    assert committed == set(made)
    for path, text in made.items():
        assert is_current(path, text), f"{path} is not current: make build"


@pytest.mark.parametrize(("digits", "current"), [("0.30000000000000004", True), ("0.31", False)])
def test_numbers_of_another_machine(tmp_path: Path, digits: str, current: bool) -> None:
    path = tmp_path / printed.FILE
    path.write_text(f'{{"expected":{digits},"names":["a"]}}')
    assert is_current(path, '{"expected":0.3,"names":["a"]}') is current
    assert not is_current(path, '{"expected":0.3,"names":["b"]}')
    other = tmp_path / "page.md"
    other.write_text("0.30000000000000004")
    assert not is_current(other, "0.3")


def test_building_twice_gives_the_same_bytes() -> None:
    first, second = (build_lesson(Course(ROOT), LESSON).files for _ in range(2))
    assert first == second


@pytest.fixture
def course(tmp_path: Path) -> Course:
    """A copy of the course that can be spoilt."""
    for folder in ("source", "solutions"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("*.ipynb"))
    (tmp_path / "nbgrader_config.py").touch()
    for lesson in (tmp_path / "source").glob("*.md"):
        if lesson.stem != LESSON:
            lesson.unlink()
    return Course(tmp_path)


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
        path = course.solutions / "dot_product_self_attention.py"
        replace(path, old, new)
        return path

    return spoil


def in_exam(old: str, new: str, *, blames_lesson: bool = False) -> Callable[[Course], Path]:
    def spoil(course: Course) -> Path:
        path = course.solutions / "exams" / "dot_product_self_attention.py"
        replace(path, old, new)
        return course.lesson_file(LESSON) if blames_lesson else path

    return spoil


MARKED = "    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"
SPOILT = {
    "exercise without exam": (
        in_exam(
            "context = Exam(reference.context_vector)", "context = Exam(len)", blames_lesson=True
        ),
        "context_vector has no exam",
    ),
    "exam without exercise": (
        in_exam("scores = Exam(", "extra = Exam(softmax)\nscores = Exam("),
        "the exam of softmax has no exercise",
    ),
    "no points": (in_lesson(":points: 3\n", ""), "no card entry `:points:`"),
    "no difficulty": (in_lesson(":difficulty: 1\n", ""), "no card entry `:difficulty:`"),
    "no minutes": (in_lesson(":minutes: 18\n", ""), "no card entry `:minutes:`"),
    "doubled name": (
        in_lesson("{exercise} sun_by_hand", "{exercise} shiny_by_hand"),
        "shiny_by_hand stands here and on line",
    ),
    "figure without alt": (in_lesson('    alt="Arcs', '    title="Arcs'), "without alt text"),
    "image without alt": (in_lesson("## By hand", "![](sun.png)\n\n## By hand"), "no alt text"),
    "solution in code": (
        in_lesson(
            "some_scores = np", "def f(inputs, query):\n    return inputs @ query\nsome_scores = np"
        ),
        "the solution of",
    ),
    "solution in prose": (
        in_lesson("Last step:", "Write `return softmax(scores, axis=-1)`. Last step:"),
        "the solution of attention_weights would reach students",
    ),
    "exercise without solution": (
        in_lesson("{exercise} sun_by_hand", "{exercise} moon_by_hand"),
        "sun_by_hand is checked before its exercise",
    ),
    "unplaced solution": (
        in_solution(
            "def pairwise_scores",
            f"def spare():\n{MARKED}\n\n\ndef pairwise_scores",
        ),
        "spare has solution marks but is no exercise",
    ),
    "mark never closed": (
        in_solution(
            "    return weights @ inputs\n    ### END SOLUTION", "    return weights @ inputs"
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

from autograder.exam import Exam
from autograder.modules import run_module
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
    assert "| `Affine` | Detached | yes | yes |" in (course_of_classes.root / FILE).read_text(
        "utf-8"
    )


def test_empty_class_is_unwritten(course_of_classes: Course) -> None:
    build(course_of_classes)
    folder = course_of_classes.release_folder("01_maps")
    namespace: dict[str, object] = {}
    for cell in nbformat.read(folder / "01_maps.ipynb", as_version=4).cells:
        if cell.cell_type == "code" and "check" not in cell.source:
            exec(cell.source, namespace)
    shipped = printed.read(folder)["Affine"]
    report = judge("Affine", namespace["Affine"], shipped.cases, shipped.hints)
    assert report.state is State.NOT_IMPLEMENTED


def test_method_in_given_code(course_of_classes: Course) -> None:
    path = course_of_classes.lesson_file("01_maps")
    given = "def make(self):\n    self.W = nn.Linear(d_in, d_out, bias=False)\n"
    replace(path, "from torch import nn\n", f"from torch import nn\n\n{given}")
    with pytest.raises(CourseError, match="the solution of Affine would reach students"):
        build_lesson(course_of_classes, "01_maps")
