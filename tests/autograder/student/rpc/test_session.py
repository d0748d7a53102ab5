"""The grader's side of a student's process, over a real sandbox."""

import copy
import math
import os
import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from autograder.errors import ReplyNotUnderstood, StudentGone, StudentTooSlow
from autograder.student.limits import Limits
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.questions import ForkEnded
from autograder.student.rpc.session import Session
from autograder.student.rpc.stand_in import NotPlain, RemoteObject, StudentError
from autograder.student.sandbox.processor_time import tree
from autograder.student.sandbox.sandbox import Sandbox
from autograder.student.sandbox.student_process import ending_of
from tests.support.processes import BACKSTOP

LIMITS = Limits(cell_seconds=20, call_seconds=10)


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.spawn({}, 0) as student:
        yield Session(student, LIMITS, Allowance(math.inf, 1))


@pytest.fixture
def find(session: Session) -> Callable[..., Any]:
    """Finds a name after having run a cell."""

    def found(name: str, cell: str = "") -> object:
        assert session.run(cell) == []
        return session.find(name)

    return found


Find = Callable[..., Any]


# Cells


def test_outputs_come_back(session: Session) -> None:
    assert session.run("x = 1") == []
    (printed,) = session.run("print('hi')")
    assert printed == {"output_type": "stream", "name": "stdout", "text": "hi\n"}
    (error,) = session.run("1 / 0")
    assert error["ename"] == "ZeroDivisionError"  # type: ignore[index]
    assert session.find("x") == 1


def test_missing_name(session: Session) -> None:
    with pytest.raises(NameError, match="name 'nothing' is not defined"):
        session.find("nothing")


# Going back


def test_go_back_in_order(session: Session) -> None:
    for n in range(4):
        session.run(f"x = {n}")
        session.remember()
    assert session.depth == 4
    for n in (3, 2, 1, 0):
        session.run("x = 'spoilt'")
        session.go_back()
        assert session.depth == n
        assert session.find("x") == n


def test_state_is_as_it_was(session: Session) -> None:
    session.run("import random, os\nkept = [1]\nopen('file', 'w').close()")
    session.remember()
    session.run("kept.append(2)\nnew = 1\nrandom.seed(9)\nos.chdir('/')")
    session.go_back()
    assert session.find("kept") == [1]
    assert session.run("assert os.getcwd() != '/'") == []
    with pytest.raises(NameError):
        session.find("new")


def test_numbers_are_drawn_anew(session: Session) -> None:
    session.run("import random")
    session.remember()
    first = session.find("random").random()  # type: ignore[attr-defined]
    session.go_back()
    assert session.find("random").random() == first  # type: ignore[attr-defined]


def test_functions_work_after_going_back(session: Session) -> None:
    session.run("def f(x): return 2 * x")
    held = session.find("f")
    session.remember()
    session.go_back()
    assert held(3) == 6  # type: ignore[operator]


def test_functions_of_the_fork_are_gone(session: Session) -> None:
    session.run("count = 0")
    session.remember()
    session.run("def f(): return 1")
    held = session.find("f")
    session.go_back()
    with pytest.raises((StudentGone, StudentError)):
        held()  # type: ignore[operator]


ENDS = {
    "exit": ("os._exit(3)", 3, "ended with exit code 3"),
    "exit without an error": ("os._exit(0)", 0, "ended with exit code 0"),
    "signal": ("os.kill(os.getpid(), signal.SIGSEGV)", -11, "was ended by SIGSEGV"),
    "abort": ("os.abort()", -6, "was ended by SIGABRT"),
}


@pytest.mark.parametrize(("code", "number", "reason"), ENDS.values(), ids=ENDS)
def test_fork_that_ends(session: Session, code: str, number: int, reason: str) -> None:
    session.run(f"import os, signal\nx = 1\ndef end(): {code}")
    session.remember()
    session.run("x = 2")
    with pytest.raises(ForkEnded) as ended:
        session.find("end")()  # type: ignore[operator]
    assert ended.value.code == number
    assert ending_of(ended.value.code).reason == reason
    assert session.depth == 0
    assert session.find("x") == 1


