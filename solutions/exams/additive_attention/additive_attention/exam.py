"""The exam of `AdditiveAttention`, lesson 01: what it is tried on."""

import torch
from torch import Tensor

from autograder import Draw, Exam, run_module
from solutions import additive_attention as reference
from solutions.exams.additive_attention._specimens import (
    BATCH,
    LONG,
    STATE,
    W_KEY,
    W_QUERY,
    WORDS,
    V,
    draw_lengths,
)
from solutions.exams.beginnings import MADE_TWICE, leaves_the_generator_alone

LENGTHS = torch.tensor([4, 2])

Settings = dict[str, int]
Module = tuple[Settings, dict[str, Tensor], tuple[Tensor, ...]]
Trained = tuple[Settings, dict[str, Tensor], tuple[Tensor, ...], bool]

attention = Exam(reference.AdditiveAttention, use=run_module, forbids=("companion",))


@attention.example
def two_sentences_attended() -> Module:
    """two sentences, of four words and of two"""
    settings = {"query_dim": 2, "key_dim": 3, "hidden_dim": 4}
    weights = {"W_query": W_QUERY, "W_key": W_KEY, "v": V[:, None]}
    return settings, weights, (torch.stack([STATE, -STATE]), BATCH, LENGTHS)


@attention.example
def one_sentence_attended() -> Module:
    """a batch of one sentence"""
    settings: Settings = {"query_dim": 2, "key_dim": 3, "hidden_dim": 4}
    weights = {"W_query": W_QUERY, "W_key": W_KEY, "v": V[:, None]}
    return settings, weights, (STATE[None], BATCH[:1], LENGTHS[:1])


@attention.example
def one_word_attended() -> Module:
    """three sentences of one word"""
    settings: Settings = {"query_dim": 2, "key_dim": 3, "hidden_dim": 4}
    weights = {"W_query": W_QUERY, "W_key": W_KEY, "v": V[:, None]}
    # Three, so that they hold more numbers than the one sentence above: a card shows the example
    # with the fewest, and where every weight is 1 there is little to see.
    states = torch.stack([STATE, -STATE, STATE.flip(0)])
    return settings, weights, (states, BATCH[0, :3, None], torch.tensor([1, 1, 1]))


@attention.example
def square_everywhere() -> Trained:
    """three sentences of up to two words, padded to three, all widths 3, in training mode"""
    settings = {"query_dim": 3, "key_dim": 3, "hidden_dim": 3}
    weights = {"W_query": WORDS, "W_key": W_KEY[:, :3], "v": V[:3, None]}
    annotations = torch.stack([WORDS, WORDS.flip(0), -WORDS])
    return settings, weights, (WORDS.flip(1), annotations, torch.tensor([2, 1, 2])), True


@attention.example
def far_below_zero() -> Module:
    """two sentences whose words all have scores of about -120"""
    settings: Settings = {"query_dim": 2, "key_dim": 3, "hidden_dim": 4}
    # The query alone brings every hidden unit close to 1.
    weights = {
        "W_query": torch.full_like(W_QUERY, 3.0),
        "W_key": W_KEY / 4,
        "v": torch.full_like(V[:, None], -30.0),
    }
    return (
        settings,
        weights,
        (torch.ones_like(torch.stack([STATE, STATE])), BATCH.clamp(-2, 2), LENGTHS),
    )


def module_arguments(draw: Draw, scale: float = 1.0) -> Module:
    """Settings, weights and inputs of sizes that differ."""
    inputs = (
        draw.tensor("batch query_dim", scale),
        draw.tensor("batch source key_dim", scale),
        draw_lengths(draw),
    )
    settings = {name: draw.size(name) for name in ("query_dim", "key_dim", "hidden_dim")}
    weights = {
        "W_query": draw.tensor("query_dim hidden_dim"),
        "W_key": draw.tensor("key_dim hidden_dim"),
        "v": draw.tensor("hidden_dim")[:, None],
    }
    return settings, weights, inputs


@attention.case(times=2)
def drawn_module(draw: Draw) -> Module:
    """sentences drawn at random"""
    return module_arguments(draw)


@attention.case(times=1)
def all_widths_alike(draw: Draw) -> Module:
    """all widths alike"""
    return module_arguments(draw.fix(query_dim=4, key_dim=4, hidden_dim=4))


@attention.case(times=1)
def lone_sentence(draw: Draw) -> Module:
    """a batch of one sentence"""
    return module_arguments(draw.fix(batch=1))


@attention.case(times=1)
def lone_word(draw: Draw) -> Module:
    """sentences of one word"""
    return module_arguments(draw.fix(source=1))


@attention.case(times=1)
def strong_annotations(draw: Draw) -> Module:
    """annotations thirty times as large"""
    return module_arguments(draw, scale=30)


@attention.case(times=1)
def long_sentences(draw: Draw) -> Module:
    """sentences of more than a thousand positions"""
    settings, weights, (query, annotations, lengths) = module_arguments(draw.fix(source=LONG))
    lengths[0] = LONG - int(draw.rng.integers(1, 70))
    return settings, weights, (query, annotations, lengths)


@attention.case(times=1)
def made_one_after_the_other(draw: Draw) -> Module:
    """modules that are made one after the other"""
    return module_arguments(draw.fix(query_dim=MADE_TWICE))


attention.half_but_for("a seed that it sets", made_one_after_the_other)


@attention.case(times=1, dtypes=("float64",))
def still_further_below(draw: Draw) -> Module:
    """scores of tens of thousands below zero"""
    settings, weights, inputs = module_arguments(draw)
    query, annotations, lengths = inputs
    down = {name: 0.1 * weight.abs() for name, weight in weights.items()}
    down["v"] = -1e6 * (1 + weights["v"].abs())
    return settings, down, (query.abs(), annotations.abs(), lengths)


attention.half_but_for("sentences of more than a thousand positions", long_sentences)
attention.half_but_for("sentences of one word", one_word_attended, lone_word)
attention.half_but_for("a batch of one sentence", one_sentence_attended, lone_sentence)


attention.holds(leaves_the_generator_alone)
