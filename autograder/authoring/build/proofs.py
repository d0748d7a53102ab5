"""What the build has proved of each exercise, and need not prove again while nothing has changed.

`solutions/exams/proofs.json`, which is committed, has a line for each exercise: the digest of all
that its exam is made of, that of what ships of it, which misconceptions its check can't name, and
why, and which of them are right but for one thing, and what. `mine/proofs.json` has the same of the
exercises that a course adds to its lessons. Where a digest differs, the proof is made again; the
tests make a tenth again in any case.
"""

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from autograder.authoring.build.build_inputs import OWN_PROOFS, PROOFS, digest_of
from autograder.course import Course
from autograder.whole_file import write_whole

if TYPE_CHECKING:
    from autograder.authoring.build.shipping import Entry


@dataclass(frozen=True)
class Proof:
    """What was proved of an exercise.

    `inputs` and `ships` are digests; `unnamed` maps each misconception that the learner's check
    does not name to the reason, and `halves` each that is right but for one thing to what that is.
    """

    inputs: str
    ships: str
    unnamed: Mapping[str, str] = field(default_factory=dict)
    halves: Mapping[str, str] = field(default_factory=dict)

    def holds(self, inputs: str, there: "Entry") -> bool:
        """Whether it is still about these inputs, and about what is there of the exercise."""
        return (self.inputs, self.ships) == (inputs, digest_of_entry(there))


def digest_of_entry(entry: "Entry") -> str:
    """By which what ships of an exercise is known again."""
    return digest_of(json.dumps(entry, ensure_ascii=False).encode())


class Proofs:
    """The proofs of a course, by lesson and exercise."""

    def __init__(self, course: Course) -> None:
        self._lessons, self._own = _File(course.root / PROOFS), _File(course.root / OWN_PROOFS)

    def of(self, lesson: str) -> dict[str, Proof]:
        """What is known of a lesson's exercises."""
        return {**self._lessons.of(lesson), **self._own.of(lesson)}

    def keep(
        self,
        lesson: str,
        proofs: Mapping[str, Proof],
        *,
        own: Collection[str] = (),
        left_out: Collection[str] = (),
    ) -> None:
        """Remember a lesson's proofs in place of those that it had.

        Args:
            lesson: its full name.
            proofs: by exercise.
            own: those of them that the course adds to the lesson.
            left_out: exercises that the course does not ask, whose proofs stay as they are.
        """
        theirs = {name: proof for name, proof in proofs.items() if name not in own}
        self._lessons.keep(lesson, self._lessons.some_of(lesson, left_out) | theirs)
        self._own.keep(lesson, {name: proofs[name] for name in own if name in proofs})


class _File:
    """One file of proofs."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def of(self, lesson: str) -> dict[str, Proof]:
        known = self._read()
        return {exercise: proof for (owner, exercise), proof in known.items() if owner == lesson}

    def some_of(self, lesson: str, exercises: Collection[str]) -> dict[str, Proof]:
        return {name: proof for name, proof in self.of(lesson).items() if name in exercises}

    def keep(self, lesson: str, proofs: Mapping[str, Proof]) -> None:
        known = {place: proof for place, proof in self._read().items() if place[0] != lesson}
        known |= {(lesson, exercise): proof for exercise, proof in proofs.items()}
        lines = [
            f'"{owner}/{exercise}": {json.dumps(asdict(known[owner, exercise]))}'
            for owner, exercise in sorted(known)
        ]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        if not lines and not self._path.is_file():
            return
        if not self._path.is_file() or self._path.read_text(encoding="utf-8") != text:
            write_whole(self._path, text.encode())

    def _read(self) -> dict[tuple[str, str], Proof]:
        try:
            written = json.loads(self._path.read_text(encoding="utf-8"))
            places = {tuple(place.split("/")): proof for place, proof in written.items()}
            return {(owner, one): Proof(**proof) for (owner, one), proof in places.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
