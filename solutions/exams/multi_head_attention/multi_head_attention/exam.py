"""The exam of `MultiHeadAttention`, lesson 05: what it is tried on."""

from collections.abc import Callable, Mapping

import torch

from autograder import Draw, Exam, run_module
from solutions import multi_head_attention as reference
from solutions.exams.beginnings import FRESH, begins_at_random, leaves_the_generator_alone
from solutions.exams.dropout_rates import ALMOST_NEVER, averages_as
from solutions.exams.multi_head_attention._specimens import (
    FAR,
    PROJECTIONS,
    TWO_SENTENCES,
    Module,
    State,
    batched_weights,
    far_below_zero,
    mixed,
    settings,
)

# Numbers of heads, each with a d_out that it does not divide: what is left then is 1, 2, 3, ..., or
# all of it.
UNSHARED = (
    (4, 3),
    (7, 2),
    (2, 5),
    (3, 8),
    (3, 7),
    (4, 10),
    (4, 7),
    (5, 12),
    (5, 9),
    (6, 13),
    (7, 12),
)

batched = Exam(reference.MultiHeadAttention, use=run_module, forbids=("companion",))


@batched.example
def two_words() -> Module:
    """one sentence of two words, two heads of two features"""
    inputs = TWO_SENTENCES[:1, :2]
    return settings(inputs, 4, 2, 2), batched_weights(3, 4), (inputs,), False, 1


@batched.example
def many_things_at_once() -> Module:
    """two sentences, three heads, with qkv_bias=True"""
    # As many words as heads would not tell the root of one from that of the other.
    inputs = TWO_SENTENCES[:, 1:5]
    chosen = settings(inputs, 6, 3, 6, qkv_bias=True)
    return chosen, batched_weights(3, 6, bias=True), (inputs,), False, 1


@batched.example
def far_from_zero() -> Module:
    """scores far below zero; the second sentence begins with zeros, whose scores are 0, and in the
    third the future has the highest
    """
    lengths = ((1, 2, 3), (0, 1, 2), (3, 2, 1))
    sentences = [far_below_zero(sizes, (), 3, seed=43)[0] for sizes in lengths]
    inputs, weights = torch.cat(sentences), batched_weights(3, 8)
    weights["W_key"] = -FAR * weights["W_query"]
    return settings(inputs, 8, 2, 5), weights, (inputs,), False, 2


@batched.example
def dropout_in_training() -> Module:
    """dropout=0.4, in training, called 32 times on one word"""
    # One head of two features: 32 calls show all that dropout can do to them, whatever the random
    # numbers. And not 0.5, which is both dropped and kept.
    inputs = mixed(1, 1, 6, seed=42)
    return settings(inputs, 2, 1, 6, dropout=0.4), batched_weights(6, 2), (inputs,), True, 32


@batched.example
def dropout_in_use() -> Module:
    """dropout=0.4, in eval mode, called 24 times on one word"""
    inputs = mixed(1, 1, 6, seed=42)
    return settings(inputs, 2, 1, 6, dropout=0.4), batched_weights(6, 2), (inputs,), False, 24


@batched.example
def eight_for_three() -> Module:
    """eight features for three heads, which is an error"""
    inputs = TWO_SENTENCES[:, :2]
    return settings(inputs, 8, 3, 6), batched_weights(3, 8), (inputs,), False, 1


def drawn_batched(draw: Draw, *, bias: bool = False) -> tuple[State, int, int]:
    """Weights, d_out and the number of heads."""
    d_in, heads, dim = draw.shape("d_in heads head_dim")
    d_out, rng = heads * dim, draw.rng
    found = {name: torch.from_numpy(rng.normal(0, 0.5, (d_in, d_out))) for name in PROJECTIONS}
    if bias:
        found |= {
            f"{name}.bias": torch.from_numpy(rng.normal(0, 0.5, d_out)) for name in PROJECTIONS
        }
    found["out_proj"] = torch.from_numpy(rng.normal(0, 0.5, (d_out, d_out)))
    found["out_proj.bias"] = torch.from_numpy(rng.normal(0, 0.5, d_out))
    return found, d_out, heads


@batched.case(times=2)
def full_length(draw: Draw) -> Module:
    """sentences as long as the context"""
    inputs = draw.fix(head_dim=draw.in_turn((1, 4))).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, draw.size("tokens")), weights, (inputs,), False, 1


