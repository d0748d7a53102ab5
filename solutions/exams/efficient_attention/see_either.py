"""The exam of `see_either`, lesson 08."""

from collections.abc import Callable
from functools import reduce

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._patterns import ROWS, rows_and_columns
from solutions.exams.families import MASK_VALUES

union = Exam(reference.see_either)

Masks = list[Tensor]


@union.example
def window_and_global() -> Masks:
    """a sliding window and a global token"""
    return [reference.sliding_window_mask(5, 2), reference.global_mask(5, [3])]


@union.example
def two_global() -> Masks:
    """a global token, and another one"""
    return [reference.global_mask(6, [1]), reference.global_mask(6, [4])]


@union.example
def three_patterns() -> Masks:
    """three patterns, the middle one not symmetric"""
    diagonal = torch.eye(6, dtype=torch.bool)
    return [~diagonal, ~diagonal.roll(2, dims=1), reference.global_mask(6, [1])]


@union.example
def four_patterns() -> Masks:
    """four patterns that overlap"""
    rows, columns = rows_and_columns(4)
    return [columns > rows, rows + columns > 2, (rows + columns) % 3 != 0, rows != 2 * columns]


@union.example
def more_keys() -> Masks:
    """two patterns of two queries and five keys, as when the last two tokens are new"""
    apart = torch.arange(3, 5)[:, None] - torch.arange(5)
    return [(apart < 0) | (apart > 1), apart.abs() != 3]


@union.example
def one_pattern() -> Masks:
    """a single pattern"""
    return [reference.strided_mask(4, 2)]


def drawn(draw: Draw, count: int, share: float = 0.7) -> Masks:
    """Patterns drawn at random, most of them hidden."""
    return [torch.from_numpy(draw("tokens keys") < share) for _ in range(count)]


@union.case(times=2)
def two_drawn(draw: Draw) -> Masks:
    """two patterns drawn at random"""
    size = int(draw.rng.integers(5, 9))
    return drawn(draw.fix(tokens=size, keys=size), 2)


@union.case(times=2)
def five_drawn(draw: Draw) -> Masks:
    """five patterns drawn at random"""
    return drawn(draw.fix(tokens=7, keys=7), 5, share=1.2)


@union.case(times=1)
def all_but_one_hidden(draw: Draw) -> Masks:
    """patterns that show one pair alone"""
    masks = drawn(draw.fix(tokens=4, keys=4), 3, share=100)
    masks[1][0, 3] = False
    return masks


@union.case(times=1)
def nothing_hidden(draw: Draw) -> Masks:
    """a pattern that hides nothing"""
    return [*drawn(draw.fix(tokens=5, keys=5), 2), torch.zeros(5, 5, dtype=torch.bool)]


@union.case(times=1)
def one_drawn(draw: Draw) -> Masks:
    """one pattern drawn at random"""
    return drawn(draw.fix(tokens=6, keys=6), 1)


@union.case(times=1)
def other_numbers(draw: Draw) -> Masks:
    """patterns of unlike numbers of queries and keys"""
    return drawn(draw, 3)


@union.case(times=1)
def many_patterns(draw: Draw) -> Masks:
    """256 patterns that agree"""
    # A count of them that is kept in a byte is 0.
    return drawn(draw.fix(tokens=3, keys=3), 1, share=0) * 256


@union.case(times=1)
def one_token(draw: Draw) -> Masks:
    """two patterns of a single token"""
    return [torch.tensor([[True]]), torch.tensor([[False]])]


@union.holds
def any_order(join: Callable[[Masks], Tensor], masks: Masks) -> bool:
    """the order of the patterns makes no difference"""
    return bool(torch.equal(join(masks), join(masks[::-1])))


MASK_VALUES.apply(
    union,
    says={
        "VisibleInstead": "Your mask is True where the key is visible. The masks that you are "
        "given are True where it is hidden, and the result should be, too.",
        "NothingHidden": "Nothing is hidden. If you start from a mask and join the others to it "
        "one by one, start from one that is True everywhere.",
        "AllHidden": "Everything is hidden. If you start from a mask that is True everywhere, `|` "
        "leaves it as it is: a key is hidden if all patterns hide it.",
    },
)
ROWS.apply(
    union,
    says={
        "FirstRowReturned": "This is only one row, that of the first query. The mask has a row for "
        "each query: if you have a loop over them, put `return` after it.",
    },
)


@union.misconception
def hidden_by_any(masks: Masks) -> Tensor:
    """You hide what any of the patterns hides, so a key is visible only if all of them show it. It
    should be visible if at least one pattern shows it: hide it only if all of them do.
    """
    return torch.stack(masks).any(dim=0)


@union.misconception
def hidden_by_two(masks: Masks) -> Tensor:
    """You hide a key as soon as two patterns hide it, which is right for two patterns alone. Hide
    it only if all of them do, however many there are.
    """
    return torch.stack(masks).sum(dim=0) >= 2


@union.misconception
def visible_in_all(masks: Masks) -> Tensor:
    """Your mask is True where every pattern shows the key. It should be True where every pattern
    hides it.
    """
    return ~torch.stack(masks).any(dim=0)


@union.misconception
def in_exactly_one(masks: Masks) -> Tensor:
    """Your masks are joined by "either, but not both", as `^` and `!=` do. The result should be
    True where all of them are True.
    """
    return reduce(torch.logical_xor, masks)


