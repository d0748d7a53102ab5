"""The cache of lesson 07 until the learner's own is ready, and a counter of projections."""

from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode


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
