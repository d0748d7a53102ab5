"""The exam of `CrossAttention`, lesson 05: what it is tried on."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from autograder import Draw, Exam, run_module
from companion.beside import made_beside
from companion.trials.training_trials import copy_of
from solutions import multi_head_attention as reference
from solutions.exams import beginnings
from solutions.exams.dropout_rates import ALMOST_NEVER, averages_as
from solutions.exams.multi_head_attention._specimens import (
    PROJECTIONS,
    Module,
    Settings,
    State,
    batched_weights,
    far_below_zero,
    mixed,
    padded_anywhere,
    padded_at_the_end,
)

cross = Exam(reference.CrossAttention, use=run_module)


def cross_settings(
    decoder: Tensor, encoder: Tensor, d_out: int, heads: int, **others: object
) -> Settings:
    sizes = {"d_decoder": decoder.shape[-1], "d_encoder": encoder.shape[-1], "d_out": d_out}
    return {**sizes, "dropout": 0.0, "num_heads": heads, **others}


def cross_weights(d_decoder: int, d_encoder: int, d_out: int, *, bias: bool = False) -> State:
    found = batched_weights(d_encoder, d_out, bias=bias)
    return {**found, "W_query": mixed(d_decoder, d_out, seed=70)}


DECODER = mixed(2, 2, 2, seed=71)
ENCODER = mixed(2, 3, 3, seed=72)
PADDING = torch.tensor([[0, 0, 0], [0, 1, 1]]).bool()


@cross.example
def two_queries_three_keys() -> Module:
    """two queries, three keys, two of them padding in one sentence"""
    return (
        cross_settings(DECODER, ENCODER, 4, 2),
        cross_weights(2, 3, 4),
        (DECODER, ENCODER, PADDING),
        False,
        1,
    )


@cross.example
def nothing_padded() -> Module:
    """no padding mask, three heads, with qkv_bias=True"""
    # No two sizes are equal: the root of each of them is another one.
    decoder, encoder = mixed(1, 4, 5, seed=73) / 2, mixed(1, 7, 8, seed=78) / 2
    chosen = cross_settings(decoder, encoder, 6, 3, qkv_bias=True)
    return chosen, cross_weights(5, 8, 6, bias=True), (decoder, encoder, None), False, 1


@cross.example
def all_padded() -> Module:
    """a sentence that is all padding"""
    padding = torch.tensor([[0, 0, 1], [1, 1, 1]]).bool()
    chosen = cross_settings(DECODER, ENCODER, 4, 2)
    return chosen, cross_weights(2, 3, 4), (DECODER, ENCODER, padding), False, 1


@cross.example
def as_many_queries_as_keys() -> Module:
    """three queries and three keys of the same width"""
    decoder = mixed(2, 3, 3, seed=74)
    chosen = cross_settings(decoder, ENCODER, 6, 2)
    return chosen, cross_weights(3, 3, 6), (decoder, ENCODER, PADDING), False, 1


@cross.example
def far_from_zero() -> Module:
    """scores far below zero; one key of the second sentence is of zeros, whose scores are 0, and in
    the third the padding has the highest
    """
    lengths = ((1, 2, 3), (0, 1, 2), (3, 2, 1))
    sentences = [far_below_zero((1, 2), sizes, 3, seed=77) for sizes in lengths]
    decoder, encoder = (torch.cat(parts) for parts in zip(*sentences, strict=True))
    weights = cross_weights(3, 3, 8)
    weights["W_key"] = weights["W_query"]
    padding = torch.tensor([[0, 1, 1], [0, 0, 1], [0, 0, 1]]).bool()
    chosen = cross_settings(decoder, encoder, 8, 2)
    return chosen, weights, (decoder, encoder, padding), False, 2


# One head of two features: 32 calls show all that dropout can do to them, whatever the random
# numbers. And not 0.5, which is both dropped and kept.
def one_key(*, dropout: float, training: bool) -> Module:
    decoder, encoder = mixed(1, 1, 6, seed=75), mixed(1, 1, 7, seed=76)
    chosen = cross_settings(decoder, encoder, 2, 1, dropout=dropout)
    calls = 32 if training else 24
    return chosen, cross_weights(6, 7, 2), (decoder, encoder, None), training, calls


@cross.example
def cross_dropout() -> Module:
    """dropout=0.4, in training, called 32 times on one key"""
    return one_key(dropout=0.4, training=True)


@cross.example
def dropout_in_use() -> Module:
    """dropout=0.4, in eval mode, called 24 times on one key"""
    return one_key(dropout=0.4, training=False)


def drawn_cross(
    draw: Draw, *, bias: bool = False, head_dim: int = 3
) -> tuple[Tensor, Tensor, State, int, int]:
    """Decoder, encoder, weights, d_out and the number of heads."""
    draw.fix(head_dim=head_dim)
    batch, queries, keys, d_decoder, d_encoder, heads = draw.shape(
        "batch queries keys d_decoder d_encoder heads"
    )
    d_out, rng = heads * head_dim, draw.rng

    def tensor(*shape: int) -> Tensor:
        return torch.from_numpy(rng.normal(0, 0.6, shape))

    weights = {
        "W_query": tensor(d_decoder, d_out),
        "W_key": tensor(d_encoder, d_out),
        "W_value": tensor(d_encoder, d_out),
    }
    if bias:
        weights |= {f"{name}.bias": tensor(d_out) for name in PROJECTIONS}
    weights |= {"out_proj": tensor(d_out, d_out), "out_proj.bias": tensor(d_out)}
    return tensor(batch, queries, d_decoder), tensor(batch, keys, d_encoder), weights, d_out, heads


@cross.case(times=3)
def drawn_reading(draw: Draw) -> Module:
    """sequences of different lengths and widths, padded"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw, head_dim=draw.in_turn((1, 3, 4)))
    padding = padded_at_the_end(encoder, draw)
    inputs = (decoder, encoder, padding)
    return cross_settings(decoder, encoder, d_out, heads), weights, inputs, False, 1


