"""The parts of a GPT that learners have written in lessons 04 to 10, and companion's own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from companion.gpt.attention import LibraryRotaryAttention
from companion.models.positions import rope
from companion.writing.writing import cut_softmax, shifted_cross_entropy


@dataclass(frozen=True)
class Parts:
    """What a GPT is built of; each part has the name and the signature of its exercise.

    Attributes:
        masked_attention_weights: the softmax that skips hidden scores, lesson 04.
        split_heads: gives each head its own axis, lesson 05.
        merge_heads: joins the heads again, lesson 05.
        apply_rope: rotates queries and keys by their position, lesson 06.
        repeat_kv: repeats key/value heads for the query heads that share them, lesson 07.
        decoding_mask: what new tokens may not see, lesson 07.
        KVCache: keeps the keys and values of a layer, lesson 07.
        RMSNorm: scales the features of a token, lesson 09.
        FeedForward: mixes the features of a token, lesson 09.
        next_token_loss: what training lowers, lesson 09.
        next_token_distribution: what the next token is drawn from, lesson 09.
        RotaryAttention: the attention layer that joins most of these, lesson 10.
    """

    masked_attention_weights: Callable[[Tensor, Tensor], Tensor]
    split_heads: Callable[[Tensor, int], Tensor]
    merge_heads: Callable[[Tensor], Tensor]
    apply_rope: Callable[[Tensor, Tensor], Tensor]
    repeat_kv: Callable[[Tensor, int], Tensor]
    decoding_mask: Callable[[int, int], Tensor]
    KVCache: Callable[..., Any]
    RMSNorm: Callable[[int], nn.Module]
    FeedForward: Callable[[int, int], nn.Module]
    next_token_loss: Callable[[Tensor, Tensor], Tensor]
    next_token_distribution: Callable[..., Tensor]
    RotaryAttention: Callable[..., nn.Module]


def softmax_of_visible(scores: Tensor, hidden: Tensor) -> Tensor:
    """The weights of the visible keys, the shape of `scores`; rows without any are zeros."""
    weights = torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-1)
    return weights.masked_fill(hidden, 0.0)


def heads_apart(x: Tensor, num_heads: int) -> Tensor:
    """(batch, tokens, d) as (batch, num_heads, tokens, d / num_heads)."""
    return x.reshape(*x.shape[:2], num_heads, -1).transpose(1, 2)


def heads_together(x: Tensor) -> Tensor:
    """(batch, num_heads, tokens, head_dim) as (batch, tokens, num_heads · head_dim)."""
    return torch.cat(torch.unbind(x, dim=1), dim=-1)


def shared_heads(x: Tensor, n_rep: int) -> Tensor:
    """Each key/value head once for each of the `n_rep` neighbouring query heads that read it."""
    return x[:, torch.arange(x.shape[1] * n_rep) // n_rep]


def later_keys(num_queries: int, num_keys: int) -> Tensor:
    """True where a key comes after a query, (num_queries, num_keys); the queries are the last."""
    keys, queries = torch.arange(num_keys), torch.arange(num_keys - num_queries, num_keys)
    return keys > queries[:, None]


class ListedCache:
    """Keys and values of a layer, in two lists of what was appended.

    Args:
        batch: not needed here, like `num_kv_heads` and `head_dim`, but part of the usual signature.
        num_kv_heads: the number of key/value heads.
        max_tokens: the largest number of tokens.
        head_dim: features of a head.
        dtype: of the numbers.
    """

    def __init__(
        self,
        batch: int,
        num_kv_heads: int,
        max_tokens: int,
        head_dim: int,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        self.max_tokens = max_tokens
        self.reset()

    def reset(self) -> None:
        """Forget all tokens."""
        self.length, self._keys, self._values = 0, list[Tensor](), list[Tensor]()

    def append(self, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """Keep new ones, (batch, num_kv_heads, new, head_dim), and return all.

        Raises:
            ValueError: when there would be more than `max_tokens`.
        """
        length = self.length + keys.shape[2]
        if length > self.max_tokens:
            raise ValueError(f"{length} tokens are more than the cache's {self.max_tokens}.")
        self.length = length
        self._keys.append(keys)
        self._values.append(values)
        return torch.cat(self._keys, dim=2), torch.cat(self._values, dim=2)


class TwoLayers(nn.Sequential):
    """A feed-forward layer with biases and a ReLU.

    Args:
        d_model: the number of features of a token.
        d_hidden: the number of features between the two layers.
    """

    def __init__(self, d_model: int, d_hidden: int) -> None:
        super().__init__(nn.Linear(d_model, d_hidden), nn.ReLU(), nn.Linear(d_hidden, d_model))


def root_mean_square_norm(d_model: int) -> nn.Module:
    """PyTorch's RMS normalisation with the lesson's epsilon."""
    return nn.RMSNorm(d_model, eps=1e-6)


LIBRARY = Parts(
    masked_attention_weights=softmax_of_visible,
    split_heads=heads_apart,
    merge_heads=heads_together,
    apply_rope=rope,
    repeat_kv=shared_heads,
    decoding_mask=later_keys,
    KVCache=ListedCache,
    RMSNorm=root_mean_square_norm,
    FeedForward=TwoLayers,
    next_token_loss=shifted_cross_entropy,
    next_token_distribution=cut_softmax,
    RotaryAttention=LibraryRotaryAttention,
)
