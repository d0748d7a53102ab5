import sys
import warnings
from typing import Any

import numpy as np
import pytest
import torch

from autograder.checks.values.outcome import Raised, observe
from tests.support.samples import run_cell


def raised(function, **arguments) -> Raised:
    outcome = observe(function, arguments)
    assert outcome.raised is not None
    return outcome.raised


def answer_in_cells(*cells: str):
    namespace: dict[str, Any] = {"np": np}
    for cell in cells:
        run_cell(cell, namespace)
    return namespace["answer"]


def test_value_comes_back():
    outcome = observe(lambda a, b: a - b, {"a": 5, "b": 3})
    assert outcome.value == 2
    assert outcome.raised is None
    assert outcome.changed == ()


def test_any_parameter_names():
    assert observe(lambda q, k: (q, k), {"query": 1, "key": 2}).value == (1, 2)


def test_writes_stay_away():
    given = np.array([1.0, 2.0, 3.0])

    def center(values):
        values -= values.mean()
        return values

    outcome = observe(center, {"values": given})
    assert outcome.value.tolist() == [-1, 0, 1]
    assert given.tolist() == [1, 2, 3]
    assert outcome.changed == ("values",)


def test_written_to_before_raising():
    def half_done(first, second):
        second[0] = 7
        raise ValueError

    assert observe(half_done, {"first": [1], "second": [2]}).changed == ("second",)


@pytest.mark.parametrize(
    ("value", "write"),
    [
        ([1, 2], lambda v: v.append(3)),
        ([np.zeros(2)], lambda v: v[0].fill(1)),
        ((np.zeros(2), 1), lambda v: v[0].fill(1)),
        (np.zeros((2, 3)), lambda v: v.resize((3, 2), refcheck=False)),
        (np.array([np.nan, 1.0]), lambda v: v.sort()),
        ({"a": 1}, lambda v: v.clear()),
    ],
)
def test_write_is_noticed(value, write):
    assert observe(write, {"value": value}).changed == ("value",)


@pytest.mark.parametrize(
    "value", [np.array([np.nan, 1.0]), [1, "a"], 2.5, float("nan"), None, {"a": 1}, len, observe]
)
def test_reading_is_no_write(value):
    assert observe(lambda v: repr(v), {"value": value}).changed == ()


def test_function_is_handed_over():
    outcome = observe(lambda f, x: f(x), {"f": abs, "x": -4})
    assert outcome.value == 4


def test_exception_in_words():
    def refuse(x):
        raise ValueError("3 heads do not divide 8")

    assert str(raised(refuse, x=1)) == "ValueError: 3 heads do not divide 8"


def test_exception_without_message():
    def refuse(x):
        raise NotImplementedError

    assert str(raised(refuse, x=1)) == "NotImplementedError"


def test_own_last_line():
    answer = answer_in_cells("def answer(x):\n    y = x + 1\n    return y[0]  # first\n")
    assert raised(answer, x=1).line == "line 3: return y[0]  # first"


def test_own_line_above_library():
    answer = answer_in_cells("\ndef answer(x):\n    return np.linalg.inv(x)\n")
    error = raised(answer, x=np.zeros((2, 3)))
    assert error.kind == "LinAlgError"
    assert error.line == "line 3: return np.linalg.inv(x)"


def test_own_line_in_helper_cell():
    answer = answer_in_cells(
        "def helper(x):\n    return x / 'two'\n", "def answer(x):\n    return helper(x)\n"
    )
    assert raised(answer, x=1).line == "line 2: return x / 'two'"


def test_own_line_behind_library():
    answer = answer_in_cells("def answer(x):\n    return max(x, key=lambda v: v[9])\n")
    assert "lambda v: v[9]" in raised(answer, x=np.zeros((2, 3))).line


def test_own_line_is_the_condition_of_a_raise():
    answer = answer_in_cells(
        "def answer(x):\n    if x > 0:\n        note = 'no'\n\n        raise ValueError(note)\n"
    )
    assert raised(answer, x=1).line == "line 2: if x > 0:"


def test_own_line_is_a_raise_without_condition():
    answer = answer_in_cells("def answer(x):\n    for _ in x:\n        raise ValueError('no')\n")
    assert raised(answer, x=[1]).line == "line 3: raise ValueError('no')"


