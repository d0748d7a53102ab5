"""The exam of `pairwise_differences`, lesson 00b."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import tensors_and_modules as reference
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.sixteen_bits import bfloat16_stays
from solutions.exams.tensors_and_modules._specimens import Pair, wave

differences = Exam(reference.pairwise_differences)


@differences.example
def two_and_three() -> Pair:
    """two queries, three keys, four features"""
    return wave(2, 4), wave(3, 4, shift=1)


@differences.example
def as_many_of_each() -> Pair:
    """three queries, three keys, three features"""
    return 2 * wave(3, 3, shift=2), wave(3, 3, shift=3)


@differences.example
def one_query() -> Pair:
    """one query, four keys, two features"""
    return wave(1, 2, shift=4), wave(4, 2, shift=5)


@differences.case
def drawn_vectors(draw: Draw) -> Pair:
    """vectors drawn at random"""
    return draw.tensor("queries d"), draw.tensor("keys d")


@differences.case(times=1)
def many_queries(draw: Draw) -> Pair:
    """40 queries, one key"""
    fixed = draw.fix(queries=40, keys=1)
    return fixed.tensor("queries d"), fixed.tensor("keys d")


@differences.case(times=1)
def one_feature(draw: Draw) -> Pair:
    """vectors of a single feature"""
    fixed = draw.fix(d=1)
    return fixed.tensor("queries d"), fixed.tensor("keys d")


differences.holds(bfloat16_stays)


LOOP.apply(differences)
TENSOR_DTYPE.apply(differences)


@differences.misconception
def keys_less_queries(queries: Tensor, keys: Tensor) -> Tensor:
    """The sizes are right, but each number has the wrong sign: this is key minus query."""
    return keys - queries[:, None]


@differences.misconception
def keys_first(queries: Tensor, keys: Tensor) -> Tensor:
    """Here the keys are on the first axis and the queries on the second. The queries need their new
    axis behind their rows, and the keys, if any, before theirs.
    """
    return queries - keys[:, None]


@differences.misconception
def keys_first_and_less_queries(queries: Tensor, keys: Tensor) -> Tensor:
    """This is key i minus query j. The queries should be on the first axis, and the keys should be
    subtracted from them.
    """
    return keys[:, None] - queries


@differences.misconception
def no_new_axis(queries: Tensor, keys: Tensor) -> Tensor:
    """You subtract row from row. Broadcasting pairs each query with every key once the queries have
    an axis of length 1 where the result has its keys.
    """
    return queries - keys


@differences.misconception
def new_axis_in_front_of_both(queries: Tensor, keys: Tensor) -> Tensor:
    """The new axis is in front of all the others, where broadcasting would add one anyway, so rows
    still meet rows. Put it after the first axis of the queries.
    """
    return queries[None] - keys


@differences.misconception
def new_axis_at_the_end(queries: Tensor, keys: Tensor) -> Tensor:
    """Your new axis is the last one, so it is the features that are stretched, or that meet the
    keys. Put it between the queries and their features.
    """
    return queries[..., None] - keys


@differences.misconception
def new_axis_at_both_ends(queries: Tensor, keys: Tensor) -> Tensor:
    """Both tensors get an axis at the end, or both after the first one, so the queries are not
    paired with all the keys. The new axes have to be in different positions.
    """
    return queries[:, None] - keys[:, None]


@differences.misconception
def every_feature_with_every_feature(queries: Tensor, keys: Tensor) -> Tensor:
    """Here the features of the queries meet all the features of the keys. Do not transpose
    anything: the last axis of both holds the same features, and the new axis comes before it.
    """
    return queries[:, None] - keys.T


@differences.misconception
def key_by_key(queries: Tensor, keys: Tensor) -> Tensor:
    """Your pairs come in another order than the one in which you give them their shape: all queries
    for the first key, then all for the next. Repeat each query as often as there are keys, and the
    keys one after the other.
    """
    rows = queries.repeat(len(keys), 1) - keys.repeat_interleave(len(queries), dim=0)
    return rows.view(len(queries), len(keys), -1)


@differences.misconception
def both_repeated_alike(queries: Tensor, keys: Tensor) -> Tensor:
    """You repeat queries and keys in the same way, so in each row a query meets one key alone. Of
    one of the two repeat every row in place, as `repeat_interleave` does: of the queries, which
    come first.
    """
    rows = queries.repeat(len(keys), 1) - keys.repeat(len(queries), 1)
    return rows.view(len(queries), len(keys), -1)


@differences.misconception
def queries_twice(queries: Tensor, keys: Tensor) -> Tensor:
    """You pair the queries with themselves: the keys have no effect on the result."""
    return queries[:, None] - queries


@differences.misconception
def keys_twice(queries: Tensor, keys: Tensor) -> Tensor:
    """You pair the keys with themselves: the queries have no effect on the result."""
    return keys[:, None] - keys


@differences.misconception
def queries_twice_in_loops(queries: Tensor, keys: Tensor) -> Tensor:
    """If there are at most as many keys as queries, you pair the queries with themselves; if there
    are more, the index runs past the last query. Use the second index for the keys.
    """
    found = queries.new_zeros(len(queries), len(keys), queries.shape[1])
    for i in range(len(queries)):
        for j in range(len(keys)):
            found[i, j] = queries[i] - queries[j]
    return found


@differences.misconception
def keys_twice_expanded(queries: Tensor, keys: Tensor) -> Tensor:
    """If there are as many keys as queries, you pair the keys with themselves; otherwise they can't
    be stretched to the shape you ask for. The first axis is for the queries.
    """
    shape = (len(queries), len(keys), keys.shape[-1])
    return keys[:, None].expand(shape) - keys[None].expand(shape)


@differences.misconception
def sums_of_pairs(queries: Tensor, keys: Tensor) -> Tensor:
    """These are sums. Subtract the keys."""
    return queries[:, None] + keys


@differences.misconception
def products_of_pairs(queries: Tensor, keys: Tensor) -> Tensor:
    """These are products. Subtract the keys."""
    return queries[:, None] * keys


@differences.misconception
def absolute_differences(queries: Tensor, keys: Tensor) -> Tensor:
    """The differences have lost their signs. Leave them as they are."""
    return (queries[:, None] - keys).abs()


@differences.misconception
def squared_differences(queries: Tensor, keys: Tensor) -> Tensor:
    """The differences are squared. Leave them as they are."""
    return (queries[:, None] - keys).square()


@differences.misconception
def summed_differences(queries: Tensor, keys: Tensor) -> Tensor:
    """Each pair has a single number, because the features are added up. Keep them apart: one number
    for each feature.
    """
    return (queries[:, None] - keys).sum(dim=-1)


@differences.misconception
def distances(queries: Tensor, keys: Tensor) -> Tensor:
    """These are distances, one number per pair. Return the differences themselves, feature by
    feature.
    """
    return (queries[:, None] - keys).norm(dim=-1)


@differences.misconception
def scores_instead(queries: Tensor, keys: Tensor) -> Tensor:
    """These are dot products. You need no product, only a difference for each pair."""
    return queries @ keys.T


@differences.misconception
def in_one_long_row(queries: Tensor, keys: Tensor) -> Tensor:
    """The pairs are in one long list here. Give the queries and the keys one axis each: (queries,
    keys, d).
    """
    return (queries[:, None] - keys).flatten(0, 1)


@differences.misconception
def features_second(queries: Tensor, keys: Tensor) -> Tensor:
    """The numbers are right but in a different order: the features are on the second axis. They
    should be on the last one.
    """
    return (queries[:, None] - keys).transpose(1, 2)


@differences.misconception
def features_first(queries: Tensor, keys: Tensor) -> Tensor:
    """The numbers are right but in a different order: the features are on the first axis. They
    should be on the last one.
    """
    return (queries[:, None] - keys).permute(2, 0, 1)


@differences.misconception
def list_of_differences(queries: Tensor, keys: Tensor) -> list[Tensor]:
    """This is a Python list with one tensor for each query. `torch.stack` turns it into a single
    tensor.
    """
    return [query - keys for query in queries]


@differences.misconception
def concatenated_differences(queries: Tensor, keys: Tensor) -> Tensor:
    """The numbers are right, but nothing separates one query from the next, as after `torch.cat`,
    which joins tensors along an existing axis. `torch.stack` creates a new one.
    """
    return torch.cat([query - keys for query in queries], dim=1)


@differences.accepts
def unsqueezed(queries: Tensor, keys: Tensor) -> Tensor:
    """`unsqueeze` for both.

    Both tensors are given their new axis explicitly, where broadcasting would add the one in front
    of the keys by itself. `unsqueeze(1)` is `[:, None]` by another name.
    """
    return queries.unsqueeze(1) - keys.unsqueeze(0)


@differences.accepts
def in_two_loops(queries: Tensor, keys: Tensor) -> Tensor:
    """Two loops that fill a tensor.

    Two loops fill in one pair after another. That is slow, but each line says what an entry is, so
    it makes a good test of a faster version.
    """
    found = queries.new_zeros(len(queries), len(keys), queries.shape[1])
    for i in range(len(queries)):
        for j in range(len(keys)):
            found[i, j] = queries[i] - keys[j]
    return found


@differences.accepts
def stacked(queries: Tensor, keys: Tensor) -> Tensor:
    """One query after the other."""
    return torch.stack([query - keys for query in queries])


@differences.accepts
def expanded(queries: Tensor, keys: Tensor) -> Tensor:
    """Both stretched by hand.

    It writes out what broadcasting does: both tensors are viewed in the full shape before they are
    subtracted. `expand` copies nothing.
    """
    shape = (len(queries), len(keys), keys.shape[-1])
    return queries[:, None, :].expand(shape) - keys[None, :, :].expand(shape)


@differences.accepts
def repeated(queries: Tensor, keys: Tensor) -> Tensor:
    """Rows repeated, subtracted and put in shape."""
    rows = queries.repeat_interleave(len(keys), dim=0) - keys.repeat(len(queries), 1)
    return rows.reshape(len(queries), len(keys), -1)
