"""The exam of `low_rank_value`, lesson 05."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import multi_head_attention as reference
from solutions.exams.families import PAIR
from solutions.exams.multi_head_attention._specimens import counted, mixed

thin = Exam(reference.low_rank_value, returns=("the matrix", "parameters saved"))

Pair = tuple[Tensor, Tensor]


@thin.example
def four_by_one() -> Pair:
    """four features through one"""
    return counted(4, 1), mixed(1, 4, seed=50)


@thin.example
def three_by_two() -> Pair:
    """three features through two, which saves nothing"""
    return mixed(3, 2, seed=51), mixed(2, 3, seed=52)


@thin.example
def five_by_two() -> Pair:
    """five features through two"""
    return mixed(5, 2, seed=53), mixed(2, 5, seed=54)


@thin.case
def drawn_thin(draw: Draw) -> Pair:
    """matrices drawn at random"""
    return draw.tensor("d_model head_dim"), draw.tensor("head_dim d_model")


def saved(W_down: Tensor) -> int:
    d_model, head_dim = W_down.shape
    return d_model * d_model - 2 * d_model * head_dim


@thin.misconception
def up_before_down(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You multiplied W_up by W_down, which gives (head_dim, head_dim). Tokens are rows here, so the
    matrix that is applied first is on the left.
    """
    product = W_up @ W_down
    return product, product.numel() - W_down.numel() - W_up.numel()


@thin.misconception
def product_turned(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """Your matrix is transposed. Tokens are rows: x @ W_down @ W_up."""
    return (W_down @ W_up).T, saved(W_down)


@thin.misconception
def one_part_counted(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You subtracted the parameters of one thin matrix. There are two of them."""
    return W_down @ W_up, W_down.shape[0] ** 2 - W_down.numel()


@thin.misconception
def numbers_of_the_whole(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """This is the number of parameters of the whole matrix. Return how many fewer the two thin ones
    have.
    """
    return W_down @ W_up, W_down.shape[0] ** 2


@thin.misconception
def numbers_of_both(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """This is the number of parameters of the two matrices. Return how many fewer that is than in
    the whole matrix.
    """
    return W_down @ W_up, W_down.numel() + W_up.numel()


@thin.misconception
def sign_exchanged(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """The sign is the wrong way round: the saving is the whole minus the two parts."""
    return W_down @ W_up, -saved(W_down)


@thin.misconception
def never_below_zero(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """Two parts that are not thin have more parameters than the whole. In that case the answer is
    negative.
    """
    return W_down @ W_up, max(0, saved(W_down))


@thin.misconception
def difference_without_sign(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You took the absolute value of the difference. Two parts that are not thin have more
    parameters than the whole: in that case the answer is negative.
    """
    return W_down @ W_up, abs(saved(W_down))


@thin.misconception
def sizes_of_a_head(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """You compared with a matrix (head_dim, head_dim). The whole one is (d_model, d_model)."""
    return W_down @ W_up, W_down.shape[1] ** 2 - W_down.numel() - W_up.numel()


PAIR.apply(thin)


@thin.accepts
def thin_by_einsum(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """einsum, and sizes."""
    whole = torch.einsum("ik,kj->ij", W_down, W_up)
    return whole, len(W_down) * (len(W_down) - 2 * len(W_up))


@thin.accepts
def thin_by_identity(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """The identity sent through both."""
    d_model, head_dim = W_down.shape
    unit = torch.eye(d_model, dtype=W_down.dtype)
    return unit @ W_down @ W_up, d_model**2 - 2 * d_model * head_dim


@thin.accepts
def thin_by_outer_products(W_down: Tensor, W_up: Tensor) -> tuple[Tensor, int]:
    """A sum of outer products, one for each feature of the head."""
    pairs = zip(W_down.T, W_up, strict=True)
    whole = torch.stack([torch.outer(column, row) for column, row in pairs]).sum(dim=0)
    return whole, whole.numel() - (W_down.numel() + W_up.numel())
