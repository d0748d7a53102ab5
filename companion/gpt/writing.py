"""Continuing a text, with caches or with a draft, and where a GPT looks while it reads one."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor, nn

from companion.gpt.attention import Cache
from companion.models.heads import projected
from companion.models.positions import rope


@torch.no_grad()
def cached_continuation(
    model: Callable[[Tensor, Sequence[Cache]], Tensor],
    ids: Tensor,
    caches: Sequence[Cache],
    num_new_tokens: int,
    choose: Callable[[Tensor], Tensor],
) -> Tensor:
    """What lesson 10's `continue_with_cache` returns."""
    texts = [ids]
    for _ in range(num_new_tokens):
        logits = model(texts[-1], caches)[:, -1]
        texts.append(choose(logits).unsqueeze(1))
    return torch.cat(texts, dim=1)


def speculative_tokens(p: Tensor, q: Tensor, drafted: Tensor, uniforms: Tensor) -> Tensor:
    """What lesson 10's `speculative_step` returns."""
    ratios = (p[:-1] / q).gather(1, drafted[:, None])[:, 0]
    accepted = int((uniforms[:-1] < ratios).int().cumprod(dim=0).sum())
    # A row of zeros below q: after the last drafted token, what p has more is p itself.
    left = torch.relu(p[accepted] - torch.cat([q, torch.zeros_like(q[:1])])[accepted])
    sums = left.cumsum(dim=0)
    token = torch.searchsorted(sums[:-1], uniforms[-1] * sums[-1], right=True)
    return torch.cat([drafted[:accepted], token[None]])


@torch.no_grad()
def gpt_weights(model: nn.Module, ids: Tensor, num_heads: int) -> Tensor:
    """The attention weights of lesson 10's GPT, computed from what its projections return.

    Args:
        model: its blocks' attention has `W_query` and `W_key`, layers or matrices for `x @ W`.
        ids: one text, (1, tokens).
        num_heads: the number of query heads.

    Returns:
        (blocks, heads, queries, keys).
    """
    given: list[Tensor] = []
    layers = [
        block.get_submodule("attention") for block in model.get_submodule("blocks").children()
    ]
    hooks = [
        layer.register_forward_pre_hook(lambda _layer, inputs: given.append(inputs[0]))
        for layer in layers
    ]
    try:
        model(ids)
    finally:
        for hook in hooks:
            hook.remove()
    found = []
    for layer, inputs in zip(layers, given, strict=True):
        queries, keys = (projected(layer, name, inputs[0]) for name in ("W_query", "W_key"))
        found.append(_weights(queries, keys, num_heads))
    return torch.stack(found)


def _weights(queries: Tensor, keys: Tensor, num_heads: int) -> Tensor:
    """(heads, queries, keys) of a block's projected queries and keys, (tokens, features)."""
    tokens, positions = len(queries), torch.arange(len(queries))
    q = queries.view(tokens, num_heads, -1).transpose(0, 1)
    k = keys.view(tokens, -1, q.shape[-1]).transpose(0, 1)
    k = k.repeat_interleave(num_heads // len(k), dim=0)
    scores = rope(q, positions) @ rope(k, positions).mT / q.shape[-1] ** 0.5
    future = positions > positions[:, None]
    return torch.softmax(scores.masked_fill(future, -torch.inf), dim=-1)
