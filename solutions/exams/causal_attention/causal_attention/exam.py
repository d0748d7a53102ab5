"""The exam of `CausalAttention`, lesson 04: what it is tried on."""

from collections.abc import Mapping

import torch

from autograder import Draw, Exam, run_module
from solutions import causal_attention as reference
from solutions.exams.beginnings import FRESH, begins_at_random, leaves_the_generator_alone
from solutions.exams.causal_attention._specimens import TWO_SENTENCES
from solutions.exams.dropout_rates import ALMOST_NEVER, averages_as

module = Exam(reference.CausalAttention, use=run_module, forbids=("companion",))

Settings = Mapping[str, object]
Module = tuple[Settings, Mapping[str, torch.Tensor], tuple[torch.Tensor], bool, int]
Buffered = tuple[*Module, tuple[int, int]]

PROJECTIONS = ("W_query", "W_key", "W_value")


def settings(inputs: torch.Tensor, d_out: int, context_length: int, **others: object) -> Settings:
    """The keywords of the class for these inputs."""
    sizes = {"d_in": inputs.shape[-1], "d_out": d_out, "context_length": context_length}
    return {**sizes, "dropout": 0.0, **others}


def printed_weights(*, bias: bool = False) -> dict[str, torch.Tensor]:
    """Projections from 3 to 2 features, with short numbers."""
    numbers = {
        "W_query": [[2.0, -1.0], [-1.5, 1.0], [0.5, 2.0]],
        "W_key": [[-1.0, 2.0], [2.5, 0.5], [1.0, -2.0]],
        "W_value": [[1.0, 3.0], [-2.0, 1.0], [0.5, -1.0]],
    }
    biases = {"W_query": [0.5, -1.0], "W_key": [1.0, 0.5], "W_value": [-0.5, 2.0]}
    found = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in numbers.items()}
    if bias:
        for name, row in biases.items():
            found[f"{name}.bias"] = torch.tensor(row, dtype=torch.float64)
    return found


@module.example
def two_sentences() -> Buffered:
    """two sentences of six words, and the mask for six"""
    return settings(TWO_SENTENCES, 2, 6), printed_weights(), (TWO_SENTENCES,), False, 1, (6, 6)


@module.example
def shorter_sentence() -> Module:
    """a shorter sentence, of two words"""
    inputs = TWO_SENTENCES[1:, :2]
    return settings(inputs, 2, 6), printed_weights(), (inputs,), False, 1


@module.example
def with_biases() -> Module:
    """with qkv_bias=True"""
    inputs = TWO_SENTENCES[1:, 1:5]
    chosen = settings(inputs, 2, 6, qkv_bias=True)
    return chosen, printed_weights(bias=True), (inputs,), False, 1


@module.example
def far_from_zero() -> Module:
    """scores far below zero; in the second sentence one key is of zeros, whose scores are 0"""
    # No score is above zero, and a later word has a lower one. All of them are exact in float32:
    # scores as far as these forgive no rounding.
    sizes = torch.tensor([[1, 2, 3], [0, 1, 2]]).double()
    inputs = sizes[..., None] * torch.tensor([1.0, -2.0, 1.5]).double()
    asking = torch.tensor([[1.0], [-1.0], [0.5]]).double()
    values = printed_weights()["W_value"][:, :1]
    weights = {"W_query": asking, "W_key": -4096 * asking, "W_value": values}
    return settings(inputs, 1, 6), weights, (inputs,), False, 2


@module.example
def dropout_in_use() -> Module:
    """dropout=0.25, in eval mode, called 24 times on one word"""
    inputs = TWO_SENTENCES[:1, :1]
    return settings(inputs, 2, 6, dropout=0.25), printed_weights(), (inputs,), False, 24


@module.example
def dropout_in_training() -> Module:
    """dropout=0.5, in training, called 128 times on two words"""
    inputs = TWO_SENTENCES[:1, :2]
    return settings(inputs, 2, 6, dropout=0.5), printed_weights(), (inputs,), True, 128


@module.example
def another_dropout() -> Module:
    """dropout=0.25 and biases, in training, called 64 times on one word"""
    inputs = TWO_SENTENCES[:1, :1]
    chosen = settings(inputs, 2, 6, dropout=0.25, qkv_bias=True)
    # The biases are many numbers: a case without dropout is smaller, and is shown first.
    return chosen, printed_weights(bias=True), (inputs,), True, 64


@module.example
def mask_kept() -> Buffered:
    """two words far apart, and the mask for nine"""
    # The first word's score for the second is so far above its own that this is rounded to 0.
    inputs = torch.tensor([[[1.0, 0, 0], [0, 400, 0]]]).double()
    return settings(inputs, 2, 9), printed_weights(), (inputs,), False, 1, (9, 9)


