"""The search for the place: change after change, until one makes every printed example right.

Where none does, one may leave what a known misconception does, on every example: then perhaps two
things are wrong, that misconception and what was changed. Where no single one does either, two of
the nearest changes are tried together, as long as there is time.

It is bounded in the number of changes, in processor time and, for an answer that waits, by the
clock; `trials` bounds each change.
"""

import ast
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, islice
from typing import Any, TypeAlias

import numpy as np

from autograder.checks.drivers.memory import memory_limit
from autograder.checks.exam.case import Case, is_mistaken
from autograder.checks.exam.report import Place
from autograder.checks.locate.calls import RIGHT
from autograder.checks.locate.changing import Blame, Change, Changes, changes_of, near_changes
from autograder.checks.locate.clock import TooLong, processor_time
from autograder.checks.locate.families.change import MOST_QUOTED, Family, StatementFamily, in_words
from autograder.checks.locate.families.table import FAMILIES, TAKING_AWAY
from autograder.checks.locate.places import slots_of
from autograder.checks.locate.seen import Kinds, watching
from autograder.checks.locate.source import MOST_LINES, AnswerSource, source_of
from autograder.checks.locate.trials import Trials
from autograder.checks.values.compare import TELLING, TOLD, is_telling, numbers_in_parts
from autograder.checks.values.outcome import Outcome, quiet
from autograder.checks.values.tensors import one_torch_thread

SECONDS = 0.75
SECONDS_FOR_TWO = 0.25
# So much longer by the clock: a busy machine has the others' turns in between.
_PATIENCE = 4
_MOST_CHANGES = 10_000
# Beyond what there is, while changes are tried.
_MOST_MEMORY = 1 << 29
_MOST_PLACES = 4
_MOST_TEXT = 120
# The share of a mistake's numbers that another one may set right.
_BY_CHANCE = 1 / 3
_LINE = re.compile(r"line (\d+):")

# By part, which entries are wrong and which are no number; None where all of them are wrong.
_Entries: TypeAlias = Mapping[str, tuple[np.ndarray, np.ndarray] | None]


@dataclass(frozen=True)
class FoundPlace:
    """A line at which a change of a family makes every example right, as plain data.

    Or it leaves what some misconception does, one of those `besides`, or is `half` of two changes.
    """

    line: int
    text: str
    family: int
    quoted: str
    besides: tuple[str, ...] = ()
    half: bool = False

    def place(self, *, both: bool = False) -> Place:
        """The same in words; `both` of two mistakes are named where what this leaves is one.

        Raises:
            ValueError: for what no search can have found.
        """
        family = FAMILIES[self.family]
        is_quoted = len(self.quoted) <= MOST_QUOTED and "`" not in self.quoted
        if not (0 < self.line <= MOST_LINES and self.family >= 0 and is_quoted):
            raise ValueError("no place is like this")
        text = _printable(self.text[:_MOST_TEXT])
        more = in_words(family, _printable(self.quoted))
        alone = not self.besides
        return Place(self.line, text, family.about, more, alone=alone, both=both, half=self.half)


@dataclass(frozen=True)
class _Left:
    """A place at which a change leaves a mistake, and which change that is."""

    place: FoundPlace
    turn: int
    change: Change


