"""What the instructor's own cells define, and what of it a test finds."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_notebook

from autograder.checks.exam.report import Verdict
from autograder.grading.examiner import Examiner
from autograder.grading.ordinary.given import Given, NotJudged
from autograder.grading.ordinary.instructor_names import Definitions
from tests.support.samples import make_cell

ANSWER = "def double(x):\n    return 2 * x"


def notebook(*cells: str) -> NotebookNode:
    """Cells by their beginning: "#answer", "#test", or given."""
    made = []
    for number, text in enumerate(cells):
        answer, test = text.startswith("#answer"), text.startswith("#test")
        cell = make_cell("code", text, f"cell-{number}", solution=answer, grade=test, points=1)
        cell.id = f"cell-{number}"
        if not answer and not test:
            del cell.metadata["nbgrader"]
        made.append(cell)
    return new_notebook(cells=made)


def asked(name: str) -> object:
    """The student's side: everything is there, as a word."""
    return f"their {name}"


def given(*cells: str, find: Callable[[str], object] = asked) -> Given:
    """What a test behind these cells finds."""
    return Given(find, Definitions(notebook(*cells)), len(cells))


OURS: dict[str, tuple[str, object]] = {
    "a number": ("x = 1", 1),
    "with a type": ("x: int = 1", 1),
    "of a module": ("import math\nx = math.floor(1.5)", 1),
    "of a module's part": ("import os.path\nx = os.path.join('a', 'b')", "a/b"),
    "under another name": ("import math as m\nfrom math import pi as p\nx = m.floor(p)", 3),
    "of builtins": ("x = sorted([2, 1])", [1, 2]),
    "of another": ("y = 1\nx = y + 1", 2),
    "several at once": ("y, (x, *z) = 1, (2, 3)", 2),
    "in a walrus": ("y = (x := 2) + 1", 2),
    "of itself": ("x = 1\nx = 2 * x\nx = x + 5", 7),
    "added to": ("x = 1\nx += 2", 3),
    "written into": ("x = [1, 2]\nx[0] = 5", [5, 2]),
    "before it changed": ("y = 1\nx = y + 1\ny = 5", 2),
    "in a comprehension": ("n = 3\nx = [2 * k for k in range(n)]", [0, 2, 4]),
    "of a function": ("def f(a): return a + b\nb = 2\nx = f(1)", 3),
    "of a class": ("class A:\n    size = 3\nx = A().size", 3),
    "of a lambda": ("f = lambda a: a + 1\nx = f(1)", 2),
    "the last": ("x = 1\nx = 2", 2),
    "below a magic": ("%matplotlib inline\nx = 1\n!ls", 1),
    "in a timed cell": ("%%time\nx = 1", 1),
    "from all": ("from math import *\nx = 1", 1),
    "of a loop": ("for x in range(3): pass", 2),
    "filled in a loop": (
        "x = []\nfor n in range(3): x.append((n, 2 * n))",
        [(0, 0), (1, 2), (2, 4)],
    ),
    "filled by a call": ("x = []\nx.append(4)", [4]),
    "filled through another name": ("x = [[]]\nrow = x[0]\nrow.append(4)", [[4]]),
    "filled by a function": ("x = []\ndef fill(into): into.append(4)\nfill(x)", [4]),
    "by a function's global": ("def make():\n    global x\n    x = 4\nmake()", 4),
    "of a while": ("x = 0\nwhile x < 5:\n    x += 2", 6),
    "of a condition": ("if 1:\n    x = 1\nelse:\n    x = 2", 1),
    "of a with": ("import io\nwith io.StringIO('a') as f:\n    x = f.read()", "a"),
    "of an attempt": ("try:\n    import nowhere as x\nexcept ImportError:\n    x = None", None),
    "of a walrus": ("print(x := 3)", 3),
    "of %time": ("%time x = 4", 4),
    "of %time in a loop": ("for n in range(2):\n    %time x = n", 1),
    "of a match": ("match [1, 2]:\n    case [_, x]:\n        pass", 2),
    "of a star": ("*x, _ = 1, 2, 3", [1, 2]),
    "after a loop": (
        "y = {}\nfor k in 'ab': y[k] = 1\nx = list(y)",
        ["a", "b"],
    ),
    "a builtin's name": ("x = 1\nmax = 5\nx = max", 5),
    "sorted": ("x = [2, 1]\nx.sort()", [1, 2]),
    "without": ("x = [2, 1]\ndel x[0]", [1]),
}


@pytest.mark.parametrize(("cell", "value"), OURS.values(), ids=OURS)
def test_ours(cell: str, value: object) -> None:
    assert given(cell)["x"] == value
    if "\n " not in cell and "%%" not in cell and "\nexcept" not in cell:
        assert given(*cell.split("\n"))["x"] == value


THEIRS = {
    "the answer": "#answer\nx = 1",
    "the answer, given before": "x = 1\n#",
    "of the answer": "#answer\ndouble = abs",
    "of another program": "%%bash\nx=1",
    "nothing": "y = 1",
    "broken": "x = 1 +",
}


