"""Test cells as they are published for nbgrader: right answers pass, wrong ones do not.

All of them stand in one notebook, which is handed in twice: solved, and wrong. What can't be judged by the grader is told apart, and then costs nobody points.
"""
# ruff: noqa: E501, as a pattern is easier to read in one line

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import nbformat
import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checks.exam.report import Verdict
from autograder.grading.grade import Graded, grade
from autograder.student.limits import Limits
from autograder.student.sandbox.sandbox import Sandbox
from tests.support.samples import make_cell


class Pattern(NamedTuple):
    given: str
    right: str
    wrong: str
    test: str
    here: bool = True  # whether the grader can judge it


PATTERNS: dict[str, Pattern] = {}


def pattern(
    name: str, right: str, wrong: str, test: str, given: str = "", here: bool = True
) -> None:
    PATTERNS[name] = Pattern(given, right, wrong, test, here)


DOUBLE, WRONG = "def {}(x): return 2 * x", "def {}(x): return x + 7"


def doubled(name: str, test: str, given: str = "", here: bool = True) -> None:
    """A pattern whose exercise is to double something."""
    pattern(name, DOUBLE.format(name), WRONG.format(name), test, given, here)


# Given cells.
doubled("g_loop", "for n, m in pairs1: assert g_loop(n) == m",
        "pairs1 = []\nfor n in range(5): pairs1.append((n, 2 * n))")  # fmt: skip
doubled("g_append", "assert g_append(2) == expected1[0]", "expected1 = []\nexpected1.append(4)")
doubled("g_with", "assert g_with(len(text1)) == 10",
        "import io\nwith io.StringIO('hello') as f1: text1 = f1.read()")  # fmt: skip
doubled(
    "g_if", "assert g_if(2) == expected2", "if True:\n    expected2 = 4\nelse:\n    expected2 = 5"
)
doubled("g_try", "assert g_try(1.5) == 3 and nothing1 is None",
        "try:\n    import nowhere_at_all as nothing1\nexcept ImportError:\n    nothing1 = None")  # fmt: skip
doubled("g_walrus", "assert g_walrus(2) == w1", "print(w1 := 4)")
doubled("g_time", "assert g_time(2) == t1", "%time t1 = 4")
doubled("g_timed_cell", "assert g_timed_cell(2) == t2", "%%time\nt2 = 4")
doubled("g_helper", "check_it(g_helper, 3)", "def check_it(f, n):\n    assert f(n) == 2 * n")
doubled("g_comprehension", "assert [g_comprehension(n) for n in ns1] == [2 * n for n in ns1]",
        "ns1 = [n for n in range(9) if n % 2]")  # fmt: skip
doubled("g_dict", "for n, m in table1.items(): assert g_dict(n) == m",
        "table1 = {}\nfor n in range(4): table1[n] = 2 * n")  # fmt: skip
doubled("g_array", "np.testing.assert_allclose(g_array(a1), b1)",
        "a1 = np.zeros((2, 3))\nfor i in range(2): a1[i] = i + 1\nb1 = a1 * 2")  # fmt: skip
doubled("g_made_with", "assert made1 == [0, 2, 4]", "made1 = [g_made_with(n) for n in range(3)]")
doubled("g_filled_with", "assert made2 == [0, 2, 4]",
        "made2 = []\nfor n in range(3): made2.append(g_filled_with(n))")  # fmt: skip
doubled("g_random", "assert np.allclose(g_random(r1), 2 * r1)",
        "rng1 = np.random.default_rng(0)\nr1 = rng1.normal(size=3)")  # fmt: skip
# Ways to test.
doubled("t_loop", "for n in range(5): assert t_loop(n) == 2 * n, f'{n} failed'")
doubled("t_equal", "np.testing.assert_equal(t_equal(np.arange(3)), [0, 2, 4])")
doubled("t_unittest", "from unittest import TestCase\nTestCase().assertEqual(t_unittest(2), 4)")
doubled("t_if", "if t_if(2) != 4:\n    raise ValueError('not doubled')")
doubled("t_timed", "%%time\nassert t_timed(2) == 4")
doubled("t_magic", "%matplotlib inline\nassert t_magic(2) == 4")
doubled("t_all", "assert all(t_all(n) == 2 * n for n in range(5))")
doubled("t_isinstance", "assert isinstance(t_isinstance(2), int) and t_isinstance(2) == 4")
doubled("t_type", "assert type(t_type(2.0)) is float\nassert t_type(2.0) == 4")
doubled("t_callable", "assert callable(t_callable) and t_callable(2) == 4")
doubled("t_globals", "assert 't_globals' in globals()\nassert globals()['t_globals'](2) == 4")
doubled("t_hidden", "assert t_hidden(1) == 2\n### BEGIN HIDDEN TESTS\nassert t_hidden(5) == 10\n"
        "### END HIDDEN TESTS")  # fmt: skip
