"""One call of an answer, what should come of it, and what known wrong answers make of it."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from autograder.checks.drivers import layouts
from autograder.checks.drivers.ways import WAYS
from autograder.checks.exam.arguments import plainness
from autograder.checks.values.as_json import can_be_imported
from autograder.checks.values.compare import Difference, Tolerance
from autograder.checks.values.faults import faults
from autograder.checks.values.outcome import Outcome, observe
from autograder.checks.values.precision import DOUBLE, SINGLE, as_of_single, printed, widened
from autograder.checks.values.side_by_side import Axes
from autograder.checks.values.tensors import (
    another_like,
    cast_all,
    has_floating,
    is_function,
)

Property = Callable[..., object]
# Behind the label of a case, before the argument that has another value.
WITH_ANOTHER = ", with another "


@dataclass(frozen=True)
class Case:
    """One call, and what should come of it.

    `lookalikes` finds out, by a misconception's name, what that wrong answer does on this call; of
    one that is missing, the call says nothing.
    With `reveal` false, expected numbers are not shown: they are for the learner to find. `use` is
    the driver that calls the answer; it works `here` even where that is in another process. An
    answer that is wrong in one `group` alone earns half. What is expected of a `printed` case is no
    secret. `axes` are the names of the axes of what is returned, `inputs` those of a module's
    inputs. Misconceptions in `single` compute in single precision on their way; `twins` are all of
    them on the same call in the other precision. With a `way`, one of `WAYS`, it is the engine that
    has the answer called so; no misconception is asked.
    """

    label: str
    arguments: Mapping[str, Any]
    expected: Outcome
    tolerance: Tolerance
    lookalikes: Mapping[str, Callable[[], Outcome]]
    names: tuple[str, ...] = ()
    properties: Mapping[str, Property] = field(default_factory=dict)
    reveal: bool = True
    use: Callable[..., object] | None = None
    group: str = ""
    printed: bool = False
    here: bool = False
    axes: Axes = field(default_factory=dict)
    inputs: Sequence[str] = ()
    single: frozenset[str] = frozenset()
    twins: Mapping[str, Callable[[], Outcome]] = field(default_factory=dict, repr=False)
    way: str = ""
    _shows: dict[str, bool] = field(default_factory=dict, init=False, repr=False)

    @property
    def driver(self) -> Callable[..., object] | None:
        """What calls the answer with the arguments, if that is not simply called."""
        if not self.way:
            return self.use
        way = WAYS[self.way]
        driver = way.driver(tuple(self.arguments))
        return partial(driver, self.use) if way.around else driver

    def observe(self, answer: Callable[..., object]) -> Outcome:
        """What an answer does on this call."""
        return observe(answer, self.arguments, self.driver)

    def shows(self, name: str) -> bool:
        """Whether a misconception makes a difference on this call; found out once."""
        if name not in self._shows:
            run = self.lookalikes.get(name)
            self._shows[name] = run is not None and is_mistaken(run(), self)
        return self._shows[name]

    def tolerance_of(self, name: str) -> Tolerance:
        """How far an answer may be off from a misconception that has made its numbers."""
        return as_of_single(self.tolerance) if name in self.single else self.tolerance

    def tolerance_for_noise_of(self, name: str) -> Tolerance:
        """The same, as much wider as single precision needs where a misconception is at work."""
        here, there = self.lookalikes[name](), self.twins[name]()
        return widened(self.tolerance_of(name), here.value, there.value, self.names)

    @property
    def plainness(self) -> tuple[Any, ...]:
        """What orders cases, from the one that is the easiest to look at."""
        return (not self.printed, *plainness(self.arguments, self.use))

    def faults(self, outcome: Outcome) -> Iterator[Difference]:
        """What is wrong with an outcome of this call."""
        driven = self.driver is not None
        return faults(self.expected, outcome, self.tolerance, self.names, driven=driven)


def are_yes_or_no(cases: Sequence[Case]) -> bool:
    """Whether all that is expected is True or False."""
    return all(type(case.expected.value) is bool for case in cases)


def is_mistaken(outcome: Outcome, case: Case) -> bool:
    """Whether an outcome is not what is expected of a case."""
    return any(True for _ in case.faults(outcome))


def in_other_ways(
    cases: Sequence[Case],
    reference: Callable[..., object],
    left_out: Collection[str],
    use: Callable[..., object] | None,
) -> Iterator[Case]:
    """The first of some calls that can be made in each of `WAYS`, made so.

    Of calls that differ in a switch or a choice, such as `causal`, or in the number of axes, the
    first of each: they may lead through different lines. Around a driver one is enough. `left_out`
    are the aspects that an exam does not ask for, and `use` is its driver, if that does more than
    watch.
    """
    for way, what in WAYS.items():
        seen = set[tuple[object, ...]]()
        is_asked = what.about not in left_out and (what.around or what.of is use)
        preferred = sorted(
            cases if is_asked else (), key=lambda one: -what.prefers(one.arguments.values())
        )
        for case in preferred:
            given = case.arguments.values()
            axes = (getattr(one, "ndim", None) for one in given)
            choice = () if what.around else (*map(_choice, given), *axes)
            if choice not in seen and (asked := _in_another_way(case, way, reference)):
                seen.add(choice)
                yield asked


def with_other_values(cases: Sequence[Case], reference: Callable[..., object]) -> Iterator[Case]:
    """Those of some calls that are not printed, with another value in the place of each argument,
    one at a time: what an answer keeps of a call, by some of its arguments, is wrong there.

    Of calls that differ in a switch or a choice, the first of each.
    """
    exchanged = set[tuple[object, ...]]()
    for case in cases:
        choice = tuple(map(_choice, case.arguments.values()))
        for name, value in case.arguments.items() if not case.printed else ():
            other = another_like(value) if (name, *choice) not in exchanged else None
            if other is not None and (asked := _exchanged(case, name, other, reference)):
                exchanged.add((name, *choice))
                yield asked


def _choice(argument: object) -> object:
    """What of an argument is a choice between ways through a function."""
    return argument if argument is None or isinstance(argument, bool | str) else ...


def _in_another_way(case: Case, way: str, reference: Callable[..., object]) -> Case | None:
    """The same call, made so; None where that says nothing of a right answer."""
    what, given = WAYS[way], case.arguments.values()
    if case.expected.raised or not what.is_for(given):
        return None
    # Of a module more is asked, where an exam says what it begins with.
    if what.around and (case.use is None or hasattr(reference, "forward")):
        return None
    # To a function that an answer in another process calls back, numbers come one after the other.
    functions = [*filter(is_function, given)]
    can_go = what.around or (what.with_functions and all(map(can_be_imported, functions)))
    if functions and not can_go:
        return None
    if case.printed and not what.printed:
        return None
    asked = replace(
        case,
        label=f"{case.label}, {what.words}",
        lookalikes={},
        properties={},
        here=what.here,
        way=way,
    )
    expected = expected_of(reference, asked.arguments, asked.driver)
    if expected.raised or not what.tells(expected.value):
        return None
    if what.changes_nothing and is_mistaken(expected, case):
        return None
    return _as_precise(replace(asked, expected=expected), reference)


def expected_of(
    reference: Property, arguments: Mapping[str, object], use: Property | None
) -> Outcome:
    """What a right answer does; MemoryError where there is too little memory to find out."""
    expected = observe(reference, arguments, use)
    if expected.raised and expected.raised.is_out_of_memory:
        raise MemoryError(f"there is too little memory for the reference of {reference.__name__}")
    return expected


def _exchanged(case: Case, name: str, other: object, reference: Property) -> Case | None:
    """A case with another value of one argument; None where that says nothing more."""
    if case.expected.raised or type(case.expected.value) is bool:
        return None
    label, here = f"{case.label}{WITH_ANOTHER}`{name}`", case.use is not None
    given = {**case.arguments, name: other}
    asked = replace(case, label=label, arguments=given, lookalikes={}, properties={}, here=here)
    expected = expected_of(reference, asked.arguments, asked.driver)
    if expected.raised or not layouts.is_finite(expected.value) or not is_mistaken(expected, case):
        return None
    return _as_precise(replace(asked, expected=expected), reference)


def _as_precise(case: Case, reference: Property) -> Case:
    """A call that was made of another one, with a tolerance of its own.

    Other values, another mode or the gradients may need more than the first one did.
    """
    tolerance = printed(case.tolerance, case.arguments, case.expected.value, case.names)
    # The noise is measured in each dtype: which one this is in is not at hand.
    return with_noise({"": replace(case, tolerance=tolerance)}, case.arguments, reference)[0]


def with_single_entry(
    axis: str, dtype: str, case: Case, arguments: Mapping[str, object], reference: Property
) -> list[Case]:
    """A case that has one entry along an axis, if it says anything of a right answer.

    `squeeze` takes such an axis away, wherever it comes from. A driver is at work here: elsewhere
    it would say what that process has it say.
    """
    expected = case.expected
    if expected.raised or type(expected.value) is bool or not layouts.is_finite(expected.value):
        return []
    label = f"{case.label}, with {axis} = 1"
    here = case.use is not None
    alone = replace(case, label=label, lookalikes={}, group="single", printed=False, here=here)
    return with_noise({dtype: alone}, arguments, reference)


def with_noise(
    cases: Mapping[str, Case], arguments: Mapping[str, object], reference: Callable[..., object]
) -> list[Case]:
    """The cases of one call, with a tolerance as wide as single precision needs there.

    Args:
        cases: by the dtype to which its floating-point arguments were cast.
        arguments: as they were drawn.
        reference: the right answer.
    """
    if not any(map(has_floating, arguments.values())):
        return [*cases.values()]

    def value_in(dtype: str) -> object:
        if dtype in cases:
            return cases[dtype].expected.value
        rounded = {name: cast_all(value, dtype) for name, value in arguments.items()}
        return expected_of(reference, rounded, next(iter(cases.values())).driver).value

    single, double = value_in(SINGLE), value_in(DOUBLE)
    twins = {
        dtype: case.lookalikes
        for dtype, other in ((SINGLE, DOUBLE), (DOUBLE, SINGLE))
        if (case := cases.get(other))
    }
    return [
        replace(
            case,
            tolerance=widened(case.tolerance, single, double, case.names),
            twins=twins.get(dtype, {}),
        )
        for dtype, case in cases.items()
    ]
