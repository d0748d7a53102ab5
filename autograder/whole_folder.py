"""Making a folder anew, whole: never one of somebody else's, and always the old or the new one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


def may_replace(folder: Path, mark: str) -> bool:
    """Whether nothing lies there but what was made by us, which has a file of this name."""
    if not folder.exists() or (folder / mark).is_file():
        return True
    return folder.is_dir() and not any(folder.iterdir())


@contextmanager
def making(folder: Path) -> Iterator[Path]:
    """A folder beside the one to be made, for all that it takes to make it; gone at the end."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as beside:
        yield Path(beside)


def take_place(made: Path, folder: Path, before: Path) -> None:
    """Put a folder where an old one may be.

    Args:
        made: the new one.
        folder: where it belongs.
        before: where the old one goes.
    """
    if folder.exists():
        folder.rename(before)
    made.rename(folder)
