"""The exam of `repaired_window_attention`, lesson 07."""

import torch
from torch.nn.functional import scaled_dot_product_attention

from autograder import Draw, Exam
from solutions import grouped_query_attention as reference
from solutions.exams.families import FUTURE, MASK, TENSOR_DTYPE, Causal
from solutions.exams.grouped_query_attention._specimens import hide
from solutions.exams.printed_numbers import numbers
from solutions.exams.sixteen_bits import bfloat16_stays

window = Exam(reference.repaired_window_attention)

Windowed = tuple[torch.Tensor, torch.Tensor, torch.Tensor, int]


def printed_window(new: int, tokens: int, width: int, texts: int = 1) -> Windowed:
    return (
        numbers(texts, new, 2) * 3,
        numbers(texts, tokens, 2, start=40),
        numbers(texts, tokens, 2, start=80) * 5,
        width,
    )


@window.example
def one_in_a_window() -> Windowed:
    """one new token of six, a window of three"""
    return printed_window(1, 6, 3)


@window.example
def chunk_in_a_window() -> Windowed:
    """four texts, two new tokens of six each, a window of three"""
    return printed_window(2, 6, 3, texts=4)


@window.example
def chunk_wider_than_the_window() -> Windowed:
    """five new tokens of seven, a window of two"""
    return printed_window(5, 7, 2)


@window.example
def prompt_in_a_window() -> Windowed:
    """four new tokens, nothing before them, a window of three"""
    return printed_window(4, 4, 3)


def drawn_window(draw: Draw, new: int, tokens: int, width: int) -> Windowed:
    draw.fix(new=new, tokens=tokens)
    queries = draw.tensor("batch num_heads new head_dim")
    keys, values = (draw.tensor("batch num_heads tokens head_dim") for _ in range(2))
    return queries, keys, values, width


@window.case(times=2)
def drawn_chunk_in_a_window(draw: Draw) -> Windowed:
    """a chunk after a text, several heads"""
    return drawn_window(draw, 4, 11, 3)


@window.case(times=1)
def drawn_token_in_a_window(draw: Draw) -> Windowed:
    """one new token of one text with one head"""
    queries, keys, values, width = drawn_window(draw, 1, 9, 4)
    return queries[0, 0], keys[0, 0], values[0, 0], width


@window.case(times=1)
def drawn_itself_only(draw: Draw) -> Windowed:
    """a window of one: every token sees itself alone"""
    return drawn_window(draw, 3, 8, 1)


@window.case(times=1)
def drawn_wide_window(draw: Draw) -> Windowed:
    """a window that is wider than the text"""
    return drawn_window(draw, 3, 8, 20)


@window.case(times=1)
def drawn_whole_text(draw: Draw) -> Windowed:
    """a whole text at once"""
    return drawn_window(draw, 9, 9, 4)


@window.case(times=1)
def drawn_long_text(draw: Draw) -> Windowed:
    """a chunk after a long text, a wide window"""
    draw.fix(batch=1, num_heads=2)
    tokens, width = (int(draw.rng.integers(least, 2 * least)) for least in (2100, 1030))
    return drawn_window(draw, 5, tokens, width)


@window.case(times=1, dtypes=("float64",))
def drawn_far_below_zero(draw: Draw) -> Windowed:
    """a chunk after a text, all scores tens of thousands below zero"""
    # In float32, scores as far as these forgive no rounding.
    queries, keys, values, width = drawn_window(draw.fix(head_dim=4), 3, 8, 2)
    rng = draw.rng
    asked = torch.from_numpy(rng.integers(1, 4, size=queries.shape)).double()
    offered = torch.from_numpy(rng.integers(6, 13, size=keys.shape)).double()
    return asked, -1024 * offered, values, width


window.holds(bfloat16_stays)


