"""What is imported once, before any student's code runs: the entries of a course's `preload`."""

import importlib
from contextlib import suppress

_AND_ALL_NAMES = ".*"
# What a package imports by itself later: IPython for the first exception that it shows, and this
# one for the names that notebooks and drivers ask for.
_LATER = {
    "IPython": ("stack_data", "pygments.formatters.terminal256"),
    "autograder": ("autograder.checks.check", "autograder.exam.run_module"),
}


def load(entry: str) -> None:
    """Import a module or, for an entry such as "gallery.*", all that is public in it too.

    Some packages import their parts when they are first asked for: after the fork, each student
    would do it anew.
    """
    module = importlib.import_module(entry.removesuffix(_AND_ALL_NAMES))
    if entry.endswith(_AND_ALL_NAMES):
        for name in getattr(module, "__all__", dir(module)):
            if not name.startswith("_"):
                getattr(module, name)
    for later in _LATER.get(entry.removesuffix(_AND_ALL_NAMES), ()):
        with suppress(ImportError):  # another version may have it elsewhere
            importlib.import_module(later)


def package_of(entry: str) -> str:
    """The package, or the module, that an entry is about or in."""
    return entry.partition(".")[0]
