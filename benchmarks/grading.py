"""Seconds per submission: stock `nbgrader autograde` against ours, in turn, in one run.

    python benchmarks/grading.py [lesson ...] [--class 12] [--memory]

Both grade the same class, which has handed in right answers to the course's own lessons and to a
small PyTorch notebook of 12 cells, ours with all walls, with one worker and with two. The table has
the seconds a submission, how many times stock's are those of one worker, how many times these are
those of two, where one worker's go, and how long ours takes for a single submission from the
command to its score. With --memory, the grader's memory after 10 submissions of the small notebook
and after 400.
"""

import argparse
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from autograder.authoring.build.build import build_lesson  # noqa: E402
from autograder.course import Course  # noqa: E402
from autograder.grading.grade import grade  # noqa: E402
from autograder.student.limits import Limits  # noqa: E402
from autograder.student.sandbox.sandbox import Sandbox  # noqa: E402
from benchmarks.taken import run  # noqa: E402

COURSE = Course(ROOT)
SMALL = "small"
STUDENTS = 12
# Stock runs the lesson's training of six minutes for each of them.
FEWER_FOR_STOCK = {"10_your_gpt": 1}
WORKERS = "--GradeSafely.workers="
FEW, MANY = 10, 400
ANSWERS = {
    "scores": "def scores(q, k):\n    return q @ k.T",
    "scale": "def scale(s, d):\n    return s / d**0.5",
    "weights": "def weights(s):\n    return torch.softmax(s, dim=-1)",
    "context": "def context(w, v):\n    return w @ v",
    "layer": "def layer(x):\n    return torch.nn.functional.layer_norm(x, x.shape[-1:])",
}
TESTS = {
    "scores": "assert scores(torch.ones(2, 3), torch.ones(4, 3)).shape == (2, 4)",
    "scale": "assert torch.allclose(scale(torch.ones(2), 4), torch.full((2,), 0.5))",
    "weights": "assert torch.allclose(weights(torch.ones(2, 4)), torch.full((2, 4), 0.25))",
    "context": "assert torch.allclose(context(torch.eye(3), torch.ones(3, 2)), torch.ones(3, 2))",
    "layer": "assert abs(layer(torch.arange(4.0)).mean().item()) < 1e-6",
}
STOCK = """
c = get_config()
c.CourseDirectory.root = {root!r}
c.CourseDirectory.release_directory = "notebooks"
c.Execute.timeout = 600
c.Execute.extra_arguments = ["--HistoryManager.hist_file=:memory:", "--log-level=ERROR"]
c.ClearMarkScheme.enforce_metadata = False
"""
OURS = """
from autograder import configure

configure(get_config(), __file__)
"""


@dataclass(frozen=True)
class Lesson:
    """What is graded: the instructor's notebook, what lies beside it, and a right submission."""

    name: str
    source: NotebookNode
    files: Mapping[str, bytes]
    solved: NotebookNode


def lessons(wanted: Sequence[str]) -> Iterator[Lesson]:
    """The small notebook and the lessons of the course, or those whose names begin so."""

    def is_wanted(name: str) -> bool:
        return not wanted or name.startswith(tuple(wanted))

    if is_wanted(SMALL):
        yield Lesson(SMALL, small(), {}, small())
    for name in filter(is_wanted, COURSE.lessons()):
        built = build_lesson(COURSE, name)
        files = {"checks.json": built.checks.encode()}
        yield Lesson(name, built.source, files, built.solved())


def small() -> NotebookNode:
    """An ordinary nbgrader notebook with 12 code and text cells, 5 of them tests."""
    cells = [new_markdown_cell("# Small"), new_code_cell("import torch")]
    for name, answer in ANSWERS.items():
        head, body = answer.split("\n", 1)
        marked = f"{head}\n    ### BEGIN SOLUTION\n{body}\n    ### END SOLUTION"
        cells += [_marked(marked, name, 0), _marked(TESTS[name], f"{name}_test", 1)]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    made: NotebookNode = new_notebook(cells=cells, metadata=kernel)
    return made


