"""What an answer may write to, and when it may be empty or nan: where the solution does."""

from collections.abc import Iterator

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checks.exam.report import Verdict
from autograder.checks.source.cells import has_role
from autograder.grading.grade import Graded, grade
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.sample import sample
from tests.support.samples import make_cell

pytestmark = pytest.mark.slow

PASSED, WRONG, NOT_GRADABLE = Verdict.PASSED, Verdict.WRONG, Verdict.NOT_GRADABLE


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(cell_seconds=10, call_seconds=3), preload=["numpy", "torch"]) as opened:
        yield opened


def course(solution: str, *tests: str, points: int = 1) -> NotebookNode:
    cells = [new_code_cell("import numpy as np, torch"), make_cell("code", solution, "answer",
                                                                  solution=True)]  # fmt: skip
    cells += [
        make_cell("code", test, f"test-{n}", grade=True, points=points)
        for n, test in enumerate(tests)
    ]
    return new_notebook(cells=cells)


def graded(sandbox: Sandbox, source: NotebookNode, answer: str) -> Graded:
    handed_in = nbformat.reads(nbformat.writes(source), as_version=4)
    next(one for one in handed_in.cells if has_role(one, "solution")).source = answer
    return grade(source, nbformat.writes(handed_in).encode(), sandbox)


def verdicts(sandbox: Sandbox, source: NotebookNode, answer: str) -> list[Verdict]:
    return [one.verdict for one in graded(sandbox, source, answer).verdicts]


# What is written to an argument

# For each kind of argument: a test that compares with it afterwards, what makes it hold, and how
# the argument is called.
WRITING = {
    "array": ("x = np.array([1., 3.])", "x[:] = 0.5", "array"),
    "row": ("x = np.array([[1., 3.], [1., 1.]])[0]", "x[:] = 0.5", "array"),
    "tensor": ("x = torch.tensor([1., 3.])", "x.fill_(0.5)", "tensor"),
    "list": ("x = [1., 3.]", "x[:] = 0.5, 0.5", "list"),
    "shorter list": ("x = [1., 2., 3.]", "x[:] = 0.5, 0.5", "list"),
    "emptied list": ("x = [1., 3.]", "x.clear()", "list"),
    "dict": ("x = {'a': 1., 'b': 3.}", "x.update(a=0.5, b=0.5)", "dict"),
    "emptied dict": ("x = {'a': 1., 'b': 3.}", "x.clear()", "dict"),
    "array in a list": ("x = [np.array([1., 3.])]", "x[0][:] = 0.5", "list"),
    "tensor in a dict": ("x = {'a': torch.tensor([1., 3.])}", "x['a'][:] = 0.5", "dict"),
    "list in a list": ("x = [[1., 3.]]", "x[0][:] = 0.5, 0.5", "list"),
    "by name": ("x = np.array([1., 3.])", "x[:] = 0.5", "array"),
}
SHARES = """import copy, numpy as np, torch
def numbers(x):
    if isinstance(x, dict): x = list(x.values())
    return np.concatenate([np.ravel(one) for one in x]) if len(x) else np.zeros(0)
"""
SHARE = "def share(x):\n    return numbers(x) / max(numbers(x).sum(), 1)\n"


@pytest.mark.long
def test_answer_that_writes_to_what_the_solution_leaves_fails(sandbox: Sandbox) -> None:
    given = SHARES.replace("import copy, numpy as np, torch\n", "")
    tests = [
        f"{given}{making}\n"
        f"got = share({'x=x' if kind == 'by name' else 'x'})\n"
        "assert np.allclose(got, numbers(x) / max(numbers(x).sum(), 1))"
        for kind, (making, _, _) in WRITING.items()
    ]
    source = course(SHARES + SHARE, *tests)
    right = SHARES + SHARE.replace("    return", "    x = copy.deepcopy(x)\n    return")
    assert verdicts(sandbox, source, right) == [PASSED] * len(tests)
    for number, (kind, (_, writing, called)) in enumerate(WRITING.items()):
        cheat = SHARES + f"def share(x):\n    {writing}\n    return numbers(x)\n"
        found = graded(sandbox, course(SHARES + SHARE, tests[number]), cheat).verdicts[0]
        assert found.verdict is WRONG, kind
        assert found.points == 0
        assert found.message == (
            f"`share` writes to the {called} that it is given, which the solution leaves as it is"
        )


