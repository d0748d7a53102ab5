"""The known wrong answers to `visible_blocks`, lesson 08."""

import torch
from torch import Tensor
from torch.nn import functional

from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._patterns import ROWS
from solutions.exams.efficient_attention.visible_blocks.exam import blocks

ROWS.apply(
    blocks,
    says={
        "FirstRowFilled": "Only the first row of blocks is filled, and the others are False. Is "
        "`return` inside the loop?",
        "FirstRowFilledRestHidden": "Only the first row of blocks is filled, and the others are "
        "True. Is `return` inside the loop?",
        "LastRowFilled": "Only the last row of blocks is filled, and the others are False. Does "
        "each round of your loop start with a new result? Make it once, before the loop.",
        "LastRowFilledRestHidden": "Only the last row of blocks is filled, and the others are "
        "True. Does each round of your loop start with a new result? Make it once, before it.",
        "FirstRowReturned": "This is only the first row of blocks. There should be a row for each "
        "block of queries.",
        "LastRowReturned": "This is only the last row of blocks. There should be a row for each "
        "block of queries.",
    },
)


def parts(hidden: Tensor, size: int) -> list[list[Tensor]]:
    """The blocks, in rows."""
    return [list(torch.split(rows, size, dim=1)) for rows in torch.split(hidden, size)]


def hidden_whole(hidden: Tensor, size: int) -> Tensor:
    """True where a block is wholly hidden."""
    return ~reference.visible_blocks(hidden, size)


@blocks.misconception
def hidden_blocks(hidden: Tensor, block_size: int) -> Tensor:
    """Your result is True where a block is entirely hidden and can be skipped. It should be True
    where the block has to be computed.
    """
    return hidden_whole(hidden, block_size)


@blocks.misconception
def wholly_visible(hidden: Tensor, block_size: int) -> Tensor:
    """Your result is True where *all* of a block is visible. As soon as one key is visible, the
    block has to be computed.
    """
    return torch.tensor([[not part.any() for part in row] for row in parts(hidden, block_size)])


@blocks.misconception
def something_hidden(hidden: Tensor, block_size: int) -> Tensor:
    """Your result is True where something in the block is hidden. True in the mask means hidden,
    and what counts is whether something is visible.
    """
    return torch.tensor([[part.any() for part in row] for row in parts(hidden, block_size)])


@blocks.misconception
def corners_alone(hidden: Tensor, block_size: int) -> Tensor:
    """You look only at the first entry of each block. Any of its entries may be the visible one."""
    return ~hidden[::block_size, ::block_size]


@blocks.misconception
def last_corners_alone(hidden: Tensor, block_size: int) -> Tensor:
    """You look only at the last entry of each block. Any of its entries may be the visible one."""
    rows = parts(hidden, block_size)
    return torch.tensor([[not part[-1, -1] for part in row] for row in rows])


@blocks.misconception
def lower_left_corners_alone(hidden: Tensor, block_size: int) -> Tensor:
    """You look only at the lower left entry of each block, which works for a causal mask but not
    for others. Any entry may be the visible one.
    """
    return torch.tensor([[not part[-1, 0] for part in row] for row in parts(hidden, block_size)])


@blocks.misconception
def first_rows_alone(hidden: Tensor, block_size: int) -> Tensor:
    """You look only at the first row of each block. A key may be visible in any of its rows."""
    return torch.tensor([[not part[0].all() for part in row] for row in parts(hidden, block_size)])


@blocks.misconception
def first_columns_alone(hidden: Tensor, block_size: int) -> Tensor:
    """You look only at the first column of each block. Any of its keys may be visible."""
    rows = parts(hidden, block_size)
    return torch.tensor([[not part[:, 0].all() for part in row] for row in rows])


@blocks.misconception
def diagonals_alone(hidden: Tensor, block_size: int) -> Tensor:
    """You look only at the diagonal of each block. A key may be visible anywhere in the block."""
    rows = parts(hidden, block_size)
    return torch.tensor([[not part.diagonal().all() for part in row] for row in rows])