def _marked(source: str, grade_id: str, points: int) -> NotebookNode:
    cell: NotebookNode = new_code_cell(source, id=grade_id.replace("_", "-"))
    cell.metadata["nbgrader"] = {
        "grade": points > 0, "solution": points == 0, "locked": points > 0, "points": points,
        "grade_id": grade_id, "schema_version": 3, "task": False, "cell_type": "code",
    }  # fmt: skip
    return cell


def make_course(root: Path, settings: str, lesson: Lesson, students: int) -> None:
    """A course with a class that has handed in right answers."""
    folder = root / "source" / lesson.name
    folder.mkdir(parents=True)
    nbformat.write(lesson.source, folder / f"{lesson.name}.ipynb")
    for name, content in lesson.files.items():
        (folder / name).write_bytes(content)
    # What the tests of lessons compare with.
    for name in ("solutions", "companion"):
        shutil.copytree(ROOT / name, root / name)
    shutil.copy(ROOT / "course.toml", root)
    (root / "nbgrader_config.py").write_text(settings.format(root=str(root)))
    _nbgrader(root, "generate_assignment", lesson.name, "--force")
    for number in range(students):
        target = root / "submitted" / f"s{number:03}" / lesson.name
        target.mkdir(parents=True)
        # Workers grade what is the same in every byte one after the other.
        lesson.solved.metadata["student"] = target.parent.name
        nbformat.write(lesson.solved, target / f"{lesson.name}.ipynb")
        for name, content in lesson.files.items():
            (target / name).write_bytes(content)


def autograde(root: Path, lesson: str, students: range, *more: str) -> tuple[float, int]:
    """Seconds in all, and the peak memory in MiB, of `nbgrader autograde` for these students."""
    waiting = root / "waiting"
    for folder in sorted((root / "submitted").iterdir()):
        if int(folder.name[1:]) not in students:
            waiting.mkdir(exist_ok=True)
            shutil.move(folder, waiting / folder.name)
    started = time.perf_counter()
    memory = _nbgrader(root, "autograde", lesson, "--force", *more)
    seconds = time.perf_counter() - started
    for folder in sorted(waiting.iterdir()) if waiting.exists() else ():
        shutil.move(folder, root / "submitted" / folder.name)
    return seconds, memory