def test_fork_without_time() -> None:
    limits = replace(LIMITS, cpu_seconds=2)
    with Sandbox(limits, preload=()) as sandbox, sandbox.spawn({}, 0) as student:
        session = Session(student, limits, Allowance(math.inf, 1))
        session.run("x = 1")
        session.remember()
        with pytest.raises(ForkEnded) as ended:
            session.run("while True: pass")
        assert ending_of(ended.value.code).out_of_time
        assert session.find("x") == 1


def test_fork_that_leaves_a_child_behind(session: Session) -> None:
    """It holds all that the fork held, the way to say goodbye too, and says nothing."""
    session.run("import os, time\nx = 1\ndef end(): os._exit(3)")
    session.remember()
    session.run("if not os.fork(): time.sleep(600)")
    with pytest.raises(ForkEnded) as ended:
        session.find("end")()  # type: ignore[operator]
    assert ended.value.code == 3
    assert session.find("x") == 1


def test_goodbye_that_is_said_too_early(session: Session) -> None:
    """Then the process that waited speaks, and the fork has ended for the grader."""
    session.run("import os, stat\nx = 1")
    session.remember()
    pipes = "[n for n in range(3, 20) if os.path.exists(f'/proc/self/fd/{n}')"
    pipes += " and stat.S_ISFIFO(os.fstat(n).st_mode)]"
    with pytest.raises(ForkEnded):
        session.run(f"for n in {pipes}: os.write(n, b'.')\nimport time; time.sleep(600)")
    assert session.find("x") == 1


def test_crash_in_a_later_cell(session: Session) -> None:
    session.run("x = 1")
    session.remember()
    session.run("x = 2")
    session.remember()
    with pytest.raises(ForkEnded):
        session.run("import os; os._exit(1)")
    assert session.depth == 1
    assert session.find("x") == 2
    session.go_back()
    assert session.find("x") == 1


def test_end_without_fork(session: Session) -> None:
    with pytest.raises(StudentGone) as ended:
        session.run("import os; os._exit(5)")
    assert not isinstance(ended.value, ForkEnded)
    assert session.student.ended(BACKSTOP).code == 5


# Time


def test_slow_call(sandbox: Sandbox) -> None:
    limits = replace(LIMITS, call_seconds=0.5)
    with sandbox.spawn({}, 0) as student:
        session = Session(student, limits, Allowance(math.inf, 1))
        session.run("import time\ndef f(): time.sleep(60)")
        with pytest.raises(StudentTooSlow):
            session.find("f")()  # type: ignore[operator]


def test_no_time_left(sandbox: Sandbox) -> None:
    with sandbox.spawn({}, 0) as student, pytest.raises(StudentTooSlow):
        Session(student, LIMITS, Allowance(0, 1)).run("x = 1")


def test_questions_have_the_time_of_their_call(sandbox: Sandbox) -> None:
    limits = replace(LIMITS, call_seconds=1)
    with sandbox.spawn({}, 0) as student:
        session = Session(student, limits, Allowance(math.inf, 1))
        session.run("import time\ndef inner(): time.sleep(0.3)\ndef outer(f):\n    while 1: f()")
        inner, outer = session.find("inner"), session.find("outer")
        with pytest.raises(StudentTooSlow):
            outer(lambda: inner())  # type: ignore[operator]


@pytest.fixture
def crowded() -> Iterator[int]:
    """The number of a processor that three others keep busy."""
    processor = min(os.sched_getaffinity(0))
    busy = f"import os; os.sched_setaffinity(0, {{{processor}}})\nwhile True: pass"
    # Each in a session of its own: the kernel shares a processor out among these first.
    others = [
        subprocess.Popen([sys.executable, "-c", busy], start_new_session=True) for _ in range(3)
    ]
    yield processor
    for other in others:
        other.kill()
        other.wait()


