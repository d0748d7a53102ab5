"""The exam of `LearnedPositions`, lesson 06."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import embedding

from autograder import Draw, Exam
from companion import try_learned
from solutions import positional_encoding as reference
from solutions.exams.beginnings import MADE_TWICE, seeds_nothing
from solutions.exams.positional_encoding._specimens import FEW_TOKENS, learns_in_evaluation
from solutions.exams.sixteen_bits import bfloat16_stays

learned = Exam(reference.LearnedPositions, use=try_learned, about=("gradients",))

Rows = tuple[Tensor, Tensor]

# The positions of a module that has been called before, and of no other.
AFTERWARDS = 31
# Those of a module that is made again and again.
MADE_AGAIN = 29


FIVE_ROWS = torch.tensor(
    [[0.1, -0.2, 0.3], [1.0, 0.5, -1.5], [-0.4, 2.0, 0.6], [0.7, -0.8, 0.9], [3.0, 1.1, -2.2]],
    dtype=torch.float64,
)


@learned.example
def shorter_than_known() -> Rows:
    """two sentences of two tokens, with five positions"""
    # As many tokens as features would not tell one from the other.
    return FEW_TOKENS[:, :2, :3], FIVE_ROWS


@learned.example
def as_many_as_known() -> Rows:
    """three tokens, with three positions"""
    return FEW_TOKENS[:, :, 1:], FIVE_ROWS[1:4]


@learned.example
def one_past_the_end() -> Rows:
    """three tokens, with two positions"""
    # As wide as the table is long: who counts features for tokens refuses nothing.
    return FEW_TOKENS[:1, :, :2], FIVE_ROWS[:2, :2]


@learned.case
def learned_rows(draw: Draw) -> Rows:
    """sentences shorter than the context"""
    inputs = draw.tensor("batch tokens d_model")
    table = draw.rng.normal(size=(draw.size("tokens") + 6, draw.size("d_model")))
    return inputs, torch.from_numpy(table)


@learned.case(times=1)
def learned_full(draw: Draw) -> Rows:
    """sentences as long as the context"""
    draw.fix(tokens=3, d_model=7)
    return draw.tensor("batch tokens d_model"), draw.tensor("tokens d_model")


@learned.case(times=1)
def far_past_the_end(draw: Draw) -> Rows:
    """sentences twice as long as the context"""
    inputs = draw.fix(tokens=8, d_model=3).tensor("batch tokens d_model")
    return inputs, draw.tensor("tokens d_model")[:4]


@learned.case(times=1)
def one_known_position(draw: Draw) -> Rows:
    """three tokens, with a single position"""
    inputs = draw.fix(tokens=3).tensor("batch tokens d_model")
    return inputs, draw.tensor("tokens d_model")[:1]


@learned.case(times=1)
def after_a_shorter_one(draw: Draw) -> Rows:
    """a sentence after a shorter one"""
    draw.fix(tokens=5, known=AFTERWARDS)
    return draw.tensor("batch tokens d_model"), draw.tensor("known d_model")


@learned.case(times=1)
def made_one_after_the_other(draw: Draw) -> Rows:
    """modules that are made one after the other"""
    draw.fix(tokens=5, known=MADE_AGAIN)
    return draw.tensor("batch tokens d_model"), draw.tensor("known d_model")


@learned.holds
def nothing_is_kept_of_a_sentence(
    module_class: Callable[..., Any], inputs: Tensor, table: Tensor
) -> bool:
    """after a call with a single token, it adds to each token what it adds at first"""
    if len(table) != AFTERWARDS:
        return True
    made = {"d_model": table.shape[1], "context_length": len(table)}
    fresh, used = (module_class(**made).to(table.dtype) for _ in range(2))
    used.load_state_dict(fresh.state_dict())
    used(inputs[:, :1])
    return torch.allclose(used(inputs), fresh(inputs), rtol=1e-4, atol=1e-4)


@learned.holds
def table_learns_in_evaluation(
    module_class: Callable[..., Any], inputs: Tensor, table: Tensor
) -> bool:
    """gradients come back in evaluation as well"""
    if inputs.shape[1] > len(table):
        return True
    made = module_class(d_model=table.shape[1], context_length=len(table)).to(table.dtype)
    # To the inputs, and to the table.
    return learns_in_evaluation(made, inputs) and all(
        one.grad is not None for _, one in made.named_parameters()
    )


@learned.holds
def dtype_is_kept(module_class: Callable[..., Any], inputs: Tensor, table: Tensor) -> bool:
    """of numbers in bfloat16, the result is in bfloat16"""
    if inputs.shape[1] > len(table):
        return True
    made = module_class(d_model=table.shape[1], context_length=len(table))
    return bfloat16_stays(made.to(torch.bfloat16), inputs)


@learned.holds
def sets_no_seed(module_class: Callable[..., Any], inputs: Tensor, table: Tensor) -> bool:
    """neither making nor calling a module seeds PyTorch's random numbers"""
    if len(table) != MADE_AGAIN:
        return True
    sizes = {"d_model": MADE_TWICE, "context_length": MADE_TWICE}
    return seeds_nothing(module_class, sizes, [inputs.new_zeros(1, 1, MADE_TWICE)])


