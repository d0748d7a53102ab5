"""The exam of `rope_attention`, lesson 06."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from autograder import Draw, Exam
from companion import rope
from solutions import positional_encoding as reference
from solutions.exams.families import (
    HEADS,
    ROLES,
    SCALE,
    SOFTMAX,
    STABILITY,
    TENSOR_DTYPE,
    Heads,
)
from solutions.exams.positional_encoding._specimens import (
    SOME_KEYS,
    SOME_QUERIES,
    WAVES,
    far_into_a_text,
    in_no_order,
    pair_angles,
    turn_halves,
)

# Whoever turns with float32 angles, as most do, is right as well.
attention = Exam(reference.rope_attention, tolerance=WAVES)

Attended = tuple[Tensor, Tensor, Tensor, Tensor, Tensor]


@attention.example
def two_of_four() -> Attended:
    """two sentences: two queries at the positions 8 and 6, three keys at 6 to 8"""
    # As many keys as features would not tell the root of one from that of the other.
    queries = torch.stack([2 * SOME_QUERIES[:2], SOME_QUERIES[2:]])
    keys = torch.stack([SOME_KEYS[1:], 2 * SOME_KEYS[:3]])
    values = torch.tensor([[0.0, 3, -1, 1, 2], [2, -2, 0, 1, -1], [-1, 1, 4, 0, 2]]).double()
    places = torch.tensor([8, 6]), torch.tensor([6, 7, 8])
    return queries[:, None], keys[:, None], torch.stack([values, values.flip(0)])[:, None], *places


@attention.example
def everybody_asks() -> Attended:
    """two heads, four queries that stand two positions behind four keys"""
    queries = torch.stack([SOME_QUERIES, SOME_KEYS])[None]
    keys = torch.stack([2 * SOME_KEYS, SOME_QUERIES.flip(1)])[None]
    values = torch.stack([SOME_QUERIES.roll(1, dims=0), SOME_KEYS])[None]
    # The half of four features would be their root.
    queries, keys = (torch.cat([x, x[..., :2].flip(-1)], dim=-1) for x in (queries, keys))
    return queries, keys, values, torch.arange(2, 6), torch.arange(4)


@attention.example
def some_keys_kept() -> Attended:
    """one query at the position 9, three keys at 0, 1 and 8"""
    queries, keys = 2 * SOME_QUERIES[None, None, :1], SOME_KEYS[None, None, :3]
    values = torch.tensor([[1.0, -2], [0, 3], [4, 1]]).double()[None, None]
    return queries, keys, values, torch.tensor([9]), torch.tensor([0, 1, 8])


@attention.example
def large_scores() -> Attended:
    """scores so large that exponentials overflow: two queries at 7 and 8, three keys at 6 to 8"""
    queries, keys = 40 * SOME_QUERIES[None, None, 0:3:2], 40 * SOME_KEYS[None, None, :3]
    values = torch.tensor([[1.0, -2], [0, 3], [4, 1]]).double()[None, None]
    return queries, keys, values, torch.tensor([7, 8]), torch.tensor([6, 7, 8])


@attention.case
def random_attention(draw: Draw) -> Attended:
    """queries and keys at positions with gaps, in no order"""
    draw.fix(head_dim=6)
    queries, keys = (
        draw.tensor("batch heads queries head_dim"),
        draw.tensor("batch heads keys head_dim"),
    )
    last = int(draw.rng.integers(10, 30))
    places = in_no_order(draw, draw.size("keys"))
    asked = in_no_order(draw, draw.size("queries")) + last
    return queries, keys, draw.tensor("batch heads keys d_v"), asked, places


@attention.case(times=1)
def one_new_token(draw: Draw) -> Attended:
    """one new token against a cache"""
    draw.fix(head_dim=4, queries=1)
    queries, keys = (
        draw.tensor("batch heads queries head_dim"),
        draw.tensor("batch heads keys head_dim"),
    )
    places = torch.arange(draw.size("keys"))
    return queries, keys, draw.tensor("batch heads keys head_dim"), places[-1:], places


@attention.case(times=1)
def keys_with_gaps(draw: Draw) -> Attended:
    """keys of which most were dropped from the cache, far into a very long text"""
    draw.fix(head_dim=2)
    queries, keys = (
        draw.tensor("batch heads queries head_dim"),
        draw.tensor("batch heads keys head_dim"),
    )
    first = far_into_a_text(draw)
    places = torch.from_numpy(draw.rng.integers(first, size=draw.size("keys"))).sort().values
    asked = torch.arange(draw.size("queries")) + first
    return queries, keys, draw.tensor("batch heads keys d_v"), asked, places


@attention.case(times=1)
def overflowing(draw: Draw) -> Attended:
    """scores so large that exponentials overflow"""
    draw.fix(head_dim=2)
    queries, keys = (
        draw.tensor("batch heads queries head_dim", scale=30),
        draw.tensor("batch heads keys head_dim", scale=30),
    )
    asked, places = torch.arange(draw.size("queries")), torch.arange(draw.size("keys"))
    return queries, keys, draw.tensor("batch heads keys d_v"), asked, places


attention.half_but_for("positions far into a long text", keys_with_gaps)
attention.half_but_for("scores far from 0", large_scores, overflowing)


@attention.holds
def text_may_move(
    answer: Callable[..., Tensor], q: Tensor, k: Tensor, v: Tensor, q_at: Tensor, k_at: Tensor
) -> bool:
    """nothing changes when all positions move on by 9"""
    return torch.allclose(
        answer(q, k, v, q_at, k_at), answer(q, k, v, q_at + 9, k_at + 9), atol=1e-3
    )


def mixed(queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
    """Scaled dot-product attention, from PyTorch."""
    return scaled_dot_product_attention(queries, keys, values)


@attention.misconception
def values_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You turned the values as well. What a token contributes does not depend on its position: turn
    only queries and keys.
    """
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    return mixed(turned_queries, turned_keys, rope(values, key_positions))


