"""What a watched answer calls, however it came to it; and what may have the name of a crime."""

import sys
from pathlib import Path

import pytest
import torch

from autograder.checks.exam.rules import watched, while_it_runs
from autograder.checks.source.own_files import is_own
from companion.trials.stream_trial import Layer
from tests.support.samples import run_cell

WORDS = ("scaled_dot_product_attention", "rope")
BEFORE = """
import asyncio, contextlib, functools, importlib, operator, os, subprocess, sys, threading
import numpy as np
import torch
import torch.utils.checkpoint
import torch.nn.functional as F
import companion.models.positions as given
from torch import nn
ATTEND, TURN = "_".join(["scaled", "dot", "product", "attention"]), "ro" + "pe"
x, at = torch.ones(1, 1, 2, 4), torch.arange(2)
"""
# What no reader finds: the names are made when the code runs.
GUILTY = {
    "getattr": "answer = lambda: getattr(F, ATTEND)(x, x, x)",
    "an alias": "f = getattr(F, ATTEND)\nanswer = lambda: f(x, x, x)",
    "an alias of an alias": "f = [getattr(given, TURN)]\nanswer = lambda: f[0](x, at)",
    "vars": "answer = lambda: vars(given)[TURN](x, at)",
    "the module's dict": "answer = lambda: F.__dict__[ATTEND](x, x, x)",
    "globals": "globals()['f'] = getattr(given, TURN)\nanswer = lambda: globals()['f'](x, at)",
    "importlib": "answer = lambda: getattr(importlib.import_module('companion'), TURN)(x, at)",
    "the loaded modules": "answer = lambda: vars(sys.modules[given.__name__])[TURN](x, at)",
    "a subclass by its number": "def answer():\n"
    "    found = [one for one in nn.Module.__subclasses__() if one.__name__.startswith('Multih')]\n"
    "    return found[0](4, 1, batch_first=True)(x[0], x[0], x[0], need_weights=False)",
    "partly applied": "f = functools.partial(getattr(given, TURN), x)\nanswer = lambda: f(at)",
    "partly applied, itself": "answer = functools.partial(getattr(F, ATTEND), x, x, x)",
    "a default argument": "def answer(f=getattr(given, TURN)):\n    return f(x, at)",
    "attrgetter": "answer = lambda: operator.attrgetter(TURN)(given)(x, at)",
    "methodcaller": "answer = lambda: operator.methodcaller(TURN, x, at)(given)",
    "from C": "answer = lambda: list(map(getattr(given, TURN), [x], [at]))",
    "text that is run": "exec('def answer(): return given.' + TURN + '(x, at)')",
    "the operators' table": "answer = lambda: getattr(torch.ops.aten, ATTEND)(x, x, x)",
    "the C module": "answer = lambda: getattr(torch._C._nn, ATTEND)(x, x, x)",
    "a private name": "answer = lambda: getattr(torch, '_' + ATTEND + '_math')(x, x, x)",
    "a static method": "class Own:\n    f = staticmethod(getattr(given, TURN))\n"
    "answer = lambda: Own.f(x, at)",
    "a decorator": "@functools.wraps(print)\ndef answer():\n    return f(x, at)\n"
    "f = functools.lru_cache(getattr(given, TURN))",
    "a thread": "def work():\n    getattr(given, TURN)(x, at)\n"
    "def answer():\n    one = threading.Thread(target=work)\n    one.start()\n    one.join()",
}
INNOCENT = {
    "nothing": "answer = lambda: x",
    "an own function": "def rope(x):\n    return x\nanswer = lambda: rope(x)",
    "an own lambda": "rope = lambda x: x\nanswer = lambda: rope(x)",
    "an own method": "class Own:\n    def rope(self): return x\nanswer = lambda: Own().rope()",
    "an own module": "class rope(nn.Module):\n    def forward(self, x):\n        return x\n"
    "answer = lambda: rope()(x)",
    "an attribute": "class Own(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    "        self.rope = nn.Linear(4, 4)\n    def forward(self, x):\n        return self.rope(x)\n"
    "answer = lambda: Own()(x)",
    "a class with a rule for its gradient": "class rope(torch.autograd.Function):\n"
    "    @staticmethod\n    def forward(ctx, x):\n        return x * 2\n"
    "answer = lambda: rope.apply(x)",
    "a local variable": "def answer():\n    rope = x * 2\n    return rope.softmax(-1)",
    "a key": "answer = lambda: {'rope': x}.get('rope')",
    "an own function by a library": "def rope(x):\n    return x\n"
    "answer = lambda: list(map(rope, [x]))",
    "an own function, decorated": "@torch.no_grad()\ndef rope(x):\n    return x\n"
    "answer = lambda: rope(x)",
    "what a library calls itself": "from companion.specimens.position_scores import rope_scores\n"
    "answer = lambda: rope_scores(x[0, 0], x[0, 0], at)",
    "an own function that is handed on": "def rope(x):\n    return x\n"
    "answer = lambda: functools.singledispatch(rope)(x)",
    "a thread of a library's own": "import logging.handlers, queue\n"
    "def answer():\n    one = logging.handlers.QueueListener(queue.Queue())\n"
    "    one.start()\n    one.stop()",
    "a seed, which asks torch for a fork": "answer = lambda: torch.manual_seed(1)",
    "a lock": "answer = lambda: threading.Condition()",
    "written out": "answer = lambda: torch.softmax(x @ x.mT / 2, -1) @ x",
}