learned.half_but_for("what one call or module leaves to another", after_a_shorter_one)
learned.half_but_for("a seed that it sets", made_one_after_the_other)


class Looking(nn.Module):
    """Learned positions in steps, for misconceptions to get one of them wrong."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        self.refuse(inputs.shape[1], self.positions.num_embeddings)
        return self.join(inputs, self.positions(self.places(inputs)))

    def refuse(self, num_tokens: int, known: int) -> None:
        if num_tokens > known:
            raise ValueError(f"{num_tokens} tokens, {known} positions")

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(inputs.shape[1])

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return inputs + rows


@learned.misconception
class NotRefused(Looking):
    """Past the end, your module says "index out of range in self", which does not tell what was too
    long. Compare the two numbers first, and raise a ValueError with both.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        pass


@learned.misconception
class SliceNotRefused(Looking):
    """Past the end, there are fewer rows than tokens, as when a slice simply ends. The sum then
    fails because of the sizes or, with a single row, does not even fail. Compare the two numbers
    first, and raise a ValueError with both.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.positions.weight[: inputs.shape[1]]


@learned.misconception
class Clamped(Looking):
    """All tokens past the end silently get the last position vector, and their order is lost. Raise
    a ValueError.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        pass

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(inputs.shape[1]).clamp(max=self.positions.num_embeddings - 1)


@learned.misconception
class WrappedRound(Looking):
    """Past the end, your positions silently begin again at 0, and two tokens share a position.
    Raise a ValueError.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        pass

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(inputs.shape[1]) % self.positions.num_embeddings


@learned.misconception
class CutOff(Looking):
    """Past the end, you silently drop the tokens that are too many. Raise a ValueError."""

    def forward(self, inputs: Tensor) -> Tensor:
        known = inputs[:, : self.positions.num_embeddings]
        return known + self.positions(torch.arange(known.shape[1]))


@learned.misconception
class RefusesTheLast(Looking):
    """You refuse a sentence that uses all positions. As many tokens as positions are fine; refuse
    one more.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        if num_tokens >= known:
            raise ValueError(f"{num_tokens} tokens, {known} positions")


@learned.misconception
class OneNumberTold(Looking):
    """Your error does not have both numbers in its message. Its reader wants to know how many
    tokens there were, and how many there may be.
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        if num_tokens > known:
            raise ValueError("too many tokens")


@learned.misconception
class LearnedByBatch(Looking):
    """You count along the batch: every token of a sentence gets the same vector. The tokens are
    axis 1.
    """

    def forward(self, inputs: Tensor) -> Tensor:
        self.refuse(inputs.shape[1], self.positions.num_embeddings)
        return inputs + self.positions(torch.arange(inputs.shape[0])).unsqueeze(1)


@learned.misconception
class CountedByBatch(LearnedByBatch):
    """You take the first axis for the tokens, as in (tokens, batch, d_model): every token of a
    sentence gets the same vector, and it is the sentences that are counted. Inputs are (batch,
    num_tokens, d_model).
    """

    def refuse(self, num_tokens: int, known: int) -> None:
        pass


@learned.misconception
class LastPositionForAll(Looking):
    """All your tokens get the vector of the last one's position. Each has its own: look up the
    positions 0 to num_tokens − 1.
    """

    def places(self, inputs: Tensor) -> Tensor:
        return torch.tensor(inputs.shape[1] - 1)


@learned.misconception
class StartsAtOneAndGoesRound(Looking):
    """Your first token gets the vector of position 1, and in a sentence of full length the last one
    gets that of position 0. Positions count from 0.
    """

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(1, inputs.shape[1] + 1) % self.positions.num_embeddings


@learned.misconception
class WholeTable(Looking):
    """You add all positions, which fits sentences of full length only. Take as many as there are
    tokens.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return inputs + self.positions.weight