def distances(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """How far before each query each key stands."""
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    return torch.arange(num_keys - num_queries, num_keys)[:, None] - torch.arange(num_keys)


def attend_at(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, hidden: torch.Tensor
) -> torch.Tensor:
    """Attention under a mask."""
    return hide(queries @ keys.mT / queries.shape[-1] ** 0.5, hidden) @ values


@window.misconception
def cut_before_attending(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """The keys and values are still cut to the last window before the attention is computed. The
    first of several new tokens needs older keys than the last one: cut less, and mask.
    """
    keys, values = keys[..., -window:, :], values[..., -window:, :]
    return attend_at(queries, keys, values, distances(queries, keys) < 0)


@window.misconception
def no_window(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your tokens see all of the past. Hide everything outside the window."""
    return attend_at(queries, keys, values, distances(queries, keys) < 0)


@window.misconception
def one_too_wide(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your window is too wide by one. It includes the token itself: itself and window - 1 before
    it.
    """
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart > window))


@window.misconception
def one_too_narrow(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your window is too narrow by one: a token sees itself and window - 1 before it."""
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart >= window - 1))


@window.misconception
def window_on_both_sides(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your window reaches into the future as well. Hide the keys that come after the query."""
    return attend_at(queries, keys, values, distances(queries, keys).abs() >= window)


@window.misconception
def cut_to_what_all_need(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """You keep enough keys for the first new token, but you let the last one see all of them. In
    addition to the future, each row has to hide the keys that are too old for it.
    """
    needed = window + queries.shape[-2] - 1
    keys, values = keys[..., -needed:, :], values[..., -needed:, :]
    return attend_at(queries, keys, values, distances(queries, keys) < 0)


@window.misconception
def window_from_the_start(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your mask is aligned to the first key. The new tokens are the last ones: shift it by the
    number of tokens before them.
    """
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    apart = torch.arange(num_queries)[:, None] - torch.arange(num_keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart >= window))


@window.misconception
def old_counted_from_the_start(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """The keys after a token are hidden as they should be, but those that are too old for it are
    not: they are counted as if the first new token had position 0. Its position is the number of
    tokens before it.
    """
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    too_old = torch.arange(num_queries)[:, None] - torch.arange(num_keys) >= window
    return attend_at(queries, keys, values, (distances(queries, keys) < 0) | too_old)


@window.misconception
def old_hidden_future_seen(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """The keys that are too old are hidden, but the future no longer is. Hide both."""
    return attend_at(queries, keys, values, distances(queries, keys) >= window)


class Steps(Causal):
    """The repaired cell: neither the future nor what is too old is seen."""

    def answer(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
    ) -> torch.Tensor:
        too_old = distances(queries, keys) >= window
        hidden = self.future(queries.shape[-2], keys.shape[-2]) | too_old
        return self.attend(queries, keys, values, hidden)


(MASK + FUTURE).apply(
    window,
    Steps,
    called={
        "NothingHidden": "nothing_hidden_at_all",
        "InvertedMask": "inside_hidden",
        "DiagonalHidden": "itself_hidden",
    },
    says={
        "NothingHidden": "Every token sees every key, including the later ones. If you joined two "
        "triangles with &, no key is in both: use | for keys that are too new or too old.",
        "InvertedMask": "You hide the inside of the window, and the rest is visible. In this "
        "course, True in a mask means hidden; in PyTorch's `scaled_dot_product_attention`, it "
        "means visible.",
        "DiagonalHidden": "Your tokens do not see themselves: the later keys that you hide "
        "start one position too far to the left.",
    },
    # The printed scores are mild: −100 is as good as −∞, and nothing is rounded to 0.
    without=("ScoreOfMinusHundred", "TimesInfinity", "DividedOnceMore"),
)


@window.misconception
def cut_one_short(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Your masks are right, but you cut away one key too many: the first new token misses its
    oldest.
    """
    needed = window + queries.shape[-2] - 2
    kept_keys, kept_values = keys[..., -needed:, :], values[..., -needed:, :]
    apart = distances(queries, kept_keys)
    return attend_at(queries, kept_keys, kept_values, (apart < 0) | (apart >= window))


TENSOR_DTYPE.apply(window)


@window.accepts
def window_by_distance(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Nothing is cut; the distance of each pair decides."""
    apart = distances(queries, keys)
    return attend_at(queries, keys, values, (apart < 0) | (apart >= window))


@window.accepts
def window_query_by_query(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """Loops; each query has its own slice.

    Each query cuts out the keys that it may see, so there is no mask to get wrong. It is slow, and
    a good test of a fast version.
    """
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    contexts = []
    for row in range(num_queries):
        end = num_keys - num_queries + row + 1
        start = max(0, end - window)
        scores = queries[..., row : row + 1, :] @ keys[..., start:end, :].mT
        weights = torch.softmax(scores / queries.shape[-1] ** 0.5, dim=-1)
        contexts.append(weights @ values[..., start:end, :])
    return torch.cat(contexts, dim=-2)


@window.accepts
def window_by_pytorch(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, window: int
) -> torch.Tensor:
    """PyTorch's own function, with a mask of what is visible.

    The mask is made for the whole text, and its last rows are those of the new queries. In
    PyTorch's function, True means visible, the opposite of `masked_fill`.
    """
    num_queries, num_keys = queries.shape[-2], keys.shape[-2]
    band = torch.ones(num_keys, num_keys, dtype=torch.bool).tril()
    band = band & ~band.tril(-window)
    return scaled_dot_product_attention(queries, keys, values, attn_mask=band[-num_queries:])
