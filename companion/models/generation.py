"""What lesson 07 generates with until the learner's own is ready, and a counter for both."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode


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

    def forward(self, inputs: Tensor) -> Tensor:
        projected = (layer(inputs) for layer in (self.W_query, self.W_key, self.W_value))
        q, k, v = (x.unflatten(-1, (-1, self.head_dim)).transpose(1, 2) for x in projected)
        p = self.p if self.training else 0.0
        contexts = scaled_dot_product_attention(
            q, k, v, dropout_p=p, is_causal=True, enable_gqa=True
        )
        result: Tensor = self.out_proj(contexts.transpose(1, 2).flatten(2))
        return result


class JoinedCache:
    """Keys and values of all tokens so far, joined anew for each token: right, and slow.

    Its attribute `length` is the number of tokens that it holds.

    Args:
        batch: the number of texts.
        num_kv_heads: the number of key/value heads.
        max_tokens: the largest number of tokens of each text.
        head_dim: features of a head.
        dtype: of the keys and values.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.max_tokens, self.length = max_tokens, 0
        self._empty = torch.empty(batch, num_kv_heads, 0, head_dim, dtype=dtype)
        self.keys = self.values = self._empty

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Store new keys and values, (batch, num_kv_heads, new, head_dim), and return all.

        Raises:
            ValueError: when there are more than max_tokens tokens.
        """
        if self.length + keys.shape[2] > self.max_tokens:
            raise ValueError(f"There is no room for more than {self.max_tokens} tokens.")
        self.keys = torch.cat([self.keys, keys], dim=2)
        self.values = torch.cat([self.values, values], dim=2)
        self.length = self.keys.shape[2]
        return self.keys, self.values

    def reset(self) -> None:
        """Forget all tokens."""
        self.keys = self.values = self._empty
        self.length = 0


class CountTokens(TorchFunctionMode):
    """Counts the tokens that a projection is applied to, whoever applies it.

    ```python
    with CountTokens(attention.W_key) as counter:
        attention(inputs)
    print(counter.tokens)
    ```

    Attributes:
        tokens: how many there were so far.

    Args:
        layer: an `nn.Linear`, or a matrix for `x @ W`; its inputs are (batch, tokens, d_in).
    """

    def __init__(self, layer: nn.Module | Tensor) -> None:
        super().__init__()
        self.tokens = 0
        self._matrix = getattr(layer, "weight", layer)

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        # A transposed matrix is no product: that has the axes of the inputs.
        if any(arg is self._matrix for arg in args) and getattr(result, "ndim", 0) == 3:
            self.tokens += result.shape[0] * result.shape[1]
        return result
