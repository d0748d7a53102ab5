"""The exam of `strided_mask`, lesson 08."""

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._patterns import (
    PATTERN,
    distances,
    many_tokens,
    rows_and_columns,
)

strided = Exam(reference.strided_mask, forbids=("companion",))

Pattern = tuple[int, int]


@strided.example
def stride_of_three() -> Pattern:
    """ten tokens, a stride of 3"""
    return 10, 3


@strided.example
def stride_of_five() -> Pattern:
    """16 tokens, a stride of 5"""
    return 16, 5


@strided.example
def stride_of_one() -> Pattern:
    """a stride of 1: nothing but the future is hidden"""
    return 4, 1


@strided.example
def longer_than_the_text() -> Pattern:
    """a stride longer than the text"""
    return 4, 6


@strided.case(times=4)
def any_stride(draw: Draw) -> Pattern:
    """texts and strides drawn at random"""
    return int(draw.rng.integers(12, 24)), int(draw.rng.integers(2, 8))


@strided.case(times=1)
def one_token(draw: Draw) -> Pattern:
    """a single token"""
    return 1, 2


@strided.case(times=1)
def as_long_as_the_text(draw: Draw) -> Pattern:
    """a stride as long as the text"""
    return 5, 5


@strided.case(times=1)
def long_text(draw: Draw) -> Pattern:
    """more than 256 tokens, a stride of 12"""
    return many_tokens(draw), 12


PATTERN.apply(
    strided,
    says={
        "KeysOnRows": "You hid the past and show the future. A key at a later position than the "
        "query has to be hidden: queries are on rows, keys on columns.",
    },
)


@strided.misconception
def both_directions(num_tokens: int, stride: int) -> Tensor:
    """Your pattern looks into the future as well. It has to be causal: hide what comes after a
    token.
    """
    apart = distances(num_tokens).abs()
    return (apart >= stride) & (apart % stride != 0)


@strided.misconception
def window_looks_ahead(num_tokens: int, stride: int) -> Tensor:
    """What comes after a token is visible: its distance is negative, and therefore less than the
    stride. Hide it as well.
    """
    apart = distances(num_tokens)
    return (apart >= stride) & (apart % stride != 0)


@strided.misconception
def multiples_look_ahead(num_tokens: int, stride: int) -> Tensor:
    """Every stride-th token of the future is visible. What comes after a token has to be hidden,
    whatever its distance, also if that is a multiple of the stride.
    """
    apart = distances(num_tokens)
    return ((apart < 0) | (apart >= stride)) & (apart % stride != 0)


@strided.misconception
def window_alone(num_tokens: int, stride: int) -> Tensor:
    """You show only the last few tokens. Every stride-th one before them should be visible, too."""
    apart = distances(num_tokens)
    return (apart < 0) | (apart >= stride)


@strided.misconception
def multiples_alone(num_tokens: int, stride: int) -> Tensor:
    """You show only every stride-th token. The stride - 1 tokens before a token should be visible
    as well.
    """
    apart = distances(num_tokens)
    return (apart < 0) | (apart % stride != 0)


@strided.misconception
def multiples_alone_marked(num_tokens: int, stride: int) -> Tensor:
    """Your mask marks what is visible, and of that only every stride-th token. In this course, True
    means hidden, and the stride - 1 tokens before a token are visible as well.
    """
    return ~multiples_alone(num_tokens, stride)


@strided.misconception
def multiples_alone_marked_by_ones(num_tokens: int, stride: int) -> Tensor:
    """Your mask has ones where a key is visible, and of these only for every stride-th token. In
    this course, a mask has True where a key is hidden, and the stride - 1 tokens before a token are
    visible as well.
    """
    return multiples_alone_marked(num_tokens, stride).float()


@strided.misconception
def window_alone_marked(num_tokens: int, stride: int) -> Tensor:
    """Your mask marks what is visible, and of that only the last few tokens. In this course, True
    means hidden, and every stride-th token before them is visible as well.
    """
    return ~window_alone(num_tokens, stride)


