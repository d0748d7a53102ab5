"""The exam of `softmax_jacobian`, lesson 03."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.families import TENSOR_DTYPE
from solutions.exams.sixteen_bits import TRIED_TWICE, bfloat16_stays_once

jacobian = Exam(
    reference.softmax_jacobian,
    unasked={
        "gradients": "a Jacobian is looked at, and autograd may make it",
        "no_grad": "autograd, which may make it, needs a graph",
    },
)


@jacobian.example
def three_weights() -> Tensor:
    """the weights 0.5, 0.3 and 0.2"""
    return torch.tensor([0.5, 0.3, 0.2], dtype=torch.float64)


@jacobian.example
def four_weights() -> Tensor:
    """the weights 0.1, 0.6, 0.05 and 0.25"""
    return torch.tensor([0.1, 0.6, 0.05, 0.25], dtype=torch.float64)


@jacobian.case
def any_distribution(draw: Draw) -> Tensor:
    """weights drawn at random"""
    return torch.from_numpy(draw.weights("n"))


@jacobian.case(times=1)
def all_on_one(draw: Draw) -> Tensor:
    """all the weight on one score"""
    return torch.eye(draw.size("n"), dtype=torch.float64)[0]


@jacobian.case(times=1)
def all_alike(draw: Draw) -> Tensor:
    """40 equal weights"""
    return torch.full((40,), 1 / 40, dtype=torch.float64)


@jacobian.case(times=1)
def two_weights_only(draw: Draw) -> Tensor:
    """two weights"""
    return torch.from_numpy(draw.fix(n=2).weights("n"))


@jacobian.holds
def rows_sum_to_zero(softmax_jacobian: Callable[..., Tensor], p: Tensor) -> bool:
    """each row sums to 0"""
    return bool((softmax_jacobian(p).sum(dim=1).abs() < 1e-6).all())


@jacobian.holds
def weights_move_so(softmax_jacobian: Callable[..., Tensor], p: Tensor) -> bool:
    """a small step of the scores moves the weights as the derivatives say"""
    scores = p.double().clamp(min=1e-300).log()
    step = 1e-4 * torch.arange(len(p), dtype=torch.float64).sin()
    moved = torch.softmax(scores + step, dim=0) - torch.softmax(scores - step, dim=0)
    return torch.allclose(softmax_jacobian(p).double() @ (2 * step), moved, rtol=1e-4, atol=1e-9)


@jacobian.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Tensor:
    """in bfloat16 as well"""
    return torch.from_numpy(draw.fix(n=TRIED_TWICE).weights("n"))


jacobian.half_but_for("16-bit floats", in_bfloat16_as_well)
jacobian.holds(bfloat16_stays_once)


@jacobian.misconception
def only_the_diagonal(p: Tensor) -> Tensor:
    """The diagonal is right, but the rest is 0. When one score grows, the other weights shrink:
    fill in the entries off the diagonal.
    """
    return torch.diag(p * (1 - p))


@jacobian.misconception
def number_for_outer(p: Tensor) -> Tensor:
    """You subtracted one number from all the entries, the sum of the squares of p, as `p @ p.T` is:
    p transposed is still a vector, and two vectors give a dot product. Every pair (i, j) needs its
    own product.
    """
    return torch.diag(p) - p @ p


@jacobian.misconception
def squares_in_each_row(p: Tensor) -> Tensor:
    """You subtracted the squares of p, the same ones in each row. Entry (i, j) needs the product of
    weight i and weight j.
    """
    return torch.diag(p) - p * p


@jacobian.misconception
def sign_turned(p: Tensor) -> Tensor:
    """Every sign is reversed. A weight grows with its own score, so the diagonal is positive."""
    return torch.outer(p, p) - torch.diag(p)


@jacobian.misconception
def outer_added(p: Tensor) -> Tensor:
    """You added the products. Off the diagonal the entries should be negative: subtract."""
    return torch.diag(p) + torch.outer(p, p)


@jacobian.misconception
def sign_beside_the_diagonal(p: Tensor) -> Tensor:
    """The diagonal is right, but off the diagonal the sign is wrong. When one score grows, the
    other weights shrink.
    """
    return torch.diag(p) + torch.outer(p, p) - 2 * torch.diag(p * p)


@jacobian.misconception
def p_in_each_row(p: Tensor) -> Tensor:
    """Here entry (i, j) is p_j − p_i · p_j: p is in every row of the first term. It should only be
    on the diagonal.
    """
    return p - torch.outer(p, p)


@jacobian.misconception
def outer_only(p: Tensor) -> Tensor:
    """These are only the products of every two weights. Subtract them from a matrix with p on its
    diagonal.
    """
    return torch.outer(p, p)


@jacobian.misconception
def minus_outer_only(p: Tensor) -> Tensor:
    """Off the diagonal this is right. On it, p_i is missing: a weight grows with its own score."""
    return -torch.outer(p, p)


@jacobian.misconception
def outer_left_out(p: Tensor) -> Tensor:
    """You only have p on the diagonal. Subtract the product of weight i and weight j everywhere."""
    return torch.diag(p)


@jacobian.misconception
def ones_on_the_diagonal(p: Tensor) -> Tensor:
    """Your products are subtracted from a matrix with 1 on its diagonal. Put p there instead."""
    return torch.eye(len(p), dtype=p.dtype) - torch.outer(p, p)


@jacobian.misconception
def a_vector(p: Tensor) -> Tensor:
    """These are only the diagonal entries, as a vector. Each weight depends on every score, so the
    derivatives are a matrix.
    """
    return p * (1 - p)


@jacobian.misconception
def p_in_each_column(p: Tensor) -> Tensor:
    """Here entry (i, j) is p_i · (1 − p_j), as if p were in every column of the first term. It
    should only be on the diagonal.
    """
    return p[:, None] - torch.outer(p, p)


@jacobian.misconception
def softmax_once_more(p: Tensor) -> Tensor:
    """You applied a softmax to p. It has already been through one: p contains the weights."""
    weights = torch.softmax(p, dim=0)
    return torch.diag(weights) - torch.outer(weights, weights)


TENSOR_DTYPE.apply(jacobian, called={"InFloat32": "jacobian_in_float32"})


@jacobian.accepts
def jacobian_in_loops(p: Tensor) -> Tensor:
    """Loops."""
    J = torch.empty(len(p), len(p), dtype=p.dtype)
    for i, one in enumerate(p):
        for j, other in enumerate(p):
            J[i, j] = one * (1 - one) if i == j else -one * other
    return J


@jacobian.accepts
def jacobian_by_broadcasting(p: Tensor) -> Tensor:
    """The Kronecker delta as a matrix."""
    return p[:, None] * (torch.eye(len(p), dtype=p.dtype) - p[None, :])


@jacobian.accepts
def jacobian_by_diagonal(p: Tensor) -> Tensor:
    """The products first, then the diagonal."""
    J = -p.reshape(-1, 1) @ p.reshape(1, -1)
    J.diagonal().add_(p)
    return J
