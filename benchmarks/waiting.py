"""How long people wait: a row for each who does, beside what was measured before.

    python benchmarks/waiting.py [--keep]

Seconds are those of the processor, all processes counted, but where somebody looks at a clock: a
tutor, and a class against stock nbgrader, which is graded in the same run. What waiting.json has of
an earlier run stands beside it, and a row that got worse by more than a quarter is named; --keep
writes this run's there. It takes less than ten minutes on two processors that do nothing else.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benchmarks import grading  # noqa: E402
from benchmarks.taken import peak_memory, processor_seconds, run  # noqa: E402

KEPT = Path(__file__).with_suffix(".json")
WORSE = 1.25
PROGRAM = Path(sys.executable).with_name("autograder")
# A lesson to build and to grade is begun from what its name starts with.
GRADED = "02", "05"
# Stock grades so few, each of whom takes it as long as the others.
OF_STOCK = 4
FEW, CLASS, LARGE = 2, 12, 48
BUILT = "02", "05", "09"
# Two minutes for one row, most of them for the proofs of two exams.
TOO_LONG = {("09", "nothing")}
CHECKED = {"00": "dot_product", "05": "split_heads"}
ONE_AFTER_THE_OTHER = """
import sys, time
from pathlib import Path
from autograder.course import Course
from autograder.grading.jobs.warm import WarmWorker
from autograder.nbgrading.configuration import configuration, nbgrader_api
course = Course(Path.cwd())
api, warm = nbgrader_api(configuration(course, course.root)), WarmWorker()
for student in ("s000", "s001", "s002"):
    begun = time.perf_counter()
    with warm.asked():
        assert api.autograde(sys.argv[1], student, force=True)["success"]
    seconds = time.perf_counter() - begun
