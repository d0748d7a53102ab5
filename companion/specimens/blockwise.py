"""Attentions in blocks to try a test on: some give what scaled dot-product attention gives.

Each takes queries `(queries, d_k)`, keys `(keys, d_k)`, values `(keys, d_v)` and a block size, and
returns context vectors, `(queries, d_v)`.
"""

import math
from collections.abc import Iterator

import torch
from torch import Tensor
from torch.nn.functional import pad

Block = tuple[Tensor, Tensor]


def all_at_once(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Exact: it makes all scores at once, and ignores the block size."""
    return torch.softmax(_scores(queries, keys), dim=-1) @ values


def block_after_block(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Exact up to rounding: the online softmax."""
    return _online(queries, list(_blocks(keys, values, block_size)))


def last_block_first(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Exact up to rounding: the online softmax, from the last block to the first."""
    return _online(queries, list(_blocks(keys, values, block_size))[::-1])


def in_two_passes(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Exact up to rounding: one pass finds the largest scores, and a second one sums."""
    blocks = list(_blocks(keys, values, block_size))
    largest = [_scores(queries, block).amax(dim=-1, keepdim=True) for block, _ in blocks]
    highest = torch.stack(largest).amax(dim=0)
    parts = [(torch.exp(_scores(queries, some) - highest), v) for some, v in blocks]
    total = torch.stack([weights.sum(dim=-1, keepdim=True) for weights, _ in parts]).sum(dim=0)
    return torch.stack([weights @ v for weights, v in parts]).sum(dim=0) / total


def merges_finished_blocks(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Exact up to rounding: attends to each block alone, and weights each by its sum."""
    blocks = list(_blocks(keys, values, block_size))
    sums = torch.stack([_scores(queries, some).logsumexp(dim=-1) for some, _ in blocks])
    contexts = torch.stack([all_at_once(queries, *block, block_size) for block in blocks])
    return (torch.softmax(sums, dim=0)[..., None] * contexts).sum(dim=0)


def averages_its_blocks(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Not exact with two blocks or more: attends to each block alone, and takes the average."""
    blocks = _blocks(keys, values, block_size)
    return torch.stack([all_at_once(queries, *block, block_size) for block in blocks]).mean(dim=0)


def never_shrinks(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact, if a later block holds a larger score: the old sums are left as they are."""
    return _online(queries, list(_blocks(keys, values, block_size)), shrunk=0)


def shrinks_only_once(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact, if a block after the second holds a larger score: shrinks for the second alone."""
    return _online(queries, list(_blocks(keys, values, block_size)), shrunk=2)


def total_not_shrunk(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact, if a later block holds a larger score: the context is shrunk, the sum is not."""
    highest = torch.full((len(queries), 1), -math.inf, dtype=queries.dtype)
    context, total = torch.zeros_like(highest), torch.zeros_like(highest)
    for some, mixed in _blocks(keys, values, block_size):
        scores = _scores(queries, some)
        before, highest = highest, torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        weights = torch.exp(scores - highest)
        context = context * torch.exp(before - highest) + weights @ mixed
        total = total + weights.sum(dim=-1, keepdim=True)
    return context / total


def drops_the_rest(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact, if the last block is smaller than the others: it is left out."""
    whole = len(keys) // block_size * block_size
    return all_at_once(queries, keys[:whole], values[:whole], block_size)


def fills_the_last_block(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Not exact, if the last block is smaller than the others: keys of zeros are added to it."""
    missing = -len(keys) % block_size
    return all_at_once(
        queries, pad(keys, (0, 0, 0, missing)), pad(values, (0, 0, 0, missing)), block_size
    )


def forgets_the_first_block(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Not exact with two blocks or more: the first is overwritten by the second."""
    start = block_size if block_size < len(keys) else 0
    return all_at_once(queries, keys[start:], values[start:], block_size)


def without_the_scale(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact: the scores are not divided by the root of d_k."""
    return block_after_block(queries * queries.shape[-1] ** 0.5, keys, values, block_size)


def without_the_maximum(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Not exact, if scores are large: nothing is subtracted before the exponential."""
    parts = [(torch.exp(_scores(queries, k)), v) for k, v in _blocks(keys, values, block_size)]
    total = torch.stack([weights.sum(dim=-1, keepdim=True) for weights, _ in parts]).sum(dim=0)
    return torch.stack([weights @ v for weights, v in parts]).sum(dim=0) / total


def wrong_for_single_keys(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Not exact with blocks of one key: these are taken for the only one."""
    if block_size == 1:
        return values.mean(dim=0).expand(len(queries), -1).clone()
    return all_at_once(queries, keys, values, block_size)


def wrong_in_one_block(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact with a single block: that one is never divided by its sum."""
    if block_size >= len(keys):
        scores = _scores(queries, keys)
        return torch.exp(scores - scores.amax(dim=-1, keepdim=True)) @ values
    return all_at_once(queries, keys, values, block_size)


def first_query_is_off(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact: the first query gets the average of the values."""
    contexts = all_at_once(queries, keys, values, block_size)
    contexts[0] = values.mean(dim=0)
    return contexts


def last_query_is_off(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact: the last query gets the average of the values."""
    contexts = all_at_once(queries, keys, values, block_size)
    contexts[-1] = values.mean(dim=0)
    return contexts


def last_feature_is_off(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Not exact: the last feature of every context is twice as large."""
    contexts = all_at_once(queries, keys, values, block_size)
    contexts[:, -1] *= 2
    return contexts


def never_too_small(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact with two blocks or more: something is added for each further block."""
    further = math.ceil(len(keys) / block_size) - 1
    return all_at_once(queries, keys, values, block_size) + 0.1 * further


def never_too_large(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact with two blocks or more: something is taken away for each further block."""
    further = math.ceil(len(keys) / block_size) - 1
    return all_at_once(queries, keys, values, block_size) - 0.1 * further


def gains_cancel_losses(
    queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /
) -> Tensor:
    """Not exact with two blocks or more: one feature gains what another one loses."""
    further = math.ceil(len(keys) / block_size) - 1
    contexts = all_at_once(queries, keys, values, block_size)
    contexts[:, 0] += 0.1 * further
    contexts[:, -1] -= 0.1 * further
    return contexts


def slightly_off(queries: Tensor, keys: Tensor, values: Tensor, block_size: int, /) -> Tensor:
    """Not exact: 0.0008 is added to each number of a context."""
    return all_at_once(queries, keys, values, block_size) + 0.0008


def _scores(queries: Tensor, keys: Tensor) -> Tensor:
    scores: Tensor = queries @ keys.T / queries.shape[-1] ** 0.5
    return scores


def _blocks(keys: Tensor, values: Tensor, block_size: int) -> Iterator[Block]:
    return zip(torch.split(keys, block_size), torch.split(values, block_size), strict=True)


def _online(queries: Tensor, blocks: list[Block], shrunk: int | None = None) -> Tensor:
    """The online softmax, whose old sums are shrunk up to this block alone, if one is named."""
    highest = torch.full((len(queries), 1), -math.inf, dtype=queries.dtype)
    context, total = torch.zeros_like(highest), torch.zeros_like(highest)
    for number, (keys, values) in enumerate(blocks, start=1):
        scores = _scores(queries, keys)
        before, highest = highest, torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        shrink = torch.exp(before - highest)
        if shrunk is not None and number > shrunk:
            shrink = torch.ones_like(shrink)
        weights = torch.exp(scores - highest)
        context = context * shrink + weights @ values
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
    return context / total
