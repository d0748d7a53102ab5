"""The exam of `MultiQueryAttention`, lesson 07: what it is tried on."""

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

single = Exam(reference.MultiQueryAttention, use=run_module, forbids=OWN_WORK)


@single.example
def two_texts_three_heads() -> Module:
    """two texts of four words, three heads of two features"""
    inputs = TWO_TEXTS[:, :4]
    return settings(inputs, 6, 3), printed_weights(6, 2), (inputs,), False, 1


@single.example
def two_words_two_heads() -> Module:
    """two words, two heads of three features"""
    # The other text's scores are so far apart that a wrong scale would hardly show.
    inputs = TWO_TEXTS[:1, :2]
    return settings(inputs, 6, 2), printed_weights(6, 3), (inputs,), False, 1


@single.example
def single_with_biases() -> Module:
    """with qkv_bias=True"""
    inputs = TWO_TEXTS[1:, 1:5]
    chosen = settings(inputs, 6, 3, qkv_bias=True)
    return chosen, printed_weights(6, 2, bias=True), (inputs,), False, 1


@single.example
def single_far_from_zero() -> Module:
    """scores far below zero; in the second text one key is of zeros, whose scores are 0, and in the
    third the future has the highest
    """
    return far_from_zero(1, named=False)


# Not 0.5, which is both dropped and kept.
@single.example
def single_dropout_in_use() -> Module:
    """dropout=0.4, in eval mode, called 24 times on one word"""
    return one_word(TWO_TEXTS[:1, :1], dropout=0.4, calls=24, named=False)


@single.example
def single_dropout_in_training() -> Module:
    """dropout=0.4, in training, called 32 times on one word"""
    return one_word(TWO_TEXTS[:1, :1], dropout=0.4, training=True, calls=32, named=False)


@single.example
def single_odd_width() -> Module:
    """seven features for three heads, which is an error"""
    return settings(TWO_TEXTS, 7, 3), printed_weights(7, 2), (TWO_TEXTS,), False, 1


@single.case(times=1)
def single_drawn(draw: Draw) -> Module:
    """texts shorter than the context"""
    return drawn_module(draw, 3, 1, 8, named=False)


@single.case(times=1)
def single_many_heads(draw: Draw) -> Module:
    """twelve heads of two features, with biases"""
    return drawn_module(draw, 12, 1, 2, named=False, bias=True)


@single.case(times=1, dtypes=("float64",), hints=False)
def single_one_head(draw: Draw) -> Module:
    """one head, so nothing is shared, and a long text that fills the context"""
    return drawn_long(draw, 1, 1, 9, named=False)


@single.case(times=1)
def single_one_word(draw: Draw) -> Module:
    """one text of one word, heads of one feature"""
    draw.fix(batch=1, tokens=1)
    return drawn_module(draw, 8, 1, 1, named=False)


@single.case(times=1, dtypes=("float64",))
def single_as_it_is_made(draw: Draw) -> Module:
    """a module as it is made"""
    return drawn_module(draw, 3, 1, 4, named=False, context_length=FRESH)


@single.case(times=1, dtypes=("float64",))
def single_nothing_to_drop(draw: Draw) -> Module:
    """with a dropout of a billionth, in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in")
    return one_word(inputs, dropout=ALMOST_NEVER, training=True, calls=24, named=False)


@single.case(times=1)
def single_learns_in_training(draw: Draw) -> Module:
    """in training, with a dropout of a billionth"""
    chosen, weights, inputs, _, calls = drawn_module(
        draw, 4, 1, 2, named=False, dropout=ALMOST_NEVER
    )
    return chosen, weights, inputs, True, calls


@single.case(times=1, dtypes=("float64",), hints=False)
def single_biases_may_be_dropped(draw: Draw) -> Module:
    """dropout=0.4 and biases, in training, called 32 times on one word"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in")
    return one_word(inputs, dropout=0.4, training=True, calls=32, bias=True, named=False)


@single.case(times=1, dtypes=("float64",))
def single_words_by_themselves(draw: Draw) -> Module:
    """dropout=0.5, in training, called 200 times on two words"""
    inputs = draw.fix(batch=1, tokens=2, d_in=3).tensor("batch tokens d_in")
    return one_word(inputs, dropout=0.5, training=True, calls=200, named=False)


@single.case(times=1, dtypes=("float64",))
def single_heads_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on one word, with two heads"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in")
    return settings(inputs, 4, 2, dropout=0.4), printed_weights(4, 2), (inputs,), True, 128


@single.case(times=1, dtypes=("float64",))
def single_texts_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on two equal texts of one word"""
    inputs = draw.fix(batch=1, tokens=1, d_in=3).tensor("batch tokens d_in").repeat(2, 1, 1)
    return one_word(inputs, dropout=0.4, training=True, calls=128, named=False)


@single.case(times=2)
def single_refused(draw: Draw) -> Module:
    """features that the heads do not divide, which is an error"""
    heads = int(draw.rng.integers(3, 8))
    return refused(draw, no_multiple_of(draw, heads), heads)


single.holds(averages_as(reference.MultiQueryAttention))
single.holds(begins_at_random)
single.holds(leaves_the_generator_alone)
single.holds(refuses_when_made)
single.half_but_for("dropout", single_learns_in_training)
single.half_but_for("the weights it begins with", single_as_it_is_made)


single.half_but_for(
    "the biases", single_with_biases, single_many_heads, single_biases_may_be_dropped
)
