"""The exam of `repaired_alignment`, lesson 01."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    BATCH,
    STATE,
    W_KEY,
    W_QUERY,
    WORDS,
    Three,
    V,
    tensor,
)
from solutions.exams.families import TENSOR_DTYPE

repaired = Exam(reference.repaired_alignment)


@repaired.example
def square_batch() -> Three:
    """as many sentences as words"""
    keys = torch.stack([WORDS @ W_KEY, WORDS.flip(0) @ W_KEY, -WORDS @ W_KEY])
    return torch.stack([STATE, -STATE, 2 * STATE]) @ W_QUERY, keys, V


@repaired.example
def two_sentences() -> Three:
    """two sentences of four words"""
    return torch.stack([STATE, -STATE]) @ W_QUERY, BATCH @ W_KEY / 4, V


@repaired.case
def any_batch(draw: Draw) -> Three:
    """sentences drawn at random"""
    return draw.tensor("batch hidden"), draw.tensor("batch source hidden"), draw.tensor("hidden")


@repaired.case(times=1)
def batch_as_long(draw: Draw) -> Three:
    """as many sentences as words, drawn at random, with scores whose exponentials overflow"""
    draw.fix(batch=4, source=4)
    queries, v = draw.tensor("batch hidden"), draw.tensor("hidden")
    # One hidden unit is 1 or -1 for all words of a sentence, whatever they are.
    queries[:, 0], v[0] = tensor(30, -30, 30, -30), 2000
    return queries, draw.tensor("batch source hidden"), v


@repaired.case(times=1)
def alone(draw: Draw) -> Three:
    """a batch of one sentence"""
    draw.fix(batch=1)
    return draw.tensor("batch hidden"), draw.tensor("batch source hidden"), draw.tensor("hidden")


@repaired.misconception
def as_found(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """Query i still meets word i of every sentence. The new axis is in front of the batch, or there
    is none; put it between batch and hidden, so that query i meets all the words of sentence i.
    """
    return torch.softmax(torch.tanh(projected_query + projected_keys) @ v, dim=-1)


@repaired.misconception
def first_query_for_all(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """Every sentence uses the first query. Each should use its own."""
    return torch.softmax(torch.tanh(projected_query[0] + projected_keys) @ v, dim=-1)


@repaired.misconception
def mean_query_for_all(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """Every sentence uses the mean of all the queries. Each should use its own query."""
    mean = projected_query.mean(dim=0)
    return torch.softmax(torch.tanh(mean + projected_keys) @ v, dim=-1)


@repaired.misconception
def over_the_batch(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The scores are right, but the softmax now runs over the sentences. Each row must sum to 1."""
    return torch.softmax(torch.tanh(projected_query.unsqueeze(1) + projected_keys) @ v, dim=0)


@repaired.misconception
def query_left_out(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The query has no effect: these weights only depend on the keys. Is it missing, or outside the
    tanh?
    """
    return torch.softmax(torch.tanh(projected_keys) @ v, dim=-1)


@repaired.misconception
def axis_at_the_end(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The new axis comes after the hidden features here, as with `unsqueeze(-1)`, so that they meet
    the words. Put it between batch and hidden, as axis 1.
    """
    return torch.softmax(torch.tanh(projected_query.unsqueeze(-1) + projected_keys) @ v, dim=-1)


@repaired.misconception
def tanh_lost_in_repair(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The tanh got lost, and without it the query no longer has any effect. Take the tanh of the
    sum of queries and keys.
    """
    return torch.softmax((projected_query.unsqueeze(1) + projected_keys) @ v, dim=-1)


@repaired.misconception
def tanh_of_the_scores(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """You took the tanh after v, of each score, so the same word gets the largest weight for every
    query. Take the tanh of the sum of queries and keys instead.
    """
    added = projected_query.unsqueeze(1) + projected_keys
    return torch.softmax(torch.tanh(added @ v), dim=-1)


TENSOR_DTYPE.apply(repaired)


@repaired.accepts
def sentence_by_sentence(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """A loop over the sentences.

    A loop pairs each query with the keys of its own sentence, so the axis of the batch cannot be
    mistaken for that of the words.
    """
    pairs = zip(projected_query, projected_keys, strict=True)
    return torch.stack([torch.softmax(torch.tanh(q + K) @ v, dim=-1) for q, K in pairs])


@repaired.accepts
def query_expanded(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The query repeated for each word.

    `expand_as` writes out what broadcasting does by itself: the query is viewed once for each word,
    without a copy.
    """
    queries = projected_query[:, None, :].expand_as(projected_keys)
    return torch.softmax((queries + projected_keys).tanh() @ v, dim=1)


@repaired.accepts
def words_in_front(projected_query: Tensor, projected_keys: Tensor, v: Tensor) -> Tensor:
    """The words' axis moved in front of the batch, and back.

    With the words on the first axis, the batch lines up with the queries as it is. This order of
    axes is also the default of PyTorch's recurrent layers.
    """
    hidden = torch.tanh(projected_query + projected_keys.transpose(0, 1))
    return torch.softmax((hidden @ v).T, dim=-1)
