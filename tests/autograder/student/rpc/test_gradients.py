"""Gradients through calls that are made in another process."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from autograder.checks.drivers.run_module import run_module
from autograder.checks.values.outcome import observe_each
from autograder.errors import ExchangeError, StudentTooSlow
from autograder.student.limits import Limits
from autograder.student.rpc.deadline import Allowance
from autograder.student.rpc.gradients import Graphs, connect, parameters_in, tensors_in
from autograder.student.rpc.session import Session
from autograder.student.rpc.stand_in import RemoteObject, StudentError
from autograder.student.sandbox.sandbox import Sandbox

LIMITS = Limits(cell_seconds=20, call_seconds=10)
CELL = """
import torch
from torch import nn

def square(x): return x * x
def product(x, y): return x @ y
def learns(x): return torch.is_grad_enabled(), x * 2
def switches_off(): torch.set_grad_enabled(False)
def several(x, y): return (x + y, [x * y], {"sum": (x * 2).sum(), "word": "w", "x": x.detach()})
def same(x): return x
def twice(x): return x, x
def of_list(xs): return xs[0] * xs[1]
def of_dict(named): return named["a"] * 3 + named["b"]
def of_keyword(x, *, scale): return x * scale
def detached(x): return x.detach() * 2
def whole(x): return (x * 2).int()
def writes(x, xs):
    xs[0] = xs[0] * 0
    return x * 2

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.Parameter(torch.tensor([[1.0, 2.0], [3.0, 4.0]]))
        self.frozen = nn.Parameter(torch.ones(2), requires_grad=False)
    def forward(self, x): return x @ self.W + self.frozen
class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.W = nn.LazyLinear(2, bias=False)
    def forward(self, x): return self.W(x)
layer = Layer()
alone = torch.nn.Parameter(torch.ones(2))
def of_alone(): return (alone * 3).sum()
"""
LIES = """
from autograder.student.rpc.gradients import Graphs
answer = None
Graphs.backward = lambda *_: answer
def lie(value):
    global answer
    answer = value
