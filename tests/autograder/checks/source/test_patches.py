"""What a submission changes of the libraries is told by its full name."""

import pytest

from autograder.checks.source.patches import SHARED, patches_in


@pytest.mark.parametrize("library", SHARED)
@pytest.mark.parametrize(
    ("cells", "name"),
    [
        (["import {0}", "{0}.part = None"], "{0}.part"),
        (["import {0} as other\nother.one.part = 1"], "{0}.one.part"),
        (["import {0}.one\n{0}.one.part += 1"], "{0}.one.part"),
        (["from {0} import one as two\ntwo.part = 1"], "{0}.one.part"),
        (["import {0}\nsetattr({0}.one, 'part', None)"], "{0}.one.part"),
        (["import {0}\ndel {0}.part"], "{0}.part"),
        (["import {0}\ndef f():\n    {0}.part, x = 1, 2"], "{0}.part"),
        (["import {0}\nfor {0}.part in []: pass"], "{0}.part"),
        (["import {0}\nwith open('x') as {0}.part: pass"], "{0}.part"),
        (["%time import {0}\n%time {0}.part = 1"], "{0}.part"),
    ],
)
def test_changes_of_libraries_are_found(library: str, cells: list[str], name: str) -> None:
    assert patches_in([cell.format(library) for cell in cells]) == [name.format(library)]


@pytest.mark.parametrize(
    "cell",
    [
        "import torch\nlayer = torch.nn.Linear(1, 1)\nlayer.weight = None",
        "import math\nmath.pi = 3",
        "torch.softmax = 1",
        "import numpy as np\nnp.random.seed(3)",
        "class A:\n    def __init__(self):\n        self.torch = 1",
        "def f(:",
    ],
)
def test_all_else_is_not(cell: str) -> None:
    assert patches_in([cell]) == []