@pytest.mark.parametrize("cell", THEIRS.values(), ids=THEIRS)
def test_theirs(cell: str) -> None:
    cells = (cell, "#answer\nx = 5") if cell.endswith("#") else (cell,)
    assert given(*cells)["x"] == "their x"


COMPUTED = ["x = double(1)", "x = [double(n) for n in range(3)]", "x = y = double(1)",
            "z = double(1)\nx = z", "x = 1\nx = double(x)", "x = 1\nx += double(1)",
            "x = []\nfor n in range(3): x.append(double(n))", "if double(1): x = 1",
            "x = {}\nx['a'] = double(1)", "with double(1) as x: pass", "print(x := double(1))",
            "x = []\ny = x\ny.append(double(1))", "for x in map(double, [1]): pass",
            "x = [[]]\nfor row in x: row.append(double(1))", "%time x = double(1)",
            "try:\n    x = double(1)\nexcept Exception:\n    x = 7",
            "def fill(into): into.append(double(1))\nx = []\nfill(x)",
            "def fill(f, into):\n    for n in [1]: into[n] = f(n)\nx = {}\nfill(double, x)",
            "def four(n): return double(double(n))\nx = four(1)",
            "def note(): x.append(double(1))\nx = []\nnote()"]  # fmt: skip


@pytest.mark.parametrize("cell", COMPUTED)
def test_computed_by_the_student(cell: str) -> None:
    assert given(f"#answer\n{ANSWER}", cell)["x"] == "their x"


KEPT = {
    "shown with an answer": ("x = [1]\nprint(double(x[0]))", [1]),
    "given to an answer": ("x = [1]\ny = double(x)", [1]),
    "looped over": ("x = [1]\nfor n in x: print(double(n))", [1]),
    "looked at": ("x = {1: 2}\nfor n, m in x.items(): print(double(n), m)", {1: 2}),
    "a number": ("x = 5\nx.bit_length() + double(1)", 5),
    "given to a function that looks": ("x = [1]\ndef show(a): print(a, double(1))\nshow(x)", [1]),
    "made after a student's": ("#answer\nx = 3\ny = double(x)#cell x = [4]", [4]),
}


@pytest.mark.parametrize(("cell", "value"), KEPT.values(), ids=KEPT)
def test_ours_though_an_answer_is_used(cell: str, value: object) -> None:
    assert given(f"#answer\n{ANSWER}", *cell.split("#cell "))["x"] == value


UNDECIDED = ["x = [1]\nx.mystery(double(1))", "x = [1]\ny = x\ny.mystery(double(1))",
             "x = !ls", "%run somewhere.py", "exec('x = 1')", "x = x + 1",
             "x = [1]\nz = [0]\nz.mystery(double(1))\nx = list(z)"]  # fmt: skip


@pytest.mark.parametrize("cell", UNDECIDED)
def test_undecided_is_refused(cell: str) -> None:
    with pytest.raises(NotJudged, match="`x`"):
        given(f"#answer\n{ANSWER}", cell)["x"]


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("def max(xs): return 0", "max"),
        ("def sum(xs): return 0", "sum"),
        ("def factorial(n): return 0", "factorial"),
    ],
)
def test_answers_stand_before_builtins_and_stars(cell: str, name: str) -> None:
    assert given("from math import *", f"#answer\n{cell}")[name] == f"their {name}"


def test_imports_of_a_solution_are_ours() -> None:
    found = given("#answer\nimport math\nfrom math import floor\ndef double(x): return 2 * x")
    assert found["math"].pi > 3
    assert found["floor"](1.5) == 1
    assert found["double"] == "their double"


def test_failing_given_cell_is_named() -> None:
    with pytest.raises(NotJudged, match="own cell fails at `x = 1 / 0`"):
        given("x = 1 / 0")["x"]


def test_ours_again() -> None:
    assert given(f"#answer\n{ANSWER}", "x = double(1)", "x = 3")["x"] == 3


def test_later_cells_are_not_seen() -> None:
    definitions = Definitions(notebook("x = 1", "#test", "x = 2", "y = 1"))
    assert Given(asked, definitions, 1)["x"] == 1
    assert Given(asked, definitions, 1)["y"] == "their y"
    assert Given(asked, definitions, 4)["x"] == 2


def test_function_uses_the_answer() -> None:
    found = given(f"#answer\n{ANSWER}", "def four(x):\n    return double(double(x))",
                  find=lambda name: lambda x: 2 * x)  # fmt: skip
    assert found["four"](3) == 12


def test_earlier_test_cells() -> None:
    find: Callable[[str], Any] = lambda name: lambda x: 2 * x  # noqa: E731
    cells = (f"#answer\n{ANSWER}", "#test\nexpected = 4\nresult = double(2)", "x = 1")
    found = given(*cells, find=find)
    assert (found["expected"], found["result"], found["x"]) == (4, 4, 1)


def test_unneeded_test_statements_are_not_run() -> None:
    found = given("n = 1", "#test\nbroken = 1 / 0 + n\nm = n + 1")
    assert found["m"] == 2
    assert found["n"] == 1
    with pytest.raises(ZeroDivisionError):
        found["broken"]


