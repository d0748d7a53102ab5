"""The exam of `weighted_sums`, lesson 00b."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import tensors_and_modules as reference
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.library_products import PRODUCTS
from solutions.exams.sixteen_bits import bfloat16_stays
from solutions.exams.tensors_and_modules._specimens import Pair, wave

sums = Exam(reference.weighted_sums, allows=PRODUCTS)


@sums.example
def two_sentences() -> Pair:
    """two sentences, three queries, four keys, five features"""
    return wave(2, 3, 4), wave(2, 4, 5, shift=1)


@sums.example
def all_alike() -> Pair:
    """three sentences, three queries, three keys, three features"""
    return wave(3, 3, 3, shift=2), 2 * wave(3, 3, 3, shift=3)


@sums.example
def shares() -> Pair:
    """one sentence, two queries whose weights sum to 1"""
    return torch.tensor([[[0.5, 0.25, 0.25], [0.125, 0.0, 0.875]]]).double(), wave(1, 3, 2, shift=4)


@sums.case
def drawn_weights(draw: Draw) -> Pair:
    """weights and values drawn at random"""
    return draw.tensor("batch queries keys"), draw.tensor("batch keys d_v")


@sums.case(times=1)
def one_of_each(draw: Draw) -> Pair:
    """one query, one key"""
    fixed = draw.fix(queries=1, keys=1)
    return fixed.tensor("batch queries keys"), fixed.tensor("batch keys d_v")


@sums.case(times=1)
def many_keys(draw: Draw) -> Pair:
    """40 keys"""
    fixed = draw.fix(keys=40)
    return fixed.tensor("batch queries keys"), fixed.tensor("batch keys d_v")


sums.holds(bfloat16_stays)


LOOP.apply(sums)
TENSOR_DTYPE.apply(sums)


def by_letters(letters: str, weights: Tensor, values: Tensor) -> Tensor:
    return torch.einsum(letters, weights, values)


@sums.misconception
def turned_weights(weights: Tensor, values: Tensor) -> Tensor:
    """Your weights are read the wrong way round, with the keys before the queries. The axis that is
    summed over is their last one.
    """
    return by_letters("bkq,bkd->bqd", weights, values)


@sums.misconception
def turned_values(weights: Tensor, values: Tensor) -> Tensor:
    """Your values are read the wrong way round, with the features before the keys. The axis that is
    summed over is their middle one.
    """
    return by_letters("bqk,bdk->bqd", weights, values)


@sums.misconception
def turned_result(weights: Tensor, values: Tensor) -> Tensor:
    """The numbers are right, but the last two axes are swapped: the queries come before the
    features (in an einsum, so do their letters after the arrow).
    """
    return by_letters("bqk,bkd->bdq", weights, values)


@sums.misconception
def batch_in_the_middle(weights: Tensor, values: Tensor) -> Tensor:
    """The numbers are right, but the batch is not the first axis. It comes first (in an einsum, so
    does its letter after the arrow).
    """
    return by_letters("bqk,bkd->qbd", weights, values)


@sums.misconception
def batch_added_up(weights: Tensor, values: Tensor) -> Tensor:
    """The sentences are added up. Keep their axis: in an einsum, the letter of the batch also
    stands after the arrow.
    """
    return by_letters("bqk,bkd->qd", weights, values)


@sums.misconception
def queries_added_up(weights: Tensor, values: Tensor) -> Tensor:
    """The queries are added up. Keep their axis: in an einsum, their letter also stands after the
    arrow.
    """
    return by_letters("bqk,bkd->bd", weights, values)


@sums.misconception
def features_added_up(weights: Tensor, values: Tensor) -> Tensor:
    """The features are added up. Keep their axis: in an einsum, their letter also stands after the
    arrow.
    """
    return by_letters("bqk,bkd->bq", weights, values)


@sums.misconception
def keys_kept(weights: Tensor, values: Tensor) -> Tensor:
    """The products are there, one for each key, but they have not been added up. In an einsum, what
    is added up has no letter after the arrow.
    """
    return by_letters("bqk,bkd->bqkd", weights, values)


@sums.misconception
def keys_of_two_letters(weights: Tensor, values: Tensor) -> Tensor:
    """This is the sum of a query's weights times the sum of the sentence's values. Each value has a
    weight of its own: in an einsum, the keys need the same letter in both inputs.
    """
    return by_letters("bqk,bjd->bqd", weights, values)


@sums.misconception
def sentences_of_two_letters(weights: Tensor, values: Tensor) -> Tensor:
    """Every sentence contains the values of all the sentences. Each has its own: in an einsum, the
    batch needs the same letter in both inputs.
    """
    return by_letters("bqk,ckd->bqd", weights, values)


@sums.misconception
def values_of_the_first(weights: Tensor, values: Tensor) -> Tensor:
    """Only the first sentence is right: you mix its values for every sentence."""
    return weights @ values[0]


@sums.misconception
def weights_of_the_first(weights: Tensor, values: Tensor) -> Tensor:
    """Only the first sentence is right: you use its weights for every sentence."""
    return weights[0] @ values


@sums.misconception
def means(weights: Tensor, values: Tensor) -> Tensor:
    """Your numbers are too small by a factor equal to the number of keys: these are means. Take
    sums.
    """
    return weights @ values / values.shape[1]


@sums.misconception
def without_weights(weights: Tensor, values: Tensor) -> Tensor:
    """Each query gets the plain sum of the values. The weights have no effect on it."""
    return values.sum(dim=1, keepdim=True).expand(-1, weights.shape[1], -1).clone()


@sums.misconception
def softmax_first(weights: Tensor, values: Tensor) -> Tensor:
    """You apply a softmax to the weights. They are already weights: use them as they are."""
    return torch.softmax(weights, dim=-1) @ values


@sums.misconception
def made_to_sum_to_one(weights: Tensor, values: Tensor) -> Tensor:
    """This is right where the weights sum to 1, but not elsewhere: you divide by their sum. Use
    them as they are.
    """
    return weights @ values / weights.sum(dim=-1, keepdim=True)


@sums.misconception
def entry_by_entry(weights: Tensor, values: Tensor) -> Tensor:
    """This is an entry-by-entry product, which rarely fits the sizes. Sum over the keys."""
    return weights * values


@sums.misconception
def letters_that_do_not_fit(weights: Tensor, values: Tensor) -> Tensor:
    """Your values are read as if their middle axis held the queries, which fails where the sizes
    differ. Their middle axis is the last axis of the weights, the keys: in an einsum, use one
    letter for both.
    """
    return by_letters("bqk,bqd->bqd", weights, values)


@sums.accepts
def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    """A matrix product for each sentence.

    For tensors of three axes, `@` is one matrix product for each sentence. It is the shortest way,
    if you remember which axes meet.
    """
    return weights @ values


@sums.accepts
def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    """PyTorch's batched product."""
    return torch.bmm(weights, values)


@sums.accepts
def broadcast_and_summed(weights: Tensor, values: Tensor) -> Tensor:
    """New axes, a product, and a sum.

    New axes let every weight meet every feature of its value, and the sum runs over the keys. All
    products are in memory at once, which a matrix product avoids.
    """
    return (weights[..., None] * values[:, None]).sum(dim=2)


@sums.accepts
def sentence_by_sentence(weights: Tensor, values: Tensor) -> Tensor:
    """A loop over the sentences.

    A loop takes one sentence at a time, so each product is one of two plain matrices. Compare with
    this when you do not trust a batched formula yet.
    """
    return torch.stack([w @ v for w, v in zip(weights, values, strict=True)])


@sums.accepts
def key_by_key(weights: Tensor, values: Tensor) -> Tensor:
    """A loop over the keys."""
    found = values.new_zeros(len(values), weights.shape[1], values.shape[2])
    for k in range(values.shape[1]):
        found += weights[:, :, k, None] * values[:, None, k]
    return found
