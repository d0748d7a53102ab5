"""Rules about how an answer is written: what they see, and what they let pass."""

import functools

import pytest

from autograder.checks.exam.report import Verdict
from autograder.checks.exam.rules import Written, broken, looking_at
from autograder.checks.source.written import imported
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
    "an attribute": "return torch.nn.functional.softmax(x)",
    "an attribute in the middle": "return scipy.softmax.apply(x)",
    "a module": "import einops\nx = einops",
    "a module within": "import einops.layers.torch\nx = einops",
    "a module under another name": "import einops as e\nx = e",
    "from a module": "from einops import rearrange\nx = rearrange",
    "from a module within": "from einops.layers import torch\nx = torch",
    "an import under another name": "from torch import softmax as s\nx = s",
    "everything of a module": "from einops import *",
    "a text": "return getattr(torch, 'softmax')(x)",
    "a text in two parts": "return getattr(torch.nn, 'soft' + 'max')(x)",
    "an f-string's text": "return getattr(torch, f'softmax')(x)",
    "in a function within": "def f():\n  def g():\n    return softmax",
    "in a lambda": "f = lambda x: softmax(x)",
    "in a default": "def f(g=softmax): pass",
    "in an annotation": "def f(g: softmax): pass",
    "in a decorator": "@softmax\ndef f(): pass",
    "a base": "class A(softmax): pass",
    "in a class": "class A:\n  def f(self):\n    return torch.softmax",
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
    "a module that is not used": "import einops, torch\nimport einops as e\nx = torch.exp",
    "a name that is imported and not used": "from torch import exp, softmax\nx = exp",
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


NOT_ITSELF = {
    "an attribute": "def softmax(x):\n  return torch.softmax(x)",
    "an import in the body": "def softmax(x):\n  from torch import softmax\n  return softmax(x)",
    "an import before": "from torch import softmax\ndef softmax(x):\n  return softmax(x)",
    "a default": "def softmax(x, other=softmax):\n  return other(x)",
    "a decorator": "@softmax\ndef softmax(x):\n  return x",
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
    "through the notebook as a module": (
        ("import __main__\ndef answer(x):\n    return __main__.f(x)", "f = torch.softmax"),
        "",
    ),
    "through the notebook among the modules": (
        ("def answer(x):\n    return sys.modules[N].f(x)", "N = '__main__'\nf = torch.softmax"),
        "",
    ),
    "through an attribute of another's": (
        ("def answer(x):\n    return x.f()", "torch.Tensor.f = torch.softmax"),
        "",
    ),
    "through an attribute that is set by its name": (
        ("def answer(x):\n    return x.f()", "setattr(torch.Tensor, 'f', torch.softmax)"),
        "",
    ),
    "through a method's name of the notebook": (
        ("class answer:\n    def forward(self, x):\n        return f(x)", "f = torch.softmax"),
        "",
    ),
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
    "a file": (("from helper import att\n" + ANSWER,), "att = torch.softmax"),
    "all of a file": (("from helper import *\n" + ANSWER,), "from torch import softmax as att"),
    "a module": (("import helper\ndef answer(x):\n    return helper.att(x)",), "att = softmax"),
    "a private name": (("answer = torch._softmax",), ""),
    "a private name with words between": (("answer = torch._soft_one_max",), ""),
    "a default": (("def answer(x, f=torch.nn.functional):\n    return f.softmax(x)",), ""),
    "a default by name": (("def answer(x, *, f=torch):\n    return f.softmax(x)",), ""),
    "one of two names": (("f, g = torch.nn.functional, 1\nanswer = f.softmax",), ""),
    "a name in a loop": (("for f in [torch]:\n    answer = f.softmax",), ""),
    "an entry of a list": (("answer = [torch][0].softmax",), ""),
    "an entry of a dict": (("answer = {'f': torch}['f'].softmax",), ""),
    "one or the other": (("answer = (torch if True else None).softmax",), ""),
    "the one or else the other": (("answer = (None or torch).softmax",), ""),
    "a text with the whole path": (
        ("import pkgutil\nanswer = pkgutil.resolve_name('torch.nn.functional:softmax')",),
        "",
    ),
    "the end of the watch": (
        ("import sys\ndef answer(x):\n    sys.setprofile(None)\n    return x",),
        "",
    ),
    "a copy of the process": (("import os\ndef answer(x):\n    return os.fork() or x",), ""),
    "another program": (("import subprocess as p\ndef answer(x):\n    return p.run(x)",), ""),
    "a thread that waits": (
        ("def answer(x):\n    return t.work(x)", "import threading\nt = threading.Thread()"),
        "",
    ),
    "a cell that can't be read": (("def answer(:\n    return softmax(x)",), ""),
    "another one": ((ANSWER, "att = softmax (("), ""),
    "null bytes": (("answer = 1\0",), ""),
    "too deep": (("answer = " + "(" * 5000 + "1" + ")" * 5000,), ""),
}


