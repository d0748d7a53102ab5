"""Change after change of an answer's source, the likeliest first.

While one of them waits for the next, the source is changed; it is as it was when they end.
"""

import ast
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from autograder.checks.locate.families.change import Family, StatementFamily
from autograder.checks.locate.families.table import FAMILIES, NEARER
from autograder.checks.locate.places import Slot, is_tick, slots_of
from autograder.checks.locate.seen import Kinds, Ran
from autograder.checks.locate.source import AnswerSource

Change: TypeAlias = tuple[ast.expr | ast.stmt, Family | StatementFamily]
Changes: TypeAlias = Generator[Change]


@dataclass(frozen=True)
class Blame:
    """Which lines can be the reason: what wrong calls have run, and what right ones have."""

    wrong: Sequence[Ran]
    right: Sequence[Ran]

    def may_be(self, slot: Slot) -> bool:
        """Whether every wrong call has been there: no change elsewhere would make it right."""
        return slot.lines is None or all(one.any_of(*slot.lines) for one in self.wrong)

    def is_likely(self, slot: Slot) -> bool:
        """Whether no right call has been there."""
        return slot.lines is not None and not any(one.any_of(*slot.lines) for one in self.right)


def changes_of(source: AnswerSource, kinds: Kinds, to_blame: Blame, first: int) -> Changes:
    """Makes change after change; while it waits, the source is changed.

    What is wrong in a line stops there, or below it: so that line comes first, then those above.
    """
    expressions, blocks = (list(filter(to_blame.may_be, one)) for one in slots_of(source, kinds))
    expressions.sort(key=lambda slot: _distance(slot.content.lineno, first))
    there = [slot for slot in expressions if slot.content.lineno == first]
    putting = _Putting(source)
    likely = [slot for slot in expressions if to_blame.right and to_blame.is_likely(slot)]
    for slots, families in ((there, NEARER), (likely, NEARER), (expressions, FAMILIES)):
        its = blocks if slots is expressions else []
        yield from putting.of_families(slots, its, families, turned=not first)


def near_changes(
    source: AnswerSource, slots: tuple[Sequence[Slot], Sequence[Slot]], to_blame: Blame
) -> Changes:
    """Makes one of the nearest changes after the other, of a source that may be changed already."""
    expressions, blocks = (list(filter(to_blame.may_be, one)) for one in slots)
    yield from _Putting(source).of_families(expressions, blocks, NEARER, turned=False)


def _distance(line: int, first: int) -> tuple[bool, int]:
    """Of a line from the one at which the answer stopped: what is below it comes last."""
    return (line > first, abs(line - first)) if first else (False, line)


class _Putting:
    """Puts one change after another where it belongs, with lines that the compiler can take."""

    def __init__(self, source: AnswerSource) -> None:
        # What has its lines already, in an answer and below a change that is made of its parts.
        self._has_lines = {id(node) for one in source.definitions for node in ast.walk(one)}

    def of_families(
        self,
        expressions: Sequence[Slot],
        blocks: Sequence[Slot],
        families: Iterable[Family | StatementFamily],
        *,
        turned: bool,
    ) -> Changes:
        """What families make of expressions and blocks, from the end where that is `turned`."""
        for family in families:
            if isinstance(family, Family):
                from_the_end = family.from_the_end and turned
                for slot in reversed(expressions) if from_the_end else expressions:
                    yield from self.of_expression(slot, family)
            else:
                for slot in blocks:
                    yield from self.of_block(slot, family)

    def of_expression(self, slot: Slot, family: Family) -> Iterator[tuple[ast.expr, Family]]:
        """What a family makes of an expression; it stands there while this waits."""
        before = slot.content
        try:
            for after in family.changes(before, slot.scope):
                self._locate(after, before)
                slot.put(after)
                yield before, family
        finally:
            slot.put(before)

    def of_block(
        self, slot: Slot, family: StatementFamily
    ) -> Iterator[tuple[ast.stmt, StatementFamily]]:
        """What a family makes of a block, at one of its statements after another."""
        before = slot.content
        try:
            for n, statement in enumerate(before):
                if is_tick(statement):
                    continue
                for changed, after in family.changes(before, n, slot.scope):
                    for one in after:
                        self._locate(one, statement)
                    slot.put(after)
                    yield changed, family
        finally:
            slot.put(before)

    def _locate(self, node: ast.AST, like: ast.AST) -> None:
        if id(node) in self._has_lines:
            return
        if "lineno" in node._attributes and not hasattr(node, "lineno"):
            ast.copy_location(node, like)
        for part in ast.iter_child_nodes(node):
            self._locate(part, like)
