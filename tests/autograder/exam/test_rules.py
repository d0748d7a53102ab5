"""Rules about how an answer is written: what they see, and what they let pass."""

import functools

import pytest

from autograder.exam.report import Verdict
from autograder.exam.rules import Written, broken, looking_at
from tests.support.samples import run_cell

FORBIDDEN = ("softmax", "einops")


def written(name: str, *cells: str, **files: str) -> Written:
    """The exercise's own cell, and others around it; files by their names without .py."""
    own, *others = cells
    return Written(
        [*(("", text) for text in others), (name, own)],
        {f"{file}.py": text for file, text in files.items()},
    )


def found(*cells: str, forbidden: tuple[str, ...] = FORBIDDEN, **files: str) -> tuple[str, ...]:
    """The details of the report on an answer whose cell is the first; nothing if it passes."""
    with looking_at(written("answer", *cells, **files)):
        report = broken("answer", object(), forbidden)
    if report is None:
        return ()
    assert report.verdict is Verdict.WRONG
    assert report.exercise == "answer"
    assert report.finding is not None
    return report.finding.details


BROKEN = {
    "a name": "return softmax(x)",
    "a name that is not called": "f = softmax",
    "a name that is assigned": "softmax = 3",
    "an attribute": "return torch.nn.functional.softmax(x)",
    "an attribute in the middle": "return scipy.softmax.apply(x)",
    "a module": "import einops",
    "a module within": "import einops.layers.torch",
    "a module under another name": "import einops as e",
    "from a module": "from einops import rearrange",
    "from a module within": "from einops.layers import torch",
    "an import under another name": "from torch import softmax as s",
    "a text": "return getattr(torch, 'softmax')(x)",
    "a text with a path": "find('torch.softmax')",
    "an f-string's text": "find(f'softmax')",
    "in a function within": "def f():\n  def g():\n    return softmax",
    "in a lambda": "f = lambda x: softmax(x)",
    "in a default": "def f(g=softmax): pass",
    "in an annotation": "def f(g: softmax): pass",
    "in a decorator": "@softmax\ndef f(): pass",
    "a base": "class A(softmax): pass",
    "in a class": "class A:\n  def f(self):\n    return self.softmax",
    "in letters of another form": "return ｓoftmax(x)",
    "beside a magic": "%matplotlib inline\nreturn softmax(x)",
    "below a cell magic": "%%time\nreturn softmax(x)",
    "beside a question": "torch.exp?\n?print\n!ls\nreturn softmax(x)",
    "below an indented magic": "if x:\n    %time\nreturn softmax(x)",
    "beside an odd escape": "x = '\\d'\nreturn softmax(x)",
}


@pytest.mark.parametrize("source", BROKEN.values(), ids=BROKEN)
def test_mentioned(source: str) -> None:
    assert found(source)


ALLOWED = {
    "nothing": "",
    "a part of a name": "return my_softmax(softmaxes)",
    "other letters": "return Softmax(x)",
    "a comment": "x = 1  # not softmax",
    "a docstring": 'def f():\n  "no softmax here"',
    "a docstring of that word": 'def f():\n  "softmax"',
    "a docstring of a class": 'class A:\n  "softmax"',
    "a docstring of a cell": '"softmax"\nx = 1',
    "in a sentence": "print('this is softmax by hand')",
    "an argument's name": "f(softmax=1)",
}


@pytest.mark.parametrize("source", ALLOWED.values(), ids=ALLOWED)
def test_not_mentioned(source: str) -> None:
    assert found(source) == ()


CALLS_ITSELF = "def softmax(x):\n  return [softmax(row) for row in x] if x.ndim == 2 else x"


def test_a_function_may_call_itself() -> None:
    with looking_at(written("softmax", CALLS_ITSELF)):
        assert broken("softmax", object(), FORBIDDEN) is None
    assert found(CALLS_ITSELF)


NOT_ITSELF = {
    "an attribute": "def softmax(x):\n  return torch.softmax(x)",
    "an import in the body": "def softmax(x):\n  from torch import softmax\n  return softmax(x)",
    "an import before": "from torch import softmax\ndef softmax(x):\n  return softmax(x)",
    "a default": "def softmax(x, other=softmax):\n  return other(x)",
    "a decorator": "@softmax\ndef softmax(x):\n  return x",
    "another function": "def other(x):\n  return softmax(x)\nsoftmax = other",
    "a name that is not called": "def softmax(x):\n  other = softmax\n  return other(x)",
    "a text": "def softmax(x):\n  return getattr(torch, 'softmax')(x)",
}


