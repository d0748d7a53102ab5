"""A folder that is replaced as a whole, together with what goes into the gradebook, or not at all.

nbgrader deletes what was there before it begins, and what it has made when it fails. Here the next
folder is made in a place of our own, `autograded/.making/ada/01_x` for one. When all of it is there
it takes the old one's place, and then the gradebook is changed: if that fails, the folders are
changed back. Nothing is left of `.making` then. What a kill leaves behind is put in order before
the folder is made again.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock, Timeout

from autograder.errors import GradingFailed

MAKING = ".making"
_TRIES = 100


@dataclass(frozen=True)
class Folder:
    """Where it is, and where the next one is made."""

    place: Path
    next: Path

    @property
    def before(self) -> Path:
        """Where the old one waits."""
        return self.next.with_name(f".{self.next.name}.before")

    @property
    def lock(self) -> Path:
        """A file to lock. It lies beside the other two: while it is there, their folder stays."""
        return self.next.with_name(f".{self.next.name}.lock")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Keep others from making it meanwhile.

        Raises:
            GradingFailed: when somebody does.
        """
        self.place.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock = self._locked()
        except Timeout:
            raise GradingFailed(
                f"another program is making {self.place} right now: wait until it is done"
            ) from None
        try:
            yield
        finally:
            # While it is ours: nobody else can hold what is deleted here.
            with suppress(OSError):
                self.lock.unlink()
            lock.release()
            self._leave()

    def _locked(self) -> FileLock:
        lock = FileLock(self.lock, timeout=0)
        for _ in range(_TRIES):
            # Whoever is done just now may remove this folder before anything is in it.
            with suppress(FileNotFoundError):
                self.lock.parent.mkdir(parents=True, exist_ok=True)
                lock.acquire()
                return lock
        raise Timeout(str(self.lock))

    def _leave(self) -> None:
        """Remove the folders in which nobody makes anything any more."""
        for folder in self.next.parents:
            try:
                folder.rmdir()
            except OSError:
                return
            if folder.name == MAKING:
                return

    def recover(self, is_finished: Callable[[Path], bool]) -> None:
        """Put in order what a kill has left: of two folders, the one that was made to its end."""
        if self.before.exists():
            if self.place.exists() and is_finished(self.place):
                remove(self.before)
            else:
                remove(self.place)
                os.rename(self.before, self.place)
        remove(self.next)

    @contextmanager
    def made_anew(self, *, keep_others: bool) -> Iterator[None]:
        """Make the next one, beginning with the old one's files if others of them are to stay."""
        try:
            if keep_others and self.place.is_dir():
                shutil.copytree(self.place, self.next, copy_function=_copy)
            yield
            with suppress(OSError):  # the old one has served, and is not in the way
                remove(self.before)
        finally:
            with suppress(OSError):
                remove(self.next)

    @contextmanager
    def replaced(self) -> Iterator[None]:
        """Put the next one in its place; and the old one back if what follows fails."""
        existed = self.place.exists()
        if existed:
            os.rename(self.place, self.before)
        try:
            os.rename(self.next, self.place)
            yield
        except BaseException:
            remove(self.place)
            if existed:
                os.rename(self.before, self.place)
            raise


def remove(path: Path) -> None:
    """Remove a folder, or whatever is there in its place."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _copy(source: str, target: str) -> None:
    """A copy to write to: nbgrader's own are for reading."""
    shutil.copyfile(source, target, follow_symlinks=False)
