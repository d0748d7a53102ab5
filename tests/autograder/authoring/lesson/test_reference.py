import ast

import pytest

from autograder.authoring.lesson.reference import Source
from autograder.errors import SolutionError
from tests.support.samples import make_sources

MODULE = '''\
"""A reference."""

import numpy as np

LIMIT = 3


def given(x):
    return x


def mean(x):
    """The average of x."""
    count = len(x)
    ### BEGIN SOLUTION
    total = sum(x)

    return total / count
    ### END SOLUTION


class Scale:
    """A factor."""

    def __init__(self, factor):
        ### BEGIN SOLUTION
        self.factor = factor
        ### END SOLUTION

    def __call__(self, x):
        # times the factor
        ### BEGIN SOLUTION
        for _ in range(LIMIT):
            x = x * self.factor
        return x
        ### END SOLUTION


# The next one is a worksheet.
def worksheet():
    return {"sum": ...}
    ### BEGIN SOLUTION (replaces the lines above)
    return {"sum": 3.0}
    ### END SOLUTION
'''


@pytest.fixture
def path(tmp_path):
    return tmp_path / "words.py"


@pytest.fixture
def sources(path):
    return make_sources(path, MODULE)


def unparsed(source: Source) -> list[str]:
    return [ast.unparse(statement) for statement in source.tree]


def test_marked_ones_are_exercises(sources):
    assert list(sources) == ["mean", "Scale", "worksheet"]
    assert [source.name for source in sources.values()] == list(sources)


def test_line_of_definition(sources):
    lines = MODULE.split("\n")
    assert [lines[source.line - 1] for source in sources.values()] == [
        "def mean(x):",
        "class Scale:",
        "def worksheet():",
    ]


def test_text_is_verbatim(sources):
    text = sources["mean"].text
    assert text in MODULE
    assert text.startswith('def mean(x):\n    """The average of x."""\n')
    assert text.endswith("\n    return total / count\n    ### END SOLUTION")


def test_solution_of_function(sources):
    assert sources["mean"].solution == ("total = sum(x)", "return total / count")
    assert unparsed(sources["mean"]) == ["total = sum(x)", "return total / count"]


def test_solution_of_class(sources):
    source = sources["Scale"]
    assert source.text.startswith('class Scale:\n    """A factor."""')
    assert source.text.endswith("return x\n        ### END SOLUTION")
    assert [part.lines for part in source.solutions] == [
        ("self.factor = factor",),
        ("for _ in range(LIMIT):", "x = x * self.factor", "return x"),
    ]
    assert [len(part.tree) for part in source.solutions] == [1, 2]
    assert source.solution == (
        "self.factor = factor",
        "for _ in range(LIMIT):",
        "x = x * self.factor",
        "return x",
    )
    assert unparsed(source) == [
        "self.factor = factor",
        "for _ in range(LIMIT):\n    x = x * self.factor",
        "return x",
    ]


def test_replacing_the_lines_above(sources):
    source = sources["worksheet"]
    assert 'return {"sum": ...}' in source.text
    assert source.solution == ('return {"sum": 3.0}',)
    assert unparsed(source) == ["return {'sum': 3.0}"]


def test_several_gaps(path):
    text = (
        "def f(x):\n    ### BEGIN SOLUTION\n    a = x\n    ### END SOLUTION\n    b = 2\n"
        "    ### BEGIN SOLUTION\n    return a + b\n    ### END SOLUTION\n    # the end\n"
    )
    assert make_sources(path, text)["f"].solution == ("a = x", "return a + b")


def test_no_marks_at_all(path):
    assert make_sources(path, "def f(x):\n    return x\n\n\nclass A:\n    pass\n") == {}


@pytest.mark.parametrize(
    ("body", "line", "words"),
    [
        ("### BEGIN SOLUTION\n    return x", 2, "a solution begins that never ends"),
        ("y = 1\n    return x\n    ### END SOLUTION", 4, "a solution ends that never began"),
        (
            "### BEGIN SOLUTION\n    ### BEGIN SOLUTION\n    return x\n    ### END SOLUTION",
            3,
            "a solution begins inside another",
        ),
        (
            "### BEGIN SOLUTION\n    return x\n    ### END SOLUTION\n    ### END SOLUTION",
            5,
            "a solution ends that never began",
        ),
        ("### BEGIN SOLUTION\n    return x\n    ### END SOLUTIONS", 2, "never ends"),
        (
            "### BEGIN SOLUTION (replaces all)\n    return x\n    ### END SOLUTION",
            2,
            "unknown mark '### BEGIN SOLUTION (replaces all)'",
        ),
        ("### BEGIN SOLUTION\n    ### END SOLUTION\n    return x", 1, "solution of f is empty"),
        (
            "y = 1\n    ### BEGIN SOLUTION\n    # only words\n    ### END SOLUTION\n    return y",
            1,
            "solution of f is empty",
        ),
    ],
)
@pytest.mark.parametrize("above", ["", "import math\n\n\ndef g(x):\n    return x\n\n\n"])
def test_broken_marks(path, above, body, line, words):
    with pytest.raises(SolutionError) as error:
        make_sources(path, f"{above}def f(x):\n    {body}\n\n\nEND = 1\n")
    assert words in str(error.value)
    assert error.value.line == above.count("\n") + line
    assert str(error.value).startswith(f"{path}:{error.value.line}: ")


@pytest.mark.parametrize("kind", ["def f(x):", "class f:"])
def test_decorators(path, kind):
    above = "@torch.no_grad()\n@named(\n    'f',\n)\n"
    body = f"{kind}\n    ### BEGIN SOLUTION\n    y = 1\n    ### END SOLUTION"
    source = make_sources(path, f"import torch\n\n\n{above}{body}\n")["f"]
    assert source.text == above + body
    assert source.line == 4
    assert source.solution == ("y = 1",)
    assert unparsed(source) == ["y = 1"]


def test_broken_marks_below_decorator(path):
    with pytest.raises(SolutionError, match=f"^{path}:4: a solution begins that never ends$"):
        make_sources(path, "\n@cached\ndef f(x):\n    ### BEGIN SOLUTION\n    return x\n")


def test_reference_may_pass_on_what_another_has(path):
    there = make_sources(path, MODULE)
    another = path.with_name("again.py")
    package = path.parent.name
    lines = (
        f"from {package}.words import mean as mean, given as given, Scale as Other\n"
        f"from {package}.words import (\n    worksheet as worksheet,\n)\n"
        f"from {package}.words import Scale\n"
        "from math import pi as pi\n"
        f"from {package}.no_module_here import mean as mean\n"
    )
    sources = make_sources(another, lines)
    assert [*sources] == ["mean", "worksheet"]
    assert (sources["mean"].text, sources["mean"].line) == (there["mean"].text, 1)
    assert sources["worksheet"].line == 2


def test_reference_may_pass_on_what_a_package_has(path):
    folder = path.with_name("vectors")
    folder.mkdir()
    make_sources(folder / "__init__.py", MODULE)
    line = f"from {path.parent.name}.vectors import Scale as Scale\n"
    assert [*make_sources(path, line)] == ["Scale"]