@pytest.mark.parametrize("source", NOT_ITSELF.values(), ids=NOT_ITSELF)
def test_same_name_from_elsewhere(source: str) -> None:
    with looking_at(written("softmax", source)):
        assert broken("softmax", object(), FORBIDDEN) is not None


def test_no_rule_reads_nothing() -> None:
    assert found("softmax", forbidden=()) == ()


def test_word_and_line_are_named() -> None:
    source = "import torch\n\n\ndef answer(x):\n    return torch.softmax(x)  # easy\n"
    assert found(source) == (
        "write it yourself: this exercise is to be solved without `softmax`",
        "in your code, line 5: return torch.softmax(x)  # easy",
    )


@pytest.mark.parametrize("odd", ["\x0c", "\x1c", "\u2028", "\x85"])
def test_lines_are_those_of_python(odd: str) -> None:
    (_, line) = found(f"x = 1  # {odd} {odd}\r\ny = 2\rreturn softmax(x)\nz = 3")
    assert line == "in your code, line 3: return softmax(x)"


def test_added_cells_are_read() -> None:
    assert found("def answer(x):\n  return f(x)", "f = torch.softmax")[1].endswith(
        "f = torch.softmax"
    )


ANSWER = "def answer(x):\n    return att(x)"
# Cells, of which the first is the exercise's own and the second another exercise's; then a file.
WALKED_AROUND = {
    "a line for the shell": (("x = !true\ndef answer(x):\n    return softmax(x)",), ""),
    "a magic that assigns": (("x = %pwd\ndef answer(x):\n    return softmax(x)",), ""),
    "magics within magics": (
        ("%%time\n%%capture\n\ndef answer(x):\n    return softmax(x)",),
        "",
    ),
    "a magic's line": (("%time answer = torch.softmax",), ""),
    "a magic that is called": (("get_ipython().run_line_magic('time', 'f = softmax')",), ""),
    "a text that is run": (("exec('answer = torch.softmax')",), ""),
    "a text within a text": (("exec('exec(\"answer = torch.softmax\")')",), ""),
    "a text that is no program": (("get_ipython().system('python -c softmax \"')",), ""),
    "an added cell": (("", "", "def answer(x):\n    return softmax(x)"), ""),
    "another exercise's cell": ((ANSWER, "att = torch.softmax"), ""),
    "several cells": ((ANSWER, "att = b", "b = c", "from torch import softmax as c"), ""),
    "a name that is set": ((ANSWER, "globals()['att'] = torch.softmax"), ""),
    "a name of a library": (
        ("def answer(x):\n    return torch.att(x)", "setattr(torch, 'att', torch.softmax)"),
        "",
    ),
    "a function that is replaced": (
        ("def answer(x):\n    return torch.exp(x)", "torch.exp = torch.softmax"),
        "",
    ),
    "a default elsewhere": ((ANSWER, "def att(x, f=torch.softmax):\n    return f(x)"), ""),
    "a class elsewhere": (
        ("def answer(x):\n    return A().f(x)", "class A:\n    f = torch.softmax"),
        "",
    ),
    "code that finds names when it runs": (
        ("def answer(x):\n    return globals()['a' + 'tt'](x)", "att = torch.softmax"),
        "",
    ),
    "a file": (("from helper import att\n" + ANSWER,), "att = torch.softmax"),
    "all of a file": (("from helper import *\n" + ANSWER,), "from torch import softmax as att"),
    "a module": (("import helper\ndef answer(x):\n    return helper.att(x)",), "att = softmax"),
    "a private name": (("answer = torch._softmax",), ""),
    "a private name with words between": (("answer = torch._soft_one_max",), ""),
    "a cell that can't be read": (("def answer(:\n    return softmax(x)",), ""),
    "another one": ((ANSWER, "att = softmax (("), ""),
    "null bytes": (("answer = 1\0",), ""),
    "too deep": (("answer = " + "(" * 5000 + "1" + ")" * 5000,), ""),
}


@pytest.mark.parametrize(("cells", "file"), WALKED_AROUND.values(), ids=WALKED_AROUND)
def test_walked_around(cells: tuple[str, ...], file: str) -> None:
    forbidden = ("softmax", "soft_max")
    own, *others = cells
    kinds = ["other", *[""] * len(others)]
    texts = [*zip(kinds, others, strict=False), ("answer", own)]
    with looking_at(Written(texts, {"helper.py": file} if file else {})):
        assert broken("answer", object(), forbidden) is not None


