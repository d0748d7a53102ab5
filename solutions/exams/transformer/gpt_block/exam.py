"""The exam of `GPTBlock`, lesson 09: what it is tried on."""

from collections.abc import Callable
from typing import Any

from torch import Tensor

from autograder import Draw, Exam, run_module
from solutions import transformer as reference
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone
from solutions.exams.dropout_rates import ALMOST_NEVER, averages_as
from solutions.exams.printed_numbers import numbers
from solutions.exams.transformer._blocks import (
    OWN_WORK,
    Case,
    Settings,
    State,
    drawn_weights,
    norms_begin_with_ones,
    one_token,
    printed_weights,
    settings,
    sharp,
)

gpt = Exam(reference.GPTBlock, use=run_module, forbids=OWN_WORK)


def printed(inputs: Tensor, num_heads: int, d_hidden: int) -> Case:
    d_model = inputs.shape[-1]
    weights = printed_weights(d_model, d_hidden)
    return settings(d_model, num_heads, d_hidden), weights, (inputs,), False, 1


@gpt.example
def two_sentences() -> Case:
    """two sentences of three tokens, two heads"""
    return printed(numbers(2, 3, 4), 2, 3)


@gpt.example
def as_many_sentences() -> Case:
    """as many sentences as tokens, three heads"""
    return printed(numbers(3, 3, 3, start=31), 3, 2)


@gpt.example
def large_features() -> Case:
    """features ten times as large"""
    return printed(10 * numbers(1, 2, 3, start=61), 1, 2)


@gpt.example
def dropout_in_training() -> Case:
    """dropout=0.45, in training, called 80 times on one token"""
    return one_token(numbers(1, 1, 3, start=7), training=True)


@gpt.example
def dropout_in_use() -> Case:
    """dropout=0.45, in eval mode, called 48 times on one token"""
    return one_token(numbers(1, 1, 3, start=7), training=False)


def drawn(draw: Draw, num_heads: int, head_dim: int, scale: float = 1.0) -> Case:
    draw.fix(d_model=num_heads * head_dim)
    inputs = draw.tensor("batch tokens d_model", scale=scale)
    d_model, d_hidden = draw.shape("d_model d_hidden")
    weights = drawn_weights(draw, d_model, d_hidden)
    return settings(d_model, num_heads, d_hidden), weights, (inputs,), False, 1


@gpt.case(times=2)
def drawn_sentences(draw: Draw) -> Case:
    """a batch of sentences, three heads"""
    return drawn(draw, 3, 4)


@gpt.case(times=1)
def drawn_token(draw: Draw) -> Case:
    """one sentence of one token, one head"""
    return drawn(draw.fix(batch=1, tokens=1, d_hidden=MADE_TWICE), 1, 6)


@gpt.case(times=1)
def drawn_long(draw: Draw) -> Case:
    """a longer sentence, four heads"""
    # From eight tokens on, PyTorch 2.13 misreads a float32 mask beside float64 numbers on a CPU.
    return drawn(draw.fix(batch=1, tokens=7), 4, 2)


@gpt.case(times=1)
def drawn_large(draw: Draw) -> Case:
    """features thirty times as large, and scores of tens of thousands"""
    chosen, weights, inputs, _, _ = drawn(draw, 2, 3, scale=30)
    return chosen, sharp(weights), inputs, False, 1


@gpt.case(times=1, dtypes=("float32",), hints=False)
def drawn_very_long(draw: Draw) -> Case:
    """a text of more than 1,024 tokens"""
    # In double precision, PyTorch 2.13 misreads a float32 mask on a CPU, which is no mistake.
    tokens = 1025 + int(draw.rng.integers(50))
    return drawn(draw.fix(batch=1, tokens=tokens), 2, 2)


@gpt.case(times=1)
def drawn_training(draw: Draw) -> Case:
    """in training, with a dropout of a billionth"""
    chosen, weights, inputs, _, _ = drawn(draw, 3, 2)
    return {**chosen, "dropout": ALMOST_NEVER}, weights, inputs, True, 1


@gpt.case(times=1)
def drawn_all_dropped(draw: Draw) -> Case:
    """in training, with a dropout of 1"""
    chosen, weights, inputs, _, _ = drawn(draw, 3, 2)
    return {**chosen, "dropout": 1.0}, weights, inputs, True, 1


gpt.holds(leaves_the_generator_alone)
gpt.holds(norms_begin_with_ones)
gpt.holds(averages_as(reference.GPTBlock))
gpt.half_but_for("dropout", drawn_training, drawn_all_dropped)


@gpt.holds
def past_does_not_see_the_future(
    module_class: Callable[..., Any],
    chosen: Settings,
    weights: State,
    inputs: tuple[Tensor],
    *_: object,
) -> bool:
    """if the last token changes, nothing changes before it"""
    (given,) = inputs
    module = module_class(**chosen)
    module.to(given.dtype)
    module.train(False)
    other = given.clone()
    other[:, -1] = 1 - other[:, -1]
    changed = (module(other) - module(given))[:, :-1]
    return bool((changed.abs() <= 1e-4 * (1 + given[:, :-1].abs())).all())
