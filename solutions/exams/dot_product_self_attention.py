"""The exams of lesson 02."""

from collections.abc import Callable

import numpy as np

import companion
from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from companion import HELLO_SHINY_SUN, YOUR_JOURNEY
from solutions import dot_product_self_attention as reference
from solutions.foundations import softmax

Pair = tuple[np.ndarray, np.ndarray]

HELLO, SHINY, SUN = range(3)
FOUR_DECIMALS = Tolerance(absolute=6e-5)
LONG_WORDS = np.array([[40.0, 10.0], [-20.0, 30.0], [5.0, -25.0]])
BIG_SCORES = np.array([[1000.0, 1001.0, 999.0], [-1000.0, -1000.0, -1002.0]])


def divided_by_sum(scores: np.ndarray) -> np.ndarray:
    """Shares of the total, as no attention takes them."""
    return scores / scores.sum(axis=-1, keepdims=True)


def unshifted_softmax(scores: np.ndarray) -> np.ndarray:
    """The softmax as the formula has it: it overflows."""
    return np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)


# --- by hand -------------------------------------------------------------------------------------


def worked(scores: np.ndarray, weights: np.ndarray, context: np.ndarray) -> dict[str, object]:
    """The three lines of a worksheet."""
    return {
        "scores": scores.tolist(),
        "weights": weights.tolist(),
        "context": context.tolist(),
    }


def examine_worksheet(exam: Exam, query: int) -> None:
    """The mistakes that both worksheets share."""
    words = HELLO_SHINY_SUN.vectors
    scores = words @ words[query]
    weights = softmax(scores)

    @exam.example
    def on_paper() -> tuple[()]:
        """your numbers"""
        return ()

    def rounded(decimals: int, *, scores_too: bool) -> dict[str, object]:
        rough_scores = scores.round(decimals) if scores_too else scores
        rough = (softmax(rough_scores) if scores_too else weights).round(decimals)
        return worked(rough_scores, rough, (rough @ words).round(decimals if scores_too else 4))

    @exam.misconception
    def rounded_to_two_decimals() -> dict[str, object]:
        """You rounded before the last step: this is what comes of weights with two decimals. Keep
        at least five until the end, and type four.
        """
        return rounded(2, scores_too=False)

    @exam.misconception
    def rounded_to_three_decimals() -> dict[str, object]:
        """You rounded before the last step: this is what comes of weights with three decimals.
        Keep at least five until the end, and type four.
        """
        return rounded(3, scores_too=False)

    @exam.misconception
    def everything_to_two_decimals() -> dict[str, object]:
        """These numbers have two decimals. Carry at least five through all three steps, and type
        four.
        """
        return rounded(2, scores_too=True)

    @exam.misconception
    def everything_to_three_decimals() -> dict[str, object]:
        """These numbers have three decimals. Carry at least five through all three steps, and type
        four.
        """
        return rounded(3, scores_too=True)

    @exam.misconception
    def divided_by_the_sum_of_another() -> dict[str, object]:
        """You divided by another word's sum of exponentials. Each query has a sum of its own: add
        up the three exponentials of this row.
        """
        other = np.exp(scores) / np.exp(words @ words[query - 1]).sum()
        return worked(scores, other, other @ words)

    @exam.misconception
    def the_word_before() -> dict[str, object]:
        """These are the numbers of the word before. Now the next one asks: take its row as the
        query.
        """
        before = words @ words[query - 1]
        return worked(before, softmax(before), softmax(before) @ words)

    @exam.misconception
    def shares_of_the_scores() -> dict[str, object]:
        """You divided each score by the sum of the scores. The softmax takes the exponential of
        each score first, and divides by the sum of those.
        """
        return worked(scores, divided_by_sum(scores), divided_by_sum(scores) @ words)

    @exam.misconception
    def exponentials() -> dict[str, object]:
        """These weights are the exponentials themselves. Divide each by their sum, so that the
        three add up to 1.
        """
        return worked(scores, np.exp(scores), np.exp(scores) @ words)

    @exam.misconception
    def cosines() -> dict[str, object]:
        """These scores are cosines: the dot products divided by both lengths. Self-attention takes
        the dot products as they are.
        """
        lengths = np.linalg.norm(words, axis=1)
        cosine = scores / lengths / lengths[query]
        return worked(cosine, softmax(cosine), softmax(cosine) @ words)

    @exam.misconception
    def unweighted() -> dict[str, object]:
        """This context is the plain average of the three words. Multiply each word by its weight
        before you add.
        """
        return worked(scores, weights, words.mean(axis=0))

    @exam.misconception
    def scores_in_place_of_weights() -> dict[str, object]:
        """This context mixes the words by their scores. Mix by the weights, which add up to 1."""
        return worked(scores, weights, scores @ words)


shiny = Exam(reference.shiny_by_hand, tolerance=FOUR_DECIMALS, reveal=False)
examine_worksheet(shiny, SHINY)