pattern("t_raises", "def t_raises(x):\n    if x < 0: raise ValueError('negative')\n    return x",
        "def t_raises(x): return x", "with TestCase1.assertRaises(ValueError): t_raises(-1)",
        "from unittest import TestCase\nTestCase1 = TestCase()")  # fmt: skip
pattern("t_try", "def t_try(x): raise KeyError(x)", "def t_try(x): return x",
        "try:\n    t_try(1)\nexcept KeyError:\n    pass\nelse:\n    raise AssertionError('no error')")  # fmt: skip
pattern("t_variable", "t_variable = 42", "t_variable = 41", "assert t_variable == 42")
pattern("t_string", "t_string = 'a' + 'b'", "t_string = 'a'", "assert t_string.upper() == 'AB'")
pattern("t_printed", "def t_printed(): print('hello')", "def t_printed(): print('bye')",
        "from contextlib import redirect_stdout\nimport io\nwith redirect_stdout(io.StringIO()) as out1:\n"
        "    t_printed()\nassert out1.getvalue() == 'hello\\n'")  # fmt: skip
pattern("t_in_place", "def t_in_place(xs): xs.sort()", "def t_in_place(xs): xs.reverse()",
        "xs = [3, 1, 2]\nt_in_place(xs)\nassert xs == [1, 2, 3]")  # fmt: skip
pattern("t_callback", "def t_callback(f): return f(2) + 1", "def t_callback(f): return f(2)",
        "assert t_callback(lambda n: 10 * n) == 21")  # fmt: skip
pattern("t_closure", "def t_closure(n): return lambda x: x + n", "def t_closure(n): return lambda x: x",
        "assert t_closure(3)(4) == 7")  # fmt: skip
pattern("t_seed", "import random\ndef t_seed(): return random.randint(0, 10**6)",
        "def t_seed(): return 7",
        "import random\nrandom.seed(1)\nwanted = random.randint(0, 10**6)\nrandom.seed(1)\n"
        "assert t_seed() == wanted")  # fmt: skip
pattern("t_np_seed", "import numpy as np\ndef t_np_seed(): return np.random.rand(3)",
        "def t_np_seed(): return [1, 2, 3]",
        "np.random.seed(3)\nwanted = np.random.rand(3)\nnp.random.seed(3)\n"
        "assert np.allclose(t_np_seed(), wanted)")  # fmt: skip
# Kinds of values.
pattern("v_set", "def v_set(xs): return set(xs)", "def v_set(xs): return list(xs)",
        "assert v_set([1, 1, 2]) == {1, 2}")  # fmt: skip
pattern("v_sets", "def v_sets(): return {'a': {1, 2}, 'b': frozenset('xy')}", "def v_sets(): return {}",
        "assert v_sets() == {'a': {1, 2}, 'b': {'x', 'y'}}")  # fmt: skip
pattern("v_complex", "def v_complex(): return 1 + 2j", "def v_complex(): return 1 - 2j",
        "assert v_complex() == 1 + 2j and v_complex().imag == 2")  # fmt: skip
pattern("v_bytes", "def v_bytes(s): return s.encode()", "def v_bytes(s): return s",
        "assert v_bytes('é') == b'\\xc3\\xa9'")  # fmt: skip
pattern("v_counter", "from collections import Counter\ndef v_counter(s): return Counter(s)",
        "def v_counter(s): return len(s)",
        "assert v_counter('abca').most_common(1) == [('a', 2)]")  # fmt: skip