@pytest.mark.parametrize("order", ["xy", "yx", "zyx"])
def test_draws_in_order(order: str) -> None:
    cells = "import numpy as np", "rng = np.random.default_rng(0)", "x = rng.normal(size=2)"
    found = given(*cells, "y = rng.normal(size=2)\nz = 1")
    rng = np.random.default_rng(0)
    values = {"x": rng.normal(size=2).tolist(), "y": rng.normal(size=2).tolist(), "z": 1}
    for name in order:
        assert np.array_equal(found[name], values[name])


def test_seeded_modules() -> None:
    found = given("import torch\ntorch.manual_seed(3)", "x = torch.rand(2)", "y = torch.rand(2)")
    import torch

    torch.manual_seed(3)
    first, second = torch.rand(2), torch.rand(2)
    assert torch.equal(found["y"], second)
    assert torch.equal(found["x"], first)


def test_same_object_each_time() -> None:
    found = given("x = []", "y = [x]")
    assert found["y"][0] is found["x"]


def examine(*cells: str) -> tuple[Verdict, str]:
    source = notebook(*cells)
    examined = Examiner(asked, Definitions(source)).examine(source.cells[-1])
    return examined.verdict, examined.message


@pytest.mark.parametrize(
    "test",
    [
        "assert x == 1",
        "x = 5\nassert f() == 2\nassert x == 5",
        "assert [x + n for n in range(2)] == [1, 2]",
        "assert (lambda: x)() == 1",
        "def g(): return x\nassert g() == 1",
        "assert other == 'their other'",
        "import math as m\nassert m.floor(x) == 1",
        "assert len([x]) == 1",
    ],
)
def test_names_in_test_cells(test: str) -> None:
    text = f"#test\n{test}\nassert answer"
    assert examine("import math\nx = 1\ndef f(): return x + 1", text) == (
        Verdict.PASSED, "",
    )  # fmt: skip


def test_tests_see_what_earlier_ones_have_changed() -> None:
    """As in Jupyter; but each begins anew, so that none depends on what another has run."""
    cells = (
        "x = [1]",
        "#test\nx.append(2)\nassert x == [1, 2] and f",
        "#test\nassert x == [1, 2] and f",
    )
    source = notebook(*cells)
    examiner = Examiner(asked, Definitions(source))
    assert [examiner.examine(cell).verdict for cell in source.cells[1:]] == [Verdict.PASSED] * 2


def test_another_tests_failure_is_its_own() -> None:
    """It has a loop over the same names, and is not run again."""
    given_cell = "pairs = []\nfor n in range(2): pairs.append(n)"
    tests = "#test\nfor n in pairs: assert f == n", "#test\nassert f > str(pairs)"
    source = notebook(given_cell, *tests)
    examiner = Examiner(asked, Definitions(source))
    found = [examiner.examine(cell).verdict for cell in source.cells[1:]]
    assert found == [Verdict.WRONG, Verdict.PASSED]


EMPTY = ["for n in []:\n    assert f == n", "f", "[check_it(n) for n in f and []]", "", "f == 3",
         "try:\n    f\nexcept Exception:\n    pass", "result = f\nresult", "assert True",
         "assert len('ab') == 2"]  # fmt: skip


@pytest.mark.parametrize("test", EMPTY)
def test_what_compares_nothing_is_no_pass(test: str) -> None:
    verdict, message = examine(f"#test\n{test}")
    assert verdict is Verdict.NOT_GRADABLE
    assert "compared nothing" in message or "never looked" in message


COMPARED = ["if f != 'their f':\n    raise ValueError",
            "import numpy.testing as t\nt.assert_equal(f, 'their f')",
            "try:\n    f.no\nexcept AttributeError:\n    pass\nelse: raise OSError"]  # fmt: skip


@pytest.mark.parametrize("test", COMPARED)
def test_other_ways_to_compare(test: str) -> None:
    assert examine(f"#test\n{test}") == (Verdict.PASSED, "")


@pytest.mark.parametrize(
    ("last", "verdict", "credit"),
    [
        ("1 if f == 'their f' else 0", Verdict.PASSED, 1.0),
        ("0.5 * (f == 'their f')", Verdict.WRONG, 0.5),
        ("0 * (f == 'their f')", Verdict.WRONG, 0.0),
        ("3 * (f == 'their f')", Verdict.NOT_GRADABLE, 0.0),
        ("-1 * (f == 'their f')", Verdict.NOT_GRADABLE, 0.0),
        ("0.5", Verdict.NOT_GRADABLE, 0.0),
        ("assert f\nf == 'their f'", Verdict.PASSED, 1.0),
        ("assert f\n'0.5'", Verdict.PASSED, 1.0),
        ("assert f\n0.5;", Verdict.PASSED, 1.0),
    ],
)
def test_points_by_the_last_value(last: str, verdict: Verdict, credit: float) -> None:
    source = notebook(f"#test\n{last}")
    examined = Examiner(asked, Definitions(source)).examine(source.cells[-1])
    assert (examined.verdict, examined.credit) == (verdict, credit)
