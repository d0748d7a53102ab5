"""The exam of `simple_self_attention_batch`, lesson 02."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from solutions import dot_product_self_attention as reference
from solutions.exams.dot_product_self_attention._specimens import (
    FIVE_WORDS,
    LONG_WORDS,
    YOUR_JOURNEY,
    Pair,
    attend,
)
from solutions.exams.families import (
    ARRAY_DTYPE,
    ARRAY_MIX,
    ARRAY_SCORES,
    ARRAY_SOFTMAX,
    LOOP,
    PAIR,
    PARTS,
    ArrayAttention,
)
from solutions.foundations import softmax

batch = Exam(reference.simple_self_attention_batch, returns=("contexts", "weights"))


@batch.example
def two_sentences() -> np.ndarray:
    """the sentence, and the sentence backwards with its signs turned"""
    return np.stack([YOUR_JOURNEY.vectors, -YOUR_JOURNEY.vectors[::-1]])


@batch.example
def long_sentences() -> np.ndarray:
    """words so long that exponentials overflow"""
    return np.stack([LONG_WORDS, LONG_WORDS[::-1] / 2])


@batch.example
def as_many_of_all() -> np.ndarray:
    """as many sentences as words as features"""
    return np.stack([FIVE_WORDS[i : i + 4, j : j + 4] for i in (0, 1) for j in (0, 1)])


@batch.case
def drawn_batch(draw: Draw) -> np.ndarray:
    """sentences drawn at random"""
    return draw("batch tokens d_in")


@batch.case(times=1)
def batch_of_one(draw: Draw) -> np.ndarray:
    """a batch of one sentence"""
    return draw.fix(batch=1)("batch tokens d_in")


@batch.case(times=1)
def as_many_sentences_as_words(draw: Draw) -> np.ndarray:
    """as many sentences as words"""
    return draw.fix(batch=4, tokens=4)("batch tokens d_in")


@batch.case(times=1)
def batch_of_long_words(draw: Draw) -> np.ndarray:
    """words thirty times as long"""
    return draw("batch tokens d_in", scale=30)


batch.half_but_for("scores far from 0", long_sentences, batch_of_long_words)


@batch.holds
def sentences_are_alone(
    simple_self_attention_batch: Callable[..., Pair], inputs: np.ndarray
) -> bool:
    """changing the last sentence changes no other"""
    changed = inputs.copy()
    changed[-1] += 1
    before, after = (simple_self_attention_batch(x)[0] for x in (inputs, changed))
    return bool(np.allclose(before[:-1], after[:-1], rtol=1e-4, atol=1e-5))


@batch.misconception
def one_long_sentence(inputs: np.ndarray) -> Pair:
    """The words of one sentence attend to those of another. Keep the batch axis, so that each
    sentence is on its own.
    """
    flat = inputs.reshape(-1, inputs.shape[-1])
    attn_weights = softmax(flat @ flat.T)
    contexts = (attn_weights @ flat).reshape(inputs.shape)
    n = inputs.shape[1]
    own = [attn_weights[i : i + n, i : i + n] for i in range(0, len(flat), n)]
    return contexts, np.stack(own)


@batch.misconception
def keys_of_all_sentences(inputs: np.ndarray) -> Pair:
    """Every word has as many weights as there are words in the whole batch, and attends to all of
    them, as in one long sentence. Keep the batch axis: a word attends only to the words of its own
    sentence.
    """
    flat = inputs.reshape(-1, inputs.shape[-1])
    attn_weights = softmax(flat @ flat.T)
    contexts = (attn_weights @ flat).reshape(inputs.shape)
    return contexts, attn_weights.reshape(*inputs.shape[:2], -1)


@batch.misconception
def cut_after_the_softmax(inputs: np.ndarray) -> Pair:
    """Your softmax runs over the words of all the sentences, and afterwards each sentence gets its
    own part of the weights, which no longer sums to 1. Keep the batch axis from the scores on.
    """
    flat = inputs.reshape(-1, inputs.shape[-1])
    attn_weights, n = softmax(flat @ flat.T), inputs.shape[1]
    own = np.stack([attn_weights[i : i + n, i : i + n] for i in range(0, len(flat), n)])
    return own @ inputs, own


@batch.misconception
def batch_over_the_sentences(inputs: np.ndarray) -> Pair:
    """Your softmax runs over the batch, axis 0. It should run over the keys, the last axis."""
    return attend(inputs, softmax(inputs @ inputs.swapaxes(-2, -1), axis=0))


@batch.misconception
def first_sentence_for_all(inputs: np.ndarray) -> Pair:
    """Every sentence got the weights of the first one. Compute separate weights for each."""
    one = softmax(inputs[0] @ inputs[0].T)
    return attend(inputs, np.broadcast_to(one, (len(inputs), *one.shape)).copy())


@batch.misconception
def words_of_the_first_sentence(inputs: np.ndarray) -> Pair:
    """The weights are right, but they always mix the words of the first sentence. Mix each
    sentence's own words.
    """
    attn_weights = softmax(inputs @ inputs.swapaxes(-2, -1))
    return attn_weights @ inputs[0], attn_weights


@batch.misconception
def words_of_the_last_sentence(inputs: np.ndarray) -> Pair:
    """The weights are right, but they always mix the words of the last sentence. Mix each
    sentence's own words.
    """
    attn_weights = softmax(inputs @ inputs.swapaxes(-2, -1))
    return attn_weights @ inputs[-1], attn_weights


@batch.misconception
def keys_of_the_first_sentence(inputs: np.ndarray) -> Pair:
    """The words of every sentence are compared with those of the first one. Compare each sentence
    with itself.
    """
    return attend(inputs, softmax(inputs @ inputs[0].T))


@batch.misconception
def queries_of_the_first_sentence(inputs: np.ndarray) -> Pair:
    """In every sentence, the queries are the words of the first one. Compare each sentence with
    itself.
    """
    return attend(inputs, softmax(inputs[0] @ inputs.swapaxes(-2, -1)))


@batch.misconception
def across_the_batch(inputs: np.ndarray) -> Pair:
    """You used the batch as the words: the first words of all the sentences attend to each other,
    then the second ones, and so on. The layout is (batch, tokens, d_in), so the words of a sentence
    are on axis 1.
    """
    turned = inputs.swapaxes(0, 1)
    contexts, attn_weights = attend(turned, softmax(turned @ turned.swapaxes(-2, -1)))
    return contexts.swapaxes(0, 1), attn_weights


@batch.misconception
def transposed_with_the_batch(inputs: np.ndarray) -> Pair:
    """You transposed all three axes, as `.T` does, including the batch. Find a way to swap only the
    last two axes of the array on the right.
    """
    return attend(inputs, softmax(inputs @ inputs.T))


(ARRAY_SOFTMAX + ARRAY_SCORES + ARRAY_MIX).apply(batch, ArrayAttention)
ARRAY_DTYPE.apply(batch)
LOOP.apply(batch, called={"FirstRowReturned": "first_sentence_only"})
(PAIR + PARTS).apply(batch, called={"FirstAlone": "batch_contexts_alone"})


@batch.accepts
def batch_in_a_loop(inputs: np.ndarray) -> Pair:
    """One sentence at a time."""
    every = [softmax(sentence @ sentence.T) for sentence in inputs]
    contexts = [w @ sentence for w, sentence in zip(every, inputs, strict=True)]
    return np.stack(contexts), np.stack(every)


@batch.accepts
def batch_by_einsum(inputs: np.ndarray) -> Pair:
    """Index expressions."""
    attn_weights = softmax(np.einsum("bid,bjd->bij", inputs, inputs))
    return np.einsum("bij,bjd->bid", attn_weights, inputs), attn_weights


@batch.accepts
def batch_by_transpose(inputs: np.ndarray) -> Pair:
    """Matrix products, the axes named."""
    attn_scores = np.matmul(inputs, np.transpose(inputs, (0, 2, 1)))
    exponentials = np.exp(attn_scores - attn_scores.max(axis=2, keepdims=True))
    attn_weights = exponentials / exponentials.sum(axis=2, keepdims=True)
    return np.matmul(attn_weights, inputs), attn_weights
