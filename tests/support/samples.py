"""What several test files need: an exam, a lesson, cells as Jupyter and nbgrader have them."""

import linecache
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import torch
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from torch import nn

from autograder.authoring.lesson.lesson import Lesson
from autograder.authoring.lesson.reading import read_lesson
from autograder.authoring.lesson.reference import Source, read_reference
from autograder.checks.drivers.run_module import run_module
from autograder.checks.exam.exam import Exam
from autograder.checks.locate.search import FoundPlace, search

FRONT_MATTER = """\
---
kernelspec:
  display_name: Python 3
  language: python
  name: python3
---

"""


_numbers = count(1)


def run_cell(text: str, namespace: dict[str, object]) -> None:
    """Run a cell as Jupyter does: under a file name of its own, with its lines on record."""
    name = f"/tmp/ipykernel_4711/{next(_numbers)}.py"
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile(text, name, "exec"), namespace)


def make_lesson(path: Path, body: str) -> Lesson:
    path.write_text(FRONT_MATTER + body, encoding="utf-8")
    return read_lesson(path)


def make_sources(path: Path, text: str) -> dict[str, Source]:
    path.write_text(text, encoding="utf-8")
    return read_reference(path)


def make_cell(
    kind: str,
    source: str,
    grade_id: str,
    *,
    solution: bool = False,
    grade: bool = False,
    points: int = 0,
) -> NotebookNode:
    """A cell with nbgrader's metadata, written here by hand."""
    cell: NotebookNode = {"code": new_code_cell, "markdown": new_markdown_cell}[kind](source)
    cell.metadata["nbgrader"] = {
        "schema_version": 3,
        "cell_type": kind,
        "grade_id": grade_id,
        "solution": solution,
        "grade": grade,
        "locked": not solution,
        "task": False,
        **({"points": points} if grade else {}),
    }
    return cell


def mix(weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    return weights @ values


def mixing_exam() -> Exam:
    """An exam with all that an exam can have."""
    exam = Exam(mix)

    @exam.example
    def two_of_three():
        """three words, two features"""
        return np.array([0.5, 0.25, 0.25]), np.array([[1.0, 2.0], [3.0, -4.0], [5.0, 8.0]])

    @exam.case(times=2)
    def random_mixture(draw):
        """a mixture drawn at random"""
        return draw.weights("tokens"), draw("tokens d_in")

    @exam.holds
    def linear(answer, weights, values):
        """twice the values give twice the mixture"""
        return np.allclose(answer(weights, 2 * values), 2 * answer(weights, values), rtol=1e-4)

    @exam.misconception
    def unweighted(weights, values):
        """This is the plain average.
        Multiply each value by its weight first.
        """
        return values.mean(axis=0)

    @exam.misconception
    def over_features(weights, values):
        """You added over the features."""
        return (weights[:, None] * values).sum(axis=1)

    @exam.accepts
    def in_loops(weights, values):
        return sum(weight * value for weight, value in zip(weights, values, strict=True))

    return exam


class Affine(nn.Module):
    """The map x W + b."""

    def __init__(self, d_in, d_out, bias=False):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=bias)

    def forward(self, x):
        return self.W(x)


def affine_exam() -> Exam:
    """An exam of a class."""
    exam = Exam(Affine, use=run_module)

    @exam.example
    def two_words():
        """two words"""
        x = torch.tensor([[1.0, 2.0, -1.0], [0.5, 0.0, 3.0]])
        return {"d_in": 3, "d_out": 2}, {"W": torch.arange(6.0).reshape(3, 2)}, (x,)

    @exam.case(times=2)
    def random_words(draw):
        """words drawn at random"""
        weights = {"W": draw.tensor("d_in d_out"), "W.bias": draw.tensor("d_out")}
        settings = {"d_in": draw.size("d_in"), "d_out": draw.size("d_out"), "bias": True}
        return settings, weights, (draw.tensor("batch tokens d_in", scale=3),)

    @exam.holds
    def one_map(module_class, settings, weights, inputs):
        """each word is mapped by itself"""
        (x,) = inputs
        whole = run_module(module_class, settings, weights, (x,))["output"]
        first = run_module(module_class, settings, weights, (x[:, :1],))["output"]
        return torch.allclose(whole[:, :1], first, atol=1e-5)

    @exam.misconception
    class Detached(Affine):
        """The input learns nothing here. Leave out `detach`."""

        def forward(self, x):
            return self.W(x.detach())

    @exam.misconception
    class AlwaysBiased(Affine):
        """Your layer has a bias that nobody asked for: pass `bias` on."""

        def __init__(self, d_in, d_out, bias=True):
            super().__init__(d_in, d_out, bias=True)

    @exam.misconception
    class WithoutBias(nn.Module):
        """Nothing is added to the product: where is the bias?"""

        def __init__(self, d_in, d_out, bias=False):
            super().__init__()
            self.W = nn.Linear(d_in, d_out, bias=False)

        def forward(self, x):
            return self.W(x)

    @exam.accepts
    class AsParameter(nn.Module):
        """The weights as parameters."""

        def __init__(self, d_in: int, d_out: int, bias: bool = False) -> None:
            super().__init__()
            self.W = nn.Linear(d_in, d_out) if bias else nn.Parameter(torch.rand(d_in, d_out))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.W(x) if isinstance(self.W, nn.Module) else x @ self.W

    return exam


def mean_of_rows(x: np.ndarray) -> np.ndarray:
    """Each row's mean."""
    total = np.zeros(len(x))
    for i in range(len(x)):
        total[i] = x[i].sum() / x.shape[1]
    return total


MEANS = Exam(mean_of_rows, dtypes=("float64",))


@MEANS.example
def uneven() -> np.ndarray:
    """three rows of two numbers"""
    return np.array([[1.0, 2.0], [4.0, 8.5], [0.25, -3.0]])


@MEANS.example
def wide() -> np.ndarray:
    """two rows of three numbers"""
    return np.array([[1.0, 2.0, 7.0], [4.0, 8.5, 0.5]])


def places_in(text: str) -> list[FoundPlace]:
    """Where the search says to look in an answer to `mean_of_rows`."""
    # A busy machine is to try as many changes as a quiet one.
    return search(means_in(text), MEANS.printed_cases(), seconds=60, most=700)


def means_in(text: str, **names: object) -> Any:
    """The answer to `mean_of_rows` that a cell defines, with what else it finds there."""
    namespace: dict[str, object] = {"np": np, "__name__": "__main__", **names}
    run_cell(text, namespace)
    return namespace["mean_of_rows"]
