"""The exam of `repaired_attention`, lesson 03."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import trainable_weights as reference
from solutions.exams.families import (
    ROLES,
    SCALE,
    SOFTMAX,
    STABILITY,
    TENSOR_DTYPE,
    Attention,
)
from solutions.exams.sixteen_bits import bfloat16_stays
from solutions.exams.trainable_weights._specimens import (
    OWN_WORK,
    Triple,
    far_apart,
    triple_drawn,
    wave,
)

repaired = Exam(reference.repaired_attention, forbids=OWN_WORK)


@repaired.example
def square_triple() -> Triple:
    """five queries and five keys of five features, where every shape fits"""
    return wave(5, 5), wave(5, 5, shift=1), wave(5, 5, shift=2)


@repaired.example
def two_queries_five_keys() -> Triple:
    """two queries, five keys of three features, values of four"""
    return wave(2, 3), wave(5, 3, shift=1), wave(5, 4, shift=2)


@repaired.case
def any_triple(draw: Draw) -> Triple:
    """queries, keys and values drawn at random"""
    return triple_drawn(draw)


@repaired.case(times=1)
def square_drawn(draw: Draw) -> Triple:
    """as many words as features"""
    return triple_drawn(draw.fix(queries=5, keys=5, d_k=5))


@repaired.case(times=1)
def overflowing_scores(draw: Draw) -> Triple:
    """scores whose exponentials overflow"""
    queries, keys, values = triple_drawn(draw)
    return (*far_apart(queries, keys), values)


repaired.half_but_for("scores far from 0", overflowing_scores)


repaired.holds(bfloat16_stays)


def half_repaired(
    queries: Tensor, keys: Tensor, values: Tensor, *, turned: bool, axis: int, dim: int
) -> Tensor:
    """What comes of the broken cell when some of its lines are repaired."""
    attn_scores = queries @ (keys.T if turned else keys)
    return torch.softmax(attn_scores / keys.shape[axis] ** 0.5, dim=dim) @ values


@repaired.misconception
def as_given(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """This is still what the broken cell returns. Start with its first line: for two queries and
    five keys of three features, write the shapes of both factors next to the product.
    """
    return half_repaired(queries, keys, values, turned=False, axis=0, dim=0)


@repaired.misconception
def softmax_repaired_alone(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The softmax is right now, but the first line is not: widths have to meet, so the keys must be
    transposed. Then check whether the width of a key is under the square root.
    """
    return half_repaired(queries, keys, values, turned=False, axis=0, dim=1)


@repaired.misconception
def transposed_alone(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The first line is right now, but the other two are not: you take the square root of the
    number of keys instead of their width, and the softmax runs over the queries.
    """
    return half_repaired(queries, keys, values, turned=True, axis=0, dim=0)


class Steps(Attention):
    """The repaired cell."""

    def answer(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        return self.attend(queries, keys, values)


SCALE.apply(
    repaired,
    Steps,
    called={
        "Unscaled": "root_dropped",
        "DividedByTheWidth": "root_lost",
        "RootOfTheKeys": "root_not_yet",
        "RootOfTheQueries": "root_of_the_number_of_queries",
        "RootOfTheValues": "root_of_the_width_of_a_value",
    },
    says={
        "Unscaled": "The scores are not scaled any more. Keep the root, and take it of the width "
        "of a key.",
        "DividedByTheWidth": "In effect, you divide by the width of a key itself. The line with "
        "the softmax takes the root, as `d_k**0.5`, if `d_k` is that width.",
        "RootTakenTwice": "Your scores are divided by the fourth root of the width of a key. The "
        "line with the softmax takes a square root already: there `d_k` is the width itself.",
        "RootOfTheKeys": "Only the root is left: it takes the number of keys. Take their width.",
    },
    without=["RootOfTheInputWidth"],
)
SOFTMAX.apply(
    repaired,
    Steps,
    called={"SoftmaxOverQueries": "softmax_not_yet"},
    says={
        "SoftmaxOverQueries": "Only the softmax is left: it runs over the queries. Each row has to "
        "sum to 1.",
    },
    without=["SoftmaxOverTheFirstAxis"],
)
STABILITY.apply(repaired, Steps, without=["DividedByTheLargest"])
ROLES.apply(repaired, Steps, without=["QueriesCompared"])


@repaired.misconception
def queries_transposed(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """You transposed the queries. Transpose the keys instead, which are on the right."""
    attn_scores = queries.T @ keys / keys.shape[1] ** 0.5
    return torch.softmax(attn_scores, dim=1) @ values


TENSOR_DTYPE.apply(repaired)


@repaired.accepts
def repaired_by_einsum(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Index expressions."""
    attn_scores = torch.einsum("id,jd->ij", queries, keys)
    attn_weights = torch.softmax(attn_scores / queries.shape[1] ** 0.5, dim=-1)
    return attn_weights @ values


@repaired.accepts
def repaired_query_by_query(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """One query at a time."""
    root = keys.shape[1] ** 0.5
    return torch.stack([torch.softmax(keys @ query / root, dim=0) @ values for query in queries])


@repaired.accepts
def repaired_in_columns(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """The transposed table, its softmax down the columns."""
    attn_weights = torch.softmax(keys @ queries.T / keys.shape[1] ** 0.5, dim=0)
    return attn_weights.T @ values