pattern("v_generator", "def v_generator(n):\n    for k in range(n): yield k * k",
        "def v_generator(n):\n    for k in range(n): yield k",
        "assert list(v_generator(4)) == [0, 1, 4, 9]")  # fmt: skip
pattern("v_endless", "def v_endless():\n    n = 0\n    while True:\n        yield n\n        n += 2",
        "def v_endless():\n    while True: yield 0",
        "g1 = v_endless()\nassert [next(g1) for _ in range(3)] == [0, 2, 4]")  # fmt: skip
pattern("v_map", "def v_map(xs): return map(str, xs)", "def v_map(xs): return xs",
        "assert list(v_map([1, 2])) == ['1', '2']")  # fmt: skip
pattern("v_range", "def v_range(n): return range(n)", "def v_range(n): return range(n + 1)",
        "assert v_range(3) == range(3) and len(v_range(3)) == 3")  # fmt: skip
pattern("v_deque", "from collections import deque\ndef v_deque(): return deque([1, 2])",
        "def v_deque(): return [1, 2]", "assert v_deque().popleft() == 1")  # fmt: skip
pattern("v_tuple", "def v_tuple(): return 1, [2.5], None", "def v_tuple(): return 1, [2], None",
        "a, (b,), c = v_tuple()\nassert (a, b, c) == (1, 2.5, None)")  # fmt: skip
pattern("v_signature", "def v_signature(a: int, b=2) -> str:\n    '''Say it.'''\n    return 'x'",
        "def v_signature(a, c): return 'x'",
        "import inspect\np1 = inspect.signature(v_signature).parameters\nassert list(p1) == ['a', 'b']\n"
        "assert p1['b'].default == 2 and p1['a'].annotation is int")  # fmt: skip
pattern("v_doc", "def v_doc():\n    '''Says what it does.'''", "def v_doc(): pass",
        "assert v_doc.__doc__ and 'does' in v_doc.__doc__")  # fmt: skip
# Classes.
POINT = """class {0}:
    def __init__(self, x, y): self.x, self.y = x, y
    def __eq__(self, other): return (self.x, self.y) == (other.x, other.y)
    def __add__(self, other): return {0}(self.x + other.x, self.y + other.y)
    def __repr__(self): return f'Point({{self.x}}, {{self.y}})'
    def __len__(self): return 2
    def __getitem__(self, n): return (self.x, self.y)[n]
    def __iter__(self): return iter((self.x, self.y))
    def norm(self): return (self.x ** 2 + self.y ** 2) ** 0.5"""
POOR = """class {0}:
    def __init__(self, x, y): self.x, self.y = y, x + 1
    def __eq__(self, other): return False
    def __add__(self, other): return self
    def __repr__(self): return 'a point'
    def __len__(self): return 3
    def __getitem__(self, n): return 0
    def __iter__(self): return iter(())
    def norm(self): return 0"""


def point(name: str, test: str, here: bool = True) -> None:
    """A pattern whose exercise is a class."""
    pattern(name, POINT.format(name), POOR.format(name), test.replace("P(", f"{name}("), "", here)


point("C_attributes", "p = P(3, 4)\nassert p.x == 3 and p.y == 4")
point("C_method", "assert P(3, 4).norm() == 5")
point("C_equal", "assert P(1, 2) == P(1, 2)\nassert not P(1, 2) == P(2, 2)")
point("C_add", "q = P(1, 2) + P(3, 4)\nassert (q.x, q.y) == (4, 6)")
point("C_repr", "assert repr(P(1, 2)) == 'Point(1, 2)' and str(P(1, 2)) == 'Point(1, 2)'")
point("C_len", "assert len(P(1, 2)) == 2")
point("C_item", "assert P(1, 2)[1] == 2")
point("C_iter", "a, b = P(1, 2)\nassert (a, b) == (1, 2) and list(P(3, 4)) == [3, 4]")
point("C_isinstance", "p = P(1, 2)\nassert isinstance(p, C_isinstance) and p.x == 1")
point("C_written", "p = P(1, 3)\np.x = 5\nassert p.x == 5 and p.y == 3")
point("C_hasattr", "assert hasattr(P(1, 2), 'norm') and P(3, 4).norm() == 5")
pattern("C_dataclass",
        "from dataclasses import dataclass\n@dataclass\nclass C_dataclass:\n    name: str\n    age: int = 3",
        "class C_dataclass:\n    def __init__(self, name, age=4): self.age = age",
        "c = C_dataclass('ada')\nassert c == C_dataclass('ada', 3)\nassert c.age == 3\n"
        "assert repr(c) == \"C_dataclass(name='ada', age=3)\"")  # fmt: skip