def test_answer_may_write_where_the_solution_writes(sandbox: Sandbox) -> None:
    """Each argument and each call by itself; where both write, a human looks at the rest."""
    solution = "def step(w, g):\n    w -= g\n    return w"
    once = "w, g = np.full(2, 3.), np.ones(2)\nold = w.copy()\n"
    one = f"{once}step(w, g)\nassert np.allclose(w, old - g)"
    two = "for _ in range(2):\n" + "\n".join(f"    {line}" for line in one.splitlines())
    source = course(solution, one, two)
    assert verdicts(sandbox, source, "def step(w, g):\n    w[:] = w - g") == [PASSED] * 2
    cheat = "def step(w, g):\n    g[:] = 0"
    assert verdicts(sandbox, source, cheat) == [NOT_GRADABLE] * 2
    twice = course(f"{solution}\ndef same(w): return w", f"{one}\nassert np.allclose(same(w), w)")
    cheat = "def step(w, g):\n    w -= g\ndef same(w):\n    w[:] = 0\n    return w"
    assert verdicts(sandbox, twice, cheat) == [NOT_GRADABLE]


def test_numbers_may_be_drawn(sandbox: Sandbox) -> None:
    test = "rng = np.random.default_rng(0)\nassert (drop(np.ones(3), 0, rng) == 1).all()"
    source = course("def drop(x, p, rng): return x", test)
    answer = "def drop(x, p, rng): return x * (rng.random(x.shape) >= p)"
    assert verdicts(sandbox, source, answer) == [PASSED]


# What comes back empty or nan

HOLLOW = {
    "array": "np.zeros(0)",
    "nan": "np.array([np.nan, 1])",
    "tensor": "torch.zeros(0)",
    "nan in a tensor": "torch.tensor([np.nan, 1])",
    "number": "np.float32('nan')",
    "complex": "complex('nan')",
    "list": "[]",
    "inner": "[1, ()]",
    "set": "set()",
    "dict": "{'a': {}}",
    "text": "''",
    "blank": "' \\n'",
    "text of nan": "' NaN'",
    "text of infinity": "'-inf'",
    "infinity": "-np.inf",
    "infinity in an array": "np.array([1, -np.inf])",
    "infinity in a tensor": "torch.tensor([np.inf, 1])",
    "generator": "(n for n in ())",
    "generator of nan": "(np.nan for _ in range(1))",
}


@pytest.mark.parametrize("hollow", sample([*HOLLOW.values()], 4))
def test_hollow_once_is_not_hollow_always(sandbox: Sandbox, hollow: str) -> None:
    solution = f"def make(n): return {hollow} if n == 2 else [1, 2]"
    listed = "list(got) if type(got) not in (float, complex, np.float32) else 0"
    loop = f"for n in range(4):\n    got = make(n)\n    {listed}\n    assert callable(make)"
    source = course(solution, loop)
    assert verdicts(sandbox, source, solution) == [PASSED]
    assert verdicts(sandbox, source, solution.replace("== 2", "== 7")) == [PASSED]
    assert verdicts(sandbox, source, solution.replace("== 2", "== 1")) == [NOT_GRADABLE]
    found = graded(sandbox, source, f"def make(n): return {hollow}").verdicts[0]
    assert found.verdict is NOT_GRADABLE
    assert "what this code gave back is empty" in found.message


