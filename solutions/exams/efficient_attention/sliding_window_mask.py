"""The exam of `sliding_window_mask`, lesson 08."""

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

window = Exam(reference.sliding_window_mask, forbids=("companion",))

Pattern = tuple[int, int]


@window.example
def six_tokens() -> Pattern:
    """six tokens, a window of 2"""
    return 6, 2


@window.example
def window_of_three() -> Pattern:
    """eight tokens, a window of 3"""
    return 8, 3


@window.example
def window_of_four() -> Pattern:
    """nine tokens, a window of 4"""
    return 9, 4


@window.example
def itself_alone() -> Pattern:
    """a window of 1: each token sees itself alone"""
    return 4, 1


@window.example
def wider_than_the_text() -> Pattern:
    """a window that is wider than the text"""
    return 3, 5


@window.case(times=4)
def any_window(draw: Draw) -> Pattern:
    """texts and windows drawn at random"""
    return int(draw.rng.integers(10, 20)), int(draw.rng.integers(2, 8))


@window.case(times=1)
def one_token(draw: Draw) -> Pattern:
    """a single token"""
    return 1, 3


@window.case(times=1)
def as_wide_as_the_text(draw: Draw) -> Pattern:
    """a window as wide as the text"""
    return 5, 5


@window.case(times=1)
def one_less_than_the_text(draw: Draw) -> Pattern:
    """a window that hides the first token from the last one alone"""
    return 6, 5


@window.case(times=1)
def long_text(draw: Draw) -> Pattern:
    """more than 256 tokens, a window of 20"""
    return many_tokens(draw), 20


PATTERN.apply(
    window,
    without=["KeysOnRows"],
    says={
        "NothingHidden": "Nothing is hidden. Is a result not kept, or do you hide keys that are "
        "too far before *and* too far after? No key is both.",
        "AllHidden": "Everything is hidden. If you join two triangles, they overlap and cover the "
        "whole matrix: the band around the diagonal should stay free.",
        "TimesInfinity": "Zeros and ones times −∞ are NaN where they were 0. Return the mask "
        "itself, as True and False.",
    },
)


@window.misconception
def one_too_wide(num_tokens: int, window: int) -> Tensor:
    """Your window is too wide by one on either side. It includes the token itself, so a key at
    distance `window` should already be hidden.
    """
    return distances(num_tokens).abs() > window


@window.misconception
def one_too_narrow(num_tokens: int, window: int) -> Tensor:
    """Your window is too narrow by one on either side: a key at distance window - 1 is still
    visible, and with a window of 1 a token sees itself.
    """
    return distances(num_tokens).abs() >= window - 1


@window.misconception
def two_too_wide(num_tokens: int, window: int) -> Tensor:
    """Your window is too wide by two on either side: only the distances 0 to window - 1 are
    visible.
    """
    return distances(num_tokens).abs() > window + 1


@window.misconception
def itself_alone_seen(num_tokens: int, window: int) -> Tensor:
    """Your tokens see only themselves, however wide the window is. Compare distances with
    `window`.
    """
    return distances(num_tokens) != 0


@window.misconception
def split_between_the_sides(num_tokens: int, window: int) -> Tensor:
    """You divided the window: half of it before the token, half of it after. That is how Longformer
    counts. Here it reaches as far on each side: the distances 0 to window - 1, before and after.
    """
    return distances(num_tokens).abs() > window // 2


@window.misconception
def less_than_half(num_tokens: int, window: int) -> Tensor:
    """You compare distances with half of the window. Here it reaches as far on each side: the
    distances 0 to window - 1, before and after.
    """
    return distances(num_tokens).abs() >= window // 2


@window.misconception
def half_rounded_up(num_tokens: int, window: int) -> Tensor:
    """Your window has `window` tokens in all, or one fewer. Here each side has that many: the
    distances 0 to window - 1, before and after.
    """
    return 2 * distances(num_tokens).abs() >= window


@window.misconception
def past_alone(num_tokens: int, window: int) -> Tensor:
    """Your tokens see nothing that comes after them. This window has two sides: only the absolute
    distance counts.
    """
    apart = distances(num_tokens)
    return (apart < 0) | (apart >= window)


@window.misconception
def past_alone_one_too_wide(num_tokens: int, window: int) -> Tensor:
    """Your tokens see nothing that comes after them, and one token too many before. This window has
    two sides, with the distances 0 to window - 1 visible on each.
    """
    apart = distances(num_tokens)
    return (apart < 0) | (apart > window)


@window.misconception
def future_alone(num_tokens: int, window: int) -> Tensor:
    """Your tokens see nothing that comes before them. This window has two sides: only the absolute
    distance counts.
    """
    apart = -distances(num_tokens)
    return (apart < 0) | (apart >= window)


@window.misconception
def future_all_visible(num_tokens: int, window: int) -> Tensor:
    """Everything after a token is visible, as when its distance is negative, without `abs`, and so
    always small enough. Hide on both sides.
    """
    return distances(num_tokens) >= window


@window.misconception
def past_all_visible(num_tokens: int, window: int) -> Tensor:
    """Everything before a token is visible, as when its distance is negative, without `abs`, and so
    always small enough. Hide on both sides.
    """
    return -distances(num_tokens) >= window