def test_own_line_outside_notebook():
    def helper(x):
        return x[99]

    def answer(x):
        return helper(x)

    assert raised(answer, x=[1]).line.endswith(": return x[99]")


def test_no_line_of_ours():
    answer = answer_in_cells("def answer(x):\n    return x\n")
    error = raised(answer, x=1, y=2)
    assert error.kind == "TypeError"
    assert error.line == ""


def test_no_line_of_an_argument():
    def given(x):
        raise ValueError("from the examiner")

    answer = answer_in_cells("def answer(f):\n    return f(1)\n")
    assert raised(answer, f=given).line == "line 2: return f(1)"


def test_endless_recursion():
    answer = answer_in_cells("def answer(x):\n    return answer(x)\n")
    assert raised(answer, x=1).kind == "RecursionError"


def test_everything_printed_is_swallowed(capsys):
    def noisy(x):
        print("looking at", x)
        print("and warning", file=sys.stderr)
        warnings.warn("careful", stacklevel=1)
        return 1 / np.zeros(2)

    outcome = observe(noisy, {"x": 1})
    assert outcome.value.tolist() == [np.inf, np.inf]
    assert outcome.printed == "looking at 1"
    assert capsys.readouterr() == ("", "")


def test_much_printed():
    def talkative(x):
        for _ in range(1000):
            print("on and on" * 100)

    printed = observe(talkative, {"x": 1}).printed
    assert printed.startswith("on and on")
    assert len(printed) < 10_000


def test_printed_before_exception():
    def loud(x):
        print("so far", x)
        raise ValueError

    outcome = observe(loud, {"x": 2})
    assert (outcome.printed, outcome.raised.kind) == ("so far 2", "ValueError")


def test_strict_settings_do_not_matter():
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        outcome = observe(lambda x: np.log(x), {"x": np.zeros(1)})
    assert outcome.value.tolist() == [-np.inf]


def test_settings_come_back(capsys):
    before = np.geterr(), list(warnings.filters)

    def careless(x):
        np.seterr(all="print")
        warnings.simplefilter("always")

    observe(careless, {"x": 1})
    assert (np.geterr(), warnings.filters) == before
    print("heard")
    assert capsys.readouterr().out == "heard\n"


def test_interrupt_passes_through():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        observe(interrupted, {"x": 1})


def test_exit_is_an_exception():
    def leave(x):
        raise SystemExit(3)

    assert observe(leave, {"x": 1}).raised.kind == "SystemExit"


def drawing(generator):
    return torch.rand(2, generator=generator)


def test_generator_is_fresh_each_time():
    generator = torch.Generator().manual_seed(7)
    torch.rand(5, generator=generator)
    arguments = {"generators": [generator]}
    first, second = (observe(lambda g: drawing(g[0]), arguments) for _ in range(2))
    assert torch.equal(first.value, second.value)
    assert torch.equal(first.value, drawing(torch.Generator().manual_seed(7)))
    assert first.changed == ()


def test_one_generator_given_twice():
    generator = torch.Generator().manual_seed(7)
    same = observe(lambda a, b: a is b, {"a": generator, "b": generator})
    assert same.value is True


def test_tensor_is_written_to():
    given = torch.ones(2)
    assert observe(lambda x: x.add_(1), {"x": given}).changed == ("x",)
    assert given.tolist() == [1, 1]


def test_torch_random_numbers_are_the_same():
    torch.manual_seed(5)
    first, second = (observe(lambda: torch.rand(2), {}).value for _ in range(2))
    assert torch.equal(first, second)
    after = torch.rand(2)
    torch.manual_seed(5)
    assert torch.equal(after, torch.rand(2))


class Adder:
    def __init__(self, amount):
        self.amount = amount

    def add(self, x):
        return x + self.amount


def add(adder, amount, x):
    return adder(amount).add(x)


def test_driver():
    assert observe(Adder, {"amount": 1, "x": 2}, add).value == 3


def test_own_line_in_class():
    error = observe(Adder, {"amount": "one", "x": 2}, add).raised
    assert error.line.endswith(": return x + self.amount")


def test_own_line_in_class_of_notebook():
    namespace = {}
    cell = "class A:\n    def __init__(self, amount):\n        self.amount = amount[0]\n"
    run_cell(cell, namespace)
    error = observe(namespace["A"], {"amount": 1, "x": 2}, add).raised
    assert error.line == "line 3: self.amount = amount[0]"
