"""The exam of `fixed_mask`, lesson 08."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._patterns import PATTERN, many_tokens, rows_and_columns

fixed = Exam(reference.fixed_mask, forbids=("companion",))

Pattern = tuple[int, int]


@fixed.example
def blocks_of_three() -> Pattern:
    """eleven tokens, blocks of 3, the last one shorter"""
    return 11, 3


@fixed.example
def blocks_of_four() -> Pattern:
    """16 tokens, four blocks of 4"""
    return 16, 4


@fixed.example
def one_more_than_two_blocks() -> Pattern:
    """nine tokens, blocks of 4, of which the last one has a single token"""
    return 9, 4


@fixed.example
def blocks_of_two() -> Pattern:
    """eight tokens, blocks of 2"""
    return 8, 2


@fixed.example
def blocks_of_one() -> Pattern:
    """blocks of 1: nothing but the future is hidden"""
    return 4, 1


@fixed.example
def longer_than_the_text() -> Pattern:
    """a block longer than the text"""
    return 4, 6


@fixed.case(times=4)
def any_blocks(draw: Draw) -> Pattern:
    """texts and blocks drawn at random"""
    return int(draw.rng.integers(12, 24)), int(draw.rng.integers(2, 8))


@fixed.case(times=1)
def one_token(draw: Draw) -> Pattern:
    """a single token"""
    return 1, 2


@fixed.case(times=1)
def as_long_as_the_text(draw: Draw) -> Pattern:
    """a block as long as the text"""
    return 5, 5


@fixed.case(times=1)
def long_text(draw: Draw) -> Pattern:
    """more than 256 tokens, blocks of 12"""
    return many_tokens(draw), 12


PATTERN.apply(
    fixed,
    says={
        "KeysOnRows": "You hid the past and show the future. A key at a later position than the "
        "query has to be hidden: queries are on rows, keys on columns.",
    },
)


def parts(num_tokens: int, stride: int) -> tuple[Tensor, Tensor, Tensor]:
    """Where the key comes after the query, is in its block, is the last of a block."""
    rows, columns = rows_and_columns(num_tokens)
    same_block = rows // stride == columns // stride
    return columns > rows, same_block, (columns % stride == stride - 1).expand(num_tokens, -1)


@fixed.misconception
def not_causal(num_tokens: int, stride: int) -> Tensor:
    """Your pattern looks into the future. It has to be causal: hide what comes after a token, both
    in its own block and at the ends of later blocks.
    """
    _, same_block, ends = parts(num_tokens, stride)
    return ~(same_block | ends)


@fixed.misconception
def block_looks_ahead(num_tokens: int, stride: int) -> Tensor:
    """Your tokens see what comes after them in their own block. The whole pattern has to
    be causal.
    """
    future, same_block, ends = parts(num_tokens, stride)
    return ~(same_block | (ends & ~future))


@fixed.misconception
def ends_look_ahead(num_tokens: int, stride: int) -> Tensor:
    """Your tokens see the ends of later blocks, or of their own, before they come. The whole
    pattern has to be causal.
    """
    future, same_block, ends = parts(num_tokens, stride)
    return ~((same_block & ~future) | ends)


@fixed.misconception
def last_token_is_an_end(num_tokens: int, stride: int) -> Tensor:
    """Your tokens see the ends of later blocks before they come, and the last token of the text,
    even where its block is not full. The whole pattern has to be causal: hide what comes after a
    token.
    """
    future, same_block, ends = parts(num_tokens, stride)
    last = torch.arange(num_tokens) == num_tokens - 1
    return ~((same_block & ~future) | ends | last)


@fixed.misconception
def block_alone(num_tokens: int, stride: int) -> Tensor:
    """Your tokens see only their own block. The last token of each earlier block, at position
    stride - 1 within it, should be visible as well.
    """
    future, same_block, _ = parts(num_tokens, stride)
    return future | ~same_block


@fixed.misconception
def ends_alone(num_tokens: int, stride: int) -> Tensor:
    """Your tokens see only the ends of blocks. They should also see themselves and the tokens
    before them in their own block.
    """
    future, _, ends = parts(num_tokens, stride)
    return future | ~ends


@fixed.misconception
def only_what_is_in_both(num_tokens: int, stride: int) -> Tensor:
    """You show a key only if it is in the query's block *and* the last of a block. One of the two
    suffices: hide the keys for which neither is true.
    """
    future, same_block, ends = parts(num_tokens, stride)
    return future | ~(same_block & ends)


@fixed.misconception
def starts_of_blocks(num_tokens: int, stride: int) -> Tensor:
    """You show the first token of each earlier block. Show the last one, because it is the only one
    that has seen the whole block.
    """
    rows, columns = rows_and_columns(num_tokens)
    return (columns > rows) | ~((rows // stride == columns // stride) | (columns % stride == 0))


@fixed.misconception
def whole_blocks_alone(num_tokens: int, stride: int) -> Tensor:
    """The tokens behind the last whole block see nothing, not even themselves. Their block is a
    shorter one: they see it, up to themselves, and the ends of all blocks before it.
    """
    rows, _ = rows_and_columns(num_tokens)
    future, same_block, ends = parts(num_tokens, stride)
    return future | ~(same_block | ends) | (rows >= num_tokens // stride * stride)


@fixed.misconception
def rest_without_a_block(num_tokens: int, stride: int) -> Tensor:
    """The tokens behind the last whole block do not see one another, nor themselves. Their block is
    a shorter one: they see it, up to themselves.
    """
    rows, _ = rows_and_columns(num_tokens)
    future, same_block, ends = parts(num_tokens, stride)
    return future | ~(ends | (same_block & (rows < num_tokens // stride * stride)))


@fixed.misconception
def about_equal_blocks(num_tokens: int, stride: int) -> Tensor:
    """Your blocks are of about equal size, as `torch.chunk` cuts them. All but the last one have
    `stride` tokens: `torch.split` cuts such blocks.
    """
    count = -(-num_tokens // stride)
    return reference.fixed_mask(num_tokens, -(-num_tokens // count))


@fixed.misconception
def starts_of_later_blocks(num_tokens: int, stride: int) -> Tensor:
    """You show the first token of each block but the very first one. Show the last token of each
    earlier block: it has remainder stride - 1, since positions count from 0.
    """
    rows, columns = rows_and_columns(num_tokens)
    starts = (columns % stride == 0) & (columns > 0)
    return (columns > rows) | ~((rows // stride == columns // stride) | starts)


@fixed.misconception
def blocks_of_fractions(num_tokens: int, stride: int) -> Tensor:
    """Of its own block, a token sees only itself, and the last one where that has a block's last
    place. Is a position divided with `/`? The number of a block is a whole number: use `//`.
    """
    rows, columns = rows_and_columns(num_tokens)
    return (columns > rows) | ~((rows == columns) | (columns % stride == stride - 1))


@fixed.misconception
def last_but_one_of_blocks(num_tokens: int, stride: int) -> Tensor:
    """You show the last but one token of each earlier block. Positions count from 0: the last token
    of a block has remainder stride - 1.
    """
    rows, columns = rows_and_columns(num_tokens)
    ends = columns % stride == stride - 2
    return (columns > rows) | ~((rows // stride == columns // stride) | ends)


@fixed.misconception
def multiples_of_one_less(num_tokens: int, stride: int) -> Tensor:
    """In earlier blocks you show the multiples of stride - 1. The last token of a block is the one
    whose position has the remainder stride - 1 when it is divided by the stride.
    """
    rows, columns = rows_and_columns(num_tokens)
    multiples = columns % max(stride - 1, 1) == 0
    return (columns > rows) | ~((rows // stride == columns // stride) | multiples)


@fixed.misconception
def rows_at_the_end(num_tokens: int, stride: int) -> Tensor:
    """Your mask lets the last token of each block see everything before it. It should be the other
    way round: this token is *seen* by all later ones, so look at the columns.
    """
    rows, columns = rows_and_columns(num_tokens)
    ends = rows % stride == stride - 1
    return (columns > rows) | ~((rows // stride == columns // stride) | ends)


@fixed.misconception
def blocks_counted_from_one(num_tokens: int, stride: int) -> Tensor:
    """Your first block is one token too short. Positions count from 0: the first block has
    positions 0 to stride - 1.
    """
    rows, columns = rows_and_columns(num_tokens)
    same_block = (rows + 1) // stride == (columns + 1) // stride
    return (columns > rows) | ~(same_block | (columns % stride == stride - 1))


@fixed.misconception
def all_counted_from_one(num_tokens: int, stride: int) -> Tensor:
    """Your first block is one token too short, and the ends of blocks are one position too early.
    Positions count from 0: the first block has positions 0 to stride - 1.
    """
    rows, columns = rows_and_columns(num_tokens)
    same_block = (rows + 1) // stride == (columns + 1) // stride
    return (columns > rows) | ~(same_block | ((columns + 1) % stride == stride - 1))


@fixed.misconception
def window_before(num_tokens: int, stride: int) -> Tensor:
    """Near the query you show the last `stride` tokens, as in the strided pattern. Here it is the
    query's own block, which starts at a multiple of the stride.
    """
    rows, columns = rows_and_columns(num_tokens)
    ends = columns % stride == stride - 1
    return (columns > rows) | ~((rows - columns < stride) | ends)


@fixed.misconception
def strided_pattern(num_tokens: int, stride: int) -> Tensor:
    """This is the strided pattern, which is about distances. In the fixed pattern, blocks start at
    the multiples of the stride, whatever the query.
    """
    return reference.strided_mask(num_tokens, stride)


@fixed.misconception
def distances_counted(num_tokens: int, stride: int) -> Tensor:
    """In earlier blocks you show the token at the same place as the query in its own block. Show
    the last token of each block, which depends on the column only.
    """
    rows, columns = rows_and_columns(num_tokens)
    same_place = (rows - columns) % stride == 0
    return (columns > rows) | ~((rows // stride == columns // stride) | same_place)


@fixed.misconception
def so_many_blocks(num_tokens: int, stride: int) -> Tensor:
    """You cut the text into `stride` blocks. Cut it into blocks of `stride` tokens each."""
    return reference.fixed_mask(num_tokens, max(1, num_tokens // stride))


@fixed.misconception
def itself_hidden(num_tokens: int, stride: int) -> Tensor:
    """Your mask hides each token from itself. It is part of its own block, and therefore
    visible.
    """
    rows, columns = rows_and_columns(num_tokens)
    return reference.fixed_mask(num_tokens, stride) | (rows == columns)


@fixed.misconception
def next_token_visible(num_tokens: int, stride: int) -> Tensor:
    """A token sees the one after it, if it is in the same block or the end of one. Hide each key
    that comes after its query, including the very next one.
    """
    rows, columns = rows_and_columns(num_tokens)
    _, same_block, ends = parts(num_tokens, stride)
    return (columns > rows + 1) | ~(same_block | ends)


@fixed.misconception
def past_hidden(num_tokens: int, stride: int) -> Tensor:
    """You hid all of the past. A key comes after its query where the column index is larger than
    the row index.
    """
    rows, columns = rows_and_columns(num_tokens)
    _, same_block, ends = parts(num_tokens, stride)
    return (columns < rows) | ~(same_block | ends)


@fixed.misconception
def previous_block_alone(num_tokens: int, stride: int) -> Tensor:
    """Of the earlier blocks you only show the end of the last one. The ends of all earlier blocks
    are visible.
    """
    rows, columns = rows_and_columns(num_tokens)
    future, same_block, ends = parts(num_tokens, stride)
    return future | ~(same_block | (ends & (rows // stride - columns // stride == 1)))


@fixed.misconception
def ends_hidden(num_tokens: int, stride: int) -> Tensor:
    """Of the earlier blocks you hid the ends and show all the rest. It should be the other way
    round.
    """
    future, same_block, ends = parts(num_tokens, stride)
    return future | (~same_block & ends)


@fixed.misconception
def own_block_hidden(num_tokens: int, stride: int) -> Tensor:
    """You hid the query's own block, and show the others. It should be the other way round, except
    that the ends of earlier blocks are visible, too.
    """
    future, same_block, ends = parts(num_tokens, stride)
    return future | (same_block & ~ends)


@fixed.misconception
def nothing_but_the_future_hidden(num_tokens: int, stride: int) -> Tensor:
    """This is a causal mask: all of the past is visible. Of earlier blocks, only the last token
    should be.
    """
    return parts(num_tokens, stride)[0]


@fixed.misconception
def visible_and_future(num_tokens: int, stride: int) -> Tensor:
    """Your mask is True where the key is visible, and in the future as well. Invert the pattern,
    and then hide the future.
    """
    future, same_block, ends = parts(num_tokens, stride)
    return future | same_block | ends


@fixed.accepts
def fixed_in_loops(num_tokens: int, stride: int) -> Tensor:
    """Loops.

    Two loops over the pairs up to the query write both conditions out. The future stays hidden,
    because no loop gets there.
    """
    hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for row in range(num_tokens):
        for column in range(row + 1):
            same_block = row // stride == column // stride
            hidden[row, column] = not (same_block or (column + 1) % stride == 0)
    return hidden


@fixed.accepts
def fixed_by_slices(num_tokens: int, stride: int) -> Tensor:
    """Slices of each row.

    Each row opens two slices: its own block up to the query, and the last token of every block
    before it.
    """
    hidden = torch.ones((num_tokens, num_tokens), dtype=torch.bool)
    for row in range(num_tokens):
        start = row // stride * stride
        hidden[row, start : row + 1] = False
        hidden[row, stride - 1 : start : stride] = False
    return hidden


@fixed.accepts
def fixed_block_by_block(num_tokens: int, stride: int) -> Tensor:
    """A loop over blocks, the future hidden at the end.

    For each block it opens a square, and below that the column of the block's last token. At the
    end, `tril` hides the future inside the squares.
    """
    visible = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    for start in range(0, num_tokens, stride):
        end = min(start + stride, num_tokens)
        visible[start:end, start:end] = True
        visible[end:, end - 1] = True
    return ~visible.tril()


@fixed.accepts
def fixed_by_marks(num_tokens: int, stride: int) -> Tensor:
    """Which token belongs to which block, as a matrix of ones."""
    positions = torch.arange(num_tokens)
    member = torch.nn.functional.one_hot(positions // stride).float()
    same_block = torch.einsum("ib,jb->ij", member, member)
    seen = same_block + (positions.remainder(stride) == stride - 1)
    return torch.tril(seen) == 0


@fixed.accepts
def fixed_as_a_list(num_tokens: int, stride: int) -> Tensor:
    """A list of lists."""
    positions = range(num_tokens)
    return torch.tensor(
        [
            [j > i or (j < i - i % stride and (j + 1) % stride > 0) for j in positions]
            for i in positions
        ]
    )
