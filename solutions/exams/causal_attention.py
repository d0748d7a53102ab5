"""The exams of lesson 04."""

import math
from collections.abc import Callable, Mapping
from functools import partial

import torch
from torch import nn
from torch.nn.functional import scaled_dot_product_attention

import companion.causal_specimens as specimens
from autograder.compare import Tolerance
from autograder.exam import Draw, Exam
from autograder.modules import run_module
from companion import HELLO_SHINY_SUN, YOUR_JOURNEY
from companion.dropout_trial import try_dropout
from solutions import causal_attention as reference

Pair = tuple[torch.Tensor, torch.Tensor]
Triple = tuple[torch.Tensor, torch.Tensor, torch.Tensor]

HELLO, SHINY, SUN = range(3)
FOUR_DECIMALS = Tolerance(absolute=6e-5)
# Read-only arrays make torch warn, so they are copied.
THREE_WORDS = torch.tensor(HELLO_SHINY_SUN.vectors)
SIX_WORDS = torch.tensor(YOUR_JOURNEY.vectors)
SIX_SCORES = SIX_WORDS @ SIX_WORDS.T
# With scores far below zero and some that are large, so that 0, −1, −10 and −100 are no masks.
MIXED_SCORES = torch.tensor(
    [
        [2.0, -1.0, 0.5, 30.0],
        [-1.5, 1.0, -0.5, 3.0],
        [-200.0, -201.0, -202.0, 1.0],
        [0.0, 1.0, -1.0, 0.0],
    ],
    dtype=torch.float64,
)


def future(num_tokens: int, diagonal: int = 1) -> torch.Tensor:
    """True above the diagonal."""
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool).triu(diagonal)


def hide(scores: torch.Tensor, hidden: torch.Tensor, value: float = -torch.inf) -> torch.Tensor:
    """The softmax of what is left of the scores."""
    return torch.softmax(scores.masked_fill(hidden, value), dim=-1)


# --- by hand -------------------------------------------------------------------------------------

by_hand = Exam(reference.causal_weights_by_hand, tolerance=FOUR_DECIMALS, reveal=False)


@by_hand.example
def on_paper() -> tuple[()]:
    """your numbers"""
    return ()


def worksheet(weights: torch.Tensor, decimals: int = 15) -> dict[str, object]:
    """The rows of a table of weights, and the context that comes of the second."""
    rounded = weights.round(decimals=decimals)
    rows = dict(zip(("Hello", "shiny", "sun"), rounded.tolist(), strict=True))
    context = (rounded[SHINY] @ THREE_WORDS).tolist()
    return {
        **{f"weights of {word}": row for word, row in rows.items()},
        "context of shiny": context,
    }


def plain_scores() -> torch.Tensor:
    return THREE_WORDS @ THREE_WORDS.T


@by_hand.misconception
def nothing_hidden() -> dict[str, object]:
    """These are the weights of lesson 02, where everybody sees everybody. Leave out what comes
    after the query, in the sum as well.
    """
    return worksheet(plain_scores().softmax(dim=-1))


@by_hand.misconception
def hidden_but_still_counted() -> dict[str, object]:
    """You set the hidden weights to 0, but divided the others by the sum of all three exponentials.
    Each row has to sum to 1: divide by the sum of what is seen.
    """
    return worksheet(plain_scores().softmax(dim=-1).tril())


@by_hand.misconception
def hidden_score_of_zero() -> dict[str, object]:
    """You gave hidden words the score 0 and let them into the softmax, where 0 counts as
    exp(0) = 1. A hidden word has no part in it at all.
    """
    return worksheet(plain_scores().tril().softmax(dim=-1))


@by_hand.misconception
def past_hidden() -> dict[str, object]:
    """You hid the words before the query. It is the words after it that are to be guessed."""
    return worksheet(hide(plain_scores(), future(3).T))


@by_hand.misconception
def itself_hidden() -> dict[str, object]:
    """You hid the query itself as well. A word sees itself and what came before: only the words
    after it are hidden.
    """
    weights = hide(plain_scores(), future(3, 0)).nan_to_num()
    return worksheet(weights)


@by_hand.misconception
def scaled_as_well() -> dict[str, object]:
    """You divided the scores by the square root of 3. In this exercise they stay as they are in the
    table.
    """
    return worksheet(hide(plain_scores() / math.sqrt(3), future(3)))


@by_hand.misconception
def shares_of_scores() -> dict[str, object]:
    """You divided each score by the sum of the scores. The softmax takes exponentials first."""
    seen = plain_scores().tril()
    return worksheet(seen / seen.sum(dim=-1, keepdim=True))


@by_hand.misconception
def equal_shares() -> dict[str, object]:
    """You gave equal shares to the words that are seen. Each gets a share by its score."""
    seen = torch.ones(3, 3, dtype=torch.float64).tril()
    return worksheet(seen / seen.sum(dim=-1, keepdim=True))


@by_hand.misconception
def two_decimals() -> dict[str, object]:
    """These numbers come of weights with two decimals. Carry at least five to the end, and type
    four.
    """
    return worksheet(hide(plain_scores(), future(3)), decimals=2)


@by_hand.misconception
def two_decimals_throughout() -> dict[str, object]:
    """These numbers have two decimals. Type four."""
    seen = hide(plain_scores(), future(3))
    context = (seen[SHINY] @ THREE_WORDS).round(decimals=2).tolist()
    return {**worksheet(seen, decimals=2), "context of shiny": context}


@by_hand.misconception
def context_of_the_last_word() -> dict[str, object]:
    """This is the context of "sun", which sees everything. "shiny" has weights of its own, with 0
    for "sun".
    """
    weights_of_all = hide(plain_scores(), future(3))
    return {
        **worksheet(weights_of_all),
        "context of shiny": (weights_of_all[SUN] @ THREE_WORDS).tolist(),
    }


@by_hand.misconception
def context_of_everything() -> dict[str, object]:
    """This context mixes in "sun", too. Use the causal weights of "shiny", in which it has 0."""
    context = (plain_scores().softmax(dim=-1)[SHINY] @ THREE_WORDS).tolist()
    return {**worksheet(hide(plain_scores(), future(3))), "context of shiny": context}


# --- the mask ------------------------------------------------------------------------------------

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
    """90 tokens"""
    return 90


@mask.misconception
def visible_instead(num_tokens: int) -> torch.Tensor:
    """Your mask is True where the key is visible. In this course True means hidden: turn it round
    with ~.
    """
    return ~future(num_tokens)


@mask.misconception
def hides_itself(num_tokens: int) -> torch.Tensor:
    """Your mask hides the diagonal: the first token would see nothing, and its softmax would be
    NaN. The triangle of the future begins one above the diagonal.
    """
    return future(num_tokens, diagonal=0)


@mask.misconception
def hides_the_past(num_tokens: int) -> torch.Tensor:
    """Your mask hides what is below the diagonal: the past. With queries on rows, the future is
    above it.
    """
    return future(num_tokens).T


@mask.misconception
def hides_too_late(num_tokens: int) -> torch.Tensor:
    """Your mask begins two above the diagonal: each token still sees the next one."""
    return future(num_tokens, diagonal=2)


@mask.misconception
def ones_as_floats(num_tokens: int) -> torch.Tensor:
    """Your mask is made of the floats 0 and 1. Make it True and False, with dtype=torch.bool or
    .bool().
    """
    return torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)


@mask.misconception
def floats_turned_round(num_tokens: int) -> torch.Tensor:
    """`~` turns True and False round, and your triangle is made of floats. Make it boolean first,
    with .bool() or dtype=torch.bool.
    """
    return ~torch.tril(torch.ones(num_tokens, num_tokens))


@mask.misconception
def minus_infinities(num_tokens: int) -> torch.Tensor:
    """This is what is added to the scores, with −∞ in the future. Return the mask itself: True
    where a key is hidden.
    """
    return torch.full((num_tokens, num_tokens), -torch.inf).triu(diagonal=1)


@mask.misconception
def product_with_infinity(num_tokens: int) -> torch.Tensor:
    """A triangle of ones times −∞ is NaN where it was 0. Return the triangle, as True and False."""
    return torch.ones(num_tokens, num_tokens).triu(diagonal=1) * -torch.inf


@mask.misconception
def all_hidden(num_tokens: int) -> torch.Tensor:
    """This hides everything from everybody. Keep the triangle above the diagonal only. If you
    multiplied a triangle by −∞: below the diagonal stands 0 · (−∞), NaN, and NaN as a bool is True.
    """
    return torch.ones(num_tokens, num_tokens, dtype=torch.bool)


@mask.misconception
def whole_numbers_turned_round(num_tokens: int) -> torch.Tensor:
    """`~` on whole numbers gives −1 and −2, and no error. Make them True and False first, with
    .bool() or dtype=torch.bool.
    """
    return ~torch.ones(num_tokens, num_tokens, dtype=torch.int64).tril()


@mask.misconception
def one_row_only(num_tokens: int) -> torch.Tensor:
    """This is one row. Each query hides something else: the mask has a row for each of them."""
    return torch.arange(num_tokens) > 0


@mask.accepts
def mask_in_loops(num_tokens: int) -> torch.Tensor:
    """Loops."""
    result = torch.zeros(num_tokens, num_tokens, dtype=torch.bool)
    for query in range(num_tokens):
        for key in range(query + 1, num_tokens):
            result[query, key] = True
    return result


@mask.accepts
def mask_by_places(num_tokens: int) -> torch.Tensor:
    """Comparing places."""
    places = torch.arange(num_tokens)
    return places[None, :] > places[:, None]


@mask.accepts
def mask_by_the_other_triangle(num_tokens: int) -> torch.Tensor:
    """What is not in the lower triangle."""
    return torch.tril(torch.ones(num_tokens, num_tokens)) == 0


# --- before the softmax --------------------------------------------------------------------------

weights = Exam(reference.causal_attention_weights)


@weights.example
def six_words() -> torch.Tensor:
    """the scores of all six words"""
    return SIX_SCORES


@weights.example
def scores_of_all_kinds() -> torch.Tensor:
    """scores below zero and large ones"""
    return MIXED_SCORES


@weights.example
def two_tables() -> torch.Tensor:
    """a batch of two tables"""
    return torch.stack([MIXED_SCORES[:3, :3], -MIXED_SCORES[1:, 1:]])


@weights.case
def one_table(draw: Draw) -> torch.Tensor:
    """one table of scores"""
    return draw.tensor("tokens tokens", scale=2)


@weights.case
def several_tables(draw: Draw) -> torch.Tensor:
    """a batch of tables"""
    return draw.tensor("batch tokens tokens", scale=2)


@weights.case(times=1)
def several_heads(draw: Draw) -> torch.Tensor:
    """tables with two axes before them"""
    return draw.tensor("batch heads tokens tokens", scale=2)


@weights.case(times=1)
def one_word_alone(draw: Draw) -> torch.Tensor:
    """a sentence of one word"""
    return draw.fix(tokens=1).tensor("batch tokens tokens")


@weights.case(times=1)
def huge_scores(draw: Draw) -> torch.Tensor:
    """scores of ±1000"""
    return draw.tensor("batch tokens tokens", scale=1000)


@weights.case(times=1)
def long_text(draw: Draw) -> torch.Tensor:
    """a text of 70 words"""
    return draw.fix(tokens=70).tensor("tokens tokens")


@weights.holds
def future_is_exactly_zero(answer: Callable[..., torch.Tensor], s: torch.Tensor) -> bool:
    """the weights of the future are exactly 0"""
    return bool((answer(s).triu(1) == 0).all())


@weights.holds
def future_scores_do_not_matter(answer: Callable[..., torch.Tensor], s: torch.Tensor) -> bool:
    """other scores in the future change no weight"""
    return torch.equal(answer(s + 5 * torch.ones_like(s).triu(1)), answer(s))


@weights.misconception
def result_discarded(scores: torch.Tensor) -> torch.Tensor:
    """These are the weights without a mask. `masked_fill` returns a new tensor: give the result a
    name and use it.
    """
    scores.masked_fill(future(scores.shape[-1]), -torch.inf)
    return torch.softmax(scores, dim=-1)