def _nbgrader(root: Path, *arguments: str) -> int:
    code = (
        "import resource, sys\nfrom nbgrader.apps.nbgraderapp import NbGraderApp\n"
        "try:\n    NbGraderApp.launch_instance(sys.argv[1:])\nfinally:\n"
        "    print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    printed = run([sys.executable, "-W", "ignore", "-c", code, *arguments], root)
    return int(re.findall(r"peak (\d+)", printed)[-1])


def where_it_goes(lesson: Lesson, folder: Path, submissions: int = 3) -> dict[str, float]:
    """Median seconds of the parts of one grading, without nbgrader."""
    content = nbformat.writes(lesson.solved).encode()
    parts: dict[str, list[float]] = {"fork": [], "cells": [], "exam": []}
    with Sandbox(Limits(), preload=COURSE.settings.preload, hidden=[ROOT]) as sandbox:
        for _ in range(1 + submissions):
            started = time.perf_counter()
            sandbox.spawn({}, 0).close()
            parts["fork"].append(time.perf_counter() - started)
            started = time.perf_counter()
            graded = grade(lesson.source, content, sandbox, files=lesson.files, folder=folder)
            whole = time.perf_counter() - started
            lost = [one.grade_id for one in graded.verdicts if not one.points]
            assert not lost, f"{lesson.name}: a right submission earns nothing for {lost}"
            parts["exam"].append(sum(one.seconds for one in graded.verdicts))
            parts["cells"].append(whole - parts["exam"][-1] - parts["fork"][-1])
    # The first one of a class computes what the others are compared with.
    return {name: statistics.median(seconds[1:]) for name, seconds in parts.items()}


@dataclass(frozen=True)
class Measured:
    """What came out for one lesson, in seconds."""

    lesson: str
    stock: float
    one: float
    two: float
    single: float
    parts: Mapping[str, float]

    @property
    def ratio(self) -> float:
        """How many times as long as one worker stock takes."""
        return self.stock / self.one

    @property
    def gain(self) -> float:
        """How many times as long as two workers one takes."""
        return self.one / self.two


def measure(lesson: Lesson, students: int, folder: Path) -> Measured:
    """Grade a class of one lesson with each."""
    roots = {"stock": folder / "stock", "ours": folder / "ours"}
    for name, settings in (("stock", STOCK), ("ours", OURS)):
        make_course(roots[name], settings, lesson, students)
    single, _ = autograde(roots["ours"], lesson.name, range(1))
    few = min(students, FEWER_FOR_STOCK.get(lesson.name, students))
    stock, one, two = (
        autograde(roots[name], lesson.name, range(count), *more)[0] / count
        for name, count, *more in (
            ("stock", few),
            ("ours", students, WORKERS + "1"),
            ("ours", students, WORKERS + "2"),
        )
    )
    parts = where_it_goes(lesson, roots["ours"] / "source" / lesson.name)
    return Measured(lesson.name, stock, one, two, single, parts)


def as_table(found: Iterable[Measured], students: int) -> Table:
    """All that was measured."""
    table = Table(title=f"Seconds a submission, a class of {students}", title_justify="left")
    table.add_column("")
    columns = (
        "stock",
        "one",
        "ratio",
        "two",
        "gain",
        "fork",
        "cells",
        "exam",
        "nbgrader",
        "single",
    )
    for name in columns:
        table.add_column(name, justify="right")
    for lesson in found:
        parts = *lesson.parts.values(), lesson.one - sum(lesson.parts.values()), lesson.single
        numbers = lesson.stock, lesson.one, lesson.ratio, lesson.two, lesson.gain, *parts
        table.add_row(lesson.lesson, *(f"{number:.2f}" for number in numbers))
    return table


def peaks(folder: Path) -> str:
    """The grader's memory after few submissions and after many."""
    (lesson,) = lessons([SMALL])
    make_course(folder / "many", OURS, lesson, MANY)
    memory = {n: autograde(folder / "many", SMALL, range(n))[1] for n in (FEW, MANY)}
    return ", ".join(f"{peak} MiB for {count} submissions" for count, peak in memory.items())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("lessons", nargs="*", help="how their names begin; without any, all")
    parser.add_argument("--class", type=int, default=STUDENTS, dest="students")
    parser.add_argument("--memory", action="store_true")
    wanted = parser.parse_args()
    console, found = Console(width=120), list[Measured]()
    for lesson in lessons(wanted.lessons):
        with tempfile.TemporaryDirectory() as folder:
            one = measure(lesson, wanted.students, Path(folder))
        found.append(one)
        seconds = f"{one.one:.2f} s with one worker, {one.two:.2f} s with two"
        console.print(f"  {one.lesson}: {one.stock:.2f} s, ours {seconds}")
    console.print(as_table(found, wanted.students))
    of_lessons = [one for one in found if one.lesson != SMALL]
    for said, ratios in (
        ("stock / one worker", [one.ratio for one in of_lessons]),
        ("one worker / two", [one.gain for one in of_lessons]),
    ):
        if ratios:
            mean = statistics.geometric_mean(ratios)
            console.print(f"{said}: {mean:.1f} (geometric mean), {min(ratios):.1f} at least")
    if wanted.memory:
        with tempfile.TemporaryDirectory() as folder:
            console.print(f"the grader's peak memory: {peaks(Path(folder))}")


if __name__ == "__main__":
    main()
