"""The vocabulary in which an exam is written.

An exam belongs to one exercise, that is, to one function or class of the reference. It says on what
it is called, what must hold of its answers, which wrong answers are known and what to tell whoever
gives one. Everything else is derived: the learner's check, the hidden tests, the hints and the
tests of the tests.

    scores = Exam(reference.attention_scores)

    @scores.example
    def shiny():
        "shiny" asks "Hello shiny sun!"
        return SHINY, HELLO_SHINY_SUN

    @scores.case
    def random_words(draw):
        "words drawn at random"
        return draw("d_in"), draw("tokens d_in")

    @scores.misconception
    def not_added_up(query, inputs):
        "These are the products before they are added up."
        return query * inputs

(The sentences are docstrings.) `docs/authoring.md` explains each word.
"""

import inspect
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

from autograder.checks.exam.arguments import input_names
from autograder.checks.exam.case import (
    Case,
    Property,
    are_yes_or_no,
    expected_of,
    in_other_ways,
    with_noise,
    with_other_values,
    with_single_entry,
)
from autograder.checks.exam.declared import (
    refuse_many,
    refuse_slips,
    refuse_strangers,
    refuse_unnamed,
    sentence_of,
)
from autograder.checks.exam.draw import DEFAULT_SEED, Draw, Drawn, single_entries
from autograder.checks.exam.judge import judge
from autograder.checks.exam.report import Report
from autograder.checks.exam.rules import broken, watched
from autograder.checks.exam.trials import (
    OTHER_FUNCTIONS,
    drawn_trial,
    in_an_order_of_its_own,
    printed_trial,
    told_coarsely,
)
from autograder.checks.source.axes import axes_of
from autograder.checks.values.compare import Tolerance
from autograder.checks.values.outcome import Outcome, observe
from autograder.checks.values.precision import TOLERANCES, printed
from autograder.checks.values.rounding import without_dust
from autograder.checks.values.tensors import cast_all, has_floating
from autograder.errors import ExamError

Function = TypeVar("Function", bound=Callable[..., object])
Properties = Mapping[str, Property]


