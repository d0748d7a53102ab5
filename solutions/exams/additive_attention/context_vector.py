"""The exam of `context_vector`, lesson 01."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import BATCH, Pair, tensor
from solutions.exams.families import LOOP, TENSOR_DTYPE
from solutions.exams.library_products import PRODUCTS

context = Exam(reference.context_vector, allows=PRODUCTS)


@context.example
def two_mixtures() -> Pair:
    """two sentences of four words"""
    return tensor([0.1, 0.2, 0.3, 0.4], [0.7, 0.3, 0.0, 0.0]), BATCH


@context.example
def square_mixtures() -> Pair:
    """as many sentences as words"""
    return tensor([0.9, 0.1], [0.25, 0.75]), BATCH[:, :2]


@context.example
def as_many_words_as_features() -> Pair:
    """two sentences with as many words as features"""
    return tensor([0.2, 0.3, 0.5], [0.6, 0.1, 0.3]), BATCH[:, :3]


@context.example
def lone_mixture() -> Pair:
    """a batch of one sentence"""
    return tensor([0.1, 0.2, 0.3, 0.4]), BATCH[:1]


@context.case
def any_mixture(draw: Draw) -> Pair:
    """weights and annotations drawn at random"""
    return torch.from_numpy(draw.weights("batch source")), draw.tensor("batch source key_dim")


@context.case(times=1)
def one_sentence(draw: Draw) -> Pair:
    """a batch of one sentence"""
    draw.fix(batch=1)
    return torch.from_numpy(draw.weights("batch source")), draw.tensor("batch source key_dim")


@context.case(times=1)
def one_word(draw: Draw) -> Pair:
    """sentences of one word"""
    draw.fix(source=1)
    return torch.from_numpy(draw.weights("batch source")), draw.tensor("batch source key_dim")


@context.misconception
def every_pair_of_sentences(weights: Tensor, annotations: Tensor) -> Tensor:
    """Every sentence is mixed with the weights of every sentence here, as `weights @ annotations`
    does. Each sentence needs only its own: multiply with an axis added, then sum, or use
    `torch.bmm`.
    """
    return weights @ annotations


@context.misconception
def its_weights_on_all_sentences(weights: Tensor, annotations: Tensor) -> Tensor:
    """You add up, over all sentences, what a sentence's weights make of their annotations. Each
    sentence needs only its own: multiply with an axis added, then sum over the words, or use
    `torch.bmm`.
    """
    return torch.einsum("bs,csd->bd", weights, annotations)


@context.misconception
def axis_of_one_left(weights: Tensor, annotations: Tensor) -> Tensor:
    """The result still has an axis of length 1 in the middle, for example from the matrix product
    or from `keepdim=True`: remove it, for example with `squeeze(1)`.
    """
    return torch.bmm(weights.unsqueeze(1), annotations)


@context.misconception
def every_axis_squeezed(weights: Tensor, annotations: Tensor) -> Tensor:
    """In a batch of one sentence, the axis of the batch is gone: `squeeze()` removes every axis of
    length 1. Name the axis: `squeeze(1)`.
    """
    return torch.bmm(weights.unsqueeze(1), annotations).squeeze()


@context.misconception
def weights_without_axis(weights: Tensor, annotations: Tensor) -> Tensor:
    """(batch, source) does not fit (batch, source, key_dim): add a last axis to the weights, with
    `unsqueeze(-1)`.
    """
    return (weights * annotations).sum(dim=1)


@context.misconception
def weights_across_the_features(weights: Tensor, annotations: Tensor) -> Tensor:
    """There is one weight per word, but here the weights are lined up with the features, before you
    add up. Add an axis at the end, for the features.
    """
    return (weights[:, None] * annotations).sum(dim=1)


@context.misconception
def unsummed(weights: Tensor, annotations: Tensor) -> Tensor:
    """These are the weighted annotations, one by one. Add up those of each sentence."""
    return weights.unsqueeze(-1) * annotations


@context.misconception
def summed_over_the_batch(weights: Tensor, annotations: Tensor) -> Tensor:
    """You summed over the sentences. Sum over the words of each sentence, axis 1."""
    return (weights.unsqueeze(-1) * annotations).sum(dim=0)


@context.misconception
def summed_over_the_features(weights: Tensor, annotations: Tensor) -> Tensor:
    """You summed over the features of each annotation. Sum over the words, axis 1."""
    return (weights.unsqueeze(-1) * annotations).sum(dim=-1)


@context.misconception
def unweighted(weights: Tensor, annotations: Tensor) -> Tensor:
    """This is the plain average of the annotations. Multiply each one by its weight instead."""
    return annotations.mean(dim=1)


@context.misconception
def softmax_again(weights: Tensor, annotations: Tensor) -> Tensor:
    """You took the softmax of the weights. They have already been through one: use them as they
    are.
    """
    return (torch.softmax(weights, dim=-1).unsqueeze(-1) * annotations).sum(dim=1)


@context.misconception
def average_of_products(weights: Tensor, annotations: Tensor) -> Tensor:
    """You also divided by the number of words. The weights already sum to 1, so their weighted sum
    is an average.
    """
    return (weights.unsqueeze(-1) * annotations).mean(dim=1)


@context.misconception
def hard_choice(weights: Tensor, annotations: Tensor) -> Tensor:
    """This is only the annotation with the largest weight, which is hard attention. Soft attention
    mixes all of them.
    """
    return annotations[torch.arange(len(weights)), weights.argmax(dim=1)]


@context.misconception
def largest_of_each_feature(weights: Tensor, annotations: Tensor) -> Tensor:
    """For each feature you took the largest number among the weighted words. Sum over the words
    instead.
    """
    return (weights.unsqueeze(-1) * annotations).amax(dim=1)


@context.misconception
def first_weights_for_all(weights: Tensor, annotations: Tensor) -> Tensor:
    """Every sentence was mixed with the weights of the first one."""
    return (weights[0].unsqueeze(-1) * annotations).sum(dim=1)


@context.misconception
def all_sentences_in_one(weights: Tensor, annotations: Tensor) -> Tensor:
    """The sentences were added up as well: this is one vector for the whole batch. Keep the batch
    axis.
    """
    return torch.einsum("bs,bsd->d", weights, annotations)


@context.misconception
def all_sentences_in_each(weights: Tensor, annotations: Tensor) -> Tensor:
    """Every sentence got the same vector, in which all the sentences are added up. Keep the batch
    axis, so that each vector contains only the words of its own sentence.
    """
    return torch.einsum("bs,bsd->d", weights, annotations).expand(len(weights), -1)


TENSOR_DTYPE.apply(context)
LOOP.apply(context)


@context.accepts
def context_by_bmm(weights: Tensor, annotations: Tensor) -> Tensor:
    """Batched matrix products.

    `torch.bmm` multiplies two matrices for each sentence, so the weights become a matrix of one
    row. Unlike the broadcast product, it keeps no table of all products in memory.
    """
    return torch.bmm(weights[:, None, :], annotations)[:, 0]


@context.accepts
def context_by_einsum(weights: Tensor, annotations: Tensor) -> Tensor:
    """An index expression."""
    return torch.einsum("bs,bsd->bd", weights, annotations)


@context.accepts
def context_in_a_loop(weights: Tensor, annotations: Tensor) -> Tensor:
    """A loop over the sentences.

    In a loop over the sentences, the weights are a vector and the annotations a matrix, and the
    weighted sum looks as it did in lesson 00.
    """
    return torch.stack([w @ sentence for w, sentence in zip(weights, annotations, strict=True)])
