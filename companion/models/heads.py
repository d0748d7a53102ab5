"""One head of attention, causal or not, and PyTorch's heads for comparison."""

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention


class CausalHead(nn.Module):
    """Causal attention with one head, made of PyTorch's parts: what lesson 04 builds step by step.

    Call it with (batch, num_tokens, d_in), of any length; it returns (batch, num_tokens, d_out).

    Args:
        d_in: features of a token on the way in.
        d_out: features of queries, keys and values.
        context_length: not needed here; it is there so that the signature is the usual one.
        dropout: the probability with which an attention weight is dropped in training.
        qkv_bias: whether the three projections add a bias.
    """

    W_query: nn.Linear
    W_key: nn.Linear
    W_value: nn.Linear

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            self.add_module(name, nn.Linear(d_in, d_out, bias=qkv_bias))
        self.p = dropout

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        q, k, v = (layer(inputs) for layer in (self.W_query, self.W_key, self.W_value))
        p = self.p if self.training else 0.0
        return scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True)


class PlainHead(nn.Module):
    """Scaled dot-product self-attention, made of PyTorch's parts: what lesson 03 builds.

    Call it with (num_tokens, d_in); it returns (num_tokens, d_out).

    Args:
        d_in: features of a token on the way in.
        d_out: features of queries, keys and values.
        qkv_bias: whether the three projections add a bias.
    """

    W_query: nn.Linear
    W_key: nn.Linear
    W_value: nn.Linear

    def __init__(self, d_in: int, d_out: int, qkv_bias: bool = False) -> None:
        super().__init__()
        for name in ("W_query", "W_key", "W_value"):
            self.add_module(name, nn.Linear(d_in, d_out, bias=qkv_bias))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        q, k, v = (layer(inputs) for layer in (self.W_query, self.W_key, self.W_value))
        return scaled_dot_product_attention(q, k, v)


def learned_weights(head: nn.Module, inputs: torch.Tensor) -> torch.Tensor:
    """The attention weights of a module that has `W_query` and `W_key`, layers or parameters.

    Args:
        head: the module.
        inputs: (num_tokens, d_in).

    Returns:
        (num_tokens, num_tokens), without gradients: queries on rows, keys on columns.
    """
    with torch.no_grad():
        queries, keys = (
            inputs @ matrix if isinstance(matrix, torch.Tensor) else matrix(inputs)
            for matrix in (head.W_query, head.W_key)
        )
        # Values that mark each token leave nothing but the weights.
        marks = torch.eye(len(inputs), dtype=inputs.dtype)
        return scaled_dot_product_attention(queries, keys, marks)


def library_heads(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    num_heads: int,
    hidden: torch.Tensor | None = None,
) -> torch.Tensor:
    """Finished queries, keys and values through PyTorch's attention, head by head, concatenated.

    Args:
        queries: (batch, queries, d_out).
        keys: (batch, keys, d_out).
        values: (batch, keys, d_out).
        num_heads: a divisor of d_out.
        hidden: a mask of bool that fits (batch, heads, queries, keys), True where a key is hidden.

    Returns:
        (batch, queries, d_out), the heads' contexts side by side.
    """
    per_head = (part.chunk(num_heads, dim=-1) for part in (queries, keys, values))
    q, k, v = (torch.stack(chunks, dim=1) for chunks in per_head)
    visible = None if hidden is None else ~hidden
    contexts = scaled_dot_product_attention(q, k, v, attn_mask=visible)
    return torch.cat(contexts.unbind(dim=1), dim=-1)