class Exam:
    """How one exercise is examined.

    Args:
        reference: the right answer; the exercise has its name.
        returns: the words for the parts of a tuple that it returns.
        tolerance: how far numbers may be off; by default what their dtype allows.
        reveal: whether a learner is shown the expected numbers of a worksheet.
        dtypes: to each of these, a case's floating-point arrays and tensors are cast in turn.
        use: the driver, for an exercise that is not simply called: a function
            `use(answer, *arguments)` that makes a value of an answer, such as a class, and a case's
            arguments. These have the names of its parameters. Learners must be able to import it.
        forbids: names that an answer must not use, where a learner is to write it themselves:
            `("scaled_dot_product_attention",)`. An exercise of such a name may call itself.
        allows: names of library functions that may be the whole answer, each with the reason.
        places: whether an answer that no hint explains is searched for the line to look at.
        unasked: those of `ASPECTS` that the engine would ask for, and why nobody needs them here.
        about: those of `ASPECTS` that the exercise is about: wrong, they cost all points.

    Raises:
        ExamError: for an option that can't be, such as a dtype that is given no tolerance.
    """

    def __init__(
        self,
        reference: Callable[..., object],
        *,
        returns: Sequence[str] = (),
        tolerance: Tolerance | None = None,
        reveal: bool = True,
        dtypes: Sequence[str] = ("float64", "float32"),
        use: Callable[..., object] | None = None,
        forbids: Sequence[str] = (),
        allows: Mapping[str, str] | None = None,
        places: bool = True,
        unasked: Mapping[str, str] | None = None,
        about: Collection[str] = (),
    ) -> None:
        self.reference, self.use = reference, use
        self.name: str = reference.__name__
        several = {"returns": returns, "dtypes": dtypes, "forbids": forbids, "about": about}
        reasons = {"allows": allows or {}, "unasked": unasked or {}}
        refuse_slips(self.name, several, reasons, tolerance)
        self.forbids, self.allows, self.places = tuple(forbids), dict(allows or {}), places
        self.parameters = tuple(inspect.signature(use or reference).parameters)[bool(use) :]
        self.returns, self.about, self.unasked = tuple(returns), tuple(about), dict(unasked or {})
        self.axes = {} if use and not isinstance(reference, type) else axes_of(reference, returns)
        self.inputs = input_names(use, reference)
        self.misconceptions: dict[str, Callable[..., object]] = {}
        self.accepted: dict[str, Callable[..., object]] = {}
        caller = sys._getframe(1)
        self.where = (Path(caller.f_code.co_filename), caller.f_lineno)
        self._tolerance, self._reveal, self._tries_functions = tolerance, reveal, False
        self._dtypes = self._with_tolerance(dtypes)
        self._examples: list[Callable[[], object]] = []
        self._cases: list[tuple[Drawn, int, bool]] = []
        self._asked_in: dict[Drawn, Sequence[str]] = {}
        self._properties: dict[str, Property] = {}
        self._groups: dict[Callable[..., object], str] = {}
        self._made: dict[int | None, list[Case]] = {}

    def example(self, arguments: Callable[[], object]) -> Callable[[], object]:
        """Declare a printed example: shipped to learners with the numbers that come out of it."""
        sentence_of(arguments)
        self._made.clear()
        self._examples.append(arguments)
        return arguments

    def case(
        self, arguments: Drawn | None = None, *,
        times: int = 3, dtypes: Sequence[str] = (), hints: bool = True,
    ) -> Callable[..., Any]:  # fmt: skip
        """Declare a hidden case, drawn `times` times, and asked in all dtypes or in these.

        Without `hints`, no misconception is asked, where each would take long or much memory.
        """

        def declare(function: Drawn) -> Drawn:
            sentence_of(function)
            self._made.clear()
            self._cases.append((function, times, hints))
            self._asked_in[function] = asked
            return function

        asked = self._with_tolerance(dtypes) or self._dtypes
        return declare if arguments is None else declare(arguments)

    def _with_tolerance(self, dtypes: Sequence[str]) -> tuple[str, ...]:
        missing = [] if self._tolerance else [one for one in dtypes if one not in TOLERANCES]
        if missing:
            raise ExamError(f"the exam of {self.name} needs a tolerance for {missing[0]}")
        return tuple(dtypes)

    def half_but_for(self, what: str, *cases: Callable[..., object]) -> None:
        """Declare examples and cases but for which an answer that is right earns half.

        `what` they have in common is what a card calls it behind "right but for".
        """
        refuse_strangers(self.name, what, cases, self._examples, self._asked_in)
        self._made.clear()
        self._groups |= dict.fromkeys(cases, what)

    def tries(
        self,
        specimens: Iterable[Callable[..., object]],
        arguments: object,
        *,
        on: str = "",
        times: int = 3,
    ) -> None:
        """Declare trials, for an exercise in which the learner writes a test of functions.

        Args:
            specimens: functions that the test has to pass or to refuse. Each is the first argument
                of a trial of its own.
            arguments: those that follow it. If they are given, each trial is a printed example, and
                has the specimen's name. If they are drawn, by a function of a `draw`, each is a
                hidden case, and has the specimen's docstring up to the colon.
            on: what the specimens are tried on, where that tells one trial from another.
            times: how often each hidden case is drawn.
        """
        self._tries_functions = True
        for specimen in specimens:
            if callable(arguments):
                trial = drawn_trial(specimen, sentence_of(specimen), arguments, on)
                self.case(trial, times=times)
            else:
                self.example(printed_trial(specimen, arguments, on))

    def holds(self, statement: Property) -> Property:
        """Declare what holds of every right answer, called with it and a case's arguments."""
        sentence = sentence_of(statement)
        if sentence in self._properties:
            raise ExamError(f"the exam of {self.name} declares twice what holds: {sentence}")
        self._made.clear()
        self._properties[sentence] = statement
        return statement

    def misconception(self, wrong: Function) -> Function:
        """Declare a known wrong answer; its docstring is the hint for whoever gives it."""
        sentence_of(wrong)
        self._refuse_doubled(wrong.__name__)
        self._made.clear()
        self.misconceptions[wrong.__name__] = wrong
        return wrong

    def accepts(self, right: Function) -> Function:
        """Declare a right answer in another style; the tests see that it passes."""
        self._refuse_doubled(right.__name__)
        self.accepted[right.__name__] = right
        return right

    @property
    def hints(self) -> dict[str, str]:
        """Each misconception's sentence, by its name."""
        return {name: sentence_of(wrong) for name, wrong in self.misconceptions.items()}

    @property
    def drawn(self) -> list[tuple[str, int]]:
        """What hidden cases try, in words, and how often each is drawn."""
        return [(sentence_of(function), times) for function, times, _ in self._cases]

    @property
    def halves(self) -> dict[str, list[str]]:
        """The cases that may be wrong for half of the points, in words, by what they share."""
        return {
            what: [sentence_of(case) for case, its in self._groups.items() if its == what]
            for what in self._groups.values()
        }

    @property
    def untried(self) -> list[str]:
        """What hidden cases try beyond the printed examples, in words that learners may read.

        Of specimens the words would tell what a learner's test has to find out by itself.
        """
        drawn = [OTHER_FUNCTIONS] if self._tries_functions else [words for words, _ in self.drawn]
        return list(dict.fromkeys(drawn))

    def printed_cases(self) -> list[Case]:
        """The printed examples, in every dtype: what a learner's check runs on."""
        drawn = [(example, without_dust(example())) for example in self._examples]
        cases = [case for example, values in drawn for case in self._typed(example, values)]
        return [*cases, *self._in_other_ways(cases)]

    @property
    def printed(self) -> list[Case]:
        """The same, made once: what the misconceptions do on them is remembered."""
        return self._once(None)

    def hidden_cases(self, seed: int = DEFAULT_SEED) -> list[Case]:
        """The printed examples and all that is drawn: the same seed gives the same cases."""
        return self._in_grading(self.printed_cases(), seed)

    def _in_grading(self, printed: list[Case], seed: int) -> list[Case]:
        """The hidden cases; of each kind one is driven here, which costs time, and has to hold."""
        if self._cases:
            drawn = list(self._drawn_cases(seed))
            return [*printed, *drawn, *self._in_other_ways(drawn), *self._single_entries(seed)]
        return [replace(case, here=case.here or self.use is not None) for case in printed]

    def _in_other_ways(self, cases: Sequence[Case]) -> Iterator[Case]:
        # A driver with the parameters of the answer does but watch it.
        watched = self.parameters == (*inspect.signature(self.reference).parameters,)
        use = None if watched and not isinstance(self.reference, type) else self.use
        yield from in_other_ways(cases, self.reference, self.unasked, use)
        yield from with_other_values(cases, self.reference)

    def _drawn_cases(self, seed: int) -> Iterator[Case]:
        for place, (function, times, hints) in enumerate(self._cases):
            for turn in range(times):
                values = function(Draw((seed, place, turn)))
                here = self.use is not None and turn == 0
                holding = self._properties if here or not self.use else {}
                cases = self._typed(function, values, holding)
                typed = dict(zip(self._asked_in[function], cases, strict=False))
                # In each dtype: what differs in one alone would be the driver's word there.
                noisy = with_noise(typed, self._bind(values), self.reference)
                noisy = noisy if hints else [replace(one, lookalikes={}) for one in noisy]
                yield from (replace(one, here=here) for one in noisy)

    def _single_entries(self, seed: int) -> Iterator[Case]:
        cases = [] if "single" in self.unasked or self._tries_functions else self._asked_in
        for axis, function, values in single_entries(cases, self._groups, seed):
            case, dtype = self._typed(function, values, {})[0], self._asked_in[function][0]
            yield from with_single_entry(axis, dtype, case, self._bind(values), self.reference)

    def examine(self, answer: object, seed: int = DEFAULT_SEED) -> Report:
        """Examine an answer on all cases."""
        return self._judge(answer, seed)

    def preview(self, answer: object) -> Report:
        """Examine an answer as the learner's own check does, on the printed examples alone."""
        return self._judge(answer, None)

    def _judge(self, answer: object, seed: int | None) -> Report:
        if rule := broken(self.name, answer, self.forbids):
            return rule
        known = (name for name, wrong in self.misconceptions.items() if wrong is answer)
        cases = self._once(seed)
        coarsely = seed is not None and are_yes_or_no(cases)
        if seed is not None and coarsely:
            cases = in_an_order_of_its_own(cases, seed)
        with watched(self.name, self.forbids) as seen:
            judged = partial(judge, self.name, answer, hints=self.hints, known=next(known, ""))
            report = judged(cases, about=self.about)
            if coarsely:
                report = told_coarsely(report, cases, lambda: judged(self.printed))
            return seen() or report

    def _once(self, seed: int | None) -> list[Case]:
        """The hidden cases of a seed, or the printed ones, made once for many answers in a row:
        they remember what the misconceptions do, which takes most of the time.
        """
        if seed not in self._made:
            # One seed at a time: cases hold all the numbers of all misconceptions.
            self._made = {key: cases for key, cases in self._made.items() if None in (key, seed)}
            self._made[seed] = (
                self.printed_cases() if seed is None else self._in_grading(self.printed, seed)
            )
        return self._made[seed]

    def _typed(
        self, declared: Callable[..., object], values: object, properties: Properties | None = None
    ) -> list[Case]:
        label, group = sentence_of(declared), self._groups.get(declared, "")
        arguments = self._bind(values)
        dtypes = self._asked_in.get(declared, self._dtypes)
        dtypes = dtypes if any(map(has_floating, arguments.values())) else dtypes[:1]
        return [
            self._case(label if dtype == self._dtypes[0] else f"{label}, in {dtype}",
                       {name: cast_all(value, dtype) for name, value in arguments.items()},
                       self._tolerance or TOLERANCES[dtype], properties, group)
            for dtype in dtypes
        ]  # fmt: skip

    def _case(
        self,
        label: str,
        arguments: Mapping[str, object],
        tolerance: Tolerance,
        properties: Properties | None,
        group: str,
    ) -> Case:
        @cache
        def mistaken(name: str) -> Outcome:
            return observe(self.misconceptions[name], arguments, self.use)

        expected = expected_of(self.reference, arguments, self.use)
        refuse_unnamed(self.name, self.returns, expected.value)
        return Case(
            label,
            arguments,
            expected,
            printed(tolerance, arguments, expected.value, self.returns),
            {name: partial(mistaken, name) for name in self.misconceptions},
            self.returns,
            properties or {},
            self._reveal,
            self.use,
            group,
            printed=properties is None,
            axes=self.axes,
            inputs=self.inputs,
        )

    def _bind(self, values: object) -> dict[str, object]:
        given = values if isinstance(values, tuple) else (values,)
        refuse_many(self.name, given, self.use, self.parameters)
        return dict(zip(self.parameters, given, strict=False))

    def _refuse_doubled(self, name: str) -> None:
        if name in self.misconceptions or name in self.accepted:
            raise ExamError(f"the exam of {self.name} declares {name} twice")


def exams_of(module: ModuleType) -> dict[str, Exam]:
    """The exams that a module declares, by the name of their exercise, in its order."""
    found: dict[str, Exam] = {}
    for value in vars(module).values():
        if isinstance(value, Exam) and found.setdefault(value.name, value) is not value:
            raise ExamError(f"{module.__name__} declares two exams for {value.name}")
    return found
