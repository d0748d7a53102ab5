"""The exam of `causal_mask`, lesson 04."""

import torch

from autograder import Draw, Exam
from solutions import causal_attention as reference
from solutions.exams.causal_attention._specimens import future
from solutions.exams.families import LOOP, MASK_VALUES

mask = Exam(reference.causal_mask)


@mask.example
def four_tokens() -> int:
    """four tokens"""
    return 4


@mask.example
def one_token() -> int:
    """one token, which has no future"""
    return 1


@mask.case
def any_number(draw: Draw) -> int:
    """any number of tokens"""
    return draw.size("tokens")


@mask.case(times=1)
def many_tokens(draw: Draw) -> int:
    """more than a thousand tokens"""
    return int(draw.rng.integers(1030, 1100))


MASK_VALUES.apply(
    mask,
    called={
        "MaskOfFloats": "ones_as_floats",
        "MaskToBeAdded": "minus_infinities",
        "TimesInfinity": "product_with_infinity",
    },
    without=["KeysOnRows"],
)


@mask.misconception
def hides_itself(num_tokens: int) -> torch.Tensor:
    """Your mask hides the diagonal: the first token would see nothing, and its softmax would be
    NaN. The triangle of the future begins one above the diagonal.
    """
    return future(num_tokens, diagonal=0)


@mask.misconception
def hides_the_past(num_tokens: int) -> torch.Tensor:
    """Your mask hides the past, which is below the diagonal. With queries on rows, the future is
    above it.
    """
    return future(num_tokens).T


@mask.misconception
def hides_too_late(num_tokens: int) -> torch.Tensor:
    """What you hide begins two above the diagonal: each token still sees the next one."""
    return future(num_tokens, diagonal=2)


@mask.misconception
def floats_turned_round(num_tokens: int) -> torch.Tensor:
    """`~` swaps True and False, but here it is applied to floats. Make them boolean first, with
    .bool() or dtype=torch.bool.
    """
    return ~torch.tril(torch.ones(num_tokens, num_tokens))


@mask.misconception
def whole_numbers_turned_round(num_tokens: int) -> torch.Tensor:
    """`~` on integers gives −1 and −2, without an error. Convert the numbers to True and False
    first, with .bool() or dtype=torch.bool.
    """
    return ~torch.ones(num_tokens, num_tokens, dtype=torch.int64).tril()


@mask.misconception
def one_row_only(num_tokens: int) -> torch.Tensor:
    """This is a single row. Different queries hide different keys, so the mask has a row for each
    query.
    """
    return torch.arange(num_tokens) > 0


LOOP.apply(
    mask,
    says={
        "LastRowReturned": "This is only the last row of the mask. If you have a loop, does each "
        "pass overwrite the result of the one before? Collect all the rows, and return them after "
        "the loop.",
        # Nothing is hidden from the last query: its row is 0 as well.
        "OnlyTheLastRowFilled": "Your mask is 0 everywhere: nothing is hidden. If you have a loop, "
        "does each pass start from new zeros? Make them once, before the loop.",
    },
    without=["FirstRowReturned"],
)


@mask.accepts
def mask_in_loops(num_tokens: int) -> torch.Tensor:
    """Loops.

    Two loops over the pairs that are hidden: for each query, the keys behind it.
    """
    result = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    for query in range(num_tokens):
        for key in range(query + 1, num_tokens):
            result[query, key] = True
    return result


@mask.accepts
def mask_by_places(num_tokens: int) -> torch.Tensor:
    """Comparing positions.

    It says what the mask means: a key is hidden where its position is greater than that of the
    query. Other rules, such as a window, are then one comparison more.
    """
    places = torch.arange(num_tokens)
    return places[None, :] > places[:, None]


@mask.accepts
def mask_by_the_other_triangle(num_tokens: int) -> torch.Tensor:
    """What is not in the lower triangle.

    It draws what may be seen, with tril, and turns that round. Watch the diagonal: tril keeps
    it, so it is not hidden.
    """
    return torch.tril(torch.ones(num_tokens, num_tokens)) == 0
