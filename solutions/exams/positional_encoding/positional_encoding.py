"""The exam of `PositionalEncoding`, lesson 06."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from autograder import Draw, Exam
from companion import sinusoids, try_module
from solutions import positional_encoding as reference
from solutions.exams.beginnings import seeds_nothing
from solutions.exams.positional_encoding._specimens import (
    FEW_TOKENS,
    WAVES,
    encoding_learns_in_evaluation,
    every_angle,
    refuse_odd,
)

module = Exam(reference.PositionalEncoding, use=try_module, tolerance=WAVES)

Given = tuple[int, int, Tensor]

# The context_length of a case in which the module has been called before, and of no other.
AFTERWARDS = 31


@module.example
def two_short_sentences() -> Given:
    """two sentences of three tokens, where five are allowed"""
    return 4, 5, FEW_TOKENS


@module.example
def as_long_as_allowed() -> Given:
    """a sentence as long as is allowed"""
    return 4, 3, FEW_TOKENS[:1]


@module.example
def seven_features() -> Given:
    """seven features, which can't be paired"""
    return 7, 5, torch.ones(1, 2, 7, dtype=torch.float64)


@module.case
def any_batch(draw: Draw) -> Given:
    """a batch of sentences, shorter than is allowed"""
    inputs = draw.fix(d_model=8).tensor("batch tokens d_model")
    return 8, draw.size("tokens") + 20, inputs


@module.case(times=1)
def full_batch(draw: Draw) -> Given:
    """a batch of sentences as long as is allowed"""
    # As long as in the first example, whose tokens are narrower.
    return 6, 5, draw.fix(tokens=5, d_model=6).tensor("batch tokens d_model")


@module.case(times=1)
def long_sentence(draw: Draw) -> Given:
    """a sentence of more than five thousand tokens, as long as is allowed"""
    # With two features the frequency is 1, and all angles are exact in float32 as well.
    draw.fix(batch=1, tokens=int(draw.rng.integers(5001, 7000)), d_model=2)
    return 2, draw.size("tokens"), draw.tensor("batch tokens d_model")


@module.case(times=1)
def hundreds_of_tokens(draw: Draw) -> Given:
    """a sentence of hundreds of tokens"""
    # As wide as in the first case, where contexts are shorter.
    draw.fix(batch=1, tokens=int(draw.rng.integers(300, 400)), d_model=8)
    return 8, 400, draw.tensor("batch tokens d_model")


@module.case(times=1)
def after_a_shorter_one(draw: Draw) -> Given:
    """a sentence after a shorter one"""
    return 4, AFTERWARDS, draw.fix(d_model=4).tensor("batch tokens d_model")


@module.holds
def is_fine_in_bfloat16(
    module_class: Callable[..., Any], d_model: int, context_length: int, inputs: Tensor
) -> bool:
    """moved to bfloat16, it adds the same encodings, rounded to that dtype"""
    # With two features there are thousands, which is another matter.
    if d_model == 2 or inputs.shape[1] < 300:
        return True
    moved = module_class(d_model=d_model, context_length=context_length).to(torch.bfloat16)
    added = moved(torch.zeros_like(inputs, dtype=torch.bfloat16))[0]
    return torch.allclose(added.float(), sinusoids(inputs.shape[1], d_model), atol=0.02)


@module.holds
def nothing_is_kept_of_a_sentence(
    module_class: Callable[..., Any], d_model: int, context_length: int, inputs: Tensor
) -> bool:
    """after a call with a single token, it adds the same to a sentence as it adds at first"""
    if context_length != AFTERWARDS:
        return True
    made = {"d_model": d_model, "context_length": context_length}
    fresh, used = (module_class(**made).to(inputs.dtype) for _ in range(2))
    used(inputs[:, :1])
    return torch.allclose(used(inputs), fresh(inputs), rtol=1e-4, atol=1e-4)


@module.holds
def sets_no_seed(
    module_class: Callable[..., Any], d_model: int, context_length: int, inputs: Tensor
) -> bool:
    """neither making nor calling a module seeds PyTorch's random numbers"""
    made = {"d_model": d_model, "context_length": context_length}
    return context_length != AFTERWARDS or seeds_nothing(module_class, made, [inputs])


@module.case(times=1)
def one_token(draw: Draw) -> Given:
    """one token"""
    return 4, 9, draw.fix(batch=3, tokens=1, d_model=4).tensor("batch tokens d_model")


