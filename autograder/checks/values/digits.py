"""Numbers as text: as few digits as say what matters, and never one that is not true."""

import math

_DIGITS = 4
# From here on a whole number is long to read.
_WHOLE = 1e6
# How far a number in single precision is from one of five decimals, as a share of half a step.
_IN_THE_MIDDLE = 2e-3


def digits(number: float, known: int | None = None) -> str:
    """A number with four decimals, or four digits if it is very small or large.

    One that lies in the middle between two such, as numbers do that were rounded to one digit more,
    is shown with that digit: which of the two is nearer to what it was is no longer known.

    Args:
        number: any.
        known: how many of its decimals are known; no others are shown.
    """
    return _with(number, *_places(number, known))


def as_given(number: object) -> str:
    """A number that somebody may have written: with no more decimals than it has."""
    given = as_float(number)
    if given.is_integer() and abs(given) < _WHOLE:
        return str(int(given))
    decimals = repr(given).partition(".")[2]
    return digits(given, len(decimals) if decimals.isdecimal() else None)


def apart(expected: object, received: object, known: int | None = None) -> tuple[str, str]:
    """Two numbers as text, with as many digits as it takes to tell them apart.

    Args:
        expected: the first.
        received: the second; it has as many decimals as the first.
        known: how many decimals of the first are known.
    """
    shown, (one, other) = alike(expected, received, known), map(as_float, (expected, received))
    for more in (6, 9, 12, 17):
        if shown[0] == shown[1] and one != other:
            shown = f"{one:.{more}g}", f"{other:.{more}g}"
    return shown


def alike(expected: object, received: object, known: int | None = None) -> tuple[str, str]:
    """Two numbers as text, the second with as many decimals as the first, if that shows any of it.

    Dust around a zero that was expected is a zero.
    """
    one, other = as_float(expected), as_float(received)
    kind, places = _places(one, known)
    is_zero = not other or (not round(one, places) and not round(other, places))
    as_many = kind == "f" and (_fits(other) or is_zero)
    return _with(one, kind, places), _with(other, kind, places) if as_many else digits(other)


def _places(number: float, known: int | None) -> tuple[str, int]:
    """As a format has them: the kind, and how many decimals or digits."""
    if not math.isfinite(number):
        return "g", _DIGITS
    kind = "f" if _fits(number) or not number else "g"
    places = _DIGITS
    if known is not None:
        before, least = (0, 0) if kind == "f" else (math.floor(math.log10(abs(number))) + 1, 1)
        places = min(_DIGITS, max(known + before, least))
    shown, longer = f"{number:.{places}{kind}}", f"{number:.{places + 1}{kind}}"
    step = abs(float(longer) - float(shown))
    is_middle = longer != shown and abs(number - float(longer)) < _IN_THE_MIDDLE * step
    return kind, places + (is_middle and _last_digit(longer) == "5")


def _with(number: float, kind: str, places: int) -> str:
    # A zero has no sign, and no decimals to be known.
    return f"{number:.{places}{kind}}" if kind == "g" or round(number, places) else "0"


def _fits(number: float) -> bool:
    """Whether four decimals show what matters."""
    return math.isfinite(number) and 1e-3 <= abs(number) < 1e4


def as_float(number: object) -> float:
    """A number of any kind as a float, infinite where it is too large for one."""
    try:
        return float(number)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if number > 0 else -math.inf  # type: ignore[operator]


def _last_digit(shown: str) -> str:
    return shown.partition("e")[0][-1]