@shiny.misconception
def as_often_printed() -> dict[str, object]:
    """This context has been printed elsewhere, and two of its nine products are slips. Multiply
    your own weights once more.
    """
    return {**reference.shiny_by_hand(), "context": [0.3992, 0.3858, 0.8610]}


sun = Exam(reference.sun_by_hand, tolerance=FOUR_DECIMALS, reveal=False)
examine_worksheet(sun, SUN)


@sun.misconception
def weights_read_down_the_column() -> dict[str, object]:
    """You took the weight that "shiny" gives to "sun" for the one that "sun" gives to "shiny". The
    two share a score, but each word divides by a sum of its own.
    """
    words = HELLO_SHINY_SUN.vectors
    attn_weights = softmax(words @ words.T)
    borrowed = attn_weights[SUN].copy()
    borrowed[SHINY] = attn_weights[SHINY, SUN]
    return worked(words @ words[SUN], borrowed, borrowed @ words)


# --- one word asks -------------------------------------------------------------------------------

scores = Exam(reference.attention_scores)


@scores.example
def journey_asks() -> Pair:
    """ "the word journey asks the sentence of six"""
    return YOUR_JOURNEY.vectors[1], YOUR_JOURNEY.vectors


@scores.case
def random_words(draw: Draw) -> Pair:
    """words drawn at random"""
    return draw("d_in"), draw("tokens d_in")


@scores.case(times=1)
def one_word(draw: Draw) -> Pair:
    """a sentence of one word"""
    draw.fix(tokens=1)
    return draw("d_in"), draw("tokens d_in")


@scores.case(times=1)
def long_sentence(draw: Draw) -> Pair:
    """a sentence of 200 words"""
    draw.fix(tokens=200)
    return draw("d_in"), draw("tokens d_in")


