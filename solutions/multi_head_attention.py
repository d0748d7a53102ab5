"""Lesson 05: several heads of attention, in a loop and at once, and attention across sequences.

Tokens are rows; scores and weights are (batch, heads, queries, keys). In a mask, True means
"hidden".
"""

from collections.abc import Callable

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from companion import CausalHead


def two_heads_by_hand() -> dict[str, object]:
    """What two heads find for the last of three words.

    Returns:
        For each head the three attention weights of the last word, then its context, and the two
        contexts concatenated; with four decimals.
    """
    by_hand: dict[str, object] = {
        "weights of head 1": [..., ..., ...],
        "weights of head 2": [..., ..., ...],
        "context of head 1": [..., ...],
        "context of head 2": [..., ...],
        "concatenated": [..., ..., ..., ...],
    }
    ### BEGIN SOLUTION (replaces the lines above)
    query = torch.tensor([1.0, 1.0, 0.0, 2.0])
    keys = torch.tensor([[1.0, 0.0, 1.0, 1.0], [0.0, 0.0, 2.0, 0.0], [2.0, 1.0, 1.0, 0.0]])
    values = torch.tensor([[1.0, 0.0, 0.0, 2.0], [0.0, 1.0, 4.0, 0.0], [1.0, 3.0, 0.0, 1.0]])
    first = torch.softmax(keys[:, :2] @ query[:2] / 2**0.5, dim=0)
    second = torch.softmax(keys[:, 2:] @ query[2:] / 2**0.5, dim=0)
    contexts = [first @ values[:, :2], second @ values[:, 2:]]
    by_hand = {
        "weights of head 1": first.tolist(),
        "weights of head 2": second.tolist(),
        "context of head 1": contexts[0].tolist(),
        "context of head 2": contexts[1].tolist(),
        "concatenated": torch.cat(contexts).tolist(),
    }
    ### END SOLUTION
    return by_hand


class MultiHeadAttentionWrapper(nn.Module):
    """Several causal heads, each with projections of its own, their contexts side by side.

    Call it with (batch, num_tokens, d_in). It returns (batch, num_tokens, num_heads · d_out): first
    the features of head 0, then those of head 1, and so on.

    Args:
        d_in: features of a token on the way in.
        d_out: features of what comes out of *one* head.
        context_length: the largest number of tokens.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: how many heads there are.
        qkv_bias: whether the projections add a bias.
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        """Make the heads, each a CausalHead, in an nn.ModuleList called `heads`."""
        super().__init__()
        ### BEGIN SOLUTION
        self.heads = nn.ModuleList(
            CausalHead(d_in, d_out, context_length, dropout, qkv_bias) for _ in range(num_heads)
        )
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        return torch.cat([head(inputs) for head in self.heads], dim=-1)
        ### END SOLUTION


def split_heads(x: torch.Tensor, num_heads: int) -> torch.Tensor:
    """Share the features of each token out among the heads.

    Args:
        x: queries, keys or values of all heads side by side, (batch, tokens, d_out).
        num_heads: how many heads there are.

    Returns:
        (batch, num_heads, tokens, head_dim), where head_dim is d_out / num_heads: head 0 has the
        first head_dim features of every token, head 1 the next ones, and so on.

    Raises:
        ValueError: when d_out is not divisible by num_heads.
    """
    ### BEGIN SOLUTION
    batch, tokens, d_out = x.shape
    if d_out % num_heads != 0:
        raise ValueError(f"{d_out} features can't be shared out among {num_heads} heads")
    return x.view(batch, tokens, num_heads, d_out // num_heads).transpose(1, 2)
    ### END SOLUTION


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put what the heads found for each token side by side again.

    Args:
        x: (batch, num_heads, tokens, head_dim).

    Returns:
        (batch, tokens, num_heads · head_dim): each token's features of head 0, then of head 1, …
    """
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(2)
    ### END SOLUTION


def head_weights(
    queries: torch.Tensor, keys: torch.Tensor, num_heads: int, hidden: torch.Tensor
) -> torch.Tensor:
    """The attention weights of all heads.

    Args:
        queries: of all heads side by side, (batch, num_queries, d_out).
        keys: of all heads side by side, (batch, num_keys, d_out).
        num_heads: a divisor of d_out.
        hidden: bool, True where a key is hidden from a query, for all heads alike. Either one mask
            for each sentence, (batch, num_queries, num_keys), or one for all of them,
            (num_queries, num_keys). Every query sees at least one key.

    Returns:
        (batch, num_heads, num_queries, num_keys): each row sums to 1, hidden keys have weight 0.
        Scores are divided by the root of the width of *one head*.
    """
    ### BEGIN SOLUTION
    batch, _, d_out = queries.shape
    head_dim = d_out // num_heads
    queries = queries.reshape(batch, -1, num_heads, head_dim).transpose(1, 2)
    keys = keys.reshape(batch, -1, num_heads, head_dim).transpose(1, 2)
    attn_scores = queries @ keys.transpose(2, 3) / head_dim**0.5
    mask = hidden if hidden.ndim == 2 else hidden[:, None]
    return torch.softmax(attn_scores.masked_fill(mask, -torch.inf), dim=-1)
    ### END SOLUTION