def drawn_weights(draw: Draw, *, bias: bool = False) -> dict[str, torch.Tensor]:
    found = {name: draw.tensor("d_in d_out") for name in PROJECTIONS}
    if bias:
        found |= {f"{name}.bias": draw.tensor("d_out") for name in PROJECTIONS}
    return found


@module.case(times=2)
def full_length(draw: Draw) -> Module:
    """sentences as long as the context"""
    inputs = draw.tensor("batch tokens d_in")
    d_out, tokens = draw.size("d_out"), draw.size("tokens")
    return settings(inputs, d_out, tokens), drawn_weights(draw), (inputs,), False, 1


@module.case(times=2)
def shorter_than_the_context(draw: Draw) -> Module:
    """sentences shorter than the context"""
    inputs = draw.tensor("batch tokens d_in")
    d_out, longest = draw.size("d_out"), draw.size("tokens") + 5
    # The other cases without biases leave the option out.
    chosen = settings(inputs, d_out, longest, qkv_bias=False)
    return chosen, drawn_weights(draw), (inputs,), False, 1


@module.case(times=1, dtypes=("float64",), hints=False)
def long_text(draw: Draw) -> Module:
    """a text of more than a thousand words"""
    # Longer than the masks that models are often given, whatever their context_length.
    draw.fix(batch=1, tokens=int(draw.rng.integers(1025, 1050)))
    inputs = draw.tensor("batch tokens d_in")
    return settings(inputs, draw.size("d_out"), 1050), drawn_weights(draw), (inputs,), False, 1


@module.case(times=1, dtypes=("float64",))
def as_it_is_made(draw: Draw) -> Module:
    """a module as it is made"""
    inputs = draw.tensor("batch tokens d_in")
    return settings(inputs, draw.size("d_out"), FRESH), drawn_weights(draw), (inputs,), False, 1


@module.case(times=1)
def one_word_of_one_sentence(draw: Draw) -> Module:
    """one sentence of one word"""
    inputs = draw.fix(batch=1, tokens=1).tensor("batch tokens d_in")
    return settings(inputs, draw.size("d_out"), 40), drawn_weights(draw), (inputs,), False, 1


@module.case(times=1)
def biased(draw: Draw) -> Module:
    """with biases"""
    inputs = draw.tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 8, qkv_bias=True)
    return chosen, drawn_weights(draw, bias=True), (inputs,), False, 1


@module.case(times=1)
def sharp_attention(draw: Draw) -> Module:
    """inputs ten times as large"""
    # Called twice, so that no gradients are asked for: where nearly all the weight is on one word,
    # those of queries and keys are nothing but rounding.
    inputs = draw.tensor("batch tokens d_in", scale=10)
    return settings(inputs, draw.size("d_out"), 9), drawn_weights(draw), (inputs,), False, 2


@module.case(times=1, dtypes=("float64",))
def nothing_to_drop(draw: Draw) -> Module:
    """with a dropout of a billionth, in training, on one word"""
    inputs = draw.fix(batch=1, tokens=1, d_out=2).tensor("batch tokens d_in")
    chosen = settings(inputs, 2, 7, dropout=ALMOST_NEVER)
    return chosen, drawn_weights(draw), (inputs,), True, 24


@module.case(times=1)
def learns_in_training(draw: Draw) -> Module:
    """in training, with a dropout of a billionth"""
    inputs = draw.tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 9, dropout=ALMOST_NEVER)
    return chosen, drawn_weights(draw), (inputs,), True, 1


@module.case(times=1, dtypes=("float64",))
def sentences_by_themselves(draw: Draw) -> Module:
    """dropout=0.4, in training, called 128 times on two equal sentences of one word"""
    inputs = draw.fix(batch=1, tokens=1, d_out=2).tensor("batch tokens d_in").repeat(2, 1, 1)
    return settings(inputs, 2, 7, dropout=0.4), drawn_weights(draw), (inputs,), True, 128


@module.case(times=1)
def mask_for_many(draw: Draw) -> Buffered:
    """the mask for eleven words"""
    inputs = draw.tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 11)
    return chosen, drawn_weights(draw), (inputs,), False, 1, (11, 11)


module.holds(averages_as(reference.CausalAttention))
module.holds(begins_at_random)
module.holds(leaves_the_generator_alone)
module.half_but_for("dropout", learns_in_training)
module.half_but_for("the weights it begins with", as_it_is_made)
module.half_but_for("texts of more than a thousand words", long_text)


module.half_but_for("the biases", with_biases, another_dropout, biased)
