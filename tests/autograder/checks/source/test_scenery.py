"""Which given cells are left out when grading, by what the text of a notebook says."""

import time

import pytest
from nbformat.notebooknode import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from autograder.checks.source.scenery import NEEDED, SCENERY, left_out, scenery_in, tag_scenery
from tests.support.samples import make_cell

IMPORTS = "import numpy as np\nimport matplotlib.pyplot as plt\nfrom helpers import table"
ANSWER = "#answer\ndef double(x):\n    return 2 * x"
TEST = "#test\nassert double(3) == 6"
FIGURE = "points = [double(n) for n in range(5)]\nplt.plot(points)"


def notebook(*cells: str) -> NotebookNode:
    """Cells by their beginning: "#answer", "#test", or given, with tags after a "#:"."""
    made = []
    for number, text in enumerate(cells):
        answer, test = text.startswith("#answer"), text.startswith("#test")
        if answer or test:
            cell = make_cell("code", text, f"cell-{number}", solution=answer, grade=test, points=1)
        else:
            first, _, rest = text.partition("\n")
            tags = first.removeprefix("#:").split() if first.startswith("#:") else []
            cell = new_code_cell(rest if tags else text, metadata={"tags": tags} if tags else {})
        cell.id = f"cell-{number}"
        made.append(cell)
    return new_notebook(cells=made)


def places(ids: frozenset[str]) -> list[int]:
    return sorted(int(one.removeprefix("cell-")) for one in ids)


def found(*cells: str) -> list[int]:
    return places(scenery_in(notebook(*cells)))


def test_figures_are_scenery() -> None:
    assert found(IMPORTS, ANSWER, TEST, FIGURE) == [0, 3]
    assert found(IMPORTS, ANSWER, "#test\nassert np.all(double(table) == 2)", FIGURE) == [3]


@pytest.mark.parametrize(
    "given",
    [
        "numbers = [1, 2]",
        "numbers = np.ones(2)\nnumbers[0] = 5",
        "start = 1\nnumbers = [start]",
        "def numbers():\n    return 1",
        "class numbers:\n    pass",
        "for numbers in range(3):\n    print(numbers)",
        "import numbers",
        "from elsewhere import one as numbers",
    ],
)
def test_what_a_test_or_an_answer_uses_is_needed(given: str) -> None:
    in_a_test = "#test\nassert double(numbers) == 6"
    assert found(given, ANSWER, in_a_test) == []
    assert found(given, "#answer\ndef double(x):\n    return numbers", TEST) == []
    assert found(given, ANSWER, TEST) == [0]


@pytest.mark.parametrize(
    "change",
    [
        "numbers.append(4)",
        "numbers[0] = 4",
        "numbers += [4]",
        "other = numbers\nother.append(4)",
        "numbers.whatever()",
        "double(numbers)",
        "np.put(numbers, 0, 4)",
        "torch.nn.init.zeros_(numbers)",
        "def add():\n    numbers.append(1)\nadd()",
        "def into(x):\n    x.append(1)\ninto(numbers)",
    ],
)
def test_what_changes_a_needed_value_is_needed(change: str) -> None:
    cells = "numbers = [1]", change, ANSWER, "#test\nassert double(numbers) == 6"
    assert found("import numpy as np, torch", *cells)[1:] == []


def test_what_a_needed_cell_needs_is_needed() -> None:
    chain = "a = 1", "b = a + 1", "c = b + 1", "d = c + 1"
    assert found(*chain, ANSWER, "#test\nassert double(c) == 6") == [3]


@pytest.mark.parametrize(
    "acting",
    [
        "np.random.seed(0)",
        "import random\nrandom.seed(1)",
        "torch.manual_seed(3)",
        "np.set_printoptions(precision=3)",
        "torch.set_default_dtype(torch.float64)",
        "torch.use_deterministic_algorithms(True)",
        "plt.rcParams['figure.dpi'] = 80",
        "plt.rcParams.update({})",
        "np.array = list",
        "plt.style.use('dark_background')",
        "with open('numbers.txt', 'w') as file:\n    file.write('1')",
        "np.save('numbers.npy', np.ones(3))",
        "import os\nos.chdir('..')",
        "import os\nos.environ['A'] = 'b'",
        "import sys\nsys.path.append('here')",
        "from helpers import *",
        "import warnings\nwarnings.filterwarnings('ignore')",
        "exec('x = 1')",
        "%matplotlib inline",
        "!pip list",
        "%%bash\nls",
        "this is no Python",
        "def begin():\n    torch.manual_seed(3)\nbegin()",
    ],
)
def test_what_acts_is_no_scenery_unless_its_author_says_so(acting: str) -> None:
    imports = "import numpy as np, torch\nimport matplotlib.pyplot as plt\nnp.seterr(all='ignore')"
    assert found(imports, acting, ANSWER, TEST) == []
    assert found(imports, f"#: {SCENERY}\n{acting}", ANSWER, TEST) == [1]