def test_generator_counts_as_the_list_that_the_solution_gives(sandbox: Sandbox) -> None:
    solution = "def pairs(n): return [(k, k + 1) for k in range(n)]"
    tests = "assert list(pairs(2)) == [(0, 1), (1, 2)]\nassert list(pairs(0)) == []"
    source = course(solution, tests, tests.partition("\n")[0])
    generator = "def pairs(n):\n    for k in range(n): yield k, k + 1"
    assert verdicts(sandbox, source, generator) == [PASSED, PASSED]
    assert verdicts(sandbox, course(generator, tests), solution) == [PASSED]


def test_lent_function_is_called_with_what_is_hollow(sandbox: Sandbox) -> None:
    solution = "def batches(f, xs):\n    for x in xs: f([x, x])\n    return len(xs)"
    test = (
        "assert batches(seen.append, [1, 1]) == 2\nassert all(n == 1 for one in seen for n in one)"
    )
    source = course(solution, f"seen = []\n{test}")
    assert verdicts(sandbox, source, solution.replace("for x in xs", "for x in list(xs)")) == [
        PASSED
    ]
    assert verdicts(sandbox, source, solution.replace("[x, x]", "[]")) == [NOT_GRADABLE]
    found = graded(sandbox, source, "def batches(f, xs): return len(xs)").verdicts[0]
    assert found.verdict is NOT_GRADABLE
    assert "never called the function" in found.message
    neither = course("def first(xs, dtype): return xs[0]", "assert first([1], float) == 1")
    assert verdicts(sandbox, neither, "def first(xs, dtype): return xs[0] + 0") == [PASSED]


def test_what_raises_counts_as_a_reply(sandbox: Sandbox) -> None:
    solution = "def half(x): return [] if x == 0 else [x / 2]"
    test = "try:\n    half('a')\nexcept Exception:\n    pass\nassert half(0) == []"
    source = course(solution, test)
    assert verdicts(sandbox, source, "def half(x): return []") == [NOT_GRADABLE]
    careless = "def half(x): return [] if x == 0 else ['?']"
    assert verdicts(sandbox, source, careless) == [PASSED]


# How many points the last line says

NUMBERS = {
    "array": "np.array([9])",
    "tensor": "torch.tensor(9)",
    "no value": "np.array([])",
    "nan": "np.array([np.nan])",
}


@pytest.mark.long
@pytest.mark.parametrize("returned", NUMBERS.values(), ids=NUMBERS)
def test_points_that_are_no_number_with_the_answer(sandbox: Sandbox, returned: str) -> None:
    """nbgrader gives all points where the last line shows no number."""
    solution = "def double(x): return 2 * x"
    summed = "points = 2 * (double(1) == 2)\npoints = points + 2 * (double(3) == 6)\npoints"
    source = course(solution, f"assert callable(double)\n{summed}", points=4)
    assert verdicts(sandbox, source, solution) == [PASSED]
    found = graded(sandbox, source, "def double(x): return 2").verdicts[0]
    assert (found.verdict, found.points) == (WRONG, 2)
    found = graded(sandbox, source, f"def double(x): return {returned}").verdicts[0]
    assert (found.verdict, found.points) == (NOT_GRADABLE, 0)


@pytest.mark.long
def test_test_may_end_in_what_is_no_number(sandbox: Sandbox) -> None:
    solution = "def double(x): return 2 * x"
    source = course(solution, "assert double(1) == 2\nprint('right')", "assert double(2) == 4\n[]")
    assert verdicts(sandbox, source, "def double(x): return x + x") == [PASSED] * 2


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [("'a'", NOT_GRADABLE), ("['a']", NOT_GRADABLE), ("'abc'", PASSED), ("'abd'", WRONG)],
)
def test_a_text_in_place_of_a_list_may_end_early(
    sandbox: Sandbox, answer: str, verdict: Verdict
) -> None:
    source = course(
        "def letters():\n    return ['a', 'b', 'c']",
        "for one, other in zip(letters(), 'abc'):\n    assert one == other",
    )
    assert verdicts(sandbox, source, f"def letters():\n    return {answer}") == [verdict]


