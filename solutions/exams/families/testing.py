"""Answers that are tests: what goes wrong when results are compared.

A test is written here in steps: it has pairs of results, and says whether both of each are alike.
An exercise says which pairs these are.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import torch

from solutions.exams.families.family import Family

Pairs = Iterable[tuple[Any, Any]]


class Comparison:
    """A test in steps, each for a slip to get wrong."""

    def pairs(self, *arguments: Any) -> Pairs:
        """The results that have to be alike, each before something was changed and after it."""
        raise NotImplementedError

    def alike(self, before: Any, after: Any) -> bool:
        """Whether two results agree, but for rounding."""
        return bool(close(before, after).all())

    def answer(self, *arguments: Any) -> Any:
        """The verdict: whether all pairs are alike."""
        return all(self.alike(before, after) for before, after in self.pairs(*arguments))


def close(before: Any, after: Any, atol: float = 1e-8) -> Any:
    """For each entry whether it has stayed, but for rounding."""
    isclose: Any = torch.isclose if isinstance(before, torch.Tensor) else np.isclose
    return isclose(before, after, atol=atol)


# --- the verdict ---------------------------------------------------------------------------------


class AlwaysTrue(Comparison):
    """Your test returns True for everything. Are both sides of the comparison the same thing?"""

    def answer(self, *arguments: Any) -> Any:
        return True


class AlwaysFalse(Comparison):
    """Your test returns False for everything, even for what should pass. Check what you change,
    what you compare and what you return.
    """

    def answer(self, *arguments: Any) -> Any:
        return False


class TurnedRound(Comparison):
    """Your answer is the wrong way round: return True for what passes the test."""

    def answer(self, *arguments: Any) -> Any:
        return not super().answer(*arguments)


class ATableOfTruths(Comparison):
    """This is one answer per entry. Return a single True or False for all of them together."""

    def answer(self, *arguments: Any) -> Any:
        return close(*next(iter(self.pairs(*arguments))))


VERDICT = Family(AlwaysTrue, AlwaysFalse, TurnedRound, ATableOfTruths)

# --- how close is close --------------------------------------------------------------------------


class ToTheLastBit(Comparison):
    """Your test takes rounding errors for a difference, as `==` and `equal` do. Both results
    contain some: allow for them, with `allclose`.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool((before == after).all())


class TooGenerous(Comparison):
    """A small difference passes your test, as when it allows for more than rounding. The tolerance
    that `allclose` has by default, a hundred-thousandth of a number or so, is enough.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool(close(before, after, atol=0.1).all())


class RisesOverlooked(Comparison):
    """Your test does not notice entries that increase. Does the difference keep its sign? Its
    absolute value has to stay below a bound.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool((before - after).max() < 1e-6)


class FallsOverlooked(Comparison):
    """Your test does not notice entries that decrease. Does the difference keep its sign? Its
    absolute value has to stay below a bound.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool((after - before).max() < 1e-6)


CLOSENESS = Family(ToTheLastBit, TooGenerous, RisesOverlooked, FallsOverlooked)


class WithinAHundredth(Comparison):
    """Small but real differences pass your test. Do you allow for far more than rounding? The
    tolerance that `allclose` has by default, a hundred-thousandth of a number or so, is enough.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool(close(before, after, atol=0.01).all())


class ToTwoDecimals(Comparison):
    """Differences of a few thousandths pass your test, as when you round to two decimals: that is
    far more than rounding errors. The tolerance that `allclose` has by default, a
    hundred-thousandth of a number or so, is enough.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool((before.round(decimals=2) == after.round(decimals=2)).all())


GENEROSITY = Family(WithinAHundredth, ToTwoDecimals)

# --- how much is compared ------------------------------------------------------------------------


class AnyNumber(Comparison):
    """Your test is satisfied when some of the entries agree. All of them have to: use `all` or
    `allclose`, not `any`.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool(close(before, after).any())


class FirstNumberOnly(Comparison):
    """Your test looks at the first entry only. Any of them can be wrong: compare all of them."""

    def alike(self, before: Any, after: Any) -> bool:
        return bool(close(before.reshape(-1)[0], after.reshape(-1)[0]))


class FirstRowOnly(Comparison):
    """Your test looks at the first part only: the first row, or the first sentence of a batch. Any
    part can be wrong: compare all of them.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool(close(before[0], after[0]).all())


class LastRowOnly(Comparison):
    """Your test looks at the last part only: the last row, or the last sentence of a batch. Any
    part can be wrong: compare all of them. If you do so in a loop, does the last pass overwrite
    what earlier ones found?
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool(close(before[-1], after[-1]).all())


class TotalsOnly(Comparison):
    """You compare totals or averages, where one entry can make up for another. Compare entry by
    entry.
    """

    def alike(self, before: Any, after: Any) -> bool:
        return bool(close(before.sum(), after.sum()))


EXTENT = Family(AnyNumber, FirstNumberOnly, FirstRowOnly, LastRowOnly, TotalsOnly)
