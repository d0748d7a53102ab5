"""The exam of `global_mask`, lesson 08."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._patterns import PATTERN, many_tokens, rows_and_columns

everywhere = Exam(reference.global_mask, forbids=("companion",))

Pattern = tuple[int, list[int]]


@everywhere.example
def first_token() -> Pattern:
    """five tokens, the first one global"""
    return 5, [0]


@everywhere.example
def two_of_seven() -> Pattern:
    """seven tokens, two of them global"""
    return 7, [2, 5]


@everywhere.example
def in_any_order() -> Pattern:
    """three global tokens, in any order, the last token among them"""
    return 6, [5, 0, 1]


@everywhere.example
def none_global() -> Pattern:
    """no global token"""
    return 3, []


@everywhere.case(times=4)
def any_positions(draw: Draw) -> Pattern:
    """global positions drawn at random"""
    num_tokens = int(draw.rng.integers(8, 16))
    chosen = draw.rng.permutation(num_tokens)[: int(draw.rng.integers(2, 6))]
    return num_tokens, [int(position) for position in chosen]


@everywhere.case(times=1)
def one_token(draw: Draw) -> Pattern:
    """a single token, which is global"""
    return 1, [0]


@everywhere.case(times=1)
def one_token_not_global(draw: Draw) -> Pattern:
    """a single token, which is not global"""
    return 1, []


@everywhere.case(times=1)
def last_token(draw: Draw) -> Pattern:
    """the last token global"""
    return 9, [8]


@everywhere.case(times=1)
def all_global(draw: Draw) -> Pattern:
    """every token global"""
    return 4, [3, 1, 0, 2]


@everywhere.case(times=1)
def long_text(draw: Draw) -> Pattern:
    """more than 256 tokens, four of them global"""
    return many_tokens(draw), [17, *(int(draw.rng.integers(at, at + 90)) for at in (20, 120)), 257]


PATTERN.apply(
    everywhere,
    without=["KeysOnRows"],
    says={
        "NothingHidden": "Nothing is hidden, although a key should be wherever neither it nor the "
        "query is global. Begin with a mask that is True everywhere, and open no more than the "
        "rows and columns of the global tokens.",
        "AllHidden": "Everything is hidden, including what a global token sees. If you fill rows "
        "and columns of a mask that is True everywhere, fill them with False.",
    },
)


@everywhere.misconception
def seeing_alone(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your global tokens see everything, but the other tokens do not see them: only the rows are
    open. Open their columns as well.
    """
    return ~_chosen(num_tokens, global_positions)[:, None].expand(-1, num_tokens)


