"""The search for the place: change after change, until one makes every printed example right.

It is bounded in the number of changes, in processor time and, for each change, in turns of loops.
"""

import ast
import re
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from autograder.checks.exam.case import Case, is_mistaken
from autograder.checks.exam.report import Place
from autograder.checks.locate.families.change import MOST_QUOTED, Family, StatementFamily, in_words
from autograder.checks.locate.families.table import FAMILIES, NEARER
from autograder.checks.locate.places import TICK, Slot, is_tick, slots_of, with_ticks
from autograder.checks.locate.seen import Kinds, Ran, watching
from autograder.checks.locate.source import AnswerSource, source_of
from autograder.checks.values.outcome import Outcome
from autograder.checks.values.tensors import one_torch_thread

SECONDS = 0.8
_MOST_CHANGES = 10_000
_MOST_TURNS = 10_000
# Of one call of a changed answer: a number that each turn squares grows beyond any machine.
_MOST_SECONDS = 0.25
_MOST_PLACES = 4
_MOST_TEXT = 120
_LINE = re.compile(r"line (\d+):")

# In a browser Python has one thread, and no clock but the process's.
_processor_time: Callable[[], float] = getattr(time, "thread_time", time.process_time)

Node = TypeVar("Node", bound=ast.AST)


@dataclass(frozen=True)
class FoundPlace:
    """A line at which a change of a family makes every example right, as plain data."""

    line: int
    text: str
    family: int
    quoted: str

    def place(self) -> Place:
        """The same in words.

        Raises:
            ValueError: for what no search can have found.
        """
        family = FAMILIES[self.family]
        if self.line < 1 or self.family < 0 or len(self.quoted) > MOST_QUOTED:
            raise ValueError("no place is like this")
        text = self.text[:_MOST_TEXT]
        return Place(self.line, text, family.about, in_words(family, self.quoted))


class _TooLong(BaseException):
    """A changed loop has run for more turns than any honest one."""


def search(
    answer: Callable[..., Any],
    cases: Sequence[Case],
    *,
    seconds: float = SECONDS,
    most: int = _MOST_CHANGES,
) -> list[FoundPlace]:
    """Where in an answer's source one small change makes all cases right.

    Args:
        answer: a function or class as defined in a notebook.
        cases: what it is tried on; it is wrong on some.
        seconds: the processor time that this may take.
        most: how many changes are tried.

    Returns:
        The lines, each once, that of the nearest change first; none where none was found.
    """
    source = source_of(answer)
    if source is None:
        return []
    started = _processor_time()
    end = started + seconds
    outcomes, costs, ran, now = [], [], [], started
    kinds: Kinds = {}
    with one_torch_thread():
        for case in cases:
            with watching(source.file, kinds) as lines:
                outcomes.append(case.observe(answer))
            ran.append(lines)
            before, now = now, _processor_time()
            costs.append(now - before)
            raised = outcomes[-1].raised
            if now > end or (raised and raised.is_out_of_memory):
                # It is too slow to be tried again and again, or would fill what memory there is.
                return []
    wrong = [is_mistaken(one, case) for one, case in zip(outcomes, cases, strict=True)]
    if not any(wrong):
        return []
    # What tells most changes from a right answer, and soonest. No place depends on this order.
    order = sorted(range(len(cases)), key=lambda n: (not wrong[n], costs[n]))
    trials = _Trials(source, [cases[n] for n in order], [costs[n] for n in order])
    found: dict[int, FoundPlace] = {}
    to_blame = _Blame(
        [one for one, is_wrong in zip(ran, wrong, strict=True) if is_wrong],
        [one for one, is_wrong in zip(ran, wrong, strict=True) if not is_wrong],
    )
    changes = _changes(source, kinds, to_blame, _stopped_at(outcomes[wrong.index(True)]))
    with one_torch_thread():
        for turn, (node, family) in enumerate(changes):
            if turn >= most or _processor_time() > end or len(found) >= _MOST_PLACES:
                break
            line = node.lineno
            if line not in found and trials.are_right(end):
                text = source.text(line)
                found[line] = FoundPlace(line, text, FAMILIES.index(family), family.quoted(node))
                # Another place that would do is looked for as long again.
                end = min(end, 2 * _processor_time() - started)
    return list(found.values())


def _stopped_at(outcome: Outcome) -> int:
    """The line at which an answer stopped; 0 if it came to its end."""
    stopped = _LINE.match(outcome.raised.line) if outcome.raised else None
    return int(stopped[1]) if stopped else 0


