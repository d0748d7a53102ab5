"""The exam of `EncoderBlock`, lesson 09: what it is tried on."""

from collections.abc import Callable
from typing import Any

import torch
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

encoder = Exam(reference.EncoderBlock, use=run_module, forbids=OWN_WORK)


def printed(inputs: tuple[Tensor, ...], num_heads: int, d_hidden: int) -> Case:
    d_model = inputs[0].shape[-1]
    weights = printed_weights(d_model, d_hidden)
    return settings(d_model, num_heads, d_hidden), weights, inputs, False, 1


@encoder.example
def two_sentences() -> Case:
    """two sentences of two tokens, two heads"""
    return printed((numbers(2, 2, 4),), 2, 3)


@encoder.example
def two_padded_sentences() -> Case:
    """two padded sentences of three tokens, two heads"""
    padding = torch.tensor([[0, 0, 1], [0, 1, 1]]).bool()
    return printed((numbers(2, 3, 4, start=61), padding), 2, 3)


@encoder.example
def as_many_sentences() -> Case:
    """as many padded sentences as tokens, three heads"""
    padding = torch.tensor([[0, 0, 1], [0, 0, 0], [0, 0, 1]]).bool()
    return printed((numbers(3, 3, 3, start=33), padding), 3, 2)


@encoder.example
def dropout_in_training() -> Case:
    """dropout=0.45, in training, called 80 times on one token"""
    return one_token(numbers(1, 1, 3, start=7), None, training=True)


@encoder.example
def dropout_in_use() -> Case:
    """dropout=0.45, in eval mode, called 48 times on one token"""
    return one_token(numbers(1, 1, 3, start=7), None, training=False)


def drawn(draw: Draw, num_heads: int, head_dim: int, *, padded: bool = True) -> Case:
    draw.fix(d_model=num_heads * head_dim)
    inputs = draw.tensor("batch tokens d_model")
    batch, tokens, d_model, d_hidden = draw.shape("batch tokens d_model d_hidden")
    padding = None
    if padded:
        lengths = torch.from_numpy(draw.rng.integers(1, tokens + 1, batch))
        padding = torch.arange(tokens) >= lengths[:, None]
    weights = drawn_weights(draw, d_model, d_hidden)
    return settings(d_model, num_heads, d_hidden), weights, (inputs, padding), False, 1


@encoder.case(times=2)
def drawn_padded(draw: Draw) -> Case:
    """padded sentences, three heads"""
    return drawn(draw, 3, 4)


@encoder.case(times=1)
def drawn_without_padding(draw: Draw) -> Case:
    """no padding, and no padding mask"""
    chosen, weights, inputs, _, _ = drawn(draw, 2, 5, padded=False)
    return chosen, weights, inputs[:-1], False, 1


@encoder.case(times=1)
def drawn_nothing_padded(draw: Draw) -> Case:
    """a padding mask of which nothing is padding"""
    case = drawn(draw, 2, 5)
    padding = case[2][1]
    assert padding is not None
    padding[:] = False
    return case


@encoder.case(times=1)
def drawn_much_padding(draw: Draw) -> Case:
    """sentences of which all is padding but one token, in front, at the end or between, and scores
    of tens of thousands
    """
    draw.fix(batch=3, tokens=6)
    chosen, weights, inputs, _, _ = drawn(draw, 4, 2)
    padding = inputs[1]
    assert padding is not None
    padding[:] = True
    padding[0, 0] = padding[1, -1] = padding[2, 3] = False
    return chosen, sharp(weights), inputs, False, 1


@encoder.case(times=1)
def drawn_token(draw: Draw) -> Case:
    """one sentence of one token, one head"""
    return drawn(draw.fix(batch=1, tokens=1, d_hidden=MADE_TWICE), 1, 6, padded=False)


@encoder.case(times=1, dtypes=("float32",), hints=False)
def drawn_very_long(draw: Draw) -> Case:
    """a padded text of more than 1,024 tokens"""
    tokens = 1025 + int(draw.rng.integers(50))
    return drawn(draw.fix(batch=1, tokens=tokens), 2, 2)


@encoder.case(times=1)
def drawn_training(draw: Draw) -> Case:
    """in training, with a dropout of a billionth"""
    chosen, weights, inputs, _, _ = drawn(draw, 3, 2)
    return {**chosen, "dropout": ALMOST_NEVER}, weights, inputs, True, 1


@encoder.case(times=1)
def drawn_all_dropped(draw: Draw) -> Case:
    """in training, with a dropout of 1"""
    chosen, weights, inputs, _, _ = drawn(draw, 3, 2)
    return {**chosen, "dropout": 1.0}, weights, inputs, True, 1


encoder.holds(leaves_the_generator_alone)
encoder.holds(norms_begin_with_ones)
encoder.holds(averages_as(reference.EncoderBlock))
encoder.half_but_for("dropout", drawn_training, drawn_all_dropped)


@encoder.holds
def padding_does_not_matter(
    module_class: Callable[..., Any],
    chosen: Settings,
    weights: State,
    inputs: tuple[Any, ...],
    *_: object,
) -> bool:
    """what the padding contains makes no difference to the words"""
    given, padding = (*inputs, None)[:2]
    if padding is None:
        return True
    module = module_class(**chosen)
    module.to(given.dtype)
    module.train(False)
    words = ~padding[..., None]
    other = given.masked_fill(padding[..., None], 0.5)
    changed = (module(other, padding) - module(given, padding)) * words
    return bool((changed.abs() < 1e-4).all())