"""


@pytest.fixture
def session(sandbox: Sandbox) -> Iterator[Session]:
    with sandbox.spawn({}, 0) as student:
        session = Session(student, LIMITS, Allowance(math.inf, 1))
        assert session.run(CELL) == []
        yield session


@pytest.fixture
def call(session: Session) -> Callable[..., torch.Tensor]:
    def called(name: str, *args: object, **kwargs: object) -> torch.Tensor:
        found = session.find(name)
        assert type(found) is RemoteObject
        return found(*args, **kwargs)  # type: ignore[return-value]

    return called


Call = Callable[..., torch.Tensor]


def leaf(*numbers: float) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.float32, requires_grad=True)


def grad(tensor: torch.Tensor) -> list[Any] | None:
    return None if tensor.grad is None else tensor.grad.tolist()


def test_one_call(call: Call) -> None:
    x = leaf(1, 2)
    y = call("square", x)
    assert y.tolist() == [1, 4]
    assert y.requires_grad
    assert y.grad_fn is not None
    (y * torch.tensor([1.0, 10.0])).sum().backward()
    assert grad(x) == [2, 40]


def test_no_graph_where_none_is_kept(call: Call) -> None:
    for tracked in (True, False):
        with torch.set_grad_enabled(tracked):
            learned, result = call("learns", leaf(1, 2))
        assert (learned, result.requires_grad) == (tracked, tracked)


def test_no_graph_in_several_calls(session: Session) -> None:
    learns: Any = session.find("learns")
    for tracked in (True, False):
        with torch.set_grad_enabled(tracked):
            found = observe_each(learns, [{"x": leaf(1, 2)}] * 2)
        assert [one.value[0] for one in found] == [tracked] * 2


def test_what_is_switched_off_for_good_stays_off(call: Call) -> None:
    with torch.no_grad():
        call("switches_off")
    assert call("learns", leaf(1, 2))[0]
    call("switches_off")
    assert not call("learns", leaf(1, 2))[0]


def test_each_of_two_arguments(call: Call) -> None:
    x, y = torch.arange(6.0).reshape(2, 3), torch.arange(3.0)
    for first, second in ((True, False), (False, True), (True, True)):
        x.requires_grad_(first).grad, y.requires_grad_(second).grad = None, None
        call("product", x, y).sum().backward()
        assert grad(x) == ([[0, 1, 2]] * 2 if first else None)
        assert grad(y) == ([3, 5, 7] if second else None)


def test_several_results(call: Call) -> None:
    x, y = leaf(1, 2), leaf(3, 4)
    total, (product,), named = call("several", x, y)
    assert named["word"] == "w"  # type: ignore[call-overload]
    assert not named["x"].requires_grad  # type: ignore[call-overload]
    loss = total.sum() + 10 * product.sum() + 100 * named["sum"]  # type: ignore[call-overload]
    loss.backward()
    assert grad(x) == [1 + 30 + 200, 1 + 40 + 200]
    assert grad(y) == [1 + 10, 1 + 20]


def test_one_of_several_results(call: Call) -> None:
    x, y = leaf(1, 2), leaf(3, 4)
    call("several", x, y)[1][0].sum().backward()
    assert (grad(x), grad(y)) == ([3, 4], [1, 2])


def test_argument_comes_back(call: Call) -> None:
    x = leaf(1, 2)
    call("same", x).sum().backward()
    assert grad(x) == [1, 1]
    first, second = call("twice", x)
    (first + 2 * second).sum().backward()
    assert grad(x) == [1 + 3, 1 + 3]


def test_not_a_leaf(call: Call) -> None:
    x = leaf(1, 2)
    call("square", x * 3).sum().backward()
    assert grad(x) == [18, 36]


def test_calls_in_a_chain(call: Call) -> None:
    x = leaf(1, 2)
    call("square", call("square", x)).sum().backward()
    assert grad(x) == [4, 32]


def test_same_tensor_twice(call: Call) -> None:
    x = leaf(1, 2)
    call("product", x, x).backward()
    assert grad(x) == [2, 4]


def test_arguments_in_a_list(call: Call) -> None:
    x, y = leaf(1, 2), leaf(3, 4)
    given = [x, y]
    call("of_list", given).sum().backward()
    assert given[0] is x
    assert (grad(x), grad(y)) == ([3, 4], [1, 2])
    call("of_list", (x, y)).sum().backward()
    assert (grad(x), grad(y)) == ([6, 8], [2, 4])


def test_arguments_in_a_dict(call: Call) -> None:
    x, y = leaf(1, 2), leaf(3, 4)
    call("of_dict", {"a": x, "b": y * 2}).sum().backward()
    assert (grad(x), grad(y)) == ([3, 3], [2, 2])


def test_arguments_by_keyword(call: Call) -> None:
    x, scale = leaf(1, 2), leaf(3, 4)
    call("of_keyword", x, scale=scale).sum().backward()
    assert (grad(x), grad(scale)) == ([3, 4], [1, 2])


def test_replaced_entries_do_not_confuse(call: Call) -> None:
    x, y = leaf(1, 2), leaf(3, 4)
    given = [y]
    call("writes", x, given).sum().backward()
    assert given[0].tolist() == [0, 0]
    assert (grad(x), grad(y)) == ([2, 2], None)


@pytest.mark.parametrize("name", ["detached", "whole"])
def test_nothing_flows_back(call: Call, name: str) -> None:
    y = call(name, leaf(1, 2))
    assert y.tolist() == [2, 4]
    assert not y.requires_grad


def test_double_precision(call: Call) -> None:
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    call("square", x).sum().backward()
    assert x.grad is not None
    assert x.grad.dtype == torch.float64


def test_gradients_alone(call: Call) -> None:
    x = leaf(1, 2)
    (gradient,) = torch.autograd.grad(call("square", x).sum(), x)
    assert gradient.tolist() == [2, 4]
    assert not gradient.requires_grad
    assert grad(x) is None


def test_numeric_gradients_agree(call: Call) -> None:
    x = torch.tensor([0.5, -1.5], dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: call("square", x), (x,))


def test_parameters_have_gradients_there(session: Session, call: Call) -> None:
    layer = session.find("layer")
    assert type(layer) is RemoteObject
    assert layer.W.grad is None  # type: ignore[attr-defined]
    x = leaf(1, 10)
    call("layer", x).sum().backward()
    assert grad(x) == [3, 7]
    assert layer.W.grad.tolist() == [[1, 1], [10, 10]]  # type: ignore[attr-defined]
    assert layer.frozen.grad is None  # type: ignore[attr-defined]
    named = dict(layer.named_parameters())  # type: ignore[call-overload, operator]
    assert named["W"].grad.tolist() == [[1, 1], [10, 10]]
    assert [one.requires_grad for one in named.values()] == [True, False]
    layer.zero_grad()  # type: ignore[operator]
    assert layer.W.grad is None  # type: ignore[attr-defined]


def test_parameters_without_arguments(session: Session, call: Call) -> None:
    call("of_alone").backward()
    alone = session.find("alone")
    assert type(alone) is torch.nn.Parameter
    assert grad(alone) == [3, 3]


def test_backward_twice(session: Session, call: Call) -> None:
    x = leaf(1, 10)
    loss = call("layer", x).sum()
    loss.backward(retain_graph=True)
    loss.backward()
    assert grad(x) == [6, 14]
    assert session.find("layer").W.grad.tolist() == [[2, 2], [20, 20]]  # type: ignore[attr-defined]


def test_two_graphs_from_one_leaf(call: Call) -> None:
    x = leaf(1, 2)
    first, second = call("square", x), call("square", x * 2)
    second.sum().backward()
    first.sum().backward()
    assert grad(x) == [8 + 2, 16 + 4]


def test_old_graphs_are_forgotten() -> None:
    graphs, x = Graphs(), leaf(1)
    numbers = [graphs.keep(x * n, (x,)) for n in range(300)]
    assert len(set(numbers)) == 300
    assert graphs.backward(numbers[-1] or 0, [torch.ones(1)])[0] == torch.tensor([299.0])
    with pytest.raises(KeyError):
        graphs.backward(numbers[0] or 0, [torch.ones(1)])


def test_nothing_kept_without_gradients() -> None:
    assert Graphs().keep([torch.ones(2), 1, "x"], (leaf(1),)) is None
    assert Graphs().keep(torch.nn.Parameter(torch.ones(1)), ()) is None


LYING = {
    "nothing": "None",
    "a word": "'gradient'",
    "a number": "7",
    "no gradients": "[]",
    "too many": "[torch.ones(2)] * 5",
    "a tuple": "(torch.ones(2),)",
    "another shape": "[torch.ones(3)]",
    "a scalar": "[torch.ones(())]",
    "whole numbers": "[torch.ones(2, dtype=torch.int64)]",
    "complex numbers": "[torch.ones(2, dtype=torch.complex64)]",
    "an array": "[__import__('numpy').ones(2)]",
    "an object": "[object()]",
    "a function": "[print]",
    "a parameter": "[nn.Parameter(torch.ones(2))]",
    "NaN": "[torch.full((2,), float('nan'))]",
    "with a graph": "[torch.ones(2, requires_grad=True)]",
    "another precision": "[torch.ones(2, dtype=torch.float64)]",
    "itself": "(a := [], a.append(a))[0]",
}


@pytest.mark.parametrize("lie", LYING.values(), ids=LYING)
def test_lies_are_no_crash(session: Session, lie: str) -> None:
    assert session.run(LIES) == []
    assert session.run(f"lie({lie})") == []
    x = leaf(1, 2)
    result = session.find("square")(x)  # type: ignore[operator]
    try:
        result.sum().backward()
    except StudentTooSlow:
        pytest.fail("it hangs")
    except (ExchangeError, RuntimeError, StudentError):
        return
    assert x.grad is None or (x.grad.shape == x.shape and x.grad.dtype == x.dtype)
    assert x.grad is None or not x.grad.requires_grad


@pytest.mark.parametrize(
    "end", ["import os; os._exit(3)", "raise ValueError('no')", "raise SystemExit"]
)
def test_end_in_backward(session: Session, end: str) -> None:
    session.run(f"from autograder.student.rpc.gradients import Graphs\ndef end(*_):\n    {end}\n")
    session.run("Graphs.backward = end")
    x = leaf(1, 2)
    with pytest.raises((ExchangeError, StudentError)):
        session.find("square")(x).sum().backward()  # type: ignore[operator]
    assert x.grad is None


@pytest.mark.parametrize(
    "answer",
    [None, 7, [], [None], ["x"], [torch.ones(3)], [torch.ones(2, dtype=torch.int32)], [1, 2, 3]],
)
def test_unfit_gradients_are_none(answer: Any) -> None:
    x = leaf(1, 2)
    result = connect(torch.ones(2, requires_grad=True), (x,), lambda _: answer)
    assert type(result) is torch.Tensor
    try:
        result.sum().backward()
    except (RuntimeError, TypeError):
        assert not isinstance(answer, list) or len(answer) != 1
    assert x.grad is None


def test_value_without_gradients_is_itself() -> None:
    value = {"a": [torch.ones(2)]}
    assert connect(value, (leaf(1),), lambda _: []) is value


def test_order_of_tensors() -> None:
    a, b, c, d = (torch.full((1,), float(n)) for n in range(4))
    parameter = torch.nn.Parameter(d)
    value = ({"x": a, "y": [b]}, 3, (c, {"z": (parameter,)}), {1})
    assert [one.item() for one in tensors_in(value)] == [0, 1, 2, 3]
    assert parameters_in(value) == [parameter]


def test_parameters_that_wait_for_inputs(session: Session) -> None:
    """An nn.LazyLinear has no weights before its first call, and run_module gives it its own."""
    W, x = torch.tensor([[1.0, 2.0], [3.0, 4.0]]), torch.tensor([[1.0, -1.0]])
    found = run_module(session.find("Lazy"), {}, {"W": W}, (x,))  # type: ignore[arg-type]
    assert torch.equal(found["output"], x @ W)
    assert found["gradient for W"].shape == W.shape


THROUGH_WHAT_IS_LENT = {
    "a backward pass": """