def search(
    answer: Callable[..., Any],
    cases: Sequence[Case],
    *,
    seconds: float = SECONDS,
    most: int = _MOST_CHANGES,
) -> list[FoundPlace]:
    """Where in an answer's source one small change makes all cases right, or leaves one mistake.

    Args:
        answer: a function or class as defined in a notebook.
        cases: what it is tried on; it is wrong on some.
        seconds: the processor time that this may take.
        most: how many changes are tried.

    Returns:
        The lines, each once, that of the nearest change first; none where none was found. Only
        where none makes all right are there those that leave a mistake, or else of two changes.
    """
    source = source_of(answer)
    if source is None:
        return []
    started, last = processor_time(), time.monotonic() + _PATIENCE * seconds
    end = started + seconds

    def is_over() -> bool:
        return processor_time() > end or time.monotonic() > last

    outcomes, costs, ran, now = [], [], [], started
    kinds: Kinds = {}
    with one_torch_thread():
        for case in cases:
            try:
                with watching(source.file, kinds, end) as lines:
                    outcomes.append(case.observe(answer))
            except TooLong:
                return []
            ran.append(lines)
            before, now = now, processor_time()
            costs.append(now - before)
            raised = outcomes[-1].raised
            if is_over() or (raised and raised.is_out_of_memory):
                # It is too slow to be tried again and again, or would fill what memory there is.
                return []
    wrong = [is_mistaken(one, case) for one, case in zip(outcomes, cases, strict=True)]
    if not any(wrong):
        return []
    # What tells most changes from a right answer, and soonest. No place depends on this order.
    order = sorted(range(len(cases)), key=lambda n: (not wrong[n], costs[n]))
    known = _known(cases, outcomes)
    trials = Trials(source, [cases[n] for n in order], [costs[n] for n in order], known)
    found: dict[int, FoundPlace] = {}
    besides: dict[tuple[object, ...], _Left] = {}
    to_blame = Blame(
        [one for one, is_wrong in zip(ran, wrong, strict=True) if is_wrong],
        [one for one, is_wrong in zip(ran, wrong, strict=True) if not is_wrong],
    )
    used = source.used()
    first = _stopped_at(outcomes[wrong.index(True)])
    makes = partial(changes_of, source, kinds, to_blame, first)
    changes = makes()
    # What they print, and warn of, would be about what the learner has not written; and a change
    # may ask for far more memory than the answer does.
    with one_torch_thread(), quiet(), memory_limit(_MOST_MEMORY) as is_bounded:
        for turn, (node, family) in enumerate(changes):
            if turn >= most or is_over() or len(found) >= _MOST_PLACES:
                break
            line = node.lineno
            if line in found or not (explaining := trials.explaining(end)):
                continue
            place = _place(source, node, family)
            if RIGHT in explaining:
                found[line] = place
                # Another place that would do is looked for as long again.
                end = min(end, 2 * processor_time() - started)
            elif family not in TAKING_AWAY and used <= source.used():
                names = tuple(name for name in known if name in explaining)
                place = replace(place, besides=names)
                besides.setdefault((line, names), _Left(place, turn, (node, family)))
        changes.close()
        end = processor_time() + SECONDS_FOR_TWO
        last = time.monotonic() + _PATIENCE * SECONDS_FOR_TWO
        is_right = partial(trials.is_right, end)
        left = [*besides.values()][:_MOST_PLACES]
        if not found and len({one.place.besides for one in left}) > 1:
            left = _both_of(left, makes, is_right, is_over)
        # Two changes may ask for more still: where no kernel refuses it, none are tried.
        is_asked = is_bounded and not found and not left
        if is_asked and _are_telling([case.expected.value for case in cases]):
            near = partial(near_changes, source, slots_of(source, kinds), to_blame)
            return _pair(source, near, is_right, is_over)
    return [*found.values()] or [one.place for one in left]


def _place(
    source: AnswerSource, node: ast.expr | ast.stmt, family: Family | StatementFamily
) -> FoundPlace:
    line = node.lineno
    return FoundPlace(line, source.text(line), FAMILIES.index(family), family.quoted(node))


def _both_of(
    left: Sequence[_Left],
    changes: Callable[[], Changes],
    is_right: Callable[[], bool],
    is_over: Callable[[], bool],
) -> list[_Left]:
    """Two that leave each other's mistake: with both changes, all cases are right.

    Else a change has made a mistake of its own, and nobody knows which. None are left then.
    """
    for one, other in combinations(left, 2):
        if one.place.besides == other.place.besides:
            continue
        with closing(changes()) as first, closing(changes()) as second:
            next(islice(first, one.turn, None))
            for node, family in second:
                if is_over():
                    return []
                if node is other.change[0] and family is other.change[1] and is_right():
                    return [one, other]
    return []