@union.misconception
def all_the_same(masks: Masks) -> Tensor:
    """Your masks are joined as `==` does, which is also True where both of them are False. The
    result should be True where all of them are True.
    """
    return reduce(torch.eq, masks)


@union.misconception
def first_alone(masks: Masks) -> Tensor:
    """This is only the first mask. Join all masks in the list."""
    return masks[0]


@union.misconception
def last_alone(masks: Masks) -> Tensor:
    """This is only the last mask. In a loop, join each mask with the result so far."""
    return masks[-1]


@union.misconception
def first_two_alone(masks: Masks) -> Tensor:
    """These are the first two masks, joined. There may be more of them: join them all."""
    return torch.stack(masks[:2]).all(dim=0)


@union.misconception
def last_two_alone(masks: Masks) -> Tensor:
    """These are the last two masks, joined. In a loop, join each mask with the result so far."""
    return torch.stack(masks[-2:]).all(dim=0)


@union.misconception
def first_and_last_alone(masks: Masks) -> Tensor:
    """These are the first and the last mask, joined. Join those between them as well."""
    return masks[0] & masks[-1]


@union.misconception
def first_left_out(masks: Masks) -> Tensor:
    """The first mask is missing in your result: does a loop start with the second one?"""
    return torch.stack((torch.ones_like(masks[0]), *masks[1:])).all(dim=0)


@union.misconception
def last_left_out(masks: Masks) -> Tensor:
    """The last mask is missing in your result: does a loop end one round too early?"""
    return torch.stack((torch.ones_like(masks[0]), *masks[:-1])).all(dim=0)


@union.misconception
def always_two(masks: Masks) -> Tensor:
    """You take two masks, but there may be a single one, or more. The number of masks is
    `len(masks)`.
    """
    return masks[0] & masks[1]


@union.misconception
def always_square(masks: Masks) -> Tensor:
    """You start from a square mask. There may be more keys than queries, or fewer: take the shape
    of the masks, as `torch.ones_like(masks[0])` does.
    """
    joined = torch.ones(len(masks[0]), len(masks[0]), dtype=torch.bool)
    for mask in masks:
        joined = joined & mask
    return joined


@union.misconception
def as_truth_values(masks: Masks) -> Tensor:
    """`and`, `all(masks)` and `if mask` ask for a single truth value, but a tensor with several
    entries has none. Use `&` or `torch.all`, which work entry by entry.
    """
    joined = masks[0]
    for mask in masks:
        joined = joined and mask
    return joined


@union.misconception
def not_joined(masks: Masks) -> Tensor:
    """These are all masks, stacked. Join them along the new axis, into one mask of shape
    (queries, keys).
    """
    return torch.stack(masks)


@union.misconception
def rows_joined(masks: Masks) -> Tensor:
    """You joined along the rows or columns of each mask, not across the masks. Those are on axis 0
    of the stack.
    """
    return torch.stack(masks).all(dim=1)


@union.misconception
def columns_joined(masks: Masks) -> Tensor:
    """You joined along the columns of each mask, not across the masks. Those are on axis 0 of the
    stack.
    """
    return torch.stack(masks).all(dim=-1)


@union.misconception
def everything_joined(masks: Masks) -> Tensor:
    """This is a single True or False: `all` without an axis runs over everything. Use dim=0, the
    axis of the masks.
    """
    return torch.stack(masks).all()


@union.misconception
def one_below_the_other(masks: Masks) -> Tensor:
    """Your result tells for each key whether every mask hides it from every query, as when
    `torch.cat` puts the masks one below another. `torch.stack` gives them their own axis.
    """
    return torch.cat(masks).all(dim=0)


@union.misconception
def concatenated(masks: Masks) -> Tensor:
    """These are all masks, one below another. Join them entry by entry, into one mask of shape
    (queries, keys).
    """
    return torch.cat(masks)


@union.misconception
def written_into(masks: Masks) -> Tensor:
    """The result is right, but `&=` and `[…] = …` also change the caller's first mask. Make a new
    one: `a = a & b`, or start from a clone.
    """
    joined = masks[0]
    for mask in masks[1:]:
        joined &= mask
    return joined


@union.accepts
def joined_in_a_loop(masks: Masks) -> Tensor:
    """A loop over the masks.

    It begins with everything hidden, and `&` takes away what each mask shows. A further mask is one
    more turn of the loop.
    """
    joined = torch.ones_like(masks[0])
    for mask in masks:
        joined = joined & mask
    return joined


@union.accepts
def joined_by_reduce(masks: Masks) -> Tensor:
    """One after the other, by a function."""
    return reduce(torch.logical_and, masks)


@union.accepts
def joined_pair_by_pair(masks: Masks) -> Tensor:
    """Loops over rows and columns.

    Two loops ask for each pair whether all masks hide it, which is the rule in words.
    """
    joined = torch.zeros_like(masks[0])
    for row in range(joined.shape[0]):
        for column in range(joined.shape[1]):
            joined[row, column] = all(mask[row, column] for mask in masks)
    return joined


@union.accepts
def joined_by_what_is_seen(masks: Masks) -> Tensor:
    """What any of them shows, turned round.

    It turns the masks round and asks what any of them shows. Hidden by all is the same as not shown
    by any, one of De Morgan's laws.
    """
    return ~torch.stack([~mask for mask in masks]).any(dim=0)


@union.accepts
def joined_by_a_count(masks: Masks) -> Tensor:
    """How many hide it."""
    hiding: Tensor = sum(mask.int() for mask in masks)  # type: ignore[assignment]
    return hiding == len(masks)
