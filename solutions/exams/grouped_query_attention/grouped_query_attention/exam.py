"""The exam of `GroupedQueryAttention`, lesson 07: what it is tried on."""

from autograder import Draw, Exam, run_module
from solutions import grouped_query_attention as reference
from solutions.exams.beginnings import FRESH, begins_at_random, leaves_the_generator_alone
from solutions.exams.dropout_rates import ALMOST_NEVER, averages_as
from solutions.exams.grouped_query_attention._shared_heads import (
    Module,
    drawn_long,
    drawn_module,
    far_from_zero,
    no_multiple_of,
    one_word,
    refused,
    refuses_when_made,
    settings,
)
from solutions.exams.grouped_query_attention._specimens import OWN_WORK, TWO_TEXTS, printed_weights

grouped = Exam(reference.GroupedQueryAttention, use=run_module, forbids=OWN_WORK)


@grouped.example
def six_on_two() -> Module:
    """two texts of four words, 6 query heads and 2 key/value heads of two features"""
    inputs = TWO_TEXTS[:, :4]
    return settings(inputs, 12, 6, 2), printed_weights(12, 4), (inputs,), False, 1


@grouped.example
def six_on_three() -> Module:
    """two words, 6 query heads and 3 key/value heads of one feature"""
    inputs = TWO_TEXTS[1:, :2]
    return settings(inputs, 6, 6, 3), printed_weights(6, 3), (inputs,), False, 1


@grouped.example
def four_on_four() -> Module:
    """a key/value head for each query head: multi-head attention"""
    inputs = TWO_TEXTS[1:, :3]
    return settings(inputs, 8, 4, 4), printed_weights(8, 8), (inputs,), False, 1


@grouped.example
def four_on_one() -> Module:
    """one key/value head for all: multi-query attention"""
    inputs = TWO_TEXTS[1:, :3]
    return settings(inputs, 8, 4, 1), printed_weights(8, 2), (inputs,), False, 1


@grouped.example
def grouped_with_biases() -> Module:
    """with qkv_bias=True"""
    inputs = TWO_TEXTS[1:, 1:5]
    chosen = settings(inputs, 6, 6, 2, qkv_bias=True)
    return chosen, printed_weights(6, 2, bias=True), (inputs,), False, 1


@grouped.example
def grouped_far_from_zero() -> Module:
    """scores far below zero; in the second text one key is of zeros, whose scores are 0, and in the
    third the future has the highest
    """
    return far_from_zero(2)


# Not 0.5, which is both dropped and kept.
@grouped.example
def grouped_dropout_in_use() -> Module:
    """dropout=0.4, in eval mode, called 24 times on one word"""
    return one_word(TWO_TEXTS[:1, :1], dropout=0.4, calls=24)


@grouped.example
def grouped_dropout_in_training() -> Module:
    """dropout=0.4, in training, called 32 times on one word"""
    return one_word(TWO_TEXTS[:1, :1], dropout=0.4, training=True, calls=32)


@grouped.example
def grouped_odd_width() -> Module:
    """ten features for four heads, which is an error"""
    return settings(TWO_TEXTS, 10, 4, 2), printed_weights(10, 4), (TWO_TEXTS,), False, 1


@grouped.example
def grouped_odd_heads() -> Module:
    """6 query heads for 4 key/value heads, which is an error"""
    return settings(TWO_TEXTS, 12, 6, 4), printed_weights(12, 8), (TWO_TEXTS,), False, 1


@grouped.case(times=1)
def grouped_drawn(draw: Draw) -> Module:
    """6 query heads and 2 key/value heads"""
    return drawn_module(draw, 6, 2, 5)


@grouped.case(times=1)
def twelve_on_three(draw: Draw) -> Module:
    """12 query heads and 3 key/value heads, with biases"""
    return drawn_module(draw, 12, 3, 2, bias=True)


@grouped.case(times=1)
def grouped_multi_head(draw: Draw) -> Module:
    """as many key/value heads as query heads, inputs ten times as large"""
    # Called twice, so that no gradients are asked for: see CausalAttention's sharp attention.
    return drawn_module(draw, 5, 5, 2, scale=10, calls=2)


@grouped.case(times=1, dtypes=("float64",), hints=False)
def grouped_multi_query(draw: Draw) -> Module:
    """a single key/value head, and a long text that fills the context"""
    return drawn_long(draw, 2, 1, 3)


@grouped.case(times=1)
def grouped_one_word(draw: Draw) -> Module:
    """one text of one word, heads of one feature"""
    draw.fix(batch=1, tokens=1)
    return drawn_module(draw, 9, 3, 1)


@grouped.case(times=1, dtypes=("float64",))
def grouped_as_it_is_made(draw: Draw) -> Module:
    """a module as it is made"""
    return drawn_module(draw, 4, 2, 3, context_length=FRESH)


@grouped.case(times=1, dtypes=("float64",))
def grouped_nothing_to_drop(draw: Draw) -> Module:
    """with a dropout of a billionth, in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in")
    return one_word(inputs, dropout=ALMOST_NEVER, training=True, calls=24)


@grouped.case(times=1)
def grouped_learns_in_training(draw: Draw) -> Module:
    """in training, with a dropout of a billionth"""
    chosen, weights, inputs, _, calls = drawn_module(draw, 4, 2, 2, dropout=ALMOST_NEVER)
    return chosen, weights, inputs, True, calls


@grouped.case(times=1, dtypes=("float64",), hints=False)
def grouped_biases_may_be_dropped(draw: Draw) -> Module:
    """dropout=0.4 and biases, in training, called 32 times on one word"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in")
    return one_word(inputs, dropout=0.4, training=True, calls=32, bias=True)


@grouped.case(times=1, dtypes=("float64",))
def grouped_words_by_themselves(draw: Draw) -> Module:
    """dropout=0.5, in training, called 200 times on two words"""
    inputs = draw.fix(batch=1, tokens=2, d_in=3).tensor("batch tokens d_in")
    return one_word(inputs, dropout=0.5, training=True, calls=200)


@grouped.case(times=2, dtypes=("float64",))
def grouped_heads_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on one word, with two heads"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in")
    shared = int(draw.rng.integers(1, 3))
    chosen = settings(inputs, 4, 2, shared, dropout=0.4)
    return chosen, printed_weights(4, 2 * shared), (inputs,), True, 128


@grouped.case(times=1, dtypes=("float64",))
def grouped_texts_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on two equal texts of one word"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in").repeat(2, 1, 1)
    return one_word(inputs, dropout=0.4, training=True, calls=128)


@grouped.case(times=2)
def grouped_refused(draw: Draw) -> Module:
    """query heads that the key/value heads do not divide, which is an error"""
    shared = int(draw.rng.integers(3, 8))
    heads = no_multiple_of(draw, shared)
    return refused(draw, heads * int(draw.rng.integers(2, 5)), heads, shared)


@grouped.case(times=2)
def grouped_features_refused(draw: Draw) -> Module:
    """features that the query heads do not divide, which is an error"""
    heads = int(draw.rng.integers(3, 8))
    shared = int(draw.rng.choice([1, heads]))
    return refused(draw, no_multiple_of(draw, heads), heads, shared)


grouped.holds(averages_as(reference.GroupedQueryAttention))
grouped.holds(begins_at_random)
grouped.holds(leaves_the_generator_alone)
grouped.holds(refuses_when_made)
grouped.half_but_for("dropout", grouped_learns_in_training)
grouped.half_but_for("the weights it begins with", grouped_as_it_is_made)


grouped.half_but_for(
    "the biases", grouped_with_biases, twelve_on_three, grouped_biases_may_be_dropped
)
