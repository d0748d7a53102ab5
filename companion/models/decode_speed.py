"""How long this machine takes to attend from one new token to a cache of keys and values."""

import time

import torch
from torch import Tensor

from companion.threads import one_thread


def milliseconds_per_token(
    num_heads: int, num_kv_heads: int, head_dim: int, tokens: int, repeats: int = 15
) -> float:
    """The time of one layer's attention for one new token, whose past is cached.

    One thread, 32-bit numbers; the best of several turns, because whatever else runs on a machine
    can only slow it down. Query heads that share a key/value head read it together.

    Args:
        num_heads: query heads.
        num_kv_heads: key/value heads.
        head_dim: features of a head.
        tokens: how many are cached.
        repeats: turns.
    """
    queries = torch.full((num_kv_heads, num_heads // num_kv_heads, head_dim), 0.1)
    keys = torch.full((num_kv_heads, tokens, head_dim), 0.1)
    values = torch.full((num_kv_heads, tokens, head_dim), 0.1)
    with one_thread():
        _attend(queries, keys, values)
        return 1000 * min(_seconds(queries, keys, values) for _ in range(repeats))


def _seconds(queries: Tensor, keys: Tensor, values: Tensor) -> float:
    start = time.perf_counter()
    _attend(queries, keys, values)
    return time.perf_counter() - start


def _attend(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    scores = queries @ keys.mT / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ values
