"""The exam of `is_shift_invariant`, lesson 00."""

from collections.abc import Callable

import numpy as np

from autograder import Draw, Exam
from companion import leave_as_is, shares, torch_softmax
from solutions import foundations as reference
from solutions.exams.families import CLOSENESS, EXTENT, GENEROSITY, VERDICT, Comparison, Pairs
from solutions.exams.spoiled import exchanging, late_place, place_in_turn, spoiled

Function = Callable[[np.ndarray], np.ndarray]
Trial = tuple[Function, np.ndarray, float]

invariant = Exam(reference.is_shift_invariant, dtypes=("float64",))

SCORES = np.array([[2.1, 1.4, 0.3], [1.6, 0.7, 0.5]])
ONE_ROW_OF_EQUALS = np.array([[2.1, 1.2, 0.3], [0.5, 0.5, 0.5]])
FIRST_IS_THE_MEAN = np.array([[0.5, 0.2, 0.8], [1.6, 0.7, 0.5]])
EIGHTHS = np.array([[2.125, 1.25, 0.375], [1.625, 0.75, 0.5]])


@invariant.example
def on_softmax() -> Trial:
    """the softmax"""
    return torch_softmax, SCORES, 1.7


@invariant.example
def on_shares() -> Trial:
    """shares of the sum, the second row three equal scores"""
    return shares, ONE_ROW_OF_EQUALS, 1.7


@invariant.example
def on_shares_from_below() -> Trial:
    """shares of the sum, the first row three equal scores"""
    return shares, ONE_ROW_OF_EQUALS[::-1].copy(), 1.7


@invariant.example
def on_shares_by_a_little() -> Trial:
    """shares of the sum, a small shift"""
    return shares, SCORES, 0.05


@invariant.example
def on_shares_by_very_little() -> Trial:
    """shares of the sum, a shift so small that none changes by a thousandth"""
    return shares, np.array([[2.2, 1.4, 0.3], [1.6, 0.7, 0.4]]), 0.001


@invariant.example
def on_shares_that_change_places() -> Trial:
    """shares of the sum, of which one is below zero"""
    return shares, np.array([[-1.5, 1.0], [1.0, -1.5]]), 1.0


@invariant.example
def on_softmax_unshifted() -> Trial:
    """the softmax, with a shift of 0, which changes nothing anywhere"""
    return torch_softmax, EIGHTHS, 0.0


@invariant.example
def on_nothing_shifted() -> Trial:
    """the scores themselves, with a shift of 0, which changes nothing anywhere"""
    return leave_as_is, SCORES, 0.0


@invariant.example
def on_shares_with_a_fixed_entry() -> Trial:
    """shares of the sum, the first of which stays"""
    return shares, FIRST_IS_THE_MEAN, 1.7


@invariant.example
def on_softmax_of_eighths() -> Trial:
    """the softmax of numbers that shift without rounding"""
    return torch_softmax, EIGHTHS, 1.5


@invariant.example
def on_softmax_with_minus_infinity() -> Trial:
    """the softmax, one score is -inf"""
    return torch_softmax, np.array([[-np.inf, 1.4, 0.3], [1.6, 0.7, 0.5]]), 1.7


@invariant.example
def on_nothing_done() -> Trial:
    """the scores themselves, which grow along with the shift"""
    return leave_as_is, SCORES, 1.7


@invariant.example
def on_nothing_done_from_above() -> Trial:
    """the scores themselves, shifted below zero"""
    return leave_as_is, SCORES, -2.7


@invariant.example
def on_shares_of_a_vector() -> Trial:
    """shares of the sum, of one vector, the first of which stays"""
    return shares, FIRST_IS_THE_MEAN[0], 1.7


def less_their_mean(x: np.ndarray, /) -> np.ndarray:
    """Less the mean: invariant."""
    return x - x.mean(axis=-1, keepdims=True)


def softmax_of_the_double(x: np.ndarray, /) -> np.ndarray:
    """The softmax of twice the scores: invariant."""
    return torch_softmax(2 * x)


def standardised(x: np.ndarray, /) -> np.ndarray:
    """A layer normalisation: invariant."""
    return less_their_mean(x) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)


def best_score(x: np.ndarray, /) -> np.ndarray:
    """A 1 at the largest score: invariant."""
    return np.eye(x.shape[-1])[x.argmax(axis=-1)]


def steps(x: np.ndarray, /) -> np.ndarray:
    """Differences of neighbours: invariant."""
    return np.diff(x, axis=-1)


def sigmoid(x: np.ndarray, /) -> np.ndarray:
    """The sigmoid: not invariant."""
    return 1 / (1 + np.exp(-x))


def exponential(x: np.ndarray, /) -> np.ndarray:
    """The exponential: not invariant."""
    return np.exp(x)


