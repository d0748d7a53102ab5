"""The exam of `pairwise_differences`, lesson 00b."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import tensors_and_modules as reference
from solutions.exams.families import LOOP, TENSOR_DTYPE
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


LOOP.apply(differences)
TENSOR_DTYPE.apply(differences)


@differences.misconception
def keys_less_queries(queries: Tensor, keys: Tensor) -> Tensor:
    """The sizes are right and each number has the wrong sign: this is key minus query."""
    return keys - queries[:, None]


@differences.misconception
def keys_first(queries: Tensor, keys: Tensor) -> Tensor:
    """The keys are on the first axis here and the queries on the second. The new axis belongs into
    the queries, behind their first one: `[:, None]`.
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
    """You subtract row from row. With a new axis in the queries, `[:, None]`, broadcasting pairs
    each of them with every key.
    """
    return queries - keys


@differences.misconception
def new_axis_in_front_of_both(queries: Tensor, keys: Tensor) -> Tensor:
    """The new axis stands in front of all others, where broadcasting would put one by itself, so
    rows still meet rows. Put it behind the first axis of the queries.
    """
    return queries[None] - keys


@differences.misconception
def new_axis_at_the_end(queries: Tensor, keys: Tensor) -> Tensor:
    """Your new axis is the last one, so the features are what is stretched, or what meets the keys.
    It has to stand between the queries and their features.
    """
    return queries[..., None] - keys


@differences.misconception
def new_axis_at_both_ends(queries: Tensor, keys: Tensor) -> Tensor:
    """Both get an axis at the end, or both behind the first one, so nothing is paired with all of
    the others. The new axes have to stand at different places.
    """
    return queries[:, None] - keys[:, None]


@differences.misconception
def every_feature_with_every_feature(queries: Tensor, keys: Tensor) -> Tensor:
    """The features of the queries meet all features of the keys here. Transpose nothing: the last
    axis of both is the same features, and the new one stands before it.
    """
    return queries[:, None] - keys.T


@differences.misconception
def queries_twice(queries: Tensor, keys: Tensor) -> Tensor:
    """You pair the queries with themselves: the keys have no part in the result."""
    return queries[:, None] - queries


@differences.misconception
def keys_twice(queries: Tensor, keys: Tensor) -> Tensor:
    """You pair the keys with themselves: the queries have no part in the result."""
    return keys[:, None] - keys


@differences.misconception
def queries_twice_in_loops(queries: Tensor, keys: Tensor) -> Tensor:
    """With as many keys as queries, or fewer, you pair the queries with themselves; with more, the
    index runs out of them. The second index belongs to the keys.
    """
    found = queries.new_zeros(len(queries), len(keys), queries.shape[1])
    for i in range(len(queries)):
        for j in range(len(keys)):
            found[i, j] = queries[i] - queries[j]
    return found


@differences.misconception
def keys_twice_expanded(queries: Tensor, keys: Tensor) -> Tensor:
    """With as many keys as queries you pair the keys with themselves, and otherwise they can't be
    stretched to the shape that you ask for. The first axis belongs to the queries.
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
    for every feature.
    """
    return (queries[:, None] - keys).sum(dim=-1)


@differences.misconception
def distances(queries: Tensor, keys: Tensor) -> Tensor:
    """These are distances, one number per pair. The differences themselves are asked for, feature
    by feature.
    """
    return (queries[:, None] - keys).norm(dim=-1)


@differences.misconception
def scores_instead(queries: Tensor, keys: Tensor) -> Tensor:
    """These are dot products. No product is needed, only a difference for each pair."""
    return queries @ keys.T


@differences.misconception
def in_one_long_row(queries: Tensor, keys: Tensor) -> Tensor:
    """The pairs stand in one long list here. Give the queries and the keys an axis each:
    (queries, keys, d).
    """
    return (queries[:, None] - keys).flatten(0, 1)


@differences.misconception
def features_second(queries: Tensor, keys: Tensor) -> Tensor:
    """The numbers are right, in another order: the features are on the second axis. They should be
    on the last one.
    """
    return (queries[:, None] - keys).transpose(1, 2)


@differences.misconception
def features_first(queries: Tensor, keys: Tensor) -> Tensor:
    """The numbers are right, in another order: the features are on the first axis. They should be
    on the last one.
    """
    return (queries[:, None] - keys).permute(2, 0, 1)


@differences.misconception
def list_of_differences(queries: Tensor, keys: Tensor) -> list[Tensor]:
    """This is a Python list with a tensor for each query. `torch.stack` makes one tensor of it."""
    return [query - keys for query in queries]


@differences.misconception
def concatenated_differences(queries: Tensor, keys: Tensor) -> Tensor:
    """The numbers are right, but nothing separates one query from the next: `torch.cat` joins along
    an axis that is there. `torch.stack` makes a new one.
    """
    return torch.cat([query - keys for query in queries], dim=1)


@differences.accepts
def unsqueezed(queries: Tensor, keys: Tensor) -> Tensor:
    """`unsqueeze` for both."""
    return queries.unsqueeze(1) - keys.unsqueeze(0)


@differences.accepts
def in_two_loops(queries: Tensor, keys: Tensor) -> Tensor:
    """Two loops that fill a tensor."""
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
    """Both stretched by hand."""
    shape = (len(queries), len(keys), keys.shape[-1])
    return queries[:, None, :].expand(shape) - keys[None, :, :].expand(shape)


@differences.accepts
def repeated(queries: Tensor, keys: Tensor) -> Tensor:
    """Rows repeated, subtracted and put in shape."""
    rows = queries.repeat_interleave(len(keys), dim=0) - keys.repeat(len(queries), 1)
    return rows.reshape(len(queries), len(keys), -1)