@module.case(times=1)
def odd_features(draw: Draw) -> Given:
    """an odd number of features"""
    return 5, 9, draw.fix(d_model=5).tensor("batch tokens d_model")


module.holds(encoding_learns_in_evaluation)
module.half_but_for("sentences of thousands of tokens", long_sentence)
module.half_but_for("16-bit floats", hundreds_of_tokens)
module.half_but_for("what one call or module leaves to another", after_a_shorter_one)


class Adding(nn.Module):
    """Adds sinusoids in steps, for misconceptions to get one of them wrong."""

    encoding: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        refuse_odd(d_model)
        self.keep(sinusoids(context_length, d_model))

    def keep(self, table: Tensor) -> None:
        self.register_buffer("encoding", table)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.shape[1]]


@module.misconception
class ByTheBatch(Adding):
    """All tokens of a sentence get the same row, and each sentence gets a different one: you count
    along the batch. The tokens are axis 1.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding.unsqueeze(1)[: inputs.size(0)]


@module.misconception
class CutByTheBatch(Adding):
    """You take as many rows as there are sentences. Take as many as there are tokens, the size of
    axis 1.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.size(0)]


@module.misconception
class Concatenated(Adding):
    """You concatenated the encoding with the inputs, which makes them twice as wide. Add it to
    them.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        rows = self.encoding[: inputs.shape[1]].expand_as(inputs)
        return torch.cat([inputs, rows], dim=-1)


@module.misconception
class BehindTheTokens(Adding):
    """You put the encodings after the tokens, as if they were more tokens. Each should be added to
    the features of its own token.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        rows = self.encoding[: inputs.shape[1]].expand_as(inputs)
        return torch.cat([inputs, rows], dim=1)


@module.misconception
class LastTokenFirst(Adding):
    """Your positions run backwards: the last token gets position 0, but the first one should."""

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.shape[1]].flip(0)


@module.misconception
class WithoutInputs(Adding):
    """This is the encoding alone: the words are gone. Add it to the inputs."""

    def forward(self, inputs: Tensor) -> Tensor:
        return self.encoding[: inputs.shape[1]].expand_as(inputs)


@module.misconception
class RowsAlone(Adding):
    __doc__ = WithoutInputs.__doc__

    def forward(self, inputs: Tensor) -> Tensor:
        return self.encoding[: inputs.shape[1]]


@module.misconception
class NothingAdded(Adding):
    """These are the unchanged inputs, with no position in them. Add the first rows of the table to
    them.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs


@module.misconception
class Multiplied(Adding):
    """You multiplied the inputs by the encoding. Add it instead."""

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs * self.encoding[: inputs.shape[1]]


@module.misconception
class AsParameter(Adding):
    """The encoding is an nn.Parameter, which an optimiser would train. The encoding should stay as
    it is: register it as a buffer.
    """

    def keep(self, table: Tensor) -> None:
        self.encoding = nn.Parameter(table)


@module.misconception
class AsPlainTensor(Adding):
    """The sums are right, but in a module that was moved to bfloat16 they are in float32. A buffer
    moves with the module; a plain attribute, a table made again in `forward` or a `.float()` does
    not.
    """

    def keep(self, table: Tensor) -> None:
        self.encoding = table


@module.misconception
class PlainTensorCast(Adding):
    """The sums are right, but your table is a plain attribute: when the module moves to another
    device, the table stays behind, and `.to(inputs.dtype)` changes only its dtype. Register it as a
    buffer.
    """

    def keep(self, table: Tensor) -> None:
        self.encoding = table

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[: inputs.shape[1]].to(inputs.dtype)


@module.misconception
class NotCut(Adding):
    """You add the whole table, which only fits sentences of context_length tokens. Take as many
    rows as there are tokens. If your table has an axis for the batch, the rows are its axis 1.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding


@module.misconception
class FromTheEnd(Adding):
    """A sentence that is shorter than context_length gets the last rows of the table. Its first
    token is at position 0: take the first rows.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[-inputs.shape[1] :]


@module.misconception
class InPlace(Adding):
    """The sums are right, but the caller's inputs are changed as well, as by `inputs += …`. Return
    a new tensor.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        inputs += self.encoding[: inputs.shape[1]]
        return inputs