@batched.case(times=2)
def shorter_than_the_context(draw: Draw) -> Module:
    """sentences shorter than the context"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, draw.size("tokens") + 5), weights, (inputs,), False, 1


@batched.case(times=1)
def biased(draw: Draw) -> Module:
    """with biases"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw, bias=True)
    return settings(inputs, d_out, heads, 9, qkv_bias=True), weights, (inputs,), False, 1


@batched.case(times=1)
def single_head(draw: Draw) -> Module:
    """a single head"""
    inputs = draw.fix(heads=1).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 9, qkv_bias=False), weights, (inputs,), False, 1


@batched.case(times=1, dtypes=("float64",), hints=False)
def long_text(draw: Draw) -> Module:
    """a text of more than a thousand words"""
    # Longer than the masks that models are often given, whatever their context_length.
    draw.fix(batch=1, tokens=int(draw.rng.integers(1025, 1050)), heads=1)
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 1050), weights, (inputs,), False, 1


@batched.case(times=1, dtypes=("float64",))
def as_it_is_made(draw: Draw) -> Module:
    """a module as it is made"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, FRESH), weights, (inputs,), False, 1


@batched.case(times=1)
def one_word(draw: Draw) -> Module:
    """one word, in a context of 40"""
    inputs = draw.fix(batch=1, tokens=1).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 40), weights, (inputs,), False, 1


@batched.case(times=1, dtypes=("float64",))
def nothing_to_drop(draw: Draw) -> Module:
    """with a dropout of a billionth, in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, heads=1, head_dim=2).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    chosen = settings(inputs, d_out, heads, 6, dropout=ALMOST_NEVER)
    return chosen, weights, (inputs,), True, 24


@batched.case(times=1)
def learns_in_training(draw: Draw) -> Module:
    """in training, with a dropout of a billionth"""
    inputs = draw.tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    chosen = settings(inputs, d_out, heads, 9, dropout=ALMOST_NEVER)
    return chosen, weights, (inputs,), True, 1


@batched.case(times=1, dtypes=("float64",), hints=False)
def biases_may_be_dropped(draw: Draw) -> Module:
    """dropout=0.4 and biases, in training, called 32 times on one word"""
    inputs = draw.fix(batch=1, tokens=1, heads=1, head_dim=2).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw, bias=True)
    chosen = settings(inputs, d_out, heads, 6, dropout=0.4, qkv_bias=True)
    return chosen, weights, (inputs,), True, 32


@batched.case(times=1, dtypes=("float64",))
def words_by_themselves(draw: Draw) -> Module:
    """dropout=0.5, in training, called 200 times on two words"""
    inputs = draw.fix(batch=1, tokens=2, heads=1, head_dim=2).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 6, dropout=0.5), weights, (inputs,), True, 200


@batched.case(times=1, dtypes=("float64",))
def heads_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on one word, with two heads"""
    inputs = draw.fix(batch=1, tokens=1, heads=2, head_dim=2).tensor("batch tokens d_in")
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 6, dropout=0.4), weights, (inputs,), True, 128


@batched.case(times=1, dtypes=("float64",))
def sentences_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on two equal sentences of one word"""
    draw.fix(batch=1, tokens=1, heads=1, head_dim=2)
    inputs = draw.tensor("batch tokens d_in").repeat(2, 1, 1)
    weights, d_out, heads = drawn_batched(draw)
    return settings(inputs, d_out, heads, 6, dropout=0.4), weights, (inputs,), True, 128


batched.holds(averages_as(reference.MultiHeadAttention))
batched.holds(begins_at_random)
batched.holds(leaves_the_generator_alone)
batched.half_but_for("dropout", learns_in_training)
batched.half_but_for("the weights it begins with", as_it_is_made)
batched.half_but_for("texts of more than a thousand words", long_text)


batched.half_but_for("the biases", many_things_at_once, biased, biases_may_be_dropped)


@batched.holds
def refuses_what_does_not_divide(
    answer: Callable[..., object], sizes: Mapping[str, object], *_: object
) -> bool:
    """where num_heads does not divide d_out, as with d_out=8 and num_heads=3, the constructor
    refuses, with a ValueError or an assert
    """
    if sizes["context_length"] != FRESH:
        return True
    return all(_refuses(answer, d_out, heads) for heads, d_out in UNSHARED)


def _refuses(answer: Callable[..., object], d_out: int, heads: int) -> bool:
    try:
        answer(d_in=3, d_out=d_out, context_length=4, dropout=0.0, num_heads=heads)
    except Exception as error:
        return type(error).__name__ in ("ValueError", "AssertionError")
    return False
