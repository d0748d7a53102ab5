"""The exam of `next_token_loss`, lesson 09."""

from typing import Any

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from autograder import Draw, Exam
from companion import try_loss
from solutions import transformer as reference
from solutions.exams.printed_numbers import numbers
from solutions.exams.sixteen_bits import bfloat16_is_near

loss = Exam(
    reference.next_token_loss,
    use=try_loss,
    forbids=("companion",),
    unasked={
        "gradients": "each of its cases asks for them",
        "layout": "a last layer returns contiguous tensors, and published code relies on it",
        "single": "a text of one token has no next one",
    },
)

Call = tuple[Tensor, Tensor]


@loss.example
def one_text() -> Call:
    """a text of four tokens, three in the vocabulary"""
    return numbers(1, 4, 3), torch.tensor([[2, 0, 1, 1]])


@loss.example
def two_texts() -> Call:
    """two texts of four tokens, five in the vocabulary"""
    return numbers(2, 4, 5, start=20), torch.tensor([[2, 0, 1, 4], [3, 3, 0, 2]])


@loss.example
def square() -> Call:
    """four texts of four tokens, four in the vocabulary"""
    tokens = torch.tensor([[0, 1, 2, 3], [3, 1, 0, 2], [2, 2, 1, 0], [1, 0, 3, 1]])
    return numbers(4, 4, 4, start=50), tokens


@loss.example
def shortest() -> Call:
    """two texts of two tokens"""
    return numbers(2, 2, 3, start=9), torch.tensor([[1, 2], [0, 1]])


@loss.example
def few_kinds() -> Call:
    """two texts of five tokens, three in the vocabulary"""
    return numbers(2, 5, 3, start=30), torch.tensor([[1, 2, 2, 0, 1], [0, 1, 0, 2, 2]])


@loss.example
def certain() -> Call:
    """a model that is certain, and right once of two times"""
    logits = torch.zeros(1, 3, 3, dtype=torch.float64)
    logits[0, 0, 1] = logits[0, 1, 0] = 50.0
    return logits, torch.tensor([[0, 1, 2]])


def apart_from_the_last(logits: Tensor) -> Tensor:
    """The same logits, but for moderate ones where no loss is taken: what overflows there has other
    gradients, by whether an answer cuts them off before or after.
    """
    logits[:, -1] /= 1000
    return logits


@loss.example
def thousands() -> Call:
    """logits of some thousands"""
    return apart_from_the_last(1000 * numbers(1, 4, 3, start=70)), torch.tensor([[2, 0, 1, 1]])


def drawn(draw: Draw, scale: float = 1.0) -> Call:
    """Logits, and tokens of all kinds."""
    logits = draw.tensor("batch tokens vocabulary", scale=scale)
    below = logits.shape[-1]
    return logits, torch.from_numpy(draw.integers("batch tokens", below=below))


@loss.case
def some_texts(draw: Draw) -> Call:
    """texts drawn at random"""
    return drawn(draw)


@loss.case(times=1)
def a_single_text(draw: Draw) -> Call:
    """a single text"""
    return drawn(draw.fix(batch=1))


@loss.case(times=1)
def two_tokens(draw: Draw) -> Call:
    """texts of two tokens"""
    return drawn(draw.fix(tokens=2))


@loss.case(times=1)
def large_logits(draw: Draw) -> Call:
    """logits of some hundreds"""
    logits, tokens = drawn(draw, scale=300.0)
    return apart_from_the_last(logits), tokens


@loss.case(times=1)
def large_vocabulary(draw: Draw) -> Call:
    """a vocabulary of some hundreds of tokens, each of which is to be predicted"""
    vocabulary = 2 * int(draw.rng.integers(150, 160))
    logits, tokens = drawn(draw.fix(vocabulary=vocabulary, batch=2, tokens=vocabulary // 2 + 1))
    tokens[:, 1:] = torch.from_numpy(draw.rng.permutation(vocabulary)).view(2, -1)
    return logits, tokens


# Ids that other models have for the end of a text, or for padding.
_ENDS = (50256, 1023, 511)


@loss.case(times=1)
def vocabulary_of_gpt_2(draw: Draw) -> Call:
    """a vocabulary as large as that of GPT-2, whose last token is to be predicted"""
    logits, tokens = drawn(draw.fix(vocabulary=50257, batch=1, tokens=len(_ENDS) + 1))
    tokens[0, 1:] = torch.tensor(_ENDS)
    return logits, tokens


loss.half_but_for("one token of a large vocabulary", vocabulary_of_gpt_2)

# The vocabulary of the case that is tried in bfloat16 as well, as large as in no other.
_TRIED_TWICE = 11


@loss.case(times=1, dtypes=("float64",))
def in_bfloat16_as_well(draw: Draw) -> Call:
    """in bfloat16 as well"""
    return drawn(draw.fix(vocabulary=_TRIED_TWICE))


loss.half_but_for("16-bit floats", in_bfloat16_as_well)


# Sums of losses round many times.
loss.holds(
    bfloat16_is_near(
        "of logits in bfloat16 the loss is nearly the same, and in bfloat16",
        _TRIED_TWICE,
        rtol=0.1,
    )
)


def of_pairs(logits: Tensor, tokens: Tensor, **options: Any) -> Tensor:
    """The loss of logits and of the tokens at the same positions."""
    return cross_entropy(logits.flatten(0, 1), tokens.flatten(), **options)


def shifted(logits: Tensor, tokens: Tensor, **options: Any) -> Tensor:
    """The loss that is asked for."""
    return of_pairs(logits[:, :-1], tokens[:, 1:], **options)


def chosen(scores: Tensor, tokens: Tensor) -> Tensor:
    """Of each prediction what the next token has, (batch, tokens - 1)."""
    return scores[:, :-1].gather(-1, tokens[:, 1:, None]).squeeze(-1)
