"""The exam of `layers_until_all_meet`, lesson 08."""

from collections.abc import Callable

import torch
from torch import Tensor

from autograder import Draw, Exam
from solutions import efficient_attention as reference
from solutions.exams.efficient_attention._patterns import distances

meeting = Exam(reference.layers_until_all_meet)

Asked = tuple[Tensor, bool]


def window_and_global(num_tokens: int, window: int, position: int) -> Tensor:
    near = reference.sliding_window_mask(num_tokens, window)
    return near & reference.global_mask(num_tokens, [position])


def causal_window(num_tokens: int, window: int) -> Tensor:
    apart = distances(num_tokens)
    return (apart < 0) | (apart >= window)


@meeting.example
def neighbours() -> Tensor:
    """six tokens that see their neighbours"""
    return reference.sliding_window_mask(6, 2)


@meeting.example
def wider_window() -> Tensor:
    """ten tokens, a window of 3"""
    return reference.sliding_window_mask(10, 3)


@meeting.example
def long_chain() -> Tensor:
    """a chain of 24 tokens that see their neighbours"""
    return reference.sliding_window_mask(24, 2)


@meeting.example
def with_a_global_token() -> Tensor:
    """a window and a global token"""
    return window_and_global(7, 2, 2)


@meeting.example
def last_sees_everything() -> Tensor:
    """a window, and a last token that sees everything"""
    hidden = reference.sliding_window_mask(6, 2)
    hidden[-1] = False
    return hidden


@meeting.example
def full_attention() -> Tensor:
    """nothing hidden"""
    return torch.zeros(4, 4, dtype=torch.bool)


@meeting.example
def one_token() -> Tensor:
    """a single token"""
    return torch.zeros(1, 1, dtype=torch.bool)


@meeting.example
def two_groups() -> Tensor:
    """two groups that never meet"""
    return (distances(5) % 2).bool()


@meeting.example
def round_the_circle() -> Tensor:
    """each token sees the one before it, and the first sees the last"""
    return distances(5) % 5 > 1


@meeting.example
def strided() -> Asked:
    """the strided pattern, which is causal"""
    return reference.strided_mask(11, 3), True


@meeting.example
def causal_neighbours() -> Asked:
    """a causal window of 2"""
    return causal_window(5, 2), True


@meeting.example
def causal_pattern_all_asked() -> Asked:
    """a causal pattern, when the future is asked for as well"""
    return causal_window(4, 3), False


@meeting.example
def past_in_one_layer() -> Asked:
    """all of the past visible, and the next token, when the past is asked for"""
    return distances(5) < -1, True


@meeting.example
def next_token_seen() -> Asked:
    """all of the past visible, and the next token, when everything is asked for"""
    return distances(5) < -1, False


@meeting.example
def window_but_only_the_past() -> Asked:
    """a window of two sides, when the past is asked for"""
    return reference.sliding_window_mask(7, 3), True


@meeting.example
def past_through_a_later_token() -> Asked:
    """a past that arrives through a later token alone, when the past is asked for"""
    hidden = torch.tensor([[0, 1, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]])
    return hidden.bool(), True


@meeting.case(times=3)
def drawn_window(draw: Draw) -> Asked:
    """windows drawn at random"""
    num_tokens, window = int(draw.rng.integers(8, 20)), int(draw.rng.integers(2, 6))
    return reference.sliding_window_mask(num_tokens, window), bool(draw.rng.integers(2))


@meeting.case(times=3)
def drawn_pattern(draw: Draw) -> Tensor:
    """sparse patterns drawn at random"""
    size = int(draw.rng.integers(8, 14))
    hidden = torch.from_numpy(draw.rng.random((size, size)) > 2.0 / size)
    return hidden.fill_diagonal_(False)


@meeting.case(times=3)
def drawn_causal_pattern(draw: Draw) -> Asked:
    """causal patterns drawn at random, each token with some of those before it"""
    size = int(draw.rng.integers(8, 14))
    hidden = torch.from_numpy(draw.rng.random((size, size)) > 0.3) | (distances(size) < 0)
    return hidden & (distances(size) % size > 1), True


@meeting.case(times=1)
def fixed(draw: Draw) -> Asked:
    """the fixed pattern, which is causal"""
    return reference.fixed_mask(14, 4), True


@meeting.case(times=1)
def causal_groups(draw: Draw) -> Asked:
    """causal groups that never meet"""
    apart = distances(8)
    return (apart < 0) | (apart % 2 == 1), True


@meeting.case(times=1)
def round_the_circle_causal(draw: Draw) -> Asked:
    """each token sees the next one, and the last sees the first, when the past is asked for"""
    size = int(draw.rng.integers(6, 9))
    return (distances(size) + 1) % size > 1, True


@meeting.case(times=1)
def one_token_causal(draw: Draw) -> Asked:
    """a single token, in a causal pattern"""
    return torch.zeros(1, 1, dtype=torch.bool), True


@meeting.case(times=1)
def long_text(draw: Draw) -> Tensor:
    """36 tokens that see their neighbours"""
    return reference.sliding_window_mask(36, 2)


@meeting.case(times=1)
def a_crowd_and_a_queue(draw: Draw) -> Asked:
    """70 tokens, of which 40 see each other and the others the one before them"""
    apart = distances(70)
    hidden = (apart < 0) | (apart > 1)
    hidden[:40, :40] = False
    return hidden, True


@meeting.case(times=1)
def first_tokens_seen_by_all(draw: Draw) -> Asked:
    """56 tokens, each of which sees the one before it and the first ten"""
    # In equal shares, the last receives 1/12 of 1/12 … of the eleventh, which is 0 in float32. In
    # whole numbers of 64 bits, the ways are still exact.
    hidden = causal_window(56, 2)
    hidden[:, :10] = distances(56)[:, :10] < 0
    return hidden, True


meeting.half_but_for(
    "tokens that never meet", two_groups, causal_pattern_all_asked, drawn_pattern, causal_groups
)
meeting.half_but_for("a single token", one_token, one_token_causal)


@meeting.case(times=1)
def longest_chain(draw: Draw) -> Asked:
    """a chain of many tokens, each of which sees the one before it"""
    # No longer: in whole numbers of 64 bits, the ways from one end to the other are still exact.
    return causal_window(int(draw.rng.integers(66, 68)), 2), True


@meeting.holds
def hundred_layers_are_not_too_many(
    count_layers: Callable[..., int | None], hidden: Tensor, causal: bool = False
) -> bool:
    """in a chain of more than a hundred tokens there is a layer for each step"""
    is_longest = len(hidden) >= 66 and bool(hidden[0, 1])
    tokens = len(hidden) + 37
    return not is_longest or count_layers(causal_window(tokens, 2), True) == tokens - 1
