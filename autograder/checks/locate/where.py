"""A report with the places to look at: searched here or, if a grader asks, where the answer is."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from autograder.checks.exam.case import Case
from autograder.checks.exam.observation import MORE_TO_MEND
from autograder.checks.exam.report import Report, Verdict
from autograder.checks.exam.two_slips import praises, without_praise
from autograder.checks.locate.cases_as_json import written
from autograder.checks.locate.search import FoundPlace, search
from autograder.checks.values.compare import is_telling
from autograder.errors import ExamError

_IN_THE_SANDBOX = "autograder.checks.locate.in_sandbox"
_MOST_TEXT = 1 << 20
_MOST_PLACES = 4
_MOST_CLAIMED = 1 << 15
# So many misconceptions are told apart on all examples; each takes a second of a large module.
_MOST_LEFT = 4

# Runs a cell in the student's process, and gives its outputs.
Run = Callable[[str], Sequence[Any]]

# What `ast.unparse` may write otherwise than an author did.
_PLAIN = str.maketrans("", "", " \t\n()'\"")


@dataclass(frozen=True)
class _There:
    """Where answers are, and the cells in which they were handed in."""

    run: Run
    cells: Sequence[str]

    def as_written(self, found: FoundPlace) -> FoundPlace:
        """A place that is claimed, of which nothing is quoted but what begins in that line.

        A process that knows hidden inputs could tell its author of them, by what it chooses.

        Raises:
            ValueError: for a line that no cell has.
        """
        texts = [cell.splitlines()[found.line - 1 :] for cell in self.cells]
        here = [text for text in texts if text and text[0].strip() == found.text]
        if not here:
            raise ValueError("no cell has this line")
        quoted = found.quoted.translate(_PLAIN)
        is_there = any(_begins_in(text, quoted) for text in here)
        return found if is_there else replace(found, quoted="")


def _begins_in(lines: Sequence[str], quoted: str) -> bool:
    """Whether something begins in the first of these lines, and may end in a later one."""
    first, *_ = plain = [line.translate(_PLAIN) for line in lines]
    return 0 <= "".join(plain).find(quoted) < max(1, len(first))


_there: ContextVar[_There | None] = ContextVar("there", default=None)


@contextmanager
def searching_in(run: Run, cells: Sequence[str]) -> Iterator[None]:
    """Have answers, handed in with these cells, searched by cells that `run` runs."""
    token = _there.set(_There(run, cells))
    try:
        yield
    finally:
        _there.reset(token)


def with_places(
    report: Report,
    answer: Callable[..., Any],
    cases: Sequence[Case],
    hints: Mapping[str, str] = MappingProxyType({}),
) -> Report:
    """The report, with the places to look at if no hint explains what is wrong.

    Where a misconception is left after one change, its hint stands above the place, and so do two
    where each is left after a change in the other's line. Where expected numbers are for the
    learner to find, a place would be one of them.
    """
    wrong = report.verdict in (Verdict.WRONG, Verdict.EXCEPTION)
    if not wrong or report.misconception or not all(case.reveal for case in cases):
        return report
    if report.hint or not hints:
        cases = [replace(case, lookalikes={}) for case in cases]
    there = _there.get()
    found = _asked(there, report, cases) if there else search(answer, cases)
    # Once a change has mended a result, a hint may praise it, and it is wrong as it stands.
    hints = {name: without_praise(hint) for name, hint in hints.items()}
    found = [one for one in found if not any(praises(hints[name]) for name in one.besides)]
    if two := _two(found):
        said = " And then: ".join(hints[one.besides[0]] for one in two)
        places = tuple(one.place(both=True) for one in two)
        # What a hint says may be true only where the other mistake is mended.
        hint = f"Perhaps two things differ. Once either is mended, the other is left. {said}"
        return replace(report, hint=hint, nearest="", places=places)
    besides = found[0].besides if found else ()
    if MORE_TO_MEND in report.hint and found and not besides and not found[0].half:
        # One change mends all: the hint is true of the sizes of these examples alone.
        report = replace(report, hint="")
    if besides:
        # One mistake that nobody knows can look like two that somebody does.
        hint = f"Perhaps two things differ. Once one is mended, this is left. {hints[besides[0]]}"
        report = replace(report, hint=hint, nearest="")
    alike = (one.place() for one in found if one.besides == besides)
    return replace(report, places=tuple(alike))


def _two(found: Sequence[FoundPlace]) -> Sequence[FoundPlace]:
    """Two places, each of which leaves the mistake that is in the other; none if there are more."""
    left = [*{one.besides: one for one in reversed(found) if one.besides}.values()]
    return left if len(left) == 2 and left[0].line != left[1].line else ()


def _asked(there: _There, report: Report, cases: Sequence[Case]) -> list[FoundPlace]:
    """What the student's process claims to have found; nothing where it claims what can't be.

    What all misconceptions do takes minutes to find out, but on one example, and mostly the judge
    has. On the others it is found out of those that may be left after a change, and these are
    searched for again.
    """
    failed = [case for case in cases if case.label not in report.passed and not case.way]
    first = next((case for case in failed if is_telling(case.expected.value)), None)
    told = [case if case is first else replace(case, lookalikes={}) for case in cases]
    found = _claimed(there, report.exercise, told)
    if names := [*dict.fromkeys(name for one in found for name in one.besides)][:_MOST_LEFT]:
        found = _claimed(there, report.exercise, [_with(names, case) for case in cases])
    return found


def _with(names: Collection[str], case: Case) -> Case:
    """The case, of which no other misconceptions are told."""
    lookalikes = {name: run for name, run in case.lookalikes.items() if name in names}
    return replace(case, lookalikes=lookalikes)


def _claimed(there: _There, exercise: str, cases: Sequence[Case]) -> list[FoundPlace]:
    try:
        text = json.dumps(written(cases))
    except ExamError:
        # An example that can't be written down can't be tried there.
        return []
    if len(text) > _MOST_TEXT:
        return []
    module = f"__import__({_IN_THE_SANDBOX!r}, fromlist=['tell'])"
    outputs = there.run(f"{module}.tell({exercise!r}, {text!r})")
    known = {name for case in cases for name in case.lookalikes}
    try:
        (output,) = outputs
        if len(claim := output["text"]) > _MOST_CLAIMED:
            raise ValueError("no search tells as much")
        found = [_found(**one) for one in json.loads(claim)[:_MOST_PLACES]]
        for one in found:
            one.place()
            if not known.issuperset(one.besides):
                raise ValueError("no misconception is called so")
        # Each line once: how often one is named could tell of something, too.
        firsts = {one.line: one for one in reversed(found)}
        found = [there.as_written(one) for one in found if firsts[one.line] is one]
    except (TypeError, ValueError, KeyError, IndexError, RecursionError):
        return []
    return found


def _found(
    line: object,
    text: object,
    family: object,
    quoted: object,
    besides: object,
    half: object = False,
) -> FoundPlace:
    match line, text, family, quoted, besides, half:
        case int(), str(), int(), str(), list(), bool() if bool not in (
            type(line),
            type(family),
        ) and all(type(name) is str for name in besides):
            return FoundPlace(line, text, family, quoted, tuple(besides), half)
    raise TypeError("no place is like this")
