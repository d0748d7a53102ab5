"""Lesson 05: attention with several heads, in a loop and all at once, and across sequences.

Tokens are rows; scores and weights have shape (batch, heads, queries, keys). In a mask, True
means "hidden".
"""

from collections.abc import Callable

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

from companion import CausalHead


def two_heads_by_hand() -> dict[str, object]:
    """Two heads by hand: the query is the last of three words.

    Returns:
        For each head, the three attention weights of the last word and its context vector; then the
        two context vectors concatenated, the first head's first. Each number with four decimals.
    """
    by_hand: dict[str, object] = {
        "weights of head 0": [..., ..., ...],
        "weights of head 1": [..., ..., ...],
        "context of head 0": [..., ...],
        "context of head 1": [..., ...],
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
        "weights of head 0": first.tolist(),
        "weights of head 1": second.tolist(),
        "context of head 0": contexts[0].tolist(),
        "context of head 1": contexts[1].tolist(),
        "concatenated": torch.cat(contexts).tolist(),
    }
    ### END SOLUTION
    return by_hand


class MultiHeadAttentionWrapper(nn.Module):
    """Several causal heads, each with its own projections, and their results side by side.

    Call it with inputs of shape (batch, num_tokens, d_in). It returns (batch, num_tokens,
    num_heads · d_out): first the features of head 0, then those of head 1, and so on.

    Args:
        d_in: the number of features of a token in the inputs.
        d_out: the number of features that *one* head returns.
        context_length: the largest number of tokens in a sentence.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: the number of heads.
        qkv_bias: whether the projections have a bias.
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
    """Divide the features of each token among the heads, and give the heads an axis.

    Args:
        x: queries, keys or values of all heads side by side, (batch, tokens, d_out).
        num_heads: the number of heads.

    Returns:
        (batch, num_heads, tokens, head_dim), where head_dim is d_out / num_heads: head 0 has the
        first head_dim features of every token, head 1 the next head_dim, and so on.

    Raises:
        ValueError: if d_out is not divisible by num_heads (the check accepts an `assert`, too).
    """
    ### BEGIN SOLUTION
    batch, tokens, d_out = x.shape
    if d_out % num_heads != 0:
        raise ValueError(f"{d_out} features can't be shared out among {num_heads} heads")
    return x.view(batch, tokens, num_heads, d_out // num_heads).transpose(1, 2)
    ### END SOLUTION


def merge_heads(x: torch.Tensor) -> torch.Tensor:
    """Put the features of all heads side by side again: the reverse of the split.

    Args:
        x: what the heads have computed for each token, (batch, num_heads, tokens, head_dim).

    Returns:
        (batch, tokens, num_heads · head_dim): for each token the features of head 0, then those of
        head 1, and so on.
    """
    ### BEGIN SOLUTION
    return x.transpose(1, 2).flatten(2)
    ### END SOLUTION


def head_weights(
    queries: torch.Tensor, keys: torch.Tensor, num_heads: int, hidden: torch.Tensor
) -> torch.Tensor:
    """The attention weights of all heads; scores are divided by the square root of head_dim.

    Args:
        queries: the queries of all heads side by side, (batch, num_queries, d_out).
        keys: the keys of all heads side by side, (batch, num_keys, d_out).
        num_heads: the number of heads; it divides d_out.
        hidden: bool, True where a key is hidden from a query, in every head. Either one mask for
            each sentence, (batch, num_queries, num_keys), or one mask for all sentences,
            (num_queries, num_keys). Every query sees at least one key.

    Returns:
        (batch, num_heads, num_queries, num_keys): each row sums to 1, and hidden keys have
        weight 0.
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
    """Causal attention with several heads: repair the given lines, which are broken.

    Args:
        queries: the queries of all heads side by side, (batch, tokens, d_out).
        keys: the keys of all heads, likewise.
        values: the values of all heads, likewise.
        num_heads: the number of heads; it divides d_out.

    Returns:
        The context vectors of all heads side by side, (batch, tokens, d_out).
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
    """Causal attention with all heads at once, and a projection that combines them.

    Call it with inputs of shape (batch, num_tokens, d_in), where num_tokens is at most
    `context_length`. It returns (batch, num_tokens, d_out).

    Args:
        d_in: the number of features of a token in the inputs.
        d_out: the number of features of all heads together, and of a token in the output.
        context_length: the largest number of tokens in a sentence.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: the number of heads, among which the d_out features are divided.
        qkv_bias: whether W_query, W_key and W_value have a bias; out_proj always has one.

    Raises:
        ValueError: if d_out is not divisible by num_heads (the check accepts an `assert`, too).
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
        state: the `state_dict()` of a MultiHeadAttentionWrapper without biases. For each head h it
            has "heads.h.W_query.weight", "heads.h.W_key.weight" and "heads.h.W_value.weight", each
            (head_dim, d_in), as nn.Linear stores them. The entries may be in any order.
        num_heads: the number of heads.

    Returns:
        "W_query.weight", "W_key.weight" and "W_value.weight", each (num_heads · head_dim, d_in);
        and "out_proj.weight" and "out_proj.bias", in their dtype, chosen so that out_proj returns
        its input unchanged.
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
            "out_proj.bias", (d_out,). It may have other entries, such as a mask.

    Returns:
        Four tensors: "in_proj_weight", (3 · d_out, d_out), with the rows for the queries, the keys
        and the values in this order; "in_proj_bias", (3 · d_out,), all zeros, in their dtype; and
        "out_proj.weight" and "out_proj.bias" as they are.
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
    """The number of trainable parameters of a MultiHeadAttention.

    Args:
        d_in: the number of features of a token in the inputs.
        d_out: the number of features of all heads together.
        num_heads: the number of heads; it divides d_out.
        qkv_bias: whether the three projections have a bias; out_proj always has one.
    """
    ### BEGIN SOLUTION
    projections = 3 * d_in * d_out + (3 * d_out if qkv_bias else 0)
    return projections + d_out * d_out + d_out
    ### END SOLUTION


