"""What the student's side sees of calls that no source tells, under a real exam and sandbox."""

import math
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from autograder.checks.exam.exam import Exam
from autograder.checks.exam.report import Verdict
from autograder.checks.exam.rules import Written, looking_at
from autograder.checks.exam.watching import Watching
from autograder.student.limits import Limits
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.session import Session
from autograder.student.sandbox.sandbox import Sandbox

LIMITS = Limits(cell_seconds=20, call_seconds=20)
Tensor = torch.Tensor


def attend(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    """Dot-product attention."""
    return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ v


def an_exam(forbids: tuple[str, ...]) -> Exam:
    reason = "an answer may go through NumPy, to be seen there"
    exam = Exam(attend, dtypes=("float32",), forbids=forbids, unasked={"gradients": reason})

    @exam.example
    def three() -> tuple[Tensor, Tensor, Tensor]:
        """three words"""
        # Far from weights of 0 and 1, where loops of one processor and another differ.
        x = torch.arange(6.0).reshape(3, 2) / 8
        return x, x, x

    return exam


EXAM = an_exam(("scaled_dot_product_attention",))


@pytest.fixture(scope="module")
def session(sandbox: Sandbox) -> Iterator[Session]:
    files = {"helper.py": b"import torch\nf = torch.nn.functional"}
    with sandbox.spawn(files, 0) as student:
        yield Session(student, LIMITS, Allowance(math.inf, 10))


# None of them says a name that the rule could read.
NAME = "'scaled_dot_' + 'product_attention'"
CALLS = {
    "by a name made at run time": "attend = lambda q, k, v: getattr(F, NAME)(q, k, v)",
    "as itself": "attend = getattr(F, NAME)",
    "from C": "attend = lambda q, k, v: next(map(getattr(F, NAME), [q], [k], [v]))",
    "partly applied": "attend = functools.partial(getattr(F, NAME))",
    "by a private name": "attend = getattr(torch, '_' + NAME + '_math')\n"
    "own = attend\nattend = lambda q, k, v: own(q, k, v)[0]",
    "by the operators' table": "attend = lambda q, k, v: "
    "getattr(torch.ops.aten, NAME)(q[None, None], k[None, None], v[None, None])[0, 0]",
    "by its overload": "attend = lambda q, k, v: "
    "getattr(torch.ops.aten, NAME).default(q[None, None], k[None, None], v[None, None])[0, 0]",
    "by a library": "def attend(q, k, v):\n"
    "    layer = torch.nn.MultiheadAttention(2, 1, bias=False, batch_first=True)\n"
    "    layer.in_proj_weight.data = torch.eye(2).repeat(3, 1)\n"
    "    layer.out_proj.weight.data = torch.eye(2)\n"
    "    return layer(q[None], k[None], v[None], need_weights=False)[0][0]",
    "by a file": "import helper\nattend = lambda q, k, v: getattr(helper.f, NAME)(q, k, v)",
    "in code that is made": "exec('def attend(q, k, v): return F.' + NAME + '(q, k, v)')",
}


def examined(session: Session, exam: Exam, code: str) -> Verdict:
    before = f"import functools, torch\nimport torch.nn.functional as F\nNAME = {NAME}\n"
    assert session.run(before + code) == []
    with looking_at(Written(()), watch=session.watching):
        return exam.examine(session.find("attend")).verdict


@pytest.mark.parametrize("code", CALLS.values(), ids=CALLS)
def test_call_is_seen(session: Session, code: str) -> None:
    assert examined(session, EXAM, code) is Verdict.WRONG
    # It is the rule that it breaks: without that it is right.
    assert examined(session, an_exam(()), code) is Verdict.PASSED


OWN = {
    "written out": "attend = lambda q, k, v: torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ v",
    "a function of that name": "def scaled_dot_product_attention(q, k, v):\n"
    "    return torch.softmax(q @ k.mT / k.shape[-1] ** 0.5, -1) @ v\n"
    "attend = lambda q, k, v: scaled_dot_product_attention(q, k, v)",
}


@pytest.mark.parametrize("code", OWN.values(), ids=OWN)
def test_own_work_is_not_seen(session: Session, code: str) -> None:
    assert examined(session, EXAM, code) is Verdict.PASSED


COMPANIONS = (
    "import sys\nown = getattr(sys.modules['compa' + 'nion'], 'soft' + 'max')\n"
    "attend = lambda q, k, v: torch.from_numpy(own(q @ k.mT / k.shape[-1] ** 0.5)) @ v"
)


@pytest.mark.parametrize("forbids", [("softmax",), ("companion",)])
def test_companions_function_is_seen(session: Session, forbids: tuple[str, ...]) -> None:
    assert examined(session, an_exam(forbids), COMPANIONS) is Verdict.WRONG
    assert examined(session, an_exam(()), COMPANIONS) is Verdict.PASSED


def test_watching_ends(session: Session) -> None:
    session.run("import sys\ndef profile(): return sys.getprofile() is None")
    with session.watching(("softmax",)) as seen:
        assert session.find("profile")() is False  # type: ignore[operator]
        assert seen() == ""
    assert session.find("profile")() is True  # type: ignore[operator]


def test_what_is_said_to_be_seen_is_one_of_the_names(session: Session) -> None:
    # The process may say anything.
    session.run(
        "from autograder import watching\n"
        "watching.Watching.seen = property(lambda self: '<b>', lambda self, value: None)"
    )
    with session.watching(("softmax",)) as seen:
        assert seen() == ""


@pytest.mark.long
def test_libraries_among_themselves(monkeypatch: pytest.MonkeyPatch) -> None:
    # An environment may lie in the folder for temporary files.
    monkeypatch.setattr("tempfile.tempdir", str(Path(statistics.__file__).parents[2]))
    watching = Watching(["fsum"])
    with watching.during_a_call():
        statistics.mean([1.5, 2.5])
    assert watching.seen == ""
