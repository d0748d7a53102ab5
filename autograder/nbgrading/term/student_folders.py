"""Which folders are called by a student's id, and who else may be at work in them."""

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from autograder.errors import GradingFailed
from autograder.nbgrading.all_or_nothing import MAKING, Folder
from autograder.nbgrading.inbox.replacing import alone

SUBMITTED = "submitted"
_MADE = ("autograded", "feedback")


@dataclass(frozen=True)
class StudentFolders:
    """A student's folders.

    Attributes:
        root: the course's folder.
        inbound: where the course's exchange takes in what students submit.
        id: what the folders are called by.
    """

    root: Path
    inbound: Path
    id: str

    @property
    def submitted(self) -> Path:
        """What was handed in."""
        return self.root / SUBMITTED / self.id

    def places(self) -> list[Path]:
        """Each folder that is there, and what a broken grading has left of one."""
        found = [self.submitted, *(self.root / step / self.id for step in (*_MADE, "records"))]
        for step in _MADE:
            left = within(self.root / step / MAKING / self.id)
            found += [one for one in left if one.suffix != ".lock"]
        found += [one / self.id for one in folders_in(self.root / "gradescope")]
        return [*filter(os.path.lexists, found), *self.arrived()]

    def arrived(self) -> list[Path]:
        """What the student has submitted to the exchange."""
        return [one for one in folders_in(self.inbound) if one.name.split("+")[0] == self.id]

    def can_remove(self, place: Path) -> bool:
        """Whether a place is ours to move or remove: in an exchange, it may be its student's."""
        if place.parent != self.inbound:
            return True
        around = self.inbound.stat()
        owners = (0, around.st_uid, place.lstat().st_uid)
        is_ours = not around.st_mode & stat.S_ISVTX or os.geteuid() in owners
        all_of_it = os.R_OK | os.W_OK | os.X_OK
        return is_ours and all(os.access(one, all_of_it) for one in (self.inbound, place))

    def can_read(self, place: Path) -> bool:
        """Whether a place is ours to read, in the same way."""
        return place.parent != self.inbound or os.access(place, os.R_OK | os.X_OK)

    def in_copy(self, place: Path) -> Path:
        """Where a place lies in a copy: as here, but for an exchange outside of the course."""
        inside = place.is_relative_to(self.root)
        return place.relative_to(self.root) if inside else Path("exchange", place.name)

    def renamed(self, place: Path, new: str) -> Path:
        """Where a place lies under another id."""
        if place.parent.parent.name == MAKING:
            return place.parent.with_name(new) / place.name
        return place.with_name(f"{new}{place.name.removeprefix(self.id)}")

    @contextmanager
    def alone(self, lessons: Iterable[str]) -> Iterator[None]:
        """Keep others from collecting anything, and from grading this student, meanwhile.

        Raises:
            GradingFailed: when somebody does.
        """
        with ExitStack() as stack:
            stack.enter_context(alone(self.submitted.parent))
            for lesson in lessons:
                made = [self._made(step, lesson) for step in _MADE]
                # One who was killed has left a lock, which goes with ours.
                signs = [self.submitted / lesson, *(one.place for one in made)]
                if any(map(os.path.lexists, [*signs, *(one.lock for one in made)])):
                    for one in made:
                        stack.enter_context(one.alone())
            for step in _MADE:
                # A lock makes the folder in which it keeps others from making another.
                with suppress(OSError):
                    (self.root / step / self.id).rmdir()
            yield

    def _made(self, step: str, lesson: str) -> Folder:
        folder = self.root / step
        return Folder(folder / self.id / lesson, folder / MAKING / self.id / lesson)


def move(place: Path, to: Path) -> None:
    """Move what is there, unless it was moved already.

    Raises:
        GradingFailed: when something is in the way.
    """
    if not os.path.lexists(place):
        return
    if os.path.lexists(to):
        raise GradingFailed(
            f"{place} and {to} are both there: move one of them elsewhere, and the same command "
            "goes on from here"
        )
    to.parent.mkdir(parents=True, exist_ok=True)
    place.rename(to)


def within(folder: Path) -> list[Path]:
    """What lies in a folder, in order; nothing where there is none, or a link to one."""
    if folder.is_symlink() or not folder.is_dir() or not os.access(folder, os.R_OK | os.X_OK):
        return []
    return sorted(folder.iterdir())


def folders_in(folder: Path) -> list[Path]:
    """The folders that lie in one, but for links."""
    return [one for one in within(folder) if one.is_dir() and not one.is_symlink()]
