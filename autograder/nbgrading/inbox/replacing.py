"""A submission's folder, replaced as a whole: whoever is ended in between leaves one of the two."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape, glob
from pathlib import Path

from filelock import FileLock, Timeout

from autograder.errors import GradingFailed

_ARRIVING, _REPLACED = ".arriving", ".replaced"


@contextmanager
def alone(submitted: Path) -> Iterator[None]:
    """Keep others from replacing what lies in the folder of submissions meanwhile.

    Raises:
        GradingFailed: when somebody does.
    """
    submitted.mkdir(parents=True, exist_ok=True)
    path = submitted.with_name(f".{submitted.name}.lock")
    try:
        lock = FileLock(path, timeout=0).acquire()
    except Timeout:
        raise GradingFailed(
            f"another program is collecting into {submitted} right now: wait until it is done, and "
            "collect again"
        ) from None
    with lock:
        try:
            for target in half_replaced(submitted):
                # Whose can't be put back costs nobody else.
                with suppress(OSError):
                    finish_replacing(target)
            yield
        finally:
            # While it is ours: nobody else can hold what is deleted here.
            path.unlink(missing_ok=True)


def arriving(target: Path) -> Path:
    """An empty folder in which the new one is made; none of nbgrader's patterns finds it."""
    folder = _beside(target, _ARRIVING)
    _remove(folder)
    folder.mkdir(parents=True)
    return folder


def replace(target: Path) -> None:
    """Put what has arrived in the place of what is there; a kill leaves one of the two."""
    old = _beside(target, _REPLACED)
    _remove(old)
    if os.path.lexists(target):
        target.rename(old)
    _beside(target, _ARRIVING).rename(target)
    _remove(old)


def discard(target: Path) -> None:
    """Leave what is there, and remove what has arrived."""
    _remove(_beside(target, _ARRIVING))


def half_replaced(submitted: Path, student: str = "*", lesson: str = "*") -> list[Path]:
    """What somebody who was ended has taken away, and put nothing in its place."""
    found = glob(os.path.join(escape(str(submitted)), student, f".{lesson}{_REPLACED}"))
    targets = [Path(old).with_name(Path(old).name[1 : -len(_REPLACED)]) for old in sorted(found)]
    return [one for one in targets if not os.path.lexists(one)]


def finish_all(submitted: Path, student: str = "*", lesson: str = "*") -> list[Path]:
    """Put all of that back, unless somebody is at it; what is still away is named."""
    if half_replaced(submitted, student, lesson):
        with suppress(GradingFailed, OSError), alone(submitted):
            pass
    return half_replaced(submitted, student, lesson)


def finish_replacing(target: Path) -> None:
    """Put back what somebody who was ended had only begun to replace."""
    old = _beside(target, _REPLACED)
    if old.exists() and not os.path.lexists(target):
        old.rename(target)


def _beside(target: Path, what: str) -> Path:
    return target.with_name(f".{target.name}{what}")


def _remove(path: Path) -> None:
    if path.is_symlink():
        path.unlink()
    elif path.exists():
        for folder in _folders(path):
            # What was copied with its modes may be closed to its own owner.
            folder.chmod(0o700)
        shutil.rmtree(path)


def _folders(path: Path) -> Iterator[Path]:
    yield path
    for entry in sorted(os.scandir(path), key=lambda entry: entry.name):
        if entry.is_dir(follow_symlinks=False):
            yield from _folders(Path(entry.path))