def test_a_text_may_be_shorter(sandbox: Sandbox) -> None:
    source = course("def greet():\n    return 'Hello, Ada'", "assert 'Ada' in greet()")
    assert verdicts(sandbox, source, "def greet():\n    return 'Hi, Ada'") == [PASSED]


# Of a single number NumPy says so in a warning, which is none of anybody's in the grader.
@pytest.mark.filterwarnings("ignore:overflow encountered")
@pytest.mark.parametrize(
    ("test", "wrong"),
    [
        ("assert abs(double(2) - 4) < 1e-9", "np.int8(2 * x - 128)"),
        ("assert np.abs(double(A) - 2 * A).max() < 1e-9", "2 * x + np.iinfo(x.dtype).min"),
        ("assert (double(T) - 2 * T).abs().max() < 1e-9", "2 * x + torch.iinfo(x.dtype).min"),
        ("assert ((double(A) - 2 * A) ** 2).mean() < 1e-9", "2 * x + 2**32"),
        ("assert all(abs(n - 4) < 1e-9 for n in double(2))", "[np.int16(2 * x - 2**15)]"),
    ],
)
def test_integers_that_wrap_around(sandbox: Sandbox, test: str, wrong: str) -> None:
    """abs(np.int8(-128)) is -128, and so below any tolerance."""
    solution = "[2 * x]" if wrong.startswith("[") else "2 * x"
    source = course(
        f"def double(x):\n    return {solution}",
        f"A, T = np.arange(3), torch.arange(3)\n{test}",
    )
    assert verdicts(sandbox, source, f"def double(x):\n    return {wrong}") == [NOT_GRADABLE]


def test_wide_integers_of_the_solution_are_no_doubt(sandbox: Sandbox) -> None:
    answer = "def mask():\n    return np.array([0, 200], dtype='uint8')"
    source = course(answer, "assert (mask() == [0, 200]).all()")
    assert verdicts(sandbox, source, answer) == [PASSED]


@pytest.mark.parametrize(
    ("answer", "test"),
    [
        (
            "from collections import defaultdict\n    return defaultdict(int, a=1)",
            "f() == {'a': 1}",
        ),
        ("return {'a': 1, 'b': 2}.values()", "sum(f()) == 3"),
        ("return {'a': 1}.items()", "sorted(f()) == [('a', 1)]"),
    ],
)
def test_what_is_as_good_as_a_dict_or_list(sandbox: Sandbox, answer: str, test: str) -> None:
    plain = {"sum(": "[1, 2]", "sort": "[('a', 1)]"}.get(test[:4], "{'a': 1}")
    source = course(f"def f():\n    return {plain}", f"assert {test}")
    assert verdicts(sandbox, source, f"def f():\n    {answer}") == [PASSED]


def test_what_is_lent_can_be_called_by_names(sandbox: Sandbox) -> None:
    source = course(
        "def apply(function, x):\n    return function(x)",
        "assert apply(lambda number, by=2: by * number, 3) == 6",
    )
    for call, verdict in (
        ("number=x", PASSED),
        ("x, by=2", PASSED),
        ("x, by=3", WRONG),
        ("x, buy=2", Verdict.EXCEPTION),
    ):
        answer = f"def apply(function, x):\n    return function({call})"
        assert verdicts(sandbox, source, answer) == [verdict], call


@pytest.mark.parametrize("base", ["", "(abc.ABC)", "(typing.Protocol)"])
def test_objects_of_a_class_with_a_kind_of_its_own(sandbox: Sandbox, base: str) -> None:
    body = "    def size(self):\n        return 3"
    source = course(f"class Box:\n{body}", "assert Box().size() == 3")
    derived = f"import abc, typing\nclass Base{base}:\n    pass\nclass Box(Base):\n{body}"
    assert verdicts(sandbox, source, derived) == [PASSED]