def test_a_function_that_acts_does_so_where_it_is_called() -> None:
    begin = "def begin():\n    torch.manual_seed(3)"
    assert found("import torch", begin, "begin()", FIGURE, ANSWER, TEST) == [3]


def test_its_own_generator_is_a_value() -> None:
    drawn = "noise = torch.randn(3, generator=torch.Generator().manual_seed(3))"
    assert found("import torch", drawn, ANSWER, TEST) == [0, 1]


def test_an_author_keeps_a_cell() -> None:
    assert found(f"#: {NEEDED}\n{FIGURE}", ANSWER, TEST) == []


def test_the_build_writes_what_it_finds() -> None:
    made = notebook(f"#: slow {SCENERY}\nx = 1", FIGURE, ANSWER, "#test\nassert double(x) == 2")
    tag_scenery(made)
    tags = [cell.metadata.get("tags") for cell in made.cells]
    assert tags == [["slow"], [SCENERY], None, None]


def test_nothing_is_left_out_where_nobody_says_so() -> None:
    assert left_out(notebook(IMPORTS, FIGURE, ANSWER, TEST), ["def double(x): return x"]) == set()


SCENE = (
    "import numpy as np",
    f"#: {SCENERY}\nwords = ['a', 'b']",
    f"#: {SCENERY}\nlong = [word * 2 for word in words]",
    f"#: {SCENERY}\nnp.random.seed(0)\nnoise = np.random.rand(3)",
    ANSWER,
    TEST,
)


@pytest.mark.parametrize(
    ("written", "left"),
    [
        ("def double(x):\n    return 2 * x", [1, 2, 3]),
        ("def double(x):\n    words = [x]\n    return 2 * words[0]", [1, 2, 3]),
        ("def double(x):\n    '''In words.'''\n    return 2 * x", [1, 2, 3]),
        ("def double(x):\n    return long and 2 * x", [3]),
        ("print(words)", [2, 3]),
        ("def double(x):\n    return lambda: noise", [1, 2]),
        ("globals()['words']", []),
        ("eval('words')", []),
        ("import __main__\n__main__.words", []),
        ("import sys\nsys.modules['__main__'].words", []),
        ("import inspect\ninspect.currentframe()", []),
        ("Out[2]", []),
        ("%run other.py", []),
        ("get_ipython().user_ns['words']", []),
        ("this is no Python: words", [1, 2, 3]),
    ],
)
def test_what_a_submission_names_is_run(written: str, left: list[int]) -> None:
    assert places(left_out(notebook(*SCENE), [written])) == left


def test_what_a_test_needs_is_run_whatever_the_tag_says() -> None:
    cells = *SCENE, "#test\nassert double(words) == 6"
    assert places(left_out(notebook(*cells), [])) == [2, 3]


@pytest.mark.parametrize(
    "text",
    [
        f"x = {'+'.join(['1'] * 3000)}",
        "if a: pass\n" + "elif b: pass\n" * 900,
        f"x = a{'.a' * 5000}",
        "%time x = 1\n" * 300,
        f"x = {'-' * 100_000}1",
        f"x = {'(' * 150}1{')' * 150}",
        f"x = {'[' * 400}{']' * 400}",
        "%x\n" * 50 + "y = 1\n" * 30_000,
        "y = 1\n" * 3_000,
        f"x = {'not ' * 4000}True",
        f"f = {'lambda: ' * 800}1",
        f"x = '{'a' * 19_000}'",
        "\0",
        "x = 1\ud800",
        "def f(:\n",
        "global x\nx = 1\nglobal x",
        "nonlocal x",
        "return 1",
        "yield",
        "*a, *b = c",
        "del f()",
        "def f(a, a): pass",
        "\x0c" * 1000,
        "async def f():\n    await g()",
        "match x:\n    case a | a: pass",
    ],
    ids=lambda text: ascii(text[:12]),
)
def test_no_text_of_a_students_stops_the_grader(text: str) -> None:
    """Nor keeps it busy: what can't be read within bounds may use any name, so all cells run."""
    cells = notebook("import numpy as np", f"#: {SCENERY}\n{FIGURE}", ANSWER, TEST)
    started = time.process_time()
    left_out(cells, [text])
    assert time.process_time() - started < 5