@blocks.misconception
def edges_left_out(hidden: Tensor, block_size: int) -> Tensor:
    """The smaller blocks at the lower and right edges are missing. Round the number of blocks up,
    not down.
    """
    down, across = (length // block_size for length in hidden.shape)
    return reference.visible_blocks(hidden, block_size)[:down, :across]


@blocks.misconception
def two_corners_alone(hidden: Tensor, block_size: int) -> Tensor:
    """You look only at the lower left and the upper right entry of each block. Any of its entries
    may be the visible one.
    """
    rows = parts(hidden, block_size)
    return torch.tensor([[not (part[-1, 0] and part[0, -1]) for part in row] for row in rows])


@blocks.misconception
def edges_left_out_but_of_small_masks(hidden: Tensor, block_size: int) -> Tensor:
    """The smaller blocks at the lower and right edges are missing, unless the mask is smaller than
    one block. Round the number of blocks up, not down.
    """
    down, across = (max(1, length // block_size) for length in hidden.shape)
    return reference.visible_blocks(hidden, block_size)[:down, :across]


@blocks.misconception
def as_many_as_the_size(hidden: Tensor, block_size: int) -> Tensor:
    """You cut each axis into `block_size` pieces, as `chunk` does. `block_size` is the number of
    tokens in a block: `torch.split` cuts into blocks of that size.
    """
    rows = [torch.chunk(row, block_size, dim=1) for row in torch.chunk(hidden, block_size)]
    return torch.tensor([[not part.all() for part in row] for row in rows])


@blocks.misconception
def lower_edge_left_out(hidden: Tensor, block_size: int) -> Tensor:
    """The smaller blocks at the lower edge are missing. Round the number of rows of blocks up."""
    return reference.visible_blocks(hidden, block_size)[: len(hidden) // block_size]


@blocks.misconception
def right_edge_left_out(hidden: Tensor, block_size: int) -> Tensor:
    """The smaller blocks at the right edge are missing. Round the number of columns of blocks
    up.
    """
    return reference.visible_blocks(hidden, block_size)[:, : hidden.shape[1] // block_size]


@blocks.misconception
def one_block_too_many(hidden: Tensor, block_size: int) -> Tensor:
    """Where the block size divides the number of queries or keys, you have a row or a column of
    blocks too many: `n // block_size + 1` rounds up only if there is a remainder.
    """
    down, across = (length // block_size + 1 for length in hidden.shape)
    right = reference.visible_blocks(hidden, block_size)
    padded = torch.zeros(down, across, dtype=torch.bool)
    padded[: right.shape[0], : right.shape[1]] = right
    return padded


@blocks.misconception
def edges_always_visible(hidden: Tensor, block_size: int) -> Tensor:
    """Your smaller blocks at the lower and right edges are all True. If you pad the mask with False
    to whole blocks, that means visible: pad it with True.
    """
    down, across = (-length % block_size for length in hidden.shape)
    padded = functional.pad(hidden, (0, across, 0, down), value=False)
    return reference.visible_blocks(padded, block_size)


@blocks.misconception
def as_many_as_rows(hidden: Tensor, block_size: int) -> Tensor:
    """You have as many blocks across as down. There may be more keys than queries: count the blocks
    of each axis separately.
    """
    down = -(-len(hidden) // block_size)
    right = reference.visible_blocks(hidden, block_size)
    square = torch.zeros(down, down, dtype=torch.bool)
    across = min(down, right.shape[1])
    square[:, :across] = right[:, :across]
    return square


@blocks.misconception
def of_a_square(hidden: Tensor, block_size: int) -> Tensor:
    """You cut off the keys where the queries end. There may be more keys than queries: count the
    blocks of each axis separately.
    """
    return reference.visible_blocks(hidden[:, : len(hidden)], block_size)


@blocks.misconception
def keys_on_rows(hidden: Tensor, block_size: int) -> Tensor:
    """Your blocks of keys are on rows. The blocks of queries should be, as in the mask."""
    return reference.visible_blocks(hidden, block_size).T


@blocks.misconception
def entry_by_entry(hidden: Tensor, block_size: int) -> Tensor:
    """Your result has an entry for each pair of tokens. There should be one for each block."""
    right = reference.visible_blocks(hidden, block_size)
    spread = right.repeat_interleave(block_size, 0).repeat_interleave(block_size, 1)
    return spread[: hidden.shape[0], : hidden.shape[1]]


@blocks.misconception
def mask_itself(hidden: Tensor, block_size: int) -> Tensor:
    """This is the inverted mask, with an entry for each pair of tokens. There should be one for
    each block.
    """
    return ~hidden


@blocks.misconception
def rows_alone_cut(hidden: Tensor, block_size: int) -> Tensor:
    """You cut the queries into blocks, but not the keys. There is one entry for each block of
    queries *and* of keys.
    """
    return torch.stack([~part.all(dim=0) for part in torch.split(hidden, block_size)])


@blocks.misconception
def columns_alone_cut(hidden: Tensor, block_size: int) -> Tensor:
    """You cut the keys into blocks, but not the queries. There is one entry for each block of
    queries *and* of keys.
    """
    return torch.stack([~part.all(dim=1) for part in torch.split(hidden, block_size, 1)], dim=1)


@blocks.misconception
def whole_rows(hidden: Tensor, block_size: int) -> Tensor:
    """Your result has one entry for each block of queries. Cut the keys into blocks as well."""
    return torch.stack([~part.all() for part in torch.split(hidden, block_size)])


@blocks.misconception
def counted(hidden: Tensor, block_size: int) -> Tensor:
    """You counted the visible keys of each block. Return whether there is at least one: compare
    with 0.
    """
    return torch.tensor([[(~part).sum() for part in row] for row in parts(hidden, block_size)])


@blocks.misconception
def hidden_counted(hidden: Tensor, block_size: int) -> Tensor:
    """You counted the hidden keys of each block. Return whether at least one is visible."""
    return torch.tensor([[part.sum() for part in row] for row in parts(hidden, block_size)])


@blocks.misconception
def of_floats(hidden: Tensor, block_size: int) -> Tensor:
    """Your result holds floats. Turn them into True and False, with a comparison or .bool()."""
    return reference.visible_blocks(hidden, block_size).float()


@blocks.misconception
def of_integers(hidden: Tensor, block_size: int) -> Tensor:
    """Your result holds integers. Turn them into True and False, with a comparison or .bool()."""
    return reference.visible_blocks(hidden, block_size).long()


@blocks.misconception
def as_a_list(hidden: Tensor, block_size: int) -> list[list[bool]]:
    """This is a list of lists. Make it a tensor: use torch.tensor(…) for numbers or True and False,
    and torch.stack(…) for tensors.
    """
    rows = parts(hidden, block_size)
    return [[not bool(part.all()) for part in row] for row in rows]


@blocks.misconception
def never_filled(hidden: Tensor, block_size: int) -> Tensor:
    """No block is visible. If you start from zeros and fill the result in loops, check the
    condition: True in the mask means hidden.
    """
    return torch.zeros_like(reference.visible_blocks(hidden, block_size))


@blocks.misconception
def always_visible(hidden: Tensor, block_size: int) -> Tensor:
    """All blocks are visible in your result. A block in which everything is hidden can be skipped,
    so the result there is False.
    """
    return torch.ones_like(reference.visible_blocks(hidden, block_size))