class _Trials:
    """Tries a source as it stands, on cases of which the likeliest to fail comes first.

    `costs` is what each case has cost the answer itself. A call of a library can't be stopped, so
    none is begun for which there is not that much time left.
    """

    def __init__(self, source: AnswerSource, cases: Sequence[Case], costs: Sequence[float]) -> None:
        with_ticks(source)
        self._name = source.name
        self._module = ast.Module(list(source.definitions), [])
        self._namespace = {"range": self._range, **source.namespace, TICK: self._tick}
        self._cases, self._costs = cases, costs
        self._turns, self._until = 0, 0.0
        self._growing = [
            node for one in source.definitions for node in ast.walk(one) if _may_grow(node)
        ]

    def are_right(self, end: float) -> bool:
        """Whether all cases are right, and before the processor time has come to its end."""
        if any(map(_holds_itself, self._growing)):
            return False
        try:
            with warnings.catch_warnings():
                # They would be about what the learner has not written.
                warnings.simplefilter("ignore")
                exec(compile(self._module, "<a small change>", "exec"), self._namespace)
        except Exception:
            return False
        answer = self._namespace[self._name]
        return callable(answer) and all(
            _processor_time() + cost < end and self._is_right(answer, case)
            for case, cost in zip(self._cases, self._costs, strict=True)
        )

    def _is_right(self, answer: Callable[..., Any], case: Case) -> bool:
        self._turns, self._until = 0, _processor_time() + _MOST_SECONDS
        try:
            return not is_mistaken(case.observe(answer), case)
        except (_TooLong, MemoryError, RecursionError):
            return False

    def _tick(self) -> None:
        self._turns += 1
        if self._turns > _MOST_TURNS or _processor_time() > self._until:
            raise _TooLong

    def _range(self, *bounds: int) -> range:
        """A range for a loop that has no place to count its turns, as a comprehension."""
        made = range(*bounds)
        if len(made) > _MOST_TURNS:
            raise _TooLong
        return made


def _may_grow(node: ast.AST) -> bool:
    """Whether this may put something at the end of a list."""
    match node:
        case ast.Call(func=ast.Attribute(attr="append")) | ast.AugAssign(value=ast.List()):
            return True
    return False


def _holds_itself(node: ast.AST) -> bool:
    """Whether a list is put into itself.

    NumPy would make an array of such a list for minutes, out of all the memory that there is, and
    no clock of Python's stops it.
    """
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=outer)), args=[ast.Name(id=inner)]):
            return outer == inner
        case ast.AugAssign(target=ast.Name(id=outer), value=ast.List(elts=[ast.Name(id=inner)])):
            return outer == inner
    return False


@dataclass(frozen=True)
class _Blame:
    """Which lines can be the reason: what wrong calls have run, and what right ones have."""

    wrong: Sequence[Ran]
    right: Sequence[Ran]

    def may_be(self, slot: Slot) -> bool:
        """Whether every wrong call has been there: no change elsewhere would make it right."""
        return slot.lines is None or all(one.any_of(*slot.lines) for one in self.wrong)

    def is_likely(self, slot: Slot) -> bool:
        """Whether no right call has been there."""
        return slot.lines is not None and not any(one.any_of(*slot.lines) for one in self.right)


def _changes(
    source: AnswerSource, kinds: Kinds, to_blame: _Blame, first: int
) -> Iterator[tuple[ast.expr | ast.stmt, Family | StatementFamily]]:
    """Makes change after change; while it waits, the source is changed.

    What is wrong in a line stops there, or below it: so that line comes first, then those above.
    """
    expressions, blocks = (list(filter(to_blame.may_be, one)) for one in slots_of(source, kinds))
    expressions.sort(key=lambda slot: _distance(slot.content.lineno, first))
    there = [slot for slot in expressions if slot.content.lineno == first]
    likely = [slot for slot in expressions if to_blame.right and to_blame.is_likely(slot)]
    for slots, families in ((there, NEARER), (likely, NEARER), (expressions, FAMILIES)):
        for family in families:
            if isinstance(family, Family):
                turned = family.from_the_end and not first
                for slot in reversed(slots) if turned else slots:
                    yield from _of_expression(slot, family)
            elif slots is expressions:
                for slot in blocks:
                    yield from _of_block(slot, family)


def _distance(line: int, first: int) -> tuple[bool, int]:
    """Of a line from the one at which the answer stopped: what is below it comes last."""
    return (line > first, abs(line - first)) if first else (False, line)


def _of_expression(slot: Slot, family: Family) -> Iterator[tuple[ast.expr, Family]]:
    before = slot.content
    try:
        for after in family.changes(before, slot.scope):
            slot.put(_located(after, before))
            yield before, family
    finally:
        slot.put(before)


def _of_block(slot: Slot, family: StatementFamily) -> Iterator[tuple[ast.stmt, StatementFamily]]:
    before = slot.content
    try:
        for n, statement in enumerate(before):
            if is_tick(statement):
                continue
            for changed, after in family.changes(before, n, slot.scope):
                slot.put([_located(one, statement) for one in after])
                yield changed, family
    finally:
        slot.put(before)


def _located(one: Node, like: ast.expr | ast.stmt) -> Node:
    """The node, which may be new, with lines that the compiler can take."""
    located = one if hasattr(one, "lineno") else ast.copy_location(one, like)
    return ast.fix_missing_locations(located)
