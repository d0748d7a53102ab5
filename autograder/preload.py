"""What is imported once, before any student's code runs: the entries of a course's `preload`."""

import gc
import importlib
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress

_AND_ALL_NAMES = ".*"
# What a package imports by itself later: IPython for the first exception that it shows, and this
# one for the names that notebooks and drivers ask for.
_LATER = {
    "IPython": ("stack_data", "pygments.formatters.terminal256"),
    "autograder": (
        "autograder.checks.check",
        "autograder.checks.drivers.layouts",
        "autograder.checks.drivers.run_module",
    ),
}
# What takes a second to import, and only some lessons need: torch does so by itself for the first
# optimizer that makes a step, and for the first mode that sees what operations return.
_EXTRAS = {"torch": ("torch._dynamo",)}


def load(entry: str) -> None:
    """Import a module or, for an entry such as "gallery.*", all that is public in it too.

    Some packages import their parts when they are first asked for: after the fork, each student
    would do it anew.
    """
    with _all_of_it_stays():
        module = importlib.import_module(entry.removesuffix(_AND_ALL_NAMES))
        if entry.endswith(_AND_ALL_NAMES):
            for name in getattr(module, "__all__", dir(module)):
                if not name.startswith("_"):
                    getattr(module, name)
        _import_each(_LATER.get(entry.removesuffix(_AND_ALL_NAMES), ()))


def load_extras(entries: Iterable[str]) -> None:
    """Import what goes with these entries and only some lessons need."""
    with _all_of_it_stays():
        for entry in entries:
            _import_each(_EXTRAS.get(entry.removesuffix(_AND_ALL_NAMES), ()))


def needs_extras() -> bool:
    """Whether this process has come to need what only some lessons do."""
    return any(name in sys.modules for names in _EXTRAS.values() for name in names)


def _import_each(names: Iterable[str]) -> None:
    for name in names:
        with suppress(ImportError):  # another version may have it elsewhere
            importlib.import_module(name)


@contextmanager
def _all_of_it_stays() -> Iterator[None]:
    """Look for no cycles meanwhile: an import makes many objects and drops few, and the search
    takes an eighth of its time. Nor does a variable stay that an import has set: what a submission
    finds in its environment must not tell what others have needed.
    """
    searches, variables = gc.isenabled(), set(os.environ)
    gc.disable()
    try:
        yield
    finally:
        for name in os.environ.keys() - variables:
            del os.environ[name]
        if searches:
            gc.enable()


def package_of(entry: str) -> str:
    """The package, or the module, that an entry is about or in."""
    return entry.partition(".")[0]