@learned.misconception
class WordsLost(Looking):
    """These are the vectors of the positions alone. Add them to the inputs."""

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return rows.expand_as(inputs)


@learned.misconception
class NothingAdded(Looking):
    """These are the inputs as they came in, with no position in them. Look up the vectors of the
    positions, and add them to the inputs.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return inputs


@learned.misconception
class ScaledInputs(Looking):
    """You multiplied the inputs by √d_model. The paper does that where it makes the embeddings;
    this module only adds.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return super().join(inputs * inputs.shape[-1] ** 0.5, rows)


@learned.misconception
class Beside(Looking):
    """You put the vectors beside the inputs. Add them."""

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return torch.cat([inputs, rows.expand_as(inputs)], dim=-1)


@learned.misconception
class StartsAtOne(Looking):
    """Your first token gets the vector of position 1, the second that of position 2, and in a
    sentence of full length the last token finds none. Positions count from 0.
    """

    def places(self, inputs: Tensor) -> Tensor:
        return torch.arange(1, inputs.shape[1] + 1)


@learned.misconception
class FirstRowKeptForPadding(StartsAtOne):
    """Your table has a row more than there are positions, and the first one is no token's, as where
    a position is kept for padding. Make context_length rows, and count positions from 0.
    """

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__(d_model, context_length)
        self.positions = nn.Embedding(context_length + 1, d_model)


@learned.misconception
class NotTrained(Looking):
    """The sums are right, but no gradient reaches the vectors: they would stay as they are. Do not
    detach them, and keep requires_grad.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        return inputs + rows.detach()


@learned.misconception
class AddedInPlace(Looking):
    """The sums are right, but the caller's inputs are changed as well, as by `inputs += …`. Return
    a new tensor.
    """

    def join(self, inputs: Tensor, rows: Tensor) -> Tensor:
        inputs += rows
        return inputs


@learned.misconception
class AnotherName(nn.Module):
    """Make the vectors an `nn.Embedding`, call it `positions`, and train nothing else."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.pos_emb = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        return inputs + self.pos_emb(torch.arange(inputs.shape[1]))


@learned.misconception
class RowsAndColumns(Looking):
    """Your table has its sizes the wrong way round: `nn.Embedding` takes the number of rows first,
    then their width.
    """

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__(context_length, d_model)


@learned.accepts
class BySlices(nn.Module):
    """The first rows of the table."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)
        self.context_length = context_length

    def forward(self, x: Tensor) -> Tensor:
        _, n, _ = x.shape
        if n > self.context_length:
            raise ValueError(f"Sequence of {n} is longer than {self.context_length}.")
        return x + self.positions.weight[:n]


@learned.accepts
class ByLookup(nn.Module):
    """Position ids for the whole batch, as in published models."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        batch, num_tokens = inputs.shape[:2]
        if num_tokens > len(self.positions.weight):
            raise ValueError(f"{num_tokens} > {len(self.positions.weight)}")
        ids = torch.arange(num_tokens).expand(batch, num_tokens)
        return inputs + embedding(ids, self.positions.weight)


@learned.accepts
class TokenByToken(nn.Module):
    """A loop over the tokens."""

    def __init__(self, d_model: int, context_length: int) -> None:
        super().__init__()
        self.positions = nn.Embedding(context_length, d_model)

    def forward(self, inputs: Tensor) -> Tensor:
        if inputs.shape[1] > self.positions.num_embeddings:
            raise ValueError(f"no position {self.positions.num_embeddings} of {inputs.shape[1]}")
        told = []
        for place, token in enumerate(inputs.unbind(dim=1)):
            told.append(token + self.positions(torch.tensor(place)))
        return torch.stack(told, dim=1)
