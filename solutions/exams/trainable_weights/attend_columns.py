"""The exam of `attend_columns`, lesson 03."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

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
    INPUTS,
    W_K,
    W_KEY,
    W_Q,
    W_QUERY,
    W_V,
    W_VALUE,
    Four,
    X,
    wave,
    words_far_apart,
)

columns = Exam(reference.attend_columns)


@columns.example
def four_features() -> Four:
    """the four features of the worksheet"""
    return X, W_Q, W_K, W_V


@columns.example
def journey_in_columns() -> Four:
    """Your journey starts with one step, one word per column"""
    return INPUTS.T.clone(), W_QUERY.T.clone(), W_KEY.T.clone(), W_VALUE.T.clone()


@columns.example
def square_columns() -> Four:
    """three words of three features, all matrices of three by three"""
    return wave(3, 3), wave(3, 3, shift=1), wave(3, 3, shift=2), wave(3, 3, shift=3)


@columns.example
def five_to_a_value() -> Four:
    """two words of four features, keys of three features, values of five"""
    return wave(4, 2), wave(3, 4, shift=1), wave(3, 4, shift=2), wave(5, 4, shift=3)


def columns_drawn(draw: Draw) -> Four:
    """A sentence and matrices, for words on columns."""
    W_query, W_key = draw.tensor("d_k d_in"), draw.tensor("d_k d_in")
    return draw.tensor("d_in tokens"), W_query, W_key, draw.tensor("d_v d_in")


@columns.case
def random_columns(draw: Draw) -> Four:
    """a sentence drawn at random"""
    return columns_drawn(draw)


@columns.case(times=1)
def one_column(draw: Draw) -> Four:
    """a single word"""
    return columns_drawn(draw.fix(tokens=1))


@columns.case(times=1)
def overflowing_scores(draw: Draw) -> Four:
    """scores whose exponentials overflow"""
    words, W_query, W_key = words_far_apart(
        draw.tensor("tokens d_in"), draw.tensor("d_in d_k"), draw.tensor("d_in d_k")
    )
    # Contiguous again, as ordinary tensors are.
    X, W_query, W_key = words.T.contiguous(), W_query.T.contiguous(), W_key.T.contiguous()
    return X, W_query, W_key, draw.tensor("d_v d_in")


columns.half_but_for("scores far from 0", overflowing_scores)


@columns.holds
def turned_over_it_is_the_row_form(
    attend_columns: Callable[..., Tensor], X: Tensor, W_q: Tensor, W_k: Tensor, W_v: Tensor
) -> bool:
    """it is the transpose of the row form"""
    rows = nn.functional.scaled_dot_product_attention(X.T @ W_q.T, X.T @ W_k.T, X.T @ W_v.T)
    # Of scores in the thousands, single precision loses that much.
    return bool(torch.allclose(attend_columns(X, W_q, W_k, W_v).T, rows, rtol=1e-3, atol=1e-2))


columns.holds(bfloat16_stays)


class ColumnSteps(Attention):
    """Words on columns: the transposes of what attention on rows takes and gives."""

    def answer(self, X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
        self.d_in = len(X)
        return self.attend((W_query @ X).T, (W_key @ X).T, (W_value @ X).T).T


SCALE.apply(
    columns,
    ColumnSteps,
    called={
        "Unscaled": "columns_unscaled",
        "DividedByTheWidth": "columns_by_d_k",
        "DividedByTheSquare": "columns_by_the_square",
        "RootOfTheKeys": "columns_root_of_tokens",
        "RootOfTheValues": "columns_root_of_d_v",
        "RootOfTheInputWidth": "columns_root_of_d_in",
    },
    says={
        "RootOfTheKeys": "Your scores are divided by the square root of the number of words. In "
        "columns, the width of a key is the *first* axis of K.",
    },
    without=["RootOfTheQueries"],
)
SOFTMAX.apply(
    columns,
    ColumnSteps,
    called={"SoftmaxOverQueries": "softmax_along_the_rows"},
    says={
        "SoftmaxOverQueries": "Your softmax runs along the rows. In KᵀQ each query has a column, "
        "so it should run down the columns, dim=0.",
    },
    without=["SoftmaxOverTheFirstAxis"],
)
STABILITY.apply(columns, ColumnSteps, without=["DividedByTheLargest"])
ROLES.apply(
    columns,
    ColumnSteps,
    called={"RolesSwapped": "queries_on_rows", "KeysMixed": "columns_of_keys_mixed"},
    says={
        "RolesSwapped": "In effect your table is QᵀK, with queries on the rows, as when Q and K "
        "are swapped. In columns it should be KᵀQ, so that each query has a column.",
    },
)


@columns.misconception
def weights_of_the_row_form(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Your weights are those of the row form, the transpose of those you need here: compute KᵀQ,
    with a softmax down the columns.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(Q.T @ K / K.shape[0] ** 0.5, dim=1)


@columns.misconception
def row_form(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The numbers are right, but your context vectors are rows. Here they should be columns, like
    the words: (d_v, tokens).
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0).T @ V.T


@columns.misconception
def weights_on_the_left(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The weights are on the left of V. In columns the weights come last: V, then the weights,
    whose columns say how to mix the columns of V.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0) @ V


@columns.misconception
def words_on_the_left(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You multiplied as in the row form: words first, then the matrix. Here words are columns, so
    the matrix goes on the left.
    """
    Q, K, V = X @ W_query, X @ W_key, X @ W_value
    return V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0)


@columns.misconception
def matrices_turned(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You transposed the weight matrices. They are already (d_k, d_in) and (d_v, d_in), ready to go
    on the left of X.
    """
    Q, K, V = W_query.T @ X, W_key.T @ X, W_value.T @ X
    return V @ torch.softmax(K.T @ Q / K.shape[0] ** 0.5, dim=0)


@columns.misconception
def features_compared(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """You compared features with features: K Qᵀ. Compare the words, which are columns: KᵀQ."""
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return V @ torch.softmax(K @ Q.T / K.shape[0] ** 0.5, dim=0)


@columns.misconception
def library_on_columns(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """This is the row form, with scores Q Kᵀ, which PyTorch's function computes as well. Your words
    are columns, so features were compared with features. Compute KᵀQ, or transpose the inputs and
    the output.
    """
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    return nn.functional.scaled_dot_product_attention(Q, K, V)


TENSOR_DTYPE.apply(columns)


@columns.accepts
def columns_by_rows(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """The row form of the transposes, transposed."""
    rows = X.T
    queries, keys, values = rows @ W_query.T, rows @ W_key.T, rows @ W_value.T
    weights = torch.softmax(queries @ keys.T / keys.shape[1] ** 0.5, dim=1)
    return (weights @ values).T


@columns.accepts
def columns_by_einsum(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Index expressions."""
    Q, K, V = (torch.einsum("kd,dt->kt", W, X) for W in (W_query, W_key, W_value))
    scores = torch.einsum("kj,ki->ji", K, Q) / len(K) ** 0.5
    return torch.einsum("vj,ji->vi", V, scores.softmax(dim=0))


@columns.accepts
def column_after_column(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """One query at a time."""
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    contexts = []
    for query in Q.T:
        weights = torch.softmax(torch.stack([key @ query for key in K.T]) / len(query) ** 0.5, 0)
        contexts.append(V @ weights)
    return torch.stack(contexts, dim=1)