@window.misconception
def future_all_visible_one_too_wide(num_tokens: int, window: int) -> Tensor:
    """Everything after a token is visible, and one token too many before it. Hide on both sides,
    from the distance `window` on.
    """
    return distances(num_tokens) > window


@window.misconception
def past_all_visible_one_too_wide(num_tokens: int, window: int) -> Tensor:
    """Everything before a token is visible, and one token too many after it. Hide on both sides,
    from the distance `window` on.
    """
    return -distances(num_tokens) > window


@window.misconception
def wider_before(num_tokens: int, window: int) -> Tensor:
    """Your window has one more token before than after. Its sides should be equally wide, with
    distances 0 to window - 1. In a slice `a:b`, b is not included.
    """
    apart = distances(num_tokens)
    return (apart > window) | (-apart >= window)


@window.misconception
def wider_after(num_tokens: int, window: int) -> Tensor:
    """Your window has one more token after than before. Its sides should be equally wide, with
    distances 0 to window - 1.
    """
    apart = distances(num_tokens)
    return (apart >= window) | (-apart > window)


@window.misconception
def narrower_after(num_tokens: int, window: int) -> Tensor:
    """Your window has one fewer token after than before. If you take a slice `a:b`, b is not
    included: end it at i + window.
    """
    apart = distances(num_tokens)
    return (apart >= window) | (-apart >= window - 1)


@window.misconception
def narrower_before(num_tokens: int, window: int) -> Tensor:
    """Your window has one fewer token before than after. Its sides should be equally wide, with
    distances 0 to window - 1.
    """
    apart = distances(num_tokens)
    return (apart >= window - 1) | (-apart >= window)


@window.misconception
def slices_from_below_zero(num_tokens: int, window: int) -> Tensor:
    """Your first rows are wrong: there the window starts before the text, and a slice with a
    negative start counts from the end. Start it at max(0, …).
    """
    hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for row in range(num_tokens):
        hidden[row, row - window + 1 : row + window] = False
    return hidden


@window.misconception
def round_the_end(num_tokens: int, window: int) -> Tensor:
    """Your window wraps round the end of the text: the first tokens see the last ones, as after
    `roll` or with a negative index. Hide these.
    """
    apart = distances(num_tokens) % num_tokens
    return torch.minimum(apart, num_tokens - apart) >= window


@window.misconception
def itself_hidden(num_tokens: int, window: int) -> Tensor:
    """Your mask hides each token from itself. It is part of its own window."""
    apart = distances(num_tokens).abs()
    return (apart >= window) | (apart == 0)


@window.misconception
def blocks(num_tokens: int, window: int) -> Tensor:
    """You cut the text into blocks whose tokens see only each other. A sliding window moves with
    the token: it is about distances.
    """
    rows, columns = rows_and_columns(num_tokens)
    return rows // window != columns // window


@window.misconception
def one_distance_hidden(num_tokens: int, window: int) -> Tensor:
    """You hid only the distance `window`. Hide all larger distances, too."""
    return distances(num_tokens).abs() == window


@window.misconception
def band_that_is_too_wide(num_tokens: int, window: int) -> Tensor:
    """Your mask is True where a key is visible, and the window is too wide by one on either side.
    True means hidden, and the distances 0 to window - 1 are visible.
    """
    return distances(num_tokens).abs() <= window


@window.misconception
def first_keys(num_tokens: int, window: int) -> Tensor:
    """All rows of your mask are equal: every token sees the first few keys. Compare each key's
    position with that of the query.
    """
    return torch.arange(num_tokens).expand(num_tokens, -1) >= window


@window.accepts
def window_in_loops(num_tokens: int, window: int) -> Tensor:
    """Loops.

    Two loops write the rule out for each pair: it is hidden from a distance of `window` on.
    """
    hidden = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    for row in range(num_tokens):
        for column in range(num_tokens):
            hidden[row, column] = abs(row - column) >= window
    return hidden


@window.accepts
def window_by_slices(num_tokens: int, window: int) -> Tensor:
    """A slice of each row.

    Each row is hidden as a whole, and a slice of it is opened again. Without `max`, the slice could
    begin at a negative index, which counts from the end.
    """
    hidden = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    for row in range(num_tokens):
        hidden[row, max(0, row - window + 1) : row + window] = False
    return hidden


@window.accepts
def window_by_two_triangles(num_tokens: int, window: int) -> Tensor:
    """What is above the band, and what is below it.

    `triu` hides what lies above the band and `tril` what lies below it. Two diagonals say how wide
    the band is, so no positions are compared.
    """
    everything = torch.ones(num_tokens, num_tokens, dtype=torch.bool)
    return everything.triu(window) | everything.tril(-window)


@window.accepts
def window_as_a_list(num_tokens: int, window: int) -> Tensor:
    """A list of lists."""
    positions = range(num_tokens)
    return torch.tensor([[not -window < i - j < window for j in positions] for i in positions])


@window.accepts
def window_by_convolution(num_tokens: int, window: int) -> Tensor:
    """Each token's mark, spread over its window."""
    marks = torch.eye(num_tokens)[:, None]
    spread = torch.nn.functional.conv1d(marks, torch.ones(1, 1, 2 * window - 1), padding=window - 1)
    return spread[:, 0] == 0