@cross.case(times=1)
def drawn_padding_in_front(draw: Draw) -> Module:
    """padding in front of real tokens, and between them"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    inputs = (decoder, encoder, padded_anywhere(encoder, draw))
    return cross_settings(decoder, encoder, d_out, heads), weights, inputs, False, 1


@cross.case(times=1)
def drawn_without_padding(draw: Draw) -> Module:
    """no padding mask, with biases"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw, bias=True)
    chosen = cross_settings(decoder, encoder, d_out, heads, qkv_bias=True)
    return chosen, weights, (decoder, encoder, None), False, 1


@cross.case(times=1)
def two_sequences_alone(draw: Draw) -> Module:
    """called with two sequences and nothing else, a single head"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw.fix(heads=1))
    # A token of zeros is no padding.
    encoder[:, 0] = 0
    return cross_settings(decoder, encoder, d_out, heads), weights, (decoder, encoder), False, 1


@cross.case(times=2)
def drawn_all_padded(draw: Draw) -> Module:
    """one sentence that is all padding, in evaluation and in training"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    padding = padded_at_the_end(encoder, draw)
    padding[-1] = True
    inputs = (decoder, encoder, padding)
    training = draw.in_turn((False, True))
    return cross_settings(decoder, encoder, d_out, heads), weights, inputs, training, 1


# The encoder's features in the case that is called with padding first, and in no other.
PADDED_BEFORE = 13
MADE_TWICE = beginnings.MADE_TWICE


@cross.case(times=1, dtypes=("float64",))
def padded_before(draw: Draw) -> Module:
    """no padding mask after a call with one"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw.fix(d_encoder=PADDED_BEFORE))
    return cross_settings(decoder, encoder, d_out, heads), weights, (decoder, encoder), False, 1


@cross.case(times=1, dtypes=("float64",))
def made_one_after_the_other(draw: Draw) -> Module:
    """modules that are made one after the other"""
    # A size that is drawn may be this one, two equal ones are not.
    draw.fix(d_decoder=MADE_TWICE, d_encoder=MADE_TWICE)
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    return cross_settings(decoder, encoder, d_out, heads), weights, (decoder, encoder), False, 1


@cross.holds
def padding_is_not_kept(
    module_class: Callable[..., Any],
    settings: Settings,
    weights: State,
    inputs: tuple[Tensor, ...],
    *_: object,
) -> bool:
    """without padding, it returns the same after a call with padding as at first"""
    if settings["d_encoder"] != PADDED_BEFORE:
        return True
    fresh, used = (module_class(**settings).to(inputs[0].dtype) for _ in range(2))
    decoder, encoder = inputs
    alone = fresh(decoder, encoder, None)
    used.load_state_dict(fresh.state_dict())
    padding = torch.zeros(encoder.shape[:2], dtype=torch.bool)
    padding[:, -1] = True
    used(decoder, encoder, padding)
    return torch.allclose(used(decoder, encoder, None), alone, rtol=1e-4, atol=1e-5)


@cross.holds
def padding_may_be_used_again(
    module_class: Callable[..., Any],
    settings: Settings,
    weights: State,
    inputs: tuple[Any, ...],
    *_: object,
) -> bool:
    """called again with the same padding tensor, it returns the same"""
    decoder, encoder, *masks = inputs
    if not masks or masks[0] is None or settings["dropout"] not in (0.0, ALMOST_NEVER):
        return True
    # Beside the answer, so that it is the same one wherever the answer is.
    padding = made_beside(module_class, copy_of, masks[0])
    module = module_class(**settings).to(decoder.dtype)
    first, second = (module(decoder, encoder, padding) for _ in range(2))
    return torch.allclose(first, second, rtol=1e-4, atol=1e-5)


@cross.holds
def biases_are_hidden_as_well(
    module_class: Callable[..., Any],
    settings: Settings,
    weights: State,
    inputs: tuple[Any, ...],
    *_: object,
) -> bool:
    """of a sentence that is all padding, `out_proj` receives zeros with qkv_bias=True, too"""
    decoder, encoder, *masks = inputs
    # Where who gets such a sentence wrong is wrong already: it is worth half by itself.
    if not masks or masks[0] is None or not masks[0].all(dim=1).any():
        return True
    module = module_class(**{**settings, "qkv_bias": True}).to(decoder.dtype)
    output = module(decoder, encoder, torch.ones_like(masks[0]))
    zeros_become = module.state_dict().get("out_proj.bias", output)
    return torch.allclose(output, zeros_become.expand_as(output), rtol=1e-4, atol=1e-5)


@cross.holds
def leaves_the_generator_alone(
    module_class: Callable[..., Any],
    settings: Settings,
    weights: State,
    inputs: tuple[Tensor, ...],
    *_: object,
) -> bool:
    """neither making nor calling a module seeds PyTorch's random numbers"""
    if not settings["d_decoder"] == settings["d_encoder"] == MADE_TWICE:
        return True
    return beginnings.seeds_nothing(module_class, settings, inputs)