def low_rank_value(W_down: torch.Tensor, W_up: torch.Tensor) -> tuple[torch.Tensor, int]:
    """The value matrix that two thin matrices replace, and how many parameters they save.

    Args:
        W_down: the projection from d_model features to the width of a head, (d_model, head_dim).
        W_up: the projection back to d_model features, (head_dim, d_model).

    Returns:
        The matrix W for which `x @ W` equals `(x @ W_down) @ W_up`, (d_model, d_model); and how
        many fewer parameters the two thin matrices have than W (negative if they have more).
    """
    ### BEGIN SOLUTION
    W_value = W_down @ W_up
    return W_value, W_value.numel() - W_down.numel() - W_up.numel()
    ### END SOLUTION


def sum_over_heads(
    weights: torch.Tensor, inputs: torch.Tensor, W_down: torch.Tensor, W_up: torch.Tensor
) -> torch.Tensor:
    """The output of several heads as a sum, without concatenation or a common projection.

    Args:
        weights: the attention weights of each head, (heads, tokens, tokens).
        inputs: one sentence, (tokens, d_model).
        W_down: for each head, the projection to its values, (heads, d_model, head_dim).
        W_up: for each head, the projection back to d_model features, (heads, head_dim, d_model).

    Returns:
        (tokens, d_model): the sum over the heads of weights · inputs · W_down · W_up.
    """
    ### BEGIN SOLUTION
    return (weights @ inputs @ W_down @ W_up).sum(dim=0)
    ### END SOLUTION


class CrossAttention(nn.Module):
    """Attention with several heads, in which one sequence attends to another.

    Call it with `decoder`, (batch, num_queries, d_decoder), `encoder`, (batch, num_keys,
    d_encoder), and `padding`, (batch, num_keys), bool, True where `encoder` is padding; `padding`
    is None if there is none. It returns (batch, num_queries, d_out). In a sentence that is all
    padding, all weights are 0, so `out_proj` receives zeros.

    Args:
        d_decoder: the number of features of a token in `decoder`, which gives the queries.
        d_encoder: the number of features of a token in `encoder`, which gives the keys and values.
        d_out: the number of features of all heads together, and of a token in the output. It is
            always a multiple of num_heads here, so you need not check that.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: the number of heads.
        qkv_bias: whether W_query, W_key and W_value have a bias; out_proj always has one.
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
    """Test a cross-attention function: is its output independent of the numbers in the padding?

    Args:
        attention: a function of queries, context and padding that returns (batch, queries, d).
        queries: (batch, queries, d).
        context: the sequence that is attended to, (batch, keys, d). Do not change it.
        padding: (batch, keys), bool, True where the context is padding.

    Returns:
        True if no number in the output depends on the padding of this context, up to rounding.
    """
    ### BEGIN SOLUTION
    # No number is its own square plus one.
    changed = torch.where(padding[..., None], context.square() + 1, context)
    found = attention(queries, context, padding)
    return torch.allclose(found, attention(queries, changed, padding), rtol=1e-4, atol=1e-5)
    ### END SOLUTION