pattern("C_namedtuple", "from collections import namedtuple\nC_namedtuple = namedtuple('P', 'x y')",
        "def C_namedtuple(x, y): return (y, x)",
        "p = C_namedtuple(1, 2)\nassert p.x == 1 and p[1] == 2 and len(p) == 2")  # fmt: skip
pattern("C_inherits", "class C_inherits(list):\n    def total(self): return sum(self)",
        "class C_inherits:\n    def __init__(self, xs): pass",
        "c = C_inherits([1, 2])\nc.append(3)\nassert c.total() == 6 and len(c) == 3")  # fmt: skip
# What needs the student's objects in hand.
pattern("b_source", "def b_source(n): return n if n < 2 else b_source(n - 1) + b_source(n - 2)",
        "def b_source(n): return n", "import inspect\nassert 'b_source(n - 1)' in inspect.getsource(b_source)",
        here=False)  # fmt: skip
pattern("b_file", "def b_file(name):\n    with open(name, 'w') as f: f.write('hi')",
        "def b_file(name): pass", "b_file('b_file.txt')\nassert open('b_file.txt').read() == 'hi'",
        here=False)  # fmt: skip
pattern("b_shell", "def b_shell():\n    open('b_shell.txt', 'w').close()", "def b_shell(): pass",
        "b_shell()\nfound = !ls b_shell.txt\nassert found == ['b_shell.txt']", here=False)  # fmt: skip
pattern("b_class", "class b_class:\n    def __enter__(self): return 5\n    def __exit__(self, *_): pass",
        "class b_class: pass", "with b_class() as five: assert five == 5", here=False)  # fmt: skip
pattern("b_patched", "def b_patched(): return input()", "def b_patched(): return 'no'",
        "import builtins\nbuiltins.input = lambda *_: 'yes'\nassert b_patched() == 'yes'",
        here=False)  # fmt: skip
pattern("b_module", "import math as b_module", "import cmath as b_module",
        "assert b_module.__name__ == 'math'", here=False)  # fmt: skip
doubled("b_nothing", "result1 = b_nothing(2)", here=False)


# What can't be sent: dates, plots. (Frames have a notebook of their own, below.)
DATE = "from datetime import date\ndef {}(n): return date(2024, {}, 1)"
PLOT = """import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
_, {0} = plt.subplots()
{0}.set_title("{1}")
{0}.plot([0, 1, 2], {2})"""


def dated(name: str, test: str) -> None:
    """A pattern whose exercise gives back a date, which is the same whatever its argument."""
    pattern(name, DATE.format(name, 3), DATE.format(name, "1 + n"), test, here=False)


def plotted(name: str, test: str, given: str = "", here: bool = False) -> None:
    """A pattern whose exercise draws a line."""
    right, wrong = PLOT.format(name, "Growth", [0, 1, 4]), PLOT.format(name, "No title", [0, 1])
    pattern(name, right, wrong.replace("[0, 1, 2], ", ""), test, given, here)


dated("d_equal", "assert d_equal(1) == d_equal(2)")
dated("d_text", "assert str(d_text(1)) == str(d_text(2))")
dated(
    "d_swallowed",
    "try:\n    same = d_swallowed(1) == d_swallowed(2)\nexcept:\n    same = True\nassert same",
)
dated("d_part", "assert d_part(1).month == 3")
pattern(
    "d_true", DATE.format("d_true", 3), "def d_true(n): return None", "assert d_true(1)", here=False
)
plotted("m_title", "assert m_title.get_title() == 'Growth'")
plotted("m_lines", "assert len(m_lines.lines) == 1 and m_lines.get_title() == 'Growth'")
plotted("m_data", "np.testing.assert_allclose(m_data.lines[0].get_xdata(), [0, 1, 2])")
plotted(
    "m_current",
    "import matplotlib.pyplot as plt\nassert plt.gca().get_title() == 'Growth' and m_current",
)
plotted("m_plain", "assert drawn1 == ('Growth', 1, [0, 1, 2])",
        "drawn1 = m_plain.get_title(), len(m_plain.lines), m_plain.lines[0].get_xdata().tolist()",
        here=True)  # fmt: skip