LEFT_ALONE = {
    "a default of one's own": "def answer(x, f=Own()):\n    return f.softmax(x)",
    "a name of one's own in a loop": "def answer(x):\n    for f in [Own()]:\n        f.softmax(x)",
    "one's own among two": "f, g = Own(), torch\nanswer = f.softmax",
    "an argument of that name": "def answer(x, softmax=None):\n    return x",
    "one's own in place of a given one": "def weigh(x):\n    return x\nanswer = weigh",
    "a given constant": "answer = NUMBERS",
}
GIVEN = imported(["from companion import weights as weigh, NUMBERS", "from torch import ("])


@pytest.mark.parametrize("source", LEFT_ALONE.values(), ids=LEFT_ALONE)
def test_left_alone(source: str) -> None:
    cells = [("", "class Own:\n    def softmax(self, x):\n        return x"), ("answer", source)]
    with looking_at(Written(cells, given=GIVEN)):
        assert broken("answer", object(), (*FORBIDDEN, "companion")) is None


def test_name_from_a_given_cell_is_what_it_was_imported_as() -> None:
    with looking_at(Written([("answer", "def answer(x):\n    return weigh(x)")], given=GIVEN)):
        assert broken("answer", object(), ("companion",)) is not None
        assert broken("answer", object(), FORBIDDEN) is None


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
    "a result of the same name as a method's local one": (
        "class answer:\n    def forward(self, x):\n        y = x\n        return y",
        "y = torch.softmax(x)",
    ),
    "a result of the same name as a method that is called": (
        "def answer(x):\n    return x / x.mean()",
        "mean = torch.softmax(x)",
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


# The word is the student's own wherever their own code binds it, and where it is only said.
INNOCENT = {
    "a parameter": ("def answer(x, softmax):\n    return softmax(x)",),
    "a parameter by keyword": ("def answer(x, *, softmax=None):\n    return softmax or x",),
    "a local variable": (
        "def answer(x):\n    softmax = np.exp(x)\n    return softmax / softmax.sum()",
    ),
    "a method of what a local variable holds": (
        "def answer(x):\n    softmax = np.exp(x)\n    return softmax.mean().softmax",
    ),
    "a variable of several": ("def answer(x):\n    softmax, y = x\n    return softmax",),
    "a loop's variable": (
        "def answer(x):\n    for softmax in x:\n        y = softmax\n    return y",
    ),
    "a comprehension's variable": ("def answer(x):\n    return [softmax + 1 for softmax in x]",),
    "a walrus": ("def answer(x):\n    return (softmax := x) + softmax",),
    "a file's name": ("def answer(x):\n    with x as softmax:\n        return softmax.read()",),
    "an exception's name": (
        "def answer(x):\n    try:\n        return x()\n"
        "    except ValueError as softmax:\n        return softmax",
    ),
    "a pattern": (
        "def answer(x):\n    match x:\n        case [softmax, *einops]:\n"
        "            return softmax, einops\n        case {'softmax': y, **softmax}:\n"
        "            return softmax",
    ),
    "an own helper": (
        "def answer(x):\n    return softmax(x)",
        "def softmax(x):\n    return x / x.sum()",
    ),
    "an own helper below": ("def answer(x):\n    return softmax(x)\ndef softmax(x): return x",),
    "an own helper within": (
        "def answer(x):\n    def softmax(row):\n        return row\n    return softmax(x)",
    ),
    "an own lambda": ("softmax = lambda x: x\ndef answer(x):\n    return softmax(x)",),
    "an own helper, decorated": (
        "@torch.no_grad()\ndef softmax(x):\n    return x\ndef answer(x):\n    return softmax(x)",
    ),
    "a variable of an outer function": (
        "def outer():\n    softmax = 3\n    def inner():\n        nonlocal softmax\n"
        "        softmax = 4\n    return softmax\nanswer = outer()",
    ),
    "a method": (
        "class answer:\n    def softmax(self, x):\n        return x\n"
        "    def forward(self, x):\n        return self.softmax(x)",
    ),
    "an attribute": (
        "class answer(nn.Module):\n    def __init__(self):\n"
        "        self.softmax = nn.Linear(2, 2)\n"
        "    def forward(self, x):\n        return self.softmax(x)",
    ),
    "a part of an own class": (
        "def answer(x):\n    return Own.softmax(x)",
        "class Own:\n    @staticmethod\n    def softmax(x):\n        return x",
    ),
    "a part of an own object": (
        "def answer(x):\n    return parts.softmax(x)",
        "parts = SimpleNamespace(softmax=abs)",
    ),
    "an own module's function": (
        "from helper import softmax\ndef answer(x):\n    return softmax(x)",
    ),
    "a part of an own module": ("import helper\ndef answer(x):\n    return helper.softmax(x)",),
    "all of an own module": ("from helper import *\ndef answer(x):\n    return softmax(x)",),
    "a key": ("def answer(x):\n    return {'softmax': x}['softmax']",),
    "a key of an argument": ("def answer(x):\n    return x['softmax'], x.get('softmax')",),
    "a message": ("def answer(x):\n    raise ValueError('softmax')",),
    "a printed word": ("def answer(x):\n    print('softmax')\n    return x",),
    "a keyword of a call": ("def answer(x):\n    return dict(softmax=x)",),
    "an attribute by its name": ("def answer(x):\n    return getattr(x, 'softmax')",),
    "a comparison of several lines below it": (
        "def answer(x):\n    return x\nwanted = torch.softmax(1)\nfor n in range(3):\n"
        "    y = torch.softmax(n)\n    assert answer(n) == y\n%timeit torch.softmax(1)",
    ),
    "a comparison below it": (
        "def answer(x):\n    return x\nprint(answer(1) - torch.softmax(1))\n"
        "assert answer(1) == torch.softmax(1)",
    ),
    "a function that calls itself by another name": (
        "def answer(x):\n    softmax = answer\n    return softmax(x)",
    ),
}


@pytest.mark.parametrize("cells", INNOCENT.values(), ids=INNOCENT)
def test_innocent_names(cells: tuple[str, ...]) -> None:
    assert found(*cells, helper="def softmax(x):\n    return x") == ()


# What no name that is bound by the student can hide from a reader.
GUILTY = {
    "an alias": "f = torch.softmax\ndef answer(x):\n    return f(x)",
    "an alias of the module": "def answer(x):\n    t = torch\n    u = t\n    return u.softmax(x)",
    "an import under another name": "from torch import softmax as s\nanswer = s",
    "a module under another name": "import torch as t\ndef answer(x):\n    return t.softmax(x)",
    "an import within": "def answer(x):\n    from torch import softmax\n    return softmax(x)",
    "everything": "from torch import *\ndef answer(x):\n    return softmax(x)",
    "the given name, bound again": "softmax = softmax\ndef answer(x):\n    return softmax(x)",
    "the given name, before it is bound": "f = softmax\ndef softmax(x): pass\nanswer = f",
    "a default argument": "def answer(x, softmax=torch.softmax):\n    return softmax(x)",
    "a lambda's default": "answer = lambda x, f=softmax: f(x)",
    "partly applied": "answer = functools.partial(torch.softmax, dim=-1)",
    "getattr": "def answer(x):\n    return getattr(torch.nn.functional, 'softmax')(x)",
    "a part of what getattr gives": "def answer(x):\n    return getattr(torch, 'nn').softmax(x)",
    "attrgetter": "import operator\nanswer = operator.attrgetter('nn.softmax')(torch)",
    "vars": "answer = vars(torch)['softmax']",
    "the module's dict": "answer = torch.__dict__.get('softmax')",
    "globals": "def answer(x):\n    return globals()['softmax'](x)",
    "importlib": "def answer(x):\n    return importlib.import_module('einops').sum(x)",
    "a part of what importlib gives": "answer = importlib.import_module('torch').softmax",
    "the import function": "answer = __import__('torch').softmax",
    "the loaded modules": "answer = sys.modules['torch'].softmax",
    "the operators' table": "def answer(x):\n    return torch.ops.aten.softmax(x, -1)",
    "the C module": "def answer(x):\n    return torch._C._nn.softmax(x, -1)",
    "a text that is run": "exec('def answer(x): return torch.softmax(x)')",
    "below its definition": "def answer(x):\n    return x\nanswer = torch.softmax",
    "a helper below its definition": "def answer(x): return f(x)\nf = torch.softmax",
    "a text below its definition": "def answer(x): return x\nexec('answer = torch.softmax')",
    "a base": "class answer(torch.softmax):\n    pass",
    "a class variable": "class answer:\n    f = torch.softmax",
    "beside an own variable": "def f(softmax):\n    pass\ndef answer(x):\n    return softmax(x)",
    "a class's own name in a method": (
        "class answer:\n    softmax = 3\n    def f(self, x):\n        return softmax(x)"
    ),
    "a helper file": "import helper\ndef answer(x):\n    return helper.work(x)",
}


@pytest.mark.parametrize("cell", GUILTY.values(), ids=GUILTY)
def test_guilty_names(cell: str) -> None:
    assert found(cell, helper="import torch as t\ndef work(x):\n    return t.softmax(x)")


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


# In a notebook, names have values.
VALUES = {
    "an own helper": ("def softmax(x): return x\ndef answer(x):\n    return softmax(x)", False),
    "an own helper, decorated": (
        "import torch\n@torch.no_grad()\ndef softmax(x): return x\n"
        "def answer(x):\n    return softmax(x)",
        False,
    ),
    "an own class": ("class softmax: pass\ndef answer(x):\n    return softmax()", False),
    "an own object": ("softmax = [1]\ndef answer(x):\n    return softmax[0]", False),
    "the library's": ("from torch import softmax\ndef answer(x):\n    return softmax(x)", True),
    "its alias": ("import torch\nf = torch.softmax\ndef answer(x):\n    return f(x)", True),
    "its alias in a method": (
        "import torch\nf = torch.softmax\nclass answer:\n    def g(self, x):\n        return f(x)",
        True,
    ),
    "its alias in a function around it": (
        "import torch\ndef make(f):\n    def answer(x):\n        return f(x)\n    return answer\n"
        "answer = make(torch.softmax)",
        True,
    ),
    "itself": ("import torch\nanswer = torch.softmax", True),
    "itself, partly applied": (
        "import functools, torch\nanswer = functools.partial(torch.softmax, dim=0)",
        True,
    ),
    "a module's alias": ("import torch.nn as n\ndef answer(x):\n    return n.softmax(x)", True),
    "what is not there": ("def answer(x):\n    return softmax(x)", True),
}


@pytest.mark.parametrize(("cell", "guilty"), VALUES.values(), ids=VALUES)
def test_names_with_values(cell: str, guilty: bool) -> None:
    assert (broken("answer", defined(cell), FORBIDDEN) is not None) == guilty


@pytest.mark.parametrize("answer", [abs, 7, None, functools.partial(print), int])
def test_no_lines_at_all(answer: object) -> None:
    assert broken("answer", answer, FORBIDDEN) is None