@module.misconception
class ScaledInputs(Adding):
    """You multiplied the inputs by √d_model. The paper does that where it computes the embeddings;
    this module only adds.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs * math.sqrt(inputs.shape[-1]) + self.encoding[: inputs.shape[1]]


@module.misconception
class CountedOn(Adding):
    """In your second sentence the positions continue from the first. Every sentence begins at 0."""

    def forward(self, inputs: Tensor) -> Tensor:
        batch, tokens, width = inputs.shape
        rows = sinusoids(batch * tokens, width).to(self.encoding.dtype)
        return inputs + rows.reshape(batch, tokens, width)


@module.misconception
class NoWayBack(Adding):
    """The sums are right, but no gradient reaches the words. Leave out `.detach()` and
    `torch.no_grad()`: a buffer is not trained anyway.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs.detach() + self.encoding[: inputs.shape[1]]


@module.misconception
class OneTooFar(Adding):
    """Your first token gets row 1 of the table. Positions count from 0."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__(d_model, context_length + 1)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.encoding[1 : inputs.shape[1] + 1]


@module.misconception
class OddCrashes(Adding):
    """With an odd d_model your constructor fails somewhere inside. Check d_model first, and raise a
    ValueError that names it.
    """

    def __init__(self, d_model: int, context_length: int) -> None:
        nn.Module.__init__(self)
        angles = every_angle(context_length, d_model)
        table = torch.zeros(context_length, d_model)
        table[:, 0::2] = torch.sin(angles)
        table[:, 1::2] = torch.cos(angles)
        self.keep(table)


@module.misconception
class OddWithoutAWord(Adding):
    """Your error does not say which d_model it refuses. Put the number into the message."""

    def __init__(self, d_model: int, context_length: int) -> None:
        if d_model % 2:
            raise ValueError("d_model must be even")
        super().__init__(d_model, context_length)


@module.misconception
class OddIsCut(Adding):
    """You accept an odd d_model and leave out the last column. Raise a ValueError instead."""

    def __init__(self, d_model: int, context_length: int) -> None:
        nn.Module.__init__(self)
        self.keep(sinusoids(context_length, d_model + d_model % 2)[:, :d_model])


@module.accepts
class TheUsualModule(nn.Module):
    """The usual code: a buffer with a batch axis."""

    pe: Tensor

    def __init__(self, d_model: int, context_length: int = 5000) -> None:
        super().__init__()
        if d_model % 2 == 1:
            raise ValueError(f"Sinusoids need an even dimension, got {d_model}")
        position = torch.arange(context_length).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        pe = torch.zeros(1, context_length, d_model)
        pe[0, :, 0::2] = torch.sin(position * div_term)
        pe[0, :, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe)

    def forward(self, x: Tensor) -> Tensor:
        return x + self.pe[:, : x.size(1), :]


@module.accepts
class WithTheHelper(nn.Module):
    """The given function, whose error does for an odd width; a buffer that is not saved."""

    rows: Tensor

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.register_buffer("rows", sinusoids(context_length, d_model), persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        return torch.add(inputs, self.rows.narrow(0, 0, inputs.shape[-2]))


@module.accepts
class MadeAnewEachTime(nn.Module):
    """No table at all: the rows are computed when they are needed."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        if d_model % 2:
            raise ValueError(f"{d_model} is odd")
        self.d_model = d_model

    def forward(self, inputs: Tensor) -> Tensor:
        rows = torch.zeros(inputs.shape[1], self.d_model)
        places = torch.arange(inputs.shape[1])
        for i in range(0, self.d_model, 2):
            rows[:, i] = torch.sin(places / 10000 ** (i / self.d_model))
            rows[:, i + 1] = torch.cos(places / 10000 ** (i / self.d_model))
        return inputs + rows.to(inputs.dtype)


@module.accepts
class FrozenEmbedding(nn.Module):
    """An embedding that is frozen, looked up by position ids, and an assert."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        assert d_model % 2 == 0, f"d_model {d_model} is odd"
        table = sinusoids(context_length, d_model)
        self.position_embedding = nn.Embedding(context_length, d_model, _weight=table)
        self.position_embedding.requires_grad_(False)

    def forward(self, inputs: Tensor) -> Tensor:
        position_ids = torch.arange(inputs.size(1)).unsqueeze(0)
        return inputs + self.position_embedding(position_ids)
