"""How far a right answer may be off: by what ordinary steps in single precision do to a result.

An exercise asks for a dtype, and that is compared exactly. It does not ask for the last digits: a
scale that is made as a float32 tensor, or a softmax in float32 and back, as published models have
it, is right in float64 too. So both dtypes allow about as much as float32 needs.

How much that is depends on the inputs: of large scores, single precision loses more. Printed
examples are small and have a tolerance that is the same on every machine, as it ships with their
numbers. For a case that is drawn, the reference shows it: what it computes in single and in double
precision differs by the noise that every right answer has there, part by part.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from autograder.checks.values.compare import Tolerance, numbers_in_parts
from autograder.checks.values.parts import is_gradient

# Of float32 a tenth more digits are asked for in float64, where most answers have all of them: so
# numbers that were rounded to four decimals are told from those that were not.
TOLERANCES = {
    "float64": Tolerance(absolute=1e-6, relative=1e-5),
    "float32": Tolerance(absolute=1e-5, relative=1e-4),
}
# The two in which the reference is run to see the noise.
SINGLE, DOUBLE = "float32", "float64"
# How much noisier than the reference a right answer may be: its steps are others, in another order.
# (Noisiest of all that were tried are weights as `exp` of scores less the logarithm of their sum:
# 34 times the reference, in a gradient of inputs that are ten times as large.)
_MARGIN = 64.0
# No more than this share of a part's largest number is noise, however ill-conditioned a case is.
_MOST = 1e-2
# What a gradient may be off by, as a share of its part's largest number: on its way back it is
# added up of many numbers, of which much is cancelled.
_GRADIENT = 2e-5
# What rounding one number does to it in single precision, as a share of it.
_STEP = float(np.finfo(np.float32).eps)

# Inputs are moved by this share, a few steps of single precision, to see where numbers are rounded
# to it on their way: what comes out then jumps by some 1e-8 of itself, while a smooth function in
# double precision goes on evenly, to 1e-10. Beyond 1e-4 it is a function that is not smooth.
NUDGE = 2.0**-22
_JUMPS = (1e-9, 1e-4)
# Of a part whose numbers are smaller than this share of all the others', only noise is seen.
_NOTHING = 1e-6


def as_of_single(tolerance: Tolerance) -> Tolerance:
    """A tolerance for numbers that were made in single precision, whatever their dtype is."""
    single = TOLERANCES[SINGLE]
    return Tolerance(
        max(tolerance.absolute, single.absolute),
        max(tolerance.relative, single.relative),
        {part: max(one, single.absolute) for part, one in tolerance.parts.items()},
    )


def goes_through_single(below: object, value: object, above: object) -> bool:
    """Whether what is in double precision was rounded to single precision on its way.

    Args:
        below: what comes out of inputs that are smaller by the share `NUDGE`.
        value: what comes out of the inputs themselves.
        above: what comes out of inputs that are larger by that share.
    """
    around, parts = [dict(numbers_in_parts(one)) for one in (below, above)], {}
    for part, numbers in numbers_in_parts(value):
        if all(_is_like(numbers, one.get(part)) for one in around):
            with np.errstate(invalid="ignore"):
                bend = around[0][part] + around[1][part] - 2 * numbers
            parts[part] = _largest(bend), _largest(numbers)
    most = max((largest for _, largest in parts.values()), default=0.0)
    shares = [bend / largest for bend, largest in parts.values() if largest > _NOTHING * most]
    return any(_JUMPS[0] < share < _JUMPS[1] for share in shares)


def is_noise(
    below: object, value: object, above: object, tolerance: Tolerance, names: Sequence[str] = ()
) -> bool:
    """Whether no two processors compute these numbers alike: they are what rounding leaves of
    numbers that cancel each other, divided by as little.

    Args:
        below: what comes out of inputs that are smaller by the share `NUDGE`.
        value: what comes out of the inputs themselves.
        above: what comes out of inputs that are larger by that share. What rounding does not
            decide lies between the two.
        tolerance: how far it may be off.
        names: what the entries of a tuple are called.
    """
    around = [dict(numbers_in_parts(one, names)) for one in (below, above)]
    for part, numbers in numbers_in_parts(value, names):
        if not all(_is_like(numbers, one.get(part)) for one in around):
            return True
        with np.errstate(invalid="ignore"):
            between = (around[0][part] + around[1][part]) / 2
        if not tolerance.times(0.5).of(part).allows(numbers, between).all():
            return True
    return False


def are_apart(
    first: object, second: object, tolerance: Tolerance, names: Sequence[str] = ()
) -> bool:
    """Whether the numbers in two values differ by more than is allowed, whatever their dtypes."""
    others = dict(numbers_in_parts(second, names))
    return any(
        not _is_like(numbers, others.get(part))
        or not tolerance.of(part).allows(others[part], numbers).all()
        for part, numbers in numbers_in_parts(first, names)
    )


def _is_like(numbers: np.ndarray, others: np.ndarray | None) -> bool:
    return others is not None and others.shape == numbers.shape


def printed(
    base: Tolerance, arguments: object, value: object, names: Sequence[str] = ()
) -> Tolerance:
    """A tolerance for a printed example, on whose arguments this value is expected."""
    given = max((_largest(numbers) for _, numbers in numbers_in_parts(arguments)), default=0.0)
    allowed = {}
    for part, numbers in numbers_in_parts(value, names):
        largest = _largest(numbers)
        # The logarithm of a sum of powers, say, is as coarse as the scores that it is made of.
        allowed[part] = min(_STEP * given, _MOST * largest)
        if is_gradient(part):
            allowed[part] = max(allowed[part], _GRADIENT * max(1.0, largest))
    return _at_least(base, allowed)


def widened(
    base: Tolerance, single: object, double: object, names: Sequence[str] = ()
) -> Tolerance:
    """A tolerance for a case on which the reference gives these two values, one in each precision.

    Only in parts where their difference calls for it is more allowed than `base` does.
    """
    rounded = dict(numbers_in_parts(single, names))
    exact = dict(numbers_in_parts(double, names))
    largest = {part: _largest(numbers) for part, numbers in exact.items()}
    allowed = {}
    for part, numbers in exact.items():
        if not _is_like(numbers, rounded.get(part)):
            continue
        with np.errstate(invalid="ignore"):
            noise = max(_largest(rounded[part] - numbers), _STEP * largest[part])
        # What would be zero without rounding, such as the gradient of a bias that a softmax takes
        # out again, is nothing but noise: its own numbers are no measure for that.
        measure = largest[part] if largest[part] > noise else max(largest.values())
        allowed[part] = min(_MARGIN * noise, _MOST * measure)
    return _at_least(base, allowed)


def _at_least(base: Tolerance, allowed: Mapping[str, float]) -> Tolerance:
    wider = {part: one for part, one in allowed.items() if one > base.of(part).absolute}
    return replace(base, parts={**base.parts, **wider})


def _largest(numbers: np.ndarray) -> float:
    """The largest absolute value of those that are numbers."""
    finite = np.abs(numbers[np.isfinite(numbers)])
    return float(finite.max()) if finite.size else 0.0
