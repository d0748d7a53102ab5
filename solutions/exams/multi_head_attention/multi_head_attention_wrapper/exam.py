"""The exam of `MultiHeadAttentionWrapper`, lesson 05: what it is tried on."""

from torch import Tensor

from autograder import Draw, Exam, run_module
from solutions import multi_head_attention as reference
from solutions.exams.beginnings import FRESH, begins_at_random, leaves_the_generator_alone
from solutions.exams.dropout_rates import ALMOST_NEVER, averages_as
from solutions.exams.multi_head_attention._specimens import (
    PROJECTIONS,
    TWO_SENTENCES,
    Module,
    State,
    mixed,
    settings,
)

loop = Exam(reference.MultiHeadAttentionWrapper, use=run_module)


def loop_weights(d_in: int, d_out: int, heads: int, *, bias: bool = False) -> State:
    found = {}
    for h in range(heads):
        for n, name in enumerate(PROJECTIONS):
            found[f"heads.{h}.{name}"] = mixed(d_in, d_out, seed=10 * h + n)
            if bias:
                found[f"heads.{h}.{name}.bias"] = mixed(d_out, seed=10 * h + n + 5)
    return found


@loop.example
def two_heads_of_two() -> Module:
    """one sentence of two words, two heads with two features each"""
    inputs = TWO_SENTENCES[:1, :2]
    return settings(inputs, 2, 2, 6), loop_weights(3, 2, 2), (inputs,), False, 1


@loop.example
def three_biased_heads() -> Module:
    """two sentences, three heads, with qkv_bias=True and dropout=0.5, in eval mode"""
    inputs = TWO_SENTENCES[:, :3]
    chosen = settings(inputs, 2, 3, 6, dropout=0.5, qkv_bias=True)
    return chosen, loop_weights(3, 2, 3, bias=True), (inputs,), False, 2


@loop.example
def loop_dropout() -> Module:
    """dropout=0.4, in training, called 64 times on one word"""
    # Wide, since the smallest case that fails is shown; not 0.5, which is both dropped and kept.
    inputs = mixed(1, 1, 8, seed=42)
    return settings(inputs, 2, 2, 6, dropout=0.4), loop_weights(8, 2, 2), (inputs,), True, 64


def drawn_loop(draw: Draw, heads: int) -> dict[str, Tensor]:
    """The projections of each head."""
    names = [f"heads.{h}.{name}" for h in range(heads) for name in PROJECTIONS]
    return {name: draw.tensor("d_in d_out") for name in names}


@loop.case
def drawn_heads(draw: Draw) -> Module:
    """heads drawn at random, or a single one"""
    heads, d_out = draw.in_turn(((4, 1), (1, 3), (2, 5)))
    inputs = draw.fix(d_out=d_out).tensor("batch tokens d_in")
    chosen = settings(inputs, d_out, heads, 9, qkv_bias=False)
    return chosen, drawn_loop(draw, heads), (inputs,), False, 1


@loop.case(times=1)
def drawn_biased_heads(draw: Draw) -> Module:
    """three heads with biases"""
    inputs, d_out = draw.fix(heads=3).tensor("batch tokens d_in"), draw.size("d_out")
    biases = {f"{name}.bias": draw.tensor("d_out") for name in drawn_loop(draw, 3)}
    weights = drawn_loop(draw, 3) | biases
    return settings(inputs, d_out, 3, 9, qkv_bias=True), weights, (inputs,), False, 1


@loop.case(times=1, dtypes=("float64",))
def nothing_to_drop(draw: Draw) -> Module:
    """with a dropout of a billionth, in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, heads=2).tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 2, 9, dropout=ALMOST_NEVER)
    return chosen, drawn_loop(draw, 2), (inputs,), True, 64


@loop.case(times=1)
def learns_in_training(draw: Draw) -> Module:
    """in training, with a dropout of a billionth"""
    inputs = draw.fix(heads=2).tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 2, 9, dropout=ALMOST_NEVER)
    return chosen, drawn_loop(draw, 2), (inputs,), True, 1


@loop.case(times=1, dtypes=("float64",))
def words_by_themselves(draw: Draw) -> Module:
    """dropout=0.5, in training, called 200 times on two words"""
    inputs = draw.fix(batch=1, tokens=2, heads=1).tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 1, 9, dropout=0.5)
    return chosen, drawn_loop(draw, 1), (inputs,), True, 200


@loop.case(times=1, dtypes=("float64",))
def sentences_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on two equal sentences of one word"""
    draw.fix(batch=1, tokens=1, heads=1)
    inputs = draw.tensor("batch tokens d_in").repeat(2, 1, 1)
    chosen = settings(inputs, draw.size("d_out"), 1, 9, dropout=0.4)
    return chosen, drawn_loop(draw, 1), (inputs,), True, 128


@loop.case(times=1, dtypes=("float64",))
def as_it_is_made(draw: Draw) -> Module:
    """three heads as they are made"""
    inputs = draw.fix(heads=3).tensor("batch tokens d_in")
    return settings(inputs, draw.size("d_out"), 3, FRESH), drawn_loop(draw, 3), (inputs,), False, 1


loop.holds(averages_as(reference.MultiHeadAttentionWrapper))
loop.holds(begins_at_random)
loop.holds(leaves_the_generator_alone)
loop.half_but_for("dropout", learns_in_training)
loop.half_but_for("the weights it begins with", as_it_is_made)
