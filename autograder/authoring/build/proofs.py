"""What the build has proved of each exercise, and need not prove again while nothing has changed.

`solutions/exams/proofs.json`, which is committed, has a line for each exercise: the digest of all
that its exam is made of, that of what ships of it, and which misconceptions its check can't name,
and why. Where a digest differs, the proof is made again; the tests make a tenth again in any case.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from autograder.authoring.build.build_inputs import PROOFS, digest_of
from autograder.course import Course
from autograder.whole_file import write_whole

if TYPE_CHECKING:
    from autograder.authoring.build.shipping import Entry


@dataclass(frozen=True)
class Proof:
    """What was proved of an exercise.

    `inputs` and `ships` are digests; `unnamed` maps each misconception that the learner's check
    does not name to the reason.
    """

    inputs: str
    ships: str
    unnamed: Mapping[str, str] = field(default_factory=dict)

    def holds(self, inputs: str, there: "Entry") -> bool:
        """Whether it is still about these inputs, and about what is there of the exercise."""
        return (self.inputs, self.ships) == (inputs, digest_of_entry(there))


def digest_of_entry(entry: "Entry") -> str:
    """By which what ships of an exercise is known again."""
    return digest_of(json.dumps(entry, ensure_ascii=False).encode())


class Proofs:
    """The file of a course's proofs, by lesson and exercise."""

    def __init__(self, course: Course) -> None:
        self._path = course.root / PROOFS

    def of(self, lesson: str) -> dict[str, Proof]:
        """What is known of a lesson's exercises."""
        known = self._read()
        return {exercise: proof for (owner, exercise), proof in known.items() if owner == lesson}

    def keep(self, lesson: str, proofs: Mapping[str, Proof]) -> None:
        """Remember a lesson's proofs in place of those that it had."""
        known = {place: proof for place, proof in self._read().items() if place[0] != lesson}
        known |= {(lesson, exercise): proof for exercise, proof in proofs.items()}
        lines = [
            f'"{owner}/{exercise}": {json.dumps(asdict(known[owner, exercise]))}'
            for owner, exercise in sorted(known)
        ]
        text = "{\n" + ",\n".join(lines) + "\n}\n"
        if not self._path.is_file() or self._path.read_text(encoding="utf-8") != text:
            write_whole(self._path, text.encode())

    def _read(self) -> dict[tuple[str, str], Proof]:
        try:
            written = json.loads(self._path.read_text(encoding="utf-8"))
            places = {tuple(place.split("/")): proof for place, proof in written.items()}
            return {(owner, one): Proof(**proof) for (owner, one), proof in places.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}