@pytest.fixture(autouse=True)
def beside_a_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def is_seen(code: str) -> bool:
    namespace: dict[str, object] = {"__name__": "__main__"}
    run_cell(BEFORE + code, namespace)
    answer = namespace["answer"]
    assert callable(answer)
    with watched("answer", WORDS) as seen:
        with while_it_runs():
            answer()
        return seen() is not None


@pytest.mark.parametrize("code", GUILTY.values(), ids=GUILTY)
def test_seen(code: str) -> None:
    assert is_seen(code)
    assert sys.getprofile() is None


@pytest.mark.parametrize("code", INNOCENT.values(), ids=INNOCENT)
def test_not_seen(code: str) -> None:
    assert not is_seen(code)


def test_what_is_given_may_be_used() -> None:
    """A module of the course's, which the answer has not looked for, and what that calls."""
    one, x = Layer(torch.ones(2, 2), True), torch.ones(1, 3, 2)
    namespace: dict[str, object] = {"__name__": "__main__", "one": one, "x": x}
    run_cell("answer = lambda: one(x)\nother = lambda: type(one)(x[0, :2], False)", namespace)
    for name, is_seen in (("answer", False), ("other", True)):
        answer = namespace[name]
        assert callable(answer)
        with watched("answer", ["companion"]) as seen, while_it_runs():
            answer()
        assert bool(seen()) is is_seen


def test_file_beside_the_notebook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_turning.py").write_text(
        "import companion as given\ndef rope(x, at):\n    return x\n"
        "def work(x, at):\n    return vars(given)['ro' + 'pe'](x, at)\n"
    )
    monkeypatch.syspath_prepend("")
    assert not is_seen("import own_turning\nanswer = lambda: own_turning.rope(x, at)")
    assert is_seen("import own_turning\nanswer = lambda: own_turning.work(x, at)")


def test_only_the_answer_is_watched() -> None:
    x = torch.ones(1, 1, 2, 4)
    with watched("answer", WORDS) as seen:
        torch.nn.functional.scaled_dot_product_attention(x, x, x)
        with while_it_runs():
            pass
        assert seen() is None
    with while_it_runs():
        assert sys.getprofile() is None


@pytest.mark.parametrize(
    ("file", "own"),
    [
        ("<string>", True),
        ("<ipython-input-1-abc>", True),
        ("<frozen importlib._bootstrap>", False),
        ("{folder}/helper.py", True),
        ("{tmp}/ipykernel_7/1.py", True),
        ("{prefix}/lib/helper.py", False),
        ("{clone}/autograder/checks/exam.py", False),
        ("{clone}/companion/__init__.py", False),
        ("{clone}/work/lesson/helper.py", True),
        ("/elsewhere/helper.py", False),
    ],
)
def test_whose_file_it_is(monkeypatch: pytest.MonkeyPatch, file: str, own: bool) -> None:
    # A clone, and the environment in it, may lie in the folder for temporary files.
    monkeypatch.setattr("tempfile.tempdir", "/some/tmp")
    monkeypatch.setattr("autograder.checks.source.own_files._CLONE", "/some/tmp/course/")
    monkeypatch.setattr(
        "autograder.checks.source.own_files._INSTALLED",
        ("/some/tmp/course/.venv/", "/some/tmp/course/autograder/"),
    )
    places = {
        "tmp": "/some/tmp",
        "clone": "/some/tmp/course",
        "prefix": "/some/tmp/course/.venv",
        "folder": "/some/tmp/course/work/lesson",
    }
    assert is_own(file.format(**places), places["folder"]) == own
