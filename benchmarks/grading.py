"""Seconds per submission: stock `nbgrader autograde` against ours, in turn, in one run.

    python benchmarks/grading.py [submissions]

Both grade the same submissions of the same small PyTorch notebook (12 cells, 5 of them tests), one
worker each, ours with all walls. The table gives the median of the rounds and the ratio, then where
our time goes, and the grader's memory after 10 submissions and after all.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from rich.console import Console
from rich.table import Table

from autograder.grading.grade import grade
from autograder.limits import Limits
from autograder.sandbox.sandbox import Sandbox

LESSON = "small"
SUBMISSIONS = 40
FEW, MANY = 10, 400
ROUNDS = 2
MODULES = ["numpy", "torch", "matplotlib.pyplot"]
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
c.Execute.extra_arguments = ["--HistoryManager.hist_file=:memory:", "--log-level=ERROR"]
"""
OURS = """
from autograder import configure

c = get_config()
configure(c, __file__)
c.CourseDirectory.release_directory = "release"
c.GradeSafely.preload = {modules}
"""


def notebook() -> NotebookNode:
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


def make_course(root: Path, settings: str, submissions: int) -> None:
    """A course with a class that has handed in right answers."""
    folder = root / "source" / LESSON
    folder.mkdir(parents=True)
    nbformat.write(notebook(), folder / f"{LESSON}.ipynb")
    (root / "nbgrader_config.py").write_text(settings.format(root=str(root), modules=MODULES))
    _nbgrader(root, "generate_assignment", LESSON)
    released = nbformat.read(root / "release" / LESSON / f"{LESSON}.ipynb", as_version=4)
    for cell in released.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id")
        cell.source = ANSWERS.get(name, cell.source)
    for number in range(submissions):
        target = root / "submitted" / f"s{number:03}" / LESSON
        target.mkdir(parents=True)
        nbformat.write(released, target / f"{LESSON}.ipynb")


def autograde(root: Path, students: range) -> tuple[float, int]:
    """Seconds per submission and the peak memory in MiB of `nbgrader autograde` for these."""
    waiting = root / "waiting"
    for folder in sorted((root / "submitted").iterdir()):
        if int(folder.name[1:]) not in students:
            waiting.mkdir(exist_ok=True)
            shutil.move(folder, waiting / folder.name)
    started = time.perf_counter()
    memory = _nbgrader(root, "autograde", LESSON, "--force")
    seconds = (time.perf_counter() - started) / len(students)
    for folder in sorted(waiting.iterdir()) if waiting.exists() else ():
        shutil.move(folder, root / "submitted" / folder.name)
    return seconds, memory


def _nbgrader(root: Path, *arguments: str) -> int:
    code = (
        "import resource, sys\nfrom nbgrader.apps.nbgraderapp import NbGraderApp\n"
        "try:\n    NbGraderApp.launch_instance(sys.argv[1:])\nfinally:\n"
        "    print('peak', resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)"
    )
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, *arguments],
        cwd=root, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return int(re.findall(r"peak (\d+)", done.stdout)[-1])


def where_it_goes(submissions: int) -> dict[str, float]:
    """Median seconds of the parts of one grading, without nbgrader."""
    source = notebook()
    released = nbformat.reads(nbformat.writes(source), as_version=4)
    content = nbformat.writes(released).encode()
    parts: dict[str, list[float]] = {"fork and end": [], "cells": [], "exam": []}
    with Sandbox(Limits(), preload=MODULES) as sandbox:
        for _ in range(submissions):
            started = time.perf_counter()
            sandbox.spawn({}, 0).close()
            parts["fork and end"].append(time.perf_counter() - started)
            started = time.perf_counter()
            graded = grade(source, content, sandbox)
            whole = time.perf_counter() - started
            assert all(one.points for one in graded.verdicts)
            parts["exam"].append(sum(one.seconds for one in graded.verdicts))
            parts["cells"].append(whole - parts["exam"][-1] - parts["fork and end"][-1])
    return {name: statistics.median(seconds) for name, seconds in parts.items()}


def main() -> None:
    """Measure and print."""
    console = Console()
    seconds: dict[str, list[float]] = {"stock": [], "ours": []}
    with tempfile.TemporaryDirectory() as folder:
        roots = {"stock": Path(folder) / "stock", "ours": Path(folder) / "ours"}
        for name, settings in (("stock", STOCK), ("ours", OURS)):
            make_course(roots[name], settings, SUBMISSIONS if name == "stock" else MANY)
        for _ in range(ROUNDS):
            for name, root in roots.items():
                spent, peak = autograde(root, range(SUBMISSIONS))
                seconds[name].append(spent)
                console.print(f"  {name}: {spent:.3f} s a submission, {peak} MiB")
        memory = {count: autograde(roots["ours"], range(count))[1] for count in (FEW, MANY)}
    medians = {name: statistics.median(measured) for name, measured in seconds.items()}
    parts = where_it_goes(SUBMISSIONS)
    console.print(_as_table(medians, parts))
    console.print(f"stock / ours: {medians['stock'] / medians['ours']:.1f}")
    peaks = ", ".join(f"{peak} MiB for {count} submissions" for count, peak in memory.items())
    console.print(f"the grader's peak memory: {peaks}")


def _as_table(medians: dict[str, float], parts: dict[str, float]) -> Table:
    table = Table(title=f"{SUBMISSIONS} submissions, one worker", title_justify="left")
    table.add_column("")
    table.add_column("seconds a submission", justify="right")
    for name, spent in medians.items():
        table.add_row(name, f"{spent:.3f}")
    rest = medians["ours"] - sum(parts.values())
    for name, spent in {**parts, "nbgrader's own work, and starting": rest}.items():
        table.add_row(f"  of ours: {name}", f"{spent:.3f}")
    return table


if __name__ == "__main__":
    main()
