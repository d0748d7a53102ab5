"""The exam of `causal_column_weights`, lesson 04."""

import torch

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import (
    FAR_BELOW_SCORES,
    MIXED_SCORES,
    SIX_SCORES,
    ScoreOfMinusABillion,
    far_below,
    future,
    hide,
)
from solutions.exams.families import FUTURE, MASK, SOFTMAX, TENSOR_DTYPE, ZERO_SCORES, Causal
from solutions.exams.families.family import Family

columns = Exam(reference.causal_column_weights)


@columns.example
def journey_in_columns() -> torch.Tensor:
    """six words, one per column"""
    return SIX_SCORES


@columns.example
def mixed_in_columns() -> torch.Tensor:
    """scores that are not symmetric"""
    return MIXED_SCORES.T.contiguous()


@columns.example
def past_far_below() -> torch.Tensor:
    """visible scores of -1e32 and less"""
    return FAR_BELOW_SCORES.T.contiguous()


@columns.case
def any_columns(draw: Draw) -> torch.Tensor:
    """scores drawn at random"""
    return draw.tensor("tokens tokens", scale=2)


@columns.case(times=1)
def one_column(draw: Draw) -> torch.Tensor:
    """a sentence of one word"""
    return draw.fix(tokens=1).tensor("tokens tokens")


@columns.case(times=1)
def far_above(draw: Draw) -> torch.Tensor:
    """scores above 1000"""
    return 1000 + draw.tensor("tokens tokens")


@columns.case(times=1)
def drawn_past_far_below(draw: Draw) -> torch.Tensor:
    """visible scores of -1e32 and less, in a text of several words"""
    # Alike within a column, so that it is the same to lower what is hidden and to replace it.
    hidden_scores = draw.tensor("tokens")
    hidden = future(len(hidden_scores)).T.contiguous()
    return hidden_scores.where(hidden, far_below(draw, "tokens").unsqueeze(-1))


@columns.case(times=1, dtypes=("float32",), hints=False)
def long_text(draw: Draw) -> torch.Tensor:
    """a text of more than a thousand words"""
    # Longer than the masks that models are often given, in the dtype that takes half of the room.
    return draw.fix(tokens=1030).tensor("tokens tokens", scale=2)


@columns.misconception
def as_with_rows(scores: torch.Tensor) -> torch.Tensor:
    """These are causal weights for queries on rows. Here a query is a column: the softmax should
    run down it, and the triangle to hide is below the diagonal.
    """
    return hide(scores, future(len(scores)))


class ColumnSteps(Causal):
    """Queries on columns: the transposes of what a mask on rows takes and gives."""

    def answer(self, scores: torch.Tensor) -> torch.Tensor:
        return self.weigh(scores.T, self.future(len(scores), len(scores))).T


(MASK + ZERO_SCORES + Family(ScoreOfMinusABillion)).apply(
    columns,
    ColumnSteps,
    called={
        "NothingHidden": "columns_unmasked",
        "ScoreOfZero": "columns_filled_with_zero",
        "MaskedAfterwards": "columns_not_renormalised",
    },
)
FUTURE.apply(
    columns,
    ColumnSteps,
    called={"PastHidden": "triangle_of_rows", "DiagonalHidden": "column_diagonal_hidden"},
    says={
        "PastHidden": "The softmax runs down the columns, but you hid the triangle above the "
        "diagonal. When queries are columns, that is the past.",
    },
)
SOFTMAX.apply(
    columns,
    ColumnSteps,
    called={"SoftmaxOverQueries": "softmax_of_rows"},
    says={
        "SoftmaxOverQueries": "You hid the right triangle, but your rows sum to 1. A query is a "
        "column here: the softmax runs down it.",
    },
    without=["SoftmaxOverTheFirstAxis"],
)


@columns.misconception
def transposed_once(scores: torch.Tensor) -> torch.Tensor:
    """These are the right weights, laid out with queries on rows. Transpose them back: keys on
    rows, queries on columns.
    """
    return hide(scores.T, future(len(scores)))


@columns.misconception
def never_transposed_in(scores: torch.Tensor) -> torch.Tensor:
    """Column i of your result is made from row i of the scores, as when you transpose the result
    but not the scores: queries and keys are swapped.
    """
    return hide(scores, future(len(scores))).T


@columns.misconception
def columns_written_in_place(scores: torch.Tensor) -> torch.Tensor:
    """The weights are right, but the caller's scores are changed as well: `masked_fill_` with an
    underscore and `scores[…] = …` write into them. Use `masked_fill`.
    """
    return torch.softmax(scores.masked_fill_(future(len(scores)).T, -torch.inf), dim=0)


TENSOR_DTYPE.apply(columns)


@columns.accepts
def columns_by_transposing(scores: torch.Tensor) -> torch.Tensor:
    """There and back."""
    n = len(scores)
    hidden = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    return torch.softmax(scores.T.masked_fill(hidden, -torch.inf), dim=-1).T


@columns.accepts
def columns_in_loops(scores: torch.Tensor) -> torch.Tensor:
    """Column by column."""
    result = torch.zeros_like(scores)
    for query in range(len(scores)):
        result[: query + 1, query] = torch.softmax(scores[: query + 1, query], dim=0)
    return result


@columns.accepts
def columns_by_places(scores: torch.Tensor) -> torch.Tensor:
    """Comparing positions."""
    places = torch.arange(len(scores))
    return scores.masked_fill(places[:, None] > places, float("-inf")).softmax(dim=-2)
