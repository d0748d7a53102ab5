"""Ways to score queries and keys that know their positions, to try a test on.

Each takes queries and keys `(tokens, d_k)` and positions `(tokens,)` and returns the scores
`(tokens, tokens)`, queries on rows. For some, only the distance between two tokens counts.
"""

import torch

from companion.models.positions import rope, sinusoids_at


def no_positions(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Relative: plain dot products, which take no notice of positions."""
    return queries @ keys.T


def rope_scores(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Relative: queries and keys are turned by RoPE."""
    return rope(queries, positions) @ rope(keys, positions).T


def alibi_scores(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Relative: a quarter of the distance is taken from each score."""
    return queries @ keys.T - 0.25 * (positions[:, None] - positions).abs()


def sinusoids_added(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: sinusoids are added to queries and keys."""
    encoding = sinusoids_at(positions, queries.shape[-1], queries.dtype)
    return (queries + encoding) @ (keys + encoding).T


def sinusoids_alone(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Relative: the dot products of the sinusoids are added to those of the words."""
    encoding = sinusoids_at(positions, queries.shape[-1], queries.dtype)
    return queries @ keys.T + encoding @ encoding.T


def rope_on_queries_only(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: the keys are not turned."""
    return rope(queries, positions) @ keys.T


def rope_restarted(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: the keys count their positions from 0, wherever they stand."""
    return rope(queries, positions) @ rope(keys, positions - positions[0]).T


def rope_wrapped(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative across a border: positions begin again at 0 after every 16."""
    return rope_scores(queries, keys, positions % 16)


def rope_mispaired(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: two features that are one pair are turned by different angles."""
    half = queries.shape[-1] // 2
    rates = 10000 ** (-torch.arange(half, dtype=queries.dtype) / half)
    angles = (positions[:, None] * rates).repeat(1, 2)

    def turned(x: torch.Tensor) -> torch.Tensor:
        partners = torch.stack([-x[:, 1::2], x[:, 0::2]], dim=-1).flatten(1)
        return x * angles.cos() + partners * angles.sin()

    return turned(queries) @ turned(keys).T


def first_is_special(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative, at the very beginning: RoPE, and position 0 gets 0.5 more from everybody."""
    return rope_scores(queries, keys, positions) + 0.5 * (positions == 0)


def every_second(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Relative: only keys at an even distance count."""
    return queries @ keys.T * ((positions[:, None] - positions) % 2 == 0)


def slower_far_out(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: RoPE, but the angles grow with the square root of the position."""
    return rope_scores(queries, keys, positions.double().sqrt())


def last_query_added(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative, for the last query: RoPE for all the others, sinusoids added for this one."""
    scores = rope_scores(queries, keys, positions)
    scores[-1] = sinusoids_added(queries, keys, positions)[-1]
    return scores


def first_query_added(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative, for the first query: RoPE for all the others, sinusoids added for this one."""
    scores = rope_scores(queries, keys, positions)
    scores[0] = sinusoids_added(queries, keys, positions)[0]
    return scores


def last_key_added(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative, for the last key: RoPE for all the others, sinusoids added for this one."""
    scores = rope_scores(queries, keys, positions)
    scores[:, -1] = sinusoids_added(queries, keys, positions)[:, -1]
    return scores


def gains_and_losses(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: RoPE, and what one score gains with the position, another one loses."""
    scores = rope_scores(queries, keys, positions)
    gain = 0.1 * positions[0]
    scores[:2, :2] += gain * torch.tensor([[1, -1], [-1, 1]])
    return scores


def drifting(queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /) -> torch.Tensor:
    """Not relative: RoPE, and all scores fall together, a little with each position."""
    return rope_scores(queries, keys, positions) - 0.0002 * positions[0]


def far_gets_louder(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: RoPE, and far keys gain more and more as the text moves."""
    distances = (positions[:, None] - positions).abs()
    return rope_scores(queries, keys, positions) + 0.05 * positions[0] * distances


def going_round(
    queries: torch.Tensor, keys: torch.Tensor, positions: torch.Tensor, /
) -> torch.Tensor:
    """Not relative: RoPE, but each query's scores go to other keys as the text moves."""
    return rope_scores(queries, keys, positions).roll(int(positions[0]), dims=1)