@strided.misconception
def only_what_is_in_both(num_tokens: int, stride: int) -> Tensor:
    """Your tokens see only themselves, as when a key has to be near *and* at a multiple of the
    stride. One of the two suffices: hide a key only if neither is true.
    """
    apart = distances(num_tokens)
    return (apart < 0) | (apart >= stride) | (apart % stride != 0)


@strided.misconception
def multiples_hidden(num_tokens: int, stride: int) -> Tensor:
    """You hid every stride-th token and show those in between. It should be the other way round."""
    apart = distances(num_tokens)
    return (apart < 0) | ((apart >= stride) & (apart % stride == 0))


@strided.misconception
def multiples_alone_hidden(num_tokens: int, stride: int) -> Tensor:
    """You hid every stride-th token, including the query itself, and show those in between. It
    should be the other way round, and the last few tokens are visible in any case.
    """
    apart = distances(num_tokens)
    return (apart < 0) | (apart % stride == 0)


@strided.misconception
def window_too_narrow(num_tokens: int, stride: int) -> Tensor:
    """The token at distance stride - 1 is hidden. A token sees itself and the stride - 1 tokens
    before it.
    """
    apart = distances(num_tokens)
    return (apart < 0) | ((apart >= stride - 1) & (apart % stride != 0))


@strided.misconception
def half_the_window(num_tokens: int, stride: int) -> Tensor:
    """Your tokens see only about half a stride back, as when the stride is shared between both
    sides. A token sees itself and the stride - 1 tokens before it.
    """
    apart = distances(num_tokens)
    return (apart < 0) | ((apart > stride // 2) & (apart % stride != 0))


@strided.misconception
def window_too_wide(num_tokens: int, stride: int) -> Tensor:
    """The token at distance stride + 1 is visible. A token sees itself and the stride - 1 tokens
    before it, and further back only the multiples.
    """
    apart = distances(num_tokens)
    return (apart < 0) | ((apart > stride + 1) & (apart % stride != 0))


@strided.misconception
def columns_counted(num_tokens: int, stride: int) -> Tensor:
    """Your far keys are those whose own position is a multiple of the stride, the same for all
    queries. It is the distance from the query that has to be a multiple.
    """
    apart, (_, columns) = distances(num_tokens), rows_and_columns(num_tokens)
    return (apart < 0) | ((apart >= stride) & (columns % stride != 0))


@strided.misconception
def ends_of_blocks(num_tokens: int, stride: int) -> Tensor:
    """Your far keys are the last ones of each block, as in the fixed pattern. Here the distance
    from the query has to be a multiple of the stride.
    """
    apart, (_, columns) = distances(num_tokens), rows_and_columns(num_tokens)
    return (apart < 0) | ((apart >= stride) & (columns % stride != stride - 1))


@strided.misconception
def rows_counted(num_tokens: int, stride: int) -> Tensor:
    """Every stride-th of your queries sees all of the past, and the others see only the last few
    tokens. It is the distance between query and key that has to be a multiple.
    """
    apart, (rows, _) = distances(num_tokens), rows_and_columns(num_tokens)
    return (apart < 0) | ((apart >= stride) & (rows % stride != 0))


@strided.misconception
def own_block(num_tokens: int, stride: int) -> Tensor:
    """Near the query you show its own block, as in the fixed pattern, so tokens at the start of a
    block see too few. The strided pattern shows the stride - 1 tokens before each.
    """
    rows, columns = rows_and_columns(num_tokens)
    apart = rows - columns
    return (apart < 0) | ((rows // stride != columns // stride) & (apart % stride != 0))


@strided.misconception
def fixed_pattern(num_tokens: int, stride: int) -> Tensor:
    """This is the fixed pattern: blocks, and the end of each. The strided pattern is about
    distances from the query.
    """
    return reference.fixed_mask(num_tokens, stride)


@strided.misconception
def first_multiple_alone(num_tokens: int, stride: int) -> Tensor:
    """Of the far keys you only show the one at distance `stride`. All multiples of it should be
    visible, back to the start of the text.
    """
    apart = distances(num_tokens)
    return (apart < 0) | (apart > stride)


@strided.misconception
def itself_hidden(num_tokens: int, stride: int) -> Tensor:
    """Your mask hides each token from itself. Its distance is 0, so it should be visible."""
    apart = distances(num_tokens)
    return (apart <= 0) | ((apart >= stride) & (apart % stride != 0))


@strided.misconception
def next_token_visible(num_tokens: int, stride: int) -> Tensor:
    """The token after each query is visible, although everything before it is right. Hide what
    comes after a token, at a negative distance.
    """
    apart = distances(num_tokens)
    return (apart < -1) | ((apart >= stride) & (apart % stride != 0))


@strided.misconception
def past_hidden(num_tokens: int, stride: int) -> Tensor:
    """You hid all of the past, so a token sees only itself and what comes after it. A key comes
    after its query where the column index is larger than the row index.
    """
    apart = distances(num_tokens)
    return (apart > 0) | ((apart >= stride) & (apart % stride != 0))


@strided.misconception
def nothing_but_the_future_hidden(num_tokens: int, stride: int) -> Tensor:
    """This is a causal mask: all of the past is visible. Hide what is neither near nor at a
    multiple of the stride.
    """
    return distances(num_tokens) < 0


@strided.misconception
def past_mask_alone(num_tokens: int, stride: int) -> Tensor:
    """Your mask is True where the key is visible, and in the future as well. Invert the pattern,
    and then hide the future.
    """
    apart = distances(num_tokens)
    return (apart < 0) | (apart < stride) | (apart % stride == 0)


@strided.accepts
def strided_in_loops(num_tokens: int, stride: int) -> Tensor:
    """Loops.

    Two loops over the pairs up to the query write the condition out. The future stays hidden,
    because no loop gets there.
    """
    hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for row in range(num_tokens):
        for column in range(row + 1):
            apart = row - column
            hidden[row, column] = apart >= stride and apart % stride != 0
    return hidden


@strided.accepts
def strided_by_slices(num_tokens: int, stride: int) -> Tensor:
    """Slices of each row.

    Each row opens two slices: the query with the tokens just before it, and every stride-th one,
    counted back from it. `row % stride` is the first position of the second slice.
    """
    hidden = torch.ones((num_tokens, num_tokens), dtype=torch.bool)
    for row in range(num_tokens):
        hidden[row, max(0, row - stride + 1) : row + 1] = False
        hidden[row, row % stride : row + 1 : stride] = False
    return hidden


@strided.accepts
def strided_by_remainders(num_tokens: int, stride: int) -> Tensor:
    """Equal remainders, and two triangles."""
    positions = torch.arange(num_tokens)
    multiples = positions[:, None] % stride == positions % stride
    near = torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(1 - stride)
    return ~((multiples | near).tril())


@strided.accepts
def strided_by_diagonals(num_tokens: int, stride: int) -> Tensor:
    """One diagonal after the other.

    Only distances count here, and all pairs of one distance lie on a diagonal. So it opens a
    diagonal for each distance that is visible, which works for any such mask.
    """
    visible = torch.zeros(num_tokens, num_tokens)
    for apart in [*range(stride), *range(stride, num_tokens, stride)]:
        if apart < num_tokens:
            visible += torch.diag(torch.ones(num_tokens - apart), -apart)
    return visible == 0


@strided.accepts
def strided_as_a_list(num_tokens: int, stride: int) -> Tensor:
    """A list of lists."""
    positions = range(num_tokens)
    return torch.tensor(
        [
            [j > i or (i - j >= stride and (i - j) % stride > 0) for j in positions]
            for i in positions
        ]
    )