def softmax_but_for_the_last(x: np.ndarray, /) -> np.ndarray:
    """The softmax, wrong in its last entry: not invariant."""
    weights = torch_softmax(x)
    weights[..., -1] = x[..., -1]
    return weights


def one_entry_leaks(x: np.ndarray, /) -> np.ndarray:
    """The softmax, wrong in its very first entry: not invariant."""
    weights = torch_softmax(x)
    weights.flat[0] += 0.01 * x.flat[0]
    return weights


def sorted_scores(x: np.ndarray, /) -> np.ndarray:
    """The scores in order: not invariant."""
    return np.sort(x, axis=-1)


def the_opposite(x: np.ndarray, /) -> np.ndarray:
    """Minus the scores: not invariant."""
    return -x


def softmax_of_squares(x: np.ndarray, /) -> np.ndarray:
    """The softmax of the squared scores: not invariant."""
    return torch_softmax(x**2)


def handed_on(x: np.ndarray, /) -> np.ndarray:
    """The softmax, its entries rolled on by as many positions as the first score says: not
    invariant.
    """
    return np.roll(torch_softmax(x), int(np.floor(x.flat[0])), axis=-1)


def scores_and_shift(draw: Draw) -> tuple[np.ndarray, float]:
    """Scores, and what is added to all of them."""
    return draw("rows columns"), float(draw.rng.uniform(1, 3))


invariant.tries(
    (
        less_their_mean,
        softmax_of_the_double,
        standardised,
        best_score,
        steps,
        sigmoid,
        exponential,
        softmax_but_for_the_last,
        one_entry_leaks,
        sorted_scores,
        the_opposite,
        softmax_of_squares,
    ),
    scores_and_shift,
    times=1,
)


def wide_scores(draw: Draw) -> tuple[np.ndarray, float]:
    """Rows of more scores than the shift is large."""
    return scores_and_shift(draw.fix(columns=7))


invariant.tries([handed_on], wide_scores, times=1)


def wrong_once_shifted(draw: Draw, shape: str, wrong: Function) -> Trial:
    """A softmax that is right for the scores as they are, and wrong for any others."""
    scores = draw(shape)

    def right_unshifted(x: np.ndarray, /) -> np.ndarray:
        weights = torch_softmax(x)
        return weights if np.array_equal(x, scores) else wrong(weights)

    return right_unshifted, scores, float(draw.rng.uniform(1, 3))


@invariant.case(times=5)
def one_number_is_wrong(draw: Draw) -> Trial:
    """one number is wrong once the scores are shifted"""
    draw.fix(batch=6, rows=5, columns=7)
    return wrong_once_shifted(
        draw, "batch rows columns", spoiled(draw, *place_in_turn(draw, 6, 5, 7))
    )


@invariant.case(times=1)
def a_late_number_is_wrong(draw: Draw) -> Trial:
    """of many numbers one of the last is wrong once the scores are shifted"""
    # A function that is lent is given no more than 4,096 numbers.
    shape = [int(size) for size in draw.rng.integers(11, 15, size=3)]
    draw.fix(batch=shape[0], rows=shape[1], columns=shape[2])
    return wrong_once_shifted(draw, "batch rows columns", spoiled(draw, *late_place(draw, *shape)))


@invariant.case(times=1)
def rows_exchange(draw: Draw) -> Trial:
    """two rows change places once the scores are shifted"""
    return wrong_once_shifted(draw.fix(rows=5), "rows columns", exchanging(draw, 5))


@invariant.case(times=1)
def shifted_down(draw: Draw) -> Trial:
    """the softmax of a vector, shifted down"""
    return torch_softmax, draw("n"), -2.5


@invariant.case(times=1, dtypes=("float32",))
def rounded_in_single_precision(draw: Draw) -> Trial:
    """weights that only rounding changes, by a step of their precision"""
    # In eighths, so that to add the shift rounds nothing.
    scores = (draw("rows columns") * 8).round().astype(np.float32) / 8

    def rounded_softmax(x: np.ndarray, /) -> np.ndarray:
        weights = torch_softmax(x.astype(np.float64)).astype(x.dtype)
        step = 0 if np.array_equal(x, scores) else float(np.finfo(np.float32).eps)
        return weights * (1 + step)

    return rounded_softmax, scores, 1.75


invariant.half_but_for("rounding in single precision", rounded_in_single_precision)


class Compared(Comparison):
    """What a function makes of the input, and of the shifted one."""

    def pairs(self, function: Function, x: np.ndarray, shift: float) -> Pairs:
        yield function(x), function(x + shift)