def _pair(
    source: AnswerSource,
    changes: Callable[[], Changes],
    is_right: Callable[[], bool],
    is_over: Callable[[], bool],
) -> list[FoundPlace]:
    """The lines of two changes that make all cases right together, each once."""
    for turn, one in enumerate(changes()):
        for other in islice(changes(), turn + 1, None):
            if is_over():
                return []
            if is_right():
                both = (replace(_place(source, *change), half=True) for change in (one, other))
                lines = {place.line: place for place in both}
                return [lines[line] for line in sorted(lines)]
    return []


def _known(cases: Sequence[Case], outcomes: Sequence[Outcome]) -> list[str]:
    """What may explain a changed answer: nothing that is wrong, or a misconception.

    One that comes to little is not among them: to yes or no, an exception or a table of NaN, many
    changes lead. Nor is one that gets wrong what the answer itself has right: it is no part of the
    answer, and the change has made it.
    """
    expected = [_told_of(case.expected.value, case) for case in cases]

    def wrong_in(value: object, n: int) -> _Entries:
        return _wrong_entries(value, expected[n], cases[n])

    wrong = [wrong_in(one.value, n) for n, one in enumerate(outcomes)]

    def may_be_there(name: str) -> bool:
        asked = [n for n, case in enumerate(cases) if name in case.lookalikes]
        its = (wrong_in(cases[n].lookalikes[name]().value, n) for n in asked)
        return all(_are_among(one, wrong[n]) for n, one in zip(asked, its, strict=True))

    names = dict.fromkeys(name for case in cases for name in case.lookalikes)
    told = (name for name in names if any(_is_telling(name, case) for case in cases))
    return [RIGHT, *filter(may_be_there, told)]


def _told_of(value: object, case: Case) -> dict[str, np.ndarray]:
    """The numbers of a value, part by part."""
    return dict(numbers_in_parts(value, case.names, kinds=TOLD))


def _wrong_entries(value: object, wanted: Mapping[str, np.ndarray], case: Case) -> _Entries:
    """Which entries of a value are not as wanted."""
    # An answer's value can be anything, and refuse to be looked at.
    try:
        found = _told_of(value, case)
    except Exception:
        found = {}
    wrong: dict[str, tuple[np.ndarray, np.ndarray] | None] = {}
    for part, expected in wanted.items():
        there = found.get(part)
        # Numbers of another kind, as of another dtype, are right or wrong all the same.
        kinds = set() if there is None else {there.dtype.kind, expected.dtype.kind}
        if there is None or there.shape != expected.shape or ("U" in kinds and len(kinds) > 1):
            wrong[part] = None
        else:
            allowed = case.tolerance.of(part).allows(expected, there)
            wrong[part] = ~allowed, there != there
    return wrong


def _are_among(some: _Entries, others: _Entries) -> bool:
    """Whether nearly all that is wrong in one value is so in another, and what is no number too."""
    for part, one in some.items():
        other = others[part]
        if other is None:
            continue
        if one is None:
            return False
        (wrong, no_number), (there_too, none_there) = one, other
        right = int((wrong & ~there_too).sum())
        if right > _BY_CHANCE * wrong.sum() or (no_number & ~none_there).any():
            return False
    return True


def _is_telling(name: str, case: Case) -> bool:
    return case.shows(name) and is_telling(case.lookalikes[name]().value)


def _are_telling(values: Sequence[object]) -> bool:
    """Whether what returns these, one in each case, hardly returns them for another reason."""
    whole = {value for value in values if type(value) is int}
    return len(whole) >= TELLING or any(map(is_telling, values))


def _printable(text: str) -> str:
    """Text in which nothing turns lines, colours or directions, and that can be kept in a file."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def _stopped_at(outcome: Outcome) -> int:
    """The line at which an answer stopped; 0 if it came to its end."""
    stopped = _LINE.match(outcome.raised.line) if outcome.raised else None
    return int(stopped[1]) if stopped else 0
