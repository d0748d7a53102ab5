"""The exam of `repaired_cached_scores`, lesson 10."""

import math

import torch
from torch import Tensor

from autograder import Draw, Exam, Tolerance
from companion import LIBRARY
from solutions import your_gpt as reference
from solutions.exams.families import PAIR, TENSOR_DTYPE
from solutions.exams.printed_numbers import numbers

# An angle is off by some 1e-5 in float32, and can be computed in several ways.
repaired = Exam(
    reference.repaired_cached_scores,
    returns=("scores", "keys"),
    tolerance=Tolerance(absolute=2e-4),
    unasked={"gradients": "a model that decodes is not trained"},
)

Cached = tuple[Tensor, Tensor, Tensor]
Scored = tuple[Tensor, Tensor]


def printed(batch: int, heads: int, new: int, cached: int, head_dim: int) -> Cached:
    queries, keys = (
        numbers(batch, heads, new, head_dim),
        numbers(batch, heads, new, head_dim, start=40),
    )
    return queries, keys, numbers(batch, heads, cached, head_dim, start=90)


@repaired.example
def one_new_token() -> Cached:
    """one new token after three"""
    return printed(1, 1, 1, 3, 4)


@repaired.example
def two_new_tokens() -> Cached:
    """two new tokens after three, two heads"""
    return printed(1, 2, 2, 3, 4)


@repaired.example
def as_many_as_cached() -> Cached:
    """two new tokens after two, a single pair of features"""
    return printed(2, 1, 2, 2, 2)


@repaired.example
def four_by_four() -> Cached:
    """four new tokens after one, four features"""
    return printed(1, 1, 4, 1, 4)


@repaired.example
def nothing_cached() -> Cached:
    """three new tokens, nothing before them"""
    return printed(1, 2, 3, 0, 4)


def drawn(draw: Draw, **sizes: int) -> Cached:
    draw.fix(**{"head_dim": 8, **sizes})
    queries, keys = (draw.tensor("batch heads new head_dim") for _ in range(2))
    return queries, keys, draw.tensor("batch heads cached head_dim")


@repaired.case(times=2)
def some_after_some(draw: Draw) -> Cached:
    """several new tokens after several others"""
    return drawn(draw)


@repaired.case(times=1)
def one_token(draw: Draw) -> Cached:
    """one new token after many"""
    return drawn(draw, new=1, cached=40)


@repaired.case(times=1)
def after_a_long_text(draw: Draw) -> Cached:
    """two new tokens after tens of thousands"""
    # Of two features the frequency is 1, so that angles are exact in float32 as well.
    cached = int(draw.rng.integers(2**14, 2**16))
    return drawn(draw, batch=1, heads=1, new=2, cached=cached, head_dim=2)


@repaired.case(times=1)
def many_at_once(draw: Draw) -> Cached:
    """many new tokens after one"""
    return drawn(draw, new=20, cached=1)


@repaired.case(times=1)
def whole_text(draw: Draw) -> Cached:
    """a whole text, nothing cached"""
    return drawn(draw, cached=0)


def positions_of(keys: Tensor, past_keys: Tensor) -> Tensor:
    """Where the new tokens are in their text."""
    return torch.arange(keys.shape[2]) + past_keys.shape[2]


def scored(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The last two lines of the broken cell."""
    all_keys = torch.cat([past_keys, keys], dim=2)
    return queries @ all_keys.mT / queries.shape[-1] ** 0.5, all_keys


def placed(
    queries: Tensor, keys: Tensor, past_keys: Tensor, of_queries: Tensor, of_keys: Tensor
) -> Scored:
    """What comes of queries and keys at these positions."""
    turned = LIBRARY.apply_rope(queries, of_queries), LIBRARY.apply_rope(keys, of_keys)
    return scored(*turned, past_keys)


@repaired.misconception
def as_given(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """This is still the output of the broken cell: the positions of the new tokens begin with 0, as
    if nothing came before them.
    """
    positions = torch.arange(keys.shape[2])
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def queries_from_zero(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The keys are right, but the positions of the queries still begin with 0. A token's query and
    its key have the same position.
    """
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, right - past_keys.shape[2], right)