HONEST = {
    "another exercise may": (ANSWER, "y = torch.softmax(x)", "def att(x):\n    return x"),
    "a comparison": (ANSWER, "print(answer(x) - torch.softmax(x))"),
    "a result of the same name as a local one": (
        "def answer(x):\n    y = x\n    return y",
        "y = torch.softmax(x)",
    ),
    "a helper of one's own": (
        "def answer(x):\n    return _softmax(x)\ndef _softmax(x):\n    return x",
    ),
    "a module that is evaluated": (
        "def answer(x):\n    return x.eval()",
        "y = torch.softmax(x)",
    ),
    "a measured answer": (
        "def answer(x):\n    return x\n%timeit answer(1)",
        "y = torch.softmax(x)",
    ),
    "a broken cell": (ANSWER, "print(1", "def att(x):\n    return x"),
    "a cell of another language": (ANSWER, "%%bash\nls", "def att(x):\n    return x"),
}


@pytest.mark.parametrize("cells", HONEST.values(), ids=HONEST)
def test_honest_answers_pass(cells: tuple[str, ...]) -> None:
    assert found(*cells, scratch="z = torch.softmax(x)") == ()


# Reading takes the grader's time and memory: whoever writes this breaks the rule, and no more.
ENDLESS = {
    "lines for the shell": ("answer = abs\n" + "!ls\n" * 2000,),
    "code": (ANSWER, "x = 1\n" * 100_000),
    "code in a file": ("from helper import att\n" + ANSWER, "x = 1\n" * 100_000),
    "names that lead to names": (
        "answer = a0",
        "\n".join(f"a{n} = a{n + 1}" for n in range(2000, -1, -1)) + "\na2001 = softmax",
    ),
    "attributes of attributes": ("answer = softmax" + ".a" * 4000,),
    "texts in texts": ("exec(" * 300 + "'softmax'" + ")" * 300,),
}


@pytest.mark.parametrize("cells", ENDLESS.values(), ids=ENDLESS)
def test_reading_ends(cells: tuple[str, ...]) -> None:
    assert found(*cells)


def test_an_answer_may_be_tried_out() -> None:
    tried = "y = softmax(x)\nassert np.allclose(softmax(x), y)"
    uses = "def softmax(x):\n    return y if x is None else x"
    cells = [("softmax", uses), ("", tried)]
    with looking_at(Written(cells)):
        assert broken("softmax", object(), FORBIDDEN) is None
    with looking_at(Written(cells[::-1])):
        assert broken("softmax", object(), FORBIDDEN) is not None


def test_other_exercises_are_not_read() -> None:
    with looking_at(Written([("other", "softmax")])):
        assert broken("answer", object(), FORBIDDEN) is None


def test_handed_in_ends() -> None:
    def answer(x: object) -> object:
        return softmax(x)  # type: ignore[name-defined]  # noqa: F821

    with looking_at(written("answer", "")):
        assert broken("answer", answer, FORBIDDEN) is None
    assert broken("answer", answer, FORBIDDEN) is not None


def defined(cell: str) -> object:
    namespace: dict[str, object] = {"__name__": "__main__"}
    run_cell(cell, namespace)
    return namespace["answer"]


IN_A_CELL = {
    "function": "import torch\n\ndef answer(x):\n    return torch.softmax(x)",
    "class": "class answer:\n    '''no softmax'''\n    def forward(self, x):\n"
    "        return torch.softmax(x)",
    "static method": "class answer:\n    @staticmethod\n    def f(x):\n"
    "        return torch.softmax(x)",
}


@pytest.mark.parametrize("cell", IN_A_CELL.values(), ids=IN_A_CELL)
def test_own_lines_in_a_notebook(cell: str) -> None:
    report = broken("answer", defined(cell), FORBIDDEN)
    assert report is not None
    assert report.finding is not None
    assert report.finding.details[1] == "in your code, line 4: return torch.softmax(x)"


def test_own_lines_alone() -> None:
    answer = defined("softmax = abs\nclass answer:\n    def forward(self, x):\n        return x")
    assert broken("answer", answer, FORBIDDEN) is None


@pytest.mark.parametrize("answer", [abs, 7, None, functools.partial(print), int])
def test_no_lines_at_all(answer: object) -> None:
    assert broken("answer", answer, FORBIDDEN) is None