FRAMES = """import pandas as pd
def {0}(n=2):
    return pd.DataFrame({{"a": [1, 2, {1}], "b": list("xyz")}})"""


def framed(name: str, test: str, given: str = "", here: bool = False) -> None:
    """A pattern whose exercise gives back a frame."""
    right, wrong = FRAMES.format(name, 3), FRAMES.format(name, "n + 4")
    pattern(
        name,
        right,
        wrong.replace('"b"', '"c"').replace('xyz")', 'xyz"), "d": 0'),
        test,
        given,
        here,
    )


EXPECTED = "expected2 = pd.DataFrame({'a': [1, 2, 3], 'b': list('xyz')})"
framed("f_shape", "assert f_shape().shape == (3, 2)")
framed("f_columns", "assert list(f_columns().columns) == ['a', 'b']")
framed("f_equals", f"import pandas as pd\n{EXPECTED}\nassert f_equals().equals(expected2)")
framed("f_expected", f"import pandas as pd\n{EXPECTED}\nassert expected2.equals(f_expected())")
framed(
    "f_assert",
    f"import pandas as pd\n{EXPECTED}\npd.testing.assert_frame_equal(f_assert(), expected2)",
)
framed("f_sum", "assert f_sum()['a'].sum() == 6")
framed("f_len", "assert len(f_len()) == 3 and f_len(1)['a'].max() == 3")
framed("f_same", "assert (f_same(1) == f_same(2)).all().all()")
framed("f_isinstance", "import pandas as pd\nassert isinstance(f_isinstance(), pd.DataFrame)\n"
       "assert f_isinstance().shape == (3, 2)")  # fmt: skip
framed("f_given", "assert found3 == (['a', 'b'], {'a': 6})",
       "found3 = list(f_given().columns), f_given()[['a']].sum().to_dict()", here=True)  # fmt: skip
pattern("f_plain", "import pandas as pd\ndef f_plain(xs): return pd.Series(xs).cumsum().tolist()",
        "import pandas as pd\ndef f_plain(xs): return pd.Series(xs).tolist()",
        "assert f_plain([1, 2, 3]) == [1, 3, 6]")  # fmt: skip
pattern("f_number", "import pandas as pd\ndef f_number(xs): return pd.Series(xs).mean()",
        "import pandas as pd\ndef f_number(xs): return pd.Series(xs).max()",
        "assert f_number([1, 2, 6]) == 3.0")  # fmt: skip
pattern("f_array", "import pandas as pd\ndef f_array(xs): return pd.Series(xs).diff().to_numpy()",
        "import pandas as pd\ndef f_array(xs): return pd.Series(xs).to_numpy()",
        "np.testing.assert_allclose(f_array([1, 2, 6]), [np.nan, 1, 4])")  # fmt: skip


# pandas is no requirement of the course.
FRAMED = [name for name in PATTERNS if name.startswith("f_")]
ORDINARY = [name for name in PATTERNS if name not in FRAMED]


def notebook(names: Iterable[str]) -> NotebookNode:
    """The instructor's notebook, with these patterns."""
    cells = [new_code_cell("import numpy as np")]
    for name in names:
        one = PATTERNS[name]
        cells.append(make_cell("code", one.right, name, solution=True))
        cells += [new_code_cell(one.given)] if one.given else []
        cells.append(make_cell("code", one.test, f"test-{name}", grade=True, points=2))
    return new_notebook(cells=cells)


def handed_in(names: Iterable[str], *, right: bool) -> bytes:
    submission = notebook(names)
    for cell in submission.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name in PATTERNS and not right:
            cell.source = PATTERNS[name].wrong
    return nbformat.writes(submission).encode()


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(Limits(cell_seconds=10, call_seconds=5), preload=("numpy",)) as sandbox:
        yield sandbox


def verdicts(graded: Graded) -> dict[str, Verdict]:
    return {one.grade_id.removeprefix("test-"): one.verdict for one in graded.verdicts}