@repaired.misconception
def keys_from_zero(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The positions of the new keys still begin with 0, unlike those of the queries. A token's
    query and its key have the same position.
    """
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, right, right - past_keys.shape[2])


@repaired.misconception
def one_too_far(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """All new tokens are one position too far. The cached ones have the positions from 0 to
    cached − 1, so the first new one is at position cached.
    """
    positions = positions_of(keys, past_keys) + 1
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def one_too_early(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """All new tokens are one position too early: the first one is where the last cached token is.
    It comes after that one, at position cached.
    """
    positions = positions_of(keys, past_keys) - 1
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def queries_one_too_far(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The keys are right, but each query is one position further than the key of its own token.
    Both have the same position.
    """
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, right + 1, right)


@repaired.misconception
def queries_after_all(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The keys are right, but the positions of the queries begin after all tokens, the new ones
    included. A token's query and its key have the same position.
    """
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, right + keys.shape[2], right)


@repaired.misconception
def begun_after_all(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The positions of the new tokens begin at cached + new, as if the new ones came before
    themselves. Only the cached ones come before them.
    """
    positions = positions_of(keys, past_keys) + keys.shape[2]
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def all_at_one_position(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """All new tokens have the position of the first one. They come one after another: count on from
    there.
    """
    positions = torch.full((keys.shape[2],), past_keys.shape[2])
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def queries_all_at_the_last(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The keys are right, but all queries have the position of the last new token. That fits where
    there is one; each of several has the position of its own token.
    """
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, right[-1].expand(len(right)), right)


@repaired.misconception
def one_position_for_each_cached(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """There are as many positions as cached tokens, and they do not fit the new ones. The cached
    tokens say where the positions begin; there are as many of them as new tokens.
    """
    positions = torch.arange(past_keys.shape[2])
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def positions_of_all(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """These are the positions of all tokens, but only the new ones are rotated here: take the last
    of them, from `cached` on.
    """
    positions = torch.arange(past_keys.shape[2] + keys.shape[2])
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def past_rotated_again(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The past keys are rotated a second time. They were rotated when they were new: rotate only
    the new keys, and append them.
    """
    past_keys = LIBRARY.apply_rope(past_keys, torch.arange(past_keys.shape[2]))
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, right, right)


@repaired.misconception
def all_rotated_together(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The past keys are rotated a second time, as when all keys are joined first. They were rotated
    when they were new: rotate only the new keys, and append them.
    """
    # Unlike the past keys alone, all keys together can be rotated where there are no past ones.
    all_keys = torch.cat([past_keys, keys], dim=2)
    all_keys = LIBRARY.apply_rope(all_keys, torch.arange(all_keys.shape[2]))
    queries = LIBRARY.apply_rope(queries, positions_of(keys, past_keys))
    cached = past_keys.shape[2]
    return scored(queries, all_keys[:, :, cached:], all_keys[:, :, :cached])


@repaired.misconception
def joined_then_rotated(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """All keys are rotated at positions that begin with 0, and the queries still have the positions
    of the broken cell. The past keys have been rotated: only the new ones are left to rotate.
    """
    queries = LIBRARY.apply_rope(queries, torch.arange(keys.shape[2]))
    all_keys = torch.cat([past_keys, keys], dim=2)
    all_keys = LIBRARY.apply_rope(all_keys, torch.arange(all_keys.shape[2]))
    return scored(
        queries, all_keys[:, :, past_keys.shape[2] :], all_keys[:, :, : past_keys.shape[2]]
    )


@repaired.misconception
def past_rotated_back(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The past keys are no longer rotated: you turned them back. Leave them as they were cached,
    and give the new tokens their own positions.
    """
    past_keys = LIBRARY.apply_rope(past_keys, -torch.arange(past_keys.shape[2]))
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, right, right)


@repaired.misconception
def past_moved_back(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The new positions begin with 0, and you moved the past keys instead. The scores are right,
    but the keys are not those of the text, which begins with the first cached token.
    """
    cached = past_keys.shape[2]
    past_keys = LIBRARY.apply_rope(past_keys, torch.full((cached,), -cached))
    positions = torch.arange(keys.shape[2])
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def keys_not_rotated(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The new keys are not rotated. They are rotated as the queries are, at the same positions."""
    return placed(
        queries, keys, past_keys, positions_of(keys, past_keys), 0 * positions_of(keys, keys)
    )


@repaired.misconception
def queries_not_rotated(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The queries are not rotated. They are rotated as the new keys are, at the same positions."""
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys, 0 * right, right)


@repaired.misconception
def nothing_rotated(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """Neither the queries nor the new keys are rotated. Rotate both, at the positions of their
    tokens.
    """
    return scored(queries, keys, past_keys)


@repaired.misconception
def heads_counted(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """Your positions begin with the number of heads. The tokens are on the third axis of the past
    keys, past_keys.shape[2].
    """
    positions = torch.arange(keys.shape[2]) + past_keys.shape[1]
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def features_counted(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """Your positions begin with the number of features. The tokens are on the third axis of the
    past keys, past_keys.shape[2].
    """
    positions = torch.arange(keys.shape[2]) + past_keys.shape[3]
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def texts_counted(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """Your positions begin with the number of texts in the batch. The tokens are on the third axis
    of the past keys, past_keys.shape[2].
    """
    positions = torch.arange(keys.shape[2]) + len(past_keys)
    return placed(queries, keys, past_keys, positions, positions)


@repaired.misconception
def new_ones_in_front(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The new keys come before the past ones. Leave the order as it was: past keys first."""
    right = positions_of(keys, past_keys)
    queries, keys = LIBRARY.apply_rope(queries, right), LIBRARY.apply_rope(keys, right)
    return scored(queries, past_keys, keys)


@repaired.misconception
def past_left_out(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The past keys are left out, and the new tokens are compared with themselves alone. Put the
    past keys before the new ones.
    """
    right = positions_of(keys, past_keys)
    return placed(queries, keys, past_keys[:, :, :0], right, right)


@repaired.misconception
def counted_backwards(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The new tokens have the right positions in the wrong order. They increase from the first new
    token to the last.
    """
    positions = positions_of(keys, past_keys).flip(0)
    return placed(queries, keys, past_keys, positions, positions)


TENSOR_DTYPE.apply(repaired)
PAIR.apply(repaired)


@repaired.accepts
def counted_on(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """Positions from 0, moved by the number of cached tokens."""
    positions = torch.arange(keys.shape[-2]) + past_keys.size(-2)
    return placed(queries, keys, past_keys, positions, positions)


@repaired.accepts
def last_of_all(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """The last of the positions of all tokens."""
    num_new = queries.shape[2]
    positions = torch.arange(past_keys.shape[2] + num_new)[-num_new:]
    return placed(queries, keys, past_keys, positions, positions)


@repaired.accepts
def token_by_token(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """A loop over the new tokens, each rotated by itself."""
    turned_queries, all_keys = [], past_keys
    for new in range(keys.shape[2]):
        position = torch.tensor([all_keys.shape[2]])
        turned_queries.append(LIBRARY.apply_rope(queries[:, :, new : new + 1], position))
        key = LIBRARY.apply_rope(keys[:, :, new : new + 1], position)
        all_keys = torch.cat([all_keys, key], dim=2)
    joined = torch.cat(turned_queries, dim=2)
    return torch.einsum("bhqd,bhkd->bhqk", joined, all_keys) / math.sqrt(keys.shape[-1]), all_keys


@repaired.accepts
def by_complex_numbers(queries: Tensor, keys: Tensor, past_keys: Tensor) -> Scored:
    """A rotation written anew, with complex numbers."""
    width, cached = keys.shape[-1], past_keys.shape[2]
    rates = 10000 ** (-torch.arange(0, width, 2).double() / width)
    angles = (cached + torch.arange(keys.shape[2]).double())[:, None] * rates
    turns = torch.polar(torch.ones_like(angles), angles)

    def turned(x: Tensor) -> Tensor:
        pairs = torch.view_as_complex(x.double().reshape(*x.shape[:-1], -1, 2).contiguous())
        return torch.view_as_real(pairs * turns).flatten(-2).to(x.dtype)

    return scored(turned(queries), turned(keys), past_keys)