@weights.misconception
def written_in_place(scores: torch.Tensor) -> torch.Tensor:
    """The weights are right, but the scores of whoever called you are changed as well:
    `masked_fill_` with an underscore and `scores[…] = …` write into them. Use `masked_fill`.
    """
    return torch.softmax(scores.masked_fill_(future(scores.shape[-1]), -torch.inf), dim=-1)


@weights.misconception
def mask_inverted(scores: torch.Tensor) -> torch.Tensor:
    """You filled where the key should be visible, and left the future. Fill where the mask of the
    future is True. Or does your own `causal_mask` say it the wrong way round? Run its check.
    """
    return hide(scores, ~future(scores.shape[-1]))


@weights.misconception
def past_filled(scores: torch.Tensor) -> torch.Tensor:
    """You hid the past: what is below the diagonal. With queries on rows the future is above it. Or
    does your own `causal_mask` hide the past? Run its check.
    """
    return hide(scores, future(scores.shape[-1]).T)


@weights.misconception
def diagonal_filled(scores: torch.Tensor) -> torch.Tensor:
    """You hid the diagonal as well. The first word then sees nobody, and its row is NaN. A word may
    see itself. Or does your own `causal_mask` do so? Run its check.
    """
    return hide(scores, future(scores.shape[-1], diagonal=0))


@weights.misconception
def next_one_visible(scores: torch.Tensor) -> torch.Tensor:
    """Each word still sees the next one: your triangle begins one place too far to the right. Or
    does the one of your own `causal_mask`? Run its check.
    """
    return hide(scores, future(scores.shape[-1], diagonal=2))


@weights.misconception
def filled_with_zero(scores: torch.Tensor) -> torch.Tensor:
    """You gave the future the score 0, which the softmax turns into exp(0) = 1 and a share. Only
    −∞ becomes 0.
    """
    return hide(scores, future(scores.shape[-1]), 0)


@weights.misconception
def filled_with_minus_ten(scores: torch.Tensor) -> torch.Tensor:
    """You gave the future the score −10. That is a small share and not none, and next to scores of
    −200 it is a large one. Fill with −∞.
    """
    return hide(scores, future(scores.shape[-1]), -10)


@weights.misconception
def filled_with_minus_hundred(scores: torch.Tensor) -> torch.Tensor:
    """You filled with a number that is low, but not below all scores: next to −200 it is high, and
    the future takes the whole row. Only −∞ is low enough for all scores.
    """
    return hide(scores, future(scores.shape[-1]), -100)


@weights.misconception
def plus_infinity(scores: torch.Tensor) -> torch.Tensor:
    """You filled with +∞, and ∞ − ∞ is NaN. `-float("-inf")` has two minus signs."""
    return hide(scores, future(scores.shape[-1]), torch.inf)


@weights.misconception
def zero_times_infinity(scores: torch.Tensor) -> torch.Tensor:
    """All is NaN: you multiplied a triangle by −∞, and 0 · (−∞) is NaN. Fill where the mask is
    True.
    """
    return torch.softmax(scores + future(scores.shape[-1]) * -torch.inf, dim=-1)


@weights.misconception
def ones_added(scores: torch.Tensor) -> torch.Tensor:
    """You added the mask as it is. True counts as 1, so the future got a little more. Fill with −∞
    where it is True.
    """
    return torch.softmax(scores + future(scores.shape[-1]), dim=-1)


@weights.misconception
def zeroed_afterwards(scores: torch.Tensor) -> torch.Tensor:
    """The future is 0, but the rows no longer sum to 1: you masked the weights. Mask the scores,
    before the softmax.
    """
    return torch.softmax(scores, dim=-1).tril()


@weights.misconception
def divided_again(scores: torch.Tensor) -> torch.Tensor:
    """Right on paper, NaN in the computer: next to a future score that is far above theirs, the
    exponentials of what is seen are rounded to 0, and 0 / 0 is NaN. Hide the future first.
    """
    past = torch.softmax(scores, dim=-1).tril()
    return past / past.sum(dim=-1, keepdim=True)


@weights.misconception
def infinity_after_the_softmax(scores: torch.Tensor) -> torch.Tensor:
    """You filled the weights with −∞, and no softmax follows that could make 0 of it. Fill the
    scores, before the softmax.
    """
    return torch.softmax(scores, dim=-1).masked_fill(future(scores.shape[-1]), -torch.inf)


@weights.misconception
def softmax_over_queries(scores: torch.Tensor) -> torch.Tensor:
    """The mask is right, the softmax runs over the queries: your columns sum to 1. It should run
    over the keys, the last axis.
    """
    return torch.softmax(scores.masked_fill(future(scores.shape[-1]), -torch.inf), dim=-2)


@weights.misconception
def softmax_over_axis_one(scores: torch.Tensor) -> torch.Tensor:
    """The softmax runs over axis 1. In one table those are the keys, but as soon as there is a
    batch they are the queries. Count from the end: dim=-1.
    """
    return torch.softmax(scores.masked_fill(future(scores.shape[-1]), -torch.inf), dim=1)


@weights.misconception
def mask_of_ones(scores: torch.Tensor) -> torch.Tensor:
    """`masked_fill` takes True and False only, and your triangle is made of floats: add .bool()."""
    num_tokens = scores.shape[-1]
    triangle = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1)
    return torch.softmax(scores.masked_fill(triangle, -torch.inf), dim=-1)


@weights.misconception
def divided_by_the_root(scores: torch.Tensor) -> torch.Tensor:
    """You divided by a square root. What comes in are finished scores: only mask them and take the
    softmax.
    """
    return hide(scores / math.sqrt(scores.shape[-1]), future(scores.shape[-1]))


@weights.misconception
def masked_scores_only(scores: torch.Tensor) -> torch.Tensor:
    """These are the masked scores. Take the softmax of each row."""
    return scores.masked_fill(future(scores.shape[-1]), -torch.inf)


@weights.misconception
def size_of_first_axis(scores: torch.Tensor) -> torch.Tensor:
    """The mask has the size of the first axis, which is the batch as soon as there is one. The
    number of tokens is the size of the last.
    """
    return hide(scores, future(scores.shape[0]))


@weights.accepts
def weights_row_by_row(scores: torch.Tensor) -> torch.Tensor:
    """Loops."""
    result = torch.zeros_like(scores)
    for i in range(scores.shape[-1]):
        result[..., i, : i + 1] = torch.softmax(scores[..., i, : i + 1], dim=-1)
    return result


@weights.accepts
def weights_by_addition(scores: torch.Tensor) -> torch.Tensor:
    """A mask of floats, added."""
    n = scores.shape[-1]
    return (scores + torch.full((n, n), -torch.inf, dtype=scores.dtype).triu(1)).softmax(dim=-1)


@weights.accepts
def weights_written_out(scores: torch.Tensor) -> torch.Tensor:
    """Exponentials, with torch.where."""
    masked = torch.where(future(scores.shape[-1]), -torch.inf, scores)
    exponentials = torch.exp(masked - masked.amax(dim=-1, keepdim=True))
    return exponentials / exponentials.sum(dim=-1, keepdim=True)


# --- repair --------------------------------------------------------------------------------------

repaired = Exam(reference.repaired_causal_attention)


@repaired.example
def three_words() -> Triple:
    """Hello shiny sun!, with keys that are the opposite of the queries"""
    # So the scores of the past are far below zero, and −10 in the future is a large one.
    apart = 10 * THREE_WORDS - 5
    return apart, -apart, THREE_WORDS


@repaired.example
def strong_opinions() -> Triple:
    """queries and keys that disagree, values of another width"""
    # The first query and the first key disagree so much that −100 in the future is a large score.
    queries = torch.tensor([[40, -30], [-5, 2], [1, 6], [3, 3]], dtype=torch.float64)
    keys = torch.tensor([[-3, 5], [6, -2], [-4, 5], [-6, -4]], dtype=torch.float64)
    values = torch.arange(12.0, dtype=torch.float64).reshape(4, 3)
    return queries, keys, values


@repaired.case
def one_sentence(draw: Draw) -> Triple:
    """one sentence"""
    return draw.tensor("tokens d_k"), draw.tensor("tokens d_k"), draw.tensor("tokens d_v")


@repaired.case
def several_sentences(draw: Draw) -> Triple:
    """a batch of sentences"""
    queries, keys = draw.tensor("batch tokens d_k"), draw.tensor("batch tokens d_k")
    return queries, keys, draw.tensor("batch tokens d_v")


@repaired.case(times=1)
def large_keys(draw: Draw) -> Triple:
    """scores in the hundreds"""
    queries, keys = draw.tensor("batch tokens d_k", scale=20), draw.tensor("batch tokens d_k", 20)
    return queries, keys, draw.tensor("batch tokens d_v")