def repaired_heads(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, num_heads: int
) -> torch.Tensor:
    """Causal attention with several heads: a given, broken cell to repair.

    Args:
        queries: of all heads side by side, (batch, tokens, d_out).
        keys: likewise.
        values: likewise.
        num_heads: a divisor of d_out.

    Returns:
        The heads' contexts side by side, (batch, tokens, d_out).
    """
    batch, tokens, d_out = queries.shape
    shape = (batch, num_heads, tokens, d_out // num_heads)
    q, k, v = queries.reshape(shape), keys.reshape(shape), values.reshape(shape)
    contexts = scaled_dot_product_attention(q, k, v, is_causal=True)
    contexts = contexts.reshape(batch, tokens, d_out)
    ### BEGIN SOLUTION (replaces the lines above)
    batch, tokens, d_out = queries.shape
    shape = (batch, tokens, num_heads, d_out // num_heads)
    q, k, v = (x.reshape(shape).transpose(1, 2) for x in (queries, keys, values))
    contexts = scaled_dot_product_attention(q, k, v, is_causal=True)
    contexts = contexts.transpose(1, 2).reshape(batch, tokens, d_out)
    ### END SOLUTION
    return contexts


class MultiHeadAttention(nn.Module):
    """Causal attention with several heads at once, and a projection that mixes them.

    Call it with (batch, num_tokens, d_in), num_tokens at most `context_length`. It returns
    (batch, num_tokens, d_out).

    Args:
        d_in: features of a token on the way in.
        d_out: features of all heads together, and of what comes out.
        context_length: the largest number of tokens.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: how many heads share the d_out features.
        qkv_bias: whether W_query, W_key and W_value add a bias; out_proj always has one.

    Raises:
        ValueError: when d_out is not divisible by num_heads (an `assert` will do as well).
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        if d_out % num_heads != 0:
            raise ValueError(f"{d_out} features can't be shared out among {num_heads} heads")
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        future = torch.triu(torch.ones(context_length, context_length, dtype=torch.bool), 1)
        self.register_buffer("mask", future)
        ### END SOLUTION

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        ### BEGIN SOLUTION
        num_tokens = inputs.shape[1]
        queries, keys, values = (
            layer(inputs).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)
            for layer in (self.W_query, self.W_key, self.W_value)
        )
        attn_scores = queries @ keys.transpose(2, 3) / self.head_dim**0.5
        hidden = self.get_buffer("mask")[:num_tokens, :num_tokens]
        attn_weights = torch.softmax(attn_scores.masked_fill(hidden, -torch.inf), dim=-1)
        contexts = self.dropout(attn_weights) @ values
        return self.out_proj(contexts.transpose(1, 2).flatten(2))
        ### END SOLUTION


def batch_the_heads(state: dict[str, torch.Tensor], num_heads: int) -> dict[str, torch.Tensor]:
    """The weights of separate heads, in the form that MultiHeadAttention can load.

    Args:
        state: of a MultiHeadAttentionWrapper without biases, `wrapper.state_dict()`: for each head
            h "heads.h.W_query.weight", "heads.h.W_key.weight" and "heads.h.W_value.weight", each
            (head_dim, d_in), as nn.Linear stores them; the entries may stand in any order.
        num_heads: how many heads there are.

    Returns:
        "W_query.weight", "W_key.weight" and "W_value.weight", each (num_heads · head_dim, d_in);
        and "out_proj.weight" and "out_proj.bias", such that the projection changes nothing.
    """
    ### BEGIN SOLUTION
    found = {}
    for name in ("W_query.weight", "W_key.weight", "W_value.weight"):
        found[name] = torch.cat([state[f"heads.{h}.{name}"] for h in range(num_heads)])
    d_out, dtype = len(found["W_query.weight"]), found["W_query.weight"].dtype
    found["out_proj.weight"] = torch.eye(d_out, dtype=dtype)
    found["out_proj.bias"] = torch.zeros(d_out, dtype=dtype)
    return found
    ### END SOLUTION


def to_torch(state: dict[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """The weights of a MultiHeadAttention, in the form that nn.MultiheadAttention can load.

    Args:
        state: the weights of a module with d_in = d_out and without qkv biases: "W_query.weight",
            "W_key.weight", "W_value.weight" and "out_proj.weight", each (d_out, d_out), and
            "out_proj.bias", (d_out,). There may be other entries, such as a mask.

    Returns:
        Four tensors: "in_proj_weight", (3 · d_out, d_out), the rows of queries, keys and values in
        this order; "in_proj_bias", (3 · d_out,), zeros; "out_proj.weight" and "out_proj.bias".
    """
    ### BEGIN SOLUTION
    parts = [state[f"{name}.weight"] for name in ("W_query", "W_key", "W_value")]
    stacked = torch.cat(parts)
    return {
        "in_proj_weight": stacked,
        "in_proj_bias": torch.zeros(len(stacked), dtype=stacked.dtype),
        "out_proj.weight": state["out_proj.weight"],
        "out_proj.bias": state["out_proj.bias"],
    }
    ### END SOLUTION


def count_parameters(d_in: int, d_out: int, num_heads: int, qkv_bias: bool = False) -> int:
    """How many numbers a MultiHeadAttention has to train.

    Args:
        d_in: features of a token on the way in.
        d_out: features of all heads together.
        num_heads: a divisor of d_out.
        qkv_bias: whether the three projections have a bias; the projection of the output has one in
            any case.
    """
    ### BEGIN SOLUTION
    projections = 3 * d_in * d_out + (3 * d_out if qkv_bias else 0)
    return projections + d_out * d_out + d_out
    ### END SOLUTION


def low_rank_value(W_down: torch.Tensor, W_up: torch.Tensor) -> tuple[torch.Tensor, int]:
    """The value matrix that two thin matrices stand for, and what they save.

    Args:
        W_down: from features to the width of a head, (d_model, head_dim).
        W_up: and back, (head_dim, d_model).

    Returns:
        The matrix W with `x @ W` equal to `(x @ W_down) @ W_up`, (d_model, d_model); and how many
        numbers fewer the two have than it (below zero, if they have more).
    """
    ### BEGIN SOLUTION
    W_value = W_down @ W_up
    return W_value, W_value.numel() - W_down.numel() - W_up.numel()
    ### END SOLUTION


def sum_over_heads(
    weights: torch.Tensor, inputs: torch.Tensor, W_down: torch.Tensor, W_up: torch.Tensor
) -> torch.Tensor:
    """What several heads write, added up: no concatenation, no common projection.

    Args:
        weights: the attention weights of each head, (heads, tokens, tokens).
        inputs: (tokens, d_model).
        W_down: each head's value matrix, (heads, d_model, head_dim).
        W_up: each head's way back, (heads, head_dim, d_model).

    Returns:
        (tokens, d_model): the sum, over the heads, of weights · inputs · W_down · W_up.
    """
    ### BEGIN SOLUTION
    return (weights @ inputs @ W_down @ W_up).sum(dim=0)
    ### END SOLUTION


class CrossAttention(nn.Module):
    """Several heads with which one sequence reads another.

    Call it with `decoder` (batch, num_queries, d_decoder), `encoder` (batch, num_keys, d_encoder)
    and `padding` (batch, num_keys), bool, True where `encoder` is padding; or None, if nothing is.
    It returns (batch, num_queries, d_out). Where everything is padding, all weights are 0, and so
    is what goes into `out_proj`.

    Args:
        d_decoder: features of a token that asks; queries are made of them.
        d_encoder: features of a token that is asked; keys and values are made of them.
        d_out: features of all heads together, and of what comes out. Here it is always a multiple
            of num_heads: you need not test that.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: how many heads there are.
        qkv_bias: whether W_query, W_key and W_value add a bias; out_proj always has one.
    """

    def __init__(
        self,
        d_decoder: int,
        d_encoder: int,
        d_out: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        ### BEGIN SOLUTION
        self.split = (num_heads, d_out // num_heads)
        self.W_query = nn.Linear(d_decoder, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_encoder, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        ### END SOLUTION

    def forward(
        self, decoder: torch.Tensor, encoder: torch.Tensor, padding: torch.Tensor | None = None
    ) -> torch.Tensor:
        ### BEGIN SOLUTION
        queries = self.W_query(decoder).unflatten(-1, self.split).transpose(1, 2)
        keys = self.W_key(encoder).unflatten(-1, self.split).transpose(1, 2)
        values = self.W_value(encoder).unflatten(-1, self.split).transpose(1, 2)
        attn_scores = queries @ keys.transpose(2, 3) / keys.shape[-1] ** 0.5
        if padding is not None:
            attn_scores = attn_scores.masked_fill(padding[:, None, None, :], -torch.inf)
        attn_weights = torch.softmax(attn_scores, dim=-1)
        if padding is not None:
            attn_weights = attn_weights.masked_fill(padding[:, None, None, :], 0)
        contexts = self.dropout(attn_weights) @ values
        return self.out_proj(contexts.transpose(1, 2).flatten(2))
        ### END SOLUTION


def is_blind_to_padding(
    attention: Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor],
    queries: torch.Tensor,
    context: torch.Tensor,
    padding: torch.Tensor,
) -> bool:
    """Test a cross-attention: does it give the same, whatever stands in the padding?

    Args:
        attention: a function from queries, context and padding to (batch, queries, d).
        queries: (batch, queries, d).
        context: what they read, (batch, keys, d); not to be written to.
        padding: (batch, keys), bool, True where the context is padding.

    Returns:
        True when nothing that comes out depends on the padding of this context, up to rounding.
    """
    ### BEGIN SOLUTION
    # No number is its own square plus one.
    changed = torch.where(padding[..., None], context.square() + 1, context)
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, changed, padding))
    ### END SOLUTION