SPIN = """
import time
def spin(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end: pass
    return "done"
"""


@pytest.mark.long
def test_waiting_for_a_processor_is_free(sandbox: Sandbox, crowded: int) -> None:
    """Honest code is not too slow for others' sake; what never ends is stopped all the same."""
    limits = replace(LIMITS, call_seconds=1)
    with sandbox.spawn({}, 0) as student:
        session = Session(student, limits, Allowance(math.inf, 30))
        assert student.process
        for process in tree(student.process):
            os.sched_setaffinity(process, {crowded})
        assert session.run(SPIN) == []
        spin, started = session.find("spin"), time.monotonic()
        assert spin(0.6) == "done"  # type: ignore[operator]
        assert time.monotonic() - started > limits.call_seconds
        with pytest.raises(StudentTooSlow):
            spin(math.inf)  # type: ignore[operator]


# Functions that are lent


def test_lent_function_answers(find: Find) -> None:
    f = find("f", "def f(g, x): return g(x) + g(x + 1)")
    asked: list[int] = []

    def lent(x: int) -> int:
        asked.append(x)
        return 10 * x

    assert f(lent, 1) == 30
    assert asked == [1, 2]


def test_functions_in_a_list(find: Find) -> None:
    f = find("f", "def f(gs, x): return [g(x) for g in gs]")
    given = [abs, lambda x: 2 * x]
    assert f(given, -1) == [1, -2]
    assert given[0] is abs
    assert f(given, -2) == [2, -4]


def test_lent_function_calls_the_students(find: Find) -> None:
    f = find("f", "def double(x): return 2 * x\ndef f(g, x): return g(x) + 1")
    double = find("double")
    assert f(lambda x: double(x), 3) == 7
    assert f(lambda x: f(lambda y: double(y), x), 3) == 8


def test_questions_do_not_nest_for_ever(find: Find) -> None:
    f = find("f", "def f(g): return g()")

    def again() -> object:
        return f(again)

    with pytest.raises(RuntimeError, match="too many questions"):
        f(again)
    assert f(lambda: 1) == 1


@pytest.mark.parametrize(
    ("kind", "is_caught"),
    [
        ("class Odd(ValueError): pass", True),
        ("class Odd(Exception): pass", False),
        ("Odd = type('ValueError', (Exception,), {})", False),
        ("import numpy as np\nOdd = np.linalg.LinAlgError", True),
        ("Odd = lambda text: UnicodeDecodeError('utf-8', b'', 0, 1, text)", True),
    ],
)
def test_error_is_caught_by_what_it_comes_from(find: Find, kind: str, is_caught: bool) -> None:
    """As it is where the learner's own check runs."""
    f = find("f", f"{kind}\ndef f(): raise Odd('no')")
    with pytest.raises(StudentError, match="no") as raised:
        f()
    assert isinstance(raised.value, ValueError) == is_caught


class Unheard(Exception):
    """None of Python's own."""


