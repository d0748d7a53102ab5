import logging

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from autograder.authoring.lesson.release import LeaveGivenLines
from tests.support.samples import make_cell

STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


def cleared(cell) -> str:
    """What is left of a cell, in a notebook with prose before and behind it."""
    words = [new_markdown_cell("words") for _ in range(2)]
    notebook = new_notebook(cells=[words[0], cell, words[1]], metadata=KERNEL)
    notebook, _ = LeaveGivenLines().preprocess(notebook, {})
    assert [other.source for other in notebook.cells[::2]] == ["words", "words"]
    return notebook.cells[1].source


def code(source: str, *, solution: bool = True):
    return make_cell("code", source, "f", solution=solution)


@pytest.fixture
def quiet():
    # nbgrader logs the whole cell before it raises.
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_stub():
    source = "def f(x):\n    y = x\n    ### BEGIN SOLUTION\n    return y\n    ### END SOLUTION"
    assert cleared(code(source)) == (
        "def f(x):\n    y = x\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    )


def test_stub_for_each_gap():
    gap = "    ### BEGIN SOLUTION\n    y = secret\n    ### END SOLUTION\n"
    source = cleared(code(f"def f(x):\n{gap}    z = 1\n{gap}    return y"))
    assert source.count("raise NotImplementedError()") == 2
    assert source.endswith("    return y")
    assert "secret" not in source


GIVEN = "def f():\n    return {\n        'a': ...,\n    }\n"
REPLACING = """\
    ### BEGIN SOLUTION (replaces the lines above)
    secret = 3
    return {"a": secret}
    ### END SOLUTION
"""


@pytest.mark.parametrize("below", ["", "# the end\n", "    # the end\n\n\ndef g():\n    pass\n"])
def test_no_stub(below):
    source = cleared(code(GIVEN + REPLACING + below))
    assert source == (GIVEN + below).rstrip("\n")


def test_no_stub_at_the_end():
    source = cleared(code((GIVEN + REPLACING).rstrip("\n")))
    assert source == GIVEN.rstrip("\n")


def test_no_stub_in_unindented_cell():
    source = (
        "x = ...\n### BEGIN SOLUTION (replaces the lines above)\nx = 3\n### END SOLUTION\nprint(x)"
    )
    assert cleared(code(source)) == "x = ...\nprint(x)"


@pytest.mark.parametrize("stub_first", [True, False])
def test_both_kinds(stub_first):
    gap = "def g():\n    ### BEGIN SOLUTION\n    return secret\n    ### END SOLUTION\n"
    blank = "def g():\n    # YOUR CODE HERE\n    raise NotImplementedError()\n"
    worksheet = GIVEN + REPLACING
    source = gap + worksheet if stub_first else worksheet + gap
    left = blank + GIVEN if stub_first else GIVEN + blank
    assert cleared(code(source)) == left.rstrip("\n")


def test_cell_without_marks():
    assert cleared(code("def f():\n    return 3")) == STUB


def test_text_cell():
    source = "### BEGIN SOLUTION\nBecause.\n### END SOLUTION"
    cell = make_cell("markdown", source, "why", solution=True, grade=True, points=2)
    assert cleared(cell) == "YOUR ANSWER HERE"


def test_text_cell_with_frame():
    source = "It is so because\n\n### BEGIN SOLUTION\nsecret\n### END SOLUTION\n\nand so on"
    cell = make_cell("markdown", source, "why", solution=True, grade=True, points=2)
    assert cleared(cell) == "It is so because\n\nYOUR ANSWER HERE\n\nand so on"


def test_other_cells_stay():
    assert cleared(code("check(f)", solution=False)) == "check(f)"


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("mark", ["", " (replaces the lines above)"])
def test_unclosed_region(mark):
    cell = code(f"def f():\n    return 1\n    ### BEGIN SOLUTION{mark}\n    return 2\n")
    with pytest.raises(RuntimeError, match="no end solution statement found"):
        cleared(cell)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("mark", ["", " (replaces the lines above)"])
def test_solution_in_given_cell(mark):
    cell = code(f"y = 1\n### BEGIN SOLUTION{mark}\nx = 1\n### END SOLUTION", solution=False)
    with pytest.raises(RuntimeError, match="non-solution cell"):
        cleared(cell)


CLASS = """\
class Scale(Module):
    \"\"\"Each word times a factor.\"\"\"

    def __init__(self, factor):
        super().__init__()
        ### BEGIN SOLUTION
        self.factor = secret
        ### END SOLUTION

    def forward(self, x):
        \"\"\"Each word of x.\"\"\"
        ### BEGIN SOLUTION
        for _ in range(2):
            x = secret * x
        return x
        ### END SOLUTION

    def extra_repr(self):
        return f"factor={self.factor}"
"""
LEFT = """\
class Scale(Module):
    \"\"\"Each word times a factor.\"\"\"

    def __init__(self, factor):
        super().__init__()
        # YOUR CODE HERE
        raise NotImplementedError()

    def forward(self, x):
        \"\"\"Each word of x.\"\"\"
        # YOUR CODE HERE
        raise NotImplementedError()

    def extra_repr(self):
        return f"factor={self.factor}\""""


def test_stub_in_each_method():
    assert cleared(code(CLASS)) == LEFT + "\n"


def test_broken_method_to_repair():
    source = CLASS.replace("        ### BEGIN", "        self.given = 1\n        ### BEGIN", 1)
    source = source.replace("SOLUTION\n", "SOLUTION (replaces the lines above)\n", 1)
    left = LEFT.replace("# YOUR CODE HERE", "self.given = 1", 1)
    left = left.replace("        raise NotImplementedError()\n", "", 1)
    assert cleared(code(source)) == left
