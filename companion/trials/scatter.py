"""What a function that measures a variance does with its seed and with its number of samples."""

from collections.abc import Callable
from typing import Any

import numpy as np

from companion.beside import results_of

_RUNS = 300
# The variance of two normal numbers is below a tenth of its mean in a quarter of all runs, that
# of the four products of two queries with two keys in one of 25, and the mean of their squares in
# one of ten.
_SMALL = 0.1
_OFTEN = 0.155
# With two features, the variance of 100 dot products is off by a quarter from seed to seed; where
# one query meets all keys it is half the square of its length, which is off by all of itself.
_PAIRS = 100
_FEW_RUNS = 40
_STEADY = 0.45
# With one feature or two, the variance of 50 dot products is off further, from seed to seed, than
# that of 50 normal numbers: by 0.4 or 0.3, and not by 0.2. With many features it is off by 0.2, and
# the variance of 50 products of two numbers by 0.4.
_PRODUCTS = 50
_MANY_RUNS = 400
_WILD = 0.24
_SOME_RUNS = 200
_TAME = 0.29


def measure_twice(
    score_variance: Callable[[int, int, int], Any], d_k: int, n: int, seed: int
) -> dict[str, object]:
    """Call a function that measures the variance of dot products, with one seed and with others.

    Args:
        score_variance: a function of d_k, n and a seed that returns a variance.
        d_k: how many numbers a query has, at least 16.
        n: how many pairs it draws.
        seed: the seed of the first call.

    Returns:
        The variance; whether the same seed gives it again, and the next seed another one; whether
        it is more than d_k itself, handed back; whether there seem to be two dot products for
        n = 2, by how the results of 300 seeds scatter; whether each dot product has a query and a
        key of its own, by how steady the results of 40 seeds are for n = 100; whether two random
        numbers are multiplied at all, by how wild those of 400 seeds are for one feature or two,
        as the seed has it; and whether many products are added, by how tame they are for d_k.
    """
    several = [(d_k, n, seed), (d_k, n, seed), (d_k, n, seed + 1)]
    first, again, other = results_of(score_variance, several)

    def of_many_seeds(d_k: int, n: int, runs: int) -> np.ndarray:
        calls = [(d_k, n, seed + run) for run in range(runs)]
        return np.array([_number(one) for one in results_of(score_variance, calls)])

    of_two = of_many_seeds(d_k, 2, _RUNS)
    # Where all are the same number, none or all of them are small.
    scattered = _OFTEN < (of_two < _SMALL * of_two.mean()).mean() < 1 - _OFTEN
    of_many = of_many_seeds(2, _PAIRS, _FEW_RUNS)
    steady = of_many.std() <= _STEADY * of_many.mean()
    few = 1 + seed % 2
    with np.errstate(all="ignore"):
        wild = np.log(of_many_seeds(few, _PRODUCTS, _MANY_RUNS)).std() > _WILD
        tame = np.log(of_many_seeds(d_k, _PRODUCTS, _SOME_RUNS)).std() <= _TAME
    return {
        "variance": first,
        "the same seed gives the same number": _number(first) == _number(again),
        "another seed gives another number": _number(first) != _number(other),
        "drawn at random": _number(first) != d_k,
        "results for n = 2 scatter as the variance of two dot products": bool(scattered),
        "results for d_k = 2 scatter as if each product had its own query and key": bool(steady),
        f"results for d_k = {few} scatter as the variance of products": bool(wild),
        f"results for d_k = {d_k} scatter as the variance of sums of products": bool(tame),
    }


def _number(value: Any) -> float:
    """A result as a number; NaN where it is none."""
    try:
        return float(value)
    except (TypeError, ValueError, RuntimeError):
        return float("nan")
