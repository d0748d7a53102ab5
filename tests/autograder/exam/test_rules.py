"""Rules about how an answer is written: what they see, and what they let pass."""

import functools

import pytest

from autograder.exam.report import Verdict
from autograder.exam.rules import broken, looking_at
from tests.support.samples import run_cell

FORBIDDEN = ("softmax", "einops")


def found(*sources: str, forbidden: tuple[str, ...] = FORBIDDEN) -> tuple[str, ...]:
    """The details of the report on an answer whose sources these are; nothing if it passes."""
    with looking_at({"answer": sources}):
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
    "no program": "softmax (",
    "null bytes": "softmax\0",
    "too deep": "(" * 5000 + "softmax" + ")" * 5000,
    "an argument's name": "f(softmax=1)",
}


@pytest.mark.parametrize("source", ALLOWED.values(), ids=ALLOWED)
def test_not_mentioned(source: str) -> None:
    assert found(source) == ()


CALLS_ITSELF = "def softmax(x):\n  return [softmax(row) for row in x] if x.ndim == 2 else x"


def test_a_function_may_call_itself() -> None:
    with looking_at({"softmax": [CALLS_ITSELF]}):
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
    with looking_at({"softmax": [source]}):
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


def test_other_exercises_are_not_read() -> None:
    with looking_at({"other": ["softmax"]}):
        assert broken("answer", object(), FORBIDDEN) is None


def test_handed_in_ends() -> None:
    def answer(x: object) -> object:
        return softmax(x)  # type: ignore[name-defined]  # noqa: F821

    with looking_at({"answer": [""]}):
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