def slopes(function, x):
    x = x.clone().requires_grad_()
    function(x).sum().backward()
    return x.grad""",
    "a Jacobian": """
def slopes(function, x):
    return torch.autograd.functional.jacobian(function, x).sum(dim=(0, 1))""",
    "twice through one graph": """
def slopes(function, x):
    x = x.clone().requires_grad_()
    y = function(x).sum()
    first, = torch.autograd.grad(y, x, retain_graph=True)
    second, = torch.autograd.grad(y, x)
    assert first.equal(second)
    return second""",
    "where the examiner keeps no graphs": """
def slopes(function, x):
    with torch.enable_grad():
        x = x.clone().requires_grad_()
        return torch.autograd.grad(function(x).sum(), x)[0]""",
}


@pytest.mark.parametrize("code", THROUGH_WHAT_IS_LENT.values(), ids=THROUGH_WHAT_IS_LENT)
def test_through_a_function_that_is_lent(session: Session, call: Call, code: str) -> None:
    """Otherwise nothing would seem to depend on anything."""
    assert session.run(code) == []
    layer = torch.nn.Linear(3, 2)
    x = torch.tensor([[1.0, 2.0, 3.0]])
    with torch.no_grad() if "enable_grad" in code else torch.enable_grad():
        found = call("slopes", lambda rows: layer(rows) ** 2, x)
    right = x.clone().requires_grad_()
    (layer(right) ** 2).sum().backward()
    assert right.grad is not None
    torch.testing.assert_close(found, right.grad)
    # What the examiner has lent keeps no trace of it.
    assert layer.weight.grad is not None
    layer.zero_grad()
    call("slopes", lambda rows: layer(rows) ** 2, x)
    assert layer.weight.grad is None


def test_transforms_that_cannot_cross_say_so(session: Session, call: Call) -> None:
    session.run("def slopes(function, x): return torch.func.jacrev(function)(x)")
    with pytest.raises(StudentError):
        call("slopes", lambda rows: rows * 2, leaf(1.0, 2.0).detach())


@pytest.mark.parametrize(
    "asked",
    [
        "torch.autograd.functional.jacobian(function, x, vectorize=True)",
        "torch.autograd.grad(function(x), x, torch.eye(2), is_grads_batched=True)[0]",
    ],
)
def test_many_gradients_at_once_say_what_to_do(session: Session, call: Call, asked: str) -> None:
    session.run(f"def slopes(function, x):\n    x.requires_grad_()\n    return {asked}")
    with pytest.raises(StudentError, match="ask for one after the other"):
        call("slopes", lambda rows: rows * 2, leaf(1.0, 2.0).detach())


FORGED = """
import gc
from autograder.student.rpc.student_side import StudentSide
side = next(one for one in gc.get_objects() if type(one) is StudentSide)
def forges(function, number, cotangents):
    x = torch.ones(2, requires_grad=True)
    function(x)
    try:
        return side._told(("callback-backward", number, cotangents))
    except RuntimeError as error:
        return str(error)
"""


@pytest.mark.parametrize("number", [0, 1, 99, -1])
@pytest.mark.parametrize(
    "cotangents", [[], ["x"], [None], [torch.ones(3)], [torch.ones(2)] * 2, [{}, []]]
)
def test_gradients_that_nobody_can_have(
    session: Session, call: Call, number: int, cotangents: list[object]
) -> None:
    session.run(FORGED)
    said = call("forges", lambda rows: rows * 2, number, cotangents)
    assert said == "no gradient comes back through this function here"