def scaled(queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
    """Scores as in lesson 03."""
    return queries @ keys.transpose(-2, -1) / math.sqrt(keys.shape[-1])


def _repair(
    docstring: str, weigh: Callable[[torch.Tensor, torch.Tensor], torch.Tensor], name: str
) -> None:
    """A wrong repair that differs in how scores and the mask of the future become weights."""

    def wrong(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return weigh(scaled(queries, keys), future(keys.shape[-2])) @ values

    wrong.__name__, wrong.__doc__ = name, docstring
    repaired.misconception(wrong)


@repaired.misconception
def as_given(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """These are still the NaNs of the broken cell: a triangle of ones times −∞ has 0 · (−∞) in it.
    Fill with −∞ where the triangle is 1.
    """
    num_tokens, d_k = keys.shape[-2:]
    mask = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * float("-inf")
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + mask
    return torch.softmax(attn_scores, dim=-1) @ values


_repair(
    "The NaNs are gone, and so are the weights: you replaced NaN by 0 in the end. Look for the "
    "place where the first NaN is born, and mend that.",
    lambda scores, hidden: torch.softmax(scores + hidden * -torch.inf, dim=-1).nan_to_num(),
    "nan_to_zero_in_the_weights",
)
_repair(
    "You multiplied by −10 in place of −∞. The future still gets small weights, and next to low "
    "scores large ones. Fill with −∞.",
    lambda scores, hidden: torch.softmax(scores - 10.0 * hidden, dim=-1),
    "minus_ten_in_place_of_infinity",
)
_repair(
    "You multiplied by a number such as −100 in place of −∞. Some scores of the past are lower "
    "still, and the future takes their row. Fill with −∞.",
    lambda scores, hidden: torch.softmax(scores - 100.0 * hidden, dim=-1),
    "minus_hundred_in_place_of_infinity",
)
_repair(
    "You filled with a number such as −100. Some scores of the past are lower still, and the "
    "future takes their row. Fill with −∞.",
    lambda scores, hidden: hide(scores, hidden, -100),
    "filled_with_minus_hundred",
)
_repair(
    "You replaced NaN by 0 in the scores, and with it all scores of the past: whatever is seen "
    "gets an equal share. Look for the place where the first NaN is born, and mend that.",
    lambda scores, hidden: hide(torch.zeros_like(scores), hidden),
    "nan_to_zero_in_the_scores",
)
_repair(
    "The mask is gone: these are the contexts of attention that sees everything.",
    lambda scores, hidden: torch.softmax(scores, dim=-1),
    "mask_thrown_away",
)
_repair(
    "You added the ones of the triangle to the scores, which makes the future a little stronger. "
    "Fill with −∞ where the triangle is 1.",
    lambda scores, hidden: torch.softmax(scores + hidden, dim=-1),
    "triangle_added",
)
_repair(
    "You took the ones of the triangle away from the scores, which makes the future a little "
    "weaker and does not hide it. Fill with −∞ where the triangle is 1.",
    lambda scores, hidden: torch.softmax(scores - hidden.to(scores), dim=-1),
    "triangle_subtracted",
)
_repair(
    'You filled with +∞, and ∞ − ∞ is NaN in every row that has a future. `-float("-inf")` has two '
    "minus signs.",
    lambda scores, hidden: hide(scores, hidden, torch.inf),
    "filled_with_plus_infinity",
)
_repair(
    "You hid what is below the diagonal. The triangle of the broken cell was the right one.",
    lambda scores, hidden: hide(scores, hidden.T),
    "other_triangle",
)
_repair(
    "You filled where the triangle is 0: that is the past and the word itself. Fill where it is 1.",
    lambda scores, hidden: hide(scores, ~hidden),
    "filled_the_wrong_way_round",
)
_repair(
    "You multiplied the scores by a triangle, so the future has the score 0, and exp(0) is 1. Fill "
    "it with −∞.",
    lambda scores, hidden: hide(scores, hidden, 0),
    "future_scores_of_zero",
)
_repair(
    "You set the future to 0 after the softmax: the rows do not sum to 1 any more. Mask the "
    "scores, before it.",
    lambda scores, hidden: torch.softmax(scores, dim=-1).masked_fill(hidden, 0),
    "masked_behind_the_softmax",
)
_repair(
    "The first row is NaN: your triangle begins on the diagonal, so the first word sees nobody. A "
    "word may see itself.",
    lambda scores, hidden: hide(scores, future(len(hidden), diagonal=0)),
    "diagonal_hidden_too",
)


@repaired.misconception
def mask_of_floats(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """`masked_fill` takes True and False only, and the triangle is made of floats: add .bool()."""
    triangle = torch.triu(torch.ones(keys.shape[-2], keys.shape[-2]), diagonal=1)
    return hide(scaled(queries, keys), triangle) @ values


@repaired.misconception
def scale_lost(queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """The mask is right, but in repairing it you lost the division by √d_k."""
    return hide(queries @ keys.transpose(-2, -1), future(keys.shape[-2])) @ values


@repaired.accepts
def repaired_by_addition(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """A mask of zeros, filled with −∞ and added."""
    num_tokens, d_k = keys.shape[-2:]
    added = torch.zeros(num_tokens, num_tokens)
    added[torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) == 1] = float("-inf")
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + added
    return torch.softmax(attn_scores, dim=-1) @ values


@repaired.accepts
def repaired_by_triangle(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """A triangle of −∞, with no product."""
    num_tokens, d_k = keys.shape[-2:]
    added = torch.triu(torch.full((num_tokens, num_tokens), float("-inf")), diagonal=1)
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + added
    return torch.softmax(attn_scores, dim=-1) @ values


@repaired.accepts
def repaired_by_the_library(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """PyTorch's own."""
    return scaled_dot_product_attention(queries, keys, values, is_causal=True)


@repaired.accepts
def repaired_without_nan(
    queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
) -> torch.Tensor:
    """NaN replaced where it is born."""
    num_tokens, d_k = keys.shape[-2:]
    product = torch.triu(torch.ones(num_tokens, num_tokens), diagonal=1) * float("-inf")
    added = torch.nan_to_num(product, nan=0.0, neginf=float("-inf"))
    attn_scores = queries @ keys.transpose(-2, -1) / d_k**0.5 + added
    return torch.softmax(attn_scores, dim=-1) @ values


# --- after the softmax ---------------------------------------------------------------------------

renormalised = Exam(reference.mask_then_renormalise)


@renormalised.example
def full_weights() -> torch.Tensor:
    """the full weights of six words"""
    return SIX_SCORES.softmax(dim=-1)


@renormalised.example
def uneven_weights() -> torch.Tensor:
    """a batch of uneven weights"""
    scores = torch.stack([MIXED_SCORES[:3, :3], MIXED_SCORES[1:, 1:]])
    # Lower ones would leave so little of a row that right divisions round it to nothing.
    return (scores.clamp(min=-20) / 4).softmax(dim=-1)


@renormalised.case
def random_weights(draw: Draw) -> torch.Tensor:
    """one table of weights"""
    return draw.tensor("tokens tokens").softmax(dim=-1)


@renormalised.case
def batch_of_weights(draw: Draw) -> torch.Tensor:
    """a batch of tables"""
    return draw.tensor("batch tokens tokens").softmax(dim=-1)


@renormalised.case(times=1)
def lonely_weight(draw: Draw) -> torch.Tensor:
    """a sentence of one word"""
    return draw.fix(tokens=1).tensor("batch tokens tokens").softmax(dim=-1)


@renormalised.holds
def rows_sum_to_one(answer: Callable[..., torch.Tensor], w: torch.Tensor) -> bool:
    """each row sums to 1"""
    total = answer(w).sum(dim=-1)
    return torch.allclose(total, torch.ones_like(total), atol=1e-5)


@renormalised.misconception
def not_renormalised(weights: torch.Tensor) -> torch.Tensor:
    """The future is 0, and the rows sum to less than 1. Divide each row by what is left of it."""
    return weights.tril()


@renormalised.misconception
def sums_across_columns(weights: torch.Tensor) -> torch.Tensor:
    """You divided columns by the sums of rows: without its last axis, the vector of sums lines up
    with the columns. Write keepdim=True.
    """
    past = weights.tril()
    return past / past.sum(dim=-1)


@renormalised.misconception
def columns_normalised(weights: torch.Tensor) -> torch.Tensor:
    """Your columns sum to 1. It is the rows, the last axis, that belong to one query each."""
    past = weights.tril()
    return past / past.sum(dim=-2, keepdim=True)


@renormalised.misconception
def axis_one_normalised(weights: torch.Tensor) -> torch.Tensor:
    """You sum over axis 1. In one table those are the keys, but as soon as there is a batch they
    are the queries. Count from the end: dim=-1.
    """
    past = weights.tril()
    return past / past.sum(dim=1, keepdim=True)


@renormalised.misconception
def softmax_of_weights(weights: torch.Tensor) -> torch.Tensor:
    """You took a softmax of the weights, in which the zeros get a share again. Divide each row by
    its sum.
    """
    return weights.tril().softmax(dim=-1)


@renormalised.misconception
def masked_softmax_of_weights(weights: torch.Tensor) -> torch.Tensor:
    """You took a second softmax, of weights: it makes them nearly equal. They have been through one
    already: divide each row by its sum.
    """
    return hide(weights, future(weights.shape[-1]))


@renormalised.misconception
def divided_by_the_whole(weights: torch.Tensor) -> torch.Tensor:
    """You divided by the sum of the whole table. Each row has a sum of its own."""
    past = weights.tril()
    return past / past.sum()


@renormalised.misconception
def kept_the_future(weights: torch.Tensor) -> torch.Tensor:
    """You kept the upper triangle, the future. Keep the lower one."""
    kept = weights.triu()
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def lost_the_diagonal(weights: torch.Tensor) -> torch.Tensor:
    """You took the diagonal away, too. The first row is then 0 / 0. A word may see itself."""
    kept = weights.tril(-1)
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def next_one_kept(weights: torch.Tensor) -> torch.Tensor:
    """Each word keeps the weight of the next one: your triangle is one diagonal too large."""
    kept = weights.tril(1)
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def only_the_future_kept(weights: torch.Tensor) -> torch.Tensor:
    """You kept what should go: the future, above the diagonal. Keep the lower triangle."""
    kept = weights.triu(1)
    return kept / kept.sum(dim=-1, keepdim=True)


@renormalised.misconception
def filled_with_minus_infinity(weights: torch.Tensor) -> torch.Tensor:
    """You filled weights with −∞. That is for scores, which a softmax follows. Here nothing turns
    it into 0: fill with 0.
    """
    past = weights.masked_fill(future(weights.shape[-1]), -torch.inf)
    return past / past.sum(dim=-1, keepdim=True)


@renormalised.misconception
def nothing_masked(weights: torch.Tensor) -> torch.Tensor:
    """These are the weights as they came. Set the future to 0, then divide each row by its sum."""
    return weights / weights.sum(dim=-1, keepdim=True)


@renormalised.misconception
def renormalised_in_place(weights: torch.Tensor) -> torch.Tensor:
    """The result is right, but an operation with an underscore, or `/=`, also changes the weights
    of whoever called you.
    """
    weights.tril_()
    return weights / weights.sum(dim=-1, keepdim=True)


@renormalised.accepts
def renormalised_in_loops(weights: torch.Tensor) -> torch.Tensor:
    """Loops."""
    result = torch.zeros_like(weights)
    for i in range(weights.shape[-1]):
        seen = weights[..., i, : i + 1]
        result[..., i, : i + 1] = seen / seen.sum(dim=-1, keepdim=True)
    return result


@renormalised.accepts
def renormalised_by_the_library(weights: torch.Tensor) -> torch.Tensor:
    """nn.functional.normalize."""
    return nn.functional.normalize(weights.masked_fill(future(weights.shape[-1]), 0), p=1, dim=-1)


@renormalised.accepts
def renormalised_by_product(weights: torch.Tensor) -> torch.Tensor:
    """A product with a triangle of ones."""
    past = weights * torch.ones_like(weights).tril()
    return past / past.sum(-1).unsqueeze(-1)


# --- columns -------------------------------------------------------------------------------------

columns = Exam(reference.causal_column_weights)


@columns.example
def journey_in_columns() -> torch.Tensor:
    """six words, one per column"""
    return SIX_SCORES


@columns.example
def mixed_in_columns() -> torch.Tensor:
    """scores that are not symmetric"""
    return MIXED_SCORES.T.contiguous()


@columns.case
def any_columns(draw: Draw) -> torch.Tensor:
    """scores drawn at random"""
    return draw.tensor("tokens tokens", scale=2)


@columns.case(times=1)
def one_column(draw: Draw) -> torch.Tensor:
    """a sentence of one word"""
    return draw.fix(tokens=1).tensor("tokens tokens")


@columns.misconception
def as_with_rows(scores: torch.Tensor) -> torch.Tensor:
    """These are causal weights for queries on rows. Here a query is a column: the softmax runs down
    it, and the hidden triangle is below the diagonal.
    """
    return hide(scores, future(len(scores)))


@columns.misconception
def triangle_of_rows(scores: torch.Tensor) -> torch.Tensor:
    """The softmax runs down the columns, but you hid the triangle above the diagonal. In columns
    that is the past.
    """
    return torch.softmax(scores.masked_fill(future(len(scores)), -torch.inf), dim=0)


@columns.misconception
def softmax_of_rows(scores: torch.Tensor) -> torch.Tensor:
    """You hid the right triangle, but your rows sum to 1. A query is a column here: the softmax
    runs down it.
    """
    return hide(scores, future(len(scores)).T)


@columns.misconception
def transposed_once(scores: torch.Tensor) -> torch.Tensor:
    """These are the right weights, laid out with queries on rows. Transpose them back: keys on
    rows, queries on columns.
    """
    return hide(scores.T, future(len(scores)))


@columns.misconception
def never_transposed_in(scores: torch.Tensor) -> torch.Tensor:
    """You transposed the result, but not the scores that went in: the queries and keys have changed
    places.
    """
    return hide(scores, future(len(scores))).T


@columns.misconception
def column_diagonal_hidden(scores: torch.Tensor) -> torch.Tensor:
    """You hid the diagonal as well, so the first column is NaN. A word may see itself."""
    return torch.softmax(scores.masked_fill(future(len(scores), 0).T, -torch.inf), dim=0)


@columns.misconception
def columns_unmasked(scores: torch.Tensor) -> torch.Tensor:
    """The columns sum to 1, but nothing is hidden. Below the diagonal a key comes after its
    query.
    """
    return torch.softmax(scores, dim=0)


@columns.misconception
def columns_not_renormalised(scores: torch.Tensor) -> torch.Tensor:
    """You took the triangle away after the softmax: the columns sum to less than 1. Mask first."""
    return torch.softmax(scores, dim=0).triu()


@columns.misconception
def columns_filled_with_zero(scores: torch.Tensor) -> torch.Tensor:
    """You gave hidden keys the score 0, and exp(0) is 1. Fill with −∞."""
    return torch.softmax(scores.triu(), dim=0)


@columns.misconception
def columns_written_in_place(scores: torch.Tensor) -> torch.Tensor:
    """The weights are right, but the scores of whoever called you are changed as well:
    `masked_fill_` with an underscore and `scores[…] = …` write into them. Use `masked_fill`.
    """
    return torch.softmax(scores.masked_fill_(future(len(scores)).T, -torch.inf), dim=0)


@columns.accepts
def columns_by_transposing(scores: torch.Tensor) -> torch.Tensor:
    """There and back."""
    n = len(scores)
    hidden = torch.triu(torch.ones(n, n, dtype=torch.bool), diagonal=1)
    return torch.softmax(scores.T.masked_fill(hidden, -torch.inf), dim=-1).T


@columns.accepts
def columns_in_loops(scores: torch.Tensor) -> torch.Tensor:
    """Column by column."""
    result = torch.zeros_like(scores)
    for query in range(len(scores)):
        result[: query + 1, query] = torch.softmax(scores[: query + 1, query], dim=0)
    return result


@columns.accepts
def columns_by_places(scores: torch.Tensor) -> torch.Tensor:
    """Comparing places."""
    places = torch.arange(len(scores))
    return scores.masked_fill(places[:, None] > places, float("-inf")).softmax(dim=-2)


# --- padding -------------------------------------------------------------------------------------

padding = Exam(reference.causal_and_padding_mask)


@padding.example
def three_sentences() -> torch.Tensor:
    """sentences of 2, 4 and 1 tokens"""
    return torch.tensor([2, 4, 1])


@padding.example
def an_empty_sentence() -> torch.Tensor:
    """an empty sentence, one of 3 tokens"""
    return torch.tensor([0, 3])


@padding.case
def any_lengths(draw: Draw) -> torch.Tensor:
    """lengths drawn at random"""
    lengths = torch.from_numpy(draw.integers("batch", below=8))
    lengths[0] = 8
    return lengths.flip(0)


@padding.case(times=1)
def one_full_sentence(draw: Draw) -> torch.Tensor:
    """one sentence, without padding"""
    return torch.tensor([draw.size("tokens")])


@padding.case(times=1)
def many_sentences(draw: Draw) -> torch.Tensor:
    """a batch of 40 sentences"""
    return 1 + torch.from_numpy(draw.fix(batch=40).integers("batch", below=12))


def two_masks(lengths: torch.Tensor) -> Pair:
    """The future, (tokens, tokens), and the padding, (batch, tokens)."""
    tokens = int(lengths.max())
    return future(tokens), torch.arange(tokens) < tokens - lengths[:, None]


@padding.misconception
def padding_on_queries(lengths: torch.Tensor) -> torch.Tensor:
    """You hid the rows of the padding, and the other rows still see it. It is the keys, the
    columns, that are hidden.
    """
    after, filler = two_masks(lengths)
    return after | filler[:, :, None]


@padding.misconception
def padding_at_the_end(lengths: torch.Tensor) -> torch.Tensor:
    """You hid the last places. Here the padding stands at the front: a sentence of 2 in 5 places
    has it at 0, 1 and 2.
    """
    after, _ = two_masks(lengths)
    return after | (torch.arange(len(after)) >= lengths[:, None])[:, None, :]


@padding.misconception
def length_of_the_padding(lengths: torch.Tensor) -> torch.Tensor:
    """You hid as many places at the front as the sentence has real tokens. The padding is what is
    missing: tokens − length.
    """
    after, _ = two_masks(lengths)
    return after | (torch.arange(len(after)) < lengths[:, None])[:, None, :]


@padding.misconception
def future_only(lengths: torch.Tensor) -> torch.Tensor:
    """This hides the future only. Padding, at the front of the sentence, is hidden from everybody
    as well.
    """
    after, filler = two_masks(lengths)
    return after.expand(len(filler), -1, -1).clone()


@padding.misconception
def padding_only(lengths: torch.Tensor) -> torch.Tensor:
    """This hides the padding only. A key that comes after the query is hidden, too: join both
    masks with "or".
    """
    after, filler = two_masks(lengths)
    return filler[:, None, :].expand(-1, len(after), -1).clone()


@padding.misconception
def joined_with_and(lengths: torch.Tensor) -> torch.Tensor:
    """You joined the masks with "and": a key is hidden only if it is padding and in the future.
    Either is reason enough.
    """
    after, filler = two_masks(lengths)
    return after & filler[:, None, :]


@padding.misconception
def padding_ends_too_early(lengths: torch.Tensor) -> torch.Tensor:
    """The last token of the padding is still visible. Places count from 0: with 3 places of padding
    they are 0, 1 and 2.
    """
    after, filler = two_masks(lengths)
    shorter = filler & filler.roll(-1, dims=1)
    shorter[:, -1] = False
    return after | shorter[:, None, :]


@padding.misconception
def true_for_visible(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask is True where a key is visible. In this course True means hidden."""
    after, filler = two_masks(lengths)
    return ~(after | filler[:, None, :])


@padding.misconception
def one_mask_turned(lengths: torch.Tensor) -> torch.Tensor:
    """One of your two masks is True for hidden, the other for visible: the padding is what can be
    seen. Decide for one meaning: True is hidden.
    """
    after, filler = two_masks(lengths)
    return after | ~filler[:, None, :]


@padding.misconception
def diagonal_in_the_mask(lengths: torch.Tensor) -> torch.Tensor:
    """You hid the diagonal: the first row of each sentence sees nobody. A token may see itself. Or
    does your own `causal_mask` do so? Run its check.
    """
    after, filler = two_masks(lengths)
    return future(len(after), 0) | filler[:, None, :]


@padding.misconception
def padding_in_two_axes(lengths: torch.Tensor) -> torch.Tensor:
    """This says which tokens are padding, (batch, tokens). The mask has a row for each query as
    well: (batch, tokens, tokens).
    """
    return two_masks(lengths)[1]


@padding.misconception
def padding_ends_too_late(lengths: torch.Tensor) -> torch.Tensor:
    """You hide one place too many, the first real token. Places count from 0: with 3 places of
    padding they are 0, 1 and 2, those *below* 3.
    """
    after, _ = two_masks(lengths)
    return after | (torch.arange(len(after)) <= len(after) - lengths[:, None])[:, None, :]


@padding.misconception
def floats_joined(lengths: torch.Tensor) -> torch.Tensor:
    """`|` joins True and False, and your triangle is made of floats: add .bool() or
    dtype=torch.bool.
    """
    after, filler = two_masks(lengths)
    return after.float() | filler[:, None, :]


@padding.misconception
def query_axis_missing(lengths: torch.Tensor) -> torch.Tensor:
    """Two shapes do not meet. Places, (tokens), are compared with lengths[:, None], (batch, 1); and
    before the padding, (batch, tokens), is joined with the future, it needs an axis for the
    queries, in the middle.
    """
    after, filler = two_masks(lengths)
    return after | filler


@padding.misconception
def query_axis_missing_in_front(lengths: torch.Tensor) -> torch.Tensor:
    """Two shapes do not meet: the padding, (batch, tokens), needs an axis for the queries, in the
    middle, before it is joined with the future, (tokens, tokens).
    """
    after, filler = two_masks(lengths)
    return filler | after


@padding.misconception
def diagonal_kept_visible(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask lets padding see itself. In this exercise it is hidden from everybody: rows that
    are all hidden come next.
    """
    after, filler = two_masks(lengths)
    itself = torch.eye(len(after), dtype=torch.bool)
    return (after | filler[:, None, :]) & ~itself


@padding.misconception
def batch_for_tokens(lengths: torch.Tensor) -> torch.Tensor:
    """You took the number of sentences for the number of tokens. The longest sentence has as many
    tokens as there are places: lengths.max().
    """
    places = torch.arange(len(lengths))
    return future(len(lengths)) | (places < len(lengths) - lengths[:, None])[:, None, :]


@padding.misconception
def first_length_for_tokens(lengths: torch.Tensor) -> torch.Tensor:
    """You took the first sentence for the longest. There are as many places as the longest sentence
    has tokens, wherever in the batch it stands.
    """
    tokens = int(lengths[0])
    places = torch.arange(tokens)
    return future(tokens) | (places < tokens - lengths[:, None])[:, None, :]


@padding.misconception
def summed_as_floats(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask is made of floats. Keep True and False, and join them with `|`."""
    after, filler = two_masks(lengths)
    return after.float() + filler[:, None, :].float()


@padding.misconception
def summed_as_numbers(lengths: torch.Tensor) -> torch.Tensor:
    """Your mask is made of numbers. Keep True and False, and join them with `|`."""
    after, filler = two_masks(lengths)
    return after.int() + filler[:, None, :].int()


@padding.accepts
def padding_in_loops(lengths: torch.Tensor) -> torch.Tensor:
    """Loops."""
    tokens = int(lengths.max())
    result = torch.zeros(len(lengths), tokens, tokens, dtype=torch.bool)
    for b, length in enumerate(lengths):
        for query in range(tokens):
            result[b, query, query + 1 :] = True
            result[b, query, : tokens - int(length)] = True
    return result


@padding.accepts
def visible_then_turned(lengths: torch.Tensor) -> torch.Tensor:
    """What is visible, turned round."""
    tokens = int(lengths.max().item())
    seen = torch.tril(torch.ones(len(lengths), tokens, tokens)).bool()
    real = torch.arange(tokens, 0, -1)[None] <= lengths[:, None]
    return ~(seen & real.unsqueeze(1))


@padding.accepts
def padding_by_stacking(lengths: torch.Tensor) -> torch.Tensor:
    """One sentence at a time, stacked."""
    tokens = int(max(lengths))
    masks = []
    for length in lengths.tolist():
        one = torch.triu(torch.ones(tokens, tokens, dtype=torch.bool), diagonal=1)
        one[:, : tokens - length] = True
        masks.append(one)
    return torch.stack(masks)


# --- rows that are all hidden --------------------------------------------------------------------

masked = Exam(reference.masked_attention_weights)


@masked.example
def ordinary_rows() -> Pair:
    """the causal mask"""
    return MIXED_SCORES, future(4)


@masked.example
def a_hidden_row() -> Pair:
    """a row that is all hidden, and others that are not causal"""
    hidden = future(4)
    hidden[1], hidden[0, 1], hidden[3, 0] = True, False, True
    return MIXED_SCORES, hidden


@masked.case
def random_masks(draw: Draw) -> Pair:
    """masks drawn at random"""
    scores = draw.tensor("batch queries keys", scale=2)
    hidden = torch.from_numpy(draw.rng.random(scores.shape) < 0.4)
    hidden[0, 0], hidden[-1, -1] = True, False
    return scores, hidden


@masked.case(times=1)
def a_hidden_sentence(draw: Draw) -> Pair:
    """a sentence that is all hidden"""
    scores = draw.tensor("batch queries keys")
    hidden = torch.zeros(scores.shape, dtype=torch.bool)
    hidden[1] = True
    return scores, hidden


@masked.case(times=1)
def hidden_and_huge(draw: Draw) -> Pair:
    """scores of ±1000"""
    scores = draw.tensor("queries keys", scale=1000)
    hidden = torch.zeros(scores.shape, dtype=torch.bool)
    hidden[0], hidden[1, 0] = True, True
    return scores, hidden


@masked.holds
def hidden_scores_do_not_matter(
    answer: Callable[..., torch.Tensor], scores: torch.Tensor, hidden: torch.Tensor
) -> bool:
    """other scores where it is hidden change nothing"""
    return torch.equal(answer(scores + 3 * hidden, hidden), answer(scores, hidden))


@masked.misconception
def nan_rows(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Rows that are all hidden are NaN: 0 divided by 0. Set what is hidden to 0 after the softmax,
    once more. If you multiply: 0 · NaN is NaN. Use masked_fill or torch.where.
    """
    return hide(scores, hidden)


@masked.misconception
def large_negative_number(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """In a row that is all hidden you give equal shares: where all scores are the same large
    negative number, the softmax sees no difference. Such a row should be 0.
    """
    return hide(scores, hidden, -1e9)


@masked.misconception
def hidden_row_unmasked(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """In a row that is all hidden you lift the mask, so the query sees what it should not. Such a
    row should be 0.
    """
    return hide(scores, hidden & ~hidden.all(dim=-1, keepdim=True))


@masked.misconception
def mask_read_the_wrong_way(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You hid what should be visible: `hidden` is True where a key is hidden."""
    return hide(scores, ~hidden).masked_fill(~hidden, 0)


@masked.misconception
def mask_read_both_ways(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You turned the mask round in one place and not in the other, and nothing is left. It is True
    where a key is hidden: fill the scores there, and set the weights to 0 there.
    """
    return hide(scores, ~hidden).masked_fill(hidden, 0)


@masked.misconception
def zeroed_without_softmax_mask(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """The hidden weights are 0, but they were part of the softmax: the rows sum to less than 1.
    Fill the scores with −∞ first.
    """
    return torch.softmax(scores, dim=-1).masked_fill(hidden, 0)


@masked.misconception
def divided_once_more(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You hide after the softmax and divide again: where little or nothing is left of a row, that
    is 0 / 0, NaN. Fill the scores with −∞ first.
    """
    kept = torch.softmax(scores, dim=-1).masked_fill(hidden, 0)
    return kept / kept.sum(dim=-1, keepdim=True)


@masked.misconception
def hidden_scores_of_zero(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You gave hidden keys the score 0, and exp(0) is 1. Fill with −∞."""
    return hide(scores, hidden, 0)


@masked.misconception
def mask_not_used(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """This is the softmax without a mask. If you call `masked_fill`, give its result a name."""
    return torch.softmax(scores, dim=-1)


@masked.misconception
def causal_mask_instead(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You hide the future and do not look at `hidden`. It may be any mask: use the one that you are
    given, in place of your own.
    """
    return hide(scores, future(scores.shape[-1]))


@masked.misconception
def causal_mask_first(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You fill the future with −∞ instead of what is hidden. `hidden` may be any mask: use it both
    times.
    """
    return hide(scores, future(scores.shape[-1])).masked_fill(hidden, 0)


@masked.misconception
def causal_mask_as_well(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """You hide the future as well. `hidden` says all there is to hide, and not every attention is
    causal.
    """
    both = hidden | future(scores.shape[-1])
    return hide(scores, both).masked_fill(both, 0)


@masked.misconception
def hidden_rows_as_columns(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """`hidden.all(dim=-1)` has lost its last axis and lines up with the columns, so a row that is
    all hidden stays NaN. keepdim=True keeps it.
    """
    return torch.where(hidden.all(dim=-1), 0.0, hide(scores, hidden))


@masked.misconception
def masked_over_queries(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Your columns sum to 1. The softmax runs over the keys, the last axis."""
    return torch.softmax(scores.masked_fill(hidden, -torch.inf), dim=-2).masked_fill(hidden, 0)


@masked.misconception
def everything_zero_if_one_is_nan(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """One row that is all hidden makes everything 0 here. Only that row should be 0."""
    attn_weights = hide(scores, hidden)
    return torch.zeros_like(scores) if attn_weights.isnan().any() else attn_weights


@masked.misconception
def one_truth_for_all(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """`if hidden:` asks for one answer where each pair has its own. Let `masked_fill` look at them
    one by one.
    """
    return scores.masked_fill(hidden, -torch.inf) if hidden else scores


@masked.misconception
def scores_overwritten(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """The weights are right, but the scores of whoever called you are changed as well:
    `masked_fill_` with an underscore and `scores[…] = …` write into them.
    """
    return torch.softmax(scores.masked_fill_(hidden, -torch.inf), dim=-1).masked_fill(hidden, 0)


@masked.accepts
def nan_replaced(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """NaN replaced by 0."""
    return hide(scores, hidden).nan_to_num(0.0)


@masked.accepts
def masked_with_where(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """A large negative number, and torch.where."""
    lowest = torch.finfo(scores.dtype).min
    attn_weights = torch.softmax(torch.where(hidden, lowest, scores), dim=-1)
    return torch.where(hidden, 0, attn_weights).to(scores.dtype)


@masked.accepts
def masked_row_by_row(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Loops."""
    result = torch.zeros_like(scores)
    keys = scores.shape[-1]
    rows = zip(
        result.view(-1, keys), scores.reshape(-1, keys), hidden.reshape(-1, keys), strict=True
    )
    for row, of_scores, of_mask in rows:
        if not of_mask.all():
            row[~of_mask] = torch.softmax(of_scores[~of_mask], dim=0)
    return result


@masked.accepts
def masked_and_divided(scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
    """Exponentials, divided by at least a little."""
    shifted = scores - scores.masked_fill(hidden, -torch.inf).amax(-1, keepdim=True).clamp(
        min=-1e30
    )
    exponentials = torch.where(hidden, torch.zeros_like(scores), shifted.exp())
    return exponentials / exponentials.sum(-1, keepdim=True).clamp(min=1e-30)


# --- dropout -------------------------------------------------------------------------------------

dropping = Exam(reference.dropout, use=try_dropout)

Trial = tuple[torch.Tensor, float, int, bool]


@dropping.example
def a_fifth() -> Trial:
    """in training, p = 0.2"""
    return SIX_SCORES.softmax(dim=-1), 0.2, 1, True


@dropping.example
def most() -> Trial:
    """two sentences, in training, p = 0.6"""
    return torch.stack([SIX_SCORES, SIX_SCORES.T]).softmax(dim=-1), 0.6, 2, True


@dropping.example
def in_use() -> Trial:
    """not in training, p = 0.2"""
    return SIX_SCORES.softmax(dim=-1), 0.2, 3, False


@dropping.example
def no_dropout() -> Trial:
    """in training, p = 0"""
    return SIX_SCORES.softmax(dim=-1), 0.0, 4, True


@dropping.case(times=2)
def batch_in_training(draw: Draw) -> Trial:
    """a batch of weights, in training"""
    drawn = draw.fix(queries=7, keys=6).tensor("batch queries keys").softmax(dim=-1)
    return drawn, (0.2, 0.3, 0.7)[draw.size("batch") % 3], 100, True


@dropping.case(times=1)
def batch_in_use(draw: Draw) -> Trial:
    """a batch of weights, not in training"""
    return draw.tensor("batch queries keys").softmax(dim=-1), 0.3, 100, False


def keep(
    weights: torch.Tensor, p: float, generator: torch.Generator | None, shape: tuple[int, ...] = ()
) -> torch.Tensor:
    """1 with probability 1 − p, else 0."""
    return torch.rand(shape or weights.shape, generator=generator) >= p


@dropping.misconception
def not_rescaled(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """What is left stays as it was, so on average the weights shrink. Divide by 1 − p."""
    return weights * keep(weights, p, generator) if training else weights


@dropping.misconception
def divided_by_p(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You divided by p. A share of 1 − p is left, so it is 1 − p that has to be divided by."""
    return weights * keep(weights, p, generator) / p if training else weights


@dropping.misconception
def multiplied_by_what_is_kept(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You multiplied by 1 − p, which makes what is left smaller still. Divide by it."""
    return weights * keep(weights, p, generator) * (1 - p) if training else weights


@dropping.misconception
def kept_with_probability_p(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You keep with probability p. It is the probability of being dropped."""
    kept = torch.rand(weights.shape, generator=generator) < p
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def kept_with_p_and_divided_by_p(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You took p for the probability of being kept, and divided by it. It is the probability of
    being dropped: keep with 1 − p, divide by 1 − p.
    """
    kept = torch.rand(weights.shape, generator=generator) < p
    return weights * kept / p if training else weights


@dropping.misconception
def always_on(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop outside of training as well. If `training` is False, return the weights as they
    are.
    """
    return weights * keep(weights, p, generator) / (1 - p)


@dropping.misconception
def never_on(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Nothing is dropped in training. Draw a random number for each weight."""
    return weights


@dropping.misconception
def training_turned_round(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop when the model is in use, and not in training. It is the other way round."""
    return weights if training else weights * keep(weights, p, generator) / (1 - p)


@dropping.misconception
def corrected_in_use(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Outside of training you multiply by 1 − p: that is the old dropout, which did not divide in
    training. Here the weights stay as they are.
    """
    return weights * keep(weights, p, generator) / (1 - p) if training else weights * (1 - p)


@dropping.misconception
def old_dropout(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """This is the dropout of 2014: it leaves what is left in training, and shrinks everything in
    use. Inverted dropout divides by 1 − p in training, and does nothing in use.
    """
    return weights * keep(weights, p, generator) if training else weights * (1 - p)


@dropping.misconception
def own_random_numbers(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Your random numbers do not come from the generator that you are given: pass it on, as
    `generator=generator`.
    """
    return weights * keep(weights, p, None) / (1 - p) if training else weights


@dropping.misconception
def seeded_each_time(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop the same weights at each call: something sets a seed inside. The generator has
    one already.
    """
    kept = keep(weights, p, torch.Generator().manual_seed(0))
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def dropped_in_place(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You write into the weights of whoever called you: `weights[…] = 0`, `*=` and methods with an
    underscore do. Make a new tensor: torch.where, masked_fill, or a product.
    """
    if training:
        weights *= keep(weights, p, generator)
        weights /= 1 - p
    return weights


@dropping.misconception
def normal_numbers(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """The share that is dropped is not p. `torch.randn` is not uniform: half of its numbers are
    below 0. Use torch.rand.
    """
    kept = torch.randn(weights.shape, generator=generator) >= p
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def fair_coin(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop half of the weights, whatever p is. Draw numbers between 0 and 1 with torch.rand,
    and compare them with p.
    """
    kept = torch.randint(2, weights.shape, generator=generator)
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def filled_with_infinity(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You filled weights with −∞. That is for scores, which a softmax follows: a dropped weight
    is 0.
    """
    kept = keep(weights, p, generator)
    return weights.masked_fill(~kept, -torch.inf) / (1 - p) if training else weights


@dropping.misconception
def one_draw_for_all_sentences(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drew one table of numbers for all sentences of the batch, so all lose the same weights.
    Draw one number for each weight, in the shape of the weights.
    """
    kept = keep(weights, p, generator, weights.shape[-2:])
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def fixed_number(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drop the same number of weights at each call. Each weight is dropped or kept by itself:
    sometimes it is a few more, sometimes a few less.
    """
    order = torch.randperm(weights.numel(), generator=generator).reshape(weights.shape)
    kept = order >= round(p * weights.numel())
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def divided_in_use(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You divide by 1 − p outside of training, too, where nothing was dropped. Return the weights
    as they are.
    """
    return (weights * keep(weights, p, generator) if training else weights) / (1 - p)


@dropping.misconception
def all_or_nothing(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drew one number for the whole tensor, so all weights are dropped together, or none. Draw
    one for each weight: torch.rand(weights.shape, …).
    """
    return weights * keep(weights, p, generator, (1,)) / (1 - p) if training else weights


@dropping.misconception
def made_of_float32(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """What comes back has another dtype than the weights. New tensors are float32: make yours with
    torch.zeros_like(weights), or dtype=weights.dtype.
    """
    if not training:
        return weights
    kept = keep(weights, p, generator)
    result = torch.zeros(weights.shape)
    result[kept] = (weights[kept] / (1 - p)).float()
    return result


@dropping.misconception
def rows_renormalised(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You made the rows sum to 1 again. Dropout leaves them as they come and divides everything by
    the same number, 1 − p.
    """
    kept = weights * keep(weights, p, generator)
    return kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-12) if training else weights


@dropping.misconception
def whole_rows(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drew one number for each row, so whole rows are dropped. Draw one for each weight."""
    kept = keep(weights, p, generator, (*weights.shape[:-1], 1))
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def whole_columns(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """You drew one number for each column, so whole columns are dropped. Draw one for each
    weight.
    """
    kept = keep(weights, p, generator, weights.shape[-1:])
    return weights * kept / (1 - p) if training else weights


@dropping.misconception
def the_mask_itself(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """These are the zeros and the factors. Multiply the weights by them."""
    return keep(weights, p, generator).to(weights.dtype) / (1 - p) if training else weights


@dropping.accepts
def dropout_by_bernoulli(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """Zeros and ones from torch.bernoulli."""
    if training:
        kept = torch.bernoulli(torch.full_like(weights, 1 - p), generator=generator)
        weights = weights * kept / (1 - p)
    return weights


@dropping.accepts
def dropout_by_filling(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """masked_fill, and the division before it."""
    if not training:
        return weights.clone()
    dropped = torch.rand(weights.shape, generator=generator, dtype=weights.dtype) < p
    return (weights / (1 - p)).masked_fill(dropped, 0.0)


@dropping.accepts
def dropout_in_loops(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """A loop over the rows."""
    if not training:
        return weights
    rows = []
    for row in weights.reshape(-1, weights.shape[-1]):
        survives = torch.rand(len(row), generator=generator) >= p
        rows.append(torch.where(survives, row / (1 - p), 0))
    return torch.stack(rows).reshape(weights.shape)


@dropping.accepts
def dropout_by_where(
    weights: torch.Tensor, p: float, generator: torch.Generator, training: bool = True
) -> torch.Tensor:
    """torch.where and an in-place draw."""
    if not training or p == 0:
        return weights
    numbers = torch.empty_like(weights).uniform_(generator=generator)
    return torch.where(numbers > p, weights / (1 - p), torch.zeros_like(weights))


# --- the module ----------------------------------------------------------------------------------

module = Exam(reference.CausalAttention, use=run_module)

Settings = Mapping[str, object]
Module = tuple[Settings, Mapping[str, torch.Tensor], tuple[torch.Tensor], bool, int]
Buffered = tuple[*Module, tuple[int, int]]

PROJECTIONS = ("W_query", "W_key", "W_value")


def settings(inputs: torch.Tensor, d_out: int, context_length: int, **others: object) -> Settings:
    """The keywords of the class for these inputs."""
    sizes = {"d_in": inputs.shape[-1], "d_out": d_out, "context_length": context_length}
    return {**sizes, "dropout": 0.0, **others}


def printed_weights(*, bias: bool = False) -> dict[str, torch.Tensor]:
    """Projections from 3 to 2 features, with short numbers."""
    numbers = {
        "W_query": [[2.0, -1.0], [-1.5, 1.0], [0.5, 2.0]],
        "W_key": [[-1.0, 2.0], [2.5, 0.5], [1.0, -2.0]],
        "W_value": [[1.0, 3.0], [-2.0, 1.0], [0.5, -1.0]],
    }
    biases = {"W_query": [0.5, -1.0], "W_key": [1.0, 0.5], "W_value": [-0.5, 2.0]}
    found = {name: torch.tensor(rows, dtype=torch.float64) for name, rows in numbers.items()}
    if bias:
        for name, row in biases.items():
            found[f"{name}.bias"] = torch.tensor(row, dtype=torch.float64)
    return found


# One sentence as it is, one with its words in reverse and pushed apart.
TWO_SENTENCES = torch.stack([SIX_WORDS, 4 * SIX_WORDS.flip(0) - 2])


@module.example
def two_sentences() -> Module:
    """two sentences of six words"""
    return settings(TWO_SENTENCES, 2, 6), printed_weights(), (TWO_SENTENCES,), False, 1


@module.example
def shorter_sentence() -> Module:
    """a shorter sentence, of two words"""
    inputs = TWO_SENTENCES[1:, :2]
    return settings(inputs, 2, 6), printed_weights(), (inputs,), False, 1


@module.example
def with_biases() -> Module:
    """with qkv_bias=True"""
    inputs = TWO_SENTENCES[1:, 1:5]
    chosen = settings(inputs, 2, 6, qkv_bias=True)
    return chosen, printed_weights(bias=True), (inputs,), False, 1


@module.example
def dropout_in_use() -> Module:
    """dropout=0.5, in eval mode"""
    inputs = TWO_SENTENCES[:, :2]
    return settings(inputs, 2, 6, dropout=0.5), printed_weights(), (inputs,), False, 8


@module.example
def dropout_in_training() -> Module:
    """dropout=0.5, in training, called 128 times on two words"""
    inputs = TWO_SENTENCES[:1, :2]
    return settings(inputs, 2, 6, dropout=0.5), printed_weights(), (inputs,), True, 128


@module.example
def another_dropout() -> Module:
    """dropout=0.25 and biases, in training, called 64 times on one word"""
    inputs = TWO_SENTENCES[:1, :1]
    chosen = settings(inputs, 2, 6, dropout=0.25, qkv_bias=True)
    # The biases are many numbers: a case without dropout is smaller, and is shown first.
    return chosen, printed_weights(bias=True), (inputs,), True, 64


@module.example
def mask_kept() -> Buffered:
    """two words far apart, and the mask for six"""
    # Scores in the hundreds below zero: next to them, −100 is a large one.
    inputs = 10 * TWO_SENTENCES[1:, :2]
    return settings(inputs, 2, 6), printed_weights(), (inputs,), False, 1, (6, 6)


def drawn_weights(draw: Draw, *, bias: bool = False) -> dict[str, torch.Tensor]:
    found = {name: draw.tensor("d_in d_out") for name in PROJECTIONS}
    if bias:
        found |= {f"{name}.bias": draw.tensor("d_out") for name in PROJECTIONS}
    return found


@module.case(times=2)
def full_length(draw: Draw) -> Module:
    """sentences as long as the context"""
    inputs = draw.tensor("batch tokens d_in")
    d_out, tokens = draw.size("d_out"), draw.size("tokens")
    return settings(inputs, d_out, tokens), drawn_weights(draw), (inputs,), False, 1


@module.case(times=2)
def shorter_than_the_context(draw: Draw) -> Module:
    """sentences shorter than the context, in training"""
    inputs = draw.tensor("batch tokens d_in")
    d_out, longest = draw.size("d_out"), draw.size("tokens") + 5
    return settings(inputs, d_out, longest), drawn_weights(draw), (inputs,), True, 1


@module.case(times=1)
def one_word_of_one_sentence(draw: Draw) -> Module:
    """one sentence of one word"""
    inputs = draw.fix(batch=1, tokens=1).tensor("batch tokens d_in")
    return settings(inputs, draw.size("d_out"), 40), drawn_weights(draw), (inputs,), False, 1


@module.case(times=1)
def biased(draw: Draw) -> Module:
    """with biases"""
    inputs = draw.tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 8, qkv_bias=True)
    return chosen, drawn_weights(draw, bias=True), (inputs,), False, 1


@module.case(times=1)
def sharp_attention(draw: Draw) -> Module:
    """inputs ten times as large"""
    inputs = draw.tensor("batch tokens d_in", scale=10)
    return settings(inputs, draw.size("d_out"), 9), drawn_weights(draw), (inputs,), False, 1


@module.case(times=1)
def calm_in_use(draw: Draw) -> Module:
    """in eval mode, with much dropout"""
    inputs = draw.tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 7, dropout=0.8)
    return chosen, drawn_weights(draw), (inputs,), False, 8


@module.case(times=1)
def mask_for_many(draw: Draw) -> Buffered:
    """the mask for eleven words"""
    inputs = draw.tensor("batch tokens d_in")
    chosen = settings(inputs, draw.size("d_out"), 11)
    return chosen, drawn_weights(draw), (inputs,), False, 1, (11, 11)


class Variant(nn.Module):
    """Causal attention in steps, for misconceptions to get one of them wrong."""

    mask: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("mask", future(context_length))

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        scores = self.score(self.W_query(inputs), self.W_key(inputs))
        weights = self.weigh(scores, self.hidden(inputs.shape[1]))
        return self.mix(weights, self.values(inputs))

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return self.mask[:num_tokens, :num_tokens]

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return scaled(queries, keys)

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, hidden))

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        dropped: torch.Tensor = self.dropout(weights)
        return dropped

    def values(self, inputs: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.W_value(inputs)
        return projected

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return weights @ values


@module.misconception
class NoMask(Variant):
    """The future is not hidden: these are the contexts without a mask. If you call `masked_fill`,
    give its result a name, or use `masked_fill_`.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.softmax(dim=-1))


@module.misconception
class InvertedMask(Variant):
    """You fill the scores where they should be visible. True in the mask means hidden."""

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return ~self.mask[:num_tokens, :num_tokens]


@module.misconception
class PastHidden(Variant):
    """You hide the past, below the diagonal. The future is above it."""

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return self.mask[:num_tokens, :num_tokens].T


@module.misconception
class DiagonalHidden(Variant):
    """Your mask hides the diagonal: the first word sees nobody and becomes NaN."""

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return future(num_tokens, diagonal=0)


@module.misconception
class NextVisible(Variant):
    """Your mask begins two above the diagonal: each word still sees the next one."""

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return future(num_tokens, diagonal=2)


@module.misconception
class MaskNotCut(Variant):
    """Your mask fits sentences of context_length words only. Cut it to the words that are there:
    the first num_tokens rows and columns.
    """

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return self.mask


@module.misconception
class MaskCutToSentences(Variant):
    """You cut the mask to the number of sentences, the first axis of the inputs. The words are
    counted by the second.
    """

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        scores = self.score(self.W_query(inputs), self.W_key(inputs))
        return self.mix(self.weigh(scores, self.hidden(len(inputs))), self.values(inputs))


@module.misconception
class NotScaled(Variant):
    """The scores are not divided by √d_k. In this class they are, as in lesson 03."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(1, 2)


@module.misconception
class ScaledByInputs(Variant):
    """You divided by the root of d_in. d_k is the width of the keys, which is d_out."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(1, 2) / math.sqrt(self.W_key.in_features)


@module.misconception
class ScaledByWidth(Variant):
    """You divided by d_k. It is its square root that the scores are divided by."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(1, 2) / keys.shape[-1]


@module.misconception
class ScaledByTokens(Variant):
    """You divided by the root of the number of words. d_k is the size of the keys' last axis."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(1, 2) / math.sqrt(keys.shape[1])


@module.misconception
class AllAxesTurned(Variant):
    """`.T` turns all axes round, the batch too. Swap only the last two: transpose(1, 2)."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.permute(2, 1, 0) / math.sqrt(keys.shape[-1])


@module.misconception
class SentencesTurned(Variant):
    """You swapped the sentences with their words: axes 0 and 1. Swap the last two, words and
    features.
    """

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return queries @ keys.transpose(0, 1) / math.sqrt(keys.shape[-1])


@module.misconception
class KeysAsk(Variant):
    """Queries and keys have changed places. The queries stand on the left, on rows."""

    def score(self, queries: torch.Tensor, keys: torch.Tensor) -> torch.Tensor:
        return scaled(keys, queries)


@module.misconception
class SoftmaxOverQueries(Variant):
    """The softmax runs over the queries. It should run over the keys, the last axis."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.masked_fill(hidden, -torch.inf).softmax(dim=1))


@module.misconception
class MaskedAfterwards(Variant):
    """You mask the weights, after the softmax: they sum to less than 1, and the future leaks
    through the sum. Mask the scores.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.softmax(dim=-1).masked_fill(hidden, 0))


@module.misconception
class FilledWithZero(Variant):
    """You fill the future with the score 0, and exp(0) is 1. Fill with −∞."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, hidden, 0))


@module.misconception
class FilledWithMinusTen(Variant):
    """You fill the future with −10. Next to low scores that is a large share: fill with −∞."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, hidden, -10))


@module.misconception
class FilledWithMinusHundred(Variant):
    """You fill the future with a number that is low, but not below all scores. Only −∞ is low
    enough for all of them.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(hide(scores, hidden, -100))


@module.misconception
class TimesInfinity(Variant):
    """All is NaN: the mask is multiplied by −∞, and 0 · (−∞) is NaN. Fill where it is True."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop((scores + hidden * -torch.inf).softmax(dim=-1))


@module.misconception
class KeysAreMixed(Variant):
    """You mix the keys. It is the values that are mixed: W_value of the inputs."""

    def values(self, inputs: torch.Tensor) -> torch.Tensor:
        projected: torch.Tensor = self.W_key(inputs)
        return projected


@module.misconception
class NoDropout(Variant):
    """Nothing is dropped in training. Apply the dropout to the attention weights."""

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return weights


@module.misconception
class DropoutAlways(Variant):
    """Your module drops in eval mode, too. `nn.Dropout` knows the mode if it is made in __init__:
    one made in forward is always in training mode. `F.dropout` has to be told:
    training=self.training.
    """

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        return nn.functional.dropout(weights, self.dropout.p)


@module.misconception
class DropoutOnScores(Variant):
    """You drop scores, before the softmax. A dropped score is 0, and exp(0) is a share: drop the
    weights.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return hide(self.drop(scores), hidden)


@module.misconception
class DropoutOnMaskedScores(Variant):
    """You drop scores, before the softmax: 0 · (−∞) is NaN, and a score of 0 is still a share. Drop
    the weights.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return self.drop(scores.masked_fill(hidden, -torch.inf)).softmax(dim=-1)


@module.misconception
class DropoutOnContexts(Variant):
    """You drop features of the context vectors. Drop attention weights, before they meet the
    values.
    """

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return hide(scores, hidden)

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return self.drop(weights @ values)


@module.misconception
class DropoutOnValues(Variant):
    """You drop features of the values. Drop attention weights, before they meet the values."""

    def weigh(self, scores: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        return hide(scores, hidden)

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return weights @ self.drop(values)


@module.misconception
class RenormalisedAfterDropout(Variant):
    """You made the rows sum to 1 again after the dropout. It leaves them as they are: on average
    they sum to 1.
    """

    def drop(self, weights: torch.Tensor) -> torch.Tensor:
        dropped: torch.Tensor = self.dropout(weights)
        return dropped / dropped.sum(dim=-1, keepdim=True)


@module.misconception
class FixedDropout(Variant):
    """Your dropout has a p of its own. Pass on the one that the class is given:
    nn.Dropout(dropout).
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.dropout = nn.Dropout(0.5)


@module.misconception
class KeptInsteadOfDropped(Variant):
    """You gave nn.Dropout the probability of being kept. Its p, like `dropout`, is the probability
    of being dropped.
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.dropout = nn.Dropout(1 - dropout)


@module.misconception
class WeightsReturned(Variant):
    """You return the attention weights. Multiply them by the values: the context vectors come
    out.
    """

    def mix(self, weights: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        return weights


@module.misconception
class BothReturned(Variant):
    """You return two things. Return the context vectors alone."""

    def forward(self, inputs: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:  # type: ignore[override]
        scores = self.score(self.W_query(inputs), self.W_key(inputs))
        weights = self.weigh(scores, self.hidden(inputs.shape[1]))
        return self.mix(weights, self.values(inputs)), weights


@module.misconception
class FloatBuffer(Variant):
    """`masked_fill` takes True and False only, and your mask is made of floats: add .bool()."""

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return self.mask.to(self.W_query.weight.dtype)[:num_tokens, :num_tokens]


@module.misconception
class MaskIsNoBuffer(Variant):
    """The numbers are right, but your mask is no buffer: a plain attribute would stay behind when
    the module moves, and one made in forward is made at each call. Use self.register_buffer in
    __init__, for context_length tokens.
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        del self.mask
        self.mask = future(context_length)


@module.misconception
class MaskIsTrained(Variant):
    """The mask is a parameter: an optimizer would see it, and it is counted as one. Register it as
    a buffer.
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        del self.mask
        self.mask = nn.Parameter(future(context_length).float(), requires_grad=False)

    def hidden(self, num_tokens: int) -> torch.Tensor:
        return self.mask.bool()[:num_tokens, :num_tokens]


@module.misconception
class BiasAlways(Variant):
    """The projections have a bias though nobody asked for one: nn.Linear adds it unless it is told
    bias=qkv_bias.
    """

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias=True)


@module.misconception
class BiasNever(Variant):
    """With qkv_bias=True there is no bias. Pass it on: nn.Linear(…, bias=qkv_bias)."""

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias=False)


@module.misconception
class OutputProjection(Variant):
    """Your class has a projection of its output. That belongs to several heads, lesson 05."""

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__(d_in, d_out, context_length, dropout, qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)


@module.accepts
class WithParameters(nn.Module):
    """nn.Parameter of shape (d_in, d_out)."""

    hidden: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Parameter(torch.rand(d_in, d_out))
        self.W_key = nn.Parameter(torch.rand(d_in, d_out))
        self.W_value = nn.Parameter(torch.rand(d_in, d_out))
        if qkv_bias:
            self.W_query_bias = nn.Parameter(torch.zeros(d_out))
            self.W_key_bias = nn.Parameter(torch.zeros(d_out))
            self.W_value_bias = nn.Parameter(torch.zeros(d_out))
        self.qkv_bias = qkv_bias
        self.dropout = nn.Dropout(dropout)
        places = torch.arange(context_length)
        self.register_buffer("hidden", places > places[:, None], persistent=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        n = x.shape[-2]
        queries, keys, values = x @ self.W_query, x @ self.W_key, x @ self.W_value
        if self.qkv_bias:
            queries = queries + self.W_query_bias
            keys = keys + self.W_key_bias
            values = values + self.W_value_bias
        scores = torch.einsum("bqd,bkd->bqk", queries, keys) / keys.shape[-1] ** 0.5
        weights = scores.masked_fill(self.hidden[:n, :n], float("-inf")).softmax(dim=-1)
        mixed: torch.Tensor = self.dropout(weights) @ values
        return mixed


@module.accepts
class FloatMaskInPlace(nn.Module):
    """A buffer of floats, filled in place, the scale inside the softmax."""

    mask: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.d_out = d_out
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        _, length, _ = x.shape
        attn_scores = self.W_query(x) @ self.W_key(x).mT
        attn_scores.masked_fill_(self.mask[:length, :length] > 0, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.d_out**0.5, -1)
        mixed: torch.Tensor = self.dropout(attn_weights) @ self.W_value(x)
        return mixed


@module.accepts
class LibraryCall(nn.Module):
    """PyTorch's scaled_dot_product_attention, with a mask of what is visible."""

    visible: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.p = dropout
        ones = torch.ones(1, context_length, context_length, dtype=torch.bool)
        self.register_buffer("visible", ones.tril())

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        p, n = self.p if self.training else 0.0, inputs.shape[1]
        projected = (self.W_query(inputs), self.W_key(inputs), self.W_value(inputs))
        return scaled_dot_product_attention(*projected, self.visible[:, :n, :n], dropout_p=p)


@module.accepts
class TokenByToken(nn.Module):
    """A loop over the tokens, each with its row of the mask."""

    mask: torch.Tensor

    def __init__(
        self, d_in: int, d_out: int, context_length: int, dropout: float, qkv_bias: bool = False
    ) -> None:
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        self.d_k = d_out
        self.register_buffer(
            "mask", torch.full((context_length, context_length), -torch.inf).triu(1)
        )

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        contexts = []
        keys, values = self.W_key(inputs), self.W_value(inputs)
        for i in range(inputs.shape[1]):
            query = self.W_query(inputs[:, i : i + 1])
            scores = query @ keys.transpose(1, 2) / self.d_k**0.5
            scores = scores + self.mask[i, : inputs.shape[1]]
            contexts.append(self.dropout(torch.softmax(scores, dim=-1)) @ values)
        return torch.cat(contexts, dim=1)


# --- write the test ------------------------------------------------------------------------------

Attention = Callable[[torch.Tensor], torch.Tensor]
Tried = tuple[Attention, torch.Tensor]

causal = Exam(reference.is_causal, dtypes=("float64",))


def _tried_on(attention: Attention, inputs: torch.Tensor, on: str) -> Callable[[], Tried]:
    def trial() -> Tried:
        return attention, inputs

    trial.__doc__ = f"{attention.__name__}, {on}"
    return trial


for attention_specimen in (
    specimens.causal_attention,
    specimens.average_so_far,
    specimens.average_by_subtraction,
    specimens.word_before,
    specimens.sees_everything,
    specimens.leaks_by_one,
    specimens.leaks_when_long,
    specimens.masks_first_sentence,
    specimens.softmax_over_queries,
    specimens.hides_after_softmax,
    specimens.hides_a_little,
    specimens.second_sees_third,
    specimens.second_sees_last,
    specimens.reads_from_the_end,
):
    causal.example(_tried_on(attention_specimen, TWO_SENTENCES, "two sentences of six words"))
causal.example(_tried_on(specimens.leaks_when_long, TWO_SENTENCES[:, :4], "four words"))
causal.example(_tried_on(specimens.masks_first_sentence, TWO_SENTENCES[:1], "one sentence"))


def as_it_is(inputs: torch.Tensor) -> torch.Tensor:
    """Every word keeps its vector: causal."""
    return inputs.clone()


def largest_so_far(inputs: torch.Tensor) -> torch.Tensor:
    """The largest number so far, feature by feature: causal."""
    return inputs.cummax(dim=1).values


def two_words(inputs: torch.Tensor) -> torch.Tensor:
    """A window of two words: causal."""
    return inputs + specimens.word_before(inputs)


def always_the_same(inputs: torch.Tensor) -> torch.Tensor:
    """The same vector for every word: causal."""
    return torch.ones_like(inputs)


def sentence_mean_removed(inputs: torch.Tensor) -> torch.Tensor:
    """Less the average of the sentence: not causal."""
    return inputs - inputs.mean(dim=1, keepdim=True)


def two_ahead(inputs: torch.Tensor) -> torch.Tensor:
    """Each word sees the one after the next: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[:, :-2] += 0.1 * inputs[:, 2:]
    return seen


def leak_at_the_end(inputs: torch.Tensor) -> torch.Tensor:
    """Only the last word but one sees the last: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[:, -2:-1] += 0.1 * inputs[:, -1:]
    return seen


def last_sentence_leaks(inputs: torch.Tensor) -> torch.Tensor:
    """Only the last sentence of the batch is not masked: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[-1:] = specimens.sees_everything(inputs[-1:])
    return seen


def last_feature_leaks(inputs: torch.Tensor) -> torch.Tensor:
    """Only the last feature leaks: not causal."""
    seen = specimens.causal_attention(inputs)
    seen[..., -1] = inputs[..., -1].flip(1)
    return seen


def faint_leak(inputs: torch.Tensor) -> torch.Tensor:
    """A thousandth of everything leaks: not causal."""
    return specimens.causal_attention(inputs) + 1e-3 * inputs.mean(dim=1, keepdim=True)


def _trial(attention: Attention) -> Callable[[Draw], Tried]:
    def trial(draw: Draw) -> Tried:
        return attention, draw.fix(batch=3, tokens=7).tensor("batch tokens d_in")

    trial.__doc__ = f"{attention.__doc__}".partition(":")[0].lower()
    return trial


for specimen in (
    as_it_is,
    largest_so_far,
    two_words,
    always_the_same,
    sentence_mean_removed,
    two_ahead,
    leak_at_the_end,
    last_sentence_leaks,
    last_feature_leaks,
    faint_leak,
):
    causal.case(_trial(specimen), times=1)


@causal.case(times=1)
def one_word_has_no_future(draw: Draw) -> Tried:
    """a sentence of one word, which has no future"""
    return specimens.sees_everything, draw.fix(tokens=1).tensor("batch tokens d_in")


@causal.case(times=1)
def long_sentence_leaks(draw: Draw) -> Tried:
    """a mask that was made for four words, on 30"""
    return specimens.leaks_when_long, draw.fix(tokens=30).tensor("batch tokens d_in")


def _unchanged(
    attention: Attention,
    inputs: torch.Tensor,
    now: int,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    changed = inputs.clone()
    changed[:, now:] += 1
    return close(attention(changed)[:, :now], attention(inputs)[:, :now])


def _everywhere(
    attention: Attention,
    inputs: torch.Tensor,
    close: Callable[[torch.Tensor, torch.Tensor], bool] = torch.allclose,
) -> bool:
    return all(_unchanged(attention, inputs, now, close) for now in range(1, inputs.shape[1]))


@causal.misconception
def only_the_last_word_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the last word only. An attention can leak from any other: change what comes after
    each place in turn. If you do, in a loop: does the last round overwrite what earlier ones found?
    """
    return _unchanged(attention, inputs, inputs.shape[1] - 1)


@causal.misconception
def only_the_first_word_watched(attention: Attention, inputs: torch.Tensor) -> bool:
    """You watch the first word only. Others can see the future as well: watch all words before the
    change, for each place of it. If you do, in a loop: does a `return` end it in the first round?
    """
    return _unchanged(attention, inputs, 1)


@causal.misconception
def only_in_the_middle(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the second half and watch the first. A leak within one half goes unseen: do it for
    each place.
    """
    return _unchanged(attention, inputs, max(1, inputs.shape[1] // 2))


@causal.misconception
def only_the_next_word_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change one word and watch the one before it only. A word can see further ahead than that:
    watch all words before the change.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now] += 1
        before, after = attention(inputs)[:, now - 1], attention(changed)[:, now - 1]
        if not torch.allclose(before, after):
            return False
    return True


@causal.misconception
def last_word_never_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You never change the last word: your loop ends one place too early."""
    for now in range(1, inputs.shape[1] - 1):
        changed = inputs.clone()
        changed[:, now] += 1
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def last_place_left_out(attention: Attention, inputs: torch.Tensor) -> bool:
    """You never watch the last word but one: your loop ends one place too early. It can see the
    last.
    """
    return all(_unchanged(attention, inputs, now) for now in range(1, inputs.shape[1] - 1))


@causal.misconception
def future_reordered(attention: Attention, inputs: torch.Tensor) -> bool:
    """You put the words to come in another order. An attention that mixes them all may give the
    same for any order: put other words in their places.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] = inputs[:, now:].flip(1)
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def changed_words_watched_too(attention: Attention, inputs: torch.Tensor) -> bool:
    """You also compare the words that you changed, and those may change. Compare only what stands
    before the change.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed), attention(inputs)):
            return False
    return True


@causal.misconception
def one_place_too_far(attention: Attention, inputs: torch.Tensor) -> bool:
    """You compare one place too many: the first word that you changed is among those that you
    watch.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed)[:, : now + 1], attention(inputs)[:, : now + 1]):
            return False
    return True


@causal.misconception
def one_place_too_few(attention: Attention, inputs: torch.Tensor) -> bool:
    """You leave out the word just before the change, which gives a leak by one away."""
    for now in range(2, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] += 1
        if not torch.allclose(attention(changed)[:, : now - 1], attention(inputs)[:, : now - 1]):
            return False
    return True


@causal.misconception
def past_changed(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the past and ask that the future stays the same. It is the other way round: the
    past must not notice the future.
    """
    return _everywhere(lambda x: attention(x.flip(1)).flip(1), inputs.flip(1))


@causal.misconception
def first_sentence_only(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try the first sentence only. An attention can be causal there and leak in the others."""
    return _everywhere(attention, inputs[:1])


@causal.misconception
def own_sentences(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try sentences of your own. Some attentions leak in one batch and not in another: try the
    `inputs` that you are given.
    """
    drawn = torch.randn(2, 6, inputs.shape[-1], generator=torch.Generator().manual_seed(0))
    return _everywhere(attention, drawn.to(inputs))


@causal.misconception
def own_sentence(attention: Attention, inputs: torch.Tensor) -> bool:
    """You try one sentence of your own. Some attentions leak in one batch and not in another: try
    the `inputs` that you are given.
    """
    drawn = torch.randn(1, 6, inputs.shape[-1], generator=torch.Generator().manual_seed(0))
    return _everywhere(attention, drawn.to(inputs))


@causal.misconception
def always_true(attention: Attention, inputs: torch.Tensor) -> bool:
    """Your test passes every attention, the one without a mask as well. Does the changed sentence
    go in? Do you change words, on the middle axis, and by enough for torch.allclose to see?
    """
    return torch.allclose(attention(inputs), attention(inputs.clone()))


@causal.misconception
def opposite_said(attention: Attention, inputs: torch.Tensor) -> bool:
    """You return the opposite: True where something leaks. True is for attentions that are
    causal.
    """
    return not _everywhere(attention, inputs)


@causal.misconception
def inputs_overwritten(attention: Attention, inputs: torch.Tensor) -> bool:
    """You change the inputs themselves, and the sentences of whoever called you with them. Change a
    copy: inputs.clone().
    """
    original = inputs.clone()
    inputs[:, -1] += 1
    return _everywhere(attention, original)


@causal.misconception
def to_the_last_bit(attention: Attention, inputs: torch.Tensor) -> bool:
    """You compare to the last bit. Sums in another order round differently: allow for that, with
    torch.allclose.
    """
    return _everywhere(attention, inputs, torch.equal)


@causal.misconception
def future_of_nan(attention: Attention, inputs: torch.Tensor) -> bool:
    """You put NaN or ∞ in the place of the future. A weight of 0 does not hide them: 0 · NaN is
    NaN. Change the future into ordinary numbers.
    """
    for now in range(1, inputs.shape[1]):
        changed = inputs.clone()
        changed[:, now:] = torch.nan
        if not torch.allclose(attention(changed)[:, :now], attention(inputs)[:, :now]):
            return False
    return True


@causal.misconception
def too_generous(attention: Attention, inputs: torch.Tensor) -> bool:
    """You allow for more than rounding. A small leak is a leak: leave torch.allclose its own
    tolerances.
    """
    return _everywhere(attention, inputs, partial(torch.allclose, atol=0.1))


@causal.misconception
def a_table_of_truths(attention: Attention, inputs: torch.Tensor) -> torch.Tensor:
    """This is an answer for every number. Say True or False once, for all of them together."""
    changed = inputs.clone()
    changed[:, -1] += 1
    return torch.isclose(attention(changed)[:, :-1], attention(inputs)[:, :-1])


@causal.accepts
def by_shortening(attention: Attention, inputs: torch.Tensor) -> bool:
    """The sentence cut off at each place."""
    whole = attention(inputs)
    cut = (attention(inputs[:, :n]) for n in range(1, inputs.shape[1] + 1))
    return all(torch.allclose(part, whole[:, : part.shape[1]]) for part in cut)


@causal.accepts
def one_word_at_a_time(attention: Attention, inputs: torch.Tensor) -> bool:
    """One word changed at a time."""
    before = attention(inputs)
    for j in range(inputs.shape[1]):
        other = inputs.clone()
        other[:, j] = -3 * other[:, j] + 2
        gap = (attention(other) - before)[:, :j].abs()
        if gap.numel() and gap.max() > 1e-6:
            return False
    return True


@causal.accepts
def another_future(attention: Attention, inputs: torch.Tensor) -> bool:
    """A future drawn at random."""
    before = attention(inputs)
    generator = torch.Generator().manual_seed(5)
    for now in range(inputs.shape[1]):
        drawn = torch.randn(inputs.shape, generator=generator, dtype=inputs.dtype)
        other = torch.cat([inputs[:, : now + 1], drawn[:, now + 1 :]], dim=1)
        if not torch.allclose(attention(other)[:, : now + 1], before[:, : now + 1], atol=1e-7):
            return False
    return True


# --- all prefixes at once ------------------------------------------------------------------------

prefixes = Exam(reference.next_token_examples, returns=("inputs", "targets"))


@prefixes.example
def one_text() -> torch.Tensor:
    """five tokens"""
    return torch.tensor([7, 1, 4, 4, 2])


@prefixes.example
def two_texts() -> torch.Tensor:
    """a batch of two texts"""
    return torch.tensor([[3, 1, 4, 1], [5, 9, 2, 6]])


@prefixes.case
def any_text(draw: Draw) -> torch.Tensor:
    """a text"""
    return torch.from_numpy(draw.integers("tokens", below=50))


@prefixes.case
def any_batch(draw: Draw) -> torch.Tensor:
    """a batch of texts"""
    return torch.from_numpy(draw.integers("batch tokens", below=50))


@prefixes.case(times=1)
def shortest_text(draw: Draw) -> torch.Tensor:
    """a text of two tokens"""
    return torch.from_numpy(draw.fix(tokens=2).integers("tokens", below=50))


@prefixes.misconception
def targets_not_shifted(tokens: torch.Tensor) -> Pair:
    """Your targets are the inputs themselves: the model would only have to copy. The target is the
    token that follows.
    """
    return tokens[..., :-1], tokens[..., :-1]


@prefixes.misconception
def whole_text_twice(tokens: torch.Tensor) -> Pair:
    """Both are the whole text. The last token has no next one, and the first is nobody's next: each
    of the two is one shorter.
    """
    return tokens, tokens


@prefixes.misconception
def previous_token(tokens: torch.Tensor) -> Pair:
    """Inputs and targets have changed places: your target is the token before."""
    return tokens[..., 1:], tokens[..., :-1]


@prefixes.misconception
def shifted_by_two(tokens: torch.Tensor) -> Pair:
    """Your targets are two places on. One shift is enough: the target is the very next token."""
    return tokens[..., :-2], tokens[..., 2:]


@prefixes.misconception
def rolled_round(tokens: torch.Tensor) -> Pair:
    """You rolled the text, so that its first token follows its last. The last token has no next
    one: leave it out.
    """
    return tokens, torch.roll(tokens, -1, dims=-1)


@prefixes.misconception
def last_token_only(tokens: torch.Tensor) -> Pair:
    """One target for the whole text. With a mask every prefix is an example: each input token has a
    target.
    """
    return tokens[..., :-1], tokens[..., -1]


@prefixes.misconception
def batch_sliced(tokens: torch.Tensor) -> Pair:
    """With a batch you cut off a text, not a token. Slice the last axis: tokens[..., :-1]."""
    return tokens[:-1], tokens[1:]


@prefixes.misconception
def batch_assumed(tokens: torch.Tensor) -> Pair:
    """You slice the second axis, and one text alone has none. The tokens are on the last axis,
    whatever comes before it: tokens[..., :-1].
    """
    return tokens[:, :-1], tokens[:, 1:]


@prefixes.misconception
def targets_as_floats(tokens: torch.Tensor) -> Pair:
    """The targets are the right ones, made into floats. They are ids: leave them whole numbers."""
    return tokens[..., :-1], tokens[..., 1:].float()


@prefixes.misconception
def inputs_left_whole(tokens: torch.Tensor) -> Pair:
    """The targets are right, but the inputs still have their last token, which has no target."""
    return tokens, tokens[..., 1:]


@prefixes.misconception
def padded_at_the_end(tokens: torch.Tensor) -> Pair:
    """You made up a target for the last token. It has none: leave the token out."""
    nothing = torch.zeros_like(tokens[..., :1])
    return tokens, torch.cat([tokens[..., 1:], nothing], dim=-1)


@prefixes.misconception
def prefixes_in_a_list(tokens: torch.Tensor) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """You return the prefixes one by one, as lists. Return two tensors of n − 1 tokens each: with a
    mask, one pass over the inputs is a pass over all their prefixes.
    """
    places = range(1, tokens.shape[-1])
    return [tokens[..., :n] for n in places], [tokens[..., n] for n in places]


@prefixes.accepts
def prefixes_by_narrowing(tokens: torch.Tensor) -> Pair:
    """narrow."""
    n = tokens.shape[-1] - 1
    return tokens.narrow(-1, 0, n), tokens.narrow(-1, 1, n)


@prefixes.accepts
def prefixes_in_loops(tokens: torch.Tensor) -> Pair:
    """Token by token, stacked."""
    n = tokens.shape[-1]
    inputs = torch.stack([tokens[..., i] for i in range(n - 1)], dim=-1)
    targets = torch.stack([tokens[..., i + 1] for i in range(n - 1)], dim=-1)
    return inputs, targets


@prefixes.accepts
def prefixes_by_windows(tokens: torch.Tensor) -> Pair:
    """Pairs of neighbours."""
    pairs = tokens.unfold(-1, 2, 1)
    return pairs[..., 0], pairs[..., 1]