@attention.misconception
def no_turns(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """These are the contexts without positions. `rope` returns new tensors: use what it returns."""
    return mixed(queries, keys, values)


@attention.misconception
def queries_restarted(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your queries count from 0. Their positions are in `query_positions`, after the keys that came
    before them.
    """
    restarted = torch.arange(queries.shape[-2])
    return mixed(rope(queries, restarted), rope(keys, key_positions), values)


@attention.misconception
def keys_counted_on(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your keys are at neighbouring positions, counted on from the first one. The cache may have
    dropped some tokens in between: use all of `key_positions`.
    """
    counted = key_positions[0] + torch.arange(keys.shape[-2])
    return mixed(rope(queries, query_positions), rope(keys, counted), values)


@attention.misconception
def queries_counted_on(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your queries are at neighbouring positions, counted on from the first one. There may be gaps
    between them, and they may be in any order: use all of `query_positions`.
    """
    counted = query_positions[0] + torch.arange(queries.shape[-2])
    return mixed(rope(queries, counted), rope(keys, key_positions), values)


@attention.misconception
def everything_restarted(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your first query is at the position of your first key, as if both counted from 0. If there
    are fewer queries than keys, it is not the first token: use the positions that you are given.
    """
    restarted = torch.arange(queries.shape[-2]), torch.arange(keys.shape[-2])
    return mixed(rope(queries, restarted[0]), rope(keys, restarted[1]), values)


@attention.misconception
def keys_not_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Only the queries are turned. It is the difference of two angles that counts: turn the keys,
    too.
    """
    return mixed(rope(queries, query_positions), keys, values)


@attention.misconception
def queries_not_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Only the keys are turned. It is the difference of two angles that counts: turn the queries,
    too.
    """
    return mixed(queries, rope(keys, key_positions), values)


@attention.misconception
def one_set_of_positions(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You gave the positions of the keys to the queries. The queries have their own positions."""
    return mixed(rope(queries, key_positions), rope(keys, key_positions), values)


@attention.misconception
def positions_of_the_queries(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You gave the positions of the queries to the keys. The keys have their own positions."""
    return mixed(rope(queries, query_positions), rope(keys, query_positions), values)


@attention.misconception
def queries_at_the_end(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your queries have the positions of the last keys. Often that is right, but their own
    positions are in `query_positions`.
    """
    last = key_positions[-queries.shape[-2] :]
    return mixed(rope(queries, last), rope(keys, key_positions), values)


@attention.misconception
def keys_restarted(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Your keys count from 0. Their positions are in `key_positions`."""
    restarted = torch.arange(keys.shape[-2])
    return mixed(rope(queries, query_positions), rope(keys, restarted), values)


@attention.misconception
def positions_exchanged(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Queries and keys have each other's positions."""
    return mixed(rope(queries, key_positions), rope(keys, query_positions), values)


class Steps(Heads):
    """Attention in heads, of queries and keys that are turned first."""

    def answer(
        self,
        queries: Tensor,
        keys: Tensor,
        values: Tensor,
        query_positions: Tensor,
        key_positions: Tensor,
    ) -> Tensor:
        return self.attend(rope(queries, query_positions), rope(keys, key_positions), values)


(SCALE + HEADS + SOFTMAX + ROLES).apply(
    attention,
    Steps,
    called={"Unscaled": "scale_forgotten", "DividedByTheWidth": "root_forgotten"},
    says={
        "SoftmaxOverHeads": "Your softmax runs over the heads. Each head has its own softmax, over "
        "the keys, the last axis.",
    },
    without=["RootOfTheInputWidth"],
)
STABILITY.apply(attention, Steps)


@attention.misconception
def causal_flag(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You hid keys: with `is_causal=True` PyTorch lets query i see the first i + 1 keys, whatever
    their positions. In this exercise no key is hidden.
    """
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    return scaled_dot_product_attention(turned_queries, turned_keys, values, is_causal=True)


@attention.misconception
def turned_in_halves(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """This is attention with RoPE in the half-split layout. Here the layout is interleaved, as in
    `rope` and in your `apply_rope`.
    """
    at, of = pair_angles(queries, query_positions), pair_angles(keys, key_positions)
    return mixed(turn_halves(queries, at), turn_halves(keys, of), values)


@attention.misconception
def masked_as_well(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You hid the keys that come after a query. In this exercise no key is hidden."""
    visible = key_positions <= query_positions[:, None]
    turned_queries, turned_keys = rope(queries, query_positions), rope(keys, key_positions)
    return scaled_dot_product_attention(turned_queries, turned_keys, values, attn_mask=visible)


@attention.misconception
def outputs_turned(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """You turned the contexts. Turn the queries and keys instead, before you compute the scores."""
    return rope(mixed(queries, keys, values), query_positions)


TENSOR_DTYPE.apply(attention)


@attention.accepts
def by_the_library(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """PyTorch's attention on turned queries and keys."""
    return scaled_dot_product_attention(
        rope(queries, query_positions), rope(keys, key_positions), values
    )


@attention.accepts
def by_einsum(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """Index expressions, scaled first."""
    q = rope(queries * queries.shape[-1] ** -0.5, query_positions)
    weights = torch.einsum("bhqd,bhkd->bhqk", q, rope(keys, key_positions)).softmax(dim=-1)
    return torch.einsum("bhqk,bhkd->bhqd", weights, values)


@attention.accepts
def by_distance(
    queries: Tensor, keys: Tensor, values: Tensor, query_positions: Tensor, key_positions: Tensor
) -> Tensor:
    """One query at a time, only the keys turned, by the distance."""
    contexts = []
    for i, position in enumerate(query_positions):
        near = rope(keys, key_positions - position)
        scores = (near @ queries[..., i, :, None]).squeeze(-1) / keys.shape[-1] ** 0.5
        contexts.append((scores.softmax(dim=-1)[..., None] * values).sum(dim=-2))
    return torch.stack(contexts, dim=-2)