VERDICT.apply(
    invariant,
    Compared,
    called={"TurnedRound": "answer_turned_round", "ATableOfTruths": "entry_by_entry_answer"},
)
(CLOSENESS + GENEROSITY).apply(
    invariant, Compared, called={"TooGenerous": "too_patient"}, without=["ToTwoDecimals"]
)
EXTENT.apply(
    invariant,
    Compared,
    called={"FirstNumberOnly": "first_entry_only", "AnyNumber": "any_entry"},
    says={
        "TotalsOnly": "You compare totals or averages. Each row of a softmax sums to 1, shifted or "
        "not, and so does a row of shares: compare entry by entry."
    },
)


@invariant.misconception
def close_in_double_precision(function: Function, x: np.ndarray, shift: float) -> bool:
    """In single precision, results are rounded at the seventh digit, which your test takes for a
    difference: a bound such as 1e-12 is for double precision only. Allow for both, as `allclose`
    does with the tolerance that it has by default.
    """
    return float(np.max(np.abs(function(x + shift) - function(x)))) < 1e-12


@invariant.misconception
def shifted_output(function: Function, x: np.ndarray, shift: float) -> bool:
    """You require the output to grow with the input. Invariance requires it to stay the same."""
    return bool(np.allclose(function(x + shift), function(x) + shift))


@invariant.misconception
def compared_with_the_input(function: Function, x: np.ndarray, shift: float) -> bool:
    """You compare a result of the function with what went into it. Compare two results: that of x,
    and that of the shifted x.
    """
    return bool(np.allclose(function(x + shift), x))


@invariant.misconception
def unshifted_compared_with_the_input(function: Function, x: np.ndarray, shift: float) -> bool:
    """You compare a result of the function with what went into it. Compare two results: that of x,
    and that of the shifted x.
    """
    return bool(np.allclose(function(x), x))


@invariant.misconception
def any_order(function: Function, x: np.ndarray, shift: float) -> bool:
    """Your comparison overlooks which entry is which, as sorting both results does. Compare entry
    by entry.
    """
    return bool(np.allclose(np.sort(function(x + shift)), np.sort(function(x))))


@invariant.misconception
def largest_in_the_same_place(function: Function, x: np.ndarray, shift: float) -> bool:
    """You compare where the largest entry stands, or the order of the entries. Both can stay as
    they are while the sizes change: compare all entries.
    """
    return bool((function(x + shift).argmax(axis=-1) == function(x).argmax(axis=-1)).all())


@invariant.misconception
def a_shift_of_ones_own(function: Function, x: np.ndarray, shift: float) -> bool:
    """You add something else than `shift`: a shift of 0 should change nothing, and yours does. Use
    the argument as it is.
    """
    return bool(np.allclose(function(x + 1), function(x)))


@invariant.misconception
def one_entry_shifted(function: Function, x: np.ndarray, shift: float) -> bool:
    """You shifted one entry only. The question is what happens when all grow by the same number."""
    moved = x.copy()
    moved.flat[0] += shift
    return bool(np.allclose(function(moved), function(x)))


@invariant.misconception
def first_row_shifted(function: Function, x: np.ndarray, shift: float) -> bool:
    """You shifted the first row only: `x[0]` is one row of a matrix. All entries grow by the same
    number.
    """
    moved = x.copy()
    moved[0] += shift
    return bool(np.allclose(function(moved), function(x)))


@invariant.misconception
def scaled(function: Function, x: np.ndarray, shift: float) -> bool:
    """You multiplied the input. A shift adds the same number to every entry."""
    return bool(np.allclose(function(x * shift), function(x)))


@invariant.misconception
def written_over(function: Function, x: np.ndarray, shift: float) -> bool:
    """The array itself is changed, as by `+=`, so that both calls get the same shifted input. Leave
    x as it is and make a new array.
    """
    before = x
    x += shift
    return bool(np.allclose(function(x), function(before)))


@invariant.accepts
def by_greatest_gap(function: Function, x: np.ndarray, shift: float) -> bool:
    """The largest difference is small.

    It looks at the largest difference, and sets a limit of its own. `np.allclose` also allows a
    share of the numbers compared, and so forgives more where they are larger.
    """
    return float(np.max(np.abs(function(x + shift) - function(x)))) < 1e-6


@invariant.accepts
def by_each_entry(function: Function, x: np.ndarray, shift: float) -> np.bool_:
    """All entries close.

    `np.isclose` compares entry by entry. While you look for a mistake, its result is more useful
    than a single True or False: it shows where the two differ.
    """
    moved = x.copy()
    moved += shift
    return np.isclose(function(moved), function(x)).all()


@invariant.accepts
def by_rounding(function: Function, x: np.ndarray, shift: float) -> bool:
    """Equal up to six decimals, in a loop."""
    pairs = zip(function(x + shift).ravel(), function(x).ravel(), strict=True)
    return all(abs(one - other) < 1e-6 for one, other in pairs)
