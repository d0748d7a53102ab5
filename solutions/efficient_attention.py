"""Lesson 08: attention for long texts: sparse, low-rank, linear, and exact in blocks.

Queries are (..., queries, d_k), keys (..., keys, d_k) and values (..., keys, d_v), with any axes
before them. In a mask, True means "hidden", queries are on rows and keys on columns.
"""

import math
from collections.abc import Callable

import torch


def sliding_window_mask(num_tokens: int, window: int) -> torch.Tensor:
    """Hide the keys that are too far before or after the query: sliding-window attention.

    Beltagy and others, Longformer (2020), section 3.1.

    Args:
        num_tokens: the number of tokens, at least 1.
        window: a token sees itself and the window - 1 tokens on either side, at least 1.

    Returns:
        The mask, (queries, keys), num_tokens of both, of bool: True where a key is hidden.
    """
    ### BEGIN SOLUTION
    positions = torch.arange(num_tokens)
    return (positions[:, None] - positions).abs() >= window
    ### END SOLUTION


def global_mask(num_tokens: int, global_positions: list[int]) -> torch.Tensor:
    """Let a few tokens see everything and be seen by everything, and hide the rest.

    Beltagy and others, Longformer (2020), section 3.1; Zaheer and others, BigBird (2020),
    section 2.

    Args:
        num_tokens: the number of tokens, at least 1.
        global_positions: the positions of the global tokens, counted from 0; may be empty.

    Returns:
        The mask, (queries, keys), num_tokens of both, of bool: True where a key is hidden.
    """
    ### BEGIN SOLUTION
    is_global = torch.zeros(num_tokens, dtype=torch.bool)
    is_global[global_positions] = True
    return ~(is_global[:, None] | is_global)
    ### END SOLUTION


def see_either(masks: list[torch.Tensor]) -> torch.Tensor:
    """Join sparse patterns: a key is visible if at least one of the patterns shows it.

    With a sliding window, global tokens and random keys this is the pattern of BigBird: Zaheer and
    others (2020), section 2.

    Args:
        masks: one mask or more, each (queries, keys), of bool, True where a key is hidden.

    Returns:
        The mask of the joined pattern, (queries, keys), of bool.
    """
    ### BEGIN SOLUTION
    return torch.stack(masks).all(dim=0)
    ### END SOLUTION


def strided_mask(num_tokens: int, stride: int) -> torch.Tensor:
    """The strided pattern of the Sparse Transformer: the last few tokens, and every stride-th one.

    Child and others, Generating Long Sequences with Sparse Transformers (2019), section 4.3, with
    its two sets of keys joined. It is causal.

    Args:
        num_tokens: the number of tokens, at least 1.
        stride: a token sees itself and the stride - 1 tokens before it, and all earlier tokens
            whose distance is a multiple of the stride.

    Returns:
        The mask, (queries, keys), num_tokens of both, of bool: True where a key is hidden.
    """
    ### BEGIN SOLUTION
    positions = torch.arange(num_tokens)
    distance = positions[:, None] - positions
    return (distance < 0) | ((distance >= stride) & (distance % stride != 0))
    ### END SOLUTION


def fixed_mask(num_tokens: int, stride: int) -> torch.Tensor:
    """The fixed pattern of the Sparse Transformer: a token's own block, and each block's end.

    Child and others, Generating Long Sequences with Sparse Transformers (2019), section 4.3, with
    its two sets of keys joined and c = 1. It is causal.

    Args:
        num_tokens: the number of tokens, at least 1.
        stride: the text is cut into blocks of this many tokens; the last one may be shorter. A
            token sees itself and the tokens before it in its own block, and the last token of each
            earlier block.

    Returns:
        The mask, (queries, keys), num_tokens of both, of bool: True where a key is hidden.
    """
    ### BEGIN SOLUTION
    positions = torch.arange(num_tokens)
    rows, columns = positions[:, None], positions
    same_block = rows // stride == columns // stride
    ends_block = columns % stride == stride - 1
    return (columns > rows) | ~(same_block | ends_block)
    ### END SOLUTION