@everywhere.misconception
def seen_alone(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your global tokens are seen by everything, but do not see everything: only the columns are
    open. Open their rows as well.
    """
    return ~_chosen(num_tokens, global_positions).expand(num_tokens, -1)


@everywhere.misconception
def among_themselves(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your global tokens see one another and nothing else. A key is visible if the query *or* the
    key is global. (The negation of "a or b" is "not a and not b".)
    """
    chosen = _chosen(num_tokens, global_positions)
    return ~(chosen[:, None] & chosen)


@everywhere.misconception
def not_among_themselves(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your global tokens see everything except each other and themselves: a row and a column cancel
    out where they cross. A key is visible if the query or the key is global, or both.
    """
    chosen = _chosen(num_tokens, global_positions)
    return ~(chosen[:, None] ^ chosen)


@everywhere.misconception
def of_one_kind(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your mask is True where one of query and key is global and the other is not. It should be
    False wherever the query or the key is global.
    """
    chosen = _chosen(num_tokens, global_positions)
    return chosen[:, None] ^ chosen


@everywhere.misconception
def hidden_among_themselves(num_tokens: int, global_positions: list[int]) -> Tensor:
    """You hid the global tokens from each other, and nothing else. Show what they see, and hide the
    rest.
    """
    chosen = _chosen(num_tokens, global_positions)
    return chosen[:, None] & chosen


@everywhere.misconception
def rows_hidden(num_tokens: int, global_positions: list[int]) -> Tensor:
    """You hid everything from the global tokens. They should see everything, and the rest should be
    hidden.
    """
    return _chosen(num_tokens, global_positions)[:, None].expand(-1, num_tokens)


@everywhere.misconception
def columns_hidden(num_tokens: int, global_positions: list[int]) -> Tensor:
    """You hid the global tokens from all tokens. All tokens should see them, and the rest should be
    hidden.
    """
    return _chosen(num_tokens, global_positions).expand(num_tokens, -1)


@everywhere.misconception
def themselves_alone(num_tokens: int, global_positions: list[int]) -> Tensor:
    """You opened a single entry for each global token, where its row crosses its column, as
    `hidden[positions, positions]` does. Open its whole row and its whole column.
    """
    chosen = _chosen(num_tokens, global_positions)
    return ~torch.diag(chosen)


@everywhere.misconception
def diagonal_visible(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your tokens see themselves, too. This pattern is only about the global tokens: the window,
    which is joined with it later, contains the diagonal.
    """
    rows, columns = rows_and_columns(num_tokens)
    return reference.global_mask(num_tokens, global_positions) & (rows != columns)


@everywhere.misconception
def diagonal_hidden(num_tokens: int, global_positions: list[int]) -> Tensor:
    """You hid the global tokens from themselves. They see everything, including themselves."""
    rows, columns = rows_and_columns(num_tokens)
    return reference.global_mask(num_tokens, global_positions) | (rows == columns)


@everywhere.misconception
def causal(num_tokens: int, global_positions: list[int]) -> Tensor:
    """You hid what comes after a token. Global tokens see the whole text, and every token of the
    text sees them.
    """
    rows, columns = rows_and_columns(num_tokens)
    return reference.global_mask(num_tokens, global_positions) | (columns > rows)


@everywhere.misconception
def first_one_alone(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Only the first of the global positions is open. If you have a loop, is `return` inside it?"""
    return reference.global_mask(num_tokens, global_positions[:1])


@everywhere.misconception
def last_one_alone(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Only the last of the global positions is open. Does each round of a loop start with a new
    mask, or does a variable hold only one position?
    """
    return reference.global_mask(num_tokens, global_positions[-1:])


@everywhere.misconception
def last_one_left_out(num_tokens: int, global_positions: list[int]) -> Tensor:
    """The last of the global positions is missing: does your loop end too early?"""
    return reference.global_mask(num_tokens, global_positions[:-1])


@everywhere.misconception
def first_one_left_out(num_tokens: int, global_positions: list[int]) -> Tensor:
    """The first of the global positions is missing: does your loop start too late?"""
    return reference.global_mask(num_tokens, global_positions[1:])


@everywhere.misconception
def as_many_from_the_start(num_tokens: int, global_positions: list[int]) -> Tensor:
    """The right number of tokens is global, but you took the first ones of the text. Take those
    whose positions are in the list.
    """
    return reference.global_mask(num_tokens, list(range(len(global_positions))))


@everywhere.misconception
def counted_from_one(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your global tokens are one position too early. Positions count from 0, as indices do."""
    return reference.global_mask(num_tokens, [position - 1 for position in global_positions])


@everywhere.misconception
def all_between(num_tokens: int, global_positions: list[int]) -> Tensor:
    """All positions from the smallest to the largest in the list are global in your mask. Only
    those in the list are.
    """
    between = range(min(global_positions, default=0), max(global_positions, default=-1) + 1)
    return reference.global_mask(num_tokens, list(between))


@everywhere.misconception
def marks_alone(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Your result has one entry per token, which says whether it is hidden from the tokens that are
    not global. The mask has a row for each query and a column for each key.
    """
    return ~_chosen(num_tokens, global_positions)


@everywhere.misconception
def indices_without_dtype(num_tokens: int, global_positions: list[int]) -> Tensor:
    """With an empty list, `torch.tensor([])` is a tensor of floats, which can't be an index. Use
    the list itself, or pass dtype=torch.long.
    """
    chosen = torch.zeros(num_tokens, dtype=torch.bool)
    chosen[torch.tensor(global_positions)] = True
    return ~(chosen[:, None] | chosen)


def _chosen(num_tokens: int, global_positions: list[int]) -> Tensor:
    chosen = torch.zeros(num_tokens, dtype=torch.bool)
    chosen[global_positions] = True
    return chosen


@everywhere.accepts
def global_in_loops(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Loops over pairs."""
    hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for row in range(num_tokens):
        for column in range(num_tokens):
            if row in global_positions or column in global_positions:
                hidden[row, column] = False
    return hidden


@everywhere.accepts
def global_row_by_row(num_tokens: int, global_positions: list[int]) -> Tensor:
    """A loop over the global tokens.

    For each global token its row is opened, because it sees everything, and its column, because
    everything sees it.
    """
    hidden = torch.full((num_tokens, num_tokens), True)
    for position in global_positions:
        hidden[position] = False
        hidden[:, position] = False
    return hidden


@everywhere.accepts
def global_by_index(num_tokens: int, global_positions: list[int]) -> Tensor:
    """All rows at once, then all columns.

    Indexing with a list opens all rows at once, and then all columns. An empty list opens nothing,
    so no case has to be distinguished.
    """
    hidden = torch.ones((num_tokens, num_tokens), dtype=torch.bool)
    hidden[global_positions, :] = False
    hidden[:, global_positions] = False
    return hidden


@everywhere.accepts
def global_by_product(num_tokens: int, global_positions: list[int]) -> Tensor:
    """An outer product of those that are not global.

    A pair is hidden if both tokens are local. That makes the mask the outer product of a vector
    with itself.
    """
    local = torch.tensor([position not in global_positions for position in range(num_tokens)])
    return torch.outer(local, local)


@everywhere.accepts
def global_by_isin(num_tokens: int, global_positions: list[int]) -> Tensor:
    """Positions looked up in the list."""
    local = ~torch.isin(torch.arange(num_tokens), torch.tensor(global_positions, dtype=torch.long))
    return local[:, None] & local[None, :]
