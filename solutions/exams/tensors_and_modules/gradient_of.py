"""The exam of `gradient_of`, lesson 00b."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Exam
from companion import try_gradient
from companion.beside import made_beside
from companion.trials.training_trials import copy_of, formula_of
from solutions import tensors_and_modules as reference
from solutions.exams.sixteen_bits import bfloat16_stays
from solutions.exams.tensors_and_modules._differences import DIFFERENCES, Differences, Function

gradient = Exam(reference.gradient_of, use=try_gradient)

Trial = tuple[str, Tensor]

SIX = torch.tensor([[1.0, -0.5, 2.0], [0.25, 3.0, -1.5]], dtype=torch.float64)


@gradient.example
def of_squares() -> Trial:
    """the sum of squares of six numbers"""
    return "x.square().sum()", SIX


@gradient.example
def of_a_product() -> Trial:
    """the product of three numbers"""
    return "x.prod()", SIX[0]


@gradient.example
def of_a_straight_line() -> Trial:
    """three times a sum, less two"""
    return "3 * x.sum() - 2", SIX[1]


@gradient.example
def of_a_weight() -> Trial:
    """the first weight of a softmax"""
    return "torch.softmax(x, dim=0)[0]", torch.tensor([2.0, 1.0, 0.0], dtype=torch.float64)


@gradient.example
def of_a_large_number() -> Trial:
    """the product of two large numbers"""
    # To these, float64 adds no step of differences that anybody takes.
    return "x.prod()", torch.tensor([2e14, 1e14], dtype=torch.float64)


@gradient.example
def of_corners() -> Trial:
    """a ReLU and an absolute value, at 0 too"""
    # PyTorch takes 0 for both there: neither a step ahead or back nor the mean of the two does.
    return "(x.relu() + x.abs()).sum()", torch.tensor([1.5, 0.0, -2.0], dtype=torch.float64)


@gradient.case(times=1)
def of_ends(draw: Draw) -> Trial:
    """the first number times the last"""
    return "x[0] * x[-1]", draw.tensor("n")


@gradient.case(times=1)
def of_large_ends(draw: Draw) -> Trial:
    """the first number times the last, both large"""
    x = draw.fix(n=4).tensor("n")
    x[0] += 2e14
    x[-1] += 1e14
    return "x[0] * x[-1]", x


@gradient.case(times=1)
def of_drawn_corners(draw: Draw) -> Trial:
    """the slopes of a ReLU and an absolute value, some of them at 0"""
    x = draw.tensor("n m")
    x[:, ::2] = 0
    return "(x.relu() + x.abs()).sum()", x


@gradient.case(times=1)
def of_cubes(draw: Draw) -> Trial:
    """the mean of cubes, in a tensor of three axes"""
    return "x.pow(3).mean()", draw.tensor("a b c")


@gradient.case(times=1)
def of_a_logarithm(draw: Draw) -> Trial:
    """the logarithm of a sum of exponentials"""
    return "x.exp().sum().log()", draw.tensor("n m")


@gradient.case(times=2)
def of_a_formula_in_another(draw: Draw) -> Trial:
    """one formula of another"""
    # Nobody has the derivatives of all of them at hand.
    inner = [str(one) for one in draw.rng.permutation(["x.sin()", "x.tanh()", "x / 2 + 1"])]
    outer = draw.rng.choice(["x.square().sum()", "x.exp().sum().log()", "x.pow(3).mean()"])
    return " of ".join([str(outer), *inner[:2]]), draw.tensor("n m")


@gradient.case(times=1)
def of_many_squares(draw: Draw) -> Trial:
    """the sum of many squares"""
    return "x.square().sum()", draw.fix(n=40).tensor("n m")


@gradient.case(times=1)
def of_a_parameter(draw: Draw) -> Trial:
    """a sum, of a tensor that is itself being trained"""
    return "3 * x.sum() - 2", draw.tensor("n m")


gradient.half_but_for("a tensor that is itself being trained", of_a_parameter)


@gradient.holds
def dtype_is_kept(gradient_of: Callable[..., Any], formula: str, x: Tensor) -> bool:
    """of numbers in bfloat16, the result is in bfloat16"""
    function = made_beside(gradient_of, formula_of, formula)
    return bfloat16_stays(partial(gradient_of, function), x)


@gradient.holds
def what_is_trained_stays_so(gradient_of: Callable[..., Any], formula: str, x: Tensor) -> bool:
    """if `x` requires gradients, it still does; if it has a `grad`, this stays as it is"""
    if formula != "3 * x.sum() - 2":
        return True
    function = made_beside(gradient_of, formula_of, formula)
    trained, frozen = (made_beside(gradient_of, copy_of, x) for _ in range(2))
    trained.requires_grad_()
    # A copy of it requires gradients too, and what is made of that is left open.
    with suppress(Exception):
        gradient_of(function, trained)
    torch.autograd.backward(function(frozen.requires_grad_()))
    frozen.requires_grad_(False)
    before = frozen.grad.clone()
    gradient_of(function, frozen)
    kept = isinstance(frozen.grad, Tensor) and torch.equal(frozen.grad, before)
    return kept and bool(trained.requires_grad)


def right(function: Function, x: Tensor) -> Tensor:
    return torch.autograd.functional.jacobian(function, x)  # type: ignore[no-untyped-call]


@gradient.misconception
def piles_up(function: Function, x: Tensor) -> object:
    """The first gradient is right, but a second call returns twice as much: `backward` adds to the
    existing `grad`, and `x` itself keeps it. Work on a copy of `x`.
    """
    x.requires_grad_()
    torch.autograd.backward(function(x))
    return x.grad


@gradient.misconception
def cleared_in_place(function: Function, x: Tensor) -> object:
    """The gradient that you return is 0 everywhere, and `x` now requires gradients. If you call
    `zero_()`, it clears the very tensor that you return. Work on a copy of `x`, and nothing is left
    to clear.
    """
    x.requires_grad_()
    torch.autograd.backward(function(x))
    assert x.grad is not None
    return x.grad.zero_()


@gradient.misconception
def marks_x(function: Function, x: Tensor) -> Tensor:
    """The gradient is right each time, but afterwards `x` requires gradients, which it did not
    before. Leave `x` as it is: call `requires_grad_` on a copy of it.
    """
    x.requires_grad_()
    return right(function, x).detach()


@gradient.misconception
def twice_as_large(function: Function, x: Tensor) -> Tensor:
    """Your gradient is twice what it should be. Was it added up twice, or is a difference of the
    function's values at x + h and x - h divided by h instead of 2 h?
    """
    return 2 * right(function, x)


@gradient.misconception
def never_marked(function: Function, x: Tensor) -> object:
    """PyTorch says that nothing requires a gradient. Call `requires_grad_()` on a copy of `x`
    first, then call the function on this copy, neither within `torch.no_grad()` nor with
    `.detach()` after it, because both give a result without a graph.
    """
    torch.autograd.backward(function(x))
    return x.grad


@gradient.misconception
def no_backward(function: Function, x: Tensor) -> object:
    """You return None. Either a `return` is missing, or you return the result of `backward()`, or
    the tensor whose `grad` you return has no gradient yet: `backward()` on the function's result
    puts it into the `grad` of the tensor that requires it.
    """
    leaf = x.detach().clone().requires_grad_()
    function(leaf)
    return leaf.grad


@gradient.misconception
def what_backward_returns(function: Function, x: Tensor) -> object:
    """You return None, and `x` now requires gradients: is `backward()` or a `return` missing, or do
    you return the result of `backward()`, which is None? The gradient is in `grad`; and call
    `requires_grad_` on a copy, not on `x`.
    """
    x.requires_grad_()
    return torch.autograd.backward(function(x))  # type: ignore[func-returns-value]


@gradient.misconception
def the_value(function: Function, x: Tensor) -> Tensor:
    """This is the value of the function, not its gradient."""
    return function(x)


@gradient.misconception
def as_a_tuple(function: Function, x: Tensor) -> object:
    """The gradient is right, but it is in a tuple, as `torch.autograd.grad` returns it: one
    gradient for each tensor that you pass to it. Take the first.
    """
    leaf = x.detach().clone().requires_grad_()
    return torch.autograd.grad(function(leaf), leaf)


@gradient.misconception
def downhill(function: Function, x: Tensor) -> Tensor:
    """Every sign is wrong. Gradient descent goes against the gradient, but this function should
    return the gradient itself.
    """
    return -right(function, x)


@gradient.misconception
def added_up(function: Function, x: Tensor) -> Tensor:
    """This is a single number, the sum of the gradient. The gradient has one number for each entry
    of `x`.
    """
    return right(function, x).sum()


@gradient.misconception
def its_length(function: Function, x: Tensor) -> Tensor:
    """This is a single number, the length of the gradient. The gradient has one number for each
    entry of `x`.
    """
    return right(function, x).norm()


@gradient.misconception
def one_step(function: Function, x: Tensor) -> Tensor:
    """This is `x` after a step against the gradient. Return the gradient itself."""
    return x - right(function, x)


@gradient.misconception
def times_x(function: Function, x: Tensor) -> Tensor:
    """This is the gradient times `x`, entry by entry. Return the gradient itself."""
    return x * right(function, x)


@gradient.misconception
def a_difference(function: Function, x: Tensor) -> Tensor:
    """This is a single number, the change of the function when all entries of `x` grow together.
    The gradient has a number for each entry, and `backward()` computes all of them.
    """
    return (function(x + 1e-4) - function(x - 1e-4)) / 2e-4


@gradient.misconception
def a_difference_for_all(function: Function, x: Tensor) -> Tensor:
    """All the numbers of your gradient are equal: each is the change of the function when all
    entries of `x` grow together. It should be the change when only its own entry grows, and
    `backward()` computes all of these.
    """
    return (function(x + 1e-4) - function(x - 1e-4)) / 2e-4 * torch.ones_like(x)


@gradient.misconception
def a_forward_difference_for_all(function: Function, x: Tensor) -> Tensor:
    """All the numbers of your gradient are equal: each is the change of the function when all
    entries of `x` grow together. It should be the change when only its own entry grows, and
    `backward()` computes all of these.
    """
    # Its error is of first order, which tells it from the difference of both sides.
    return (function(x + 1e-4) - function(x)) / 1e-4 * torch.ones_like(x)


DIFFERENCES.apply(gradient, Differences)


@gradient.misconception
def in_float32(function: Function, x: Tensor) -> Tensor:
    """The numbers are right, but float64 went in and float32 came out, as from `.float()` or
    `torch.tensor(…, dtype=torch.float32)`. Keep the dtype of `x`.
    """
    return right(function, x).float()


@gradient.misconception
def flattened(function: Function, x: Tensor) -> Tensor:
    """The numbers are right but have lost their shape: return them in the shape of `x`."""
    return right(function, x).flatten()


@gradient.misconception
def cleared_too_late(function: Function, x: Tensor) -> object:
    """You return zeros: is the gradient cleared after `backward()` and before you return it? Clear
    it earlier, or work on a new copy.
    """
    leaf = x.detach().clone().requires_grad_()
    torch.autograd.backward(function(leaf))
    assert leaf.grad is not None
    return leaf.grad.zero_()


@gradient.accepts
def asked_of_autograd(function: Function, x: Tensor) -> Tensor:
    """`torch.autograd.grad`, without a `grad` at all."""
    leaf = x.clone().requires_grad_()
    (found,) = torch.autograd.grad(function(leaf), leaf)
    return found


@gradient.accepts
def with_memory_shared(function: Function, x: Tensor) -> object:
    """A new tensor on the same numbers.

    `detach` makes a tensor without a history that shares its numbers with `x`, so nothing is
    copied. `backward` leaves the gradient in its `grad`.
    """
    leaf = x.detach()
    leaf.requires_grad = True
    torch.autograd.backward(function(leaf))
    return leaf.grad


@gradient.accepts
def by_torch_func(function: Function, x: Tensor) -> object:
    """`torch.func.grad`.

    `torch.func.grad` turns the function into another one, which returns its gradient. It reads like
    mathematics, and `torch.vmap` can then run it on many inputs at once.
    """
    return torch.func.grad(function)(x)


@gradient.accepts
def tidied_up(function: Function, x: Tensor) -> object:
    """`x` itself, and afterwards all as it was.

    It asks `x` itself for the gradient, and so has to put everything back afterwards. With a copy
    of `x`, there would be nothing to tidy up.
    """
    required, kept = x.requires_grad, x.grad
    x.requires_grad_(True)
    x.grad = None
    torch.autograd.backward(function(x))
    found, x.grad = x.grad, kept
    x.requires_grad_(required)
    return found


@gradient.accepts
def by_jacobian(function: Function, x: Tensor) -> Tensor:
    """The Jacobian of a function that returns one number."""
    return right(function, x)
