"""Attention with one head and with several, by PyTorch's parts, and what trained heads look at."""

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
        queries, keys = (projected(head, name, inputs) for name in ("W_query", "W_key"))
        # Values that mark each token leave nothing but the weights.
        marks = torch.eye(len(inputs), dtype=inputs.dtype)
        return scaled_dot_product_attention(queries, keys, marks)


class GroupedHeads(nn.Module):
    """Causal attention whose query heads share key/value heads, made of PyTorch's parts.

    Call it with (batch, num_tokens, d_in), of any length; it returns (batch, num_tokens, d_out).

    Args:
        d_in: features of an input token.
        d_out: features of a context vector; it is num_heads times head_dim.
        context_length: not needed here; it is there so that the signature is the usual one.
        dropout: the probability with which an attention weight is dropped in training.
        num_heads: the number of query heads.
        num_kv_heads: the number of key/value heads; neighbouring query heads share one.
        qkv_bias: whether the three projections add a bias; the output projection always has one.
    """

    W_query: nn.Linear
    W_key: nn.Linear
    W_value: nn.Linear
    out_proj: nn.Linear

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        num_kv_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.head_dim, self.p = d_out // num_heads, dropout
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, num_kv_heads * self.head_dim, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        projected = (layer(inputs) for layer in (self.W_query, self.W_key, self.W_value))
        q, k, v = (x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for x in projected)
        p = self.p if self.training else 0.0
        contexts = scaled_dot_product_attention(
            q, k, v, dropout_p=p, is_causal=True, enable_gqa=True
        )
        result: torch.Tensor = self.out_proj(contexts.transpose(1, 2).flatten(2))
        return result


class CausalHeads(GroupedHeads):
    """Causal attention with several heads, made of PyTorch's parts: lesson 05 builds such a class.

    Call it with (batch, num_tokens, d_in), of any length; it returns (batch, num_tokens, d_out).

    Args:
        d_in: features of a token on the way in.
        d_out: features of all heads together, and of a token on the way out.
        context_length: not needed here; it is there so that the signature is the usual one.
        dropout: left out here, likewise.
        num_heads: a divisor of d_out.
        qkv_bias: whether the three projections add a bias.
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
        super().__init__(d_in, d_out, context_length, 0.0, num_heads, num_heads, qkv_bias)


@torch.no_grad()
def weights_of(attention: nn.Module, inputs: torch.Tensor, num_heads: int) -> torch.Tensor:
    """What each head of a causal attention looks at, computed from its parameters.

    Such a module returns no weights. They are computed here a second time, and it is made sure that
    they lead to what the module returns, so that no map shows an attention that did not take place.

    Args:
        attention: has `W_query`, `W_key` and `W_value`, each an nn.Linear or a parameter of shape
            (d_in, d_out), and an `out_proj` if it joins several heads. Keys and values may have
            fewer heads, of the same width, which neighbouring query heads share.
        inputs: (batch, tokens, d_in).
        num_heads: how many heads its queries have.

    Returns:
        (batch, num_heads, tokens, tokens).

    Raises:
        ValueError: when the weights do not lead to the module's output.
    """
    q, k, v = (projected(attention, name, inputs) for name in ("W_query", "W_key", "W_value"))
    head_dim = q.shape[-1] // num_heads
    batch, tokens, _ = inputs.shape
    queries, keys, values = (x.view(batch, tokens, -1, head_dim).transpose(1, 2) for x in (q, k, v))
    # With the identity for values, a head's context vectors are its weights.
    each = torch.eye(tokens, dtype=inputs.dtype).expand(batch, keys.shape[1], tokens, tokens)
    maps = scaled_dot_product_attention(queries, keys, each, is_causal=True, enable_gqa=True)
    n_rep = num_heads // keys.shape[1]
    expected = (maps @ values.repeat_interleave(n_rep, dim=1)).transpose(1, 2).flatten(2)
    if hasattr(attention, "out_proj"):
        expected = attention.get_submodule("out_proj")(expected)
    if not torch.allclose(attention(inputs), expected, rtol=1e-3, atol=1e-4):
        raise ValueError("These weights do not lead to what the module returns: is it causal?")
    return maps


def projected(attention: nn.Module, name: str, inputs: torch.Tensor) -> torch.Tensor:
    """Inputs times what a module has by this name: an `nn.Linear`, or a matrix for `x @ W`."""
    layer = getattr(attention, name)
    return layer(inputs) if isinstance(layer, nn.Module) else inputs @ layer  # type: ignore[no-any-return]


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