@pytest.mark.parametrize(
    ("error", "caught_as"),
    [
        (ValueError("not here"), "ValueError: not here"),
        (IndexError("not here"), "IndexError: not here"),
        (Unheard("not here"), "RuntimeError: Unheard: not here"),
        # It is made of more than a text.
        (UnicodeDecodeError("utf-8", b"a", 0, 1, "not here"), "RuntimeError: UnicodeDecodeError"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_error_of_a_lent_function(find: Find, error: Exception, caught_as: str) -> None:
    """Whoever catches an error of its kind in a notebook does so in grading."""
    cell = """
def f(g):
    try:
        g(1)
    except (ValueError, LookupError, RuntimeError) as e:
        return f"{type(e).__name__}: {e}"
"""

    def refuse(x: int) -> None:
        raise error

    assert str(find("f", cell)(refuse)).startswith(caught_as)


KEPT = """
def keep(f):
    global kept
    kept = f
def keep_and_raise(f):
    keep(f)
    raise ValueError
class Keeper:
    def __init__(self, f): self.f = f
    def __call__(self): return self.f()
def use(): return kept()
"""


def test_lent_functions_end_with_their_call(session: Session) -> None:
    session.run(KEPT)
    session.find("keep")(lambda: 7)  # type: ignore[operator]
    with pytest.raises(ReplyNotUnderstood, match="was not lent"):
        session.find("use")()  # type: ignore[operator]


def test_lent_functions_end_with_an_error(session: Session) -> None:
    session.run(KEPT)
    with pytest.raises(ValueError, match=r"^$"):
        session.find("keep_and_raise")(lambda: 7)  # type: ignore[operator]
    with pytest.raises(ReplyNotUnderstood, match="was not lent"):
        session.find("use")()  # type: ignore[operator]


def test_objects_keep_what_they_were_lent(session: Session) -> None:
    session.run(KEPT)
    keeper = session.find("Keeper")(lambda: 7)  # type: ignore[operator]
    assert keeper() == 7
    assert keeper() == 7


def test_nothing_is_lent_after_going_back(session: Session) -> None:
    session.run(KEPT)
    session.run("keeper = None")
    session.remember()
    session.find("Keeper")(lambda: 7)  # type: ignore[operator]
    session.go_back()
    session.run("kept = None")
    assert session._lent.functions == {}


# Arguments and results of special kinds


def test_printed_is_shown(find: Find, capsys: pytest.CaptureFixture[str]) -> None:
    find("f", "def f(): print('from over there')")()
    assert capsys.readouterr().out == "from over there\n"


@pytest.mark.parametrize("kind", ["ValueError", "KeyError", "TypeError", "NotImplementedError"])
def test_errors_are_of_their_kind(find: Find, kind: str) -> None:
    f = find("f", f"def f():\n    raise {kind}('no')")
    with pytest.raises(StudentError) as error:
        f()
    assert type(error.value).__name__ == kind
    assert any(base.__name__ == kind for base in type(error.value).__bases__)
    assert "no" in str(error.value)


def test_own_error_is_a_students(find: Find) -> None:
    f = find("f", "class Odd(ValueError): pass\ndef f():\n    raise Odd('x')")
    with pytest.raises(StudentError) as error:
        f()
    assert type(error.value).__name__ == "Odd"


def test_generators_begin_anew(find: Find) -> None:
    f = find("f", "import torch\ndef f(g): return torch.rand(3, generator=g)")
    generator = torch.Generator().manual_seed(2**63 + 5)
    expected = torch.rand(3, generator=torch.Generator().manual_seed(2**63 + 5))
    for _ in range(2):
        assert torch.equal(f(generator), expected)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.int64, torch.bool])
def test_dtypes_cross(find: Find, dtype: torch.dtype) -> None:
    f = find("f", "import torch\ndef f(d): return torch.zeros(2, dtype=d), d, {'d': [d]}")
    zeros, same, nested = f(dtype)
    assert zeros.dtype is dtype
    assert same is dtype
    assert nested == {"d": [dtype]}


def test_written_arguments(session: Session) -> None:
    session.run("def f(x, y, z):\n    x += 1\n    y[0] = 5\n    z['new'] = 1")
    x, y, z = np.zeros(2), torch.zeros(2), {"old": 1}
    session.find("f")(x, y, z)  # type: ignore[operator]
    assert (x.tolist(), y.tolist(), z) == ([1, 1], [5, 0], {"old": 1, "new": 1})


# Modules


MODULE = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, d_in, d_out, *, bias=True):
        super().__init__()
        self.W = nn.Linear(d_in, d_out, bias=bias)
        self.drop = nn.Dropout(0.999)
        self.register_buffer("seen", torch.zeros(2))
    def forward(self, x):
        return self.drop(self.W(x))
    def size(self): return tuple(self.W.weight.shape)
