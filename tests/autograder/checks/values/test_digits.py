"""Numbers as text: what a learner reads must be what the number is, rounded once."""

import math
import random

import numpy as np
import pytest

from autograder.checks.values.compare import Tolerance
from autograder.checks.values.digits import alike, apart, as_given, digits
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.rounding import shipped

WAVES = Tolerance(absolute=1e-4, relative=1e-4)


@pytest.mark.parametrize("kind", [float, np.float32])
@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (-0.41615, "-0.41615"),
        (0.99955, "0.99955"),
        (0.16, "0.1600"),
        (0.0, "0"),
        (1.0, "1.0000"),
        (0.41614, "0.4161"),
        (0.41616, "0.4162"),
    ],
)
def test_middle_of_two_is_not_rounded_again(kind: type, number: float, shown: str) -> None:
    assert digits(float(kind(number))) == shown


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_no_number(number: float) -> None:
    assert digits(number) == str(number)


def test_what_is_shown_of_a_shipped_number_is_right() -> None:
    """However it was rounded on its way: as many digits as are shown are those of the number."""
    rng = random.Random(1)
    waves = [math.cos(n) for n in range(1, 3000)]
    others = [rng.gauss(0, 1) * 10 ** rng.randint(-2, 5) for _ in range(3000)]
    for number in (*waves, *others):
        for tolerance in (WAVES, Tolerance(1e-6, 1e-5), Tolerance(1e-5, 1e-4)):
            stored = shipped(Outcome(number), Outcome(number), tolerance).value
            shown = digits(stored, tolerance.decimals(stored))
            mantissa = shown.partition("e")[0]
            step = float(f"1e{-len(mantissa.partition('.')[2])}")
            exponent = int(shown.partition("e")[2] or 0)
            # Half a step of what is shown, but no less than what the number was stored in.
            allowed = max(0.5 * step * 10.0**exponent, 0.06 * tolerance.relative * abs(number))
            assert abs(float(shown) - number) <= allowed * (1 + 1e-6), (number, stored, shown)


@pytest.mark.parametrize(
    ("expected", "received", "tolerance", "shown"),
    [
        (628.32, 628.3185, Tolerance(0, 1e-3), ("628.32", "628.32")),
        (628.32, 630.1, Tolerance(0, 1e-3), ("628.32", "630.10")),
        (65.0, 71.2, Tolerance(0, 0.05), ("65.0", "71.2")),
        (-0.41615, -0.5, Tolerance(1e-4, 1e-4), ("-0.41615", "-0.50000")),
        (0.0, 0.5, Tolerance(1e-4), ("0", "0.5000")),
        (2.0, 1e-9, Tolerance(1e-4), ("2.0000", "1e-09")),
    ],
)
def test_digits_that_are_known_and_as_many_on_both_sides(
    expected: float, received: float, tolerance: Tolerance, shown: tuple[str, str]
) -> None:
    is_right = tolerance.allows_number(expected, received)
    show = alike if is_right else apart
    assert show(expected, received, tolerance.decimals(expected)) == shown


@pytest.mark.parametrize(
    ("number", "shown"),
    [(628.32, "628.32"), (7, "7"), (0.5, "0.5"), (1 / 3, "0.3333"), (1e-9, "1e-09"), (3.0, "3")],
)
def test_no_decimals_that_nobody_wrote(number: float, shown: str) -> None:
    assert as_given(number) == shown