def judged(
    names: Iterable[str], sandbox: Sandbox, folder: Path, *, beside: bool = False
) -> tuple[dict[str, object], list[str], list[str]]:
    """The right answers that did not fare as they should, the wrong ones that passed or were blamed."""
    source = notebook(names)
    right = grade(source, handed_in(names, right=True), sandbox, folder=folder, beside=beside)
    wrong = grade(source, handed_in(names, right=False), sandbox, folder=folder, beside=beside)
    says = {one.grade_id.removeprefix("test-"): one.message for one in right.verdicts}
    failed: dict[str, object] = {
        name: (verdict.name, says[name])
        for name, verdict in verdicts(right).items()
        if verdict
        is not (Verdict.PASSED if PATTERNS[name].here or beside else Verdict.NOT_GRADABLE)
    }
    passed = [name for name, verdict in verdicts(wrong).items() if verdict is Verdict.PASSED]
    blamed = [
        name
        for name, verdict in verdicts(wrong).items()
        if not (PATTERNS[name].here or beside) and verdict is not Verdict.NOT_GRADABLE
    ]
    return failed, passed, blamed


@pytest.mark.long
def test_patterns_are_judged_rightly(sandbox: Sandbox, tmp_path: Path) -> None:
    """None passed wrongly, none failed wrongly; what can't be judged here is told apart."""
    assert len(ORDINARY) >= 80
    assert judged(ORDINARY, sandbox, tmp_path) == ({}, [], [])


@pytest.mark.long
def test_frames_are_judged_rightly_or_told_apart(sandbox: Sandbox, tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    assert judged(FRAMED, sandbox, tmp_path) == ({}, [], [])
    assert judged(FRAMED[:9], sandbox, tmp_path, beside=True) == ({}, [], [])


@pytest.mark.long
def test_more_tests_than_processes() -> None:
    """At each test cell a process waits, which is none of those that a student may have."""
    cells = [make_cell("code", "def number(): return 0", "number", solution=True)]
    for n in range(80):
        cells += [
            make_cell("code", f"x{n} = {n}", f"x{n}", solution=True),
            make_cell("code", f"assert x{n} == {n}", f"test-{n}", grade=True, points=1),
        ]
    source = new_notebook(cells=cells)
    with Sandbox(Limits(processes=16, submission_seconds=60), preload=()) as sandbox:
        graded = grade(source, nbformat.writes(source).encode(), sandbox)
    assert [one.verdict for one in graded.verdicts] == [Verdict.PASSED] * 80


@pytest.mark.long
def test_what_needs_the_objects_runs_beside(sandbox: Sandbox, tmp_path: Path) -> None:
    """Where the lecturer says so, those that can't be judged here are judged over there."""
    names = [name for name in ORDINARY if not PATTERNS[name].here]
    names += ["g_loop", "C_equal"]
    source = notebook(names)
    right = grade(source, handed_in(names, right=True), sandbox, folder=tmp_path, beside=True)
    wrong = grade(source, handed_in(names, right=False), sandbox, folder=tmp_path, beside=True)
    failed = {name: one for name, one in verdicts(right).items() if one is not Verdict.PASSED}
    assert failed == {"b_nothing": Verdict.NOT_GRADABLE}  # any answer would pass it
    assert {name for name, one in verdicts(wrong).items() if one is Verdict.PASSED} == set()
    forged = {
        one.grade_id.removeprefix("test-") for one in right.record.cells if one.could_be_forged
    }
    assert forged == {*names} - {"g_loop", "C_equal"}


@pytest.mark.long
def test_one_cell_runs_beside_by_its_tag(sandbox: Sandbox) -> None:
    source = notebook(["g_loop", "b_file", "b_source"])
    for cell in source.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "test-b_file":
            cell.metadata["tags"] = ["beside"]
    graded = grade(source, handed_in(["g_loop", "b_file", "b_source"], right=True), sandbox)
    passed, unknown = Verdict.PASSED, Verdict.NOT_GRADABLE
    assert verdicts(graded) == {"g_loop": passed, "b_file": passed, "b_source": unknown}
    shown = [cell.outputs for cell in graded.notebook.cells if cell.get("outputs")]
    assert "no mistake of yours" in str(shown)
    assert str(shown).count("its outcome could be forged") == 1