warm.close()
print(seconds)
"""
FIRST_CARD = """
import sys
import nbformat
notebook = nbformat.read(sys.argv[1], as_version=4)
cells = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
names = {"__name__": "__main__"}
exec(cells[0], names)
exec(f"def {sys.argv[2]}(*given):\\n    return None", names)
names["check"](names[sys.argv[2]])
"""


@dataclass(frozen=True)
class Row:
    """One who waits, and what for."""

    who: str
    what: str
    value: float
    goal: float | None
    unit: str = "s"

    @property
    def is_ratio(self) -> bool:
        """Whether more of it is better."""
        return self.unit == "times"

    def got_worse(self, before: float) -> bool:
        """Whether it is worse than before by more than chance explains."""
        return before > self.value * WORSE if self.is_ratio else self.value > before * WORSE


def clocked(command: list[str], root: Path) -> tuple[float, str]:
    """Seconds by the clock of a command in a course, and what it printed."""
    begun = time.perf_counter()
    printed = run(command, root)
    return time.perf_counter() - begun, printed


def tutor(lesson: grading.Lesson, folder: Path) -> Iterator[Row]:
    """One student, by a command and by a second click."""
    root = folder / "tutor"
    grading.make_course(root, grading.OURS, lesson, FEW + 1)
    command = [str(PROGRAM), "grade", lesson.name, "--student", "s000", "--force"]
    yield Row(
        "tutor", f"one student of {lesson.name[:2]}, by a command", clocked(command, root)[0], 3
    )
    again = [sys.executable, "-W", "ignore", "-c", ONE_AFTER_THE_OTHER, lesson.name]
    seconds = float(clocked(again, root)[1].split()[-1])
    yield Row("tutor", f"one student of {lesson.name[:2]}, from the second click on", seconds, 1)


def lecturer(lesson: grading.Lesson, folder: Path) -> Iterator[Row]:
    """A class against stock nbgrader, two workers against one, feedback."""
    number = lesson.name[:2]
    stock, ours = folder / f"stock{number}", folder / f"ours{number}"
    grading.make_course(stock, grading.STOCK, lesson, OF_STOCK)
    grading.make_course(ours, grading.OURS, lesson, LARGE)

    def each(root: Path, students: int, *more: str) -> float:
        return grading.autograde(root, lesson.name, range(students), *more)[0] / students

    theirs = each(stock, OF_STOCK)
    small, large = each(ours, CLASS), each(ours, LARGE)
    yield Row(
        "lecturer", f"a class of {CLASS}, {number}: stock / ours", theirs / small, 15, "times"
    )
    yield Row(
        "lecturer", f"a class of {LARGE}, {number}: stock / ours", theirs / large, 20, "times"
    )
    alone = each(ours, LARGE, f"{grading.WORKERS}1")
    yield Row(
        "lecturer", f"a class of {LARGE}, {number}: one worker / two", alone / large, 1.6, "times"
    )
    command = ["nbgrader", "generate_feedback", lesson.name, "--force"]
    page = processor_seconds(command, ours) / LARGE
    yield Row("lecturer", f"a feedback page of {number}", page, 0.15)


def memory(lesson: grading.Lesson, folder: Path) -> Iterator[Row]:
    """What all processes hold together, what they share counted once."""
    root = folder / "memory"
    grading.make_course(root, grading.OURS, lesson, CLASS)
    for workers in (1, 2, 4):
        command = [str(PROGRAM), "grade", lesson.name, "--force", "--workers", str(workers)]
        peak = peak_memory(command, root)
        yield Row("whoever runs it", f"memory of {workers} worker(s), at most", peak, None, "MiB")


def author(folder: Path) -> Iterator[Row]:
    """`autograder build` of one lesson, after this and after that."""
    root = folder / "author"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(root)], check=True)
    for number in BUILT:
        (source,) = (root / "source").glob(f"{number}_*.md")
        # What a clone brings is found current, and known from then on.
        run([str(PROGRAM), "build", number], root)
        for case, goal, change in (
            ("a sentence", 3, _a_sentence),
            ("an exam", 10, _an_exam),
            ("nothing", 20, _nothing),
        ):
            if (number, case) in TOO_LONG:
                continue
            change(root, source)
            command = [str(PROGRAM), "build", number]
            seconds = processor_seconds(command, root)
            yield Row("author", f"build of {number}, from {case}", seconds, goal)


def _a_sentence(root: Path, source: Path) -> None:
    with source.open("a", encoding="utf-8") as file:
        file.write("\n\nOne sentence more.\n")


def _an_exam(root: Path, source: Path) -> None:
    exams = root / "solutions" / "exams" / re.sub(r"^\d+[a-z]?_", "", source.stem)
    modules = sorted(path for path in exams.glob("*.py") if not path.name.startswith("_"))
    with modules[len(modules) // 2].open("a", encoding="utf-8") as file:
        file.write("\n# One line more.\n")


def _nothing(root: Path, source: Path) -> None:
    """No notebook, no numbers, no proofs of the lesson."""
    shutil.rmtree(root / "source" / source.stem, ignore_errors=True)
    shutil.rmtree(root / "notebooks" / source.stem)
    (root / ".build.json").unlink(missing_ok=True)
    proofs = root / "solutions" / "exams" / "proofs.json"
    known = json.loads(proofs.read_text(encoding="utf-8"))
    left = {name: one for name, one in known.items() if not name.startswith(f"{source.stem}/")}
    proofs.write_text(json.dumps(left), encoding="utf-8")


def learner() -> Iterator[Row]:
    """The first card in a fresh kernel."""
    for number, goal in (("00", 0.6), ("05", 2.4)):
        (folder,) = (ROOT / "notebooks").glob(f"{number}_*")
        notebook = folder / f"{folder.name}.ipynb"
        command = [sys.executable, "-c", FIRST_CARD, str(notebook), CHECKED[number]]
        seconds = min(processor_seconds(command, folder) for _ in range(3))
        yield Row("learner", f"the first card of {number}", seconds, goal)


def as_table(rows: list[Row], before: dict[str, float]) -> Table:
    """All rows, each with its goal and what it was before."""
    table = Table(title="Who waits, and for what", title_justify="left")
    for column in ("who", "what"):
        table.add_column(column)
    for column in ("before", "now", "goal"):
        table.add_column(column, justify="right")
    for row in rows:
        known = before.get(row.what)
        goal = "" if row.goal is None else f"{row.goal:g} "
        numbers = (f"{known:.2f}" if known else "", f"{row.value:.2f}", f"{goal}{row.unit}")
        table.add_row(row.who, row.what, *numbers)
    return table


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--keep", action="store_true", help="write what comes out to waiting.json")
    keep = parser.parse_args().keep
    console = Console(width=100)
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        lessons = {one.name[:2]: one for one in grading.lessons(GRADED)}
        measurements: list[Callable[[], Iterator[Row]]] = [
            lambda: tutor(lessons["02"], folder),
            *((lambda one=one: lecturer(one, folder)) for one in lessons.values()),
            lambda: memory(lessons["02"], folder),
            lambda: author(folder),
            learner,
        ]
        for measure in measurements:
            for row in measure():
                rows.append(row)
                console.print(f"  {row.what}: {row.value:.2f} {row.unit}")
    before = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.is_file() else {}
    console.print(as_table(rows, before))
    worse = [row for row in rows if row.what in before and row.got_worse(before[row.what])]
    for row in worse:
        console.print(f"got worse: {row.what}", style="red")
    if keep:
        values = {row.what: round(row.value, 2) for row in rows}
        KEPT.write_text(json.dumps(values, indent=2) + "\n", encoding="utf-8")
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
