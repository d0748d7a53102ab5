"""The exam of `decoding_mask`, lesson 07."""

from collections.abc import Callable

import torch

from autograder import Draw, Exam
from solutions import grouped_query_attention as reference
from solutions.exams.families import LOOP, MASK_VALUES
from solutions.exams.grouped_query_attention._specimens import future

mask = Exam(reference.decoding_mask, forbids=("companion",))

_MANY = 300


@mask.example
def two_after_three() -> tuple[int, int]:
    """two new tokens after three cached ones"""
    return 2, 5


@mask.example
def one_after_three() -> tuple[int, int]:
    """one new token after three cached ones: it sees everything"""
    return 1, 4


@mask.example
def nothing_cached() -> tuple[int, int]:
    """three tokens, nothing cached: the mask of lesson 04"""
    return 3, 3


@mask.case
def some_cached(draw: Draw) -> tuple[int, int]:
    """some new tokens after some cached ones"""
    return draw.size("new"), draw.size("new") + draw.size("cached")


@mask.case(times=1)
def many_cached(draw: Draw) -> tuple[int, int]:
    """a few new tokens after hundreds of cached ones"""
    new = draw.size("new")
    return new, new + int(draw.rng.integers(_MANY, 2 * _MANY))


@mask.case(times=1)
def many_new(draw: Draw) -> tuple[int, int]:
    """many new tokens after a few cached ones"""
    new = int(draw.rng.integers(70, 100))
    return new, new + draw.size("cached")


@mask.holds
def far_past_is_seen(
    decoding_mask: Callable[[int, int], torch.Tensor], num_queries: int, num_keys: int
) -> bool:
    """new tokens see a past of thousands of tokens, too"""
    # Once is enough. A square mask of so many tokens is too large to be sent back, but whoever
    # returns one is wrong already, and not asked.
    if num_keys < _MANY:
        return True
    asked = 2, num_keys + 2**14
    return torch.equal(decoding_mask(*asked), reference.decoding_mask(*asked))


MASK_VALUES.apply(
    mask,
    says={
        "NothingHidden": "Nothing is hidden. That is right for a single new token; if there are "
        "several, the first must not see the others."
    },
)


@mask.misconception
def aligned_to_the_start(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask is aligned to the first key, so that a new token sees only the oldest ones. The new
    tokens are the last ones: query 0 is at position num_keys - num_queries.
    """
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(1)


@mask.misconception
def hides_itself(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask hides each token from itself as well. A token may see itself."""
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(num_keys - num_queries)


@mask.misconception
def sees_the_next(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your tokens still see the one that comes next: what you hide starts one position too far to
    the right.
    """
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(num_keys - num_queries + 2)


@mask.misconception
def shifted_the_other_way(num_queries: int, num_keys: int) -> torch.Tensor:
    """Your mask is shifted to the left instead of to the right: new tokens see less than before
    instead of more.
    """
    return torch.ones(num_queries, num_keys, dtype=torch.bool).triu(num_queries - num_keys + 1)


@mask.misconception
def square_mask(num_queries: int, num_keys: int) -> torch.Tensor:
    """This mask has a row for every token. Only the new tokens have queries: num_queries rows."""
    return future(num_keys)


@mask.misconception
def nothing_hidden_after_a_cache(num_queries: int, num_keys: int) -> torch.Tensor:
    """Where tokens are cached, nothing is hidden. That is right for a single new token; if there
    are several, the first must not see the others.
    """
    if num_keys > num_queries:
        return torch.zeros(num_queries, num_keys, dtype=torch.bool)
    return future(num_keys)


@mask.misconception
def new_against_new(num_queries: int, num_keys: int) -> torch.Tensor:
    """This mask has columns only for the new tokens. They see the cached ones, too: num_keys
    columns.
    """
    return future(num_queries)


@mask.misconception
def cached_hidden(num_queries: int, num_keys: int) -> torch.Tensor:
    """You hid the cached tokens. They are the past, which every new token sees."""
    hidden = torch.ones(num_queries, num_keys, dtype=torch.bool)
    hidden[:, num_keys - num_queries :] = future(num_queries)
    return hidden


LOOP.apply(
    mask,
    says={
        # Nothing is hidden from the last query: its row is 0 as well.
        "OnlyTheLastRowFilled": "Your mask is 0 everywhere: nothing is hidden. If you have a loop, "
        "does each pass start from new zeros? Make them once, before the loop.",
    },
)


@mask.accepts
def last_rows_of_a_square(num_queries: int, num_keys: int) -> torch.Tensor:
    """The last rows of the mask of lesson 04."""
    return future(num_keys)[num_keys - num_queries :]


@mask.accepts
def mask_by_places(num_queries: int, num_keys: int) -> torch.Tensor:
    """Comparing positions.

    It compares positions: the queries are the last tokens of the text, and a key is hidden where it
    comes after its query. No diagonal has to be counted.
    """
    places = torch.arange(num_keys)
    return places[None, :] > places[num_keys - num_queries :, None]


@mask.accepts
def mask_in_loops(num_queries: int, num_keys: int) -> torch.Tensor:
    """Loops.

    Two loops ask for each pair whether the key comes after the query, whose position is counted on
    from the cached tokens.
    """
    hidden = torch.zeros(num_queries, num_keys, dtype=torch.bool)
    for query in range(num_queries):
        for key in range(num_keys):
            hidden[query, key] = key > query + (num_keys - num_queries)
    return hidden
