"""Numbers as text: as few digits as say what matters, and never one that is not true."""

import math

_DECIMALS = 4
# How far a number in single precision is from one of five decimals, as a share of half a step.
_IN_THE_MIDDLE = 2e-3


def digits(number: float) -> str:
    """A number with four decimals, or four digits if it is very small or large.

    One that lies in the middle between two such, as numbers do that were rounded to one digit more,
    is shown with that digit: which of the two is nearer to what it was is no longer known.
    """
    if not math.isfinite(number):
        return f"{number:.4g}"
    kind = "f" if 1e-3 <= abs(number) < 1e4 else "g"
    shown, longer = f"{number:.4{kind}}", f"{number:.5{kind}}"
    step = abs(float(longer) - float(shown))
    is_middle = longer != shown and abs(number - float(longer)) < _IN_THE_MIDDLE * step
    return longer if is_middle and _last_digit(longer) == "5" else shown


def apart(expected: object, received: object) -> tuple[str, str]:
    """Two numbers as text, with as many digits as it takes to tell them apart."""
    one, other = as_float(expected), as_float(received)
    shown = digits(one), digits(other)
    for more in (6, 9, 12, 17):
        if shown[0] == shown[1] and one != other:
            shown = f"{one:.{more}g}", f"{other:.{more}g}"
    return shown


def alike(expected: object, received: object) -> tuple[str, str]:
    """Two numbers that count as equal, as text: the second with the digits that the first has."""
    one, other = digits(as_float(expected)), as_float(received)
    decimals = len(one.partition(".")[2])
    if not math.isfinite(other) or "e" in one:
        return one, digits(other)
    # Dust around a zero is a zero, which has no sign.
    return one, f"{other:.{max(decimals, _DECIMALS)}f}" if round(other, _DECIMALS) else "0"


def as_float(number: object) -> float:
    """A number of any kind as a float, infinite where it is too large for one."""
    try:
        return float(number)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if number > 0 else -math.inf  # type: ignore[operator]


def _last_digit(shown: str) -> str:
    return shown.partition("e")[0][-1]
