"""The exam of `DecoderBlock`, lesson 09: what it is tried on."""

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

decoder = Exam(reference.DecoderBlock, use=run_module, forbids=OWN_WORK)


def printed(inputs: tuple[Tensor, ...], num_heads: int, d_hidden: int) -> Case:
    d_model = inputs[0].shape[-1]
    weights = printed_weights(d_model, d_hidden, parts=3)
    return settings(d_model, num_heads, d_hidden), weights, inputs, False, 1


@decoder.example
def two_sentences() -> Case:
    """two sentences of three tokens, which read two of two tokens, three heads"""
    return printed((numbers(2, 3, 3), numbers(2, 2, 3, start=30)), 3, 2)


@decoder.example
def padded_memory() -> Case:
    """two sentences of two tokens, which read two padded ones of three tokens, two heads"""
    padding = torch.tensor([[0, 0, 1], [0, 1, 1]]).bool()
    return printed((numbers(2, 2, 4, start=61), numbers(2, 3, 4, start=90), padding), 2, 3)


@decoder.example
def of_one_length() -> Case:
    """three sentences of three tokens, which read three padded ones of three tokens, three heads"""
    padding = torch.tensor([[0, 0, 1], [0, 0, 0], [0, 1, 1]]).bool()
    return printed((numbers(3, 3, 3, start=33), numbers(3, 3, 3, start=80), padding), 3, 2)


@decoder.example
def dropout_in_training() -> Case:
    """dropout=0.45, in training, called 160 times on one token, which reads one token"""
    inputs, memory = numbers(1, 1, 3, start=7), numbers(1, 1, 3, start=12)
    return one_token(inputs, memory, None, training=True, parts=3)


@decoder.example
def dropout_in_use() -> Case:
    """dropout=0.45, in eval mode, called 48 times on one token, which reads one token"""
    inputs, memory = numbers(1, 1, 3, start=7), numbers(1, 1, 3, start=12)
    return one_token(inputs, memory, None, training=False, parts=3)


def drawn(draw: Draw, num_heads: int, head_dim: int, *, padded: bool = True) -> Case:
    draw.fix(d_model=num_heads * head_dim)
    inputs, memory = draw.tensor("batch tokens d_model"), draw.tensor("batch keys d_model")
    batch, keys, d_model, d_hidden = draw.shape("batch keys d_model d_hidden")
    padding = None
    if padded:
        lengths = torch.from_numpy(draw.rng.integers(1, keys + 1, batch))
        padding = torch.arange(keys) >= lengths[:, None]
    weights = drawn_weights(draw, d_model, d_hidden, parts=3)
    given = (inputs, memory, padding)
    return settings(d_model, num_heads, d_hidden), weights, given, False, 1


@decoder.case(times=2)
def drawn_padded(draw: Draw) -> Case:
    """a padded memory of another length, three heads"""
    return drawn(draw, 3, 4)


@decoder.case(times=1)
def drawn_without_padding(draw: Draw) -> Case:
    """no padding, and no padding mask"""
    chosen, weights, inputs, _, _ = drawn(draw, 2, 5, padded=False)
    return chosen, weights, inputs[:-1], False, 1


@decoder.case(times=1)
def drawn_much_padding(draw: Draw) -> Case:
    """a memory of which all is padding but one token, in front, at the end or between, and scores
    of tens of thousands
    """
    chosen, weights, inputs, _, _ = drawn(draw.fix(batch=3, keys=6), 4, 2)
    padding = inputs[2]
    assert padding is not None
    padding[:] = True
    padding[0, 0] = padding[1, -1] = padding[2, 3] = False
    return chosen, sharp(weights), inputs, False, 1


@decoder.case(times=1)
def drawn_token(draw: Draw) -> Case:
    """one sentence of one token, one head"""
    return drawn(draw.fix(batch=1, tokens=1, d_hidden=MADE_TWICE), 1, 6, padded=False)


@decoder.case(times=1)
def drawn_key(draw: Draw) -> Case:
    """a memory of one token"""
    return drawn(draw.fix(batch=2, keys=1), 2, 3, padded=False)


@decoder.case(times=1, dtypes=("float32",), hints=False)
def drawn_very_long(draw: Draw) -> Case:
    """a text of more than 1,024 tokens"""
    # In double precision, PyTorch 2.13 misreads a float32 mask on a CPU, which is no mistake.
    tokens = 1025 + int(draw.rng.integers(50))
    return drawn(draw.fix(batch=1, tokens=tokens), 2, 2, padded=False)


@decoder.case(times=1, hints=False)
def drawn_long_memory(draw: Draw) -> Case:
    """a padded memory of more than 1,024 tokens"""
    return drawn(draw.fix(batch=1, keys=1025 + int(draw.rng.integers(50))), 2, 2)


@decoder.case(times=1)
def drawn_training(draw: Draw) -> Case:
    """in training, with a dropout of a billionth"""
    chosen, weights, inputs, _, _ = drawn(draw, 3, 2)
    return {**chosen, "dropout": ALMOST_NEVER}, weights, inputs, True, 1


@decoder.case(times=1)
def drawn_all_dropped(draw: Draw) -> Case:
    """in training, with a dropout of 1"""
    chosen, weights, inputs, _, _ = drawn(draw, 3, 2)
    return {**chosen, "dropout": 1.0}, weights, inputs, True, 1


decoder.holds(leaves_the_generator_alone)
decoder.holds(norms_begin_with_ones)
decoder.holds(averages_as(reference.DecoderBlock))
decoder.half_but_for("dropout", drawn_training, drawn_all_dropped)


@decoder.holds
def past_does_not_see_the_future(
    module_class: Callable[..., Any],
    chosen: Settings,
    weights: State,
    inputs: tuple[Any, ...],
    *_: object,
) -> bool:
    """if the last token changes, nothing changes before it"""
    given, memory, padding = (*inputs, None)[:3]
    module = module_class(**chosen)
    module.to(given.dtype)
    module.train(False)
    other = given.clone()
    other[:, -1] = 1 - other[:, -1]
    changed = module(other, memory, padding) - module(given, memory, padding)
    return bool((changed[:, :-1].abs() < 1e-4).all())
