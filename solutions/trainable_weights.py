"""Lesson 03: queries, keys and values, computed with three trainable matrices, in PyTorch.

Words are rows: `inputs` is (tokens, d_in), a weight matrix is (d_in, d_out), and queries are on the
rows and keys on the columns. One section of the lesson transposes all of this: one word per column.
"""

# The two classes keep the names of the book that they come from.
# ruff: noqa: N801

from collections.abc import Callable

import torch
from torch import Tensor, nn

from companion import FOUR_FEATURES


def project(
    inputs: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the query, the key and the value of every word of a sentence.

    Args:
        inputs: the sentence, (tokens, d_in).
        W_query: the matrix that gives the queries, (d_in, d_k).
        W_key: the matrix that gives the keys, (d_in, d_k).
        W_value: the matrix that gives the values, (d_in, d_v).

    Returns:
        The queries, (tokens, d_k), the keys, (tokens, d_k), and the values, (tokens, d_v), all in
        the dtype of the inputs.
    """
    ### BEGIN SOLUTION
    return inputs @ W_query, inputs @ W_key, inputs @ W_value
    ### END SOLUTION


def attend_token(i: int, queries: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
    """Scaled dot-product attention for one query: scores, weights and the mixture of the values.

    Write these steps yourself, without PyTorch's `scaled_dot_product_attention`.

    Args:
        i: the position of the word whose query is used, counted from 0.
        queries: (tokens, d_k).
        keys: (tokens, d_k).
        values: (tokens, d_v).

    Returns:
        The context vector of word i, (d_v,), and its attention weights, (tokens,), both in the
        dtype of the values.
    """
    ### BEGIN SOLUTION
    attn_scores = keys @ queries[i]
    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
    return attn_weights @ values, attn_weights
    ### END SOLUTION


def scaled_dot_product_attention(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Compute softmax(Q Kᵀ / √d_k) V yourself, without PyTorch's function of this name.

    Args:
        queries: (num_queries, d_k), or (batch, num_queries, d_k).
        keys: (num_keys, d_k), or (batch, num_keys, d_k).
        values: one for each key, (num_keys, d_v), or (batch, num_keys, d_v).

    Returns:
        One context vector for each query, (num_queries, d_v), or (batch, num_queries, d_v); in the
        dtype of the values.
    """
    ### BEGIN SOLUTION
    attn_scores = queries @ keys.transpose(-2, -1)
    attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
    return attn_weights @ values
    ### END SOLUTION


def score_variance(d_k: int, n: int, seed: int) -> float:
    """Measure the variance of the dot products of random queries and keys.

    Args:
        d_k: the number of entries in a query and in a key.
        n: the number of pairs of a query and a key to draw; every entry is normally distributed,
            with mean 0 and variance 1.
        seed: the seed of the random numbers; equal seeds give equal results, different seeds give
            different results.

    Returns:
        The variance of the n dot products, one for each pair.
    """
    ### BEGIN SOLUTION
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(n, d_k, generator=generator)
    keys = torch.randn(n, d_k, generator=generator)
    return (queries * keys).sum(dim=-1).var().item()
    ### END SOLUTION


def softmax_jacobian(p: Tensor) -> Tensor:
    """Compute how fast each weight of a softmax changes with each of its scores.

    Args:
        p: the weights that the softmax returned, which are not negative and sum to 1, (tokens,).

    Returns:
        The derivatives, (weights, scores), in the dtype of p: entry (j, l) is the rate at which
        weight j grows when score l grows.
    """
    ### BEGIN SOLUTION
    return torch.diag(p) - torch.outer(p, p)
    ### END SOLUTION


def repaired_attention(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Scaled dot-product attention, softmax(Q Kᵀ / √d_k) V: repair the given lines.

    PyTorch's `scaled_dot_product_attention` is no repair.

    Args:
        queries: (num_queries, d_k).
        keys: (num_keys, d_k).
        values: (num_keys, d_v).

    Returns:
        One context vector for each query, (num_queries, d_v), in the dtype of the values.
    """
    right_side = keys
    d_k = keys.shape[0]
    axis = 0
    ### BEGIN SOLUTION (replaces the lines above)
    right_side = keys.T
    d_k = keys.shape[1]
    axis = 1
    ### END SOLUTION
    attn_weights = torch.softmax(queries @ right_side / d_k**0.5, dim=axis)
    return attn_weights @ values


def features_by_hand() -> dict[str, object]:
    """Self-attention by hand, in columns: four words with six features each.

    Each word is a column of X, so Q = W_query X, and the softmax runs down each column.

    Returns:
        "Q", "K" and "V", each with three rows of four numbers, and "scores", KᵀQ, with four rows
        of four numbers. For the third query alone, which is the third column: its four "scaled"
        scores, its four "weights" and the three numbers of its context vector "z", each with four
        decimals, rounded only at the end.
    """
    by_hand: dict[str, object] = {
        "Q": [[..., ..., ..., ...], [..., ..., ..., ...], [..., ..., ..., ...]],
        "K": [[..., ..., ..., ...], [..., ..., ..., ...], [..., ..., ..., ...]],
        "V": [[..., ..., ..., ...], [..., ..., ..., ...], [..., ..., ..., ...]],
        "scores": [
            [..., ..., ..., ...],
            [..., ..., ..., ...],
            [..., ..., ..., ...],
            [..., ..., ..., ...],
        ],
        "scaled": [..., ..., ..., ...],
        "weights": [..., ..., ..., ...],
        "z": [..., ..., ...],
    }
    ### BEGIN SOLUTION (replaces the lines above)
    X, W_query, W_key, W_value = map(torch.tensor, FOUR_FEATURES)
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    scores = K.T @ Q
    scaled = scores[:, 2] / 3**0.5
    weights = torch.softmax(scaled, dim=0)
    numbers = {"Q": Q, "K": K, "V": V, "scores": scores, "scaled": scaled, "weights": weights}
    by_hand = {name: tensor.tolist() for name, tensor in {**numbers, "z": V @ weights}.items()}
    ### END SOLUTION
    return by_hand


def attend_columns(X: Tensor, W_query: Tensor, W_key: Tensor, W_value: Tensor) -> Tensor:
    """Self-attention with one word per column: Z = V softmax(KᵀQ / √d_k).

    Args:
        X: the sentence, (d_in, tokens), one word per column.
        W_query: the matrix that gives the queries, (d_k, d_in); it goes on the left of X.
        W_key: the matrix that gives the keys, (d_k, d_in).
        W_value: the matrix that gives the values, (d_v, d_in).

    Returns:
        Z, (d_v, tokens), with one context vector per column, in the dtype of X.
    """
    ### BEGIN SOLUTION
    Q, K, V = W_query @ X, W_key @ X, W_value @ X
    attn_scores = K.T @ Q / K.shape[0] ** 0.5
    return V @ torch.softmax(attn_scores, dim=0)
    ### END SOLUTION


class SelfAttention_v1(nn.Module):
    """Self-attention with three matrices as parameters: `W_query`, `W_key`, `W_value`.

    Args of the constructor:
        d_in: the number of features of a word.
        d_out: the number of entries in a query, a key and a value.
    """

    def __init__(self, d_in: int, d_out: int) -> None:
        """Create the three matrices, each an nn.Parameter of shape (d_in, d_out)."""
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Return the context vectors, (tokens, d_out), of a sentence x, (tokens, d_in)."""
        ### BEGIN SOLUTION
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        attn_weights = torch.softmax(queries @ keys.T / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values
        ### END SOLUTION


class SelfAttention_v2(nn.Module):
    """Self-attention with three linear layers: `W_query`, `W_key`, `W_value`.

    Args of the constructor:
        d_in: the number of features of a word.
        d_out: the number of entries in a query, a key and a value.
        qkv_bias: whether the three layers have a bias.
    """

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        """Create the three layers, each an nn.Linear from d_in to d_out features."""
        super().__init__()
        ### BEGIN SOLUTION
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        ### END SOLUTION

    def forward(self, x: Tensor) -> Tensor:
        """Return the context vectors, (tokens, d_out), of a sentence x, (tokens, d_in)."""
        ### BEGIN SOLUTION
        queries, keys, values = self.W_query(x), self.W_key(x), self.W_value(x)
        attn_scores = queries @ keys.T
        attn_weights = torch.softmax(attn_scores / keys.shape[-1] ** 0.5, dim=-1)
        return attn_weights @ values
        ### END SOLUTION


def copy_weights_v2_to_v1(v2_state: dict[str, Tensor]) -> dict[str, Tensor]:
    """Translate the weights of a SelfAttention_v2 into those that a SelfAttention_v1 can load.

    Args:
        v2_state: `v2.state_dict()`: "W_query.weight", "W_key.weight" and "W_value.weight", each
            (d_out, d_in), as nn.Linear stores them.

    Returns:
        A dict for `v1.load_state_dict`: "W_query", "W_key" and "W_value", each (d_in, d_out).
    """
    ### BEGIN SOLUTION
    names = ("W_query", "W_key", "W_value")
    return {name: v2_state[f"{name}.weight"].T for name in names}
    ### END SOLUTION


def is_key_shift_invariant(
    attention: Callable[[Tensor, Tensor, Tensor], Tensor],
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    shift: Tensor,
) -> bool:
    """Test whether an attention function ignores a vector that is added to every key.

    Args:
        attention: a function from queries, keys and values to context vectors.
        queries: (tokens, d_k).
        keys: (tokens, d_k).
        values: (tokens, d_v).
        shift: the vector to add to each key, (d_k,).

    Returns:
        True if its output for these inputs does not change, apart from rounding; otherwise False.
    """
    ### BEGIN SOLUTION
    shifted = attention(queries, keys + shift, values)
    return torch.allclose(shifted, attention(queries, keys, values), rtol=1e-4, atol=1e-6)
    ### END SOLUTION


def design_weights() -> tuple[Tensor, Tensor]:
    """Choose matrices that make both nouns of the sentence attend to their own adjectives.

    Returns:
        W_query and W_key, both tensors of shape (6, d_k), with a d_k of your choice. They have one
        row per feature: article, adjective, noun, verb, first phrase, second phrase.
    """
    ### BEGIN SOLUTION
    NOUN, ADJECTIVE, FIRST, SECOND = 2, 1, 4, 5
    W_query = torch.zeros(6, 3, dtype=torch.float64)
    W_key = torch.zeros(6, 3, dtype=torch.float64)
    W_query[NOUN, 0] = W_key[ADJECTIVE, 0] = 4.0
    W_query[FIRST, 1] = W_key[FIRST, 1] = 4.0
    W_query[SECOND, 2] = W_key[SECOND, 2] = 4.0
    return W_query, W_key
    ### END SOLUTION