def layers_until_all_meet(hidden: torch.Tensor, causal: bool = False) -> int | None:
    """How many layers of a sparse pattern it takes until every token can influence every other.

    In the first layer, a token receives something of each key that it sees. In the second layer, it
    also receives what these keys received in the first layer, and so on.

    Args:
        hidden: the mask of each layer, (queries, keys), of bool, True where a key is
            hidden. Each token sees itself.
        causal: if True, a token need not receive anything of the tokens after it.

    Returns:
        The smallest number of layers after which each token can have received something of every
        token, or, with `causal`, of every token before it; 0 for a single token, and None if no
        number of layers is enough.
    """
    ### BEGIN SOLUTION
    seen = (~hidden).double()
    received = torch.eye(len(hidden), dtype=torch.double)
    needed = torch.ones_like(received).tril() if causal else torch.ones_like(received)
    for layers in range(len(hidden) + 1):
        if (received >= needed).all():
            return layers
        received = ((seen @ received) > 0).double()
    return None
    ### END SOLUTION


def linformer_attention(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    project_keys: torch.Tensor,
    project_values: torch.Tensor,
) -> torch.Tensor:
    """Attend to a few mixtures of keys instead of all keys: low-rank attention.

    Wang and others, Linformer: Self-Attention with Linear Complexity (2020), equation 7.

    Args:
        queries: (..., queries, d_k).
        keys: (..., keys, d_k).
        values: (..., keys, d_v).
        project_keys: the matrix E, (rank, keys): each row mixes the keys of all tokens into one.
        project_values: the matrix F, (rank, keys), which mixes the values in the same way.

    Returns:
        The context vectors, (..., queries, d_v), of scaled dot-product attention to the mixtures.
    """
    ### BEGIN SOLUTION
    mixed_keys, mixed_values = project_keys @ keys, project_values @ values
    scores = queries @ mixed_keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
    return torch.softmax(scores, dim=-1) @ mixed_values
    ### END SOLUTION


