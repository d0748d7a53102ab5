"""Several calls in one message."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from autograder.checks.values.outcome import Outcome, observe, observe_each
from autograder.errors import ReplyNotUnderstood, StudentTooSlow
from autograder.student.limits import Limits
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.session import Session
from autograder.student.sandbox.sandbox import Sandbox

LIMITS = Limits(cell_seconds=20, call_seconds=2)
FUNCTION = """\
import time
kept, calls = [], []
def f(x, *more):
    calls.append(x)
    {}
"""


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(LIMITS, preload=["numpy"]) as sandbox:
        yield sandbox


@pytest.fixture
def made(sandbox: Sandbox) -> Iterator[Callable[[str], Any]]:
    """Finds a function of the student's with such a body; its session is `made.session`."""
    with sandbox.spawn({}, 0) as student:
        session = Session(student, LIMITS, Allowance(math.inf, 1))

        def make(body: str) -> object:
            assert session.run(FUNCTION.format(body)) == []
            return session.find("f")

        yield make


def each(function: Any, *calls: tuple[object, ...]) -> list[Outcome]:
    names = ("x", "y")
    return observe_each(function, [dict(zip(names, one, strict=False)) for one in calls])


def test_each_has_what_came_of_it(made: Callable[[str], Any]) -> None:
    f = made("print('called', x); return 12 // x")
    values, numbers = each(f, (3,), (0,), (5,)), range(70)
    assert [one.value for one in values] == [4, None, 2]
    assert values[1].raised
    assert values[1].raised.kind == "ZeroDivisionError"
    assert [one.printed for one in values] == ["called 3", "called 0", "called 5"]
    assert [one.value for one in each(f, *((n + 1,) for n in numbers))] == [
        12 // (n + 1) for n in numbers
    ]


def test_each_has_arguments_of_its_own(made: Callable[[str], Any]) -> None:
    f = made("x[0] += 1; return x.copy()")
    shared = np.zeros(2)
    found = each(f, (shared,), (shared,))
    assert [one.value.tolist() for one in found] == [[1, 0], [1, 0]]
    assert [one.changed for one in found] == [("x",), ("x",)]
    assert shared.tolist() == [0, 0]


def test_as_one_by_one(made: Callable[[str], Any]) -> None:
    f = made("return [x, more, len(calls)]")
    arguments = {"x": {"a": [1.5, None]}, "y": "text"}
    one_by_one = [observe(f, arguments) for _ in range(3)]
    together = observe_each(f, [arguments] * 3)
    assert [one.value[:2] for one in together] == [one.value[:2] for one in one_by_one]
    assert [one.value[2] for one in together] == [4, 5, 6]


def test_what_is_lent_is_lent_for_its_call(made: Callable[[str], Any]) -> None:
    f = made("return more[0](x)")
    doubled = [(n, lambda x, n=n: (n, 2 * x)) for n in range(3)]
    assert [one.value for one in each(f, *doubled)] == [(0, 0), (1, 2), (2, 4)]


@pytest.mark.parametrize("number", [0, 2])
def test_what_is_lent_for_another_call(made: Callable[[str], Any], number: int) -> None:
    """Neither after its own, nor before it."""
    f = made(
        "import gc; from autograder.student.rpc.student_side import StudentSide as S; "
        f"side = next(o for o in gc.get_objects(0) + gc.get_objects(1) + gc.get_objects(2) "
        f"if type(o) is S); return side._ask_back({number}, (1,), {{}}) if x == 1 else 0"
    )
    with pytest.raises(ReplyNotUnderstood, match="was not lent"):
        each(f, *((n, lambda x: x) for n in range(3)))


def test_each_has_its_own_time(made: Callable[[str], Any]) -> None:
    f = made("time.sleep(0.7); return x")
    assert [one.value for one in each(f, (1,), (2,), (3,), (4,))] == [1, 2, 3, 4]


def test_one_that_does_not_end(sandbox: Sandbox) -> None:
    quick = replace(LIMITS, call_seconds=0.5)
    with sandbox.spawn({}, 0) as student:
        session = Session(student, quick, Allowance(math.inf, 1))
        session.run(FUNCTION.format("while x == 2: pass"))
        with pytest.raises(StudentTooSlow):
            each(session.find("f"), (1,), (2,), (3,))
        assert isinstance(session.failure, StudentTooSlow)