@scores.misconception
def not_added_up(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the products of the features. A dot product adds them up: one number per word."""
    return query * inputs


@scores.misconception
def added_over_words(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You added over the words and kept one number per feature. Add over the features: one score
    per word.
    """
    return (query * inputs).sum(axis=0)


@scores.misconception
def cosine_scores(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are cosines. This lesson's scores are plain dot products, not divided by any length."""
    lengths = np.linalg.norm(inputs, axis=1) * np.linalg.norm(query)
    return (inputs @ query) / lengths


@scores.misconception
def scaled_scores(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These scores are divided by the square root of the dimension. That belongs to lesson 03; here
    they stay as they are.
    """
    return (inputs @ query) / np.sqrt(query.size).astype(inputs.dtype)


@scores.misconception
def every_pair(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the score of every word with every word. Only one word asks here: the query."""
    return inputs @ inputs.T


@scores.misconception
def always_the_first_word(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the scores of the sentence's first word. The word that asks is the argument
    `query`.
    """
    return inputs @ inputs[0]


@scores.misconception
def weights_already(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These numbers have been through the softmax. Return the scores; the next exercise makes
    weights of them.
    """
    return softmax(inputs @ query)


@scores.misconception
def first_score_only(query: np.ndarray, inputs: np.ndarray) -> np.floating:
    """This is the score of the first word alone. If you have a loop, it returns in its first turn:
    collect the scores, and return them after it.
    """
    return np.dot(query, inputs[0])


@scores.misconception
def sentence_on_the_right(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The features have to meet: the last axis of the left side with the first axis of the right.
    Turn the product round, or transpose the sentence.
    """
    return query @ inputs


@scores.accepts
def scores_in_loops(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Loops."""
    result = np.zeros(len(inputs), dtype=inputs.dtype)
    for i, word in enumerate(inputs):
        for one, other in zip(query, word, strict=True):
            result[i] += one * other
    return result


@scores.accepts
def scores_by_einsum(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """An index expression."""
    return np.einsum("td,d->t", inputs, query)


@scores.accepts
def scores_by_broadcasting(query: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Broadcasting and a sum."""
    return (inputs * query).sum(axis=-1)


# --- weights -------------------------------------------------------------------------------------

weights = Exam(reference.attention_weights)


@weights.example
def six_by_six() -> np.ndarray:
    """the scores of all six words"""
    return YOUR_JOURNEY.vectors @ YOUR_JOURNEY.vectors.T


@weights.example
def opposed() -> np.ndarray:
    """a sentence with scores below zero"""
    return np.array([[2.0, -1.0, 0.5], [-1.5, 1.0, -0.5]])


@weights.example
def large() -> np.ndarray:
    """scores near 1000 and -1000"""
    return BIG_SCORES


@weights.case
def one_query(draw: Draw) -> np.ndarray:
    """the scores of one query"""
    return draw("keys", scale=2)


@weights.case
def several_queries(draw: Draw) -> np.ndarray:
    """the scores of several queries"""
    return draw("queries keys", scale=2)


@weights.case
def wide(draw: Draw) -> np.ndarray:
    """scores of ±1000"""
    return draw("queries keys", scale=1000)


@weights.holds
def rows_sum_to_one(attention_weights: Callable[..., np.ndarray], s: np.ndarray) -> bool:
    """the weights of each query sum to 1"""
    return bool(np.allclose(attention_weights(s).sum(axis=-1), 1, atol=1e-5))


@weights.holds
def shifting_changes_nothing(attention_weights: Callable[..., np.ndarray], s: np.ndarray) -> bool:
    """the same number added to all scores of a query changes no weight"""
    return bool(np.allclose(attention_weights(s + 2), attention_weights(s), atol=1e-4))


@weights.misconception
def over_the_queries(scores: np.ndarray) -> np.ndarray:
    """This is what comes out when the softmax runs over the queries. It should run over the keys,
    the last axis: each row sums to 1.
    """
    return softmax(scores, axis=0)


@weights.misconception
def over_everything(scores: np.ndarray) -> np.ndarray:
    """All your weights together sum to 1. Each query has its own softmax: every row sums to 1."""
    return softmax(scores.ravel()).reshape(scores.shape)


@weights.misconception
def shares(scores: np.ndarray) -> np.ndarray:
    """These are shares of the sum of the scores. Take the exponential of each score first: it makes
    a positive share of any score.
    """
    return divided_by_sum(scores)


@weights.misconception
def overflowing(scores: np.ndarray) -> np.ndarray:
    """exp(1000) is too large for a float, and inf / inf is NaN. Subtract each row's maximum before
    the exponential: the weights stay the same.
    """
    return unshifted_softmax(scores)


@weights.misconception
def unnormalised(scores: np.ndarray) -> np.ndarray:
    """These are exponentials that no one divided. Divide each row by its sum."""
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


@weights.misconception
def winner_takes_all(scores: np.ndarray) -> np.ndarray:
    """You gave all the weight to the best match. The softmax leaves every word a share."""
    return (scores == scores.max(axis=-1, keepdims=True)).astype(scores.dtype)


@weights.misconception
def written_in_place(scores: np.ndarray) -> np.ndarray:
    """The numbers are right, but `scores -= …` also changes the array that the caller handed in.
    Write `scores = scores - …`, which makes a new one.
    """
    scores -= scores.max(axis=-1, keepdims=True)
    return softmax(scores)


@weights.misconception
def one_maximum_for_all(scores: np.ndarray) -> np.ndarray:
    """You subtracted the largest score of the whole table. A row far below it then has nothing but
    zeros, and 0 / 0 is NaN. Subtract each row's own maximum.
    """
    exponentials = np.exp(scores - scores.max())
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@weights.misconception
def sizes_as_shares(scores: np.ndarray) -> np.ndarray:
    """A strong mismatch gets as much as a strong match here: the sign of the scores was dropped.
    Take the exponential instead.
    """
    return divided_by_sum(np.abs(scores))


@weights.accepts
def weights_row_by_row(scores: np.ndarray) -> np.ndarray:
    """Loops."""
    rows = np.atleast_2d(scores)
    result = np.empty_like(rows)
    for i, row in enumerate(rows):
        exponentials = np.exp(row - max(row))
        result[i] = exponentials / sum(exponentials)
    return result.reshape(scores.shape)


@weights.accepts
def weights_in_one_expression(scores: np.ndarray) -> np.ndarray:
    """Broadcasting."""
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


@weights.accepts
def weights_by_logarithms(scores: np.ndarray) -> np.ndarray:
    """exp(score - log-sum-exp)."""
    return np.exp(scores - np.logaddexp.reduce(scores, axis=-1, keepdims=True))


# --- context -------------------------------------------------------------------------------------

context = Exam(reference.context_vector)


@context.example
def for_journey() -> Pair:
    """the context of journey"""
    words = YOUR_JOURNEY.vectors
    return softmax(words @ words[1]), words


@context.case
def random_mixture(draw: Draw) -> Pair:
    """random weights and words"""
    return draw.weights("tokens"), draw("tokens d_in")


@context.case(times=1)
def one_hot(draw: Draw) -> Pair:
    """all the weight on the last word"""
    words = draw("tokens d_in")
    return np.eye(len(words))[-1], words


@context.case(times=1)
def wide_words(draw: Draw) -> Pair:
    """two words of many features"""
    draw.fix(tokens=2, d_in=300)
    return draw.weights("tokens"), draw("tokens d_in")


@context.misconception
def not_summed(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """These are the weighted words, one by one. Add them up: one vector with d_in numbers."""
    return weights[:, None] * inputs


@context.misconception
def plain_average(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the plain average of the words. Let each count by its weight."""
    return inputs.mean(axis=0)


@context.misconception
def plain_sum(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the sum of the words without their weights."""
    return inputs.sum(axis=0)


@context.misconception
def averaged_twice(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You divided by the number of words as well. The weights already sum to 1: their weighted sum
    is an average.
    """
    return (weights[:, None] * inputs).mean(axis=0)


@context.misconception
def best_word_only(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the word with the largest weight alone. Mix in the others, each by its weight."""
    return inputs[weights.argmax()]


@context.misconception
def the_other_way_round(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """`inputs @ weights` pairs the weights with the features. They belong to the words: the words'
    axis must be the one summed over.
    """
    return inputs @ weights


@context.misconception
def summed_over_features(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You summed over the features and kept one number per word. Sum over the words, the first
    axis.
    """
    return (weights[:, None] * inputs).sum(axis=1)


@context.misconception
def first_term_only(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """This is the first word, times its weight. If you have a loop, it returns in its first turn:
    add up all the words, and return after it.
    """
    return weights[0] * inputs[0]


@context.misconception
def weights_across_features(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """The weights belong to the rows, and `*` lines them up with the columns. Give them a second
    axis, or take a matrix product.
    """
    return weights * inputs


@context.misconception
def softmax_once_more(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """You took the softmax of the weights. They are weights already: use them as they are."""
    return softmax(weights) @ inputs


@context.accepts
def context_in_loops(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Loops."""
    total = np.zeros_like(inputs[0])
    for weight, word in zip(weights, inputs, strict=True):
        total = total + weight * word
    return total


@context.accepts
def context_by_einsum(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """An index expression."""
    return np.einsum("t,td->d", weights, inputs)


@context.accepts
def context_by_broadcasting(weights: np.ndarray, inputs: np.ndarray) -> np.ndarray:
    """Broadcasting and a sum."""
    return (weights[:, None] * inputs).sum(axis=0)


# --- all pairs -----------------------------------------------------------------------------------

pairs = Exam(reference.pairwise_scores)


@pairs.example
def all_six() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@pairs.case
def random_sentence(draw: Draw) -> np.ndarray:
    """words drawn at random"""
    return draw("tokens d_in")


@pairs.case(times=1)
def more_features_than_words(draw: Draw) -> np.ndarray:
    """two words of many features"""
    return draw.fix(tokens=2, d_in=64)("tokens d_in")


@pairs.case(times=1)
def single_word(draw: Draw) -> np.ndarray:
    """a sentence of one word"""
    return draw.fix(tokens=1)("tokens d_in")


@pairs.misconception
def feature_by_feature(inputs: np.ndarray) -> np.ndarray:
    """You contracted the words and kept the features: this is `inputs.T @ inputs`. The words stay,
    so the transposed matrix stands on the right.
    """
    return inputs.T @ inputs


@pairs.misconception
def no_transpose(inputs: np.ndarray) -> np.ndarray:
    """The second matrix must be transposed: rows of the first meet columns of the second, and the
    words are rows.
    """
    return inputs @ inputs


@pairs.misconception
def upper_triangle_only(inputs: np.ndarray) -> np.ndarray:
    """Below the diagonal you left zeros. Every word asks every word, earlier ones too."""
    return np.triu(inputs @ inputs.T)


@pairs.misconception
def never_itself(inputs: np.ndarray) -> np.ndarray:
    """On the diagonal you left zeros. A word also meets itself: its score is its length squared."""
    all_pairs = inputs @ inputs.T
    np.fill_diagonal(all_pairs, 0)
    return all_pairs


@pairs.misconception
def pairwise_cosines(inputs: np.ndarray) -> np.ndarray:
    """These are cosines: the diagonal is all 1. The scores of this lesson are not divided by
    lengths.
    """
    lengths = np.linalg.norm(inputs, axis=1, keepdims=True)
    return (inputs @ inputs.T) / (lengths @ lengths.T)


@pairs.misconception
def pairwise_scaled(inputs: np.ndarray) -> np.ndarray:
    """These scores are divided by the square root of the dimension. That belongs to lesson 03; here
    they stay as they are.
    """
    return (inputs @ inputs.T) / np.sqrt(inputs.shape[1]).astype(inputs.dtype)


@pairs.misconception
def first_row_only(inputs: np.ndarray) -> np.ndarray:
    """These are the scores of the first word alone. If you have a loop, it returns in its first
    turn: fill all rows, and return after it.
    """
    return inputs @ inputs[0]


@pairs.misconception
def weights_too_early(inputs: np.ndarray) -> np.ndarray:
    """These numbers have been through the softmax. Return the scores as they are."""
    return softmax(inputs @ inputs.T)


@pairs.misconception
def squared_features(inputs: np.ndarray) -> np.ndarray:
    """`*` multiplies entry by entry: this is each feature with itself. Every word has to meet every
    word.
    """
    return inputs * inputs


@pairs.accepts
def pairs_in_two_loops(inputs: np.ndarray) -> np.ndarray:
    """Loops."""
    result = np.empty((len(inputs), len(inputs)), dtype=inputs.dtype)
    for i, query in enumerate(inputs):
        for j, key in enumerate(inputs):
            result[i, j] = np.dot(query, key)
    return result


@pairs.accepts
def pairs_by_einsum(inputs: np.ndarray) -> np.ndarray:
    """An index expression."""
    return np.einsum("id,jd->ij", inputs, inputs)


@pairs.accepts
def pairs_row_by_row(inputs: np.ndarray) -> np.ndarray:
    """One query at a time."""
    return np.stack([inputs @ query for query in inputs])


# --- self-attention ------------------------------------------------------------------------------

attention = Exam(reference.simple_self_attention, returns=("contexts", "weights"))


@attention.example
def the_sentence() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@attention.example
def opposites() -> np.ndarray:
    """words that disagree"""
    return np.array([[2.0, -1.0], [-1.5, 0.5], [0.0, 1.0]])


@attention.example
def overlong() -> np.ndarray:
    """words so long that exponentials overflow"""
    return LONG_WORDS


@attention.case
def drawn_sentence(draw: Draw) -> np.ndarray:
    """words drawn at random"""
    return draw("tokens d_in")


@attention.case(times=1)
def lonely_word(draw: Draw) -> np.ndarray:
    """a sentence of one word"""
    return draw.fix(tokens=1)("tokens d_in")


@attention.case(times=1)
def long_words(draw: Draw) -> np.ndarray:
    """words thirty times as long"""
    return draw("tokens d_in", scale=30)


@attention.holds
def weights_sum_to_one(simple_self_attention: Callable[..., Pair], inputs: np.ndarray) -> bool:
    """the weights of each word sum to 1"""
    return bool(np.allclose(simple_self_attention(inputs)[1].sum(axis=-1), 1, atol=1e-5))


@attention.holds
def order_does_not_matter(simple_self_attention: Callable[..., Pair], inputs: np.ndarray) -> bool:
    """the words in reverse give the same contexts in reverse"""
    backwards = simple_self_attention(inputs[::-1].copy())[0]
    return bool(np.allclose(backwards, simple_self_attention(inputs)[0][::-1], atol=1e-3))


def attend(inputs: np.ndarray, attn_weights: np.ndarray) -> Pair:
    """What comes of a sentence with these weights."""
    return attn_weights @ inputs, attn_weights


@attention.misconception
def attention_over_the_queries(inputs: np.ndarray) -> Pair:
    """Your softmax runs over the queries, and each column sums to 1. It should run over the keys,
    the last axis: each row sums to 1.
    """
    return attend(inputs, softmax(inputs @ inputs.T, axis=0))


@attention.misconception
def attention_over_everything(inputs: np.ndarray) -> Pair:
    """All your weights together sum to 1. Each word as a query has its own softmax: every row sums
    to 1.
    """
    every = softmax((inputs @ inputs.T).ravel())
    return attend(inputs, every.reshape(len(inputs), -1))


@attention.misconception
def attention_by_shares(inputs: np.ndarray) -> Pair:
    """You divided by the sum of the scores. Take the exponential of each first; otherwise a score
    below zero makes a weight below zero.
    """
    return attend(inputs, divided_by_sum(inputs @ inputs.T))


@attention.misconception
def attention_overflowing(inputs: np.ndarray) -> Pair:
    """For long words your softmax overflows to NaN. Subtract each row's maximum before the
    exponential, or call the given `softmax`.
    """
    return attend(inputs, unshifted_softmax(inputs @ inputs.T))


@attention.misconception
def scores_times_inputs(inputs: np.ndarray) -> Pair:
    """These contexts mix the words by their scores. Mix them by the weights, as you return them."""
    attn_scores = inputs @ inputs.T
    return attn_scores @ inputs, softmax(attn_scores)


@attention.misconception
def weights_times_weights(inputs: np.ndarray) -> Pair:
    """You multiplied the weights by the weights. The weighted sum is over the words: weights times
    inputs.
    """
    attn_weights = softmax(inputs @ inputs.T)
    return attn_weights @ attn_weights, attn_weights


@attention.misconception
def transposed_weights(inputs: np.ndarray) -> Pair:
    """You mixed with the transposed weights. Row i of the weights belongs to query i and makes
    context i: no transpose.
    """
    attn_weights = softmax(inputs @ inputs.T)
    return attn_weights.T @ inputs, attn_weights


@attention.misconception
def symmetric_weights(inputs: np.ndarray) -> Pair:
    """Your weights are symmetric. The scores are, but each row divides by a sum of its own, so that
    weight i→j differs from weight j→i.
    """
    attn_weights = softmax(inputs @ inputs.T)
    return attend(inputs, (attn_weights + attn_weights.T) / 2)


@attention.misconception
def weights_first(inputs: np.ndarray) -> Pair:
    """The two results are in the wrong order: return the contexts first, then the weights."""
    attn_weights = softmax(inputs @ inputs.T)
    return attn_weights, attn_weights @ inputs


@attention.misconception
def attention_scaled(inputs: np.ndarray) -> Pair:
    """Your scores are divided by the square root of the dimension. That belongs to lesson 03; here
    they stay as they are.
    """
    root = np.sqrt(inputs.shape[1]).astype(inputs.dtype)
    return attend(inputs, softmax(inputs @ inputs.T / root))


@attention.misconception
def attention_between_features(inputs: np.ndarray) -> Pair:
    """You compared the features with each other: `inputs.T @ inputs`. Compare the words: the
    transposed matrix stands on the right.
    """
    attn_weights = softmax(inputs.T @ inputs)
    return inputs @ attn_weights, attn_weights


@attention.misconception
def softmax_left_out(inputs: np.ndarray) -> Pair:
    """You mixed the words by their scores, and returned the scores as weights. The softmax between
    the two steps is missing.
    """
    return attend(inputs, inputs @ inputs.T)


@attention.misconception
def contexts_alone(inputs: np.ndarray) -> np.ndarray:
    """This is one array: the contexts. Return two results, the contexts and the weights."""
    return softmax(inputs @ inputs.T) @ inputs


@attention.accepts
def attention_in_loops(inputs: np.ndarray) -> Pair:
    """Loops."""
    contexts, every = np.empty_like(inputs), []
    for i, query in enumerate(inputs):
        row = np.array([query @ key for key in inputs])
        exponentials = np.exp(row - row.max())
        every.append(exponentials / exponentials.sum())
        contexts[i] = sum(w * word for w, word in zip(every[i], inputs, strict=True))
    return contexts, np.array(every)


@attention.accepts
def attention_by_matmul(inputs: np.ndarray) -> Pair:
    """Matrix products."""
    attn_scores = np.matmul(inputs, inputs.T)
    exponentials = np.exp(attn_scores - attn_scores.max(axis=1)[:, np.newaxis])
    attn_weights = exponentials / exponentials.sum(axis=1)[:, np.newaxis]
    return np.matmul(attn_weights, inputs), attn_weights


@attention.accepts
def attention_by_einsum(inputs: np.ndarray) -> Pair:
    """Index expressions."""
    attn_weights = softmax(np.einsum("id,jd->ij", inputs, inputs))
    return np.einsum("ij,jd->id", attn_weights, inputs), attn_weights


# --- several sentences ---------------------------------------------------------------------------

batch = Exam(reference.simple_self_attention_batch, returns=("contexts", "weights"))


@batch.example
def two_sentences() -> np.ndarray:
    """the sentence, and the sentence backwards with its signs turned"""
    return np.stack([YOUR_JOURNEY.vectors, -YOUR_JOURNEY.vectors[::-1]])


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


@batch.holds
def sentences_are_alone(
    simple_self_attention_batch: Callable[..., Pair], inputs: np.ndarray
) -> bool:
    """changing the last sentence changes no other"""
    changed = inputs.copy()
    changed[-1] += 1
    before, after = (simple_self_attention_batch(x)[0] for x in (inputs, changed))
    return bool(np.array_equal(before[:-1], after[:-1]))


@batch.misconception
def transposed_with_the_batch(inputs: np.ndarray) -> Pair:
    """These two arrays do not fit. `.T` turns all three axes round, the batch too: find a way to
    swap only the last two axes of the right one.
    """
    return attend(inputs, softmax(inputs @ inputs.T))


@batch.misconception
def one_long_sentence(inputs: np.ndarray) -> Pair:
    """The words of one sentence attend to those of another. Keep the batch axis: each sentence is
    alone.
    """
    flat = inputs.reshape(-1, inputs.shape[-1])
    attn_weights = softmax(flat @ flat.T)
    contexts = (attn_weights @ flat).reshape(inputs.shape)
    n = inputs.shape[1]
    own = [attn_weights[i : i + n, i : i + n] for i in range(0, len(flat), n)]
    return contexts, np.stack(own)


@batch.misconception
def batch_over_the_queries(inputs: np.ndarray) -> Pair:
    """Your softmax runs over the queries, axis 1 of three. It should run over the keys, the last
    axis.
    """
    return attend(inputs, softmax(inputs @ inputs.swapaxes(-2, -1), axis=1))


@batch.misconception
def batch_over_the_sentences(inputs: np.ndarray) -> Pair:
    """Your softmax runs over the batch, axis 0. It should run over the keys, the last axis."""
    return attend(inputs, softmax(inputs @ inputs.swapaxes(-2, -1), axis=0))


@batch.misconception
def first_sentence_for_all(inputs: np.ndarray) -> Pair:
    """Every sentence got the weights of the first one. Compute weights for each."""
    one = softmax(inputs[0] @ inputs[0].T)
    return attend(inputs, np.broadcast_to(one, (len(inputs), *one.shape)).copy())


@batch.misconception
def batch_between_features(inputs: np.ndarray) -> Pair:
    """You compared the features with each other. The transposed array belongs on the right."""
    attn_weights = softmax(inputs.swapaxes(-2, -1) @ inputs)
    return inputs @ attn_weights, attn_weights


@batch.misconception
def batch_contexts_alone(inputs: np.ndarray) -> np.ndarray:
    """This is one array: the contexts. Return two results, the contexts and the weights."""
    return softmax(inputs @ inputs.swapaxes(-2, -1)) @ inputs


@batch.misconception
def first_sentence_only(inputs: np.ndarray) -> Pair:
    """These are the results of the first sentence alone. If you have a loop, it returns in its
    first turn: collect them all.
    """
    return attend(inputs[0], softmax(inputs[0] @ inputs[0].T))


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


# --- repair --------------------------------------------------------------------------------------

repaired = Exam(reference.repaired_self_attention)


@repaired.example
def positive_sentence() -> np.ndarray:
    """Your journey starts with one step"""
    return YOUR_JOURNEY.vectors


@repaired.example
def words_that_disagree() -> np.ndarray:
    """words that disagree"""
    return np.array([[2.0, -1.0], [-1.5, 0.5], [0.0, 1.0]])


@repaired.example
def overlong_words() -> np.ndarray:
    """words so long that exponentials overflow"""
    return LONG_WORDS


@repaired.case
def any_sentence(draw: Draw) -> np.ndarray:
    """words drawn at random"""
    return draw("tokens d_in")


@repaired.case(times=1)
def far_words(draw: Draw) -> np.ndarray:
    """words thirty times as long"""
    return draw("tokens d_in", scale=30)


@repaired.misconception
def as_given(inputs: np.ndarray) -> np.ndarray:
    """These are still the contexts of the broken cell: it divides the scores by their sum. What
    makes a weight of a score below zero?
    """
    return divided_by_sum(inputs @ inputs.T) @ inputs


@repaired.misconception
def absolute_values(inputs: np.ndarray) -> np.ndarray:
    """Absolute values make the weights positive, but a strong mismatch then counts as much as a
    strong match. Use the exponential.
    """
    return divided_by_sum(np.abs(inputs @ inputs.T)) @ inputs


@repaired.misconception
def cut_at_zero(inputs: np.ndarray) -> np.ndarray:
    """Cutting the scores at zero makes the weights positive, but all mismatches become the same.
    Use the exponential.
    """
    return divided_by_sum(np.maximum(inputs @ inputs.T, 0)) @ inputs


@repaired.misconception
def shifted_to_zero(inputs: np.ndarray) -> np.ndarray:
    """You shifted each row so that its smallest score is zero. The worst match then gets nothing at
    all, however close it was. Use the exponential.
    """
    attn_scores = inputs @ inputs.T
    return divided_by_sum(attn_scores - attn_scores.min(axis=-1, keepdims=True)) @ inputs


@repaired.misconception
def repaired_over_the_queries(inputs: np.ndarray) -> np.ndarray:
    """The softmax is right, its axis is not: it runs over the queries. It should run over the keys,
    the last axis.
    """
    return softmax(inputs @ inputs.T, axis=0) @ inputs


@repaired.misconception
def repaired_overflowing(inputs: np.ndarray) -> np.ndarray:
    """For long words the exponential overflows to NaN. Subtract each row's maximum first, or call
    the given `softmax`.
    """
    return unshifted_softmax(inputs @ inputs.T) @ inputs


@repaired.accepts
def repaired_by_hand(inputs: np.ndarray) -> np.ndarray:
    """The softmax written out."""
    attn_scores = inputs @ inputs.T
    exponentials = np.exp(attn_scores - attn_scores.max(axis=-1, keepdims=True))
    return (exponentials / exponentials.sum(axis=-1, keepdims=True)) @ inputs


@repaired.accepts
def repaired_word_by_word(inputs: np.ndarray) -> np.ndarray:
    """One query at a time."""
    return np.stack([softmax(inputs @ query) @ inputs for query in inputs])


@repaired.accepts
def repaired_by_einsum(inputs: np.ndarray) -> np.ndarray:
    """Index expressions."""
    attn_weights = softmax(np.einsum("id,jd->ij", inputs, inputs))
    return np.einsum("ij,jd->id", attn_weights, inputs)


# --- write the test ------------------------------------------------------------------------------

Attention = Callable[[np.ndarray], np.ndarray]
Trial = tuple[Attention, np.ndarray, np.ndarray]

equivariant = Exam(reference.is_permutation_equivariant, dtypes=("float64",))

CYCLE = np.array([1, 2, 3, 4, 5, 0])
SWAP = np.array([1, 0, 2, 3, 4, 5])


def _tried_on(attention: Attention, permutation: np.ndarray) -> Callable[[], Trial]:
    def trial() -> Trial:
        return attention, YOUR_JOURNEY.vectors, permutation

    moved = "two words swapped" if permutation is SWAP else "the words moved round"
    trial.__doc__ = f"{attention.__name__}, {moved}"
    return trial


for attention_specimen in (
    companion.plain_attention,
    companion.leave_as_is,
    companion.attention_with_positions,
    companion.copy_first_word,
    companion.reversed_attention,
    companion.attention_with_a_slip,
):
    equivariant.example(_tried_on(attention_specimen, CYCLE))
equivariant.example(_tried_on(companion.plain_attention, SWAP))


def average_for_all(inputs: np.ndarray) -> np.ndarray:
    """Every word gets the plain average: equivariant."""
    return np.broadcast_to(inputs.mean(axis=0), inputs.shape)


def twice_as_long(inputs: np.ndarray) -> np.ndarray:
    """Every word is doubled: equivariant."""
    return 2 * inputs


def average_so_far(inputs: np.ndarray) -> np.ndarray:
    """Every word averages the words before it: not equivariant."""
    return np.cumsum(inputs, axis=0) / np.arange(1, len(inputs) + 1)[:, None]


def second_word_forgotten(inputs: np.ndarray) -> np.ndarray:
    """The second place is left empty: not equivariant."""
    contexts = companion.plain_attention(inputs)
    contexts[1] = 0
    return contexts


def in_sorted_order(inputs: np.ndarray) -> np.ndarray:
    """The right contexts in an order of their own: not equivariant."""
    contexts = companion.plain_attention(inputs)
    return contexts[np.argsort(contexts[:, 0])]


def _trial(attention: Attention) -> Callable[[Draw], Trial]:
    def trial(draw: Draw) -> Trial:
        words = draw.fix(tokens=5)("tokens d_in")
        return attention, words, np.array([2, 0, 4, 1, 3])

    trial.__doc__ = f"{attention.__doc__}".partition(":")[0].lower()
    return trial


for specimen in (
    average_for_all,
    twice_as_long,
    average_so_far,
    second_word_forgotten,
    in_sorted_order,
):
    equivariant.case(_trial(specimen))


@equivariant.misconception
def invariance(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You ask that shuffling changes nothing at all: that is invariance. Equivariance asks that the
    outputs are shuffled as the inputs are.
    """
    return bool(np.allclose(attention(inputs[permutation]), attention(inputs)))


@equivariant.misconception
def shuffled_back(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You shuffle the outputs back with the inverse permutation. They have to move as the inputs
    did.
    """
    inverse = np.argsort(permutation)
    return bool(np.allclose(attention(inputs[permutation]), attention(inputs)[inverse]))


@equivariant.misconception
def only_shuffled_outputs(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> bool:
    """Both sides of your comparison run on the unshuffled inputs. Shuffle the inputs of one."""
    return bool(np.allclose(attention(inputs)[permutation], attention(inputs)))


@equivariant.misconception
def always_true(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """Your test passes every attention, the one with positions too. Both sides of the comparison
    seem to be the same thing.
    """
    return bool(np.allclose(attention(inputs)[permutation], attention(inputs)[permutation]))


@equivariant.misconception
def to_the_last_bit(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You compare to the last bit. Sums in another order round differently: allow for that, with
    np.allclose.
    """
    return bool(np.all(attention(inputs[permutation]) == attention(inputs)[permutation]))


@equivariant.misconception
def totals_only(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """Your comparison overlooks who stands where, as a sum over the words does. Compare word by
    word, and allow for rounding only.
    """
    shuffled = attention(inputs[permutation]).sum(axis=0)
    return bool(np.allclose(shuffled, attention(inputs).sum(axis=0)))


@equivariant.misconception
def first_word_only(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You compare too little: an attention can be wrong in one place only. All words and all
    features have to agree.
    """
    return bool(np.allclose(attention(inputs[permutation])[0], attention(inputs)[permutation][0]))


@equivariant.misconception
def an_order_of_its_own(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """You reverse the words, whatever the permutation. Some attentions pass that and fail another:
    use the argument `permutation`.
    """
    return bool(np.allclose(attention(inputs[::-1]), attention(inputs)[::-1]))


@equivariant.misconception
def a_table_of_truths(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> np.ndarray:
    """This is an answer for every number. Say True or False once, for all of them together."""
    return np.isclose(attention(inputs[permutation]), attention(inputs)[permutation])


@equivariant.accepts
def by_greatest_gap(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """The largest difference is small."""
    gap = np.abs(attention(inputs[permutation]) - attention(inputs)[permutation])
    return bool(gap.max() < 1e-6)


@equivariant.accepts
def by_permutation_matrix(
    attention: Attention, inputs: np.ndarray, permutation: np.ndarray
) -> np.bool_:
    """The permutation as a matrix."""
    P = np.eye(len(inputs))[permutation]
    return np.isclose(attention(P @ inputs), P @ attention(inputs)).all()


@equivariant.accepts
def word_by_word(attention: Attention, inputs: np.ndarray, permutation: np.ndarray) -> bool:
    """A loop over the words."""
    straight, shuffled = attention(inputs), attention(inputs[permutation])
    return all(np.allclose(shuffled[i], straight[p]) for i, p in enumerate(permutation))