@cross.case(times=1)
def equal_lengths_and_widths(draw: Draw) -> Module:
    """both sequences of one length and one width, as many sentences as tokens"""
    draw.fix(batch=4, queries=4, keys=4, d_decoder=5, d_encoder=5)
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    padding = padded_at_the_end(encoder, draw)
    chosen = cross_settings(decoder, encoder, d_out, heads, qkv_bias=False)
    return chosen, weights, (decoder, encoder, padding), False, 1


def in_training(draw: Draw, rate: float, calls: int, copies: int = 1, **sizes: int) -> Module:
    """Called often on so few pairs, of one sentence or of equal ones, that each outcome is seen."""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw.fix(batch=1, **sizes))
    chosen = cross_settings(decoder, encoder, d_out, heads, dropout=rate)
    inputs = (decoder.repeat(copies, 1, 1), encoder.repeat(copies, 1, 1), None)
    return chosen, weights, inputs, True, calls


@cross.case(times=1, dtypes=("float64",))
def nothing_to_drop(draw: Draw) -> Module:
    """with a dropout of a billionth, in training, on one key"""
    return in_training(draw, ALMOST_NEVER, 24, queries=1, keys=1, heads=1)


@cross.case(times=1)
def learns_in_training(draw: Draw) -> Module:
    """padded, in training, with a dropout of a billionth"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw)
    chosen = cross_settings(decoder, encoder, d_out, heads, dropout=ALMOST_NEVER)
    inputs = (decoder, encoder, padded_at_the_end(encoder, draw))
    return chosen, weights, inputs, True, 1


@cross.case(times=1, dtypes=("float64",))
def padded_in_use(draw: Draw) -> Module:
    """dropout=0.4, in eval mode, called 32 times on one key and one that is padding"""
    draw.fix(batch=1, queries=1, keys=2, heads=1)
    decoder, encoder, weights, d_out, heads = drawn_cross(draw, head_dim=2)
    chosen = cross_settings(decoder, encoder, d_out, heads, dropout=0.4)
    # So few that the same calls in training show all that dropout can do, too.
    return chosen, weights, (decoder, encoder, torch.tensor([[False, True]])), False, 32


@cross.case(times=1)
def padded_with_biases(draw: Draw) -> Module:
    """with biases, padded"""
    decoder, encoder, weights, d_out, heads = drawn_cross(draw, bias=True)
    padding = padded_at_the_end(encoder, draw)
    chosen = cross_settings(decoder, encoder, d_out, heads, qkv_bias=True)
    return chosen, weights, (decoder, encoder, padding), False, 1


@cross.case(times=1, dtypes=("float64",), hints=False)
def biases_may_be_dropped(draw: Draw) -> Module:
    """dropout=0.4 and biases, in training, called 32 times on one key"""
    draw.fix(batch=1, queries=1, keys=1, heads=1)
    decoder, encoder, weights, d_out, heads = drawn_cross(draw, bias=True, head_dim=2)
    chosen = cross_settings(decoder, encoder, d_out, heads, dropout=0.4, qkv_bias=True)
    return chosen, weights, (decoder, encoder, None), True, 32


@cross.case(times=1, dtypes=("float64",))
def words_by_themselves(draw: Draw) -> Module:
    """dropout=0.5, in training, called 330 times on two queries and two keys"""
    return in_training(draw, 0.5, 330, queries=2, keys=2, heads=1)


@cross.case(times=1, dtypes=("float64",))
def heads_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on one key, with two heads"""
    return in_training(draw, 0.4, 128, queries=1, keys=1, heads=2)


@cross.case(times=1, dtypes=("float64",))
def sentences_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on two equal sentences with one key each"""
    return in_training(draw, 0.4, 128, copies=2, queries=1, keys=1, heads=1)


cross.holds(averages_as(reference.CrossAttention))
cross.half_but_for("dropout", learns_in_training, padded_in_use)
cross.half_but_for("padding of an earlier call", padded_before)
cross.half_but_for("a seed that it sets", made_one_after_the_other)


cross.half_but_for("a sentence that is all padding", all_padded, drawn_all_padded)
cross.half_but_for(
    "the biases",
    nothing_padded,
    drawn_without_padding,
    padded_with_biases,
    biases_may_be_dropped,
)
