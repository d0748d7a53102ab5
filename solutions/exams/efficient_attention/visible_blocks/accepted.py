"""Right answers to `visible_blocks` in other styles, lesson 08."""

import torch
from torch import Tensor
from torch.nn import functional

from solutions.exams.efficient_attention.visible_blocks.exam import blocks


@blocks.accepts
def blocks_in_loops(hidden: Tensor, block_size: int) -> Tensor:
    """Loops over blocks.

    Two loops cut out one block at a time. A slice past the end is only shorter, so the last blocks
    need no care.
    """
    result = []
    for top in range(0, hidden.shape[0], block_size):
        row = []
        for left in range(0, hidden.shape[1], block_size):
            block = hidden[top : top + block_size, left : left + block_size]
            row.append(not bool(block.all()))
        result.append(row)
    return torch.tensor(result)


@blocks.accepts
def blocks_in_loops_over_pairs(hidden: Tensor, block_size: int) -> Tensor:
    """Loops over visible pairs.

    It goes through the pairs, and each visible one makes its block visible. Where a sparse mask is
    stored as a list of pairs, this is the natural way.
    """
    queries, keys = hidden.shape
    shape = (queries + block_size - 1) // block_size, (keys + block_size - 1) // block_size
    visible = torch.zeros(shape, dtype=torch.bool)
    for query in range(queries):
        for key in range(keys):
            if not hidden[query, key]:
                visible[query // block_size, key // block_size] = True
    return visible


@blocks.accepts
def blocks_by_padding(hidden: Tensor, block_size: int) -> Tensor:
    """Filled up to whole blocks, and two axes more."""
    queries, keys = hidden.shape
    padded = functional.pad(hidden, (0, -keys % block_size, 0, -queries % block_size), value=True)
    across = padded.shape[1] // block_size
    return padded.view(-1, block_size, across, block_size).logical_not().any(dim=3).any(dim=1)


@blocks.accepts
def blocks_by_pooling(hidden: Tensor, block_size: int) -> Tensor:
    """The largest entry of each block."""
    visible = (~hidden).float()[None, None]
    pooled = functional.max_pool2d(visible, block_size, block_size, ceil_mode=True)
    return pooled[0, 0] > 0


@blocks.accepts
def blocks_by_members(hidden: Tensor, block_size: int) -> Tensor:
    """Products with which token is in which block."""
    rows, columns = (
        functional.one_hot(torch.arange(length) // block_size).double() for length in hidden.shape
    )
    return rows.T @ (~hidden).double() @ columns > 0


@blocks.accepts
def blocks_by_split(hidden: Tensor, block_size: int) -> Tensor:
    """Split twice.

    `torch.split` cuts the mask into rows of blocks, and each of these into blocks. The last ones
    may be smaller.
    """
    return torch.stack(
        [
            torch.stack([(~part).any() for part in torch.split(row, block_size, dim=-1)])
            for row in torch.split(hidden, block_size)
        ]
    )