"""


@pytest.fixture
def net(session: Session) -> Any:
    assert session.run(MODULE) == []
    return session.find("Net")(3, 2)  # type: ignore[operator]


def test_module_is_made(net: Any) -> None:
    assert type(net) is RemoteObject
    assert net.size() == (2, 3)
    layer: Any = net.W
    assert layer.bias.shape == (2,)
    assert type(layer.weight) is torch.nn.Parameter


def test_keywords_of_a_class(find: Find) -> None:
    net = find("Net", MODULE)(d_in=4, d_out=1, bias=False)
    assert net.W.bias is None
    assert len(net.parameters()) == 1


def test_state_dict(net: Any) -> None:
    state = net.state_dict()
    assert list(state) == ["seen", "W.weight", "W.bias"]
    assert torch.equal(state["W.weight"], net.W.weight)
    assert not state["W.weight"].requires_grad


def test_load_state_dict(net: Any) -> None:
    state = {"W.weight": torch.ones(2, 3), "W.bias": torch.zeros(2), "seen": torch.ones(2)}
    held = state["W.weight"]
    net.load_state_dict(state)
    assert state["W.weight"] is held
    assert net.eval()(torch.ones(1, 3)).tolist() == [[3, 3]]
    with pytest.raises(RuntimeError, match="Missing key"):
        net.load_state_dict({})


def test_train_and_eval(net: Any) -> None:
    x = torch.ones(50, 3)
    assert net.training is True
    assert (net(x) == 0).float().mean() > 0.9
    assert net.eval().training is False
    assert net.drop.training is False
    assert (net(x) == 0).float().mean() < 0.1
    net.train()
    assert net.drop.training is True


def test_parameters(net: Any) -> None:
    assert [tuple(one.shape) for one in net.parameters()] == [(2, 3), (2,)]
    assert [name for name, _ in net.named_parameters()] == ["W.weight", "W.bias"]
    assert [name for name, _ in net.named_buffers()] == ["seen"]
    assert sum(one.numel() for one in net.parameters()) == 8
    assert all(one.requires_grad for one in net.parameters())
    children = net.children()
    assert [type(one) for one in children] == [RemoteObject] * 2


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_to_dtype(net: Any, dtype: torch.dtype) -> None:
    moved = net.to(dtype)
    assert {one.dtype for one in moved.parameters()} == {dtype}
    assert net.W.weight.dtype is dtype
    assert net(torch.ones(1, 3, dtype=dtype)).dtype is dtype


def test_module_as_argument(session: Session, net: Any) -> None:
    session.run("def weight_of(net): return net.W.weight")
    weight = session.find("weight_of")(net)  # type: ignore[operator]
    assert torch.equal(weight, net.W.weight)


@pytest.mark.parametrize(
    "use",
    [
        lambda net: net == 3,
        lambda net: bool(net),
        lambda net: net + 1,
        lambda net: np.asarray(net),
        lambda net: list(net),
        lambda net: setattr(net, "W", None),
        lambda net: net.W.tolist(),
    ],
)
def test_module_is_no_value(net: Any, use: Callable[[Any], object]) -> None:
    with pytest.raises(NotPlain, match="stays in the student's process"):
        use(net)


# Sources of random numbers


SOURCES: dict[str, Callable[[], Any]] = {
    "default_rng": lambda: np.random.default_rng(3),
    "Twister": lambda: np.random.Generator(np.random.MT19937(3)),
    "Philox": lambda: np.random.Generator(np.random.Philox(3)),
    "RandomState": lambda: np.random.RandomState(3),
    "Random": lambda: random.Random(3),
}
DRAWN = "def drawn(rng, n=2): return [float(rng.random()) for _ in range(n)]"


def drawn(rng: Any, n: int = 2) -> list[float]:
    return [float(rng.random()) for _ in range(n)]


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_sources_of_random_numbers_go_on(find: Find, make: Callable[[], Any]) -> None:
    """As if there were one process: whoever draws next goes on where the last one stopped."""
    theirs = find("drawn", DRAWN)
    rng, plain = make(), make()
    assert theirs(rng) == drawn(plain)
    assert theirs(n=3, rng=rng) == drawn(plain, 3)
    assert drawn(rng) == drawn(plain)
    held = {"rng": [rng]}
    assert find("in_dict", "def in_dict(x): return drawn(x['rng'][0])")(held) == drawn(plain)
    assert held["rng"][0] is rng
    assert theirs(rng) == drawn(plain)


@pytest.mark.parametrize("make", SOURCES.values(), ids=SOURCES)
def test_sources_of_random_numbers_come_back(find: Find, make: Callable[[], Any]) -> None:
    same = find("same", "def same(rng):\n    rng.random()\n    return rng")
    plain, found = make(), same(make())
    drawn(plain, 1)
    assert type(found) is type(plain)
    assert drawn(found) == drawn(plain)


def test_source_that_the_student_has_made(find: Find) -> None:
    rng = find("rng", "import numpy as np\nrng = np.random.default_rng(7)")
    assert drawn(rng) == drawn(np.random.default_rng(7))


def test_source_of_another_kind_takes_no_place(session: Session) -> None:
    session.run(
        "import numpy as np, random\n"
        "def swap(xs): xs[:] = [np.random.Generator(np.random.SFC64(1)), random.Random(1)]"
    )
    swap: Any = session.find("swap")
    rng, plain = np.random.default_rng(3), np.random.default_rng(3)
    swap([rng, rng])
    assert drawn(rng) == drawn(plain)


def test_arguments_by_name_are_written_too(session: Session) -> None:
    session.run("def fill(n, *, out): out[:] = n")
    out, fill = np.zeros(2), session.find("fill")
    fill(5, out=out)  # type: ignore[operator]
    assert out.tolist() == [5, 5]


def test_what_can_not_be_sent_tells_nothing(sandbox: Sandbox) -> None:
    with sandbox.spawn({}, 0) as student:
        session = Session(student, LIMITS, Allowance(math.inf, 1), attributes=())
        session.run("from datetime import date\ndef f(n): return date(2024, n, 1)")
        f: Any = session.find("f")
        first, second = f(1), f(1)
        looks: list[Callable[[], object]] = [
            lambda: first == second,
            lambda: first != second,
            lambda: first < second,
            lambda: bool(first),
            lambda: len(first),
            lambda: list(first),
            lambda: 3 in first,
            lambda: first[0],
            lambda: 1 + first,
            lambda: first.month,
            lambda: np.asarray(first),
            lambda: np.testing.assert_equal(first, second),
            # Its address would say something else with each run.
            lambda: (str(first), repr(first)),
            lambda: f"{first}",
            lambda: {first, second},
        ]
        for look in looks:
            session.refused = None
            with pytest.raises(NotPlain, match=r"looks at a date, which can't be sent"):
                look()
            assert session.refused
        assert copy.deepcopy(first) is first
        assert not callable(first)
        assert session.failure is None


def test_module_does_not_answer_for_its_lists(find: Find) -> None:
    """A class could say that it has a buffer, or that nothing in it is trained."""
    module_class = find(
        "Layer",
        "import torch\n"
        "class Layer(torch.nn.Module):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        self.table = torch.nn.Parameter(torch.ones(2))\n"
        "    def named_parameters(self, *args, **kwargs):\n"
        "        return iter([])\n"
        "    def named_buffers(self, *args, **kwargs):\n"
        "        return iter([('mask', torch.ones(3, 3))])",
    )
    module = module_class()
    assert [name for name, _ in module.named_parameters()] == ["table"]
    assert list(module.named_buffers()) == []