def linear_attention(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    feature_map: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Attend without a score for each pair: multiply the keys by the values first.

    The weight of a key is the dot product of its features and the query's, divided by the sum of
    these dot products over all keys. Katharopoulos and others, Transformers are RNNs (2020),
    section 3.2.

    Args:
        queries: (..., queries, d_k).
        keys: (..., keys, d_k).
        values: (..., keys, d_v).
        feature_map: makes positive features, (..., tokens, features), of queries or of keys.

    Returns:
        The context vectors, (..., queries, d_v). No tensor of queries times keys is made.
    """
    ### BEGIN SOLUTION
    query_features, key_features = feature_map(queries), feature_map(keys)
    summary = key_features.transpose(-2, -1) @ values
    total = key_features.sum(dim=-2, keepdim=True).transpose(-2, -1)
    return (query_features @ summary) / (query_features @ total)
    ### END SOLUTION


def causal_linear_attention(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    feature_map: Callable[[torch.Tensor], torch.Tensor],
) -> torch.Tensor:
    """Linear attention in which a token sees itself and the tokens before it: a running sum.

    Katharopoulos and others, Transformers are RNNs (2020), section 3.3.

    Args:
        queries: (..., tokens, d_k).
        keys: (..., tokens, d_k).
        values: (..., tokens, d_v).
        feature_map: makes positive features, (..., tokens, features), of queries or of keys.

    Returns:
        The context vectors, (..., tokens, d_v). No tensor of tokens times tokens is made.
    """
    ### BEGIN SOLUTION
    query_features, key_features = feature_map(queries), feature_map(keys)
    products = key_features[..., :, None] * values[..., None, :]
    summaries = products.cumsum(dim=-3)
    totals = key_features.cumsum(dim=-2)
    mixed = (query_features[..., None, :] @ summaries)[..., 0, :]
    return mixed / (query_features * totals).sum(dim=-1, keepdim=True)
    ### END SOLUTION


def linear_attention_step(
    state: tuple[torch.Tensor, torch.Tensor],
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    feature_map: Callable[[torch.Tensor], torch.Tensor],
) -> tuple[torch.Tensor, tuple[torch.Tensor, torch.Tensor]]:
    """One step of causal linear attention as a recurrent network, whose state never grows.

    Katharopoulos and others, Transformers are RNNs (2020), section 3.4. The state is not changed:
    a new one is returned.

    Args:
        state: two sums over the earlier tokens: that of their key features times their values,
            (features, d_v), and that of their key features, (features,).
        query: of the new token, (d_k,).
        key: of the new token, (d_k,).
        value: of the new token, (d_v,).
        feature_map: makes positive features, (..., features), of a query or of a key.

    Returns:
        The context vector of the new token, (d_v,), and the state with the new token in it.
    """
    ### BEGIN SOLUTION
    summary, total = state
    query_features, key_features = feature_map(query), feature_map(key)
    summary = summary + key_features[:, None] * value
    total = total + key_features
    return query_features @ summary / (query_features @ total), (summary, total)
    ### END SOLUTION


def positive_random_features(x: torch.Tensor, directions: torch.Tensor) -> torch.Tensor:
    """Features whose dot products are, on average, exp of a scaled dot product.

    Choromanski and others, Rethinking Attention with Performers (2021), lemma 1, with the scale of
    scaled dot-product attention: the expected dot product of the features of q and k is
    exp(q · k / √d).

    Args:
        x: queries or keys, (..., tokens, d).
        directions: drawn from the standard normal distribution, one per row, (features, d).

    Returns:
        The features, (..., tokens, features), all positive.
    """
    ### BEGIN SOLUTION
    scaled = x / x.shape[-1] ** 0.25
    half_square = scaled.square().sum(dim=-1, keepdim=True) / 2
    return torch.exp(scaled @ directions.T - half_square) / len(directions) ** 0.5
    ### END SOLUTION


def online_softmax_by_hand() -> dict[str, object]:
    """The softmax of four scores that come in two blocks, worked out on paper.

    Replace each `...` with a number.

    Returns:
        After each of the two blocks, the largest score so far, the sum of the exponentials and the
        sum of the weighted values; the factor that corrects both sums when the second block comes;
        and the context. All with four decimals.
    """
    by_hand: dict[str, object] = {
        "kept after the first block": [..., ..., ...],
        "factor of the correction": ...,
        "kept after the second block": [..., ..., ...],
        "context": ...,
    }
    ### BEGIN SOLUTION (replaces the lines above)
    first, second = (2.0, 0.0), (3.0, 1.0)
    sum_of_first = sum(math.exp(score - 2) for score in first)
    mixed_first = math.exp(2 - 2) * 1 + math.exp(0 - 2) * 2
    factor = math.exp(2 - 3)
    sum_of_both = sum_of_first * factor + sum(math.exp(score - 3) for score in second)
    mixed_both = mixed_first * factor + math.exp(3 - 3) * 3 + math.exp(1 - 3) * 4
    by_hand = {
        "kept after the first block": [2.0, sum_of_first, mixed_first],
        "factor of the correction": factor,
        "kept after the second block": [3.0, sum_of_both, mixed_both],
        "context": mixed_both / sum_of_both,
    }
    ### END SOLUTION
    return by_hand


def online_softmax_attention(
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
    block_size: int,
    causal: bool = False,
) -> torch.Tensor:
    """Exact attention, one block of keys at a time, without having all scores at once.

    Milakov and Gimelshein, Online normalizer calculation for softmax (2018); Dao and others,
    FlashAttention (2022), section 3.1.

    Args:
        queries: (..., queries, d_k).
        keys: (..., keys, d_k).
        values: (..., keys, d_v).
        block_size: the number of keys in a block; the last block may be smaller.
        causal: whether query i sees only keys 0 to i; then there are as many queries as keys.

    Returns:
        The context vectors of scaled dot-product attention, (..., queries, d_v). No tensor of
        queries times keys is made.
    """
    ### BEGIN SOLUTION
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    rows = torch.arange(num_queries)[:, None]
    highest = queries.new_full((*queries.shape[:-1], 1), -torch.inf)
    total = torch.zeros_like(highest)
    context = queries.new_zeros(*queries.shape[:-1], values.shape[-1])
    for start in range(0, num_keys, block_size):
        block = slice(start, min(start + block_size, num_keys))
        scores = queries @ keys[..., block, :].transpose(-2, -1) / queries.shape[-1] ** 0.5
        if causal:
            columns = torch.arange(block.start, block.stop)
            scores = scores.masked_fill(columns > rows, -torch.inf)
        new_highest = torch.maximum(highest, scores.amax(dim=-1, keepdim=True))
        shrink, weights = torch.exp(highest - new_highest), torch.exp(scores - new_highest)
        total = total * shrink + weights.sum(dim=-1, keepdim=True)
        context = context * shrink + weights @ values[..., block, :]
        highest = new_highest
    return context / total
    ### END SOLUTION


def visible_blocks(hidden: torch.Tensor, block_size: int) -> torch.Tensor:
    """Which blocks of the score matrix have to be computed, because something in them is visible.

    Args:
        hidden: a mask, (queries, keys), of bool, True where a key is hidden.
        block_size: the number of rows and of columns in a block; the blocks at the lower and right
            edge may be smaller.

    Returns:
        (query blocks, key blocks), of bool, True where at least one key of the block is visible.
    """
    ### BEGIN SOLUTION
    rows = [part.all(dim=0) for part in torch.split(hidden, block_size)]
    blocks = [part.all(dim=1) for part in torch.split(torch.stack(rows), block_size, dim=1)]
    return ~torch.stack(blocks, dim=1)
    ### END SOLUTION


def repaired_blockwise_attention(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, block_size: int
) -> torch.Tensor:
    """Repair this attention: blocks are handled separately, and their sums are added at the end.

    It is only right if each query has the same largest score in every block.

    Args:
        queries: (..., queries, d_k).
        keys: (..., keys, d_k).
        values: (..., keys, d_v).
        block_size: the number of keys in a block; the last block may be smaller.

    Returns:
        The context vectors of scaled dot-product attention, (..., queries, d_v).
    """
    totals, contexts = [], []
    blocks = (torch.split(part, block_size, dim=-2) for part in (keys, values))
    for block_keys, block_values in zip(*blocks, strict=True):
        scores = queries @ block_keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
        highest = scores.amax(dim=-1, keepdim=True)
        weights = torch.exp(scores - highest)
        totals.append(weights.sum(dim=-1, keepdim=True))
        contexts.append(weights @ block_values)
    total, context = torch.stack(totals).sum(dim=0), torch.stack(contexts).sum(dim=0)
    ### BEGIN SOLUTION (replaces the lines above)
    tops, totals, contexts = [], [], []
    blocks = (torch.split(part, block_size, dim=-2) for part in (keys, values))
    for block_keys, block_values in zip(*blocks, strict=True):
        scores = queries @ block_keys.transpose(-2, -1) / queries.shape[-1] ** 0.5
        highest = scores.amax(dim=-1, keepdim=True)
        weights = torch.exp(scores - highest)
        tops.append(highest)
        totals.append(weights.sum(dim=-1, keepdim=True))
        contexts.append(weights @ block_values)
    stacked = torch.stack(tops)
    shrink = torch.exp(stacked - stacked.amax(dim=0))
    total = (torch.stack(totals) * shrink).sum(dim=0)
    context = (torch.stack(contexts) * shrink).sum(dim=0)
    ### END SOLUTION
    return context / total


def is_exact(
    attention: Callable[[torch.Tensor, torch.Tensor, torch.Tensor, int], torch.Tensor],
    queries: torch.Tensor,
    keys: torch.Tensor,
    values: torch.Tensor,
) -> bool:
    """Test an attention function: does it give what scaled dot-product attention gives?

    It has to, up to rounding, with every block size from 1 to the number of keys.

    Args:
        attention: takes queries, keys, values and a block size, and returns context vectors.
        queries: (queries, d_k).
        keys: (keys, d_k).
        values: (keys, d_v).

    Returns:
        True if it does so for every block size, otherwise False.
    """
    ### BEGIN SOLUTION
    scores = queries @ keys.T / queries.shape[-1] ** 0.5
    expected = torch.softmax(scores, dim=-1) @ values
    return all(
        torch.allclose(attention(queries, keys, values, size), expected, atol=1e-4)
        for size in range(1, len(keys) + 1)
    )
    ### END SOLUTION
