"""The grading before this one: which answers were read then, and for which a human's points stand.

What can't be graded, since it breaks off or is somebody else's, says nothing of the answers. So the
record of such a submission keeps what is known of the last that could be, and points that a human
has given wait there for the words that they were given for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from autograder.grading.record import Record

# Points and extra credit.
Given = tuple[float | None, float | None]


@dataclass(frozen=True)
class Earlier:
    """What was found out before, as a record says, and the draft of the record that is made now."""

    draft: Path
    before: Record = field(default_factory=Record)

    @property
    def same(self) -> frozenset[str]:
        """The answers whose texts are those that could be graded last.

        Of what can't be graded now, all where it is what could not be graded before, else none. Nor
        is any where the student added something else: the answer itself may stand there.
        """
        now, before = Record.read(self.draft), self.before
        if now.not_graded:
            is_known = before.not_graded and before.submission == now.submission
            return frozenset(now.answers if is_known else ())
        known = {} if self._is_added_to else self._last_read
        return frozenset(name for name, one in now.answers.items() if known.get(name) == one)

    @property
    def others(self) -> frozenset[str]:
        """The answers whose texts are known to be others than those that could be graded last.

        Where no record tells which text an answer had, or the student added something else, it is
        neither the same nor another. What could not be graded had none: of a submission that is
        another now, all are others. Of the very same file none is, even if an earlier program has
        read less of it.
        """
        now, before = Record.read(self.draft), self.before
        if before.submission == now.submission:
            return frozenset()
        known = self._last_read
        return frozenset(
            name
            for name, one in now.answers.items()
            if known.get(name, "" if before.not_graded else one) != one
        )

    def was_final(self, name: str, given: Given, *, waits: bool) -> bool:
        """Whether what a human has given was final for the last text that could be graded.

        What was given since for what could not be graded is for that alone.

        Args:
            name: of the cell.
            given: the points and the extra credit.
            waits: whether it waits for a human as it stands.
        """
        before = self.before.final_before
        if not self.before.not_graded:
            return not waits
        # Earlier programs kept names alone.
        return isinstance(before, Mapping) and tuple(before.get(name, ())) == given

    def keep(self, final: Mapping[str, Given]) -> None:
        """Have the record of what can't be graded know what is known of the last that could be.

        Args:
            final: by cell, what a human has given that was final for that.
        """
        now = replace(
            Record.read(self.draft),
            answers_before=self._last_read,
            added_before=self._last_added,
            final_before=final,
        )
        self.draft.write_text(now.text(), encoding="utf-8")

    @property
    def _last_read(self) -> Mapping[str, str]:
        return self.before.answers_before if self.before.not_graded else self.before.answers

    @property
    def _last_added(self) -> str:
        return self.before.added_before if self.before.not_graded else self.before.added

    @property
    def _is_added_to(self) -> bool:
        """Whether what the student added is known to be something else than it was.

        What is added hangs on what is given out, too. Of the very same hand-in it has not changed,
        whatever has been mended in the lesson since.
        """
        now, before = Record.read(self.draft), self.before
        is_known = not before.not_graded and before.submission == now.submission
        if is_known and before.files == now.files:
            return False
        return self._last_added not in ("", now.added)
