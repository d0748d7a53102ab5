"""Numbers as text: what a learner reads must be what the number is, rounded once."""

import math
import random

import numpy as np
import pytest

from autograder.checks.values.compare import Tolerance
from autograder.checks.values.digits import digits
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
            shown = digits(stored)
            mantissa = shown.partition("e")[0]
            step = float(f"1e{-len(mantissa.partition('.')[2])}")
            exponent = int(shown.partition("e")[2] or 0)
            # Half a step of what is shown, but no less than what the number was stored in.
            allowed = max(0.5 * step * 10.0**exponent, 0.06 * tolerance.relative * abs(number))
            assert abs(float(shown) - number) <= allowed * (1 + 1e-6), (number, stored, shown)
